"""Follows docs/adding-a-format.md: adds the format of that page to a copy of the sources and runs the tests of
all formats there. Takes the code and the change from the page, so the page cannot rot."""

import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

import repo

PAGE = repo.ROOT / "docs" / "adding-a-format.md"
NEW_FILE = "src/millrace/sparse/rowell.hpp"
LIST = "src/millrace/sparse/formats.hpp"
LEFT_OUT = ("docs/", "benchmarks/records/")
UNUSED = tuple(f"src/millrace/{folder}/"  # by formats; their headers stay
               for folder in ("dist", "fem", "hdg", "io", "mesh", "precond", "solve", "tune"))
TESTS = ("convert", "csr", "formats", "matrix", "product")  # that go over all formats


def block_of(page, language):
    return re.search(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)[1]


def apply_change(text, change):
    """A removed line is replaced by the added lines after it; an added include joins the other includes."""
    added_include = [line[1:] for line in change.splitlines() if line.startswith("+#include")]
    removed = [line[1:] for line in change.splitlines() if line.startswith("-")]
    added = [line[1:] for line in change.splitlines() if line.startswith("+") and not line.startswith("+#include")]
    for old, new in zip(removed, added, strict=True):
        if old not in text:
            sys.exit(f"adding_a_format: {LIST} has no line '{old}'; the page is out of date")
        text = text.replace(old, new)
    for line in added_include:
        text = text.replace('#include "millrace/', f'{line}\n#include "millrace/', 1)
    return text


def write_if_changed(path, data):
    """Keeps the time stamps of what did not change, so that a second run builds little."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)


def make_copy(folder):
    page = PAGE.read_text(encoding="utf-8")
    wanted = {NEW_FILE: block_of(page, "cpp").encode()}
    for path in repo.files():
        name = path.relative_to(repo.ROOT).as_posix()
        other_test = name.startswith("tests/sparse/") and path.stem.startswith("test_") and \
            path.stem.removeprefix("test_") not in TESTS
        unused = name.startswith(UNUSED) and name.endswith(".cpp")
        if not name.startswith(LEFT_OUT) and not unused and not other_test:
            wanted[name] = path.read_bytes()
    wanted[LIST] = apply_change(wanted[LIST].decode(), block_of(page, "diff")).encode()
    if folder.is_dir():
        for path in folder.rglob("*"):
            if path.is_file() and path.relative_to(folder).as_posix() not in wanted:
                path.unlink()
    for name, data in wanted.items():
        write_if_changed(folder / name, data)


def run(what, command, **options):
    result = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if result.returncode != 0:
        sys.exit(f"adding_a_format: could not {what}:\n{(result.stdout + result.stderr)[-6000:]}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="where the copy and its build go")
    parser.add_argument("--compiler", default="c++")
    arguments = parser.parse_args()
    copy, build = arguments.folder / "source", arguments.folder / "build"
    make_copy(copy)
    stage = repo.ROOT / ".stage"
    if stage.is_dir() and not (copy / ".stage").exists():
        shutil.copytree(stage, copy / ".stage")
    options = ["-DMILLRACE_CUDA=OFF", "-DMILLRACE_MPI=OFF", "-DMILLRACE_TESTS=ON", "-DMILLRACE_BENCHMARKS=OFF",
               "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0",
               f"-DCMAKE_CXX_COMPILER={arguments.compiler}"]
    run("configure", ["cmake", "-S", str(copy), "-B", str(build), "-G", "Ninja", *options])
    run("build", ["cmake", "--build", str(build), "--target", "test_sparse", "-j", str(os.cpu_count() or 1)])
    program = build / "bin" / "test_sparse"
    chosen = "--gtest_filter=-Data*:*/Data*:Slow*:*/Slow*:*/0.*:*/2.*:*/3.*"  # of the scalars, double
    shards = os.cpu_count() or 1
    with concurrent.futures.ThreadPoolExecutor(shards) as pool:
        outputs = pool.map(lambda shard: run("pass the tests of all formats", [str(program), chosen], env={
            **os.environ, "GTEST_TOTAL_SHARDS": str(shards), "GTEST_SHARD_INDEX": str(shard)}), range(shards))
        passed = sum(int(re.search(r"^\[  PASSED  \] (\d+) ", output, re.MULTILINE)[1]) for output in outputs)
    print(f"adding_a_format: with rowell as one more format: {passed} tests passed")


if __name__ == "__main__":
    main()
