#!/usr/bin/env python3
"""HDG dense blocks of 4 GB, 2D and 3D, p = 1 to 10: our product against the read bandwidth, and against cuBLAS.

Not in the paper. Counted are the bytes of A, x, y and the neighbours; caches are emptied before every run. On a GPU, x
gathered for every face and a batch of dense products by cuBLAS stand beside it.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import algorithm  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402

MIB_A_GB = 1e9 / 2 ** 20
LEAST_PERCENT = 95.0  # of the read bandwidth


def least_ratio(case):
    """How much faster than cuBLAS the product is to be."""
    return 2.5 if case["dimension"] == 2 and case["degree"] <= 2 else 1.05


def fill(table, points, case):
    """The row of a case; what it misses, in words."""
    row, times = f"{case['dimension']}D, p = {case['degree']}", case["times"]
    product, share = times["product"]["seconds"], algorithm.percent_of_read(case, "product", points)
    table.put(row, "faces", "", "ours", case["r"])
    table.put(row, "MB", "", "ours", round(case["bytes"] * 1e-6))
    table.put(row, "our product", "us", points.column, 1e6 * product)
    table.put(row, "of the read bandwidth", "%", points.column, share)
    missed = [] if share >= LEAST_PERCENT else [f"{row}: {share:.1f} %"]
    if "gemv" in times:
        ratio = times["gemv"]["seconds"] / product
        table.put(row, "gather + cuBLAS", "us", points.column, 1e6 * times["gemv"]["seconds"])
        table.put(row, "cuBLAS / product", "", points.column, ratio)
        missed += [] if ratio >= least_ratio(case) else [f"{row}: {ratio:.2f} times cuBLAS"]
    table.put(row, "Algorithm 2, both steps" if points.on_gpu else "Algorithm 1, both steps", "us", points.column,
              1e6 * (times["inflate"]["seconds"] + times["contract"]["seconds"]))
    return missed


def main():
    parser = algorithm.options(__doc__)
    parser.add_argument("--gb", type=float, metavar="N", help="memory of y, A and the inflated x (default: 4)")
    algorithm.add_degrees(parser)
    arguments = parser.parse_args()
    arguments.cold = True
    command, program = common.Command(arguments), algorithm.Program(arguments)
    gb = 0.002 if arguments.quick else arguments.gb or 4
    degrees = [2] if arguments.quick else algorithm.degrees(arguments)  # emptying caches takes longer than products
    seconds = arguments.min_time if arguments.min_time is not None else 0.005 if arguments.quick else 0.05
    table = record.Table("hdg", "large", f"Dense blocks of {gb:g} GB, double precision, cold", arguments)
    kept, missed = [], {}
    for device in command.devices:
        points = command.machine(device)
        table.measured_by(points)
        for dimension in (2, 3):
            cases = program.run(dimension, degrees, [gb * MIB_A_GB], "double", device, seconds)
            kept += [algorithm.small_case(case) for case in cases]
            for case in cases:
                short = fill(table, points, case)
                if points.on_gpu:
                    missed.setdefault(points.column, []).extend(short)
    table.extra = {"sweep": kept}
    table.notes = ["Every face has all its neighbours near it, so there is no padding. Every result was checked before "
                   "it was timed; caches were emptied before every run.",
                   f"The aim on a GPU: {LEAST_PERCENT:g} % of the read bandwidth; 1.05 times cuBLAS, 2.5 times in 2D "
                   "with p = 1 and 2."]
    table.notes += [f"Short of it on {column}: {'; '.join(found) or 'none'}." for column, found in missed.items()]
    table.finish()


common.run_script(main)
