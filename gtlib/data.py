"""Data sets: registered, checked, read.

What is not embedded is fetched from a pinned address, or read from the
folder that GTLIB_MIRROR names.
"""

import fnmatch
import functools
import gzip
import itertools
import json
import os
import re
import sys
import warnings
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from gtlib.checks import (
    as_numbers,
    did_you_mean,
    needed,
    shown,
    similar,
)
from gtlib.design import Design
from gtlib.gtheory import GStudy
from gtlib.runs import read_fields
from gtlib.scores import as_wide

__all__ = ["DatasetUnavailable", "datasets", "load", "load_all"]

# Files that are not ours to embed: found in a mirror or cache, or fetched.
#
# A file is known by its path ``OWNER/REPO/COMMIT/PATH`` on GitHub and by
# the SHA-256 checksum that ``data/checksums.sha256`` holds for it. It is
# looked for in the folder that the environment variable ``GTLIB_MIRROR``
# names, then in the user's cache, and then downloaded, unless the variable
# ``GTLIB_OFFLINE`` is set. The mirror is only read; what it holds as
# ``PATH.gz`` is unpacked into the cache.

URL = "https://raw.githubusercontent.com/"
# Mebibytes that a packed file unpacks to; by its checksum, one cut short
# is not the file that is expected.
MOST_PARTS = 512
_offline = None  # the reason, once a connection could not be made


class DatasetUnavailable(OSError):
    """A data set that is not on this machine and cannot be fetched now."""


def data_folder() -> Path:
    """Find the embedded data, in the package or in the repository."""
    package = Path(__file__).parent
    inside = package / "data"
    return inside if inside.is_dir() else package.parent / "data"


@functools.cache
def checksums() -> dict[str, str]:
    """Return the SHA-256 of every remote file, by its path."""
    lines = (data_folder() / "checksums.sha256").read_text("utf-8")
    pairs = (line.split(maxsplit=1) for line in lines.splitlines())
    return {path: checksum for checksum, path in pairs}


def remote_paths(pattern: str) -> list[str]:
    """Return the known remote files that match a path or a pattern."""
    return fnmatch.filter(checksums(), pattern)


def file_location(path: str) -> str:
    """Say where a file would come from, without opening it: ``"mirror"``,
    ``"cached"`` or ``"remote"``."""
    if _find_in_mirror(path):
        return "mirror"
    try:
        kept = Path(_pooch().os_cache("gtlib"), path)
    except ImportError:
        return "remote"
    return "cached" if kept.is_file() else "remote"


def fetch(path: str) -> Path:
    """Return a local copy of a remote file, checked by its checksum."""
    mirrored = _find_in_mirror(path)
    if mirrored is None:
        return _download(path)
    if mirrored.name == Path(path).name:
        if _pooch().file_hash(mirrored) == checksums()[path]:
            return mirrored
    else:
        try:
            return _unpack(path, mirrored)
        except (EOFError, ValueError, zlib.error, gzip.BadGzipFile):
            pass
        except OSError as error:
            raise _unavailable(path, error) from None
    raise ValueError(
        f"{mirrored} is not the file that is expected (its SHA-256, "
        f"uncompressed, is not {checksums()[path]}): download it again "
        f"from {URL}{path} or remove it from the folder that "
        "GTLIB_MIRROR names."
    )


def _find_in_mirror(path):
    """The file in the mirror, plain or gzipped, or None."""
    folder = os.environ.get("GTLIB_MIRROR")
    if not folder:
        return None
    candidates = (
        Path(folder, path + end).expanduser() for end in ("", ".gz")
    )
    return next((file for file in candidates if file.is_file()), None)


