#!/usr/bin/env python3
"""Writes benchmarks/RESULTS.md, the table and picture of the README, and pictures of multigrid from benchmarks/records.

usage: make_results.py [--check]    with --check nothing is written; the exit code is 1 where a file is out of date
"""

import argparse
import json
import math
import pathlib
import re
import sys

import print_records
import results_multigrid
import results_picture
import results_threads
from results_solves import multigrid_solves, solves
from results_text import (commit_words, count_text, in_words, machine_words, matrix_words, provenance, rate_text,
                          ratio_text, table, time_text)

ROOT = pathlib.Path(__file__).resolve().parents[1]
RECORDS = ROOT / "benchmarks" / "records"
BEGIN, END = "<!-- make_results.py: begin -->", "<!-- make_results.py: end -->"

PROBLEMS = {1: "BP1, mass", 2: "BP2, mass, 3 components", 3: "BP3, diffusion", 4: "BP4, diffusion, 3 components",
            5: "BP5, diffusion, points on the nodes", 6: "BP6, as BP5, 3 components"}
PAPERS = {"row-grouped-csr": "Oberhuber, Suzuki, Vacata 2010", "pjds": "Kreutzer et al. 2012",
          "hdg": "Roca, Nguyen, Peraire 2011", "libceed-magma": "Beams et al. 2020"}

INTRODUCTION = """# Results

Written by `scripts/make_results.py` from the [records](records); a test compares. Change a record, not this page.

Every table names its record, the machine and the commit that was measured. Times are medians. How they were taken is
in [docs/benchmarking.md](../docs/benchmarking.md); the columns of products are:

- **read**: the share of the read bandwidth measured in the same run, by the bytes that the format must move;
- **gather**: the share of the speed of a kernel that only fetches `x` and adds up, where it was measured;
- **peer / ours**: the time of the best peer over the time of our best format, so more than 1 is in our favour;
- **repeatable**: the same for the best of those peers that promise the same bits in every run. All of ours do, except
  for element operators that are called atomic.

**Cold** means that the caches were emptied before every product, **hot** that products follow each other, **graph**
that 20 products are replayed from one CUDA graph."""


def read_records(folder=RECORDS):
    """The records by file name, without the receipt of the tests."""
    records = {}
    for path in sorted(folder.glob("*.json"), key=lambda path: path.stem):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.get("schema") != "millrace.gpu-tests":
            records[path.name] = record
    return records


def product_row(key, points):
    """One line of a table of products: our best and the best peers of one matrix."""
    own, peer = print_records.best(points, "own"), print_records.best(points, "peer")
    repeatable = print_records.best(points, "peer", repeatable=True)
    _, precision, num_vectors, _, _, state = key
    words = matrix_words(own["matrix"]) + ("" if precision == "double" else f", {precision}")
    words += "" if num_vectors == 1 else f", {num_vectors} vectors"
    gather = f"{own['percent_of_gather']:.0f} %" if "percent_of_gather" in own else "-"
    return [words, state, count_text(own["matrix"]["entries"]), f"`{own['contender']}`", time_text(own["median_us"]),
            f"{own['percent_of_read']:.0f} %", gather, in_words(peer["contender"]) if peer else "-",
            time_text(peer["median_us"]) if peer else "-", ratio_text(peer, own), ratio_text(repeatable, own)]


def groups_with_own(record):
    groups = print_records.groups_of(record)
    return {key: points for key, points in groups.items() if print_records.best(points, "own")}


def mean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def mean_ratio(groups, state, repeatable):
    """Best peer over our best, over the matrices of a state that have such a peer: the mean and how many."""
    ratios = []
    for key, points in groups.items():
        peer = print_records.best(points, "peer", repeatable=repeatable)
        if key[5] == state and peer:
            ratios.append(peer["median_us"] / print_records.best(points, "own")["median_us"])
    return (mean(ratios), len(ratios)) if ratios else (None, 0)


