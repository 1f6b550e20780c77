#!/usr/bin/env python3
"""The receipt of the GPU tests: which sources they ran on, on which device, and what came out.

usage: gpu_receipt.py hash                      sha256 of the code, without comments, of every source that the CUDA
                                                objects include
       gpu_receipt.py write --result JUNIT ...  writes the receipt after a run of `ctest -L gpu`
       gpu_receipt.py check [--strict]          is the receipt of the sources as they are now?

Continuous integration has no GPU; it compares the hashes and warns when the tests must be run again.
"""

import argparse
import datetime
import hashlib
import json
import pathlib
import re
import sys
import xml.etree.ElementTree

from git_output import git_output

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["src", "apps", "tests", "benchmarks"]
VERSION = 2  # 1: hashes of whole files
# Literals, in which there are no comments, and comments.
TOKEN = re.compile(r'R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n]){1,8}\''
                   r"|(?P<comment>//[^\n]*|/\*.*?\*/)", re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
FIELDS = ["schema", "version", "created", "device", "driver", "cuda", "commit", "sources", "tests", "sanitizer"]


def cuda_sources(root):
    """All .cu files and, through quoted includes, every file of the repository that they see."""
    waiting = [path for folder in FOLDERS for path in sorted((root / folder).rglob("*.cu"))]
    found = set()
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            candidates = [path.parent / name, root / "src" / name, root / "tests" / name]
            waiting += [candidate.resolve() for candidate in candidates if candidate.is_file()][:1]
    return sorted(found)


def code_of(text):
    """The lines of a source without comments, spaces at their ends, and empty ones: no test can tell them apart."""
    bare = TOKEN.sub(lambda token: " " if token["comment"] else token[0], text)
    return "\n".join(line for line in map(str.rstrip, bare.splitlines()) if line)


def source_hashes(root):
    return {path.relative_to(root).as_posix():
            hashlib.sha256(code_of(path.read_text(encoding="utf-8")).encode()).hexdigest()
            for path in cuda_sources(root)}


def read_junit(path):
    """Counts of a JUnit file of ctest or GoogleTest, and the names of the tests that failed."""
    cases = xml.etree.ElementTree.parse(path).getroot().iter("testcase")
    counts = {"run": 0, "passed": 0, "failed": 0, "skipped": 0, "failed_names": []}
    for case in cases:
        if case.find("failure") is not None or case.get("status") == "fail":
            counts["failed"] += 1
            counts["failed_names"].append(case.get("name"))
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            counts["skipped"] += 1
        else:
            counts["passed"] += 1
    counts["run"] = counts["passed"] + counts["failed"]
    return counts


def read_ctest_log(path):
    """The same from what ctest prints."""
    counts = {"run": 0, "passed": 0, "failed": 0, "skipped": 0, "failed_names": []}
    line = re.compile(r"^ *\d+/\d+ +Test +#\d+: (\S+) \.+ *(Passed|\*\*\*\S+)", re.MULTILINE)
    for name, word in line.findall(path.read_text(encoding="utf-8", errors="replace")):
        if word == "Passed":
            counts["passed"] += 1
        elif word in ("***Skipped", "***Not", "***Disabled"):
            counts["skipped"] += 1
        else:
            counts["failed"] += 1
            counts["failed_names"].append(name)
    counts["run"] = counts["passed"] + counts["failed"]
    return counts


def read_results(paths):
    """The sum over all files."""
    total = {"run": 0, "passed": 0, "failed": 0, "skipped": 0, "failed_names": []}
    for path in paths:
        counts = read_junit(path) if path.suffix == ".xml" else read_ctest_log(path)
        total = {name: total[name] + counts[name] for name in total}
    return total


def commit_of(root):
    """Of a copy that scripts/stage_offline.sh prepared, the commit that it came from."""
    staged = root / ".stage" / "commit"
    here = git_output(root, "describe", "--always", "--dirty", "--abbrev=12")
    if staged.is_file():
        commit, dirty = staged.read_text(encoding="utf-8").split()
        if here is None or git_output(root, "cat-file", "-e", commit) is None:
            return commit[:12] + ("-dirty" if dirty == "true" else "")
    return (here or "").strip()


def write(arguments):
    receipt = {
        "schema": "millrace.gpu-tests",
        "version": VERSION,
        "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "device": arguments.device,
        "driver": arguments.driver,
        "cuda": arguments.cuda,
        "commit": arguments.commit or commit_of(arguments.root),
        "sources": source_hashes(arguments.root),
        "tests": read_results(arguments.result),
        "sanitizer": {"tool": arguments.sanitizer, "errors": arguments.sanitizer_errors},
    }
    arguments.receipt.parent.mkdir(parents=True, exist_ok=True)
    arguments.receipt.write_text(json.dumps(receipt, indent=2) + "\n", encoding="utf-8")
    tests = receipt["tests"]
    print(f"{arguments.receipt}: {tests['passed']} passed, {tests['failed']} failed, {tests['skipped']} skipped")
    return 0 if tests["failed"] == 0 else 1


def find_problems(receipt, hashes):
    """(what is wrong with the receipt itself, the files that changed since it was written)."""
    kind = (receipt.get("schema"), receipt.get("version")) if isinstance(receipt, dict) else None
    if kind != ("millrace.gpu-tests", VERSION):
        return [f"it is not a receipt of version {VERSION}"], []
    missing = [field for field in FIELDS if field not in receipt]
    if missing:
        return [f"it lacks: {' '.join(missing)}"], []
    problems = []
    tests = receipt["tests"]
    if tests["failed"]:
        problems.append(f"{tests['failed']} tests failed: {' '.join(tests['failed_names'])}")
    if not tests["passed"]:
        problems.append("no test ran")
    if receipt["sanitizer"]["errors"]:
        problems.append(f"{receipt['sanitizer']['tool']} found {receipt['sanitizer']['errors']} errors")
    sources = receipt["sources"]
    changed = [f"{name} ({'new' if name not in sources else 'gone' if name not in hashes else 'changed'})"
               for name in sorted(set(sources) | set(hashes)) if sources.get(name) != hashes.get(name)]
    return problems, changed


def check(arguments):
    hashes = source_hashes(arguments.root)
    if not hashes:
        print("gpu_receipt: there are no CUDA sources")
        return 0
    if not arguments.receipt.is_file():
        print("WARNING: there is no receipt of the GPU tests; run scripts/gpu_run.sh on a machine with a GPU")
        return 1 if arguments.strict else 0
    receipt = json.loads(arguments.receipt.read_text(encoding="utf-8"))
    problems, changed = find_problems(receipt, hashes)
    for problem in problems:
        print(f"WARNING: receipt of the GPU tests: {problem}")
    if changed:
        print(f"WARNING: {len(changed)} sources changed since the GPU tests ran ({receipt['created']}):")
        for name in changed:
            print(f"  {name}")
        print("run scripts/gpu_run.sh on a machine with a GPU and keep its receipt")
    if not problems and not changed:
        print(f"gpu_receipt: {receipt['tests']['passed']} GPU tests passed on {receipt['device']} with these "
              f"{len(hashes)} sources ({receipt['created']})")
    return 1 if arguments.strict and (problems or changed) else 0


def print_hashes(arguments):
    for name, value in source_hashes(arguments.root).items():
        print(f"{value}  {name}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the repository")
    parser.add_argument("--receipt", type=pathlib.Path, help="default: benchmarks/records/gpu-tests.json")
    verbs = parser.add_subparsers(required=True)
    verbs.add_parser("hash").set_defaults(run=print_hashes)
    writer = verbs.add_parser("write")
    writer.add_argument("--result", type=pathlib.Path, required=True, nargs="+",
                        help="JUnit files (.xml) of ctest or GoogleTest, or logs of ctest")
    writer.add_argument("--device", required=True)
    writer.add_argument("--driver", default="")
    writer.add_argument("--cuda", default="")
    writer.add_argument("--commit", default="")
    writer.add_argument("--sanitizer", default="")
    writer.add_argument("--sanitizer-errors", type=int, default=0)
    writer.set_defaults(run=write)
    checker = verbs.add_parser("check")
    checker.add_argument("--strict", action="store_true", help="exit with 1 when the receipt is stale")
    checker.set_defaults(run=check)
    arguments = parser.parse_args()
    arguments.root = arguments.root.resolve()
    arguments.receipt = arguments.receipt or arguments.root / "benchmarks" / "records" / "gpu-tests.json"
    return arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
