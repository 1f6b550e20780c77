#!/usr/bin/env python3
"""Row-grouped CSR: times CSR, Hybrid and RgCSR on a set of matrices, once for Tables 2 to 5 and Figures 6 and 7.

The result is a record in the output folder, which those scripts take when it was made with the same options.
"""

import dataclasses
import gzip
import json
import lzma
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import record  # noqa: E402

PAPER = "row-grouped-csr"
GROUPS = [32, 64, 128, 256]
FORMATS = ["csr", "hyb", *(f"rgcsr-{group}" for group in GROUPS)]
PRECISIONS = {"single": "float", "double": "double"}
LARGE = 10000  # rows from which the paper calls a matrix large
SETS = {"complete": lambda rows: True, "small": lambda rows: rows < LARGE, "large": lambda rows: rows >= LARGE}
QUICK = ["poisson2d5:n=20", "powerlaw:n=2000", "random:n=500,k=9", "hugerow:n=3000", "like-fd18:scale=0.05",
         "poisson2d5:n=102", "like-raj1:scale=0.05"]


def options(description):
    parser = common.options(description)
    beside = pathlib.Path(os.environ.get("MILLRACE_DATA", common.ROOT.parent / "shared")) / "matrices"
    parser.add_argument("--matrices", type=pathlib.Path, default=beside, metavar="FOLDER",
                        help="a folder of matrices (default: matrices in $MILLRACE_DATA, or in ../shared)")
    parser.add_argument("--again", action="store_true", help="measure, even if the output folder has a record")
    common.add_storage(parser)
    return parser


def is_complex(path):
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    if path.suffix == ".mrx":
        with open(path, "rb") as file:
            return file.read(17)[16] > 2
    with opener(path, "rb") as file:
        return b"complex" in file.readline().lower()


def find_matrices(arguments):
    """Names for the command, and how many were left out because they are complex."""
    if arguments.quick:
        return QUICK, 0
    endings = (".mtx", ".mtx.gz", ".mtx.xz", ".mrx")
    if not arguments.matrices.is_dir():
        raise common.Refused(f"{arguments.matrices}: there is no such folder; --matrices takes a folder with files "
                             f"that end in {' '.join(endings)}")
    files = sorted(path for path in arguments.matrices.iterdir() if path.name.endswith(endings))
    real = [path for path in files if not is_complex(path)]
    if not real:
        raise common.Refused(f"{arguments.matrices}: no matrix there; files must end in {' '.join(endings)}")
    return real, len(files) - len(real)


@dataclasses.dataclass
class Member:
    """One matrix: figures by contender, or by precision and contender; missing where a format refused it."""
    name: str
    rows: int
    cols: int
    entries: int
    zeros: dict
    median_us: dict
    spread: dict

    def gflop_s(self, precision, contender):
        median = self.median_us.get((precision, contender))
        return 2e-3 * self.entries / median if median else None

    def zeros_percent(self, contender):
        """Artificial zeros in percent of the nonzeros."""
        zeros = self.zeros.get(contender)
        return None if zeros is None or not self.entries else 100 * zeros / self.entries


class MatrixSet:
    def __init__(self, found):
        self.run, self.record = found["runs"][0], found
        self.column, self.contenders = self.run["column"], found["contenders"]
        self.members = []
        for matrix in found["matrices"]:
            zeros = {name: value for name, value in zip(FORMATS, matrix["artificial_zeros"]) if value is not None}
            facts = [matrix[key] for key in ("name", "rows", "cols", "entries")]
            self.members.append(Member(*facts, zeros, {}, {}))
        for line in found["medians"]:
            member = self.members[line["matrix"]]
            for name, median, spread in zip(FORMATS, line["median_us"], line["spread"]):
                if median is not None:
                    member.median_us[line["precision"], name] = median
                    member.spread[line["precision"], name] = spread

    @property
    def on_gpu(self):
        return self.run["device"]["kind"] == "gpu"

    def part(self, name):
        return [member for member in self.members if SETS[name](member.rows)]


def measure(arguments, command, device):
    matrices, num_complex = find_matrices(arguments)
    contenders = common.stored(FORMATS, arguments.storage)
    min_time = arguments.min_time if arguments.min_time is not None else 0.002 if arguments.quick else 0.02
    points = command.bench(matrices, contenders, device, PRECISIONS.values(), min_time)
    table = record.Table(PAPER, "set", "CSR, Hybrid and row-grouped CSR on a set of matrices", arguments)
    table.measured_by(points)
    found, medians = [], []
    for matrix in matrices:
        name = matrix.name if isinstance(matrix, pathlib.Path) else matrix
        facts = points.facts(name)
        zeros = [points.get(name, "double", contender) for contender in contenders]
        for precision in PRECISIONS.values():
            here = [points.get(name, precision, contender) for contender in contenders]
            medians.append({"matrix": len(found), "precision": precision,
                            "median_us": [point and common.rounded(point["median_us"]) for point in here],
                            "spread": [point and common.rounded(point["spread"], 2) for point in here]})
        found.append({"name": name, "rows": facts["rows"], "cols": facts["cols"], "entries": facts["entries"],
                      "artificial_zeros": [point and point["artificial_zeros"] for point in zeros]})
    table.notes = [f"{len(found)} matrices; {num_complex} complex ones were left out; "
                   f"{sum(m['rows'] != m['cols'] for m in found)} are not square (the paper's all are).",
                   "A format refuses a matrix for which it needs more than 20 times the memory of CSR.",
                   f"Columns and values are stored as '{arguments.storage}'."]
    table.extra = {"contenders": contenders, "matrices": found, "medians": medians}
    table.finish()
    return MatrixSet(table.record())


def load(arguments, command):
    """One measured set for each device that was asked for."""
    sets = []
    for device in command.devices:
        one = type(arguments)(**{**vars(arguments), "device": device})
        found = None if arguments.again else find_record(one)
        sets.append(MatrixSet(found) if found else measure(one, command, device))
    return sets


def find_record(arguments):
    """The newest record of this folder that was made with these options."""
    kind = "gpu" if arguments.device.startswith("gpu") else "cpu"  # the options tell how many threads
    wanted = record.options_text(arguments)
    fitting = []
    for file in arguments.out.glob(f"papers-{PAPER}-set-*.json"):
        found = json.loads(file.read_text(encoding="utf-8"))
        if found["runs"][0]["device"]["kind"] == kind and found["command"].partition(" ")[2] == wanted:
            fitting.append(found)
    newest = max(fitting, key=lambda found: found["created"], default=None)
    if newest:
        print(f"from the measurement of {newest['created']} on {newest['runs'][0]['column']} (--again repeats it)\n")
    return newest


def main():
    arguments = options(__doc__).parse_args()
    arguments.again = True
    load(arguments, common.Command(arguments))


if __name__ == "__main__":
    common.run_script(main)
