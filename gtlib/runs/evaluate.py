"""Runs scored against one or more assessors' judgments."""

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import pandas as pd
from tqdm import tqdm

from gtlib.runs.find_files import Paths, claim_system, list_files
from gtlib.runs.parallel import map_in_parallel
from gtlib.runs.trec import ByTopic, group_by_topic, read_lists, read_qrels
from gtlib.tables import (
    count_noun,
    list_some,
    require_columns,
)

# What another package defines, imported where it is used.
Measure: TypeAlias = Any

Runs: TypeAlias = Paths | pd.DataFrame
Qrels: TypeAlias = Paths | pd.DataFrame
Measures: TypeAlias = (
    str | Measure | list[str | Measure] | tuple[str | Measure, ...]
)
Scores: TypeAlias = list[tuple[str, str | None, str, float]]
Result = TypeVar("Result")

# The highest relevance that gdeval, behind ERR, can be told.
MOST_OF_ERR = 4


def read_runs(
    runs: Runs,
    qrels: Qrels,
    measures: Measures,
    *,
    report: Callable[[str], object] | None = print,
) -> pd.DataFrame:
    """Score runs against one or more sets of judgments.

    Parameters
    ----------
    runs : path, DataFrame, or list of paths
        A folder of run files, a run file, several of them, or a table as
        `read_run` returns it.
    qrels : path, DataFrame, or list of paths
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
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> run = pd.DataFrame({"system": "best", "topic": ["1", "1"],
    ...                     "document": ["a", "b"], "score": [2.0, 1.0]})
    >>> judged = pd.DataFrame({"topic": ["1", "1"],
    ...                        "document": ["a", "b"],
    ...                        "relevance": [0, 1]})
    >>> gt.read_runs(run, judged, ["AP", "P@2"])
      system topic measure  score
    0   best     1      AP    0.5
    1   best     1     P@2    0.5
    """
    scoring = Scoring(qrels, measures)
    scored = process_runs(runs, scoring)
    scores = scoring.table(scored)
    if report is not None:
        for sentence in scores.attrs["report"]:
            report(sentence)
    return scores


class Scoring:
    """Scores of runs, one run at a time, for `process_runs`.

    Parameters
    ----------
    qrels, measures : as `read_runs` takes them
    """

    def __init__(self, qrels: Qrels, measures: Measures) -> None:
        ir_measures = import_ir_measures()
        if not isinstance(measures, list | tuple):
            measures = [measures]
        self.measures = [*dict.fromkeys(map(parse_measure, measures))]
        self.judged = judgments_by_assessor(qrels)
        self.topics = [*dict.fromkeys(chain(*self.judged.values()))]
        lists = chain(
            *(by_topic.values() for by_topic in self.judged.values())
        )
        highest = max(chain(*(docs.values() for docs in lists)), default=0)
        err = [m for m in self.measures if m.NAME == "ERR"]
        if err and highest > MOST_OF_ERR:
            raise ValueError(
                f"{err[0]} cannot be computed here: what computes it knows "
                f"no relevance above {MOST_OF_ERR}, and the judgments go "
                f"up to {highest}."
            )
        # Some of the tools behind ir_measures take no topic but a number.
        self._number = {t: str(i) for i, t in enumerate(self.topics, 1)}
        with measure_errors(self.measures):
            self._evaluators = {
                assessor: ir_measures.evaluator(
                    self.measures,
                    {
                        self._number[t]: docs
                        for t, docs in judgments.items()
                    },
                )
                for assessor, judgments in self.judged.items()
            }

    def __call__(
        self, system: str, run: ByTopic
    ) -> tuple[list[str], Scores]:
        """The topics of a run, and its scores by each assessor."""
        numbered = {n: run[t] for t, n in self._number.items() if t in run}
        if not numbered:
            raise ValueError(
                f"Run {system} shares no topic with the judgments: its "
                f"topics are {list_some(run)}, theirs "
                f"{list_some(self.topics)}. Are "
                "these the judgments of another collection?"
            )
        rows: Scores = []
        for assessor, evaluator in self._evaluators.items():
            with measure_errors(self.measures):
                value = {
                    (m.query_id, m.measure): float(m.value)
                    for m in evaluator.iter_calc(numbered)
                }
                rows += [
                    (t, assessor, str(m), value[self._number[t], m])
                    for t in self.judged[assessor]
                    for m in self.measures
                ]
        return [*run], rows

    def table(
        self, scored: Iterable[tuple[str, tuple[list[str], Scores]]]
    ) -> pd.DataFrame:
        """Return the scores of all runs, as `read_runs` returns them."""
        rows, seen = [], {}
        for system, (topics, scores) in scored:
            seen[system] = topics
            rows += [(system, *row) for row in scores]
        columns = ["system", "topic", "assessor", "measure", "score"]
        table = pd.DataFrame(rows, columns=columns)
        if list(self.judged) == [None]:
            table = table.drop(columns="assessor")
        table.attrs["report"] = _describe_gaps(
            self.judged, self.topics, seen
        )
        return table


