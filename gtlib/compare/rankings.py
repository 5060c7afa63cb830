"""How alike two rankings of the same systems are."""

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.tables import one_of

# Of more systems than these, pairs are counted by sorting: scipy's way,
# which takes ten times longer to begin.
_SORTED = 200


def kendall_tau(first: ArrayLike, second: ArrayLike) -> float:
    """Kendall's tau of two rankings, allowing for ties (tau-b).

    Parameters
    ----------
    first, second : Series or array, one score per system
        Two Series are lined up by system.

    Returns
    -------
    float in [-1, 1]
        Concordant less discordant pairs, over the geometric mean of the
        numbers of pairs untied in either ranking; NaN when there is no
        such pair.

    Raises
    ------
    ValueError
        If the systems differ or a score is missing.

    Examples
    --------
    >>> round(kendall_tau([0.4, 0.3, 0.2], [0.3, 0.4, 0.1]), 4)
    0.3333
    """
    first, second = lined_up(first, second)
    if len(first) > _SORTED:
        return float(scipy.stats.kendalltau(first, second).statistic)
    # Of each pair, either way round: 1, -1 or, if they tie, 0
    above = [scores[:, None] > scores for scores in (first, second)]
    one, other = (scores.astype(np.int8) - scores.T for scores in above)
    untied = np.sqrt([np.count_nonzero(s) // 2 for s in (one, other)])
    if not untied.all():
        return np.nan
    tau = np.sum(one * other, dtype=float) / 2 / untied[0] / untied[1]
    return float(tau.clip(-1, 1))


def tau_ap(
    reference: ArrayLike, estimate: ArrayLike, ties: str = "a"
) -> float:
    """The AP rank correlation, which weighs the top of the ranking most.

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
    >>> tau_ap([0.4, 0.3, 0.2], [0.3, 0.4, 0.1])
    0.0
    >>> tau_ap([0.4, 0.3, 0.2], [0.4, 0.2, 0.3])
    0.5
    >>> tau_ap([0.4, 0.3, 0.2], [0.4, 0.2, 0.2])
    0.75
    """
    one_of(ties, "ties", ("a", "b"))
    truth, judged = lined_up(reference, estimate)
    if ties == "b":
        one = _mean_share_above(truth, judged)
        return (one + _mean_share_above(judged, truth)) / 2
    if len(np.unique(truth)) < len(truth):
        raise ValueError(
            "Two systems are tied in the reference: break the tie, or take "
            "ties='b', for two rankings of which neither is held right."
        )
    right, above, tied = _above(truth, judged)
    total = 0.0
    # At place k of its group k others of the group are above a system, of
    # which the reference has half above it, over all ways to break ties.
    for k in range(tied.max()):
        placed = (tied > k) & (above + k > 0)
        share = (right + k / 2)[placed] / (above + k)[placed]
        total += (share / tied[placed]).sum()
    return float(2 * total / (len(judged) - 1) - 1)


def ranks(means: pd.Series) -> pd.Series:
    """From 1 for the highest mean on; equal ones share the better rank."""
    return means.rank(method="min", ascending=False).astype(int)


def predicted_tau(
    generalizability: ArrayLike,
) -> float | np.ndarray | pd.Series:
    """Kendall's tau between two topic sets, from Eρ² alone.

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
    >>> f"{predicted_tau(0.9):.3f}"
    '0.713'
    """
    rho = np.asarray(generalizability)
    if not ((rho >= 0) & (rho <= 1)).all():
        raise ValueError("generalizability must lie between 0 and 1.")
    return 2 / np.pi * np.arcsin(generalizability)


def _above(reference, estimate):
    """Of each system: how many are above it in the estimate and in the
    reference too, above it in the estimate, and in its group of ties."""
    above = estimate[:, None] > estimate
    right = above & (reference[:, None] > reference)
    tied = estimate[:, None] == estimate
    return right.sum(axis=0), above.sum(axis=0), tied.sum(axis=0)


def _mean_share_above(reference, estimate):
    """One direction of tau_AP,b, from -1 to 1."""
    right, above, _ = _above(reference, estimate)
    lower = above > 0
    if not lower.any():
        return np.nan
    return float(2 * (right[lower] / above[lower]).mean() - 1)


def lined_up(
    first: ArrayLike, second: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Two score vectors of the same systems, in the order of the first."""
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
