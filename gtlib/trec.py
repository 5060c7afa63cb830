"""Runs and judgments in the TREC formats, and the scores they give.

A line of a run is ``topic Q0 document rank score tag``; a line of
judgments (qrels) is ``topic iteration document relevance``. Both may be
gzip-compressed. A file is refused with the number of the first line that
cannot be right.
"""

import csv
import gzip
import io
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from gtlib.scores import _count, _require_columns, _some

_RUN = ["topic", "iteration", "document", "rank", "score", "system"]
_QRELS = ["topic", "iteration", "document", "relevance"]


def read_run(path):
    """A TREC run file, or several runs in one file, as a table.

    Parameters
    ----------
    path : str or Path
        Six columns: topic, ``Q0``, document, rank, score, run tag; plain
        or gzip-compressed, separated by blanks or tabs.

    Returns
    -------
    DataFrame
        Columns ``system`` (the tag), ``topic``, ``document``, ``rank``
        and ``score``, each system's topics in order of appearance and
        their documents from the first rank on. As in trec_eval the
        ranking is that of the scores, ties by document name from Z to A,
        and ``rank`` counts it from 1; the printed rank is not used.

    Raises
    ------
    ValueError
        Naming file and line: not six fields, a rank or score that is not
        a finite number, or a document twice in a topic.
    """
    table = _read(path, _RUN, ["rank", "score"])
    _refuse_repeats(
        path, table, ["system", "topic", "document"], "is retrieved twice"
    )
    order = _trec_order(table)
    table = table.iloc[order].reset_index(drop=True)
    table["rank"] = table.groupby(["system", "topic"]).cumcount() + 1
    return table[["system", "topic", "document", "rank", "score"]]


def read_qrels(path):
    """Relevance judgments in the TREC qrels format as a table.

    Parameters
    ----------
    path : str or Path
        Four columns: topic, iteration (not used), document, relevance;
        plain or gzip-compressed.

    Returns
    -------
    DataFrame
        Columns ``topic``, ``document`` and integer ``relevance``, a row
        per judged pair. A pair that is listed twice with the same
        judgment is kept once.

    Raises
    ------
    ValueError
        Naming file and line: not four fields, a relevance that is not a
        whole number, or a pair judged twice and differently.
    """
    table = _read(path, _QRELS, ["relevance"])
    whole = table["relevance"] % 1 == 0
    if not whole.all():
        row = int((~whole).to_numpy().argmax())
        raise ValueError(
            f"{_place(path, row)}: the relevance is "
            f"{table['relevance'].iloc[row]}; it must be a whole number."
        )
    table["relevance"] = table["relevance"].astype(int)
    table = table.drop(columns="iteration")
    again = table.duplicated()
    _refuse_repeats(
        path,
        table[~again],
        ["topic", "document"],
        "is judged twice, and differently",
    )
    return table[~again].reset_index(drop=True)


def read_runs(runs, qrels, measures, *, report=print):
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

    measures = [_measure(measure) for measure in _listed(measures)]
    judged = _judgments(qrels)
    evaluators = {
        assessor: ir_measures.evaluator(measures, by_topic)
        for assessor, by_topic in judged.items()
    }
    topics = list(dict.fromkeys(t for by in judged.values() for t in by))
    rows, seen = [], {}
    for system, run in _each_run(runs):
        seen[system] = list(run)
        if not set(topics) & set(run):
            raise ValueError(
                f"Run {system} shares no topic with the judgments: its "
                f"topics are {_some(run)}, theirs {_some(topics)}. Are "
                "these the judgments of another collection?"
            )
        for assessor, evaluator in evaluators.items():
            value = {
                (m.measure, m.query_id): m.value
                for m in evaluator.iter_calc(run)
            }
            rows += [
                (
                    system,
                    topic,
                    assessor,
                    str(measure),
                    float(value[measure, topic]),
                )
                for topic in judged[assessor]
                for measure in measures
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


def _listed(value):
    return list(value) if isinstance(value, (list, tuple, set)) else [value]


def _measure(measure):
    import ir_measures

    if not isinstance(measure, str):
        return measure
    try:
        return ir_measures.parse_measure(measure)
    except (NameError, ValueError, SyntaxError) as error:
        raise ValueError(
            f"{measure!r} is not a measure that ir_measures knows: write "
            "for instance AP, P@10, nDCG@20 or RR."
        ) from error


def _judgments(qrels):
    """Assessor -> topic -> document -> relevance; assessor None if one."""
    if isinstance(qrels, pd.DataFrame):
        needed = ["topic", "document", "relevance"]
        _require_columns(qrels, needed)
        if "assessor" not in qrels:
            return {None: _nested(qrels, "relevance")}
        by_assessor = qrels.groupby("assessor", sort=False)
        return {
            assessor: _nested(table, "relevance")
            for assessor, table in by_assessor
        }
    if isinstance(qrels, (str, Path)):
        return {None: _nested(read_qrels(qrels), "relevance")}
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
        assessor: _nested(read_qrels(path), "relevance")
        for assessor, path in qrels.items()
    }


