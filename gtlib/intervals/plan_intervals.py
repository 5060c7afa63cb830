"""Intervals of coefficients, and of the numbers of levels that reach
them."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import ceil, inf, isfinite, nan

import numpy as np

import gtlib.tables.checks as checks
from gtlib.dstudy import DStudy
from gtlib.dstudy.d_study import required_levels_parts
from gtlib.estimates.coefficients import coefficient_of_ratio, error_name
from gtlib.intervals import limits, methods, replicates
from gtlib.tables import Interval, plural


def interval(
    self: DStudy,
    coefficient: str,
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Compute the confidence interval of a coefficient.

    Parameters
    ----------
    coefficient : {"dependability", "generalizability"}
        The coefficient that the interval is of.
    groups : mapping or Series of system to group, optional
        Which systems belong together: runs of one group, checkpoints of
        one model.  The interval is then about other groups; only for
        ``"auto"``.  Without it, the study's own (``gstudy(groups=)``).
    confidence_level : float in (0, 1)
        Confidence level of the interval.
    method : str
        ``"exact"``, of two facets: Feldt (1965) for Eρ², which is exact
        for normal scores; Arteaga, Jeyaratnam & Franklin (1982) for Φ,
        which is a close approximation.  ``"pivotal"``: the generalized
        interval of a balanced study of any design, from replicates of its
        mean squares (equal to Feldt's where that exists).
        ``"profile"``: the coefficients that the restricted likelihood does
        not refute, of any study; its highest point is the estimate of
        ``method="reml"``.  ``"bootstrap"``: levels of the facets nested in
        nothing that have at least five, resampled from the scores.
        ``"auto"``: exact, else pivotal; with gaps profile, or bootstrap if
        the study's estimates are Henderson's.  It puts all but the last on
        the degrees of freedom that the scores show
        (``gtlib.intervals.jackknife``), which the result's ``method`` says,
        and widens limits by which Φ would exceed Eρ²; asked for by name,
        they take scores to be normal.
    n_resamples, seed : int
        Of the methods that draw: pivotal and bootstrap.  All studies share
        the draws of a seed: 500 of them keep 93 to 96 of a hundred.

    Returns
    -------
    Interval
        From 0, with the reason, if the object of measurement shows no
        variance.  Without limits, and with the reason, if the scores leave
        no error.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Notes
    -----
    With F = MS_s/MS_e, Feldt's limits of σ²(s)/σ²(e) are
    (F/F_p - 1)/n_t, F_p the quantile of F with the two mean squares'
    degrees of freedom.  The bootstrap has bias-corrected percentiles
    (Efron 1981).  Where systems are not normal, Feldt's interval
    holds the truth in another share of studies than it promises: in
    populations made of twenty collections, systems drawn one by one,
    ``"auto"`` kept 87 to 99 of a hundred with 30 systems, ``"exact"`` 78 to
    99.  Where whole groups were drawn, ``"auto"`` kept 70 to 98, and with
    `groups` 90 to 99 (chapter 9).  With normal scores of 5 x 10 and 8 x 25
    it kept 98 to 99 (1,500 studies each), and was wider than ``"exact"``.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(g.plan().interval("generalizability"))
    generalizability 0.9333 [0.8942, 0.9633] (95%, feldt)
    """
    error_name(coefficient)  # refuses what is none
    level = checks.confidence_level(confidence_level)
    drawing = n_resamples, seed
    found = _interval(self, coefficient, groups, level, method, drawing)
    if method != "auto":
        return found
    # The coefficients have different r; Φ is never above Eρ², so neither
    # are its limits.
    if coefficient == "generalizability":
        other = _interval(
            self, "dependability", groups, level, method, drawing
        )
        return replace(found, high=max(found.high, other.high))
    other = _interval(
        self, "generalizability", groups, level, method, drawing
    )
    return replace(found, low=min(found.low, other.low))


