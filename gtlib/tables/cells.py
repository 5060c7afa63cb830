"""From a score table and a design to an index grid.

Every observation gets one integer per facet: the level it belongs to,
numbered over the whole study (`codes`) and within its nest (`within`).
A study with as many levels in every nest and one observation in every
cell is balanced, and is then just an array with an axis per facet.

Levels are numbered, and observations sorted, by the names of the levels:
the same scores in another order are the same study, down to the last bit
of an estimate and the last draw from a seed.
"""

from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from gtlib.tables.design import Design
from gtlib.tables.scores import cell_numbers, facet_codes


@dataclass(frozen=True, eq=False)
class Cells:
    """The observations of one study, by facet.

    Attributes
    ----------
    design : Design
    scores : array (observations,)
    codes : dict of facet to array (observations,)
        The level, numbered over the study from 0.
    within : dict of facet to array (observations,)
        The level, numbered within its nest from 0; for a facet nested in
        nothing the same as `codes`.
    labels : dict of facet to Index
        The name of each level.
    counts : dict of facet to array
        The number of levels in each nest.
    given : dict of facet to array
        The levels in the order in which the table first names them.
    """

    design: Design
    scores: np.ndarray
    codes: dict[str, np.ndarray]
    within: dict[str, np.ndarray]
    labels: dict[str, pd.Index]
    counts: dict[str, np.ndarray]
    given: dict[str, np.ndarray] = field(default_factory=dict)

    @cached_property
    def levels(self) -> dict[str, int]:
        """Facet -> levels in a nest (the most, where they differ)."""
        return {f: int(self.counts[f].max()) for f in self.design.facets}

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.levels[f] for f in self.design.facets)

    @cached_property
    def balanced(self) -> bool:
        """Whether every nest is equally large and every cell is there."""
        return len(self.scores) == np.prod(self.shape, dtype=float)

    @cached_property
    def centred(self) -> np.ndarray:
        """The scores less their mean. The first score is taken off before,
        which is exact where scores are close together and far from zero."""
        near = self.scores - self.scores[0]
        return near - near.mean()

    def array(self) -> np.ndarray:
        """Return the scores of a balanced study less their mean, with an
        axis per facet: they are sorted by their levels."""
        return self.centred.reshape(self.shape)


def read_cells(scores: pd.DataFrame | ArrayLike, design: Design) -> Cells:
    """Read the observations of `scores` on the index grid of `design`.

    Parameters
    ----------
    scores : DataFrame or 2-d array
        Long with a column per facet and ``score``, or wide (rows and
        columns are the two facets of a crossed design).
    design : Design
        Its facets are columns of `scores`.

    Returns
    -------
    Cells

    Raises
    ------
    ValueError
        For whatever `gtlib.tables.scores` refuses; for a nested facet whose
        labels occur in several nests, a facet declared crossed that the
        labels show to be nested, a nest with one level everywhere, and a
        categorical level without observations.
    """
    numbered, levels, values = facet_codes(scores, design.facets)
    codes, labels, given = {}, {}, {}
    for facet, code in numbered.items():
        order = _sorted_positions(levels[facet])
        labels[facet] = levels[facet].take(order)
        given[facet] = np.argsort(order)
        codes[facet] = given[facet][code]
    _refuse_empty_levels(scores, labels)
    cell = cell_numbers(codes, labels)
    if (cell[1:] < cell[:-1]).any():
        rows = np.argsort(cell)
        values = values[rows]
        codes = {facet: code[rows] for facet, code in codes.items()}
    within, counts = {}, {}
    for facet in design.facets:
        if design.nesting[facet]:
            within[facet], counts[facet] = _within_nest(
                facet, design, codes, labels
            )
        else:
            within[facet] = codes[facet]
            counts[facet] = np.array([len(labels[facet])])
    cells = Cells(design, values, codes, within, labels, counts, given)
    if not cells.balanced:
        _refuse_hidden_nesting(cells)
    return cells


def _sorted_positions(labels):
    """Return the positions of labels when sorted; labels of mixed types
    are sorted by their text."""
    names = list(labels)
    try:
        return sorted(range(len(names)), key=names.__getitem__)
    except TypeError:
        texts = [(str(name), str(type(name))) for name in names]
        return sorted(range(len(names)), key=texts.__getitem__)


def _within_nest(facet, design, codes, labels):
    """Return the codes of a nested facet within its nest, and the number
    of levels in each nest."""
    outer = [f for f in design.facets if f in design.nesting[facet]]
    code = codes[facet]
    level_row = np.zeros(len(labels[facet]), dtype=int)
    level_row[code] = np.arange(len(code))
    for nest in outer:
        nest_code = codes[nest][level_row][code]
        stray = nest_code != codes[nest]
        if stray.any():
            row = int(stray.argmax())
            first_nest, second_nest = labels[nest][
                [codes[nest][row], nest_code[row]]
            ]
            label = labels[facet][code[row]]
            raise stray_level_error(
                facet, nest, label, first_nest, second_nest
            )
    nests = pd.DataFrame({f: codes[f][level_row] for f in outer})
    grouped = nests.groupby(outer, sort=False)
    counts = grouped.size().to_numpy()
    if counts.max() == 1:
        raise single_nests_error(facet, outer)
    return grouped.cumcount().to_numpy()[code], counts


def _refuse_hidden_nesting(cells):
    """Refuse crossed facets of which one is nested in the other."""
    codes, nesting = cells.codes, cells.design.nesting
    size = {facet: len(names) for facet, names in cells.labels.items()}
    for inner, outer in permutations(cells.design.facets, 2):
        related = inner in nesting[outer] or outer in nesting[inner]
        if related or size[inner] <= size[outer]:
            continue
        outer_of = np.zeros(size[inner], dtype=int)
        outer_of[codes[inner]] = codes[outer]
        if (outer_of[codes[inner]] == codes[outer]).all():
            raise hidden_nest_error(inner, outer)


def stray_level_error(
    facet: str, nest: str, label: object, here: object, there: object
) -> ValueError:
    """Return the error for a nested level that two nests have."""
    nests = f"both {nest} {here} and {nest} {there}"
    return ValueError(
        f"{facet} is declared nested within {nest}, but {facet} "
        f"{label} occurs in {nests}. If it is the same {facet}, "
        f"the two are crossed: '{nest} x {facet}'. If not, give "
        f"each its own label: scores[{facet!r}] = "
        f"scores[{nest!r}].astype(str) + '/' + "
        f"scores[{facet!r}].astype(str)."
    )


def single_nests_error(facet: str, outer: list[str]) -> ValueError:
    """Return the error where every nest has one level of a facet."""
    return ValueError(
        f"Every {' x '.join(outer)} has one {facet} only, so "
        f"{facet}:{' x '.join(outer)} cannot be told apart from "
        f"{' x '.join(outer)}: leave {facet} out of the design."
    )


def hidden_nest_error(inner: str, outer: str) -> ValueError:
    """Return the error for a facet that is nested and declared crossed."""
    return ValueError(
        f"{inner} is declared crossed with {outer}, but every "
        f"{inner} occurs with one {outer} only: it is nested. "
        f"Write '{inner}:{outer}' in the design."
    )


def _refuse_empty_levels(scores, facets):
    table = pd.DataFrame(scores).select_dtypes("category")
    for facet, column in table.items():
        empty = column.cat.categories.difference(column.unique())
        if facet in facets and len(empty):
            raise ValueError(
                f"{facet} {empty[0]} is a category without observations; "
                f"drop it with scores[{facet!r}]"
                ".cat.remove_unused_categories(), or add its scores."
            )
