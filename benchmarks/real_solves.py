#!/usr/bin/env python3
"""Solves every square matrix of a folder by `millrace solve --method auto` and by PETSc, and writes one record.

b is A times a pseudo-random vector, the limit of iterations is the same for all, and every run is a process of its own
with a time limit, so that nothing can hang. PETSc (benchmark_petsc_solve) runs GMRES(30) with ILU(0) on all of them,
once as it is and once with its remedy for zero pivots (a shift), and CG with ICC(0) where the matrix is symmetric.
"Solved" means: it says so, and |b - A x| <= tolerance |b| holds. Matrices of fewer than 20,000 rows also go through
`--method direct`: its reciprocal condition says which of them are regular, and its time how long a solve may take.

usage: real_solves.py FOLDER --bin BUILD/bin [--out benchmarks/records/solves-CPU.json] [--only NAME,...] ...
"""

import sys

from solve_runs import files_of, finish, head_of, is_solved, make_parser, record_head, rounded, run, tries_of

DIRECT_ROWS = 20_000  # below this, `--method direct` is run, too
MIN_RCOND = 1e-15  # a matrix below this is singular to working precision
PEERS = ("gmres-ilu", "gmres-ilu-shift", "cg-icc")  # of PETSc: GMRES(30) + ILU(0), with shifted pivots; CG + ICC(0)


def ours_of(answer, reason, seconds, tolerance):
    if answer is None:
        return {"solved": False, "end": "failed", "reason": reason, "seconds": rounded(seconds)}
    return {"solved": is_solved(answer["end"] == "converged", answer["relative"], tolerance), "end": answer["end"],
            "reason": answer["reason"], "iterations": answer["iterations"], "relative": rounded(answer["relative"]),
            "seconds": rounded(answer["seconds"] + answer["setup_seconds"]), "tries": tries_of(answer),
            "row_backward_error": rounded(answer["row_backward_error"]), "doubt": answer["doubt"]}


def direct_of(answer, reason, seconds, tolerance):
    """What `--method direct` says of the matrix."""
    if answer is None:
        return {"solved": False, "reason": reason, "rcond": None, "seconds": rounded(seconds)}
    return {"solved": is_solved(answer["end"] == "converged", answer["relative"], tolerance),
            "reason": answer["reason"], "rcond": rounded(answer["rcond"]), "relative": rounded(answer["relative"]),
            "forward_error": rounded(answer["forward_error"]),
            "seconds": rounded(answer["seconds"] + answer["setup_seconds"])}


def direct_summary(lines):
    """Regular matrices that ours has not solved, singular ones that it did not call so, and where it took long."""
    tried = [line for line in lines if line.get("direct", {}).get("rcond") is not None]
    regular = [line for line in tried if line["direct"]["rcond"] >= MIN_RCOND]
    singular = [line for line in tried if line["direct"]["rcond"] < MIN_RCOND]
    return {"tried": len(tried), "regular": len(regular),
            "unsolved": [line["name"] for line in regular if not line["ours"]["solved"]],
            "unsaid": [line["name"] for line in singular if "singular" not in line["ours"].get("doubt", "")
                       and "singular" not in line["ours"].get("reason", "")],
            "slow": [line["name"] for line in tried
                     if line["ours"]["seconds"] > 3 * line["direct"]["seconds"] + 1]}


def peer_of(answer, reason, seconds, tolerance):
    if answer is None:
        return {"solved": False, "reason": reason, "seconds": rounded(seconds)}
    return {"solved": is_solved(answer["converged"], answer["relative"], tolerance), "reason": answer["reason"],
            "iterations": answer["iterations"], "relative": rounded(answer["relative"]),
            "seconds": rounded(answer["seconds"])}


def solve_one(name, path, arguments):
    limits = [repr(arguments.tolerance), str(arguments.max_iterations)]
    command = [str(arguments.bin / "millrace"), "solve", str(path), "--method", "auto", "--json", "--tol", limits[0],
               "--max-iterations", limits[1]]
    answer, reason, seconds = run(command, arguments.timeout)
    facts = answer or {"matrix": {"rows": 0, "entries": 0}, "checks": "", "symmetric": True}
    line = {"name": name, "rows": facts["matrix"]["rows"], "entries": facts["matrix"]["entries"],
            "checks": facts["checks"], "ours": ours_of(answer, reason, seconds, arguments.tolerance), "peers": {}}
    if 0 < line["rows"] < DIRECT_ROWS:
        line["direct"] = direct_of(*run([*command[:4], "direct", *command[5:]], arguments.timeout), arguments.tolerance)
    for method in PEERS if arguments.peers else ():
        if method == "cg-icc" and not facts.get("symmetric", facts.get("hermitian")):  # complex numbers
            continue
        program = [str(arguments.bin / "benchmark_petsc_solve"), str(path), method, *limits]
        line["peers"][method] = peer_of(*run(program, arguments.timeout), arguments.tolerance)
    return line, answer


def summary_of(lines):
    """What the list says: counts, and the names that only one side has solved."""
    def by_peer(line, method=None):
        return any(peer["solved"] for name, peer in line["peers"].items() if method in (None, name))
    return {"matrices": len(lines), "ours": sum(line["ours"]["solved"] for line in lines),
            **{method: sum(by_peer(line, method) for line in lines) for method in PEERS},
            "either_peer": sum(by_peer(line) for line in lines),
            "only_ours": [line["name"] for line in lines if line["ours"]["solved"] and not by_peer(line)],
            "only_peer": [line["name"] for line in lines if by_peer(line) and not line["ours"]["solved"]],
            "failed": [line["name"] for line in lines if line["ours"]["end"] == "failed"],
            **({"direct": direct_summary(lines)} if any("direct" in line for line in lines) else {})}


def main():
    parser = make_parser(__doc__, timeout=60)
    parser.add_argument("--no-peers", dest="peers", action="store_false", help="without PETSc")
    arguments = parser.parse_args()
    lines, last = [], None
    for name, path in files_of(arguments.folder, arguments.only):
        _, rows, columns = head_of(path)
        if rows != columns or rows == 0:
            continue
        line, answer = solve_one(name, path, arguments)
        lines.append(line)
        last = answer or last
        mark = "yes" if line["ours"]["solved"] else "no "
        peers = ", ".join(f"{method} {'yes' if peer['solved'] else 'no'}" for method, peer in line["peers"].items())
        print(f"{name:<32} ours {mark} {line['ours'].get('iterations', '-'):>5}   {peers}", flush=True)
    if last is None:
        print("real_solves: no square matrix was read", file=sys.stderr)
        return 1
    probe = None
    if arguments.peers:
        program = str(arguments.bin / "benchmark_petsc_solve")
        probe, _, _ = run([program, "poisson2d5:n=4", "cg-icc", "1e-8", "100"], 60)
    lines.sort(key=lambda line: line["name"])
    finish({**record_head("millrace.solves", 2, last, arguments), "summary": summary_of(lines), "matrices": lines,
            "peer_version": f"PETSc {probe['version'] if probe else 'unknown'}"}, arguments.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
