"""Runs and judgments: read, pooled, scored."""

import ast
import csv
import gzip
import io
import multiprocessing
import os
import signal
import sys
import threading
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.ap import (
    average_precision,
    confidence,
    exact_mean,
    pair_moments,
    ranking,
)
from gtlib.checks import (
    as_numbers,
    count_noun,
    list_some,
    needed,
    progress,
    several,
    whole_number,
)
from gtlib.scores import require_columns

__all__ = ["pool_runs", "read_qrels", "read_run", "read_runs"]

# The files that people hand over, found and read.

Paths: TypeAlias = str | Path | Iterable[str | Path]

# No file holds more; a small one may well expand to more, endlessly. What
# is packed more tightly than this holds less.
MOST_BYTES = 2**29
_MOST_TIGHT, _TIGHT = 2**26, 100

# How files begin that hold text, but are none.
_PACKED = {
    b"%PDF": "a PDF: a table must be text, as CSV is",
    b"PK": "a zip file, or of LibreOffice: unpack it, or save it as .xlsx "
    "or CSV",
    b"\xfd7zXZ": "packed by xz: unpack it, or pack it by gzip",
    b"BZh": "packed by bzip2: unpack it, or pack it by gzip",
    b"\x28\xb5\x2f\xfd": "packed by Zstandard: unpack it, or pack it by "
    "gzip",
    b"7z\xbc\xaf": "packed by 7-Zip: unpack it, or pack it by gzip",
    b"\xd0\xcf\x11\xe0": "an Excel file of before 2007: save it as .xlsx "
    "or CSV",
}


def list_files(paths: Paths, name: str = "paths") -> list[Path]:
    """List one file or several; a folder stands for all files in it."""
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    listed = several(paths, name, "files")
    named = [checks.path(path, name) for path in listed]
    files = [file for path in named for file in _list_at(path)]
    if not files:
        raise ValueError(f"{name}: no file was given.")
    return files


def _list_at(path: Path) -> list[Path]:
    try:
        if path.is_file():
            return [path]
        if not path.exists():
            raise ValueError(f"There is no file {path}.")
        if not path.is_dir():
            raise ValueError(
                f"{path} is neither a file nor a folder of files."
            )
        inside = [f for f in sorted(path.iterdir()) if f.is_file()]
        below = next(
            (f for f in path.rglob("?*/[!.]*") if f.is_file()), None
        )
    except OSError as error:
        raise file_error("read", path, error) from error
    visible = [file for file in inside if not file.name.startswith(".")]
    if not visible:
        hint = "."
        if below is not None:
            hint = f" itself. Name those below it, as {below} is."
        raise ValueError(f"There are no files in the folder {path}{hint}")
    return visible


def file_error(do: str, path: object, error: OSError) -> ValueError:
    """Return the error where the system cannot read or write a file."""
    why = error.strerror or str(error)
    return ValueError(f"{path} cannot be {do}: {why}.")


def refuse_unpacked(path: object, size: int, packed: int) -> None:
    """Refuse a file of so many bytes that holds so many more."""
    tight = size > _MOST_TIGHT and size > _TIGHT * packed
    if size > MOST_BYTES or tight:
        most = (_MOST_TIGHT if tight else MOST_BYTES) >> 20
        raise ValueError(
            f"{path} holds more than {most} MiB"
            f"{f', packed more than {_TIGHT} to 1' if tight else ''}: more "
            "than is read from one file. Split it."
        )


def read_text(path: str | Path) -> str:
    """Read the text of a file, its lines ended by line feeds."""
    return read_as_written(path).replace("\r\n", "\n").replace("\r", "\n")


def read_as_written(path: str | Path) -> str:
    """Read the text of a file, plain or gzip-compressed, in UTF-8, or in
    UTF-16 with its mark, as Excel writes Unicode text."""
    content = bytearray()
    try:
        with open(path, "rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
            size = os.fstat(file.fileno()).st_size if packed else MOST_BYTES
            file.seek(0)
            source = gzip.GzipFile(fileobj=file) if packed else file
            while part := source.read(2**20):
                content += part
                refuse_unpacked(path, len(content), size)
        marked = content.startswith((b"\xff\xfe", b"\xfe\xff"))
        text = content.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        for mark, kind in _PACKED.items():
            if content.startswith(mark):
                raise ValueError(f"{path} is {kind}.") from error
        raise ValueError(
            f"{path} is not text in UTF-8: save it in that (in Excel, as "
            "CSV UTF-8)."
        ) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} is not text, and not a whole gzip file ({error}): "
            "copy or download it again."
        ) from error
    except FileNotFoundError:
        raise
    except OSError as error:
        raise file_error("read", path, error) from error
    if "\0" in text:
        raise ValueError(f"{path} is not text.")
    if not text.strip():
        raise ValueError(f"{path} is empty: it has no lines.")
    return text


