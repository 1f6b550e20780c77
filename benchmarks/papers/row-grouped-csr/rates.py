"""What Tables 3 to 5 share: minimum, maximum and average of rates and speed-ups over a set of matrices."""

import common
import matrix_set

COLUMNS = [(part, precision) for part in matrix_set.SETS for precision in matrix_set.PRECISIONS]


def column_name(part, precision):
    return f"{part}, {precision}"


def baseline(sets, own):
    """For a GPU CSR on the CPU, as in the paper, when that was measured too; otherwise CSR on the same device."""
    return next((found for found in sets if not found.on_gpu), own) if own.on_gpu else own


def ratios(members, others, precision, contender, other):
    """Rates of a contender over those of another, for matrices that both took; `others` are of the other's device."""
    by_name = {member.name: member for member in others}
    pairs = [(member.gflop_s(precision, contender), by_name[member.name].gflop_s(precision, other))
             for member in members if member.name in by_name]
    return [a / b for a, b in pairs if a and b]


def spread_out(values):
    return {"min.": min(values, default=None), "max.": max(values, default=None), "average": common.mean(values)}


def fill(table, prefix, paper, sets, contenders, fastest):
    """Rows 'NAME min.', 'NAME max.', 'NAME average' of each contender, and those of the speed-up of `fastest`."""
    for row, figures in paper.items():
        unit = "" if "Speed-up" in row else "GFLOP/s"
        for (part, precision), figure in zip(COLUMNS, figures):
            table.add(prefix + row, column_name(part, precision), unit, figure)
    for found in sets:
        if found.run not in table.runs:
            table.runs.append(found.run)
        base = baseline(sets, found)
        for part, precision in COLUMNS:
            members, scalar = found.part(part), matrix_set.PRECISIONS[precision]
            lines = [(label, [m.gflop_s(scalar, contender) for m in members if m.gflop_s(scalar, contender)])
                     for label, contender in contenders]
            lines.append(("Speed-up", ratios(members, base.part(part), scalar, fastest, "csr")))
            for label, values in lines:
                for kind, value in spread_out(values).items():
                    table.put(f"{prefix}{label} {kind}", column_name(part, precision),
                              "" if label == "Speed-up" else "GFLOP/s", found.column, value)


def notes(sets):
    found = [*sets[0].record["notes"],
             "The paper's CSR ran on a Core 2 Quad and its Hybrid and RgCSR on a GTX 280; the speed-up is that of the "
             "GPU over the CPU."]
    for one in sets:
        base = baseline(sets, one)
        found.append(f"{one.column}: speed-up over CSR on {base.column}; a refused matrix is in no average.")
    return found
