"""Tests of the scripts that reproduce tables of papers: their arithmetic, and with --command quick runs of all."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAPERS = ROOT / "benchmarks" / "papers"
FOLDERS = [PAPERS / name for name in ("pjds", "row-grouped-csr", "hdg", "libceed-magma")]
sys.path[:0] = [str(folder) for folder in (ROOT / "scripts", PAPERS, *FOLDERS)]

import algorithm  # noqa: E402
import bakeoff  # noqa: E402
import check_records  # noqa: E402
import common  # noqa: E402
import four_matrices  # noqa: E402
import named  # noqa: E402
import record  # noqa: E402
import svg  # noqa: E402

COMMAND = None


def table(**more):
    arguments = argparse.Namespace(device="cpu", threads=None, min_time=None, quick=False, **more)
    return record.Table("hdg", "table 1", "title", arguments)


def problems(found):
    return check_records.check_record(found, check_records.load_schemas()["millrace.papers"])


class Counting(unittest.TestCase):
    def test_row_grouped_csr_pads_to_the_longest_row_of_a_group(self):
        lengths = [2, 1, 1, 1, 1, 2, 3, 2]
        self.assertAlmostEqual(named.zeros_percent(lengths, group=4), 100 * 7 / 13)
        self.assertAlmostEqual(named.zeros_percent(lengths, group=8), 100 * 11 / 13)  # that is ELLPACK

    def test_one_full_row_costs_pjds_a_block(self):
        rows, block = 1000, 32
        lengths = {1: rows - 1, rows: 1}
        self.assertEqual(four_matrices.pjds_slots(lengths, block), (block + 1) * rows - block)
        self.assertEqual(four_matrices.ell_slots(lengths), rows * rows)

    def test_pjds_agrees_with_sorting_the_rows(self):
        for rows in (1, 31, 32, 33, 95, 200):
            lengths = [k * 7 % 11 for k in range(rows)]
            ordered = sorted(lengths, reverse=True)
            slots = sum(ordered[k // 32 * 32] for k in range(rows))
            self.assertEqual(four_matrices.pjds_slots({n: lengths.count(n) for n in set(lengths)}), slots)

    def test_rates_of_a_case_of_the_hdg_sweep(self):
        case = {"m": 8, "r": 100, "q": 40, "precision": "double", "size": "faces=100", "bytes": 270800,
                "times": {"product": {"seconds": 1e-6}}}
        self.assertAlmostEqual(algorithm.gflop_s(case, "product"), 2 * 8 * 100 * 40 / 1e3)
        self.assertAlmostEqual(algorithm.gb_s(case, "product"), 8 * (800 + 32000 + 4000) / 1e3)
        self.assertAlmostEqual(algorithm.memory_mib(case), 8 * 36800 / 2 ** 20)
        self.assertEqual(algorithm.memory_mib({**case, "size": "12.5"}), 12.5)
        self.assertIsNone(algorithm.gflop_s(case, "gemv"))
        points = argparse.Namespace(read_gb_s=541.6)
        self.assertAlmostEqual(algorithm.percent_of_read(case, "product", points), 50)

    def test_curves_of_bake_off_problems(self):
        points = [{"problem": 1, "element": "tet", "order": 2, "contender": contender, "dofs": dofs,
                   "operator_gdof_s": 1.0, "cg_gdof_s": factor * dofs}
                  for dofs in (30, 10, 20) for contender, factor in (("slow", 1.0), ("fast", 3.0))]
        self.assertEqual(bakeoff.series(points, 1, 2, "slow", "cg_gdof_s"), ([10, 20, 30], [10, 20, 30]))
        self.assertEqual(bakeoff.at_largest(points, 1, 2, "fast"), 90)
        self.assertIsNone(bakeoff.at_largest(points, 3, 2, "fast"))
        ratios = bakeoff.ratio_chart("ratio", points, 1, "fast", "slow")
        self.assertEqual(ratios.series[0].ys, [3, 3, 3])
        self.assertEqual(bakeoff.values_of(points, "contender"), ["slow", "fast"])

    def test_short_names_of_devices(self):
        self.assertEqual([common.slug(name) for name in ("Arm Neoverse-V1", "NVIDIA H200", "Intel(R) Xeon(R) CPU E5")],
                         ["neoverse-v1", "h200", "intel-xeon"])
        cpu = {"device": {"kind": "cpu", "name": "Intel(R) Xeon(R) Processor"}, "machine": {"cores": 16}}
        gpu = {"device": {"kind": "gpu", "name": "NVIDIA H200"}, "machine": {"cores": 16}}
        self.assertEqual([common.column_of(cpu), common.column_of(cpu, one_thread=True), common.column_of(gpu)],
                         ["intel-xeon-16-cores", "intel-xeon-16-cores-one-thread", "h200"])


class Records(unittest.TestCase):
    def test_a_record_is_right(self):
        right = table()
        right.add("p = 1", "values", "", 3769600, exact=True)
        right.put("p = 1", "values", "", "ours", 3769600)
        self.assertEqual(problems(json.loads(record.record_text(right.record()))), [])
        self.assertIn("3,769,600", right.text())

    def test_what_must_be_exact_is_compared(self):
        wrong = table()
        wrong.add("p = 1", "values", "", 3769600, exact=True)
        wrong.put("p = 1", "values", "", "ours", 3769601)
        self.assertEqual(len(wrong.wrong_cells()), 1)
        self.assertEqual(len(problems(wrong.record())), 1)

    def test_figures_need_a_run(self):
        unknown = table()
        unknown.put("p = 1", "values", "", "h200", 1.5)
        self.assertTrue(any("has no run" in text for text in problems(unknown.record())))

    def test_quick_runs_and_empty_ones_are_no_records(self):
        found = table().record()
        self.assertEqual(len(problems(found)), 1)
        self.assertEqual(len(problems({**found, "quick": True})), 2)

    def test_figures_are_rounded_and_counts_are_not(self):
        self.assertEqual(common.rounded(1.23456), 1.235)
        self.assertEqual(common.rounded(1234567), 1234567)


class Pictures(unittest.TestCase):
    def test_ticks(self):
        self.assertEqual(svg.linear_ticks(0, 10), [0, 2, 4, 6, 8, 10])
        self.assertEqual([round(tick, 9) for tick in svg.log_ticks(0.5, 30)], [0.5, 1, 2, 5, 10, 20])
        self.assertEqual([svg.number_text(value) for value in (0, 0.25, 1500, 2e6)], ["0", "0.25", "1,500", "2e6"])

    def test_a_figure_is_well_formed_and_stays_inside(self):
        panel = svg.Panel("a < b", svg.Axis("x", log=True), svg.Axis("y"))
        panel.line("line", [1, 10, 100], [1, None, 3], marks=True)
        panel.bars("bars", [1, 10, 100], [3, 2, 0])
        root = xml.etree.ElementTree.fromstring(svg.figure("title", [panel], notes=["note"]))
        width, height = float(root.get("width")), float(root.get("height"))
        for element in root.iter("{http://www.w3.org/2000/svg}rect"):
            if element.get("x"):
                self.assertLessEqual(float(element.get("x")) + float(element.get("width")), width)
                self.assertLessEqual(float(element.get("y")) + float(element.get("height")), height)


class QuickRuns(unittest.TestCase):
    def run_script(self, script, out):
        return subprocess.run([sys.executable, "-B", PAPERS / script, "--millrace", COMMAND, "--out", out, "--quick"],
                              capture_output=True, text=True, check=False)

    def check_outputs(self, out, num_records):
        found = sorted(out.glob("*.json"))
        self.assertEqual(len(found), num_records)
        for file in found:
            written = json.loads(file.read_text(encoding="utf-8"))
            self.assertTrue(written["quick"])
            self.assertEqual(problems({**written, "quick": False}), [], file.name)
        for file in out.glob("*.svg"):
            xml.etree.ElementTree.parse(file)

    def test_all(self):
        if not COMMAND:
            self.skipTest("no --command was given")
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_script("run.py", folder)
            self.assertEqual(done.returncode, 0, done.stderr + done.stdout[-3000:])
            self.check_outputs(pathlib.Path(folder), 20)  # figure 4 and the cache need a GPU

    def test_a_missing_command_is_named(self):
        done = subprocess.run([sys.executable, "-B", PAPERS / "hdg/table_1.py", "--millrace", "nowhere/millrace"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nowhere/millrace: there is no such command", done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--command", type=pathlib.Path, help="the built command `millrace`; takes a minute")
    COMMAND = parser.parse_args().command
    unittest.main(argv=sys.argv[:1])
