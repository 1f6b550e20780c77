#!/usr/bin/env python3
"""Row-grouped CSR, Table 2: properties of the matrix set, complete, small (less than 10,000 rows) and large."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import record  # noqa: E402

PAPER = {
    "Number of matrices": (1598, 1061, 537),
    "Min. size": (5, 5, 10000),
    "Max. size": (2063494, 9941, 2063494),
    "Average size": (41258, 3253, 116059),
    "Min. non-zero els.": (15, 15, 6639),
    "Max. non-zero els.": (52672325, 3279690, 52672325),
    "Average non-zero els.": (947367, 64899, 2684263),
    "Min. non-zero ratio": (3e-6, 0.01, 3e-6),
    "Max. non-zero ratio": (100.0, 100.0, 2.10),
    "Average non-zero ratio": (1.20, 1.76, 0.09),
}


def statistics_of(members):
    """The rows of the table for some matrices; rows count as the size of a matrix that is not square."""
    found = {"Number of matrices": len(members)}
    sizes = [member.rows for member in members]
    entries = [member.entries for member in members]
    ratios = [100 * member.entries / (member.rows * member.cols) for member in members]
    for name, values, whole in (("size", sizes, True), ("non-zero els.", entries, True),
                                ("non-zero ratio", ratios, False)):
        average = common.mean(values)
        found[f"Min. {name}"] = min(values, default=None)
        found[f"Max. {name}"] = max(values, default=None)
        found[f"Average {name}"] = round(average) if whole and average is not None else average
    return found


def main():
    arguments = matrix_set.options(__doc__).parse_args()
    found = matrix_set.load(arguments, common.Command(arguments))[0]
    table = record.Table(matrix_set.PAPER, "table 2", "Properties of the matrix sets", arguments)
    table.runs = [found.run]
    table.notes = found.record["notes"][:1]
    for number, name in enumerate(matrix_set.SETS):
        ours = statistics_of(found.part(name))
        for row, paper in PAPER.items():
            unit = "%" if "ratio" in row else ""
            table.add(row, name, unit, paper[number])
            table.put(row, name, unit, "ours", ours[row])
    table.finish()


common.run_script(main)
