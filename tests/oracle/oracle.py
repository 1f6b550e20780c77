"""What the tests against other people's software share: the command, its JSON, and how to skip without a package."""

import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77  # exit status that ctest takes for "skipped"


def need(*names):
    """The modules of these names; without one of them the test is skipped."""
    try:
        return [importlib.import_module(name) for name in names]
    except ImportError as error:
        print(f"skipped: {error}")
        sys.exit(SKIPPED)


class Oracle:
    """The command under test, a folder for files, and what was found wrong."""

    def __init__(self, text):
        parser = argparse.ArgumentParser(description=text)
        parser.add_argument("--command", required=True, help="the millrace command")
        parser.add_argument("--program", help="a helper program of the tests")
        parser.add_argument("--data", type=pathlib.Path, help="the folder of real matrices and meshes")
        self.arguments = parser.parse_args()
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        self.checked, self.wrong = 0, []

    def run(self, *words, may_refuse=False):
        """Standard output of the command; None where it refused, which is wrong unless it may."""
        result = subprocess.run([self.arguments.command, *map(str, words)], capture_output=True, text=True, check=False)
        if may_refuse and result.returncode == 1:
            print(f"refused: {result.stderr.strip()}")
            return None
        if result.returncode not in (0, 4):
            self.wrong.append(f"{' '.join(map(str, words))}: ended with {result.returncode}: {result.stderr.strip()}")
            return None
        return result.stdout

    def json(self, *words, **how):
        output = self.run(*words, "--json", **how)
        return json.loads(output) if output else None

    def expect(self, holds, text):
        self.checked += 1
        if not holds:
            self.wrong.append(text)

    def end(self):
        for text in self.wrong:
            print(f"wrong: {text}")
        print(f"{self.checked} comparisons, {len(self.wrong)} wrong")
        return 1 if self.wrong or not self.checked else 0
