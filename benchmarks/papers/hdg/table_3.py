#!/usr/bin/env python3
"""HDG dense blocks, Table 3: our product against general sparse products of libraries, p = 1 to 5 on 11,780 faces.

The paper's libraries are MATLAB on a CPU and CUSPARSE on a GPU; ours the fastest peer of `millrace bench`.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import record  # noqa: E402

PAPER = {1: (22.81, 1.87, 0.72), 2: (47.07, 3.05, 1.15), 3: (77.37, 4.17, 1.77), 4: (118.51, 5.91, 2.53),
         5: (179.37, 7.39, 3.41)}  # ms: MATLAB, CUSPARSE, the paper's product on its GPU
LIBRARY, OURS, FASTER = "library", "dense blocks", "library / dense blocks"


def main():
    arguments = common.options(__doc__).parse_args()
    command = common.Command(arguments)
    table = record.Table("hdg", "table 3", "Products with the matrices of Table 1 (ms, double precision)", arguments)
    degrees = [1] if arguments.quick else list(PAPER)
    specs = {p: f"hdg-omesh:p={p},a=95,b=41" for p in degrees}
    min_time = arguments.min_time if arguments.min_time is not None else 0.01 if arguments.quick else 0.5
    names = {}
    for device in command.devices:
        kind = "GPU" if device.startswith("gpu") else "CPU"
        points = command.bench(specs.values(), ["dbf"], device, min_time=min_time, peers=True)
        table.measured_by(points)
        for p, spec in specs.items():
            row, (matlab, cusparse, proposed) = f"p = {p}", PAPER[p]
            library = matlab if kind == "CPU" else cusparse
            table.add(row, f"{kind}: {LIBRARY}", "ms", library)
            table.add(row, f"{kind}: {OURS}", "ms", None if kind == "CPU" else proposed)
            table.add(row, f"{kind}: {FASTER}", "", None if kind == "CPU" else common.rounded(library / proposed))
            peers = [point for point in points.of(spec, "double") if point["kind"] == "peer"]
            dbf = points.get(spec, "double", "dbf")
            if not peers or dbf is None:
                raise common.Refused(f"{spec} on {device}: needs dbf and one peer at least, but the command has "
                                     f"{' '.join(point['contender'] for point in points.of(spec, 'double'))}")
            best = min(peers, key=lambda point: point["median_us"])
            names.setdefault(points.column, set()).add(best["contender"])
            table.put(row, f"{kind}: {LIBRARY}", "ms", points.column, best["median_us"] * 1e-3)
            table.put(row, f"{kind}: {OURS}", "ms", points.column, dbf["median_us"] * 1e-3)
            table.put(row, f"{kind}: {FASTER}", "", points.column, best["median_us"] / dbf["median_us"])
    table.notes = [f"The fastest library on {column}: {', '.join(sorted(found))}." for column, found in names.items()]
    table.notes.append("The paper's libraries are MATLAB on a Xeon of 2009 and CUSPARSE of CUDA 3.2 on a GTX 285; its "
                       "product on the GPU is 32 to 53 times as fast as MATLAB.")
    table.finish()


common.run_script(main)
