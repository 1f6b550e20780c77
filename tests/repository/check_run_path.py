"""Where programs and libraries look for others: never in the folder in which somebody starts them."""

import argparse
import pathlib
import re
import subprocess
import sys


def problems_of(file):
    done = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=False)
    if done.returncode:
        return [f"{file}: readelf cannot read it: {done.stderr.strip()}"]
    problems = []
    for kind, text in re.findall(r"\((RUNPATH|RPATH)\).*\[(.*)\]", done.stdout):
        for item in text.split(":"):
            if not item:
                problems.append(f"{file}: {kind} '{text}' has an empty item, which is the current folder")
            elif not item.startswith(("/", "$ORIGIN")):
                problems.append(f"{file}: {kind} has '{item}', which follows the current folder")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="programs, libraries, or folders of them")
    files = []
    for path in parser.parse_args().files:
        files += [file for file in sorted(path.rglob("*")) if file.is_file() and not file.is_symlink()
                  and file.open("rb").read(4) == b"\x7fELF" and file.suffix != ".o"] if path.is_dir() else [path]
    problems = [text for file in files for text in problems_of(file)]
    for text in problems:
        print(text)
    print(f"check_run_path: {len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
