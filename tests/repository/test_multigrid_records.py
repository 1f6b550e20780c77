"""Tests of the records of multigrid: the script that measures peers, the check, table and pictures against size."""

import contextlib
import copy
import io
import pathlib
import sys
import unittest
import unittest.mock
import xml.etree.ElementTree

import test_scripts  # sets the path of the scripts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "benchmarks"))

import bp_multigrid  # noqa: E402
import check_records  # noqa: E402
import multigrid_gpu_peers  # noqa: E402
import multigrid_peers  # noqa: E402
import multigrid_pyamg  # noqa: E402
import results_multigrid  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"


def make_point(matrix, rows, contender, iterations, setup, solve, **more):
    point = {"matrix": matrix, "rows": rows, "entries": 7 * rows, "contender": contender, "threads": 2,
             "iterations": iterations, "residual": 9e-9, "solve_ms": multigrid_peers.times(solve)}
    return {**point, **({"setup_ms": multigrid_peers.times(setup)} if setup else {}), **more}


def make_record(*points):
    bench = test_scripts.make_record()
    return {"schema": "millrace.multigrid", "version": 1, "created": bench["created"], "machine": bench["machine"],
            "device": bench["device"], "build": bench["build"], "bandwidth": bench["bandwidth"],
            "peers": {"pyamg": "5.4.1"}, "points": list(points)}


def sweep(name, sides=(8, 16), rest=""):
    """Points of several sizes: ours, and two peers with two and three settings."""
    points = []
    for n in sides:
        spec, rows = f"{name}:{n}{rest}", n ** 3
        points += [make_point(spec, rows, "amg, float levels", 10, [n], [n], cycle_bytes=120 * rows),
                   make_point(spec, rows, "cg", 30 * n, None, [3 * n]),
                   make_point(spec, rows, "hypre, defaults", 5, [9 * n], [n]),
                   make_point(spec, rows, "hypre, PMIS", 7, [2 * n], [n]),
                   make_point(spec, rows, "pyamg, classical, defaults", 6, [5 * n], [n], cycle_bytes=360 * rows),
                   make_point(spec, rows, "pyamg, classical, quick", 6, [4 * n if n > 8 else 9 * n], [n]),
                   make_point(spec, rows, "pyamg, classical, slow", 6, [6 * n if n > 8 else n], [n])]
    return points


def polylines(picture):
    """Of lines of data: each a list of x."""
    root = xml.etree.ElementTree.fromstring(picture)
    found = [line.get("points").split() for line in root.iter(f"{SVG}polyline") if line.get("stroke-width") == "1.8"]
    return [[float(corner.split(",")[0]) for corner in line] for line in found]


def problems_of(record):
    return check_records.check_record(record, check_records.load_schemas()[record["schema"]])


class GpuPeers(unittest.TestCase):
    LINE = {"peer": "AmgX", "version": "2.5", "commit": "0123456789abc", "configuration": "aggregation", "n": 8,
            "iterations": 30, "residual": 9e-9, "setup_ms": [3, 1, 2], "update_ms": [1], "solve_ms": [4],
            "operator_complexity": None}

    def test_points_stand_behind_those_of_the_same_matrix(self):
        record = make_record(*sweep("laplace3d7"))
        with contextlib.redirect_stdout(io.StringIO()):
            found = multigrid_gpu_peers.add(record, [self.LINE])
        names = [point["contender"] for point in found["points"] if point["matrix"] == "laplace3d7:8"]
        self.assertEqual(names[-1], "AmgX, aggregation")
        self.assertEqual(found["points"][7]["setup_ms"]["median"], 2)
        self.assertEqual(found["points"][7]["update_ms"]["samples"], [1])
        self.assertEqual(found["peers"], {"pyamg": "5.4.1", "AmgX": "2.5 (012345678)"})
        self.assertEqual(problems_of(found), [])

    def test_errors_and_other_matrices_are_left_out(self):
        record = make_record(*sweep("laplace3d7"))
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            found = multigrid_gpu_peers.add(record, [{**self.LINE, "n": 9}, {**self.LINE, "error": "no memory"}])
        self.assertEqual(len(found["points"]), len(record["points"]))
        self.assertIn("the record has no such matrix", text.getvalue())
        self.assertIn("no memory", text.getvalue())


