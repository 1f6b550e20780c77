#!/usr/bin/env python3
"""Solves the symmetric definite matrices of a folder by CG with multigrid and without, and by `--method auto`.

Matrices: real, symmetric, of 5,000 rows and more, with a diagonal of one sign, on which CG + Jacobi does not end as
`indefinite`; and those of the gallery that are named. Each is solved by CG with Jacobi, with our multigrid (amg), with
hypre's (boomeramg, whose set-up here begins with that of MPI, some 0.05 s), by `auto`, and by `auto` without factors;
with --before also by `auto` of an older program. Each run is a process with a time limit, and the fastest of the
repeats counts.

usage: real_multigrid.py FOLDER --bin BUILD/bin [--before OLDER/bin] [--out RECORD.json]
"""

import pathlib
import sys

from solve_runs import files_of, finish, head_of, is_solved, make_parser, record_head, rounded, run, tries_of

MIN_ROWS = 5000
SLOWER = 1.5  # the most that `auto` may take of the time of before,
NOISE = 0.02  # ... where it is more than this many seconds longer
RUNS = {"jacobi": ["--method", "cg", "--precond", "jacobi"], "amg": ["--method", "cg", "--precond", "amg"],
        "boomeramg": ["--method", "cg", "--precond", "boomeramg"], "auto": ["--method", "auto"],
        "auto_iterative": ["--method", "auto", "--without", "direct"]}
GALLERY = ["laplace3d7:n=40", "laplace3d7:n=80", "laplace2d5:n=300", "laplace2d5:n=800", "laplace2d9:n=300",
           "laplace3d27:n=40", "laplace3d7:n=40,contrast=1e6", "laplace3d7:n=40,anisotropy=0.001"]


def may_be_definite(path):
    """From the first lines of the file: real numbers, and at least MIN_ROWS rows and as many columns."""
    kind, rows, columns = head_of(path)
    return kind in ("real", "integer") and rows == columns and rows >= MIN_ROWS


def is_candidate(answer):
    checks = answer["checks"]
    return answer["symmetric"] and (", positive diagonal" in checks or ", negative diagonal" in checks)


def run_of(answer, reason, seconds, tolerance):
    if answer is None:
        return {"solved": False, "end": "failed", "reason": reason, "seconds": rounded(seconds)}
    return {"solved": is_solved(answer["end"] == "converged", answer["relative"], tolerance), "end": answer["end"],
            "iterations": answer["iterations"], "relative": rounded(answer["relative"]),
            "setup_seconds": rounded(answer["setup_seconds"]),
            "seconds": rounded(answer["seconds"] + answer["setup_seconds"]), "tries": tries_of(answer)}


def best_run(program, matrix, options, arguments):
    """The fastest of the repeats, and what it answered."""
    command = [str(program), "solve", str(matrix), *options, "--json", "--tol", repr(arguments.tolerance),
               "--max-iterations", str(arguments.max_iterations), "--threads", str(arguments.threads)]
    best, kept = None, None
    for _ in range(arguments.repeats):
        answer, reason, seconds = run(command, arguments.timeout)
        made = run_of(answer, reason, seconds, arguments.tolerance)
        if best is None or made["seconds"] < best["seconds"]:
            best, kept = made, answer
        if answer is None or seconds > 5:
            break
    return best, kept


def solve_one(name, matrix, arguments):
    """The line of a matrix, or None where it is no candidate."""
    first, _, _ = run([str(arguments.bin / "millrace"), "solve", str(matrix), *RUNS["jacobi"], "--json",
                       "--max-iterations", "1"], arguments.timeout)
    if first is None or not is_candidate(first):
        return None, None
    jacobi, answer = best_run(arguments.bin / "millrace", matrix, RUNS["jacobi"], arguments)
    if jacobi["end"] == "indefinite":
        return None, None
    line = {"name": name, "rows": first["matrix"]["rows"], "entries": first["matrix"]["entries"],
            "checks": first["checks"], "runs": {"jacobi": jacobi}}
    for key, options in RUNS.items():
        if key != "jacobi":
            line["runs"][key], _ = best_run(arguments.bin / "millrace", matrix, options, arguments)
    if arguments.before:
        for key in ("auto", "auto_iterative"):
            line["runs"][f"{key}_before"], _ = best_run(arguments.before / "millrace", matrix, RUNS[key], arguments)
    return line, answer


def summary_of(lines):
    """Counts of solved matrices; where hypre or the older program did better."""
    def solved(line, key):
        return line["runs"].get(key, {}).get("solved", False)
    keys = [key for key in (*RUNS, "auto_before", "auto_iterative_before")
            if all(key in line["runs"] for line in lines)]
    found = {"matrices": len(lines), "solved": {key: sum(solved(line, key) for line in lines) for key in keys},
             "only_boomeramg": [line["name"] for line in lines
                                if solved(line, "boomeramg") and not solved(line, "amg")],
             "only_amg": [line["name"] for line in lines if solved(line, "amg") and not solved(line, "boomeramg")]}
    for key in ("auto", "auto_iterative"):
        if f"{key}_before" not in keys:
            continue
        pairs = [(line["name"], line["runs"][key], line["runs"][f"{key}_before"]) for line in lines]
        found[f"{key}_lost"] = [name for name, now, then in pairs if then["solved"] and not now["solved"]]
        found[f"{key}_slower"] = [name for name, now, then in pairs if now["seconds"] > SLOWER * then["seconds"]
                                  and now["seconds"] > then["seconds"] + NOISE]
    return found


def main():
    parser = make_parser(__doc__, timeout=20)
    parser.add_argument("--before", type=pathlib.Path, help="where an older millrace is")
    parser.add_argument("--gallery", default=";".join(GALLERY), help="specs, joined by semicolons")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    matrices = [(name, path) for name, path in files_of(arguments.folder, arguments.only) if may_be_definite(path)]
    lines, last = [], None
    for name, matrix in [*matrices, *((spec, spec) for spec in arguments.gallery.split(";") if spec)]:
        line, answer = solve_one(name, matrix, arguments)
        if line is None:
            continue
        lines.append(line)
        last = answer or last
        words = (f"{key} {made.get('iterations', '-')} {made['seconds']:.3g}{'' if made['solved'] else ' no'}"
                 for key, made in line["runs"].items())
        print(f"{name:<32} {', '.join(words)}", flush=True)
    if last is None:
        print("real_multigrid: no matrix was read", file=sys.stderr)
        return 1
    finish({**record_head("millrace.multigrid-solves", 1, last, arguments), "threads": arguments.threads,
            "repeats": arguments.repeats, "summary": summary_of(lines), "matrices": lines}, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
