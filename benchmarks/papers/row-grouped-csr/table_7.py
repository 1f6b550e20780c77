#!/usr/bin/env python3
"""Row-grouped CSR, Table 7: what the order of rows does to artificial zeros and to the rate (double, groups of 128).

Descending row length and approximate minimum degree (AMD) renumber rows and columns alike.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import named  # noqa: E402
import record  # noqa: E402

ORDERS = {"without": "none", "descending": "descending", "AMD": "amd"}
PAPER = {
    "Hohn/fd18": {"zeros": (2.76, 0.34, 26.38), "rate": (4.690, 4.845, 3.900)},
    "AMD/G2_circuit": {"zeros": (3.90, 0.05, 2.03), "rate": (9.364, 9.210, 8.044)},
    "IBM_EDA/trans4": {"zeros": (2118.1, 1452.8, 1613.3), "rate": (0.0189, 0.0191, 0.0188)},
    "Rajat/Raj1": {"zeros": (938.2, 189.3, 370.6), "rate": (0.0578, 0.0904, 0.0808)},
}


def reorder(command, sources, folder):
    """A file for each matrix and order; what the folder has is taken."""
    files = {}
    for name, source in sources.items():
        for column, order in ORDERS.items():
            of = pathlib.Path(source).name.replace(":", "-")  # another source must not be taken for it
            file = files[name, column] = folder / f"{named.NAMED[name][0]}-{of}-{order}.mrx"
            if not file.is_file():
                command.call("convert", source, "-o", file, "--order", order, "--precision", "double")
    return files


def main():
    parser = named.options(__doc__)
    parser.add_argument("--ordered", type=pathlib.Path, metavar="FOLDER",
                        help="keep the ordered matrices there, and take those it has: a build without AMD can then use "
                             "the files of one with it")
    arguments = parser.parse_args()
    command = common.Command(arguments)
    table = record.Table("row-grouped-csr", "table 7", "Effect of ordering on row-grouped CSR (double, groups of 128)",
                         arguments)
    for name, figures in PAPER.items():
        for number, column in enumerate(ORDERS):
            table.add(f"{name}: artif. zeros", column, "%", figures["zeros"][number])
        for number, column in enumerate(ORDERS):
            table.add(f"{name}: GFLOP/s", column, "GFLOP/s", figures["rate"][number])
    contender = common.stored([f"rgcsr-{named.GROUP}"], arguments.storage)[0]
    min_time = arguments.min_time if arguments.min_time is not None else 0.005 if arguments.quick else 0.5
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.ordered or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        files = reorder(command, named.sources(arguments), folder)
        counted = {key: named.zeros_percent(common.row_lengths(file)) for key, file in files.items()}
        for device in command.devices:
            points = command.bench(files.values(), ["csr", contender], device, min_time=min_time)
            table.measured_by(points)
            for (name, column), file in files.items():
                point = points.get(file.name, "double", contender)
                zeros = counted[name, column]
                if point and round(zeros / 100 * point["matrix"]["entries"]) != point["artificial_zeros"]:
                    raise common.Refused(f"{name}, {column}: the format has {point['artificial_zeros']} artificial "
                                         f"zeros, but {zeros:.2f} % follow from the row lengths")
                table.put(f"{name}: artif. zeros", column, "%", points.column, zeros)
                table.put(f"{name}: GFLOP/s", column, "GFLOP/s", points.column,
                          point["gflop_s"] if point else "refused")
    table.notes = [named.note(arguments),
                   "Artificial zeros in percent of the nonzeros, counted from the row lengths and, where the format "
                   "took the matrix, equal to what it stores.",
                   "Refused: more than 20 times the memory of CSR.",
                   "The paper's third line a matrix, hits and misses of the texture cache, is not measured."]
    table.finish()


common.run_script(main)
