"""How sure are we: intervals for coefficients, components and numbers.

An estimate from forty systems and fifty topics would have come out
differently with others. In closed form where the normal model allows it,
else from replicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf, isfinite, nan, prod
from typing import TYPE_CHECKING, Self

import numpy as np
import pandas as pd
import scipy

from gtlib import checks, gaps
from gtlib.anova import (
    PlannedEffects,
    balanced_mean_squares,
    coefficient_of_ratio,
    deviations,
    error_name,
    largest_error,
)
from gtlib.checks import (
    count_noun,
    list_some,
    one_of,
    plural,
    progress,
    whole_number,
)
from gtlib.design import Design
from gtlib.gaps import MEAN, outer_levels
from gtlib.scores import Cells, Interval, require_cells

if TYPE_CHECKING:
    from gtlib.gtheory import GStudy, Plan

# Confidence limits in closed form, from mean squares of balanced data.
#
# Each function takes the mean squares and degrees of freedom of one
# quantity and returns ``(low, high)``. Under the normal model every mean
# square, divided by its expectation, is a chi-square over its degrees of
# freedom, independent of the others. F_p(a, b) is the quantile p of F with
# a and b degrees of freedom. In a limit that leaves the probability α/2
# beyond it, p is 1 - α/2 for the lower one and α/2 for the upper one.
#
# Of n_s systems on n_q topics,
#
#     E MS_s = σ²_e + n_q σ²_s,                                        (1)
#     E MS_q = σ²_e + n_s σ²_q,
#     E MS_e = σ²_e .
#
# Feldt's ratio of signal to noise, and its limits, are
#
#     σ²_s / σ²_e = (E MS_s / E MS_e - 1) / n_q,                       (2)
#     (MS_s / MS_e / F_p - 1) / n_q,    F_p = F_p(df_s, df_e) .        (3)
#
# Arteaga's, with q_b = F_p(df_s, b) and df_s = n_s - 1, are
#
#     σ²_s / (σ²_q + σ²_e)
#         = n_s/n_q (E MS_s - E MS_e) / ((n_s - 1) E MS_e + E MS_q),   (4)
#     n_s/n_q N/D,                                                     (5)
#         N = MS_s² - q_∞ MS_s MS_e + (q_∞ - q_e) q_e MS_e²,
#         D = MS_s ((n_s - 1) q_∞ MS_e + q_q MS_q) .
#
# The limits of the modified large sample, of mean squares times numbers
# that sum to T, are T - sqrt(V) and T + sqrt(V'). Of P positive terms a_i,
# with n_i degrees of freedom, and others -b_j, with m_j,
#
#     V = sum of G_i² a_i² + sum of H_j² b_j²                          (6)
#         + sum over i, j of G_ij a_i b_j
#         + sum over h < i of G*_hi a_h a_i,
#     G_i = 1 - 1/F_{1-α/2}(n_i, ∞),    H_j = 1/F_{α/2}(m_j, ∞) - 1,   (7)
#     G_ij = ((F - 1)² - G_i² F² - H_j²) / F,                          (8)
#         F = F_{1-α/2}(n_i, m_j),
#     G*_hi = ((1 - 1/F_{1-α/2}(n_h + n_i, ∞))² (n_h + n_i)²/(n_h n_i)
#              - G_h² n_h/n_i - G_i² n_i/n_h) / (P - 1),               (9)
#
# and V' is V with the a and the b exchanged.


def feldt(
    mean_squares: np.ndarray,
    df: np.ndarray,
    n: int,
    confidence_level: float,
) -> np.ndarray:
    """Return limits of (expected MS_s / expected MS_e - 1) / n, exact: (3).

    For system x topic that is σ²(system)/σ²(error), the generalizability
    of one topic as a ratio of signal to noise (Feldt 1965).
    """
    with np.errstate(divide="ignore"):  # no error, no limit
        ratio = np.divide(*mean_squares)
    quantiles = scipy.special.fdtri(*df, _ends(confidence_level))
    return (ratio / quantiles - 1) / n


def arteaga(
    mean_squares: np.ndarray,
    df: np.ndarray,
    levels: tuple[int, int],
    confidence_level: float,
) -> np.ndarray:
    """Return limits of σ²(system) / (σ²(topic) + σ²(system x topic)): (5).

    Nearly exact (Arteaga, Jeyaratnam & Franklin 1982): the dependability
    of one topic as a ratio of signal to noise.
    """
    systems, topics, error = mean_squares
    n_s, n_q = levels
    p = _ends(confidence_level)
    q_infinite = _f_over_infinity(df[0], p)
    q_topics = scipy.special.fdtri(df[0], df[1], p)
    q_error = scipy.special.fdtri(df[0], df[2], p)
    # (5): the last term of N, which has no MS_s in it
    constant = (q_infinite - q_error) * q_error * error**2
    # Below its least value in MS_s the quotient would rise again.
    systems = np.maximum(systems, np.sqrt(np.maximum(constant, 0)))
    numerator = systems**2 - q_infinite * systems * error + constant
    noise = (n_s - 1) * q_infinite * error + q_topics * topics
    denominator = systems * noise
    with np.errstate(divide="ignore", invalid="ignore"):  # all means alike
        return n_s / n_q * numerator / denominator


def modified_large_sample(
    terms: np.ndarray, df: np.ndarray, confidence_level: float
) -> tuple[float, float]:
    """Return limits of a mean square, or of a difference of sums: (6).

    The large-sample variance, modified so that the limits are exact when
    one mean square stands alone (Graybill & Wang 1980) or two stand
    against each other at zero; Ting, Burdick, Graybill, Jeyaratnam & Lu
    (1990), as in Burdick & Graybill (1992), section 3.3.
    """
    minus = terms < 0
    up, df_up = terms[~minus], df[~minus]
    down, df_down = -terms[minus], df[minus]
    variance_low = _variance(up, df_up, down, df_down, confidence_level)
    variance_high = _variance(down, df_down, up, df_up, confidence_level)
    total = np.sum(terms)
    low = total - np.sqrt(max(variance_low, 0.0))
    high = total + np.sqrt(max(variance_high, 0.0))
    return low, high


def _variance(a, n, b, m, confidence_level):
    """V of (6), of the limit at which the terms a shrink and b grow."""
    above, below = _ends(confidence_level)
    g = 1 - 1 / _f_over_infinity(n, above)  # (7)
    h = 1 / _f_over_infinity(m, below) - 1
    row, pooled = n[:, None], n[:, None] + n
    f = scipy.special.fdtri(row, m, above)
    cross = ((f - 1) ** 2 - (g[:, None] * f) ** 2 - h**2) / f  # (8)
    joint = pooled * (1 - 1 / _f_over_infinity(pooled, above))
    own = g[:, None] ** 2 * row / n
    among = joint**2 / (row * n) - own - own.T  # (9), times P - 1
    return (
        np.sum((g * a) ** 2)
        + np.sum((h * b) ** 2)
        + a @ cross @ b
        + a @ np.triu(among, 1) @ a / max(len(a) - 1, 1)
    )


def _ends(confidence_level):
    """The p of F_p that give the lower and the upper limit."""
    tail = (1 - confidence_level) / 2
    return np.array([1 - tail, tail])


def _f_over_infinity(df, p):
    """F_p(df, ∞): with infinitely many degrees below it, a chi-square."""
    return scipy.special.chdtri(df, 1 - p) / df


# Replicates of variance components: what another study might have given.
#
# `pivotal` draws them from the normal model, `resampling` from the scores.
# Each gives an array (effects, n_resamples), from a seed and without a loop
# over replicates.

# How many numbers a batch of replicates may hold at once.
HELD = 20_000_000


def is_balanced(g: GStudy) -> bool:
    """Return whether a G-study is or could be of a balanced table."""
    return g.incidence is None and bool(g.levels)


def study_mean_squares(g: GStudy) -> np.ndarray:
    """Return the mean squares of a study for which `is_balanced` holds."""
    if g.mean_squares is not None:
        return g.mean_squares.to_numpy()
    if g.cells is not None:
        return balanced_mean_squares(g.cells.array(), g.design)
    solve = g.design.mean_squares_to_components(g.levels)
    return np.linalg.solve(solve, g.estimate.to_numpy())


def pivotal(
    g: GStudy, n_resamples: int, seed: int, stretch: float = 1.0
) -> np.ndarray:
    """Draw components that could have led to the study's mean squares.

    A mean square over its expectation is a chi-square over its degrees of
    freedom, whatever the components: draw that, and solve for them. Their
    quantiles are a generalized confidence interval (Weerahandi 1993); for
    the generalizability of system x topic, Feldt's exact one.  `stretch`
    divides the degrees of freedom.
    """
    expected = study_mean_squares(g)[:, None]
    solve = g.design.mean_squares_to_components(g.levels)
    df = g.design.degrees_of_freedom(g.levels)[:, None] / stretch
    rng = np.random.default_rng(seed)
    drawn = rng.chisquare(df, (len(df), n_resamples)) / df
    return solve @ (expected / np.maximum(drawn, 1e-12))


def batches(n_resamples: int, largest: int) -> Iterable[slice]:
    """Yield the batches in which to make replicates, with progress."""
    most = max(1, HELD // largest)
    starts = range(0, n_resamples, most)
    parts = [slice(i, min(i + most, n_resamples)) for i in starts]
    return progress(parts, "replicates")


def summing_matrix(level: np.ndarray) -> scipy.sparse.csr_array:
    """Return the matrix that sums rows by level; every level occurs."""
    where = level, np.arange(len(level))
    return scipy.sparse.csr_array((np.ones(len(level)), where))


# The cluster bootstrap: whole levels of facets, drawn with replacement.
#
# A level that is drawn three times counts as three levels. So a replicate
# is no table but a multiplicity per level of each resampled facet, and its
# T-terms (see `gtlib.gaps`) are forms in those
# multiplicities.


def cluster_bootstrap(
    cells: Cells, facets: Sequence[str], n_resamples: int, seed: int
) -> np.ndarray:
    """Estimate components from resampled studies, corrected for bias.

    Levels repeat in a resampled study, so its T-terms have another
    expectation than those of new data: what an interaction adds to the
    mean of a level is repeated with it. The components here solve the
    T-terms' equations with that expectation (what Brennan, Harris & Hanson
    1987 and Wiley 2001 do for person x item, for any design and choice of
    facets), and are right on average for each study that could be drawn;
    in a balanced one, over the draws.
    """
    margins = gaps.tabulate(cells, cells.centred)
    if cells.balanced:
        expected = _expected_coefficients(cells, margins, facets)
    else:  # refuse what no draw could tell
        matrix = gaps.coefficients(cells, margins)
        gaps.require_determined(matrix, cells.design)
    # Effects with all resampled facets have one column, whatever is drawn.
    largest = sum(
        len(margin.key)
        for effect, margin in margins.items()
        if not effect.issuperset(facets)
    )
    rng = np.random.default_rng(seed)
    # All drawn at once, so that studies with the same facets and seed have
    # the same levels.
    multiplicities = {
        f: _multiplicities(cells, f, n_resamples, rng) for f in facets
    }
    estimates: list[np.ndarray] = []
    for batch in batches(n_resamples, largest):
        weights = {f: w[:, batch] for f, w in multiplicities.items()}
        resampled = _ResampledStudies(cells, margins, weights)
        terms = resampled.t_terms()
        if cells.balanced:
            estimates.append(np.linalg.solve(expected, terms))
        else:  # what a draw confounds gets the shortest of the solutions
            solve = np.linalg.pinv(resampled.coefficients(), rcond=1e-9)
            estimates.append((solve @ terms.T[..., None])[..., 0].T)
    return np.concatenate(estimates, axis=1)


def _multiplicities(cells, facet, size, rng):
    n = len(cells.labels[facet])
    return rng.multinomial(n, np.full(n, 1 / n), size).T.astype(float)


@dataclass(frozen=True, eq=False)
class _ResampledStudies:
    """T-terms and their coefficients in a batch of resampled studies.

    ``weights`` maps each resampled facet to the multiplicities of its
    levels, (levels, n_resamples). Values per level have a column for each
    replicate, or only one where all replicates share them.
    """

    cells: Cells
    margins: dict
    weights: dict

    def t_terms(self):
        """Compute T-terms (effects, n_resamples), less the grand mean's."""
        effects = [e.facets for e in self.cells.design.effects]
        terms = np.array([self._t_term(e) for e in [*effects, MEAN]])
        return terms[:-1] - terms[-1]

    def coefficients(self):
        """Return the expected T-terms in the components of the study drawn
        from, (n_resamples, effects, effects), less that of the grand
        mean."""
        matrices = gaps.subtract_grand_mean(
            self.cells.design, self._coefficient
        )
        return np.moveaxis(matrices, -1, 0)

    def _t_term(self, e):
        return self._over_count(e, self._sums(e, "total") ** 2)

    def _coefficient(self, e, k):
        """A level of k that is drawn twice within a level of e has its
        effect counted twice, squared four times."""
        joint = e | k
        square = self._sums(joint, "count") ** 2
        repeated = self._outside(e) - self._outside(joint)
        square = self._contract(joint, e, repeated, square, 2)
        return self._over_count(e, square)

    def _outside(self, e):
        return frozenset(self.weights) - e

    def _sums(self, e, what):
        """Count or total of each level of `e`, if it is drawn once."""
        facets = self._outside(e)
        values = getattr(self.margins[e | facets], what)
        return self._contract(e | facets, e, facets, values[:, None])

    def _over_count(self, e, values):
        """The sum over the levels of `e` of value over count, each level
        counted as often as it is drawn."""
        count = self._sums(e, "count")
        shape = np.broadcast_shapes(values.shape, count.shape)
        ratio = np.divide(values, count, np.zeros(shape), where=count > 0)
        inside = e & frozenset(self.weights)
        return self._contract(e, MEAN, inside, ratio)[0]

    def _contract(self, inner, outer, facets, values, power=1):
        """Multiply `values` of the levels of `inner` by the multiplicities
        of `facets` to a power, and sum within the levels of `outer`."""
        for facet in sorted(facets):  # in one order: the same last digit
            facets = facets - {facet}
            weights = self.weights[facet] ** power
            code = self.margins[inner].codes[facet]
            level = outer_levels(
                self.cells, self.margins, inner, outer | facets
            )
            inner = outer | facets
            if values.shape[1] == 1:
                form = scipy.sparse.csr_array((values[:, 0], (level, code)))
                values = form @ weights
            else:
                values = summing_matrix(level) @ (values * weights[code])
        if inner != outer:
            level = outer_levels(self.cells, self.margins, inner, outer)
            values = summing_matrix(level) @ values
        return values


