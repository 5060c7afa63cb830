"""The registered data sets: a list of them, and one or all of them."""

import functools
import html
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from gtlib.collections import remote
from gtlib.collections.readers import READERS
from gtlib.gtheory import GStudy

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
        ``citation`` (the key in the book's bibliography; empty for what
        a script in data/build simulated).

    Examples
    --------
    >>> table = datasets().set_index("name")
    >>> table.loc["trec3", ["title", "sizes", "measure"]].tolist()
    ['TREC-3', '40 x 50', 'AP']
    """
    table = _registry().copy()
    table["where"] = [_where(files) for files in table["files"]]
    columns = ["name", "title", "design", "sizes", "measure"]
    return table[[*columns, "source", "licence", "where", "citation"]]


def load(name: str, measure: str | None = None) -> Loaded:
    """Load a registered data set, ready to use.

    Parameters
    ----------
    name : str
        A name that `datasets` lists.
    measure : str, optional
        Where the data set has several, as ``"cf"`` with AP, nDCG@10, P@10
        and RR: the one that then is the column ``score``.

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
        If there is no data set of this name.
    DatasetUnavailable
        If it is not on this machine and cannot be fetched now.

    Examples
    --------
    >>> load("cf", measure="AP").columns.tolist()
    ['system', 'family', 'topic', 'assessor', 'score']
    >>> load("cf-ap").shape
    (36, 98)
    >>> load("trec4-table1").levels
    {'system': 33, 'topic': 48, 'assessor': 2}
    """
    registry = _registry().set_index("name", drop=False)
    if name not in registry.index:
        raise ValueError(
            f"There is no data set {name!r}; datasets() lists them: "
            f"{', '.join(registry.index)}."
        )
    several = registry.index[registry["reader"] == "measures"]
    if measure is not None and name not in several:
        raise ValueError(
            f"Only {', '.join(several)} take a measure; other data sets "
            "have one measure each, see datasets()."
        )
    row = registry.loc[name].to_dict()
    row["measure"] = measure or row["measure"]
    return READERS[row["reader"]](_files(row["files"]), row)


def load_available(*names: str) -> "Available":
    """Load those of the data sets that are available now, by title.

    Parameters
    ----------
    *names : str
        Names that `datasets` lists.

    Returns
    -------
    Available
        A dict from title to what `load` returns; ``.missing`` says for
        each title that is not here why. A notebook shows both.

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
        except remote.DatasetUnavailable as error:
            tables.missing[titles[name]] = str(error)
        else:
            tables[titles[name]] = table
    return tables


class Available(dict[str, Loaded]):
    """Data sets by title, and in ``missing`` the reasons of the others."""

    # A dict would compare tables, which have no single truth.
    __eq__ = object.__eq__
    __ne__ = object.__ne__

    def __init__(self) -> None:
        super().__init__()
        self.missing: dict[str, str] = {}

    def __repr__(self) -> str:
        table = self.overview().to_string(index=False)
        return f"{table}\n{self._note()}".strip()

    def _repr_html_(self) -> str:
        table = self.overview().to_html(index=False, border=0)
        if not self.missing:
            return table
        note = html.escape(self._note())
        return f"{table}<p><strong>{note}</strong></p>"

    def overview(self) -> pd.DataFrame:
        """A row per data set: its size, and whether it is here."""
        rows = [(name, _size(data), "here") for name, data in self.items()]
        rows += [(title, "", "not here") for title in self.missing]
        return pd.DataFrame(rows, columns=["data set", "size", "state"])

    def _note(self):
        """Say what is missing and what to do, or return ""."""
        if not self.missing:
            return ""
        return (
            f"Not here: {', '.join(self.missing)}. What follows is shown "
            "without. To have all: connect to the network, or set the "
            "environment variable GTLIB_MIRROR to a folder that holds the "
            "files, and run again."
        )


def _size(data):
    if isinstance(data, list):
        return f"{len(data)} files"
    if isinstance(data, Path):
        return "1 file"
    sizes = data.levels.values() if isinstance(data, GStudy) else data.shape
    return " x ".join(map(str, sizes))


@functools.cache
def _registry():
    path = remote.data_folder() / "registry.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _remote(files):
    """List the paths of a data set's remote files, by their patterns."""
    return [
        path
        for pattern in files.split()
        for path in remote.remote_paths(pattern)
    ]


def _files(files):
    """The local paths of a data set's files, fetched if need be."""
    embedded = remote.data_folder() / files
    if embedded.is_file():
        return [embedded]
    return [remote.fetch(path) for path in _remote(files)]


def _where(files):
    if (remote.data_folder() / files).is_file():
        return "embedded"
    places = {remote.file_location(path) for path in _remote(files)}
    return next(p for p in ("remote", "cached", "mirror") if p in places)
