#!/usr/bin/env python3
"""Row-grouped CSR, Table 3: GFLOP/s of CSR and of the Hybrid format, and the speed-up of Hybrid over CSR."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import rates  # noqa: E402
import record  # noqa: E402

PAPER = {
    "CSR min.": (0.16, 0.1, 0.1, 0.1, 0.19, 0.19),
    "CSR max.": (1.4, 1.3, 1.4, 1.3, 1.2, 1.2),
    "CSR average": (0.88, 0.83, 0.84, 0.83, 0.82, 0.82),
    "Hybrid min.": (0.0009, 0.0008, 0.0009, 0.0008, 0.24, 0.19),
    "Hybrid max.": (16.0, 11.0, 8.9, 6.1, 16.0, 11.0),
    "Hybrid average": (2.56, 1.57, 1.07, 0.72, 5.48, 3.2),
    "Speed-up min.": (0.00021, 0.003, 0.00021, 0.003, 0.63, 0.48),
    "Speed-up max.": (36, 10, 7.2, 4.9, 36, 11),
    "Speed-up average": (2.54, 1.76, 0.97, 0.69, 5.59, 3.87),
}


def main():
    arguments = matrix_set.options(__doc__).parse_args()
    sets = matrix_set.load(arguments, common.Command(arguments))
    table = record.Table(matrix_set.PAPER, "table 3", "CSR and Hybrid (GFLOP/s); speed-up of Hybrid over CSR",
                         arguments)
    rates.fill(table, "", PAPER, sets, [("CSR", "csr"), ("Hybrid", "hyb")], "hyb")
    table.notes = rates.notes(sets)
    table.finish()


common.run_script(main)