def claim_system(
    owner: dict[str, object], system: str, source: object
) -> None:
    """Record which source a system is from; refuse one that another source
    has."""
    if system in owner:
        raise ValueError(
            f"The system or run tag {system} is in both {owner[system]} "
            f"and {source}: each needs a name of its own."
        )
    owner[system] = source


# Work on many things, on all processors where that is safe.

Thing = TypeVar("Thing")
Returned = TypeVar("Returned")

_work: Callable[[Any], Any]  # of this process, if it is a worker


def map_in_parallel(
    work: Callable[[Thing], Returned], things: Sequence[Thing]
) -> Iterator[Returned]:
    """Yield what `work` makes of each thing, in their order.

    The workers are forks: whatever `work` needs is there, only its results
    travel. Where this process has threads, or forks are not safe, it does
    the work itself.
    """
    cores = min(_cores(), len(things))
    if cores < 2 or threading.active_count() > 1:
        return map(work, things)
    fork = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(cores, fork, _start_worker, (work,))
    # Begins here: a fork after the caller's threads would not be safe.
    return _results(pool, pool.map(_work_on, things))


def _results(pool, results):
    try:
        yield from results
    except BrokenProcessPool as error:
        raise RuntimeError(
            "A process that read files was ended: is there enough memory?"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _cores():
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


def _start_worker(work):
    """Set up a worker: it leaves interrupts to its parent, and ends with
    it."""
    global _work
    _work = work
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent():
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
    os._exit(1)


def _work_on(thing):
    return _work(thing)


# Runs and judgments in the TREC formats.
#
# A line of a run is ``topic Q0 document rank score tag``; a line of
# judgments (qrels) is ``topic iteration document relevance``. Both may be
# gzip-compressed. A file is refused with the number of the first line that
# cannot be right.
#
# The reader is our own because that of ir_measures, which takes as long,
# keeps no run tags, lets the last of two judgments of a document win, takes
# ``nan`` for a score, and says of a bad line neither its number nor its
# file.

ByTopic: TypeAlias = dict[str, dict[str, float]]

# The tools behind ir_measures count up to the highest relevance.
MOST_RELEVANT = 1000

_RUN_FIELDS = ["topic", "iteration", "document", "rank", "score", "system"]


def read_run(path: str | Path) -> pd.DataFrame:
    """Read a TREC run file, of one run or of several, as a table.

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

    Notes
    -----
    The format is that of trec_eval, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from pathlib import Path
    >>> import gtlib as gt
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "run.txt"
    >>> _ = path.write_text("301 Q0 FT911-3 1 9.5 bm25")
    >>> gt.read_run(path).values.tolist()
    [['bm25', '301', 'FT911-3', 1, 9.5]]
    """
    path = checks.path(path)
    table = read_fields(path, _RUN_FIELDS, ["rank", "score"])
    _refuse_repeated_documents(path, table)
    table = table.infer_objects()
    ranking = ["system", "topic"]
    table["place"] = table.groupby(ranking, sort=False).ngroup()
    table = table.sort_values("document", ascending=False)
    falling = _fall(table["score"])
    table = table.iloc[np.lexsort((falling, table["place"]))]
    table["rank"] = table.groupby(ranking).cumcount() + 1
    return table[[*ranking, "document", "rank", "score"]].reset_index(
        drop=True
    )


def read_lists(
    path: str | Path,
) -> tuple[dict[str, ByTopic], pd.DataFrame]:
    """Read what `read_run` reads as system -> topic -> document -> score;
    and the lines as they stand in the file."""
    lines = read_fields(path, _RUN_FIELDS, ["rank", "score"])
    by_system = lines.groupby("system", sort=False)
    lists = {
        system: group_by_topic(run, "score") for system, run in by_system
    }
    listed = sum(len(d) for run in lists.values() for d in run.values())
    if listed < len(lines):
        _refuse_repeated_documents(path, lines)
    return lists, lines


def read_qrels(path: str | Path) -> pd.DataFrame:
    """Read relevance judgments in the TREC qrels format as a table.

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

    Notes
    -----
    The format is that of trec_eval, https://github.com/usnistgov/trec_eval.

    Examples
    --------
    >>> from pathlib import Path
    >>> import gtlib as gt
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "qrels.txt"
    >>> _ = path.write_text("301 0 FT911-3 1")
    >>> gt.read_qrels(path).values.tolist()
    [['301', 'FT911-3', 1]]
    """
    path = checks.path(path)
    names = ["topic", "iteration", "document", "relevance"]
    table = read_fields(path, names, ["relevance"])
    grade = table["relevance"]
    broken = _no_relevance(grade)
    if broken.any():
        line = broken.idxmax()
        raise ValueError(
            f"{path}, line {line}: the relevance is {grade[line]}; it must "
            f"be a whole number, at most {MOST_RELEVANT}."
        )
    table = table.astype({"relevance": int}).drop(columns="iteration")
    table = table.infer_objects().drop_duplicates()
    key = ["topic", "document"]
    _refuse_repeats(path, table, key, "is judged twice, and differently")
    return table.reset_index(drop=True)


def _no_relevance(grade):
    """Return where a relevance is no whole number, or too high."""
    return (grade % 1 != 0) | (grade.abs() > MOST_RELEVANT)


def read_fields(
    path: str | Path, names: Sequence[str], numbers: Sequence[str] = ()
) -> pd.DataFrame:
    """Read fields between blanks, of which some are numbers.

    The index is the number of the line.
    """
    text = read_text(path)
    columns = [*names, "more"]
    table = pd.read_csv(
        io.BytesIO(f"{' '.join(columns)}\n{text}".encode()),
        sep=r"\s+",
        dtype=object,
        usecols=columns,
        quoting=csv.QUOTE_NONE,
        keep_default_na=False,
        skip_blank_lines=False,
    )
    table.index += 1
    table = table[table[names[0]] != ""]
    values = table[[*numbers]].apply(as_numbers)
    wrong = ~np.isfinite(values).all(axis="columns")
    wrong |= (table[names[-1]] == "") | (table["more"] != "")
    if wrong.any():
        line = wrong.idxmax()
        fields = text.split("\n")[line - 1].split()
        if len(fields) == len(names):
            name = np.isfinite(values.loc[line]).idxmin()
            fault = (
                f"the {name} is {fields[names.index(name)]!r}; it must be "
                "a number"
            )
        else:
            fault = (
                f"{len(fields)} fields where {len(names)} are expected "
                f"({' '.join(names)})"
            )
        raise ValueError(f"{path}, line {line}: {fault}.")
    table[values.columns] = values
    return table.drop(columns="more")


def group_by_topic(table: pd.DataFrame, value: str) -> ByTopic:
    """Return the rows of a table as topic -> document -> value."""
    topics: ByTopic = defaultdict(dict)
    columns = (table[n].tolist() for n in ("topic", "document", value))
    for topic, document, number in zip(*columns, strict=True):
        topics[str(topic)][document] = number
    return dict(topics)


def rank_documents(scores: Mapping[str, float]) -> list[str]:
    """Rank documents as `read_run` does."""
    names = [*scores]
    falling = _fall([*scores.values()])
    order = np.argsort(falling, kind="stable")
    same = falling[order][1:] == falling[order][:-1]
    tied = np.append(same, False) | np.append(False, same)
    if tied.any():
        by_name = sorted(order[tied], key=names.__getitem__, reverse=True)
        places = np.argsort(falling[by_name], kind="stable")
        order[tied] = np.array(by_name)[places]
    return [names[i] for i in order.tolist()]


def _fall(scores):
    """Negate scores, in the single precision in which trec_eval compares
    them."""
    with np.errstate(over="ignore"):
        return -np.asarray(scores).astype(np.float32)


def _refuse_repeated_documents(path, lines):
    key = ["system", "topic", "document"]
    _refuse_repeats(path, lines, key, "is retrieved twice")


def _refuse_repeats(path, table, key, what):
    repeated = table.duplicated(key)
    if repeated.any():
        line = repeated.idxmax()
        where = ", ".join(f"{name} {table.loc[line, name]}" for name in key)
        raise ValueError(f"{path}, line {line}: {where} {what}.")


# The documents that several systems retrieved, as one array of ranks.
#
# A `Pool` holds every document that any of the systems retrieved, topic by
# topic, and its rank in each system. What judges documents or guesses their
# relevance works on it: one number to each pooled document.


@dataclass(frozen=True, eq=False)
class Pool:
    """The documents that a set of systems retrieved, with their ranks.

    Attributes
    ----------
    systems : pandas.Index
    documents : pandas.MultiIndex
        (topic, document), grouped by topic.
    ranks : numpy.ndarray, shape (systems, documents)
        ``numpy.inf`` where a system did not retrieve the document.
    topics : pandas.Index
    starts : numpy.ndarray, shape (topics + 1,)
        Topic t has the documents ``starts[t]`` up to ``starts[t + 1]``.
    """

    systems: pd.Index
    documents: pd.MultiIndex
    ranks: np.ndarray
    topics: pd.Index
    starts: np.ndarray

    def __repr__(self) -> str:
        return (
            f"Pool of {len(self.documents)} documents: "
            f"{len(self.systems)} systems, {len(self.topics)} topics"
        )

    @property
    def topic_of(self) -> np.ndarray:
        """Number of each document's topic."""
        return np.repeat(np.arange(len(self.topics)), np.diff(self.starts))

    def only(self, systems: Iterable[str]) -> "Pool":
        """Return the same documents, with the ranks of some systems."""
        rows = self.systems.get_indexer(list(systems))
        if (rows < 0).any():
            missing = [s for s in systems if s not in self.systems]
            raise ValueError(f"the pool has no system {missing[0]!r}")
        return replace(
            self, systems=self.systems[rows], ranks=self.ranks[rows]
        )

    def without(self, held_out: pd.DataFrame) -> "Pool":
        """Return the pool as if some systems had retrieved nothing.

        Parameters
        ----------
        held_out : DataFrame of bool, systems x topics
            Where a system is left out.

        Raises
        ------
        ValueError
            If a system or topic is missing in it, or no system is left.
        """
        missing = [
            *self.systems.difference(held_out.index),
            *self.topics.difference(held_out.columns),
        ]
        if missing:
            raise ValueError(f"held_out does not know {missing[0]!r}.")
        left_out = held_out.loc[self.systems, self.topics].to_numpy(bool)
        if left_out.all(axis=0).any():
            topic = self.topics[left_out.all(axis=0)][0]
            raise ValueError(f"Every system is held out of topic {topic}.")
        ranks = np.where(left_out[:, self.topic_of], np.inf, self.ranks)
        return replace(self, ranks=ranks)

    def labels(
        self, judgments: pd.DataFrame, otherwise: ArrayLike = np.nan
    ) -> pd.Series:
        """Return each pooled document's judgment: 1, 0, or `otherwise`.

        Parameters
        ----------
        judgments : DataFrame
            Columns ``topic``, ``document``, ``relevance``; a relevance
            above 0 is relevant. Documents outside the pool are left out.
        otherwise : float or array_like, shape (documents,)
            What unjudged documents get, a probability of relevance.

        Returns
        -------
        Series
            Indexed by topic and document.

        Raises
        ------
        ValueError
            If a document is judged twice and differently, or a relevance
            is no number.
        """
        known = _relevance(judgments).reindex(self.documents)
        return known.where(known.notna(), otherwise)

    def average_precision(self, relevance: ArrayLike) -> pd.DataFrame:
        """Compute AP of every system on every topic of the pool.

        Parameters
        ----------
        relevance : array_like of 0 and 1, shape (documents,)
            Which of the pooled documents are relevant.

        Returns
        -------
        DataFrame
            Systems x topics.
        """
        return self._by_topic(average_precision, relevance)

    def expected_ap(self, p: ArrayLike) -> pd.DataFrame:
        """Compute expected AP of every system on every topic, exactly.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probabilities of relevance.

        Returns
        -------
        DataFrame
            Systems x topics.
        """

        def mean(ranks, p):
            each = map(ranking, ranks)
            return [exact_mean(one.mean, p[one.order]) for one in each]

        return self._by_topic(mean, p)

    def unjudged_variance(self, p: ArrayLike) -> float:
        """Estimate what unjudged documents add to a topic's error.

        Half of the mean variance of the difference in AP between two
        systems, over all pairs and topics, if the probabilities are right.
        Those of a model learnt from the runs were not: on the two
        collections of chapter 13 this was a small part of what was missed.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probability of relevance, 0 or 1 where judged.

        Returns
        -------
        float
            In squared units of AP; exact, as in `ap_moments`.
        """
        pairs = np.triu_indices(len(self.systems), 1)
        topics = [
            m.variance[pairs].mean() for m in self._moments(p, "exact")
        ]
        return float(np.mean(topics) / 2)

    def confidence(
        self, p: ArrayLike, ratio: str = "exact"
    ) -> pd.DataFrame:
        """Compute the confidence that a system's MAP is below another's.

        Parameters
        ----------
        p : array_like, shape (documents,)
            Probability that each pooled document is relevant.
        ratio : {"exact", "delta", "plugin"}
            As in `ap_moments`.

        Returns
        -------
        DataFrame
            P(MAP of the row's system < MAP of the column's).
        """
        c = confidence(self._moments(p, ratio))
        return pd.DataFrame(c, self.systems, self.systems.rename("below"))

    def parts(self) -> Iterator[slice]:
        """Yield the slice of each topic's documents."""
        return (slice(*ends) for ends in pairwise(self.starts))

    def _by_topic(self, score, p):
        p = self._probabilities(p)
        scores = [score(self.ranks[:, k], p[k]) for k in self.parts()]
        return pd.DataFrame(np.transpose(scores), self.systems, self.topics)

    def _moments(self, p, ratio):
        p = self._probabilities(p)
        for part in self.parts():
            yield pair_moments(self.ranks[:, part], p[part], ratio)

    def _probabilities(self, p):
        p = np.asarray(p, dtype=float)
        if p.shape != (len(self.documents),):
            raise ValueError(
                f"The shape is {p.shape}; give a number for each of the "
                f"{len(self.documents)} pooled documents."
            )
        wrong = ~((p >= 0) & (p <= 1))
        if wrong.any():
            raise ValueError(
                f"{p[wrong][0]} for {self.documents[wrong][0]} is not a "
                "probability."
            )
        return p


def pool_runs(runs: pd.DataFrame, depth: int | None = None) -> Pool:
    """Pool the documents of several systems.

    Parameters
    ----------
    runs : DataFrame
        Columns ``system``, ``topic``, ``document`` and ``rank``, as
        `read_run` gives.
    depth : int, optional
        Keep only so many documents of each system and topic.

    Returns
    -------
    Pool
        The documents, with their ranks in every system.

    Raises
    ------
    ValueError
        If there are no rows, or a system has a document twice on a topic,
        two documents at one rank, or a rank that is not a number. Gaps in
        the ranks are closed.

    Examples
    --------
    >>> import pandas as pd
    >>> import gtlib as gt
    >>> runs = pd.DataFrame({
    ...     "system": ["a", "a", "b", "b"], "topic": "1",
    ...     "document": ["x", "y", "y", "z"], "rank": [1, 2, 1, 2]})
    >>> pool = gt.pool_runs(runs)
    >>> pool.ranks.tolist()
    [[1.0, 2.0, inf], [inf, 1.0, 2.0]]
    """
    runs = _checked(runs, "runs", ["system", "topic", "document"], "rank")
    if runs.empty:
        raise ValueError("runs: the table has no rows.")
    _refuse_twice(runs, "runs", ["system", "topic", "rank"])
    place = runs.groupby(["system", "topic"])["rank"].rank().astype(int)
    runs = runs.assign(rank=place)
    if depth is not None:
        runs = runs[runs["rank"] <= whole_number(depth, "depth")]
    row, names = pd.factorize(runs["system"])
    systems = pd.Index(names, name="system")
    pooled = runs.groupby(["topic", "document"])
    ranks = np.full((len(systems), pooled.ngroups), np.inf)
    ranks[row, pooled.ngroup()] = runs["rank"]
    documents = pooled.size().index
    starts = np.r_[0, np.cumsum(np.bincount(documents.codes[0]))]
    return Pool(systems, documents, ranks, documents.levels[0], starts)


def _checked(table, what, key, number, twice=False):
    """Return the columns of runs or of judgments, topics and documents as
    texts, their number as one; refuse what is missing, no number, or,
    unless `twice`, there more than once."""
    table = require_columns(table, [*key, number], what)[[*key, number]]
    for name in key:
        if table[name].isna().any():
            row = table.index[table[name].isna().argmax()]
            raise ValueError(f"{what}: row {row} has no {name}.")
    values = as_numbers(table[number])
    values = values.to_numpy(dtype=float, na_value=np.nan)
    bad = ~np.isfinite(values)
    if bad.any():
        found = table[number].iloc[bad.argmax()]
        found = repr(found) if isinstance(found, str) else found
        raise ValueError(
            f"{what}: the {number} of row {table.index[bad.argmax()]} is "
            f"{found}; it must be a finite number. Leave the row out, or "
            "mend it."
        )
    texts = {name: table[name].astype(str) for name in key[-2:]}
    table = table.assign(**texts, **{number: values})
    if not twice:
        _refuse_twice(table, what, key)
    return table


def _refuse_twice(table, what, key):
    """Refuse rows that have the same names."""
    repeated = table.duplicated(key)
    if repeated.any():
        first = table.loc[repeated, key].iloc[0]
        where = ", ".join(f"{k} {v}" for k, v in first.items())
        raise ValueError(f"{what}: {where} is there twice; keep one row.")


def _relevance(judgments):
    """Return 1 or 0 by topic and document; refuse judgments that differ."""
    key = ["topic", "document"]
    table = _checked(judgments, "qrels", key, "relevance", twice=True)
    table = table.assign(relevance=table["relevance"] > 0)
    table = table.drop_duplicates()
    repeated = table.duplicated(key)
    if repeated.any():
        topic, document, _ = table[repeated].iloc[0]
        raise ValueError(
            f"document {document} of topic {topic} is judged relevant and "
            "not relevant; keep one judgment (several assessors: combine "
            "them first, for instance by majority)"
        )
    return table.set_index(key)["relevance"].astype(float).rename(None)


# Runs scored against one or more assessors' judgments.

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
    if report is not None and not callable(report):
        raise ValueError(
            f"report={checks.shown(report)}: a function is needed, or None."
        )
    scoring = Scoring(qrels, measures)
    scored = process_runs(runs, scoring)
    scores = scoring.table(scored)
    if report is not None:
        for sentence in scores.attrs["report"]:
            report(sentence)
    return scores


class Scoring:
    """Scores of runs, one run at a time, for `process_runs`."""

    def __init__(self, qrels: Qrels, measures: Measures) -> None:
        ir_measures = import_ir_measures()
        if not isinstance(measures, list | tuple):
            measures = [measures]
        if not measures:
            raise ValueError("measures: none was named.")
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
    """Import what scores runs."""
    return needed("ir_measures", "Scoring runs", "runs")


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
        key = ["topic", "document"]
        if "assessor" in qrels:
            key = ["assessor", *key]
        judged = _checked(qrels, "qrels", key, "relevance", twice=True)
        judged = judged.drop_duplicates()
        _refuse_twice(judged, "qrels", key)
        grade = judged["relevance"]
        broken = _no_relevance(grade)
        if broken.any():
            raise ValueError(
                f"qrels: the relevance of row {broken.idxmax()} is "
                f"{grade[broken].iloc[0]:g}; it must be a whole number, at "
                f"most {MOST_RELEVANT}."
            )
        judged = judged.astype({"relevance": int})
        tables = {None: judged}
        if "assessor" in qrels:
            tables = dict(iter(judged.groupby("assessor", sort=False)))
    else:
        files = list_files(qrels, "qrels")
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
        key = ["system", "topic", "document"]
        runs = _checked(runs, "runs", key, "score")
        for system, run in runs.groupby("system", sort=False):
            yield system, work(system, group_by_topic(run, "score"))
        return

    def process(path):
        lists, lines = read_lists(path)
        systems = [(s, work(s, run)) for s, run in lists.items()]
        return look(lines, Path(path).name), systems

    files = list_files(runs, "runs")
    owner: dict[str, object] = {}
    results = map_in_parallel(process, files)
    bar = progress(files, "Reading runs")
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
