"""Studies with gaps: Henderson's method, REML, and who has which scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial, reduce
from itertools import combinations, compress, permutations, product
from math import prod
from typing import NamedTuple, Self

import numpy as np
import scipy

from gtlib.checks import list_some, progress, with_article
from gtlib.design import Design
from gtlib.scores import Cells

# Variance components of any design, balanced or not, by Henderson I.
#
# The analogous-ANOVA method (Henderson 1953; Searle, Casella & McCulloch
# 1992, section 5.3; Brennan 2001, section 7.1.1, as in urGENOVA): the
# uncorrected sum of squares of each effect, its T-term, is set equal to its
# expectation. Both need one pass of group sums per effect.
#
# Of N scores let n_l be the number and y_l the total of those of level l of
# an effect, and T_0 the T-term of the grand mean, whose one level has all.
#
#     T_e = sum over the levels l of e of y_l² / n_l                  (H1)
#
# The level j of another effect k is in the total of l as often as the two
# occur together, n_lj times, and is drawn with the variance σ²_k:
#
#     E T_e = N μ² + sum over k of σ²_k times
#             the sum over l, j of n_lj² / n_l,                       (H2)
#
#     E T_e - E T_0 = sum over k of σ²_k (sum over l, j of n_lj² / n_l
#                                         - sum over j of n_j² / N).  (H3)
#
# The estimates solve (H3) with T_e - T_0 on its left.

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
    """Estimate components that solve "T-terms = their expectations"."""
    margins = tabulate(cells, cells.centred)
    levels = {facets: len(margin.key) for facets, margin in margins.items()}
    refuse_confounded(cells.design, levels)
    if not cells.balanced:
        _refuse_disconnected(cells, margins)
    matrix = coefficients(cells, margins)
    matrix = require_determined(matrix, cells.design)
    return np.linalg.solve(matrix, t_terms(cells, margins))


def t_terms(cells: Cells, margins: Margins) -> np.ndarray:
    """Compute (H1) for each effect, of scores whose mean is zero: so is
    T_0."""
    terms = [margins[effect.facets] for effect in cells.design.effects]
    return np.array([np.sum(m.total**2 / m.count) for m in terms])


def coefficients(cells: Cells, margins: Margins) -> np.ndarray:
    """Return the coefficients of the components in (H3), (effects,
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
    """The sum over l, j in (H2)."""
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


# How the scores of a study with gaps are averaged.
#
# Where every system has every score, a component is divided by numbers of
# levels. Where scores are missing, or nests differ in size, each system has
# a mean of its own: over other topics than the next system's, and another
# number of them. Then what divides is a sum over the observed cells.
#
# Let w_pl be the share of the scores of system p that are of level l of an
# effect with the component σ², and w_l its mean over the S systems. The
# effect enters the mean of p as the sum over l of w_pl times the level's
# value, with the variance
#
#     σ² sum over l of w_pl² ,                                        (S1)
#
# and the mean of all systems with
#
#     σ² sum over l of w_l² .                                         (S2)
#
# If the effect is part of the universe score, which averages over all m
# levels of the fixed facets alike, the latter takes in σ²/m. The distance
# of the system's mean from that is not correlated with it: it has the
# variance
#
#     σ² sum over l of (w_pl - 1/m)² = σ² (sum over l of w_pl² - 1/m). (S3)
#
# An effect that systems share, such as topics, cancels between them as far
# as they have the same levels. What remains is its variance between systems
# (Brennan 2001, chapter 7, for any design):
#
#     σ² sum over l, p of (w_pl - w_l)² / (S - 1)
#         = σ² S/(S - 1) (mean over p of sum w_pl² - sum w_l²).       (S4)


@dataclass(frozen=True, eq=False)
class Shares:
    """Each system's shares of the levels of every effect.

    Attributes
    ----------
    object : str
        The facet of the systems.
    observations : array (systems,)
        Scores of each system.
    squares : array (effects, systems)
        The sum, over the levels of an effect, of the squared share of the
        system's scores that are of that level: the variance of its mean,
        for a component of 1. One over the number of levels, where the
        system has all equally often.
    between : array (effects,)
        The same for the mean of all systems; NaN for an effect that has
        the systems in it.
    sizes : dict of frozenset of facets to int
        The number of levels of each effect.
    levels : dict of facet to int
        The number of levels of those facets of which every system has
        the same number, in every nest.
    typical : dict of facet to float
        The harmonic mean, over systems and nests, of the number of levels
        of every facet but the object's.
    """

    object: str
    observations: np.ndarray
    squares: np.ndarray
    between: np.ndarray
    sizes: dict[frozenset[str], int]
    levels: dict[str, int]
    typical: dict[str, float]


def compute_shares(cells: Cells, fixed: Iterable[str] = ()) -> Shares:
    """Compute the shares of a study's observations. The levels of fixed
    facets have equal shares of a system's mean."""
    objects = cells.design.closure([cells.design.object])
    codes = [cells.codes[f] for f in (cells.design.object, *fixed)]
    strata, stratum = np.unique(codes, axis=1, return_inverse=True)
    stratum_system = strata[0]
    strata_of_system = np.bincount(stratum_system)[stratum_system]
    weight = 1 / (np.bincount(stratum) * strata_of_system)
    margins = tabulate(cells, weight[stratum])
    observations = margins[objects].count
    squares, between = [], []
    for effect in cells.design.effects:
        own = effect.facets
        joint = own | objects
        system = outer_levels(cells, margins, joint, objects)
        share = margins[joint].total  # w_pl
        squares.append(np.bincount(system, share**2))  # (S1)
        if own & objects:
            between.append(np.nan)
        else:
            total = np.bincount(
                outer_levels(cells, margins, joint, own), share
            )
            between.append(np.sum((total / len(observations)) ** 2))  # (S2)
    levels, typical = {}, {}
    for facet in set(cells.design.facets) - objects:
        joint = cells.design.closure([facet]) | objects
        number = np.bincount(
            outer_levels(cells, margins, joint, joint - {facet})
        )
        typical[facet] = float(1 / np.mean(1 / number))
        if np.ptp(number) == 0:
            levels[facet] = typical[facet] = int(number[0])
    sizes = {facets: len(m.key) for facets, m in margins.items()}
    return Shares(
        cells.design.object,
        observations,
        np.array(squares),
        np.array(between),
        sizes,
        levels,
        typical,
    )


@dataclass(frozen=True, eq=False)
class Incidence(Shares):
    """The weights of each component in the systems' means as observed.

    Attributes
    ----------
    object, observations, squares, between, sizes, levels, typical
        As `Shares` has them.
    universe, relative, absolute : array (effects,)
        What a component is multiplied by in the variance of the universe
        scores and in both errors, averaged over systems.
    """

    universe: np.ndarray
    relative: np.ndarray
    absolute: np.ndarray

    @classmethod
    def from_shares(
        cls, design: Design, shares: Shares, fixed: tuple[str, ...] = ()
    ) -> Self:
        """Compute the incidence from the shares of the observations."""
        objects = design.closure([design.object])
        systems = len(shares.observations)
        weights = []
        for k, effect in enumerate(design.effects):
            own = effect.facets
            mean = shares.squares[k].mean()  # (S1)
            target = 0.0
            if own <= objects.union(fixed):
                target = 1 / shares.sizes.get(own - objects, 1)
            absolute = mean - target  # (S3)
            if own & objects:
                weights.append((target, absolute, absolute))
            else:
                between = mean - shares.between[k]
                relative = between * systems / (systems - 1)  # (S4)
                weights.append((0.0, relative, absolute))
        values = [getattr(shares, f.name) for f in fields(Shares)]
        return cls(*values, *np.transpose(weights))

    def sums(self, components: np.ndarray) -> dict:
        """Add up, with their signs, the components of the universe score
        and of both errors: what ``gtlib.anova.with_coefficients`` takes.

        `components` have the effects along their first axis; the sums are
        shaped like the rest of them.
        """
        weights = {
            "universe_score": self.universe,
            "relative_error": self.relative,
            "absolute_error": self.absolute,
        }
        return {
            name: np.tensordot(w, components, axes=1)
            for name, w in weights.items()
        }

    def __str__(self) -> str:
        least, most = self.observations.min(), self.observations.max()
        if least == most:
            return f"{least:g} observations of each {self.object}"
        typical = 1 / np.mean(1 / self.observations)
        return (
            f"{least:g} to {most:g} observations of "
            f"{with_article(self.object)} (harmonic mean {typical:.1f})"
        )


# The covariance matrix of a study's scores, factored exactly.
#
# With Z_k the 0/1 matrix of which score is of which level of effect k, the
# last effect being the error, the scores have the covariance matrix
#
#     V = sum over k of σ²_k Z_k Z_k' .                               (F1)
#
# Scores of different topics covary only through effects without a topic; of
# one topic, scores of different systems only through effects without a
# system; and so on. So V is block diagonal by the first facet but for what
# the effects without that facet add, each block again by the second, down
# to single scores. A block of the first i facets is
#
#     V_i = B + E S E',    B block diagonal, of the V_{i+1},          (F2)
#
# E the 0/1 matrix of which score has which combination of the later facets
# in those effects that have the first i facets and not the next one, and S
# the covariance matrix of what these effects add to each. With Q = E'B⁻¹E,
# R R = S, C triangular and H = C⁻¹R,
#
#     C C' = I + R Q R,                                               (F3)
#     (B + E S E')⁻¹ = B⁻¹ - B⁻¹ E H'H E' B⁻¹,                        (F4)
#     log |B + E S E'| = log |B| + 2 log |C|,                         (F5)
#
# so nothing larger is ever inverted than S, a matrix over the levels of
# effects without the first facet. Balanced or not is all the same: a score
# that is missing has an infinite variance.
#
# Of a block the stages before see only K = G'V_i⁻¹G, G the 0/1 matrix of
# the levels that they tell apart. With X = G'B⁻¹E and M = H'H,
#
#     K = G'B⁻¹G - X M X'.                                            (F6)
#
# The gradient of log |V|, tr(V⁻¹ Z_k Z_k') for each k, comes back the same
# way. A stage's own part has the derivatives
#
#     by Q:  M = (I + S Q)⁻¹ S,                                       (F7)
#     by S:  Q (I + S Q)⁻¹ = Q - Q M Q,                               (F8)
#
# and, if A is the derivative of the whole by K, that is the derivative by
# G'B⁻¹G too, and K brings to the others
#
#     by X:  - 2 A X M,                                               (F9)
#     by Q:  M X'A X M,                                              (F10)
#     by S:  - (I - Q M) X'A X (I - M Q) .                           (F11)
#
# Where there is hardly any error, B⁻¹ is large and what is left of it
# small. So it is never multiplied out: half of a product, B⁻¹ E H', is as
# accurate as its square root, and quadratic forms are sums of squared
# residuals.

# The least error, as a share of the total variance; the matrix has no
# inverse without one.
LEAST_ERROR = 1e-8

_HELD = 10_000_000  # numbers held at once for the blocks of a chunk
_LARGEST = 9_000  # rows of a matrix that is inverted
_CELLS = 200_000_000  # of a grid
_REFINED = 1e-4  # share of error below which a solution is refined


class Stage(NamedTuple):
    """The step from the blocks of some facets to those of one more.

    Attributes
    ----------
    facet : str
        The one more.
    own : tuple of int
        The effects that join the blocks of the facet: they have all the
        facets before it, and not this one.
    joint : tuple of str
        The later facets in those effects; S has a row for each
        combination of their levels.
    seen : tuple of str
        The facets, from this one on, by which earlier stages tell apart
        the scores of a block.
    """

    facet: str
    own: tuple[int, ...]
    joint: tuple[str, ...]
    seen: tuple[str, ...]


def stages(design: Design, order: tuple[str, ...]) -> list[Stage]:
    """Return the stages of elimination, when facets come in this order."""
    sequence = []
    seen = set()
    for i, facet in enumerate(order):
        before = frozenset(order[:i])
        own = tuple(
            k
            for k, effect in enumerate(design.effects)
            if before <= effect.facets and facet not in effect.facets
        )
        inside = set().union(*(design.effects[k].facets for k in own))
        joint = tuple(f for f in order[i:] if f in inside)
        later = tuple(f for f in order[i:] if f in seen)
        sequence.append(Stage(facet, own, joint, later))
        seen |= set(joint)
    return sequence


def best_order(design: Design, levels: dict[str, int]) -> tuple[str, ...]:
    """Return the order of facets, nests first, that takes the least
    work."""

    def work(order):
        blocks = 1
        total = 0.0
        for stage in stages(design, order):
            rows = prod(levels[f] for f in stage.joint)
            seen = prod(levels[f] for f in stage.seen)
            total += blocks * (rows**3 + seen**2 * rows)
            blocks *= levels[stage.facet]
        return total

    nests = design.nesting
    orders = [
        order
        for order in permutations(design.facets)
        if all(nests[f] <= {*order[:i]} for i, f in enumerate(order))
    ]
    return min(orders, key=work)


class Covariance:
    """The covariance matrix of the scores of `cells`, for any components.

    Scores, and whatever else belongs to them, lie on a grid: an axis per
    facet in the order of elimination, and zero where there is no score.
    """

    def __init__(self, cells: Cells):
        design = cells.design
        levels = cells.levels
        self.order = best_order(design, levels)
        self.sizes = tuple(levels[f] for f in self.order)
        self.stages = stages(design, self.order)
        self.effects = [e.facets for e in design.effects]
        self.outside = [self._axes_but(own) for own in self.effects]
        self.summed = [
            tuple(j for j in self._axes_but(stage.joint) if j >= i)
            for i, stage in enumerate(self.stages)
        ]
        rows = prod(self.size_of(self.stages[0].joint))
        if rows > _LARGEST or prod(self.sizes) > _CELLS:
            raise ValueError(
                "The study is too large for method='reml': a matrix with "
                f"{rows} rows, a grid of {prod(self.sizes)} cells. Use "
                "method='henderson'."
            )
        levels_within = [cells.within[f] for f in self.order]
        self.cell = np.ravel_multi_index(levels_within, self.sizes)
        self.present = self.grid(np.ones(len(cells.scores)))
        self.spaces = [self._spaces(stage) for stage in self.stages]

    def size_of(self, facets: Sequence[str]) -> tuple[int, ...]:
        """Return the numbers of levels of some facets."""
        size = dict(zip(self.order, self.sizes, strict=True))
        return tuple(size[f] for f in facets)

    def grid(self, values: np.ndarray) -> np.ndarray:
        """Return the values of the scores, on the grid."""
        grid = np.zeros(prod(self.sizes))
        grid[self.cell] = values
        return grid.reshape(self.sizes)

    def level_sums(self, grid: np.ndarray, k: int) -> np.ndarray:
        """Return the sum of a grid over the cells of each level of an
        effect, with the axes of other facets kept at one."""
        return grid.sum(axis=self.outside[k], keepdims=True)

    def _axes_but(self, facets):
        return tuple(i for i, f in enumerate(self.order) if f not in facets)

    def _spaces(self, stage):
        """The spaces of vectors on which any S of a stage is a number.

        S is a sum over the effects of σ²_k times a Kronecker product with
        an identity for each of the joint facets that the effect has, and
        a matrix of ones for each other. Means over some of the facets, and
        deviations from them over the others, are apart in all of them. For
        each such space: its projector, and the number per component of
        each effect, which is the product of the levels of its matrices of
        ones, or 0 where one of them meets deviations.
        """
        spaces = []
        sizes = self.size_of(stage.joint)
        for apart_facets in product((False, True), repeat=len(stage.joint)):
            inside = set(compress(stage.joint, apart_facets))
            numbers = np.zeros(len(self.effects))
            for k in stage.own:
                if inside <= self.effects[k]:
                    missing = set(stage.joint) - self.effects[k]
                    numbers[k] = prod(self.size_of(missing))
            parts: list[np.ndarray] = [
                np.eye(n) - 1 / n if apart else np.full((n, n), 1 / n)
                for n, apart in zip(sizes, apart_facets, strict=True)
            ]
            if numbers.any() or not inside:
                start: np.ndarray = np.ones((1, 1))
                spaces.append((reduce(np.kron, parts, start), numbers))
        return spaces


class GrandMean(NamedTuple):
    """The generalised least squares estimate of the grand mean.

    Attributes
    ----------
    value : float
        1'V⁻¹y / 1'V⁻¹1.
    variance : float
        1 / 1'V⁻¹1.
    weight : array, a grid
        V⁻¹1.
    residual : array, a grid
        V⁻¹(y - value), or P y.
    """

    value: float
    variance: float
    weight: np.ndarray
    residual: np.ndarray


class Factor:
    """A covariance matrix with given components, inverted.

    Attributes
    ----------
    log_determinant : float
    traces : array (effects,)
        Of the inverse times the derivative by each component: the
        gradient of the log determinant.
    """

    def __init__(self, covariance: Covariance, components: np.ndarray):
        self.covariance = covariance
        self.stages = covariance.stages
        self.error = components[-1]
        self.components = components
        # R of (F3): on each space S is a number, components @ k.
        self.roots = [
            sum((components @ k) ** 0.5 * space for space, k in spaces)
            for spaces in covariance.spaces
        ]
        # The blocks of single scores: V is σ²_e, and log |V| is its log.
        self.precision = covariance.present / self.error
        n = covariance.present.sum()
        self.log_determinant = n * np.log(self.error)
        self.traces = np.zeros(len(components))
        self.traces[-1] = n / self.error
        self._eliminate()

    def solve(self, grid: np.ndarray) -> np.ndarray:
        """Return the inverse times the columns (last axis) of a grid."""
        solved = self._solve(0, grid)
        if self.error > _REFINED * self.components.sum():
            return solved
        # grid - V solved, for a second step
        left = self.remainder(grid, solved) - self.error * solved
        return solved + self._solve(0, left)

    def remainder(self, grid: np.ndarray, solved: np.ndarray) -> np.ndarray:
        """Subtract from a grid the effects that `solved` predicts. What is
        left is the error times the inverse, if `solved` is the inverse."""
        remainder = grid.copy()  # (F1) without the error, off the grid
        for k, component in enumerate(self.components[:-1]):
            if component > 0:
                remainder -= component * self.covariance.level_sums(
                    solved, k
                )
        return (remainder.T * self.covariance.present.T).T

    def grand_mean(self, scores: np.ndarray) -> GrandMean:
        """Return the mean of a grid of scores that have this covariance."""
        columns = np.stack([scores, self.covariance.present], axis=-1)
        solved, weight = np.moveaxis(self.solve(columns), -1, 0)
        variance = 1 / weight.sum()
        value = float(solved.sum() * variance)
        return GrandMean(value, variance, weight, solved - value * weight)

    def _solve(self, i, grid):
        """The inverse of the blocks of the first i facets, applied."""
        if i == len(self.stages):
            return grid * self.precision[..., None]
        # (F4): B⁻¹ (y - E H'H E'B⁻¹ y)
        inside = self._solve(i + 1, grid)
        sums = inside.sum(axis=self.covariance.summed[i], keepdims=True)
        half = self.halves[i]
        columns = sums.reshape(len(half), -1, grid.shape[-1])
        moved = half.transpose(0, 2, 1) @ (half @ columns)
        return self._solve(i + 1, grid - moved.reshape(sums.shape))

    def _eliminate(self):
        """Up from single scores to the first facet for the determinant,
        and down again for its gradient."""
        chunks = self._chunks()
        joint = np.zeros(())
        halves = []
        for chunk in chunks:
            steps, part = self._up(chunk)
            joint = joint + part  # Q of the first stage
            halves.append([step.half for step in steps])
            self.log_determinant += sum(s.log_determinant for s in steps)
        top = _Step(self.roots[0], joint[None])
        stage_halves = map(np.concatenate, zip(*halves, strict=True))
        self.halves = [top.half, *stage_halves]
        self.log_determinant += top.log_determinant
        # Q is the sum of the K of the blocks: (F7) is the A of each.
        slope, slope_added = top.first_slopes()
        self._collect(0, slope_added)
        for chunk in chunks:
            if len(chunks) > 1:
                steps, _ = self._up(chunk)
            self._down(chunk, steps, slope)

    def _chunks(self):
        """Slices of the first facet, so that what a slice needs fits."""
        sizes = self.covariance.sizes
        needs = [prod(sizes)]
        for i, stage in enumerate(self.stages[1:], start=1):
            seen = prod(self.covariance.size_of(stage.seen))
            rows = len(self.roots[i]) if i == 1 else seen
            needs.append(prod(sizes[:i]) * seen * rows)
        width = max(1, sizes[0] * _HELD // max(needs))
        return [slice(i, i + width) for i in range(0, sizes[0], width)]

    def _up(self, chunk):
        """The steps of all stages but the first, and the Q of that."""
        kernel = self.precision[chunk]
        steps: list[_Step] = []
        for i in range(len(self.stages) - 1, 0, -1):
            step = self._step(i, kernel)
            kernel = step.kernel() if i > 1 else step.kernel_sum()
            steps.insert(0, step)
        rows = len(self.roots[0])
        return steps, kernel.reshape(-1, rows, rows).sum(axis=0)

    def _step(self, i, kernel):
        """Stage i, from the inverses of the blocks within its own."""
        stage = self.stages[i]
        sizes = self.covariance.sizes
        later = self._later(i)
        shape = self.covariance.size_of(later)
        kernel = kernel.reshape(-1, sizes[i], *shape, *shape)
        # Sums over the K within: Q, X and G'B⁻¹G, by level of the facet
        joint, cross, own = (
            _sum_kernel(kernel, later, *sides) for sides in _sides(stage)
        )
        if stage.facet not in stage.seen:
            cross = cross.sum(axis=1, keepdims=True)
            own = own.sum(axis=1, keepdims=True)
        return _Step(self.roots[i], joint.sum(axis=1), cross, own)

    def _down(self, chunk, steps, slope):
        """The gradient's part that comes from the blocks of a chunk.

        `slope` is the log determinant's derivative by the kernels of the
        first stage, the same for all blocks: A of (F9) to (F11), and so is
        what becomes of it, stage by stage.
        """
        covariance = self.covariance
        for i, step in enumerate(steps, start=1):
            later = self._later(i)
            shape = covariance.size_of(later)
            *slopes, slope_added = step.slopes(slope)
            self._collect(i, slope_added)
            sides = _sides(self.stages[i])
            joint, cross, own = (
                _expand_slope(part, later, shape, *facets)
                for part, facets in zip(slopes, sides, strict=True)
            )
            rows, columns = np.arange(2, 2 + 2 * len(shape)).reshape(2, -1)
            turned = np.moveaxis(cross, rows, columns)
            slope = joint + own + (cross + turned) / 2
            blocks = len(step.half), covariance.sizes[i]
            slope = np.broadcast_to(slope, (*blocks, *shape, *shape))
            slope = slope.reshape(-1, prod(shape), prod(shape))
        present = covariance.present[chunk]
        # The K of a single score is 1/σ²_e.
        self.traces[-1] -= slope.ravel() @ present.ravel() / self.error**2

    def _collect(self, i, slope_added):
        """Turn the derivative by S into those by the components."""
        for projector, numbers in self.covariance.spaces[i]:
            self.traces += numbers * np.vdot(projector, slope_added)

    def _later(self, i):
        """The facets by which the blocks within stage i are told apart."""
        return self.stages[i + 1].seen if i + 1 < len(self.stages) else ()


class _Step:
    """One stage in several blocks (the first axis), as the module says.

    Attributes
    ----------
    joint : array (blocks, rows, rows)
        Q, with S the covariance that is added.
    cross, own : arrays (blocks, levels, seen, rows or seen)
        X and G'B⁻¹G, a level of the stage's facet apart.
    half : array (blocks, rows, rows)
        H.
    log_determinant : float
        Of I + S Q, over all blocks.
    """

    def __init__(self, root, joint, cross=None, own=None):
        self.joint, self.cross, self.own = joint, cross, own
        scale = np.eye(len(root)) + root @ joint @ root  # (F3)
        if len(root) == 1:
            self.half = root / scale**0.5
            self.log_determinant = np.log(scale).sum()
        else:
            corner = np.linalg.cholesky(scale)
            self.half = np.linalg.solve(corner, root)
            diagonal = np.diagonal(corner, axis1=1, axis2=2)
            self.log_determinant = 2 * np.log(diagonal).sum()  # (F5)

    @property
    def rows(self):
        """`cross` with its levels and what is seen joined to one axis."""
        blocks, levels, seen, _ = self.cross.shape
        return self.cross.reshape(blocks, levels * seen, -1)

    @cached_property
    def halved(self):
        """`rows` times H'."""
        return self.rows @ self.half.transpose(0, 2, 1)

    def kernel(self):
        """Return the inverse of each block, as earlier stages see it:
        (F6)."""
        kernel = -self.halved @ self.halved.transpose(0, 2, 1)
        self._diagonal(kernel)[...] += np.moveaxis(self.own, 1, 0)
        return kernel

    def kernel_sum(self):
        """Return the sum of the kernels over blocks, never made one by
        one."""
        _, levels, seen, _ = self.cross.shape
        columns = self.halved.transpose(1, 0, 2).reshape(levels * seen, -1)
        kernel = -columns @ columns.T
        self._diagonal(kernel[None])[...] += self.own.sum(axis=0)[:, None]
        return kernel

    def first_slopes(self):
        """Return the derivatives of the step's own log determinant, by Q in
        each block and by S: (F7) and (F8)."""
        half = self.half
        below = half @ self.joint  # H Q
        slope_added = self.joint - below.transpose(0, 2, 1) @ below
        return half.transpose(0, 2, 1) @ half, slope_added.sum(axis=0)

    def slopes(self, slope):
        """Return derivatives of the whole one by Q, X, G'B⁻¹G and S, given
        that by the kernel, A, which may be one for all blocks."""
        half, halved = self.half, self.halved  # H, and X H'
        inside = self.rows - halved @ (half @ self.joint)  # X (I - M Q)
        moved, moved_inside = (  # A times each
            np.tensordot(part, slope[0], (1, 0)).transpose(0, 2, 1)
            if len(slope) == 1
            else slope @ part
            for part in (halved, inside)
        )
        slope_joint, slope_added = self.first_slopes()
        through = halved.transpose(0, 2, 1) @ moved
        slope_joint += half.transpose(0, 2, 1) @ through @ half  # (F10)
        # (F11)
        slope_added -= np.tensordot(inside, moved_inside, ((0, 1), (0, 1)))
        slope_cross = -2 * (moved @ half).reshape(self.cross.shape)  # (F9)
        slope_own = np.moveaxis(self._diagonal(slope), 0, 1)
        return slope_joint[:, None], slope_cross, slope_own, slope_added

    def _diagonal(self, kernel):
        """A view of a kernel's blocks of equal level, levels first."""
        _, levels, seen, _ = self.cross.shape
        view = kernel.reshape(-1, levels, seen, levels, seen)
        return np.einsum("bisit->ibst", view)


def _sides(stage):
    """Return the facets left and right of B⁻¹ in Q, `cross` and `own`."""
    apart = tuple(f for f in stage.seen if f != stage.facet)
    joint = stage.joint
    return (joint, joint), (apart, joint), (apart, apart)


def _sum_kernel(kernel, facets, rows, columns):
    """A kernel with an axis for each of `facets`, twice, summed over those
    that are not wanted: (blocks, levels, rows, columns)."""
    half = len(facets)
    summed = [2 + i for i, f in enumerate(facets) if f not in rows]
    summed += [
        2 + half + i for i, f in enumerate(facets) if f not in columns
    ]
    kernel = kernel.sum(axis=tuple(summed)) if summed else kernel
    n_rows = prod(kernel.shape[2 : 2 + len(rows)])
    return kernel.reshape(*kernel.shape[:2], n_rows, -1)


def _expand_slope(part, facets, sizes, rows, columns):
    """Reverse `_sum_kernel`, with axes of one for what was summed."""
    shape = [
        size if facet in side else 1
        for side in (rows, columns)
        for facet, size in zip(facets, sizes, strict=True)
    ]
    return part.reshape(*part.shape[:2], *shape)


# Restricted maximum likelihood: components of any design, with gaps.
#
# Patterson & Thompson (1971), by average information steps (Gilmour,
# Thompson & Cullis 1995) on the exact likelihood, which `elimination` makes
# cheap. No component is ever negative: one that would be stays at zero, and
# the others adapt.
#
# Scores y have the covariance matrix V = sum over k of σ²_k V_k, with V_k =
# Z_k Z_k' and Z_k the 0/1 matrix of the levels of effect k. With P = V⁻¹ -
# V⁻¹11'V⁻¹/(1'V⁻¹1), the log likelihood of the differences between scores,
# its gradient and the average information are
#
#     l = -(log |V| + log 1'V⁻¹1 + y'Py + (N - 1) log 2π) / 2,        (R1)
#     g_k = -(tr(P V_k) - y'P V_k P y) / 2,                           (R2)
#     A_kj = y'P V_k P V_j P y / 2 .                                  (R3)
#
# A step from the components x goes to the z, none below zero, at which the
# parabola with this gradient and information is highest, which is a problem
# of least squares with a root L'L = A:
#
#    max g'(z - x) - (z - x)'A(z - x)/2 = min |L z - (L x + L'⁻¹ g)|². (R4)

_STEPS = 200
_SETTLED = 1e-7  # what a step may still promise the log likelihood
_NOTHING = 1e-14  # share of the likelihood that it cannot resolve
_ENOUGH = 1e-11  # of the total variance, in the last step
_TINY = 100  # scores, up to which there are several starts
_FEW = 40  # scores, below which there are starts at random
_ON_PLANE = 1e6  # what leaving the plane costs, in the likelihood's root


def reml(cells: Cells) -> np.ndarray:
    """Return the variance components of the highest restricted likelihood.

    The log likelihood is (R1).  A step goes to the top of the parabola with
    its gradient and average information, over components of at least zero,
    or part of the way until the likelihood rises.  It starts from
    Henderson's components; with up to 100 scores from others too, since
    their likelihood may have several tops.
    """
    likelihood, scale = standardized_likelihood(cells)
    top, steps = find_highest(likelihood, _starts(cells, scale))
    _refuse_no_top(top, steps, cells.design)
    return top.components * scale


class Point(NamedTuple):
    """The likelihood at some components, and its slope and curvature."""

    components: np.ndarray
    value: float
    gradient: np.ndarray
    information: np.ndarray


class Likelihood:
    """The restricted likelihood of a study's components."""

    def __init__(self, cells: Cells, scores: np.ndarray) -> None:
        self.covariance = Covariance(cells)
        self.scores = self.covariance.grid(scores)
        self.effects = range(len(cells.design.effects))

    @np.errstate(divide="ignore", invalid="ignore")
    def at(self, components: np.ndarray) -> Point:
        """Return the likelihood at components of the scores: no number
        where rounding has left nothing of it."""
        covariance = self.covariance
        factor = Factor(covariance, components)
        mean = factor.grand_mean(self.scores)
        present = covariance.present
        # Z_k'Py and Z_k'V⁻¹1 of each effect, and their squared lengths
        sums = covariance.level_sums
        residuals = [sums(mean.residual, k) for k in self.effects]
        weights = [sums(mean.weight, k) for k in self.effects]
        squares = np.array([np.sum(level**2) for level in residuals])
        weight_squares = np.array([np.sum(level**2) for level in weights])
        # (R1): y'Py = (Py)'V(Py) is the sum of σ²_k |Z_k'Py|²; that of the
        # error, σ²_e |Py|², by way of σ²_e Py, which is what is left
        left = factor.remainder(
            (self.scores - mean.value) * present, mean.residual
        )
        value = -0.5 * (
            factor.log_determinant
            - np.log(mean.variance)
            + np.sum(left**2) / components[-1]
            + components[:-1] @ squares[:-1]
            + (present.sum() - 1) * np.log(2 * np.pi)
        )
        # (R2): tr(P V_k) is tr(V⁻¹V_k) less |Z_k'V⁻¹1|²/(1'V⁻¹1)
        gradient = (
            squares - factor.traces + mean.variance * weight_squares
        ) / 2
        # (R3), of the columns V_k P y
        working = np.stack([r * present for r in residuals], axis=-1)
        information = _project(working, factor, mean) / 2
        return Point(components, value, gradient, information)


def standardized_likelihood(cells: Cells) -> tuple[Likelihood, float]:
    """Return the likelihood of scores with mean 0 and variance 1, and the
    variance that they had."""
    scale = cells.centred.var()
    return Likelihood(cells, cells.centred / scale**0.5), scale


def find_highest(
    likelihood: Likelihood,
    starts: Iterable[np.ndarray],
    plane: tuple[np.ndarray, float] | None = None,
) -> tuple[Point, int]:
    """Return the highest point reached from any start, and the steps to it.

    With a plane (row, value), among the components with ``row @ components
    == value`` only; the starts lie on it.
    """
    climbs: list[tuple[Point, int]] = []
    for start in starts:
        tops = [point for point, _ in climbs]
        start_point = likelihood.at(start)
        climbs.append(_climb(likelihood, start_point, tops, plane))
    return max(climbs, key=lambda climb: climb[0].value)


def _starts(cells, scale):
    """Return components to start from: Henderson's. If there are few
    scores also equal ones, each in turn as the largest, and random ones:
    the fewer scores, the more of these."""
    first = np.maximum(henderson(cells) / scale, 0)
    first[-1] = max(first[-1], 0.01)
    if len(cells.scores) > _TINY:
        return [first]
    n = len(cells.design.effects)
    equal = np.full(n, 1 / n)
    each_largest = 0.01 + 0.9 * np.eye(n)
    more = max(0, _FEW - len(cells.scores))
    exponents = np.random.default_rng(0).uniform(-5, 0, (more, n))
    return [first, equal, *each_largest, *10**exponents]


def _refuse_no_top(point, steps, design):
    """Refuse where the likelihood goes on rising."""
    advice = (
        " Leave an effect out of the design, add scores, or use "
        "method='henderson', which needs no likelihood and may give "
        "negative estimates."
    )
    rise = -point.gradient[-1] * point.components[-1]
    if point.components[-1] < 2 * LEAST_ERROR and rise > _SETTLED:
        raise ValueError(
            "The restricted likelihood still rises where the variance of "
            f"{design.labels[-1]} is down to {LEAST_ERROR:g} of that of "
            "the scores: if it has a top, the other effects explain the "
            f"scores there and leave no error.{advice}"
        )
    promise = point.gradient @ (_top_of_parabola(point) - point.components)
    if promise > _SETTLED:
        raise ValueError(
            f"The restricted likelihood has not settled after {steps} "
            f"steps: at {point.value:.9g} its slope still promises a rise "
            f"of {promise:.1g}.{advice}"
        )


def _climb(likelihood, current, known=(), plane=None):
    """Climb to the highest point, and count the steps to it. A climb ends
    where it comes close below a top that is known."""
    last_promise = np.inf
    for steps in progress(range(_STEPS), "climbs"):
        if any(_close_below(current, top) for top in known):
            return current, steps
        step = _top_of_parabola(current, plane) - current.components
        promise = current.gradient @ step
        negligible = min(_NOTHING * abs(current.value), 1e-6 * last_promise)
        if plane is not None:  # of a limit, the height alone counts
            negligible = _SETTLED
        if promise < negligible or np.abs(step).max() < _ENOUGH:
            if plane is None or promise > -_SETTLED:
                current = current._replace(
                    components=current.components + step
                )
            return current, steps
        candidate = _step_uphill(likelihood, current, step)
        if (
            candidate is current
            or last_promise / 2 < promise < _SETTLED / 10
        ):
            return current, steps
        current, last_promise = candidate, promise
    return current, _STEPS


def _close_below(point, top):
    gap = np.abs(point.components - top.components)
    close = (gap <= 1e-4 + 1e-2 * top.components).all()
    return point.value < top.value and close


def _project(working, factor, mean):
    """W'PW = W'V⁻¹W - W'V⁻¹1 1'V⁻¹W/(1'V⁻¹1), of columns W of a grid."""
    solved = factor.solve(working).reshape(mean.weight.size, -1)
    working = working.reshape(mean.weight.size, -1)
    of_mean = mean.weight.ravel() @ working
    return working.T @ solved - np.outer(of_mean, of_mean) * mean.variance


def _top_of_parabola(point, plane=None):
    """Find where the likelihood's parabola is highest, (R4), with no
    component below zero and all on the plane. The units are such that A
    has ones on its diagonal; the plane is one more row of L, with a large
    weight."""
    diagonal = np.diag(point.information)  # 0 if all of a facet's means tie
    scale = 1 / np.sqrt(np.maximum(diagonal, 1e-12 * diagonal.max()))
    scaled = point.information * np.outer(scale, scale)
    weight, axes = np.linalg.eigh(scaled)
    weight = np.sqrt(np.maximum(weight, 1e-10 * weight[-1]))
    root = weight[:, None] * axes.T  # L
    lifted = (axes.T @ (point.gradient * scale)) / weight  # L'⁻¹ g
    height = root @ (point.components / scale) + lifted
    if plane is not None:
        row, value = plane[0] * scale, plane[1]
        pull = _ON_PLANE / (np.abs(plane[0]) @ point.components)
        root = np.vstack([root, pull * row])
        height = np.append(height, pull * value)
    target = scipy.optimize.nnls(root, height)[0] * scale
    least = max(point.components[-1] / 10, LEAST_ERROR)
    if plane is not None and target[-1] < least < point.components[-1]:
        step = target - point.components  # a part of it, to stay on it
        share = (least - point.components[-1]) / step[-1]
        return point.components + share * step
    target[-1] = max(target[-1], least)
    return target


def _step_uphill(likelihood, current, step):
    """A point along the step where the likelihood is no lower; the same
    if there is none."""
    rise = current.gradient @ step
    slack = 1e-11 * abs(current.value)
    for share in 0.5 ** np.arange(40):
        try:
            candidate = likelihood.at(current.components + share * step)
        except np.linalg.LinAlgError:  # too far to be computed
            continue
        if candidate.value >= current.value + 1e-4 * share * rise - slack:
            return candidate
    return current


# Limits from the profile of the restricted likelihood: any study.
#
# A hypothesis about a component, a coefficient or a number of levels is a
# linear equation among the components. The highest likelihood under it,
# compared with the highest of all, says how well the scores bear it: twice
# the difference is close to a chi-square with one degree of freedom (Wilks
# 1938), and the interval holds what is not refuted. With l the highest log
# likelihood of all and l(x) that among the components σ² for which
#
#     row(x) · σ² = value(x),                                         (P1)
#
# the limits are the x on either side of the estimate at which
#
#     2 (l - l(x)) = the quantile of the chi-square.                  (P2)
#
# Both sides are taken by their roots: that of the left one is a straight
# line where the likelihood is a parabola.

# A row and a value: the components whose product with it is that.
Plane = tuple[np.ndarray, float]

_ENDS = -25.0, 25.0  # logarithms of what counts as 0 and as infinite
_EXACT = 1e-5  # of a limit's logarithm


class Profile:
    """The restricted likelihood of a study under linear equations.

    Attributes
    ----------
    scale : float
        The variance of the scores, which is the unit of the components
        in an equation.
    top : gtlib.gaps.Point
        Where the likelihood is highest: these components.
    """

    def __init__(self, cells: Cells, components: np.ndarray) -> None:
        self.likelihood, self.scale = standardized_likelihood(cells)
        self.top, _ = find_highest(
            self.likelihood, [components / self.scale]
        )
        self._ratios: dict = {}  # each interval of Φ asks for Eρ²'s, too

    def ratio(
        self,
        numerator: np.ndarray,
        denominator: np.ndarray,
        confidence_level: float,
    ) -> np.ndarray:
        """Find the `limits` of a ratio of two linear functions of the
        components, given by their coefficients: (P1) is
        (numerator - x denominator) · σ² = 0."""
        asked = numerator.tobytes(), denominator.tobytes(), confidence_level
        if asked not in self._ratios:
            top = self.top.components
            self._ratios[asked] = self.limits(
                lambda x: (numerator - x * denominator, 0.0),
                numerator @ top / max(denominator @ top, 1e-300),
                confidence_level,
            )
        return self._ratios[asked]

    def limits(
        self,
        plane: Callable[[float], Plane],
        estimate: float,
        confidence_level: float,
    ) -> np.ndarray:
        """Find the limits of a positive quantity that the scores allow."""
        # The root of (P2)'s right side
        bound = scipy.special.chdtri(1, 1 - confidence_level) ** 0.5
        with np.errstate(divide="ignore"):
            start = float(np.clip(np.log(estimate), *_ENDS))
        ends = [self._limit(plane, start, end, bound) for end in _ENDS]
        return np.exp(ends)

    def _limit(self, plane, near, end, bound):
        """Find the logarithm at which the likelihood has fallen that far;
        infinite if it has not at the end."""
        tried = {near: (-bound, self.top.components)}

        def excess(x):  # the root of (P2)'s left side, less the bound
            if x not in tried:
                row, value = plane(np.exp(x))  # (P1)
                closest = min(tried, key=lambda known: abs(known - x))
                start = _move_onto_plane(tried[closest][1], row, value)
                point, _ = find_highest(
                    self.likelihood, [start], (row, value)
                )
                fall = max(self.top.value - point.value, 0.0)
                tried[x] = (2 * fall) ** 0.5 - bound, point.components
            return tried[x][0]

        if near == _ENDS[1] and excess(near - _EXACT) > 0:
            return np.inf  # the estimate lies beyond all numbers
        step = np.sign(end - near)
        while near != end:
            far = float(np.clip(near + step, *_ENDS))
            if excess(far) > 0:
                return scipy.optimize.brentq(excess, near, far, xtol=_EXACT)
            near, step = far, 2 * step
        return np.copysign(np.inf, end)


def _move_onto_plane(components, row, value):
    """Components near these that lie on the plane, none below zero."""
    up, down = np.maximum(row, 0), np.maximum(-row, 0)
    if not down.any():  # the equation is about one component
        return np.where(up > 0, value / up.max(), components)
    for side, opposite in ((up, down), (down, up)):
        if side @ components == 0:
            share = (side == side.max()) / np.sum(side[side == side.max()])
            components = components + share * max(
                opposite @ components, 1e-6
            )
    ratio = ((down @ components) / (up @ components)) ** 0.5
    opposite = np.where(down > 0, 1 / ratio, 1)
    return components * np.where(up > 0, ratio, opposite)
