"""Tests of the project's own scripts, on small records and files made here."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_records  # noqa: E402
import compare_records  # noqa: E402
import gpu_receipt  # noqa: E402
import json_schema  # noqa: E402
import make_results  # noqa: E402
import print_records  # noqa: E402

SCHEMA = json.loads((ROOT / "benchmarks" / "schema.json").read_text(encoding="utf-8"))


def make_point(contender="millrace csr", kind="own", median_us=100.0, spread=0.02):
    return {
        "matrix": {"spec": "poisson2d5:n=100", "rows": 10000, "cols": 10000, "entries": 49600, "hash": "0"},
        "precision": "double", "num_vectors": 1, "device": "cpu", "threads": 2, "state": "hot",
        "contender": contender, "kind": kind, "format": "csr", "deterministic": True,
        "checked": {"max_error_over_bound": 0.25, "ok": True},
        "format_bytes": 635204, "artificial_zeros": 0, "traffic_bytes": 800000.0, "minimum_bytes": 556800.0,
        "samples_us": [median_us * 0.9, median_us, median_us * 1.3],
        "median_us": median_us, "spread": spread, "gflop_s": 2 * 49600 / median_us * 1e-3,
        "gb_s": 800000.0 / median_us * 1e-3, "percent_of_read": 100 * 800000.0 / median_us * 1e-3 / 40.0,
        "minimum_percent": 100 * 556800.0 / median_us * 1e-3 / 40.0, "setup_ms": 0.5, "note": "",
    }


def make_record(*points):
    return {
        "schema": "millrace.bench", "version": 2, "created": "2026-01-31T12:00:00Z", "command": "millrace bench",
        "machine": {"name": "m", "cpu": "c", "cores": 2, "threads": 2, "memory_bytes": 1, "os": "o", "kernel": "k",
                    "compiler": "g"},
        "device": {"kind": "cpu", "name": "c", "memory_bytes": 1, "cache_bytes": 1, "num_units": 2, "driver": "",
                   "clock_mhz": 0, "memory_clock_mhz": 0},
        "build": {"version": "0.1.0", "commit": "", "source_hash": "", "dirty": False, "type": "Release", "flags": "",
                  "cuda": False, "mpi": False},
        "bandwidth": {"read_gb_s": 40.0, "copy_gb_s": 35.0, "triad_gb_s": 36.0, "launch_us": 1.0},
        "points": list(points) or [make_point(), make_point("eigen", "peer", 120.0)],
    }


class JsonSchema(unittest.TestCase):
    def problems(self, schema, value):
        return json_schema.validate(schema, value)

    def test_types(self):
        self.assertEqual(self.problems({"type": "integer"}, 3), [])
        self.assertEqual(self.problems({"type": "integer"}, 3.0), [])
        self.assertTrue(self.problems({"type": "integer"}, 3.5))
        self.assertTrue(self.problems({"type": "number"}, True))
        self.assertTrue(self.problems({"type": "string"}, None))
        self.assertEqual(self.problems({"type": ["string", "boolean"]}, False), [])

    def test_places_are_named(self):
        schema = {"type": "object", "required": ["a"], "additionalProperties": False,
                  "properties": {"a": {"type": "array", "items": {"type": "number", "minimum": 1}}}}
        self.assertEqual(self.problems(schema, {"a": [1, 2]}), [])
        self.assertIn("$.a[1]: 0 is below 1", self.problems(schema, {"a": [1, 0]}))
        self.assertIn("$: 'a' is missing", self.problems(schema, {}))
        self.assertTrue(any("'b' is not known" in text for text in self.problems(schema, {"a": [], "b": 1})))

    def test_references_and_words(self):
        schema = {"$defs": {"word": {"enum": ["x", "y"]}}, "items": {"$ref": "#/$defs/word"}}
        self.assertEqual(self.problems(schema, ["x", "y"]), [])
        self.assertTrue(self.problems(schema, ["z"]))
        self.assertTrue(self.problems({"const": 1}, 2))

    def test_an_unknown_keyword_is_an_error(self):
        with self.assertRaises(ValueError):
            self.problems({"oneOf": []}, 1)


class CheckRecords(unittest.TestCase):
    def problems(self, change=None):
        record = make_record()
        if change:
            change(record)
        return check_records.check_record(record, SCHEMA)

    def test_a_right_record_passes(self):
        self.assertEqual(self.problems(), [])

    def test_every_required_field_is_missed(self):
        for name in SCHEMA["required"]:
            self.assertTrue(self.problems(lambda record, name=name: record.pop(name)), name)
        for name in SCHEMA["$defs"]["point"]["required"]:
            self.assertTrue(self.problems(lambda record, name=name: record["points"][0].pop(name)), name)

    def test_figures_must_follow_from_the_samples(self):
        for name in ["median_us", "gb_s", "gflop_s", "percent_of_read", "minimum_percent"]:
            def change(record, name=name):
                record["points"][0][name] *= 1.05
            self.assertTrue(self.problems(change), name)

    def test_a_wrong_result_is_refused(self):
        self.assertTrue(self.problems(lambda record: record["points"][1]["checked"].update(ok=False)))
        self.assertTrue(self.problems(lambda record: record["points"][1]["checked"].update(max_error_over_bound=2)))

    def test_a_peer_is_needed(self):
        self.assertTrue(self.problems(lambda record: record["points"].pop()))

    def test_old_records_stay_valid_and_hold_nothing_new(self):
        self.assertEqual(self.problems(lambda record: record.update(version=1)), [])
        self.assertTrue(self.problems(lambda record: record.update(version=3)))

        def on_gpu(record, version):
            record.update(version=version)
            record["device"]["kind"] = "gpu"
            for point in record["points"]:
                point.update(device="gpu:0", threads=0, state="graph")
        self.assertEqual(self.problems(lambda record: on_gpu(record, 2)), [])
        self.assertTrue(self.problems(lambda record: on_gpu(record, 1)))

    def test_percent_of_gather_follows_from_the_ceiling(self):
        def change(record, percents=(80.0, 100 * 80 / 120), version=2):
            ceiling = make_point("gather", "ceiling", 80.0)
            record.update(version=version, points=[*record["points"], ceiling])
            for point, percent in zip(record["points"], percents):
                point["percent_of_gather"] = percent
        self.assertEqual(self.problems(change), [])
        self.assertTrue(self.problems(lambda record: change(record, version=1)))
        self.assertTrue(self.problems(lambda record: change(record, (75.0, 100 * 80 / 120))))
        self.assertTrue(self.problems(lambda record: change(record, (80.0,))))
        self.assertTrue(self.problems(lambda record: record["points"][0].update(percent_of_gather=80.0)))

    def test_a_graph_needs_a_gpu(self):
        self.assertTrue(self.problems(lambda record: record["points"][0].update(state="graph")))

    def test_the_matrix_has_one_origin(self):
        self.assertTrue(self.problems(lambda record: record["points"][0]["matrix"].update(file="a.mtx")))
        self.assertTrue(self.problems(lambda record: record["points"][0]["matrix"].pop("spec")))


class CheckIoRecords(unittest.TestCase):
    def problems(self, change=None):
        point = {"contender": "read .mtx", "kind": "own", "file_bytes": 4000000, "checked": True,
                 "samples_ms": [9.0, 10.0, 30.0], "mb_s": 400.0, "median_ms": 10.0, "spread": 0.1}
        record = {"schema": "millrace.io", "version": 1, "created": "2026-01-31T12:00:00Z",
                  "matrix": {"spec": "poisson3d7:n=80", "rows": 512000, "entries": 3545600},
                  "machine": {"cpu": "x", "cores": 2, "threads": 2, "compiler": "GNU 12"},
                  "build": {"version": "0.1.0", "commit": "", "source_hash": "0", "type": "Release", "flags": ""},
                  "points": [point, dict(point, contender="read .mtx by fscanf", kind="peer")]}
        if change:
            change(record)
        return check_records.check_record(record, check_records.load_schemas()["millrace.io"])

    def test_a_right_record_passes(self):
        self.assertEqual(self.problems(), [])

    def test_figures_must_follow_from_the_samples(self):
        for name in ["median_ms", "mb_s"]:
            self.assertTrue(self.problems(lambda record, name=name: record["points"][0].update({name: 11.0})), name)

    def test_a_wrong_result_is_refused(self):
        self.assertTrue(self.problems(lambda record: record["points"][0].update(checked=False)))

    def test_a_peer_is_needed(self):
        self.assertTrue(self.problems(lambda record: record["points"].pop()))


class CompareRecords(unittest.TestCase):
    def test_smaller_than_the_spread_is_no_difference(self):
        word, ratio = compare_records.verdict(make_point(median_us=100), make_point(median_us=97))
        self.assertEqual(word, "no difference")
        self.assertAlmostEqual(ratio, 100 / 97)

    def test_larger_than_the_spread(self):
        self.assertEqual(compare_records.verdict(make_point(median_us=100), make_point(median_us=80))[0], "faster")
        self.assertEqual(compare_records.verdict(make_point(median_us=80), make_point(median_us=100))[0], "slower")
        noisy = make_point(median_us=80, spread=0.3)
        self.assertEqual(compare_records.verdict(make_point(median_us=100), noisy)[0], "no difference")

    def test_beyond_a_limit_and_the_spreads(self):
        point, verdict = make_point(median_us=100, spread=0.005), compare_records.verdict_beyond
        self.assertEqual(verdict(1.03, point, make_point(median_us=102, spread=0.005)), "same")
        self.assertEqual(verdict(1.03, point, make_point(median_us=106, spread=0.005)), "slower")
        self.assertEqual(verdict(1.03, point, make_point(median_us=106, spread=0.1)), "same")
        self.assertEqual(verdict(1.03, point, make_point(median_us=90, spread=0.005)), "faster")

    def test_points_are_matched_by_what_they_measure(self):
        before = make_record(make_point(), make_point("eigen", "peer"))
        after = copy.deepcopy(before)
        after["points"][1]["state"] = "cold"
        rows, gone, added = compare_records.compare(before, after)
        self.assertEqual([len(rows), len(gone), len(added)], [1, 1, 1])

    def run_on(self, before, after, *options):
        """The exit code and what is printed of two texts, each in a file."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("before.json", "after.json")]
            for file, text in [(f, t) for f, t in zip(files, (before, after)) if t is not None]:
                file.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", compare_records.__file__, *map(str, files), *options],
                                  capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_other_machines_and_busy_ones_are_refused(self):
        record = make_record(make_point())
        other, busy = copy.deepcopy(record), copy.deepcopy(record)
        other["device"]["name"] = "another"
        busy["bandwidth"]["read_gb_s"] *= 0.7
        text = json.dumps(record)
        self.assertEqual(self.run_on(text, text)[0], 0)
        for changed, reason in ((other, "different devices"), (busy, "was a machine busy?")):
            code, out, error = self.run_on(text, json.dumps(changed))
            self.assertEqual((code, out, error.count("\n")), (2, "", 1))
            self.assertIn(reason, error)
            self.assertEqual(self.run_on(text, json.dumps(changed), "--across-machines")[0], 0)

    def test_what_is_no_record_is_one_line(self):
        text = json.dumps(make_record(make_point()))
        without = make_record(make_point())
        del without["points"][0]["median_us"]
        for bad in (None, "", "{", "[]", "{}", "3", json.dumps({"points": [3]}), json.dumps(without)):
            code, out, error = self.run_on(text, bad)
            self.assertEqual((code, out, error.count("\n")), (2, "", 1), bad)

    def test_table_of_the_best(self):
        rows = list(print_records.rows_of(make_record()))
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0][-3:], ["eigen", "120.0", "1.20"])
        self.assertEqual(rows[0][-6:-3], rows[0][-3:])

    def test_table_knows_repeatable_peers(self):
        hasty = make_point("cusparse coo alg1", "peer", 80.0)
        hasty["deterministic"] = False
        record = make_record(make_point(), hasty, make_point("cusparse csr alg2", "peer", 150.0))
        row, = print_records.rows_of(record)
        self.assertEqual(len(row), len(print_records.COLUMNS))
        self.assertEqual(row[-6:], ["cusparse coo alg1", "80.0", "0.80", "cusparse csr alg2", "150.0", "1.50"])
        ceiling = make_point("gather", "ceiling", 50.0)  # in no ratio
        record["points"][0]["percent_of_gather"] = 50.0
        with_ceiling, = print_records.rows_of(make_record(*record["points"], ceiling))
        self.assertEqual(with_ceiling[-7:], ["50", *row[-6:]])
        row, = print_records.rows_of(make_record(make_point(), hasty))
        self.assertEqual(row[-6:], ["cusparse coo alg1", "80.0", "0.80", "-", "-", "-"])


