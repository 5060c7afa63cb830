"""The effects of a planned design, and what each is part of.

Every component of the G-study becomes part of one effect of the planned
design: the smallest that has all its facets.  Averaged over the planned
levels, an effect is part of the universe score, of both errors, of the
absolute error only, or (fixed facets only) of nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Self

import numpy as np
import pandas as pd

from gtlib.estimates import StudyData
from gtlib.estimates.coefficients import with_coefficients
from gtlib.tables import Design, as_design

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
    table : DataFrame, a row per effect of the planned design
        ``variance`` of a single observation, ``divisors`` (the facets that
        its variance is averaged over) and ``role``.
    pooling : array (effects of the plan, effects of the G-study)
        1 where the former takes in the latter, else 0.
    """

    design: Design
    fixed: tuple[str, ...]
    table: pd.DataFrame = field(compare=False)
    pooling: np.ndarray = field(compare=False)

    @classmethod
    def from_study(
        cls,
        g: StudyData,
        design: str | Design | None = None,
        fixed: str | Sequence[str] = (),
    ) -> Self:
        """Return the effects of a design planned on a G-study.

        Raises
        ------
        ValueError
            If the plan has other facets than the G-study, if it separates
            what the G-study confounds, or if `fixed` is not possible.
        """
        planned = g.design if design is None else as_design(design)
        _refuse_unstudied(g.design, planned)
        planned = Design(planned.text, g.design.object)
        fixed_facets = (fixed,) if isinstance(fixed, str) else tuple(fixed)
        _check_fixed(planned, fixed_facets)
        objects = planned.closure([planned.object])
        effects = [effect.facets for effect in planned.effects]
        planned_facets = [
            planned.closure(e.facets) for e in g.design.effects
        ]
        pooling = np.array(
            [
                [facets == home for home in planned_facets]
                for facets in effects
            ],
            float,
        )
        columns = {
            "variance": pooling @ g.variance.to_numpy(),
            "divisors": [
                tuple(f for f in planned.facets if f in facets - objects)
                for facets in effects
            ],
            "role": [_role(f, objects, {*fixed_facets}) for f in effects],
        }
        labels = pd.Index(planned.labels, name="effect")
        table = pd.DataFrame(columns, labels)
        return cls(planned, fixed_facets, table, pooling)

    @property
    def facets(self) -> tuple[str, ...]:
        """The facets that have a number: all but the object's."""
        objects = self.design.closure([self.design.object])
        return tuple(f for f in self.design.facets if f not in objects)

    def mean_variance(
        self, levels: Mapping, components: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the variance of each effect's mean over `levels` of each
        facet.

        `levels` maps facets to numbers or to arrays of one shape; the
        result has the effects along its first axis. `components`, an
        array of this shape too, replaces the G-study's own.
        """
        variances = self.table["variance"].to_numpy()
        if components is not None:
            known = np.maximum(components, 0)
            variances = np.tensordot(self.pooling, known, axes=1)
        numbers = {f: np.asarray(n, float) for f, n in levels.items()}
        divisors = self.table["divisors"]
        means = [
            variance / prod(numbers[f] for f in facets)
            for variance, facets in zip(variances, divisors, strict=True)
        ]
        return np.array(np.broadcast_arrays(*means))

    @cached_property
    def _roles(self):  # asked for by every plan that a search looks at
        return self.table["role"].to_numpy(dtype=object)

    def errors(self, coefficient: str) -> np.ndarray:
        """Return which effects are part of the coefficient's error."""
        if coefficient == "generalizability":
            return self._roles == "relative error"
        return np.isin(self._roles, _ERRORS)

    def coefficients(
        self, levels: Mapping, components: np.ndarray | None = None
    ) -> dict:
        """Compute universe score variance, errors and coefficients.

        Takes what `mean_variance` does; returns a dict of floats or of
        arrays shaped like the numbers.
        """
        means = self.mean_variance(levels, components)
        universe = means[self._roles == "universe score"].sum(axis=0)
        relative = means[self._roles == "relative error"].sum(axis=0)
        shared = means[self._roles == "absolute error only"].sum(axis=0)
        return with_coefficients(universe, relative, relative + shared)


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