def _expected_coefficients(cells, margins, facets):
    """Mean over the draws of `_Resampled.coefficients`, when balanced.

    A level's total squared is a sum over pairs. Two different levels of a
    facet are drawn together 1 - 1/n times on average, and a level with
    itself once more: so each subset of the facets outside an effect adds
    the T-term of the effect crossed with it.
    """

    def share(e, k):
        if not (e <= k <= e.union(facets)):
            return 0.0
        sizes = (len(cells.labels[f]) for f in facets if f not in k)
        together = prod(1 - 1 / n for n in sizes)
        return together * len(margins[e].key) / len(margins[k].key)

    shares = gaps.subtract_grand_mean(cells.design, share)
    return shares @ gaps.coefficients(cells, margins)


# How much more systems and topics scatter than normal ones would.
#
# Intervals in closed form take scores to be normal, and systems of real
# tracks are not: a few broken runs widen the distribution of the mean
# square of systems, and nothing in the other mean squares makes up for it.
# The jackknife of the logarithm of a ratio of mean squares sees that
# (Miller 1968; Arvesen & Schmitz 1970). It is computed here for normal
# scores too, and the ratio r of the two is what an interval is stretched
# by: its mean squares get their degrees of freedom over r (Box 1953;
# Shoemaker 2003).
#
# Of a coefficient with universe score variance τ and error δ, both sums of
# mean squares, the quantity is
#
#     θ = log (τ + δ) - log δ,                                         (1)
#
# which for the generalizability of system x topic is log F. Leaving out m
# of the n levels of a facet f, which is nested in nothing, changes the sum
# of squares of an effect α with deviations e. If f is in α, the others' sum
# of squares about their own mean is left, and without the last term where a
# facet of α is nested in f,
#
#     SS - sum over the m of e² - (sum over the m of e)² / (n - m);    (2)
#
# if it is not, their mean moves by the effect of α and f together, e_f,
#
#     SS - of e - (sum over the m of e_f) / (n - m).                   (3)
#
# Blocks of unequal size are weighed as Busing, Meijer & van der Leeden
# (1999) do: with h = n/m, θ_j without block j and the mean θ' over blocks
# of h θ - (h - 1) θ_j, where θ' is weighed by 1/h, the variance of θ is
#
#     mean over j of (h θ - (h - 1) θ_j - θ')² / (h - 1).              (4)
#
# Where scores are normal, the jackknife over a facet gives of log MS_α, on
# average and nearly,
#
#     ψ'(df_α/2)  if f is in α,  else  4 MS_αf / (MS_α df_α),          (5)
#
# ψ' the trigamma function; (1) is linear in the log MS for small changes.
# Far below 0, where systems are more alike than chance allows, (1) is cut.
#
# The r of one study is noisy: r is the ratio of (4), summed over facets, to
# (5), times 1 + 2/n as n blocks do not show all of a scatter. Of n systems
# it is moved towards what it is in other collections, as an empirical Bayes
# estimate is (Efron & Morris 1975),
#
#     r^w PRIOR^(1 - w),    w = n / (n + PRIOR_SYSTEMS).               (6)
#
# Of groups of systems r differs much more from one collection to another.
# It is taken as it is seen, but no smaller than that of the systems.

