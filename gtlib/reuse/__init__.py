"""Does a collection serve systems that did not contribute to it?

The analyses of Carterette et al. (2010): a system's scores on the topics
that its site was held out from, against those on the topics that it
contributed to. Three comparisons ask for three kinds of pairs:

==============  =============================  =========================
comparison      pairs of systems               topics of reuse
==============  =============================  =========================
within          of one site                    the site is held out
between         of two sites                   both sites are held out
participant     of two sites, in that order    only the first is held out
==============  =============================  =========================

The baseline is always the topics that both contributed to.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gtlib.reuse.heldout import HeldOutScores
from gtlib.reuse.multinomial import goodness_of_fit
from gtlib.reuse.power import paired_t_power, paired_t_test
from gtlib.reuse.rank import tau_of_signs

CELLS = ("both", "baseline only", "reuse only", "neither")
"""Where a pair is significant: the four cells of the paper's tables."""


@dataclass(frozen=True)
class Agreement:
    """Where pairs of systems are significant, observed and expected."""

    comparison: str
    observed: pd.Series
    expected: pd.Series
    pairs: pd.DataFrame

    @property
    def table(self):
        """The 2 x 2 tables side by side, laid out as the paper's."""
        rows = ["baseline p < α", "baseline p ≥ α"]
        columns = ["reuse p < α", "reuse p ≥ α"]
        return pd.concat(
            {
                name: pd.DataFrame(
                    np.reshape(cells.to_numpy(), (2, 2)), rows, columns
                )
                for name, cells in (
                    ("observed", self.observed),
                    ("expected", self.expected),
                )
            },
            axis="columns",
        )

    def goodness_of_fit(self, method="asymptotic", draws=9999, seed=0):
        """The published test of these tables (see `goodness_of_fit`).

        Calibrated for one pair of systems, not for a table added over
        pairs: see `reusability_test`.
        """
        return goodness_of_fit(
            self.observed, self.expected, method, draws, seed
        )


def significance_agreement(
    scores, sites, assignment, comparison="within", alpha=0.05, adjust=None
):
    """Do the same pairs of systems differ significantly on reuse topics?

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long; each topic judged as `assignment` says.
    sites : Series or dict
        System -> site. With the systems of one site only, the table is
        that site's.
    assignment : Assignment
        Which sites were held out of which topics.
    comparison : {"within", "between", "participant"}
    alpha : float
        Level of the paired t-tests, two-sided.
    adjust : {None, "holm", "bh"}
        Adjust for the number of tests, in the baseline and the reuse set
        separately: Holm, or Benjamini and Hochberg.

    Returns
    -------
    Agreement
        ``.observed`` and ``.expected`` count pairs; ``.pairs`` has a row
        per pair. Two systems with the same score on every topic are no
        pair, nor are two with fewer than two topics in either set.

    Raises
    ------
    ValueError
        If a system has no site, the assignment lacks a topic or site, or
        no pair has enough topics.

    Notes
    -----
    Carterette et al. 2010, section 3.2.1. The effect size of a pair is its
    mean difference over the baseline topics in standard deviations; with
    P_b and P_r the power of the t-test for that effect in samples of the
    two sizes, the expected cells are P_b P_r, P_b (1 - P_r),
    (1 - P_b) P_r and (1 - P_b)(1 - P_r), added over pairs. When p-values
    are adjusted, the power is that at the level the adjustment came to.

    Examples
    --------
    >>> from gtlib.reuse.blocks import BlockDesign
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random((6, 40)) * np.linspace(1, 0.5, 6)[:, None]
    >>> scores = pd.DataFrame(scores, list("abcdef"))
    >>> sites = dict(zip("abcdef", ["X", "X", "Y", "Y", "Z", "Z"]))
    >>> design = BlockDesign(["X", "Y", "Z"], 1, range(40), baseline=10)
    >>> found = significance_agreement(scores, sites, design.assign())
    >>> found.observed.sum(), round(found.expected.sum(), 6)
    (np.int64(3), np.float64(3.0))
    """
    data = HeldOutScores.of(scores, sites, assignment)
    return agreement_of(data, comparison, alpha, adjust)


def agreement_of(data, comparison, alpha=0.05, adjust=None):
    """`significance_agreement` of scores that are already lined up."""
    if adjust not in (None, "holm", "bh"):
        raise ValueError(f"adjust is {adjust!r}; it is None, holm or bh.")
    parts = [
        _tested(data.array, *group) for group in data.pairs(comparison)
    ]
    if not parts:
        raise ValueError(
            f"No pair for the {comparison} comparison has at least two "
            "topics in both the baseline and the reuse set: choose another "
            "number of held-out sites (BlockDesign.options)."
        )
    columns = {
        name: np.concatenate([part[name] for part in parts])
        for name in parts[0]
    }
    for place in ("first", "second"):
        system = columns[place]
        columns[place] = data.scores.index[system]
        columns[f"{place} site"] = data.names[data.site_of[system]]
    pairs = pd.DataFrame(columns)
    for name in ("baseline", "reuse"):
        level = _level(pairs[f"{name} p"].to_numpy(), alpha, adjust)
        pairs[f"{name} significant"] = pairs[f"{name} p"] < level
        pairs[f"{name} power"] = paired_t_power(
            pairs["effect size"], pairs[f"{name} topics"], level
        )
    return Agreement(
        comparison,
        _cells(pairs, "significant").astype(int),
        _cells(pairs, "power"),
        pairs,
    )


