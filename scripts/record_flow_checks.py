#!/usr/bin/env python3
"""Solves flows whose forces are known, and records them: vortices behind a cylinder, and a cylinder in space.

usage: record_flow_checks.py MILLRACE OUT.json [THREADS [SECONDS]]

MILLRACE is the command of a build with HDG and toml++. First examples/flow/cylinder.toml on fewer triangles, and in a
layer of tets over the same triangles with periodic sides: both drags. Then examples/flow/cylinder_vortices.toml:
frequency of the lift (the Strouhal number) and mean drag, over the last whole periods, once they are alike; after
SECONDS (default: no limit) this run is ended, and what it has written counts. Writes a record of the schema
millrace.flow-checks; exits with 1 when a bar is missed.
"""

import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import flow_example

ALIKE = 0.02  # of the swing of the lift from one period to the next
LEAST_PERIODS = 4
LAYER = 0.25  # height of the layer of tets


def crossings_of(times, lift):
    """Where the lift passes its mean upwards, between the steps by a straight line."""
    mean = sum(lift) / len(lift)
    return [t0 + (t1 - t0) * (mean - l0) / (l1 - l0)
            for t0, t1, l0, l1 in zip(times, times[1:], lift, lift[1:]) if l0 < mean <= l1]


def integral(times, values, begin, end):
    """Of the polygon through the values."""
    def at(t):
        k = next(k for k, after in enumerate(times) if after >= t)
        if k == 0 or times[k] == t:
            return values[k]
        return values[k - 1] + (values[k] - values[k - 1]) * (t - times[k - 1]) / (times[k] - times[k - 1])

    inner = [(t, v) for t, v in zip(times, values) if begin < t < end]
    points = [(begin, at(begin)), *inner, (end, at(end))]
    return sum((t1 - t0) * (v0 + v1) / 2 for (t0, v0), (t1, v1) in zip(points, points[1:]))


def settled(times, lift):
    """Times of the crossings that bound the last periods whose swing is that of the last one."""
    half = len(lift) // 2  # the mean of what may be settled
    crossings = crossings_of(times[half:], lift[half:])
    mean = integral(times, lift, crossings[0], crossings[-1]) / (crossings[-1] - crossings[0]) \
        if len(crossings) > 1 else 0.0
    crossings = crossings_of(times, [value - mean for value in lift])
    swings = []
    for begin, end in zip(crossings, crossings[1:]):
        inside = [value for t, value in zip(times, lift) if begin <= t <= end]
        swings.append(max(inside) - min(inside))
    alike = 0
    while alike < len(swings) and abs(swings[-1 - alike] - swings[-1]) <= ALIKE * swings[-1]:
        alike += 1
    return crossings[len(crossings) - 1 - alike:], swings


def vortices(command, threads, seconds, folder):
    """The run in time, in short."""
    forces, case = folder / "forces.csv", flow_example.EXAMPLES / "cylinder_vortices.toml"
    begin = time.monotonic()
    try:
        done = subprocess.run([command, "flow", str(case), "--forces", str(forces), "--threads", str(threads)],
                              capture_output=True, text=True, check=False, timeout=seconds)
        if done.returncode not in (0, 4):
            sys.exit(f"record_flow_checks: {case.name}: {done.stderr.strip()}")
        reason = "reached its end" if done.returncode == 0 else done.stderr.strip()
    except subprocess.TimeoutExpired:
        reason = f"ended after {seconds} s"
    with forces.open(encoding="utf-8") as file:
        lines = [{key: float(value) for key, value in line.items()} for line in csv.DictReader(file)
                 if None not in line.values()]
    times, drag, lift = ([line[key] for line in lines] for key in ("time", "drag", "lift"))
    crossings, swings = settled(times, lift)
    periods = len(crossings) - 1
    found = {"case": case.name, "reason": reason, "steps": len(lines), "end": times[-1],
             "seconds": round(time.monotonic() - begin, 1), "threads": threads, "periods": max(periods, 0),
             "crossings": crossings, "swings": swings, "strouhal": None, "drag": None}
    if periods >= LEAST_PERIODS:
        length = crossings[-1] - crossings[0]
        found["strouhal"] = periods / length
        found["drag"] = integral(times, drag, crossings[0], crossings[-1]) / length
    print({key: value for key, value in found.items() if key not in ("crossings", "swings")}, flush=True)
    return found


def layer(command, threads, folder):
    """The drag of a cylinder at Reynolds number 40 in the plane and in a layer of tets, and a record of the command."""
    mesh = {"around": 24, "across": 12, "far": 15, "first_height": 0.08, "mirrored": "false", "order": 2}
    texts = {"plane": flow_example.text_of("cylinder.toml", mesh),
             "layer": flow_example.text_of("cylinder.toml", {**mesh, "around": f"24\ndim = 3\nheight = {LAYER}"})
             + f'\n[periodic.z1]\npartner = "z0"\n\n[forces]\narea = {LAYER}\n'}
    found, record = {}, None
    for name, text in texts.items():
        record, done = flow_example.solve(command, text, folder, "--threads", str(threads))
        if done.returncode != 0:
            sys.exit(f"record_flow_checks: {name}: {done.stderr.strip()}")
        found[name] = {"cells": record["cells"], "drag": record["orders"][-1]["coefficients"]["drag"],
                       "seconds": record["seconds"]}
        print(name, found[name], flush=True)
    return found, record


def main():
    if len(sys.argv) not in (3, 4, 5) or sys.argv[1] in ("-h", "--help"):
        print(__doc__)
        return 0 if sys.argv[1:2] in (["-h"], ["--help"]) else 2
    threads = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else None
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        in_space, ended = layer(sys.argv[1], threads, folder)
        swaying = vortices(sys.argv[1], threads, seconds, folder)
    bars = [{"name": name, "found": found, "low": low, "high": high,
             "passed": found is not None and low <= found <= high}
            for name, found, low, high in
            (("Strouhal number of the vortices", swaying["strouhal"], 0.160, 0.168),
             ("mean drag with vortices", swaying["drag"], 1.32, 1.40),
             ("drag of the layer over that of the plane", in_space["layer"]["drag"] / in_space["plane"]["drag"], 0.995,
              1.005))]
    record = {**flow_example.head("millrace.flow-checks", ended), "vortices": swaying, "in_space": in_space,
              "bars": bars}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for bar in bars:
        print(f"{'PASS' if bar['passed'] else 'FAIL'} {bar['name']}: {bar['found']} ({bar['low']} to {bar['high']})")
    return 0 if all(bar["passed"] for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
