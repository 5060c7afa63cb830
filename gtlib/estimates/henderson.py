"""Variance components of any design, balanced or not, by Henderson I.

The analogous-ANOVA method (Henderson 1953; Searle, Casella & McCulloch
1992, section 5.3; Brennan 2001, section 7.1.1, as in urGENOVA): the
uncorrected sum of squares of each effect, its T-term, is set equal to its
expectation. Both need one pass of group sums per effect.

Of N scores let n_l be the number and y_l the total of those of level l of
an effect, and T_0 the T-term of the grand mean, whose one level has all.

    T_e = sum over the levels l of e of y_l² / n_l                   (1)

The level j of another effect k is in the total of l as often as the two
occur together, n_lj times, and is drawn with the variance σ²_k:

    E T_e = N μ² + sum over k of σ²_k times
            the sum over l, j of n_lj² / n_l,                        (2)

    E T_e - E T_0 = sum over k of σ²_k (sum over l, j of n_lj² / n_l
                                        - sum over j of n_j² / N).   (3)

The estimates solve (3) with T_e - T_0 on its left.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import combinations, permutations
from math import prod

import numpy as np
import scipy

from gtlib.tables import Cells, Design, list_some

Facets = frozenset[str]

_SINGULAR = 1e-10  # share of the largest singular value

# The facets of the grand mean.
MEAN: Facets = frozenset()


@dataclass(frozen=True, eq=False)
class Margin:
    """The non-empty levels of one effect.

    Attributes
    ----------
    key : array (levels,)
        One number per level, ascending: see `tabulate`.
    codes : dict of facet to array (levels,)
    count : array (levels,)
        Observations of the level.
    total : array (levels,)
        Sum of their scores.
    """

    key: np.ndarray | range
    codes: dict[str, np.ndarray]
    count: np.ndarray
    total: np.ndarray


Margins = dict[Facets, Margin]


def tabulate(cells: Cells, scores: np.ndarray) -> Margins:
    """Return the margins of `scores`, by the set of facets of each effect;
    that of the grand mean is the empty set's.

    A level is known by the codes of its effect's primary facets, since a
    nested facet's code names its nest too. Each margin is summed from the
    smallest one that contains it.
    """
    finest, *larger = [e.facets for e in reversed(cells.design.effects)]
    n = len(scores)
    one = np.broadcast_to(1.0, n)
    margins = {finest: Margin(range(n), cells.codes, one, scores)}
    for facets in [*larger, MEAN]:
        known = [m for e, m in margins.items() if facets < e]
        source = min(known, key=lambda margin: len(margin.key))
        margins[facets] = _sum_over(source, facets, cells)
    return margins


def outer_levels(
    cells: Cells, margins: Margins, inner: Facets, outer: Facets
) -> np.ndarray:
    """Return the level of `outer` that each level of `inner` belongs to.
    Both are sets of facets of an effect, `outer` the smaller one."""
    key = _level_keys(outer, margins[inner].codes, cells)
    return np.searchsorted(margins[outer].key, key)


def henderson(cells: Cells) -> np.ndarray:
    """Estimate components that solve "T-terms = their expectations".

    Parameters
    ----------
    cells : gtlib.tables.cells.Cells

    Returns
    -------
    ndarray (effects,)
        In the order of ``cells.design.effects``; unbiased, and negative
        where the data would have it. In a balanced study they are those
        of the analysis of variance.

    Raises
    ------
    ValueError
        If the data confound effects or fall apart in unconnected parts.

    Examples
    --------
    >>> import pandas as pd
    >>> from gtlib.tables.cells import read_cells
    >>> from gtlib.tables.design import Design
    >>> scores = pd.DataFrame({
    ...     "system": [*"aaabbbccc"],
    ...     "topic": [1, 2, 3] * 3,
    ...     "score": [0.7, 0.5, 0.6, 0.8, 0.6, 0.76, 0.94, 0.82, 0.89]})
    >>> cells = read_cells(scores.iloc[:-1], Design("system x topic"))
    >>> henderson(cells).round(4).tolist()
    [0.0167, 0.0075, 0.0024]
    """
    margins = tabulate(cells, cells.centred)
    levels = {facets: len(margin.key) for facets, margin in margins.items()}
    refuse_confounded(cells.design, levels)
    if not cells.balanced:
        _refuse_disconnected(cells, margins)
    matrix = coefficients(cells, margins)
    matrix = require_determined(matrix, cells.design)
    return np.linalg.solve(matrix, t_terms(cells, margins))


def t_terms(cells: Cells, margins: Margins) -> np.ndarray:
    """Compute (1) for each effect, of scores whose mean is zero: so is
    T_0."""
    terms = [margins[effect.facets] for effect in cells.design.effects]
    return np.array([np.sum(m.total**2 / m.count) for m in terms])


def coefficients(cells: Cells, margins: Margins) -> np.ndarray:
    """Return the coefficients of the components in (3), (effects,
    effects)."""
    return subtract_grand_mean(
        cells.design, partial(_shared_counts, cells, margins)
    )


def subtract_grand_mean(
    design: Design, value: Callable[[Facets, Facets], np.ndarray]
) -> np.ndarray:
    """Return `value` of each two effects, (effects, effects, ...), less
    its value with the grand mean in place of the first effect."""
    effects = [effect.facets for effect in design.effects]
    rows = [[value(e, k) for k in effects] for e in [*effects, MEAN]]
    matrix = np.array(rows)
    return matrix[:-1] - matrix[-1]


def require_determined(matrix: np.ndarray, design: Design) -> np.ndarray:
    """Return `coefficients` if they determine every component; a ValueError
    names the effects for which they do not.

    In none of more than 20,000 small tables were they singular where the
    covariance matrices of the effects, for differences between scores, are
    not: what is refused here, no likelihood can tell apart.
    """
    lost = find_undetermined(matrix)
    if lost.any():
        names = " and ".join(np.array(design.labels)[lost])
        raise ValueError(
            f"The table cannot tell apart {names}: with other components "
            "of them its sums of squares would be expected to be the same. "
            "Leave one of them out of the design, or add scores."
        )
    return matrix


def find_undetermined(matrix: np.ndarray) -> np.ndarray:
    """Find the unknowns that a square system of equations leaves open.

    They are those that its null space moves, when every row and then every
    column has been divided by its largest coefficient.
    """
    for axis in (1, 0):
        size = np.abs(matrix).max(axis=axis, keepdims=True)
        matrix = matrix / np.where(size > 0, size, 1)
    _, values, axes = np.linalg.svd(matrix)
    null_space = axes[values < _SINGULAR * values[0]]
    return np.any(np.abs(null_space) > 1e-6, axis=0)


def refuse_confounded(design: Design, levels: dict[Facets, int]) -> None:
    """Refuse an effect with no more levels than one that it contains."""
    for small, large in permutations(design.effects, 2):
        same = levels[small.facets] == levels[large.facets]
        if small.facets < large.facets and same:
            extra = " x ".join(sorted(large.facets - small.facets))
            raise ValueError(
                f"{small} and {large} cannot be told apart: each {small} "
                f"was observed with one {extra} only. Leave {extra} out "
                f"of the design, or observe some {small} with several."
            )


def _shared_counts(cells, margins, e, k):
    """The sum over l, j in (2)."""
    joint = margins[e | k].count
    own = margins[e].count
    if len(joint) == len(cells.scores):  # every n_lj is 1
        return len(own)
    return np.sum(joint**2 / own[outer_levels(cells, margins, e | k, e)])


def _sum_over(source, facets, cells):
    group = _level_keys(facets, source.codes, cells)
    size = prod(len(cells.labels[f]) for f in cells.design.primary(facets))
    if size > 4 * len(group):  # most levels are not there
        key, group = np.unique(group, return_inverse=True)
    else:
        key = np.arange(size)
    count = np.bincount(group, source.count)
    total = np.bincount(group, source.total)
    member = np.zeros(len(count), dtype=np.int64)
    member[group] = np.arange(len(group))
    present = np.flatnonzero(count)
    codes = {f: source.codes[f][member[present]] for f in facets}
    return Margin(key[present], codes, count[present], total[present])


def _level_keys(facets, codes, cells):
    """One number for each level of an effect, from its facets' codes."""
    key = np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
    primary = cells.design.primary(facets)
    for facet in cells.design.facets:
        if facet in primary:
            key = key * len(cells.labels[facet]) + codes[facet]
    return key


