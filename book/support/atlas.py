"""The atlas: rows of public collections, all by one error model.

``data/collections.csv`` says of each public collection which data set it
is, which of its facets is what, who belongs together and what is left out;
`read` follows it, and `row` judges what comes, or anybody's own scores.
``data/build/atlas.py`` writes the rows of all to ``data/scores/atlas.csv``.
"""

from itertools import combinations
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from gtlib import (
    datasets,
    gstudy,
    kendall_tau,
    leaderboard,
    load,
    read_runs,
)
from gtlib.checks import list_some
from gtlib.comparisons import estimate_means, f_power
from gtlib.data import data_folder
from gtlib.design import Design, as_design
from gtlib.scores import is_long

TARGETS = (0.80, 0.90, 0.95)
BEST = 10
ALPHA, POWER = 0.05, 0.8  # for the difference that the items detect
RESAMPLES = 200  # for the agreement of rankings


def catalogue() -> pd.DataFrame:
    """Return the collections of the atlas, by name: their data and
    designs."""
    path = data_folder() / "collections.csv"
    known = datasets().set_index("name")
    known = known.rename(columns={"measure": "usual"})
    table = pd.read_csv(path, keep_default_na=False, index_col="collection")
    return table.join(known, "data")


def read(name: str) -> dict[str, Any]:
    """Read one of the collections of the catalogue, as `row` takes it.

    Raises
    ------
    ValueError
        If the catalogue has no collection of this name.
    gtlib.DatasetUnavailable
        If its data are not here and cannot be fetched now.
    """
    rows = catalogue()
    if name not in rows.index:
        raise ValueError(
            f"The atlas has no {name!r}; {list_some(rows.index)}."
        )
    entry = rows.loc[name]
    design = entry["design"] or "system x topic"
    scores = _scores(entry["data"], entry["measure"])
    dropped = ""
    if entry["without"]:
        left_out = scores.query(entry["without"])
        scores = scores.drop(left_out.index)
        names = [
            str(level)
            for facet in as_design(design).facets
            for level in sorted({*left_out[facet]} - {*scores[facet]})
        ]
        dropped = f"{entry['dropped']}: {', '.join(names)}"
    for facet, parents in as_design(design).nesting.items():
        if parents:  # the first run of one cell is not that of another
            cells = scores.groupby([*parents, facet], sort=False)
            scores = scores.assign(**{facet: cells.ngroup()})
    return {
        "scores": scores,
        "design": design,
        "families": _families(scores, entry["families"]),
        "judge": entry["judge"],
        "dropped": dropped,
    }


def read_wide(name: str) -> pd.DataFrame:
    """Read one of the collections as systems x items: means over what
    else it has."""
    table = read(name)
    scores: pd.DataFrame = table["scores"]
    if is_long(scores):
        item = item_facet(table["design"], table["judge"])
        scores = scores.pivot_table("score", "system", item)
    return scores


def row(
    scores: pd.DataFrame,
    design: str | Design = "system x topic",
    *,
    families: pd.Series | None = None,
    judge: str = "",
    dropped: str = "",
) -> dict[str, Any]:
    """Compute the row of a collection in ``data/scores/atlas.csv``.

    Parameters
    ----------
    scores : score table
        Wide, or long.
    design : str or Design
        With the facet ``system``.  Items are what `item_facet` says: of
        ``"system x (sample:problem)"`` the problems.
    families : Series of system to family, optional
        Intervals of coefficients are about other families.
    judge : str, optional
        The facet of those who judge.
    dropped : str, optional
        What was left out, in words.

    Returns
    -------
    dict
        See ``data/README.md``.

    Examples
    --------
    >>> scores = load("cf", "AP")
    >>> design = "system x topic x assessor"
    >>> cf = row(scores, design, judge="assessor")
    >>> cf["items"], cf["judges"], round(cf["share_judge"], 2)
    (98, 4, 0.13)
    """
    study = gstudy(scores, design)
    plan = study.plan()
    item = item_facet(study.design, judge)
    board = leaderboard(study).table
    agreement = plan.ranking_agreement(n_resamples=RESAMPLES)
    coefficients = {}
    limits = {}
    for name in "generalizability", "dependability":
        limits[name] = plan.interval(name, groups=families)
        coefficients[name] = getattr(plan, name)
        coefficients |= _limit_columns(name, limits[name])
    number = nan
    without_groups = None
    if families is not None:
        number = families.nunique()
        without_groups = plan.interval("generalizability")
    return {
        "systems": len(board),
        "families": number,
        "items": study.levels[item],
        "judges": study.levels.get(judge, nan),
        **_shares(study, judge),
        **coefficients,
        **_limit_columns("alone", without_groups),
        "doubt": limits["generalizability"].reason,
        **_best_columns(scores, study.design, item, board.index, families),
        "tau": agreement.tau,
        "tau_ap": agreement.tau_ap,
        "tied": int(board["may_be_best"].sum()) - 1,
        **_item_columns(plan, item, families),
        **_difference_columns(study),
        "judge_tau": _judge_agreement(scores, judge),
        "dropped": dropped,
    }


