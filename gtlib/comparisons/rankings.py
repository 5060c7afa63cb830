"""The agreement of two rankings of the same systems.

A coefficient speaks of variances. What people compare are rankings, and a
generalizability of .95 does not make two of them agree to .95.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.dstudy import DStudy
from gtlib.tables import one_of, whole_number

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
    truth, judged = line_up(reference, estimate)
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
    self: DStudy,
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
    n = whole_number(n_resamples, "n_resamples")
    rng = np.random.default_rng(seed)
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
    first: ArrayLike, second: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Line up two score vectors of the same systems, and check them."""
    if isinstance(first, pd.Series) and isinstance(second, pd.Series):
        if set(first.index) != set(second.index):
            odd = sorted(set(first.index) ^ set(second.index), key=str)[0]
            raise ValueError(f"System {odd} is in one of the two only.")
        second = second.loc[first.index]
    first, second = np.asarray(first, float), np.asarray(second, float)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(
            "Two scores of each of two or more systems are needed; the "
            f"shapes are {first.shape} and {second.shape}."
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


def is_complete_and_two_facet(plan: DStudy) -> bool:
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
