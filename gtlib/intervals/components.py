"""Intervals of variance components."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

import gtlib.tables.checks as checks
from gtlib.estimates import StudyData
from gtlib.intervals import limits, methods, replicates
from gtlib.intervals.jackknife import components_df, system_blocks
from gtlib.tables import count_noun

CLOSED_FORMS = {
    "mls": limits.modified_large_sample,
    "jackknife": limits.modified_large_sample,
}

_NORMAL = "for normal scores; too narrow where they are like AP"


def component_intervals(
    self: StudyData,
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
        be (chapter 9): of a balanced study with the scores of eight
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
    asked = groups is not None
    if asked and method not in ("auto", "jackknife"):
        raise ValueError(
            f"method={method!r} knows no groups of systems; leave method "
            "out."
        )
    leaves_out = self.cells is not None and self.cells.balanced
    if not asked and leaves_out and method in ("auto", "jackknife"):
        groups = self.groups
    methods_chosen = [method] * len(self.estimate)
    if groups is not None:
        methods_chosen = ["jackknife"] * len(self.estimate)
    elif method == "auto":
        methods_chosen = _choose_methods(self)
    by_method = {
        name: _limits(self, name, groups, level, n_resamples, seed)
        for name in dict.fromkeys(methods_chosen)
    }
    limits_of_effects = [
        by_method[name][k] for k, name in enumerate(methods_chosen)
    ]
    low, high = np.maximum(np.transpose(limits_of_effects), 0)
    notes = list(map(_note, self.estimate, high))
    if not notes[-1] and methods_chosen[-1] not in (
        "bootstrap",
        "jackknife",
    ):
        notes[-1] = _NORMAL
    of_groups = _note_groups(self, groups)
    notes = ["; ".join(filter(None, [of_groups, note])) for note in notes]
    return self.estimate.to_frame("estimate").assign(
        low=low, high=high, method=methods_chosen, note=notes
    )


def _choose_methods(g):
    """Choose a method for each effect, by the coverage in chapter 9."""
    if g.incidence is not None:
        return [methods.choose_with_gaps(g)] * len(g.estimate)
    systems = g.levels.get(g.design.object, 0)
    if g.cells is None or systems < methods.ENOUGH_SYSTEMS:
        return ["mls"] * len(g.estimate)
    chosen = ["jackknife"] * len(g.estimate)
    facets = [f for f, nests in g.design.nesting.items() if not nests]
    if len(methods.resampled_facets(g)) == len(facets):
        chosen[-1] = "bootstrap"
    return chosen


def _limits(g, method, groups, level, n_resamples, seed):
    """Compute low and high of each effect, (effects, 2)."""
    methods.check_method(g, method, CLOSED_FORMS)
    estimates = g.estimate.to_numpy()
    if method in methods.DRAWING_METHODS:
        replicated = methods.replicate(g, method, n_resamples, seed)
        return [
            methods.percentiles(row, level, method, estimate)
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
        df = components_df(g, groups)
    return [
        CLOSED_FORMS[method](row[row != 0], df[row != 0], level)
        for row in solve * replicates.study_mean_squares(g)
    ]


def _note_groups(g, groups):
    """Say whether known groups of systems are too few, or left out of
    account."""
    if groups is not None:
        n = int(system_blocks(g, groups).max()) + 1
        if n < methods.ENOUGH_GROUPS:
            return methods.TOO_FEW.format(count_noun(n, "group"))
    elif g.groups is not None:
        return methods.EACH_FOR_ITSELF.format(g.design.object)
    return ""


def _note(estimate, high):
    if estimate > 0:
        return ""
    if high > 0:
        return "the estimate is not above zero"
    return "the estimate is not above zero, nor is the upper limit"