# The fewer blocks, the more a scatter is underestimated; r is multiplied
# by 1 + UNKNOWN / blocks.
UNKNOWN = 2.0

# The prior of r, and the number of systems that it counts for; both are
# estimated from the collections of the atlas (data/build/stretch.py).
PRIOR, PRIOR_SYSTEMS = 1.5, 10

# The least r of a single mean square, which has no prior.
LEAST = 0.7

ENOUGH_LEVELS = 5  # of another facet, for its levels to be left out

_STEP = 1e-6  # relative, of the slopes of (1)
_ROUNDING = 1e-12  # what is left of a mean square that is 0 without some
_SWEEPS = 30  # of what systems and topics add up to


def stretch(
    plan: Plan, coefficient: str, groups: Mapping | None = None
) -> float:
    """Estimate r, by which the degrees of freedom are to be divided."""
    systems = len(system_blocks(plan.study))
    most = systems - 1.0  # leaves one degree of freedom
    r = observed_stretch(plan, coefficient, groups)
    if groups is None:
        return min(_shrink(r, systems), most)
    return max(min(r, most), stretch(plan, coefficient))


@np.errstate(divide="ignore", invalid="ignore")
def observed_stretch(
    plan: Plan, coefficient: str, groups: Mapping | None = None
) -> float:
    """Return r as the scores of one study show it; the parameters are
    those of `stretch`."""
    g = plan.study
    block = system_blocks(g, groups)
    table = JackknifeTable(
        *_fill_gaps(require_cells(g.cells, "The jackknife needs"))
    )
    planned = plan.effects
    if table.design != g.design:
        planned = table.planned_effects()
    theta = _theta_function(table, planned, error_name(coefficient))
    near = table.mean[:, None] * (1 + _STEP * np.eye(len(table.mean)))
    whole = theta(table.mean)
    slopes = (theta(near) - whole) / _STEP
    seen = expected = np.float64(0)
    blocks = table.blocks(block)
    object_ = g.design.object
    if not g.design.nesting[object_] and object_ not in blocks:
        return np.inf
    for facet, left_out in blocks.items():
        kept_shares = 1 - np.bincount(left_out) / table.levels[facet]
        left_out_theta = theta(
            table.without(facet, left_out), facet, kept_shares
        )
        seen += _jackknife_variance(whole, left_out_theta, kept_shares)
        expected += slopes**2 @ table.expected(facet)
    return float(_stretch_ratio(seen, expected, block.max() + 1))