@functools.cache
def _pooch():
    """Import pooch, and silence its log and its warning about progress
    bars."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pooch = needed("pooch", "What is not embedded", "data")
    pooch.get_logger().setLevel("ERROR")
    return pooch


def _keeper(**options):
    """Return pooch's store in the user's cache, which checks every file."""
    return _pooch().create(
        _pooch().os_cache("gtlib"), URL, registry=checksums(), **options
    )


def _unpack(path, packed):
    def unpack(url, output, keeper):
        with gzip.open(packed) as source, open(output, "wb") as target:
            parts = iter(functools.partial(source.read, 2**20), b"")
            target.writelines(itertools.islice(parts, MOST_PARTS))

    return Path(_keeper().fetch(path, downloader=unpack))


def _download(path):
    import requests
    from urllib3.exceptions import NewConnectionError

    global _offline
    no_network = ConnectionError, requests.ConnectionError, requests.Timeout
    download = _pooch().HTTPDownloader(sys.stderr.isatty(), timeout=(5, 30))

    offline = _offline or offline_by_choice()

    def unless_offline(url, output, keeper):
        if offline:
            raise DatasetUnavailable(offline)
        try:
            download(url, output, keeper)
        except requests.ConnectionError as error:
            reason = getattr(error.args[0], "reason", None)
            if isinstance(reason, NewConnectionError):
                # Pooch waits and tries again after requests' errors only.
                raise ConnectionError(error) from None
            raise

    try:
        keeper = _keeper(retry_if_failed=2)
        return Path(keeper.fetch(path, downloader=unless_offline))
    except (OSError, ValueError) as error:  # requests' are OSErrors
        if isinstance(error, no_network):
            _offline = "there is no network"  # as long as Python runs
        reason = offline or _offline or error
        held = Path(_pooch().os_cache("gtlib"), path)
        if held.is_file():
            raise ValueError(
                f"{held} is not the file that is expected, and it could "
                f"not be fetched again ({reason}): remove it."
            ) from None
        raise _unavailable(path, reason) from None


def offline_by_choice() -> str:
    """Return why nothing is downloaded, if the user has said so."""
    said = os.environ.get("GTLIB_OFFLINE", "")
    return "" if said in ("", "0") else "GTLIB_OFFLINE is set"


def _unavailable(path, reason):
    mirror = os.environ.get("GTLIB_MIRROR")
    now = f", not {mirror}," if mirror else ""
    chosen = offline_by_choice()
    remedy = "Unset it" if chosen else "Connect to the network"
    return DatasetUnavailable(
        f"{path} is not on this machine and could not be fetched "
        f"({reason}). {remedy}, or set "
        f"GTLIB_MIRROR to a folder{now} that holds this path. To have all "
        "data at once, type in a clone of the book: make data"
    )


# The Cystic Fibrosis collection: its topics and judgments.
#
# 1239 papers of 1974-79, 100 questions, and for each question the papers
# that four judges found relevant, each on a scale 0-2 (Shaw, Wood, Wood &
# Tibbo 1991). The originals stay with their owners; this reads the copies
# that `gtlib.load` fetches.

ASSESSORS = ("physician", "colleagues", "postdoc", "librarian")

# In the file, query 93 is swallowed by query 92: its number and its count
# of results stand there as one more judgment, its own follow, and its
# text is lost.
SPOILT = (92, 93)


def read_topics(path: Path) -> pd.DataFrame:
    """Read columns ``topic`` and ``text``, without the two topics that are
    corrupt in the file."""
    rows = [
        (topic, " ".join(query.findtext("QueryText", "").split()))
        for topic, query in _queries(path)
    ]
    return pd.DataFrame(rows, columns=["topic", "text"])


def read_judgments(path: Path) -> pd.DataFrame:
    """Read ``topic``, ``document``, ``assessor`` and ``relevance``.

    A row per topic, document and assessor for every document that any of
    the four found at least marginally relevant (1) or highly relevant
    (2); what is not listed counts as not relevant (0).
    """
    rows = [
        (topic, f"{int(item.text or ''):05d}", *graded)
        for topic, query in _queries(path)
        for item in query.iter("Item")
        for graded in zip(
            ASSESSORS, map(int, item.get("score", "")), strict=True
        )
    ]
    columns = ["topic", "document", "assessor", "relevance"]
    return pd.DataFrame(rows, columns=columns)


def _queries(path):
    for query in ET.parse(path).getroot().iter("QUERY"):
        topic = int(query.findtext("QueryNumber", ""))
        if topic not in SPOILT:
            yield topic, query


# Judgments that machines gave, beside those that people gave.
#
# The files are as their makers left them: grades that are none, lines that
# repeat, judges that stopped early. One rule reads them all: a grade is 0,
# 1, 2 or 3; of several lines on one document the last counts; and a judge
# is kept who graded at least `COVERAGE` of the documents that people
# judged.

COVERAGE = 0.99
GRADES = ("0", "1", "2", "3")


def read_judges(paths: Iterable[Path]) -> pd.DataFrame:
    """Read ``topic``, ``document``, ``assessor`` and ``relevance``.

    The first file holds the judgments of people, and its assessor is
    ``human``; each of the others those of one judge, who is named after
    the file, ``model/prompt`` where the name tells them.
    """
    (human, *judges) = paths
    official = _read_grades(human)
    kept = [official.assign(assessor="human")]
    for path in judges:
        table = _read_grades(path)
        table = table[table.index.isin(official.index)]
        if len(table) >= COVERAGE * len(official):
            kept.append(table.assign(assessor=_judge_name(path)))
    judged = pd.concat(kept).reset_index()
    return judged[["topic", "document", "assessor", "relevance"]]


def _read_grades(path):
    """A file's valid grades, by topic and document."""
    table = read_fields(path, ["topic", "_", "document", "relevance"])
    table = table[table["relevance"].isin(GRADES)].drop(columns="_")
    keys = ["topic", "document"]
    last = table.drop_duplicates(keys, keep="last").set_index(keys)
    return last.astype(int)


