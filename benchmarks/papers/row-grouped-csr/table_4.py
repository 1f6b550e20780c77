#!/usr/bin/env python3
"""Row-grouped CSR, Table 4: artificial zeros, GFLOP/s and speed-up over CSR for groups of 32, 64, 128 and 256 rows."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import rates  # noqa: E402
import record  # noqa: E402

ZEROS = {  # percent of the nonzeros: (maximum, average) of the complete, the small and the large set
    32: ((1032, 105), (1032, 107), (870, 102)),
    64: ((2098, 144), (2098, 137), (1430, 157)),
    128: ((4230, 206), (4230, 183), (2476, 250)),
    256: ((8494, 304), (8494, 255), (4684, 400)),
}
RATES = {
    32: {"RgCSR min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02), "RgCSR max.": (20.6, 16.33, 11.2, 9.23, 20.6, 16.33),
         "RgCSR average": (3.19, 2.72, 1.7, 1.5, 6.09, 5.14), "Speed-up min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02),
         "Speed-up max.": (18.75, 26.2, 9.1, 9.1, 18.75, 26.2),
         "Speed-up average": (3.18, 2.72, 1.7, 1.5, 6.15, 6.27)},
    64: {"RgCSR min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02), "RgCSR max.": (28.0, 18.64, 19.0, 14.9, 28.05, 18.46),
         "RgCSR average": (4.18, 3.35, 2.2, 1.9, 8.01, 6.19), "Speed-up min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02),
         "Speed-up max.": (25.89, 27.13, 15.4, 14.6, 25.9, 27.13),
         "Speed-up average": (4.14, 3.81, 2.13, 1.9, 8.07, 7.55)},
    128: {"RgCSR min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02), "RgCSR max.": (32.8, 18.82, 19.9, 14.15, 32.84, 18.82),
          "RgCSR average": (4.38, 3.43, 2.2, 1.87, 8.58, 6.52), "Speed-up min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02),
          "Speed-up max.": (26.98, 26.22, 16.1, 13.94, 26.98, 26.22),
          "Speed-up average": (4.34, 3.91, 2.14, 1.87, 8.64, 7.94)},
    256: {"RgCSR min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02), "RgCSR max.": (31.6, 18.3, 21.3, 13.9, 31.57, 18.3),
          "RgCSR average": (4.37, 3.37, 2.24, 1.83, 8.55, 6.38), "Speed-up min.": (0.01, 0.01, 0.01, 0.01, 0.02, 0.02),
          "Speed-up max.": (26.1, 25.46, 17.2, 13.7, 26.13, 25.46),
          "Speed-up average": (4.33, 3.37, 2.15, 1.83, 8.58, 7.78)},
}


def add_zeros(table, group, sets):
    """Artificial zeros do not depend on the precision, so they stand in the columns of single precision."""
    for part, (most, average) in zip(matrix_set.SETS, ZEROS[group]):
        column = rates.column_name(part, "single")
        rows = {"Artif. zeros max.": most, "Artif. zeros average": average, "Refused": None}
        for row, paper in rows.items():
            table.add(f"{group}: {row}", column, "" if row == "Refused" else "%", paper)
        members = sets[0].part(part)
        values = [member.zeros_percent(f"rgcsr-{group}") for member in members]
        taken = [value for value in values if value is not None]
        for row, value in zip(rows, (max(taken, default=None), common.mean(taken), len(values) - len(taken))):
            table.put(f"{group}: {row}", column, "", sets[0].column, value)


def add_cpu_remark(table, sets):
    """The paper's one remark about RgCSR on a CPU: its rate over that of CSR there, in percent and at best."""
    for row, unit, paper in (("RgCSR / CSR, both on the CPU, average", "%", 55.0),
                             ("RgCSR / CSR, both on the CPU, max.", "", 4.0)):
        for precision, scalar in matrix_set.PRECISIONS.items():
            column = rates.column_name("complete", precision)
            table.add(row, column, unit, paper)
            for found in (one for one in sets if not one.on_gpu):
                values = [ratio for group in (128,) for ratio in
                          rates.ratios(found.members, found.members, scalar, f"rgcsr-{group}", "csr")]
                value = max(values, default=None) if unit == "" else values and 100 * common.mean(values)
                table.put(row, column, unit, found.column, value or None)


def main():
    arguments = matrix_set.options(__doc__).parse_args()
    sets = matrix_set.load(arguments, common.Command(arguments))
    table = record.Table(matrix_set.PAPER, "table 4", "Row-grouped CSR by group size (GFLOP/s, speed-up over CSR)",
                         arguments, [rates.column_name(*column) for column in rates.COLUMNS])
    for group in matrix_set.GROUPS:
        add_zeros(table, group, sets)
        rates.fill(table, f"{group}: ", RATES[group], sets, [("RgCSR", f"rgcsr-{group}")], f"rgcsr-{group}")
    add_cpu_remark(table, sets)
    table.notes = rates.notes(sets) + ["Artificial zeros in percent of the nonzeros: 100 % doubles the storage. "
                                       "The remark on the CPU is for groups of 128 rows here."]
    table.finish()


common.run_script(main)
