"""The part of an audit that looks at what was judged, and what was not."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from gtlib.audit.judged import JudgedRuns
from gtlib.evaluate import Qrels, Runs, parse_measure
from gtlib.paired import critical_t
from gtlib.rankings import kendall_tau
from gtlib.reuse.assignment import site_of_each

if TYPE_CHECKING:
    from ir_measures import Measure

DEPTHS = (5, 10, 20, 100)
"""Down to which ranks the judged documents are counted."""

TOP = 10
"""The first documents of a run, among which a gap matters most."""


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
    level = wanted.params.get("rel", 1)
    highest = max(int(np.nanmax(data.grades)), level, 1)
    # More relevant documents can lower a measure that counts them all.
    filled = np.maximum(scores, data.scores(wanted, rest=highest))
    means, most = scores.mean(axis=1), filled.mean(axis=1)
    ordered = np.subtract.outer(means.to_numpy(), most.to_numpy()) > 0
    number = len(means)
    by_site = None
    if sites is not None:
        site_of = site_of_each(data.systems, sites).to_numpy()
        by_site = leave_out(data, scores, wanted, site_of)
    depth, seen = data.pool_depth, data.retrieved
    if depth is not None:
        seen = seen[seen["rank"] <= depth]
    judged = int(data.judged.sum())
    found = seen.loc[seen["judged"], "pair"].nunique()
    return Judgments(
        str(wanted),
        depth,
        judged,
        judged - found,
        _coverage(data).assign(score=means, score_if_relevant=most),
        leave_out(data, scores, wanted, data.systems.to_numpy()),
        by_site,
        _without_unjudged(data, means, wanted, level),
        ordered.sum() / max(number * (number - 1) / 2, 1),
        _noise(scores),
    )


def leave_out(
    data: JudgedRuns,
    scores: pd.DataFrame,
    measure: "Measure",
    group: np.ndarray,
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
    group : numpy.ndarray, shape (systems,)

    Returns
    -------
    DataFrame, a row per run
        ``group``, ``unique_relevant``: relevant documents that only the
        group has, ``score`` and ``rank``, and both ``without``.
    """
    alone = data.of_one_group(group)
    relevant = data.relevant(measure.params.get("rel", 1))
    before = scores.mean(axis=1)
    ranks = before.rank(method="min", ascending=False).astype(int)
    table = pd.DataFrame(
        {
            "group": group,
            "unique_relevant": 0,
            "score": before,
            "score_without": before,
            "rank": ranks,
            "rank_without": ranks,
        }
    )
    for name, pairs in alone.groupby(alone).groups.items():
        members = np.flatnonzero(group == name)
        topics = np.unique(data.topic_of[pairs])
        new = scores.copy()
        new.iloc[members, topics] = data.scores(
            measure, members, topics, without=pairs
        )
        after = new.mean(axis=1)
        rank = after.rank(method="min", ascending=False).astype(int)
        rows = table.index[members]
        table.loc[rows, "unique_relevant"] = relevant[pairs].sum()
        table.loc[rows, "score_without"] = after[rows]
        table.loc[rows, "rank_without"] = rank[rows]
    return table


def _coverage(data):
    columns = {f"judged_at_{k}": data.share_judged(k) for k in DEPTHS}
    holes = data.first_holes
    by_system = {
        "first_hole": holes.groupby("system").median(),
        "topics_with_hole": (holes <= TOP).groupby("system").mean(),
    }
    columns |= {k: data.named(v) for k, v in by_system.items()}
    return pd.DataFrame(columns)


def _without_unjudged(data, official, measure, level):
    import ir_measures

    given = data.grades == -1
    tried = {f"{measure}, condensed lists": (measure, True)}
    tried["Bpref"] = (ir_measures.Bpref(rel=level), True)
    if given.any():
        tried["infAP"] = (ir_measures.infAP(rel=level), False)
    rows = {}
    rank = official.rank(method="min", ascending=False).astype(int)
    for name, (other, judged_only) in tried.items():
        scores = data.scores(other, judged_only=judged_only)
        means = scores.mean(axis=1)
        new = means.rank(method="min", ascending=False).astype(int)
        moved = (new - rank).abs().idxmax()
        several = len(means) > 1
        rows[name] = {
            "tau": kendall_tau(official, means) if several else np.nan,
            "run": moved,
            "rank": rank[moved],
            "new_rank": new[moved],
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def _noise(scores):
    systems, topics = scores.shape
    if systems < 2 or topics < 2:
        return np.nan
    covariance = np.cov(scores)
    variance = np.diag(covariance)
    of_pair = np.add.outer(variance, variance) - 2 * covariance
    of_pair = of_pair[np.triu_indices(systems, 1)].clip(0)
    half = critical_t(topics, 0.05) * np.sqrt(of_pair / topics)
    return float(np.median(half))