class Readme(unittest.TestCase):
    def test_the_fastest_of_both_sides_with_their_set_up(self):
        def point(contender, setup, solve):
            return {"matrix": "laplace3d7:256", "contender": contender, "setup_ms": {"median": setup},
                    "solve_ms": {"median": solve}}
        alone = {"matrix": "laplace3d7:256", "contender": "cg", "solve_ms": {"median": 1}}  # has no set-up
        record = {"points": [alone, point("amg, double levels", 80, 50), point("amg, float levels", 70, 40),
                             point("hypre, one", 150, 130), point("hypre, other", 190, 120),
                             {**point("hypre, one", 1, 1), "matrix": "laplace3d7:128"}]}
        own, peer, num = results_multigrid.fastest(record, "laplace3d7:256")
        self.assertEqual((own["contender"], peer["contender"], num), ("amg, float levels", "hypre, one", 2))


def bp_answer(seconds, iterations=20, end="converged"):
    return {"problem": 5, "element": "hex", "order": 7, "epsilon": 0.3, "factors": "stored", "dofs": 1000000,
            "operator": {"median_us": 90.0}, "cg": {"end": end, "iterations": iterations, "seconds": seconds,
                                                    "relative": 8e-9},
            "multigrid": {"levels": [{"order": 7, "smoothed_by": "elements"}, {"order": 1, "smoothed_by": "amg"}],
                          "setup_seconds": 0.5}}


class BakeOff(unittest.TestCase):
    def test_a_record_is_checked_and_shown(self):
        point = bp_multigrid.point_of([bp_answer(0.02), bp_answer(0.01), bp_answer(0.03)], ["5", "--order", "7"])
        self.assertEqual(point["solve_ms"]["median"], 20)
        self.assertAlmostEqual(point["gdof_s"], 1.0)
        self.assertEqual(point["orders"], [7, 1])
        bench = test_scripts.make_record()
        record = {"schema": "millrace.bp-multigrid", "version": 1, "command": "bp_multigrid.py",
                  **{key: bench[key] for key in ("created", "machine", "device", "build", "bandwidth")},
                  "points": [{"group": "kershaw", **point}]}
        self.assertEqual(problems_of(record), [])
        self.assertIn("| BP5 | hex | 7 | 0.3 |", "".join(results_multigrid.bake_off("x.json", record)))
        record["points"][0] |= {"residual": 2e-8, "gdof_s": 2.0}
        self.assertEqual(len(problems_of(record)), 2)

    def test_runs_that_differ_or_fail_are_refused(self):
        for answers in ([bp_answer(1), bp_answer(1, iterations=21)], [bp_answer(1, end="stopped")]):
            with self.assertRaises(SystemExit):
                bp_multigrid.point_of(answers, ["5"])


