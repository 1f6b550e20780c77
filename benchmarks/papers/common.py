"""What the scripts of all papers share: their options, and the command `millrace` with what it reports."""

import argparse
import array
import json
import operator
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BATCH = 40  # matrices of one call of the command: each call measures the memory again, which takes seconds


ONE_THREAD = "cpu-one-thread"


class Refused(Exception):
    """Something that a user can put right; its text is printed alone."""


def options(description):
    parser = argparse.ArgumentParser(description=description.strip().split("\n", maxsplit=1)[0])
    parser.add_argument("--millrace", type=pathlib.Path, default=ROOT / "build" / "cpu" / "bin" / "millrace",
                        metavar="FILE", help="the command (default: build/cpu/bin/millrace of this repository)")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "build" / "papers", metavar="FOLDER",
                        help="where records and pictures go (default: build/papers)")
    parser.add_argument("--device", default="cpu", metavar="NAME,...",
                        help="cpu, gpu, or several: cpu,gpu; each makes a column (default: cpu); for products "
                             f"{ONE_THREAD} too")
    parser.add_argument("--threads", type=int, metavar="N", help="host threads (default: one a core)")
    parser.add_argument("--min-time", type=float, metavar="S", help="seconds of samples for each point")
    parser.add_argument("--cold", action="store_true", help="empty the caches before every run (default: leave them)")
    parser.add_argument("--quick", action="store_true", help="a small version that takes seconds")
    return parser


def slug(name):
    """A short name of a device for columns and files: 'Arm Neoverse-V1' becomes neoverse-v1."""
    short = re.sub(r"\(.*?\)|^(Arm|NVIDIA|Intel|AMD) |CPU.*|Processor.*", "", name).strip().lower()
    return re.sub(r"[^a-z0-9]+", "-", short).strip("-") or "unknown"


def column_of(record, one_thread=False):
    """The name of a device in columns and files, of a CPU with its cores, for one name stands for many machines."""
    if record["device"]["kind"] == "gpu":
        return slug(record["device"]["name"])
    name = f"{slug(record['device']['name'])}-{record['machine']['cores']}-cores"
    return f"{name}-one-thread" if one_thread else name


class Points:
    """What one device did: its run (machine, device, build, bandwidth) and a point for each contender."""

    def __init__(self, records, one_thread=False):
        last = records[-1]
        bandwidth = {name: statistics.median(record["bandwidth"][name] for record in records)
                     for name in last["bandwidth"]}
        self.column = column_of(last, one_thread)
        self.run = {"column": self.column, "machine": last["machine"], "device": last["device"],
                    "build": last["build"], "bandwidth": {name: rounded(value) for name, value in bandwidth.items()}}
        self.points = {}
        for record in records:
            for point in record["points"]:
                matrix = point["matrix"]
                name = matrix.get("spec") or matrix["file"]
                del point["samples_us"]
                self.points[name, point["precision"], point["contender"]] = point

    def get(self, matrix, precision, contender):
        """The point, or None when the format refused the matrix. A file is known by its name."""
        return self.points.get((pathlib.PurePath(matrix).name, precision, contender))

    def of(self, matrix, precision):
        """All points of a matrix."""
        return [point for key, point in self.points.items() if key[:2] == (matrix, precision)]

    def gflop_s(self, matrix, precision, contender):
        point = self.get(matrix, precision, contender)
        return point["gflop_s"] if point else None

    def facts(self, matrix):
        """rows, cols and entries of a matrix; None when no format took it."""
        return next((point["matrix"] for key, point in self.points.items() if key[0] == matrix), None)

    @property
    def on_gpu(self):
        return self.run["device"]["kind"] == "gpu"

    @property
    def read_gb_s(self):
        return self.run["bandwidth"]["read_gb_s"]


class Command:
    """The command with the options that a script was given."""

    def __init__(self, arguments):
        self.program, self.threads, self.cold = arguments.millrace, arguments.threads, arguments.cold
        self.devices = [name for name in arguments.device.split(",") if name]
        if not self.program.is_file():
            raise Refused(f"{self.program}: there is no such command; build it (test.sh, or cmake --preset cpu) or "
                          "name it by --millrace")

    def call(self, *words):
        words = [str(self.program), *map(str, words)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"{' '.join(words)[:300]} ended with code {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def bench(self, matrices, formats, device, precisions=("double",), min_time=0.1, peers=False, cold=False):
        """Times the formats on the matrices, each checked by the command before. Caches stay as they are unless this or
        the script's option says that they are emptied before every run."""
        matrices, records = list(matrices), []
        for begin in range(0, len(matrices), BATCH):
            if len(matrices) > BATCH:
                print(f"  {device}: {begin} of {len(matrices)} matrices", file=sys.stderr)
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "record.json"
                one_thread = device == ONE_THREAD
                words = ["bench", *matrices[begin:begin + BATCH], "--formats", ",".join(formats), "--precision",
                         ",".join(precisions), "--device", "cpu" if one_thread else device,
                         "--min-time", min_time, "--json", file,
                         "--cold" if cold or self.cold else "--hot"]
                words += [] if peers else ["--no-peers"]
                threads = 1 if one_thread else self.threads
                words += ["--threads", threads] if threads else []
                self.call(*words)
                records.append(json.loads(file.read_text(encoding="utf-8")))
        return Points(records, device == ONE_THREAD)

    def machine(self, device):
        """Machine, device, build and measured bandwidth alone."""
        return self.bench(["poisson2d5:n=3"], ["csr"], device, min_time=0)

    def inspect(self, matrix):
        return json.loads(self.call("inspect", matrix, "--json", "--read-gb-s", 50))


def call_program(words):
    """What a program of the benchmarks prints, as JSON."""
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Refused(f"{' '.join(words)[:300]} ended with code {done.returncode}: {done.stderr.strip()[-600:]}")
    return json.loads(done.stdout)


def find_program(arguments, name):
    """A program beside the command; each has the name of its target."""
    file = arguments.millrace.with_name(name)
    if not file.is_file():
        raise Refused(f"{file}: there is no such program; build the target {name}")
    return file


def stored(formats, storage):
    """The formats as a paper has them, with 4-byte columns and all values in full, or as the library would choose."""
    plain = ("csr", "coo", "dbf")
    return [name if storage == "automatic" or name.startswith(plain) else name + "-full" for name in formats]


def add_storage(parser):
    parser.add_argument("--storage", choices=["full", "automatic"], default="full",
                        help="full: columns of 4 bytes and values as they are, as in the paper (default); "
                             "automatic: narrower ones where they fit")


def row_lengths(mrx):
    """Lengths of all rows of a .mrx file (docs/file-formats.md), from its row offsets alone."""
    with open(mrx, "rb") as file:
        head = file.read(192)
        width, = struct.unpack_from("<I", head, 20)
        begin, size = struct.unpack_from("<qq", head, 56)
        file.seek(begin)
        offsets = array.array({4: "i", 8: "q"}[width])
        offsets.frombytes(file.read(size))
    return array.array("i", map(operator.sub, offsets[1:], offsets))


def rounded(value, digits=4):
    """To so many significant digits, so that records stay small."""
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def mean(values):
    values = list(values)
    return sum(values) / len(values) if values else None


def run_script(main):
    try:
        main()
    except Refused as error:
        print(f"{pathlib.Path(sys.argv[0]).name}: {error}", file=sys.stderr)
        sys.exit(1)
