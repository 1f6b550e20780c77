"""Runs the compiler of the build over small sources, several at a time."""

import concurrent.futures
import os
import subprocess


def add_arguments(parser):
    parser.add_argument("--compiler", default="c++", help="the C++ compiler")
    parser.add_argument("--include", action="append", default=[], help="a folder of headers; may be repeated")
    parser.add_argument("--flag", action="append", default=[], help="a flag of the compiler, as --flag=-DNAME")


def command(arguments, *extra):
    return [arguments.compiler, "-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in arguments.include),
            *arguments.flag, *extra]


def run_all(jobs):
    """jobs: {name: (command, text for its standard input)}; gives {name: (exit code, messages)}."""
    def run(job):
        words, text = job
        result = subprocess.run(words, input=text, capture_output=True, text=True, check=False,
                                env={**os.environ, "LC_ALL": "C"})
        return result.returncode, result.stderr

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return dict(zip(jobs, pool.map(run, jobs.values())))
