"""Are the same pairs of systems significantly different on reuse topics?

A system's scores on the topics that its site was held out from, against
those on the topics that it contributed to. Three comparisons ask for three
kinds of pairs:

==============  =============================  =========================
comparison      pairs of systems               topics of reuse
==============  =============================  =========================
within          of one site                    the site is held out
between         of two sites                   both sites are held out
participant     of two sites, in that order    only the first is held out
==============  =============================  =========================

The baseline is always the topics that both contributed to.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib.comparisons import paired
from gtlib.reuse.assignment import Assignment
from gtlib.reuse.heldout import HeldOutScores, no_pairs_error
from gtlib.reuse.multinomial import GoodnessOfFit, goodness_of_fit
from gtlib.tables import checks

# Where a pair is significant: the four cells of the paper's tables.
CELLS = ("both", "baseline only", "reuse only", "neither")


@dataclass(frozen=True, eq=False)
class Agreement:
    """Counts of significant pairs of systems, observed and expected."""

    observed: pd.Series
    expected: pd.Series

    def goodness_of_fit(self) -> GoodnessOfFit:
        """Apply the published test, `goodness_of_fit`, to these tables.

        Calibrated for one pair of systems, not for a table added over
        pairs: see `reusability_test`.
        """
        return goodness_of_fit(self.observed, self.expected)


def significance_agreement(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
    comparison: str = "within",
    alpha: float = 0.05,
    adjust: str | None = None,
) -> Agreement:
    """Count the pairs that differ significantly on baseline and reuse.

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
        Which pairs of systems are compared.
    alpha : float in (0, 1)
        Significance level of the paired t-tests, two-sided.
    adjust : {None, "holm", "bh"}
        Adjust for the number of tests, in the baseline and the reuse set
        separately: Holm, or Benjamini and Hochberg.

    Returns
    -------
    Agreement
        ``.observed`` and ``.expected`` count pairs. Two systems with the
        same score on every topic are no pair, nor are two with fewer than
        two topics in either set.

    Raises
    ------
    ValueError
        If a system has no site, the assignment lacks a topic or site, no
        pair has enough topics, or an argument is out of its range.

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
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(0)
    >>> scores = rng.random((6, 40)) * np.linspace(1, 0.5, 6)[:, None]
    >>> scores = pd.DataFrame(scores, list("abcdef"))
    >>> sites = dict(zip("abcdef", "XXYYZZ"))
    >>> design = gt.BlockDesign("XYZ", 1, range(40), baseline=10)
    >>> held_out = design.assign()
    >>> agreement = gt.significance_agreement(scores, sites, held_out)
    >>> agreement.observed.sum(), round(agreement.expected.sum(), 6)
    (np.int64(3), np.float64(3.0))
    """
    alpha = checks.significance_level(alpha)
    checks.one_of(adjust, "adjust", (None, "holm", "bh"))
    data = HeldOutScores(scores, sites, assignment)
    groups = data.pairs(comparison)
    tests = [_paired_tests(data.array, *group) for group in groups]
    if not tests:
        raise no_pairs_error(comparison)
    t_base, n_base, t_reuse, n_reuse = (
        np.concatenate(part) for part in zip(*tests, strict=True)
    )
    effect = t_base / np.sqrt(n_base)
    significant, power = [], []
    for t, topics in ((t_base, n_base), (t_reuse, n_reuse)):
        p = paired.p_value(t, topics)
        level = _adjusted_level(p, alpha, adjust)
        significant.append(p < level)
        power.append(paired.paired_t_power(effect, topics, level))
    observed = four_cells(*np.array(significant)).astype(int)
    expected = four_cells(*np.array(power))
    return Agreement(
        pd.Series(observed, CELLS, name="pairs"),
        pd.Series(expected, CELLS, name="pairs"),
    )


def _paired_tests(scores, first, second, base, reuse):
    """Compute t and number of topics of pairs: of baseline, of reuse."""
    z = scores[first] - scores[second]
    tests = []
    for part in (base, reuse):
        own = z[:, part]
        size = int(part.sum())
        t = paired.t_statistic(
            own.sum(axis=1), (own * own).sum(axis=1), size
        )
        tests += [t, np.full(len(t), size)]
    return tests


def _adjusted_level(p, alpha, adjust):
    """The level that a test's p-value must be below, after adjusting."""
    if adjust is None:
        return alpha
    if adjust == "holm":
        return alpha / max((paired.holm(p) >= alpha).sum(), 1)
    rejected = (scipy.stats.false_discovery_control(p) < alpha).sum()
    return alpha * max(rejected, 1) / len(p)


def four_cells(base: np.ndarray, reuse: np.ndarray) -> np.ndarray:
    """Add up the four cells over pairs (the first axis), from marks or
    probabilities of being significant in the baseline and in reuse."""
    both = np.einsum("i...,i...->...", base, reuse, dtype=float)
    in_base = base.sum(axis=0, dtype=float)
    in_reuse = reuse.sum(axis=0, dtype=float)
    neither = len(base) - in_base - in_reuse + both
    return np.stack([both, in_base - both, in_reuse - both, neither])
