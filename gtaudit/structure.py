"""What the content of a table allows its columns to be, whatever their
names are."""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
import pandas as pd

from gtaudit.readers.values import MISSING, as_scores, is_grouped
from gtlib.checks import as_numbers

Column = Hashable
Key = tuple[Column, ...]

# More columns than these are looked at as one block of numbers.
_MANY = 60
# The most columns that may name rows, and the most of them together.
_MOST_NAMING, _TOGETHER = 10, 3
# The least share of the cells of a crossing that rows must fill.
NEARLY = 0.5
# So many rows are not numbered by chance.
_NOT_FEW = 8
# The most cells of a crossing that have a number each.
_MOST_CELLS = 2**62
# The largest share of rows that may repeat a cell by mistake.
_MISTAKES = 0.1
# The kinds of columns whose values may be names, beside whole numbers.
_NAMING = "text", "mixed"

_TIME = r"\d{4}-\d\d(-\d\d)?([ T]\d\d:\d\d.*)?"
_TIME += r"|\d\d?[:.]\d\d[:.]\d\d(\.\d+)?"
_TIME += r"|\d\d?[./]\d\d?[./]\d{2,4}.*"


@dataclass(frozen=True, eq=False)
class Structure:
    """What the columns of a table may be.

    Attributes
    ----------
    table : DataFrame
    kinds : dict of column to str
        ``number`` (whole numbers, fractions, words for right and wrong),
        ``broken`` (such numbers, and what is none), ``text``, ``mixed``
        (text, and some whole numbers), ``time``, and ``empty``.
    numbers : DataFrame
        The numbers of the columns that have nothing else but gaps.
    levels : dict of column to int
        How many different values each has; of the numbers of a very wide
        table, as many as there are rows.
    codes : dict of column to array of int
        Which of its values a row has, of columns that may name rows.
    """

    table: pd.DataFrame
    kinds: dict[Column, str]
    numbers: pd.DataFrame
    levels: dict[Column, int]
    codes: dict[Column, np.ndarray]

    # Of all columns at once: there may be very many.

    @cached_property
    def whole(self) -> frozenset[Column]:
        """The columns that have whole numbers, and perhaps gaps."""
        values = self.numbers
        return self._where((values % 1 == 0) | values.isna())

    @cached_property
    def _gapless(self):
        return self._where(self.numbers.notna())

    @cached_property
    def _zero_or_one(self):
        return self._where(self.numbers.isin([0, 1]))

    @cached_property
    def _counting(self):
        values = self.numbers
        if len(values) < _NOT_FEW:
            return frozenset()
        steps = np.diff(np.sort(values.to_numpy(float), axis=0), axis=0)
        follow = pd.DataFrame(steps == 1, columns=values.columns)
        return self.whole & self._where(follow)

    @cached_property
    def _fractional(self):
        return frozenset(self.numbers) - self._where(
            ~(self.numbers % 1 > 0)
        )

    def _where(self, holds):
        """Return the columns in which something holds of all rows."""
        return frozenset(self.numbers.columns[holds.to_numpy().all(axis=0)])

    def is_constant(self, column: Column) -> bool:
        """Return whether a column has one value only."""
        return self.levels[column] == 1

    def is_broken(self, column: Column) -> bool:
        """Return whether a column has numbers, and something else."""
        return self.kinds[column] == "broken"

    def is_each_once(self, column: Column) -> bool:
        """Return whether each value of a column stands in one row."""
        return self.levels[column] == len(self.table)

    def is_whole(self, column: Column) -> bool:
        """Return whether a column has whole numbers, no gaps, and others
        than 0 and 1."""
        whole = column in self.whole and column in self._gapless
        return whole and column not in self._zero_or_one

    def has_fractions(self, column: Column) -> bool:
        """Return whether a column has numbers that are not whole."""
        return column in self._fractional

    def is_apart(self, column: Column, wholly: bool = False) -> bool:
        """Return whether whole numbers, each once, are not like those of
        the other columns: these have fractions, or some, if `wholly` all,
        lie elsewhere."""
        if not (self.is_whole(column) and self.is_each_once(column)):
            return False
        others = [c for c in self.numbers if c != column]
        if not others:
            return False
        if self._fractional.intersection(others):
            return True
        values = self.numbers[others].to_numpy()
        within = self.numbers[column].between(values.min(), values.max())
        return not (within.any() if wholly else within.all())

    def may_name(self, column: Column) -> bool:
        """Return whether a column may name levels of a facet: several rows
        have each, by text or by whole numbers."""
        if not self.is_shared(column):
            return False
        return self.kinds[column] in _NAMING or self.is_whole(column)

    def is_shared(self, column: Column) -> bool:
        """Return whether a column has several values, and fewer than there
        are rows."""
        if column not in self.codes:
            return False
        return 1 < self.levels[column] < len(self.table)

    def counts_rows(self, column: Column) -> bool:
        """Return whether a column numbers the rows, which are not few: its
        whole numbers follow one another, in any order."""
        return column in self._counting

    def letters(self, column: Column) -> float:
        """Return how long the values of a column are on average."""
        values = self.table[column].astype(str)
        return float(values.str.len().mean())

    def words(self, column: Column) -> float:
        """Return how many words the values of a column have on average."""
        values = self.table[column].dropna().astype(str)
        return float(values.str.split().str.len().mean())

    def cells(self, columns: Sequence[Column]) -> np.ndarray:
        """Return the number of the cell of each row, in the crossing of
        these columns."""
        cell = np.zeros(len(self.table), np.int64)
        for column in columns:
            if (
                cell.size
                and cell.max() > _MOST_CELLS // self.levels[column]
            ):
                cell = pd.factorize(cell)[0]
            codes = self.codes.get(column)
            if codes is None:  # numbers of a very wide table
                codes = pd.factorize(self.numbers[column])[0]
            cell = cell * self.levels[column] + codes
        return cell

    def repeats(self, columns: Sequence[Column]) -> int:
        """Count the rows whose cell another row has before them."""
        cells = self.cells(columns)
        return len(cells) - len(pd.unique(cells))

    def is_determined(self, column: Column, by: Sequence[Column]) -> bool:
        """Return whether each cell of some columns has one value of
        another column."""
        if column not in self.codes:
            return False
        return self.repeats(by) == self.repeats([*by, column])

    def same_rows(self, column: Column, other: Column) -> bool:
        """Return whether two columns are names of the same, as the id and
        the text of a question are."""
        if self.levels[column] != self.levels[other]:
            return False
        return self.is_determined(column, [other])

    def fills(self, key: Sequence[Column]) -> float:
        """Return the share of the cells of a crossing that rows fill."""
        return len(self.table) / prod(self.levels[c] for c in key)

    def keys(
        self, naming: Sequence[Column], named: Collection[Column] = ()
    ) -> list[Key]:
        """Find one, two or three of these columns that together name every
        row once, and nearly cross unless they are `named`; where there are
        none, those of which few rows repeat a cell."""
        wanted = [c for c in naming if c in self.codes][:_MOST_NAMING]
        several = [
            key
            for number in range(1, _TOGETHER + 2)
            for key in combinations(wanted, number)
            if {*key} <= {*named}
            or (number <= _TOGETHER and self.fills(key) >= NEARLY)
            if number == 1 or not any(map(self.is_each_once, key))
        ]
        rows = len(self.table)
        repeated = {
            key: self.repeats(key)
            for key in several
            if prod(self.levels[c] for c in key) >= rows * (1 - _MISTAKES)
        }
        exact = [key for key, n in repeated.items() if n == 0]
        if exact:
            return [
                key
                for key in exact
                if not self._says_more(key, exact, named)
            ]
        return [k for k, n in repeated.items() if 0 < n <= rows * _MISTAKES]

    def replicated(self, naming: Sequence[Column]) -> list[Key]:
        """Find two or three of these columns that fully cross, each cell
        having equally many rows."""
        wanted = [c for c in naming if c in self.codes][:_MOST_NAMING]
        return [
            key + self._doses(key)
            for number in range(2, _TOGETHER + 1)
            for key in combinations(wanted, number)
            if self._is_replicated(key)
        ]

    def _says_more(self, key, others, named):
        """Return whether a key is another one, and properties of what that
        one has, under no good name."""
        return any(
            {*other} < {*key}
            and not {*named} & {*key} - {*other}
            and all(
                any(self.is_determined(c, [x]) for x in other)
                for c in {*key} - {*other}
            )
            for other in others
        )

    def _doses(self, key):
        """Return a column of few numbers with which a crossing has one row
        in each cell, as the doses of a drug have."""
        each = len(self.table) / prod(self.levels[c] for c in key)
        return tuple(
            c
            for c in self.numbers
            if self.levels[c] == each and self.repeats([*key, c]) == 0
        )[:1]

    def _is_replicated(self, key):
        """Return whether each cell of a crossing has equally many rows, and
        no text tells these apart."""
        cells = prod(self.levels[c] for c in key)
        rows = len(self.table)
        if rows < 2 * cells or rows % cells:
            return False
        if all(c in self.numbers for c in key):
            return False
        counts = np.bincount(pd.factorize(self.cells(key))[0])
        return len(counts) == cells and bool((counts == counts[0]).all())


