#!/usr/bin/env python3
"""Runs the scripts of all papers, one after another, and says how long each took; options go to every script.

usage: run.py [NAME...] [OPTION...]    NAME: a part of a script's path, such as pjds or hdg/table_1
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = [
    "row-grouped-csr/table_1.py", "row-grouped-csr/matrix_set.py", "row-grouped-csr/table_2.py",
    "row-grouped-csr/table_3.py", "row-grouped-csr/table_4.py", "row-grouped-csr/table_5.py",
    "row-grouped-csr/figures_6_7.py", "row-grouped-csr/table_6.py", "row-grouped-csr/table_7.py",
    "row-grouped-csr/table_cache.py",
    "pjds/table_1.py", "pjds/figure_3.py", "hdg/table_1.py", "hdg/table_2.py", "hdg/table_3.py",
    "hdg/figures_2_3.py", "hdg/figure_4.py", "hdg/large.py", "libceed-magma/figures_7_9.py",
    "libceed-magma/figures_10_13.py", "libceed-magma/figures_14_16.py", "libceed-magma/dofs.py",
]


def main():
    words = sys.argv[1:]
    begin = next((number for number, word in enumerate(words) if word.startswith("-")), len(words))
    names, options = words[:begin], words[begin:]
    if "-h" in options or "--help" in options:
        print(__doc__)
        print("scripts:", *SCRIPTS, sep="\n  ")
        return 0
    chosen = [script for script in SCRIPTS if not names or any(name in script for name in names)]
    if not chosen:
        print(f"no script has {' or '.join(names)} in its path; there are:", *SCRIPTS, sep="\n  ", file=sys.stderr)
        return 2
    results = []
    for script in chosen:
        print(f"== {script}", flush=True)
        start = time.monotonic()
        done = subprocess.run([sys.executable, "-B", HERE / script, *options], check=False)
        results.append((script, done.returncode, time.monotonic() - start))
    print("script" + " " * 28 + "seconds")
    for script, code, seconds in results:
        print(f"{script:<32} {seconds:>8.1f}{f'  failed with code {code}' if code else ''}")
    return 1 if any(code for _, code, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
