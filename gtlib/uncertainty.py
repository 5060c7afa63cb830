"""How sure a study and its plans are: which interval, by which method.

Intervals of variance components, of coefficients, and of the numbers of
levels that reach them. What computes them from arrays is in `intervals`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import ceil, inf, isfinite, nan
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib import checks, intervals
from gtlib.anova import (
    COEFFICIENTS,
    balanced_mean_squares,
    coefficient_of_ratio,
    error_name,
    largest_error,
)
from gtlib.checks import count_noun, list_some, one_of, plural
from gtlib.intervals import (
    DRAWING_METHODS,
    ENOUGH_LEVELS,
    ErrorOfNumber,
    IntervalMethod,
    percentiles,
)
from gtlib.scores import Interval, require_cells

if TYPE_CHECKING:
    from gtlib.gtheory import GStudy, Plan

# With fewer systems, or groups of them, no coverage was shown (chapter 10).
ENOUGH_SYSTEMS, ENOUGH_GROUPS = 8, 5

TOO_FEW = (
    "{} are too few to show how they scatter: whether the interval holds "
    "is not known"
)
EACH_FOR_ITSELF = (
    "this method takes each {} for itself, and not its group: too narrow "
    "if those of one group are alike"
)
_NORMAL = "for normal scores; too narrow where they are like AP"
_NO_ERROR = (
    "the residual mean square is 0: the scores leave no error to judge the "
    "estimate by"
)

# What a study offers: mean squares, or scores to draw from.


def is_balanced(g: GStudy) -> bool:
    """Return whether a G-study is or could be of a balanced table."""
    return g.incidence is None and bool(g.levels)


def study_mean_squares(g: GStudy) -> np.ndarray:
    """Return the mean squares of a study for which `is_balanced` holds."""
    if g.mean_squares is not None:
        return g.mean_squares.to_numpy()
    if g.cells is not None:
        return balanced_mean_squares(g.cells.array(), g.design)
    solve = g.design.mean_squares_to_components(g.levels)
    return np.linalg.solve(solve, g.estimate.to_numpy())


def resampled_facets(g: GStudy) -> list[str]:
    """List the facets with enough levels that are nested in nothing."""
    return [
        f
        for f in g.design.facets
        if not g.design.nesting[f] and g.levels[f] >= ENOUGH_LEVELS
    ]


def choose_with_gaps(g: GStudy) -> str:
    """Choose the method for a study with gaps, by its estimates."""
    return "bootstrap" if g.method == "henderson" else "profile"


def check_method(
    g: GStudy, method: str, closed: Iterable[str] = ()
) -> None:
    """Refuse a method that is unknown or does not fit the study; `closed`
    are the methods in closed form."""
    one_of(method, "method", ("auto", *closed, "profile", *DRAWING_METHODS))
    if method in ("bootstrap", "profile", "jackknife"):
        require_cells(g.cells, f"method={method!r} needs")
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


def replicate(
    g: GStudy,
    method: str,
    n_resamples: int,
    seed: int,
    stretch: float = 1.0,
) -> np.ndarray:
    """Draw components as other studies might give them, (effects,
    n_resamples), by a method in `DRAWING_METHODS`; `stretch` divides the
    degrees of freedom of the pivotal one."""
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    if method == "pivotal":
        return intervals.pivotal(
            study_mean_squares(g),
            g.design.degrees_of_freedom(g.levels) / stretch,
            g.design.mean_squares_to_components(g.levels),
            n_resamples,
            seed,
        )
    cells = require_cells(g.cells, "method='bootstrap' needs")
    facets = resampled_facets(g)
    if not facets:
        raise ValueError(
            f"No facet has the {ENOUGH_LEVELS} levels that resampling "
            "needs; use another method."
        )
    return intervals.cluster_bootstrap(cells, facets, n_resamples, seed)


def group_numbers(g: GStudy, groups: Mapping | None) -> np.ndarray | None:
    """Number the group of each system; None without groups."""
    if groups is None:
        return None
    return pd.factorize(system_groups(g, groups))[0]


def system_groups(g: GStudy, groups: Mapping) -> pd.Series:
    """Return the group of each system of a study, as text."""
    object_ = g.design.object
    names = require_cells(g.cells, "groups= needs").labels[object_]
    if g.design.nesting[object_]:
        raise ValueError(
            f"{plural(object_)} are nested in another facet; groups= is "
            f"for {plural(object_)} that are nested in nothing."
        )
    if not isinstance(groups, Mapping | pd.Series):
        raise ValueError("groups maps each system to its group, as a dict.")
    known = pd.Series(groups, dtype=object)
    if not known.index.is_unique:
        raise ValueError("groups names a system twice.")
    group = known.reindex(names)
    if group.isna().any():
        ungrouped = list_some(names[group.isna()])
        raise ValueError(f"groups has no group for {object_} {ungrouped}.")
    group = group.astype(str)
    if len(group.unique()) == 1:
        raise ValueError(
            f"groups puts every {object_} into the group {group.iloc[0]}: "
            "an interval needs two groups or more."
        )
    return group


# Intervals of variance components.


def component_intervals(
    self: GStudy,
    *,
    groups: Mapping | None = None,
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute confidence intervals of the variance components.

    Parameters
    ----------
    groups : mapping or Series of system to group, optional
        Which systems belong together, as `Plan.interval` takes it: all
        effects then have ``"jackknife"``, which leaves out groups as a
        whole, and needs a balanced study with scores.  Without it, the
        study's own (``gstudy(groups=)``).
    confidence_level : float in (0, 1)
        Confidence level of each single interval.
    method : str
        ``"mls"``: modified large sample, for sums and differences of mean
        squares (Ting et al. 1990; Graybill & Wang 1980).
        ``"jackknife"``: ``"mls"`` on the degrees of freedom that each
        mean square has by the jackknife over its facets.
        ``"profile"``, ``"pivotal"``, ``"bootstrap"``: see
        `Plan.interval`.  ``"auto"``, by what their coverage was shown to
        be (chapter 10): of a balanced study with the scores of eight
        systems or more ``"jackknife"``, and of these ``"bootstrap"`` for
        the last effect, the interaction that holds the error, if every
        facet that it draws has five levels; of any other ``"mls"``, with
        gaps ``"profile"``, or ``"bootstrap"`` around Henderson's estimates.
    n_resamples, seed : as in `Plan.interval`

    Returns
    -------
    DataFrame, a row per effect
        ``estimate``, ``low`` and ``high`` (never below zero), ``method``,
        and ``note``: that the estimate is not above zero, that the last
        effect's takes scores to be normal, or that groups are few or not
        used.

    Raises
    ------
    ValueError
        If the method does not fit the study, or an argument is not right.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_mean_squares(
    ...     "system x topic", {"system": 30, "topic": 50},
    ...     {"system": 0.15, "topic": 0.85, "system x topic": 0.01})
    >>> table = g.component_intervals()
    >>> table[["low", "high"]].round(4).values.tolist()
    [[0.0017, 0.0052], [0.0194, 0.0437], [0.0093, 0.0108]]
    """
    level = checks.confidence_level(confidence_level)
    drawing = checks.resamples(n_resamples), checks.seed(seed)
    checks.label(method, "method")
    asked = groups is not None
    if asked and method not in ("auto", "jackknife"):
        raise ValueError(
            f"method={method!r} knows no groups of systems; leave method "
            "out."
        )
    leaves_out = self.cells is not None and self.cells.balanced
    if not asked and leaves_out and method in ("auto", "jackknife"):
        groups = self.groups
    chosen = [method] * len(self.estimate)
    if groups is not None:
        chosen = ["jackknife"] * len(self.estimate)
    elif method == "auto":
        chosen = _choose_methods(self)
    methods = dict.fromkeys(chosen)
    for name in methods:
        check_method(self, name, ("mls", "jackknife"))
    block = group_numbers(self, groups)
    by_method = {
        name: _limits(self, name, block, level, drawing) for name in methods
    }
    limits = [by_method[name][k] for k, name in enumerate(chosen)]
    low, high = np.maximum(np.transpose(limits), 0)
    notes = list(map(_note, self.estimate, high))
    if not notes[-1] and chosen[-1] not in ("bootstrap", "jackknife"):
        notes[-1] = _NORMAL
    of_groups = _note_groups(self, block)
    notes = ["; ".join(filter(None, [of_groups, note])) for note in notes]
    return self.estimate.to_frame("estimate").assign(
        low=low, high=high, method=chosen, note=notes
    )


