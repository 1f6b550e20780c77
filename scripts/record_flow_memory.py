#!/usr/bin/env python3
"""Records the peak of memory of flows against what they must keep, and against its estimate.

usage: record_flow_memory.py MILLRACE OUT.json

MILLRACE is the command of a build with HDG and toml++. Runs examples/flow/naca0012.toml at order 3 on two meshes and
with other settings of the linear solver, a process each, and writes a record of the schema millrace.flow-memory.
kept_bytes is the sum of the matrices and factors of both levels, GMRES's basis and what is kept of every cell. Exits
with 1 when a peak is beyond 1.15 times that, or more than 10 % away from the estimate.
"""

import json
import pathlib
import sys
import tempfile

import flow_example

MOST, AWAY = 1.15, 0.1
KEPT = ("matrix_bytes", "factors_bytes", "coarse_bytes", "basis_bytes", "cells_bytes")
SMALL = {"around": 40, "across": 16, "wake": 20}
EARLY = "[solver]\ntolerance = 1e-2\n"  # steps enough to have everything, more than once
# Name, changes of the mesh, tables behind the case.
RUNS = (("default", {}, ""),
        ("default, small", SMALL, ""),
        ("bfloat16, cycles of 60", {}, EARLY + '[linear]\nfactors = "bfloat16"\ncycle = 60\n'),
        ("double, one level", {}, EARLY + '[linear]\nfactors = "double"\ncoarse = "none"\n'),
        ("nothing kept of cells", {}, EARLY + "keep_solutions = false\n"))


def solve(command, mesh, tables):
    """The example with other numbers of cells and more tables."""
    with tempfile.TemporaryDirectory() as folder:
        record, done = flow_example.solve(command, flow_example.text_of("naca0012.toml", mesh) + f"\n{tables}", folder)
    if done.returncode != 0:
        sys.exit(f"record_flow_memory: {done.stderr.strip() or done.returncode}")
    return record


def main():
    if len(sys.argv) != 3 or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    runs = []
    for name, mesh, tables in RUNS:
        report = solve(sys.argv[1], mesh, tables)
        last = report["orders"][-1]
        memory = last["memory"]
        kept = sum(memory[key] for key in KEPT)
        run = {"name": name, "triangles": report["cells"], "order": last["order"], "unknowns": last["unknowns"],
               "linear": report["linear"], "threads": report["threads"], "kept_bytes": kept, **memory,
               "changes": [step["changes"] for step in report["history"] if step["changes"]]}
        run["holds"] = memory["peak_bytes"] <= MOST * kept and (
            abs(memory["peak_bytes"] - memory["estimate_bytes"]) <= AWAY * memory["estimate_bytes"])
        runs.append(run)
        print(f"{name}: peak {memory['peak_bytes'] / 1e6:.0f} MB, {memory['peak_bytes'] / kept:.3f} times what is "
              f"kept, {memory['peak_bytes'] / memory['estimate_bytes']:.3f} of the estimate", flush=True)
    record = {**flow_example.head("millrace.flow-memory", report), "runs": runs}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if all(run["holds"] for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