def products(name, record):
    groups = groups_with_own(record)
    parts = [provenance(name, record)]
    states = list(dict.fromkeys(key[5] for key in groups))
    if len({key[0] for key in groups}) > 12:  # a set of matrices: what it is on average
        rows = []
        for state in states:
            best, number = mean_ratio(groups, state, False)
            repeatable, _ = mean_ratio(groups, state, True)
            if number:
                rows.append([state, str(number), f"{best:.2f}", f"{repeatable:.2f}" if repeatable else "-"])
        parts += ["Geometric means over the set:", table(["state", "matrices", "peer / ours", "repeatable"], rows)]
    head = ["matrix", "state", "entries", "best of ours", "time", "read", "gather", "best peer", "its time",
            "peer / ours", "repeatable"]
    rows = [product_row(key, points) for key, points in groups.items()]
    kept = [i for i in range(len(head)) if head[i] != "gather" or any(row[i] != "-" for row in rows)]
    return [*parts, table([head[i] for i in kept], [[row[i] for i in kept] for row in rows])]


def solvers(name, record):
    rows = []
    for spec in dict.fromkeys(point["spec"] for point in record["points"]):
        points = [point for point in record["points"] if point["spec"] == spec]
        ours = min((point["median_us"] for point in points if point["kind"] == "own"), default=None)
        for point in points:
            words = in_words(point["contender"])
            words = {"own": f"**{words}**", "model": f"{words} (a bound, not a solver)"}.get(point["kind"], words)
            rows.append([matrix_words(point), count_text(point["rows"]), words,
                         str(point["iterations"]) if point["iterations"] else "-", time_text(point["median_us"]),
                         f"{point['median_us'] / ours:.2f}" if ours else "-"])
    head = ["system", "unknowns", "solver", "iterations", "one iteration", "over the fastest of ours"]
    return [provenance(name, record), table(head, rows)]


def by_order(points, field):
    return {point["order"]: point[field] for point in points}


def element_operators(name, record):
    """10^9 unknowns per second, by polynomial order: the operator alone, and iterations of CG."""
    points = record["points"]
    orders = sorted({point["order"] for point in points})
    parts = [provenance(name, record)]
    for field, words in (("operator_gdof_s", "operator, 10^9 unknowns per second"),
                         ("cg_gdof_s", "CG, 10^9 unknowns times iterations per second")):
        rows = []
        for problem in sorted({point["problem"] for point in points}):
            mine = [point for point in points if point["problem"] == problem]
            label = PROBLEMS[problem]
            for contender in dict.fromkeys(point["contender"] for point in mine):
                figures = by_order([point for point in mine if point["contender"] == contender], field)
                cells = [rate_text(figures[order]) if order in figures else "-" for order in orders]
                rows.append([label, contender, *cells])
                label = ""
        parts.append(table([words, "p =", *map(str, orders)], rows))
    dofs = {order: next(point["dofs"] for point in points if point["order"] == order) for order in orders}
    elements = {"hex": "hexahedra", "tet": "tetrahedra"}.get(points[0]["element"], points[0]["element"])
    parts.append(f"On {elements}; unknowns by order: " + ", ".join(count_text(dofs[order]) for order in orders) + "."
                 + libceed_words(points))
    return parts


def libceed_words(points):
    """How our operators stand to libCEED's of the same run: the smallest and the largest ratio."""
    peers = {(point["problem"], point["order"]): point for point in points if point["contender"].startswith("libCEED")}
    words = []
    for contender in dict.fromkeys(point["contender"] for point in points if point["contender"].startswith("fused")):
        ratios = [point["operator_gdof_s"] / peers[point["problem"], point["order"]]["operator_gdof_s"]
                  for point in points
                  if point["contender"] == contender and (point["problem"], point["order"]) in peers]
        if ratios:
            words.append(f"{contender}: {min(ratios):.1f} to {max(ratios):.1f}")
    return f" Speed of our operators over libCEED's: {'; '.join(words)}." if words else ""


def files(name, record):
    rows = [[point["contender"], f"{point['file_bytes'] * 1e-6:.0f} MB", time_text(point["median_ms"] * 1e3),
             f"{point['mb_s']:.4g}"] for point in record["points"]]
    return [provenance(name, record), table(["task", "file", "time", "MB/s"], rows)]


