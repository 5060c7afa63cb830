"""The data of the book: what there is, where it is, and how to get it.

``data/registry.csv`` has a row per data set. Small tables of our own are
embedded; what belongs to others is fetched on first use and checked (see
`gtlib.datasets.remote`).
"""

import functools
import html

import pandas as pd
from tqdm import tqdm

from gtlib.datasets import cystic
from gtlib.datasets.remote import (
    DatasetUnavailable,
    data_folder,
    fetch,
    remote_paths,
    whereabouts,
)
from gtlib.scores import as_wide


def datasets():
    """Every registered data set, a row each.

    Returns
    -------
    DataFrame
        Columns ``name`` (for `load`), ``title``, ``design``, ``sizes``
        (levels of each facet, in the design's order), ``measure``,
        ``source``, ``licence``, ``where`` (``embedded``; ``mirror`` or
        ``cached``: on this machine; ``remote``: fetched on first use) and
        ``citation`` (the key in the book's bibliography).

    Examples
    --------
    >>> table = datasets().set_index("name")
    >>> table.loc["trec3", ["title", "sizes", "measure"]].tolist()
    ['TREC-3', '40 x 50', 'AP']
    """
    table = _registry().copy()
    table["where"] = [_where(row) for row in table.itertuples()]
    shown = ["name", "title", "design", "sizes", "measure"]
    return table[[*shown, "source", "licence", "where", "citation"]]


def load(name, measure=None):
    """A registered data set, ready to use.

    Parameters
    ----------
    name : str
        A name that `datasets` lists.
    measure : str, optional
        For ``"cf"``: one of AP, nDCG@10, P@10 and RR, which then is the
        column ``score``.

    Returns
    -------
    DataFrame, Path or list of Path
        A design ``system x topic`` comes as a wide table. Designs with
        more facets, and judgments and documents, come as long tables.
        Numbers printed in a paper come as a table indexed by ``key``,
        with the number as ``value`` and as it is ``printed``. Runs and
        qrels come as the paths of the files, for `read_run`, `read_qrels`
        and `read_runs`.

    Raises
    ------
    ValueError
        If there is no data set of this name.
    DatasetUnavailable
        If it is not on this machine and cannot be fetched now.

    Examples
    --------
    >>> load("cf", measure="AP").columns.tolist()
    ['system', 'family', 'topic', 'assessor', 'score']
    >>> load("cf-ap").shape
    (36, 98)
    """
    registry = _registry().set_index("name", drop=False)
    if name not in registry.index:
        raise ValueError(
            f"There is no data set {name!r}; datasets() lists them: "
            f"{', '.join(registry.index)}."
        )
    if measure is not None and name != "cf":
        raise ValueError(
            "Only load('cf') takes a measure; other data sets have one "
            "measure each, see datasets()."
        )
    row = registry.loc[name]
    return _READERS[row["reader"]](_files(row), measure or row["measure"])


def load_available(*names):
    """Those of the data sets that can be had now, by title.

    Parameters
    ----------
    *names : str
        Names that `datasets` lists.

    Returns
    -------
    Available
        A dict from title to what `load` returns; ``.missing`` tells for
        each title that is not here why. In a notebook it shows both.

    Examples
    --------
    >>> tables = load_available("cf-ap")
    >>> list(tables)
    ['Cystic Fibrosis']
    """
    titles = _registry().set_index("name")["title"]
    tables = Available()
    for name in names:
        try:
            table = load(name)
        except DatasetUnavailable as error:
            tables.missing[titles[name]] = str(error)
        else:
            tables[titles[name]] = table
    return tables


