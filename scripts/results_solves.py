"""The tables of solved systems on the page of results."""

from results_text import count_text, provenance, table, time_text


def solves(name, record):
    summary = record["summary"]
    rows = [["`millrace solve --method auto`", str(summary["ours"])]]
    rows += [[f"PETSc {key}", str(summary[key])] for key in summary
             if key not in ("matrices", "ours", "either_peer", "only_ours", "only_peer", "failed", "direct")]
    rows += [["any of these peers", str(summary["either_peer"])],
             ["one of these peers, and not ours", str(len(summary["only_peer"]))]]
    words = (f"{summary['matrices']} real square matrices, {record['max_iterations']} iterations at most, "
             f"relative residual {record['tolerance']:g}; the peer is {record['peer_version']}.")
    if "direct" in summary:
        direct = summary["direct"]
        solved = direct["regular"] - len(direct["unsolved"])
        said = direct["tried"] - direct["regular"] - len(direct["unsaid"])
        words += (f" Of the {direct['tried']} with fewer than 20,000 rows, {direct['regular']} are regular (reciprocal "
                  f"condition 1e-15 or more by `--method direct`); {solved} of these are solved, {said} of the others "
                  f"are called singular, and {len(direct['slow'])} take more than 3 times the direct solver's time and "
                  "1 s.")
    return [provenance(name, record), words, table(["solver", "solved"], rows)]


def multigrid_solves(name, record):
    """Iterations and seconds of each run, a line a matrix."""
    columns = {"jacobi": "CG + Jacobi", "amg": "CG + `amg`", "boomeramg": "CG + `boomeramg`", "auto": "`auto`",
               "auto_before": "`auto` before", "auto_iterative": "without factors",
               "auto_iterative_before": "... before"}
    columns = {key: words for key, words in columns.items() if all(key in line["runs"] for line in record["matrices"])}

    def cell(run):
        if not run["solved"]:
            return "no"
        return f"{run['iterations']}, {time_text(run['seconds'] * 1e6)}"
    rows = [[line["name"], count_text(line["rows"]), *(cell(line["runs"][key]) for key in columns)]
            for line in record["matrices"]]
    summary = record["summary"]
    counts = ", ".join(f"{columns[key]} {number}" for key, number in summary["solved"].items() if key in columns)
    words = ("Symmetric definite matrices of 5,000 rows and more, and some of the gallery: iterations, and time with "
             f"the set-up, to a relative residual of {record['tolerance']:g} on {record['threads']} threads; that of "
             f"`boomeramg` has the start of MPI in it. Of {summary['matrices']} are solved: {counts}.")
    return [provenance(name, record), words, table(["matrix", "rows", *columns.values()], rows)]
