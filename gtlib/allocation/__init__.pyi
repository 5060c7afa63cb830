"""Names of the room, and the modules that they come from."""

from .by_judgments import best_by_judgments as best_by_judgments
from .by_judgments import difference_errors as difference_errors
from .by_judgments import next_judgments as next_judgments
from .choice import Allocation as Allocation
from .choice import best as best
from .choice import cheapest as cheapest
from .choice import sensitivity as sensitivity
from .prices import JUDGMENT as JUDGMENT
from .prices import read_cost as read_cost
from .ratio import optimal_ratio as optimal_ratio
from .ratio import optimal_ratio_interval as optimal_ratio_interval
