"""The search of quadrature rules finds the known small ones again, and writes a table of them."""

import argparse
import contextlib
import importlib.util
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


@unittest.skipUnless(importlib.util.find_spec("numpy"), "needs numpy")
class SimplexRules(unittest.TestCase):
    def found(self, dim, kinds):
        """The size of a rule of degree 5 with these orbits, and its largest error after the polish."""
        import find_simplex_rules as rules
        import numpy as np
        problem = rules.Problem(dim, 5)
        starts = problem.starts(kinds, 40, np.random.default_rng(1))
        solutions = problem.solve(kinds, starts)
        self.assertTrue(len(solutions))
        unknowns, error = problem.polish(kinds, solutions[0])
        self.assertTrue(problem.inside(kinds, unknowns[None].astype(float))[0])
        return problem.size(kinds), error

    def test_triangle(self):
        size, error = self.found(2, [0, 1, 1])
        self.assertEqual(size, 7)
        self.assertLess(error, 1e-16)

    def test_tet(self):
        size, error = self.found(3, [1, 1, 2])
        self.assertEqual(size, 14)
        self.assertLess(error, 1e-16)

    def test_orbits_are_taken_out_and_the_table_is_written(self):
        import find_simplex_rules as rules
        import numpy as np
        problem, random = rules.Problem(2, 2), np.random.default_rng(1)
        solutions = problem.solve([1, 2], problem.starts([1, 2], 16, random))
        kinds, unknowns = rules.eliminate(problem, [1, 2], solutions[0], math.inf, random)
        self.assertEqual(kinds, [1])
        with tempfile.TemporaryDirectory() as folder:
            store, table = pathlib.Path(folder, "rules.json"), pathlib.Path(folder, "rules.cpp")
            rule = {"size": 3, "kinds": kinds, "unknowns": [str(u) for u in unknowns]}
            store.write_text(json.dumps({"2 2": rule}), encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()):
                rules.write(argparse.Namespace(dim=2, store=store, to=table))
            text = table.read_text(encoding="utf-8")
        self.assertIn("constexpr double degree_2[] = {0.16666666666666666, 0.16666666666666666};  // 3 points", text)
        self.assertIn("{2, {0, 1, 0}, degree_2}", text)
        self.assertIn("std::span<const OrbitRule> triangle_rules()", text)


if __name__ == "__main__":
    unittest.main()
