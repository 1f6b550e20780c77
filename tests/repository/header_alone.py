"""Every header of src/millrace compiles alone, whatever was included before it, and all of them compile together. A
build without batches has shown the first of a header which the source of the same name includes first."""

import argparse
import pathlib
import re
import tempfile

import compiler
import precompiled
import repo


def is_first_of_its_source(header, root):
    source = (root / header).with_suffix(".cpp")
    first = re.search(r'^#include\s+["<]([^">]+)', source.read_text(), re.MULTILINE) if source.exists() else None
    return first is not None and first.group(1) == header


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    compiler.add_arguments(parser)
    arguments = parser.parse_args()
    source_root = repo.ROOT / "src"
    headers = [path.relative_to(source_root).as_posix()
               for path in repo.files() if path.suffix == ".hpp" and source_root in path.parents]
    # What the build says of the command's features (bench/features.hpp).
    switches = {word for header in headers for word in re.findall(r"\bMILLRACE_COMMAND_[A-Z]+\b",
                                                                  (source_root / header).read_text(encoding="utf-8"))}
    flags = [f"-I{source_root}", *(f"-D{word}=0" for word in sorted(switches))]
    users = [header for header in headers if not is_first_of_its_source(header, source_root)]
    with tempfile.TemporaryDirectory() as folder:
        before = precompiled.words(users, source_root, compiler.command(arguments, *flags), pathlib.Path(folder))
        jobs = {}
        for header in users:
            # Twice: a second inclusion must do nothing.
            jobs[f"{header} alone"] = (compiler.command(arguments, *flags, *before[header], "-x", "c++", "-"),
                                       f'#include "{header}"\n#include "{header}"\n')
        jobs["all headers together"] = (compiler.command(arguments, *flags, "-x", "c++", "-"),
                                        "".join(f'#include "{header}"\n' for header in headers))
        problems = [f"does not compile: {name}\n" + "\n".join(messages.split("\n")[:12])
                    for name, (code, messages) in compiler.run_all(jobs).items() if code != 0]
    repo.finish("header_alone", problems, len(headers))


if __name__ == "__main__":
    main()