def import_ir_measures() -> Any:
    """Import what scores runs; where nothing compiled for it is to be had,
    as in a browser, it is not installed with gtlib."""
    try:
        import ir_measures
    except ImportError as error:
        raise ImportError(
            "Runs are scored by ir-measures, which is not installed: "
            "install it, or score the runs elsewhere and give the table of "
            "scores."
        ) from error
    return ir_measures


def parse_measure(measure: str | Measure) -> Measure:
    """Parse the name of a measure, or refuse it.

    Some of them end the process where a cutoff is zero: whatever cannot be
    right is refused before they see it.
    """
    try:
        parsed = _build_measure(str(measure), import_ir_measures())
        parsed.validate_params()
    except Exception as error:  # whatever a parser may say of a text
        raise ValueError(
            f"{list_some([repr(measure)])} is not a measure that "
            "ir_measures knows: write for instance AP, P@10, nDCG@20 or RR."
        ) from error
    for name, value in parsed.params.items():
        kind = parsed.SUPPORTED_PARAMS[name].dtype
        numbers = [value]
        if kind is dict:
            kind = int
            numbers = value.values()
        least = 1 if name in ("cutoff", "rel", "max_rel") else 0
        if kind is not str and not all(
            type(number) is kind and least <= number < 2**31
            for number in numbers
        ):
            raise ValueError(
                f"{list_some([repr(measure)])}: its {name} must be of type "
                f"{kind.__name__}, at least {least}, and below 2**31."
            )
    return parsed


def _build_measure(name, ir_measures):
    """Build a measure from a name such as ``nDCG(gains={1: 2})@10``. The
    parser of ir-measures needs what Python has no more since 3.14."""
    node: Any = ast.parse(name, mode="eval").body
    cutoff, parameters = None, dict[str, Any]()
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        node, cutoff = node.left, ast.literal_eval(node.right)
    if isinstance(node, ast.Call) and not node.args:
        parameters = {
            str(each.arg): ast.literal_eval(each.value)
            for each in node.keywords
        }
        node = node.func
    kind = ir_measures.measures.registry[node.id]
    if cutoff is not None:
        parameters[kind.AT_PARAM] = cutoff
    return kind(**parameters)


@contextmanager
def measure_errors(measures: list[Measure]) -> Iterator[None]:
    """Turn whatever the tools behind ir_measures raise into a ValueError:
    they fail in ways of their own."""
    try:
        yield
    except Exception as error:
        reason, *further_lines = str(error).splitlines() or [
            type(error).__name__
        ]
        if reason.endswith(":"):  # what to install is listed below
            reason += " " + ", ".join(
                line.strip(" -") for line in further_lines
            )
        raise ValueError(
            f"ir_measures cannot compute {list_some(measures)} here: "
            f"{reason}"
        ) from error