def _choose_methods(g):
    """Choose a method for each effect, by the coverage in chapter 10."""
    if g.incidence is not None:
        return [choose_with_gaps(g)] * len(g.estimate)
    systems = g.levels.get(g.design.object, 0)
    if g.cells is None or systems < ENOUGH_SYSTEMS:
        return ["mls"] * len(g.estimate)
    chosen = ["jackknife"] * len(g.estimate)
    facets = [f for f, nests in g.design.nesting.items() if not nests]
    if len(resampled_facets(g)) == len(facets):
        chosen[-1] = "bootstrap"
    return chosen


def _limits(g, method, block, level, drawing):
    """Compute low and high of each effect, (effects, 2)."""
    estimates = g.estimate.to_numpy()
    if method in DRAWING_METHODS:
        replicated = replicate(g, method, *drawing)
        return [
            percentiles(row, level, method, estimate)
            for row, estimate in zip(replicated, estimates, strict=True)
        ]
    if method == "profile":
        profile = g.profile
        limits_of_shares = []
        for k, share in enumerate(profile.top.components):
            row = np.eye(len(estimates))[k]
            limits_of_shares.append(
                profile.limits(lambda x, row=row: (row, x), share, level)
            )
        return profile.scale * np.array(limits_of_shares)
    solve = g.design.mean_squares_to_components(g.levels)
    df = g.design.degrees_of_freedom(g.levels)
    if method == "jackknife":
        cells = require_cells(g.cells, "method='jackknife' needs")
        df = intervals.components_df(cells, block)
    return [
        intervals.modified_large_sample(row[row != 0], df[row != 0], level)
        for row in solve * study_mean_squares(g)
    ]


