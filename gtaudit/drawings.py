"""The figures of a report, as SVG within its page.

Places along the page are shares of its width, so that a drawing fills a
wide page and a narrow one, and its letters are as large as those beside it.
Colours are the page's, in light and dark.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np
import pandas as pd

# The height of a row, and of the numbers below all rows, in pixels.
ROW, AXIS = 20, 20


@dataclass(frozen=True)
class Drawing:
    """A drawing with its caption.

    Attributes
    ----------
    names : list of str
        Of the rows, to stand beside them; none of a map.
    svg : str
    caption : str
    description : str
        For those who cannot see it.
    """

    names: list[str]
    svg: str
    caption: str
    description: str


def draw_board(table: pd.DataFrame, caption: str, system: str) -> Drawing:
    """Draw the first systems of a board, with the intervals of their
    means; those that may be best have a colour of their own."""
    chosen = table["may_be_best"].to_numpy()
    described = (
        f"A dot with a line for each {system}, the best first, along an "
        f"axis of means. {caption}"
    )
    return _draw_rows(table, "mean", chosen, caption, described)


def draw_differences(
    pairs: pd.DataFrame, caption: str, system: str
) -> Drawing:
    """Draw every other system beside one, with intervals of the
    differences; those whose interval leaves out zero have a colour."""
    rows = pairs.set_index("a")
    sure = ((rows["low"] > 0) | (rows["high"] < 0)).to_numpy()
    described = (
        f"A dot with a line for each {system}, along an axis of "
        f"differences with a line at zero. {caption}"
    )
    return _draw_rows(rows, "difference", sure, caption, described, 0.0)


def _draw_rows(table, middle, chosen, caption, described, zero=None):
    """Draw rows from the top down, as dots with intervals."""
    ends = table[["low", "high", middle]].to_numpy(float)
    ends = ends[np.isfinite(ends)]
    if zero is not None:
        ends = np.append(ends, zero)
    axis = _Axis(ends.min(), ends.max())
    height = ROW * len(table)
    parts = [*_grid(axis, height)]
    if zero is not None:
        x = axis.place(zero)
        parts.append(_line(x, 0, x, height, "zero"))
    for i, (row, is_chosen) in enumerate(
        zip(table.to_dict("records"), chosen, strict=True)
    ):
        y, kind = ROW * i + ROW / 2, "chosen" if is_chosen else "other"
        if isfinite(row["low"]) and isfinite(row["high"]):
            low, high = axis.place(row["low"]), axis.place(row["high"])
            parts.append(_line(low, y, high, y, kind))
        parts.append(_dot(axis.place(row[middle]), y, kind))
    svg = _svg(height + AXIS, parts)
    names = shorten([*map(str, table.index)])
    return Drawing(names, svg, caption, described)


class _Axis:
    """An axis whose places are shares of the width, in percent."""

    def __init__(self, low, high):
        room = 0.04 * (high - low) or 0.5
        self.low, self.high = low - room, high + room

    def place(self, value):
        return 100 * (value - self.low) / (self.high - self.low)

    def ticks(self):
        """List round numbers: at most six."""
        rough = (self.high - self.low) / 5
        size = 10.0 ** floor(log10(rough))
        step = next(
            size * k for k in (1, 2, 5, 10) if size * k >= rough * 0.999
        )
        first = ceil(self.low / step)
        last = floor(self.high / step)
        return [step * i for i in range(first, last + 1)]

    def label(self, value):
        return f"{value:.6g}" if abs(value) > 1e-12 else "0"


def _grid(axis, height):
    for value in axis.ticks():
        x = axis.place(value)
        yield _line(x, 0, x, height, "grid")
        yield _text(x, height + 16, axis.label(value), "middle")


def _svg(height: float, parts: Iterable[str]) -> str:
    return (
        f'<svg width="100%" height="{height}" aria-hidden="true">'
        f"{''.join(parts)}</svg>"
    )


def _line(x1, y1, x2, y2, kind):
    return (
        f'<line x1="{x1:.2f}%" y1="{y1:.1f}" x2="{x2:.2f}%" y2="{y2:.1f}" '
        f'class="{kind}"/>'
    )


def _dot(x, y, kind, title=""):
    named = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<circle cx="{x:.2f}%" cy="{y:.1f}" r="4" class="{kind}">'
        f"{named}</circle>"
    )


def _text(x, y, said, anchor):
    return (
        f'<text x="{x:.2f}%" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(said)}</text>"
    )


def shorten(names: list[str]) -> list[str]:
    """Shorten names in the middle, so that those that differ still do.

    Examples
    --------
    >>> shorten(["a-very-long-name-of-a-model-1", "a-short-one"])
    ['a-very-long…of-a-model-1', 'a-short-one']
    """
    most = 24
    while True:
        head = (most - 1) // 2
        tail = most - 1 - head
        short = [
            s if len(s) <= most else f"{s[:head]}…{s[-tail:]}"
            for s in names
        ]
        if len({*short}) == len({*names}):
            return short
        most += 4
