#!/usr/bin/env python3
"""Bake-off problems 1, 3 and 5 on hexahedra: unknowns per second of operator and CG against unknowns, order by order.

Not in the paper. --orders 2,4,7 takes three orders instead of all.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import bakeoff  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

PROBLEMS = (1, 3, 5)
RATES = {"operator_gdof_s": "operator", "cg_gdof_s": "CG"}


def main():
    arguments = bakeoff.options(__doc__, "1,2,3,4,5,6,7,8", "1e4,3e4,1e5,3e5,1e6,3e6,1e7,2e7,5e7", 300).parse_args()
    table = record.Table(bakeoff.PAPER, "dofs", "Hexahedra: the best rate over all numbers of unknowns", arguments)
    panels, kept = [], []
    for device in common.Command(arguments).devices:
        measured = bakeoff.measure(arguments, device, "hex", PROBLEMS, ["fused"])
        table.measured_by(measured)
        kept += [bakeoff.small_point(point, measured.column) for point in measured.points]
        contender = bakeoff.values_of(measured.points, "contender")[0]
        for problem in PROBLEMS:
            for rate, label in RATES.items():
                panels.append(bakeoff.chart(f"{measured.column}, BP{problem}, {label}", measured.points, problem, rate,
                                            "GDOF/s"))
                for order in sorted(bakeoff.values_of(measured.points, "order")):
                    xs, ys = bakeoff.series(measured.points, problem, order, contender, rate)
                    if not ys:
                        continue
                    row, column = f"order {order}", f"BP{problem}, {label}"
                    table.put(row, column, "GDOF/s", measured.column, max(ys))
                    if rate == "cg_gdof_s":
                        half = next(x for x, y in zip(xs, ys) if y >= max(ys) / 2)
                        table.put(row, f"BP{problem}, unknowns for half", "", measured.column, half)
    table.extra = {"bp": kept}
    table.notes = ["Stored factors, warped hexahedra, Dirichlet conditions, no preconditioner; on a GPU the fused "
                   "kernel with deterministic sums, on a CPU sum factorisation.",
                   "Every operator was compared with the host's before it was timed."]
    table.finish([("", svg.figure("Unknowns a second against unknowns", panels, columns=2, size=(560, 320)))])


common.run_script(main)