def _judge_name(path):
    model, _, prompt = path.name.removesuffix(".txt").partition("_graded_")
    return f"{model}/{prompt.rpartition('_')[2]}" if prompt else model


def read_rag_judges(path: Path) -> pd.DataFrame:
    """Read the same columns from one file with all judges; those who
    graded every document are kept."""
    content = json.loads(path.read_text("utf-8"))
    pairs = pd.DataFrame(
        content["pair_index"], columns=["topic", "document"]
    )
    graded = {
        "human": content["human_scores"],
        **content["per_judge_scores"],
    }
    tables = [
        pairs.assign(assessor=judge, relevance=grades)
        for judge, grades in graded.items()
        if None not in grades
    ]
    return pd.concat(tables, ignore_index=True)


# Scores of systems that other people have published, as they are.
#
# A reader takes the local files and the row of the registry, and gives what
# the files hold: a long table, in which a score that nobody gave has no
# row, or a wide one where nothing can be missing. It leaves out what is no
# score (means over all topics, lines of another kind) and nothing else:
# which systems make a collection is for those to say who use it.

Files = Sequence[Path]
Row = Mapping[str, str]

_OVERALL = ("all", "ALL")
# The name of a measure in a file, and the order of the fields in a line.
_LINES = {
    "AP": ("map", ["measure", "topic", "score"]),
    "average precision": ("ap", ["topic", "measure", "score"]),
}


def per_topic(files: Files, row: Row) -> pd.DataFrame:
    """Read a file per run, with lines of a measure, a topic and a value,
    as trec_eval prints them."""
    wanted, order = _LINES[row["measure"]]
    tables = []
    for path in files:
        lines = map(str.split, path.read_text("utf-8").splitlines())
        table = pd.DataFrame(
            [line for line in lines if len(line) == 3], columns=order
        )
        table = table[table["measure"] == wanted]
        table = table[~table["topic"].isin(_OVERALL)]
        if table.empty:
            raise ValueError(
                f"{path.name} has no line of {wanted!r}, one per topic."
            )
        tables.append(table.assign(system=path.stem))
    return _long(pd.concat(tables), row, {})


def per_sample(files: Files, row: Row) -> pd.DataFrame:
    """Read LiveCodeBench: samples of problems, in the order that each
    model has them in."""
    (path,) = files
    performances = json.loads(path.read_text("utf-8"))["performances"]
    measure = next(m for m in performances[0] if m.lower() == "pass@1")
    table = pd.DataFrame(performances)
    # One of the two files has the short name of three models.
    table["model"] = table["model"].str.replace("Cllama", "CodeLlama")
    within = table.groupby(["model", "question_id"]).cumcount() + 1
    problem = table["question_id"].astype(str)
    table["sample"] = problem + "/" + within.astype(str)
    names = {"model": "system", "question_id": "problem", measure: "score"}
    return _long(table, row, names)


def per_segment(files: Files, row: Row) -> pd.DataFrame:
    """Read lines of a system, a score or None, and a segment; lines
    without a score are left out."""
    table = pd.read_csv(files[0], sep=r"\s+", na_values="None")
    names = {"seg_id": "segment", "mqm_avg_score": "score"}
    return _long(table.dropna(), row, names)


def per_song(files: Files, row: Row) -> pd.DataFrame:
    """Read MIREX: a file per system, in a folder whose name ends with the
    number of the annotator where there are several. A system that came
    back in another year counts once."""
    tables = []
    for path in files:
        table = pd.read_csv(path, skiprows=1, dtype={"File": str})
        if "Pairwise score (%)" not in table:
            raise ValueError(f"{path.name} has no column of scores.")
        who = path.parent.name[-1]
        tables.append(table.assign(system=path.stem, annotator=who))
    names = {"File": "song", "Pairwise score (%)": "score"}
    return _long(pd.concat(tables), row, names).drop_duplicates()


