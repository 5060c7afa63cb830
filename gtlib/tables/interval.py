"""A confidence interval, as every function that gives one returns it."""

from dataclasses import dataclass
from math import isfinite, isnan, nan


@dataclass(frozen=True)
class Interval:
    """A confidence interval, or the reason why there is none.

    Attributes
    ----------
    low, high : float
        The limits, in the unit of `estimate`: both NaN if there is no
        interval; `high` infinite if there is no upper limit.
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

    Examples
    --------
    >>> import gtlib as gt
    >>> print(gt.Interval(0.8324, 0.9837, 0.9314, method="feldt"))
    0.9314 [0.8324, 0.9837] (95%, feldt)
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
        numbers = self.estimate, self.low, self.high
        estimate, low, high = map(_as_text, numbers)
        quantity = f"{self.of} " if self.of else ""
        text = (
            f"{quantity}{estimate} [{low}, {high}] "
            f"({100 * self.confidence_level:g}%, {self.method})"
        )
        return f"{text}; {self.reason}" if self.reason else text

    def __format__(self, spec: str) -> str:
        """The estimate and the limits, each by `spec`: ``.93 [.83, .98]``
        is short for a sentence.

        >>> f"{Interval(0.8324, 0.9837, 0.9314):.2f}"
        '0.93 [0.83, 0.98]'
        """
        if not spec:
            return str(self)
        estimate, low, high = (
            format(x, spec) if isfinite(x) else "none"
            for x in (self.estimate, self.low, self.high)
        )
        if isnan(self.low):
            return f"{estimate} [unknown]"
        return f"{estimate} [{low}, {high}]"


def _as_text(number):
    """Four digits, or a whole number where there are more."""
    if not isfinite(number):
        return "none"
    return f"{number:,.0f}" if abs(number) >= 1e4 else f"{number:.4g}"
