#!/usr/bin/env python3
"""pJDS, Figure 3: histograms of the row lengths of the four matrices, with what the text says about them."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import four_matrices as four  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

PAPER = {  # from the text; words where it gives bounds
    "rows": {"DLR1": 278502, "DLR2": 541980, "HMEp": 6.2e6, "sAMG": 3.4e6},
    "mean length": {"DLR1": 144.0, "DLR2": 315.0, "HMEp": 15.0, "sAMG": 7.0},
    "longest / shortest": {"DLR1": 2.0, "sAMG": "> 4"},
    "rows within 5 % of 0.8 of the longest": {"DLR1": 80.0},
}


def near_longest(lengths):
    """Percent of the rows whose length is 0.8 of the longest, give or take 5 % of the longest."""
    longest = max(lengths)
    near = sum(count for length, count in lengths.items() if abs(length / longest - 0.8) <= 0.05)
    return 100 * near / four.num_rows(lengths)


def panel(name, lengths):
    chart = svg.Panel(f"{name}: {four.num_rows(lengths):,} rows, {four.reduction(lengths):.1f} % saved",
                      svg.Axis("nonzeros in a row"), svg.Axis("rows", log=True, low=0.5))
    every = range(min(lengths), max(lengths) + 1)  # the bin size is 1
    chart.bars("rows of this length", every, [lengths.get(length) for length in every])
    return chart


def main():
    arguments = common.options(__doc__).parse_args()
    command = common.Command(arguments)
    table = record.Table("pjds", "figure 3", "Row lengths of the four matrices", arguments)
    for row, figures in PAPER.items():
        for name in four.MATRICES:
            table.add(row, name, "%" if row.startswith("rows within") else "", figures.get(name))
    panels, found = [], {}
    for name, (whole, _, small) in four.MATRICES.items():
        with tempfile.TemporaryDirectory() as folder:
            lengths = four.histogram(four.generate(command, small if arguments.quick else whole, folder))
        figures = (four.num_rows(lengths), four.entries(lengths) / four.num_rows(lengths),
                   max(lengths) / min(lengths), near_longest(lengths))
        for row, figure in zip(PAPER, figures):
            table.put(row, name, "", "ours", figure)
        panels.append(panel(name, lengths))
        found[name] = [[length, count] for length, count in lengths.items()]
    table.extra = {"histograms": found}
    table.notes = ["Counted from the row offsets of the matrices that `millrace gen` writes; nothing is timed.",
                   "HMEp is generated from its physics; the paper says about 15 nonzeros a row, which holds when "
                   "couplings that vanish are stored, but its saving of 36.0 % holds when they are not."]
    table.finish([("", svg.figure("Figure 3: row lengths", panels, columns=2, size=(520, 270)))])


common.run_script(main)
