"""How often would other topics turn a comparison round?

The data-driven view of a test collection: `rates` counts swaps and
p-values on random `topic_sets`, `extrapolation` continues the curves,
`halves` splits the topics in two, `discriminative` and the `standings` of a
leaderboard do without splitting. `detection` says what differences so many
topics can show.
"""

from gtlib.swaps.detection import detectable_difference, topics_to_detect
from gtlib.swaps.discriminative import (
    DiscriminativePower,
    discriminative_power,
)
from gtlib.swaps.extrapolation import Extrapolation, extrapolate_swaps
from gtlib.swaps.halves import split_half
from gtlib.swaps.rates import BinnedRates, p_value_rates, swap_rates
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
    "split_half",
    "swap_rates",
    "topics_to_detect",
]