def per_responder(files: Files, _: Row) -> pd.DataFrame:
    """Read responders x items, a column of 0 and 1 per item."""
    table = pd.read_csv(files[0], index_col=0)
    other_values = set(pd.unique(table.to_numpy().ravel())) - {0, 1}
    if other_values:
        raise ValueError(
            f"{files[0].name} has the score {min(other_values)}; an answer "
            "is right (1) or not (0)."
        )
    # One block: to check thousands of columns one by one takes seconds.
    values = table.to_numpy()
    return as_wide(pd.DataFrame(values, table.index, table.columns))


def per_trial(files: Files, row: Row) -> pd.DataFrame:
    """Read Terminal-Bench: a file per agent and run, below a folder that
    is called after a date and the agent. A trial that did not end is a
    failure, as the board counts it."""
    tables = []
    runs: dict[str, int] = {}
    for path in sorted(files, key=str):
        above = path.parents[path.name == "results.json"]
        _, agent = above.name.split("_", 1)
        runs[agent] = runs.get(agent, 0) + 1
        trials = json.loads(path.read_text("utf-8"))["results"]
        solved = [(t["task_id"], t["is_resolved"] is True) for t in trials]
        table = pd.DataFrame(solved, columns=["task", "score"])
        tables.append(table.assign(system=agent, run=runs[agent]))
    return _long(pd.concat(tables).astype({"score": float}), row, {})


def per_trajectory(files: Files, row: Row) -> pd.DataFrame:
    """Read τ-bench: trials of tasks, a file per agent and domain."""
    tables = []
    for path in files:
        trials = json.loads(path.read_text("utf-8"))
        rows = [(t["task_id"], t["trial"] + 1, t["reward"]) for t in trials]
        table = pd.DataFrame(rows, columns=["task", "run", "score"])
        tables.append(table.assign(system=path.stem.rpartition("-")[0]))
    return _long(pd.concat(tables), row, {})


def _long(table, row, names):
    """Return the columns of the design, and the scores as numbers."""
    facets = Design(row["design"]).facets
    table = table.rename(columns={**names, "topic": facets[1]})
    table = table[[*facets, "score"]].reset_index(drop=True)
    return table.assign(score=as_numbers(table["score"]))


MATRIX_READERS = {
    "per topic": per_topic,
    "per sample": per_sample,
    "per segment": per_segment,
    "per song": per_song,
    "per responder": per_responder,
    "per trial": per_trial,
    "per trajectory": per_trajectory,
}


# From the files of a data set to what `gtlib.load` gives.
#
# A reader takes the local files and the row of the registry.


def _topics_by_systems(files, _):
    """A CSV file with a row per topic and a column per system."""
    table = _csv(files[0])
    if "topic" in table:
        return as_wide(table.set_index("topic").T)
    table.index += 1
    return as_wide(table.T)


def _csv(path, **options):
    """Read a CSV file with pandas, its numbers rounded as Python does."""
    rough = pd.read_csv(path, **options)
    numbers = dict.fromkeys(rough.select_dtypes(float), float)
    text = dict.fromkeys(numbers, object)
    return pd.read_csv(path, dtype=text, **options).astype(numbers)


def _r_matrix(files, _):
    table = _r_table(files[0])
    table.index = table.index.astype(int)
    return as_wide(table.T)


def _r_long(files, _):
    table = _r_table(files[0])
    table.columns = table.columns.str.lower()
    facets = [name for name in table.columns if name != "score"]
    table[facets] = table[facets].astype(int)
    return table.astype({"score": float}).reset_index(drop=True)


def _r_table(path):
    rdata = needed("rdata", f"{path.name}, a file of R,", "data")
    (table,) = rdata.read_rda(path).values()
    return table


def _facts(files, _):
    """Read the numbers that a paper prints: a row per key, with the value
    as a float."""
    table = pd.read_csv(
        files[0], dtype=str, keep_default_na=False, index_col="key"
    )
    table = table.rename(columns={"value": "printed"})
    value = as_numbers(table["printed"])
    table.insert(table.columns.get_loc("printed"), "value", value)
    return table.astype({"decimals": int})


def _mean_squares(files, row):
    """The G-study behind the mean squares of a paper's Table 1.

    The levels are those of the registry: the paper prints 50 topics, but
    only 48 lead from its mean squares to its components.
    """
    printed = _facts(files, row)["value"].filter(like="/mean-square/")
    squares = printed.rename(
        lambda key: key.split("/")[-1].replace("-", " ")
    )
    design = Design(row["design"])
    sizes = map(int, row["sizes"].split(" x "))
    levels = dict(zip(design.facets, sizes, strict=True))
    return GStudy.from_mean_squares(design, levels, squares.to_dict())


