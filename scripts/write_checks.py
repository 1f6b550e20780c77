#!/usr/bin/env python3
"""Writes the record of a long check (schema millrace.checks).

usage: write_checks.py OUT.json SCRIPT COMPILER < lines of "name seconds executed findings"

Exits with 1 when something was found.
"""

import datetime
import json
import os
import pathlib
import platform
import sys

from git_output import commit_of

ROOT = pathlib.Path(__file__).resolve().parents[1]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    runs = []
    for line in sys.stdin:
        name, seconds, executed, findings = line.split()
        runs.append({"name": name, "seconds": float(seconds), "executed": int(executed), "findings": int(findings)})
    record = {"schema": "millrace.checks", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": {"system": platform.system(), "cores": os.cpu_count(), "compiler": sys.argv[3]},
              "commit": commit_of(ROOT), "script": sys.argv[2], "runs": runs}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    found = sum(run["findings"] for run in runs)
    print(f"{sys.argv[2]}: {len(runs)} runs, {sum(run['executed'] for run in runs)} executed, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
