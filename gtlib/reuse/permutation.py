"""The calibrated test of reusability.

If a collection is reusable, a system's score on a topic is the same
whether or not its site was held out. Then the design's held-out sets are
mere labels, which chance gave to the topics, and chance may give them
again: shuffle the labels over the topics, keep everything else (every
system, pair and score) as it is, and compute the statistic anew. The
observed statistic is one draw from that distribution.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from tqdm import tqdm

from gtlib.reuse.assignment import Assignment
from gtlib.reuse.heldout import COMPARISONS, HeldOutScores, no_pairs_error
from gtlib.reuse.shuffled import ShuffledStatistics
from gtlib.tables import Interval, can_style, checks

_CHUNK = 500


@dataclass(frozen=True, eq=False)
class ReusabilityReport:
    """The result of a test of reusability.

    ``table`` has a row per statistic; ``effect``, an `Interval`, is how
    much a score changes when its system's site is held out;
    ``shuffles`` has the value of each statistic in each permutation.
    """

    table: pd.DataFrame
    effect: Interval
    shuffles: pd.DataFrame
    alpha: float

    @property
    def verdict(self) -> str:
        """The finding, at the level `alpha`, in two sentences."""
        effect = self.effect
        least = self.table["adjusted p"].min()
        level = effect.confidence_level
        finding = "evidence" if least <= self.alpha else "no evidence"
        return (
            f"There is {finding} against reusability (least adjusted p "
            f"{least:.4f}, {len(self.shuffles)} permutations). Holding "
            "a site out changes its scores by "
            f"{effect.estimate:+.4f} ({level:.0%} interval "
            f"{effect.low:+.4f} to {effect.high:+.4f})."
        )

    def __str__(self) -> str:
        return f"{self.verdict}\n\n{self._display_table().to_string()}"

    def _repr_html_(self):
        if not can_style():
            return None
        table = self._display_table().style.format(precision=4).to_html()
        return f"<p>{self.verdict}</p>\n{table}"

    def _display_table(self):
        return self.table.round(4) + 0.0  # no negative zeros


def reusability_test(
    scores: pd.DataFrame | ArrayLike,
    sites: pd.Series | Mapping[str, str],
    assignment: Assignment,
    comparisons: Sequence[str] = COMPARISONS,
    shuffle: str = "blocks",
    alpha: float = 0.05,
    n_resamples: int = 9999,
    seed: int = 0,
) -> ReusabilityReport:
    """Test whether a collection is reusable, by permuting a block design.

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long; each topic judged as `assignment` says.
    sites : Series or dict
        System -> site.
    assignment : Assignment
        Which sites were held out of which topics. Chance must have decided
        that, as `BlockDesign.assign` does.
    comparisons : sequence of {"within", "between", "participant"}
        Those without any pair with two topics of reuse are left out; with
        none at all, ``()``, only scores are compared, which is quick.
    shuffle : {"blocks", "all"}
        Which topics may exchange their held-out sites: those with sites
        held out, or the all-site baseline as well. See Notes.
    alpha : float in (0, 1)
        Significance level of the paired t-tests whose agreement is
        counted, and of the verdict; the interval for the effect has the
        confidence level 1 - alpha.
    n_resamples : int
        How many permutations.
    seed : int
        Seed of the permutations.

    Returns
    -------
    ReusabilityReport
        In ``.table``, for each statistic: ``observed``; ``expected``, its
        mean if the collection is reusable; ``p``; and ``adjusted p``,
        which takes account of there being several rows.

    Raises
    ------
    ValueError
        If scores, sites and assignment do not belong together, the design
        has too few topics of reuse, or an argument is out of its range.

    Notes
    -----
    The hypothesis is that the scores would have been the same whichever
    sites had been held out of whichever topics. Then every assignment of
    the design's held-out sets to the topics was equally likely to go with
    these scores, and p = (1 + #{T* ≥ T}) / (1 + n_resamples) is valid
    whatever the distribution of the scores and however systems, pairs and
    sites depend on each other. With ``shuffle="blocks"`` the hypothesis is
    only that *which* sites were held out makes no difference: that a pool
    without some sites is a smaller pool for everyone, compared with the
    all-site baseline, does not count against the collection.

    Statistics. *Agreement*: X² of the observed against the expected table
    (`significance_agreement`). *Order*: the tau of mean differences over
    baseline and reuse topics, pair by pair. *Scores*: the RMSE of
    `site_scores`; and the least-squares effect of being held out in
    score = system + topic + effect * held out, two-sided, whose interval
    holds the effects that would not be rejected. The adjusted p is that of
    the smallest p among the rows (Westfall & Young 1993).

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> rng = np.random.default_rng(0)
    >>> scores = pd.DataFrame(rng.random((6, 40)), list("abcdef"))
    >>> sites = dict(zip("abcdef", "XXYYZZ"))
    >>> design = gt.BlockDesign("XYZ", 1, range(40), baseline=10)
    >>> held_out = design.assign()
    >>> report = gt.reusability_test(
    ...     scores, sites, held_out, n_resamples=99
    ... )
    >>> bool(report.effect.low < 0 < report.effect.high)
    True
    """
    alpha = checks.significance_level(alpha)
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    data = HeldOutScores(scores, sites, assignment)
    checks.one_of(shuffle, "shuffle", ("blocks", "all"))
    rounds = [name for name in comparisons if any(data.pairs(name))]
    if comparisons and not rounds:
        raise no_pairs_error(*comparisons)
    moved = data.held.any(axis=0) | (shuffle == "all")
    draws = _draw(data, rounds, moved, alpha, n_resamples, seed)
    overlap = draws.pop(("scores", "overlap"))
    effect = _effect(draws["scores", "effect"], overlap, 1 - alpha)
    shuffles = draws.iloc[1:].reset_index(drop=True)
    return ReusabilityReport(_table(draws), effect, shuffles, alpha)


def _draw(data, rounds, moved, alpha, n_resamples, seed):
    """Compute the statistics of the assignment, then of its shuffles."""
    # An assignment made with the same seed must not share its stream.
    rng = np.random.default_rng([seed, *b"shuffle"])
    statistics = ShuffledStatistics(data, rounds, moved, alpha)
    places = np.arange(data.array.shape[1])
    parts = []
    starts = range(0, n_resamples + 1, _CHUNK)
    for start in tqdm(starts, "permutations", disable=None):
        size = min(_CHUNK, n_resamples + 1 - start)
        order = np.tile(places, (size, 1))
        order[:, moved] = rng.permuted(order[:, moved], axis=1)
        if start == 0:
            order[0] = places
        parts.append(pd.DataFrame(statistics(order)))
    return pd.concat(parts, ignore_index=True)


def _table(draws):
    """Tabulate observed, expected and p of each statistic."""
    p = {}
    for (question, statistic), values in draws.items():
        worse = values
        if statistic == "effect":
            worse = np.abs(values)
        elif question == "order":
            worse = -values
        slack = 1e-6 * np.abs(worse)  # equal but for rounding is equal
        below = np.searchsorted(np.sort(worse), worse - slack)
        p[question, statistic] = 1 - below / len(values)
    least = np.min([*p.values()], axis=0) - 1e-12
    columns = {"observed": draws.iloc[0], "expected": draws.iloc[1:].mean()}
    table = pd.DataFrame(columns).rename_axis(["question", "statistic"])
    table["p"] = [own[0] for own in p.values()]
    table["adjusted p"] = [(least <= own).mean() for own in table["p"]]
    return table


def _effect(change, overlap, level):
    """Estimate the least-squares effect, with those that are not rejected.

    Were the effect d, the scores without it would give the shuffled
    estimates ``change - d * overlap``; d is as extreme as observed where
    that exceeds ``change[0] - d``, which each shuffle solves for d.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = (change[0] - change[1:]) / (1 - overlap[1:])
    tails = [(1 - level) / 2, (1 + level) / 2]
    low, high = np.quantile(bound, tails).tolist()
    estimate, reason = float(change[0]), ""
    if not np.isfinite([low, high]).all():
        low = high = np.nan
        reason = (
            "with so few topics, shuffles repeat what was held out of which"
        )
    return Interval(
        low, high, estimate, level, "permutation", reason, "effect"
    )
