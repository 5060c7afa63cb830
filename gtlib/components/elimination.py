"""The covariance matrix of a study's scores, taken apart exactly.

Scores of different topics covary only through effects without a topic; of
one topic, scores of different systems only through effects without a
system; and so on. So the covariance matrix is block diagonal by the first
facet but for what the effects without that facet add, each block again by
the second, down to single scores. With B the blocks and E S E' the rest,

    (B + E S E')⁻¹ = B⁻¹ - B⁻¹ E A E' B⁻¹,   A = (I + S Q)⁻¹ S,
    log |B + E S E'| = log |B| + log |I + S Q|,   Q = E' B⁻¹ E,

so nothing larger is ever inverted than S, a matrix over the levels of
effects without the first facet. Balanced or not is all the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import prod

import numpy as np

from gtlib.cells import Cells
from gtlib.design import Design

_HELD = 10_000_000  # numbers held at once for the blocks of a chunk
_LARGEST = 9_000  # rows of a matrix that is inverted
_CELLS = 200_000_000  # of a grid


@dataclass(frozen=True)
class Stage:
    """What happens between the blocks of some facets and of one more.

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
    """The stages of elimination, when facets come in this order."""
    found = []
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
        found.append(Stage(facet, own, joint, later))
        seen |= set(joint)
    return found


def best_order(design: Design, levels: dict[str, int]) -> tuple[str, ...]:
    """The order of facets, nests first, that takes the least work."""

    def work(order):
        blocks, total = 1, 0.0
        for stage in stages(design, order):
            rows = prod(levels[f] for f in stage.joint)
            seen = prod(levels[f] for f in stage.seen)
            total += blocks * (rows**3 + seen**2 * rows)
            blocks *= levels[stage.facet]
        return total

    return min(
        (
            order
            for order in permutations(design.facets)
            if all(
                design.nesting[f] <= set(order[:i])
                for i, f in enumerate(order)
            )
        ),
        key=work,
    )


class Covariance:
    """The covariance matrix of the scores of `cells`, for any components.

    Scores, and whatever else belongs to them, lie on a grid: an axis per
    facet in the order of elimination, and zero where there is no score.
    """

    def __init__(self, cells: Cells):
        design, levels = cells.design, cells.levels
        self.order = best_order(design, levels)
        self.sizes = tuple(levels[f] for f in self.order)
        self.stages = stages(design, self.order)
        self.effects = [e.facets for e in design.effects]
        rows = prod(self.size_of(self.stages[0].joint))
        if rows > _LARGEST or prod(self.sizes) > _CELLS:
            raise ValueError(
                "The study is too large for method='reml': a matrix with "
                f"{rows} rows, a grid of {prod(self.sizes)} cells. Use "
                "method='henderson'."
            )
        self.cell = np.ravel_multi_index(
            [cells.within[f] for f in self.order], self.sizes
        )
        self.present = self.grid(np.ones(len(cells.scores)))
        self.same = {
            k: self._same_level(stage.joint, k)
            for stage in self.stages
            for k in stage.own
        }

    def size_of(self, facets: Sequence[str]) -> tuple[int, ...]:
        """The numbers of levels of some facets."""
        size = dict(zip(self.order, self.sizes, strict=True))
        return tuple(size[f] for f in facets)

    def grid(self, values: np.ndarray) -> np.ndarray:
        """Values of the scores, on the grid."""
        grid = np.zeros(prod(self.sizes))
        grid[self.cell] = values
        return grid.reshape(self.sizes)

    def level_sums(self, grid: np.ndarray, k: int) -> np.ndarray:
        """The sum of a grid over the cells of each level of an effect,
        with the axes of other facets kept at one."""
        others = tuple(
            i for i, f in enumerate(self.order) if f not in self.effects[k]
        )
        return grid.sum(axis=others, keepdims=True)

    def _same_level(self, facets, k):
        """1 where two combinations of levels share a level of effect k."""
        same: np.ndarray = np.ones((1, 1))
        for facet in facets:
            n = self.size_of([facet])[0]
            inside = facet in self.effects[k]
            same = np.kron(same, np.eye(n) if inside else np.ones((n, n)))
        return same


