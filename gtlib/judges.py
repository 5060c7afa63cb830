"""Do people and machines agree, and what do machines add to people?

Agreement of raters on the same items; and mean scores from a few topics
judged by people and many by a machine, by prediction-powered inference
(Angelopoulos et al. 2023): the machine's scores on all topics, corrected by
how people and machine differ on the topics that both judged.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import scipy

from gtlib import checks
from gtlib.checks import as_text, count_noun, list_some
from gtlib.comparisons import critical_t, nearly_constant, wilson_limits
from gtlib.scores import as_wide

__all__ = ["agreement", "human_topics", "prediction_powered"]

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


def agreement(
    ratings: pd.DataFrame,
    *,
    pairs: Sequence[tuple] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
    confidence_level: float = 0.95,
) -> pd.DataFrame:
    """Compute how well raters, people or machines, agree on the same items.

    Parameters
    ----------
    ratings : DataFrame
        A row for each item and a column for each rater, with gaps where
        a rater did not rate; or long, with the columns ``item``,
        ``rater`` and ``rating``. Ratings are numbers, or words without
        an order.
    pairs : list of pairs of raters, optional
        Then each statistic is its mean over these pairs, such as each
        person with a judge, weighted by the items that both have rated.
    n_resamples : int
        How often items are drawn again, for the intervals.
    seed : int
        Of these draws.
    confidence_level : float in (0, 1)
        Of each interval.

    Returns
    -------
    DataFrame, a row per statistic
        ``estimate`` with ``low`` and ``high``, the ``items`` that it
        rests on, and what it ``answers``. NaN where ratings do not show
        it, as beyond chance where all of them are the same. Of two raters
        there is Cohen's (1960) kappa, and of numbers also with squared
        weights (Cohen 1968); of numbers there are alpha for ordered
        grades and for differences, and the dependability of one rater.

    Raises
    ------
    ValueError
        If there are fewer than two raters, or than two items that two
        raters have rated; if a rater has rated an item twice; or if no
        pair has rated two items.

    Notes
    -----
    Krippendorff's alpha (2011) is 1 - D_o / D_e: the disagreement within
    items over that of all ratings taken together. That of ordered grades
    is the one of differences between their mean ranks. The dependability
    of one rater is Φ of a plan with one assessor, on the items that all
    have rated; in psychology it is ICC(A,1) (McGraw & Wong 1996). A judge
    may have a low kappa and rank systems as people do: kappa asks whether
    grades are equal, and a ranking only whether the same systems get the
    higher ones (chapter 11). Numbers of more than 20 different values are
    no grades: only their differences are looked at.

    Limits are percentiles over items drawn with replacement, as much
    farther from the estimate as Student's t is than the normal
    distribution; they speak of other items and the same raters. In 24
    simulated settings of 30, 50 or 200 items, two or five raters, and two
    or five grades, they held the true value in .91 to .97 of 400 studies.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> person, judge = [1, 1, 0, 1, 0, 0, 1, 1], [1, 1, 0, 1, 1, 0, 0, 1]
    >>> both = pd.DataFrame({"person": person, "judge": judge})
    >>> kappa = gt.agreement(both).loc["Cohen's kappa"]
    >>> [float(round(kappa[k], 2)) for k in ("low", "estimate", "high")]
    [-0.38, 0.47, 1.0]
    """
    level = checks.confidence_level(confidence_level)
    n_resamples = checks.resamples(n_resamples, 2)
    table = _rated(ratings)
    # Items that were rated in the same way are counted, not drawn
    codes, categories = pd.factorize(table.to_numpy().ravel(), sort=True)
    codes, times = np.unique(
        codes.reshape(table.shape), axis=0, return_counts=True
    )
    rng = np.random.default_rng(checks.seed(seed))
    drawn = rng.multinomial(len(table), times / len(table), n_resamples)
    weights = np.vstack([times, drawn]).astype(float)
    groups = [[*range(table.shape[1])]]
    if pairs is not None:
        groups = _places(table, pairs)
    found: dict[str, list] = {}
    for group in groups:
        own = codes[:, group]
        kept = (own >= 0).sum(axis=1) >= 2
        if times[kept].sum() < 2:
            continue
        values = _agreements(own[kept], categories, weights[:, kept])
        for name, value in values.items():
            found.setdefault(name, []).append((value, times[kept].sum()))
    if not found:
        raise ValueError("pairs: none of them has rated two items.")
    rows = {}
    for name, several in found.items():
        values = _mean_over_pairs(several)
        enough = np.zeros(len(times), bool)
        for group in groups:
            least = len(group) if name == ONE_RATER else 2
            enough |= (codes[:, group] >= 0).sum(axis=1) >= least
        items = int(times[enough].sum())
        limits = _limits(values, items, level)
        rows[name] = [values[0], *limits, items, ANSWERS[name]]
    columns = ["estimate", "low", "high", "items", "answers"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


# Of more different numbers only their differences are looked at.
MOST_GRADES = 20
ONE_RATER = "dependability of one rater"
ANSWERS = {
    "share of agreement": "How often do two raters say the same?",
    "Cohen's kappa": "The same, beyond what chance gives two raters?",
    "weighted kappa": "The same, where a near miss counts less?",
    "alpha, nominal": "Beyond chance, for any number of raters and gaps?",
    "alpha, ordinal": "The same, for ordered grades?",
    "alpha, interval": "The same, for numbers whose differences count?",
    ONE_RATER: "Can one rater's numbers be taken as they are?",
}


def _places(table, pairs):
    """Return the columns of each pair of raters."""
    names = [*map(str, table.columns)]
    groups = [
        checks.several(pair, "pairs", "pairs of raters")
        for pair in checks.several(pairs, "pairs", "pairs of raters")
    ]
    for pair in groups:
        known = {*map(str, pair)} & {*names}
        if len(pair) != 2 or len(known) != 2:
            raise ValueError(
                f"pairs: {list_some(pair)} are not two raters who rated "
                f"items with others; there are {list_some(names)}."
            )
    return [[names.index(str(rater)) for rater in pair] for pair in groups]


def _mean_over_pairs(several):
    """The mean of a statistic over pairs, weighted by their items, where
    it is known of the ratings as they are."""
    values, items = (np.array(x, float) for x in zip(*several, strict=True))
    known = np.isfinite(values[:, 0])
    if len(values) == 1 or not known.any():
        return values[0]
    return np.average(values[known], axis=0, weights=items[known])


def _rated(ratings):
    """Return items x raters, items with two ratings or more."""
    table = ratings
    if not isinstance(table, pd.DataFrame):
        raise ValueError(
            f"ratings={checks.shown(ratings)}: a DataFrame is needed, with "
            "items in rows and raters in columns."
        )
    if {"item", "rater", "rating"} <= {*table.columns}:
        keys = ["item", "rater"]
        twice = table[table.duplicated(keys)]
        if len(twice):
            item, rater = twice.iloc[0][keys]
            raise ValueError(
                f"{as_text(rater)} rated {as_text(item)} twice: leave one."
            )
        table = table.set_index(keys)["rating"].unstack()  # noqa: PD010
    if np.isinf(table.select_dtypes("number").to_numpy(float)).any():
        raise ValueError("ratings: one is infinite; leave a gap instead.")
    table = table.dropna(how="all", axis=1)
    table = table[table.notna().sum(axis=1) >= 2]
    if table.shape[1] < 2 or len(table) < 2:
        raise ValueError(
            "ratings: agreement takes two raters or more, and two items "
            "or more that two of them rated; here are "
            f"{count_noun(len(table), 'item')} of "
            f"{count_noun(table.shape[1], 'rater')}."
        )
    return table


def _agreements(codes, categories, weights):
    """Each statistic that the ratings have, for each row of weights."""
    found: dict[str, np.ndarray] = {}
    numbers = pd.api.types.is_numeric_dtype(categories)
    if len(categories) <= MOST_GRADES or not numbers:
        found |= _of_grades(codes, len(categories), weights, numbers)
    if numbers:
        values = np.where(codes < 0, np.nan, categories[codes])
        if codes.shape[1] == 2:
            found["weighted kappa"] = _weighted_kappa(values, weights)
        found["alpha, interval"] = _alpha(values, weights)
        complete = (codes >= 0).all(axis=1)
        if weights[0, complete].sum() >= 2:
            found[ONE_RATER] = _one_rater(
                values[complete], weights[:, complete]
            )
    return {name: found[name] for name in ANSWERS if name in found}


@np.errstate(invalid="ignore", divide="ignore")
def _of_grades(codes, grades, weights, ordered):
    """What counts how often each grade was given, to an item and in all."""
    given = codes[:, :, None] == np.arange(grades)
    counts = given.sum(axis=1)
    m = counts.sum(axis=1)
    pairs = (counts * (counts - 1)).sum(axis=1)
    n, of = weights @ m, weights @ counts
    same = weights @ (pairs / (m - 1))
    chance = (of * (of - 1)).sum(axis=1)
    found = {
        "share of agreement": weights @ pairs / (weights @ (m * (m - 1))),
        "alpha, nominal": 1 - (n - same) * (n - 1) / (n * (n - 1) - chance),
    }
    if codes.shape[1] == 2:
        total = weights.sum(axis=1)
        one, other = (weights @ given[:, k] for k in range(2))
        chance = (one * other).sum(axis=1) / total**2
        equal = weights @ (codes[:, 0] == codes[:, 1]) / total
        found["Cohen's kappa"] = (equal - chance) / (1 - chance)
    if ordered:  # by differences of mean ranks, which each draw has anew
        rank = np.cumsum(of, axis=1) - of / 2
        sums, squares = rank @ counts.T, rank**2 @ counts.T
        within = (squares - sums**2 / m) * m / (m - 1)
        spread = (of * rank**2).sum(axis=1) - (of * rank).sum(
            axis=1
        ) ** 2 / n
        apart = (weights * within).sum(axis=1)
        found["alpha, ordinal"] = 1 - apart * (n - 1) / (n * spread)
    return found


@np.errstate(invalid="ignore", divide="ignore")
def _weighted_kappa(values, weights):
    """Cohen's (1968), of two raters, with squared differences."""
    n = weights.sum(axis=1)
    x, y = (values - values.mean()).T
    by_chance = weights @ (x**2 + y**2)
    by_chance -= 2 * (weights @ x) * (weights @ y) / n
    return 1 - weights @ (x - y) ** 2 / by_chance