def item_facet(design: str | Design, judge: str = "") -> str:
    """Return the facet that is the items: the first besides the systems and
    the `judge` that is nested in nothing."""
    design = as_design(design)
    free = [f for f in design.facets if not design.nesting[f]]
    return next(f for f in free if f not in (design.object, judge))


def _limit_columns(name, limits):
    """The ends of an interval as columns; NaN where it has none."""
    ends = nan, nan
    if limits is not None:
        ends = limits.low, limits.high
    low, high = (end if isfinite(end) else nan for end in ends)
    return {f"{name}_low": low, f"{name}_high": high}


def _shares(study, judge):
    """The shares of the variance of one score, by their sources: sums of
    components with their signs, or zero."""
    order = "system", "item", "system_item", "judge", "residual"
    shares = pd.Series(nan, order)
    whole = {*study.design.facets}
    for effect, component in zip(
        study.design.effects, study.estimate, strict=True
    ):
        if effect.facets == whole:
            source = "residual"
        elif judge in effect.facets:
            source = "judge"
        elif effect.facets == {study.design.object}:
            source = "system"
        elif study.design.object in effect.facets:
            source = "system_item"
        else:
            source = "item"
        shares[source] = np.nansum([shares[source], component])
    shares = shares.clip(lower=0)
    return (shares / shares.sum()).add_prefix("share_").to_dict()


def _best_columns(scores, design, item, order, families):
    """The columns on the first `BEST` systems, where there are more;
    without an interval if they are of one family."""
    limits = None
    doubt = ""
    estimate = needed = nan
    if len(order) > BEST:
        systems = scores["system"] if is_long(scores) else scores.index
        best = scores[systems.isin(order[:BEST])]
        plan = gstudy(best, design).plan()
        estimate = plan.generalizability
        needed = _required(plan, item, TARGETS[-1])[0]
        if families is not None:
            families = families[order[:BEST]]
        doubt = "They are of one family"
        if families is None or len({*families}) > 1:
            limits = plan.interval("generalizability", groups=families)
            doubt = limits.reason
    return {
        "best_generalizability": estimate,
        **_limit_columns("best_generalizability", limits),
        "best_doubt": doubt,
        "best_items_95": needed,
    }


def _required(plan, item, target):
    """Return the fewest items that reach a target and no text, or NaN and
    why none do."""
    try:
        return plan.required(item, target, "generalizability"), ""
    except ValueError as unreached:
        return nan, str(unreached)


def _item_columns(plan, item, families):
    """Return the columns with the numbers of items that reach the
    targets."""
    needed = {}
    for target in TARGETS:
        name = f"items_{round(100 * target)}"
        needed[name], blocked = _required(plan, item, target)
    # The interval, and what is in the way, are those of the last target.
    limits = plan.required_interval(
        item, TARGETS[-1], "generalizability", groups=families
    )
    if not isfinite(limits.high):
        blocked = blocked or limits.reason
    return {**needed, **_limit_columns(name, limits), "blocked": blocked}


def _difference_columns(study):
    """The median difference of two systems, and the one that a test at
    `ALPHA` finds with probability `POWER`."""
    means = estimate_means(study)
    pairs = means.differences(*np.triu_indices(len(means.value), 1))
    df = np.median(pairs.df)
    error = np.median(pairs.error)
    errors = brentq(lambda t: f_power(t**2, 1, df, ALPHA) - POWER, 0, 99)
    half = np.median(np.abs(pairs.value))
    return {"difference": half, "detectable": errors * error}


def _judge_agreement(scores, judge):
    """The mean over pairs of judges of the tau between their rankings."""
    if not judge:
        return nan
    means = scores.pivot_table("score", "system", judge)
    pairs = combinations(means.columns, 2)
    return np.mean([kendall_tau(means[a], means[b]) for a, b in pairs])


def _scores(name, measure):
    if name == "robust2003-runs":
        runs: Any = load(name)
        qrels: Any = load("robust2003-qrels")
        return read_runs(runs, qrels, measure, report=None)
    scores: Any = load(name, measure or None)
    if "model" in scores:  # a judge is a model with a prompt
        prompt = scores["prompt"].astype(str)
        scores["assessor"] = scores["model"] + "/" + prompt
    return scores


def _families(scores, pattern):
    """The family of each system: by a pattern that finds it in the name,
    or from the column of a data set."""
    if not pattern:
        return None
    names = scores["system"] if is_long(scores) else scores.index
    systems = pd.Index(names.unique())
    if pattern.startswith("("):
        return pd.Series(
            systems.str.extract(pattern, expand=False), systems
        )
    name, column = pattern.split(":")
    table: Any = load(name)
    known = table.drop_duplicates("system").set_index("system")
    return known.loc[systems, column]