def _interval(plan, coefficient, groups, level, method, drawing):
    """Compute the interval of one coefficient, without the other's."""
    estimate = getattr(plan, coefficient)
    error = error_name(coefficient)
    interval_method = _choose_method(plan, coefficient, method, groups)
    if interval_method.method in methods.DRAWING_METHODS:
        drawn_components = interval_method.replicate(plan.study, *drawing)
        coefficients = plan.coefficients(drawn_components)[coefficient]
        low, high = methods.percentiles(
            coefficients, level, interval_method.method, estimate
        )
    elif interval_method.method == "profile":
        rows = plan.coefficients(np.eye(len(plan.study.estimate)))
        signal = plan.study.profile.ratio(
            rows["universe_score"],
            rows[error],
            interval_method.level(level),
        )
        low, high = coefficient_of_ratio(signal)
    elif _no_error(plan.study):
        return _without_limits(estimate, level, coefficient)
    else:
        (n,) = plan.levels.values()
        low, high = coefficient_of_ratio(
            n * _signal_limits(plan.study, interval_method, level)
        )
    reason = interval_method.note
    if plan.universe_score <= 0:
        name = plan.study.design.object
        zero = plan.study.estimate[plan.study.design.find(name)]
        reason = (
            f"the variance of {name} is estimated as {zero:.3g}, not above "
            "zero"
        )
        if high <= 0:
            reason += ", nor is the upper limit"
        if interval_method.note:
            reason += f"; {interval_method.note}"
    return Interval(
        float(low),
        float(high),
        estimate,
        level,
        str(interval_method),
        reason,
        coefficient,
    )


