#!/usr/bin/env python3
"""pyamg on one matrix of a Matrix Market file: set-up and solve by CG to 1e-8, one line of JSON for each setting.

usage: multigrid_pyamg.py FILE.mtx RUNS    multigrid_peers.py runs it beside benchmark_multigrid

Needs pyamg with numpy and scipy. The right-hand side has the numbers of benchmark_multigrid.
"""

import functools
import json
import pathlib
import sys
import time

TOLERANCE = 1e-8
MAX_ITERATIONS = 1000
MASK = 2 ** 64 - 1

# Once before and once after coarse levels, so that the cycle is symmetric.
FORTH_AND_BACK = {"presmoother": ("gauss_seidel", {"sweep": "forward"}),
                  "postsmoother": ("gauss_seidel", {"sweep": "backward"})}
CHEBYSHEV = {"presmoother": ("chebyshev", {"degree": 2}), "postsmoother": ("chebyshev", {"degree": 2})}

# Contender: function of pyamg that makes the levels, and its options. Defaults smooth by symmetric Gauss-Seidel, before
# and after; smoothed aggregation also improves the constants by four sweeps on each level, of no use to diffusion.
SETTINGS = {
    "pyamg, aggregation, defaults": ("smoothed_aggregation_solver", {}),
    "pyamg, aggregation, Gauss-Seidel": ("smoothed_aggregation_solver", {"improve_candidates": None, **FORTH_AND_BACK}),
    "pyamg, aggregation, Chebyshev": ("smoothed_aggregation_solver", {"improve_candidates": None, **CHEBYSHEV}),
    "pyamg, classical, defaults": ("ruge_stuben_solver", {}),
    "pyamg, classical, threshold 0.5": ("ruge_stuben_solver", {"strength": ("classical", {"theta": 0.5}),
                                                               **FORTH_AND_BACK}),
}


def mix(z):
    """The mixing step of SplitMix64, of an int or of an array of uint64."""
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def random_real(seed, counter):
    """What bench::random_real gives: in (-1, 1), and never 0."""
    bits = mix(seed ^ mix(counter))
    return ((bits >> 12) + 0.5) * 2.0 ** -52 * (1 - 2.0 * (bits & 1))


def array_bytes(holder):
    """Of a sparse matrix, which has up to three arrays, or of an array."""
    parts = [getattr(holder, name).nbytes for name in ("data", "indices", "indptr") if hasattr(holder, name)]
    return holder.nbytes if hasattr(holder, "nbytes") else sum(parts)


def kept_bytes(solver):
    """Matrices and transfers of all levels; the dense inverse of the last is small."""
    return sum(array_bytes(getattr(level, name)) for level in solver.levels for name in ("A", "P", "R")
               if hasattr(level, name))


def measure(make, matrix, b, runs):
    """Set-up and solve, one after the other."""
    found = {"setup_ms": [], "solve_ms": []}
    began, began_cpu = time.perf_counter(), time.process_time()
    for _ in range(runs):
        solver, history = None, []  # levels of the last run are freed before the clock starts
        begin = time.perf_counter()
        solver = make(matrix)
        middle = time.perf_counter()
        x = solver.solve(b, tol=TOLERANCE, maxiter=MAX_ITERATIONS, accel="cg", residuals=history)
        end = time.perf_counter()
        found["setup_ms"].append((middle - begin) * 1e3)
        found["solve_ms"].append((end - middle) * 1e3)
    busy = (time.process_time() - began_cpu) / (time.perf_counter() - began)
    rest = b - matrix @ x
    return {**found, "iterations": len(history) - 1, "residual": float((rest @ rest) ** 0.5 / (b @ b) ** 0.5),
            "operator_complexity": float(solver.operator_complexity()), "cycle_bytes": kept_bytes(solver),
            "busy_cores": round(busy, 2)}


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    import numpy  # noqa: E402  (not at the top: the tests of this file run without)
    import pyamg
    import scipy.io
    matrix = scipy.io.mmread(pathlib.Path(arguments[0])).tocsr()
    matrix.sort_indices()
    b = random_real(1, numpy.arange(matrix.shape[0], dtype=numpy.uint64))
    small = matrix[:4000, :4000]
    for contender, (function, options) in SETTINGS.items():
        make = functools.partial(getattr(pyamg, function), **options)
        measure(make, small, b[:4000], 1)  # whatever happens only once
        found = measure(make, matrix, b, int(arguments[1]))
        line = {"contender": contender, "rows": matrix.shape[0], "entries": int(matrix.nnz), **found}
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