@np.errstate(invalid="ignore", divide="ignore")
def _alpha(values, weights):
    """Krippendorff's, of squared differences."""
    values = values - np.nanmean(values)
    m = np.isfinite(values).sum(axis=1)
    sums, squares = np.nansum(values, axis=1), np.nansum(values**2, axis=1)
    within = (squares - sums**2 / m) * m / (m - 1)
    n = weights @ m
    spread = weights @ squares - (weights @ sums) ** 2 / n
    return 1 - weights @ within * (n - 1) / (n * spread)


@np.errstate(invalid="ignore", divide="ignore")
def _one_rater(values, weights):
    """Φ of one rater, from the mean squares of items, raters and rest."""
    k = values.shape[1]
    n = weights.sum(axis=1)
    values = values - values.mean()
    raters = weights @ values / n[:, None]
    grand = raters.mean(axis=1)
    item = values.mean(axis=1)
    of_items = k * (weights @ item**2 - n * grand**2)
    of_raters = n * ((raters - grand[:, None]) ** 2).sum(axis=1)
    rest = weights @ (values**2).sum(axis=1) - n * k * grand**2
    rest = (rest - of_items - of_raters) / ((n - 1) * (k - 1))
    of_items = of_items / (n - 1)
    of_raters = of_raters / (k - 1)
    true = np.maximum(of_items - rest, 0)
    error = rest + np.maximum(of_raters - rest, 0) / n
    return true / (true + k * error)


def _limits(values, items, level):
    """Percentiles of the draws behind the estimate, as much farther out as
    Student's t is than the normal distribution."""
    estimate, again = values[0], values[1:][np.isfinite(values[1:])]
    if not (np.isfinite(estimate) and len(again)):
        return np.nan, np.nan
    tail = (1 - level) / 2
    ends = np.quantile(again, [tail, 1 - tail])
    wider = critical_t(items, 1 - level) / -scipy.special.ndtri(tail)
    low, high = estimate + (ends - estimate) * wider
    return low, min(high, 1.0)


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