@np.errstate(divide="ignore", invalid="ignore")
def components_df(g: GStudy, groups: Mapping | None = None) -> np.ndarray:
    """Estimate the degrees of freedom of each mean square, over its r;
    with groups no more than without."""
    cells = require_cells(g.cells, "method='jackknife' needs")
    block = system_blocks(g, groups)
    table = JackknifeTable(cells.array(), g.design)
    seen = expected = np.zeros(len(table.mean))
    fewest = np.full(len(table.mean), np.inf)
    for facet, left_out in table.blocks(block).items():
        kept_shares = 1 - np.bincount(left_out) / table.levels[facet]
        logs = np.log(np.maximum(table.without(facet, left_out), 1e-300))
        whole = np.log(np.maximum(table.mean, 1e-300))
        seen = seen + _jackknife_variance(whole[:, None], logs, kept_shares)
        expected = expected + table.expected(facet)
        inside = [facet in e.facets for e in g.design.effects]
        fewest = np.minimum(
            fewest, np.where(inside, len(kept_shares), np.inf)
        )
    r = np.maximum(_stretch_ratio(seen, expected, fewest), LEAST)
    df = np.maximum(table.df / r, np.minimum(table.df, 1))
    if groups is None:
        return df
    if g.design.object not in table.blocks(block):
        # Two groups, one of them a single system: a difference of groups
        with_systems = [
            g.design.object in e.facets for e in g.design.effects
        ]
        one = table.df / (table.levels[g.design.object] - 1)
        df = np.where(with_systems, np.minimum(df, one), df)
    return np.minimum(df, components_df(g))


def system_blocks(g: GStudy, groups: Mapping | None = None) -> np.ndarray:
    """Number the group of each system; without groups, the systems."""
    if groups is None:
        cells = require_cells(g.cells, "groups= needs")
        return np.arange(len(cells.labels[g.design.object]))
    return pd.factorize(system_groups(g, groups))[0]


def system_groups(g: GStudy, groups: Mapping) -> pd.Series:
    """Return the group of each system of a study, as text."""
    object_ = g.design.object
    names = require_cells(g.cells, "groups= needs").labels[object_]
    if g.design.nesting[object_]:
        raise ValueError(
            f"{plural(object_)} are nested in another facet; groups= is "
            f"for {plural(object_)} that are nested in nothing."
        )
    if not isinstance(groups, Mapping | pd.Series):
        raise ValueError("groups maps each system to its group, as a dict.")
    known = pd.Series(groups, dtype=object)
    if not known.index.is_unique:
        raise ValueError("groups names a system twice.")
    group = known.reindex(names)
    if group.isna().any():
        ungrouped = list_some(names[group.isna()])
        raise ValueError(f"groups has no group for {object_} {ungrouped}.")
    group = group.astype(str)
    if len(group.unique()) == 1:
        raise ValueError(
            f"groups puts every {object_} into the group {group.iloc[0]}: "
            "an interval needs two groups or more."
        )
    return group


class JackknifeTable:
    """Mean squares of a balanced table, whole and without some levels."""

    def __init__(self, array: np.ndarray, design: Design) -> None:
        self.design = design
        self.levels = dict(zip(design.facets, array.shape, strict=True))
        centred = array - array.mean()
        facets = [e.facets for e in design.effects]
        swept = deviations(centred, design, design.effects)
        self.parts = dict(zip(facets, swept, strict=True))
        self.cells = design.observations_per_cell(self.levels)
        self.df = design.degrees_of_freedom(self.levels)
        sums = self.cells * [np.vdot(x, x) for x in self.parts.values()]
        self.mean = sums / self.df

    def planned_effects(self) -> PlannedEffects:
        """Return the effects of a plan in the table's own design."""
        none = np.zeros(len(self.design.labels))
        return PlannedEffects.from_design(self.design, none)

    def blocks(self, block: np.ndarray) -> dict[str, np.ndarray]:
        """Return the block of each level, for the facets that can be left
        out."""
        object_, nesting = self.design.object, self.design.nesting
        blocks = {
            f: np.arange(n)
            for f, n in self.levels.items()
            if n >= ENOUGH_LEVELS and not nesting[f] and f != object_
        }
        others = len(block) - np.bincount(block).max()
        if others > 1 and not nesting[object_]:
            blocks[object_] = block
        return blocks

    def without(self, facet: str, block: np.ndarray) -> np.ndarray:
        """Return the mean squares without each block, (effects, blocks)."""
        order = np.argsort(block, kind="stable")
        starts = np.flatnonzero(np.diff(block[order], prepend=-1))
        axis, n = self.design.facets.index(facet), self.levels[facet]
        others = tuple(i for i in range(len(self.levels)) if i != axis)
        kept = n - np.bincount(block)
        along = np.expand_dims(kept, others)

        def sum_blocks(x):  # the sum over the levels of each block
            return np.add.reduceat(np.take(x, order, axis), starts, axis)

        squares = []
        for k, effect in enumerate(self.design.effects):
            part = self.parts[effect.facets]
            if facet not in effect.facets:  # (3)
                moved = self.parts[effect.facets | {facet}]
                part = part - sum_blocks(moved) / along
                size = self.cells[k] * kept / n
                df = self.df[k]
                sums = np.sum(part**2, axis=others)
            else:  # (2)
                lost = sum_blocks(part**2)
                size = self.cells[k]
                df = self.df[k] * kept / n
                if facet in effect.primary:
                    lost = lost + sum_blocks(part) ** 2 / along
                    df = self.df[k] * (kept - 1) / (n - 1)
                sums = np.vdot(part, part) - lost.sum(axis=others)
            square = size * sums / df
            squares.append(square * (square > _ROUNDING * self.mean[k]))
        return np.array(squares)

    def expected(self, facet: str) -> np.ndarray:
        """Compute (5) for each effect."""
        variances = []
        for k, effect in enumerate(self.design.effects):
            if facet in effect.facets:
                variances.append(scipy.special.polygamma(1, self.df[k] / 2))
            else:
                joint = [*self.parts].index(effect.facets | {facet})
                ratio = self.mean[joint] / max(self.mean[k], 1e-300)
                variances.append(4 * min(ratio, 1) / self.df[k])
        return np.array(variances)


def _theta_function(table, planned, error):
    """Return the function (1) of mean squares (effects, ...), a facet, and
    the share of its levels that the mean squares come from."""
    effects = table.design.effects
    solve = table.design.mean_squares_to_components(table.levels)
    rows = planned.sums(table.levels, np.eye(len(effects)))

    def theta(squares, facet=None, kept_share=1.0):
        components = solve @ squares
        for k, effect in enumerate(effects):
            if facet is not None and facet not in effect.facets:
                components[k] /= kept_share
        true = rows["universe_score"] @ components
        if len(effects) == 1:  # means alone
            return np.log(true)
        error_variance = rows[error] @ components
        error_variance = np.maximum(
            error_variance, rows[error][-1] * squares[-1]
        )
        return np.log(
            np.maximum(true + error_variance, error_variance / 4)
        ) - np.log(error_variance)

    return theta


