"""The program benchmark_hdg_algorithm1: inflation, Algorithm 1 of the HDG paper and our product, timed on one case."""

import json
import pathlib
import subprocess

import common

MIB = 2.0 ** 20


def options(description):
    parser = common.options(description)
    parser.add_argument("--algorithm1", type=pathlib.Path, metavar="FILE",
                        help="benchmark_hdg_algorithm1 (default: beside the command)")
    return parser


def num_faces(dimension, degree, mib, width):
    """Faces whose y, A and inflated x fill the memory, and the neighbours of each, of which there must be as many."""
    neighbours = 5 if dimension == 2 else 7
    m = 4 * (degree + 1) if dimension == 2 else 5 * (degree + 1) * (degree + 2) // 2
    q = m * neighbours
    return round(mib * MIB / (width * (m + m * q + q))), neighbours


class Program:
    def __init__(self, arguments):
        self.file = arguments.algorithm1 or arguments.millrace.with_name("benchmark_hdg_algorithm1")
        self.threads = arguments.threads
        if not self.file.is_file():
            raise common.Refused(f"{self.file}: there is no such program; build the target benchmark_hdg_algorithm1 or "
                                 "name it by --algorithm1")

    def run(self, dimension, degree, size, precision, device, seconds):
        """`size` is in MiB, or a number of faces: 'faces=11780'. The program compares all results before it times."""
        words = [self.file, dimension, degree, size, precision, device, seconds, self.threads or 0]
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
        if done.returncode:
            line = " ".join(map(str, words))
            raise common.Refused(f"{line} ended with code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)


def gflop_s(case, name):
    """2 m r q operations in the median time; None when it was not measured there."""
    time = case["times"].get(name)
    return 2e-9 * case["m"] * case["r"] * case["q"] / time["seconds"] if time else None


def gb_s(case, name):
    """The bytes of y, A and the inflated x in the median time, as the paper counts them."""
    m, r, q, width = case["m"], case["r"], case["q"], 8 if case["precision"] == "double" else 4
    time = case["times"].get(name)
    return 1e-9 * width * (m * r + m * r * q + q * r) / time["seconds"] if time else None
