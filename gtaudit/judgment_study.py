"""What was judged, and how much unjudged documents matter."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd

from gtaudit.assessments import (
    Assessments,
    JudgedRuns,
    RunScorer,
    relevance_threshold,
)
from gtaudit.doubts import find_judgment_doubts, find_run_doubts
from gtaudit.pooling import Pooling, find_pooling
from gtlib.comparisons import estimate_means, ranks
from gtlib.gtheory import gstudy
from gtlib.reuse import system_sites
from gtlib.runs import (
    ByTopic,
    Qrels,
    Runs,
    Scoring,
    parse_measure,
    process_runs,
)

# The ranks down to which judged documents are counted.
DEPTHS = (5, 10, 20, 100)

# The first documents of a run, among which a hole matters most.
TOP = 10

# The number of runs that smaller pools are tried with.
SAMPLE = 20

# The rank down to which unjudged documents are known by name.
DEEPEST = 100


@dataclass(frozen=True, eq=False)
class Judgments:
    """What was judged, and how much unjudged documents matter.

    Attributes
    ----------
    measure : str
    topics : int
    pooling : Pooling
        As `find_pooling` finds it.
    judged, judged_elsewhere : int
        Judged pairs of topic and document, and how many of them are not
        among the pools.
    runs : DataFrame, a row per run
        ``judged_at_5`` and so on, the share of the first documents that
        somebody judged; the ``score``.
    left_out : DataFrame, a row per run that contributed
        As `_leave_out` gives it, each run alone; none if it cannot be told
        which did.
    sites_left_out : DataFrame or None
        The same with all runs of a site at a time.
    noise : float
        Half the width of a 95% interval for the difference of two runs'
        means by the topics (t), the median over pairs.
    missed : Series of depth to float
        How many relevant documents of a contributor's pooled ones no other
        contributor has down to that depth, the mean contributor.
    once, twice : int
        Relevant documents of the pools that one contributor has, and two.
    thinned : DataFrame, a row per number of documents
        If only so many are judged, of smaller pools: by how much the
        difference of two runs' means ``moves``, squared and on average,
        beside what it does by the topics, and the ``spread``, the
        variance over topics of such a difference, over the present one;
        all on the present scale.
    unjudged : DataFrame
        ``system``, ``topic``, ``rank`` and ``document`` of what nobody
        judged, among the first `DEEPEST` of each list.
    """

    measure: str
    topics: int
    pooling: Pooling
    judged: int
    judged_elsewhere: int
    runs: pd.DataFrame
    left_out: pd.DataFrame
    sites_left_out: pd.DataFrame | None
    noise: float
    missed: pd.Series = field(repr=False)
    once: int = field(repr=False)
    twice: int = field(repr=False)
    thinned: pd.DataFrame = field(repr=False)
    unjudged: pd.DataFrame = field(repr=False)


def score_and_study(
    runs: Runs,
    qrels: Qrels,
    measures: Sequence[str],
    sites: Mapping[str, str] | pd.Series | Callable | None = None,
    judges: Mapping[str, ByTopic] | None = None,
    pools: tuple[int | None, Mapping[str, bool] | None] = (None, None),
) -> tuple[pd.DataFrame, Judgments, dict[str, pd.DataFrame]]:
    """Score runs, and study their judgments.

    Parameters
    ----------
    runs, qrels, measures : as in `gtlib.read_runs`
        With several assessors a document is judged if one of them judged
        it, and scores are means over them. The judgments are studied, and
        the judges judge, by the first of the measures.
    sites : dict or Series, optional
        Run -> site; or what makes one of the names of the runs.
    judges : dict of name to judgments, optional
        Who judges what is in `qrels`, too.
    pools : pair of depth and contributed, optional
        As for `find_pooling`.

    Returns
    -------
    scores : DataFrame
        As `gtlib.read_runs` returns it; the runs are read once.
    judgments : Judgments
    by_judge : dict of name to DataFrame, systems x topics
        The scores by each of the judges.

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
    """
    scoring = Scoring(qrels, list(measures))
    study = _JudgmentStudy(qrels, measures[0], judges or {})

    def score_and_number(system, run):
        return scoring(system, run), study(system, run)

    scored = {}
    studied = {}
    by_judge = {}
    doubts = find_judgment_doubts(scoring.judged)
    for system, (run_scores, run_study) in process_runs(
        runs, score_and_number, find_run_doubts, doubts
    ):
        lists, holes, judge_scores = run_study
        scored[system] = run_scores
        studied[system] = lists, holes
        by_judge[system] = judge_scores
    table = scoring.table(scored.items())
    table.attrs["doubts"] = doubts
    first = table[table["measure"] == str(study.measure)]
    scores = first.pivot_table("score", "system", "topic")
    systems = [*studied]
    topics = study.assessments.topics
    cube = np.array([*by_judge.values()]).swapaxes(0, 1)
    judge_tables = {}
    for name, values in zip(judges or (), cube, strict=True):
        by_name = pd.DataFrame(values, systems, topics)
        judge_tables[name] = by_name.reindex_like(scores).dropna(axis=1)
    judged = study.result(
        studied, scores.loc[systems, topics], sites, pools
    )
    return table, judged, judge_tables


class _JudgmentStudy:
    """The study of runs, one run at a time, for `process_runs`."""

    def __init__(self, qrels, measure, judges):
        self.measure = parse_measure(measure)
        self.assessments = Assessments(qrels)
        self._score_by_judges = RunScorer(
            self.assessments, self.measure, by=[*judges.values()]
        )

    def __call__(self, system, run):
        """Return the lists of a run; the topic, rank and document of its
        first holes; and its scores by each judge."""
        order = self.assessments.rank(run)
        lists = self.assessments.number(order)
        judged = {t: self.assessments.known[t] for t in order}
        holes = [
            (t, place + 1, order[t][place])
            for t, numbers in lists.items()
            for place in np.flatnonzero(~judged[t][numbers[:DEEPEST]])
        ]
        return lists, holes, self._score_by_judges(lists)

    def result(self, studied, scores, sites, pools):
        """Return the `Judgments` that all runs and their scores show."""
        lists = {system: listed for system, (listed, _) in studied.items()}
        data = JudgedRuns(self.assessments, lists)
        pooling = find_pooling(data, *pools)
        itself = {run: run for run in pooling.contributors}
        leave_out = partial(_leave_out, data, scores, self.measure, pooling)
        by_site = None
        if sites is not None:
            if callable(sites):
                sites = sites([*data.lists])
            site_of = system_sites(pd.Index(data.lists), sites)
            by_site = leave_out(site_of[[*itself]].to_dict())
        judged = sum(map(len, data.assessments.pairs.values()))
        unjudged = pd.DataFrame(
            [
                (system, *hole)
                for system, (_, holes) in studied.items()
                for hole in holes
            ],
            columns=["system", "topic", "rank", "document"],
        )
        missed, once, twice = _missed_documents(data, self.measure, pooling)
        runs = pd.DataFrame(
            {f"judged_at_{k}": data.share_judged(k) for k in DEPTHS}
        )
        return Judgments(
            measure=str(self.measure),
            topics=len(self.assessments.topics),
            pooling=pooling,
            judged=judged,
            judged_elsewhere=round(judged * (1 - pooling.explained)),
            runs=runs.assign(score=scores.mean(axis=1)),
            left_out=leave_out(itself),
            sites_left_out=by_site,
            noise=_topic_noise(scores),
            missed=missed,
            once=once,
            twice=twice,
            thinned=_smaller_pools(data, scores, self.measure, pooling),
            unjudged=unjudged,
        )


def _leave_out(data, scores, measure, pooling, group):
    """Score each group of runs as if it had contributed no judgments.

    What only this group has, of all judged documents, counts as not
    judged. Only the group's own runs are scored anew; their new ranks are
    among the scores that the others have (Zobel 1998).

    Parameters
    ----------
    data : JudgedRuns
    scores : DataFrame, systems x topics
    measure : ir_measures measure
    pooling : Pooling
    group : dict, system -> group
        Of the contributors.

    Returns
    -------
    DataFrame, a row per contributor
        ``group``, ``unique_relevant``: relevant documents that only the
        group has, ``score`` and ``rank``, and both ``without``.
    """
    level = relevance_threshold(measure)
    only_in = defaultdict(list)
    for pair, owner in data.owners(group, pooling.depth).items():
        only_in[owner].append(pair)
    groups = scores.index.map(group)
    values = scores.to_numpy()
    before = pd.Series(values.mean(axis=1), scores.index)
    table = pd.DataFrame({"group": groups, "score": before})
    table["rank"] = ranks(before)
    without = np.zeros((len(values), 3))
    for name in groups.dropna().unique():
        after = values.copy()
        rows = np.flatnonzero(groups == name)
        topics = [*dict.fromkeys(topic for topic, _ in only_in[name])]
        if topics:
            score_run = RunScorer(
                data.assessments, measure, topics, only_in[name]
            )
            columns = scores.columns.get_indexer(topics)
            for row in rows:
                by_assessor = score_run(data.lists[scores.index[row]])
                after[row, columns] = np.nanmean(by_assessor, axis=0)
        grades = data.assessments.pairs
        relevant = [grades[t][d] >= level for t, d in only_in[name]]
        means = pd.Series(after.mean(axis=1))
        new = np.full(len(means), sum(relevant)), means, ranks(means)
        without[rows] = np.transpose(new)[rows]
    table[["unique_relevant", "score_without", "rank_without"]] = without
    table = table.dropna(subset="group")
    return table.astype({"unique_relevant": int, "rank_without": int})


def _missed_documents(data, measure, pooling):
    """Return ``missed``, ``once`` and ``twice`` of `Judgments`: how many
    relevant documents of a contributor the others lack, by the depth of
    their pools; and how many documents one contributor has, and two."""
    depth = pooling.depth
    level = relevance_threshold(measure)
    if depth is None or len(pooling.contributors) < 2:
        return pd.Series(dtype=float), 0, 0
    tried = np.unique(np.geomspace(1, depth, 8).round().astype(int))
    lost = np.zeros(len(tried))
    once = twice = 0
    for topic, grades in data.assessments.pairs.items():
        documents = data.assessments.documents[topic]
        place = np.full((len(pooling.contributors), len(documents)), np.inf)
        for row, system in zip(place, pooling.contributors, strict=True):
            listed = data.lists[system].get(topic, np.array([], int))
            numbers = listed[:depth]
            known = np.flatnonzero(numbers >= 0)
            row[numbers[known]] = known + 1
        relevant = [grades.get(d, level - 1) >= level for d in documents]
        holders = np.isfinite(place[:, relevant]).sum(axis=0)
        first, second = np.sort(place[:, relevant], axis=0)[:2]
        once += (holders == 1).sum()
        twice += (holders == 2).sum()
        for k, smaller in enumerate(tried):
            # Who has a document first finds it in no other pool if the
            # second has it deeper than that; the rest, if the first has.
            missed = (holders - 1) * (first > smaller) + (second > smaller)
            lost[k] += missed[holders > 0].sum()
    return pd.Series(lost / len(place), tried), int(once), int(twice)


def _smaller_pools(data, scores, measure, pooling):
    """Return the table ``thinned`` of `Judgments`: how far the scores by
    smaller pools are from the present ones, once brought to their
    scale."""
    rows = {}
    depth = pooling.depth or 1
    rng = np.random.default_rng(0)
    chosen = np.sort(rng.permutation(len(scores))[:SAMPLE])
    sampled = scores.index[chosen]
    present = scores.loc[sampled].to_numpy()
    present_means = present.mean(axis=1)
    spread = _interaction(present)
    group = dict.fromkeys(pooling.contributors)
    pool = data.owners(group, depth)
    for smaller in {max(1, depth // 2), depth * 3 // 4} - {0, depth}:
        kept = data.owners(group, smaller)
        if len(kept) == len(pool):  # lists are shorter
            continue
        without = [*pool.keys() - kept.keys()]
        score_run = RunScorer(data.assessments, measure, None, without)
        judged = [
            np.nanmean(score_run(data.lists[system]), axis=0)
            for system in sampled
        ]
        means = np.mean(judged, axis=1)
        if len(sampled) > 2 and np.ptp(means) > 0 and spread > 0:
            line = np.polyfit(means, present_means, 1)
            distances = present - np.polyval(line, judged)
            wider = line[0] ** 2 * _interaction(np.array(judged)) / spread
            # What differs from topic to topic is in the standard error.
            by_chance = _interaction(distances) / distances.shape[1]
            moves = 2 * (distances.mean(axis=1).var(ddof=2) - by_chance)
            rows[len(kept)] = max(moves, 0.0), wider
    columns = ["moves", "spread"]
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    return table.sort_index()


def _interaction(scores):
    """Return the variance of the interaction: what is left of scores once
    the means of topics and of systems are taken off."""
    centred = scores - scores.mean(axis=0)
    return (centred - centred.mean(axis=1, keepdims=True)).var()


def _topic_noise(scores):
    systems, topics = scores.shape
    if systems < 2 or topics < 2:
        return np.nan
    pairs = np.triu_indices(systems, 1)
    means = estimate_means(gstudy(scores))
    limits = means.differences(*pairs).limits(0.95)
    return float(np.median(np.diff(limits, axis=0)) / 2)
