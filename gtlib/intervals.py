"""How sure are we: intervals for coefficients, components and numbers.

An estimate from forty systems and fifty topics would have come out
differently with others. In closed form where the normal model allows it,
else from replicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Self

import numpy as np
import scipy

from gtlib import gaps
from gtlib.anova import (
    COEFFICIENTS,
    PlannedEffects,
    deviations,
    error_name,
    largest_error,
)
from gtlib.checks import (
    progress,
)
from gtlib.design import Design
from gtlib.gaps import MEAN, outer_levels
from gtlib.scores import Cells

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
#     E MS_s = σ²_e + n_q σ²_s,                                       (C1)
#     E MS_q = σ²_e + n_s σ²_q,
#     E MS_e = σ²_e .
#
# Feldt's ratio of signal to noise, and its limits, are
#
#     σ²_s / σ²_e = (E MS_s / E MS_e - 1) / n_q,                      (C2)
#     (MS_s / MS_e / F_p - 1) / n_q,    F_p = F_p(df_s, df_e) .       (C3)
#
# Arteaga's, with q_b = F_p(df_s, b) and df_s = n_s - 1, are
#
#     σ²_s / (σ²_q + σ²_e)
#         = n_s/n_q (E MS_s - E MS_e) / ((n_s - 1) E MS_e + E MS_q),  (C4)
#     n_s/n_q N/D,                                                    (C5)
#         N = MS_s² - q_∞ MS_s MS_e + (q_∞ - q_e) q_e MS_e²,
#         D = MS_s ((n_s - 1) q_∞ MS_e + q_q MS_q) .
#
# The limits of the modified large sample, of mean squares times numbers
# that sum to T, are T - sqrt(V) and T + sqrt(V'). Of P positive terms a_i,
# with n_i degrees of freedom, and others -b_j, with m_j,
#
#     V = sum of G_i² a_i² + sum of H_j² b_j²                         (C6)
#         + sum over i, j of G_ij a_i b_j
#         + sum over h < i of G*_hi a_h a_i,
#     G_i = 1 - 1/F_{1-α/2}(n_i, ∞),    H_j = 1/F_{α/2}(m_j, ∞) - 1,  (C7)
#     G_ij = ((F - 1)² - G_i² F² - H_j²) / F,                         (C8)
#         F = F_{1-α/2}(n_i, m_j),
#     G*_hi = ((1 - 1/F_{1-α/2}(n_h + n_i, ∞))² (n_h + n_i)²/(n_h n_i)
#              - G_h² n_h/n_i - G_i² n_i/n_h) / (P - 1),              (C9)
#
# and V' is V with the a and the b exchanged.


def feldt(
    mean_squares: np.ndarray,
    df: np.ndarray,
    n: int,
    confidence_level: float,
) -> np.ndarray:
    """Return exact limits of (expected MS_s / expected MS_e - 1) / n: (C3).

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
    """Return limits of σ²(system) / (σ²(topic) + σ²(system x topic)): (C5).

    Nearly exact (Arteaga, Jeyaratnam & Franklin 1982): the dependability
    of one topic as a ratio of signal to noise.
    """
    systems, topics, error = mean_squares
    n_s, n_q = levels
    p = _ends(confidence_level)
    q_infinite = _f_over_infinity(df[0], p)
    q_topics = scipy.special.fdtri(df[0], df[1], p)
    q_error = scipy.special.fdtri(df[0], df[2], p)
    # (C5): the last term of N, which has no MS_s in it
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
    """Return limits of a mean square, or of a difference of sums: (C6).

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
    """V of (C6), of the limit at which the terms a shrink and b grow."""
    above, below = _ends(confidence_level)
    g = 1 - 1 / _f_over_infinity(n, above)  # (C7)
    h = 1 / _f_over_infinity(m, below) - 1
    row, pooled = n[:, None], n[:, None] + n
    f = scipy.special.fdtri(row, m, above)
    cross = ((f - 1) ** 2 - (g[:, None] * f) ** 2 - h**2) / f  # (C8)
    joint = pooled * (1 - 1 / _f_over_infinity(pooled, above))
    own = g[:, None] ** 2 * row / n
    among = joint**2 / (row * n) - own - own.T  # (C9), times P - 1
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


def pivotal(
    mean_squares: np.ndarray,
    df: np.ndarray,
    solve: np.ndarray,
    n_resamples: int,
    seed: int,
) -> np.ndarray:
    """Draw components that could have led to these mean squares.

    A mean square over its expectation is a chi-square over its degrees of
    freedom, whatever the components: draw that, and solve for them. Their
    quantiles are a generalized confidence interval (Weerahandi 1993); for
    the generalizability of system x topic, Feldt's exact one.
    """
    df = df[:, None]
    rng = np.random.default_rng(seed)
    drawn = rng.chisquare(df, (len(df), n_resamples)) / df
    return solve @ (mean_squares[:, None] / np.maximum(drawn, 1e-12))


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
#     θ = log (τ + δ) - log δ,                                        (J1)
#
# which for the generalizability of system x topic is log F. Leaving out m
# of the n levels of a facet f, which is nested in nothing, changes the sum
# of squares of an effect α with deviations e. If f is in α, the others' sum
# of squares about their own mean is left, and without the last term where a
# facet of α is nested in f,
#
#     SS - sum over the m of e² - (sum over the m of e)² / (n - m);   (J2)
#
# if it is not, their mean moves by the effect of α and f together, e_f,
#
#     SS - of e - (sum over the m of e_f) / (n - m).                  (J3)
#
# Blocks of unequal size are weighed as Busing, Meijer & van der Leeden
# (1999) do: with h = n/m, θ_j without block j and the mean θ' over blocks
# of h θ - (h - 1) θ_j, where θ' is weighed by 1/h, the variance of θ is
#
#     mean over j of (h θ - (h - 1) θ_j - θ')² / (h - 1).             (J4)
#
# Where scores are normal, the jackknife over a facet gives of log MS_α, on
# average and nearly,
#
#     ψ'(df_α/2)  if f is in α,  else  4 MS_αf / (MS_α df_α),         (J5)
#
# ψ' the trigamma function; (J1) is linear in the log MS for small changes.
# Far below 0, where systems are more alike than chance allows, (J1) is cut.
#
# The r of one study is noisy: it is the ratio of (J4), summed over facets,
# to (J5), times 1 + 2/n as n blocks do not show all of a scatter. Of n
# systems it is moved towards what it is in other collections, as an
# empirical Bayes estimate is (Efron & Morris 1975),
#
#     r^w PRIOR^(1 - w),    w = n / (n + PRIOR_SYSTEMS).              (J6)
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

# Facets with fewer levels are not resampled, and not left out.
ENOUGH_LEVELS = 5

_STEP = 1e-6  # relative, of the slopes of (J1)
_ROUNDING = 1e-12  # what is left of a mean square that is 0 without some
_SWEEPS = 30  # of what systems and topics add up to


def stretches(
    cells: Cells, effects: PlannedEffects, block: np.ndarray | None = None
) -> dict[str, float]:
    """Estimate r of both coefficients, by which the degrees of freedom are
    to be divided; `block` numbers the group of each system."""
    systems = len(cells.labels[cells.design.object])
    most = systems - 1.0  # leaves one degree of freedom
    alone = {
        name: min(_shrink(r, systems), most)
        for name, r in observed_stretches(cells, effects).items()
    }
    if block is None:
        return alone
    observed = observed_stretches(cells, effects, block)
    return {
        name: max(min(r, most), alone[name]) for name, r in observed.items()
    }


@np.errstate(divide="ignore", invalid="ignore")
def observed_stretches(
    cells: Cells, effects: PlannedEffects, block: np.ndarray | None = None
) -> dict[str, float]:
    """Return r of both coefficients as the scores of one study show it;
    the parameters are those of `stretches`."""
    object_ = cells.design.object
    if block is None:
        block = np.arange(len(cells.labels[object_]))
    table = JackknifeTable(*_fill_gaps(cells))
    if table.design != cells.design:
        effects = table.planned_effects()
    blocks = table.blocks(block)
    if not cells.design.nesting[object_] and object_ not in blocks:
        return dict.fromkeys(COEFFICIENTS, np.inf)
    theta = _theta_function(table, effects)
    near = table.mean[:, None] * (1 + _STEP * np.eye(len(table.mean)))
    whole = theta(table.mean)
    slopes = (theta(near) - whole[:, None]) / _STEP
    seen = expected = np.zeros(len(COEFFICIENTS))
    for facet, left_out in blocks.items():
        kept_shares = 1 - np.bincount(left_out) / table.levels[facet]
        left = theta(table.without(facet, left_out), facet, kept_shares)
        seen = seen + _jackknife_variance(whole[:, None], left, kept_shares)
        expected = expected + slopes**2 @ table.expected(facet)
    r = _stretch_ratio(seen, expected, block.max() + 1)
    return dict(zip(COEFFICIENTS, r.tolist(), strict=True))


@np.errstate(divide="ignore", invalid="ignore")
def components_df(
    cells: Cells, block: np.ndarray | None = None
) -> np.ndarray:
    """Estimate the degrees of freedom of each mean square, over its r;
    with groups (see `stretches`) no more than without."""
    design = cells.design
    table = JackknifeTable(cells.array(), design)
    grouped = block is not None
    if block is None:
        block = np.arange(table.levels[design.object])
    blocks = table.blocks(block)
    seen = expected = np.zeros(len(table.mean))
    fewest = np.full(len(table.mean), np.inf)
    for facet, left_out in blocks.items():
        kept_shares = 1 - np.bincount(left_out) / table.levels[facet]
        logs = np.log(np.maximum(table.without(facet, left_out), 1e-300))
        whole = np.log(np.maximum(table.mean, 1e-300))
        seen = seen + _jackknife_variance(whole[:, None], logs, kept_shares)
        expected = expected + table.expected(facet)
        inside = [facet in e.facets for e in design.effects]
        fewest = np.minimum(
            fewest, np.where(inside, len(kept_shares), np.inf)
        )
    r = np.maximum(_stretch_ratio(seen, expected, fewest), LEAST)
    df = np.maximum(table.df / r, np.minimum(table.df, 1))
    if not grouped:
        return df
    if design.object not in blocks:
        # Two groups, one of them a single system: a difference of groups
        with_systems = [design.object in e.facets for e in design.effects]
        one = table.df / (table.levels[design.object] - 1)
        df = np.where(with_systems, np.minimum(df, one), df)
    return np.minimum(df, components_df(cells))


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
            if facet not in effect.facets:  # (J3)
                moved = self.parts[effect.facets | {facet}]
                part = part - sum_blocks(moved) / along
                size = self.cells[k] * kept / n
                df = self.df[k]
                sums = np.sum(part**2, axis=others)
            else:  # (J2)
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
        """Compute (J5) for each effect."""
        variances = []
        for k, effect in enumerate(self.design.effects):
            if facet in effect.facets:
                variances.append(scipy.special.polygamma(1, self.df[k] / 2))
            else:
                joint = [*self.parts].index(effect.facets | {facet})
                ratio = self.mean[joint] / max(self.mean[k], 1e-300)
                variances.append(4 * min(ratio, 1) / self.df[k])
        return np.array(variances)


def _theta_function(table, planned):
    """Return the function (J1) of mean squares (effects, ...), a facet, and
    the share of its levels that the mean squares come from; it has the
    coefficients along its first axis."""
    effects = table.design.effects
    solve = table.design.mean_squares_to_components(table.levels)
    rows = planned.sums(table.levels, np.eye(len(effects)))
    true_row = rows["universe_score"]
    error_rows = np.array([rows[name] for name in COEFFICIENTS.values()])

    def theta(squares, facet=None, kept_share=1.0):
        components = solve @ squares
        for k, effect in enumerate(effects):
            if facet is not None and facet not in effect.facets:
                components[k] /= kept_share
        true = true_row @ components
        if len(effects) == 1:  # means alone
            return np.array([np.log(true)] * len(error_rows))
        least = np.multiply.outer(error_rows[:, -1], squares[-1])
        error = np.maximum(error_rows @ components, least)
        total = np.maximum(true + error, error / 4)
        return np.log(total) - np.log(error)

    return theta


def _jackknife_variance(whole, left, kept_shares):
    """Return (J4), of blocks that leave these shares of the levels."""
    h = 1 / (1 - kept_shares)
    pseudo = h * whole - (h - 1) * left
    mean = np.sum(pseudo / h, axis=-1, keepdims=True)
    return np.mean((pseudo - mean) ** 2 / (h - 1), axis=-1)


def _shrink(r, systems):
    """Return (J6), of an r that is never quite zero."""
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

    def __str__(self) -> str:
        if not self.df_text:
            return self.method
        return f"stretched {self.method}{self.df_text}"

    def level(self, confidence_level: float) -> float:
        """Return the level at which a likelihood ratio's quantile is
        `stretch` times as large."""
        bound = scipy.special.chdtri(1, 1 - confidence_level)
        return float(scipy.special.chdtr(1, bound * self.stretch))


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


# The error as the number of a facet changes.
#
# With n levels of one facet an error is the highest of zero and of one or
# two sums of components,
#
#     E + S / n,    E with endless levels, E + S with one.            (N1)
#
# A coefficient with the universe score variance τ > 0 reaches a target t
# where each sum is at most L = τ (1 - t) / t, that is S / n <= L - E:
#
#     1/n <= (L - E) / S  if S > 0,    1/n >= (L - E) / S  if S < 0.  (N2)


@dataclass(frozen=True, eq=False)
class ErrorOfNumber:
    """A coefficient's error as the number of one facet's levels changes.

    Attributes
    ----------
    universe : array (...)
        τ, the sum of the components of the universe score.
    endless, shrinks : array (sums, ...)
        E and S of (N1), that of the coefficient's own error last.
    """

    universe: np.ndarray
    endless: np.ndarray
    shrinks: np.ndarray

    @classmethod
    def from_sums(
        cls, single: Mapping, endless: Mapping, coefficient: str
    ) -> Self:
        """Return the error from a plan's sums with one level of the facet,
        and with endless ones."""
        names = dict.fromkeys(["relative_error", error_name(coefficient)])
        return cls(
            single["universe_score"],
            np.array([endless[name] for name in names]),
            np.array([single[name] - endless[name] for name in names]),
        )

    def fewest(self, target: float) -> np.ndarray:
        """Return the fewest levels that reach a target, not rounded, by
        (N2); infinity where no number does."""
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
