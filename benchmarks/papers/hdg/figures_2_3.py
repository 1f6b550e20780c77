#!/usr/bin/env python3
"""HDG dense blocks, Figures 2 and 3: rate and bandwidth of the contraction against memory, p = 1 to 10, 2D and 3D.

The curves are the minimum and the maximum over p, of Algorithm 1 (one thread, as in the paper) and of our product.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import algorithm  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

MEMORY = [10, 20, 50, 100, 200, 350, 500]  # MiB in double, half of it in single precision
DIMENSIONS = (2, 3)
WORKS = {"algorithm1": "Algorithm 1, one thread", "product": "our product"}
COLOURS = {("algorithm1", 2): "#b0b0b0", ("algorithm1", 3): "#555555", ("product", 2): "#c8451f",
           ("product", 3): "#0b6fa4"}
# What the text says of large problems: (device, precision): GFLOP/s from, to, percent of the bandwidth from, to
PAPER = {("cpu", "single"): (0.25, 1.75, 2.5, 20.0), ("cpu", "double"): (0.2, 1.25, 5.0, 30.0),
         ("gpu", "single"): (30.0, 55.0, 30.0, 65.0), ("gpu", "double"): (20.0, 25.0, 40.0, 65.0)}
SCALARS = {"single": "float", "double": "double"}
COLUMNS = ["GFLOP/s, from", "GFLOP/s, to", "% of bandwidth, from", "% of bandwidth, to"]


def measure(arguments, program, device):
    """All cases, each with its dimension, degree, memory and times. A large p needs more memory than the smallest."""
    memory = [1, 2] if arguments.quick else MEMORY
    degrees = [1, 2] if arguments.quick else range(1, 11)
    seconds = arguments.min_time if arguments.min_time is not None else 0.005 if arguments.quick else 0.05
    cases = []
    for precision in SCALARS:
        for dimension in DIMENSIONS:
            print(f"  {device}: {dimension}D, {precision}", file=sys.stderr)
            for degree in degrees:
                for mib in memory:
                    size = mib if precision == "double" else mib / 2
                    faces, neighbours = algorithm.num_faces(dimension, degree, size, 8 if precision == "double" else 4)
                    if faces < neighbours:
                        continue
                    case = program.run(dimension, degree, size, SCALARS[precision], device, seconds)
                    cases.append({**case, "memory_mib": size})
    return cases


def chart(cases, title, label, rate):
    """One panel: minimum (dashed) and maximum over p at each memory."""
    panel = svg.Panel(title, svg.Axis("memory (MiB)", log=True), svg.Axis(label, log=True))
    for (work, dimension), colour in COLOURS.items():
        here = [case for case in cases if case["dimension"] == dimension and work in case["times"]]
        sizes = sorted({case["memory_mib"] for case in here})
        for name, pick in (("max", max), ("min", min)):
            if here:
                panel.line(f"{WORKS[work]}, {dimension}D, {name}", sizes,
                           [pick(rate(case, work) for case in here if case["memory_mib"] == size) for size in sizes],
                           colour=colour, dashed=name == "min", marks=True)
    return panel


def summarise(table, points, device, cases):
    """The range over p and both dimensions at the largest memory, beside the ranges of the paper's text."""
    kind = "gpu" if device.startswith("gpu") else "cpu"
    for precision, scalar in SCALARS.items():
        largest = max(case["memory_mib"] for case in cases if case["precision"] == scalar)
        here = [case for case in cases if case["precision"] == scalar and case["memory_mib"] == largest]
        for work, label in WORKS.items():
            timed = [case for case in here if work in case["times"]]
            if not timed:
                continue
            row = f"{kind}, {precision}: {label}"
            rates = [algorithm.gflop_s(case, work) for case in timed]
            shares = [100 * algorithm.gb_s(case, work) / points.read_gb_s for case in timed]
            ours = (min(rates), max(rates), min(shares), max(shares))
            paper = PAPER[kind, precision] if work == "algorithm1" or kind == "gpu" else (None,) * 4
            for column, unit, figure, value in zip(COLUMNS, ("GFLOP/s", "GFLOP/s", "%", "%"), paper, ours):
                table.add(row, column, unit, figure)
                table.put(row, column, unit, points.column, value)


def small_case(case):
    times = {name: {"seconds": common.rounded(time["seconds"]), "spread": common.rounded(time["spread"], 2)}
             for name, time in case["times"].items()}
    return {**{key: case[key] for key in ("dimension", "degree", "precision", "device", "memory_mib", "m", "r", "q")},
            "times": times}


def main():
    arguments = algorithm.options(__doc__).parse_args()
    command, program = common.Command(arguments), algorithm.Program(arguments)
    table = record.Table("hdg", "figures 2 3", "Contraction of dense blocks at the largest memory, range over p",
                         arguments)
    rates, shares, kept = [], [], []
    for device in command.devices:
        points = command.machine(device)
        table.measured_by(points)
        cases = measure(arguments, program, device)
        kept += [small_case(case) for case in cases]
        summarise(table, points, device, cases)
        for precision, scalar in SCALARS.items():
            here = [case for case in cases if case["precision"] == scalar]
            title = f"{points.column}, {precision} precision"
            rates.append(chart(here, title, "GFLOP/s", algorithm.gflop_s))
            shares.append(chart(here, title, f"percent of {points.read_gb_s:.0f} GB/s", lambda case, work, read=points:
                                100 * algorithm.gb_s(case, work) / read.read_gb_s))
    table.extra = {"sweep": kept}
    table.notes = ["2 m r q operations; bytes of y, A and the inflated x, as the paper counts them. Percent of the "
                   "measured read bandwidth; the paper's are of the peak of 16 GB/s (CPU) and 159.7 GB/s (GPU).",
                   "Algorithm 1 is the plain loop over A[i, l, k] in the paper's layout, whose inner loop strides "
                   "through memory. Our product gathers x while it contracts, on all threads, so its time includes "
                   "the inflation.",
                   "A case with fewer faces than a face has neighbours is left out: p above 6 in 3D at the smallest "
                   "memory.",
                   "Every result was compared with the plain loop before it was timed."]
    size = (560, 320)
    table.finish([("-2", svg.figure("Figure 2: rate of the contraction", rates, columns=2, size=size)),
                  ("-3", svg.figure("Figure 3: bandwidth of the contraction", shares, columns=2, size=size))])


common.run_script(main)
