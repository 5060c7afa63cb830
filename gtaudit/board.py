"""The leaderboard of an audit, and comparisons of pairs of systems."""

from dataclasses import replace

import numpy as np
import pandas as pd

from gtaudit.collection import LEAST, Collection
from gtaudit.nouns import OURS, Nouns, count_noun
from gtaudit.results import best_systems
from gtlib.checks import as_text
from gtlib.swaps import Leaderboard, compare, leaderboard

# Rows of a board that a report shows; its JSON file has all.
MOST_ROWS = 400


def audit_leaderboard(collection: Collection) -> Leaderboard:
    """Return the leaderboard, with the errors of the collection's
    design."""
    scores, options = _scored(collection)
    return leaderboard(scores, **options)


def compare_systems(
    collection: Collection,
    board: Leaderboard,
    baseline: str | None = None,
    margin: float | None = None,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compare every other system with the baseline, or with the first; with
    a margin, say which are at least as good but for so much.

    Returns
    -------
    DataFrame, a row per other system
        As `compare` gives it.

    Raises
    ------
    ValueError
        If there is no such baseline.
    """
    scores, options = _scored(collection)
    compared = board.table.index[0] if baseline is None else None
    options |= {"margin": margin, "confidence_level": confidence_level}
    return compare(scores, compared, baseline, **options)


def _scored(collection):
    """The study, if it holds scores; else the means of its sample of
    topics. And options for functions that take either."""
    study = collection.study
    if study.cells is None:
        return collection.cells, {}
    return study, {"fixed": collection.fixed}


def best_systems_on_board(
    collection: Collection, board: Leaderboard
) -> pd.DataFrame | None:
    """Estimate generalizability among the best n systems of the board,
    by the collection's own design; None of fewer than three."""
    if len(board.table) < LEAST:
        return None
    n = collection.nouns
    return best_systems(
        collection.scores,
        collection.design
        if collection.study.cells
        else f"{n.system} x {n.topic}",
        sites=collection.sites,
        fixed=collection.fixed,
        ranking=board.table.index,
    )


def add_borda(board: Leaderboard, collection: Collection) -> Leaderboard:
    """Add each system's Borda count to a leaderboard, as the share of the
    other systems that it beats, and the ranks that it may have by it;
    nothing where scores are not at hand."""
    ranked = collection.by_ranks
    if ranked is None:
        return board
    by_ranks = audit_leaderboard(ranked).table.reindex(board.table.index)
    table = board.table.assign(
        borda=by_ranks["mean"],
        borda_best_rank=by_ranks["best_rank"],
        borda_worst_rank=by_ranks["worst_rank"],
    )
    return replace(board, table=table)


def board_table(board: Leaderboard) -> pd.DataFrame:
    """Return the first rows of a leaderboard, for people."""
    table = board.table.head(MOST_ROWS)
    shown = table[["mean"]].copy()
    level = f"{board.confidence_level:.0%}"
    for name, end in {"from": "low", "to": "high"}.items():
        shown[f"{name}, {level}"] = table[end]
    shown[f"ranks, {1 - board.alpha:.0%}"] = list_ranks(table)
    if "borda" in table:
        shown["Borda"] = table["borda"]
        shown["ranks by Borda"] = list_ranks(table, "borda_")
    shown["may be best"] = np.where(table["may_be_best"], "yes", "no")
    return shown


def list_ranks(table: pd.DataFrame, by: str = "") -> list[str]:
    """Write the ranks that each system may have: ``1 to 3``."""
    ends = table[f"{by}best_rank"], table[f"{by}worst_rank"]
    places = zip(*ends, strict=True)
    return [str(a) if a == b else f"{a} to {b}" for a, b in places]


def describe_order(board: Leaderboard, nouns: Nouns = OURS) -> list[str]:
    """Return sentences on the pairs that a leaderboard's topics can order
    and on those that they cannot, in Markdown."""
    drawn = as_text(nouns.list_facets(board.drawn))
    return [
        f"**{board.told_apart:.0%}** of all pairs, and "
        f"{board.ordered_neighbours} of "
        f"{count_noun(len(board.table) - 1, 'pair')} of neighbours, are "
        "told "
        f"apart at p < {board.alpha:g} with other {drawn} drawn anew "
        f"({board.test}, by Holm's method). That two "
        f"{nouns.markdown.systems} cannot be told apart does not make them "
        "equal."
    ]
