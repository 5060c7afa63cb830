"""More topics, or more judgments on each?"""

from collections.abc import Mapping
from math import prod

import numpy as np
import pandas as pd

from gtlib.allocation.choice import allocate
from gtlib.allocation.prices import JUDGMENT, read_cost
from gtlib.allocation.search import Problem
from gtlib.dstudy import Numbers
from gtlib.tables import whole_number


def best_by_judgments(
    self: Numbers,
    unjudged: Mapping[int, float] | pd.Series,
    budget: float,
    cost: Mapping[str, float] | None = None,
    *,
    coefficient: str = "dependability",
) -> pd.DataFrame:
    """The best design that a budget buys, for each number of judgments.

    Parameters
    ----------
    unjudged : mapping of int to float, or Series
        The variance of what is not judged, for each number of documents
        judged a topic: see `GStudy.plan`.
    budget, coefficient : as in `Plan.best`
    cost : mapping of str to float, optional
        Prices as in `Plan.best`; here ``judgment`` is the price of one
        document, judged by one assessor. By default 1, and nothing else.

    Returns
    -------
    DataFrame, a row per number of judgments that the budget allows
        The best numbers of the other facets, ``cost``, both coefficients
        and ``relative_error``. The row with the largest coefficient is
        the best of all: for each number of judgments `Plan.best` is
        exact, and all numbers given are tried.

    Raises
    ------
    ValueError
        As `Plan.best`, or if no number of judgments can be paid.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> unjudged = {n: 0.2 / n for n in (5, 10, 20, 40)}
    >>> prices = {"judgment": 1, "topic": 20}
    >>> table = g.plan().best_by_judgments(unjudged, 2000, prices)
    >>> table["topic"].to_dict()
    {5: 80, 10: 66, 20: 50, 40: 33}
    >>> int(table["generalizability"].idxmax())
    20
    """
    prices = {JUDGMENT: 1.0} if cost is None else dict(cost)
    read_cost(self.design, list(self.bounds), prices)
    each = prices.get(JUDGMENT, 0)
    rows = {}
    for documents, variance in dict(unjudged).items():
        n = whole_number(documents, "the number of judgments")
        priced = {**prices, JUDGMENT: n * each}
        planned = self.with_unjudged(variance)
        problem = Problem.of(planned, budget, priced, coefficient)
        found = allocate(planned, problem)
        if found is not None:
            error = {"relative_error": found.plan.relative_error}
            rows[n] = found.row | error
    if not rows:
        raise ValueError(
            f"budget={budget:g} buys no design with any of the numbers of "
            "judgments given."
        )
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis(
        "judgments"
    )


def difference_errors(self: Numbers) -> pd.Series:
    """What each source adds to the error of a difference of two systems.

    A difference has twice the relative error variance; the square roots
    of its parts are in the unit of the scores.

    Returns
    -------
    Series, a row per source of relative error
        Standard deviations. Their squares add up to twice the plan's
        `relative_error`.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> planned = g.plan(topic=50, unjudged=0.0025)
    >>> planned.difference_errors().to_dict()
    {'system x topic': 0.02, 'unjudged documents': 0.01}
    """
    table = self.table
    parts = table.loc[table["role"] == "relative error", "mean_variance"]
    return np.sqrt(2 * parts).rename("error of a difference")


def next_judgments(
    self: Numbers,
    unjudged: Mapping[int, float] | pd.Series,
    documents: int,
    more: int = 1000,
) -> pd.DataFrame:
    """What so many more judgments leave of the relative error.

    They can go to further topics, as deep as the present ones, to further
    documents of the present topics, or to further assessors of the
    documents that are judged. The plan has the present numbers of topics
    and of other facets; everything but topics and systems counts as
    judging each document once more.

    Parameters
    ----------
    unjudged : mapping of int to float, or Series
        The variance of what is not judged (see `GStudy.plan`) for numbers
        of documents judged a topic: for `documents`, and for the number
        that `more` judgments would give, if that is to have a row.
    documents : int
        Documents judged a topic now.
    more : int

    Returns
    -------
    DataFrame, a row per way to spend them
        ``now``, ``topics``, ``documents`` and, for each further facet,
        its name with an s; only where they are enough for one more.
        Columns: a number for each facet, ``documents``,
        ``relative_error``, and the share of it that is ``left``.

    Raises
    ------
    ValueError
        If a number is not whole, or the variance for `documents` is not
        given.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> unjudged = {20: 0.01, 40: 0.005}
    >>> table = g.plan(topic=50).next_judgments(unjudged, 20)
    >>> table["left"].round(2).to_dict()
    {'now': 1.0, 'topics': 0.5, 'documents': 0.75}
    """
    known = dict(unjudged)
    documents = whole_number(documents, "documents")
    more = whole_number(more, "more")
    if documents not in known:
        raise ValueError(
            f"unjudged has no variance for {documents} documents judged a "
            f"topic, the present number; it has {sorted(known)}."
        )
    now = self.levels
    each = prod(now.values())  # judgments of one document a topic
    deeper = documents + more // each
    ways = {"now": (now, documents)}
    for facet in sorted(now, key=lambda facet: facet != "topic"):
        bought = more * now[facet] // (each * documents)
        if bought and facet not in self.fixed:
            levels = {**now, facet: now[facet] + bought}
            ways[f"{facet}s"] = levels, documents
        if facet == "topic" and deeper > documents and deeper in known:
            ways["documents"] = now, deeper
    rows = {}
    for way, (levels, judged) in ways.items():
        planned = self.with_unjudged(known[judged]).with_numbers(levels)
        error = {"relative_error": planned.relative_error}
        rows[way] = {**levels, "documents": judged, **error}
    table = pd.DataFrame.from_dict(rows, orient="index")
    before = table.loc["now", "relative_error"]
    return table.assign(
        left=table["relative_error"] / before if before > 0 else np.nan
    )
