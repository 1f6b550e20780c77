"""Programs that the types must refuse: each compiles as it is and fails with -DMUST_NOT_COMPILE.

The first line of a case is `// expect: REGEX`, which the compiler's messages must match.
"""

import argparse
import pathlib
import re
import tempfile

import compiler
import precompiled
import repo


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    compiler.add_arguments(parser)
    arguments = parser.parse_args()
    cases = sorted((pathlib.Path(__file__).parent / "must_not_compile").glob("*.cpp"))
    source_root = repo.ROOT / "src"
    words = compiler.command(arguments, f"-I{source_root}")
    jobs = {}
    with tempfile.TemporaryDirectory() as folder:
        before = precompiled.words(cases, source_root, words, pathlib.Path(folder))
        for case in cases:
            jobs[case, "control"] = ([*words, *before[case], str(case)], None)
            jobs[case, "refused"] = ([*words, "-DMUST_NOT_COMPILE", *before[case], str(case)], None)
        results = compiler.run_all(jobs)

    problems = []
    for case in cases:
        expected = re.match(r"// expect: (.+)\n", case.read_text(encoding="utf-8"))[1]
        code, messages = results[case, "control"]
        if code != 0:
            problems.append(f"{case.name}: the control case does not compile:\n{messages}")
        code, messages = results[case, "refused"]
        if code == 0:
            problems.append(f"{case.name}: compiles with -DMUST_NOT_COMPILE")
        elif not re.search(expected, messages):
            problems.append(f"{case.name}: refused, but no message matches '{expected}':\n{messages}")
    repo.finish("must_not_compile", problems, len(cases))


if __name__ == "__main__":
    main()
