"""Analysis of variance: mean squares, and what a design makes of them.

Mean squares of balanced studies; the coefficients; and, for a planned
design, which component goes where.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
import pandas as pd

from gtlib.checks import label, one_of, several
from gtlib.design import Design, Effect, as_design

# Mean squares of balanced studies.


def balanced_mean_squares(array: np.ndarray, design: Design) -> np.ndarray:
    """Compute the mean squares of a balanced study.

    The deviation of an effect is the mean over its cells, swept of the
    mean along each of its primary facets.  The last effect, as large as
    the data, is what the others leave of the total, and is swept too only
    where that difference would cancel.
    """
    levels = dict(zip(design.facets, array.shape, strict=True))
    array = array - array.mean()
    *larger, finest = design.effects
    total = np.vdot(array, array)
    sums = [np.vdot(x, x) for x in deviations(array, design, larger)]
    squares = design.observations_per_cell(levels)[:-1] * sums
    last = total - sum(squares)
    if last < 1e-4 * total:
        (swept,) = deviations(array, design, [finest])
        last = np.vdot(swept, swept)
    squares = np.array([*squares, last])
    squares[squares < 1e-28 * total] = 0
    return squares / design.degrees_of_freedom(levels)


def deviations(
    array: np.ndarray, design: Design, effects: Sequence[Effect]
) -> Iterator[np.ndarray]:
    """Yield the deviations of some effects, each with all the axes of the
    scores, those of length 1 that it is averaged over."""
    axis = {facet: i for i, facet in enumerate(design.facets)}
    means = _marginal_means(array, design, axis)
    for effect in effects:
        part = means[effect.facets]
        for facet in sorted(effect.primary, key=axis.__getitem__):
            part = part - _mean_along(part, axis[facet])
        yield part


def mean_squares_of_terms(
    terms: np.ndarray, design: Design, levels: Mapping[str, int]
) -> np.ndarray:
    """Compute the mean squares of a balanced study from group sums."""
    solve = design.mean_squares_to_components(levels)
    cells = design.observations_per_cell(levels)[:, None]
    # The whole numbers by which sums of squares are taken from T-terms
    squares = np.round(solve * cells).T @ terms
    squares[squares < 1e-13 * terms[-1]] = 0
    return squares / design.degrees_of_freedom(levels)


def _marginal_means(array, design, axis):
    """The mean over the cells of each effect, from the largest down: a
    margin is taken from the smallest one that contains it."""
    means = {frozenset(design.facets): array}
    for effect in sorted(design.effects, key=lambda e: -len(e.facets)):
        if effect.facets in means:
            continue
        known = [e for e in means if effect.facets < e]
        source = min(known, key=lambda e: means[e].size)
        mean = means[source]
        for facet in sorted(source - effect.facets, key=axis.__getitem__):
            mean = _mean_along(mean, axis[facet])
        means[effect.facets] = mean
    return means


def _mean_along(array, axis):
    if axis == array.ndim - 1:  # a product is faster than a short mean
        n = array.shape[axis]
        return (array @ np.full(n, 1 / n))[..., None]
    return array.mean(axis=axis, keepdims=True)


# The two coefficients, from the variance of scores and of errors.
#
# An estimated component may be negative. Components are added with their
# signs, since a sum of unbiased estimates is unbiased, and only the three
# sums that a coefficient is made of are cut off at zero. A component that
# is cut off before it is added makes its sum too large: it keeps what
# chance added to the others, and loses what chance took from it.
#
#     σ²(τ) = max(0, its sum),  σ²(δ) = max(0, its sum),                (1)
#     σ²(Δ) = max(σ²(δ), its sum).
#
# Absolute error has all that relative error has, so its sum is cut off
# there: Φ is never above Eρ². The sum itself, and not only what it adds to
# relative error, is cut off, which moves it least.

# Each coefficient with the error that it sets against true variance.
COEFFICIENTS = {
    "generalizability": "relative_error",
    "dependability": "absolute_error",
}


def with_coefficients(sums: Mapping[str, np.ndarray]) -> dict:
    """Return universe score variance and errors, with both coefficients,
    from the sums of their components with their signs: (1)."""
    universe = np.maximum(sums["universe_score"], 0)
    relative = np.maximum(sums["relative_error"], 0)
    absolute = np.maximum(sums["absolute_error"], relative)
    return {
        "universe_score": universe,
        "relative_error": relative,
        "absolute_error": absolute,
        "generalizability": share(universe, relative),
        "dependability": share(universe, absolute),
    }


def share(universe, error):
    """Return the share of the universe score variance in its sum with an
    error variance; 0 if both are 0."""
    total = universe + error
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, universe / total, 0.0)[()]


def coefficient_of_ratio(signal):
    """Return the coefficient that belongs to a ratio of universe score
    variance to error variance."""
    return 1 - 1 / (1 + signal)


def largest_error(universe, target):
    """Return the error variance at which a coefficient equals `target`."""
    return universe * (1 - target) / target


def error_name(coefficient: str) -> str:
    """Return the name of a coefficient's error, or refuse the name."""
    one_of(coefficient, "coefficient", COEFFICIENTS)
    return COEFFICIENTS[coefficient]


