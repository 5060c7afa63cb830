"""What a report draws: intervals in the rows of a table and a curve, as SVG
within its page; and intervals in letters, for a terminal.

Places along the page are shares of its width, so that a drawing fills a
wide page and a narrow one, and its letters are as large as those beside it.
Colours are the page's, in light and dark.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10
from typing import NamedTuple, Self

import pandas as pd

from gtaudit.display import minus
from gtlib.visible import visible

# The rows that are shown first; the columns in which a terminal draws.
FIRST, WIDE = 12, 40

# What letters become where only those of ASCII can be written.
_PLAIN = str.maketrans("─●○−…", "-*o-~")

# Where the curve is in its drawing, in pixels.
_TOP, _BOTTOM = 10, 170


class Rows(NamedTuple):
    """The last column of a table: what stands above it, and a drawing for
    each row."""

    ticks: str
    marks: list[str]


@dataclass(frozen=True)
class Axis:
    """An axis from one number to a larger one."""

    low: float
    high: float

    @classmethod
    def over(cls, numbers: Iterable[float]) -> Self:
        """Make the axis that has all these numbers, with some room."""
        known = [float(x) for x in numbers if isfinite(x)]
        room = 0.04 * (max(known) - min(known)) or 0.5
        return cls(min(known) - room, max(known) + room)

    def place(self, number: float) -> float:
        """Return where a number is, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)

    def ticks(self, wanted: int = 4) -> list[tuple[float, str]]:
        """List round numbers, about as many as are wanted, as they are
        written."""
        rough = (self.high - self.low) / wanted
        unit = 10.0 ** floor(log10(rough))
        step = next(
            unit * k for k in (1, 2, 5, 10) if unit * k >= rough * 0.999
        )
        first = ceil(self.low / step - 1e-9)
        last = floor(self.high / step + 1e-9)
        digits = max(0, -floor(log10(step) + 1e-9))
        form = f",.{digits}f" if digits < 7 and step < 1e6 else ".3g"
        return [
            (step * k, minus(format(step * k + 0.0, form)))
            for k in range(first, last + 1)
        ]


def draw_rows(
    rows: pd.DataFrame,
    kinds: Sequence[str],
    name: str,
    axis: Axis | None = None,
    zero: float | None = None,
) -> Rows:
    """Draw a dot with a line for each row of a table.

    Parameters
    ----------
    rows : DataFrame
        With ``low``, ``high`` and last what lies between them.
    kinds : sequence of str
        What the page colours each row by.
    name : str
        Of the drawing, on its page.
    axis : Axis, optional
        Over all numbers without it.
    zero : float, optional
        Where a line marks that there is no difference.
    """
    ends = rows[["low", "high", rows.columns[-1]]].to_numpy(float)
    if axis is None:
        axis = Axis.over([*ends.ravel(), *([] if zero is None else [zero])])
    lines, labels = [], []
    for k, (value, label) in enumerate(axis.ticks(5)):
        lines.append(_line(axis, value, value, "grid"))
        kind = "odd" if k % 2 else "even"  # a phone has room for one kind
        labels.append(_text(axis.place(value), 12, label, kind=kind))
    if zero is not None:
        lines.append(_line(axis, zero, zero, "zero"))
    ticks = (
        '<svg width="100%" height="16" aria-hidden="true"><defs>'
        f'<g id="grid-{name}">{"".join(lines)}</g></defs>'
        f"{''.join(labels)}</svg>"
    )
    marks = []
    for (low, high, middle), kind in zip(ends, kinds, strict=True):
        said, drawn = "no interval", f'<use href="#grid-{name}"/>'
        if isfinite(low) and isfinite(high):
            said = minus(f"{low:z.3f} to {high:z.3f}")
            drawn += _line(axis, low, high, kind)
        drawn += (
            f'<circle cx="{axis.place(middle):.2%}" cy="50%" r="4" '
            f'class="{kind}"/>'
        )
        marks.append(
            f'<svg width="100%" height="22" role="img" aria-label="{said}">'
            f"{drawn}</svg>"
        )
    return Rows(ticks, marks)


