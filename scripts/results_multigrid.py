"""Records of multigrid on the page of results: a table, and pictures of iterations, time and memory against size."""

import pathlib
import sys

from results_text import MATRICES, count_text, matrix_words, provenance, table, time_text

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "papers"))

import svg  # noqa: E402

OURS = ("amg", "cg")  # families that are no peers
DASHES = {"amg": None, "cg": "1 4", "hypre": "9 4", "pyamg": "5 3 1 3"}  # by family
OTHER_DASHES = "3 3"
COLOURS = [*svg.COLOURS, "#7a3b12", "#6b7d00"]
SIZES = ("n", "nx", "ny", "nz")  # parameters of a matrix that make it larger, and not another one
PANEL = (330, 290)  # pixels


def family(contender):
    """Whose it is: 'hypre, defaults' is of hypre."""
    return contender.partition(",")[0]


def total_ms(point):
    return point.get("setup_ms", {"median": 0})["median"] + point["solve_ms"]["median"]


def fastest(record, spec):
    """The points of ours and of a peer with the shortest set-up and solve of a matrix, and how many peers there are."""
    points = [point for point in record["points"] if point["matrix"] == spec and "setup_ms" in point]
    ours = [point for point in points if family(point["contender"]) in OURS]
    peers = [point for point in points if family(point["contender"]) not in OURS]
    return min(ours, key=total_ms), min(peers, key=total_ms), len(peers)


def kind_of(spec):
    """What matrices of several sizes have in common: name and parameters without the size."""
    name, _, rest = spec.partition(":")
    kept = [part for part in rest.split(",") if "=" in part and part.partition("=")[0] not in SIZES]
    return ",".join([name, *kept])


def kind_words(kind):
    name, *parameters = kind.split(",")
    return ", ".join([MATRICES.get(name, name), *(part.replace("=", " ") for part in parameters)])


def kinds_of(points):
    """Points by kind of matrix."""
    kinds = {}
    for point in points:
        kinds.setdefault(kind_of(point["matrix"]), []).append(point)
    return kinds


def drawn_points(points):
    """All of ours; of each peer its defaults and, under a name of its own, at each size the fastest of its settings."""
    peers = {}
    for point in points:
        if family(point["contender"]) not in OURS:
            peers.setdefault(family(point["contender"]), []).append(point)
    tuned = {peer: own for peer, own in peers.items() if len({point["contender"] for point in own}) > 1}
    drawn = [point for point in points if family(point["contender"]) not in tuned or "defaults" in point["contender"]]
    for peer, own in tuned.items():
        for spec in dict.fromkeys(point["matrix"] for point in own):
            best = min((point for point in own if point["matrix"] == spec), key=total_ms)
            drawn.append({**best, "contender": f"{peer}, the fastest of its settings at each size"})
    return drawn


def styles(contenders):
    """Colour, dashes and mark of each: its mark tells it from others without colour, and the dashes say whose it is."""
    shapes = list(svg.SHAPES)
    found = {}
    for number, name in enumerate(contenders):
        dashes = DASHES.get(family(name), OTHER_DASHES)
        found[name] = {"colour": COLOURS[number % len(COLOURS)], "shape": shapes[number % len(shapes)],
                       "dashed": dashes is not None, "dashes": dashes}
    return found


def panels_of(kind, points, style):
    """Iterations, time and memory of one kind of matrix."""
    def quantity(label, value, **more):
        axis = svg.Axis("unknowns", log=True, words=lambda number: count_text(round(number)))
        panel = svg.Panel(kind_words(kind), axis, svg.Axis(label, **more))
        for name, look in style.items():
            chosen = sorted((point["rows"], value(point)) for point in points
                            if point["contender"] == name and value(point) is not None)
            if chosen:
                panel.line(name, *zip(*chosen), **look)
        return panel
    return [quantity("iterations", lambda point: point["iterations"], log=True, low=2),
            quantity("set-up + solve, ms", total_ms, log=True),
            quantity("memory of cycles, bytes per row",
                     lambda point: point["cycle_bytes"] / point["rows"] if "cycle_bytes" in point else None)]


