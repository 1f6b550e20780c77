"""Every header of src/millrace compiles alone, whatever was included before it."""

import argparse

import compiler
import repo


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    compiler.add_arguments(parser)
    arguments = parser.parse_args()
    source_root = repo.ROOT / "src"
    headers = [path.relative_to(source_root).as_posix()
               for path in repo.files() if path.suffix == ".hpp" and source_root in path.parents]
    # Twice: a second inclusion must do nothing.
    jobs = {header: (compiler.command(arguments, f"-I{source_root}", "-x", "c++", "-"),
                     f'#include "{header}"\n#include "{header}"\n') for header in headers}
    problems = [f"{header} does not compile alone:\n" + "\n".join(messages.split("\n")[:12])
                for header, (code, messages) in compiler.run_all(jobs).items() if code != 0]
    repo.finish("header_alone", problems, len(headers))


if __name__ == "__main__":
    main()
