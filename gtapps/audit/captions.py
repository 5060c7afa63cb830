"""What the figures of an audit show, in words that follow the data."""

import numpy as np
import pandas as pd

from gtlib.tables import count


def items(analysis: pd.DataFrame) -> str:
    """Of each topic's correlation with the rest, by `item_analysis`."""
    r = analysis["corrected_item_total"].dropna()
    if r.empty:
        return "There is no topic on which systems differ."
    return (
        f"The correlations of {count(len(r), 'topic')} go from "
        f"{r.min():.2f} to {r.max():.2f}, {int((r < 0).sum())} of them "
        "below zero."
    )


def best(table: pd.DataFrame) -> str:
    """Of the coefficient among the best systems, by `best_systems`."""
    best = table[np.isfinite(table["generalizability"])]
    if best.empty:
        return "Among no number of the best do systems differ."
    few, all_of_them = best.iloc[0], best.iloc[-1]
    said = (
        f"Generalizability is {all_of_them['generalizability']:.2f} among "
        f"all {best.index[-1]} systems, and {of_best(few)} among the best "
        f"{best.index[0]}."
    )
    doubtful = best["note"][best["note"].str.contains("too few|one site")]
    if len(doubtful):
        why = doubtful.iloc[-1].split("; ")[-1].partition(":")[0]
        said += (
            f" For the best {doubtful.index[-1]} and fewer the interval is "
            f"in doubt, or there is none: {why}."
        )
    return said


def of_best(row: pd.Series) -> str:
    """A coefficient among the best, with the interval if it has one."""
    interval = f"[{row['low']:.2f}, {row['high']:.2f}]"
    if np.isnan(row["low"]):
        interval = f"(no interval: {row['note']})"
    if row["high"] <= 0:
        interval = "(their means differ less than chance alone makes them)"
    return f"{row['generalizability']:.2f} {interval}"


def curves(grid: pd.DataFrame, topics: int) -> str:
    """Of the coefficients by the number of topics, by `by_topics`."""
    now, last = grid[grid["topic"] == topics].iloc[0], grid.iloc[-1]
    said = " and ".join(
        f"{name} goes from {now[name]:.2f} to {last[name]:.2f}"
        for name in ("generalizability", "dependability")
    )
    return f"From {topics} to {last['topic']:.0f} topics, {said}."
