"""The atlas: any collection of scores in one row, by one error model.

``data/collections.csv`` says of each public collection which data set it
is, which of its facets is what, who belongs together and what is left out;
`read` follows it, and `row` judges what comes, or anybody's own scores.
``data/build/atlas.py`` writes the rows of all to ``data/scores/atlas.csv``.
"""

from collections.abc import Iterable
from itertools import combinations
from math import isfinite, nan
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from gtlib import (
    Design,
    GStudy,
    Plan,
    as_wide,
    datasets,
    gstudy,
    kendall_tau,
    leaderboard,
    load,
    read_runs,
)
from gtlib.collections import data_folder
from gtlib.comparisons import f_power, means_of
from gtlib.tables import CODES, as_design, is_long, some

TARGETS = (0.80, 0.90, 0.95)
BEST = 10
ALPHA, POWER = 0.05, 0.8  # of the difference that the items show
RESAMPLES = 200  # of tau


class Collection(NamedTuple):
    """A collection as `row` takes it, and what was left out of it."""

    scores: pd.DataFrame
    design: str
    families: pd.Series | None
    judge: str
    dropped: str


def catalogue() -> pd.DataFrame:
    """What the atlas reads, by the name of the collection."""
    path = data_folder() / "collections.csv"
    table = pd.read_csv(path, keep_default_na=False).join(
        datasets().set_index("name"), "data", rsuffix="_of_all"
    )
    return table.set_index("collection")


def read(name: str) -> Collection:
    """One of the collections of the catalogue, as it is judged.

    Raises
    ------
    ValueError
        If the catalogue has no collection of this name.
    gtlib.DatasetUnavailable
        If its data are not here and cannot be fetched now.
    """
    rows = catalogue()
    if name not in rows.index:
        raise ValueError(f"The atlas has no {name!r}; {some(rows.index)}.")
    said = rows.loc[name]
    design = said["design"] or "system x topic"
    scores = _scores(said["data"], said["measure"])
    dropped = ""
    if said["without"]:
        kept = scores.query(f"not ({said['without']})")
        lost = [
            str(level)
            for facet in as_design(design).facets
            for level in pd.unique(scores[facet])
            if level not in set(kept[facet])
        ]
        dropped = f"{said['dropped']}: {', '.join(lost)}"
        scores = kept
    families = _families(scores, said["families"])
    return Collection(
        scores, design, families, said["judge"], dropped
    )


def row(
    scores: pd.DataFrame,
    design: str | Design = "system x topic",
    *,
    families: pd.Series | None = None,
    judge: str = "",
) -> dict:
    """A collection in numbers: the columns of ``data/scores/atlas.csv``.

    Parameters
    ----------
    scores : score table
        Wide, or long.
    design : str or Design
        With the facet ``system``.  Items are the first other facet that
        is nested in nothing and is no `judge`: of ``"system x
        (sample:problem)"`` the problems.
    families : Series of system to family, optional
        Intervals of coefficients are about other families.
    judge : str, optional
        The facet of those who judge.

    Returns
    -------
    dict
        See ``data/README.md``.

    Examples
    --------
    >>> found = row(load("cf"  , "AP"), "system x topic x assessor",
    ...             judge="assessor")
    >>> found["items"], found["judges"], round(found["share_judge"], 2)
    (98, 4, 0.09)
    """
    study = gstudy(scores, design, allow=CODES)
    plan = study.plan()
    item = next(
        f
        for f in study.design.facets
        if f not in (study.design.object, judge)
        and not study.design.nesting[f]
    )
    board = leaderboard(study).table
    agreement = plan.ranking_agreement(n_resamples=RESAMPLES)
    best = board.index[:BEST] if len(board) > BEST else []
    return {
        "systems": len(board),
        "families": nan if families is None else families.nunique(),
        "items": len(study.cells.labels[item]),
        "judges": study.levels[judge] if judge else nan,
        **_shares(study, judge),
        **_coefficients(plan, families),
        **_among(scores, study.design, best, families),
        "tau": agreement.tau,
        "tau_ap": agreement.tau_ap,
        "tied": int(board["may_be_best"].sum()) - 1,
        **_items(plan, item, families),
        **_differences(study),
        "judge_tau": _other_judge(scores, judge),
    }


