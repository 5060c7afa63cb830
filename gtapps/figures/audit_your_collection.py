"""Figures of chapter 11: the board, and systems beside one."""

import matplotlib.pyplot as plt
import pandas as pd

from gtapps.figures.theme import MUTED, PALETTE, WIDTH
from gtlib.swaps import Leaderboard


def differences(pairs: pd.DataFrame) -> plt.Axes:
    """Every other system beside one, with intervals of the differences.

    Parameters
    ----------
    pairs : DataFrame
        Of `gtlib.compare`; its first forty rows are drawn.

    Returns
    -------
    Axes
    """
    rows = pairs.head(40)[::-1]
    _, ax = plt.subplots(figsize=(WIDTH, 1.1 + 0.24 * len(rows)))
    places = range(len(rows))
    ax.axvline(0, color=MUTED, lw=0.9, ls=":")
    ax.hlines(places, rows["low"], rows["high"], PALETTE[0], lw=1.5)
    ax.plot(rows["difference"], places, "o", ms=4)
    _name(ax, rows["a"])
    baseline = str(rows["b"].iloc[0])[:40]
    ax.set_xlabel(f"mean less that of {baseline}", parse_math=False)
    return ax


def board(board: Leaderboard, most: int = 20) -> plt.Axes:
    """The first systems of a board, with the intervals of their means.

    Parameters
    ----------
    board : Leaderboard
        Systems that may be best have a colour of their own.
    most : int
        Of the systems.

    Returns
    -------
    Axes
    """
    rows = board.table.head(most)[::-1]
    _, ax = plt.subplots(figsize=(WIDTH, 1.1 + 0.24 * len(rows)))
    colours = [PALETTE[0] if may else MUTED for may in rows["may_be_best"]]
    places = range(len(rows))
    ax.hlines(places, rows["low"], rows["high"], colours, lw=1.5)
    ax.scatter(rows["mean"], places, s=18, c=colours)
    _name(ax, rows.index)
    ax.set_xlabel(f"mean, with {board.confidence_level:.0%} interval")
    return ax


def _name(ax, names):
    """Rows from below, by names that may be long, or look like formulas."""
    shown = [s if len(s) < 24 else f"{s[:23]}…" for s in map(str, names)]
    ax.set_yticks(range(len(shown)), shown, parse_math=False)
