"""Tests of scripts/record_flow_checks.py: periods, frequencies and means of known signals, and its records."""

import copy
import math
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import check_records  # noqa: E402
import record_flow_checks  # noqa: E402


def signal(frequency, offset, step=0.15, end=90):
    """A lift that grows to its full swing, and a drag with twice its frequency."""
    times = [step * (k + 1) for k in range(round(end / step))]
    grown = [1 - math.exp(-t / 8) for t in times]
    lift = [g * 0.33 * math.sin(2 * math.pi * frequency * t) + offset for t, g in zip(times, grown)]
    drag = [1.2 + g * (0.15 + 0.01 * math.cos(4 * math.pi * frequency * t)) for t, g in zip(times, grown)]
    return times, lift, drag


class Periods(unittest.TestCase):
    def test_the_frequency_of_a_signal_that_has_settled(self):
        for frequency in (0.12, 0.164, 0.2):
            for offset in (0.0, 0.05):
                times, lift, _ = signal(frequency, offset)
                crossings, swings = record_flow_checks.settled(times, lift)
                periods = len(crossings) - 1
                self.assertGreaterEqual(periods, record_flow_checks.LEAST_PERIODS)
                self.assertLess(periods, len(swings))  # the first ones do not count
                self.assertAlmostEqual(periods / (crossings[-1] - crossings[0]), frequency, delta=2e-3 * frequency)

    def test_the_mean_over_whole_periods(self):
        times, lift, drag = signal(0.164, 0.0, end=120)
        crossings, _ = record_flow_checks.settled(times, lift)
        mean = record_flow_checks.integral(times, drag, crossings[0], crossings[-1]) / (crossings[-1] - crossings[0])
        self.assertAlmostEqual(mean, 1.35, delta=2e-3)

    def test_integrals_of_polygons_are_exact(self):
        times, values = [0, 1, 3, 4], [1.0, 2.0, 0.0, 5.0]
        self.assertAlmostEqual(record_flow_checks.integral(times, values, 0, 4), 1.5 + 2 + 2.5)
        self.assertAlmostEqual(record_flow_checks.integral(times, values, 0.5, 2), 0.5 * 1.75 + 1.5)

    def test_a_signal_that_grows_has_no_settled_periods(self):
        times = [0.15 * k for k in range(400)]
        lift = [1e-4 * math.exp(0.1 * t) * math.sin(t) for t in times]
        crossings, _ = record_flow_checks.settled(times, lift)
        self.assertLess(len(crossings) - 1, record_flow_checks.LEAST_PERIODS)

    def test_a_signal_without_periods(self):
        times = [0.15 * k for k in range(100)]
        crossings, swings = record_flow_checks.settled(times, [1 - 0.01 * t for t in times])
        self.assertEqual((len(crossings) <= 1, swings), (True, []))


class Records(unittest.TestCase):
    schema = check_records.load_schemas()["millrace.flow-checks"]
    right = {"schema": "millrace.flow-checks", "version": 1, "created": "2026-01-31T12:00:00Z",
             "machine": {"name": "m", "cores": 2}, "build": {"commit": "c", "flags": "f"},
             "vortices": {"case": "c.toml", "reason": "reached its end", "steps": 600, "end": 90, "seconds": 1.0,
                          "threads": 2, "periods": 4, "crossings": [40.0, 46.0, 52.0, 58.0, 64.4], "swings": [0.6] * 9,
                          "strouhal": 4 / 24.4, "drag": 1.35},
             "in_space": {"plane": {"cells": 576, "drag": 1.5, "seconds": 1.0},
                          "layer": {"cells": 1728, "drag": 1.515, "seconds": 9.0}},
             "bars": [{"name": "Strouhal number", "found": 4 / 24.4, "low": 0.16, "high": 0.168, "passed": True},
                      {"name": "mean drag", "found": 1.35, "low": 1.32, "high": 1.4, "passed": True},
                      {"name": "drag over drag", "found": 1.01, "low": 0.995, "high": 1.005, "passed": False}]}

    def problems(self, spoil=lambda record: None):
        record = copy.deepcopy(self.right)
        spoil(record)
        return check_records.check_record(record, self.schema)

    def test_a_right_record_passes(self):
        self.assertEqual(self.problems(), [])

    def test_figures_follow_from_the_runs(self):
        self.assertTrue(self.problems(lambda record: record["vortices"].update(strouhal=0.15)))
        self.assertTrue(self.problems(lambda record: record["bars"][1].update(found=1.36)))
        self.assertTrue(self.problems(lambda record: record["bars"][2].update(passed=True)))
        self.assertTrue(self.problems(lambda record: record.pop("in_space")))


if __name__ == "__main__":
    unittest.main()
