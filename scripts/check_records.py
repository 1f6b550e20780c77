#!/usr/bin/env python3
"""Checks benchmark records: their schema, and that their figures follow from their samples.

usage: check_records.py [FILE or FOLDER...]    (default: benchmarks/records)
"""

import argparse
import json
import math
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "benchmarks"))

import compare_records  # noqa: E402
import json_schema  # noqa: E402
import print_records  # noqa: E402
from check_solve_records import (check_bp_multigrid, check_elasticity, check_multigrid,  # noqa: E402
                                 check_multigrid_solves, check_solves)

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROUNDING = 2e-3  # records may hold figures rounded to four digits
MAX_PAPERS_BYTES = 200_000


def flops_per_entry(precision):
    """A multiplication and an addition; four and four when the numbers are complex."""
    return 8 if precision.startswith("complex") else 2


def differs(value, expected):
    return not math.isclose(value, expected, rel_tol=ROUNDING, abs_tol=1e-9)


def check_point(point, bandwidth):
    """What a schema cannot say about one point."""
    problems = []

    def expect(name, expected):
        if differs(point[name], expected):
            problems.append(f"{name} is {point[name]}, but {expected:.6g} follows from the other figures")

    seconds = point["median_us"] * 1e-6
    expect("median_us", statistics.median(point["samples_us"]))
    expect("gb_s", point["traffic_bytes"] / seconds * 1e-9)
    flops = flops_per_entry(point["precision"]) * point["matrix"]["entries"] * point["num_vectors"]
    expect("gflop_s", flops / seconds * 1e-9)
    expect("percent_of_read", 100 * point["gb_s"] / bandwidth["read_gb_s"])
    expect("minimum_percent", 100 * point["minimum_bytes"] / seconds * 1e-9 / bandwidth["read_gb_s"])
    checked = point["checked"]
    if not checked["ok"]:
        problems.append("its result was not right (checked.ok is false)")
    elif checked["max_error_over_bound"] > 1:
        problems.append(f"checked.ok, but the error is {checked['max_error_over_bound']} times its bound")
    if point["kind"] == "own" and not point["deterministic"]:
        problems.append("a format of ours whose result is not repeatable")
    if not ("spec" in point["matrix"]) ^ ("file" in point["matrix"]):
        problems.append("the matrix must have either a spec or a file")
    return problems


def check_gather(points):
    """percent_of_gather of points that competed: from the ceiling's time where there is one, else absent."""
    ceiling = print_records.best(points, "ceiling")
    problems = []
    for point in points:
        found = point.get("percent_of_gather")
        expected = 100 * ceiling["median_us"] / point["median_us"] if ceiling and point["kind"] != "ceiling" else None
        if (found is None) != (expected is None) or (found is not None and differs(found, expected)):
            problems.append(f"{point['contender']}, {point['state']}: percent_of_gather is {found}, but {expected} "
                            "follows from the ceiling's time")
    return problems


def check_bench(record):
    problems = []
    for number, point in enumerate(record["points"]):
        name = f"points[{number}] ({point['contender']})"
        if record["version"] == 1 and (point["state"] == "graph" or point["kind"] == "ceiling"
                                       or "percent_of_gather" in point):
            problems.append(f"{name}: the state graph, ceilings and percent_of_gather came with version 2")
        problems += [f"{name}: {problem}" for problem in check_point(point, record["bandwidth"])]
        on_gpu = point["device"].startswith("gpu")
        if point["state"] == "graph" and not on_gpu:
            problems.append(f"{name}: a CUDA graph on {point['device']}")
        if on_gpu != (record["device"]["kind"] == "gpu"):
            problems.append(f"{name}: runs on {point['device']}, but the record is of a {record['device']['kind']}")
    if not problems:  # else a point may lack the name of its matrix
        problems += [text for points in print_records.groups_of(record).values() for text in check_gather(points)]
    return problems


def check_medians(record, unit="us"):
    return [f"points[{number}]: median_{unit} is not the median of the samples"
            for number, point in enumerate(record["points"])
            if differs(point[f"median_{unit}"], statistics.median(point[f"samples_{unit}"]))]


def check_overlap(record):
    problems = []
    for number, point in enumerate(record["points"]):
        name = f"points[{number}] ({point['matrix']})"
        medians = {each["what"]: statistics.median(each["samples_us"]) for each in point["times"]}
        problems += [f"{name}: the median of {each['what']} is not that of the samples" for each in point["times"]
                     if differs(each["median_us"], medians[each["what"]])]
        alone = medians["exchange"]
        problems += [f"{name}: hidden of {mode} does not follow from the times"
                     for mode, hidden in point["hidden"].items()
                     if abs(hidden - (alone + medians["compute"] - medians[mode]) / alone) > 1e-9]
    return problems


