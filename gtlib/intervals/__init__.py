"""How sure are we: intervals for coefficients, components and numbers.

An estimate from forty systems and fifty topics would have come out
differently with others. In closed form (`limits`) where the normal
model allows it, else from replicates (`replicates`, `resampling`).
"""

from dataclasses import dataclass
from math import ceil, inf, isfinite, isnan, nan

import numpy as np
import pandas as pd
import scipy

from gtlib.design import as_facets
from gtlib.dstudy import (
    COEFFICIENTS,
    all_levels,
    check_coefficient,
    check_sought,
    check_target,
    plan,
    required_levels,
)
from gtlib.gstudy import GStudy
from gtlib.intervals.limits import (
    arteaga,
    feldt,
    modified_large_sample,
    satterthwaite,
)
from gtlib.intervals.replicates import (
    known_mean_squares,
    parametric,
    pivotal,
)
from gtlib.intervals.resampling import cluster

REPLICATES = 2000

ENOUGH_LEVELS = 5
"""Facets with fewer levels are not resampled unless that is asked for."""

CLOSED_FORMS = {
    "mls": modified_large_sample,
    "satterthwaite": satterthwaite,
}

DRAWN = "pivotal", "parametric", "bootstrap"


@dataclass(frozen=True)
class Interval:
    """A confidence interval, or the reason why there is none.

    Attributes
    ----------
    low : float
    high : float
        NaN, like ``low``, if there is no interval.
    estimate : float
        What the interval is about.
    level : float
        Its confidence level.
    method : str
        What it was computed by.
    reason : str
        Why there is no interval, or no upper limit; else empty.
    """

    low: float
    high: float
    estimate: float = nan
    level: float = 0.95
    method: str = ""
    reason: str = ""

    def __str__(self):
        if isnan(self.low):
            return f"no interval: {self.reason}"
        high = f"{self.high:.4g}" if isfinite(self.high) else "none"
        text = (
            f"{self.estimate:.4g} [{self.low:.4g}, {high}] "
            f"({100 * self.level:g}%, {self.method})"
        )
        return f"{text}; {self.reason}" if self.reason else text


def coefficient_interval(
    g,
    coefficient,
    level=0.95,
    method="auto",
    *,
    design=None,
    fixed=(),
    resample=None,
    replicates=REPLICATES,
    seed=0,
    **levels,
):
    """Confidence interval of a coefficient of a planned study.

    Parameters
    ----------
    g : GStudy
    coefficient : {"generalizability", "dependability"}
    level : float in (0, 1)
    method : {"auto", "exact", "pivotal", "parametric", "bootstrap"}
        ``"exact"``: Feldt (1965) for Eρ², Arteaga, Jeyaratnam & Franklin
        (1982) for Φ, of two facets.  ``"pivotal"``: the generalized
        interval of a balanced study of any design, from replicates of its
        mean squares (equal to Feldt's where that exists).
        ``"parametric"``: studies simulated from the normal model, with the
        same gaps.  ``"bootstrap"``: levels of facets resampled from the
        scores, no normality assumed.  ``"auto"``: the first of exact,
        pivotal and parametric that the study allows.
    design, fixed, **levels : as in `dstudy`
    resample : facet or facets, optional
        What ``"bootstrap"`` draws: of the facets nested in nothing, those
        random with at least five levels.
    replicates, seed : int
        Of the last three methods.

    Returns
    -------
    Interval
        Without limits, and with the reason, if the object of measurement
        shows no variance.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Notes
    -----
    With F = MS_s/MS_e, Feldt's limits of σ²(s)/σ²(e) are
    (F/F_p - 1)/n_t, F_p the quantile of F with the two mean squares'
    degrees of freedom.  The parametric and cluster bootstrap use
    bias-corrected percentiles (Efron 1981).

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(coefficient_interval(g, "generalizability"))
    0.9333 [0.8942, 0.9633] (95%, feldt)
    """
    check_coefficient(coefficient)
    _check_level(level)
    ready = plan(g, design, fixed=fixed)
    levels = all_levels(g, ready, levels)
    values = ready.coefficients(levels)
    if values["universe_score"] <= 0:
        return _no_interval(g, level, 0.0)
    estimate = float(values[coefficient])
    method = _method(g, ready, coefficient, method)
    if method in DRAWN:
        drawn = replicate(g, method, resample, replicates, seed)
        found = ready.coefficients(levels, drawn)[coefficient]
        low, high = percentiles(found, level, method, estimate)
    else:
        n = next(iter(levels.values()))
        signal = n * np.array(_signal_limits(g, method, level))
        low, high = signal / (1 + signal)
    return Interval(float(low), float(high), estimate, level, method)


