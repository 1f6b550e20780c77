#!/usr/bin/env python3
"""Row-grouped CSR: x through the read-only cache of a GPU and around it (text of Section 4.3), for all group sizes.

The products are those of the paper, one thread per row, written twice for this (cache.cu); beside them stands
the library's own.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import matrix_set  # noqa: E402
import record  # noqa: E402

PROGRAM = "benchmark_rgcsr_cache"
GALLERY = ["poisson2d5:n=1000", "poisson3d7:n=100", "poisson3d27:n=60", "like-g2", "like-fd18", "powerlaw:n=200000",
           "random:n=200000,k=16", "samg:scale=0.2"]
QUICK = ["poisson2d5:n=50", "like-fd18:scale=0.05", "random:n=5000,k=9"]
BEST = {"single": (18.03, 32.84, 1.81), "double": (14.46, 18.82, 1.3)}  # GFLOP/s around, through, ratio; groups of 128
AVERAGE = {"single": 30.0, "double": 37.0}  # percent gained, "up to" in single precision
PAPER_GROUP = 128
KINDS = {"around": "around", "read_only": "through", "library": "library"}  # times of the program: column


def gflop_s(case, kind):
    time = case["times"].get(kind)
    return 2e-9 * case["entries"] / time["seconds"] if time else None


def put_rates(table, points, row, precision, rates):
    """Rates by kind, and what the cache gains."""
    for kind, label in KINDS.items():
        table.put(row, f"{precision}, {label}", "GFLOP/s", points.column, rates[kind])
    table.put(row, f"{precision}, through / around", "", points.column, rates["read_only"] / rates["around"])


def add_paper(table):
    for group in matrix_set.GROUPS:
        row = best_row(group)
        for precision, figures in BEST.items():
            around, through, ratio = figures if group == PAPER_GROUP else (None,) * 3
            table.add(row, f"{precision}, around", "GFLOP/s", around)
            table.add(row, f"{precision}, through", "GFLOP/s", through)
            table.add(row, f"{precision}, library", "GFLOP/s")
            table.add(row, f"{precision}, through / around", "", ratio)


def best_row(group):
    return f"groups of {group}, best rates"


def fill(table, points, cases):
    """The best rates and the mean gain of every group size, then every matrix with the paper's group size."""
    groups = list(dict.fromkeys(case["group"] for case in cases))
    for group in groups:
        for precision, scalar in matrix_set.PRECISIONS.items():
            here = [case for case in cases if (case["group"], case["precision"]) == (group, scalar) and case["times"]]
            if not here:
                continue
            put_rates(table, points, best_row(group), precision,
                      {kind: max(gflop_s(case, kind) for case in here) for kind in KINDS})
            row, column = f"groups of {group}, gain on average", f"{precision}, through / around"
            table.add(row, column, "%", AVERAGE[precision] if group == PAPER_GROUP else None)
            gain = common.mean(gflop_s(case, "read_only") / gflop_s(case, "around") - 1 for case in here)
            table.put(row, column, "%", points.column, 100 * gain)
    for case in cases:
        if case["group"] == PAPER_GROUP and case["times"]:
            precision = "single" if case["precision"] == "float" else "double"
            put_rates(table, points, pathlib.Path(case["matrix"]).name, precision,
                      {kind: gflop_s(case, kind) for kind in KINDS})


def main():
    parser = common.options(__doc__)
    parser.add_argument("--matrices", type=pathlib.Path, metavar="FOLDER",
                        help="a folder of matrices (default: some of the gallery)")
    arguments = parser.parse_args()
    devices = [device for device in arguments.device.split(",") if not device.startswith("cpu")]
    if not devices:
        print("The read-only cache is one of a GPU (--device gpu), so nothing is measured.\n")
        return
    command, program = common.Command(arguments), common.find_program(arguments, PROGRAM)
    matrices = QUICK if arguments.quick else GALLERY
    if arguments.matrices and not arguments.quick:
        matrices, _ = matrix_set.find_matrices(arguments)
    groups = ",".join(map(str, matrix_set.GROUPS))
    seconds = arguments.min_time if arguments.min_time is not None else 0.002 if arguments.quick else 0.02
    table = record.Table(matrix_set.PAPER, "cache", "Row-grouped CSR: x through the read-only cache and around it "
                         "(GFLOP/s)", arguments)
    add_paper(table)
    for device in devices:
        points = command.machine(device)
        table.measured_by(points)
        state = "cold" if arguments.cold else "hot"
        fill(table, points, common.call_program([program, device, seconds, state, groups, *matrices]))
    table.notes = [f"{len(matrices)} matrices; rows of single ones are for groups of {PAPER_GROUP} rows. The paper's "
                   "figures are the best of 1,598 matrices on a GTX 280, whose memory had no other cache.",
                   "Around: ld.global.cg, which the second-level cache answers; through: ld.global.nc. 'library' is "
                   "our product of the same arrays. All were compared with it before they were timed."]
    table.finish()


common.run_script(main)
