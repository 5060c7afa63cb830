"""How often would other topics turn a comparison round?

The data-driven view of a test collection: `rates` counts swaps and
p-values on random topic sets, with what `binned` and `topic_sets` share;
`extrapolation` continues the curves, and `predictions` says what they
follow from; `halves` splits the topics in two, and `discriminative` does
without splitting, as do the `standings` of a leaderboard.
"""

from gtlib.swaps.binned import BinnedRates
from gtlib.swaps.discriminative import (
    DiscriminativePower,
    detectable_difference,
    discriminative_power,
)
from gtlib.swaps.extrapolation import Extrapolation, extrapolate_swaps
from gtlib.swaps.halves import split_half
from gtlib.swaps.predictions import predicted_swap_rates, topics_to_detect
from gtlib.swaps.rates import p_value_rates, swap_rates
from gtlib.swaps.standings import Leaderboard, leaderboard

__all__ = [
    "BinnedRates",
    "DiscriminativePower",
    "Extrapolation",
    "Leaderboard",
    "detectable_difference",
    "discriminative_power",
    "extrapolate_swaps",
    "leaderboard",
    "p_value_rates",
    "predicted_swap_rates",
    "split_half",
    "swap_rates",
    "topics_to_detect",
]
