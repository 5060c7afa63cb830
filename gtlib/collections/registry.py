"""The registered data sets: a list of them, and one or all of them."""

import functools
from pathlib import Path
from typing import TypeAlias

import pandas as pd

from gtlib.collections import remote
from gtlib.collections.readers import READERS
from gtlib.gtheory import GStudy
from gtlib.names import did_you_mean, similar

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
    except remote.DatasetUnavailable as error:
        told = f"{row['title']}: {error}"
        raise remote.DatasetUnavailable(told) from None
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
        except remote.DatasetUnavailable as error:
            missing[title] = error
    if missing:
        first, *others = missing.values()
        told = f"{', '.join(missing)} are not here. " if others else ""
        raise remote.DatasetUnavailable(f"{told}{first}")
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
    path = remote.data_folder() / "registry.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def _find(given):
    """Find the row of a data set by its name or its title, as a dict."""
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
