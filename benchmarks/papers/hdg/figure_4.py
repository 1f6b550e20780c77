#!/usr/bin/env python3
"""HDG dense blocks, Figure 4: how many times faster the GPU is than one thread of a CPU, against memory.

Nothing is timed: the sweeps of a CPU and of a GPU come from records of figures_2_3.py, by default the newest ones in
the output folder and in benchmarks/records. The curves are the minimum and the maximum over p.
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import common  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

WORKS = {"contract": "Algorithm 2", "product": "our product"}  # on the GPU, against Algorithm 1 on one thread
COLOURS = {("contract", 2): "#b0b0b0", ("contract", 3): "#555555", ("product", 2): "#c8451f", ("product", 3): "#0b6fa4"}
SCALARS = {"single": "float", "double": "double"}
PAPER_LEAST = "> 20"


def on_gpu(run):
    return run["device"]["kind"] == "gpu"


def find_sweeps(arguments):
    """The newest run and its cases of either kind of device; nothing where there is none."""
    files = arguments.sweeps
    if not files:
        names = "papers-hdg-figures-2-3-*.json"
        files = [*arguments.out.glob(names), *(common.ROOT / "benchmarks" / "records").glob(names)]
    records = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    found = {}
    for one in sorted((one for one in records if one["quick"] == arguments.quick), key=lambda one: one["created"]):
        for run in one["runs"]:
            cases = [case for case in one["sweep"] if case["device"].startswith("gpu") == on_gpu(run)]
            found["gpu" if on_gpu(run) else "cpu"] = (run, {key_of(case): case for case in cases})
    return found


def key_of(case):
    return tuple(case[key] for key in ("precision", "dimension", "degree", "memory_mib"))


def speed_ups(cpu, gpu, work):
    """By case: time of Algorithm 1 on one thread over that of the GPU, where both have it."""
    return {key: cpu[key]["times"]["algorithm1"]["seconds"] / case["times"][work]["seconds"]
            for key, case in gpu.items() if key in cpu and work in case["times"]}


def chart(ratios, precision):
    panel = svg.Panel(f"{precision} precision", svg.Axis("memory (MiB)", log=True),
                      svg.Axis("CPU time / GPU time", log=True))
    for (work, dimension), colour in COLOURS.items():
        here = {key: ratio for key, ratio in ratios[work].items() if key[:2] == (SCALARS[precision], dimension)}
        sizes = sorted({key[3] for key in here})
        for bound, pick in (("max", max), ("min", min)):
            if here:
                panel.line(f"{WORKS[work]}, {dimension}D, {bound}", sizes,
                           [pick(ratio for key, ratio in here.items() if key[3] == size) for size in sizes],
                           colour=colour, dashed=bound == "min", marks=True)
    return panel


def main():
    parser = common.options(__doc__)
    parser.add_argument("--sweeps", type=pathlib.Path, nargs="+", metavar="FILE", help="records of figures_2_3.py")
    arguments = parser.parse_args()
    found = find_sweeps(arguments)
    if set(found) != {"cpu", "gpu"}:
        print(f"Figure 4 divides times of a CPU by times of a GPU; there is a sweep of {' '.join(found) or 'neither'} "
              "(figures_2_3.py --device cpu,gpu makes both), so nothing is drawn.\n")
        return
    (cpu_run, cpu), (gpu_run, gpu) = found["cpu"], found["gpu"]
    table = record.Table("hdg", "figure 4", "Time of Algorithm 1 on one thread of a CPU over the time of the GPU",
                         arguments)
    table.runs = [cpu_run, gpu_run]
    ratios = {work: speed_ups(cpu, gpu, work) for work in WORKS}
    for precision, scalar in SCALARS.items():
        for work, label in WORKS.items():
            values = [ratio for key, ratio in ratios[work].items() if key[0] == scalar]
            if not values:
                raise common.Refused(f"the sweeps have no case in common with {precision} precision")
            table.add(f"{precision}: {label}", "least", "", PAPER_LEAST if work == "contract" else None)
            table.put(f"{precision}: {label}", "least", "", gpu_run["column"], min(values))
            table.put(f"{precision}: {label}", "most", "", gpu_run["column"], max(values))
            table.put(f"{precision}: {label}", "cases", "", gpu_run["column"], len(values))
    table.notes = [f"From the sweeps of {cpu_run['column']} and {gpu_run['column']} (figures_2_3.py), over all "
                   "memories, degrees and both dimensions.",
                   "The contraction alone; our product gathers x as well. The paper's CPU is a Xeon of 2009 and its "
                   "GPU a GTX 285."]
    panels = [chart(ratios, precision) for precision in SCALARS]
    table.finish([("", svg.figure("Figure 4: speed-up of the GPU", panels, columns=2, size=(560, 320)))])


common.run_script(main)
