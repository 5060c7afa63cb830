"""Mean scores from a few topics judged by people and many by a machine.

Prediction-powered inference (Angelopoulos et al. 2023): the machine's
scores on all topics, corrected by how people and machine differ on the
topics that both judged.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from gtlib import checks
from gtlib.checks import list_some
from gtlib.comparisons import critical_t, nearly_constant, wilson_limits
from gtlib.scores import as_wide

__all__ = ["human_topics", "prediction_powered"]

# The fewest human topics that give a variance about a line.
FEWEST = 4

NOTE = "People's scores are (nearly) all the same: the limits allow more."


def prediction_powered(
    human: pd.DataFrame,
    machine: pd.DataFrame,
    *,
    bounds: tuple[float, float] = (0, 1),
    these_topics: bool = False,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Estimate mean scores by people, with the help of a machine's scores.

    Parameters
    ----------
    human : score table, one system or more x n topics
        As people judged; n at least `FEWEST`.
    machine : score table, systems x N topics
        The same systems by the machine, on all topics: the n among them,
        and more.
    bounds : (float, float)
        The least and the greatest score that people's judgments can
        give, whether or not they did.  For differences of scores from 0
        to 1 it is (-1, 1).
    these_topics : bool
        Whether the means of these N topics are wanted, which people could
        judge all, or those of all topics that might have been drawn.
    confidence_level : float in (0, 1)
        Confidence level of each single interval.

    Returns
    -------
    DataFrame, a row per system
        ``mean`` with ``low`` and ``high``, all within the bounds;
        ``human_mean``, ``human_low`` and ``human_high``, what the n topics
        say without a machine; ``weight`` of the machine's scores;
        ``correlation`` of both on the topics that both have; and a
        ``note`` where people's scores are all or nearly all the same,
        else "".

    Raises
    ------
    ValueError
        If systems or topics do not belong together, people judged fewer
        topics than `FEWEST` or as many as the machine, their scores lie
        beyond the bounds, or an argument is out of range.

    Notes
    -----
    With the weight that makes the variance least (Angelopoulos, Duchi &
    Zrnic 2023) the estimate is the regression estimator of two-phase
    sampling (Cochran 1977, section 12.6). Its variance is the one given
    there, which counts the error of the estimated slope; Student's t has
    n - 2 degrees of freedom.  Human topics must be drawn at random.

    Scores from 0 to 1 with the mean m have a variance of at most
    m (1 - m), which scores of 0 and 1 reach; the part of it that people's
    scores reach is taken to hold for every m.  This gives Wilson's (1927)
    interval, with t for z, within the bounds.  Three things widen it:

    * The variance is multiplied by 1 + (1 - part) k / n. Here k is the
      squared skewness of 0/1 scores with this mean, or the excess kurtosis
      of people's scores where that is larger.
    * Unseen topics are added to the residuals, as Agresti & Coull (1998)
      do for shares: 2 + k of them, times that part, or times the share of
      tied scores where that is larger.  Of 0/1 scores this adds a 0 and a
      1.  So a machine that was right on n topics is not taken to be right
      on all.
    * Where people's scores are all the same, nothing is known of their
      spread.  The interval is then that of Clopper & Pearson (1934): a
      share p of topics, (1 - p)^n = (1 - confidence) / 2, may differ by as
      much as the bounds allow.  The machine is not used.  Where all but
      two of them are the same (or a third, if that is fewer), up to
      rounding, the limits reach as far as either interval, unless their
      spread is already the most that their mean allows, as that of 0/1
      scores is.  The note says so in both cases.

    The first two were chosen by simulation of 4,680 settings, with 4,000
    tables in each: 4, 5, 8, 10, 20 or 40 of 50, 100 or 400 topics; both
    values of `these_topics`; machines whose correlation is .3, .6, .9 or
    .97 or that say the same of all; 26 kinds of score: normal, skewed as
    AP is and more (beta with .3 and 3), graded, 0/1 with means from .05 to
    .95, and differences of two systems.  The lowest coverage of intervals
    of 95% was .935, by people alone .937 (Monte-Carlo error .003).  From
    few topics they are wide: where the scores of ten topics are all 0,
    they reach to .31; and of 5 topics, with a machine that says nothing of
    people's scores, they are 1.28 times as wide as by people alone.

    They are not to be trusted where failures are rare and few topics were
    judged: of scores that are 0 one time in twenty and else beta(30, 2),
    95% intervals held .65 to .84 of the time with 20 of 100 topics, .80
    to .91 with 40 of 200, .93 to .97 with 100 of 400; by people alone .66,
    .85 and .94.

    Examples
    --------
    >>> import gtlib as gt
    >>> people = gt.load("dl21")
    >>> judge = gt.load("dl21-judges", "nDCG@10").query(
    ...     "model == 'mistral' and prompt == 0").pivot_table(
    ...     index="system", columns="topic", values="score")
    >>> means = gt.prediction_powered(people.iloc[:, :20], judge)
    >>> means[["mean", "low", "high"]].loc["p_bm25"].round(3).tolist()
    [0.447, 0.349, 0.549]
    """
    level = checks.confidence_level(confidence_level)
    these_topics = checks.flag(these_topics, "these_topics")
    human = _named("human", human)
    machine = _named("machine", machine)
    _refuse_strangers(human, machine)
    ends = checks.number_array(bounds, "bounds")
    least, greatest = ends if ends.shape == (2,) else (0, np.nan)
    width = greatest - least
    scores = ((human - least) / width).to_numpy()
    if not (0 < width < np.inf and 0 <= scores.min() <= scores.max() <= 1):
        raise ValueError(
            f"bounds={bounds!r} must hold people's scores, between two "
            "numbers. Differences of scores from 0 to 1 have (-1, 1)."
        )
    everywhere = machine.loc[human.index].to_numpy()
    judged = machine.loc[human.index, human.columns].to_numpy()
    n = checks.whole_number(human.shape[1], "people's topics", FEWEST)
    total = checks.whole_number(machine.shape[1], "machine's topics", n + 1)
    mean = scores.mean(axis=1)
    unit = np.abs(everywhere).max(axis=1, keepdims=True)
    y = _about_mean(scores, 1)
    x = _about_mean(judged, unit)
    xx = np.sum(x**2, axis=1)
    yy = np.sum(y**2, axis=1)
    xy = np.sum(x * y, axis=1)
    spread = yy / (n - 1)
    differ = 1 - ((1 - level) / 2) ** (1 / n)
    # Limits where all of people's scores are the same (Clopper & Pearson)
    low_of_same = mean + differ * (0 - mean)
    high_of_same = mean + differ * (1 - mean)
    # If fewer than ten topics are left, a single 0 or 1 may be the error
    finite = 1 / max(total, n + 10) if these_topics else 0.0
    away = everywhere.mean(axis=1) - judged.mean(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(xx > 0, xy / xx, 0.0)
        r = xy / np.sqrt(xx * yy)
        leverage = np.where(xx > 0, away**2 / xx, 0.0)
        # Scores of 0 and 1 with this mean: their variance, of which ours
        # is a part, and their squared skewness
        most = mean * (1 - mean)
        part = yy / n / most
        skew = (1 - 2 * mean) ** 2 / most
        heavy = np.maximum(skew, n * np.sum(y**4, axis=1) / yy**2 - 3)
        wider = (1 + (1 - part) * heavy / n) / most
        # Unseen topics, a 0 and a 1, lie off the line (Agresti & Coull
        # 1998), as far as scores are like these, or tied
        ties = np.mean(np.diff(np.sort(scores)) == 0, axis=1)
        unseen = np.maximum(part, ties) * (2 + heavy)
        about_line = (yy - slope * xy + unseen * spread) / (n - 2 + unseen)
        # Cochran (1977), section 12.6: of the line at the mean of all
        # topics, as an estimate from n; and of that mean, where others
        # might be drawn
        variance = about_line * (1 / n + leverage - finite)
        if not these_topics:
            variance += np.maximum(spread - about_line, 0) / total
        means = np.stack([np.clip(mean + slope * away, 0, 1), mean])
        errors = np.stack([variance, spread * (1 / n - finite)])
        t = critical_t([[n - 1], [n]], 1 - level)
        low, high = wilson_limits(means, t**2 * wider * errors)
        # Wilson's are NaN where all scores are the same
        same = nearly_constant(scores) & ~(part > 1 - 1e-9)
        low = np.where(same, np.fmin(low_of_same, low), low)
        high = np.where(same, np.fmax(high_of_same, high), high)
    columns = {
        "mean": means[0],
        "low": low[0],
        "high": high[0],
        "human_mean": means[1],
        "human_low": low[1],
        "human_high": high[1],
    }
    table = least + width * pd.DataFrame(columns, human.index)
    return table.assign(
        weight=slope * width * (1 - n / total),
        correlation=r,
        note=np.where(same, NOTE, ""),
    )


def human_topics(
    half_width: float,
    sd: float,
    correlation: float,
    topics: Sequence[int] | np.ndarray,
    *,
    assurance: float = 0.8,
    confidence_level: float = 0.95,
) -> pd.Series:
    """Plan how many topics people must judge, beside a machine.

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
    assurance : float in (0, 1)
        The share of studies in which the interval is to be as narrow as
        that.  The width varies from study to study, as it is estimated:
        with .5 every other interval is wider than wanted.
    confidence_level : float in (0, 1)
        The share of intervals that hold the mean.

    Returns
    -------
    Series, number of topics to number of human ones
        The fewest whose half-width is no larger in this share of studies;
        <NA> where not all of them are enough.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    Notes
    -----
    On average the estimated slope adds a share (1 - n / N) / (n - 3) to
    the variance about the line (Cochran 1977, section 12.6). An estimated
    variance stays below chi²(assurance) / df times its true value in a
    share `assurance` of studies (Kupper & Hafner 1989); df is n - 2.
    Without a machine all topics are judged by people, and df is N - 1.

    This holds for normal scores far from their bounds.  In simulations of
    these with an assurance of .8, n from 6 to 40 and N from 30 to 400, a
    share of .78 to .87 of the studies was as narrow.  Skewed scores need
    more topics than this, or a higher assurance: with n from 10 to 40 it
    was .54 to .80 for beta scores with .9 and 2.7, which resemble AP, and
    .21 to .56 with .3 and 3.

    Examples
    --------
    >>> import gtlib as gt
    >>> gt.human_topics(0.05, 0.2, 0.8, [100, 400]).to_dict()
    {100: 53, 400: 34}
    >>> gt.human_topics(0.05, 0.2, 0.8, [100, 400], assurance=0.5).to_dict()
    {100: 41, 400: 28}
    """
    half_width = checks.positive(half_width, "half_width")
    sd = checks.positive(sd, "sd")
    level = checks.confidence_level(confidence_level)
    correlation = checks.number(correlation, "correlation")
    topics = checks.several(topics, "topics", "numbers of topics")
    if not -1 <= correlation <= 1:
        raise ValueError(f"correlation={correlation!r} is not in [-1, 1].")
    assurance = checks.fraction(assurance, "assurance", ".8")
    fewest = {}
    explained = correlation**2
    for total in topics:
        total = checks.whole_number(total, "topics", FEWEST + 1)
        n = np.arange(FEWEST, total)
        about_line = (1 - explained) * (1 + (1 - n / total) / (n - 3)) / n
        variance = np.append(about_line + explained / total, 1 / total)
        freedom = np.append(n - 2, total - 1)
        variance *= scipy.special.chdtri(freedom, 1 - assurance) / freedom
        reach = critical_t(freedom + 1, 1 - level) * sd * np.sqrt(variance)
        enough = np.flatnonzero(reach <= half_width)
        fewest[total] = FEWEST + enough[0] if enough.size else None
    return pd.Series(fewest, dtype="Int64")


def _named(name, scores):
    """Return a table of scores; a refusal says of which."""
    try:
        return as_wide(scores, fewest_systems=1)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _about_mean(values, unit):
    """Return values less their row's mean; exactly 0 where all of a row
    are the same up to rounding."""
    same = np.ptp(values, axis=1, keepdims=True) <= 1e-9 * unit
    return np.where(same, 0, values - values.mean(axis=1, keepdims=True))


def _refuse_strangers(human, machine):
    axes = zip(("systems", "topics"), human.axes, machine.axes, strict=True)
    for what, few, many in axes:
        unknown = few.difference(many)
        if len(unknown):
            raise ValueError(
                f"The machine has no scores of the {what} "
                f"{list_some(unknown)}."
            )
