"""Names of the room, and the modules that they come from."""

from .choice import Allocation as Allocation
from .choice import best as best
from .choice import cheapest as cheapest
from .choice import sensitivity as sensitivity
from .prices import JUDGMENT as JUDGMENT
from .prices import read_cost as read_cost
from .ratio import optimal_ratio as optimal_ratio
