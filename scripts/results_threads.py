"""The tables of host threads on the page of results."""

from results_text import count_text, provenance, table


def regions(name, record):
    """From which work on a region pays, by threads."""
    rows = []
    for count in sorted({point["threads"] for point in record["points"]}):
        mine = [point for point in record["points"] if point["threads"] == count]
        row = [str(count), *(f"{point['median_us']:.2f}" for kind in ("region", "region-asleep") for point in mine
                             if point["kind"] == kind)]
        for kind in ("bytes", "bytes-mixed", "flops"):
            pays = [point["amount"] for point in mine if point["kind"] == kind
                    and point["median_us"] < point["one_thread_median_us"]]
            row.append(count_text(min(pays)) if pays else "-")
        rows.append(row)
    words = "A region of nothing, in microseconds, and the least work that is faster in a region."
    return [provenance(name, record), words,
            table(["threads", "awake", "asleep", "bytes", "bytes, in turns with one thread", "flops"], rows)]


def rows(name, record):
    """Milliseconds of set-up and solve: a line per row, load and threads, a column per program."""
    programs = list(record["programs"])
    lines = {}
    for point in record["points"]:
        row = lines.setdefault((point["row"], point["spinning"], point["threads"]), {})
        row[point["program"]] = f"{point['setup_median_s'] * 1e3:.3g} + {point['solve_median_s'] * 1e3:.3g}"
    words = "; ".join(f"{program}: {text}" for program, text in record["programs"].items())
    build = record["builds"][programs[-1]]
    source = (f"*[{name}](records/{name}): {record['machine']['cpu']}, {record['machine']['cores']} cores; commit "
              f"`{build['commit'][:10]}`, {record['created'][:10]}.*")
    return [source, f"Milliseconds of set-up + solve, medians of whole runs. {words}.",
            table(["row", "processes beside", "threads", *programs],
                  [[key[0], str(key[1]), str(key[2]), *(row.get(program, "") for program in programs)]
                   for key, row in lines.items()])]