def _each_run(runs):
    """Each run once as (system, topic -> document -> score)."""
    if isinstance(runs, pd.DataFrame):
        _require_columns(runs, ["system", "topic", "document", "score"])
        sources = [runs]
    elif isinstance(runs, (str, Path)) and Path(runs).is_dir():
        sources = sorted(
            path
            for path in Path(runs).iterdir()
            if path.is_file() and not path.name.startswith(".")
        )
    else:
        sources = _listed(runs)
    if not sources:
        raise ValueError(f"There are no run files in {runs}.")
    seen = {}
    for source in tqdm(sources, desc="Reading runs", disable=None):
        table = source
        if not isinstance(source, pd.DataFrame):
            table = read_run(source)
        for system, run in table.groupby("system", sort=False):
            if system in seen:
                raise ValueError(
                    f"The run tag {system} is in both {seen[system]} and "
                    f"{source}: tags must be unique."
                )
            seen[system] = source
            yield system, _nested(run, "score")


def _nested(table, value):
    """Topic -> document -> value, as the evaluators want it."""
    codes, topics = pd.factorize(table["topic"])
    order = np.argsort(codes, kind="stable")
    documents = table["document"].to_numpy(object)[order].tolist()
    values = table[value].to_numpy()[order].tolist()
    ends = np.cumsum(np.bincount(codes, minlength=len(topics))).tolist()
    return {
        str(topic): dict(
            zip(documents[start:end], values[start:end], strict=True)
        )
        for topic, start, end in zip(
            topics, [0, *ends[:-1]], ends, strict=True
        )
    }


def _incomplete(judged, topics, seen):
    """What was not complete, in a sentence each."""
    known, notes = set(topics), []
    for assessor, by_topic in judged.items():
        who = "The assessor" if assessor is None else f"Assessor {assessor}"
        empty = [
            t for t, docs in by_topic.items() if max(docs.values()) < 1
        ]
        if empty:
            notes.append(
                f"{who} found nothing relevant on "
                f"{_topics(empty, len(by_topic))}: every system scores "
                "zero there."
            )
        absent = [topic for topic in topics if topic not in by_topic]
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
            f"{_count(len(left_out), 'topic')} of "
            f"{_count(holders, 'run')} without judgments left out: "
            f"{_some(left_out)}."
        )
    return notes


def _topics(some, total):
    return f"{len(some)} of {_count(total, 'topic')} ({_some(some)})"


def _stem(path):
    name = Path(path).name
    return name.removesuffix(".gz").removesuffix(".txt")


def _read(path, names, numbers):
    """The fields of a TREC file, or a ValueError naming the line."""
    text = _content(path)
    spare = "more"
    dtypes = dict.fromkeys(names, str) | dict.fromkeys(numbers, float)
    dtypes |= dict.fromkeys(
        {"iteration", "system"} & set(names), "category"
    )
    try:
        table = pd.read_csv(
            io.BytesIO(text),
            sep=r"\s+",
            header=None,
            names=[*names, spare],
            dtype=dtypes | {spare: "category"},
            quoting=csv.QUOTE_NONE,
            keep_default_na=False,
            float_precision="round_trip",
            encoding="utf-8-sig",
        )
    except ValueError:  # a number that is none, too many fields, encoding
        table = None
    if (
        table is None
        or not isinstance(table.index, pd.RangeIndex)
        or set(table[spare].cat.categories) - {""}
        or not np.isfinite(table[numbers].to_numpy()).all()
        or (table[names[-1]] == "").any()
    ):
        raise ValueError(_first_malformed(path, text, names, numbers))
    if table.empty:
        raise ValueError(f"{path} has no lines.")
    table = table.drop(columns=spare)
    if "system" in table:
        table["system"] = table["system"].astype(str)
    return table


def _content(path):
    data = Path(path).read_bytes()
    if data[:2] != b"\x1f\x8b":
        return data
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(
            f"{path} is not a whole gzip file ({error}): copy or download "
            "it again."
        ) from error


def _lines(text):
    """Number and fields of the lines that are not blank."""
    for number, line in enumerate(
        text.decode("utf-8-sig", "replace").splitlines(), start=1
    ):
        fields = line.split()
        if fields:
            yield number, fields


def _first_malformed(path, text, names, numbers):
    for number, fields in _lines(text):
        if len(fields) != len(names):
            return (
                f"{path}, line {number}: {len(fields)} fields where "
                f"{len(names)} are expected ({' '.join(names)})."
            )
        for name in numbers:
            field = fields[names.index(name)]
            try:
                right = np.isfinite(float(field))
            except ValueError:
                right = False
            if not right:
                return (
                    f"{path}, line {number}: the {name} is {field!r}; it "
                    "must be a number."
                )
    return f"{path} is not plain text in UTF-8."


def _place(path, row):
    for index, (number, _) in enumerate(_lines(_content(path))):
        if index == row:
            return f"{path}, line {number}"
    raise IndexError(row)


def _refuse_repeats(path, table, key, what):
    again = table.duplicated(key).to_numpy()
    if again.any():
        row = int(again.argmax())
        named = ", ".join(f"{k} {table[k].iloc[row]}" for k in key)
        raise ValueError(
            f"{_place(path, table.index[row])}: {named} {what}."
        )


def _trec_order(table):
    """Rows by system and topic, best first, as trec_eval ranks them."""
    groups = table.groupby(["system", "topic"], sort=False).ngroup()
    groups = groups.to_numpy()
    falling = -table["score"].to_numpy(np.float32)  # trec_eval's precision
    order = np.lexsort((falling, groups))
    tied = (np.diff(falling[order]) == 0) & (np.diff(groups[order]) == 0)
    rows = np.flatnonzero(np.r_[tied, False] | np.r_[False, tied])
    names = table["document"].to_numpy(object)[order[rows]]
    z_to_a = -np.unique(names, return_inverse=True)[1]
    again = np.lexsort((z_to_a, falling[order[rows]], groups[order[rows]]))
    order[rows] = order[rows[again]]
    return order
