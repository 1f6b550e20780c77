#!/usr/bin/env python3
"""Multigrid on the host beside hypre's BoomerAMG on as many ranks: one record of benchmark_multigrid with both.

usage: multigrid_peers.py BIN OUT.json [SPEC] [RUNS]    BIN: the folder with benchmark_multigrid and ..._petsc

hypre runs through PETSc, on one rank per core, with its defaults and with what its manual advises for GPUs and 3D.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys

HYPRE = {
    "hypre, defaults": {},
    "hypre, threshold 0.5": {"strong_threshold": 0.5},
    "hypre, HMIS, ext+i, aggressive": {"strong_threshold": 0.5, "coarsen_type": "HMIS", "interp_type": "ext+i",
                                       "agg_nl": 1, "P_max": 4},
    "hypre, PMIS, ext+i": {"strong_threshold": 0.25, "coarsen_type": "PMIS", "interp_type": "ext+i", "P_max": 4},
}


def times(samples):
    """As benchmark_multigrid writes them."""
    quarters = statistics.quantiles(samples, n=4, method="inclusive") if len(samples) > 1 else [samples[0]] * 3
    median = statistics.median(samples)
    return {"median": median, "spread": (quarters[2] - quarters[0]) / 2 / median, "samples": samples}


def hypre_point(program, spec, runs, ranks, name, like):
    options = " ".join(f"-pc_hypre_boomeramg_{key} {value}" for key, value in HYPRE[name].items())
    environment = {**os.environ, "PETSC_OPTIONS": options, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                   "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), program, spec, str(runs)]
    line = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    found = json.loads(line)
    point = {key: like[key] for key in ("matrix", "rows", "entries")}
    point |= {"contender": name, "threads": ranks, "setup_ms": times(found["setup_ms"]),
              "iterations": found["iterations"], "residual": found["residual"], "solve_ms": times(found["solve_ms"])}
    print(f"{spec} {name}: set-up {point['setup_ms']['median']:.0f} ms, solve {point['solve_ms']['median']:.0f} ms, "
          f"{point['iterations']} iterations")
    return point


def main(arguments):
    if len(arguments) < 2 or len(arguments) > 4:
        sys.exit(__doc__)
    programs, out = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    spec = arguments[2] if len(arguments) > 2 else "laplace3d7:128"
    runs = int(arguments[3]) if len(arguments) > 3 else 5
    ranks = os.cpu_count()
    subprocess.run([programs / "benchmark_multigrid", out, "cpu", spec, str(runs)], check=True)
    record = json.loads(out.read_text())
    record["points"] += [hypre_point(programs / "benchmark_multigrid_petsc", spec, runs, ranks, name,
                                     record["points"][0]) for name in HYPRE]
    out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