def _note_groups(g, block):
    """Say whether known groups of systems are too few, or left out of
    account."""
    if block is not None:
        n = int(block.max()) + 1
        if n < ENOUGH_GROUPS:
            return TOO_FEW.format(count_noun(n, "group"))
    elif g.groups is not None:
        return EACH_FOR_ITSELF.format(g.design.object)
    return ""


def _note(estimate, high):
    if estimate > 0:
        return ""
    if high > 0:
        return "the estimate is not above zero"
    return "the estimate is not above zero, nor is the upper limit"


# Intervals of coefficients, and of the numbers of levels that reach them.


def interval(
    self: Plan,
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
        the study's estimates are Henderson's.  Where the study has scores
        it puts all but the last on the degrees of freedom that these show
        (``gtlib.intervals``), and widens limits by which Φ would exceed
        Eρ²; asked for by name, they take scores to be normal.  The
        result's ``method`` says which it was: ``"feldt"`` is Feldt's with
        its own degrees of freedom, ``"stretched feldt"`` with those that
        the scores show.
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
    (Efron 1981).

    The default, for Eρ², Φ and Cronbach's alpha alike, is ``"auto"``, the
    stretched interval where there are scores, since scores of systems are
    seldom normal, and then Feldt's interval holds the truth in another
    share of studies than it promises: in
    populations made of twenty collections, systems drawn one by one,
    ``"auto"`` kept 87 to 99 of a hundred with 30 systems, ``"exact"`` 78 to
    99.  Where whole groups were drawn, ``"auto"`` kept 70 to 98, and with
    `groups` 90 to 99 (chapter 10).  With normal scores of 5 x 10 and 8 x 25
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
    checks.label(method, "method")
    drawing = checks.resamples(n_resamples), checks.seed(seed)
    found = {
        name: _interval(self, name, chosen, level, drawing)
        for name, chosen in _choose(
            self, coefficient, method, groups
        ).items()
    }
    if method != "auto":
        return found[coefficient]
    # The coefficients have different r; Φ is never above Eρ², so neither
    # are its limits.
    relative, absolute = (found[name] for name in COEFFICIENTS)
    if coefficient == "generalizability":
        return replace(relative, high=max(relative.high, absolute.high))
    return replace(absolute, low=min(relative.low, absolute.low))


def _interval(plan, coefficient, chosen, level, drawing):
    """Compute the interval of one coefficient, without the other's."""
    estimate = getattr(plan, coefficient)
    if chosen.method in DRAWING_METHODS:
        n_resamples, seed = drawing
        drawn = replicate(
            plan.study, chosen.method, n_resamples, seed, chosen.stretch
        )
        coefficients = plan.coefficients(drawn)[coefficient]
        low, high = percentiles(
            coefficients, level, chosen.method, estimate
        )
    elif chosen.method == "profile":
        rows = plan.sums(np.eye(len(plan.study.estimate)))
        signal = plan.study.profile.ratio(
            rows["universe_score"],
            rows[error_name(coefficient)],
            chosen.level(level),
        )
        low, high = coefficient_of_ratio(signal)
    elif _no_error(plan.study):
        return _without_limits(estimate, level, coefficient)
    else:
        (n,) = plan.levels.values()
        low, high = coefficient_of_ratio(
            n * _signal_limits(plan.study, chosen, level)
        )
    reason = chosen.note
    if plan.universe_score <= 0:
        reason = (
            f"the variance of {plan.design.object} is estimated as "
            f"{plan.sums()['universe_score']:.3g}, not above zero"
        )
        if high <= 0:
            reason += ", nor is the upper limit"
        if chosen.note:
            reason += f"; {chosen.note}"
    return Interval(
        float(low),
        float(high),
        estimate,
        level,
        str(chosen),
        reason,
        coefficient,
    )


def required_interval(
    self: Plan,
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
    checks.label(method, "method")
    options = level, (checks.resamples(n_resamples), checks.seed(seed))
    error_of_number(self, facet, coefficient)  # refuses what has no number
    found = {
        name: _required_interval(self, facet, target, name, chosen, options)
        for name, chosen in _choose(
            self, coefficient, method, groups
        ).items()
    }
    if method != "auto":
        return found[coefficient]
    # As in `interval`: Φ never asks for fewer than Eρ².
    relative, absolute = (found[name] for name in COEFFICIENTS)
    if coefficient == "generalizability":
        return replace(relative, low=min(relative.low, absolute.low))
    reason = absolute.reason
    if relative.high > absolute.high:
        reason = reason or relative.reason
    high = max(relative.high, absolute.high)
    return replace(absolute, high=high, reason=reason)


def _required_interval(plan, facet, target, coefficient, chosen, options):
    """Compute the interval of a number, without the other coefficient's."""
    level, drawing = options
    estimate, reason = inf, ""
    try:
        estimate = plan.required(facet, target, coefficient)
    except ValueError as unreached:
        reason = str(unreached).removesuffix(".")
    if chosen.method in DRAWING_METHODS:
        n_resamples, seed = drawing
        drawn = replicate(
            plan.study, chosen.method, n_resamples, seed, chosen.stretch
        )
        error = error_of_number(plan, facet, coefficient, drawn)
        low, high = percentiles(
            error.fewest(target),
            level,
            chosen.method,
            estimate,
        )
    elif chosen.method == "profile":
        # No component is negative there, so the error is its own sum, and
        # the number a ratio of two sums.
        effects = np.eye(len(plan.study.estimate))
        rows = error_of_number(plan, facet, coefficient, effects)
        allowed = largest_error(rows.universe, target) - rows.endless[-1]
        low, high = plan.study.profile.ratio(
            rows.shrinks[-1], allowed, chosen.level(level)
        )
    elif _no_error(plan.study):
        return _without_limits(
            estimate, level, f"number of {plural(facet)}"
        )
    else:
        signal = _signal_limits(plan.study, chosen, level)
        with np.errstate(divide="ignore"):
            high, low = target / (1 - target) / signal
    if not isfinite(high) and not reason:
        reason = (
            f"no upper limit: {coefficient} may be so low that no number "
            f"of {plural(facet)} reaches {target}"
        )
    if not isfinite(low):
        reason += f"; within the limits no number reaches {target}"
    reason = "; ".join(filter(None, [reason, chosen.note]))
    return Interval(
        _round_up(low),
        _round_up(high),
        estimate,
        level,
        str(chosen),
        reason,
        of=f"number of {plural(facet)}",
    )


def _choose(plan, coefficient, method, groups):
    """Choose the method of an interval, or refuse one that does not fit.
    Limits that are to agree with the other coefficient's need both."""
    if method != "auto":
        name = _method_called(plan, coefficient, method)
        if groups is not None:
            raise _no_groups(method)
        return {coefficient: IntervalMethod(name)}
    g = plan.study
    names = {c: _method_called(plan, c, "auto") for c in COEFFICIENTS}
    normal = "bootstrap" in names.values()
    if normal and groups is not None:
        raise _no_groups("bootstrap")
    if normal or (g.cells is None and groups is None):
        note = ""
        if g.groups is not None:
            note = EACH_FOR_ITSELF.format(g.design.object)
        return {c: IntervalMethod(n, note=note) for c, n in names.items()}
    block = group_numbers(g, g.groups if groups is None else groups)
    cells = require_cells(g.cells, "The jackknife needs")
    r = intervals.stretches(cells, plan.effects, block)
    return {c: _stretched(g, n, r[c], block) for c, n in names.items()}


def _no_groups(method):
    """Return the error for a method that takes each system for itself."""
    return ValueError(
        f"method={method!r} knows no groups of systems; leave method out, "
        "and estimate by 'anova' or 'reml'."
    )


def _stretched(g, method, r, block):
    """Return a method on degrees of freedom over r, and say how many
    systems, or groups of them, show it."""
    systems = len(g.cells.labels[g.design.object])
    df = systems - 1
    df_text = f", {df / r:.3g} df in place of {df}"
    too_few = ""
    if systems < ENOUGH_SYSTEMS:
        too_few = count_noun(systems, g.design.object)
    if block is not None:
        groups = int(block.max()) + 1
        df_text += f", {count_noun(groups, 'group')}"
        if groups < ENOUGH_GROUPS and not too_few:
            too_few = count_noun(groups, "group")
    note = TOO_FEW.format(too_few) if too_few else ""
    return IntervalMethod(method, r, df_text, note)


def _method_called(plan, coefficient, method):
    """Name the method for one coefficient; refuse what does not fit."""
    g = plan.study
    closed_form = _closed_form(plan, coefficient)
    chosen = method
    if method == "auto":
        chosen = "exact" if closed_form else "pivotal"
        if g.incidence is not None:
            chosen = choose_with_gaps(g)
    check_method(g, chosen, ("exact",))
    if chosen == "exact" and not closed_form:
        raise ValueError(
            f"{coefficient} has no exact interval in the design "
            f"{plan.design}; use method='pivotal'."
        )
    return closed_form if chosen == "exact" else chosen


def _closed_form(plan, coefficient):
    """Name the closed form of a plan, or "" if it has none: Feldt's
    interval needs one mean square of error, Arteaga's two."""
    design = plan.study.design
    if len(design.facets) != 2 or design.nesting[design.object]:
        return ""
    pooled = plan.effects.pooling[plan.effects.errors(coefficient)]
    return "feldt" if pooled.any(axis=0).sum() == 1 else "arteaga"


def _signal_limits(g, chosen, level):
    """Compute limits of signal to noise, for one level of the facet."""
    mean_squares = study_mean_squares(g)
    df = g.design.degrees_of_freedom(g.levels) / chosen.stretch
    system = g.design.labels.index(g.design.object)
    topics = next(n for f, n in g.levels.items() if f != g.design.object)
    if chosen.method == "feldt":
        effects = [system, -1]
        signal = intervals.feldt(
            mean_squares[effects], df[effects], topics, level
        )
    else:
        effects = [system, 1 - system, -1]
        sizes = g.levels[g.design.object], topics
        signal = intervals.arteaga(
            mean_squares[effects], df[effects], sizes, level
        )
    return np.maximum(signal, 0)


def _no_error(g):
    """Return whether the scores leave no error, but for rounding."""
    squares = study_mean_squares(g)
    return squares[-1] <= 1e-18 * squares.max()


def _round_up(number):
    """Round up, forgiving rounding errors; infinity stays."""
    if not isfinite(number):
        return inf
    return max(1, ceil(number * (1 - 1e-9)))


def _without_limits(estimate, level, of):
    """Return the interval where the scores leave no error."""
    return Interval(nan, nan, estimate, level, "none", _NO_ERROR, of)


def error_of_number(
    plan: Plan,
    facet: str,
    coefficient: str,
    components: np.ndarray | None = None,
) -> ErrorOfNumber:
    """Return the error of a plan as the number of one facet changes, or
    refuse a facet that has no number to be sought."""
    error_name(coefficient)  # refuses what is none
    if not isinstance(facet, str) or facet not in plan.design.facets:
        raise ValueError(
            f"{checks.shown(facet)} is no facet of the design "
            f"{plan.design}."
        )
    if facet not in plan.effects.facets:
        raise ValueError(
            f"{facet} is the object of measurement: more of it does "
            "not make its scores more reliable."
        )
    if facet in plan.fixed:
        raise ValueError(f"{facet} is fixed: its number cannot change.")
    single = plan.sums(components, {facet: 1})
    endless = plan.sums(components, {facet: inf})
    return ErrorOfNumber.from_sums(single, endless, coefficient)
