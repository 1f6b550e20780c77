#!/usr/bin/env python3
"""HDG dense blocks, Figures 2 and 3: rate and bandwidth of the contraction against memory, p = 1 to 10, 2D and 3D.

The curves are the minimum and the maximum over p, of the paper's contraction (Algorithm 1 on one thread of a CPU, or
Algorithm 2 on a GPU) and of our product. Figure 4 divides the times of two such records (figure_4.py).
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
WORKS = {"cpu": {"algorithm1": "Algorithm 1, one thread", "product": "our product"},
         "gpu": {"contract": "Algorithm 2", "product": "our product"}}
COLOURS = {(0, 2): "#b0b0b0", (0, 3): "#555555", (1, 2): "#c8451f", (1, 3): "#0b6fa4"}  # number of the work, dimension
# What the text says of large problems: (device, precision): GFLOP/s from, to, percent of the bandwidth from, to
PAPER = {("cpu", "single"): (0.25, 1.75, 2.5, 20.0), ("cpu", "double"): (0.2, 1.25, 5.0, 30.0),
         ("gpu", "single"): (30.0, 55.0, 30.0, 65.0), ("gpu", "double"): (20.0, 25.0, 40.0, 65.0)}
SCALARS = {"single": "float", "double": "double"}
COLUMNS = ["GFLOP/s, from", "GFLOP/s, to", "% of bandwidth, from", "% of bandwidth, to"]


def measure(arguments, program, device):
    """All cases, each with its dimension, degree, memory and times. A large p needs more memory than the smallest."""
    asked = [float(mib) for mib in arguments.memory.split(",")] if arguments.memory else MEMORY
    memory = [1, 2] if arguments.quick else asked
    usual = 0.005 if arguments.quick else 0.05 if device.startswith("cpu") else 0.01
    seconds = arguments.min_time if arguments.min_time is not None else usual
    cases = []
    for precision, scalar in SCALARS.items():
        sizes = [f"{mib if precision == 'double' else mib / 2:g}" for mib in memory]
        for dimension in DIMENSIONS:
            print(f"  {device}: {dimension}D, {precision}", file=sys.stderr)
            cases += program.run(dimension, algorithm.degrees(arguments), sizes, scalar, device, seconds)
    return [{**case, "memory_mib": algorithm.memory_mib(case)} for case in cases]


def chart(cases, title, label, rate, works):
    """One panel: minimum (dashed) and maximum over p at each memory."""
    panel = svg.Panel(title, svg.Axis("memory (MiB)", log=True), svg.Axis(label, log=True))
    for (number, dimension), colour in COLOURS.items():
        work, name = list(works.items())[number]
        here = [case for case in cases if case["dimension"] == dimension and work in case["times"]]
        sizes = sorted({case["memory_mib"] for case in here})
        for bound, pick in (("max", max), ("min", min)):
            if here:
                panel.line(f"{name}, {dimension}D, {bound}", sizes,
                           [pick(rate(case, work) for case in here if case["memory_mib"] == size) for size in sizes],
                           colour=colour, dashed=bound == "min", marks=True)
    return panel


def summarise(table, points, cases, works):
    """The range over p and both dimensions at the largest memory, beside the ranges of the paper's text."""
    kind = "gpu" if points.on_gpu else "cpu"
    for precision, scalar in SCALARS.items():
        largest = max(case["memory_mib"] for case in cases if case["precision"] == scalar)
        here = [case for case in cases if case["precision"] == scalar and case["memory_mib"] == largest]
        for number, (work, label) in enumerate(works.items()):
            rates = [algorithm.gflop_s(case, work) for case in here]
            shares = [100 * algorithm.gb_s(case, work) / points.read_gb_s for case in here]
            ours = (min(rates), max(rates), min(shares), max(shares))
            paper = PAPER[kind, precision] if number == 0 else (None,) * 4
            row = f"{kind}, {precision}: {label}"
            for column, unit, figure, value in zip(COLUMNS, ("GFLOP/s", "GFLOP/s", "%", "%"), paper, ours):
                table.add(row, column, unit, figure)
                table.put(row, column, unit, points.column, value)


def main():
    parser = algorithm.options(__doc__)
    parser.add_argument("--memory", metavar="MIB,...", help="of y, A and the inflated x in double, half of it in "
                        f"single (default: {','.join(map(str, MEMORY))})")
    algorithm.add_degrees(parser)
    arguments = parser.parse_args()
    command, program = common.Command(arguments), algorithm.Program(arguments)
    table = record.Table("hdg", "figures 2 3", "Contraction of dense blocks at the largest memory, range over p",
                         arguments)
    rates, shares, kept = [], [], []
    for device in command.devices:
        points = command.machine(device)
        table.measured_by(points)
        cases = measure(arguments, program, device)
        works = WORKS["gpu" if points.on_gpu else "cpu"]
        kept += [algorithm.small_case(case) for case in cases]
        summarise(table, points, cases, works)
        for precision, scalar in SCALARS.items():
            here = [case for case in cases if case["precision"] == scalar]
            title = f"{points.column}, {precision} precision"
            rates.append(chart(here, title, "GFLOP/s", algorithm.gflop_s, works))
            shares.append(chart(here, title, f"percent of {points.read_gb_s:.0f} GB/s", lambda case, work, read=points:
                                100 * algorithm.gb_s(case, work) / read.read_gb_s, works))
    table.extra = {"sweep": kept}
    table.notes = ["2 m r q operations; bytes of y, A and the inflated x, as the paper counts them. Percent of the "
                   "measured read bandwidth; the paper's are of the peak of 16 GB/s (CPU) and 159.7 GB/s (GPU).",
                   "Algorithm 1 is the plain loop over A[i, l, k] in the paper's layout, whose inner loop strides "
                   "through memory; Algorithm 2 has a thread for each value of y. Our product gathers x while it "
                   "contracts, on all threads, so its time includes the inflation, which the others' does not.",
                   "On a GPU the caches were emptied before every run; the paper's GPU had none for the matrix.",
                   "A case with fewer faces than a face has neighbours is left out: p above 6 in 3D at the smallest "
                   "memory.",
                   "Every result was checked before it was timed."]
    size = (560, 320)
    table.finish([("-2", svg.figure("Figure 2: rate of the contraction", rates, columns=2, size=size)),
                  ("-3", svg.figure("Figure 3: bandwidth of the contraction", shares, columns=2, size=size))])


common.run_script(main)