def dense(name, record):
    """Our rate and Eigen's time over ours, by size and task."""
    tasks = {"factorise": "LU factors", "solve": "solve, n right-hand sides", "product": "product"}
    points = {(point["n"], point["task"], point["contender"]): point for point in record["points"]}
    rows = []
    for n in sorted({point["n"] for point in record["points"]}):
        row = [str(n)]
        for task in tasks:
            own, eigen = points[n, task, "own"], points[n, task, "eigen"]
            row += [rate_text(own["gflop_s"]), ratio_text(eigen, own)]
        rows.append(row)
    head = ["n", *(words for task in tasks.values() for words in (f"{task}, GFLOP/s", "Eigen / ours"))]
    return [provenance(name, record), table(head, rows)]


def on_ranks(name, record):
    """By matrix and task: a line per contender, a column per number of ranks and threads."""
    workers = sorted({(point["ranks"], point["threads"]) for point in record["points"]})
    rows = {}
    for point in record["points"]:
        row = rows.setdefault((point["matrix"], point["task"], point["contender"]), {})
        row[point["ranks"], point["threads"]] = (f"{point['median_us']:.1f}" if point["median_us"] < 1e5 else
                                                 f"{point['median_us'] / 1e3:.0f} ms")
    head = ["matrix", "task", "contender", *(f"{ranks} x {threads}" for ranks, threads in workers)]
    return [provenance(name, record), "Microseconds, by ranks x threads of each.",
            table(head, [[*key, *(row.get(each, "") for each in workers)] for key, row in rows.items()])]


def overlaps(name, record):
    """What the exchange takes, what the product takes, and what the modes hide of the former."""
    rows = []
    for point in record["points"]:
        times = {each["what"]: each["median_us"] for each in point["times"]}
        link = f"{point['link_mbit_s']:.0f} Mbit/s" if point["link_mbit_s"] else "shared memory"
        rows.append([point["matrix"], link, *(f"{times[what]:.0f}" for what in ("exchange", "local", "compute")),
                     *(f"{times[mode]:.0f}, {100 * point['hidden'][mode]:.0f} %" for mode in point["hidden"])])
    words = ("Microseconds of two ranks of one thread: the exchange of the halo alone, the product with a rank's own "
             "columns, that with the halo's added, and each mode with the share of the exchange that it hides.")
    return [provenance(name, record), words,
            table(["matrix", "link", "exchange", "local", "compute", "vector", "overlap", "task"], rows)]


def flows(name, record):
    """Drag and lift by orders."""
    rows = []
    for entry in record["orders"]:
        found = entry.get("coefficients")
        iterations = [step["iterations"] for step in record["history"] if step["order"] == entry["order"]]
        rows.append([str(entry["order"]), count_text(entry["unknowns"]), str(entry["steps"]),
                     str(max(iterations, default=0)), f"{entry['residual']:.1e}", f"{entry['seconds']:.1f}",
                     f"{found['drag']:.7f}" if found else "", f"{found['lift']:.7f}" if found else ""])
    words = (f"{record['title']}. {record['mesh']}, {record['threads']} threads, "
             f"{sum(entry['steps'] for entry in record['orders'])} Newton steps, {record['seconds']:.0f} s.")
    return [provenance(name, record), words,
            table(["order", "unknowns", "Newton steps", "most GMRES iterations", "residual", "seconds", "Cd", "Cl"],
                  rows)]


def orders(name, record):
    """Of the finest pair of meshes, a line per case and geometry: straight, or as curved as fits the order."""
    names = ["u", "q", "u*", "stress", "heat"]
    finest = [line for line in record["lines"] if line["wanted"]]
    rows = []
    for line in finest:
        figures = [f"{line['found'][key]:.2f} ({line['wanted'][key]:.1f})" if key in line["found"] else "-"
                   for key in names]
        rows.append([line["case"], str(line["order"]), str(line["geometry"]), line["meshes"], *figures])
    words = ("Orders of L2 errors on the finest pair of meshes, in brackets what is wanted."
             + ("" if record["passed"] else " Not all are reached."))
    source = f"*[{name}](records/{name}); commit `{record['commit'][:10]}`, {record['created'][:10]}.*"
    return [source, words, table(["case", "order", "geometry", "cells", *names], rows)]


