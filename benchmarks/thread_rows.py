#!/usr/bin/env python3
"""Times whole runs of the command on several numbers of threads, by several programs in turns.

A program is NAME=COMMAND, with VARIABLE=VALUE before the command where it needs them: old=build/old/bin/millrace, or
"pool=LD_PRELOAD=pool.so build/old/bin/millrace". --spinning N starts N processes that only count, as neighbours do.
Writes a record (thread-rows-schema.json) and prints a line per row and number of threads.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

ROWS = {
    "flow": ["flow", "{flow}"],
    "cg-110": ["solve", "laplace2d5:n=110", "--method", "cg", "--precond", "jacobi"],
    "amg-28": ["solve", "laplace3d7:n=28", "--method", "cg", "--precond", "amg"],
    "ic0-100": ["solve", "laplace3d7:n=100", "--method", "cg", "--precond", "ic0"],
    "amg-100": ["solve", "laplace3d7:n=100", "--method", "cg", "--precond", "amg"],
    "cg-28": ["solve", "laplace3d7:n=28", "--method", "cg", "--precond", "jacobi"],
    "amg-50": ["solve", "laplace3d7:n=50", "--method", "cg", "--precond", "amg"],
    "auto-40": ["solve", "laplace2d5:n=40"],
    "direct-40": ["solve", "laplace2d5:n=40", "--method", "direct"],
    "direct-10": ["solve", "laplace2d5:n=10", "--method", "direct"],
    "gmres-40": ["solve", "laplace2d5:n=40", "--method", "gmres", "--precond", "ilu0"],
    "cg-40": ["solve", "laplace2d5:n=40", "--method", "cg", "--precond", "jacobi"],
}


def parse_program(text):
    """(name, variables, command) of NAME=[VARIABLE=VALUE ...] COMMAND."""
    name, _, rest = text.partition("=")
    words = rest.split()
    if not name or not words:
        sys.exit(f"thread_rows: '{text}' is no program; NAME=[VARIABLE=VALUE ...] COMMAND is accepted")
    return name, dict(word.split("=", 1) for word in words[:-1]), words[-1]


def run(command, words, variables, is_flow):
    """(seconds of the set-up, of the solve, the record) of one process."""
    out = pathlib.Path(f"thread-rows-{os.getpid()}.json")
    words = [*words, "--json", str(out)] if is_flow else [*words, "--json"]
    begin = time.perf_counter()
    done = subprocess.run([command, *words], env={**os.environ, **variables}, capture_output=True, text=True,
                          check=False)
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 4):
        sys.exit(f"thread_rows: {command} {' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
    if is_flow:
        record = json.loads(out.read_text(encoding="utf-8"))
        out.unlink()
        return 0.0, seconds, record
    record = json.loads(done.stdout)
    return record["setup_seconds"], record["seconds"], record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", action="append", required=True, type=parse_program, metavar="NAME=COMMAND")
    parser.add_argument("--about", action="append", default=[], metavar="NAME=TEXT", help="what a program is")
    parser.add_argument("--rows", default="cg-110,amg-28,ic0-100,amg-100", help=f"some of {','.join(ROWS)}")
    parser.add_argument("--threads", default="1,2", metavar="N,...")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--spinning", type=int, default=0, metavar="N")
    parser.add_argument("--flow", default="", metavar="CASE.toml", help="the case of the row flow")
    parser.add_argument("--out", required=True, metavar="RECORD.json", help="added to when it is there")
    arguments = parser.parse_args()
    rows = arguments.rows.split(",")
    if unknown := [row for row in rows if row not in ROWS]:
        sys.exit(f"thread_rows: unknown rows {' '.join(unknown)}; there are {' '.join(ROWS)}")
    out = pathlib.Path(arguments.out)
    record = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {
        "schema": "millrace.thread-rows", "version": 1, "builds": {}, "programs": {}, "points": []}
    record["programs"] |= dict(about.split("=", 1) for about in arguments.about)
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.spinning)]
    try:
        time.sleep(0.3)
        for row in rows:
            for threads in map(int, arguments.threads.split(",")):
                words = [word.format(flow=arguments.flow) for word in ROWS[row]] + ["--threads", str(threads)]
                found = {name: ([], []) for name, _, _ in arguments.program}
                for _ in range(arguments.repeat):
                    for name, variables, command in arguments.program:
                        setup, solve, ended = run(command, words, variables, row == "flow")
                        found[name][0].append(setup)
                        found[name][1].append(solve)
                        record["builds"][name], machine = ended["build"], ended["machine"]
                record["machine"] = machine
                line = []
                for name, (setup, solve) in found.items():
                    record["points"].append({
                        "row": row, "command": " ".join(ROWS[row]).format(flow=pathlib.Path(arguments.flow).name),
                        "threads": threads, "spinning": arguments.spinning, "program": name, "setup_s": setup,
                        "solve_s": solve, "setup_median_s": statistics.median(setup),
                        "solve_median_s": statistics.median(solve)})
                    line.append(f"{name} {statistics.median(setup) * 1e3:.1f} + {statistics.median(solve) * 1e3:.2f} "
                                f"[{min(solve) * 1e3:.2f}, {max(solve) * 1e3:.2f}] ms")
                record["created"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
                out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
                print(f"{row:<10} {threads:>2} threads, {arguments.spinning} spinning: {'; '.join(line)}", flush=True)
    finally:
        for process in spinning:
            process.kill()


if __name__ == "__main__":
    main()