def structure(table: pd.DataFrame) -> Structure:
    """Find what the columns of a table may be, by what they hold.

    Examples
    --------
    >>> rows = [(s, t, len(s) / t) for s in ("a", "bc") for t in (1, 2, 3)]
    >>> found = structure(pd.DataFrame(rows, columns=["x", "y", "z"]))
    >>> found.kinds, found.keys(["x", "y"])
    ({'x': 'text', 'y': 'number', 'z': 'number'}, [('x', 'y')])
    """
    kinds: dict[Column, str] = {}
    levels: dict[Column, int] = {}
    codes: dict[Column, np.ndarray] = {}
    block = _block_of_numbers(table)
    others: dict[Column, pd.Series] = {}
    known: dict[tuple, tuple] = {}  # by values, which many may share
    for i, column in enumerate(table):
        if column in block:
            kinds[column] = "number"
            levels[column] = len(table)
            continue
        fields = table.iloc[:, i]
        try:
            coded = pd.factorize(fields, use_na_sentinel=False)
        except TypeError:  # lists, or objects of JSON
            coded = pd.factorize(fields.astype(str))
        codes[column], values = coded
        levels[column] = len(values)
        key = (*values.tolist(),)
        if key not in known:
            known[key] = _kind(pd.Series(values))
        kinds[column], scores = known[key]
        if scores is not None:
            each = scores.to_numpy()[codes[column]]
            others[column] = pd.Series(each, table.index)
    numbers = pd.DataFrame(others, table.index)
    if len(block.columns):
        numbers = pd.concat([block, numbers], axis="columns")
    return Structure(table, kinds, numbers, levels, codes)