def site_scores(scores, sites, assignment):
    """Each system's mean score where it contributed and where it did not.

    Parameters
    ----------
    scores, sites, assignment
        As for `significance_agreement`.

    Returns
    -------
    DataFrame
        A row per system: ``site``; ``all-site baseline``, the mean over
        the topics every site contributed to (NaN if none); ``baseline``
        and ``reuse``, over those its own site contributed to and was held
        out from; ``baseline topics`` and ``reuse topics``, how many.

    Examples
    --------
    >>> from gtlib.reuse.assignment import Assignment
    >>> held = pd.DataFrame({"A": [1, 0, 0], "B": [0, 0, 1]}) == 1
    >>> table = pd.DataFrame([[0.1, 0.2, 0.4], [0.3, 0.3, 0.2]], ["a", "b"])
    >>> means = site_scores(table, {"a": "A", "b": "B"}, Assignment(held))
    >>> means[["baseline", "reuse"]].round(2).values.tolist()
    [[0.3, 0.1], [0.3, 0.2]]
    """
    data = HeldOutScores.of(scores, sites, assignment)
    everyone = ~data.held.any(axis=0)
    held = data.held[data.site_of]
    reuse = _mean(data.array, held)
    return pd.DataFrame(
        {
            "site": data.names[data.site_of],
            "all-site baseline": _mean(data.array, everyone[None, :]),
            "baseline": _mean(data.array, ~held),
            "reuse": reuse,
            "baseline topics": (~held).sum(axis=1),
            "reuse topics": held.sum(axis=1),
        },
        index=data.scores.index,
    )


def score_rmse(baseline, reuse):
    """Root mean square difference between two scores of each system.

    Parameters
    ----------
    baseline, reuse : Series or array, one score per system

    Returns
    -------
    float
        In the units of the measure. Carterette et al. 2010, section 3.2.3.

    Examples
    --------
    >>> round(score_rmse([0.3, 0.2], [0.3, 0.1]), 6)
    0.070711
    """
    if isinstance(baseline, pd.Series) and isinstance(reuse, pd.Series):
        reuse = reuse.reindex(baseline.index)
    gap = np.asarray(baseline, dtype=float) - np.asarray(reuse, dtype=float)
    if not np.isfinite(gap).all():
        raise ValueError("A score is missing: both need every system.")
    return float(np.sqrt(np.mean(gap**2)))


def rank_agreement(scores, sites, assignment):
    """Kendall's tau of each site, in the forms of the paper's Table 6.

    Parameters
    ----------
    scores, sites, assignment
        As for `significance_agreement`.

    Returns
    -------
    DataFrame
        A row per site. ``within``: the order of the site's systems by
        reuse scores against that by baseline scores. ``participant``: the
        site's reuse scores and the other sites' baseline scores, against
        the order of all by baseline scores. ``systems``: how many. NaN
        where a site has nothing to compare.

    Notes
    -----
    Carterette et al. 2010, section 5.1.

    Examples
    --------
    >>> from gtlib.reuse.assignment import Assignment
    >>> held = pd.DataFrame({"A": [1, 0, 0], "B": [0, 0, 1]}) == 1
    >>> table = pd.DataFrame([[0.1, 0.2, 0.4], [0.3, 0.3, 0.2]], ["a", "b"])
    >>> sites = {"a": "A", "b": "B"}
    >>> taus = rank_agreement(table, sites, Assignment(held))
    >>> taus["participant"].tolist()
    [-1.0, 1.0]
    """
    means = site_scores(scores, sites, assignment)
    old, new = means["baseline"].to_numpy(), means["reuse"].to_numpy()
    rows = {}
    for site in dict.fromkeys(means["site"]):
        own = (means["site"] == site).to_numpy()
        a, b = np.triu_indices(own.sum(), 1)
        x, y = old[own], new[own]
        rows[site] = {
            "systems": own.sum(),
            "within": tau_of_signs(
                np.sign(x[a] - x[b]), np.sign(y[a] - y[b])
            ),
            "participant": tau_of_signs(
                np.sign(x[:, None] - old[~own]),
                np.sign(y[:, None] - old[~own]),
            ),
        }
    return pd.DataFrame(rows).T.astype({"systems": int})


def _tested(scores, first, second, base, reuse):
    """The paired t-tests of pairs that have their topics in common."""
    z = scores[first] - scores[second]
    base_mean, effect, base_p = paired_t_test(z[:, base])
    reuse_mean, _, reuse_p = paired_t_test(z[:, reuse])
    return {
        "first": first,
        "second": second,
        "first site": first,
        "second site": second,
        "baseline topics": np.full(len(z), base.sum()),
        "reuse topics": np.full(len(z), reuse.sum()),
        "baseline difference": base_mean,
        "reuse difference": reuse_mean,
        "effect size": effect,
        "baseline p": base_p,
        "reuse p": reuse_p,
    }


def _level(p, alpha, adjust):
    """The level that a test's p-value must be below, after adjusting."""
    if adjust is None:
        return alpha
    p, size = np.sort(p), len(p)
    steps = np.arange(1, size + 1)
    if adjust == "bh":
        below = np.flatnonzero(p < alpha * steps / size)
        return alpha * (below[-1] + 1 if len(below) else 1) / size
    above = np.flatnonzero(p >= alpha / (size - steps + 1))
    return alpha / (size - above[0]) if len(above) else alpha


def _cells(pairs, what):
    """The four cells, added over pairs, from marks or probabilities."""
    base = pairs[f"baseline {what}"].astype(float)
    reuse = pairs[f"reuse {what}"].astype(float)
    cells = (
        base * reuse,
        base * (1 - reuse),
        (1 - base) * reuse,
        (1 - base) * (1 - reuse),
    )
    return pd.Series([c.sum() for c in cells], CELLS, name="pairs")


def _mean(values, mask):
    """Row means over the topics of a mask; NaN where it is empty."""
    count = mask.sum(axis=1)
    total = (values * mask).sum(axis=1)
    return np.divide(
        total, count, out=np.full(len(values), np.nan), where=count > 0
    )