def _jackknife_variance(whole, left, kept_shares):
    """Return (4), of blocks that leave these shares of the levels."""
    h = 1 / (1 - kept_shares)
    pseudo = h * whole - (h - 1) * left
    mean = np.sum(pseudo / h, axis=-1, keepdims=True)
    return np.mean((pseudo - mean) ** 2 / (h - 1), axis=-1)


def _shrink(r, systems):
    """Return (6), of an r that is never quite zero."""
    own = systems / (systems + PRIOR_SYSTEMS)
    return max(r, 1e-3) ** own * PRIOR ** (1 - own)


def _stretch_ratio(seen, expected, blocks):
    """Return r as it is seen: 1 if nothing was left out, and infinity
    where the scores that were left have no error."""
    ratio = seen / expected * (1 + UNKNOWN / blocks)
    ratio = np.where(np.isnan(ratio), np.inf, ratio)
    return np.where(expected > 0, ratio, 1.0)[()]


def _fill_gaps(cells: Cells) -> tuple[np.ndarray, Design]:
    """Return a table to leave levels out of, and its design."""
    if cells.balanced:
        return cells.array(), cells.design
    object_ = cells.design.object
    row = cells.codes[object_]
    others = [f for f in cells.design.facets if f != object_]
    codes = [cells.codes[f] for f in others]
    column = np.unique(codes, axis=1, return_inverse=True)[1]
    in_row, in_column = np.bincount(row), np.bincount(column)
    size = float(len(in_row)) * float(len(in_column))
    if in_column.max() == 1 or size > HELD:
        means = np.bincount(row, cells.scores) / in_row
        return means, Design(object_)
    system = np.zeros(len(in_row))
    for _ in range(_SWEEPS):
        topic_effect = (
            np.bincount(column, cells.scores - system[row]) / in_column
        )
        system = (
            np.bincount(row, cells.scores - topic_effect[column]) / in_row
        )
    table = system[:, None] + topic_effect
    table[row, column] = cells.scores
    return table, Design(f"{object_} x cell")


# The methods of an interval: what each needs, and how it draws.

DRAWING_METHODS = "pivotal", "bootstrap"

# Facets with fewer levels are not resampled.
ENOUGH_LEVELS = 5

# With fewer systems, or groups of them, no coverage was shown (chapter 9).
ENOUGH_SYSTEMS, ENOUGH_GROUPS = 8, 5

TOO_FEW = (
    "{} are too few to show how they scatter: whether the interval holds "
    "is not known"
)
EACH_FOR_ITSELF = (
    "this method takes each {} for itself, and not its group: too narrow "
    "if those of one group are alike"
)


@dataclass(frozen=True)
class IntervalMethod:
    """A method, with the degrees of freedom that it uses.

    Attributes
    ----------
    method : str
    stretch : float
        What the degrees of freedom are divided by.
    df_text : str
        A phrase on these degrees of freedom, to stand after the method.
    note : str
        The reason why the scores cannot show them, if they cannot.
    """

    method: str
    stretch: float = 1.0
    df_text: str = ""
    note: str = ""

    @classmethod
    def from_scores(
        cls,
        plan: Plan,
        method: str,
        coefficient: str,
        groups: Mapping | None,
    ) -> Self:
        """Return a method with degrees of freedom estimated from the
        scores."""
        g = plan.study
        r = stretch(plan, coefficient, groups)
        systems = len(system_blocks(g))
        df = systems - 1
        df_text = f", {df / r:.3g} df in place of {df}"
        too_few = ""
        if systems < ENOUGH_SYSTEMS:
            too_few = count_noun(systems, g.design.object)
        if groups is not None:
            n = int(system_blocks(g, groups).max()) + 1
            df_text += f", {count_noun(n, 'group')}"
            if n < ENOUGH_GROUPS and not too_few:
                too_few = count_noun(n, "group")
        note = ""
        if too_few:
            note = TOO_FEW.format(too_few)
        return cls(method, r, df_text, note)

    def __str__(self) -> str:
        if not self.df_text:
            return self.method
        return f"stretched {self.method}{self.df_text}"

    def level(self, confidence_level: float) -> float:
        """Return the level at which a likelihood ratio's quantile is
        `stretch` times as large."""
        bound = scipy.special.chdtri(1, 1 - confidence_level)
        return float(scipy.special.chdtr(1, bound * self.stretch))

    def replicate(
        self, g: GStudy, n_resamples: int, seed: int
    ) -> np.ndarray:
        """Draw components by this method, with its degrees of freedom."""
        return replicate(g, self.method, n_resamples, seed, self.stretch)


def check_method(g: GStudy, method: str, closed: Iterable[str]) -> None:
    """Refuse a method that is unknown or does not fit the study; `closed`
    are the methods in closed form."""
    one_of(method, "method", ("auto", *closed, "profile", *DRAWING_METHODS))
    if method in ("bootstrap", "profile", "jackknife"):
        require_cells(g.cells, f"method={method!r} needs")
    if method in ("bootstrap", "profile"):
        return
    if g.cells is None and not g.levels:
        raise ValueError(
            "Components alone do not say how sure they are: the levels "
            "that they were estimated from are needed. Give levels= to "
            "GStudy.from_components, or use GStudy.from_mean_squares."
        )
    if not is_balanced(g):
        raise ValueError(
            f"method={method!r} needs the mean squares of a balanced "
            "study, and this one is not; use 'profile' or 'bootstrap'."
        )


def choose_with_gaps(g: GStudy) -> str:
    """Choose the method for a study with gaps, by its estimates."""
    return "bootstrap" if g.method == "henderson" else "profile"


def replicate(
    g: GStudy,
    method: str,
    n_resamples: int,
    seed: int,
    stretch: float = 1.0,
) -> np.ndarray:
    """Draw components as other studies might give them, (effects,
    n_resamples), by a method in `DRAWING_METHODS`; `stretch` is for the
    pivotal one."""
    n_resamples = whole_number(n_resamples, "n_resamples")
    if method == "pivotal":
        return pivotal(g, n_resamples, seed, stretch)
    cells = require_cells(g.cells, "method='bootstrap' needs")
    facets = resampled_facets(g)
    if not facets:
        raise ValueError(
            f"No facet has the {ENOUGH_LEVELS} levels that resampling "
            "needs; use another method."
        )
    return cluster_bootstrap(cells, facets, n_resamples, seed)


def percentiles(
    replicates: np.ndarray,
    confidence_level: float,
    method: str,
    estimate: float,
) -> np.ndarray:
    """Return quantiles of the replicates. Unless these are pivotal, they
    are corrected for the share that lies below the estimate (Efron
    1981)."""
    tails = np.array([1 - confidence_level, 1 + confidence_level]) / 2
    if method != "pivotal":
        below = (
            np.mean(replicates < estimate)
            + np.mean(replicates == estimate) / 2
        )
        shift = 2 * scipy.special.ndtri(below)
        tails = scipy.special.ndtr(shift + scipy.special.ndtri(tails))
    return np.quantile(replicates, tails, method="nearest")


