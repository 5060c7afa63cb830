"""Systems beside one of them, in a table, in a figure and in words."""

import numpy as np
import pandas as pd

from gtapps.audit.board import drawn_anew
from gtapps.audit.shown import named
from gtlib.swaps import Leaderboard
from gtlib.tables import as_text, count

_LEVEL = 0.05


def pairs_in_words(pairs: pd.DataFrame, board: Leaderboard) -> list[str]:
    """What is known of the systems beside one, as sentences."""
    if len(pairs) == 1:
        return [_of_two(pairs.iloc[0], pairs.attrs["unit"], board)]
    one, anew = named(pairs["b"].head(1)), drawn_anew(board)
    sure = pairs["p_adjusted"] < _LEVEL
    groups = {
        "Cannot be told apart from": ~sure,
        "Better than": sure & (pairs["difference"] > 0),
        "Worse than": sure & (pairs["difference"] < 0),
    }
    said = []
    for begin, chosen in groups.items():
        if who := pairs["a"][chosen].tolist():
            many = count(len(who), "system")
            said.append(f"{begin} {one}: {named(who)} ({many}).")
    said.append(
        f"This is said with other {anew} drawn anew, of all "
        f"{count(len(pairs), 'comparison')} together (Holm's method, p < "
        f"{_LEVEL}). A p-value is the probability of so large a difference "
        "if there is none in truth, and not that of being wrong."
    )
    return said


def _of_two(row, unit, board):
    """Two systems alone."""
    better, worse = named([row["a"]]), named([row["b"]])
    anew = drawn_anew(board)
    ends = row["low"], row["high"]
    if row["difference"] < 0:
        better, worse, ends = worse, better, (-row["high"], -row["low"])
    gap = f"{abs(row['difference']):.3f} [{ends[0]:z.3f}, {ends[1]:z.3f}]"
    how = f"p = {row['p_value']:.2g}; other {anew} drawn anew"
    if row["standard_error"] == 0:
        how = f"as much on all these {anew}: is one made of the other?"
    if row["p_value"] < _LEVEL:
        return f"**{better} is better than {worse}** by {gap} ({how})."
    if row["difference"] == 0:
        return f"**{better} and {worse} have the same mean** ({gap})."
    said = (
        f"**Which of {better} and {worse} is better cannot be told.** On "
        f"these {anew} {better} is better by {gap} ({how}); "
        f"as many others would order the two alike with probability "
        f"{row['same_order']:.2f}."
    )
    if np.isnan(row["more"]):
        return f"{said} No number of {unit}s would settle it."
    return (
        f"{said} If the true difference is as large, {row['more']:,.0f} "
        f"more {as_text(unit)}s would settle it with probability .8."
    )
