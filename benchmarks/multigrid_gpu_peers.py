#!/usr/bin/env python3
"""Adds peers that were built elsewhere for a GPU, hypre and AmgX, to a record of benchmark_multigrid of the same run.

usage: multigrid_gpu_peers.py RECORD.json LINES.jsonl    LINES: what their programs have printed, a JSON object a line:
                                                         {"peer": "hypre", "version": "3.1", "commit": "0854739",
                                                          "configuration": "PMIS, l1-Jacobi", "n": 256,
                                                          "iterations": 27, "residual": 8e-9, "setup_ms": [...],
                                                          "update_ms": [...], "solve_ms": [...]}

Each has solved laplace3d7:n with a random right-hand side; complexity and memory may be missing, and new values are
those of peers that take them. A line with "error" in place of times is printed and left out.
"""

import json
import pathlib
import sys

from multigrid_peers import peer_point, times


def point_of(line, ours):
    """The point of a line, or None; `ours` are points of the record."""
    words = f"{line['peer']}, {line['configuration']}"
    spec = f"laplace3d7:{line['n']}"
    like = next((point for point in ours if point["matrix"] == spec), None)
    if "error" in line or like is None:
        print(f"left out: {words}, n = {line['n']}: {line.get('error', 'the record has no such matrix')}")
        return None
    point = peer_point({key: value for key, value in line.items() if value is not None}, words, 0, like)
    if line.get("update_ms"):
        point["update_ms"] = times(line["update_ms"])
    return point


def add(record, lines):
    """The record with the peers' points behind ours of the same matrix, and their versions."""
    found = [point for point in (point_of(line, record["points"]) for line in lines) if point]
    points = []
    for spec in dict.fromkeys(point["matrix"] for point in record["points"]):
        points += [point for point in [*record["points"], *found] if point["matrix"] == spec]
    versions = {line["peer"]: f"{line['version']} ({line['commit'][:9]})" for line in lines if "version" in line}
    return {**{key: value for key, value in record.items() if key != "points"},
            "peers": {**record.get("peers", {}), **versions}, "points": points}


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    path = pathlib.Path(arguments[0])
    lines = [json.loads(line) for line in pathlib.Path(arguments[1]).read_text().splitlines() if line.strip()]
    path.write_text(json.dumps(add(json.loads(path.read_text()), lines), indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
