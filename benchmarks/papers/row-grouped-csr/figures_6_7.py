#!/usr/bin/env python3
"""Row-grouped CSR, Figures 6 and 7: rates of RgCSR and Hybrid on all matrices, sorted by the one and by the other."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

RGCSR = "rgcsr-128"
LABELS = {RGCSR: "RgCSR, groups of 128", "hyb": "Hybrid"}
OVER = (1, 2, 5, 10, 20, 30)  # GFLOP/s
PAPER_OVER = {("single", 10, RGCSR): 200, ("single", 20, RGCSR): 30, ("single", 30, RGCSR): 3,
              ("single", 10, "hyb"): 60, ("double", 10, RGCSR): 170, ("double", 10, "hyb"): 4}


def panel(found, precision, first, other):
    """A line for the format by which the matrices are sorted, bars for the other; refused matrices have no rate."""
    scalar = matrix_set.PRECISIONS[precision]
    members = sorted(found.members, key=lambda member: -(member.gflop_s(scalar, first) or 0))
    chart = svg.Panel(f"{precision} precision, {found.column}", svg.Axis("matrix"), svg.Axis("GFLOP/s"))
    places = range(1, len(members) + 1)
    chart.bars(LABELS[other], places, [member.gflop_s(scalar, other) for member in members], colour="#b0b0b0")
    chart.line(LABELS[first], places, [member.gflop_s(scalar, first) or 0 for member in members], colour="#c8451f")
    return chart


def main():
    arguments = matrix_set.options(__doc__).parse_args()
    sets = matrix_set.load(arguments, common.Command(arguments))
    table = record.Table(matrix_set.PAPER, "figures 6 7", "Matrices on which a format reaches a rate", arguments)
    for limit in OVER:
        for precision, scalar in matrix_set.PRECISIONS.items():
            for name, label in LABELS.items():
                row, column = f"over {limit} GFLOP/s", f"{label}, {precision}"
                table.add(row, column, "", PAPER_OVER.get((precision, limit, name)))
                for found in sets:
                    count = sum((member.gflop_s(scalar, name) or 0) > limit for member in found.members)
                    table.put(row, column, "", found.column, count)
    table.runs = [found.run for found in sets]
    table.notes = [f"Of {len(sets[0].members)} matrices; the paper's are of 1,596, on a GTX 280."]
    pictures = []
    for number, (first, other) in ((6, (RGCSR, "hyb")), (7, ("hyb", RGCSR))):
        panels = [panel(found, precision, first, other) for found in sets for precision in matrix_set.PRECISIONS]
        title = f"Figure {number}: {LABELS[first]} and {LABELS[other]}, sorted by {LABELS[first].split(',')[0]}"
        pictures.append((f"-{number}", svg.figure(title, panels, size=(760, 260))))
    table.finish(pictures)


common.run_script(main)
