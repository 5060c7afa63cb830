"""Comparisons: is one system better than another, and are all in order?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.anova import PlannedEffects, share
from gtlib.checks import list_some, one_of
from gtlib.scores import Interval, require_cells, require_columns

if TYPE_CHECKING:
    from gtlib.gtheory import GStudy, Plan

__all__ = [
    "gate_power",
    "kendall_tau",
    "paired_t_power",
    "pass_all_k",
    "pass_at_k",
    "tau_ap",
]

# The paired t-test of two systems, for many pairs at once.
#
# With S1 the sum of n score differences and S2 that of their squares, r² =
# S1² / (n S2) is their squared correlation with a constant, and t² = (n -
# 1) r² / (1 - r²). Callers add up differences in the way that is fast for
# them.

# The r² from which on all differences are the same up to rounding.
_ONE = 1 - 1e-12


def r_squared(
    total: np.ndarray, squares: np.ndarray, size: int
) -> np.ndarray:
    """Return r² from sums of differences; 0 where all of them are 0."""
    r2 = total * total
    r2 /= np.maximum(squares * size, np.finfo(r2.dtype).tiny)
    return np.minimum(r2, 1, out=r2)


def r_squared_from_t(t: ArrayLike, size: int) -> np.ndarray:
    """Return the r² of n differences that belongs to a t."""
    return np.square(t) / (np.square(t) + size - 1)


def t_from_r_squared(r2: np.ndarray, size: int) -> np.ndarray:
    """Return the absolute t of n differences that belongs to an r²."""
    with np.errstate(divide="ignore"):
        t = np.sqrt((size - 1) * r2 / (1 - r2))
    return np.where(r2 > _ONE, np.inf, t)


def t_statistic(
    total: np.ndarray, squares: np.ndarray, size: int
) -> np.ndarray:
    """Return the paired t from sums of n differences and of their squares.

    0 where all differences are 0, and infinite where all are the same.
    """
    return np.sign(total) * t_from_r_squared(
        r_squared(total, squares, size), size
    )


def p_value(t: np.ndarray, size: ArrayLike) -> np.ndarray:
    """Return the two-sided p-value of the t of n differences."""
    return 2 * scipy.special.stdtr(np.asarray(size) - 1, -np.abs(t))


def critical_t(size: ArrayLike, alpha: float) -> np.ndarray:
    """Return the abs(t) of n differences that has the p-value alpha."""
    return scipy.special.stdtrit(np.asarray(size) - 1.0, 1 - alpha / 2)


def wilson_limits(mean: np.ndarray, square: ArrayLike) -> np.ndarray:
    """Return Wilson's (1927) limits of means from 0 to 1: 2 x n.

    They solve (mean - mu)² = square mu (1 - mu) for mu. With z² / n for
    `square` they are those of the share of a sample of n.
    """
    reach = np.sqrt(square * (mean * (1 - mean) + np.divide(square, 4)))
    limits = np.stack([mean - reach, mean + reach]) + np.divide(square, 2)
    return np.clip(limits / (1 + np.asarray(square)), 0, 1)


def nearly_constant(values: np.ndarray) -> np.ndarray:
    """Return whether all values of a row but two (or a third, if that is
    fewer) are the same, up to 1e-9."""
    apart = np.abs(values - np.median(values, axis=1, keepdims=True)) > 1e-9
    return apart.sum(axis=1) <= min(2, values.shape[1] / 3)


def holm(p: np.ndarray) -> np.ndarray:
    """Adjust the p-values of several tests by Holm's (1979) method."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(steps, 1)[np.argsort(order)]


def paired_t_power(
    effect_size: ArrayLike, topics: ArrayLike, alpha: float = 0.05
) -> float | np.ndarray:
    """Compute the power of the two-sided paired t-test.

    Parameters
    ----------
    effect_size : float or array
        Mean difference over standard deviation of the differences.
    topics : int or array
        How many topics are sampled; at least two.
    alpha : float in (0, 1)
        Significance level of the test.

    Returns
    -------
    float or array
        P(p < alpha): both tails of the noncentral t distribution with
        topics - 1 degrees of freedom and noncentrality
        ``effect_size * sqrt(topics)``, or the upper one of its square.

    Raises
    ------
    ValueError
        If an effect size is no number, there are fewer than two topics, or
        `alpha` is out of range.

    Examples
    --------
    >>> import gtlib as gt
    >>> round(float(gt.paired_t_power(0.5, 34)), 4)
    0.8078
    """
    alpha = checks.significance_level(alpha)
    sizes = np.abs(checks.number_array(effect_size, "effect_size"))
    numbers = checks.number_array(topics, "topics")
    if np.isnan(sizes).any():
        raise ValueError("An effect_size is not a number (NaN).")
    if not (numbers >= 2).all():
        raise ValueError("A paired t-test needs at least two topics.")
    try:
        effect, topics = np.broadcast_arrays(sizes, numbers)
    except ValueError as error:
        raise ValueError(
            f"effect_size and topics have the shapes {sizes.shape} and "
            f"{numbers.shape}: one number, or as many, are needed."
        ) from error
    power = f_power(topics * effect**2, 1, topics - 1.0, alpha)
    return power if power.ndim else float(power)


def f_power(
    noncentrality: ArrayLike, df: float, df_error: ArrayLike, alpha: float
) -> np.ndarray:
    """Compute the power of an F-test; with one df, of a two-sided t."""
    bound = scipy.special.fdtri(df, df_error, 1 - alpha)
    # Near a noncentrality of 0 it may be 1, and NaN far in its lower tail.
    below = scipy.special.ncfdtr(df, df_error, noncentrality, bound)
    return np.clip(1 - np.nan_to_num(below), alpha, 1)


# A gate: a mean that has to reach a threshold.

# A mean counts as reached if only rounding keeps it from the threshold, as
# .07 times 100 is a little more than 7.
_ROUNDING = 1e-12