def draw(record):
    """The picture of a record: a row for each kind of matrix that was solved in several sizes. None without any."""
    kinds = {kind: points for kind, points in kinds_of(record["points"]).items()
             if len({point["rows"] for point in points}) > 1}
    if not kinds:
        return None
    drawn = {kind: drawn_points(points) for kind, points in kinds.items()}
    names = {kind: list(dict.fromkeys(point["contender"] for point in points)) for kind, points in drawn.items()}
    style = styles(list(dict.fromkeys(name for each in names.values() for name in each)))
    panels = []
    for kind, points in drawn.items():
        panels += panels_of(kind, points, {name: style[name] for name in names[kind]})
    threads = max(point["threads"] for point in record["points"])
    where = record["device"]["name"] + (f", {threads} threads" if threads else "")
    peers = {family(name) for name in style} - set(OURS)
    notes = ["RESULTS.md has every setting of the peers."] if peers else []
    return svg.figure(f"Multigrid as a preconditioner of CG to 1e-8, {where}", panels, columns=3, size=PANEL,
                      notes=notes)


def picture_name(name):
    return pathlib.PurePath(name).with_suffix(".svg").name


def pictures(records):
    """The SVGs of all records of multigrid, by the names of their files."""
    drawn = {picture_name(name): draw(record) for name, record in records.items()
             if record["schema"] == "millrace.multigrid"}
    return {name: picture for name, picture in drawn.items() if picture}


def row(point, ours):
    """One line of the table; `ours` is the shortest time of our multigrid with this matrix, or None."""
    def milliseconds(what):
        return time_text(point[what]["median"] * 1e3) if what in point else "-"
    name = point["contender"]
    ratio = f"{total_ms(point) / ours:.2f}" if ours else "-"
    complexity = f"{point['operator_complexity']:.2f}" if "operator_complexity" in point else "-"
    kept = f"{point['cycle_bytes'] / point['rows']:.0f}" if "cycle_bytes" in point else "-"
    return [matrix_words({"spec": point["matrix"]}), count_text(point["rows"]),
            f"**{name}**" if family(name) in OURS else name, str(point["threads"] or "-"), str(point["iterations"]),
            milliseconds("setup_ms"), milliseconds("update_ms"), milliseconds("solve_ms"),
            time_text(total_ms(point) * 1e3), ratio, complexity, kept]


def section(name, record):
    points = record["points"]
    shortest = {}
    for point in points:
        if family(point["contender"]) == "amg":
            shortest[point["matrix"]] = min(total_ms(point), shortest.get(point["matrix"], total_ms(point)))
    words = ("CG to a relative residual of 1e-8, b random; times are medians. The ratio is to the shortest time of our "
             "multigrid, complexity the entries of all levels over those of the finest, and bytes are kept for cycles, "
             "a row.")
    if record.get("peers"):
        words += " Peers: " + ", ".join(f"{peer} {version}" for peer, version in record["peers"].items()) + "."
    parts = [provenance(name, record), words]
    if draw(record):
        parts.append(f"![Iterations, time and memory of multigrid against size](records/{picture_name(name)})")
    head = ["matrix", "unknowns", "preconditioner", "threads", "iterations", "set-up", "new values", "solve",
            "set-up + solve", "ratio", "complexity", "bytes a row"]
    return [*parts, table(head, [row(point, shortest.get(point["matrix"])) for point in points])]


GROUPS = {"kershaw": "Order 7 on Kershaw's mesh", "large": "The same with more unknowns",
          "orders": "Orders 2 to 8 on Kershaw's mesh", "tets": "Hexes and tets, uniform (epsilon 1) and Kershaw's"}


def bake_off(name, record):
    """Bake-off problems by p-multigrid."""
    parts = [provenance(name, record),
             "CG to a relative residual of 1e-8, b random; p-multigrid in float. Times of a solve are medians; rates "
             "are 10^9 unknowns times iterations per second."]
    head = ["problem", "element", "p", "epsilon", "unknowns", "factors", "orders of levels", "smoothed by",
            "iterations", "solve", "rate", "operator", "`millrace bp`"]
    for group, words in GROUPS.items():
        rows = [[f"BP{point['problem']}", point["element"], str(point["order"]), f"{point['epsilon']:g}",
                 count_text(point["dofs"]), point["factors"], ", ".join(map(str, point["orders"])),
                 point["smoothed_by"], str(point["iterations"]), time_text(point["solve_ms"]["median"] * 1e3),
                 f"{point['gdof_s']:.2f}", time_text(point["operator_us"]), f"`{point['arguments']}`"]
                for point in record["points"] if point["group"] == group]
        if rows:
            parts += [f"{words}:", table(head, rows)]
    return parts
