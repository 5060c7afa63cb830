"""A confidence interval, as every function that gives one returns it."""

from dataclasses import dataclass
from math import isfinite, isnan, nan


@dataclass(frozen=True)
class Interval:
    """A confidence interval, or the reason why there is none.

    Attributes
    ----------
    low : float
    high : float
        NaN, like ``low``, if there is no interval.
    estimate : float
        What the interval is about.
    confidence_level : float
    method : str
        What it was computed by.
    reason : str
        Why there is no interval, no upper limit, or an estimate outside
        the limits, or why it may not hold; else empty.
    of : str
        The name of what is estimated, such as ``"generalizability"``.
    """

    low: float
    high: float
    estimate: float = nan
    confidence_level: float = 0.95
    method: str = ""
    reason: str = ""
    of: str = ""

    def __str__(self) -> str:
        if isnan(self.low):
            quantity = f" of {self.of}" if self.of else ""
            return f"no interval{quantity}: {self.reason}"
        estimate, low, high = (
            f"{x:.4g}" if isfinite(x) else "none"
            for x in (self.estimate, self.low, self.high)
        )
        quantity = f"{self.of} " if self.of else ""
        text = (
            f"{quantity}{estimate} [{low}, {high}] "
            f"({100 * self.confidence_level:g}%, {self.method})"
        )
        return f"{text}; {self.reason}" if self.reason else text
