#!/usr/bin/env python3
"""Row-grouped CSR, Table 6: four matrices that show the strength and the weakness of the format (double precision)."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import named  # noqa: E402
import record  # noqa: E402

PAPER = {  # rows; longest, mean and shortest row; GFLOP/s of RgCSR and Hybrid on the GPU, their ratio, CSR on the CPU
    "Hohn/fd18": (16248, 6, 3.860, 1, 4.69, 0.95, 4.93, 1.05),
    "AMD/G2_circuit": (150102, 6, 4.841, 2, 9.36, 2.5, 3.74, 0.60),
    "IBM_EDA/trans4": (116835, 114190, 6.600, 1, 0.019, 2.0, 0.095, 0.59),
    "Rajat/Raj1": (263743, 40468, 4.938, 1, 0.058, 2.2, 0.026, 0.50),
}
COLUMNS = {"rows": "", "max": "", "mean": "", "min": "", "RgCSR": "GFLOP/s", "Hybrid": "GFLOP/s", "ratio": "",
           "CSR": "GFLOP/s"}


def main():
    arguments = named.options(__doc__).parse_args()
    command, sources = common.Command(arguments), named.sources(arguments)
    table = record.Table("row-grouped-csr", "table 6", "Four matrices, double precision (GFLOP/s, groups of 128 rows)",
                         arguments)
    for name, figures in PAPER.items():
        for (column, unit), figure in zip(COLUMNS.items(), figures):
            table.add(name, column, unit, figure)
    with tempfile.TemporaryDirectory() as folder:
        files = {name: pathlib.Path(folder) / f"{named.NAMED[name][0]}.mrx" for name in sources}
        for name, source in sources.items():
            command.call("convert", source, "-o", files[name], "--precision", "double")
            lengths = common.row_lengths(files[name])
            for column, value in (("rows", len(lengths)), ("max", max(lengths)), ("min", min(lengths)),
                                  ("mean", sum(lengths) / len(lengths))):
                table.put(name, column, "", "ours", value)
        formats = common.stored(["csr", "hyb", f"rgcsr-{named.GROUP}"], arguments.storage)
        min_time = arguments.min_time if arguments.min_time is not None else 0.005 if arguments.quick else 0.5
        for device in command.devices:
            points = command.bench(files.values(), formats, device, min_time=min_time)
            table.measured_by(points)
            for name, file in files.items():
                csr, hybrid, grouped = (points.gflop_s(file.name, "double", form) for form in formats)
                figures = {"RgCSR": grouped or "refused", "Hybrid": hybrid or "refused", "CSR": csr,
                           "ratio": grouped / hybrid if grouped and hybrid else None}
                for column, value in figures.items():
                    table.put(name, column, COLUMNS[column], points.column, value)
    table.notes = [named.note(arguments), "Refused: more than 20 times the memory of CSR.",
                   "The ratio of trans4 is printed as 0.095 in the paper; its figures give 0.0095."]
    table.finish()


common.run_script(main)