def required_levels_interval(
    g,
    facet,
    target,
    coefficient="dependability",
    level=0.95,
    method="auto",
    *,
    design=None,
    fixed=(),
    resample=None,
    replicates=REPLICATES,
    seed=0,
    **levels,
):
    """Confidence interval of the fewest levels that reach a target.

    Parameters
    ----------
    g, facet, target, coefficient, design, fixed, **levels
        As in `required_levels`.
    level, method, resample, replicates, seed
        As in `coefficient_interval`.

    Returns
    -------
    Interval
        Whole numbers.  ``high`` is infinite, with the reason, if the
        coefficient may be so low that no number reaches the target.

    Raises
    ------
    ValueError
        As `required_levels` and `coefficient_interval` do.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(required_levels_interval(g, "topic", 0.95))
    258 [129, 486] (95%, arteaga)
    """
    check_coefficient(coefficient)
    check_target(target)
    _check_level(level)
    ready = plan(g, design, fixed=fixed)
    check_sought(facet, ready)
    levels = all_levels(g, ready, {**levels, facet: 1})
    if ready.coefficients(levels)["universe_score"] <= 0:
        return _no_interval(g, level, inf)
    others = {f: n for f, n in levels.items() if f != facet}
    estimate = required_levels(
        g, facet, target, coefficient, design=design, fixed=fixed, **others
    )
    method = _method(g, ready, coefficient, method)
    if method in DRAWN:
        drawn = replicate(g, method, resample, replicates, seed)
        found = _required(ready, facet, target, coefficient, levels, drawn)
        low, high = percentiles(found, level, method, estimate)
    else:
        signal = np.array(_signal_limits(g, method, level))
        with np.errstate(divide="ignore"):
            high, low = target / (1 - target) / signal
    reason = ""
    if not isfinite(high):
        reason = (
            f"no upper limit: {coefficient} may be so low that no number "
            f"of {facet}s reaches {target}"
        )
    low, high = _whole(low), _whole(high)
    return Interval(low, high, estimate, level, method, reason)


def component_intervals(
    g,
    level=0.95,
    method="auto",
    *,
    resample=None,
    replicates=REPLICATES,
    seed=0,
):
    """Confidence intervals of the variance components.

    Parameters
    ----------
    g : GStudy
    level : float in (0, 1)
    method : str
        ``"mls"``: modified large sample, for sums and differences of mean
        squares (Ting et al. 1990; Graybill & Wang 1980).
        ``"satterthwaite"``: as if the estimate were one chi-square; only
        good for components much larger than their error.  ``"pivotal"``,
        ``"parametric"``, ``"bootstrap"``: see `coefficient_interval`.
        ``"auto"``: ``"mls"`` for a balanced study, else ``"parametric"``.
    resample, replicates, seed : as in `coefficient_interval`

    Returns
    -------
    DataFrame, a row per effect
        ``estimate``, ``low``, ``high`` (NaN without an interval, never
        below zero), ``method`` and ``note``: of an estimate that is not
        above zero, why there is no interval, and how large the component
        may be all the same.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Examples
    --------
    >>> from gtlib import GStudy
    >>> g = GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> component_intervals(g)[["low", "high"]].round(4).values.tolist()
    [[0.0017, 0.0052], [0.0194, 0.0437], [0.0093, 0.0108]]
    """
    _check_study(g)
    _check_level(level)
    if method == "auto":
        balanced = known_mean_squares(g) is not None
        method = "mls" if balanced else "parametric"
    _check_method(g, method, (*CLOSED_FORMS, *DRAWN))
    estimates = g.variance.to_numpy()
    if method in DRAWN:
        drawn = replicate(g, method, resample, replicates, seed)
        limits = [
            percentiles(row, level, method, estimate)
            for row, estimate in zip(drawn, estimates, strict=True)
        ]
    else:
        solve = g.design.mean_squares_to_components(g.levels)
        df = g.design.degrees_of_freedom(g.levels)
        limits = [
            CLOSED_FORMS[method](row[row != 0], df[row != 0], level)
            for row in solve * known_mean_squares(g)
        ]
    low, high = np.maximum(np.transpose(limits), 0)
    none = estimates <= 0
    return pd.DataFrame(
        {
            "estimate": estimates,
            "low": np.where(none, np.nan, low),
            "high": np.where(none, np.nan, high),
            "method": method,
            "note": [
                _why_none(limit) if gone else ""
                for gone, limit in zip(none, high, strict=True)
            ],
        },
        index=g.variance.index,
    )


def _method(g, ready, coefficient, method):
    """The method that is meant, or a ValueError if it does not fit."""
    closed = _closed_form(g, ready, coefficient)
    if method == "auto":
        if known_mean_squares(g) is None and g.cells is not None:
            return "parametric"
        method = "exact" if closed else "pivotal"
    _check_method(g, method, ("exact", *DRAWN))
    if method == "exact" and not closed:
        raise ValueError(
            f"{coefficient} has no exact interval in the design "
            f"{ready.design}; use method='pivotal'."
        )
    return closed if method == "exact" else method