def _measures(files, row):
    """Scores by several measures; with one, ready for a G-study."""
    table = _csv(files[0])
    measure = row["measure"]
    if not measure:
        return table
    offered = [name for name in table if name in MEASURES]
    if measure not in offered:
        raise ValueError(
            f"{row['title']} has no measure {measure!r}; there are "
            f"{', '.join(offered)}."
        )
    others = [name for name in offered if name != measure]
    return table.drop(columns=others).rename(columns={measure: "score"})


def _measure_means(files, row):
    """Systems x topics, the mean score over all assessors."""
    table = _measures(files, row)
    order = table["system"].unique()
    means = table.pivot_table(
        index="system", columns="topic", values="score"
    )
    return as_wide(means.loc[order])


def _prels(files, _):
    """Read judgments of sampled or chosen documents, each with the
    probability that it was drawn."""
    names = ["topic", "document", "relevance", "method", "probability"]
    return _csv(files[0], sep=r"\s+", names=names)


def _run_means(files, _):
    """The mean AP of each run, by its name, from NIST's page of results."""
    text = files[0].read_text("utf-8")
    means = {}
    for section in text.split("\n#### ")[1:]:
        name, _, lines = section.partition("\n")
        match = re.search(r"^\s*map\s+all\s+(\S+)", lines, re.M)
        if match:
            means[name.strip()] = float(match[1])
    return pd.Series(means, name="AP").rename_axis("run").to_frame()


# The columns of an embedded table that hold scores.
MEASURES = ("AP", "AP@100", "nDCG@10", "P@10", "RR")

READERS = {
    "topics by systems": _topics_by_systems,
    "R matrix": _r_matrix,
    "R long": _r_long,
    "facts": _facts,
    "mean squares": _mean_squares,
    "measures": _measures,
    "measure means": _measure_means,
    "cf topics": lambda files, _: read_topics(files[0]),
    "cf judgments": lambda files, _: read_judgments(files[0]),
    "judges": lambda files, _: read_judges(files),
    "rag judges": lambda files, _: read_rag_judges(files[0]),
    "prels": _prels,
    "run means": _run_means,
    "csv": lambda files, _: _csv(files[0]),
    "files": lambda files, _: files[0] if len(files) == 1 else files,
    **MATRIX_READERS,
}


# The registered data sets: a list of them, and one or all of them.

# What `load` can return.
Loaded: TypeAlias = pd.DataFrame | GStudy | Path | list[Path]


def datasets() -> pd.DataFrame:
    """List every registered data set, a row each.

    Returns
    -------
    DataFrame
        Columns ``name`` (for `load`), ``title``, ``design``, ``sizes``
        (levels of each facet, in the design's order), ``measure``,
        ``source``, ``licence``, ``where`` (``embedded``; ``mirror`` or
        ``cached``: on this machine; ``remote``: fetched on first use) and
        ``citation`` (what to cite; empty for what a script in data/build
        simulated).

    Examples
    --------
    >>> import gtlib as gt
    >>> table = gt.datasets().set_index("name")
    >>> table.loc["trec3", ["title", "sizes", "measure"]].tolist()
    ['TREC-3', '40 x 50', 'AP']
    """
    table = _registry().copy()
    table["where"] = [_where(files) for files in table["files"]]
    columns = ["name", "title", "design", "sizes", "measure"]
    return table[[*columns, "source", "licence", "where", "citation"]]


