"""The covariance matrix of a study's scores, factored exactly.

With Z_k the 0/1 matrix of which score is of which level of effect k, the
last effect being the error, the scores have the covariance matrix

    V = sum over k of σ²_k Z_k Z_k' .                                (1)

Scores of different topics covary only through effects without a topic; of
one topic, scores of different systems only through effects without a
system; and so on. So V is block diagonal by the first facet but for what
the effects without that facet add, each block again by the second, down to
single scores. A block of the first i facets is

    V_i = B + E S E',    B block diagonal, of the V_{i+1},           (2)

E the 0/1 matrix of which score has which combination of the later facets in
those effects that have the first i facets and not the next one, and S the
covariance matrix of what these effects add to each. With Q = E'B⁻¹E,
R R = S, C triangular and H = C⁻¹R,

    C C' = I + R Q R,                                                (3)
    (B + E S E')⁻¹ = B⁻¹ - B⁻¹ E H'H E' B⁻¹,                         (4)
    log |B + E S E'| = log |B| + 2 log |C|,                          (5)

so nothing larger is ever inverted than S, a matrix over the levels of
effects without the first facet. Balanced or not is all the same: a score
that is missing has an infinite variance.

Of a block the stages before see only K = G'V_i⁻¹G, G the 0/1 matrix of the
levels that they tell apart. With X = G'B⁻¹E and M = H'H,

    K = G'B⁻¹G - X M X'.                                             (6)

The gradient of log |V|, tr(V⁻¹ Z_k Z_k') for each k, comes back the same
way. A stage's own part has the derivatives

    by Q:  M = (I + S Q)⁻¹ S,                                        (7)
    by S:  Q (I + S Q)⁻¹ = Q - Q M Q,                                (8)

and, if A is the derivative of the whole by K, that is the derivative by
G'B⁻¹G too, and K brings to the others

    by X:  - 2 A X M,                                                (9)
    by Q:  M X'A X M,                                               (10)
    by S:  - (I - Q M) X'A X (I - M Q) .                            (11)

Where there is hardly any error, B⁻¹ is large and what is left of it small.
So it is never multiplied out: half of a product, B⁻¹ E H', is as accurate
as its square root, and quadratic forms are sums of squared residuals.
"""

from collections.abc import Sequence
from functools import cached_property, reduce
from itertools import compress, permutations, product
from math import prod
from typing import NamedTuple

import numpy as np

from gtlib.tables import Cells, Design

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
        # R of (3): on each space S is a number, components @ k.
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
        remainder = grid.copy()  # (1) without the error, off the grid
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
        # (4): B⁻¹ (y - E H'H E'B⁻¹ y)
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
        # Q is the sum of the K of the blocks: (7) is the A of each.
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
        first stage, the same for all blocks: A of (9) to (11), and so is
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
        scale = np.eye(len(root)) + root @ joint @ root  # (3)
        if len(root) == 1:
            self.half = root / scale**0.5
            self.log_determinant = np.log(scale).sum()
        else:
            corner = np.linalg.cholesky(scale)
            self.half = np.linalg.solve(corner, root)
            diagonal = np.diagonal(corner, axis1=1, axis2=2)
            self.log_determinant = 2 * np.log(diagonal).sum()  # (5)

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
        (6)."""
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
        each block and by S: (7) and (8)."""
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
        slope_joint += half.transpose(0, 2, 1) @ through @ half  # (10)
        # (11)
        slope_added -= np.tensordot(inside, moved_inside, ((0, 1), (0, 1)))
        slope_cross = -2 * (moved @ half).reshape(self.cross.shape)  # (9)
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