def draw_curve(
    curve: pd.DataFrame,
    now: pd.Series,
    target: float,
    settled: float | None,
    noun: str,
) -> str:
    """Draw a coefficient against a number of topics, with its band.

    Parameters
    ----------
    curve : DataFrame, a row per number
        ``estimate``, and ``low`` and ``high`` where they are known.
    now : Series
        The present row, whose name is the present number.
    target : float
    settled : float, optional
        The number with which the lower end is expected to reach it.
    noun : str
        What is numbered.
    """
    across = Axis(0.0, float(curve.index[-1]))
    third = curve[curve.index >= now.name / 3].iloc[0].min()
    up = Axis(max(0.0, floor(10 * min(0.9, third)) / 10), 1.0)

    def y(value):
        return _BOTTOM - (_BOTTOM - _TOP) * max(up.place(value), 0.0)

    def path(values):
        points = (
            (100 * across.place(x), 100 - 100 * up.place(v))
            for x, v in values.items()
        )
        return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)

    drawn = [
        _level(y(v), "grid") + _text(0, y(v) + 4, label, "end", -6)
        for v, label in up.ticks()
    ]
    drawn += [
        _text(across.place(v), _BOTTOM + 17, label, _anchor(across, v))
        for v, label in across.ticks()
    ]
    known = curve.dropna()
    band = f"{path(known['high'])} {path(known['low'][::-1])}"
    drawn += [
        f'<svg y="{_TOP}" width="100%" height="{_BOTTOM - _TOP}" '
        'viewBox="0 0 100 100" preserveAspectRatio="none">'
        f'<polygon class="band" points="{band}"/>'
        f'<polyline class="curve" points="{path(curve["estimate"])}"/>'
        "</svg>",
        _level(y(target), "target"),
    ]
    here = across.place(now.name)
    drawn.append(_upright(here, y(now["estimate"])))
    if known.empty and isfinite(now["low"]):
        drawn.append(_upright(here, y(now["high"]), y(now["low"]), "whole"))
    drawn.append(_circle(here, y(now["estimate"]), "here"))
    side = ("end", -6) if here > 0.4 else ("start", 6)
    drawn.append(_text(here, _BOTTOM - 8, "you are here", *side, "green"))
    if settled is not None:
        there = across.place(settled)
        more = f"+{settled - now.name:,.0f}"
        drawn += [
            _upright(there, y(target)),
            _circle(there, y(target), "settled"),
            _text(there, _BOTTOM - 8, more, "end", -6, "green"),
        ]
    drawn += [
        _text(1, y(target) + 16, f"{target:g} is enough", "end"),
        _text(0.5, _BOTTOM + 34, noun),
    ]
    said = minus(
        f"{now['estimate']:.3f} with the present {now.name:,.0f} {noun}, "
        f"and more with more; {target:g} is enough."
    )
    return (
        f'<svg class="reach" width="100%" height="{_BOTTOM + 38}" '
        f'role="img" aria-label="{escape(said)}">{"".join(drawn)}</svg>'
    )


def _anchor(axis, value):
    return "end" if axis.place(value) > 0.95 else "middle"


def _line(axis, one, other, kind):
    """Draw a line along a row; across it, if both its ends are one."""
    ends = ("0", "100%") if one == other else ("50%", "50%")
    return (
        f'<line x1="{axis.place(one):.2%}" y1="{ends[0]}" '
        f'x2="{axis.place(other):.2%}" y2="{ends[1]}" class="{kind}"/>'
    )


def _level(y, kind):
    return (
        f'<line x1="0" y1="{y:.1f}" x2="100%" y2="{y:.1f}" class="{kind}"/>'
    )


def _upright(x, top, bottom=_BOTTOM, kind="now"):
    return (
        f'<line x1="{x:.2%}" y1="{top:.1f}" x2="{x:.2%}" '
        f'y2="{bottom:.1f}" class="{kind}"/>'
    )


def _circle(x, y, kind):
    return f'<circle cx="{x:.2%}" cy="{y:.1f}" r="5" class="{kind}"/>'


def _text(x, y, said, anchor="middle", beside=0, kind=""):
    return (
        f'<text x="{x:.2%}" y="{y:.1f}" dx="{beside}" class="{kind}" '
        f'text-anchor="{anchor}">{escape(said)}</text>'
    )


def draw_in_letters(
    board: pd.DataFrame, width: int = 80, plain: bool = False
) -> Iterator[str]:
    """Draw the first systems of a board in lines of this width, those that
    may be best with a full dot; `plain` letters are ASCII.

    Examples
    --------
    >>> board = pd.DataFrame({"mean": [0.8, 0.5], "low": [0.7, 0.4],
    ...     "high": [0.9, 0.6], "may_be_best": [True, False]}, ["a", "b"])
    >>> for line in draw_in_letters(board, 26, plain=True):
    ...     print(line.replace(" ", "_"))
    __________0.4__0.6__0.8
    a__0.800__________---*--
    b__0.500___--o---
    """
    shown = board.head(FIRST)
    names = shorten([visible(str(name)) for name in shown.index])
    names = [n if len(n) <= WIDE else f"{n[: WIDE - 1]}…" for n in names]
    means = [minus(f"{mean:z.3f}") for mean in shown["mean"]]
    left, middle = max(map(len, names)), max(map(len, means))
    wide = max(10, min(WIDE, width - left - middle - 5))
    axis = Axis.over(shown[["low", "high", "mean"]].to_numpy().ravel())

    def column(number):
        return round(axis.place(number) * (wide - 1))

    head = ""
    for value, label in axis.ticks(5):
        begin = left + middle + 4 + column(value) - len(label) // 2
        if begin > len(head):
            head = f"{head:<{begin}}{label}"
    lines = [head]
    for name, mean, row in zip(
        names, means, shown.to_dict("records"), strict=True
    ):
        drawn = [" "] * wide
        if isfinite(row["low"]) and isfinite(row["high"]):
            for place in range(column(row["low"]), column(row["high"]) + 1):
                drawn[place] = "─"
        drawn[column(row["mean"])] = "●" if row["may_be_best"] else "○"
        begin = f"{name:<{left}}  {mean:>{middle}}  "
        lines.append(begin + "".join(drawn).rstrip())
    for line in lines:
        yield line.translate(_PLAIN) if plain else line


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