def _shares(study, judge):
    """Of the variance of one score, by who brings it."""
    found = {}
    for effect, variance in zip(
        study.design.effects, study.variance, strict=True
    ):
        facets = set(effect.facets)
        if facets == {*study.design.facets}:
            whose = "residual"
        elif judge in facets:
            whose = "judge"
        elif study.design.object not in facets:
            whose = "item"
        else:
            whose = "system" if len(facets) == 1 else "system_item"
        found[whose] = found.get(whose, 0) + variance
    total = sum(found.values())
    order = "system", "item", "system_item", "judge", "residual"
    return {f"share_{k}": found.get(k, np.nan) / total for k in order}


def _coefficients(plan, families):
    """With the systems' families, and as if each were by itself."""
    found = {}
    for name in "generalizability", "dependability":
        interval = plan.interval(name, groups=families)
        found[name] = getattr(plan, name)
        found[f"{name}_low"] = interval.low
        found[f"{name}_high"] = interval.high
    alone = plan.interval("generalizability")
    found["alone_low"] = nan if families is None else alone.low
    found["alone_high"] = nan if families is None else alone.high
    found["doubt"] = plan.interval("generalizability", groups=families).reason
    return found


def _among(scores, design, best, families):
    names = [f"best_generalizability{end}" for end in ("", "_low", "_high")]
    if not len(best):
        return dict.fromkeys(names, nan)
    who = scores["system"] if is_long(scores) else scores.index
    plan = gstudy(scores[who.isin(best)], design, allow=CODES).plan()
    if families is not None:
        families = families[best]
        if families.nunique() == 1:
            return dict(zip(names, (plan.generalizability, nan, nan)))
    limits = plan.interval("generalizability", groups=families)
    values = plan.generalizability, limits.low, limits.high
    return dict(zip(names, values, strict=True))


def _items(plan, item, families):
    """The fewest items for each target, or what is in the way."""
    found, blocked = {}, ""
    for target in TARGETS:
        try:
            n = plan.required(item, target, "generalizability")
        except ValueError as unreached:
            n, blocked = nan, blocked or str(unreached)
        found[f"items_{round(100 * target)}"] = n
    limits = plan.required_interval(
        item, TARGETS[-1], "generalizability", groups=families
    )
    ends = [n if isfinite(n) else nan for n in (limits.low, limits.high)]
    found["items_95_low"], found["items_95_high"] = ends
    return {**found, "blocked": blocked}


def _differences(study):
    """The median difference of two systems, and the one that a test at
    `ALPHA` finds with probability `POWER`."""
    means = means_of(study)
    pairs = means.differences(*np.triu_indices(len(means.value), 1))
    df = float(np.median(pairs.df))

    def lacking(noncentrality):
        return f_power(noncentrality**2, 1, df, ALPHA) - POWER

    return {
        "difference": float(np.median(np.abs(pairs.value))),
        "detectable": float(np.median(pairs.error)) * brentq(lacking, 0, 99),
    }


def _other_judge(scores, judge):
    """Tau of the rankings by two judges, each alone: the mean of all."""
    if not judge:
        return nan
    means = scores.pivot_table("score", "system", judge)
    pairs = combinations(means.columns, 2)
    return np.mean([kendall_tau(means[a], means[b]) for a, b in pairs]).item()


def _scores(name, measure):
    if name == "robust2003-runs":
        qrels = load("robust2003-qrels")
        return read_runs(load(name), qrels, measure, report=None)
    scores = load(name, measure or None)
    if "model" in scores:  # a judge is a model with a prompt
        prompt = scores["prompt"].astype(str)
        scores["assessor"] = scores["model"] + "/" + prompt
    return scores


def _families(scores, said):
    """By a pattern that finds a family in a system's name, or from the
    column of a data set."""
    if not said:
        return None
    names = scores["system"] if is_long(scores) else scores.index
    systems = pd.Index(names.unique())
    if said.startswith("("):
        found = systems.str.extract(said, expand=False)
        return pd.Series(found, systems)
    name, column = said.split(":")
    known = load(name).drop_duplicates("system").set_index("system")
    return known.loc[systems, column]
