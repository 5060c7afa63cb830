"""Runs scored against one or more assessors' judgments."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pandas as pd
from tqdm import tqdm

from gtlib.checks import whole_number
from gtlib.scores import require_columns
from gtlib.trec import by_topic, read_qrels, read_rankings
from gtlib.wording import count, some

if TYPE_CHECKING:
    from ir_measures import Measure

Source: TypeAlias = str | Path | pd.DataFrame
Runs: TypeAlias = Source | Iterable[Source]
Qrels: TypeAlias = Source | Iterable[str | Path] | Mapping[str, str | Path]


def read_runs(
    runs: Runs,
    qrels: Qrels,
    measures: "str | Measure | list[str | Measure]",
    *,
    report: Callable[[str], object] | None = print,
) -> pd.DataFrame:
    """Score runs against one or more sets of judgments.

    Parameters
    ----------
    runs : path, DataFrame, or list of paths
        A folder of run files, a run file, several of them, or a table as
        `read_run` returns it.
    qrels : path, DataFrame, list of paths, or dict of assessor -> path
        One set of judgments, or one per assessor. In a list an assessor
        is named after the file. A table with a column ``assessor`` holds
        one set per assessor.
    measures : str, ir_measures measure, or list of these
        Any measure that ir_measures names: ``"AP"``, ``"nDCG@10"``.
    report : callable, optional
        Told in a sentence each whatever was not complete: by default
        printed. The same is kept in the result's ``attrs["report"]``.

    Returns
    -------
    DataFrame
        A row per system, topic, assessor and measure, in these columns
        and ``score``; the column ``assessor`` only if several sets of
        judgments were named. With one measure it is ready for `gstudy`;
        with several take one: ``scores[scores["measure"] == "AP"]``.

    Notes
    -----
    A topic that was judged and that a run lacks counts as the measure's
    default, zero. A topic of a run that was not judged is left out. A
    topic for which an assessor found nothing relevant scores zero for
    every system, as in trec_eval. All three are reported.

    Raises
    ------
    ValueError
        If a file is malformed, a run tag appears in two files, a measure
        is unknown, or a run shares no topic with the judgments.

    Examples
    --------
    >>> run = pd.DataFrame({"system": "best", "topic": ["1", "1"],
    ...                     "document": ["a", "b"], "score": [2.0, 1.0]})
    >>> judged = pd.DataFrame({"topic": ["1", "1"],
    ...                        "document": ["a", "b"],
    ...                        "relevance": [0, 1]})
    >>> read_runs(run, judged, ["AP", "P@2"])
      system topic measure  score
    0   best     1      AP    0.5
    1   best     1     P@2    0.5
    """
    import ir_measures

    if not isinstance(measures, (list, tuple)):
        measures = [measures]
    parsed = [_measure(m) for m in dict.fromkeys(measures)]
    judged = _judgments(qrels)
    topics = list(dict.fromkeys(t for by in judged.values() for t in by))
    # Some of the tools behind ir_measures take no topic but a number.
    number = {topic: str(i) for i, topic in enumerate(topics, start=1)}
    evaluators = {
        assessor: ir_measures.evaluator(
            parsed, {number[t]: docs for t, docs in by_topic.items()}
        )
        for assessor, by_topic in judged.items()
    }
    rows: list[tuple] = []
    seen: dict[str, list] = {}
    for system, run in _each_run(runs):
        seen[system] = list(run)
        ranked = {number[t]: run[t] for t in topics if t in run}
        if not ranked:
            raise ValueError(
                f"Run {system} shares no topic with the judgments: its "
                f"topics are {some(run)}, theirs {some(topics)}. Are "
                "these the judgments of another collection?"
            )
        for assessor, evaluator in evaluators.items():
            value = {
                (m.query_id, m.measure): float(m.value)
                for m in evaluator.iter_calc(ranked)
            }
            rows += [
                (system, t, assessor, str(m), value[number[t], m])
                for t in judged[assessor]
                for m in parsed
            ]
    scores = pd.DataFrame(
        rows, columns=["system", "topic", "assessor", "measure", "score"]
    )
    if list(judged) == [None]:
        scores = scores.drop(columns="assessor")
    scores.attrs["report"] = _incomplete(judged, topics, seen)
    if report is not None:
        for sentence in scores.attrs["report"]:
            report(sentence)
    return scores


def document_correctness(
    runs: Runs,
    qrels: Qrels,
    k: int = 20,
    documents: int = 20,
    seed: int = 0,
) -> pd.DataFrame:
    """Every system's decision on every document, right or wrong.

    A system calls the first `k` documents of its ranking relevant and no
    other. Whether that is right depends on the assessor. The documents
    are a sample from each topic's pool, which holds what any system
    called relevant and what any assessor found relevant; all systems and
    assessors face the same documents. So the table is a balanced
    ``system x assessor x (document:topic)`` study, with the document
    facet that scores of whole rankings average away (Bodoff & Li 2007,
    section 4).

    Parameters
    ----------
    runs, qrels : as in `read_runs`
    k : int
        Number of documents that a system calls relevant.
    documents : int
        Number of documents sampled per topic.
    seed : int
        Of the sample.

    Returns
    -------
    DataFrame
        Columns ``system``, ``assessor``, ``topic``, ``document`` (its
        name led by the topic, as one document may serve two topics) and
        ``score``: 1 if decision and judgment agree (relevant means a
        relevance of at least 1), otherwise 0.

    Raises
    ------
    ValueError
        If a topic's pool is smaller than the sample, `k` or `documents`
        is no whole number from 1, or the input is not right.

    Examples
    --------
    >>> run = pd.DataFrame({"system": ["a", "a", "b", "b"], "topic": "1",
    ...                     "document": ["x", "y", "y", "x"],
    ...                     "score": [2.0, 1.0, 2.0, 1.0]})
    >>> judged = pd.DataFrame({"topic": "1", "document": ["x"],
    ...                        "relevance": [1], "assessor": ["author"]})
    >>> table = document_correctness(run, judged, k=1, documents=2)
    >>> table.groupby("system")["score"].mean().to_dict()
    {'a': 1.0, 'b': 0.0}
    """
    k = whole_number(k, "k")
    documents = whole_number(documents, "documents")
    judged = _judgments(qrels)
    topics = list(dict.fromkeys(t for by in judged.values() for t in by))
    called = {
        system: {topic: _first(run.get(topic, {}), k) for topic in topics}
        for system, run in _each_run(runs)
    }
    found = {
        assessor: {
            topic: {d for d, r in by.get(topic, {}).items() if r >= 1}
            for topic in topics
        }
        for assessor, by in judged.items()
    }
    rng = np.random.default_rng(seed)
    tables = []
    for topic in topics:
        opinions = [by[topic] for by in (*called.values(), *found.values())]
        pool = sorted(set().union(*opinions))
        if len(pool) < documents:
            raise ValueError(
                f"Topic {topic} has a pool of {len(pool)} documents, fewer "
                f"than the {documents} to sample: sample fewer, or call "
                "more relevant (k)."
            )
        chosen = sorted(rng.choice(pool, documents, replace=False).tolist())
        said = _membership(called, topic, chosen)[:, None]
        right = said == _membership(found, topic, chosen)
        index = pd.MultiIndex.from_product(
            [called, found, [topic], [f"{topic}/{d}" for d in chosen]],
            names=["system", "assessor", "topic", "document"],
        )
        tables.append(pd.DataFrame({"score": right.ravel() * 1.0}, index))
    return pd.concat(tables).reset_index()


def _first(run, k):
    """The k documents of the highest score, ties from Z to A."""
    order = sorted(run, reverse=True)
    return set(sorted(order, key=run.get, reverse=True)[:k])


def _membership(sets, topic, documents):
    return np.array(
        [
            [d in by_topic[topic] for d in documents]
            for by_topic in sets.values()
        ]
    )


def _measure(measure):
    import ir_measures

    if isinstance(measure, ir_measures.Measure):
        return measure
    try:
        return ir_measures.parse_measure(str(measure))
    except (NameError, ValueError, SyntaxError) as error:
        raise ValueError(
            f"{measure!r} is not a measure that ir_measures knows: write "
            "for instance AP, P@10, nDCG@20 or RR."
        ) from error


def _judgments(qrels):
    """Assessor -> topic -> document -> relevance; assessor None if one."""
    if isinstance(qrels, pd.DataFrame):
        needed = ["topic", "document", "relevance"]
        require_columns(qrels, needed)
        if "assessor" not in qrels:
            return {None: by_topic(qrels, "relevance")}
        by_assessor = qrels.groupby("assessor", sort=False)
        return {
            assessor: by_topic(table, "relevance")
            for assessor, table in by_assessor
        }
    if isinstance(qrels, (str, Path)):
        return {None: by_topic(read_qrels(qrels), "relevance")}
    if not isinstance(qrels, Mapping):
        qrels = list(qrels)
        names = [_stem(path) for path in qrels]
        if len(set(names)) < len(names):
            raise ValueError(
                "Two qrels files have the same name; name the assessors: "
                'qrels={"first": path, "second": path}.'
            )
        qrels = dict(zip(names, qrels, strict=True))
    if not qrels:
        raise ValueError("No qrels were given.")
    return {
        assessor: by_topic(read_qrels(path), "relevance")
        for assessor, path in qrels.items()
    }


def _each_run(runs):
    """Each run once as (system, topic -> document -> score)."""
    if isinstance(runs, pd.DataFrame):
        require_columns(runs, ["system", "topic", "document", "score"])
        sources = [runs]
    elif not isinstance(runs, (str, Path)):
        sources = list(runs)
    elif Path(runs).is_dir():
        sources = sorted(
            path
            for path in Path(runs).iterdir()
            if path.is_file() and not path.name.startswith(".")
        )
    else:
        sources = [runs]
    if not sources:
        raise ValueError(f"There are no run files in {runs}.")
    seen: dict[str, object] = {}
    for source in tqdm(sources, desc="Reading runs", disable=None):
        if isinstance(source, pd.DataFrame):
            found = {
                system: by_topic(run, "score")
                for system, run in source.groupby("system", sort=False)
            }
        else:
            found = read_rankings(source)
        for system, run in found.items():
            if system in seen:
                raise ValueError(
                    f"The run tag {system} is in both {seen[system]} and "
                    f"{source}: tags must be unique."
                )
            seen[system] = source
            yield system, run


def _incomplete(judged, topics, seen):
    """What was not complete, in a sentence each."""
    known, notes = set(topics), []
    for assessor, their in judged.items():
        who = "The assessor" if assessor is None else f"Assessor {assessor}"
        empty = [t for t, docs in their.items() if max(docs.values()) < 1]
        if empty:
            notes.append(
                f"{who} found nothing relevant on "
                f"{_topics(empty, len(their))}: every system scores "
                "zero there."
            )
        absent = [topic for topic in topics if topic not in their]
        if absent:
            notes.append(
                f"{who} did not judge {_topics(absent, len(topics))}."
            )
    for system, run in seen.items():
        lacking = [topic for topic in topics if topic not in run]
        if lacking:
            notes.append(
                f"Run {system} lacks {_topics(lacking, len(topics))}: "
                "they count as zero."
            )
    extra = {
        system: [topic for topic in run if topic not in known]
        for system, run in seen.items()
    }
    left_out = list(dict.fromkeys(t for run in extra.values() for t in run))
    if left_out:
        holders = sum(bool(run) for run in extra.values())
        notes.append(
            f"{count(len(left_out), 'topic')} of "
            f"{count(holders, 'run')} without judgments left out: "
            f"{some(left_out)}."
        )
    return notes


def _topics(these, total):
    return f"{len(these)} of {count(total, 'topic')} ({some(these)})"


def _stem(path):
    name = Path(path).name
    return name.removesuffix(".gz").removesuffix(".txt")
