"""Figures of chapter 11: pairs, the best systems, and swap rates."""

import matplotlib.pyplot as plt
import pandas as pd

from gtapps.figures.theme import MUTED, PALETTE, WIDTH, band, label


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
    names = [
        s if len(s) < 24 else f"{s[:23]}…" for s in map(str, rows["a"])
    ]
    ax.set_yticks(places, names, parse_math=False)
    baseline = str(rows["b"].iloc[0])[:40]
    ax.set_xlabel(f"mean less that of {baseline}", parse_math=False)
    return ax


def reliability_of_best(best: pd.DataFrame) -> plt.Axes:
    """Generalizability among the best n systems, with its interval.

    Parameters
    ----------
    best : DataFrame
        Of `gtapps.audit.best_systems`. What is left without the worst
        quarter is marked.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots()
    band(ax, best["low"], best["high"], PALETTE[0])
    ax.plot(best["generalizability"], "o-", ms=4)
    kept = int(0.75 * best.index[-1])
    if kept in best.index:
        ax.axvline(kept, color=MUTED, lw=0.9, ls=":")
        quarter = "without the worst quarter"
        label(ax, kept, 0, quarter, dx=-5, dy=8, ha="right")
    ax.set(xlabel="the best so many systems", ylabel="generalizability")
    ax.set(xscale="log", ylim=(0, 1))
    ticks = sorted({*best.index[::3], best.index[-1]})
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()
    return ax
