"""The leaderboard of an audit, and comparisons of pairs of systems."""

import numpy as np
import pandas as pd

from gtaudit.collection import LEAST, Collection
from gtaudit.display import safe_names
from gtaudit.nouns import OURS, Nouns, count_noun, plural
from gtaudit.results import best_systems
from gtlib.checks import as_text
from gtlib.swaps import Leaderboard, compare, leaderboard

# Rows of a board that a report shows; its JSON file has all.
MOST_ROWS = 400

# Significance level of the sentences on pairs.
_LEVEL = 0.05


def audit_leaderboard(collection: Collection) -> Leaderboard:
    """Return the leaderboard, with the errors of the collection's
    design."""
    scores, options = _scored(collection)
    return leaderboard(scores, **options)


def compare_systems(
    collection: Collection, board: Leaderboard, baseline: str | None = None
) -> pd.DataFrame:
    """Compare every other system with the baseline, or with the first.

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


def board_table(board: Leaderboard) -> pd.DataFrame:
    """Return the first rows of a leaderboard, for people."""
    table = board.table.head(MOST_ROWS)
    shown = table[["mean"]].copy()
    level = f"{board.confidence_level:.0%}"
    for name, end in {"from": "low", "to": "high"}.items():
        shown[f"{name}, {level}"] = table[end]
    shown[f"ranks, {1 - board.alpha:.0%}"] = list_ranks(table)
    shown["may be best"] = np.where(table["may_be_best"], "yes", "no")
    return shown


def list_ranks(table: pd.DataFrame) -> list[str]:
    """Write the ranks that each system may have: ``1 to 3``."""
    places = zip(table["best_rank"], table["worst_rank"], strict=True)
    return [str(a) if a == b else f"{a} to {b}" for a, b in places]


def describe_other_rows(
    board: Leaderboard, nouns: Nouns = OURS
) -> list[str]:
    """Return a sentence on the rows that `board_table` does not show, if
    any."""
    rest = board.table["mean"].iloc[MOST_ROWS:]
    if rest.empty:
        return []
    return [
        f"{count_noun(len(rest), nouns.markdown.system)} below those shown "
        f"have means from {rest.max():.3f} to {rest.min():.3f}; their rows "
        "are among the numbers of the report (JSON)."
    ]


def drawn_facets(board: Leaderboard, nouns: Nouns = OURS) -> str:
    """Return the facets that a board's errors draw anew, in words: ``topics
    and assessors``."""
    return as_text(nouns.list_facets(board.drawn))


def describe_best(board: Leaderboard, nouns: Nouns = OURS) -> str:
    """Return the sentence on who may be best, with other topics drawn anew,
    and on who is first on these."""
    table = board.table
    drawn = drawn_facets(board, nouns)
    system = nouns.markdown.system
    first = table.index[table["rank"] == 1]
    maybe = table.index[table["may_be_best"]]
    confidence = f"{1 - board.alpha:.0%} confidence for each {system}"
    if len(first) == len(table):
        return f"**No {system} is first**: all tie on these {drawn}."
    if len(maybe) == 1:
        return (
            f"**Best is {safe_names(first)}**, on these {drawn} and with "
            f"others drawn anew ({confidence})."
        )
    is_first = f"is {safe_names(first)}"
    if len(first) > 1:
        is_first = f"are {safe_names(first)}, with the same mean"
    return (
        f"**Which {system} is best cannot be told**: with other {drawn} "
        f"drawn anew, {len(maybe)} of {count_noun(len(table), system)} "
        f"may be ({safe_names(maybe)}; {confidence}). First on these "
        f"{drawn} {is_first}."
    )


def describe_order(board: Leaderboard, nouns: Nouns = OURS) -> list[str]:
    """Return sentences on the pairs that a leaderboard's topics can order
    and on those that they cannot, in Markdown."""
    drawn = drawn_facets(board, nouns)
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


def describe_pairs(
    pairs: pd.DataFrame, board: Leaderboard, nouns: Nouns = OURS
) -> list[str]:
    """Return sentences on all systems that were compared with one."""
    facets = drawn_facets(board, nouns)
    if len(pairs) == 1:
        return [_describe_pair(pairs.iloc[0], pairs.attrs["unit"], facets)]
    other_name = safe_names(pairs["b"].head(1))
    is_sure = pairs["p_adjusted"] < _LEVEL
    groups = {
        "Better than": is_sure & (pairs["difference"] > 0),
        "Worse than": is_sure & (pairs["difference"] < 0),
    }
    sentences = []
    for begin, chosen in groups.items():
        names = pairs["a"][chosen].tolist()
        if names:
            number = count_noun(len(names), nouns.markdown.system)
            sentences.append(
                f"{begin} {other_name}: {safe_names(names)} ({number})."
            )
    sentences.append(
        f"This is said with other {facets} drawn anew, of all "
        f"{count_noun(len(pairs), 'comparison')} together (Holm's method, "
        "p < "
        f"{_LEVEL}). A p-value is the probability of so large a difference "
        "if there is none in truth, and not that of being wrong."
    )
    return sentences


def _describe_pair(row, unit, facets):
    """Describe the comparison of the only two systems."""
    if row["difference"] < 0:
        better, worse = row["b"], row["a"]
        low, high = -row["high"], -row["low"]
    else:
        better, worse = row["a"], row["b"]
        low, high = row["low"], row["high"]
    better = safe_names([better])
    worse = safe_names([worse])
    more = as_text(plural(unit))
    gap = f"{abs(row['difference']):.3f} [{low:z.3f}, {high:z.3f}]"
    evidence = f"p = {row['p_value']:.2g}; other {facets} drawn anew"
    if row["standard_error"] == 0:
        evidence = (
            f"as much on all these {facets}: is one made of the other?"
        )
    if row["p_value"] < _LEVEL:
        return f"**{better} is better than {worse}** by {gap} ({evidence})."
    if row["difference"] == 0:
        return f"**{better} and {worse} have the same mean** ({gap})."
    sentence = (
        f"**Which of {better} and {worse} is better cannot be told.** On "
        f"these {facets} {better} is better by {gap} "
        f"({evidence}); "
        f"as many others would order the two alike with probability "
        f"{row['same_order']:.2f}."
    )
    if np.isnan(row["more"]):
        return f"{sentence} No number of {more} would settle it."
    return (
        f"{sentence} If nothing is known of the two but this, "
        f"{row['more']:,.0f} more {more} would settle it with "
        "probability 0.8."
    )
