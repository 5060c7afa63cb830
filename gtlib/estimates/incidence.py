"""How the scores of a study with gaps are averaged.

Where every system has every score, a component is divided by numbers of
levels. Where scores are missing, or nests differ in size, each system has
a mean of its own: over other topics than the next system's, and another
number of them. Then what divides is a sum over the observed cells.

Let w_pl be the share of the scores of system p that are of level l of an
effect with the component σ², and w_l its mean over the S systems. The
effect enters the mean of p as the sum over l of w_pl times the level's
value, with the variance

    σ² sum over l of w_pl² ,                                         (1)

and the mean of all systems with

    σ² sum over l of w_l² .                                          (2)

If the effect is part of the universe score, which averages over all m
levels of the fixed facets alike, the latter takes in σ²/m. The distance of
the system's mean from that is not correlated with it: it has the variance

    σ² sum over l of (w_pl - 1/m)² = σ² (sum over l of w_pl² - 1/m). (3)

An effect that systems share, such as topics, cancels between them as far as
they have the same levels. What remains is its variance between systems
(Brennan 2001, chapter 7, for any design):

    σ² sum over l, p of (w_pl - w_l)² / (S - 1)
        = σ² S/(S - 1) (mean over p of sum w_pl² - sum w_l²).        (4)
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from gtlib.estimates.coefficients import with_coefficients
from gtlib.estimates.henderson import outer_levels, tabulate
from gtlib.tables import Cells, Design, with_article


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
        squares.append(np.bincount(system, share**2))  # (1)
        if own & objects:
            between.append(np.nan)
        else:
            total = np.bincount(
                outer_levels(cells, margins, joint, own), share
            )
            between.append(np.sum((total / len(observations)) ** 2))  # (2)
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
            mean = shares.squares[k].mean()  # (1)
            target = 0.0
            if own <= objects.union(fixed):
                target = 1 / shares.sizes.get(own - objects, 1)
            absolute = mean - target  # (3)
            if own & objects:
                weights.append((target, absolute, absolute))
            else:
                between = mean - shares.between[k]
                relative = between * systems / (systems - 1)  # (4)
                weights.append((0.0, relative, absolute))
        values = [getattr(shares, f.name) for f in fields(Shares)]
        return cls(*values, *np.transpose(weights))

    def coefficients(self, components: np.ndarray) -> dict:
        """Compute universe score variance, errors and coefficients.

        `components`, none below zero, have the effects along their first
        axis; the values are shaped like the rest of them.
        """
        weights = self.universe, self.relative, self.absolute
        return with_coefficients(*np.tensordot(weights, components, axes=1))

    def __str__(self) -> str:
        least, most = self.observations.min(), self.observations.max()
        if least == most:
            return f"{least:g} observations of each {self.object}"
        typical = 1 / np.mean(1 / self.observations)
        return (
            f"{least:g} to {most:g} observations of "
            f"{with_article(self.object)} (harmonic mean {typical:.1f})"
        )