class GpuReceipt(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("src/millrace/a.cu", '#include "millrace/b.hpp"\n#include <vector>\n')
        self.write("src/millrace/b.hpp", '#include "millrace/c.hpp"\n')
        self.write("src/millrace/c.hpp", "int c;\n")
        self.write("src/millrace/other.hpp", "int other;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def receipt(self, **changes):
        tests = {"run": 2, "passed": 2, "failed": 0, "skipped": 0, "failed_names": []}
        return {"schema": "millrace.gpu-tests", "version": 2, "created": "2026-01-31T12:00:00Z", "device": "d",
                "driver": "", "cuda": "", "commit": "", "sources": gpu_receipt.source_hashes(self.root),
                "tests": tests, "sanitizer": {"tool": "", "errors": 0}, **changes}

    def test_includes_are_followed(self):
        names = list(gpu_receipt.source_hashes(self.root))
        self.assertEqual(names, ["src/millrace/a.cu", "src/millrace/b.hpp", "src/millrace/c.hpp"])

    def test_a_fresh_receipt_is_right(self):
        self.assertEqual(gpu_receipt.find_problems(self.receipt(), gpu_receipt.source_hashes(self.root)), ([], []))

    def test_a_changed_include_makes_it_stale(self):
        receipt = self.receipt()
        self.write("src/millrace/c.hpp", "int changed;\n")
        self.write("src/millrace/other.hpp", "int changed;\n")
        _, changed = gpu_receipt.find_problems(receipt, gpu_receipt.source_hashes(self.root))
        self.assertEqual(changed, ["src/millrace/c.hpp (changed)"])

    def test_comments_do_not_count(self):
        self.write("src/millrace/c.hpp", 'int c; // one\n\n/* two\n   lines */ char d[] = "// no comment";\n')
        receipt = self.receipt()
        self.write("src/millrace/c.hpp", 'int c;\n// another, longer\n  char d[] = "// no comment";  // three\n')
        self.assertEqual(gpu_receipt.find_problems(receipt, gpu_receipt.source_hashes(self.root)), ([], []))
        self.write("src/millrace/c.hpp", 'int c;\n char d[] = "// a change";\n')
        _, changed = gpu_receipt.find_problems(receipt, gpu_receipt.source_hashes(self.root))
        self.assertEqual(changed, ["src/millrace/c.hpp (changed)"])

    def test_literals_are_no_comments(self):
        for text in ('R"x(/* " )" // */)x"', "'\"' + '/' + '/'", '"\\"//"', "1'000'000 / 2"):
            self.assertEqual(gpu_receipt.code_of(f"a = {text}; // b\n"), f"a = {text};")

    def test_new_and_gone_sources_are_named(self):
        receipt = self.receipt()
        self.write("src/millrace/a.cu", '#include "millrace/c.hpp"\n')
        self.write("apps/d.cu", "\n")
        _, changed = gpu_receipt.find_problems(receipt, gpu_receipt.source_hashes(self.root))
        self.assertEqual(changed, ["apps/d.cu (new)", "src/millrace/a.cu (changed)", "src/millrace/b.hpp (gone)"])

    def test_failures_are_problems(self):
        tests = {"run": 1, "passed": 0, "failed": 1, "skipped": 0, "failed_names": ["Gpu.x"]}
        hashes = gpu_receipt.source_hashes(self.root)
        self.assertTrue(gpu_receipt.find_problems(self.receipt(tests=tests), hashes)[0])
        self.assertTrue(gpu_receipt.find_problems(self.receipt(sanitizer={"tool": "t", "errors": 3}), hashes)[0])
        self.assertTrue(gpu_receipt.find_problems({}, hashes)[0])

    def test_results_of_ctest_are_counted(self):
        self.write("r.xml", '<testsuite><testcase name="a" status="run"/><testcase name="b" status="fail"><failure/>'
                            '</testcase><testcase name="c" status="notrun"><skipped/></testcase></testsuite>')
        self.write("r.log", "1/3 Test #1: a ...........   Passed    0.1 sec\n"
                            "2/3 Test #2: b ...........***Failed  0.1 sec\n"
                            "3/3 Test #3: c ...........***Skipped 0.1 sec\n")
        expected = {"run": 2, "passed": 1, "failed": 1, "skipped": 1, "failed_names": ["b"]}
        self.assertEqual(gpu_receipt.read_results([self.root / "r.xml"]), expected)
        self.assertEqual(gpu_receipt.read_results([self.root / "r.log"]), expected)


class MakeResults(unittest.TestCase):
    def test_figures_as_text(self):
        self.assertEqual([make_results.time_text(us) for us in (3.08, 77.34, 313.1, 1580.4, 2.5e6)],
                         ["3.08 us", "77.3 us", "313 us", "1.58 ms", "2.50 s"])
        self.assertEqual([make_results.rate_text(value) for value in (62.5, 8.0, 0.0311, 0.00535, 250.4)],
                         ["62.5", "8.00", "0.0311", "0.00535", "250.4"])
        self.assertEqual([make_results.count_text(number) for number in (42, 10000, 28518400)],
                         ["42", "10 k", "28.5 M"])

    def test_names(self):
        self.assertEqual(make_results.in_words("cusparse sell + cublas, graph"), "cuSPARSE sell + cuBLAS, graph")
        self.assertEqual(make_results.title_of("h200-huge-row.json"), "H200: huge row")
        self.assertEqual(make_results.matrix_words({"spec": "poisson3d7:n=8,permute=1"}),
                         "3D 7-point, numbered at random `poisson3d7:n=8,permute=1`")

    def test_a_table_of_products(self):
        record = make_record(make_point(median_us=100.0), make_point("coo", median_us=150.0),
                             make_point("eigen", "peer", 120.0), make_point("graphblas", "peer", 110.0))
        record["points"][3]["deterministic"] = False
        page = make_results.results_page({"neoverse-v1-few.json": record})
        self.assertIn("### Neoverse-V1: few", page)
        self.assertIn("(records/neoverse-v1-few.json); c, 2 cores; no commit; 2026-01-31; read bandwidth 40 GB/s", page)
        self.assertIn("| 2D 5-point `poisson2d5:n=100` | hot | 49.6 k | `millrace csr` | 100 us | 20 % | GraphBLAS "
                      "| 110 us | 1.10 | 1.20 |", page)
        self.assertNotIn("gather |", page)

    def test_a_set_of_matrices_has_means(self):
        points = []
        for number in range(13):
            for contender, kind, us in (("csr", "own", 100.0), ("eigen", "peer", 200.0 if number else 100.0)):
                points.append(make_point(contender, kind, us))
                points[-1]["matrix"] = {"file": f"m{number}.mtx", "rows": 1, "cols": 1, "entries": 1, "hash": "0"}
        page = make_results.results_page({"h200-real.json": make_record(*points)})
        self.assertIn(f"| hot | 13 | {2 ** (12 / 13):.2f} | {2 ** (12 / 13):.2f} |", page)

    def test_a_record_of_an_unknown_kind_is_listed(self):
        page = make_results.results_page({"a.json": {"schema": "millrace.other", "created": "2026-01-31T12:00:00Z"}})
        self.assertIn("| [a.json](records/a.json) | `millrace.other` | no commit | 2026-01-31 |", page)

    def test_a_section_is_replaced(self):
        page = f"one\n{make_results.BEGIN}\nold\n{make_results.END}\ntwo\n"
        expected = f"one\n{make_results.BEGIN}\nnew\n{make_results.END}\ntwo\n"
        self.assertEqual(make_results.with_section(page, "new"), expected)
        self.assertEqual(make_results.with_section(expected, "new"), expected)
        with self.assertRaises(ValueError):
            make_results.with_section("one\n", "new")


if __name__ == "__main__":
    unittest.main()
