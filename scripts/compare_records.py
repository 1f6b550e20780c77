#!/usr/bin/env python3
"""Compares the points that two benchmark records share; knows what is noise.

usage: compare_records.py BEFORE.json AFTER.json [--fail-on-slower] [--across-machines]

Each median has an interval of its spread (half the distance between the quartiles) on both sides. When the two
intervals overlap there is no difference that these runs could show. Records of different devices, or with bandwidths
that differ by more than a tenth (a machine was busy), are refused with one line unless --across-machines is given.
"""

import argparse
import json
import pathlib
import sys


def key_of(point):
    """What two points must share to be compared."""
    matrix = point["matrix"]
    name = matrix.get("spec") or pathlib.PurePath(matrix.get("file", "?")).name
    return (name, point["precision"], point["num_vectors"], point["device"], point["threads"], point["state"],
            point["contender"])


def verdict(before, after):
    """('faster', 'slower' or 'no difference', ratio of the medians before / after)."""
    ratio = before["median_us"] / after["median_us"]
    quick, late = sorted((before, after), key=lambda point: point["median_us"])
    if late["median_us"] * (1 - late["spread"]) > quick["median_us"] * (1 + quick["spread"]):
        return ("faster" if ratio > 1 else "slower"), ratio
    return "no difference", ratio


def verdict_beyond(limit, before, after):
    """'faster', 'slower' or 'same': slower when it is so by more than a factor and by more than the spreads."""
    word, ratio = verdict(before, after)
    return word if word != "no difference" and max(ratio, 1 / ratio) > limit else "same"


def compare(before, after):
    """Rows (key, before, after, verdict, ratio) of all shared points, and the keys of the others."""
    old = {key_of(point): point for point in before["points"]}
    new = {key_of(point): point for point in after["points"]}
    rows = [(key, old[key], new[key], *verdict(old[key], new[key])) for key in old if key in new]
    return rows, [key for key in old if key not in new], [key for key in new if key not in old]


def fail(text):
    """One line, and exit code 2: 1 says that something got slower."""
    print(f"compare_records: {text}", file=sys.stderr)
    sys.exit(2)


def read_record(path):
    """The record of a file; ends the script with one line when it is none."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        record["device"]["name"], float(record["bandwidth"]["read_gb_s"])
        record["points"] = [point for point in record["points"] if point["checked"]["ok"]]  # others were not timed
        for point in record["points"]:
            key_of(point), point["kind"]
            if not (point["median_us"] > 0 and point["spread"] >= 0):
                raise ValueError("a median or a spread is no positive number")
        return record
    except OSError as error:
        return fail(f"{path}: {error.strerror}")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        return fail(f"{path}: no record of millrace bench ({type(error).__name__}: {error})")


def difference_of_machines(before, after):
    """Why two records are no comparison of programs, or an empty text."""
    names = [record["device"]["name"] for record in (before, after)]
    if names[0] != names[1]:
        return f"different devices: {names[0]} and {names[1]}"
    read = [record["bandwidth"]["read_gb_s"] for record in (before, after)]
    if abs(read[0] - read[1]) > 0.1 * max(read):
        return f"the measured bandwidth differs ({read[0]:.4g} and {read[1]:.4g} GB/s): was a machine busy?"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("--fail-on-slower", action="store_true", help="exit with 1 when a format of ours got slower")
    parser.add_argument("--across-machines", action="store_true",
                        help="compare records of different or differently busy machines, too")
    arguments = parser.parse_args()
    before, after = read_record(arguments.before), read_record(arguments.after)
    problem = difference_of_machines(before, after)
    if problem and not arguments.across_machines:
        fail(f"{problem} (--across-machines compares all the same)")
    if problem:
        print(f"note: {problem}")

    rows, gone, added = compare(before, after)
    print(f"{'matrix':32} {'precision':14} {'k':>3} {'state':5} {'contender':24} {'before us':>10} {'after us':>10} "
          f"{'ratio':>6}  verdict")
    for key, old, new, word, ratio in rows:
        name, precision, num_vectors, _, _, state, contender = key
        print(f"{name:32.32} {precision:14} {num_vectors:3} {state:5} {contender:24.24} {old['median_us']:10.2f} "
              f"{new['median_us']:10.2f} {ratio:6.2f}  {word}")
    words = [row[3] for row in rows]
    print(f"{len(rows)} points: {words.count('faster')} faster, {words.count('slower')} slower, "
          f"{words.count('no difference')} no difference; {len(gone)} only before, {len(added)} only after")
    slower = any(row[3] == "slower" and row[2]["kind"] == "own" for row in rows)
    return 1 if arguments.fail_on_slower and slower else 0


if __name__ == "__main__":
    sys.exit(main())
