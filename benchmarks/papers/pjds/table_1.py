#!/usr/bin/env python3
"""pJDS, Table I: how much less pJDS stores than ELLPACK, and GFLOP/s of ELLPACK-R, pJDS and CRS.

Storage is counted for the whole matrices, from their row lengths; for those that are timed it must equal what the
formats of the command store. DLR2 is timed at 0.4 of its size unless --whole is given: no format takes more than 2 GB.
With a GPU there are rates with transfers, too: x goes up before and y comes back after every product.
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import four_matrices as four  # noqa: E402
import record  # noqa: E402

REDUCTION = {"DLR1": 17.5, "DLR2": 48.0, "HMEp": 36.0, "sAMG": 68.4}  # percent
PAPER = {  # GFLOP/s on a Tesla C2070 without and with error correction, and on two Westmere sockets
    "SP ECC=0 ELLPACK-R": (22.1, 15.2, 15.8, 14.6), "SP ECC=0 pJDS": (27.6, 18.7, 18.9, 19.5),
    "SP ECC=1 ELLPACK-R": (18.0, 13.2, 12.1, 11.6), "SP ECC=1 pJDS": (19.1, 12.1, 11.6, 12.6),
    "DP ECC=0 ELLPACK-R": (18.7, 11.7, 12.3, 11.1), "DP ECC=0 pJDS": (18.3, 14.6, 12.2, 13.0),
    "DP ECC=1 ELLPACK-R": (12.9, 9.6, 7.9, 7.8), "DP ECC=1 pJDS": (12.9, 9.5, 7.5, 8.5),
    "DP CRS (paper: on a CPU)": (5.7, 5.8, 3.9, 4.1),
}
# rows that we fill: precision and format
OURS = {"SP ECC=1 ELLPACK-R": ("float", "ellr"), "SP ECC=1 pJDS": ("float", "pjds"),
        "DP ECC=1 ELLPACK-R": ("double", "ellr"), "DP ECC=1 pJDS": ("double", "pjds"),
        "DP CRS (paper: on a CPU)": ("double", "csr"), "SP CRS": ("float", "csr"), "SP ELLPACK": ("float", "ell"),
        "DP ELLPACK": ("double", "ell")}
# rows with transfers: precision, format, and what the paper's text says in double precision with error correction
TRANSFERRED = {"SP ELLPACK-R, with transfers": ("float", "ellr", {}), "SP pJDS, with transfers": ("float", "pjds", {}),
               "DP ELLPACK-R, with transfers": ("double", "ellr", {}),
               "DP pJDS, with transfers": ("double", "pjds", {"DLR1": 10.9, "HMEp": 3.7, "sAMG": 2.3})}
PROGRAM = "benchmark_pjds_transfers"
FORMATS = ["csr", "ell", "ellr", "pjds"]
SAVED, OVER = "data reduction", "pJDS over the nonzeros"


def add_storage(table, name, lengths):
    entries = four.entries(lengths)
    table.put(SAVED, name, "%", "ours", four.reduction(lengths))
    table.put(OVER, name, "%", "ours", 100 * (four.pjds_slots(lengths) - entries) / entries)


def check_storage(name, lengths, points, file, formats):
    """What the command's formats store is what the row lengths say."""
    for contender, slots in zip(formats, (four.entries(lengths), four.ell_slots(lengths), four.ell_slots(lengths),
                                          four.pjds_slots(lengths))):
        point = points.get(file.name, "double", contender)
        if point and point["matrix"]["entries"] + point["artificial_zeros"] != slots:
            raise common.Refused(f"{name}: {contender} stores {point['artificial_zeros']} artificial zeros besides "
                                 f"{point['matrix']['entries']} entries, but {slots} slots follow from the row lengths")


def transfer_seconds(program, device, precision, points, files, min_time):
    """Seconds of copying x to the GPU and y back through pinned memory, by matrix."""
    sizes = {name: points.facts(file.name) for name, file in files.items()}
    words = [f"{facts['cols']}:{facts['rows']}" for facts in sizes.values()]
    found = common.call_program([program, device, precision, min_time, *words])
    return {name: copies["up_seconds"] + copies["down_seconds"] for name, copies in zip(sizes, found)}


