#!/usr/bin/env python3
"""HDG dense blocks, Table 2: time of inflating x and of the contraction, p = 1 to 5 on 11,780 faces, double precision.

In the paper both run on a GPU: on ours they are its Algorithm 2. On a CPU they are plain loops on all threads. Beside
them our product, in one step.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import algorithm  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402

PAPER = {1: (0.27, 0.44, 0.72, 37.90, 62.10), 2: (0.39, 0.77, 1.15, 33.45, 66.55), 3: (0.50, 1.28, 1.77, 27.92, 72.08),
         4: (0.60, 1.93, 2.53, 23.71, 76.29), 5: (0.71, 2.70, 3.41, 20.80, 79.20)}
COLUMNS = {"inflate": "ms", "contract": "ms", "both": "ms", "inflate, share": "%", "contract, share": "%"}
PEERS = {"gemv": "inflate + cuBLAS"}


def main():
    arguments = algorithm.options(__doc__).parse_args()
    command, program = common.Command(arguments), algorithm.Program(arguments)
    table = record.Table("hdg", "table 2", "Inflation and contraction, double precision, 11,780 faces", arguments)
    degrees = [1] if arguments.quick else list(PAPER)
    seconds = arguments.min_time if arguments.min_time is not None else 0.01 if arguments.quick else 0.5
    for p in degrees:
        for (column, unit), figure in zip(COLUMNS.items(), PAPER[p]):
            table.add(f"p = {p}", column, unit, figure)
    for device in command.devices:
        points = command.machine(device)
        table.measured_by(points)
        for case in program.run(2, degrees, ["faces=11780"], "double", device, seconds):
            row = f"p = {case['degree']}"
            times = {name: 1e3 * time["seconds"] for name, time in case["times"].items()}
            both = times["inflate"] + times["contract"]
            figures = (times["inflate"], times["contract"], both, 100 * times["inflate"] / both,
                       100 * times["contract"] / both)
            for (column, unit), figure in zip(COLUMNS.items(), figures):
                table.put(row, column, unit, points.column, figure)
            table.put(row, "our product", "ms", points.column, times["product"])
            for name, column in PEERS.items():
                if name in times:
                    table.put(row, column, "ms", points.column, times[name])
    table.notes = ["The paper's times are of a GTX 285. Ours on a GPU: its Algorithm 2, the caches emptied before "
                   "every run, so the contraction reads the inflated x from memory.",
                   "Here every face has five neighbours near it; the paper's mesh has about 190 boundary faces with "
                   "three."]
    table.finish()


common.run_script(main)
