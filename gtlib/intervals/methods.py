"""The methods of an interval: what each needs, and how it draws."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
import scipy

from gtlib.dstudy import DStudy
from gtlib.estimates import StudyData, require_cells
from gtlib.intervals import jackknife
from gtlib.intervals.replicates import is_balanced, pivotal
from gtlib.intervals.resampling import cluster_bootstrap
from gtlib.tables import count_noun, one_of, whole_number

DRAWING_METHODS = "pivotal", "bootstrap"

# Facets with fewer levels are not resampled.
ENOUGH_LEVELS = 5

# With fewer systems, or groups of them, no coverage was shown (chapter 9).
ENOUGH_SYSTEMS, ENOUGH_GROUPS = 8, 5

TOO_FEW = (
    "{} are too few to show how they scatter: whether the interval holds "
    "is not known"
)
EACH_FOR_ITSELF = (
    "this method takes each {} for itself, and not its group: too narrow "
    "if those of one group are alike"
)


@dataclass(frozen=True)
class IntervalMethod:
    """A method, with the degrees of freedom that it uses.

    Attributes
    ----------
    method : str
    stretch : float
        What the degrees of freedom are divided by.
    df_text : str
        A phrase on these degrees of freedom, to stand after the method.
    note : str
        The reason why the scores cannot show them, if they cannot.
    """

    method: str
    stretch: float = 1.0
    df_text: str = ""
    note: str = ""

    @classmethod
    def from_scores(
        cls,
        plan: DStudy,
        method: str,
        coefficient: str,
        groups: Mapping | None,
    ) -> Self:
        """Return a method with degrees of freedom estimated from the
        scores."""
        g = plan.study
        r = jackknife.stretch(plan, coefficient, groups)
        systems = len(jackknife.system_blocks(g))
        df = systems - 1
        df_text = f", {df / r:.3g} df in place of {df}"
        too_few = ""
        if systems < ENOUGH_SYSTEMS:
            too_few = count_noun(systems, g.design.object)
        if groups is not None:
            n = int(jackknife.system_blocks(g, groups).max()) + 1
            df_text += f", {count_noun(n, 'group')}"
            if n < ENOUGH_GROUPS and not too_few:
                too_few = count_noun(n, "group")
        note = ""
        if too_few:
            note = TOO_FEW.format(too_few)
        return cls(method, r, df_text, note)

    def __str__(self) -> str:
        return self.method + self.df_text

    def level(self, confidence_level: float) -> float:
        """Return the level at which a likelihood ratio's quantile is
        `stretch` times as large."""
        bound = scipy.special.chdtri(1, 1 - confidence_level)
        return float(scipy.special.chdtr(1, bound * self.stretch))

    def replicate(
        self, g: StudyData, n_resamples: int, seed: int
    ) -> np.ndarray:
        """Draw components by this method, with its degrees of freedom."""
        return replicate(g, self.method, n_resamples, seed, self.stretch)


def check_method(g: StudyData, method: str, closed: Iterable[str]) -> None:
    """Refuse a method that is unknown or does not fit the study; `closed`
    are the methods in closed form."""
    one_of(method, "method", ("auto", *closed, "profile", *DRAWING_METHODS))
    if method in ("bootstrap", "profile", "jackknife"):
        require_cells(g, f"method={method!r} needs")
    if method in ("bootstrap", "profile"):
        return
    if g.cells is None and not g.levels:
        raise ValueError(
            "Components alone do not say how sure they are: the levels "
            "that they were estimated from are needed. Give levels= to "
            "GStudy.from_components, or use GStudy.from_mean_squares."
        )
    if not is_balanced(g):
        raise ValueError(
            f"method={method!r} needs the mean squares of a balanced "
            "study, and this one is not; use 'profile' or 'bootstrap'."
        )


def choose_with_gaps(g: StudyData) -> str:
    """Choose the method for a study with gaps, by its estimates."""
    return "bootstrap" if g.method == "henderson" else "profile"


def replicate(
    g: StudyData,
    method: str,
    n_resamples: int,
    seed: int,
    stretch: float = 1.0,
) -> np.ndarray:
    """Draw components as other studies might give them, (effects,
    n_resamples), by a method in `DRAWING_METHODS`; `stretch` is for the
    pivotal one."""
    n_resamples = whole_number(n_resamples, "n_resamples")
    if method == "pivotal":
        return pivotal(g, n_resamples, seed, stretch)
    cells = require_cells(g, "method='bootstrap' needs")
    facets = resampled_facets(g)
    if not facets:
        raise ValueError(
            f"No facet has the {ENOUGH_LEVELS} levels that resampling "
            "needs; use another method."
        )
    return cluster_bootstrap(cells, facets, n_resamples, seed)


def percentiles(
    replicates: np.ndarray,
    confidence_level: float,
    method: str,
    estimate: float,
) -> np.ndarray:
    """Return quantiles of the replicates. Unless these are pivotal, they
    are corrected for the share that lies below the estimate (Efron
    1981)."""
    tails = np.array([1 - confidence_level, 1 + confidence_level]) / 2
    if method != "pivotal":
        below = (
            np.mean(replicates < estimate)
            + np.mean(replicates == estimate) / 2
        )
        shift = 2 * scipy.special.ndtri(below)
        tails = scipy.special.ndtr(shift + scipy.special.ndtri(tails))
    return np.quantile(replicates, tails, method="nearest")


def resampled_facets(g: StudyData) -> list[str]:
    """List the facets with enough levels that are nested in nothing."""
    return [
        f
        for f in g.design.facets
        if not g.design.nesting[f] and g.levels[f] >= ENOUGH_LEVELS
    ]