def load(name: str = "", measure: str | None = None) -> Loaded:
    """Load a registered data set, ready to use.

    Parameters
    ----------
    name : str
        A name or a title that `datasets` lists: ``"trec3"`` or
        ``"TREC-3"``. Capitals of a title make no difference.
    measure : str, optional
        Where the data set has several, as ``"cf"`` with AP, nDCG@10, P@10
        and RR: the one that then is the column ``score``. Without it,
        each measure is a column of its name, and there is no ``score``.

    Returns
    -------
    DataFrame, GStudy, Path or list of Path
        A design ``system x topic`` comes as a wide table. Designs with
        more facets, and judgments and documents, come as long tables.
        A printed table of mean squares comes as the `GStudy` that follows
        from them. Numbers printed in a paper come as a table indexed by
        ``key``, with the number as ``value`` and as it is ``printed``.
        Runs and qrels come as the paths of the files, for `read_run`,
        `read_qrels` and `read_runs`.

    Raises
    ------
    ValueError
        If no name is given, there is no data set of this name, or it has
        no such measure.
    DatasetUnavailable
        If it is not on this machine and cannot be fetched now.

    Examples
    --------
    >>> import gtlib as gt
    >>> gt.load("cf", measure="AP").columns.tolist()
    ['system', 'family', 'topic', 'assessor', 'score']
    >>> gt.load("cf-ap").shape
    (36, 98)
    >>> gt.load("trec4-table1").levels
    {'system': 33, 'topic': 48, 'assessor': 2}
    """
    registry = _registry()
    row = _find(name)
    several = registry.loc[registry["reader"] == "measures", "name"]
    if measure is not None and row["name"] not in [*several]:
        raise ValueError(
            f"Only {', '.join(several)} take a measure; other data sets "
            "have one measure each, see datasets()."
        )
    row["measure"] = measure or row["measure"]
    try:
        files = _files(row["files"])
    except DatasetUnavailable as error:
        told = f"{row['title']}: {error}"
        raise DatasetUnavailable(told) from None
    return READERS[row["reader"]](files, row)


def load_all(*names: str) -> "DataSets":
    """Load several data sets, by title.

    Parameters
    ----------
    *names : str
        Names or titles that `datasets` lists.

    Returns
    -------
    DataSets
        A dict from title to what `load` returns. A notebook shows the
        size of each.

    Raises
    ------
    ValueError
        If there is no data set of such a name.
    DatasetUnavailable
        If some are not on this machine and cannot be fetched now; it names
        them.

    Examples
    --------
    >>> import gtlib as gt
    >>> tables = gt.load_all("cf-ap", "cf-rr")
    >>> list(tables)
    ['Cystic Fibrosis', 'Cystic Fibrosis (RR)']
    """
    tables, missing = DataSets(), {}
    for name in names:
        title = _find(name)["title"]
        try:
            tables[title] = load(name)
        except DatasetUnavailable as error:
            missing[title] = error
    if missing:
        first, *others = missing.values()
        told = f"{', '.join(missing)} are not here. " if others else ""
        raise DatasetUnavailable(f"{told}{first}")
    return tables


class DataSets(dict[str, Loaded]):
    """Data sets by title; shown, it is a table of their sizes."""

    # A dict would compare tables, which have no single truth.
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __repr__(self) -> str:
        return self._sizes().to_string(index=False)

    def _repr_html_(self) -> str:
        return self._sizes().to_html(index=False, border=0)

    def _sizes(self):
        rows = [(title, _size(data)) for title, data in self.items()]
        return pd.DataFrame(rows, columns=["data set", "size"])


def _size(data):
    if isinstance(data, list):
        return f"{len(data)} files"
    if isinstance(data, Path):
        return "1 file"
    sizes = data.levels.values() if isinstance(data, GStudy) else data.shape
    return " x ".join(map(str, sizes))


@functools.cache
def _registry():
    path = data_folder() / "registry.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _find(given):
    """Find the row of a data set by its name or its title, as a dict."""
    if not isinstance(given, str):
        raise ValueError(
            f"name={shown(given)}: the name of a data set is a text; "
            "datasets() lists them."
        )
    if not given:
        raise ValueError(
            "Name a data set, as in load('trec3'); datasets() lists them."
        )
    registry = _registry()
    rows = registry[registry["name"] == given]
    if rows.empty:
        titles = registry["title"].str.casefold()
        rows = registry[titles == str(given).casefold()]
    if rows.empty:
        names = dict(zip(registry["title"], registry["name"], strict=True))
        names |= {name: name for name in registry["name"]}
        meant = dict.fromkeys(names[n] for n in similar(str(given), names))
        raise ValueError(
            f"There is no data set {given!r}.{did_you_mean(meant)} "
            "datasets() lists them all."
        )
    return rows.iloc[0].to_dict()


def _remote(files):
    """List the paths of a data set's remote files, by their patterns."""
    return [
        path for pattern in files.split() for path in remote_paths(pattern)
    ]


def _files(files):
    """The local paths of a data set's files, fetched if need be."""
    embedded = data_folder() / files
    if embedded.is_file():
        return [embedded]
    return [fetch(path) for path in _remote(files)]


def _where(files):
    if (data_folder() / files).is_file():
        return "embedded"
    places = {file_location(path) for path in _remote(files)}
    return next(p for p in ("remote", "cached", "mirror") if p in places)
