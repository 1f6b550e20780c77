#!/usr/bin/env python3
"""Row-grouped CSR, Table 5: how often each of CSR, Hybrid and RgCSR (groups of 128 rows) is faster than another."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import rates  # noqa: E402
import record  # noqa: E402

PAPER = {
    "HYB faster than CSR": (48.17, 42.63, 22.32, 16.71, 98.70, 93.64),
    "RgCSR faster than CSR": (56.68, 55.79, 46.34, 45.20, 76.70, 76.64),
    "RgCSR faster than HYB": (77.14, 80.67, 84.43, 85.40, 62.57, 71.40),
}
AVERAGE = (2.55, 3.21, 3.21, 3.74, 1.24, 2.18)
RGCSR = "rgcsr-128"
PAIRS = {"HYB faster than CSR": ("hyb", "csr"), "RgCSR faster than CSR": (RGCSR, "csr"),
         "RgCSR faster than HYB": (RGCSR, "hyb")}


def compare(members, others, scalar, pair):
    """Shares (percent) in which the first is faster, and in which the medians differ by less than their spreads.

    A format that refuses a matrix loses it; a matrix that both refuse counts for none.
    """
    by_name = {member.name: member for member in others}
    faster = same = 0
    for member in members:
        a, b = member.gflop_s(scalar, pair[0]), by_name[member.name].gflop_s(scalar, pair[1])
        faster += (a or 0) > (b or 0)
        if a and b:
            first, second = member.spread[scalar, pair[0]], by_name[member.name].spread[scalar, pair[1]]
            same += abs(1 / a - 1 / b) <= first / a + second / b
    count = len(members) or 1
    return 100 * faster / count, 100 * same / count


def main():
    arguments = matrix_set.options(__doc__).parse_args()
    sets = matrix_set.load(arguments, common.Command(arguments))
    table = record.Table(matrix_set.PAPER, "table 5", "Which of CSR, Hybrid and RgCSR is faster", arguments)
    average = "Average RgCSR/HYB"
    for number, (part, precision) in enumerate(rates.COLUMNS):
        column = rates.column_name(part, precision)
        for row, figures in PAPER.items():
            table.add(row, column, "%", figures[number])
            table.add(f"  no difference of {' and '.join(PAIRS[row])}", column, "%")
        table.add(average, column, "", AVERAGE[number])
    for found in sets:
        table.runs.append(found.run)
        for part, precision in rates.COLUMNS:
            column, scalar, members = rates.column_name(part, precision), matrix_set.PRECISIONS[precision], \
                found.part(part)
            for row, pair in PAIRS.items():
                base = rates.baseline(sets, found) if pair[1] == "csr" else found
                faster, same = compare(members, base.part(part), scalar, pair)
                table.put(row, column, "%", found.column, faster)
                table.put(f"  no difference of {' and '.join(pair)}", column, "%", found.column, same)
            table.put(average, column, "", found.column,
                      common.mean(rates.ratios(members, members, scalar, RGCSR, "hyb")))
    table.notes = rates.notes(sets) + ["Faster by the medians, as in the paper; 'no difference' counts those of all "
                                       "pairs whose intervals (median times 1 - spread to 1 + spread) overlap."]
    table.finish()


common.run_script(main)
