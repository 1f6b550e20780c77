#!/usr/bin/env python3
"""Solves flows around an aerofoil from rest with default settings, and records which of them converge, and how.

usage: record_flow_runs.py MILLRACE OUT.json [JOBS]

MILLRACE is the command of a build with HDG and toml++. 30 cases of examples/flow/naca0012.toml: angles 0 to 3, Reynolds
numbers 500 to 5000, Mach numbers 0.2 to 0.6, orders 2 and 3, mirrored and random diagonals. Then Mach 0.5, Reynolds
number 5000 and order 3 at angles 0 to 2 with both kinds of diagonals: as it is; with every linear system solved to
1e-6; and that with factors in bfloat16. Last angle 0 to 1e-6 on 1,040 and 4,160 triangles. JOBS (default: 1) run at a
time, one thread each. Writes a record of the schema millrace.flow-runs with its bars; exits with 1 when one is missed.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import flow_example

WANTED, MOST, GROWTH, MORE = 28, 60, 1.6, 3  # runs of 30 that converge; iterations; their growth; more in bfloat16
SIZES = {1040: (26, 10, 13), 4160: (52, 20, 26), 5760: (60, 24, 30)}  # triangles: cells around, across, in the wake
PATIENCE = 600  # seconds for a run


def cases():
    """Every value of every parameter with many of the others."""
    for i in range(30):
        yield {"angle": i % 4, "reynolds": (500, 1000, 2000, 3500, 5000)[i % 5],
               "mach": (0.2, 0.3, 0.4, 0.5, 0.6)[i // 6], "order": 2 + i // 2 % 2, "mirrored": i // 4 % 2 == 0,
               "triangles": 5760, "loosest": 1e-2, "factors": "single"}
    for loosest, factors, triangles, angles in ((1e-2, "single", 5760, (0, 1, 2)), (1e-6, "single", 5760, (0, 1, 2)),
                                                (1e-6, "bfloat16", 5760, (0, 1, 2)), (1e-6, "single", 1040, (0,)),
                                                (1e-6, "single", 4160, (0,))):
        for angle in angles:
            for mirrored in (True, False):
                yield {"angle": angle, "reynolds": 5000, "mach": 0.5, "order": 3, "mirrored": mirrored,
                       "triangles": triangles, "loosest": loosest, "factors": factors}


def text_of(case, number):
    """The example with other numbers."""
    changes = {"mach": case["mach"], "reynolds": case["reynolds"], "angle": case["angle"], "order": case["order"]}
    changes.update(zip(("around", "across", "wake"), SIZES[case["triangles"]]))
    text = flow_example.text_of("naca0012.toml", changes)
    if not case["mirrored"]:
        text = re.sub(r"(?m)^mirrored = true", f"random_diagonals = {number + 1}", text)
    if (case["loosest"], case["factors"]) != (1e-2, "single"):
        text += f"\n[linear]\nloosest = {case['loosest']}\nfactors = \"{case['factors']}\"\n"
    return text


def bars(runs):
    """What must hold: name, what was found, its bound (the first is the least, others the most), and the verdict."""
    def iterations(**wanted):
        return [run["most_iterations_last_order"] for run in runs[30:] if all(run[k] == v for k, v in wanted.items())]

    exact = {"loosest": 1e-6, "triangles": 5760}
    single, narrow = iterations(**exact, factors="single"), iterations(**exact, factors="bfloat16")
    found = {"runs of 30 that reach 1e-10": sum(run["converged"] and run["residual"] <= 1e-10 for run in runs[:30]),
             "iterations of a solve": max(iterations(loosest=1e-2)), "iterations of a solve to 1e-6": max(single),
             "more iterations in bfloat16": max(b - a for a, b in zip(single, narrow)),
             "growth from 1,040 to 4,160 triangles": max(b / a for a, b in zip(iterations(triangles=1040),
                                                                               iterations(triangles=4160)))}
    bounds = (WANTED, MOST, MOST, MORE, GROWTH)
    ended = all(run["converged"] for run in runs[30:])
    return [{"name": name, "found": value, "bound": bound,
             "passed": value >= bound if i == 0 else ended and value <= bound}
            for i, ((name, value), bound) in enumerate(zip(found.items(), bounds))]


def run(command, case, number):
    """The record of one run, in short."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            record, done = flow_example.solve(command, text_of(case, number), folder, "--threads", "1",
                                              timeout=PATIENCE, env={**os.environ, "OMP_NUM_THREADS": "1"})
        except subprocess.TimeoutExpired:
            found = {**case, "number": number, "converged": False, "reason": f"it took longer than {PATIENCE} s",
                     "steps": 0, "most_iterations": 0, "most_iterations_last_order": 0, "residual": None, "drag": None,
                     "seconds": PATIENCE}
            print(f"{number}: {found}", flush=True)
            return found, None
        if record is None:
            sys.exit(f"record_flow_runs: run {number}: {done.stderr.strip()}")
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
    record = {**flow_example.head("millrace.flow-runs", ended), "bars": bars([found for found, _ in done]),
              "runs": [found for found, _ in done]}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for bar in record["bars"]:
        print(f"{'PASS' if bar['passed'] else 'FAIL'} {bar['name']}: {bar['found']} (bound {bar['bound']})")
    return 0 if all(bar["passed"] for bar in record["bars"]) else 1


if __name__ == "__main__":
    sys.exit(main())