def _closed_form(g, ready, coefficient):
    """Feldt's interval needs one mean square of error, Arteaga's two."""
    if len(g.design.facets) > 2 or g.design.nesting[g.design.object]:
        return ""
    pooled = ready.pooling[ready.errors(coefficient)].any(axis=0)
    return "feldt" if pooled.sum() == 1 else "arteaga"


def _signal_limits(g, method, level):
    """Limits of signal to noise for one level of the other facet."""
    mean_squares = known_mean_squares(g)
    df = g.design.degrees_of_freedom(g.levels)
    system = g.design.labels.index(g.design.object)
    topics = next(n for f, n in g.levels.items() if f != g.design.object)
    if method == "feldt":
        used = [system, -1]
        limits = feldt(mean_squares[used], df[used], topics, level)
    else:
        used = [system, 1 - system, -1]
        sizes = g.levels[g.design.object], topics
        limits = arteaga(mean_squares[used], df[used], sizes, level)
    return np.maximum(limits, 0)


def replicate(g, method, resample, replicates, seed):
    """Components as other studies might give them, (effects, replicates),
    by one of the methods in `DRAWN`."""
    if method == "pivotal":
        return pivotal(g, replicates, seed)
    if method == "parametric":
        return parametric(g, replicates, seed)
    facets = _resampled(g, resample)
    return cluster(g.cells, facets, replicates, seed)


def _resampled(g, resample):
    design, levels = g.design, g.levels
    outermost = [f for f in design.facets if not design.nesting[f]]
    if resample is None:
        chosen = [
            f
            for f in outermost
            if levels[f] >= ENOUGH_LEVELS and f not in g.fixed
        ]
        if not chosen:
            raise ValueError(
                f"No facet has the {ENOUGH_LEVELS} levels that resampling "
                "needs; name one with resample=, or use another method."
            )
        return chosen
    chosen = as_facets(resample)
    for facet in chosen:
        if facet not in outermost:
            raise ValueError(
                f"resample={facet!r}: choose from "
                f"{', '.join(outermost)}, the facets of {design} that are "
                "nested in nothing."
            )
    return chosen


def _required(ready, facet, target, coefficient, levels, components):
    """The fewest levels, not rounded, for each replicate."""
    error = COEFFICIENTS[coefficient]
    one = ready.coefficients(levels, components)
    rest = ready.coefficients({**levels, facet: inf}, components)[error]
    allowed = one["universe_score"] * (1 - target) / target - rest
    shrinks = one[error] - rest
    enough = np.full(shrinks.shape, inf)
    return np.divide(shrinks, allowed, out=enough, where=allowed > 0)


def percentiles(drawn, level, method, estimate):
    """Quantiles of the replicates, corrected for the share of them that
    lie below the estimate unless they are pivotal."""
    tails = np.array([1 - level, 1 + level]) / 2
    if method != "pivotal":
        below = np.mean(drawn < estimate) + np.mean(drawn == estimate) / 2
        shift = 2 * scipy.special.ndtri(below)
        tails = scipy.special.ndtr(shift + scipy.special.ndtri(tails))
    return np.quantile(drawn, tails, method="nearest")


def _whole(number):
    """Rounded up, rounding errors forgiven."""
    return max(1, ceil(number * (1 - 1e-9))) if isfinite(number) else inf


def _no_interval(g, level, estimate):
    design = g.design
    reason = (
        f"the variance of {design.object} is estimated as "
        f"{g.variance[design.find(design.object)]:.3g}, not above zero, so "
        "the scores show no differences that could be told reliably"
    )
    return Interval(nan, nan, estimate, level, "none", reason)


def _why_none(limit):
    why = "no interval: the estimate is not above zero"
    if limit > 0:
        return f"{why}; the component may be as large as {limit:.3g}"
    return f"{why}, nor is the upper limit"


def _check_level(level):
    if not (isinstance(level, int | float) and 0 < level < 1):
        raise ValueError(
            f"level={level!r}: a confidence level lies between 0 and 1, "
            "both excluded; .95 is usual."
        )


def _check_study(g):
    if not isinstance(g, GStudy):
        raise ValueError(f"An interval needs a GStudy; got {g!r}.")


def _check_method(g, method, methods):
    if method not in methods:
        raise ValueError(
            f"method={method!r} is not known; choose 'auto' or "
            f"{' or '.join(map(repr, methods))}."
        )
    if method == "bootstrap":
        if g.cells is None:
            raise ValueError(
                "Resampling needs the scores, and this G-study was not "
                "made from a score table; use method='auto'."
            )
        return
    if g.cells is None and g.levels is None:
        raise ValueError(
            "Components alone do not say how sure they are: the levels "
            "that they were estimated from are needed. Give levels= to "
            "GStudy.from_components, or use GStudy.from_mean_squares."
        )
    if method != "parametric" and known_mean_squares(g) is None:
        raise ValueError(
            f"method={method!r} needs the mean squares of a balanced "
            "study, and this one is not; use 'parametric' or 'bootstrap'."
        )
