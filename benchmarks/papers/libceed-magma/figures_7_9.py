#!/usr/bin/env python3
"""Batched GEMM for elements, Figures 7 to 9: one GEMM and batches of GEMMs, of cuBLAS and our own, at three sizes.

A table of Q x P numbers times n = 10,000 columns, cut into n = batch x eta.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import bakeoff  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

SIZES = {7: (27, 64), 8: (125, 216), 9: (729, 1000)}
COLUMNS = 10000
ETAS = [2, 4, 5, 8, 10, 16, 20, 25, 40, 50, 80, 100, 125, 200, 250, 400, 500, 625, 1000]
CLAIMS = {7: "batch of MAGMA's own", 8: "batch of cuBLAS", 9: "one GEMM of cuBLAS"}  # the fastest on a V100


def measure(arguments, device):
    sizes, columns, etas = SIZES.values(), COLUMNS, ETAS
    if arguments.quick:
        sizes, columns, etas = [SIZES[7]], 100, [10, 20, 50]
    usual = 0.0 if arguments.quick else 0.01
    words = [arguments.millrace, "tune-gemm", "--device", device, "--sizes", ",".join(f"{p}x{q}" for p, q in sizes),
             "--n", columns, "--eta", ",".join(map(str, etas)), "--precision", "double", "--min-time",
             usual if arguments.min_time is None else arguments.min_time, "--json", "OUT"]
    words += ["--threads", arguments.threads] if arguments.threads else []
    return bakeoff.call_for_record(words)


def rates_of(measured, size):
    """Variant: GFLOP/s."""
    return {point["variant"]: point["gflop_s"] for point in measured.points if (point["k"], point["m"]) == size}


def chart(title, rates):
    """Batches against eta, and one product of all columns as a dashed line."""
    panel = svg.Panel(title, svg.Axis("eta, columns of one product", log=True), svg.Axis("GFLOP/s"))
    etas = sorted({int(name.split("/")[1]) for name in rates if "/" in name}) or [1, COLUMNS]
    for kernel, colour in (("cublas", svg.COLOURS[0]), ("own", svg.COLOURS[1]), ("loop", svg.COLOURS[2])):
        batches = [(eta, rates[f"{kernel}/{eta}"]) for eta in etas if f"{kernel}/{eta}" in rates]
        if batches:
            panel.line(f"{kernel}, batches", *zip(*batches), colour=colour, marks=True)
        if kernel in rates:
            panel.line(f"{kernel}, at once", [etas[0], etas[-1]], [rates[kernel]] * 2, colour=colour, dashed=True)
    return panel


def put_row(table, measured, number, size, rates):
    row = f"Figure {number}: P = {size[0]}, Q = {size[1]}"
    fastest = max(rates, key=rates.get)
    table.add(row, "fastest", "", CLAIMS[number] if measured.on_gpu else None)
    table.put(row, "fastest", "", measured.column, fastest)
    table.put(row, "fastest, rate", "GFLOP/s", measured.column, rates[fastest])
    for kernel in ("cublas", "own"):
        batches = [rate for name, rate in rates.items() if name.startswith(f"{kernel}/")]
        if batches and kernel in rates:
            table.put(row, f"{kernel}, best batch", "GFLOP/s", measured.column, max(batches))
            table.put(row, f"{kernel}, at once", "GFLOP/s", measured.column, rates[kernel])
    if "cublas" in rates:
        table.put(row, "fastest / cublas at once", "", measured.column, rates[fastest] / rates["cublas"])


def main():
    arguments = common.options(__doc__).parse_args()
    table = record.Table(bakeoff.PAPER, "figures 7 9", "Products of a table with 10,000 columns", arguments)
    panels, kept = {}, []
    for device in common.Command(arguments).devices:
        measured = measure(arguments, device)
        table.measured_by(measured)
        for number, size in SIZES.items():
            rates = rates_of(measured, size)
            if not rates:
                continue
            put_row(table, measured, number, size, rates)
            panels.setdefault(number, []).append(chart(f"{measured.column}, P = {size[0]}, Q = {size[1]}", rates))
        kept += [{name: common.rounded(point[name]) for name in ("m", "n", "k", "variant", "gflop_s", "spread")} |
                 {"device": measured.column} for point in measured.points]
    table.extra = {"gemm": kept}
    table.notes = ["2 m n k operations. Every result was checked before it was timed; caches were as the run before "
                   "left them.",
                   "The paper, on a V100: for small tables MAGMA's batch is the fastest, for medium ones that of "
                   "cuBLAS; for large ones one GEMM of cuBLAS is on a par with its batch, both within 85 % of "
                   "the GPU's peak.",
                   "Our own kernel keeps the table in shared memory and lets columns stream past it; eta is what a "
                   "thread block takes of them. On a CPU there is one plain loop."]
    table.finish([(f"-{number}", svg.figure(f"Figure {number}: variants of GEMM", found))
                  for number, found in panels.items()])


common.run_script(main)