def judgments_by_assessor(qrels: Qrels) -> dict[str | None, ByTopic]:
    """Read every assessor's judgments; None is an assessor without a
    name."""
    tables: dict[str | None, pd.DataFrame]
    if isinstance(qrels, pd.DataFrame):
        require_columns(qrels, ["topic", "document", "relevance"])
        tables = {None: qrels}
        if "assessor" in qrels:
            tables = dict(iter(qrels.groupby("assessor", sort=False)))
    else:
        files = list_files(qrels)
        tables = {file_stem(path): read_qrels(path) for path in files}
        if len(tables) < len(files):
            raise ValueError(
                "Two qrels files have the same name, after which their "
                "assessors are called: rename one."
            )
        if len(files) == 1:
            tables = {None: tables.popitem()[1]}
    if not tables:
        raise ValueError("No qrels were given.")
    return {
        assessor: group_by_topic(t, "relevance")
        for assessor, t in tables.items()
    }


def process_runs(
    runs: Runs,
    work: Callable[[str, ByTopic], Result],
    look: Callable[[pd.DataFrame, str], list] = lambda lines, name: [],
    found: list | None = None,
) -> Iterator[tuple[str, Result]]:
    """Yield each run's system once, with what `work` makes of it. What
    `look` finds in the lines of a file, by its name, is added to
    `found`."""
    if isinstance(runs, pd.DataFrame):
        require_columns(runs, ["system", "topic", "document", "score"])
        for system, run in runs.groupby("system", sort=False):
            yield system, work(system, group_by_topic(run, "score"))
        return

    def process(path):
        lists, lines = read_lists(path)
        systems = [(s, work(s, run)) for s, run in lists.items()]
        return look(lines, Path(path).name), systems

    files = list_files(runs)
    owner: dict[str, object] = {}
    results = map_in_parallel(process, files)
    with tqdm(files, desc="Reading runs", disable=None) as bar:
        for path, (seen, systems) in zip(bar, results, strict=True):
            if found is not None:
                found += seen
            for system, result in systems:
                claim_system(owner, system, path)
                yield system, result


def _describe_gaps(judged, topics, seen):
    """Say what was not complete, in a sentence each."""
    notes = []
    for assessor, judgments in judged.items():
        name = (
            "The assessor" if assessor is None else f"Assessor {assessor}"
        )
        empty = [
            t for t, docs in judgments.items() if max(docs.values()) < 1
        ]
        if empty:
            notes.append(
                f"{name} found nothing relevant on "
                f"{_share_of_topics(empty, len(judgments))}: every system "
                "scores zero there."
            )
        absent = [topic for topic in topics if topic not in judgments]
        if absent:
            notes.append(
                f"{name} did not judge "
                f"{_share_of_topics(absent, len(topics))}."
            )
    for system, run in seen.items():
        missing = [topic for topic in topics if topic not in run]
        if missing:
            notes.append(
                f"Run {system} lacks "
                f"{_share_of_topics(missing, len(topics))}: they count as "
                "zero."
            )
    unjudged = {
        system: [topic for topic in run if topic not in topics]
        for system, run in seen.items()
    }
    left_out = [*dict.fromkeys(chain(*unjudged.values()))]
    if left_out:
        runs = sum(1 for left in unjudged.values() if left)
        notes.append(
            f"{count_noun(len(left_out), 'topic')} of "
            f"{count_noun(runs, 'run')} "
            f"without judgments left out: {list_some(left_out)}."
        )
    return notes


def _share_of_topics(affected, total):
    """``2 of 50 topics (301, 302)``."""
    topics = count_noun(total, "topic")
    return f"{len(affected)} of {topics} ({list_some(affected)})"


def file_stem(path: Path) -> str:
    """Return the name of a file without what says how it is written."""
    return path.name.removesuffix(".gz").removesuffix(".txt")
