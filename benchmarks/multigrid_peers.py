#!/usr/bin/env python3
"""Multigrid on the host beside its peers: one record of benchmark_multigrid, with hypre and pyamg in the same run.

usage: multigrid_peers.py BIN OUT.json [SPEC,SPEC,... [RUNS]]    BIN: the folder with benchmark_multigrid, ..._petsc
                                                                 and millrace, which writes the matrix for pyamg

hypre's BoomerAMG runs through PETSc, on one rank per core, with its defaults and with what its manual advises for GPUs
and 3D. pyamg runs where Python can import it, by multigrid_pyamg.py, with a thread per core, which only BLAS uses.
Nothing else should run on the machine: ranks, and threads of BLAS, wait for each other in every short sum.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

PYAMG = pathlib.Path(__file__).resolve().parent / "multigrid_pyamg.py"
PYAMG_RUNS = 3  # at most: each takes some ten seconds where others take one
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


def split_specs(text):
    """As benchmark_multigrid reads them: 'laplace3d7:64,contrast=100,laplace3d7:32' are two."""
    specs = []
    for part in text.split(","):
        if ":" in part or not specs:
            specs.append(part)
        else:
            specs[-1] += "," + part
    return specs


def library_versions(text):
    """Of hypre and PETSc, from what `ldd` prints of a program."""
    patterns = {"hypre": r"libHYPRE-([\d.]+)\.so", "PETSc": r"libpetsc\w*\.so\.([\d.]+)"}
    found = {name: re.search(pattern, text) for name, pattern in patterns.items()}
    return {name: match[1] for name, match in found.items() if match}


def peer_point(found, contender, threads, like):
    """The point of a peer from what its program has printed; `like` is a point of ours of the same matrix."""
    point = {key: like[key] for key in ("matrix", "rows", "entries")}
    if (found.get("rows", point["rows"]), found.get("entries", point["entries"])) != (point["rows"], point["entries"]):
        raise ValueError(f"{contender} has solved another matrix than {point['matrix']}")
    point |= {"contender": contender, "threads": threads, "setup_ms": times(found["setup_ms"])}
    point |= {key: found[key] for key in ("operator_complexity", "cycle_bytes", "busy_cores") if key in found}
    point |= {"iterations": found["iterations"], "residual": found["residual"], "solve_ms": times(found["solve_ms"])}
    print(f"{point['matrix']:<28} {contender:<34} set-up {point['setup_ms']['median']:>9.2f} "
          f"solve {point['solve_ms']['median']:>9.2f} ms, {point['iterations']} iterations", flush=True)
    return point


def hypre_points(program, like, runs, ranks):
    if not program.exists():
        print(f"without hypre on ranks: there is no {program}")
        return []
    points = []
    for name, settings in HYPRE.items():
        options = " ".join(f"-pc_hypre_boomeramg_{key} {value}" for key, value in settings.items())
        environment = {**os.environ, "PETSC_OPTIONS": options, "OMP_NUM_THREADS": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks), program, like["matrix"],
                   str(runs)]
        line = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
        points.append(peer_point(json.loads(line), name, ranks, like))
    return points


def pyamg_points(command, like, runs, threads):
    """Of all settings, by a process of its own, since threads are counted when numpy is loaded."""
    if not importlib.util.find_spec("pyamg"):
        print("without pyamg: Python does not find it")
        return []
    points = []
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}
    with tempfile.TemporaryDirectory() as folder:
        matrix = pathlib.Path(folder) / "matrix.mtx"
        subprocess.run([command, "gen", like["matrix"], "-o", matrix], check=True, stdout=subprocess.DEVNULL)
        with subprocess.Popen([sys.executable, "-B", PYAMG, matrix, str(runs)], env=environment,
                              stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                found = json.loads(line)
                points.append(peer_point(found, found["contender"], threads, like))
    if process.returncode:
        sys.exit(f"{PYAMG.name} ended with {process.returncode}")
    return points


def versions_of(program, with_pyamg):
    listed = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
    names = ("pyamg", "numpy", "scipy") if with_pyamg else ()
    return {**library_versions(listed), **{name: importlib.metadata.version(name) for name in names}}


def main(arguments):
    if len(arguments) < 2 or len(arguments) > 4:
        sys.exit(__doc__)
    programs, out = pathlib.Path(arguments[0]), pathlib.Path(arguments[1])
    specs = arguments[2] if len(arguments) > 2 else "laplace3d7:128"
    runs = int(arguments[3]) if len(arguments) > 3 else 5
    subprocess.run([programs / "benchmark_multigrid", out, "cpu", specs, str(runs)], check=True)
    record = json.loads(out.read_text())
    ours, points, cores = record.pop("points"), [], os.cpu_count()
    for spec in split_specs(specs):
        mine = [point for point in ours if point["matrix"] == spec]
        points += mine
        points += hypre_points(programs / "benchmark_multigrid_petsc", mine[0], runs, cores)
        points += pyamg_points(programs / "millrace", mine[0], min(runs, PYAMG_RUNS), cores)
    with_pyamg = any(point["contender"].startswith("pyamg") for point in points)
    record |= {"command": f"multigrid_peers.py BIN OUT.json {specs} {runs}",
               "peers": versions_of(programs / "benchmark_multigrid_petsc", with_pyamg), "points": points}
    out.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
