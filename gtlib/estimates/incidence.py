"""What the scores of a study with gaps average over.

Where every system has every score, a component is divided by numbers of
levels. Where scores are missing, or nests differ in size, each system has
a mean of its own: over other topics than the next system's, and another
number of them. Then what divides is a sum over the observed cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gtlib.estimates.coefficients import with_coefficients
from gtlib.estimates.henderson import home, tabulate
from gtlib.tables.cells import Cells
from gtlib.tables.design import Design


@dataclass(frozen=True, eq=False)
class Shares:
    """What a study's systems have of the levels of each effect.

    Attributes
    ----------
    observations : array (systems,)
        Scores of each system.
    squares : array (effects, systems)
        The sum, over the levels of an effect, of the squared share of the
        system's scores that are of that level: the variance of its mean,
        for a component of 1. One over the number of levels, where the
        system has all equally often.
    between : array (effects,)
        The same of the mean of all systems; NaN for a system's own.
    sizes : dict of frozenset of facets to int
        The number of levels of each effect.
    levels : dict of facet to int
        The number of levels of those facets of which every system has
        the same number, in every nest.
    """

    observations: np.ndarray
    squares: np.ndarray
    between: np.ndarray
    sizes: dict[frozenset[str], int]
    levels: dict[str, int]

    @classmethod
    def of(cls, cells: Cells) -> Shares:
        """The shares of a study's observations."""
        margins = tabulate(cells, cells.scores)
        objects = cells.design.closure([cells.design.object])
        observations = margins[objects].count
        systems = len(observations)
        squares, between = [], []
        for effect in cells.design.effects:
            own, joint = effect.facets, effect.facets | objects
            system = home(cells, margins, joint, objects)
            share = margins[joint].count / observations[system]
            squares.append(np.bincount(system, share**2))
            if own & objects:
                between.append(np.nan)
                continue
            total = np.bincount(home(cells, margins, joint, own), share)
            between.append(np.sum((total / systems) ** 2))
        levels = {}
        for facet in set(cells.design.facets) - objects:
            joint = cells.design.closure([facet]) | objects
            number = np.bincount(
                home(cells, margins, joint, joint - {facet})
            )
            if np.ptp(number) == 0:
                levels[facet] = int(number[0])
        sizes = {facets: len(m.key) for facets, m in margins.items()}
        return cls(
            observations,
            np.array(squares),
            np.array(between),
            sizes,
            levels,
        )


@dataclass(frozen=True, eq=False)
class Incidence:
    """How each component enters the systems' means as observed.

    Attributes
    ----------
    shares : Shares
    universe, relative, absolute : array (effects,)
        What a component is multiplied by in the variance of the universe
        scores and in both errors, averaged over systems.
    """

    shares: Shares
    universe: np.ndarray
    relative: np.ndarray
    absolute: np.ndarray

    @classmethod
    def of(cls, cells: Cells, fixed: tuple[str, ...] = ()) -> Incidence:
        """The incidence of a study's observations."""
        return cls.of_shares(cells.design, Shares.of(cells), fixed)

    @classmethod
    def of_shares(
        cls, design: Design, shares: Shares, fixed: tuple[str, ...] = ()
    ) -> Incidence:
        """The incidence of observations of which the shares are known.

        Notes
        -----
        With w the share of system p's scores that have level l of an
        effect, absolute error takes in the component times Σ_l w²,
        averaged over systems. So does relative error if the effect is one
        of the system's own. An effect that systems share, such as topics,
        cancels between them as far as they have the same levels: what
        remains is the variance of w between systems, summed over levels
        (Brennan 2001, chapter 7, for any design).

        The universe score averages over all levels of fixed facets alike.
        The distance of a system's mean from that, where it lacks some, is
        error and is not correlated with the universe score.
        """
        objects = design.closure([design.object])
        systems = len(shares.observations)
        weights = []
        for effect, squares, between in zip(
            design.effects, shares.squares, shares.between, strict=True
        ):
            own = effect.facets
            mean = squares.mean()
            target = 0.0
            if own <= objects.union(fixed):
                others = own - objects
                target = 1 / shares.sizes[others] if others else 1.0
            absolute = mean - target
            if own & objects:
                weights.append((target, absolute, absolute))
            else:
                apart = (mean - between) * systems / (systems - 1)
                weights.append((0.0, apart, absolute))
        return cls(shares, *np.transpose(weights))

    @property
    def observations(self) -> np.ndarray:
        """Scores of each system."""
        return self.shares.observations

    @property
    def squares(self) -> np.ndarray:
        """As `Shares` has them."""
        return self.shares.squares

    @property
    def levels(self) -> dict[str, int]:
        """As `Shares` has them."""
        return self.shares.levels

    def coefficients(self, components: np.ndarray) -> dict:
        """Universe score variance, both errors and both coefficients.

        `components`, none below zero, have the effects along their first
        axis; the values are shaped like the rest of them.
        """
        return with_coefficients(
            *(
                np.tensordot(weight, components, axes=1)
                for weight in (self.universe, self.relative, self.absolute)
            )
        )

    @property
    def typical(self) -> float:
        """The harmonic mean of the systems' numbers of observations."""
        return len(self.observations) / float(np.sum(1 / self.observations))

    def __str__(self) -> str:
        least, most = self.observations.min(), self.observations.max()
        if least == most:
            return f"{least:g} observations of each system"
        return (
            f"{least:g} to {most:g} observations of a system (harmonic "
            f"mean {self.typical:.1f})"
        )
