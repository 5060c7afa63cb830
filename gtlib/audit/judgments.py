"""The part of an audit that looks at what was judged, and what was not."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib.audit.judged import NOT_JUDGED, JudgedRuns
from gtlib.evaluate import Qrels, Runs, parse_measure
from gtlib.paired import critical_t, pair_spreads
from gtlib.rankings import kendall_tau
from gtlib.reuse.assignment import site_of_each

if TYPE_CHECKING:
    from ir_measures import Measure

DEPTHS = (5, 10, 20, 100)
"""Down to which ranks the judged documents are counted."""

TOP = 10
"""The first documents of a run, among which a hole matters most."""


@dataclass(frozen=True, eq=False)
class Judgments:
    """What the judgments of a collection cover, and what hangs on that.

    Attributes
    ----------
    measure : str
    pool_depth : int or None
        As `JudgedRuns.pool_depth` finds it.
    judged, judged_elsewhere : int
        Judged pairs of topic and document, and how many of them no run
        has, down to that depth.
    runs : DataFrame, a row per run
        ``judged_at_5`` and so on; ``first_hole``, the median over topics
        of the rank of the first document that nobody judged, and
        ``topics_with_hole``, the share of topics with one among the first
        ten; the ``score``, and ``score_if_relevant`` if whatever it
        retrieved and nobody judged were relevant.
    left_out : DataFrame, a row per run
        As `leave_out` gives it, each run alone.
    sites_left_out : DataFrame or None
        The same with all runs of a site at a time.
    unjudged_left_out : DataFrame, a row per measure
        Whose ranking agrees by ``tau`` with that of the scores; ``run``
        changes place most, from ``rank`` to ``new_rank``.
    bounds_apart : float
        The share of pairs of runs in which all that one may score is
        above all that the other may.
    noise : float
        Half the width of a 95% interval for the difference of two runs'
        means by the topics (t), the median over pairs.
    """

    measure: str
    pool_depth: int | None
    judged: int
    judged_elsewhere: int
    runs: pd.DataFrame
    left_out: pd.DataFrame
    sites_left_out: pd.DataFrame | None
    unjudged_left_out: pd.DataFrame
    bounds_apart: float
    noise: float


def study_judgments(
    runs: Runs,
    qrels: Qrels,
    measure: str = "AP",
    sites: Mapping[str, str] | pd.Series | None = None,
) -> Judgments:
    """Study the judgments of a collection through its runs.

    Parameters
    ----------
    runs, qrels : as in `gtlib.read_runs`
        With several assessors a document is judged if one of them judged
        it, and scores are means over them.
    measure : str
        One that ir_measures names.
    sites : dict or Series, optional
        Run -> site.

    Raises
    ------
    ValueError
        If the input cannot be right, or a run has no site.

    References
    ----------
    Zobel (1998), "How reliable are the results of large-scale information
    retrieval experiments?", SIGIR. Sakai (2007), "Alternatives to bpref",
    SIGIR: condensed lists. Buckley & Voorhees (2004), "Retrieval
    evaluation with incomplete information", SIGIR: bpref. Yilmaz & Aslam
    (2006), "Estimating average precision with incomplete and imperfect
    judgments", CIKM: infAP.

    Examples
    --------
    >>> from gtlib import synthetic_runs
    >>> lists, complete, site = synthetic_runs(sites=3, topics=5)
    >>> found = study_judgments(lists, complete, "P@10", site)
    >>> found.runs["judged_at_10"].min()
    np.float64(1.0)
    """
    wanted = parse_measure(measure)
    data = JudgedRuns.read(runs, qrels)
    scores = data.scores(wanted)
    grades = [g for found in data.pairs.values() for g in found.values()]
    rest = int(max([*grades, wanted.params.get("rel", 1), 1]))
    # More relevant documents can lower a measure that counts them all.
    filled = np.maximum(scores, data.scores(wanted, rest=rest))
    means, most = scores.mean(axis=1), filled.mean(axis=1)
    apart = np.greater.outer(means.to_numpy(), most.to_numpy()).sum()
    itself = {system: system for system in data.systems}
    by_site = None
    if sites is not None:
        site_of = site_of_each(pd.Index(data.systems), sites)
        by_site = leave_out(data, scores, wanted, site_of.to_dict())
    return Judgments(
        str(wanted),
        data.pool_depth,
        len(grades),
        len(grades) - len(data.owners(itself)),
        _coverage(data).assign(score=means, score_if_relevant=most),
        leave_out(data, scores, wanted, itself),
        by_site,
        _without_unjudged(data, means, wanted),
        apart / max(comb(len(means), 2), 1),
        _noise(scores),
    )


def leave_out(
    data: JudgedRuns,
    scores: pd.DataFrame,
    measure: "Measure",
    group: Mapping[str, str],
) -> pd.DataFrame:
    """Score each group of runs as if it had contributed no judgments.

    What only this group has, of all judged documents, counts as not
    judged. Only the group's own runs are scored anew; their new ranks are
    among the scores that the others have (Zobel 1998).

    Parameters
    ----------
    data : JudgedRuns
    scores : DataFrame, systems x topics
    measure : ir_measures measure
    group : dict, system -> group

    Returns
    -------
    DataFrame, a row per run
        ``group``, ``unique_relevant``: relevant documents that only the
        group has, ``score`` and ``rank``, and both ``without``.
    """
    level = measure.params.get("rel", 1)
    alone = defaultdict(list)
    for pair, owner in data.owners(group).items():
        alone[owner].append(pair)
    before = scores.mean(axis=1)
    table = pd.DataFrame({"score": before, "rank": _ranks(before)})
    table.insert(0, "group", pd.Series(group)[before.index])
    for name, rows in table.groupby("group").groups.items():
        after = scores.copy()
        topics = [*dict.fromkeys(topic for topic, _ in alone[name])]
        if topics:
            after.loc[rows, topics] = data.scores(
                measure, [*rows], topics, without=alone[name]
            )
        new = after.mean(axis=1)
        relevant = [data.pairs[t][d] >= level for t, d in alone[name]]
        table.loc[rows, "unique_relevant"] = sum(relevant)
        table.loc[rows, "score_without"] = new[rows]
        table.loc[rows, "rank_without"] = _ranks(new)[rows]
    return table.astype({"unique_relevant": int, "rank_without": int})


def _ranks(means):
    return means.rank(method="min", ascending=False).astype(int)


def _coverage(data):
    columns = {f"judged_at_{k}": data.share_judged(k) for k in DEPTHS}
    holes = data.first_holes
    columns["first_hole"] = data.by_system(holes, "median")
    columns["topics_with_hole"] = data.by_system(holes <= TOP)
    return pd.DataFrame(columns)


def _without_unjudged(data, official, measure):
    import ir_measures

    level = measure.params.get("rel", 1)
    tried = {
        f"{measure}, condensed lists": (measure, True),
        "Bpref": (ir_measures.Bpref(rel=level), True),
    }
    listed = (grades for by in data.opinions for grades in by.values())
    if any(NOT_JUDGED in grades.values() for grades in listed):
        tried["infAP"] = ir_measures.infAP(rel=level), False
    rows = {}
    for name, (other, judged_only) in tried.items():
        means = data.scores(other, judged_only=judged_only).mean(axis=1)
        rank, new = _ranks(official), _ranks(means)
        run = (new - rank).abs().idxmax()
        tau = kendall_tau(official, means) if len(means) > 1 else np.nan
        rows[name] = {
            "tau": tau,
            "run": run,
            "rank": rank[run],
            "new_rank": new[run],
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _noise(scores):
    systems, topics = scores.shape
    if systems < 2 or topics < 2:
        return np.nan
    half = critical_t(topics, 0.05) * pair_spreads(scores.to_numpy())
    return float(np.median(half) / np.sqrt(topics))