def check_io(record):
    problems = []
    for number, point in enumerate(record["points"]):
        name = f"points[{number}] ({point['contender']})"
        if differs(point["median_ms"], statistics.median(point["samples_ms"])):
            problems.append(f"{name}: median_ms is not the median of the samples")
        if differs(point["mb_s"], point["file_bytes"] / point["median_ms"] * 1e-3):
            problems.append(f"{name}: mb_s does not follow from file_bytes and median_ms")
    return problems


def check_conversions(record):
    """The medians, and that everybody made the same arrays of a matrix."""
    problems, hashes = check_medians(record, "ms"), {}
    for point in record["points"]:
        hashes.setdefault((point["matrix"], point["format"]), set()).add(point["hash"])
    return problems + [f"{matrix}, {format_}: not the same arrays in every run"
                       for (matrix, format_), found in hashes.items() if len(found) > 1]


def check_peers(record):
    measured = any(point["kind"] == "peer" for point in record["points"])
    return [] if measured else ["no peer was measured in the same run"]


def check_papers(record):
    """A table of a paper: its own figures are what ours are compared with, so it needs no peer."""
    problems = []
    if record["quick"]:
        problems.append("a quick run shows that the script works; its figures are no record")
    columns = {"ours", "formula", *(run["column"] for run in record["runs"])}
    for cell in record["cells"]:
        place = f"cell ({cell['row']}, {cell['column']})"
        if not set(cell["ours"]) <= columns:
            problems.append(f"{place}: figures of {' '.join(sorted(set(cell['ours']) - columns))}, which has no run")
        if cell["exact"] and set(cell["ours"].values()) != {cell["paper"]}:
            problems.append(f"{place}: must be the paper's {cell['paper']}, but is {cell['ours']}")
    num_contenders = len(record.get("contenders", []))
    for line in record.get("medians", []):
        if line["matrix"] >= len(record["matrices"]):
            problems.append(f"medians of matrix {line['matrix']}, but there are {len(record['matrices'])}")
        if not len(line["median_us"]) == len(line["spread"]) == num_contenders:
            problems.append(f"medians of matrix {line['matrix']}: one figure for each of {num_contenders} contenders")
    if not record["cells"] and not record.get("medians"):
        problems.append("it holds no figure")
    size = len(json.dumps(record))
    if size > MAX_PAPERS_BYTES:
        problems.append(f"{size} bytes; keep medians, not samples, below {MAX_PAPERS_BYTES}")
    return problems


def check_solvers(record):
    """The medians, and that a case has both ours and what it is measured against."""
    problems = []
    kinds = {}
    for number, point in enumerate(record["points"]):
        kinds.setdefault(point["case"], set()).add(point["kind"])
        if differs(point["median_us"], statistics.median(point["samples_us"])):
            problems.append(f"points[{number}]: median_us does not follow from the samples")
        if (point["kind"] == "model") != (point["iterations"] == 0):
            problems.append(f"points[{number}]: a model has no iterations, and everything else has some")
    return problems + [f"{case}: nothing of ours" for case, found in kinds.items() if "own" not in found]


def check_bp_orders(record):
    """Medians and rates follow from the samples."""
    problems = []
    for number, point in enumerate(record["points"]):
        for kind, rate in (("operator", "operator_gdof_s"), ("iteration", "cg_gdof_s")):
            if differs(point[f"{kind}_us"], statistics.median(point[f"{kind}_samples_us"])):
                problems.append(f"points[{number}]: {kind}_us is not the median of the samples")
            if differs(point[rate], point["dofs"] / point[f"{kind}_us"] * 1e-3):
                problems.append(f"points[{number}]: {rate} does not follow from dofs and {kind}_us")
    return problems


def check_before_after(record):
    """Ratios follow from the medians, verdicts from ratios and spreads; there is at least one point."""
    problems = [] if record["points"] else ["it holds no point"]
    for number, point in enumerate(record["points"]):
        before, after = ({"median_us": point[f"{when}_us"], "spread": point[f"{when}_spread"]}
                         for when in ("before", "after"))
        if differs(point["ratio"], after["median_us"] / before["median_us"]):
            problems.append(f"points[{number}]: ratio does not follow from the medians")
        if point["verdict"] != compare_records.verdict_beyond(record["limit"], before, after):
            problems.append(f"points[{number}]: '{point['verdict']}' does not follow from ratio and spreads")
    return problems


