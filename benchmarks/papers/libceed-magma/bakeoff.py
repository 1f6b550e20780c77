"""What the figures of the paper on batched GEMM for elements share: rates of the bake-off problems from the program
benchmark_bp, charts of them against unknowns, and their options."""

import json
import pathlib
import subprocess
import tempfile

import common
import svg

PAPER = "libceed-magma"
MERIT = "10^9 unknowns x iterations / s"


def options(description, orders, dofs, budget):
    parser = common.options(description)
    parser.add_argument("--orders", metavar="P,...", default=orders, help=f"of the elements (default: {orders})")
    parser.add_argument("--dofs", metavar="N,...", default=dofs, help=f"about so many unknowns (default: {dofs})")
    parser.add_argument("--budget", type=float, metavar="S", default=budget,
                        help=f"seconds after which no new mesh is begun, on each device (default: {budget})")
    return parser


class Measured:
    """A record of a program: its run, as tables of papers have it, and its points."""

    def __init__(self, record):
        self.column = common.column_of(record)
        self.run = {"column": self.column, "machine": record["machine"], "device": record["device"],
                    "build": record["build"], "bandwidth": record["bandwidth"]}
        self.points = record["points"]
        self.on_gpu = record["device"]["kind"] == "gpu"


def call_for_record(words):
    """Runs a program that writes a record to the file named OUT in its words."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "record.json"
        words = [str(file if word == "OUT" else word) for word in words]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise common.Refused(f"{' '.join(words)[:300]} ended with code {done.returncode}: "
                                 f"{done.stderr.strip()[-600:]}")
        return Measured(json.loads(file.read_text(encoding="utf-8")))


def measure(arguments, device, element, problems, ways):
    """All orders, sizes, problems and ways, smallest first; `ways` are those of a GPU, a CPU has one."""
    orders, dofs, budget = arguments.orders, arguments.dofs, arguments.budget
    if arguments.quick:
        orders, dofs, budget = "1,2", "300,1000", 20
    ways = "host" if device.startswith("cpu") else ",".join(ways)
    return call_for_record([common.find_program(arguments, "benchmark_bp"), "OUT", device, dofs, orders,
                            ",".join(map(str, problems)), element, ways, budget])


def small_point(point, column):
    """What a record of a figure keeps of a point."""
    kept = ("problem", "element", "order", "contender", "dofs")
    rates = {name: common.rounded(point[name]) for name in ("operator_gdof_s", "cg_gdof_s")}
    return {**{name: point[name] for name in kept}, **rates, "device": column}


def series(points, problem, order, contender, rate):
    """Unknowns and rates of one curve."""
    here = sorted((point["dofs"], point[rate]) for point in points
                  if (point["problem"], point["order"], point["contender"]) == (problem, order, contender))
    return [dofs for dofs, _ in here], [value for _, value in here]


def values_of(points, name):
    """In the order in which they came."""
    return list(dict.fromkeys(point[name] for point in points))


def chart(title, points, problem, rate, label):
    """Rates against unknowns: a colour an order, the last contender in full lines, others dashed."""
    panel = svg.Panel(title, svg.Axis("unknowns", log=True), svg.Axis(label, log=True))
    contenders = values_of(points, "contender")
    for contender in contenders:
        for number, order in enumerate(sorted(values_of(points, "order"))):
            xs, ys = series(points, problem, order, contender, rate)
            if xs:
                name = f"order {order}, {contender}" if len(contenders) > 1 else f"order {order}"
                panel.line(name, xs, ys, colour=svg.COLOURS[number % len(svg.COLOURS)],
                           dashed=contender != contenders[-1], marks=True)
    return panel


def ratio_chart(title, points, problem, above, below):
    """How many times faster CG is with one contender than with another."""
    panel = svg.Panel(title, svg.Axis("unknowns", log=True), svg.Axis("ratio"))
    for number, order in enumerate(sorted(values_of(points, "order"))):
        xs, ys = series(points, problem, order, above, "cg_gdof_s")
        others = dict(zip(*series(points, problem, order, below, "cg_gdof_s")))
        pairs = [(x, y / others[x]) for x, y in zip(xs, ys) if x in others]
        if pairs:
            panel.line(f"order {order}", *zip(*pairs), colour=svg.COLOURS[number % len(svg.COLOURS)], marks=True)
    return panel


def at_largest(points, problem, order, contender, rate="cg_gdof_s"):
    """The rate at the most unknowns; None when it was not measured."""
    _, ys = series(points, problem, order, contender, rate)
    return ys[-1] if ys else None


def put_rates(table, measured, problems, ratios):
    """One row per order, one column per contender: CG at the most unknowns; and ratios of contenders where
    both are there.
    `ratios`: (above, below): (column, what the paper says of an order and a problem)."""
    for problem in problems:
        for order in sorted(values_of(measured.points, "order")):
            row = f"BP{problem}, order {order}"
            rates = {contender: at_largest(measured.points, problem, order, contender)
                     for contender in values_of(measured.points, "contender")}
            for contender, rate in rates.items():
                if rate is not None:
                    table.put(row, f"CG, {contender}", "GDOF/s", measured.column, rate)
            for (above, below), (column, paper) in ratios.items():
                if rates.get(above) and rates.get(below):
                    table.add(row, column, "", paper(problem, order))
                    table.put(row, column, "", measured.column, rates[above] / rates[below])
