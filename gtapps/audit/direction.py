"""Scores of which less is better, such as error rates, turned round.

An audit takes more for better: the system with the highest mean is the
best. What is called like an error is refused, unless it is turned round
(``--less-is-better``) or allowed.
"""

from collections.abc import Mapping

import pandas as pd

from gtapps.roles import is_less_better
from gtlib.tables import Suspicion, list_some


def turn_round(
    path: str,
    tables: Mapping[str | None, pd.DataFrame],
    less_is_better: bool,
) -> tuple[dict[str | None, pd.DataFrame], list[str], list[Suspicion]]:
    """Return tables of scores, more of which is better.

    Parameters
    ----------
    path : str
        Of the file, for messages.
    tables : dict of measure to table
        Long with a column ``score``, or wide; ``attrs["score"]`` is what
        the scores are called, where that is known.
    less_is_better : bool
        Whether the scores are errors; of several measures, those that are
        called so.

    Returns
    -------
    tables : dict of measure to table
        Errors in [0, 1] are taken from 1, others have the other sign.
    notes : list of str
        What was turned round.
    suspicions : list of Suspicion
        What is called like an error and was not.

    Raises
    ------
    ValueError
        If there are several measures, and none is called like an error.
    """
    names = {m: table.attrs.get("score") for m, table in tables.items()}
    errors = [m for m, name in names.items() if is_less_better(name or "")]
    if not less_is_better:
        return {**tables}, [], [loss_suspicion(names[m]) for m in errors]
    if len(tables) == 1:
        errors = [*tables]
    if not errors:
        raise ValueError(
            f"{path}: of {list_some(tables)} none is called like an error; "
            "audit one measure at a time with --less-is-better."
        )
    turned, notes = {**tables}, []
    for measure in errors:
        turned[measure], sign = _turned(tables[measure])
        name = names[measure] or "score"
        notes.append(
            f"Of {name} less is better, so the audit is of {sign}{name}."
        )
    return turned, notes, []


def _turned(table):
    """Return a table of what the errors leave, and the sign for it."""
    scores = table[["score"]] if "score" in table else table
    low, high = scores.min(axis=None), scores.max(axis=None)
    within = low >= 0 and high <= 1
    new = 1 - scores if within else -scores
    if "score" in table:
        new = table.assign(score=new["score"])
    new.attrs = table.attrs
    return new, "1 − " if within else "−"


def loss_suspicion(
    name: object, instead: str = "say --less-is-better"
) -> Suspicion:
    """Return the doubt whether more is better of scores of this name."""
    what = (
        f"The scores are called {name}, and more is taken for better. If "
        f"less is better, {instead}."
    )
    return Suspicion("loss", f"score {name}", what)
