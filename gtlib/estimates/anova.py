"""Mean squares of balanced studies."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gtlib.tables import Design
from gtlib.tables.design import Effect


def balanced_mean_squares(array: np.ndarray, design: Design) -> np.ndarray:
    """Compute the mean squares of a balanced study.

    Parameters
    ----------
    array : ndarray with an axis per facet, in the order of design.facets
    design : Design

    Returns
    -------
    ndarray (effects,)
        In the order of ``design.effects``.  A sum of squares that is less
        than 1e-28 of the total is rounding, and zero.

    Notes
    -----
    The deviation of an effect is the mean over its cells, swept of the
    mean along each of its primary facets.  The last effect, as large as
    the data, is what the others leave of the total, and is swept too only
    where that difference would cancel.
    """
    levels = dict(zip(design.facets, array.shape, strict=True))
    array = array - array.mean()
    *larger, finest = design.effects
    total = np.vdot(array, array)
    sums = [np.vdot(x, x) for x in deviations(array, design, larger)]
    squares = design.observations_per_cell(levels)[:-1] * sums
    last = total - sum(squares)
    if last < 1e-4 * total:
        (swept,) = deviations(array, design, [finest])
        last = np.vdot(swept, swept)
    squares = np.array([*squares, last])
    squares[squares < 1e-28 * total] = 0
    return squares / design.degrees_of_freedom(levels)


def deviations(
    array: np.ndarray, design: Design, effects: Sequence[Effect]
) -> Iterator[np.ndarray]:
    """Yield the deviations of some effects, each with all the axes of the
    scores, those of length 1 that it is averaged over."""
    axis = {facet: i for i, facet in enumerate(design.facets)}
    means = _marginal_means(array, design, axis)
    for effect in effects:
        part = means[effect.facets]
        for facet in sorted(effect.primary, key=axis.__getitem__):
            part = part - _mean_along(part, axis[facet])
        yield part


def mean_squares_of_terms(
    terms: np.ndarray, design: Design, levels: Mapping[str, int]
) -> np.ndarray:
    """Compute the mean squares of a balanced study from group sums.

    Parameters
    ----------
    terms : array (effects,)
        The T-terms of `gtlib.estimates.henderson`, of scores whose mean
        is zero: a sum of squares is what an effect's adds to those that it
        contains.
    design : Design
    levels : mapping of facet to int

    Returns
    -------
    ndarray (effects,)
        What is less than 1e-13 of the total is rounding, and zero.
    """
    solve = design.mean_squares_to_components(levels)
    cells = design.observations_per_cell(levels)[:, None]
    # The whole numbers by which sums of squares are taken from T-terms
    squares = np.round(solve * cells).T @ terms
    squares[squares < 1e-13 * terms[-1]] = 0
    return squares / design.degrees_of_freedom(levels)


def _marginal_means(array, design, axis):
    """The mean over the cells of each effect, from the largest down: a
    margin is taken from the smallest one that contains it."""
    means = {frozenset(design.facets): array}
    for effect in sorted(design.effects, key=lambda e: -len(e.facets)):
        if effect.facets in means:
            continue
        known = [e for e in means if effect.facets < e]
        source = min(known, key=lambda e: means[e].size)
        mean = means[source]
        for facet in sorted(source - effect.facets, key=axis.__getitem__):
            mean = _mean_along(mean, axis[facet])
        means[effect.facets] = mean
    return means


def _mean_along(array, axis):
    if axis == array.ndim - 1:  # a product is faster than a short mean
        n = array.shape[axis]
        return (array @ np.full(n, 1 / n))[..., None]
    return array.mean(axis=axis, keepdims=True)
