"""The command on several ranks: the answers of one rank, files in their order, and one clear line for what goes wrong.

usage: check_command.py MPIEXEC MILLRACE
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

MPIEXEC, MILLRACE = sys.argv[1:3]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "MILLRACE_PATIENCE": "60"}
SECONDS = 10  # in which a job with a fault must end
HANGS = 300  # seconds after which a job hangs; a benchmark needs 20 on two idle cores, more on busy ones


def vector(path):
    lines = [line for line in path.read_text().splitlines() if not line.startswith("%")]
    return [float(line) for line in lines[1:]]


class CommandOnRanks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        cls.matrix = str(cls.path / "a.mtx")
        cls.one("gen", "laplace2d5:n=30", "-o", cls.matrix)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @staticmethod
    def one(*words):
        return subprocess.run([MILLRACE, *words], env=ENVIRONMENT, text=True, capture_output=True, check=True)

    def ranks(self, num, *words):
        return subprocess.run([MPIEXEC, "--oversubscribe", "-n", str(num), MILLRACE, *words], env=ENVIRONMENT,
                              text=True, capture_output=True, timeout=HANGS, check=False)

    def report(self, num, *words):
        job = self.ranks(num, *words, "--json")
        self.assertEqual(job.returncode, 0, job.stderr)
        return json.loads(job.stdout)

    def test_solve_in_the_order_of_the_file(self):
        alone = json.loads(self.one("solve", self.matrix, "--tol", "1e-11", "-x", str(self.path / "x.mtx"),
                                    "--json").stdout)
        wanted = vector(self.path / "x.mtx")
        for partition in ("rows", "entries", "metis"):
            out = self.path / f"x-{partition}.mtx"
            found = self.report(3, "solve", self.matrix, "--tol", "1e-11", "-x", str(out), "--partition", partition)
            self.assertEqual(found["ranks"], 3)
            self.assertEqual(found["checks"], alone["checks"])
            self.assertLess(max(abs(a - b) for a, b in zip(vector(out), wanted, strict=True)), 1e-8)

    def test_right_hand_sides_and_starts_from_files(self):
        x = str(self.path / "start.mtx")
        self.one("solve", self.matrix, "--tol", "1e-11", "-x", x)
        found = self.report(2, "solve", self.matrix, "--x0", x, "--partition", "metis", "--tol", "1e-8")
        self.assertEqual(found["iterations"], 0)  # A times the same random vector, so the start is the solution

    def test_reproducible(self):
        files = []
        for num in (1, 2, 3):
            files.append(self.path / f"bits-{num}.mtx")
            self.report(num, "solve", "laplace2d5:n=110", "--reproducible", "-x", str(files[-1]))
        texts = [re.sub("%.*\n", "", file.read_text()) for file in files]
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(texts[0], texts[2])

    def test_every_precision_and_mode(self):
        for precision in ("float", "double", "complex-float", "complex-double"):
            for mode in ("vector", "overlap", "task"):
                found = self.report(2, "solve", self.matrix, "--precision", precision, "--mode", mode, "--method", "cg",
                                    "--precond", "jacobi")
                self.assertIn(f"mode {mode}", found["format_reason"])

    def test_multigrid_of_each_rank(self):
        few = json.loads(self.one("solve", "laplace3d7:n=20", "--method", "cg", "--precond", "amg", "--json").stdout)
        for num in (2, 4):
            found = self.report(num, "solve", "laplace3d7:n=20", "--method", "cg", "--precond", "amg")
            self.assertIn("on each rank alone", found["tries"][0]["precond_note"])
            self.assertGreater(len(found["tries"][0]["multigrid"]["levels"]), 1)
            self.assertGreater(found["iterations"], few["iterations"])
            self.assertLess(found["iterations"], 4 * few["iterations"])

    def test_eig_and_bench(self):
        alone = json.loads(self.one("eig", self.matrix, "--lowest", "4", "--json").stdout)["lowest"]["values"]
        found = self.report(3, "eig", self.matrix, "--lowest", "4", "--vectors", str(self.path / "v.mtx"))
        for a, b in zip(alone, found["lowest"]["values"], strict=True):
            self.assertAlmostEqual(a, b, places=9)
        self.assertEqual(len(vector(self.path / "v.mtx")), 4 * 900)
        job = self.ranks(2, "bench", self.matrix, "--formats", "csr,sell-8-1,pjds,dia", "--min-time", "0.001", "--json",
                         "-")
        self.assertEqual(job.returncode, 0, job.stderr)
        self.assertEqual(len(json.loads(job.stdout)["points"]), 4)

    def refused(self, text, num, *words, code=1):
        begin = time.monotonic()
        job = self.ranks(num, *words)
        self.assertLess(time.monotonic() - begin, SECONDS)
        self.assertEqual(job.returncode, code, job.stderr)
        self.assertEqual(job.stderr.count("millrace: "), 1, job.stderr)
        self.assertRegex(job.stderr, text)
        self.assertEqual(job.stdout, "")

    def test_one_line_for_what_cannot_be(self):
        self.refused("inspect works on one rank, and was started on 2; bench, solve, eig work on many", 2, "inspect",
                     self.matrix)
        self.refused("unknown verb 'foo'", 2, "foo", code=2)
        self.refused("mode 'foo' is unknown; accepted are: vector, overlap, task, auto", 2, "solve", self.matrix,
                     "--mode", "foo", code=2)
        self.refused("rows.*entries.*metis", 2, "solve", self.matrix, "--partition", "foo", code=2)
        self.refused("method direct works on one rank, and there are 2", 2, "solve", self.matrix, "--method", "direct")
        self.refused("boomeramg .hypre. works on one rank", 2, "solve", self.matrix, "--precond", "boomeramg")
        self.refused("shift-and-invert works on one rank, and there are 2", 2, "eig", self.matrix, "--near", "1")
        self.refused("bits of one rank are kept with", 2, "solve", self.matrix, "--reproducible", "--precond", "ilu0")
        self.refused("no such file", 2, "solve", str(self.path / "missing.mtx"))

    def test_a_bad_line_in_the_part_of_a_rank(self):
        lines = pathlib.Path(self.matrix).read_text().splitlines()
        lines[3000] = lines[3000].replace(" ", " x", 1)
        bad = self.path / "bad.mtx"
        bad.write_text("\n".join(lines) + "\n")
        self.refused(re.escape(f"{bad}:3001: "), 3, "solve", str(bad), "-x", str(self.path / "never.mtx"))
        self.assertEqual(list(self.path.glob("never*")), [])

    def test_unlike_arguments(self):
        job = subprocess.run([MPIEXEC, "--oversubscribe", "-n", "1", MILLRACE, "solve", self.matrix, ":", "-n", "1",
                              MILLRACE, "solve", self.matrix, "--tol", "1e-3"], env=ENVIRONMENT, text=True,
                             capture_output=True, timeout=HANGS, check=False)
        self.assertEqual(job.returncode, 1)
        self.assertIn("rank 1 of 2: was started with other arguments than rank 0", job.stderr)

    def test_interrupted_and_killed(self):
        out = self.path / "cut.mtx"
        for sign, whom in ((signal.SIGINT, "launcher"), (signal.SIGKILL, "rank")):
            job = subprocess.Popen([MPIEXEC, "--oversubscribe", "-n", "2", MILLRACE, "solve", "laplace3d7:n=140",
                                    "--tol", "0", "--method", "cg", "--precond", "none", "--max-iterations",
                                    "1000000", "-x", str(out)], env=ENVIRONMENT, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
            children = []
            begin = time.monotonic()
            while len(children) < 2 and time.monotonic() - begin < SECONDS:
                time.sleep(0.2)
                found = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True, check=False)
                children = found.stdout.split()
            time.sleep(1)
            os.kill(job.pid if whom == "launcher" else int(children[1]), sign)
            begin = time.monotonic()
            job.communicate(timeout=SECONDS)
            self.assertLess(time.monotonic() - begin, SECONDS)
            self.assertNotEqual(job.returncode, 0)
            left = subprocess.run(["pgrep", "-f", f"{MILLRACE} solve laplace3d7:n=140"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(left.stdout, "", "processes are left")
            self.assertEqual(list(self.path.glob("cut*")), [])

    def test_out_of_memory(self):
        # Libraries of CUDA alone take gigabytes of addresses.
        job = subprocess.run(["sh", "-c", f"ulimit -v 5000000; exec {MPIEXEC} --oversubscribe -n 2 {MILLRACE} solve "
                              "laplace3d27:n=320 --max-memory 100G"], env=ENVIRONMENT, text=True, capture_output=True,
                             timeout=HANGS, check=False)
        self.assertNotEqual(job.returncode, 0)
        self.assertRegex(job.stderr, r"millrace: rank \d of 2: .*(memory|bytes)")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
