#!/usr/bin/env python3
"""Batched GEMM for elements, Figures 14 to 16: mass (BP1) and diffusion (BP3) on tets: one GEMM, the selector, fused.

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
ONE, SELECTED, FUSED = "actions, one cuBLAS GEMM", "actions, selected GEMM", "fused, deterministic"


def claim(_problem, order):
    """Of the tuned GEMMs over cuda-ref, at 10^5 unknowns and more."""
    return "up to 10" if order == 8 else "2" if order > 5 else None


RATIOS = {(SELECTED, ONE): ("selected / one GEMM", claim),
          (FUSED, SELECTED): ("fused / selected", lambda problem, order: None)}


def main():
    arguments = bakeoff.options(__doc__, "1,2,3,4,5,6,7,8", "1e4,1e5,1e6,3e6", 40).parse_args()
    table = record.Table(bakeoff.PAPER, "figures 14 16", "Tets: CG at the most unknowns", arguments)
    rates, ratios, kept = {1: [], 3: []}, [], []
    for device in common.Command(arguments).devices:
        measured = bakeoff.measure(arguments, device, "tet", PROBLEMS, ["plain", "actions", "fused"])
        table.measured_by(measured)
        bakeoff.put_rates(table, measured, PROBLEMS, RATIOS)
        kept += [bakeoff.small_point(point, measured.column) for point in measured.points]
        for problem in PROBLEMS:
            title = f"{measured.column}, BP{problem}"
            for contender in bakeoff.values_of(measured.points, "contender"):
                here = [point for point in measured.points if point["contender"] == contender]
                rates[problem].append(bakeoff.chart(f"{title}, {contender}", here, problem, "cg_gdof_s",
                                                    bakeoff.MERIT))
            if measured.on_gpu:
                ratios += [bakeoff.ratio_chart(f"{title}: {column}", measured.points, problem, *pair)
                           for pair, (column, _) in RATIOS.items()]
    table.extra = {"bp": kept}
    table.notes = ["Tets: every hexahedron of the mesh cut in six. One GEMM: all actions by one product of cuBLAS; "
                   "selected: by the fastest variant in the table that `millrace tune-gemm` makes; fused: one kernel.",
                   "The paper's ratios are of its selector over cuda-ref on a V100, whose actions are plain loops, not "
                   "GEMMs: twice as fast above order 5 and 10^5 unknowns, up to 10 times at order 8.",
                   "Every operator was compared with the host's before it was timed. On a CPU there is one way."]
    pictures = [(f"-{number}", svg.figure(f"Figure {number}: {title}", panels, columns=columns, size=(560, 360)))
                for number, title, panels, columns in ((14, "mass on tets (BP1)", rates[1], 1),
                                                       (15, "diffusion on tets (BP3)", rates[3], 1),
                                                       (16, "ratios on tets", ratios, 2)) if panels]
    table.finish(pictures)


common.run_script(main)
