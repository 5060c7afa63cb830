"""How alike two samples of a plan's size would rank the systems.

A coefficient speaks of variances. What people compare are rankings, and a
generalizability of .95 does not make two of them agree to .95.
"""

from dataclasses import dataclass

import numpy as np

from gtlib.compare.rankings import kendall_tau, predicted_tau, tau_ap
from gtlib.dstudy import Numbers
from gtlib.estimates import cells_of
from gtlib.tables import checks


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
    n_resamples : int
    """

    tau: float
    low: float
    high: float
    tau_ap: float
    method: str
    n_resamples: int

    def __str__(self) -> str:
        return (
            f"tau {self.tau:.2f} ({self.low:.2f} to {self.high:.2f} in "
            f"nine of ten), tau_AP {self.tau_ap:.2f} ({self.method})"
        )


def ranking_agreement(
    self: Numbers,
    *,
    method: str = "auto",
    n_resamples: int = 400,
    seed: int = 0,
) -> RankingAgreement:
    """How alike another sample of the plan's size would rank the systems.

    Parameters
    ----------
    method : {"auto", "normal", "resampling"}
        ``"normal"``: from the variance components, with systems and errors
        normal; Kendall's tau is then 2/π arcsin(Eρ²).  ``"resampling"``:
        from the scores of systems crossed with topics, whatever their
        distribution.  ``"auto"``: resampling where that can be had.
    n_resamples, seed : int
        Pairs of samples that are drawn.

    Returns
    -------
    RankingAgreement

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
    >>> import numpy as np
    >>> from gtlib import gstudy
    >>> rng = np.random.default_rng(1)
    >>> scores = rng.normal(size=(20, 1)) + rng.normal(size=(20, 30))
    >>> plan = gstudy(scores).plan()
    >>> print(plan.ranking_agreement())
    tau 0.76 (0.63 to 0.85 in nine of ten), tau_AP 0.65 (resampling)
    """
    checks.one_of(method, "method", ("auto", "normal", "resampling"))
    n = checks.whole_number(n_resamples, "n_resamples")
    why_not = _not_resampled(self)
    if method == "auto":
        method = "normal" if why_not else "resampling"
    elif method == "resampling" and why_not:
        raise ValueError(f"method='resampling' needs {why_not}.")
    rng = np.random.default_rng(seed)
    sample = (_resampled if method == "resampling" else _normal)(self, rng)
    pairs = [sample() for _ in range(n)]
    taus = [kendall_tau(one, other) for one, other in pairs]
    tau = np.mean(taus)
    if method == "normal":
        tau = predicted_tau(self.generalizability)
    low, high = np.quantile(taus, [0.05, 0.95])
    top = np.mean([tau_ap(one, other, ties="b") for one, other in pairs])
    found = float(tau), float(low), float(high), float(top)
    return RankingAgreement(*found, method, n)


def _not_resampled(plan):
    """What resampling would need and the plan has not, if anything."""
    g, nesting = plan.study, plan.design.nesting
    if len(nesting) != 2 or any(nesting.values()):
        return "systems crossed with topics and no other facet"
    if plan.sources.unjudged:
        return "a plan without unjudged documents"
    if g.cells is None or not g.cells.balanced:
        return "the scores of all systems on all topics"
    return ""


def _resampled(plan, rng):
    """Draws the systems' means on two samples, from their scores."""
    g = plan.study
    scores = cells_of(g, "Resampling needs").array()
    if g.design.facets[0] != g.design.object:
        scores = scores.T
    topics = scores.shape[1]
    (size,) = plan.levels.values()
    mean = scores.mean(axis=1, keepdims=True)
    rest = scores - mean - scores.mean(axis=0) + scores.mean()
    rest = rest / np.sqrt(1 - 1 / topics)
    shrink = np.sqrt(g.variance[g.design.object] / mean.var(ddof=1))
    true = shrink * (mean[:, 0] - mean.mean())

    def draw():
        chosen = rng.integers(topics, size=(2, size))
        return [true + rest[:, one].mean(axis=1) for one in chosen]

    return draw


def _normal(plan, rng):
    """The same, of normal systems and errors."""
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
