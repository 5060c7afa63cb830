"""Would other topics rank the systems alike? The topics split in two."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.comparisons import critical_t, tau_ap
from gtlib.swaps.rates import check_sizes
from gtlib.swaps.topic_sets import draw_topics, paired_t
from gtlib.tables import as_wide, checks, drop_worst


def split_half(
    scores: pd.DataFrame | ArrayLike,
    sizes: Sequence[int] | None = None,
    n_resamples: int = 50,
    seed: int = 0,
    *,
    drop: float = 0.25,
) -> pd.DataFrame:
    """Split the topics: rank correlations, conflicts and sensitivity.

    A trial draws two disjoint topic sets. Between them: Kendall's tau and
    tau_AP,b of the systems' means (a tie is no order: it counts 0 in tau
    and is left out of tau_AP,b); power, the share of the pairs of systems
    with a paired t-test significant at .05 on the first set; of these, the
    shares that turn round on the second set, there not significant (minor
    conflicts) or significant (major); absolute and relative sensitivity,
    the least difference on the first set (relative: to the better system)
    such that of all pairs that differ as much or more at most 5 % turn
    round; and the root mean squared error of the first set's means as
    estimates of the second's.

    Parameters
    ----------
    scores : score table
        Wide (systems x topics) or long.
    sizes : sequence of int, optional
        From 2; by default half of the topics.
    n_resamples, seed, drop
        As in `swap_rates`.

    Returns
    -------
    DataFrame
        A row per size and trial; columns tau, tau_ap, power,
        minor_conflicts, major_conflicts, absolute_sensitivity,
        relative_sensitivity and rmse.

    Raises
    ------
    ValueError
        If the topics do not suffice, or an argument is out of its range.

    References
    ----------
    Urbano, Marrero & Martín (2013); Urbano & Marrero (2017) for tau_AP,b;
    Voorhees (2009) for the conflicts.

    Examples
    --------
    >>> import numpy as np
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(1)
    >>> merit = np.linspace(0.2, 0.4, 8)[:, None]
    >>> scores = merit + rng.normal(0, 0.1, (8, 40))
    >>> trials = gt.split_half(scores, [10, 20], drop=0)
    >>> trials.groupby("size")["tau"].mean().round(2).tolist()
    [0.75, 0.84]
    """
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    scores = drop_worst(as_wide(scores), drop).to_numpy()
    sizes = [scores.shape[1] // 2] if sizes is None else sizes
    sizes = check_sizes(sizes, {"The table": scores}, sets=2, least=2)
    (rng,) = np.random.default_rng(seed).spawn(1)  # as swap_rates does
    rows = {}
    for size in sizes:
        critical = critical_t(size, 0.05)
        drawn = draw_topics(rng, scores.shape[1], size, n_resamples, sets=2)
        for trial, (first, second) in enumerate(zip(*drawn, strict=True)):
            halves = scores[:, first], scores[:, second]
            rows[size, trial] = _agreement(*halves, critical)
    table = pd.DataFrame.from_dict(rows, orient="index")
    return table.rename_axis(["size", "trial"])


def _agreement(first, second, critical):
    means = np.round(first.mean(axis=1), 12)
    means_again = np.round(second.mean(axis=1), 12)
    difference, t = paired_t(first)
    difference_again, t_again = paired_t(second)
    sign = np.sign(difference * difference_again)
    significant = np.abs(t) > critical
    turned = significant & (sign < 0)
    significant_again = np.abs(t_again) > critical
    i, j = np.triu_indices(len(first), 1)
    better = np.maximum(means[i], means[j])
    relative = np.abs(difference) / np.where(better > 0, better, np.inf)
    n_significant = significant.sum() or np.nan
    return {
        "tau": sign.mean(),
        "tau_ap": tau_ap(means, means_again, ties="b"),
        "power": significant.mean(),
        "minor_conflicts": (turned & ~significant_again).sum()
        / n_significant,
        "major_conflicts": (turned & significant_again).sum()
        / n_significant,
        "absolute_sensitivity": _sensitivity(np.abs(difference), sign),
        "relative_sensitivity": _sensitivity(relative, sign),
        "rmse": np.sqrt(((means - means_again) ** 2).mean()),
    }


def _sensitivity(difference, sign):
    order = np.argsort(-difference, kind="stable")
    wrong = np.cumsum(sign[order] < 0)
    decided = np.cumsum(sign[order] != 0)
    good = np.flatnonzero(wrong <= 0.05 * decided)
    return difference[order[good[-1]]] if len(good) else np.nan
