"""One system beside another: is A better than B, and by how much?"""

from collections.abc import Hashable, Mapping, Sequence
from difflib import get_close_matches
from itertools import product

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.comparisons import (
    betting_limits,
    estimate_means,
    holm,
    mixture_limits,
    total_error,
)
from gtlib.dstudy.d_study import smallest_satisfying
from gtlib.estimates import require_cells
from gtlib.gtheory import GStudy
from gtlib.swaps.standings import as_study, test_pairs
from gtlib.tables import Design, as_text, checks, list_some

POWER = 0.8


def compare(
    scores: GStudy | pd.DataFrame | ArrayLike,
    a: Hashable | None = None,
    b: Hashable | None = None,
    design: str | Design = "system x topic",
    *,
    fixed: str | Sequence[str] = (),
    weights: Mapping | None = None,
    confidence_level: float = 0.95,
    any_time: bool = False,
) -> pd.DataFrame:
    """Compare systems: is a better than b, by how much, and how surely?

    Parameters
    ----------
    scores : score table, or GStudy
        Wide (systems x topics), or long, where a row that is missing was
        not observed.  A study has its own design.
    a, b : labels of systems
        The two systems to compare.  Without `a`, every other system is
        compared with the baseline `b`; without `b`, `a` with every other.
    design, fixed, weights
        As `leaderboard` takes them.
    confidence_level : float in (0, 1)
        Confidence level of each single interval.
    any_time : bool
        Give intervals and p-values that hold however often one looks while
        topics are added: `betting_limits`, if all scores lie in [0, 1],
        else `mixture_limits`. Topics are taken in the order of the table.
        They are wider, and there is no `more`.

    Returns
    -------
    DataFrame, a row per pair, the best other system first
        ``a``, ``b``; ``difference`` of their means, a less b, with its
        ``standard_error``, ``df``, ``low`` and ``high``, in units of the
        score (``df`` is at most that of the rows' mean squared error, so
        that a pair asked for alone may have more); ``p_value`` of this
        pair alone, and ``p_adjusted`` by Holm's
        method for all rows; ``effect_size``, the difference in standard
        deviations of a topic's difference; ``same_order``, the probability
        that as many other topics order the two alike (said and come true
        on thirteen collections: chapter 8); and ``more``, how
        many further topics would settle it, less surely for the first
        and the next after it (chapter 8).  ``attrs["unit"]`` says what is
        a topic here: the outermost drawn facet with most levels.

    Raises
    ------
    ValueError
        If there is no such system, or as of `leaderboard`; or, with
        `any_time`, if the table is not systems x topics without gaps.

    Notes
    -----
    With topics alone, the test is the paired t-test; where each system and
    topic has one score of 0 or 1, p is that of McNemar's exact test, and
    may differ from what the interval says when both are close to the line.

    Other topics order two systems alike if the difference there has the
    same sign.  With V the squared error of the difference, and true
    differences that have a normal distribution with the variance that the
    systems of the table show, 2 σ²(τ), the probability is

        T(ρ d / sqrt(V (1 + ρ))),   ρ = 2 σ²(τ) / (2 σ²(τ) + V),

    where T is Student's, with the degrees of freedom of V.  Two systems do
    not show such a variance: then ρ = 1, as if any true difference were as
    likely.  A few systems show it badly: of
    five on ten topics, pairs with .987 had the same order again in .96, and
    of three on five topics in .72 (simulated normal scores).

    It would be settled by so many topics that the difference over all of
    them, old and new, is significant with the probability .8; NaN if none
    are enough, as where a few assessors set the error.  The observed
    difference d is not taken for the true one, from which it lies apart by
    chance, and away from zero more often than not.  With U the part of V
    that falls with topics, a difference on all topics has the mean r d and
    the variance r U, r = (2 σ²(τ) + V - U) / (2 σ²(τ) + V).  On n topics
    and m others, where w = m / (n + m), it is then normal with

        mean d (1 - w + w r),   variance w U (1 - w + w r),

    beside an error with the square V - U + (1 - w) U.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = pd.Series([0.2, 0.21, 0.4], ["old", "new", "best"])
    >>> scores = rng.normal(0, 0.1, (3, 50)) + merit.to_numpy()[:, None]
    >>> table = gt.compare(pd.DataFrame(scores, merit.index), "best", "new")
    >>> table[["difference", "low", "high"]].round(2).to_numpy().tolist()
    [[0.19, 0.16, 0.23]]
    """
    level = checks.confidence_level(confidence_level)
    study = as_study(scores, design)
    means = estimate_means(study, fixed, weights)
    names = means.value.index
    if a is None and b is None:
        raise ValueError("Name a system, a or b, to compare others with.")
    for name in (a, b):
        if name is not None and name not in names:
            raise ValueError(unknown_system(name, names))
    if a == b:
        raise ValueError(f"{as_text(a)} is compared with itself.")
    others = means.value.sort_values(ascending=False, kind="stable").index
    pairs = product(
        others.drop(b) if a is None else [a],
        others.drop(a) if b is None else [b],
    )
    first, second = zip(*pairs, strict=True)
    first_position, second_position = (
        names.get_indexer(first),
        names.get_indexer(second),
    )
    estimate = means.differences(first_position, second_position)
    p = test_pairs(study, means, first_position, second_position)[0]
    numbers = {s: m.number for s, m in means.moves.items() if len(s) == 1}
    unit = max(numbers, key=lambda s: numbers[s].mean())
    present_topics = 2 / (
        1 / numbers[unit][first_position]
        + 1 / numbers[unit][second_position]
    )
    with_unit = np.array([unit <= s for s in means.moves])
    topic_variance = estimate.parts[with_unit].sum(axis=0) * present_topics
    gap = np.abs(estimate.value)
    slope = np.ones(len(first_position))
    if len(names) > 2:
        true = max(2 * means.value.var() - estimate.typical.sum(), 0)
        total = true + estimate.error**2
        slope = np.divide(true, total, out=slope, where=total > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        effect = estimate.value / np.sqrt(topic_variance)
        z = slope * gap / (estimate.error * np.sqrt(1 + slope))
    same = np.where(gap > 0, scipy.special.stdtr(estimate.df, z), 0.5)

    unit_variance = topic_variance / present_topics
    with np.errstate(divide="ignore", invalid="ignore"):
        shrunk = 1 - (1 - slope) * unit_variance / estimate.error**2

    def further_topics(row):
        """Return how many more topics would settle the pair of a row."""
        if not gap[row] > 0:
            return np.nan
        if p[row] < 1 - level:
            return 0.0

        def enough(further):
            times = np.where(
                with_unit, 1 + further / present_topics[row], 1
            )
            error, df = total_error(
                [*means.moves],
                (estimate.free[:, row] + 1) * times - 1,
                estimate.parts[:, row] / times,
                estimate.typical / times,
            )
            new = further / (present_topics[row] + further)
            kept = 1 - new + new * shrunk[row]
            critical = scipy.special.stdtrit(df, (1 + level) / 2) * error
            spread = np.sqrt(new * unit_variance[row] * kept)
            ends = np.array([kept * gap[row], -kept * gap[row]]) - critical
            return scipy.special.ndtr(ends / spread).sum() >= POWER

        return float(smallest_satisfying(enough) or np.nan)

    low, high = estimate.limits(level)
    more = np.array([further_topics(row) for row in range(len(first))])
    if any_time:
        scores = _topic_scores(study)
        differences = scores[first_position] - scores[second_position]
        bounded = scores.min() >= 0 and scores.max() <= 1
        limits = betting_limits if bounded else mixture_limits
        low, high, p = limits(differences, level)
        more = np.full(len(first), np.nan)
    columns = {
        "a": first,
        "b": second,
        "difference": estimate.value,
        "standard_error": estimate.error,
        "df": estimate.df,
        "low": low,
        "high": high,
        "p_value": p,
        "p_adjusted": holm(p),
        "effect_size": effect,
        "same_order": same,
        "more": more,
    }
    table = pd.DataFrame(columns)
    (table.attrs["unit"],) = unit
    return table


def _topic_scores(study):
    """Return systems x topics, topics in the order of the table."""
    cells = require_cells(study, "any_time=True needs")
    facets = study.design.facets
    crossed = len(facets) == 2 and not any(study.design.nesting.values())
    if not crossed or not cells.balanced:
        gaps = "" if cells.balanced else ", with gaps"
        raise ValueError(
            "any_time=True takes a table of systems x topics without gaps: "
            f"this one is {study.design}{gaps}."
        )
    scores = cells.scores.reshape(cells.shape)
    (topic,) = {*facets} - {study.design.object}
    if facets[0] == topic:
        scores = scores.T
    return scores[:, cells.given[topic]]


def unknown_system(name: object, names: pd.Index) -> str:
    """Say that there is no such system, or what the index calls it, and
    which have similar names."""
    similar = get_close_matches(str(name), map(str, names)) or names
    list_of_names = list_some(map(repr, map(str, similar)), 3)
    return (
        f"There is no {names.name} {list_some([repr(name)])}; there is "
        f"{list_of_names}."
    )
