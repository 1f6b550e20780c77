#!/usr/bin/env python3
"""Bake-off problems by CG with p-multigrid to 1e-8: one record of many runs of `millrace bp`.

usage: bp_multigrid.py MILLRACE OUT.json cpu|gpu [GROUP,... [RUNS]]    GROUP: of those below; all by default

Cases of the group kershaw are run RUNS times (3), others once; right-hand sides are random, and `millrace bp` checks
the true residual. On a CPU unknowns beyond a million are an eighth.
"""

import json
import pathlib
import subprocess
import sys

from multigrid_peers import times

KERSHAW = ["--kershaw", "0.3"]
REPEATED = "kershaw"  # of others iterations are what matters, or they take long
GROUPS = {
    "kershaw": [["3", "--order", "7", "--dofs", "2.7e6", *KERSHAW], ["5", "--order", "7", "--dofs", "2.7e6", *KERSHAW],
                ["3", "--order", "7", "--dofs", "2.7e6", *KERSHAW, "--recompute"],
                ["5", "--order", "7", "--dofs", "2.7e6", *KERSHAW, "--recompute"],
                ["5", "--order", "7", "--dofs", "2.7e6", *KERSHAW, "--recompute", "--degree", "2"],
                ["5", "--order", "7", "--dofs", "2.7e6", *KERSHAW, "--degree", "4"]],
    "large": [["5", "--order", "7", "--dofs", "2.2e7", *KERSHAW, "--recompute", "--degree", degree]
              for degree in ("2", "3", "4")],
    "orders": [["5", "--order", str(order), "--dofs", dofs, *KERSHAW]
               for dofs in ("3.5e5", "2.7e6") for order in range(2, 9)],
    "tets": [["3", "--element", element, "--order", str(order), "--dofs", "4e5", "--kershaw", epsilon]
             for epsilon in ("1", "0.3") for element in ("hex", "tet") for order in range(2, 6)],
}


def point_of(answers, arguments):
    """One point from the records of the runs of a case."""
    first = answers[0]
    if any(answer["cg"]["end"] != "converged" for answer in answers):
        sys.exit(f"millrace bp {' '.join(arguments)} has not converged")
    if any(answer["cg"]["iterations"] != first["cg"]["iterations"] for answer in answers):
        sys.exit(f"millrace bp {' '.join(arguments)}: runs have other iterations")
    milliseconds = times([answer["cg"]["seconds"] * 1e3 for answer in answers])
    rate = first["dofs"] * first["cg"]["iterations"] / milliseconds["median"] / 1e6
    return {"arguments": " ".join(arguments), "problem": first["problem"], "element": first["element"],
            "order": first["order"], "epsilon": first["epsilon"], "factors": first["factors"], "dofs": first["dofs"],
            "orders": [level["order"] for level in first["multigrid"]["levels"]],
            "smoothed_by": first["multigrid"]["levels"][0]["smoothed_by"], "iterations": first["cg"]["iterations"],
            "residual": max(answer["cg"]["relative"] for answer in answers), "solve_ms": milliseconds,
            "gdof_s": rate, "operator_us": first["operator"]["median_us"],
            "setup_ms": times([answer["multigrid"]["setup_seconds"] * 1e3 for answer in answers])}


def run(program, arguments, device, runs):
    """The records of some runs of one case, and its point."""
    given = list(arguments)
    at = given.index("--dofs") + 1
    if device == "cpu" and float(given[at]) > 1e6:
        given[at] = f"{float(given[at]) / 8:g}"
    command = [program, "bp", *given, "--precond", "pmg", "--random", "--tol", "1e-8", "--device", device]
    answers = []
    for _ in range(runs):
        done = subprocess.run([*command, "--json", "-"], check=True, stdout=subprocess.PIPE, text=True)
        answers.append(json.loads(done.stdout))
    return answers, point_of(answers, given)


def main(arguments):
    if len(arguments) < 3 or len(arguments) > 5 or arguments[2] not in ("cpu", "gpu"):
        sys.exit(__doc__)
    program, out, device = arguments[:3]
    groups = arguments[3].split(",") if len(arguments) > 3 else list(GROUPS)
    if unknown := [group for group in groups if group not in GROUPS]:
        sys.exit(f"bp_multigrid.py: there is no group '{unknown[0]}'; there are {', '.join(GROUPS)}")
    runs = int(arguments[4]) if len(arguments) > 4 else 3
    record = {}
    for group in groups:
        for case in GROUPS[group]:
            answers, point = run(program, case, device, runs if group == REPEATED else 1)
            if not record:
                record = {"schema": "millrace.bp-multigrid", "version": 1,
                          **{key: answers[0][key] for key in ("created", "machine", "device", "build", "bandwidth")},
                          "command": f"bp_multigrid.py MILLRACE OUT.json {device} {','.join(groups)} {runs}",
                          "points": []}
            record["points"].append({"group": group, **point})
            print(f"bp {point['arguments']}: {point['iterations']} iterations, "
                  f"{point['solve_ms']['median']:.1f} ms, {point['gdof_s']:.2f} GDOF/s times iterations", flush=True)
            pathlib.Path(out).write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
