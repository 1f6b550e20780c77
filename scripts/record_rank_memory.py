#!/usr/bin/env python3
"""Records the peak of memory of a rank against the share of the matrix that it has.

usage: record_rank_memory.py MILLRACE OUT.json [MATRIX]

MILLRACE is the command of a build with MPI, MATRIX a file or generator (default: laplace3d27:n=128). Solves on 4 ranks,
and writes a record of the schema millrace.rank-memory; exits with 1 when a peak is beyond its bound.
"""

import datetime
import json
import os
import pathlib
import subprocess
import sys

RANKS = 4
SHARES, BESIDES = 3, 128_000_000  # the bound: shares of the matrix in CSR, and bytes for everything else
RUNS = {"chosen format": [], "csr": ["--format", "csr"], "sell-8-1": ["--format", "sell-8-1"],
        "csr, mode vector": ["--format", "csr", "--mode", "vector"],
        "metis": ["--partition", "metis"], "metis, csr": ["--partition", "metis", "--format", "csr"]}
# Factors are another matrix, so they have no bound; what they take stands beside.
BEYOND = {"with factors ic0": ["--precond", "ic0"]}


def solve(command, matrix, options):
    """The report of the command on all ranks."""
    launch = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(RANKS), command, "solve", matrix, "--method",
              "cg", *options, "--json"]
    if "--precond" not in options:
        launch += ["--precond", "jacobi"]
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
    done = subprocess.run(launch, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"record_rank_memory: {' '.join(launch)}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout)


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    matrix = sys.argv[3] if len(sys.argv) == 4 else "laplace3d27:n=128"
    runs = []
    for name, options in {**RUNS, **BEYOND}.items():
        report = solve(sys.argv[1], matrix, options)
        share = (report["matrix"]["entries"] * 12 + report["matrix"]["rows"] * 8) // RANKS
        run = {"name": name, "options": " ".join(options), "format": report["format"], "share_bytes": share,
               "peak_bytes": int(report["peak_bytes"]), "converged": report["end"] == "converged"}
        if name in RUNS:
            run["bound_bytes"] = SHARES * share + BESIDES
        runs.append(run)
        print(f"{name}: {run['peak_bytes'] / 1e6:.0f} MB, {run['peak_bytes'] / share:.2f} shares, "
              + (f"bound {run['bound_bytes'] / 1e6:.0f} MB" if name in RUNS else "no bound"), flush=True)
    record = {"schema": "millrace.rank-memory", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": report["machine"], "build": report["build"], "matrix": matrix, "ranks": RANKS, "runs": runs}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return 0 if all(run["peak_bytes"] <= run.get("bound_bytes", run["peak_bytes"]) for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
