"""Scores of which less is better, such as error rates, turned round.

An audit takes more for better: the system with the highest mean is the
best. What is called like an error is doubted, unless it is turned round
(``--less-is-better``). Doubts are of the numbers as they
are written: the sign for what is missing is no longer apart once the others
are turned round.
"""

from dataclasses import dataclass, field
from math import isfinite

import pandas as pd

from gtaudit.doubts import (
    Doubt,
)
from gtaudit.readers import is_measure
from gtaudit.words import is_less_better
from gtlib.checks import list_some
from gtlib.scores import is_long


@dataclass
class Turned:
    """Scores of which more is better.

    Attributes
    ----------
    scores : DataFrame
        Long with a column ``score``, or wide.
    start : dict of measure to float
        What errors were taken from: 1, if all lie in [0, 1], else 0. The
        measure is empty where the table names none.
    notes : list of str
        What was turned round.
    doubts : list of Doubt
        What is called like an error and was not.
    """

    scores: pd.DataFrame
    start: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


def turn_round(table: pd.DataFrame, less_is_better: bool) -> Turned:
    """Return the scores of an audit, more of which is better.

    Parameters
    ----------
    table : DataFrame
        As `read_scores` gives it: ``attrs["score"]`` is what the scores
        are called, where that is known, or a column ``measure`` says it.
    less_is_better : bool
        Whether scores are errors: those that are called so, and what is
        called a score or not at all; or all, where none is called so.

    Raises
    ------
    ValueError
        If a table has several measures and none is called like an error,
        or the errors have the other sign already.
    """
    found = Turned(table)
    named = _scores_by_name(table)
    called_so = [name for _, name, x in named if _is_error(name, x)]
    if not less_is_better:
        found.doubts += map(doubt_direction, called_so)
        return found
    known = [name for _, name, _ in named if is_measure(name or "")]
    if not called_so and (known or len(named) > 1):
        listed = list_some(name for _, name, _ in named)
        raise ValueError(
            f"No scores are called like errors, but {listed}. Say which "
            "are, as in --measure wer, or leave out --less-is-better."
        )
    errors = [p for p in named if not called_so or p[1] in called_so]
    for measure, name, scores in errors:
        _turn(found, measure, name, scores)
    if len(errors) < len(named):
        turned = [name for _, name, _ in errors]
        more = [name for _, name, _ in named if name not in turned]
        found.notes.append(f"More is better of {list_some(more)}.")
    return found


def _scores_by_name(table):
    """Return the measures of a table, what each is called, and scores."""
    if not is_long(table):
        return [("", table.attrs.get("score"), table)]
    if "measure" not in table:
        return [("", table.attrs.get("score"), table[["score"]])]
    grouped = table.groupby("measure", sort=False)
    return [(str(m), m, rows[["score"]]) for m, rows in grouped]


def _is_error(name, scores):
    """Return whether scores are called like errors, and some are above
    zero: else they have the other sign already."""
    called_so = name is not None and is_less_better(name)
    return called_so and bool((scores > 0).any(axis=None))


def _turn(table, measure, name, scores):
    """Turn the scores of one measure round, and say so."""
    low, high = scores.min(axis=None), scores.max(axis=None)
    if not isfinite(low) or not isfinite(high):
        return  # what is no number is refused as it is written
    if high <= 0 > low:
        raise ValueError(
            f"No score{f' of {name}' if name else ''} is above zero: the "
            "errors seem to have the other sign already, so that more is "
            "better. Leave out --less-is-better."
        )
    start = 1.0 if low >= 0 and high <= 1 else 0.0
    old = table.scores
    if is_long(old):
        rows = old["score"].index
        if measure:
            rows = rows[old["measure"] == measure]
        new = 1.0 * old["score"]
        new[rows] = start - new[rows] + 0.0  # and no negative zero
        table.scores = old.assign(score=new)
    else:
        table.scores = start - 1.0 * old + 0.0
    table.scores.attrs = old.attrs
    table.start[measure] = start
    sign = "1 − " if start else "−"
    table.notes.append(
        f"Of {name} less is better, so the audit is of {sign}{name}."
        if name
        else f"Less is better, so the audit is of {sign}each score."
    )


def doubt_direction(
    name: object, instead: str = "say --less-is-better"
) -> Doubt:
    """Return the doubt whether more is better of scores of this name."""
    what = (
        f"The scores are called {name}, and more is taken for better. If "
        f"less is better, {instead}."
    )
    return Doubt("loss", f"score {name}", what)
