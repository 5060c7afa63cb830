"""Would other topics rank the systems alike? The topics split in two."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy

from gtlib.scores import as_wide, drop_worst
from gtlib.swaps.pairs import draw_topics, paired_t


@dataclass(frozen=True)
class SplitHalf:
    """How two disjoint topic sets of a size agree.

    Attributes
    ----------
    mean : DataFrame
        Rows = sizes; columns tau, tau_ap, power, minor_conflicts,
        major_conflicts, absolute_sensitivity, relative_sensitivity, rmse:
        means over the trials.
    error : DataFrame
        Monte-Carlo standard errors of the means.
    """

    mean: pd.DataFrame
    error: pd.DataFrame


def split_half(
    scores, sizes=None, trials=50, seed=0, *, drop=0.25, level=0.05
):
    """Rank correlations, conflicts and sensitivity of split topics.

    A trial draws two disjoint topic sets. Between them: Kendall's tau and
    tau_AP (the second set as reference) of the systems' means; power, the
    share of the pairs of systems with a significant paired t-test on the
    first set; of these, the shares that turn round on the second set,
    there not significant (minor conflicts) or significant (major);
    absolute and relative sensitivity, the least difference on the first
    set (relative: to the better system) such that of all pairs that
    differ as much or more at most 5 % turn round; and the root mean
    squared error of the first set's means as estimates of the second's.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long.
    sizes : sequence of int, optional
        From 2; by default half of the topics.
    trials, seed, drop
        As in `swap_rates`.
    level : float in (0, 1)
        Of the t-tests, two-sided.

    Returns
    -------
    SplitHalf

    Raises
    ------
    ValueError
        If the topics do not suffice, or an argument is out of its range.

    References
    ----------
    Urbano, Marrero & Martín (2013); Yilmaz, Aslam & Robertson (2008) for
    tau_AP; Voorhees (2009) for the conflicts.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> split_half(scores, [20], drop=0).mean["tau"].round(2).tolist()
    [0.81]
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level}; it must lie between 0 and 1.")
    if trials < 2:
        raise ValueError(f"trials is {trials}; at least two are needed.")
    scores = drop_worst(as_wide(scores), drop).to_numpy()
    half = scores.shape[1] // 2
    sizes = [half] if sizes is None else list(sizes)
    if not sizes or min(sizes) < 2 or max(sizes) > half:
        raise ValueError(
            f"sizes are {sizes}; {scores.shape[1]} topics allow two "
            f"disjoint sets of 2 to {half}."
        )
    (rng,) = np.random.default_rng(seed).spawn(1)  # as swap_rates does
    mean, error = [], []
    for size in sizes:
        critical = scipy.special.stdtrit(size - 1, 1 - level / 2)
        drawn = draw_topics(rng, scores.shape[1], size, trials, sets=2)
        seen = pd.DataFrame(
            _agreement(scores[:, one], scores[:, other], critical)
            for one, other in zip(*drawn, strict=True)
        )
        mean.append(seen.mean())
        error.append(seen.sem())
    index = pd.Index(sizes, name="size")
    return SplitHalf(
        pd.DataFrame(mean).set_index(index),
        pd.DataFrame(error).set_index(index),
    )


def _agreement(one, other, critical):
    means, reference = one.mean(axis=1), other.mean(axis=1)
    difference, t = paired_t(one)
    again, t_again = paired_t(other)
    sign = np.sign(difference * again)
    significant = np.abs(t) > critical
    turned = significant & (sign < 0)
    twice = np.abs(t_again) > critical
    i, j = np.triu_indices(len(one), 1)
    better = np.maximum(means[i], means[j])
    relative = np.divide(
        np.abs(difference), better, np.zeros_like(better), where=better > 0
    )
    found = significant.sum() or np.nan
    return {
        "tau": sign.mean(),
        "tau_ap": _tau_ap(means, reference),
        "power": significant.mean(),
        "minor_conflicts": (turned & ~twice).sum() / found,
        "major_conflicts": (turned & twice).sum() / found,
        "absolute_sensitivity": _sensitivity(np.abs(difference), sign),
        "relative_sensitivity": _sensitivity(relative, sign),
        "rmse": np.sqrt(((means - reference) ** 2).mean()),
    }


def _tau_ap(means, reference):
    """AP rank correlation (Yilmaz, Aslam & Robertson 2008, eq. 3)."""
    order = np.argsort(-reference, kind="stable")
    means = means[order]
    above = np.tril(means[None, :] > means[:, None], -1).sum(axis=1)[1:]
    return 2 * (above / np.arange(1, len(means))).mean() - 1


def _sensitivity(difference, sign, errors=0.05):
    order = np.argsort(-difference, kind="stable")
    wrong = np.cumsum(sign[order] < 0)
    decided = np.cumsum(sign[order] != 0)
    good = np.flatnonzero(wrong <= errors * decided)
    return difference[order[good[-1]]] if len(good) else np.nan
