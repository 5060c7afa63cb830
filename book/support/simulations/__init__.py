"""Simulations: what the methods do where the truth is known.

How often intervals hold the true value (`interval_coverage`), how often a
test of reusability rejects what is reusable (`simulate_tests`), what it
does to its scores to leave a site out of the pool (`PoolSimulation`,
`pool_effects`),
whether conclusions are right as often as their confidence says
(`calibration_bins`), swap rates that are on record (`recorded_rates`), and
how many swaps are errors (`swapped_and_wrong`); tests of all pairs of
systems (`bootstrap_pairs`, `tukey_pairs`), and what a second set of topics
says of them (`pair_trials`).
"""

from book.support.simulations.confidence import (
    calibration_bins,
    calibration_scores,
    ordered_pairs,
)
from book.support.simulations.coverage import Population, interval_coverage
from book.support.simulations.pairs import (
    bootstrap_pairs,
    pair_trials,
    tukey_pairs,
)
from book.support.simulations.pools import (
    PoolSimulation,
    pool_effects,
    synthetic_runs,
)
from book.support.simulations.reusability import (
    beta_collection,
    simulate_tests,
    skewed_collection,
)
from book.support.simulations.swaps import (
    recorded_rates,
    swapped_and_wrong,
)

__all__ = [
    "PoolSimulation",
    "Population",
    "beta_collection",
    "bootstrap_pairs",
    "calibration_bins",
    "calibration_scores",
    "interval_coverage",
    "ordered_pairs",
    "pair_trials",
    "pool_effects",
    "recorded_rates",
    "simulate_tests",
    "skewed_collection",
    "swapped_and_wrong",
    "synthetic_runs",
    "tukey_pairs",
]
