#!/usr/bin/env python3
"""Solves flows around an aerofoil from rest with default settings, and records which of them converge, and how.

usage: record_flow_runs.py MILLRACE OUT.json [JOBS]

MILLRACE is the command of a build with HDG and toml++. 30 cases of examples/flow/naca0012.toml: angles 0 to 3, Reynolds
numbers 500 to 5000, Mach numbers 0.2 to 0.6, orders 2 and 3, mirrored and random diagonals; then Mach 0.5, Reynolds
number 5000 and order 3 at angles 0 to 2 with both kinds of diagonals. JOBS (default: 1) run at a time, one thread each.
Writes a record of the schema millrace.flow-runs; exits with 1 when fewer than 28 of the 30 converge.
"""

import concurrent.futures
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
WANTED = 28
PATIENCE = 600  # seconds for a run


def cases():
    """Every value of every parameter with many of the others."""
    for i in range(30):
        yield {"angle": i % 4, "reynolds": (500, 1000, 2000, 3500, 5000)[i % 5],
               "mach": (0.2, 0.3, 0.4, 0.5, 0.6)[i // 6], "order": 2 + i // 2 % 2, "mirrored": i // 4 % 2 == 0}
    for angle in (0, 1, 2):
        for mirrored in (True, False):
            yield {"angle": angle, "reynolds": 5000, "mach": 0.5, "order": 3, "mirrored": mirrored}


def text_of(case, number):
    """The example with other numbers."""
    text = (ROOT / "examples" / "flow" / "naca0012.toml").read_text(encoding="utf-8")
    changes = {"mach": case["mach"], "reynolds": case["reynolds"], "angle": case["angle"], "order": case["order"]}
    for key, value in changes.items():
        text, count = re.subn(rf"(?m)^{key} = \S+", f"{key} = {value}", text)
        if count != 1:
            sys.exit(f"record_flow_runs: the example has {count} lines '{key} = '")
    if not case["mirrored"]:
        text = re.sub(r"(?m)^mirrored = true", f"random_diagonals = {number + 1}", text)
    return text


def run(command, case, number):
    """The record of one run, in short."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "case.toml"
        file.write_text(text_of(case, number), encoding="utf-8")
        out = pathlib.Path(folder) / "run.json"
        try:
            done = subprocess.run([command, "flow", str(file), "--json", str(out), "--threads", "1"], text=True,
                                  capture_output=True, check=False, timeout=PATIENCE,
                                  env={**os.environ, "OMP_NUM_THREADS": "1"})
        except subprocess.TimeoutExpired:
            found = {**case, "number": number, "converged": False, "reason": f"it took longer than {PATIENCE} s",
                     "steps": 0, "most_iterations": 0, "most_iterations_last_order": 0, "residual": None, "drag": None,
                     "seconds": PATIENCE}
            print(f"{number}: {found}", flush=True)
            return found, None
        if not out.exists():
            sys.exit(f"record_flow_runs: run {number}: {done.stderr.strip()}")
        record = json.loads(out.read_text(encoding="utf-8"))
    steps = record["history"]
    last = [step for step in steps if step["order"] == case["order"]]
    found = {**case, "number": number, "converged": record["converged"], "reason": record["reason"],
             "steps": len(steps), "most_iterations": max((step["iterations"] for step in steps), default=0),
             "most_iterations_last_order": max((step["iterations"] for step in last), default=0),
             "residual": record["orders"][-1]["residual"] if record["orders"] else None,
             "drag": record["orders"][-1]["coefficients"]["drag"] if record["orders"] else None,
             "seconds": record["seconds"]}
    print(f"{number}: {found}", flush=True)
    return found, record


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    jobs = int(sys.argv[3]) if len(sys.argv) == 4 else 1
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        done = list(pool.map(lambda item: run(sys.argv[1], item[1], item[0]), enumerate(cases())))
    ended = next((record for _, record in done if record), None) or sys.exit("record_flow_runs: no run has ended")
    record = {"schema": "millrace.flow-runs", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": ended["machine"], "build": ended["build"], "runs": [found for found, _ in done]}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    converged = sum(found["converged"] for found, _ in done[:30])
    print(f"{converged} of 30 converged")
    return 0 if converged >= WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