def required_interval(
    self: DStudy,
    facet: str,
    target: float,
    coefficient: str = "dependability",
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> Interval:
    """Compute the interval of the fewest levels for a target.

    Parameters
    ----------
    facet, target, coefficient
        As in `Plan.required`.
    groups, confidence_level, method, n_resamples, seed
        As in `Plan.interval`.

    Returns
    -------
    Interval
        Whole numbers.  ``high`` is infinite, with the reason, if the
        coefficient may be so low that no number reaches the target; so
        is ``estimate``, if it is.

    Raises
    ------
    ValueError
        As `Plan.interval` does, or if no number of the facet can be
        sought.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> print(g.plan().required_interval("topic", 0.95))
    number of topics 258 [129, 486] (95%, arteaga)
    """
    target = checks.target(target)
    level = checks.confidence_level(confidence_level)
    options = groups, level, method, (n_resamples, seed)
    found = _required_interval(self, facet, target, coefficient, *options)
    if method != "auto":
        return found
    # As in `interval`: Φ never asks for fewer than Eρ².
    if coefficient == "generalizability":
        other = _required_interval(
            self, facet, target, "dependability", *options
        )
        return replace(found, low=min(found.low, other.low))
    other = _required_interval(
        self, facet, target, "generalizability", *options
    )
    high = max(found.high, other.high)
    reason = found.reason
    if high > found.high:
        reason = reason or other.reason
    return replace(found, high=high, reason=reason)


def _required_interval(
    plan, facet, target, coefficient, groups, level, method, drawing
):
    """Compute the interval of a number, without the other coefficient's."""
    # The fewest levels are a quotient of two functions of the components.
    parts_of_quotient = partial(
        required_levels_parts, plan, facet, target, error_name(coefficient)
    )
    parts_of_quotient()  # refuses what cannot be asked
    estimate, reason = inf, ""
    try:
        estimate = plan.required(facet, target, coefficient)
    except ValueError as unreached:
        reason = str(unreached).removesuffix(".")
    interval_method = _choose_method(plan, coefficient, method, groups)
    if interval_method.method in methods.DRAWING_METHODS:
        drawn_components = interval_method.replicate(plan.study, *drawing)
        shrinks, allowed = parts_of_quotient(drawn_components)
        numbers = np.full(shrinks.shape, inf)
        np.divide(shrinks, allowed, out=numbers, where=allowed > 0)
        low, high = methods.percentiles(
            numbers, level, interval_method.method, estimate
        )
    elif interval_method.method == "profile":
        shrinks, allowed = parts_of_quotient(
            np.eye(len(plan.study.estimate))
        )
        profile = plan.study.profile
        low, high = profile.ratio(
            shrinks, allowed, interval_method.level(level)
        )
    elif _no_error(plan.study):
        return _without_limits(
            estimate, level, f"number of {plural(facet)}"
        )
    else:
        signal = _signal_limits(plan.study, interval_method, level)
        with np.errstate(divide="ignore"):
            high, low = target / (1 - target) / signal
    if not isfinite(high) and not reason:
        reason = (
            f"no upper limit: {coefficient} may be so low that no number "
            f"of {plural(facet)} reaches {target}"
        )
    if not isfinite(low):
        reason += f"; within the limits no number reaches {target}"
    reason = "; ".join(filter(None, [reason, interval_method.note]))
    return Interval(
        _round_up(low),
        _round_up(high),
        estimate,
        level,
        str(interval_method),
        reason,
        of=f"number of {plural(facet)}",
    )


def _choose_method(plan, coefficient, method, groups):
    """Choose the method of an interval, or refuse one that does not fit."""
    g = plan.study
    closed_form = _closed_form(plan, coefficient)
    chosen = method
    if method == "auto":
        chosen = "exact" if closed_form else "pivotal"
        if g.incidence is not None:
            chosen = methods.choose_with_gaps(g)
    methods.check_method(g, chosen, ("exact",))
    if chosen == "exact" and not closed_form:
        raise ValueError(
            f"{coefficient} has no exact interval in the design "
            f"{plan.design}; use method='pivotal'."
        )
    name = closed_form if chosen == "exact" else chosen
    takes_normal_scores = method != "auto" or name == "bootstrap"
    if groups is not None and takes_normal_scores:
        raise ValueError(
            f"method={chosen!r} knows no groups of systems; leave method "
            "out, and estimate by 'anova' or 'reml'."
        )
    if takes_normal_scores or (g.cells is None and groups is None):
        note = ""
        if g.groups is not None and method == "auto":
            note = methods.EACH_FOR_ITSELF.format(g.design.object)
        return methods.IntervalMethod(name, note=note)
    if groups is None:
        groups = g.groups
    return methods.IntervalMethod.from_scores(
        plan, name, coefficient, groups
    )


def _closed_form(plan, coefficient):
    """Name the closed form of a plan, or "" if it has none: Feldt's
    interval needs one mean square of error, Arteaga's two."""
    design = plan.study.design
    if len(design.facets) != 2 or design.nesting[design.object]:
        return ""
    pooled = plan.effects.pooling[plan.effects.errors(coefficient)]
    return "feldt" if pooled.any(axis=0).sum() == 1 else "arteaga"


def _signal_limits(g, interval_method, level):
    """Compute limits of signal to noise, for one level of the facet."""
    mean_squares = replicates.study_mean_squares(g)
    df = g.design.degrees_of_freedom(g.levels) / interval_method.stretch
    system = g.design.labels.index(g.design.object)
    topics = next(n for f, n in g.levels.items() if f != g.design.object)
    if interval_method.method == "feldt":
        effects = [system, -1]
        signal = limits.feldt(
            mean_squares[effects], df[effects], topics, level
        )
    else:
        effects = [system, 1 - system, -1]
        sizes = g.levels[g.design.object], topics
        signal = limits.arteaga(
            mean_squares[effects], df[effects], sizes, level
        )
    return np.maximum(signal, 0)


def _no_error(g):
    """Return whether the scores leave no error, but for rounding."""
    squares = replicates.study_mean_squares(g)
    return squares[-1] <= 1e-18 * squares.max()


def _round_up(number):
    """Round up, forgiving rounding errors; infinity stays."""
    if not isfinite(number):
        return inf
    return max(1, ceil(number * (1 - 1e-9)))


def _without_limits(estimate, level, of):
    """Return the interval where the scores leave no error."""
    return Interval(nan, nan, estimate, level, "none", _NO_ERROR, of)


_NO_ERROR = (
    "the residual mean square is 0: the scores leave no error to judge the "
    "estimate by"
)