@dataclass(frozen=True, eq=False)
class GrandMean:
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
        self.added = [
            sum(
                (components[k] * covariance.same[k] for k in stage.own),
                np.zeros((prod(covariance.size_of(stage.joint)),) * 2),
            )
            for stage in self.stages
        ]
        n = covariance.present.sum()
        self.log_determinant = n * np.log(self.error)
        self.traces = np.zeros(len(components))
        self.traces[-1] = n / self.error
        self._eliminate()

    def solve(self, grid: np.ndarray) -> np.ndarray:
        """The inverse times the columns (last axis) of a grid."""
        return self._solve(0, grid)

    def grand_mean(self, scores: np.ndarray) -> GrandMean:
        """The mean of a grid of scores that have this covariance."""
        both = np.stack([scores, self.covariance.present], axis=-1)
        solved, weight = np.moveaxis(self.solve(both), -1, 0)
        variance = 1 / weight.sum()
        value = float(solved.sum() * variance)
        return GrandMean(value, variance, weight, solved - value * weight)

    def _solve(self, i, grid):
        """The inverse of the blocks of the first i facets, applied."""
        if i == len(self.stages):
            return grid * (self.covariance.present[..., None] / self.error)
        inside = self._solve(i + 1, grid)
        stage, order = self.stages[i], self.covariance.order
        others = tuple(
            j for j in range(i, len(order)) if order[j] not in stage.joint
        )
        sums = inside.sum(axis=others, keepdims=True)
        inner = self.inner[i]
        columns = sums.reshape(len(inner), -1, grid.shape[-1])
        moved = (inner @ columns).reshape(sums.shape)
        return inside - self._solve(
            i + 1, np.broadcast_to(moved, grid.shape)
        )

    def _eliminate(self):
        """Up from single scores to the first facet for the determinant,
        and down again for its gradient."""
        chunks = self._chunks()
        joint, inner = np.zeros(()), []
        for chunk in chunks:
            steps, part = self._up(chunk)
            joint = joint + part
            inner.append([step.inner for step in steps])
            self.log_determinant += sum(s.log_determinant for s in steps)
        top = _Step.of(self.added[0], joint[None], None, None)
        self.inner = [
            top.inner,
            *(np.concatenate(parts) for parts in zip(*inner, strict=True)),
        ]
        self.log_determinant += top.log_determinant
        slope, of_added = top.inner_slopes(np.zeros_like(joint))
        self._collect(0, of_added)
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
            rows = len(self.added[i]) if i == 1 else seen
            needs.append(prod(sizes[:i]) * seen * rows)
        width = max(1, sizes[0] * _HELD // max(needs))
        return [slice(i, i + width) for i in range(0, sizes[0], width)]

    def _up(self, chunk):
        """The steps of all stages but the first, and the Q of that."""
        kernel = self.covariance.present[chunk] / self.error
        steps: list[_Step] = []
        for i in range(len(self.stages) - 1, 0, -1):
            step = self._step(i, kernel)
            kernel = step.kernel() if i > 1 else step.kernel_sum()
            steps.insert(0, step)
        rows = len(self.added[0])
        return steps, kernel.reshape(-1, rows, rows).sum(axis=0)

    def _step(self, i, kernel):
        """Stage i, from the inverses of the blocks within its own."""
        stage, sizes = self.stages[i], self.covariance.sizes
        later = self._later(i)
        shape = self.covariance.size_of(later)
        kernel = kernel.reshape(-1, sizes[i], *shape, *shape)
        joint, cross, own = (
            _reduced(kernel, later, *sides) for sides in _sides(stage)
        )
        if stage.facet not in stage.seen:
            cross = cross.sum(axis=1, keepdims=True)
            own = own.sum(axis=1, keepdims=True)
        return _Step.of(self.added[i], joint.sum(axis=1), cross, own)

    def _down(self, chunk, steps, slope):
        """The gradient's part that comes from the blocks of a chunk.

        `slope` is the log determinant's derivative by the kernels of the
        first stage, the same for all blocks.
        """
        covariance = self.covariance
        for i, step in enumerate(steps, start=1):
            later = self._later(i)
            shape = covariance.size_of(later)
            outer, *slopes = step.slopes(slope)
            joint, of_added = step.inner_slopes(outer)
            self._collect(i, of_added)
            joint, cross, own = (
                _lifted(part, later, shape, *sides)
                for part, sides in zip(
                    (joint[:, None], *slopes),
                    _sides(self.stages[i]),
                    strict=True,
                )
            )
            half = len(later)
            swapped = (
                0,
                1,
                *range(2 + half, 2 + 2 * half),
                *range(2, 2 + half),
            )
            slope = joint + own + (cross + cross.transpose(swapped)) / 2
            blocks = len(step.inner), covariance.sizes[i]
            rows = prod(shape)
            slope = np.broadcast_to(slope, (*blocks, *shape, *shape))
            slope = slope.reshape(-1, rows, rows)
        present = covariance.present[chunk]
        self.traces[-1] -= slope.ravel() @ present.ravel() / self.error**2

    def _collect(self, i, of_added):
        for k in self.stages[i].own:
            self.traces[k] += np.sum(self.covariance.same[k] * of_added)

    def _later(self, i):
        """The facets by which the blocks within stage i are told apart."""
        return self.stages[i + 1].seen if i + 1 < len(self.stages) else ()


@dataclass(frozen=True)
class _Step:
    """One stage in several blocks (the first axis), as the module says.

    Attributes
    ----------
    joint : array (blocks, rows, rows)
        Q, with S the covariance that is added.
    cross, own : arrays (blocks, levels, seen, rows or seen)
        E' B⁻¹ with the indicators of what earlier stages see, and these
        indicators with each other; a level of the stage's facet apart.
    inner : array (blocks, rows, rows)
        A.
    log_determinant : float
        Of I + S Q, over all blocks.
    """

    joint: np.ndarray
    cross: np.ndarray
    own: np.ndarray
    inner: np.ndarray
    log_determinant: float

    @classmethod
    def of(cls, added, joint, cross, own):
        if len(added) == 1:
            scale = 1 + added * joint
            inner, log_determinant = added / scale, np.log(scale).sum()
        else:
            scale = np.eye(len(added)) + added @ joint
            inner = np.linalg.solve(scale, added)
            log_determinant = np.linalg.slogdet(scale)[1].sum()
        return cls(joint, cross, own, inner, log_determinant)

    @property
    def rows(self):
        """`cross` with its levels and what is seen as one axis."""
        blocks, levels, seen, _ = self.cross.shape
        return self.cross.reshape(blocks, levels * seen, -1)

    def kernel(self):
        """The inverse of each block, as earlier stages see it."""
        rows = self.rows
        kernel = -(rows @ self.inner) @ rows.transpose(0, 2, 1)
        self._diagonal(kernel)[...] += np.moveaxis(self.own, 1, 0)
        return kernel

    def kernel_sum(self):
        """The sum of the kernels over blocks, never made one by one."""
        rows = self.rows
        kernel = -np.tensordot(rows @ self.inner, rows, ((0, 2), (0, 2)))
        self._diagonal(kernel[None])[...] += self.own.sum(axis=0)[:, None]
        return kernel

    def inner_slopes(self, outer):
        """Derivatives of the log determinant by Q, in each block, and by
        S; `outer` is what comes through the kernel, by -A."""
        inner = self.inner
        apart = np.eye(inner.shape[-1]) - inner @ self.joint
        of_joint = inner + inner @ outer @ inner
        of_added = (
            self.joint @ apart - apart.transpose(0, 2, 1) @ outer @ apart
        )
        return of_joint, of_added.sum(axis=0)

    def slopes(self, slope):
        """Derivatives by -A, `cross` and `own`, given that by the kernel,
        which may be one for all blocks."""
        rows = self.rows
        if len(slope) == 1:
            product = np.tensordot(rows, slope[0], (1, 0)).transpose(
                0, 2, 1
            )
        else:
            product = slope @ rows
        outer = rows.transpose(0, 2, 1) @ product
        of_cross = -2 * (product @ self.inner).reshape(self.cross.shape)
        return outer, of_cross, np.moveaxis(self._diagonal(slope), 0, 1)

    def _diagonal(self, kernel):
        """A view of a kernel's blocks of equal level, levels first."""
        _, levels, seen, _ = self.cross.shape
        view = kernel.reshape(-1, levels, seen, levels, seen)
        return np.einsum("bisit->ibst", view)


def _sides(stage):
    """What stands left and right of B⁻¹ in Q, and in `cross` and `own`."""
    apart = tuple(f for f in stage.seen if f != stage.facet)
    joint = stage.joint
    return (joint, joint), (apart, joint), (apart, apart)


def _reduced(kernel, facets, rows, columns):
    """A kernel with an axis for each of `facets`, twice, summed over those
    that are not wanted: (blocks, levels, rows, columns)."""
    half = len(facets)
    gone = [2 + i for i, f in enumerate(facets) if f not in rows]
    gone += [2 + half + i for i, f in enumerate(facets) if f not in columns]
    kernel = kernel.sum(axis=tuple(gone)) if gone else kernel
    n_rows = prod(kernel.shape[2 : 2 + len(rows)])
    return kernel.reshape(*kernel.shape[:2], n_rows, -1)


def _lifted(part, facets, sizes, rows, columns):
    """The reverse of `_reduced`, with axes of one for what was summed."""
    shape = [
        size if facet in side else 1
        for side in (rows, columns)
        for facet, size in zip(facets, sizes, strict=True)
    ]
    return part.reshape(*part.shape[:2], *shape)
