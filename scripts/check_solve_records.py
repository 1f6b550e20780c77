"""What the records of solved systems must hold beside their schemas."""

import math
import statistics

import real_multigrid
import real_solves


def check_elasticity(record):
    """Iterations grow by no more than half from the smallest mesh to the largest, and residuals reach 1e-8."""
    points = sorted(record["points"], key=lambda point: point["unknowns"])
    problems = [f"{point['cells']} cells: the residual is {point['residual']}, more than 1e-8"
                for point in points if point["residual"] > 1e-8]
    if points and points[-1]["iterations"] > 1.5 * points[0]["iterations"]:
        problems.append(f"iterations grow from {points[0]['iterations']} to {points[-1]['iterations']}")
    return problems


def check_multigrid(record):
    """Medians are those of the samples, residuals reach 1e-8; of a matrix everybody has the same rows and entries.

    Peers that are no part of a build (amg, cg and hypre may be) have their version in the record.
    """
    problems, sizes = [], {}
    peers = {point["contender"].partition(",")[0] for point in record["points"]} - {"amg", "cg", "hypre"}
    problems += [f"{peer} was measured, but peers has no version of it"
                 for peer in sorted(peers - set(record.get("peers", {})))]
    for point in record["points"]:
        name = f"{point['matrix']}, {point['contender']}"
        problems += [f"{name}: the median of {what} is not that of its samples"
                     for what in ("setup_ms", "update_ms", "solve_ms")
                     if what in point and not math.isclose(point[what]["median"],
                                                           statistics.median(point[what]["samples"]), rel_tol=1e-9)]
        if point["residual"] > 1e-8:
            problems.append(f"{name}: the residual is {point['residual']}, more than 1e-8")
        size = sizes.setdefault(point["matrix"], (point["rows"], point["entries"]))
        if size != (point["rows"], point["entries"]):
            problems.append(f"{name}: another size than that of the other contenders")
    return problems


def check_bp_multigrid(record):
    """Residuals reach 1e-8, and medians and rates follow from samples, unknowns and iterations."""
    problems = []
    for point in record["points"]:
        name, solve = point["arguments"], point["solve_ms"]
        if point["residual"] > 1e-8:
            problems.append(f"{name}: the residual is {point['residual']}, more than 1e-8")
        problems += [f"{name}: the median of {what} is not that of its samples" for what in ("solve_ms", "setup_ms")
                     if not math.isclose(point[what]["median"], statistics.median(point[what]["samples"]),
                                         rel_tol=1e-9)]
        if not math.isclose(point["gdof_s"], point["dofs"] * point["iterations"] / solve["median"] / 1e6,
                            rel_tol=1e-9):
            problems.append(f"{name}: gdof_s is not unknowns times iterations over the time")
    return problems


def check_multigrid_solves(record):
    """Counts follow from the list, solved has the residual; ours solves what hypre's does, auto what it did before."""
    problems = []
    for line in record["matrices"]:
        for name, run in line["runs"].items():
            if run["solved"] and (run.get("relative") is None or run["relative"] > 1.011 * record["tolerance"]):
                problems.append(f"{line['name']}: {name} counts as solved with a residual of {run.get('relative')}")
    summary = real_multigrid.summary_of(record["matrices"])
    problems += [f"summary.{name} is {record['summary'].get(name)}, but {value} follows from the list"
                 for name, value in summary.items() if record["summary"].get(name) != value]
    if summary["solved"]["amg"] < summary["solved"]["boomeramg"]:
        problems.append("boomeramg solves more matrices than amg")
    problems += [f"auto: {name} was solved before, and is not now" for name in summary.get("auto_lost", [])]
    problems += [f"auto: {name} takes more than 1.5 times the time of before"
                 for name in summary.get("auto_slower", [])]
    return problems


def check_solves(record):
    """Counts follow from the list; whoever says solved has the residual; ours stays within the limit, and ahead."""
    problems = []
    lines, summary = record["matrices"], record["summary"]
    for line in lines:
        runs = {"ours": line["ours"], **line["peers"]}
        for name, run in runs.items():
            relative = run.get("relative")
            if run["solved"] and (relative is None or relative > 1.011 * record["tolerance"]):
                problems.append(f"{line['name']}: {name} counts as solved with a residual of {relative}")
            if run["solved"] and run.get("iterations", 0) > record["max_iterations"]:
                problems.append(f"{line['name']}: {name} took {run['iterations']} iterations")
    solved = {line["name"]: line["ours"]["solved"] for line in lines}
    peers = {line["name"]: {name for name, run in line["peers"].items() if run["solved"]} for line in lines}
    expected = {"matrices": len(lines), "ours": sum(solved.values()),
                **{peer: sum(peer in names for names in peers.values())
                   for peer in ("gmres-ilu", "gmres-ilu-shift", "cg-icc")},
                "either_peer": sum(bool(names) for names in peers.values()),
                "only_ours": [name for name in solved if solved[name] and not peers[name]],
                "only_peer": [name for name in solved if peers[name] and not solved[name]],
                "failed": [line["name"] for line in lines if line["ours"]["end"] == "failed"]}
    if any("direct" in line for line in lines):
        expected["direct"] = real_solves.direct_summary(lines)
    problems += [f"summary.{name} is {summary.get(name)}, but {value} follows from the list"
                 for name, value in expected.items() if summary.get(name) != value]
    if expected["ours"] < expected["either_peer"]:
        problems.append(f"ours solved {expected['ours']} matrices, the peer {expected['either_peer']}")
    return problems