def add_transfers(table, arguments, device, points, files, formats, min_time):
    """Rates when the vectors live on the host: the times of the product and of both copies, one after another."""
    program = common.find_program(arguments, PROGRAM)
    copies = {precision: transfer_seconds(program, device, precision, points, files, min_time)
              for precision in ("float", "double")}
    for row, (precision, contender, paper) in TRANSFERRED.items():
        for name, file in files.items():
            table.add(row, name, "GFLOP/s", paper.get(name))
            point = points.get(file.name, precision, formats[FORMATS.index(contender)])
            rate = point and 2e-9 * point["matrix"]["entries"] / (1e-6 * point["median_us"] + copies[precision][name])
            table.put(row, name, "GFLOP/s", points.column, rate or "refused")
    table.notes.append(f"With transfers on {points.column}: the time of the product plus those of copying x up and y "
                       "down through pinned memory, measured apart, as in the paper's equation (2). In double: "
                       + ", ".join(f"{1e3 * time:.2f} ms for {name}" for name, time in copies["double"].items()) + ".")


def choose(arguments, command, table, folder):
    """Specs, files and row lengths of the matrices to time; storage of the whole ones goes into the table."""
    specs, files, lengths = {}, {}, {}
    for name, (whole, timed, small) in four.MATRICES.items():
        specs[name] = small if arguments.quick else whole if arguments.whole else timed
        files[name] = four.generate(command, specs[name], folder)
        lengths[name] = four.histogram(files[name])
        if specs[name] in (small, whole):
            add_storage(table, name, lengths[name])
        else:
            file = four.generate(command, whole, folder)
            add_storage(table, name, four.histogram(file))
            file.unlink()
    return specs, files, lengths


def main():
    parser = common.options(__doc__)
    parser.add_argument("--whole", action="store_true", help="time the whole DLR2, too: 4 GB in ELLPACK")
    common.add_storage(parser)
    arguments = parser.parse_args()
    command = common.Command(arguments)
    table = record.Table("pjds", "table 1", "Storage of pJDS against ELLPACK, and rates (GFLOP/s)", arguments)
    for name, figure in REDUCTION.items():
        table.add(SAVED, name, "%", figure)
        table.add(OVER, name, "%", "< 0.01%")
    for row, figures in PAPER.items():
        for name, figure in zip(REDUCTION, figures):
            table.add(row, name, "GFLOP/s", figure)
    formats = common.stored(FORMATS, arguments.storage)
    min_time = arguments.min_time if arguments.min_time is not None else 0.005 if arguments.quick else 0.5
    with tempfile.TemporaryDirectory() as folder:
        specs, files, lengths = choose(arguments, command, table, folder)
        for device in command.devices:
            points = command.bench(files.values(), formats, device, ["float", "double"], min_time)
            table.measured_by(points)
            for name, file in files.items():
                check_storage(name, lengths[name], points, file, formats)
                for row, (precision, contender) in OURS.items():
                    rate = points.gflop_s(file.name, precision, formats[FORMATS.index(contender)])
                    table.put(row, name, "GFLOP/s", points.column, rate or "refused")
            if points.on_gpu:
                add_transfers(table, arguments, device, points, files, formats, min_time)
    sizes = [f"{name} is {spec}, {four.num_rows(lengths[name]):,} rows and {four.entries(lengths[name]):,} nonzeros"
             for name, spec in specs.items()]
    table.notes += [
        f"Timed: {'; '.join(sizes)}.",
        "Storage is counted from the row lengths" + ("." if arguments.quick else " of the whole matrices.")
        + " The formats of the timed ones store exactly as much as their row lengths say.",
        "HMEp is generated from its physics, the others are stand-ins with published statistics (docs/gallery.md).",
        "The paper's rates are of a Tesla C2070 and two Westmere sockets. Error correction is always on today, so ours "
        "stand in its rows."]
    table.finish()


common.run_script(main)
