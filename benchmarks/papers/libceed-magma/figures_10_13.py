#!/usr/bin/env python3
"""Batched GEMM for elements, Figures 10 to 13: mass (BP1) and diffusion (BP3) on hexahedra, action by action and fused.

The figure of merit is the paper's: unknowns times iterations of CG in a second, against unknowns.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import bakeoff  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

PROBLEMS = (1, 3)
RATIOS = {("fused, deterministic", "actions"): ("fused / actions", lambda problem, order: None)}


def main():
    arguments = bakeoff.options(__doc__, "1,2,3,4,5,6,7,8", "1e4,1e5,1e6,4e6", 35).parse_args()
    table = record.Table(bakeoff.PAPER, "figures 10 13", "Hexahedra: CG at the most unknowns", arguments)
    rates, ratios, kept = {1: [], 3: []}, {1: [], 3: []}, []
    for device in common.Command(arguments).devices:
        measured = bakeoff.measure(arguments, device, "hex", PROBLEMS, ["actions", "fused"])
        table.measured_by(measured)
        bakeoff.put_rates(table, measured, PROBLEMS, RATIOS)
        kept += [bakeoff.small_point(point, measured.column) for point in measured.points]
        for problem in PROBLEMS:
            title = f"{measured.column}, BP{problem}"
            rates[problem].append(bakeoff.chart(title, measured.points, problem, "cg_gdof_s", bakeoff.MERIT))
            if measured.on_gpu:
                ratios[problem].append(bakeoff.ratio_chart(f"{title}: fused over actions", measured.points, problem,
                                                           "fused, deterministic", "actions"))
    table.extra = {"bp": kept}
    table.notes = ["Actions: restriction, basis, physics and their transposes, a kernel each, as the paper's; fused: "
                   "one kernel for all of it. Dirichlet conditions, no preconditioner, order + 2 Gauss points a "
                   "direction.",
                   "The paper compares its actions with those of cuda-shared on a V100: 1.1 to 1.3 times as fast for "
                   "some cases of high order, about 1.2 times for diffusion. It has no fused operator: cuda-gen has.",
                   "Every operator was compared with the host's before it was timed. On a CPU there is one way."]
    pictures = [(f"-{number}", svg.figure(f"Figure {number}: {title}", panels, size=(760, 420)))
                for number, title, panels in ((10, "mass (BP1)", rates[1]), (11, "diffusion (BP3)", rates[3]),
                                              (12, "ratio, mass (BP1)", ratios[1]),
                                              (13, "ratio, diffusion (BP3)", ratios[3])) if panels]
    table.finish(pictures)


common.run_script(main)