def check_checks(record):
    """A record of a long check shows that nothing was found."""
    return [f"{run['name']}: {run['findings']} findings" for run in record["runs"] if run["findings"]]


def check_compile_time(record):
    saved = 100 * (1 - record["after"]["cpu_s"] / record["before"]["cpu_s"])
    return ["saved_percent does not follow from the seconds"] if differs(record["saved_percent"], saved) else []


def check_flow(record):
    """A run that converged, whose history has the steps of every order; a mass that was to be kept, was."""
    problems = [] if record["converged"] else [f"not converged: {record['reason']}"]
    for entry in record["orders"]:
        steps = sum(step["order"] == entry["order"] for step in record["history"])
        if steps != entry["steps"]:
            problems.append(f"order {entry['order']} has {entry['steps']} steps, the history {steps}")
    mass = record["mass"]
    if mass["kept"] and differs(mass["start"], mass["end"]):
        problems.append(f"the mass went from {mass['start']} to {mass['end']}")
    return problems


def check_dense(record):
    """Medians and rates follow; every task of ours has Eigen's beside it."""
    problems, contenders = check_medians(record), {}
    for number, point in enumerate(record["points"]):
        contenders.setdefault((point["n"], point["task"]), set()).add(point["contender"])
        if differs(point["gflop_s"], point["flops"] / point["median_us"] * 1e-3):
            problems.append(f"points[{number}]: gflop_s does not follow from flops and median_us")
    return problems + [f"n = {n}, {task}: only {' '.join(found)}" for (n, task), found in contenders.items()
                       if found != {"own", "eigen"}]


def check_threads(record):
    """Medians follow, of one thread too."""
    return check_medians(record) + [
        f"points[{number}]: one_thread_median_us does not follow" for number, point in enumerate(record["points"])
        if differs(point["one_thread_median_us"], statistics.median(point["one_thread_us"]))]


def check_thread_rows(record):
    """Medians follow, and every program was named and has its build."""
    problems = []
    for number, point in enumerate(record["points"]):
        for part in ("setup", "solve"):
            if differs(point[f"{part}_median_s"], statistics.median(point[f"{part}_s"])):
                problems.append(f"points[{number}]: {part}_median_s does not follow")
        for what in ("builds", "programs"):
            if point["program"] not in record[what]:
                problems.append(f"points[{number}]: {point['program']} is not among the {what}")
    return problems


def check_orders(record):
    """The orders on the finest meshes are what is wanted, if the record says so."""
    missed = [f"{line['case']}, order {line['order']}, geometry {line['geometry']}: {name} has order {found}"
              for line in record["lines"] for name, found in line["found"].items()
              if found < line["wanted"].get(name, found)]
    if record["passed"]:
        return missed
    return [] if missed else ["not passed, and every order is as wanted"]


def check_rank_memory(record):
    """Every run converged, and no peak is beyond its bound."""
    return [f"{run['name']}: {'not converged' if not run['converged'] else 'beyond its bound'}"
            for run in record["runs"]
            if not run["converged"] or run["peak_bytes"] > run.get("bound_bytes", run["peak_bytes"])]


def check_flow_runs(record):
    """What converged has a residual, and every bar holds."""
    return [f"run {run['number']}: converged without a residual" for run in record["runs"]
            if run["converged"] and run["residual"] is None] + [
                f"{bar['name']}: {bar['found']} misses its bound {bar['bound']}" for bar in record["bars"]
                if not bar["passed"]]


def check_flow_checks(record):
    """Figures follow from the crossings and drags, and verdicts from the figures."""
    problems, vortices, in_space = [], record["vortices"], record["in_space"]
    crossings = vortices["crossings"]
    if vortices["strouhal"] is not None:
        frequency = (len(crossings) - 1) / (crossings[-1] - crossings[0])
        if differs(vortices["strouhal"], frequency):
            problems.append(f"the Strouhal number is {vortices['strouhal']}, not {frequency}, as the crossings say")
    followed = [vortices["strouhal"], vortices["drag"], in_space["layer"]["drag"] / in_space["plane"]["drag"]]
    for bar, found in zip(record["bars"], followed):
        if (bar["found"] is None) != (found is None) or (found is not None and differs(bar["found"], found)):
            problems.append(f"{bar['name']} is {bar['found']}, but {found} follows from the runs")
        if bar["passed"] != (bar["found"] is not None and bar["low"] <= bar["found"] <= bar["high"]):
            problems.append(f"{bar['name']}: 'passed' does not follow from {bar['found']}")
    return problems