def rank_memory(name, record):
    """Peaks of a rank beside their bounds."""
    rows = [[run["name"], f"`{run['format']}`", f"{run['peak_bytes'] / 1e6:.0f} MB",
             f"{run['peak_bytes'] / run['share_bytes']:.2f}",
             f"{run['bound_bytes'] / 1e6:.0f} MB" if "bound_bytes" in run else "-"] for run in record["runs"]]
    words = (f"`{record['matrix']}` made and solved by CG on {record['ranks']} ranks: the most that any rank had at "
             "any time. A share is the matrix in CSR, divided by the ranks.")
    return [provenance(name, record), words, table(["run", "format", "peak", "in shares", "bound"], rows)]


def papers(records):
    rows = []
    for name, record in records.items():
        machines = "; ".join(f"{run['column']}: {machine_words(run)}, {commit_words(run['build'])}"
                             for run in record["runs"]) or "counts alone"
        rows.append([PAPERS.get(record["paper"], record["paper"]), f"[{record['subject']}](records/{name})",
                     record["title"], machines, record["created"][:10]])
    text = ("Tables and figures of four papers with the paper's figures beside ours: each cell is in the record, "
            "pictures lie beside it. [papers/README.md](papers/README.md) says what differs and why.")
    return [text, table(["paper", "record", "title", "machine and commit", "date"], rows)]


SECTIONS = [("millrace.bench", "Products", products), ("millrace.solvers", "Iterations of solvers", solvers),
            ("millrace.bp-orders", "Element operators", element_operators), ("millrace.io", "Files", files),
            ("millrace.solves", "Real systems", solves),
            ("millrace.multigrid", "Multigrid against size", results_multigrid.section),
            ("millrace.bp-multigrid", "Bake-off problems by p-multigrid", results_multigrid.bake_off),
            ("millrace.multigrid-solves", "Systems by multigrid", multigrid_solves),
            ("millrace.dense", "Small dense matrices, one thread", dense),
            ("millrace.threads", "Regions of host threads", results_threads.regions),
            ("millrace.thread-rows", "Host threads, alone and on a busy machine", results_threads.rows),
            ("millrace.ranks", "Matrices on ranks", on_ranks),
            ("millrace.overlap", "What modes hide of an exchange", overlaps),
            ("millrace.rank-memory", "Memory of a rank", rank_memory),
            ("millrace.flow", "Flow by hybridizable DG", flows),
            ("millrace.orders", "Orders of convergence", orders)]


def title_of(name):
    """h200-huge-row.json: 'H200: huge row'."""
    stem = pathlib.PurePath(name).stem.removeprefix("multigrid-").removeprefix("solves-")
    stem = re.sub(r"-(\d+)-cores", r", \1 cores:", stem, count=1)
    for prefix, machine in (("h200", "H200"), ("intel-xeon", "Intel Xeon"), ("neoverse-v1", "Neoverse-V1")):
        if stem.startswith(prefix):
            cores, _, subject = stem.removeprefix(prefix).rpartition(":")
            subject = subject.lstrip("-").replace("-", " ")
            return f"{machine}{cores}: {subject}" if subject else machine + cores
    return stem


def results_page(records):
    parts = [INTRODUCTION]
    for schema, heading, write in SECTIONS:
        chosen = {name: record for name, record in records.items() if record["schema"] == schema}
        if chosen:
            parts.append(f"## {heading}")
        for name, record in chosen.items():
            parts += [f"### {title_of(name)}", *write(name, record)]
    chosen = {name: record for name, record in records.items() if record["schema"] == "millrace.papers"}
    if chosen:
        parts += ["## Papers", *papers(chosen)]
    shown = {"millrace.papers", *(schema for schema, _, _ in SECTIONS)}
    rest = [[f"[{name}](records/{name})", f"`{record['schema']}`", commit_words(record.get("build", {})),
             record["created"][:10]] for name, record in records.items() if record["schema"] not in shown]
    if rest:
        parts += ["## Other records", table(["record", "schema", "commit", "date"], rest)]
    return "\n\n".join(parts) + "\n"


