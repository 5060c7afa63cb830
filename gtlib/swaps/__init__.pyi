"""Names of the room, and the modules that they come from."""

from .detection import topics_to_detect as topics_to_detect
from .extrapolation import Extrapolation as Extrapolation
from .extrapolation import extrapolate_swaps as extrapolate_swaps
from .halves import split_half as split_half
from .pairwise import compare as compare
from .pairwise import unknown_system as unknown_system
from .rates import BinnedRates as BinnedRates
from .rates import p_value_rates as p_value_rates
from .rates import swap_rates as swap_rates
from .standings import Leaderboard as Leaderboard
from .standings import leaderboard as leaderboard