class Peers(unittest.TestCase):
    def test_specs_are_split_where_a_name_begins(self):
        self.assertEqual(multigrid_peers.split_specs("laplace3d7:64,contrast=100,laplace3d7:32"),
                         ["laplace3d7:64,contrast=100", "laplace3d7:32"])
        self.assertEqual(multigrid_peers.split_specs("laplace3d7:n=8"), ["laplace3d7:n=8"])

    def test_versions_are_read_from_the_names_of_libraries(self):
        listed = "\tlibpetsc_real.so.3.18 => /usr/lib/x\n\tlibHYPRE-2.26.0.so => /lib/y (0x0)\n"
        self.assertEqual(multigrid_peers.library_versions(listed), {"hypre": "2.26.0", "PETSc": "3.18"})
        self.assertEqual(multigrid_peers.library_versions(""), {})

    def test_a_point_keeps_the_samples_and_must_be_of_the_same_matrix(self):
        like = make_point("laplace3d7:8", 512, "amg, float levels", 10, [1.0], [1.0])
        found = {"rows": 512, "entries": 3584, "setup_ms": [3.0, 1.0, 2.0], "solve_ms": [4.0], "iterations": 6,
                 "residual": 1e-9, "operator_complexity": 2.5}
        with contextlib.redirect_stdout(io.StringIO()):
            point = multigrid_peers.peer_point(found, "pyamg, classical", 2, like)
        self.assertEqual(point["setup_ms"], {"median": 2.0, "spread": 0.25, "samples": [3.0, 1.0, 2.0]})
        self.assertEqual((point["matrix"], point["operator_complexity"], point["threads"]), ("laplace3d7:8", 2.5, 2))
        self.assertNotIn("busy_cores", point)
        with self.assertRaisesRegex(ValueError, "another matrix than laplace3d7:8"):
            multigrid_peers.peer_point({**found, "entries": 3583}, "pyamg, classical", 2, like)

    def test_peers_that_are_not_there_are_named_in_one_line(self):
        like = make_point("laplace3d7:8", 512, "amg, float levels", 10, [1.0], [1.0])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            with unittest.mock.patch("importlib.util.find_spec", return_value=None):
                self.assertEqual(multigrid_peers.pyamg_points(pathlib.Path("millrace"), like, 3, 2), [])
            self.assertEqual(multigrid_peers.hypre_points(pathlib.Path("nowhere/petsc"), like, 3, 2), [])
        self.assertEqual(said.getvalue().splitlines(),
                         ["without pyamg: Python does not find it",
                          "without hypre on ranks: there is no nowhere/petsc"])

    def test_random_numbers_are_those_of_the_library(self):
        self.assertEqual(multigrid_pyamg.mix(0), 0xE220A8397B1DCDAF)  # the first number of SplitMix64 with seed 0
        values = [multigrid_pyamg.random_real(1, i) for i in range(2000)]
        self.assertEqual(values[:3], [0.034011701304346498, 0.91402246287030298, -0.87667562141955047])
        self.assertTrue(all(0 < abs(value) < 1 for value in values))
        self.assertLess(abs(sum(values) / len(values)), 4 / (3 * len(values)) ** 0.5)  # four standard deviations

    def test_every_run_of_pyamg_makes_levels_and_the_residual_is_the_true_one(self):
        class Number(float):  # a matrix of one row, and a vector
            def __matmul__(self, other):
                return Number(self * other)

            def __sub__(self, other):
                return Number(float(self) - float(other))

        class Solver:
            levels = []

            def solve(self, b, residuals, **_):
                residuals += [1.0, 0.1, 0.01]
                return Number(b / 2 + 1e-9)

            def operator_complexity(self):
                return 1.5
        made = []
        found = multigrid_pyamg.measure(lambda _: made.append(Solver()) or made[-1], Number(2), Number(4), 3)
        self.assertEqual((len(made), len(found["setup_ms"]), len(found["solve_ms"])), (3, 3, 3))
        self.assertEqual((found["iterations"], found["operator_complexity"]), (2, 1.5))
        self.assertAlmostEqual(found["residual"], 5e-10, delta=1e-15)


class Check(unittest.TestCase):
    def problems(self, record):
        return problems_of(record)

    def test_a_right_record_passes(self):
        self.assertEqual(self.problems(make_record(*sweep("laplace3d7"))), [])

    def test_medians_residuals_sizes_and_versions(self):
        record = make_record(*sweep("laplace3d7"))
        record["points"][0]["solve_ms"]["median"] *= 2
        record["points"][1]["residual"] = 2e-8
        record["points"][2]["entries"] += 1
        record["points"].append(make_point("laplace3d7:8", 512, "AmgX, aggregation", 9, [1.0], [1.0]))
        self.assertEqual(self.problems(record), [
            "AmgX was measured, but peers has no version of it",
            "laplace3d7:8, amg, float levels: the median of solve_ms is not that of its samples",
            "laplace3d7:8, cg: the residual is 2e-08, more than 1e-8",
            "laplace3d7:8, hypre, defaults: another size than that of the other contenders"])


