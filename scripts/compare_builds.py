#!/usr/bin/env python3
"""Times two builds in turns on one machine: is anything slower after a change?

usage: compare_builds.py BEFORE AFTER OUT.json [--device gpu|cpu] [--rounds N] [--subjects WORD,...]

BEFORE and AFTER are build folders (with bin/millrace, bin/benchmark_solvers and bin/benchmark_bp). Every subject is run
by one build after the other, in as many rounds as asked for, and the samples of all rounds are put together. A point is
slower when its median grew by more than 3 percent and more than both spreads (half the distance between the quartiles)
explain. Writes a record of the schema millrace.before-after; exits with 1 when something of ours is slower.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

import compare_records

LIMIT = 1.03
PRODUCTS = {
    "gpu": [
        ["poisson2d5:n=2000", "poisson3d7:n=160", "poisson3d27:n=110", "--formats",
         "csr,coo,ell,ellr,dia,dia-32,sell-32-1-full,sell-32-1,sell-32-1024,rgcsr,jds,pjds,hyb"],
        ["poisson3d7:n=128,permute=1", "--formats", "csr,sell-32-1-full-rcm"],
        ["cfd:n=48,block=5", "hdg:m=8", "hdg:m=12", "hdg:m=24", "hdg:m=8,faces=300000", "hdg:m=30,na=7,faces=20000",
         "--formats", "bsr,dbf"],
        ["powerlaw:n=1000000", "random:n=1000000", "hugerow:n=2000000", "--formats", "csr,coo,hyb"],
        ["poisson3d27:n=110", "--formats", "csr,sell-32-1", "--precision", "float,complex-double"],
        ["hdg:m=24", "--formats", "dbf", "--rhs", "4,8,16"],
        ["hmep", "dlr2", "--formats", "csr,bsr,sell-32-1-full,sell-32-1-dict"],
    ],
    "cpu": [
        ["poisson2d5:n=2000", "poisson3d7:n=128", "poisson3d27:n=96", "--formats",
         "csr,coo,dia,sell-8-1-full,sell-8-1,sell-32-1024,rgcsr,pjds,hyb,tcoo"],
        ["cfd:n=48,block=5", "hdg:m=8,faces=40000", "hdg:m=24,faces=8000", "--formats", "bsr,dbf"],
        ["powerlaw:n=1000000", "hugerow:n=2000000", "--formats", "csr,coo,hyb,tcoo"],
        ["poisson3d27:n=96", "--formats", "csr,sell-8-1", "--precision", "float,complex-double"],
    ],
}
ELEMENTS = {
    "gpu": [["4e6", "1,2,3,4,5,6,7,8", "1,3,5", "hex", "fused,atomic"], ["4e6", "1,2,4", "1,3", "hex", "recomputed"],
            ["2e6", "1,2,3,4", "1,3", "tet", "fused,atomic"]],
    "cpu": [["3e5", "1,2,4,7", "1,3,5", "hex", "host"], ["1e5", "2,3", "1,3", "tet", "host"]],
}
MULTIGRID = {  # problem, element, order, unknowns
    "gpu": [["5", "hex", "7", "2.7e6"], ["5", "hex", "2", "2.7e6"], ["3", "hex", "4", "2.7e6"],
            ["3", "tet", "3", "4e5"]],
    "cpu": [["5", "hex", "7", "1e6"], ["5", "hex", "2", "3e5"], ["3", "hex", "4", "5e5"], ["6", "hex", "3", "3e5"]],
}


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"compare_builds: {' '.join(map(str, command))} ended with {result.returncode}:\n"
                 f"{(result.stdout + result.stderr)[-3000:]}")


def product_points(record):
    for point in record["points"]:
        if point["kind"] == "own":
            name = point["matrix"].get("spec") or point["matrix"]["file"]
            yield (("product", f"{name}, {point['precision']}, {point['num_vectors']} vectors, {point['state']}, "
                    f"{point['contender']}"), point["samples_us"])


def solver_points(record):
    for point in record["points"]:
        if point["kind"] == "own":
            yield ("solver", f"{point['case']}, {point['contender']}"), point["samples_us"]


def element_points(record):
    for point in record["points"]:
        name = f"BP{point['problem']}, {point['element']}, order {point['order']}, {point['contender']}"
        yield ("element operator", name), point["operator_samples_us"]
        yield ("solver", "CG of " + name), point["iteration_samples_us"]


def multigrid_points(record):
    name = f"BP{record['problem']}, {record['element']}, order {record['order']}, {record['dofs']} unknowns"
    yield ("p-multigrid", f"{name}: iteration of CG"), [record["cg"]["seconds"] / record["cg"]["iterations"] * 1e6]
    yield ("p-multigrid", f"{name}: set-up"), [record["multigrid"]["setup_seconds"] * 1e6]


def jobs(device, subjects):
    """(the points of a record, the program and its arguments before the record's path, those after it)."""
    if "products" in subjects:
        for arguments in PRODUCTS[device]:
            states = ["--cold"] if device == "gpu" else []
            yield (product_points, ["millrace", "bench", *arguments, *states, "--no-peers", "--device", device,
                                    "--min-time", "0.05" if device == "gpu" else "0.3", "--json"], [])
    if "solvers" in subjects:
        yield solver_points, ["benchmark_solvers"], [device]
    if "elements" in subjects:
        for arguments in ELEMENTS[device]:
            yield element_points, ["benchmark_bp"], [device, *arguments]
    if "multigrid" in subjects:
        for problem, element, order, dofs in MULTIGRID[device]:
            yield (multigrid_points, ["millrace", "bp", problem, "--element", element, "--order", order, "--dofs", dofs,
                                      "--kershaw", "0.3", "--precond", "pmg", "--random", "--iterations", "6",
                                      "--device", device, "--json"], [])


def spread_of(samples):
    if len(samples) < 4:
        return 0.0
    low, _, high = statistics.quantiles(samples, n=4)
    return (high - low) / 2 / statistics.median(samples)


def compare(before, after):
    """One line of the record."""
    old, new = ({"median_us": statistics.median(samples), "spread": spread_of(samples)} for samples in (before, after))
    ratio = new["median_us"] / old["median_us"]
    return {"before_us": old["median_us"], "before_spread": old["spread"], "after_us": new["median_us"],
            "after_spread": new["spread"], "num_samples": [len(before), len(after)], "ratio": ratio,
            "verdict": compare_records.verdict_beyond(LIMIT, old, new)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--subjects", default="products,solvers,elements,multigrid")
    arguments = parser.parse_args()
    samples, builds, head = {}, [None, None], None
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "record.json"
        for points_of, command, rest in jobs(arguments.device, arguments.subjects.split(",")):
            for _ in range(arguments.rounds):
                for index, build in enumerate((arguments.before, arguments.after)):
                    run([build / "bin" / command[0], *command[1:], path, *rest])
                    record = json.loads(path.read_text(encoding="utf-8"))
                    builds[index], head = record["build"], record
                    for key, found in points_of(record):
                        samples.setdefault(key, ([], []))[index].extend(found)
            print(f"compare_builds: done: {' '.join(map(str, command[:3]))} {' '.join(rest)}", file=sys.stderr)
    points = [{"subject": subject, "name": name, **compare(before, after)}
              for (subject, name), (before, after) in samples.items() if before and after]
    missing = sorted(name for (_, name), pair in samples.items() if not (pair[0] and pair[1]))
    record = {"schema": "millrace.before-after", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": head["machine"], "device": head["device"], "bandwidth": head["bandwidth"],
              "before": builds[0], "after": builds[1], "rounds": arguments.rounds, "limit": LIMIT,
              "only_in_one": missing, "points": points}
    arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for point in sorted(points, key=lambda point: -point["ratio"])[:12]:
        print(f"{point['ratio']:6.3f} {point['verdict']:7} {point['before_us']:10.2f} -> {point['after_us']:10.2f} us  "
              f"(+- {100 * point['before_spread']:.1f}, {100 * point['after_spread']:.1f} %)  {point['name']}")
    words = [point["verdict"] for point in points]
    ratio = statistics.geometric_mean(point["ratio"] for point in points)
    print(f"{len(points)} points: {words.count('slower')} slower, {words.count('faster')} faster, "
          f"{words.count('same')} the same; geometric mean of after / before {ratio:.4f}; "
          f"{len(missing)} only in one of them")
    return 1 if "slower" in words else 0


if __name__ == "__main__":
    sys.exit(main())
