"""Tests of the record of solves of real matrices: its script and its check."""

import argparse
import contextlib
import gzip
import io
import json
import pathlib
import sys
import tempfile
import unittest

import test_scripts  # sets the path of the scripts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))

import check_records  # noqa: E402
import results_solves  # noqa: E402
import real_multigrid  # noqa: E402
import real_solves  # noqa: E402
import solve_runs  # noqa: E402


class Shared(unittest.TestCase):
    def test_files_come_by_size_with_their_heads(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "large.mtx").write_text("%%MatrixMarket matrix coordinate real general\n% a comment\n\n9 7 0\n"
                                              + "% more\n" * 50)
            with gzip.open(folder / "small.mtx.gz", "wt") as file:
                file.write("%%MatrixMarket matrix coordinate Complex symmetric\n5 5 0\n")
            (folder / "empty.mtx").write_text("")
            (folder / "notes.txt").write_text("no matrix")
            found = solve_runs.files_of(folder, "")
            self.assertEqual([name for name, _ in found], ["empty", "small", "large"])
            self.assertEqual([solve_runs.head_of(path) for _, path in found],
                             [("", 0, 0), ("complex", 5, 5), ("real", 9, 7)])
            self.assertEqual([name for name, _ in solve_runs.files_of(folder, "large,other")], ["large"])
            self.assertFalse(real_multigrid.may_be_definite(folder / "small.mtx.gz"))

    def test_a_program_answers_or_the_reason_is_said(self):
        def answer(code, timeout=60):
            return solve_runs.run([sys.executable, "-c", code], timeout)
        self.assertEqual(answer("print('{\"rows\": 3}')")[:2], ({"rows": 3}, ""))
        self.assertEqual(answer("import sys; sys.exit('millrace: no file\\nmore')")[:2], (None, "millrace: no file"))
        self.assertEqual(answer("import os; os.kill(os.getpid(), 9)")[:2], (None, "crashed by signal 9"))
        self.assertEqual(answer("import time; time.sleep(60)", 0.2), (None, "no answer within 0.2 s", 0.2))

    def test_a_record_is_written_whole(self):
        arguments = argparse.Namespace(tolerance=1e-8, max_iterations=9, timeout=1.0)
        head = solve_runs.record_head("millrace.solves", 2, {"machine": {}, "build": {}, "tries": []}, arguments)
        record = {**head, "summary": {"matrices": 2}, "matrices": [{"name": "a"}, {"name": "b"}]}
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            out = pathlib.Path(folder) / "record.json"
            solve_runs.finish(record, out)
            solve_runs.finish(record, None)
            text = out.read_text(encoding="utf-8")
        self.assertEqual(json.loads(text), record)
        self.assertIn('\n  {"name": "b"}\n', text)

    def test_tries_as_text(self):
        step = {"method": "gmres", "restart": 30, "precond": "ilu", "order": "rcm", "end": "converged", "iterations": 7}
        plain = {"method": "cg", "precond": "amg", "order": "", "end": "stagnation", "iterations": 9}
        self.assertEqual(solve_runs.tries_of({"tries": [step, plain]}),
                         ["gmres(30) + ilu, order rcm: converged after 7", "cg + amg: stagnation after 9"])


