"""Figures of rectangles, which a reader can move on the page.

What lies where, at every stop of the sliders, is worked out once, from
what gtlib computes: the chapter draws one stop as its image, and
`book/_ext/interactive.py` hands all of them to the page.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle

from book.support.figures.theme import COLORS, FAINT, INK, MUTED, PALETTE

# The letters that say what a rectangle has the colour of; as a capital,
# the rectangle is hollow.
TONES = {
    "s": "system",
    "t": "topic",
    "a": "assessor",
    "b": "both",
    "e": "error",
    "o": "one",
    "p": "other",
    "f": "faint",
}
FREE = {"one": PALETTE[0], "other": PALETTE[3], "both": MUTED}
TONE_COLORS = COLORS | FREE | {"faint": FAINT}


class Panel(NamedTuple):
    """What lies on one panel at one stop.

    Attributes
    ----------
    marks : array_like, shape (marks, 4)
        Left, bottom, width and height, in the units of the axes. Every
        stop has as many marks: they move.
    tones : str
        A letter of `TONES` for each mark.
    texts : list of tuple
        Where the middle of each text lies, and the text.
    """

    marks: Any
    tones: str
    texts: Sequence[tuple[float, float, str]] = ()


class Stop(NamedTuple):
    """What each panel shows, and a sentence: its words, with a field
    ``{name}``, or ``{name:tone}`` in a colour, for each of these values."""

    panels: list[Panel]
    words: str
    fields: dict[str, Any]


@dataclass(frozen=True)
class Moving:
    """Panels, sliders, and what is shown at each of their stops.

    Attributes
    ----------
    limits : sequence
        Of each panel: left, right, bottom and top.
    sliders : dict of str to list
        By its name, what each stop of a slider is called.
    start : list
        Where each slider stands at first.
    stops : list of Stop
        Those of the last slider change fastest.
    """

    limits: Sequence[Sequence[float]]
    sliders: dict[str, list]
    start: list
    stops: list[Stop]

    def draw(self, axes: Sequence[plt.Axes], stop: int) -> None:
        """Draw the panels at a stop; the lines of axes stay beside them,
        where what moves does not cover them."""
        panels = self.stops[stop].panels
        for k, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
            left, right, bottom, top = self.limits[k]
            ax.set(xlim=(left, right), ylim=(bottom, top))
            ax.spines[:].set_position(("outward", 1))
            for mark, letter in zip(panel.marks, panel.tones, strict=True):
                color = TONE_COLORS[TONES[letter.lower()]]
                drawn = Rectangle(mark[:2], *mark[2:], fc=color, lw=0)
                if letter.isupper():
                    drawn.set(fc="white", ec=color, lw=0.8)
                ax.add_patch(drawn)
            for x, y, text in panel.texts:
                ax.text(x, y, text, color=INK, ha="center", va="center")


def squares(
    columns: Any, rows: Any, areas: Any, largest: float = 0.9
) -> np.ndarray:
    """Return marks of given areas, in the middles of a grid's cells.

    Parameters
    ----------
    columns, rows, areas : array_like, shape (marks,)
        The cell of column 0 and row 0 begins at the origin.
    largest : float
        The side of a square of area 1.

    Returns
    -------
    numpy.ndarray, shape (marks, 4)
    """
    columns, rows, areas = np.broadcast_arrays(columns, rows, areas)
    sides = largest * np.sqrt(areas)
    corners = [columns + (1 - sides) / 2, rows + (1 - sides) / 2]
    return np.stack([*corners, sides, sides], axis=-1).reshape(-1, 4)


def columns(starts: Any, heights: Any, width: float) -> np.ndarray:
    """Return marks that stand on the axis, each from its start on."""
    starts, heights = np.asarray(starts), np.asarray(heights)
    flat = np.zeros(len(starts))
    return np.stack([starts, flat, flat + width, heights], axis=-1)


def bare(*axes: plt.Axes, aspect: str = "auto") -> None:
    """Remove ticks and frames from axes that show a grid of cells."""
    for ax in axes:
        ax.set(xticks=[], yticks=[], aspect=aspect)
        ax.spines[:].set_visible(False)