def resampled_facets(g: GStudy) -> list[str]:
    """List the facets with enough levels that are nested in nothing."""
    return [
        f
        for f in g.design.facets
        if not g.design.nesting[f] and g.levels[f] >= ENOUGH_LEVELS
    ]


# Intervals of variance components.

CLOSED_FORMS = {
    "mls": modified_large_sample,
    "jackknife": modified_large_sample,
}

_NORMAL = "for normal scores; too narrow where they are like AP"


def component_intervals(
    self: GStudy,
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute confidence intervals of the variance components.

    Parameters
    ----------
    groups : mapping or Series of system to group, optional
        Which systems belong together, as `Plan.interval` takes it: all
        effects then have ``"jackknife"``, which leaves out groups as a
        whole, and needs a balanced study with scores.  Without it, the
        study's own (``gstudy(groups=)``).
    confidence_level : float in (0, 1)
        Confidence level of each single interval.
    method : str
        ``"mls"``: modified large sample, for sums and differences of mean
        squares (Ting et al. 1990; Graybill & Wang 1980).
        ``"jackknife"``: ``"mls"`` on the degrees of freedom that each
        mean square has by the jackknife over its facets.
        ``"profile"``, ``"pivotal"``, ``"bootstrap"``: see
        `Plan.interval`.  ``"auto"``, by what their coverage was shown to
        be (chapter 9): of a balanced study with the scores of eight
        systems or more ``"jackknife"``, and of these ``"bootstrap"`` for
        the last effect, the interaction that holds the error, if every
        facet that it draws has five levels; of any other ``"mls"``, with
        gaps ``"profile"``, or ``"bootstrap"`` around Henderson's estimates.
    n_resamples, seed : as in `Plan.interval`

    Returns
    -------
    DataFrame, a row per effect
        ``estimate``, ``low`` and ``high`` (never below zero), ``method``,
        and ``note``: that the estimate is not above zero, that the last
        effect's takes scores to be normal, or that groups are few or not
        used.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> table = g.component_intervals()
    >>> table[["low", "high"]].round(4).values.tolist()
    [[0.0017, 0.0052], [0.0194, 0.0437], [0.0093, 0.0108]]
    """
    level = checks.confidence_level(confidence_level)
    checks.resamples(n_resamples)
    checks.seed(seed)
    checks.label(method, "method")
    asked = groups is not None
    if asked and method not in ("auto", "jackknife"):
        raise ValueError(
            f"method={method!r} knows no groups of systems; leave method "
            "out."
        )
    leaves_out = self.cells is not None and self.cells.balanced
    if not asked and leaves_out and method in ("auto", "jackknife"):
        groups = self.groups
    methods_chosen = [method] * len(self.estimate)
    if groups is not None:
        methods_chosen = ["jackknife"] * len(self.estimate)
    elif method == "auto":
        methods_chosen = _choose_methods(self)
    by_method = {
        name: _limits(self, name, groups, level, n_resamples, seed)
        for name in dict.fromkeys(methods_chosen)
    }
    limits_of_effects = [
        by_method[name][k] for k, name in enumerate(methods_chosen)
    ]
    low, high = np.maximum(np.transpose(limits_of_effects), 0)
    notes = list(map(_note, self.estimate, high))
    if not notes[-1] and methods_chosen[-1] not in (
        "bootstrap",
        "jackknife",
    ):
        notes[-1] = _NORMAL
    of_groups = _note_groups(self, groups)
    notes = ["; ".join(filter(None, [of_groups, note])) for note in notes]
    return self.estimate.to_frame("estimate").assign(
        low=low, high=high, method=methods_chosen, note=notes
    )


def _choose_methods(g):
    """Choose a method for each effect, by the coverage in chapter 9."""
    if g.incidence is not None:
        return [choose_with_gaps(g)] * len(g.estimate)
    systems = g.levels.get(g.design.object, 0)
    if g.cells is None or systems < ENOUGH_SYSTEMS:
        return ["mls"] * len(g.estimate)
    chosen = ["jackknife"] * len(g.estimate)
    facets = [f for f, nests in g.design.nesting.items() if not nests]
    if len(resampled_facets(g)) == len(facets):
        chosen[-1] = "bootstrap"
    return chosen


def _limits(g, method, groups, level, n_resamples, seed):
    """Compute low and high of each effect, (effects, 2)."""
    check_method(g, method, CLOSED_FORMS)
    estimates = g.estimate.to_numpy()
    if method in DRAWING_METHODS:
        replicated = replicate(g, method, n_resamples, seed)
        return [
            percentiles(row, level, method, estimate)
            for row, estimate in zip(replicated, estimates, strict=True)
        ]
    if method == "profile":
        profile = g.profile
        limits_of_shares = []
        for k, share in enumerate(profile.top.components):
            row = np.eye(len(estimates))[k]
            limits_of_shares.append(
                profile.limits(lambda x, row=row: (row, x), share, level)
            )
        return profile.scale * np.array(limits_of_shares)
    solve = g.design.mean_squares_to_components(g.levels)
    df = g.design.degrees_of_freedom(g.levels)
    if method == "jackknife":
        df = components_df(g, groups)
    return [
        CLOSED_FORMS[method](row[row != 0], df[row != 0], level)
        for row in solve * study_mean_squares(g)
    ]


def _note_groups(g, groups):
    """Say whether known groups of systems are too few, or left out of
    account."""
    if groups is not None:
        n = int(system_blocks(g, groups).max()) + 1
        if n < ENOUGH_GROUPS:
            return TOO_FEW.format(count_noun(n, "group"))
    elif g.groups is not None:
        return EACH_FOR_ITSELF.format(g.design.object)
    return ""


def _note(estimate, high):
    if estimate > 0:
        return ""
    if high > 0:
        return "the estimate is not above zero"
    return "the estimate is not above zero, nor is the upper limit"


# Intervals of coefficients, and of the numbers of levels that reach them.


def interval(
    self: Plan,
    coefficient: str,
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Compute the confidence interval of a coefficient.

    Parameters
    ----------
    coefficient : {"dependability", "generalizability"}
        The coefficient that the interval is of.
    groups : mapping or Series of system to group, optional
        Which systems belong together: runs of one group, checkpoints of
        one model.  The interval is then about other groups; only for
        ``"auto"``.  Without it, the study's own (``gstudy(groups=)``).
    confidence_level : float in (0, 1)
        Confidence level of the interval.
    method : str
        ``"exact"``, of two facets: Feldt (1965) for Eρ², which is exact
        for normal scores; Arteaga, Jeyaratnam & Franklin (1982) for Φ,
        which is a close approximation.  ``"pivotal"``: the generalized
        interval of a balanced study of any design, from replicates of its
        mean squares (equal to Feldt's where that exists).
        ``"profile"``: the coefficients that the restricted likelihood does
        not refute, of any study; its highest point is the estimate of
        ``method="reml"``.  ``"bootstrap"``: levels of the facets nested in
        nothing that have at least five, resampled from the scores.
        ``"auto"``: exact, else pivotal; with gaps profile, or bootstrap if
        the study's estimates are Henderson's.  Where the study has scores
        it puts all but the last on the degrees of freedom that these show
        (``gtlib.intervals``), and widens limits by which Φ would exceed
        Eρ²; asked for by name, they take scores to be normal.  The
        result's ``method`` says which it was: ``"feldt"`` is Feldt's with
        its own degrees of freedom, ``"stretched feldt"`` with those that
        the scores show.
    n_resamples, seed : int
        Of the methods that draw: pivotal and bootstrap.  All studies share
        the draws of a seed: 500 of them keep 93 to 96 of a hundred.

    Returns
    -------
    Interval
        From 0, with the reason, if the object of measurement shows no
        variance.  Without limits, and with the reason, if the scores leave
        no error.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Notes
    -----
    With F = MS_s/MS_e, Feldt's limits of σ²(s)/σ²(e) are
    (F/F_p - 1)/n_t, F_p the quantile of F with the two mean squares'
    degrees of freedom.  The bootstrap has bias-corrected percentiles
    (Efron 1981).

    The default, for Eρ², Φ and Cronbach's alpha alike, is ``"auto"``, the
    stretched interval where there are scores, since scores of systems are
    seldom normal, and then Feldt's interval holds the truth in another
    share of studies than it promises: in
    populations made of twenty collections, systems drawn one by one,
    ``"auto"`` kept 87 to 99 of a hundred with 30 systems, ``"exact"`` 78 to
    99.  Where whole groups were drawn, ``"auto"`` kept 70 to 98, and with
    `groups` 90 to 99 (chapter 9).  With normal scores of 5 x 10 and 8 x 25
    it kept 98 to 99 (1,500 studies each), and was wider than ``"exact"``.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(g.plan().interval("generalizability"))
    generalizability 0.9333 [0.8942, 0.9633] (95%, feldt)
    """
    error_name(coefficient)  # refuses what is none
    level = checks.confidence_level(confidence_level)
    checks.label(method, "method")
    drawing = checks.resamples(n_resamples), checks.seed(seed)
    found = _interval(self, coefficient, groups, level, method, drawing)
    if method != "auto":
        return found
    # The coefficients have different r; Φ is never above Eρ², so neither
    # are its limits.
    if coefficient == "generalizability":
        other = _interval(
            self, "dependability", groups, level, method, drawing
        )
        return replace(found, high=max(found.high, other.high))
    other = _interval(
        self, "generalizability", groups, level, method, drawing
    )
    return replace(found, low=min(found.low, other.low))


def _interval(plan, coefficient, groups, level, method, drawing):
    """Compute the interval of one coefficient, without the other's."""
    estimate = getattr(plan, coefficient)
    error = error_name(coefficient)
    interval_method = _choose_method(plan, coefficient, method, groups)
    if interval_method.method in DRAWING_METHODS:
        drawn_components = interval_method.replicate(plan.study, *drawing)
        coefficients = plan.coefficients(drawn_components)[coefficient]
        low, high = percentiles(
            coefficients, level, interval_method.method, estimate
        )
    elif interval_method.method == "profile":
        rows = plan.sums(np.eye(len(plan.study.estimate)))
        signal = plan.study.profile.ratio(
            rows["universe_score"],
            rows[error],
            interval_method.level(level),
        )
        low, high = coefficient_of_ratio(signal)
    elif _no_error(plan.study):
        return _without_limits(estimate, level, coefficient)
    else:
        (n,) = plan.levels.values()
        low, high = coefficient_of_ratio(
            n * _signal_limits(plan.study, interval_method, level)
        )
    reason = interval_method.note
    if plan.universe_score <= 0:
        reason = (
            f"the variance of {plan.design.object} is estimated as "
            f"{plan.sums()['universe_score']:.3g}, not above zero"
        )
        if high <= 0:
            reason += ", nor is the upper limit"
        if interval_method.note:
            reason += f"; {interval_method.note}"
    return Interval(
        float(low),
        float(high),
        estimate,
        level,
        str(interval_method),
        reason,
        coefficient,
    )


def required_interval(
    self: Plan,
    facet: str,
    target: float,
    coefficient: str = "dependability",
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Compute the interval of the fewest levels for a target.

    Parameters
    ----------
    facet, target, coefficient
        As in `Plan.required`.
    groups, confidence_level, method, n_resamples, seed
        As in `Plan.interval`.

    Returns
    -------
    Interval
        Whole numbers.  ``high`` is infinite, with the reason, if the
        coefficient may be so low that no number reaches the target; so
        is ``estimate``, if it is.

    Raises
    ------
    ValueError
        As `Plan.interval` does, or if no number of the facet can be
        sought.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(g.plan().required_interval("topic", 0.95))
    number of topics 258 [129, 486] (95%, arteaga)
    """
    target = checks.target(target)
    level = checks.confidence_level(confidence_level)
    checks.label(method, "method")
    drawing = checks.resamples(n_resamples), checks.seed(seed)
    options = groups, level, method, drawing
    found = _required_interval(self, facet, target, coefficient, *options)
    if method != "auto":
        return found
    # As in `interval`: Φ never asks for fewer than Eρ².
    if coefficient == "generalizability":
        other = _required_interval(
            self, facet, target, "dependability", *options
        )
        return replace(found, low=min(found.low, other.low))
    other = _required_interval(
        self, facet, target, "generalizability", *options
    )
    high = max(found.high, other.high)
    reason = found.reason
    if high > found.high:
        reason = reason or other.reason
    return replace(found, high=high, reason=reason)


def _required_interval(
    plan, facet, target, coefficient, groups, level, method, drawing
):
    """Compute the interval of a number, without the other coefficient's."""
    error_of_number = partial(
        ErrorOfNumber.from_plan, plan, facet, coefficient
    )
    error_of_number()  # refuses what cannot be asked
    estimate, reason = inf, ""
    try:
        estimate = plan.required(facet, target, coefficient)
    except ValueError as unreached:
        reason = str(unreached).removesuffix(".")
    interval_method = _choose_method(plan, coefficient, method, groups)
    if interval_method.method in DRAWING_METHODS:
        drawn_components = interval_method.replicate(plan.study, *drawing)
        low, high = percentiles(
            error_of_number(drawn_components).fewest(target),
            level,
            interval_method.method,
            estimate,
        )
    elif interval_method.method == "profile":
        # No component is negative there, so the error is its own sum, and
        # the number a ratio of two sums.
        rows = error_of_number(np.eye(len(plan.study.estimate)))
        allowed = largest_error(rows.universe, target) - rows.endless[-1]
        low, high = plan.study.profile.ratio(
            rows.shrinks[-1], allowed, interval_method.level(level)
        )
    elif _no_error(plan.study):
        return _without_limits(
            estimate, level, f"number of {plural(facet)}"
        )
    else:
        signal = _signal_limits(plan.study, interval_method, level)
        with np.errstate(divide="ignore"):
            high, low = target / (1 - target) / signal
    if not isfinite(high) and not reason:
        reason = (
            f"no upper limit: {coefficient} may be so low that no number "
            f"of {plural(facet)} reaches {target}"
        )
    if not isfinite(low):
        reason += f"; within the limits no number reaches {target}"
    reason = "; ".join(filter(None, [reason, interval_method.note]))
    return Interval(
        _round_up(low),
        _round_up(high),
        estimate,
        level,
        str(interval_method),
        reason,
        of=f"number of {plural(facet)}",
    )


def _choose_method(plan, coefficient, method, groups):
    """Choose the method of an interval, or refuse one that does not fit."""
    g = plan.study
    closed_form = _closed_form(plan, coefficient)
    chosen = method
    if method == "auto":
        chosen = "exact" if closed_form else "pivotal"
        if g.incidence is not None:
            chosen = choose_with_gaps(g)
    check_method(g, chosen, ("exact",))
    if chosen == "exact" and not closed_form:
        raise ValueError(
            f"{coefficient} has no exact interval in the design "
            f"{plan.design}; use method='pivotal'."
        )
    name = closed_form if chosen == "exact" else chosen
    takes_normal_scores = method != "auto" or name == "bootstrap"
    if groups is not None and takes_normal_scores:
        raise ValueError(
            f"method={chosen!r} knows no groups of systems; leave method "
            "out, and estimate by 'anova' or 'reml'."
        )
    if takes_normal_scores or (g.cells is None and groups is None):
        note = ""
        if g.groups is not None and method == "auto":
            note = EACH_FOR_ITSELF.format(g.design.object)
        return IntervalMethod(name, note=note)
    if groups is None:
        groups = g.groups
    return IntervalMethod.from_scores(plan, name, coefficient, groups)


def _closed_form(plan, coefficient):
    """Name the closed form of a plan, or "" if it has none: Feldt's
    interval needs one mean square of error, Arteaga's two."""
    design = plan.study.design
    if len(design.facets) != 2 or design.nesting[design.object]:
        return ""
    pooled = plan.effects.pooling[plan.effects.errors(coefficient)]
    return "feldt" if pooled.any(axis=0).sum() == 1 else "arteaga"


def _signal_limits(g, interval_method, level):
    """Compute limits of signal to noise, for one level of the facet."""
    mean_squares = study_mean_squares(g)
    df = g.design.degrees_of_freedom(g.levels) / interval_method.stretch
    system = g.design.labels.index(g.design.object)
    topics = next(n for f, n in g.levels.items() if f != g.design.object)
    if interval_method.method == "feldt":
        effects = [system, -1]
        signal = feldt(mean_squares[effects], df[effects], topics, level)
    else:
        effects = [system, 1 - system, -1]
        sizes = g.levels[g.design.object], topics
        signal = arteaga(mean_squares[effects], df[effects], sizes, level)
    return np.maximum(signal, 0)


def _no_error(g):
    """Return whether the scores leave no error, but for rounding."""
    squares = study_mean_squares(g)
    return squares[-1] <= 1e-18 * squares.max()


def _round_up(number):
    """Round up, forgiving rounding errors; infinity stays."""
    if not isfinite(number):
        return inf
    return max(1, ceil(number * (1 - 1e-9)))


def _without_limits(estimate, level, of):
    """Return the interval where the scores leave no error."""
    return Interval(nan, nan, estimate, level, "none", _NO_ERROR, of)


_NO_ERROR = (
    "the residual mean square is 0: the scores leave no error to judge the "
    "estimate by"
)


# The error as the number of a facet changes.
#
# With n levels of one facet an error is the highest of zero and of one or
# two sums of components,
#
#     E + S / n,    E with endless levels, E + S with one.             (1)
#
# A coefficient with the universe score variance τ > 0 reaches a target t
# where each sum is at most L = τ (1 - t) / t, that is S / n <= L - E:
#
#     1/n <= (L - E) / S  if S > 0,    1/n >= (L - E) / S  if S < 0.   (2)


@dataclass(frozen=True, eq=False)
class ErrorOfNumber:
    """A coefficient's error as the number of one facet's levels changes.

    Attributes
    ----------
    universe : array (...)
        τ, the sum of the components of the universe score.
    endless, shrinks : array (sums, ...)
        E and S of (1), that of the coefficient's own error last.
    """

    universe: np.ndarray
    endless: np.ndarray
    shrinks: np.ndarray

    @classmethod
    def from_plan(
        cls,
        plan: Plan,
        facet: str,
        coefficient: str,
        components: np.ndarray | None = None,
    ) -> Self:
        """Return the error of a plan, or refuse a facet that has no number
        to be sought."""
        own = error_name(coefficient)
        if not isinstance(facet, str) or facet not in plan.design.facets:
            raise ValueError(
                f"{checks.shown(facet)} is no facet of the design "
                f"{plan.design}."
            )
        if facet not in plan.effects.facets:
            raise ValueError(
                f"{facet} is the object of measurement: more of it does "
                "not make its scores more reliable."
            )
        if facet in plan.fixed:
            raise ValueError(f"{facet} is fixed: its number cannot change.")
        single = plan.sums(components, {facet: 1})
        endless = plan.sums(components, {facet: inf})
        names = dict.fromkeys(["relative_error", own])
        return cls(
            single["universe_score"],
            np.array([endless[name] for name in names]),
            np.array([single[name] - endless[name] for name in names]),
        )

    def fewest(self, target: float) -> np.ndarray:
        """Return the fewest levels that reach a target, not rounded, by
        (2); infinity where no number does."""
        room = largest_error(self.universe, target) - self.endless
        with np.errstate(divide="ignore", invalid="ignore"):
            edge = room / self.shrinks
        most = np.where(self.shrinks > 0, edge, inf).min(axis=0)
        least = np.where(self.shrinks < 0, edge, 0).max(axis=0)
        possible = (self.universe > 0) & (most > 0)
        possible &= least <= np.minimum(most, 1)
        possible &= ((self.shrinks != 0) | (room >= 0)).all(axis=0)
        with np.errstate(divide="ignore"):
            return np.where(possible, 1 / most, inf)

    def best_number(self) -> float:
        """Return the number at which the error of one plan is smallest,
        not rounded."""
        numbers = [inf, 1.0]
        if len(self.shrinks) > 1:  # where one sum overtakes the other
            with np.errstate(divide="ignore", invalid="ignore"):
                crossing = -np.diff(self.shrinks) / np.diff(self.endless)
            numbers += [n for n in crossing.tolist() if n > 1]

        def error(n):
            return max(0.0, *(self.endless + self.shrinks / n))

        return min(numbers, key=error)