def gate_power(
    threshold: float,
    truth: ArrayLike,
    tasks: int,
    runs: int = 1,
    *,
    task_sd: ArrayLike | None = None,
    run_sd: ArrayLike | None = None,
) -> pd.DataFrame:
    """Compute how often a mean reaches a threshold, by what is true.

    Parameters
    ----------
    threshold : float
        The gate passes if the mean over tasks and runs is not below it.
    truth : float or list of float
        True means, in the unit of the scores. On new tasks it is the mean
        of all tasks of this kind, on the same tasks the mean of these.
    tasks : int
        How many tasks there are.
    runs : int
        Runs of each task.
    task_sd : float or list of float, optional
        Standard deviation of the tasks' own means, those of very many
        runs of each: the root of the component of tasks in a G-study of
        one system's runs. A list has one for each `truth`. Scores of 0
        and 1 do without, in one run of new tasks.
    run_sd : float or list of float, optional
        Standard deviation of the runs of a task. Without it, scores are 0
        and 1, and it is what `task_sd` leaves of truth (1 - truth).

    Returns
    -------
    DataFrame, a row per `truth`, which is its index
        The probability of passing, ``new_tasks`` if tasks, too, are drawn
        anew, and ``same_tasks`` if these are run again; NaN where that is
        not known because it takes a `task_sd`.

    Raises
    ------
    ValueError
        If a number is missing, is no number or is out of its range, or if
        `task_sd` is more than scores of 0 and 1 can have.

    Notes
    -----
    With the variances v of tasks and w of runs, r runs of each of n tasks
    have a mean whose variance about the truth is (v + w / r) / n if tasks
    are drawn anew, and w / (n r) if they are the same. The mean is taken
    as normal, and of scores of 0 and 1 as a binomial share of that
    variance, so of a number of scores that need not be whole, with half a
    score taken from the least that passes. One run of new tasks is
    binomial.

    Beside exact probabilities of tasks with Beta means, with one to five
    runs, true means from .5 to .95 and shares of the variance between
    tasks from .05 to .9, what is not exact is off by at most .007 on 200
    and 500 tasks, .021 on 100, .035 on 50, and .12 on 20, where the true
    mean is .95. A system that is at its threshold passes about half of the
    time, however many tasks there are.

    Examples
    --------
    >>> import gtlib as gt
    >>> gate = gt.gate_power(0.8, [0.77, 0.82], 200, 3, task_sd=0.33)
    >>> gate["new_tasks"].round(3).tolist()
    [0.127, 0.802]
    >>> gate["same_tasks"].round(3).tolist()
    [0.003, 0.995]
    """
    threshold = checks.number(threshold, "threshold")
    tasks = checks.whole_number(tasks, "tasks")
    runs = checks.whole_number(runs, "runs")
    true = np.atleast_1d(checks.number_array(truth, "truth"))
    if true.ndim > 1 or not true.size or not np.isfinite(true).all():
        raise ValueError(
            f"truth={checks.shown(truth)}: a true mean, or a list of them, "
            "is needed."
        )
    binary = run_sd is None
    if binary and not (0 <= threshold <= 1):
        raise ValueError(
            f"threshold={threshold:g}: scores of 0 and 1 have means from 0 "
            "to 1. If yours are others, give their run_sd."
        )
    if binary and not ((true >= 0) & (true <= 1)).all():
        raise ValueError(
            f"truth={checks.shown(truth)}: scores of 0 and 1 have means "
            "from 0 to 1. If yours are others, give their run_sd."
        )
    if task_sd is None and not (binary and runs == 1):
        raise ValueError(
            "task_sd is needed: unless scores are 0 and 1 and each task "
            "has one run, the gate depends on how far the tasks' own means "
            "differ. Give their standard deviation, from a pilot."
        )
    between = _spread(task_sd, "task_sd", true) ** 2
    if binary:
        within = _rest_of_binary(true, between)
    else:
        within = _spread(run_sd, "run_sd", true) ** 2
    variances = {
        "new_tasks": (between + within / runs) / tasks,
        "same_tasks": within / (tasks * runs),
    }
    if binary and runs == 1:  # whatever the tasks are like
        variances["new_tasks"] = true * (1 - true) / tasks
    reach = _reach_of_binary if binary else _reach_of_normal
    sure = true >= threshold - _ROUNDING * abs(threshold)
    passes = {}
    for name, variance in variances.items():
        with np.errstate(divide="ignore", invalid="ignore"):
            share = reach(threshold, true, variance, tasks * runs)
        passes[name] = np.where(variance == 0, sure, share)
    return pd.DataFrame(passes, pd.Index(true, name="truth"))


def _reach_of_normal(threshold, true, variance, scores):
    return scipy.special.ndtr((true - threshold) / np.sqrt(variance))


def _reach_of_binary(threshold, true, variance, scores):
    """Return how often a mean of 0 and 1 is reached: exactly if they are
    independent, and else as if they were fewer or more of them."""
    least = np.ceil(threshold * scores * (1 - _ROUNDING))
    if least == 0:
        return np.ones(true.shape)
    number = true * (1 - true) / variance
    # Half of a score below the least that passes
    edge = number * (least - 0.5) / scores
    return scipy.special.betainc(edge + 0.5, number - edge + 0.5, true)


def _spread(sd, name, true):
    """Return a standard deviation for each true mean; NaN of None."""
    if sd is None:
        return np.full(true.shape, np.nan)
    values = checks.number_array(sd, name)
    if values.shape not in ((), true.shape):
        raise ValueError(
            f"{name}={checks.shown(sd)}: one number is needed, or one for "
            "each truth."
        )
    if not ((values >= 0) & (values < np.inf)).all():
        raise ValueError(
            f"{name}={checks.shown(sd)}: a standard deviation is a number, "
            "and not below zero."
        )
    return np.broadcast_to(values, true.shape)


def _rest_of_binary(true, between):
    """Return what the variance of tasks leaves of that of 0 and 1."""
    whole = true * (1 - true)
    rest = whole - between
    wrong = np.flatnonzero(rest < -_ROUNDING)
    if len(wrong):
        k = wrong[0]
        raise ValueError(
            f"task_sd={between[k] ** 0.5:g}: with a true mean of "
            f"{true[k]:g}, scores of 0 and 1 have tasks that differ by "
            f"{whole[k] ** 0.5:.3f} at most. Give a smaller one, or one "
            "for each truth; if scores are others, give their run_sd."
        )
    return np.maximum(rest, 0)


# Tests of a mean difference that hold however often one looks.
#
# Whoever adds topics until a p-value is below .05 is wrong more often than
# in five of a hundred cases. These limits hold at all numbers of topics at
# once: with the probability that is named, none of the intervals along the
# way leaves the true mean out.

# The largest share of a bet that one topic can lose (Waudby-Smith &
# Ramdas).
_MOST = 0.5
# The standard deviation of the mixture, in standardized differences.
_EFFECT = 0.3
_HALVINGS = 50


