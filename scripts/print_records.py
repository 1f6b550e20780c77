#!/usr/bin/env python3
"""A short table of benchmark records: for every matrix the best format of ours, the best peer, and the best of those
peers that promise the same bits in every run.

usage: print_records.py FILE or FOLDER... [--markdown]
"""

import argparse
import json
import pathlib
import sys

COLUMNS = ["matrix", "precision", "k", "device", "state", "entries", "ours", "us", "% read", "% gather",
           "best peer", "us", "peer / ours", "repeatable peer", "us", "peer / ours"]


def groups_of(record):
    """Points that competed with each other: the same matrix, precision, vectors, device, threads and state."""
    groups = {}
    for point in record["points"]:
        matrix = point["matrix"]
        name = matrix.get("spec") or pathlib.PurePath(matrix["file"]).name
        key = (name, point["precision"], point["num_vectors"], point["device"], point["threads"], point["state"])
        groups.setdefault(key, []).append(point)
    return groups


def best(points, kind, repeatable=False):
    fitting = (point for point in points if point["kind"] == kind and (point["deterministic"] or not repeatable))
    return min(fitting, key=lambda point: point["median_us"], default=None)


def beside(peer, own):
    """Its name, its time and how many times as long that is as ours."""
    if peer is None:
        return ["-", "-", "-"]
    return [peer["contender"], f"{peer['median_us']:.1f}", f"{peer['median_us'] / own['median_us']:.2f}"]


def rows_of(record):
    for (name, precision, num_vectors, device, _, state), points in groups_of(record).items():
        own = best(points, "own")
        if own is None:
            continue
        row = [name, precision, str(num_vectors), device, state, f"{own['matrix']['entries']:.2e}", own["contender"],
               f"{own['median_us']:.1f}", f"{own['percent_of_read']:.0f}",
               f"{own['percent_of_gather']:.0f}" if "percent_of_gather" in own else "-"]
        yield [*row, *beside(best(points, "peer"), own), *beside(best(points, "peer", repeatable=True), own)]


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
