"""Variance components of any design, balanced or not, by Henderson I.

The analogous-ANOVA method (Henderson 1953; Searle, Casella & McCulloch
1992, section 5.3; Brennan 2001, section 7.1.1, as in urGENOVA): the
uncorrected sum of squares of each effect, its T-term, is set equal to its
expectation. Both need one pass of group sums per effect.
"""

from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
import pandas as pd
import scipy

MEAN = frozenset()
"""The facets of the grand mean."""


@dataclass(frozen=True)
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

    key: np.ndarray
    codes: dict
    count: np.ndarray
    total: np.ndarray


def tabulate(cells, scores):
    """The margins of `scores`, by the set of facets of each effect; that
    of the grand mean is the empty set's.

    A level is known by the codes of its effect's primary facets, since a
    nested facet's code names its nest too. Each margin is summed from the
    smallest one that contains it.
    """
    effects = cells.design.effects
    n = len(scores)
    one = np.broadcast_to(1.0, n)
    finest = Margin(range(n), cells.codes, one, scores)
    margins = {effects[-1].facets: finest}
    for effect in reversed(effects[:-1]):
        source = min(
            (m for facets, m in margins.items() if effect.facets < facets),
            key=lambda margin: len(margin.key),
        )
        margins[effect.facets] = _sum_over(source, effect.facets, cells)
    margins[MEAN] = Margin(
        np.zeros(1, dtype=np.int64),
        {},
        np.array([float(n)]),
        scores.sum(keepdims=True),
    )
    return margins


def home(cells, margins, inner, outer):
    """The level of `outer` that each level of `inner` belongs to; both are
    the facets of an effect."""
    if inner == outer:
        return np.arange(len(margins[inner].key))
    key = _keys(outer, margins[inner].codes, cells)
    return np.searchsorted(margins[outer].key, key)


def henderson(cells):
    """Variance components that solve "T-terms = their expectations".

    Parameters
    ----------
    cells : gtlib.cells.Cells

    Returns
    -------
    ndarray (effects,)
        In the order of ``cells.design.effects``; unbiased, and negative
        where the data would have it. In a balanced study they are those
        of the analysis of variance.

    Raises
    ------
    ValueError
        If the data confound two effects or fall apart in unconnected
        parts.

    Examples
    --------
    >>> import pandas as pd
    >>> from gtlib.cells import read_cells
    >>> from gtlib.design import Design
    >>> scores = pd.DataFrame({
    ...     "system": [*"aaabbbccc"],
    ...     "topic": [1, 2, 3] * 3,
    ...     "score": [0.7, 0.5, 0.6, 0.8, 0.6, 0.76, 0.94, 0.82, 0.89]})
    >>> cells = read_cells(scores.iloc[:-1], Design("system x topic"))
    >>> henderson(cells).round(4).tolist()
    [0.0167, 0.0075, 0.0024]
    """
    margins = tabulate(cells, cells.scores - cells.scores.mean())
    check_estimable(cells, margins)
    return np.linalg.solve(
        coefficients(cells, margins), t_terms(cells, margins)
    )


def t_terms(cells, margins):
    """The sum over each effect's levels of their total squared over their
    count, less that of the grand mean."""
    terms = [margins[effect.facets] for effect in cells.design.effects]
    of_mean = terms[-1].total.sum() ** 2 / len(cells.scores)
    return np.array([np.sum(m.total**2 / m.count) for m in terms]) - of_mean


def coefficients(cells, margins):
    """Expected T-terms, less that of the grand mean, per component.

    The component of k enters the T-term of e as the sum, over the levels
    of e and k together, of their count squared over the count of e's.
    """
    effects = [effect.facets for effect in cells.design.effects]
    matrix = np.array(
        [
            [_shared(cells, margins, e, k) for k in effects]
            for e in [*effects, MEAN]
        ]
    )
    return matrix[:-1] - matrix[-1]


def check_estimable(cells, margins):
    """Refuse effects that the data confound, and unconnected parts."""
    effects = cells.design.effects
    for i, small in enumerate(effects):
        for large in effects[i + 1 :]:
            same = len(margins[small.facets].key) == len(
                margins[large.facets].key
            )
            if small.facets < large.facets and same:
                extra = " x ".join(sorted(large.facets - small.facets))
                raise ValueError(
                    f"{small} and {large} cannot be told apart: each "
                    f"{small} was observed with one {extra} only. Leave "
                    f"{extra} out of the design, or observe some {small} "
                    f"with several."
                )
    if not cells.balanced:
        _refuse_disconnected(cells, margins)


def _shared(cells, margins, e, k):
    n = len(cells.scores)
    if k <= e:
        return n
    joint = margins[e | k].count
    own = margins[e].count
    if len(joint) == n:
        return len(own)
    return np.sum(joint**2 / own[home(cells, margins, e | k, e)])


def _sum_over(source, facets, cells):
    group = _keys(facets, source.codes, cells)
    size = prod(len(cells.labels[f]) for f in cells.design.primary(facets))
    key = np.arange(size)
    if size > 4 * len(group) + 1000:
        key, group = np.unique(group, return_inverse=True)
        size = len(key)
    count = np.bincount(group, source.count, size)
    total = np.bincount(group, source.total, size)
    member = np.zeros(size, dtype=np.int64)
    member[group] = np.arange(len(group))
    there = np.flatnonzero(count)
    codes = {f: source.codes[f][member[there]] for f in facets}
    return Margin(key[there], codes, count[there], total[there])


def _keys(facets, codes, cells):
    """One number for each level of an effect, from its facets' codes."""
    if not facets:
        return np.zeros(len(next(iter(codes.values()))), dtype=np.int64)
    key = 0
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
    from scipy.sparse.csgraph import connected_components  # slow to import

    design = cells.design
    for one, other in combinations(design.facets, 2):
        nests = design.nesting
        if one in nests[other] or other in nests[one]:
            continue
        codes = margins[design.closure([one, other])].codes
        n, m = len(cells.labels[one]), len(cells.labels[other])
        ends = codes[one], n + codes[other]
        links = scipy.sparse.coo_array(
            (np.ones(len(codes[one])), ends), shape=(n + m, n + m)
        )
        parts, part = connected_components(links, directed=False)
        shared = nests[one] & nests[other]
        if parts > (len(margins[shared].key) if shared else 1):
            part = pd.DataFrame({"part": part[codes[one]]})
            nest = pd.DataFrame(
                {f: codes[f] for f in shared} | {"": 0}, part.index
            )
            _name_parts(
                one, other, cells.labels[one][codes[one]], part, nest
            )


def _name_parts(one, other, labels, part, nest):
    group = part.groupby([nest[c] for c in nest])["part"]
    stray = (part["part"] != group.transform("first")).to_numpy()
    row = int(stray.argmax())
    near = (nest == nest.iloc[row]).all(axis=1).to_numpy()
    there = near & (part["part"] == part["part"].iloc[row]).to_numpy()
    raise ValueError(
        f"The design is disconnected: {one} {_some(labels[near & ~there])} "
        f"and {one} {_some(labels[there])} have no {other} in common, "
        "directly or through others, so their scores cannot be compared. "
        "Study the parts on their own, or add "
        "scores that link them."
    )


def _some(labels):
    labels = labels.unique()
    shown = ", ".join(map(str, labels[:3]))
    return shown + (f" and {len(labels) - 3} more" * (len(labels) > 3))