class Pictures(unittest.TestCase):
    def test_kinds_leave_out_the_size_alone(self):
        self.assertEqual([results_multigrid.kind_of(spec) for spec in
                          ("laplace3d7:64", "laplace3d7:n=64,contrast=1e6", "laplace3d7:64,nz=2,anisotropy=0.001")],
                         ["laplace3d7", "laplace3d7,contrast=1e6", "laplace3d7,anisotropy=0.001"])
        self.assertEqual(results_multigrid.kind_words("laplace3d7,contrast=1e6"), "3D 7-point, Dirichlet, contrast 1e6")

    def test_of_peers_the_defaults_and_the_fastest_of_each_size_are_drawn(self):
        drawn = results_multigrid.drawn_points(sweep("laplace3d7"))
        best = "the fastest of its settings at each size"
        self.assertEqual(list(dict.fromkeys(point["contender"] for point in drawn)),
                         ["amg, float levels", "cg", "hypre, defaults", "pyamg, classical, defaults", f"hypre, {best}",
                          f"pyamg, {best}"])
        setups = {(point["contender"], point["matrix"]): point["setup_ms"]["median"]
                  for point in drawn if best in point["contender"]}
        self.assertEqual(setups, {(f"hypre, {best}", "laplace3d7:8"): 16, (f"hypre, {best}", "laplace3d7:16"): 32,
                                  (f"pyamg, {best}", "laplace3d7:8"): 8, (f"pyamg, {best}", "laplace3d7:16"): 64})

    def test_the_only_setting_of_a_peer_keeps_its_name(self):
        points = [point for point in sweep("laplace3d7") if point["contender"] in ("cg", "hypre, PMIS")]
        self.assertEqual(results_multigrid.drawn_points(points), points)

    def test_lines_never_join_two_kinds_of_matrices(self):
        one = polylines(results_multigrid.draw(make_record(*sweep("laplace3d7"))))
        self.assertEqual(len(one), 6 + 6 + 2)  # iterations, time, and memory of those who know it
        self.assertTrue(all(len(line) == 2 for line in one))
        points = [*sweep("laplace3d7"), *sweep("laplace3d7", rest=",contrast=100"), *sweep("laplace3d27", sides=(8,))]
        both = polylines(results_multigrid.draw(make_record(*points)))  # 27 points: one size, and so no line
        self.assertEqual(sorted(both), sorted(one + one))

    def test_looks_differ_without_colour(self):
        contenders = [f"{family}, {number}" for family in ("amg", "hypre", "pyamg", "AmgX") for number in range(3)]
        looks = results_multigrid.styles(contenders).values()
        self.assertEqual(len({(look["shape"], look["dashes"]) for look in looks}), len(contenders))

    def test_a_picture_is_well_formed_and_its_legend_stays_inside(self):
        root = xml.etree.ElementTree.fromstring(results_multigrid.draw(make_record(*sweep("laplace3d7"))))
        width, height = float(root.get("width")), float(root.get("height"))
        texts = list(root.iter(f"{SVG}text"))
        self.assertIn("hypre, the fastest of its settings at each size", [text.text for text in texts])
        for text in texts:
            room = 6.6 * len(text.text) if text.get("text-anchor") == "start" else 0
            self.assertLessEqual(float(text.get("x")) + room, width)
            self.assertLess(float(text.get("y")), height)

    def test_one_size_makes_a_table_without_a_picture(self):
        records = {"cpu-multigrid.json": make_record(*sweep("laplace3d7", sides=(8,))),
                   "gpu-multigrid.json": make_record(*sweep("laplace3d7")), "other.json": {"schema": "millrace.io"}}
        self.assertEqual(list(results_multigrid.pictures(records)), ["gpu-multigrid.svg"])
        pages = {name: "\n".join(results_multigrid.section(name, record)) for name, record in records.items()
                 if "points" in record}
        self.assertNotIn(".svg", pages["cpu-multigrid.json"])
        self.assertIn("(records/gpu-multigrid.svg)", pages["gpu-multigrid.json"])
        self.assertIn("| **amg, float levels** | 2 | 10 | 8.00 ms | - | 8.00 ms | 16.0 ms | 1.00 | - | 120 |",
                      pages["cpu-multigrid.json"])
        self.assertIn("| hypre, PMIS | 2 | 7 | 16.0 ms | - | 8.00 ms | 24.0 ms | 1.50 | - | - |",
                      pages["cpu-multigrid.json"])
        self.assertIn("Peers: pyamg 5.4.1.", pages["cpu-multigrid.json"])

    def test_points_without_ours_have_no_ratio(self):
        record = make_record(*(point for point in sweep("laplace3d7") if point["contender"] != "amg, float levels"))
        before = copy.deepcopy(record)
        self.assertIn("| **cg** | 2 | 240 | - | - | 24.0 ms | 24.0 ms | - | - | - |",
                      "\n".join(results_multigrid.section("a.json", record)))
        self.assertEqual(record, before)


if __name__ == "__main__":
    unittest.main()
