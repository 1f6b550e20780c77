"""Figures, names and tables of benchmarks/RESULTS.md as text."""

import math
import pathlib
import re

MATRICES = {  # a name of the gallery in words
    "poisson2d5": "2D 5-point", "poisson2d9": "2D 9-point", "poisson3d7": "3D 7-point", "poisson3d27": "3D 27-point",
    "laplace2d5": "2D 5-point, Dirichlet", "laplace2d9": "2D 9-point, Dirichlet", "laplace3d7": "3D 7-point, Dirichlet",
    "laplace3d27": "3D 27-point, Dirichlet",
    "cfd": "CFD-like blocks", "hdg": "HDG-like blocks", "hdg-omesh": "HDG on a ring", "powerlaw": "power law",
    "random": "random columns", "hugerow": "one huge row", "holstein-hubbard": "Holstein-Hubbard",
    "hmep": "Holstein-Hubbard (HMEp)", "dlr1": "aerodynamics (DLR1)", "dlr2": "aerodynamics (DLR2)",
    "uhbr": "aerodynamics (UHBR)", "samg": "multigrid (sAMG)",
}
NAMES = {"plain": "OpenMP", "petsc": "PETSc", "cusparse": "cuSPARSE", "cublas": "cuBLAS", "eigen": "Eigen",
         "graphblas": "GraphBLAS"}


def in_words(contender):
    """A contender with the names of its library as that library writes it."""
    return re.sub(r"\w+", lambda word: NAMES.get(word[0], word[0]), contender)


def matrix_words(matrix):
    if "file" in matrix:
        return f"`{pathlib.PurePath(matrix['file']).name}`"
    name, _, rest = matrix["spec"].partition(":")
    words = MATRICES.get(name, name)
    if "permute=1" in rest:
        words += ", numbered at random"
    return f"{words} `{matrix['spec']}`"


def time_text(us):
    """Three digits with a fitting unit."""
    size, unit = (1e6, "s") if us >= 1e6 else (1e3, "ms") if us >= 1e3 else (1, "us")
    value = us / size
    return f"{value:.{max(0, 2 - math.floor(math.log10(value)))}f} {unit}"


def rate_text(value):
    """Three digits, and no fewer where the last is a zero."""
    return f"{value:.{min(6, max(1, 2 - math.floor(math.log10(value))))}f}"


def count_text(number):
    """A count of entries or unknowns."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if number >= size:
            return f"{number / size:.3g}{unit}"
    return str(number)


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def machine_words(run):
    """The device of a record (or of a run of a paper's record), and the machine around it."""
    machine, device = run["machine"], run.get("device")
    host = f"{machine['cpu']}, {machine['cores']} cores"
    return f"{device['name']} ({device['driver']}; host {host})" if device and device["kind"] == "gpu" else host


def commit_words(build):
    commit = f"commit `{build['commit'][:10]}`" if build.get("commit") else "no commit"
    return commit + (" with changes" if build.get("dirty") else "")


def provenance(name, record):
    words = [f"[{name}](records/{name})", machine_words(record), commit_words(record["build"]), record["created"][:10]]
    if record.get("bandwidth", {}).get("read_gb_s"):  # 0: not measured
        words.append(f"read bandwidth {record['bandwidth']['read_gb_s']:.4g} GB/s")
    return "*" + "; ".join(words) + ".*"


def ratio_text(peer, own):
    return f"{peer['median_us'] / own['median_us']:.2f}" if peer else "-"
