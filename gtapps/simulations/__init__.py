"""Simulations: what the methods do where the truth is known.

How often intervals hold the true value (`interval_coverage`), how often a
test of reusability rejects what is reusable (`simulate_tests`), what it
does to its scores to leave a site out of the pool (`PoolSimulation`), and
whether conclusions are right as often as their confidence says
(`calibration_bins`).
"""

from gtapps.simulations.confidence import (
    calibration_bins,
    calibration_scores,
    ordered_pairs,
)
from gtapps.simulations.coverage import Population, interval_coverage
from gtapps.simulations.pools import PoolSimulation, synthetic_runs
from gtapps.simulations.reusability import simulate_tests

__all__ = [
    "PoolSimulation",
    "Population",
    "calibration_bins",
    "calibration_scores",
    "interval_coverage",
    "ordered_pairs",
    "simulate_tests",
    "synthetic_runs",
]