class Available(dict):
    """Data sets by title, and in ``missing`` the reasons of the others."""

    def __init__(self):
        super().__init__()
        self.missing = {}

    def overview(self):
        """A row per data set: its size, and whether it is here."""
        rows = [
            (title, _size(data), "here") for title, data in self.items()
        ]
        rows += [(title, "", "not here") for title in self.missing]
        return pd.DataFrame(rows, columns=["data set", "size", "state"])

    def note(self):
        """What is missing and what to do about it, or an empty string."""
        if not self.missing:
            return ""
        return (
            f"Not here: {', '.join(self.missing)}. What follows is shown "
            "without. To have all: connect to the network, or set the "
            "environment variable GTLIB_MIRROR to a folder that holds the "
            "files, and run again."
        )

    def __repr__(self):
        table = self.overview().to_string(index=False)
        return f"{table}\n{self.note()}".strip()

    def _repr_html_(self):
        table = self.overview().to_html(index=False, border=0)
        note = html.escape(self.note())
        return table + (f"<p><strong>{note}</strong></p>" if note else "")


def _size(data):
    if isinstance(data, list):
        return f"{len(data)} files"
    return " x ".join(map(str, getattr(data, "shape", ["1 file"])))


def fetch_all():
    """Fetch every remote file that is not here yet (``make data``).

    Returns
    -------
    int
        The number of files that are here now.
    """
    paths = [
        path
        for pattern in _registry()["files"].str.split().explode().unique()
        for path in remote_paths(pattern)
    ]
    for path in tqdm(paths, desc="Fetching data", disable=None):
        fetch(path)
    return len(paths)


@functools.cache
def _registry():
    path = data_folder() / "registry.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _files(row):
    """The local paths of a data set's files, fetched if need be."""
    embedded = data_folder() / row["files"]
    if embedded.is_file():
        return [embedded]
    return [
        fetch(path)
        for pattern in row["files"].split()
        for path in remote_paths(pattern)
    ]


def _where(row):
    if (data_folder() / row.files).is_file():
        return "embedded"
    places = {
        whereabouts(path)
        for pattern in row.files.split()
        for path in remote_paths(pattern)
    }
    return next(p for p in ("remote", "cached", "mirror") if p in places)


def _topics_by_systems(files, _):
    """A CSV file with a row per topic and a column per system."""
    table = pd.read_csv(files[0])
    if "topic" in table:
        return as_wide(table.set_index("topic").T)
    table.index += 1
    return as_wide(table.T)


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
    import rdata

    (table,) = rdata.read_rda(path).values()
    return table


def _facts(files, _):
    """Numbers printed in a paper, by key, with their value as a number."""
    table = pd.read_csv(
        files[0], dtype=str, keep_default_na=False, index_col="key"
    )
    table = table.rename(columns={"value": "printed"})
    value = pd.to_numeric(table["printed"], errors="coerce")
    table.insert(table.columns.get_loc("printed"), "value", value)
    return table.astype({"decimals": int})


def _cf(files, measure):
    """The Cystic Fibrosis scores; with a measure, ready for a G-study."""
    table = pd.read_csv(files[0])
    if measure in ("", None):
        return table
    facets = ["system", "family", "topic", "assessor"]
    if measure not in table.columns.drop(facets):
        raise ValueError(
            f"The Cystic Fibrosis scores have no measure {measure!r}; "
            f"there are {', '.join(table.columns.drop(facets))}."
        )
    table = table[[*facets, measure]]
    return table.rename(columns={measure: "score"})


def _cf_mean(files, measure):
    """Systems x topics, the mean score over the four assessors."""
    table = _cf(files, measure)
    order = table["system"].unique()
    means = table.pivot_table(
        index="system", columns="topic", values="score"
    )
    return as_wide(means.loc[order])


_READERS = {
    "topics by systems": _topics_by_systems,
    "R matrix": _r_matrix,
    "R long": _r_long,
    "facts": _facts,
    "cf": _cf,
    "cf mean": _cf_mean,
    "cf documents": lambda files, _: cystic.read_documents(files),
    "cf topics": lambda files, _: cystic.read_topics(files[0]),
    "cf judgments": lambda files, _: cystic.read_judgments(files[0]),
    "csv": lambda files, _: pd.read_csv(files[0]),
    "files": lambda files, _: files[0] if len(files) == 1 else files,
}