def check_flow_memory(record):
    """Sums follow, and every peak is within both of its bounds."""
    problems = []
    for run in record["runs"]:
        kept = sum(run[part] for part in ("matrix_bytes", "factors_bytes", "coarse_bytes", "basis_bytes",
                                           "cells_bytes"))
        if differs(run["kept_bytes"], kept) or differs(run["estimate_bytes"],
                                                       kept + run["rest_bytes"]):
            problems.append(f"{run['name']}: kept_bytes or estimate_bytes is not the sum of its parts")
        away = abs(run["peak_bytes"] - run["estimate_bytes"])
        if run["peak_bytes"] > 1.15 * kept or away > 0.1 * run["estimate_bytes"]:
            problems.append(f"{run['name']}: the peak is beyond its bounds")
        elif not run["holds"]:
            problems.append(f"{run['name']}: holds is false, and the peak is within its bounds")
    return problems


# Kind of record: its schema, and the checks that a schema cannot express.
KINDS = {"millrace.bench": ("schema.json", (check_bench, check_peers)),
         "millrace.io": ("io-schema.json", (check_io, check_peers)),
         "millrace.conversions": ("conversions-schema.json", (check_conversions,)),
         "millrace.solvers": ("solvers-schema.json", (check_solvers,)),
         "millrace.solves": ("solves-schema.json", (check_solves,)),
         "millrace.elasticity": ("elasticity-schema.json", (check_elasticity,)),
         "millrace.multigrid": ("multigrid-schema.json", (check_multigrid,)),
         "millrace.multigrid-solves": ("multigrid-solves-schema.json", (check_multigrid_solves,)),
         "millrace.bp-multigrid": ("bp-multigrid-schema.json", (check_bp_multigrid,)),
         "millrace.bp-orders": ("bp-orders-schema.json", (check_bp_orders,)),
         "millrace.before-after": ("before-after-schema.json", (check_before_after,)),
         "millrace.compile-time": ("compile-time-schema.json", (check_compile_time,)),
         "millrace.checks": ("checks-schema.json", (check_checks,)),
         "millrace.dense": ("dense-schema.json", (check_dense,)),
         "millrace.threads": ("threads-schema.json", (check_threads,)),
         "millrace.thread-rows": ("thread-rows-schema.json", (check_thread_rows,)),
         "millrace.ranks": ("ranks-schema.json", (check_medians,)),
         "millrace.overlap": ("overlap-schema.json", (check_overlap,)),
         "millrace.rank-memory": ("rank-memory-schema.json", (check_rank_memory,)),
         "millrace.flow-runs": ("flow-runs-schema.json", (check_flow_runs,)),
         "millrace.flow-checks": ("flow-checks-schema.json", (check_flow_checks,)),
         "millrace.flow-memory": ("flow-memory-schema.json", (check_flow_memory,)),
         "millrace.orders": ("orders-schema.json", (check_orders,)),
         "millrace.flow": ("flow-schema.json", (check_flow,)),
         "millrace.papers": ("papers-schema.json", (check_papers,))}


def load_schemas():
    return {name: json.loads((ROOT / "benchmarks" / file).read_text(encoding="utf-8"))
            for name, (file, _) in KINDS.items()}


def check_record(record, schema):
    problems = json_schema.validate(schema, record)
    if problems:
        return problems
    return [problem for check in KINDS[record["schema"]][1] for problem in check(record)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="*", type=pathlib.Path, default=[ROOT / "benchmarks" / "records"])
    arguments = parser.parse_args()
    schemas = load_schemas()
    files = [file for path in arguments.paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    num_records, num_problems = 0, 0
    for file in files:
        try:
            record = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"{file}: {error}")
            num_problems += 1
            continue
        name = record.get("schema") if isinstance(record, dict) else None
        if name == "millrace.gpu-tests":
            continue  # the receipt: scripts/gpu_receipt.py checks it
        num_records += 1
        for problem in check_record(record, schemas.get(name, schemas["millrace.bench"])):
            print(f"{file}: {problem}")
            num_problems += 1
    print(f"check_records: {num_records} records, {num_problems} problems")
    return 1 if num_problems else 0


if __name__ == "__main__":
    sys.exit(main())