def find_product(records, name, spec):
    """Our best and the best peer of one matrix in double, one vector."""
    for key, points in groups_with_own(records[name]).items():
        if key[:3] == (spec, "double", 1):
            return print_records.best(points, "own"), print_records.best(points, "peer")
    raise KeyError(f"{name} has no points of {spec} in double")


def find_operator(records, name, problem, order):
    points = [point for point in records[name]["points"] if point["problem"] == problem and point["order"] == order]
    own = next(point for point in points if point["contender"] == "fused, deterministic")
    return own, next(point for point in points if point["contender"].startswith("libCEED"))


def readme_rows(records):
    """Rows: (what, ours, its time, peer, its time, record)."""
    rows = []
    for what, name, spec in (("stencil, 3D 7-point, 160^3", "h200-stencils.json", "poisson3d7:n=160"),
                             ("HDG-like, dense blocks of 24 x 24", "h200-blocks.json", "hdg:m=24,faces=60000"),
                             ("power law, 15 M entries", "h200-powerlaw.json", "powerlaw:n=1000000")):
        own, peer = find_product(records, name, spec)
        rows.append((f"y = A x: {what}", f"`{own['contender']}`", own["median_us"], in_words(peer["contender"]),
                     peer["median_us"], name))
    points = [point for point in records["h200-solvers.json"]["points"] if point["case"] == "3D 7-point"]
    own, peer = (next(point for point in points if point["kind"] == kind) for kind in ("own", "peer"))
    rows.append(("one iteration of CG, the same stencil", own["contender"].replace("cg, ", "`cg`, "),
                 own["median_us"], in_words(peer["contender"]), peer["median_us"], "h200-solvers.json"))
    name = "h200-multigrid.json"
    own, peer, num_peers = results_multigrid.fastest(records[name], "laplace3d7:256")
    rows.append(("CG with multigrid to 1e-8, 3D 7-point, 256^3: set-up and solve", f"`{own['contender']}`",
                 results_multigrid.total_ms(own) * 1e3,
                 f"{results_multigrid.family(peer['contender'])}, fastest of {num_peers} settings",
                 results_multigrid.total_ms(peer) * 1e3, name))
    for what, name, order in (("hexahedra", "h200-bp.json", 4), ("tetrahedra", "h200-bp-tets-libceed.json", 3)):
        own, peer = find_operator(records, name, 3, order)
        rows.append((f"BP3 (diffusion), {what}, p = {order}, {count_text(own['dofs'])} unknowns", "fused kernel",
                     own["operator_us"], "libCEED, generated kernel", peer["operator_us"], name))
    return rows


def readme_table(records):
    head = ["H200, double", "Millrace", "time", "best peer", "time", "peer / ours"]
    rows = [[what, own, time_text(us), peer, time_text(peer_us), f"[{peer_us / us:.2f}](benchmarks/records/{name})"]
            for what, own, us, peer, peer_us, name in readme_rows(records)]
    return table(head, rows)


def with_section(text, section):
    """A page with what stands between the two marks replaced."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README needs the lines '{BEGIN}' and '{END}'")
    return f"{before}{BEGIN}\n{section}\n{END}{after}"


def outputs(records):
    readme = ROOT / "README.md"
    return {ROOT / "benchmarks" / "RESULTS.md": results_page(records),
            readme: with_section(readme.read_text(encoding="utf-8"), readme_table(records)),
            ROOT / "docs" / "results.svg": results_picture.draw(records),
            **{RECORDS / name: picture for name, picture in results_multigrid.pictures(records).items()}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when a file does not follow the records")
    arguments = parser.parse_args()
    stale = [(path, text) for path, text in outputs(read_records()).items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path, text in stale:
        name = path.relative_to(ROOT).as_posix()
        if arguments.check:
            print(f"{name} does not follow from benchmarks/records; run scripts/make_results.py")
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    return 1 if arguments.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
