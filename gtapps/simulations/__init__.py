"""What the methods do where the truth is known, because it was made.

How often intervals hold the true value (`interval_coverage`), how often a
test of reusability rejects what is reusable (`simulate_tests`), and what
leaving a site out of the pool does to its scores (`PoolSimulation`).
"""

from gtapps.simulations.coverage import Population, interval_coverage
from gtapps.simulations.pools import PoolSimulation, synthetic_runs
from gtapps.simulations.reusability import simulate_tests

__all__ = [
    "PoolSimulation",
    "Population",
    "interval_coverage",
    "simulate_tests",
    "synthetic_runs",
]
