"""The leaderboard of an audit, and what its systems were observed on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtapps.audit.best import best_systems
from gtapps.audit.collection import LEAST, Collection
from gtapps.audit.shown import listed, named, styled
from gtlib.estimates import cells_of
from gtlib.swaps import Leaderboard
from gtlib.systems import universe_difference
from gtlib.tables import Design, as_text, count, others

# What another package defines, imported where it is used.
Styler: TypeAlias = Any

# Of a board, in a report; all of them are among its numbers.
MOST_ROWS = 20


def among_the_best(collection: Collection) -> pd.DataFrame | None:
    """Generalizability among the best n systems, of a collection whose
    every score is there and in memory, or else of its complete part
    averaged over further facets."""
    wide = collection.wide
    if wide is None or len(wide) < LEAST:
        return None
    if collection.scores is collection.cells or collection.uneven:
        return best_systems(wide, sites=collection.sites)
    more = collection.design, collection.sites
    return best_systems(collection.scores, *more)


def board_style(board: Leaderboard) -> Styler:
    """The first rows of a leaderboard, for people."""
    table = board.table.head(MOST_ROWS)
    level = f"{board.confidence_level:.0%}"
    shown = table[["rank", "tier", "mean"]].copy()
    limits = table["low"], table["high"]
    shown[f"{level} interval"] = [*map("[{:.3f}, {:.3f}]".format, *limits)]
    together = f"ranks together, {1 - board.alpha:.0%}"
    for name, of in {together: "", f"rank alone, {level}": "own_"}.items():
        places = table[f"{of}best_rank"], table[f"{of}worst_rank"]
        shown[name] = [*map("{} to {}".format, *places)]
    shown["may be best"] = np.where(table["may_be_best"], "yes", "no")
    shown["universe score"] = table["universe_score"]
    return styled(shown)


def board_shown(
    board: Leaderboard | None, collection: Collection
) -> Iterator[object]:
    """A leaderboard, and what its topics can order."""
    if board is not None:
        yield board_style(board)
        said = leaders(board, collection.design)
        yield listed([*said, *rest_of(board)])


def rest_of(board: Leaderboard) -> list[str]:
    """A sentence on the rows that `board_style` does not show, if any."""
    rest = board.table.iloc[MOST_ROWS:]
    if rest.empty:
        return []
    tiers = rest["tier"].agg(["min", "max"]).unique()
    where = " to ".join(map(str, tiers))
    return [
        f"{count(len(rest), 'system')} below those shown: means from "
        f"{rest['mean'].max():.3f} to {rest['mean'].min():.3f}, "
        f"tier{'s' * (len(tiers) > 1)} {where}. "
        "Their rows are among the numbers of the report (JSON)."
    ]


def universe_shown(collection: Collection) -> Iterator[object]:
    """The universe scores, and what ranks stand on, of uneven scores."""
    from IPython.display import Markdown

    if not collection.uneven:
        return
    which, systems = "All systems", len(collection.cells)
    if systems > MOST_ROWS:
        which = (
            f"The first {MOST_ROWS} of {systems} systems (the numbers of "
            "the report, as JSON, have all)"
        )
    yield Markdown(
        "Where scores are uneven, a universe score also takes into account "
        "how high the others score on what a system was scored on. Its "
        "standard error is that of the distance from the mean of all. "
        f"{which}, with how many scores they have:"
    )
    names = {
        "estimate": "universe score",
        "standard_error": "standard error",
    }
    table = collection.universe_scores.rename(columns=names)
    table.insert(0, "observations", collection.observations)
    yield styled(table.head(MOST_ROWS))
    yield Markdown(ranks_in_words(collection))


def ranks_in_words(collection: Collection) -> str:
    """What ranks stand on where scores are uneven."""
    said = "For who is best, use this table. Ranks, tiers and tests of"
    if collection.part or collection.wide is None:
        said += " pairs need complete scores."
        if collection.part:
            said += f" {collection.of_part('These are the means:')}"
        return said
    return (
        f"{said} pairs look at a system's mean on each topic, whatever "
        "that is the mean of:"
    )


def first_of_all(collection: Collection) -> str:
    """Who is first where scores are uneven, and how far the next is."""
    g, estimate = collection.study, collection.universe_scores["estimate"]
    scores = cells_of(g, "Universe scores need").scores
    least = 1e-9 * np.ptp(scores)
    alike = estimate.index[estimate >= estimate.iloc[0] - least]
    if len(alike) == len(estimate):
        return (
            "**No system is first**: the universe scores of all are "
            f"{estimate.iloc[0]:.3g}, as the variance between systems is "
            "estimated as zero."
        )
    be = "is" if len(alike) == 1 else "are"
    said = (
        f"**First by universe score {be} {named(alike)}**, "
        f"{estimate.iloc[0]:.3f}"
    )
    second = estimate.index[len(alike)]
    gap, error = universe_difference(g, estimate.index[0], second)
    return (
        f"{said}; next is {named([second])}, {gap:.3f} lower "
        f"(standard error of the difference {error:.3f}). All scores of a "
        "system count, and how high others score on the same."
    )


def top(board: Leaderboard, brief: bool = False) -> str:
    """Who is first, and who else may be the best."""
    table = board.table
    first = table.index[table["rank"] == 1]
    others = table.index[table["may_be_best"] & (table["rank"] > 1)]
    said = f"**First {'is' if len(first) == 1 else 'are'} {named(first)}**"
    if len(first) > 1:
        said += ", with the same mean"
    if len(first) == len(table):
        return f"{said}."
    rest, names = "no other system can be the best", ""
    if len(others):
        rest = f"{count(len(others), 'other system')} may truly be the best"
        names = f": {named(others)}"
    confidence = f"{1 - board.alpha:.0%} confidence for each system"
    if brief:
        return f"{said}, and {rest} ({confidence})."
    return (
        f"{said}; {rest}{names} (comparisons with the best, {board.test}, "
        f"{confidence})."
    )


def leaders(board: Leaderboard, design: Design) -> list[str]:
    """What a leaderboard's topics can order, and what they cannot.

    Parameters
    ----------
    board : Leaderboard
    design : Design
        Of the scores that its table has the means of.

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    table = board.table
    said = [
        top(board),
        f"Of the {count(len(table) - 1, 'pair')} of neighbours on the "
        f"board, the topics order {board.ordered_neighbours}. The board "
        f"has {count(int(table['tier'].max()), 'tier')}. That two systems "
        "cannot be told apart does not make them equal.",
    ]
    if board.test == "exact McNemar":
        said.append(
            "All scores are 0 or 1. The means have Wilson's intervals, "
            "pairs are compared by the exact form of McNemar's test, and "
            "Cronbach's alpha is then KR-20."
        )
    fixed = as_text(others({*design.facets} - {"topic"}, design.object))
    if fixed:
        said.append(
            "Intervals, ranks and tests take other topics into account, "
            f"and these {fixed} as they are. With other {fixed} more could "
            "change."
        )
    twins = table["same_as"][table["same_as"] != ""]
    for original, group in twins.groupby(twins, sort=False):
        said.append(
            f"**The very same scores** as {named([original])}: "
            f"{named(group.index)}."
        )
    return said
