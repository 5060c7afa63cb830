"""The error of a mean, and that of a difference, of the declared design.

Whatever is said of a system's mean, or of two, rests on one question: how
much would they change with other levels of the facets that are drawn anew?

Only the outermost drawn facets count: questions of a passage come and go
with their passage. Let r_i be the distance of a score from its system's
mean m, and let the mean move by c_i r_i with the score. Where all systems
have the same scores, c is one over their number. Of a set S of outermost
facets, a combination s of their levels moves the means by

    u_s = sum over the scores i of s of c_i r_i,                     (1)

a vector over systems, with the products U_S = sum over s of u_s u_s'. Of
two systems a and b, g_S = U_aa + U_bb - 2 U_ab is the sum of the squared
moves of their difference; of one system it is U_aa. If v_T is what the
effects with the outermost facets T add to the variance of the mean or of
the difference, and n_S the number of combinations of S, then

    E g_S = sum over T of v_T n_{S and T} k_{S and T} / n_S ,        (2)

which is solved for v: exact where facets are crossed evenly, else nearly,
and in the simulations on the safe side. Here 1 - k is what is lost with
the mean: one over n if all levels have the same share w of the scores, and
in general 2 (sum of w³) / (sum of w²) - sum of w², as if levels varied by
themselves and not by their scores. Of two systems, what is of a system's
own levels is the sum of the v of each. Estimates below zero count as zero,
and the squared error is the sum of v. With topics alone that is the paired
t-test's, with crossed topics and assessors that of the analysis of
variance, with even clusters the cluster-robust one, and with a system's
own seeds Welch's. Its degrees of freedom are Satterthwaite's: with V_S the
sum of v_T over T that has S,

    df = (sum of v)² / sum over S of V_S² / df_S .                   (3)

A facet with few levels makes (3) doubtful: where its v comes out small by
chance, the error is too small and its df too large. What all systems show
together scatters less. So (3) is computed again with the mean v of the
systems, or of the pairs, that are asked for, and the smaller df is taken.
Both are the same if one outermost facet is drawn. It costs power: with two
assessors a difference that its own df would find in 50 of 100 studies is
found in 29. In simulations of twelve systems, of the components in
``data/build/errors.py``, 95% intervals of means held 94 to 96 of a hundred,
with topics, passages, gaps, and two or four crossed assessors; those of
differences 95 to 96, and 99 with two assessors
(``gtlib.load("error-coverage")``). Where two assessors differ in leniency
alone, 88 to 93 of means held. Two systems alone have no help from others:
at worst 87 of a hundred intervals of their difference held with two
crossed assessors, 91 with three and 94 with four.

Where systems have different scores, n_S is one over the sum of squared
shares of a system's scores. A system's mean is then the least squares
estimate that charges it for how hard its scores were, as far as the other
systems show it, and if what is missing has nothing to do with that: with
κ = σ²_c / (σ² + n_c σ²_c), of the variances of what the n_c systems of a
cell c share and of what they do not, N the systems' numbers of scores in
each cell, and Y their sums,

    (diag(N1) - N κ N') m = Y1 - N κ Y'1 .                           (4)

Levels of a fixed facet are strata: the mean is over strata, and a stratum's
topics vary about its own mean. Their degrees of freedom are Satterthwaite's
too, as if the topics of all strata varied alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy

from gtlib.dstudy import PlannedEffects
from gtlib.estimates import StudyData, require_cells
from gtlib.tables import list_some

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
        squared error.
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
        system_parts = np.maximum(self._system_parts(), 0)
        inputs = []
        for k, (facets, move) in enumerate(self.moves.items()):
            free = np.minimum(move.free[i], move.free[j])
            own = system_parts[k] if move.nested else move.apart.diagonal()
            square = own[i] + own[j]
            if move.nested:  # Welch's
                has = [facets <= more for more in self.moves]
                v = system_parts[has].sum(axis=0) + 1e-300
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
        gap = self.value.to_numpy()[i] - self.value.to_numpy()[j]
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
        """Compute (3), with what is below zero counted as zero."""
        typical = np.maximum(np.nanmean(parts, axis=1), 0)
        parts = np.maximum(parts, 0)
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
    degrees = []
    for v in parts:
        square = v.sum(axis=0)
        spread = (np.tensordot(within, v, 1) ** 2 / free).sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = np.where(square > 0, square**2 / spread, free.min(axis=0))
        degrees.append(np.where(df > 0, df, np.nan))
    return np.sqrt(parts[0].sum(axis=0)), np.minimum.reduce(degrees)


def estimate_means(
    g: StudyData,
    fixed: str | Sequence[str] = (),
    weights: Mapping | None = None,
) -> Means:
    """Estimate the means of a study's systems, and how they move.

    Parameters
    ----------
    g : StudyData
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
    cells = require_cells(g, "Errors of means need")
    design = g.design
    fixed = PlannedEffects.from_study(g, design, fixed).fixed
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
    for effect, variance in zip(g.design.effects, g.variance, strict=True):
        if effect.facets <= objects.union(fixed):
            continue  # constant, or part of the universe score
        if effect.facets & objects:
            own += variance
        else:
            shared += variance
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