def betting_limits(
    differences: np.ndarray, confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the limits of the mean of differences between -1 and 1, by
    betting against each possible mean.

    The hedged capital process of Waudby-Smith & Ramdas (2024, theorem 3),
    with its predictable plug-in bets, of (1 + difference) / 2. Nothing is
    assumed but the bounds, and that topics are drawn independently.

    Waudby-Smith & Ramdas (2024), "Estimating means of bounded random
    variables by betting", JRSS B 86.
    """
    x = (1 + differences) / 2
    alpha = 1 - confidence_level
    t = np.arange(1, x.shape[1] + 1)
    mean = (0.5 + np.cumsum(x, axis=1)) / (t + 1)
    variance = (0.25 + np.cumsum((x - mean) ** 2, axis=1)) / (t + 1)
    before = np.c_[np.full(len(x), 0.25), variance[:, :-1]]
    bets = np.sqrt(2 * np.log(2 / alpha) / (before * t * np.log(t + 1)))

    def wealth_above(m):
        """Return the log of what a bet on more than m has become."""
        stake = np.minimum(bets, _MOST / np.maximum(m, 1e-300)[:, None])
        return np.log1p(stake * (x - m[:, None])).sum(axis=1)

    def wealth_below(m):
        stake = np.minimum(bets, _MOST / np.maximum(1 - m, 1e-300)[:, None])
        return np.log1p(-stake * (x - m[:, None])).sum(axis=1)

    # Half of the money is on either side.
    enough = np.log(2 / alpha)
    low, high = np.zeros(len(x)), np.ones(len(x))
    ends = []
    for wealth, rises in ((wealth_above, False), (wealth_below, True)):
        outside, inside = (high, low) if rises else (low, high)
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2
            lost = wealth(middle) >= enough
            outside = np.where(lost, middle, outside)
            inside = np.where(lost, inside, middle)
        ends.append(2 * outside - 1)
    none = np.full(len(x), 0.5)
    most = np.maximum(wealth_above(none), wealth_below(none))
    return *ends, np.exp(np.minimum(np.log(2) - most, 0))


def mixture_limits(
    differences: np.ndarray, confidence_level: float = 0.95
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the limits of the mean of normal differences, by a mixture of
    normal distributions of what it may be.

    Parameters and what is returned are those of `betting_limits`; the
    differences have no bounds, and their order does not matter.

    The likelihood ratio of t for a standardized mean that is normal with
    variance v, beside one of zero, is with n topics

        (1 + n v)**(-1/2) ((1 + u) / (1 + u / (1 + n v)))**(n/2),

    u = t**2 / (n - 1) (Wang & Ramdas 2025). Of normal differences
    it exceeds 1 / alpha at any n with probability alpha at most; of others
    that is so in the limit.

    Wang & Ramdas (2025), "Anytime-valid t-tests and confidence sequences
    for Gaussian means with unknown variance", arXiv:2310.03722.
    """
    n = differences.shape[1]
    alpha = 1 - confidence_level
    mean = differences.mean(axis=1)
    error = differences.std(axis=1, ddof=1) / np.sqrt(n)
    wide = 1 + n * _EFFECT**2
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.where(mean == 0, 0, (mean / error) ** 2 / (n - 1))
        ratio = np.where(np.isinf(u), wide, (1 + u) / (1 + u / wide))
    evidence = n / 2 * np.log(ratio) - np.log(wide) / 2
    least = (wide / alpha**2) ** (1 / n)
    half = np.full(len(mean), np.inf)
    if least < wide:
        half = error * np.sqrt((n - 1) * (least - 1) / (1 - least / wide))
    return mean - half, mean + half, np.exp(np.minimum(-evidence, 0))


# Tasks that are run several times: pass@k and pass^k.


def pass_at_k(
    scores: pd.DataFrame, k: int, confidence_level: float = 0.95
) -> Interval | pd.DataFrame:
    """Estimate pass@k, the probability that at least one of k runs solves
    a task.

    Parameters
    ----------
    scores : DataFrame
        A row per run: ``system``, which may be missing where there is one,
        ``task`` and ``score``, 0 or 1. Tasks may have different numbers
        of runs.
    k : int
        Number of runs, of which one is to solve the task; at most as many
        as each task has.
    confidence_level : float in (0, 1)
        Confidence level of the interval.

    Returns
    -------
    Interval, of one system; else a DataFrame with a row per system
        ``estimate``, ``low`` and ``high``.

    Raises
    ------
    ValueError
        If scores are other than 0 and 1, if there is one task only, or if
        a task has fewer than k runs.

    Notes
    -----
    With c of n runs that solve a task, 1 - C(n - c, k) / C(n, k) is
    unbiased (Chen et al. 2021, equation 1); it is averaged over tasks, each
    counted alike. The interval is of other tasks, which are drawn with all
    their runs: Wilson's, with Student's quantile, for as many tasks as
    would have the variance of the mean if each were solved or not, and,
    for k above 1, for no more than there are. In simulated suites of 20,
    50 and 200 tasks, easy, hard and in between, with five runs, it held
    .94 to 1.00 of the time; on 20 tasks that hardly any run solves, pass^5
    in .90.

    References
    ----------
    Chen et al. (2021), "Evaluating Large Language Models Trained on Code",
    arXiv:2107.03374.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> runs = pd.DataFrame({"task": [1, 1, 2, 2, 3, 3],
    ...                      "score": [1, 0, 1, 1, 0, 0]})
    >>> print(f"{gt.pass_at_k(runs, 2):.2f}")
    0.67 [0.06, 0.98]
    """
    return _pass(scores, k, _some, f"pass@{k}", confidence_level)


def pass_all_k(
    scores: pd.DataFrame, k: int, confidence_level: float = 0.95
) -> Interval | pd.DataFrame:
    """Estimate pass^k, the probability that all of k runs solve a task.

    Parameters
    ----------
    scores : DataFrame
        As `pass_at_k` takes it.
    k : int
        Number of runs that must all solve the task.
    confidence_level : float in (0, 1)
        Confidence level of the interval.

    Returns
    -------
    Interval, of one system; else a DataFrame with a row per system
        ``estimate``, ``low`` and ``high``.

    Raises
    ------
    ValueError
        As `pass_at_k`.

    Notes
    -----
    With c of n runs that solve a task, C(c, k) / C(n, k) is unbiased (Yao
    et al. 2024). A score between 0 and 1 has no pass^k: whether all of k
    runs solve a task, a mean does not say.

    References
    ----------
    Yao et al. (2024), "τ-bench: A Benchmark for Tool-Agent-User
    Interaction in Real-World Domains", arXiv:2406.12045.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> runs = pd.DataFrame({"task": [1, 1, 2, 2, 3, 3],
    ...                      "score": [1, 0, 1, 1, 0, 0]})
    >>> print(f"{gt.pass_all_k(runs, 2):.2f}")
    0.33 [0.02, 0.94]
    """
    return _pass(scores, k, _all, f"pass^{k}", confidence_level)


def _all(solved, runs, k):
    return scipy.special.comb(solved, k) / scipy.special.comb(runs, k)


def _some(solved, runs, k):
    return 1 - _all(runs - solved, runs, k)


def _pass(
    scores: pd.DataFrame,
    k: int,
    of_task: Callable,
    name: str,
    confidence_level: float,
) -> Interval | pd.DataFrame:
    level = checks.confidence_level(confidence_level)
    number = checks.whole_number(k, "k", 1)
    require_columns(scores, ["task", "score"])
    values = scores["score"]
    wrong = values[~values.isin([0, 1])]
    if len(wrong):
        raise ValueError(
            f"The score {list_some([wrong.iloc[0]])} is neither 0 nor 1: "
            f"{name.partition(str(k))[0]}k is of runs that solve a task or "
            "do not."
        )
    if "system" not in scores:
        return _interval(scores, number, of_task, name, level)
    by_system = scores.groupby("system", sort=False)
    found = {
        system: _interval(runs, number, of_task, name, level)
        for system, runs in by_system
    }
    if len(found) == 1:
        return next(iter(found.values()))
    rows = {s: (i.estimate, i.low, i.high) for s, i in found.items()}
    columns = ["estimate", "low", "high"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return table.rename_axis("system")


def _interval(runs, k, of_task, name, level):
    """Compute Wilson's interval, for the number of tasks that would give
    the observed variance."""
    counts = runs.groupby("task", sort=False)["score"].agg(["sum", "size"])
    tasks = len(counts)
    if tasks < 2:
        raise ValueError(f"{name} of one task says nothing of others.")
    if counts["size"].min() < k:
        few = counts["size"].idxmin()
        raise ValueError(
            f"{name} takes {k} runs of each task, and task "
            f"{list_some([few])} has {counts['size'].min()}."
        )
    values = of_task(*counts.to_numpy(float).T, k)
    mean, variance = values.mean(), values.var(ddof=1)
    size = tasks
    if k == 1 and variance > 0:
        size = max(tasks * mean * (1 - mean) / variance, 1)
    q = scipy.special.stdtrit(tasks - 1, (1 + level) / 2)
    middle = (mean + q**2 / (2 * size)) / (1 + q**2 / size)
    half = q / (1 + q**2 / size)
    half *= np.sqrt(mean * (1 - mean) / size + q**2 / (4 * size**2))
    low, high = max(middle - half, 0.0), min(middle + half, 1.0)
    method = "Wilson, tasks as clusters"
    return Interval(low, high, float(mean), level, method, "", name)


# The error of a mean, and that of a difference, of the declared design.
#
# Whatever is said of a system's mean, or of two, rests on one question: how
# much would they change with other levels of the facets that are drawn
# anew?
#
# Only the outermost drawn facets count: questions of a passage come and go
# with their passage. Let r_i be the distance of a score from its system's
# mean m, and let the mean move by c_i r_i with the score. Where all systems
# have the same scores, c is one over their number. Of a set S of outermost
# facets, a combination s of their levels moves the means by
#
#     u_s = sum over the scores i of s of c_i r_i,                     (1)
#
# a vector over systems, with the products U_S = sum over s of u_s u_s'. Of
# two systems a and b, g_S = U_aa + U_bb - 2 U_ab is the sum of the squared
# moves of their difference; of one system it is U_aa. If v_T is what the
# effects with the outermost facets T add to the variance of the mean or of
# the difference, and n_S the number of combinations of S, then
#
#     E g_S = sum over T of v_T n_{S and T} k_{S and T} / n_S ,        (2)
#
# which is solved for v: exact where facets are crossed evenly, else nearly,
# and in the simulations on the safe side. Here 1 - k is what is lost with
# the mean: one over n if all levels have the same share w of the scores,
# and in general 2 (sum of w³) / (sum of w²) - sum of w², as if levels
# varied by themselves and not by their scores. Of two systems, what is of a
# system's own levels is the sum of the v of each. Estimates below zero are
# added with their sign, and the squared error is the sum of v, or the v of
# all outermost facets together if that is more: each error has that whole,
# and an error of zero would be sure of what is not known. With topics alone
# that is the paired t-test's, with crossed topics and assessors that of the
# analysis of variance, with even clusters the cluster-robust one, and with
# a system's own seeds Welch's. Its degrees of freedom are Satterthwaite's:
# with V_S the sum of v_T over T that has S,
#
#     df = (squared error)² / sum over S of V_S² / df_S ,              (3)
#
# or the smallest df_S if that is more.
#
# A facet with few levels makes (3) doubtful: where its v comes out small by
# chance, the error is too small and its df too large. What all systems show
# together scatters less. So (3) is computed again with the mean v of the
# systems, or of the pairs, that are asked for, and the smaller df is taken.
# Both are the same if one outermost facet is drawn. It costs power: with
# two assessors a difference that its own df would find in 50 of 100 studies
# is found in 29. In simulations of twelve systems, of the components in
# ``data/build/errors.py``, 95% intervals of means held 94 to 96 of a
# hundred, with topics, passages, gaps, and two or four crossed assessors;
# those of differences 95 to 96, and 98 with two assessors
# (``gtlib.load("error-coverage")``). Where two assessors differ in leniency
# alone, 91 of means held on 50 topics and 96 on 10. Two systems alone have
# no help from others: at worst 87 of a hundred intervals of their
# difference held with two crossed assessors, 92 with three and 93 with
# four. A sum that is cut off at zero only would hold less: where assessors
# and topics add little to single scores, with two assessors on 10 topics,
# 75 of a hundred, and a quarter of its errors are zero.
#
# Where systems have different scores, n_S is one over the sum of squared
# shares of a system's scores. A system's mean is then the least squares
# estimate that charges it for how hard its scores were, as far as the other
# systems show it, and if what is missing has nothing to do with that: with
# κ = σ²_c / (σ² + n_c σ²_c), of the variances of what the n_c systems of a
# cell c share and of what they do not, N the systems' numbers of scores in
# each cell, and Y their sums,
#
#     (diag(N1) - N κ N') m = Y1 - N κ Y'1 .                           (4)
#
# Levels of a fixed facet are strata: the mean is over strata, and a
# stratum's topics vary about its own mean. Their degrees of freedom are
# Satterthwaite's too, as if the topics of all strata varied alike.

# A difference that moves less than this share of what its two systems move
# is taken as constant.
_CONSTANT = 1e-14
_LEAST = 1e-8  # of the variance: what systems do not share
Facets = frozenset[str]


class Estimate(NamedTuple):
    """Means or differences, with their standard errors.

    Attributes
    ----------
    value, error : array (...)
        In the unit of the scores; the error is a standard error.
    df : array (...)
        Its degrees of freedom.
    parts : array (sets of facets, ...)
        The v of (2), what each set of outermost facets adds to the
        squared error; it may be negative. The last set has all of them.
    free : array (sets of facets, ...)
        The degrees of freedom of each V_S of (3).
    typical : array (sets of facets,)
        Their mean v.
    """

    value: np.ndarray
    error: np.ndarray
    df: np.ndarray
    parts: np.ndarray
    free: np.ndarray
    typical: np.ndarray

    @property
    def p_value(self) -> np.ndarray:
        """Two-sided, of the t-test that the value is 0; 1 if unknown."""
        gap = np.abs(self.value)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(gap == 0, 0, gap / self.error)
        return np.nan_to_num(2 * scipy.special.stdtr(self.df, -t), nan=1)

    def limits(self, confidence_level: float) -> np.ndarray:
        """Return Student's limits, low and high: an array (2, ...)."""
        t = scipy.special.stdtrit(self.df, (1 + confidence_level) / 2)
        return self.value + np.multiply.outer([-1, 1], t * self.error)


@dataclass(frozen=True, eq=False)
class Moves:
    """How much the systems' means move with the levels of some facets.

    Attributes
    ----------
    own : array (systems,)
        The diagonal of U, as in (1).
    apart : array (systems, systems)
        U of the moves less their mean over systems, which cancels from
        every difference.
    number, kept : array (systems,)
        n and k of (2), of each system. In strata k is 1, since U has been
        corrected for it already.
    free : array (systems,)
        The degrees of freedom of U_aa.
    nested : bool
        Whether the levels are nested in systems.
    """

    own: np.ndarray
    apart: np.ndarray
    number: np.ndarray
    kept: np.ndarray
    free: np.ndarray
    nested: bool


@dataclass(frozen=True, eq=False)
class Means:
    """The systems' means, and how much they move with other levels.

    Attributes
    ----------
    value : Series of system to mean
        As in (4); where all systems have the same scores, the plain mean.
    moves : dict of frozenset of facets to Moves
        Of each set of the outermost facets that are drawn anew.
    """

    value: pd.Series
    moves: dict[Facets, Moves]

    @property
    def drawn(self) -> tuple[str, ...]:
        """The outermost facets that are drawn anew."""
        return tuple(f for s in self.moves if len(s) == 1 for f in s)

    def errors(self) -> Estimate:
        """Return the error of each mean."""
        free = [m.free for m in self.moves.values()]
        return self._estimate(
            self.value.to_numpy(), self._system_parts(), free
        )

    def differences(self, i: np.ndarray, j: np.ndarray) -> Estimate:
        """Return the error of means i less means j, both by their
        positions: levels that two systems share move both."""
        system_parts = self._system_parts()
        inputs = []
        for k, (facets, move) in enumerate(self.moves.items()):
            free = np.minimum(move.free[i], move.free[j])
            own = system_parts[k] if move.nested else move.apart.diagonal()
            square = own[i] + own[j]
            if move.nested:  # Welch's
                has = [facets <= more for more in self.moves]
                v = np.maximum(system_parts[has].sum(axis=0), 0) + 1e-300
                spread = v**2 / move.free
                free = (v[i] + v[j]) ** 2 / (spread[i] + spread[j])
            else:
                square = square - 2 * move.apart[i, j]
                least = _CONSTANT * (move.own[i] + move.own[j])
                square = np.where(square > least, square, 0)
            number = 2 / (1 / move.number[i] + 1 / move.number[j])
            kept = np.minimum(move.kept[i], move.kept[j])
            inputs.append((square, number, kept, free))
        squares, number, kept, free = zip(*inputs, strict=True)
        value = self.value.to_numpy()
        gap = value[i] - value[j]  # of equal means only rounding is left
        gap = np.where(np.abs(gap) > 1e-12 * np.abs(value).max(), gap, 0)
        parts = self._parts(squares, number, kept, of_two=True)
        return self._estimate(gap, parts, free)

    def _system_parts(self):
        """Return the v of each system by itself."""
        moves = self.moves.values()
        return self._parts(
            [m.own for m in moves],
            [m.number for m in moves],
            [m.kept for m in moves],
        )

    def _parts(self, squares, numbers, kept, of_two=False):
        """Solve (2) for v. Of levels that are a system's own, each of two
        systems adds its own v."""
        sets = [*self.moves]
        count = np.where(np.array(numbers) > 1 + 1e-9, numbers, np.nan)
        n = dict(zip(sets, count, strict=True))
        k = dict(zip(sets, kept, strict=True))  # n and k of (2)
        matrix = np.zeros((*count.shape[1:], len(sets), len(sets)))
        for i, j in np.ndindex(matrix.shape[-2:]):
            common = sets[i] & sets[j]
            if of_two and self.moves[sets[i]].nested:
                matrix[..., i, j] = i == j
            elif common:
                matrix[..., i, j] = n[common] * k[common] / n[sets[i]]
        columns = np.stack(squares, axis=-1)[..., None]
        return np.moveaxis(np.linalg.solve(matrix, columns)[..., 0], -1, 0)

    def _estimate(self, value, parts, free):
        """Compute the error, and (3)."""
        typical = np.nanmean(parts, axis=1)
        sets = [*self.moves]
        free_of_set = dict(zip(sets, free, strict=True))
        for facets in sets:
            single = [free_of_set[frozenset([f])] for f in facets]
            product = np.prod(single, axis=0)
            free_of_set[facets] = np.minimum(free_of_set[facets], product)
        free = np.stack([free_of_set[facets] for facets in sets])
        error, df = total_error(sets, free, parts, typical[:, None])
        return Estimate(value, error, df, parts, free, typical)


def total_error(
    sets: list[Facets], free: np.ndarray, *parts: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the standard error of the first parts, and its degrees of
    freedom: the fewest that any of the parts have by (3)."""
    within = np.array([[s <= t for t in sets] for s in sets], float)
    fewest = free.min(axis=0)
    degrees = []
    for v in parts:
        square = _squared_error(v)
        spread = (np.tensordot(within, v, 1) ** 2 / free).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where(square > 0, square**2 / spread, fewest)
        df = np.maximum(df, fewest)
        degrees.append(np.where(df > 0, df, np.nan))
    return np.sqrt(_squared_error(parts[0])), np.minimum.reduce(degrees)


def _squared_error(parts):
    """Add parts with their signs; no less than the last of them, which is
    of all facets together, or than zero."""
    least = np.maximum(parts[-1], 0)
    return np.maximum(parts.sum(axis=0), least)


def estimate_means(
    g: GStudy,
    fixed: str | Sequence[str] = (),
    weights: Mapping | None = None,
) -> Means:
    """Estimate the means of a study's systems, and how they move.

    Parameters
    ----------
    g : GStudy
        With scores.
    fixed : str or sequence of str
        Facets whose levels are all there are: strata of the mean.
    weights : mapping of level to float, optional
        Of the strata, where one facet is fixed; else they count alike.

    Raises
    ------
    ValueError
        If the study has no scores; if `fixed` is not possible, or a
        stratum lacks a system; or if `weights` do not name the strata.
    """
    cells = require_cells(g.cells, "Errors of means need")
    design = g.design
    fixed = PlannedEffects.from_design(
        design, g.estimate.to_numpy(), None, fixed
    ).fixed
    objects = design.closure([design.object])
    drawn_facets = {*design.facets} - objects - {*fixed}
    outermost = sorted(
        f for f in drawn_facets if not design.nesting[f] & drawn_facets
    )
    sets = [
        frozenset(facets)
        for size in range(1, len(outermost) + 1)
        for facets in combinations(outermost, size)
    ]
    system = cells.codes[design.object]
    names = cells.labels[design.object].rename(design.object)
    strata = _combined_levels(cells, fixed)
    shared = [f for f in drawn_facets if not design.nesting[f] & objects]
    item = _combined_levels(cells, [*shared, *fixed])
    value = np.zeros(len(names))
    blocks = []
    for stratum, weight in enumerate(
        _stratum_weights(cells, fixed, weights)
    ):
        rows = np.flatnonzero(strata == stratum)
        row_system = system[rows]
        column = np.unique(item[rows], return_inverse=True)[1]
        count, total = np.zeros((2, len(names), column.max() + 1))
        np.add.at(count, (row_system, column), 1)
        np.add.at(total, (row_system, column), cells.centred[rows])
        number = count.sum(axis=1)
        if fixed and number.min() < 2:
            raise ValueError(
                f"{design.object} {names[number.argmin()]} has fewer than "
                f"two scores at a level of {' x '.join(fixed)}, which is "
                "fixed: its error is not known. Leave that level out."
            )
        mean, move = _least_squares(count, total, *_variances(g, fixed))
        value += weight * mean
        of_cell = np.stack([move, count / number[:, None]])
        residual = cells.centred[rows] - mean[row_system]
        of_score = (
            np.stack([residual, np.ones(len(rows))]) / number[row_system]
        )
        blocks.append((rows, column, weight * of_cell, weight * of_score))
    moves = {
        s: _moves(cells, design.closure(s), fixed, blocks) for s in sets
    }
    return Means(pd.Series(value + cells.scores.mean(), names), moves)


def _moves(cells, facets, fixed, blocks):
    """Compute (1), from what each cell of a stratum or each score adds."""
    design = cells.design
    system = cells.codes[design.object]
    size = len(cells.labels[design.object])
    level = _combined_levels(cells, facets)
    nested = bool(facets & design.closure([design.object]))
    part = np.zeros(len(level), dtype=int)
    if nested:  # levels are numbered anew for each system
        level = pd.Series(level).groupby(system).rank("dense").to_numpy(int)
    elif facets & {*fixed}:  # each stratum by itself
        for k, (rows, *_) in enumerate(blocks):
            part[rows] = k
    stratum = np.zeros(level.max() + 1, dtype=int)
    stratum[level] = part
    move, share = np.zeros((2, size, len(stratum)))
    for rows, column, of_cell, of_score in blocks:
        if nested:
            place = system[rows], level[rows]
            np.add.at(move, place, of_score[0])
            np.add.at(share, place, of_score[1])
            continue
        home = np.zeros(of_cell.shape[2], dtype=int)
        home[column] = level[rows]
        np.add.at(move.T, home, of_cell[0].T)
        np.add.at(share.T, home, of_cell[1].T)
    squares, spread = np.zeros((2, size))
    for k in range(part.max() + 1):
        in_stratum = stratum == k
        square = (share[:, in_stratum] ** 2).sum(axis=1)
        kept, free = _kept_share(share[:, in_stratum])
        squares = squares + square
        spread = spread + square**2 / free
        if part.any():
            move[:, in_stratum] /= np.sqrt(kept)[:, None]
    if part.any():
        kept = np.ones(size)
    own = (move**2).sum(axis=1)
    if nested:
        apart = np.diag(own)
    else:
        centred = move - move.mean(axis=0)
        apart = centred @ centred.T
    return Moves(own, apart, 1 / squares, kept, squares**2 / spread, nested)


@np.errstate(invalid="ignore")  # of one level nothing is kept
def _kept_share(share):
    """k of (2), and the degrees of freedom: of shares w, made to add up to
    one, the trace of the form D (1 - e w')(1 - w e') D, with w on the
    diagonal of D, and its square over that of the squared form."""
    share = share / share.sum(axis=1, keepdims=True)
    # The sums of the squares, cubes, ... of each system's shares
    powers = np.cumprod([share] * 5, axis=0)
    two, three, four, five = powers[1:].sum(axis=2)
    kept = 1 - 2 * three / two + two
    square = four * (1 + 2 * two) - 4 * five + 2 * three**2
    square += two**4 + 2 * two * four - 4 * two**2 * three
    kept = np.where(kept > _CONSTANT, kept, np.nan)
    return kept, (two * kept) ** 2 / square


def _least_squares(count, total, shared, own):
    """Solve (4); return the means, and how they move with each cell."""
    number = count.sum(axis=1)
    if (count == count[0]).all():
        mean = total.sum(axis=1) / number
        return mean, (total - mean[:, None] * count) / number[:, None]
    cost = shared / (own + count.sum(axis=0) * shared)
    matrix = np.diag(number) - count * cost @ count.T

    def solve(sums):
        sums = sums - count * (cost * sums.sum(axis=0))
        return np.linalg.solve(matrix, sums)

    mean = solve(total).sum(axis=1)
    return mean, solve(total - mean[:, None] * count)


def _variances(g, fixed):
    """The variance in a cell that systems share, and that of their own."""
    objects = g.design.closure([g.design.object])
    shared = own = 0.0
    for effect, component in zip(g.design.effects, g.estimate, strict=True):
        if effect.facets <= objects.union(fixed):
            continue  # constant, or part of the universe score
        if effect.facets & objects:
            own += component
        else:
            shared += component
    shared, own = max(shared, 0), max(own, 0)
    return shared, max(own, _LEAST * (shared + own)) or 1.0


def _combined_levels(cells, facets):
    """One number per score for the levels of some facets together."""
    number = np.zeros(len(cells.scores), dtype=int)
    for facet in sorted(facets):
        number = number * len(cells.labels[facet]) + cells.codes[facet]
        number = np.unique(number, return_inverse=True)[1]
    return number


def _stratum_weights(cells, fixed, weights):
    """The weight of each stratum; they add up to 1."""
    if weights is None:
        strata = _combined_levels(cells, fixed).max() + 1
        return np.full(strata, 1 / strata)
    names = cells.labels[fixed[0]] if len(fixed) == 1 else []
    numbers = np.array([weights.get(name, np.nan) for name in names], float)
    possible = (numbers >= 0).all() and 0 < numbers.sum() < np.inf
    if not (possible and len(weights) == len(numbers)):
        raise ValueError(
            f"weights={weights!r}: one facet must be fixed, and each of "
            f"its levels ({list_some(names)}) have a number, none below "
            "zero."
        )
    return numbers / numbers.sum()


# Universe scores of single systems: means shrunk towards the grand mean.
#
# What a G-study says about one system rather than about the collection: its
# universe score, the mean pulled towards that of all as far as it is
# unreliable. With m the mean of a system (that of the least squares where
# systems have different scores: `gtlib.comparisons.estimate_means`), v its
# relative error variance, ρ = σ²(τ) / (σ²(τ) + v) and μ the mean of all m,
# each weighted by ρ, the estimate and the squared error of its distance
# from μ are
#
#     μ + ρ (m - μ)  and  σ²(τ) (1 - ρ + ρ² / sum of ρ),               (1)
#
# in a balanced study Kelley's (1947), with ρ = Eρ². That takes the
# variances to be known. The slope ρ is estimated, and 1 - ρ is in
# proportion to one over the mean square of systems, which has n - 1 degrees
# of freedom. To the squared error this adds (Kackar & Harville 1984)
#
#     2/(n - 1) (1 - ρ) v (1 - 1/n),                                   (2)
#
# which is above zero where σ²(τ) is estimated as zero, too.


def universe_scores(self: GStudy) -> pd.DataFrame:
    """Estimate universe scores: means shrunk towards the grand mean.

    Returns
    -------
    DataFrame, a row per system
        ``mean`` of its scores, ``estimate`` of its universe score, and
        ``standard_error``: the root of the expected squared error of its
        estimated distance from the grand mean, with what is added as the
        variance of systems is estimated and not known.

    Raises
    ------
    ValueError
        If the G-study has no scores.

    Notes
    -----
    In a balanced study the estimate is Kelley's (1947), the grand mean
    plus Eρ² times the system's distance from it.  With gaps, a system is
    also credited or charged for how hard the topics were that it was
    scored on, and shrink_means by its own reliability.

    The error is above zero where the variance of systems is estimated as
    zero, too.  In simulations of 5 to 30 normal systems on 10 or 50
    topics it was 97% of the true root mean squared error or more, and
    without what is added 84%.  Of the samples with an estimate of zero
    alone it was less if the true variance is not near zero: they cannot
    show that.

    Examples
    --------
    >>> import gtlib as gt
    >>> import pandas as pd
    >>> scores = pd.DataFrame(
    ...     [[0.7, 0.5, 0.6], [0.8, 0.6, 0.76], [0.94, 0.82, 0.89]],
    ...     index=["a", "b", "c"], columns=["t1", "t2", "t3"])
    >>> gt.gstudy(scores).universe_scores()["estimate"].round(4).tolist()
    [0.6019, 0.7202, 0.8812]
    """
    require_cells(
        self.cells, "Universe scores need"
    )  # refused in these words
    return shrink_means(self, estimate_means(self).value)


def shrink_means(self: GStudy, mean: pd.Series) -> pd.DataFrame:
    """Estimate universe scores from means that are known already."""
    cells = require_cells(self.cells, "Universe scores need")
    plan = self.plan()
    true = plan.universe_score
    if self.incidence is None:
        error = np.full(len(mean), plan.relative_error)
    else:  # by what a system's own scores average over
        own = self.estimate * plan.effects.errors("generalizability")
        error = np.maximum(own.to_numpy() @ self.incidence.squares, 0)
    slope = share(true, error)  # ρ
    spread = true + error
    # Where all are alike and known without error, none counts more.
    least = np.finfo(float).eps * spread.max() or 1.0
    weights = 1 / np.maximum(spread, least)
    grand_mean = np.average(mean, weights=weights)  # μ
    squared_error = true * (1 - slope + slope**2 / (slope.sum() or 1))
    squared_error += 2 / len(mean) * (1 - slope) * error  # (2)
    system = cells.codes[self.design.object]
    table = {
        "mean": np.bincount(system, cells.scores) / np.bincount(system),
        "estimate": grand_mean + slope * (mean - grand_mean),  # (1)
        "standard_error": np.sqrt(squared_error),
    }
    given = cells.given[self.design.object]
    return pd.DataFrame(table, mean.index).iloc[given]


# The agreement of two rankings of the same systems.
#
# A coefficient speaks of variances. What people compare are rankings, and a
# generalizability of .95 does not make two of them agree to .95.

# With more systems than this, scipy counts the pairs by sorting; it takes
# ten times longer to start.
_SORTED = 200


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Compute Kendall's tau of two rankings, with ties (tau-b).

    Parameters
    ----------
    first, second : Series or array, one score per system
        Two Series are lined up by system.

    Returns
    -------
    float in [-1, 1]
        Concordant less discordant pairs, over the geometric mean of the
        numbers of pairs untied in either ranking; NaN when there is no
        such pair (Kendall 1945).

    Raises
    ------
    ValueError
        If the systems differ or a score is missing.

    Examples
    --------
    >>> import gtlib as gt
    >>> round(gt.kendall_tau([0.4, 0.3, 0.2], [0.3, 0.4, 0.1]), 4)
    0.3333
    """
    first, second = line_up(first, second)
    if len(first) > _SORTED:
        return float(scipy.stats.kendalltau(first, second).statistic)
    first_signs, second_signs = _signs(first), _signs(second)
    untied = np.sqrt(
        [np.count_nonzero(s) // 2 for s in (first_signs, second_signs)]
    )
    if not untied.all():
        return np.nan
    tau = (
        np.sum(first_signs * second_signs, dtype=float)
        / 2
        / untied[0]
        / untied[1]
    )
    return float(tau.clip(-1, 1))


def _signs(scores):
    """Compare every two scores, either way round: 1, -1, or 0 if tied."""
    above = scores[:, None] > scores
    return above.astype(np.int8) - above.T


def tau_ap(
    reference: ArrayLike, estimate: ArrayLike, ties: str = "a"
) -> float:
    """Compute the AP rank correlation, which weighs the top most.

    Without ties it is 2 / (N - 1) * sum over i = 2..N of C(i) / (i - 1),
    less 1, where C(i) counts the systems above rank i of the estimate that
    the reference, too, puts above the system at rank i.

    Parameters
    ----------
    reference : Series or array, one score per system
        Whose ranking is held to be right.
    estimate : Series or array
        Whose ranking is judged. Two Series are lined up by system.
    ties : {"a", "b"}
        ``"a"``, how *accurate* the estimate is: the mean over all ways to
        break its ties. The reference has none. ``"b"``, how well two
        rankings *agree*, neither of which is held to be right: the mean of
        both directions, in each of which a system is compared with those
        above its group of ties. The two differ without ties, too.

    Returns
    -------
    float in [-1, 1]
        With ``"b"`` NaN when all systems of a ranking are tied.

    Raises
    ------
    ValueError
        If the systems differ, a score is missing, or the reference has
        ties and `ties` is ``"a"``.

    References
    ----------
    Yilmaz, Aslam & Robertson (2008), "A new rank correlation coefficient
    for information retrieval", SIGIR, equation 3. Urbano & Marrero (2017),
    "The treatment of ties in AP correlation", ICTIR.

    Examples
    --------
    >>> import gtlib as gt
    >>> gt.tau_ap([0.4, 0.3, 0.2], [0.3, 0.4, 0.1])
    0.0
    >>> gt.tau_ap([0.4, 0.3, 0.2], [0.4, 0.2, 0.3])
    0.5
    >>> gt.tau_ap([0.4, 0.3, 0.2], [0.4, 0.2, 0.2])
    0.75
    """
    one_of(ties, "ties", ("a", "b"))
    names = "reference", "estimate"
    truth, judged = line_up(reference, estimate, names)
    if ties == "b":
        forward = _mean_share_above(truth, judged)
        return (forward + _mean_share_above(judged, truth)) / 2
    if len(np.unique(truth)) < len(truth):
        raise ValueError(
            "Two systems are tied in the reference: break the tie, or take "
            "ties='b', for two rankings of which neither is held right."
        )
    right, above, tied = _count_above(truth, judged)
    total = 0.0
    # At place k of its group k others of the group are above a system, of
    # which the reference has half above it, over all ways to break ties.
    for k in range(tied.max()):
        placed = (tied > k) & (above + k > 0)
        share = (right + k / 2)[placed] / (above + k)[placed]
        total += (share / tied[placed]).sum()
    return float(2 * total / (len(judged) - 1) - 1)


def ranks(means: pd.Series) -> pd.Series:
    """Rank means, from 1 for the highest; equal ones share the better
    rank."""
    return means.rank(method="min", ascending=False).astype(int)


def predicted_tau(
    generalizability: ArrayLike,
) -> float | np.ndarray | pd.Series:
    """Predict Kendall's tau between two topic sets, from Eρ² alone.

    If systems and errors are normal, the mean scores of a system on two
    sets of n topics correlate by Eρ² at n topics, and two normal variables
    that correlate by ρ have tau = 2/π arcsin(ρ) (Greiner's relation). The
    share of all pairs that swap is then (1 - tau) / 2.

    Parameters
    ----------
    generalizability : float or array or Series, in [0, 1]
        Eρ² at the size of the topic sets.

    Returns
    -------
    float, or what was given
        Tau, in [0, 1].

    Examples
    --------
    >>> from gtlib.comparisons import predicted_tau
    >>> f"{predicted_tau(0.9):.3f}"
    '0.713'
    """
    rho = np.asarray(generalizability)
    if not ((rho >= 0) & (rho <= 1)).all():
        raise ValueError("generalizability must lie between 0 and 1.")
    return 2 / np.pi * np.arcsin(generalizability)


@dataclass(frozen=True)
class RankingAgreement:
    """Expected agreement of two rankings of the same systems.

    Attributes
    ----------
    tau : float
        Kendall's tau.
    low : float
        Lower limit of tau in nine of ten pairs of samples.
    high : float
        Upper limit.
    tau_ap : float
        tau_AP,b, which weighs the top of the ranking most.
    method : str
        ``"normal"`` or ``"resampling"``.
    """

    tau: float
    low: float
    high: float
    tau_ap: float
    method: str

    def __str__(self) -> str:
        return (
            f"tau {self.tau:.2f} ({self.low:.2f} to {self.high:.2f} in "
            f"nine of ten), tau_AP {self.tau_ap:.2f} ({self.method})"
        )


def ranking_agreement(
    self: Plan,
    *,
    method: str = "auto",
    n_resamples: int = 400,
    seed: int = 0,
) -> RankingAgreement:
    """Predict how alike another sample of this size ranks the systems.

    Parameters
    ----------
    method : {"auto", "normal"}
        ``"normal"``: from the variance components, with systems and errors
        normal; Kendall's tau is then 2/π arcsin(Eρ²).  ``"auto"``: by
        resampling, from the scores of systems crossed with topics,
        whatever their distribution; else normal.
    n_resamples, seed : int
        Pairs of samples that are drawn.

    Returns
    -------
    RankingAgreement
        Expected tau, its limits, and tau_AP.

    Raises
    ------
    ValueError
        If the study lacks what the method needs.

    Notes
    -----
    Resampling draws two sets of topics with replacement and keeps the
    systems; ``"normal"`` draws other systems each time, which adds to the
    range.  The observed means are further apart than the true ones, so
    they are first shrunk about the grand mean until their variance is the
    component of systems, and the rest of the scores, the interaction, is
    stretched to its own.

    Examples
    --------
    >>> import gtlib as gt
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> scores = rng.normal(size=(20, 1)) + rng.normal(size=(20, 30))
    >>> plan = gt.gstudy(scores).plan()
    >>> print(plan.ranking_agreement())
    tau 0.76 (0.63 to 0.85 in nine of ten), tau_AP 0.65 (resampling)
    """
    one_of(method, "method", ("auto", "normal"))
    n = checks.resamples(n_resamples)
    rng = np.random.default_rng(checks.seed(seed))
    if method == "auto" and is_complete_and_two_facet(self):
        method = "resampling"
        sample = _resampling_sampler(self, rng)
    else:
        method = "normal"
        sample = _normal_sampler(self, rng)
    pairs = np.array([sample() for _ in range(n)])
    # Rounded, so that ties do not depend on the order of summation.
    pairs = (pairs / (np.abs(pairs).max() or 1)).round(12)
    taus = [kendall_tau(first, second) for first, second in pairs]
    tau = float(np.mean(taus))
    if method == "normal":
        tau = float(predicted_tau(self.generalizability))
    low, high = np.quantile(taus, [0.05, 0.95]).tolist()
    tops = [tau_ap(first, second, ties="b") for first, second in pairs]
    return RankingAgreement(tau, low, high, np.mean(tops).item(), method)


def line_up(
    first: ArrayLike,
    second: ArrayLike,
    names: tuple[str, str] = ("first", "second"),
) -> tuple[np.ndarray, np.ndarray]:
    """Line up two score vectors of the same systems, and check them."""
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if set(first.index) != set(second.index):
            odd = sorted(set(first.index) ^ set(second.index), key=str)[0]
            raise ValueError(f"System {odd} is in one of the two only.")
        second = second.loc[first.index]
    first, second = map(checks.number_array, (first, second), names)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(
            "Two scores of each of two or more systems are needed; the "
            f"shapes are {first.shape} and {second.shape}, of "
            f"{' and '.join(names)}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("A score is missing or infinite.")
    return first, second


def _count_above(reference, estimate):
    """Count for each system how many are above it in both rankings, above
    it in the estimate, and in its group of ties there."""
    low = -estimate
    right = np.empty(len(estimate), dtype=int)
    # From the top down; of a group of ties the lowest reference goes first,
    # so that it is above nothing in its group.
    order = np.lexsort((reference, low))
    truth = reference[order]
    for part in np.array_split(np.arange(len(low)), 1 + len(low) // 256):
        block, before = truth[part], np.sort(truth[: part[0]])
        agreeing = np.triu(block[:, None] > block).sum(axis=0)
        agreeing += part[0] - np.searchsorted(before, block, "right")
        right[order[part]] = agreeing
    above = np.searchsorted(low[order], low)
    return right, above, np.searchsorted(low[order], low, "right") - above


def _mean_share_above(reference, estimate):
    """One direction of tau_AP,b, from -1 to 1."""
    right, above, _ = _count_above(reference, estimate)
    lower = above > 0
    if not lower.any():
        return np.nan
    return float(2 * (right[lower] / above[lower]).mean() - 1)


def is_complete_and_two_facet(plan: Plan) -> bool:
    """Return whether all systems were scored on all topics, and the study
    has no other facet: rankings can then be resampled."""
    g, nesting = plan.study, plan.design.nesting
    crossed = len(nesting) == 2 and not any(nesting.values())
    seen = g.cells is not None and g.cells.balanced
    return crossed and seen


def _resampling_sampler(plan, rng):
    """Return a function that draws the systems' means on two samples of
    topics, from their scores."""
    g = plan.study
    scores = g.cells.array()
    if g.design.facets[0] != g.design.object:
        scores = scores.T
    topics = scores.shape[1]
    (size,) = plan.levels.values()
    mean = scores.mean(axis=1, keepdims=True)
    interaction = scores - mean - scores.mean(axis=0) + scores.mean()
    # Deviations vary less than the interaction, by this factor.
    interaction = interaction / np.sqrt(1 - 1 / topics)
    shrink = np.sqrt(g.variance[g.design.object] / mean.var(ddof=1))
    true = shrink * (mean[:, 0] - mean.mean())

    def draw():
        chosen = rng.integers(topics, size=(2, size))
        return [
            true + interaction[:, topic_set].mean(axis=1)
            for topic_set in chosen
        ]

    return draw


def _normal_sampler(plan, rng):
    """Return a function that draws the systems' means on two samples of
    topics, with normal systems and errors."""
    systems = plan.study.levels.get(plan.design.object)
    if systems is None:
        raise ValueError(
            f"How many levels of {plan.design.object} are ranked? Give "
            "levels= to GStudy.from_components. Tau alone, without its "
            "range, is the plan's expected_tau."
        )
    true = np.sqrt(plan.universe_score)
    error = np.sqrt(plan.relative_error)

    def draw():
        means = true * rng.normal(size=systems)
        return means + error * rng.normal(size=(2, systems))

    return draw
