#!/usr/bin/env python3
"""HDG dense blocks, Table 3: our product against general sparse products of libraries, p = 1 to 5 on 11,780 faces.

The paper's libraries are MATLAB on a CPU and CUSPARSE on a GPU; ours are GNU Octave where it is installed, the fastest
peer of `millrace bench` on a CPU, and on a GPU the fastest product of cuSPARSE, with that of cuBLAS beside it.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import algorithm  # noqa: E402
import common  # noqa: E402
import octave  # noqa: E402
import record  # noqa: E402

PAPER = {1: (22.81, 1.87, 0.72), 2: (47.07, 3.05, 1.15), 3: (77.37, 4.17, 1.77), 4: (118.51, 5.91, 2.53),
         5: (179.37, 7.39, 3.41)}  # ms: MATLAB, CUSPARSE, the paper's product on its GPU
OCTAVE, OURS = "Octave (MATLAB)", "dense blocks"
CUSPARSE, CUBLAS = "cuSPARSE", "gather + cuBLAS"


def time_octave(command, specs, min_time):
    """Milliseconds of a product by degree."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "matrix.mrx"
        for p, spec in specs.items():
            command.call("gen", spec, "-o", file)
            found[p] = 1e3 * octave.seconds_of_product(file, min_time)
            file.unlink()
    return found


def fill(table, points, spec, row, paper, names):
    """Libraries and dense blocks of one matrix on one device."""
    kind, others = ("GPU", {CUSPARSE: "cusparse", CUBLAS: "cublas"}) if points.on_gpu else ("CPU", {"library": ""})
    dbf = points.get(spec, "double", "dbf")
    for label, begin in others.items():
        peers = [point for point in points.of(spec, "double")
                 if point["kind"] == "peer" and point["contender"].startswith(begin)]
        if not peers and label == CUBLAS:
            continue
        if not peers or dbf is None:
            raise common.Refused(f"{spec} on {points.column}: needs dbf and a product of {label}, but the command has "
                                 f"{' '.join(point['contender'] for point in points.of(spec, 'double'))}")
        best = min(peers, key=lambda point: point["median_us"])
        names.setdefault(points.column, set()).add(best["contender"])
        theirs, ours = paper if label == CUSPARSE else (None, None)
        figures = {label: ("ms", theirs, best["median_us"] * 1e-3),
                   OURS: ("ms", paper[1] if points.on_gpu else None, dbf["median_us"] * 1e-3),
                   f"{label} / {OURS}": ("", theirs and common.rounded(theirs / ours),
                                         best["median_us"] / dbf["median_us"])}
        for name, (unit, figure, value) in figures.items():
            table.add(row, f"{kind}: {name}", unit, figure)
            table.put(row, f"{kind}: {name}", unit, points.column, value)


def main():
    parser = common.options(__doc__)
    algorithm.add_real(parser)
    arguments = parser.parse_args()
    command = common.Command(arguments)
    table = record.Table("hdg", "table 3", "Products with the matrices of Table 1 (ms, double precision)", arguments)
    degrees = [1] if arguments.quick else list(PAPER)
    specs = algorithm.omesh_matrices(command, arguments, degrees)
    min_time = arguments.min_time if arguments.min_time is not None else 0.01 if arguments.quick else 0.5
    names, measured = {}, []
    for p in degrees:
        table.add(f"p = {p}", OCTAVE, "ms", PAPER[p][0])
    for device in command.devices:
        points = command.bench(specs.values(), ["dbf"], device, min_time=min_time, peers=True,
                               cold=algorithm.is_cold(device))
        measured.append(points)
        table.measured_by(points)
        for p, spec in specs.items():
            fill(table, points, spec, f"p = {p}", PAPER[p][1:], names)
    table.notes = [f"The fastest products of libraries on {column}: {', '.join(sorted(found))}."
                   for column, found in names.items()]
    if octave.is_here():
        host = next((points for points in measured if not points.on_gpu), None) or command.machine("cpu")
        table.measured_by(host)
        for p, time in time_octave(command, specs, min_time).items():
            row, (matlab, _, proposed) = f"p = {p}", PAPER[p]
            table.put(row, OCTAVE, "ms", host.column, time)
            for points in measured:
                kind = "GPU" if points.on_gpu else "CPU"
                table.add(row, f"{kind}: Octave / {OURS}", "",
                          common.rounded(matlab / proposed) if points.on_gpu else None)
                table.put(row, f"{kind}: Octave / {OURS}", "", points.column,
                          time / (1e-3 * points.get(specs[p], "double", "dbf")["median_us"]))
    else:
        table.notes.append(f"GNU Octave ({octave.PROGRAM}) was not found, so nothing stands in for MATLAB.")
    table.notes.append("The paper's libraries are MATLAB on a Xeon of 2009 and CUSPARSE of CUDA 3.2 on a GTX 285; its "
                       "product on the GPU is 32 to 53 times as fast as MATLAB, 2.2 to 2.7 times as fast as CUSPARSE.")
    table.notes.append("Ours on a GPU: the caches were emptied before every run.")
    table.finish()


common.run_script(main)