def _refuse_disconnected(cells, margins):
    """Refuse two crossed facets whose levels form separate blocks.

    Levels that were observed together are linked; within each nest that
    both facets are in, every level must be reached.
    """
    nesting = cells.design.nesting
    for facet, other_facet in combinations(cells.design.facets, 2):
        if facet in nesting[other_facet]:
            continue
        joint = cells.design.closure([facet, other_facet])
        codes = margins[joint].codes
        n, m = len(cells.labels[facet]), len(cells.labels[other_facet])
        edges = codes[facet], n + codes[other_facet]
        ones = np.ones(len(codes[facet]))
        links = scipy.sparse.coo_array((ones, edges), (n + m, n + m))
        parts, part = scipy.sparse.csgraph.connected_components(links)
        shared = nesting[facet] & nesting[other_facet]
        if parts > len(margins[shared].key):
            nest = outer_levels(cells, margins, joint, shared)
            labels = cells.labels[facet][codes[facet]]
            part = part[codes[facet]]
            _, first = np.unique(nest, return_index=True)
            row = int((part != part[first][nest]).argmax())
            near = nest == nest[row]
            same = part == part[row]
            here = labels[near & ~same].unique()
            there = labels[near & same].unique()
            raise disconnected_error(facet, other_facet, here, there)


def disconnected_error(
    facet: str, other_facet: str, here: Iterable, there: Iterable
) -> ValueError:
    """Return the error where levels of `one` share none of `other`."""
    return ValueError(
        f"The design is disconnected: {facet} {list_some(here, 3)} and "
        f"{facet} "
        f"{list_some(there, 3)} have no {other_facet} in common, directly "
        "or through "
        "others, so their scores cannot be compared. Study the parts on "
        "their own, or add scores that link them."
    )
