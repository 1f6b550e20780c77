#!/usr/bin/env python3
"""A short table of benchmark records: for every matrix the best format of ours and the best peer.

usage: print_records.py FILE or FOLDER... [--markdown]
"""

import argparse
import json
import pathlib
import sys

COLUMNS = ["matrix", "precision", "k", "device", "state", "entries", "ours", "us", "% read", "best peer", "us",
           "peer / ours"]


def groups_of(record):
    """Points that competed with each other: the same matrix, precision, vectors, device, threads and state."""
    groups = {}
    for point in record["points"]:
        matrix = point["matrix"]
        name = matrix.get("spec") or pathlib.PurePath(matrix["file"]).name
        key = (name, point["precision"], point["num_vectors"], point["device"], point["threads"], point["state"])
        groups.setdefault(key, []).append(point)
    return groups


def best(points, kind):
    return min((point for point in points if point["kind"] == kind), key=lambda point: point["median_us"], default=None)


def rows_of(record):
    for (name, precision, num_vectors, device, _, state), points in groups_of(record).items():
        own, peer = best(points, "own"), best(points, "peer")
        if own is None:
            continue
        row = [name, precision, str(num_vectors), device, state, f"{own['matrix']['entries']:.2e}", own["contender"],
               f"{own['median_us']:.1f}", f"{own['percent_of_read']:.0f}"]
        if peer is None:
            yield [*row, "-", "-", "-"]
        else:
            ratio = peer["median_us"] / own["median_us"]
            yield [*row, peer["contender"], f"{peer['median_us']:.1f}", f"{ratio:.2f}"]


def print_table(rows, markdown):
    if markdown:
        for row in [COLUMNS, ["---"] * len(COLUMNS), *rows]:
            print("| " + " | ".join(row) + " |")
        return
    widths = [max(len(row[i]) for row in [COLUMNS, *rows]) for i in range(len(COLUMNS))]
    for row in [COLUMNS, *rows]:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--markdown", action="store_true")
    arguments = parser.parse_args()
    files = [file for path in arguments.paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    rows = []
    for file in files:
        record = json.loads(file.read_text(encoding="utf-8"))
        if record.get("schema") == "millrace.bench":
            rows += rows_of(record)
    print_table(rows, arguments.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
