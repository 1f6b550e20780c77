#!/usr/bin/env python3
"""Runs the slow tests of orders of convergence and keeps what they found.

usage: record_orders.py TEST_HDG OUT.json [TESTS]

TEST_HDG is the program test_hdg of a build, TESTS a filter of its tests (default: all of orders). Writes
a record of the schema millrace.orders; exits with 1 when a test failed.
"""

import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys

from git_output import commit_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = "SlowHdg.*-*DragAndLift*"


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    lines = []
    wanted = sys.argv[3] if len(sys.argv) == 4 else TESTS
    with subprocess.Popen([sys.argv[1], f"--gtest_filter={wanted}"], stdout=subprocess.PIPE, text=True) as tests:
        for line in tests.stdout:
            print(line, end="", flush=True)
            if line.startswith("orders: "):
                lines.append(json.loads(line.removeprefix("orders: ")))
    if not lines:
        sys.exit("record_orders: the program has written no orders")
    record = {"schema": "millrace.orders", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": {"system": platform.system(), "cores": os.cpu_count()},
              "commit": commit_of(ROOT), "passed": tests.returncode == 0,
              "lines": lines}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if tests.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
