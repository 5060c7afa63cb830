"""A few topics that people judged, and many that a machine judged.

Prediction-powered inference (Angelopoulos et al. 2023): the machine's
scores on all topics, corrected by how people and machine differ on the
topics that both judged.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from gtlib.compare import critical_t
from gtlib.tables import as_wide, checks, some

__all__ = ["FEWEST", "human_topics", "prediction_powered"]

# Human topics from which a variance about a line can be had.
FEWEST = 4


def prediction_powered(
    human: pd.DataFrame,
    machine: pd.DataFrame,
    *,
    these_topics: bool = False,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Mean scores by people, with the help of a machine's scores.

    Parameters
    ----------
    human : score table, one system or more x n topics
        As people judged; n at least `FEWEST`.
    machine : score table, systems x N topics
        The same systems by the machine, on all topics: the n among them,
        and more.
    these_topics : bool
        Whether the means of these N topics are wanted, which people could
        judge all, or those of all topics that might have been drawn.
    confidence_level : float in (0, 1)

    Returns
    -------
    DataFrame, a row per system
        ``mean`` with ``low`` and ``high``; ``weight`` of the machine's
        scores; ``correlation`` of both on the topics that both have; and
        ``human_mean``, ``human_low`` and ``human_high``, what the n topics
        say without a machine.

    Raises
    ------
    ValueError
        If systems or topics do not belong together, people judged fewer
        topics than `FEWEST` or all, or an argument is out of range.

    Notes
    -----
    With the weight that makes the variance least (Angelopoulos, Duchi &
    Zrnic 2023) the estimate is the regression estimator of two-phase
    sampling (Cochran 1977, section 12.6), and its interval is given here
    as there: Student's t with n - 2 degrees of freedom, and the error of
    the estimated slope counted. It needs that human topics were drawn at
    random, and that scores lie about a line with a constant spread.  For
    differences of systems give tables of differences.

    Examples
    --------
    >>> from gtlib import load
    >>> people = load("dl21")
    >>> judge = load("dl21-judges", "nDCG@10").query(
    ...     "model == 'mistral' and prompt == 0").pivot_table(
    ...     index="system", columns="topic", values="score")
    >>> found = prediction_powered(people.iloc[:, :20], judge)
    >>> found.loc["p_bm25", ["mean", "low", "high"]].round(3).tolist()
    [0.447, 0.346, 0.548]
    """
    level = checks.confidence_level(confidence_level)
    human = as_wide(human, fewest_systems=1)
    machine = as_wide(machine, fewest_systems=1)
    _refuse_strangers(human, machine)
    judged = machine.loc[human.index, human.columns].to_numpy()
    everywhere = machine.loc[human.index].to_numpy()
    n, total = human.shape[1], machine.shape[1]
    y, x = _about_mean(human.to_numpy()), _about_mean(judged)
    xx, yy, xy = (np.sum(z, axis=1) for z in (x**2, y**2, x * y))
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(xx > 0, xy / xx, 0.0)
        r = xy / np.sqrt(xx * yy)
        away = everywhere.mean(axis=1) - judged.mean(axis=1)
        leverage = np.where(xx > 0, away**2 / xx, 0.0)
    about_line = (yy - slope * xy) / (n - 2)
    spread = yy / (n - 1)
    mean = human.mean(axis=1).to_numpy()
    finite = 1 / total if these_topics else 0.0
    # Cochran (1977), section 12.6: of the line at the mean of all topics,
    # as an estimate from n; and of that mean, where others might be drawn
    variance = about_line * (1 / n + leverage - finite)
    if not these_topics:
        variance += np.maximum(spread - about_line, 0) / total
    reach = critical_t(n - 1, 1 - level) * np.sqrt(variance.clip(0))
    alone = critical_t(n, 1 - level) * np.sqrt(spread * (1 / n - finite))
    estimate = mean + slope * away
    return pd.DataFrame(
        {
            "mean": estimate,
            "low": estimate - reach,
            "high": estimate + reach,
            "weight": slope * (1 - n / total),
            "correlation": r,
            "human_mean": mean,
            "human_low": mean - alone,
            "human_high": mean + alone,
        },
        human.index,
    )


def human_topics(
    half_width: float,
    sd: float,
    correlation: float,
    topics: Sequence[int] | np.ndarray,
    *,
    confidence_level: float = 0.95,
) -> pd.Series:
    """How many topics people must judge, beside a machine that judges all.

    Parameters
    ----------
    half_width : float
        Wanted of the interval of `prediction_powered` for all topics that
        might have been drawn, in units of the score.
    sd : float
        Standard deviation over topics of the people's scores (or of their
        differences between two systems).
    correlation : float in [-1, 1]
        Over topics, of people's and machine's scores.
    topics : sequence of int
        Numbers of topics in all, that the machine judges.
    confidence_level : float in (0, 1)

    Returns
    -------
    Series, number of topics to number of human ones
        The fewest with which the expected half-width is no larger; <NA>
        where not all of them are enough.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    On average the estimated slope adds a share (1 - n / N) / (n - 3) to
    the variance about the line (Cochran 1977, section 12.6). Without a
    machine all topics are judged by people.

    Examples
    --------
    >>> human_topics(0.05, 0.2, 0.8, [100, 400]).to_dict()
    {100: 42, 400: 29}
    """
    half_width = checks.positive(half_width, "half_width")
    sd = checks.positive(sd, "sd")
    level = checks.confidence_level(confidence_level)
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation={correlation!r} is not in [-1, 1].")
    found, explained = {}, correlation**2
    for total in topics:
        total = checks.whole_number(total, "topics", FEWEST + 1)
        n = np.arange(FEWEST, total)
        about_line = (1 - explained) * (1 + (1 - n / total) / (n - 3)) / n
        errors = sd * np.sqrt(about_line + explained / total)
        reach = np.append(
            critical_t(n - 1, 1 - level) * errors,
            critical_t(total, 1 - level) * sd / np.sqrt(total),
        )
        enough = np.flatnonzero(reach <= half_width)
        found[total] = FEWEST + enough[0] if enough.size else None
    return pd.Series(found, dtype="Int64")


def _about_mean(values):
    return values - values.mean(axis=1, keepdims=True)


def _refuse_strangers(human, machine):
    for what, few, many in (
        ("systems", human.index, machine.index),
        ("topics", human.columns, machine.columns),
    ):
        strange = few.difference(many)
        if len(strange):
            raise ValueError(
                f"The machine has no scores of the {what} {some(strange)}."
            )
    if not FEWEST <= human.shape[1] < machine.shape[1]:
        raise ValueError(
            f"People judged {human.shape[1]} topics and the machine "
            f"{machine.shape[1]}: it takes at least {FEWEST} topics by "
            "people, and more by the machine."
        )
