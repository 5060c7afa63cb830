"""The figures of the book, drawn from results; nothing computes here."""

from gtlib.plots.swaps import (
    indicator_fits,
    orderings,
    rates_by_difference,
    significance_curves,
    swap_curves,
    swap_extrapolation,
)
from gtlib.plots.theme import use_style

__all__ = [
    "indicator_fits",
    "orderings",
    "rates_by_difference",
    "significance_curves",
    "swap_curves",
    "swap_extrapolation",
    "use_style",
]
