"""The methods of an interval: what each needs, and how it draws."""

from collections.abc import Iterable

import numpy as np
import scipy

from gtlib.estimates import StudyData, cells_of
from gtlib.intervals.replicates import is_balanced, parametric, pivotal
from gtlib.intervals.resampling import cluster
from gtlib.tables import one_of, whole_number

DRAWN = "pivotal", "parametric", "bootstrap"

# Facets with fewer levels are not resampled.
ENOUGH_LEVELS = 5


def check_method(g: StudyData, method: str, closed: Iterable[str]) -> None:
    """Refuse a method that is none, or not for this study: `closed` are
    those in closed form."""
    one_of(method, "method", ("auto", *closed, "profile", *DRAWN))
    if method in ("bootstrap", "profile"):
        cells_of(g, f"method={method!r} needs")
        return
    if g.cells is None and not g.levels:
        raise ValueError(
            "Components alone do not say how sure they are: the levels "
            "that they were estimated from are needed. Give levels= to "
            "GStudy.from_components, or use GStudy.from_mean_squares."
        )
    if method != "parametric" and not is_balanced(g):
        raise ValueError(
            f"method={method!r} needs the mean squares of a balanced "
            "study, and this one is not; use 'profile', 'parametric' or "
            "'bootstrap'."
        )


def with_gaps(g: StudyData) -> str:
    """The method for a study with gaps that goes with its estimates."""
    return "parametric" if g.method == "henderson" else "profile"


def replicate(
    g: StudyData, method: str, n_resamples: int, seed: int
) -> np.ndarray:
    """Components as other studies might give them, (effects, resamples),
    by one of the methods in `DRAWN`."""
    n_resamples = whole_number(n_resamples, "n_resamples")
    if method == "pivotal":
        return pivotal(g, n_resamples, seed)
    if method == "parametric":
        return parametric(g, n_resamples, seed)
    cells = cells_of(g, "method='bootstrap' needs")
    facets = resampled(g)
    if not facets:
        raise ValueError(
            f"No facet has the {ENOUGH_LEVELS} levels that resampling "
            "needs; use another method."
        )
    return cluster(cells, facets, n_resamples, seed)


def percentiles(
    drawn: np.ndarray, confidence_level: float, method: str, estimate: float
) -> np.ndarray:
    """Quantiles of the replicates, corrected for the share of them that
    lie below the estimate (Efron 1981) unless they are pivotal."""
    tails = np.array([1 - confidence_level, 1 + confidence_level]) / 2
    if method != "pivotal":
        below = np.mean(drawn < estimate) + np.mean(drawn == estimate) / 2
        shift = 2 * scipy.special.ndtri(below)
        tails = scipy.special.ndtr(shift + scipy.special.ndtri(tails))
    return np.quantile(drawn, tails, method="nearest")


def resampled(g: StudyData) -> list[str]:
    """The facets that have enough levels, and are nested in nothing."""
    return [
        f
        for f in g.design.facets
        if not g.design.nesting[f] and g.levels[f] >= ENOUGH_LEVELS
    ]
