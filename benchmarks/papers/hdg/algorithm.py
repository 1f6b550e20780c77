"""The program benchmark_hdg_algorithm1: inflation, the HDG paper's contraction (Algorithm 1 on a CPU, Algorithm 2 on a
GPU), our product and, on a GPU, cuBLAS after the inflation, timed on cases of the paper's sweep."""

import pathlib

import common


def options(description):
    parser = common.options(description)
    parser.add_argument("--algorithm1", type=pathlib.Path, metavar="FILE",
                        help="benchmark_hdg_algorithm1 (default: beside the command)")
    return parser


def add_degrees(parser):
    parser.add_argument("--degrees", metavar="P,...", help="degrees of the polynomials (default: 1 to 10)")


def degrees(arguments):
    if arguments.quick:
        return [1, 2]
    return arguments.degrees.split(",") if arguments.degrees else range(1, 11)


OMESH_CASE = """title = "The paper's mesh of 11,780 faces around a cylinder"
[mesh]
generator = "o-mesh"
around = 95
across = 41
first_height = 0.02
[equation]
name = "navier-stokes"
mach = 0.3
reynolds = 40
[space]
order = 1
[boundary.wall]
kind = "adiabatic-wall"
[boundary.far]
kind = "far-field"
"""


def add_real(parser):
    parser.add_argument("--real", action="store_true", help="take the trace matrices of a flow on this mesh, made by "
                        "millrace flow, instead of the gallery's")


def omesh_matrices(command, arguments, wanted):
    """A spec of the gallery, or a file, for each degree: the triangulated ring of 95 x 41 quadrilaterals."""
    if not arguments.real:
        return {p: f"hdg-omesh:p={p},a=95,b=41" for p in wanted}
    arguments.out.mkdir(parents=True, exist_ok=True)
    case = arguments.out / "omesh.toml"
    case.write_text(OMESH_CASE, encoding="utf-8")
    files = {p: str(arguments.out / f"omesh-{p}.mrx") for p in wanted}
    for p, file in files.items():
        command.call("flow", case, "--check", "--order", p, "--matrix", file)
    return files


class Program:
    def __init__(self, arguments):
        self.file = arguments.algorithm1 or arguments.millrace.with_name("benchmark_hdg_algorithm1")
        self.threads, self.cold = arguments.threads, arguments.cold
        if not self.file.is_file():
            raise common.Refused(f"{self.file}: there is no such program; build the target benchmark_hdg_algorithm1 or "
                                 "name it by --algorithm1")

    def run(self, dimension, degrees, sizes, precision, device, seconds):
        """All degrees with all sizes. A size is in MiB, or a number of faces: 'faces=11780'; of several cases those
        with fewer faces than a face has neighbours are left out. The program checks all results before it times."""
        lists = [",".join(map(str, values)) for values in (degrees, sizes)]
        state = "cold" if self.cold or is_cold(device) else "hot"
        words = [self.file, dimension, *lists, precision, device, seconds, self.threads or 0, state]
        return common.call_program(words)


def is_cold(device):
    """A GPU's caches are emptied before every run: the paper's had none to speak of, today's hold a small matrix."""
    return not device.startswith("cpu")


def gflop_s(case, name):
    """2 m r q operations in the median time; None when it was not measured there."""
    time = case["times"].get(name)
    return 2e-9 * case["m"] * case["r"] * case["q"] / time["seconds"] if time else None


def gb_s(case, name):
    """The bytes of y, A and the inflated x in the median time, as the paper counts them."""
    m, r, q, width = case["m"], case["r"], case["q"], 8 if case["precision"] == "double" else 4
    time = case["times"].get(name)
    return 1e-9 * width * (m * r + m * r * q + q * r) / time["seconds"] if time else None


def percent_of_read(case, name, points):
    """The bytes of A, x, y and the neighbours in the median time, against the bandwidth measured in the same run."""
    time = case["times"].get(name)
    return 100e-9 * case["bytes"] / time["seconds"] / points.read_gb_s if time else None


def small_case(case):
    """What a record keeps of a case."""
    times = {name: {"seconds": common.rounded(time["seconds"]), "spread": common.rounded(time["spread"], 2)}
             for name, time in case["times"].items()}
    kept = ("dimension", "degree", "precision", "device", "state", "m", "r", "q")
    return {**{key: case[key] for key in kept}, "memory_mib": memory_mib(case), "times": times}


def memory_mib(case):
    """As it was asked for, or that of y, A and the inflated x."""
    if not case["size"].startswith("faces="):
        return float(case["size"])
    m, r, q, width = case["m"], case["r"], case["q"], 8 if case["precision"] == "double" else 4
    return width * (m * r + m * r * q + q * r) / 2 ** 20
