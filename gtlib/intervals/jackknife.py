"""How much more systems and topics scatter than normal ones would.

Intervals in closed form take scores to be normal, and systems of real
tracks are not: a few broken runs widen the distribution of the mean square
of systems, and nothing in the other mean squares makes up for it. The
jackknife of the logarithm of a ratio of mean squares sees that (Miller
1968; Arvesen & Schmitz 1970). It is computed here for normal scores too,
and the ratio r of the two is what an interval is stretched by: its mean
squares get their degrees of freedom over r (Box 1953; Shoemaker 2003).

Of a coefficient with universe score variance τ and error δ, both sums of
mean squares, the quantity is

    θ = log (τ + δ) - log δ,                                         (1)

which for the generalizability of system x topic is log F. Leaving out m of
the n levels of a facet f, which is nested in nothing, changes the sum of
squares of an effect α with deviations e. If f is in α, the others' sum of
squares about their own mean is left, and without the last term where a
facet of α is nested in f,

    SS - sum over the m of e² - (sum over the m of e)² / (n - m);    (2)

if it is not, their mean moves by the effect of α and f together, e_f,

    SS - of e - (sum over the m of e_f) / (n - m).                   (3)

Blocks of unequal size are weighed as Busing, Meijer & van der Leeden (1999)
do: with h = n/m, θ_j without block j and the mean θ' over blocks of
h θ - (h - 1) θ_j, where θ' is weighed by 1/h, the variance of θ is

    mean over j of (h θ - (h - 1) θ_j - θ')² / (h - 1).              (4)

Where scores are normal, the jackknife over a facet gives of log MS_α, on
average and nearly,

    ψ'(df_α/2)  if f is in α,  else  4 MS_αf / (MS_α df_α),          (5)

ψ' the trigamma function; (1) is linear in the log MS for small changes. Far
below 0, where systems are more alike than chance allows, (1) is cut.

The r of one study is noisy: r is the ratio of (4), summed over facets, to
(5), times 1 + 2/n as n blocks do not show all of a scatter. Of n systems
it is moved towards what it is in other collections, as an empirical Bayes
estimate is (Efron & Morris 1975),

    r^w PRIOR^(1 - w),    w = n / (n + PRIOR_SYSTEMS).               (6)

Of groups of systems r differs much more from one collection to another. It
is taken as it is seen, but no smaller than that of the systems.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import scipy

from gtlib.dstudy import DStudy, PlannedEffects
from gtlib.estimates import StudyData, deviations, require_cells
from gtlib.estimates.coefficients import error_name
from gtlib.intervals.replicates import HELD
from gtlib.tables import Cells, Design, list_some, plural

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
    plan: DStudy, coefficient: str, groups: Mapping | None = None
) -> float:
    """Estimate r, by which the degrees of freedom are to be divided.

    Parameters
    ----------
    plan : DStudy
        On a study with scores; (1) is computed for the numbers of levels
        of the study.  For this, gaps are filled with the sum of a system's
        and a topic's effect; where systems share no topics, only their
        means are used.
    coefficient : {"dependability", "generalizability"}
    groups : mapping or Series of system to group, optional
        Systems of one group are left out together.

    Returns
    -------
    float
        At most the value that leaves systems one degree of freedom, which
        it has where one group holds all systems but one; with groups no
        less than without.

    Raises
    ------
    ValueError
        If a system has no group, all have the same, or systems are nested.
    """
    systems = len(system_blocks(plan.study))
    most = systems - 1.0  # leaves one degree of freedom
    r = observed_stretch(plan, coefficient, groups)
    if groups is None:
        return min(_shrink(r, systems), most)
    return max(min(r, most), stretch(plan, coefficient))


@np.errstate(divide="ignore", invalid="ignore")
def observed_stretch(
    plan: DStudy, coefficient: str, groups: Mapping | None = None
) -> float:
    """Return r as the scores of one study show it; the parameters are
    those of `stretch`."""
    g = plan.study
    block = system_blocks(g, groups)
    table = JackknifeTable(
        *_fill_gaps(require_cells(g, "The jackknife needs"))
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
def components_df(
    g: StudyData, groups: Mapping | None = None
) -> np.ndarray:
    """Estimate the degrees of freedom of each mean square, over its r;
    with groups no more than without."""
    cells = require_cells(g, "method='jackknife' needs")
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


def system_blocks(
    g: StudyData, groups: Mapping | None = None
) -> np.ndarray:
    """Number the group of each system; without groups, the systems."""
    if groups is None:
        cells = require_cells(g, "groups= needs")
        return np.arange(len(cells.labels[g.design.object]))
    return pd.factorize(system_groups(g, groups))[0]


def system_groups(g: StudyData, groups: Mapping) -> pd.Series:
    """Return the group of each system of a study, as text.

    Raises
    ------
    ValueError
        If a system has no group or two, all have the same, or systems are
        nested.
    """
    object_ = g.design.object
    names = require_cells(g, "groups= needs").labels[object_]
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
    """Mean squares of a balanced table, whole and without some levels.

    Parameters
    ----------
    array : ndarray with an axis per facet, in the order of design.facets
    design : Design
    """

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
        none = pd.Series(0.0, self.design.labels)
        return PlannedEffects.from_study(
            StudyData(self.design, self.levels, none)
        )

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
    rows = planned.coefficients(table.levels, np.eye(len(effects)))

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
