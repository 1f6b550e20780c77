#!/usr/bin/env python3
"""Row-grouped CSR, Table 1: the most GFLOP/s that a memory of a given bandwidth allows.

Two operations a nonzero; its column (4 bytes), its value and, without reuse, an entry of x must come from memory.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import record  # noqa: E402

GTX_280 = 141.0  # GB/s, of the paper
BYTES_A_FLOP = {("without", "single"): 6, ("without", "double"): 10, ("with", "single"): 4, ("with", "double"): 6}
PAPER = {("without", "single"): 23.5, ("without", "double"): 14.1, ("with", "single"): 35.25, ("with", "double"): 23.5}


def main():
    arguments = common.options(__doc__).parse_args()
    command = common.Command(arguments)
    table = record.Table("row-grouped-csr", "table 1", "Estimated peak of row-grouped CSR (GFLOP/s)", arguments)
    for (reuse, precision), size in BYTES_A_FLOP.items():
        row, column = f"{reuse} reuse of x", f"{precision}, 141 GB/s"
        table.add(row, column, "GFLOP/s", PAPER[reuse, precision], exact=True)
        table.put(row, column, "GFLOP/s", "formula", GTX_280 / size)
    for device in command.devices:
        points = command.machine(device)
        table.measured_by(points)
        table.notes.append(f"{points.column} reads {points.read_gb_s:.1f} GB/s, measured in this run.")
        for (reuse, precision), size in BYTES_A_FLOP.items():
            table.put(f"{reuse} reuse of x", f"{precision}, measured", "GFLOP/s", points.column,
                      points.read_gb_s / size)
    table.notes.append("Bandwidth / 6 (single) and / 10 (double) without reuse of x, / 4 and / 6 with it.")
    table.notes.append("The running text of the paper (bandwidth / 12 and so on) forgets that a nonzero is two "
                       "operations; its table has them. The 0.89 and 0.53 GFLOP/s that the text gives for CSR on a "
                       "CPU of 10.667 GB/s are by the same slip; 1.78 and 1.07 are right.")
    table.finish()


common.run_script(main)
