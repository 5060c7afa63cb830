"""The data of a G-study: the record that everything else reads."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from gtlib.estimates.incidence import Incidence, Shares, compute_shares
from gtlib.estimates.profile import Profile
from gtlib.estimates.reml import reml
from gtlib.tables import Cells, Design


@dataclass(frozen=True, eq=False)
class StudyData:
    """Variance components, and what they were estimated from.

    Attributes
    ----------
    design : Design
        Facets, nesting and object of measurement.
    levels : dict of facet to int
        Levels of each facet (within its nest); empty if not known.
    estimate : Series, effect to float
        The components as they were estimated, in squared units of the
        score: a negative one is kept as it is.
    mean_squares : Series or None
        Only where the method has them.
    method : str
        ``"anova"``, or how else the estimates came about.
    cells : Cells or None
        The scores, where the study was made from scores in memory.
    shares : Shares or None
        What the systems' means average over, in a study with gaps that
        was made from sums.
    sampled : str
        What the scores are a sample of, in a sentence.
    groups : Series of system to group, or None
        Which systems belong together, where that is known: intervals are
        then about other groups.
    """

    design: Design
    levels: dict[str, int]
    estimate: pd.Series
    mean_squares: pd.Series | None = None
    method: str = "given"
    cells: Cells | None = field(default=None, repr=False)
    shares: Shares | None = field(default=None, repr=False)
    sampled: str = ""
    groups: pd.Series | None = field(default=None, repr=False)

    @cached_property
    def variance(self) -> pd.Series:
        """The components, effect to float, in squared units of the score:
        the estimates, or zero where they are negative."""
        return np.maximum(self.estimate, 0)

    @cached_property
    def incidence(self) -> Incidence | None:
        """The scores that each system's mean is over, in a study with
        gaps or uneven nests; None if all systems have the same, or if the
        study was not made from scores."""
        shares = self.shares
        if self.cells is not None and not self.cells.balanced:
            shares = compute_shares(self.cells)
        if shares is None:
            return None
        return Incidence.from_shares(self.design, shares)

    @cached_property
    def profile(self) -> Profile:
        """The restricted likelihood, for intervals; built once."""
        cells = require_cells(self, "method='profile' needs")
        if self.method == "reml":
            components = self.variance.to_numpy()
        else:
            components = reml(cells)
        return Profile(cells, components)

    @property
    def negative(self) -> tuple[str, ...]:
        """The effects whose estimate is below zero."""
        return tuple(self.estimate.index[self.estimate < 0])


def require_cells(g: StudyData, what: str) -> Cells:
    """Return the observations of a study; refuse a study without."""
    if g.cells is None:
        raise ValueError(
            f"{what} the scores, and this G-study holds none: it was made "
            "from sums, mean squares or components."
        )
    return g.cells
