#!/usr/bin/env python3
"""Measures what compiling costs: CPU seconds of a target, without ccache, of two source trees on one machine.

usage: compile_time.py BEFORE AFTER OUT.json [--target millrace] [--preset cuda] [--jobs N] [--build build/compile-time]

BEFORE and AFTER are source trees; a tree with a folder .stage/ needs no packages. Each is configured into a fresh
folder below itself with the preset and MILLRACE_CCACHE=OFF, and the target is built. Writes a record of the schema
millrace.compile-time.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import time

from git_output import commit_of


def run(command, folder):
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"compile_time: {' '.join(map(str, command))} ended with {result.returncode}:\n"
                 f"{(result.stdout + result.stderr)[-3000:]}")
    return result.stdout


def objects_of(build):
    """(seconds of wall clock, name) of every object in ninja's log, longest first."""
    found = {}
    for line in (build / ".ninja_log").read_text(encoding="utf-8").splitlines()[1:]:
        begin, end, _, name, *_ = line.split("\t")
        if name.endswith(".o"):
            found[name.split(".dir/")[-1].removesuffix(".o")] = (int(end) - int(begin)) / 1000
    return sorted(((seconds, name) for name, seconds in found.items()), reverse=True)


def measure(tree, arguments):
    build = tree / arguments.build
    shutil.rmtree(build, ignore_errors=True)
    run(["cmake", "--preset", arguments.preset, "-B", str(build), "-DMILLRACE_CCACHE=OFF"], tree)
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run(["cmake", "--build", str(build), "--target", arguments.target, "-j", str(arguments.jobs)], tree)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    objects = objects_of(build)
    return {"commit": commit_of(tree), "cpu_s": after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime,
            "wall_s": wall, "num_objects": len(objects),
            "slowest": [{"object": name, "wall_s": seconds} for seconds, name in objects[:20]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("after", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--target", default="millrace")
    parser.add_argument("--preset", default="cuda")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--build", default="build/compile-time")
    arguments = parser.parse_args()
    runs = {name: measure(tree.resolve(), arguments) for name, tree in (("before", arguments.before),
                                                                       ("after", arguments.after))}
    record = {"schema": "millrace.compile-time", "version": 1,
              "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
              "machine": {"system": platform.system(), "cores": os.cpu_count(),
                          "compiler": run(["c++", "--version"], ".").split("\n")[0]},
              "target": arguments.target, "preset": arguments.preset, "jobs": arguments.jobs, **runs,
              "saved_percent": 100 * (1 - runs["after"]["cpu_s"] / runs["before"]["cpu_s"])}
    arguments.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    for name, found in runs.items():
        print(f"{name:6} {found['cpu_s']:8.1f} CPU seconds, {found['num_objects']} objects, {found['wall_s']:.0f} s")
    print(f"compile_time: {record['saved_percent']:.1f} percent less")
    return 0


if __name__ == "__main__":
    sys.exit(main())