class CheckSolves(unittest.TestCase):
    def setUp(self):
        def run(solved, relative, **more):
            return {"solved": solved, "iterations": 7, "relative": relative, "seconds": 0.1, **more}
        self.lines = [
            {"name": "both", "rows": 9, "entries": 27, "checks": "symmetric", "ours": run(True, 9e-9, end="converged"),
             "peers": {"gmres-ilu": run(True, 8e-9, reason="r"), "cg-icc": run(False, None, reason="r")}},
            {"name": "ours alone", "rows": 9, "entries": 27, "checks": "", "ours": run(True, 1e-9, end="converged"),
             "peers": {"gmres-ilu": run(False, 0.1, reason="r")}}]
        bench = test_scripts.make_record()
        self.record = {"schema": "millrace.solves", "version": 1, "created": bench["created"],
                       "machine": bench["machine"], "build": bench["build"], "peer_version": "PETSc 3.18.5",
                       "tolerance": 1e-8, "max_iterations": 1000, "timeout_s": 60, "matrices": self.lines,
                       "summary": real_solves.summary_of(self.lines)}

    def problems(self):
        return check_records.check_record(self.record, check_records.load_schemas()["millrace.solves"])

    def test_a_right_record_passes(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.record["summary"]["only_ours"], ["ours alone"])
        self.assertEqual(json.loads(solve_runs.text_of(self.record)), self.record)

    def test_counts_must_follow_from_the_list(self):
        self.record["summary"]["ours"] = 1
        self.assertIn("summary.ours is 1, but 2", self.problems()[0])

    def test_solved_needs_the_residual(self):
        self.lines[0]["ours"]["relative"] = 2e-8
        self.assertIn("counts as solved with a residual of 2e-08", self.problems()[0])
        self.lines[0]["ours"].update(relative=1e-9, iterations=1001)
        self.assertIn("took 1001 iterations", self.problems()[0])

    def test_regular_and_singular_matrices_are_told_apart(self):
        def direct(rcond, seconds):
            return {"solved": rcond > 0, "reason": "r", "rcond": rcond, "seconds": seconds}
        self.lines[0]["direct"] = direct(1e-3, 0.1)
        self.lines[1]["direct"] = direct(0.0, 0.1)
        self.record.update(version=2, summary=real_solves.summary_of(self.lines))
        self.assertEqual(self.problems(), [])
        summary = self.record["summary"]["direct"]
        self.assertEqual(summary, {"tried": 2, "regular": 1, "unsolved": [], "unsaid": ["ours alone"], "slow": []})
        self.lines[1]["ours"].update(doubt="singular to working precision", seconds=1.5)
        summary = real_solves.direct_summary(self.lines)
        self.assertEqual((summary["unsaid"], summary["slow"]), ([], ["ours alone"]))
        self.assertIn("summary.direct is", self.problems()[0])

    def test_fewer_than_the_peer_is_a_problem(self):
        for line in self.lines:
            line["ours"].update(solved=False, end="stagnation")
        self.record["summary"] = real_solves.summary_of(self.lines)
        self.assertEqual(self.problems(), ["ours solved 0 matrices, the peer 1"])


class CheckMultigridSolves(unittest.TestCase):
    def setUp(self):
        def run(iterations, seconds, solved=True):
            return {"solved": solved, "end": "converged" if solved else "max_iterations", "iterations": iterations,
                    "relative": 9e-9 if solved else 0.1, "seconds": seconds}
        runs = {"jacobi": run(300, 0.4), "amg": run(10, 0.1), "boomeramg": run(6, 0.3), "auto": run(50, 0.2),
                "auto_iterative": run(50, 0.2), "auto_before": run(3, 0.3), "auto_iterative_before": run(400, 0.5)}
        self.lines = [{"name": "grid", "rows": 9000, "entries": 27000, "checks": "symmetric", "runs": runs},
                      {"name": "beam", "rows": 6000, "entries": 27000, "checks": "symmetric",
                       "runs": {**runs, "boomeramg": run(1000, 1.0, solved=False)}}]
        bench = test_scripts.make_record()
        self.record = {"schema": "millrace.multigrid-solves", "version": 1, "created": bench["created"],
                       "machine": bench["machine"], "build": bench["build"], "threads": 2, "tolerance": 1e-8,
                       "max_iterations": 1000, "timeout_s": 20, "repeats": 3, "matrices": self.lines,
                       "summary": real_multigrid.summary_of(self.lines)}

    def problems(self):
        return check_records.check_record(self.record, check_records.load_schemas()["millrace.multigrid-solves"])

    def test_a_right_record_passes_and_is_shown(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.record["summary"]["only_amg"], ["beam"])
        self.assertEqual(json.loads(solve_runs.text_of(self.record)), self.record)
        page = "\n".join(results_solves.multigrid_solves("multigrid-solves-cpu.json", self.record))
        self.assertIn("10, 100 ms", page)
        self.assertIn("CG + `boomeramg` 1", page)

    def test_bars(self):
        self.lines[0]["runs"]["auto"] = {**self.lines[0]["runs"]["auto"], "seconds": 0.5}
        self.lines[1]["runs"]["auto"] = {**self.lines[1]["runs"]["auto"], "solved": False}
        self.lines[0]["runs"]["amg"] = self.lines[1]["runs"]["amg"] = self.lines[1]["runs"]["boomeramg"]
        self.record["summary"] = real_multigrid.summary_of(self.lines)
        self.assertEqual(self.problems(), ["boomeramg solves more matrices than amg",
                                           "auto: beam was solved before, and is not now",
                                           "auto: grid takes more than 1.5 times the time of before"])

    def test_counts_and_residuals(self):
        self.record["summary"]["only_amg"] = []
        self.assertIn("summary.only_amg is []", self.problems()[0])
        self.lines[0]["runs"]["amg"] = {**self.lines[0]["runs"]["amg"], "relative": 2e-8}
        self.assertIn("grid: amg counts as solved with a residual of 2e-08", self.problems()[0])


if __name__ == "__main__":
    unittest.main()
