"""Plain hygiene of every text file: blanks, line ends, line length, and words that do not belong here."""

import argparse
import pathlib
import re

import repo

MAX_COLUMNS = 120
LONG_LINES_ALLOWED = {".md", ".json", ".mtx", ".tsv", ".svg"}
# Assembled, so that this file does not hold what it forbids.
UNFINISHED = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3]) + r")\b")
MACHINE_PATH = re.compile(r"(?<![\w./~*-])/(" + "|".join(["wo" + "rk", "ro" + "ot", "ho" + "me"]) + r")(?![\w-])")


def check_text(name, text):
    """Problems of one file, each with its line."""
    problems = []
    if "\r" in text:
        problems.append(f"{name}: has carriage returns; end lines with a line feed alone")
    if text and not text.endswith("\n"):
        problems.append(f"{name}: the last line has no end")
    if text.endswith("\n\n"):
        problems.append(f"{name}: ends with empty lines")
    for number, line in enumerate(text.split("\n"), 1):
        place = f"{name}:{number}"
        if "\t" in line:
            problems.append(f"{place}: a tab; indent with blanks")
        if line != line.rstrip(" \t"):
            problems.append(f"{place}: blanks at the end of the line")
        if len(line) > MAX_COLUMNS and pathlib.PurePath(name).suffix not in LONG_LINES_ALLOWED:
            problems.append(f"{place}: {len(line)} columns, at most {MAX_COLUMNS} are right")
        if UNFINISHED.search(line):
            problems.append(f"{place}: marks something unfinished; finish it or take it out")
        if MACHINE_PATH.search(line):
            problems.append(f"{place}: names a path of one machine")
    return problems


def check(root):
    problems, num_checked = [], 0
    for path in repo.files(root):
        name = path.relative_to(root).as_posix()
        data = path.read_bytes()
        if name.startswith("tests/data/") or b"\0" in data:
            continue  # input of tests may be as odd as it likes
        num_checked += 1
        try:
            problems += check_text(name, data.decode("utf-8"))
        except UnicodeDecodeError as error:
            problems.append(f"{name}: not UTF-8 ({error.reason} at byte {error.start})")
    return problems, num_checked


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=pathlib.Path, default=repo.ROOT)
    repo.finish("check_files", *check(parser.parse_args().root.resolve()))