def _block_of_numbers(table):
    """Return the columns of a very wide table that hold numbers alone, and
    perhaps gaps, as a table; none of another table."""
    if len(table.columns) <= _MANY:
        return pd.DataFrame(index=table.index)
    fields = pd.Series(table.to_numpy(object).ravel())
    values = as_numbers(fields)
    missing = values.isna()
    texts = fields[missing].astype(str).str.strip().str.casefold()
    broken = missing.to_numpy().copy()
    broken[broken] = ~(texts.isin(MISSING) | fields[missing].isna())
    values = values.to_numpy().reshape(table.shape)
    broken = broken.reshape(table.shape)
    whole = ~(broken.any(axis=0) | np.isnan(values).all(axis=0))
    whole &= table.columns != ""  # which numbers the rows
    names = table.columns[whole]
    return pd.DataFrame(values[:, whole], table.index, names)


def _kind(values):
    """Return the kind of a column of which these are the different values,
    and the numbers that they are."""
    texts = values.dropna().astype(str).str.strip()
    texts = texts[~texts.str.casefold().isin(MISSING)]
    if texts.empty:
        return "empty", None
    scores = as_scores(values)
    if pd.api.types.is_numeric_dtype(scores):
        return "number", scores
    if texts.str.fullmatch(_TIME).all():
        return "time", None
    parts = as_numbers(texts)
    parts = parts.mask(texts.map(is_grouped), 0.0)
    if parts.notna().mean() >= NEARLY or (parts % 1 > 0).any():
        return "broken", None
    return ("mixed" if parts.notna().any() else "text"), None
