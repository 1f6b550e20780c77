"""What the checks of the repository share: its files, and the includes of a source."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from git_output import git_output  # noqa: E402

CODE = {".hpp", ".cpp", ".cu", ".cuh", ".py", ".sh", ".cmake"}
SOURCES = {".hpp", ".cpp", ".cu", ".cuh"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)


def files(root=ROOT):
    """Every file that belongs to the repository: tracked, or new and not ignored."""
    listed = git_output(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is not None:
        names = [root / name for name in listed.split("\0") if name]
    else:  # a machine without git, or a copy without its history
        skipped = {".git", ".stage", "build", "__pycache__"}
        names = [path for path in root.rglob("*") if not skipped & set(path.relative_to(root).parts)]
    return sorted(path for path in set(names) if path.is_file() and not path.is_symlink())


def includes(text):
    """Pairs ('<' or '"', name) of a source's include lines."""
    return INCLUDE.findall(text)


def finish(check, problems, num_checked):
    """Prints the problems and ends the program: 0 without any, 1 otherwise."""
    for problem in problems:
        print(problem)
    print(f"{check}: {num_checked} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)
