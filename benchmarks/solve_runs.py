"""What scripts that solve the matrices of a folder share: its files, runs of programs, options, and records as text."""

import argparse
import datetime
import gzip
import json
import lzma
import pathlib
import subprocess
import time

ENDINGS = {".mtx": open, ".mtx.gz": gzip.open, ".mtx.xz": lzma.open}
SLACK = 1.01  # of the tolerance: a recurrence and the true residual differ by rounding


def make_parser(words, timeout):
    """With the options that all have; `timeout` is the default, in seconds."""
    parser = argparse.ArgumentParser(description=words.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="where millrace and programs of peers are")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names of files, joined by commas")
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--max-iterations", type=int, default=1000)
    parser.add_argument("--timeout", type=float, default=timeout)
    return parser


def files_of(folder, only):
    """Pairs of a name and a file, in the order of their sizes; `only` has names joined by commas, or is empty."""
    names = [name for name in only.split(",") if name]
    found = []
    for path in folder.iterdir():
        for ending in ENDINGS:
            if path.name.endswith(ending) and (not names or path.name[:-len(ending)] in names):
                found.append((path.name[:-len(ending)], path))
    return sorted(found, key=lambda pair: (pair[1].stat().st_size, pair[0]))


def head_of(path):
    """Kind of numbers, rows and columns of a Matrix Market file, from its first lines."""
    opener = next(opener for ending, opener in ENDINGS.items() if path.name.endswith(ending))
    kind = ""
    with opener(path, "rt", encoding="utf-8", errors="replace") as file:
        for line in file:
            words = line.split()
            if line.startswith("%%"):
                kind = words[3].lower() if len(words) > 3 else ""
            elif words and not line.startswith("%"):
                return kind, int(words[0]), int(words[1])
    return kind, 0, 0


def run(command, timeout):
    """The JSON that a program prints, or the reason why there is none; and seconds."""
    begin = time.monotonic()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        return None, f"no answer within {timeout} s", timeout
    seconds = time.monotonic() - begin
    if done.returncode < 0:
        return None, f"crashed by signal {-done.returncode}", seconds
    try:
        return json.loads(done.stdout), "", seconds
    except ValueError:
        return None, (done.stderr.strip() or "no answer").splitlines()[0][:300], seconds


def is_solved(converged, relative, tolerance):
    return bool(converged) and relative is not None and relative <= SLACK * tolerance


def rounded(value):
    return None if value is None else float(f"{value:.4g}")


def tries_of(answer):
    """What `millrace solve` has tried, a text each."""
    return [f"{step['method']}{'(%d)' % step['restart'] if 'restart' in step else ''} + {step['precond']}"
            + (f", order {step['order']}" if step["order"] else "")
            + f": {step['end']} after {step['iterations']}" for step in answer["tries"]]


def record_head(schema, version, answer, arguments):
    """The begin of a record; machine and build are those of an answer of `millrace solve`."""
    return {"schema": schema, "version": version,
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "machine": answer["machine"], "build": answer["build"], "tolerance": arguments.tolerance,
            "max_iterations": arguments.max_iterations, "timeout_s": arguments.timeout}


def text_of(record):
    """The record with one matrix a line: short to read, and short in differences."""
    head = json.dumps({key: value for key, value in record.items() if key != "matrices"}, indent=1)[:-2]
    lines = ",\n".join("  " + json.dumps(line) for line in record["matrices"])
    return f'{head},\n "matrices": [\n{lines}\n ]\n}}\n'


def finish(record, out):
    """Prints the summary, and writes the record where a file was named."""
    print(json.dumps(record["summary"], indent=1))
    if out:
        out.write_text(text_of(record), encoding="utf-8")