# The effects of a planned design, and what each is part of.
#
# Every component of the G-study becomes part of one effect of the planned
# design: the smallest that has all its facets.  Averaged over the planned
# levels, an effect is part of the universe score, of both errors, of the
# absolute error only, or (fixed facets only) of nothing.

_ERRORS = ["relative error", "absolute error only"]


@dataclass(frozen=True)
class PlannedEffects:
    """A planned design on a G-study's components, without numbers of
    levels.

    Attributes
    ----------
    design : Design
        The planned one.
    fixed : tuple of str
    estimate : array (effects,)
        Of each effect of the planned design, the sum of the components
        that it takes in, with their signs.
    divisors : tuple (effects,) of facets
        The facets that an effect is averaged over.
    roles : array (effects,) of str
        What an effect is part of.
    pooling : array (effects of the plan, effects of the G-study)
        1 where the former takes in the latter, else 0.
    """

    design: Design
    fixed: tuple[str, ...]
    estimate: np.ndarray = field(compare=False)
    divisors: tuple = field(compare=False)
    roles: np.ndarray = field(compare=False)
    pooling: np.ndarray = field(compare=False)

    @classmethod
    def from_design(
        cls,
        studied: Design,
        components: np.ndarray,
        design: str | Design | None = None,
        fixed: str | Sequence[str] = (),
    ) -> Self:
        """Return the effects of a design planned on a studied one, from the
        estimated component of each effect of that."""
        planned = studied if design is None else as_design(design)
        _refuse_unstudied(studied, planned)
        planned = Design(planned.text, studied.object)
        named = [fixed] if isinstance(fixed, str) else fixed
        named = several(named, "fixed", "facets")
        fixed_facets = tuple(label(facet, "fixed") for facet in named)
        _check_fixed(planned, fixed_facets)
        objects = planned.closure([planned.object])
        effects = [effect.facets for effect in planned.effects]
        planned_facets = [
            planned.closure(e.facets) for e in studied.effects
        ]
        pooling = np.array(
            [
                [facets == home for home in planned_facets]
                for facets in effects
            ],
            float,
        )
        divisors = tuple(
            tuple(f for f in planned.facets if f in facets - objects)
            for facets in effects
        )
        roles = [
            _role(facets, objects, {*fixed_facets}) for facets in effects
        ]
        return cls(
            planned,
            fixed_facets,
            pooling @ components,
            divisors,
            np.array(roles, dtype=object),
            pooling,
        )

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per effect: ``estimate``; ``variance`` of a single
        observation, which is that or zero; ``divisors``; ``role``."""
        columns = {
            "estimate": self.estimate,
            "variance": np.maximum(self.estimate, 0),
            "divisors": list(self.divisors),
            "role": self.roles,
        }
        return pd.DataFrame(
            columns, pd.Index(self.design.labels, name="effect")
        )

    @property
    def facets(self) -> tuple[str, ...]:
        """The facets that have a number: all but the object's."""
        objects = self.design.closure([self.design.object])
        return tuple(f for f in self.design.facets if f not in objects)

    def mean_components(
        self, levels: Mapping, components: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the component of each effect's mean over `levels` of each
        facet, with its sign.

        `levels` maps facets to numbers or to arrays of one shape; the
        result has the effects along its first axis. `components`, an
        array of this shape too, replaces the G-study's own.
        """
        singles = self.estimate
        if components is not None:
            singles = np.tensordot(self.pooling, components, axes=1)
        numbers = {f: np.asarray(n, float) for f, n in levels.items()}
        means = [
            single / prod(numbers[f] for f in facets)
            for single, facets in zip(singles, self.divisors, strict=True)
        ]
        return np.array(np.broadcast_arrays(*means))

    def errors(self, coefficient: str) -> np.ndarray:
        """Return which effects are part of the coefficient's error."""
        if coefficient == "generalizability":
            return self.roles == "relative error"
        return np.isin(self.roles, _ERRORS)

    def sums(
        self, levels: Mapping, components: np.ndarray | None = None
    ) -> dict:
        """Add up, with their signs, the components of the universe score
        and of both errors: what `with_coefficients` takes.

        Takes what `mean_components` does.
        """
        means = self.mean_components(levels, components)
        universe = means[self.roles == "universe score"].sum(axis=0)
        relative = means[self.roles == "relative error"].sum(axis=0)
        shared = means[self.roles == "absolute error only"].sum(axis=0)
        return {
            "universe_score": universe,
            "relative_error": relative,
            "absolute_error": relative + shared,
        }

    def coefficients(
        self, levels: Mapping, components: np.ndarray | None = None
    ) -> dict:
        """Compute universe score variance, errors and coefficients.

        Takes what `mean_components` does; returns a dict of floats or of
        arrays shaped like the numbers.
        """
        return with_coefficients(self.sums(levels, components))


def _check_fixed(design: Design, fixed: tuple[str, ...]) -> None:
    """Refuse facets that cannot be fixed in `design`."""
    for facet in fixed:
        if facet not in design.facets:
            raise ValueError(
                f"fixed={facet!r} is no facet of the design {design}."
            )
        if facet == design.object:
            raise ValueError(
                f"{facet} is the object of measurement; it cannot be fixed."
            )
        nests = design.nesting[facet].difference(fixed)
        loose = [f for f in design.facets if f in nests]
        if loose:
            raise ValueError(
                f"{facet} is nested within {loose[0]}, which is random: "
                f"every new {loose[0]} brings other levels, so {facet} "
                "cannot be fixed."
            )
    if fixed and set(fixed) | {design.object} >= set(design.facets):
        raise ValueError(
            "Every facet is fixed: nothing is left to generalise over."
        )


def _role(facets, objects, fixed):
    """Return what an effect with these facets is part of."""
    has_systems = facets & objects
    if facets <= objects | fixed:
        return "universe score" if has_systems else "constant"
    return "relative error" if has_systems else "absolute error only"


def _refuse_unstudied(studied, planned):
    """Refuse facets of one design only, and what is confounded."""
    for facet in sorted(set(planned.facets) ^ set(studied.facets)):
        if facet in studied.facets:
            where = "G-study"
            hint = f"give it {facet}=1 or more instead of leaving it out"
        else:
            where = "D-study"
            hint = "its variance was not studied"
        raise ValueError(
            f"{facet} is a facet of the {where} only ({studied} against "
            f"{planned}): {hint}."
        )
    for facet in studied.facets:
        lost = studied.nesting[facet] - planned.nesting[facet]
        for outer in (f for f in studied.facets if f in lost):
            raise ValueError(
                f"The G-study {studied} nests {facet} within {outer}, so "
                f"it cannot tell {facet} from {facet} x {outer}; the "
                f"design {planned} needs them apart. Plan with {facet} "
                f"nested within {outer}, or run a G-study that crosses "
                "them."
            )
