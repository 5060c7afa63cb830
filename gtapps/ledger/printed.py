"""What a printed table gives away about the study behind it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from gtapps.ledger.rounding import half_unit, overlaps
from gtlib import Design, GStudy
from gtlib.tables import as_design


def levels_that_print(
    design: str | Design,
    mean_squares: Mapping[str, Any],
    components: Mapping[str, Any],
    /,
    **lists: int | Sequence[int],
) -> pd.DataFrame:
    """Numbers of levels that lead from printed numbers to printed numbers.

    A printed mean square stands for all numbers that round to it, so each
    variance component may lie anywhere in an interval.  For every
    combination of levels this says which of the printed components lie
    within reach.

    Parameters
    ----------
    design : str or Design
    mean_squares, components : mapping of effect to str
        As printed, for instance ``".0269"``: the digits say how far the
        number was rounded.  A component that came out negative counts as
        printed ``"0"``.
    **lists : int or sequence of int
        The numbers of levels of each facet to try.

    Returns
    -------
    DataFrame of bool
        A row per combination of levels, with them as index; a column per
        effect: whether its printed component can be reached.

    Raises
    ------
    ValueError
        If an effect is missing or unknown, a number impossible, or a facet
        without numbers.

    Notes
    -----
    Interval arithmetic: with components = C @ mean squares and each mean
    square known to half a unit of its last digit, a component is known to
    the sum of abs(C) times these halves.

    Examples
    --------
    >>> found = levels_that_print(
    ...     "system x topic",
    ...     {"system": ".150", "topic": ".85", "system x topic": ".010"},
    ...     {"system": ".0028", "topic": ".028", "system x topic": ".010"},
    ...     system=30, topic=[40, 50, 60])
    >>> found.sum(axis=1).xs(30).to_dict()
    {40: 2, 50: 3, 60: 2}
    """
    design = as_design(design)
    two = dict.fromkeys(design.facets, 2)
    study = GStudy.from_mean_squares(design, two, mean_squares)
    squares = study.table["mean_square"].to_numpy()
    halves = half_unit(_decimals(design, mean_squares))
    wanted = GStudy.from_components(design, components).estimate.to_numpy()
    decimals = _decimals(design, components)
    numbers = [np.atleast_1d(n).tolist() for n in lists.values()]
    index = pd.MultiIndex.from_product(numbers, names=list(lists))
    found = []
    for combination in index:
        levels = dict(zip(lists, combination, strict=True))
        solve = design.mean_squares_to_components(
            design.check_levels(levels)
        )
        middle, reach = solve @ squares, abs(solve) @ halves
        low, high = np.maximum([middle - reach, middle + reach], 0)
        found.append(overlaps(low, high, wanted, decimals))
    return pd.DataFrame(found, index, list(design.labels))


def _decimals(design, texts):
    """How many decimals are printed of each effect, in order."""
    found = pd.Series({design.find(k): str(x) for k, x in texts.items()})
    return found[list(design.labels)].str.partition(".")[2].str.len()
