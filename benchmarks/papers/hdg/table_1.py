#!/usr/bin/env python3
"""HDG dense blocks, Table 1: nonzeros and memory of CSR and of the dense block format for p = 1 to 5.

The mesh is the triangulated ring of 95 x 41 quadrilaterals (gallery: hdg-omesh); it has the paper's 11,780 faces.
"""

import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import algorithm  # noqa: E402
import common  # noqa: E402
import record  # noqa: E402

FACES, NEIGHBOURS = 11780, 5
PAPER = {  # p: unknowns per face, unknowns, values of CSR and DBF, their ratio, MB of CSR and DBF, their ratio
    1: (8, 94240, 3743188, 3769600, 1.0071, 44.63, 33.29, 0.75),
    2: (12, 141360, 8423010, 8481600, 1.0070, 99.09, 71.40, 0.72),
    3: (16, 188480, 14975728, 15078400, 1.0069, 174.98, 123.89, 0.71),
    4: (20, 235600, 23395950, 23560000, 1.0070, 272.24, 190.75, 0.70),
    5: (24, 282720, 33696648, 33926400, 1.0068, 391.02, 272.00, 0.70),
}
COLUMNS = {"np nc": True, "np nc nf": True, "CSR values": False, "DBF values": True, "DBF/CSR": False,
           "CSR MiB": False, "DBF MiB": True, "memory ratio": False}  # must it be the paper's to the digit?
MIB = 2.0 ** 20


def csr_mib(rows, entries):
    """Values, columns, row offsets, x and y."""
    return (12 * entries + 4 * (rows + 1) + 16 * rows) / MIB


def dbf_mib(m):
    """Values, y, the inflated x and the table of neighbours; cut after two decimals, as the paper's are."""
    r, q = FACES, m * NEIGHBOURS
    return math.floor(100 * (8 * (m * r + m * r * q + q * r) + 4 * NEIGHBOURS * r) / MIB) / 100


def main():
    parser = common.options(__doc__)
    algorithm.add_real(parser)
    arguments = parser.parse_args()
    command = common.Command(arguments)
    degrees = [1] if arguments.quick else list(PAPER)
    table = record.Table("hdg", "table 1", "HDG matrices on a mesh of 11,780 faces", arguments)
    table.decimals = {"DBF/CSR": 4, "CSR MiB": 2, "DBF MiB": 2, "memory ratio": 2}
    for p in degrees:
        for (column, exact), figure in zip(COLUMNS.items(), PAPER[p]):
            table.add(f"p = {p}", column, "MiB" if "MiB" in column else "", figure, exact)
    specs = algorithm.omesh_matrices(command, arguments, degrees)
    min_time = arguments.min_time if arguments.min_time is not None else 0.01 if arguments.quick else 0.5
    for number, device in enumerate(command.devices):
        points = command.bench(specs.values(), ["csr", "dbf"], device, min_time=min_time,
                               cold=algorithm.is_cold(device))
        table.measured_by(points)
        for p, spec in specs.items():
            dbf = points.get(spec, "double", "dbf")
            if dbf is None:
                raise common.Refused(f"{spec}: the command refused to store it as dbf")
            rows, entries = dbf["matrix"]["rows"], dbf["matrix"]["entries"]
            values, m = entries + dbf["artificial_zeros"], rows // FACES
            csr, blocks = csr_mib(rows, entries), dbf_mib(m)
            figures = (m, rows, entries, values, values / entries, csr, blocks, blocks / csr)
            for column, figure in zip(COLUMNS, figures):
                if number == 0:
                    table.put(f"p = {p}", column, "", "ours", figure)
            table.put(f"p = {p}", "GFLOP/s, CSR", "GFLOP/s", points.column, points.gflop_s(spec, "double", "csr"))
            table.put(f"p = {p}", "GFLOP/s, DBF", "GFLOP/s", points.column, dbf["gflop_s"])
            table.put(f"p = {p}", "stored, DBF", "MiB", "ours", dbf["format_bytes"] / MIB)
    if arguments.real:
        table.title += ", of a flow"
    table.notes = ["The paper's MB are MiB: 8 (m r + m r q + q r) + 4 na r bytes for DBF, 12 bytes a value + "
                   "4 (n + 1) + 16 n for CSR; both hold x and y, and DBF the inflated x. Those of DBF are cut "
                   "after two decimals, not rounded.",
                   "The paper's CSR leaves out a few entries that vanish; on this mesh every block is full, so the "
                   "ratio is 1.0065 instead of 1.0068 to 1.0071.",
                   "'stored' is what our format holds: its arrays alone, without x, y and the inflated x, which it "
                   "does not need. GFLOP/s count the entries of CSR for both."]
    table.finish()


common.run_script(main)
