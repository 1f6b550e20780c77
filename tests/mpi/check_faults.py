"""Jobs of three ranks with one at fault: all end soon, with a code and a line that says who and why.

usage: check_faults.py MPIEXEC PROGRAM
"""

import os
import re
import shutil
import subprocess
import sys
import time
import unittest

MPIEXEC, PROGRAM = sys.argv[1:3]
SECONDS = 10


def has_gpu():
    program = shutil.which("nvidia-smi")
    return program is not None and subprocess.run([program], capture_output=True, check=False).returncode == 0


class Faults(unittest.TestCase):
    def run_job(self, fault, patience=60):
        """The code and what was written to standard error; no process is left."""
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMP_NUM_THREADS": "1", "MILLRACE_PATIENCE": str(patience)}
        begin = time.monotonic()
        job = subprocess.run([MPIEXEC, "--oversubscribe", "-n", "3", PROGRAM, fault], env=environment, text=True,
                             capture_output=True, timeout=6 * SECONDS, check=False)
        self.assertLess(time.monotonic() - begin, SECONDS + (0 if patience > SECONDS else patience + 4), job.stderr)
        left = subprocess.run(["pgrep", "-f", f"{PROGRAM} {fault}$"], capture_output=True, text=True, check=False)
        self.assertEqual(left.stdout, "", "processes are left")
        return job.returncode, job.stderr

    def test_none(self):
        self.assertEqual(self.run_job("none")[0], 0)

    def test_known_to_all(self):
        code, text = self.run_job("together")
        self.assertEqual(code, 1)
        self.assertEqual(len(re.findall("faults: rank 1 of 3: its part of the file is damaged", text)), 1, text)
        code, text = self.run_job("memory")
        self.assertEqual(code, 1)
        self.assertIn("faults: rank 1 of 3: there is not enough memory for this", text)

    def test_one_rank_alone(self):
        code, text = self.run_job("exception")
        self.assertNotEqual(code, 0)
        self.assertTrue("rank 1 alone knows this" in text or "rank 1 of 3 ends by an exception" in text, text)
        self.assertNotEqual(self.run_job("killed")[0], 0)

    @unittest.skipUnless(has_gpu(), "no GPU here")
    def test_gpu(self):
        code, text = self.run_job("cuda")
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"faults: rank \d of 3: .*illegal memory access", text)

    def test_silence(self):
        code, text = self.run_job("silent", patience=2)
        self.assertNotEqual(code, 0)
        self.assertRegex(text, r"rank 0 of 3 has waited \d+ s for rank 1 in ", text)
        for fault in ("silent in a halo", "silent in a task"):
            code, text = self.run_job(fault, patience=2)
            self.assertNotEqual(code, 0)
            self.assertRegex(text, r"rank [02] of 3 has waited \d+ s for rank 1 in the exchange of a halo", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
