"""Figures of chapter 14: the board, and systems beside one."""

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures.theme import MUTED, PALETTE, WIDTH
from gtaudit.drawings import shorten
from gtlib.swaps import Leaderboard


def differences(pairs: pd.DataFrame) -> plt.Axes:
    """Draw every other system beside one, with intervals of the
    differences.

    Parameters
    ----------
    pairs : DataFrame
        Of `gtlib.compare`; its first forty rows are drawn.

    Returns
    -------
    Axes
    """
    rows = pairs.head(40).set_index("a")
    ax = _intervals(rows, "difference", [PALETTE[0]] * len(rows), 16)
    ax.axvline(0, color=MUTED, lw=0.9, ls=":", zorder=0)
    baseline = str(rows["b"].iloc[0])[:40]
    ax.set_xlabel(f"mean less that of {baseline}", parse_math=False)
    return ax


def board(board: Leaderboard, most: int = 20) -> plt.Axes:
    """Draw the first systems of a board, with the intervals of their means.

    Parameters
    ----------
    board : Leaderboard
        Systems that may be best have a colour of their own.
    most : int
        Of the systems; all, if few more are left.

    Returns
    -------
    Axes
    """
    rows = board.table
    if len(rows) > most + 3:  # so few more are not worth hiding
        rows = rows.head(most)
    colours = [PALETTE[0] if may else MUTED for may in rows["may_be_best"]]
    ax = _intervals(rows, "mean", colours, 18)
    ax.set_xlabel(f"mean, with {board.confidence_level:.0%} interval")
    return ax


def _intervals(rows, middle, colours, size):
    """Draw rows from the top down, as dots with intervals; names may be
    long, or look like formulas."""
    rows = rows[::-1]
    names = shorten([*map(str, rows.index)])
    _, ax = plt.subplots(figsize=(WIDTH, 1.1 + 0.24 * len(rows)))
    places = range(len(rows))
    ax.hlines(places, rows["low"], rows["high"], colours[::-1], lw=1.5)
    ax.scatter(rows[middle], places, size, colours[::-1])
    ax.set_yticks(places, names, parse_math=False)
    ax.locator_params(axis="x", nbins=5)
    return ax
