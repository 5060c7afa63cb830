"""Replicates of variance components: what another study might have given.

Two ways to draw them from the normal model, `pivotal` and `parametric`;
`resampling` has a third. Each gives an array (effects, n_resamples),
from a seed and without a loop over replicates.
"""

from collections.abc import Iterable

import numpy as np
import scipy
from tqdm import tqdm

from gtlib.estimates import StudyData, balanced_mean_squares, cells_of
from gtlib.estimates.henderson import equations, home, tabulate

# How many numbers a batch of replicates may hold at once.
HELD = 20_000_000


def is_balanced(g: StudyData) -> bool:
    """Whether a G-study is or could be that of a balanced table."""
    if g.cells is not None:
        return g.cells.balanced
    return g.shares is None and bool(g.levels)


def has_scores(g: StudyData) -> bool:
    """Whether a G-study was made from scores, wherever they are."""
    return g.cells is not None or g.shares is not None


def mean_squares_of(g: StudyData) -> np.ndarray:
    """The mean squares of a study for which `is_balanced` holds."""
    if g.mean_squares is not None:
        return g.mean_squares.to_numpy()
    if g.cells is not None:
        return balanced_mean_squares(g.cells.array(), g.design)
    solve = g.design.mean_squares_to_components(g.levels)
    return np.linalg.solve(solve, g.estimate.to_numpy())


def pivotal(g: StudyData, n_resamples: int, seed: int) -> np.ndarray:
    """Components that could have led to the study's mean squares.

    A mean square over its expectation is a chi-square over its degrees of
    freedom, whatever the components: draw that, and solve for them. Their
    quantiles are a generalized confidence interval (Weerahandi 1993); for
    the generalizability of system x topic, Feldt's exact one.
    """
    expected = mean_squares_of(g)[:, None]
    solve = g.design.mean_squares_to_components(g.levels)
    return solve @ (expected / _chi_squares(g, n_resamples, seed))


def parametric(g: StudyData, n_resamples: int, seed: int) -> np.ndarray:
    """Estimates from studies simulated with the estimated components.

    The model is normal, and negative estimates count as zero. A study
    with gaps is simulated with the same gaps, and estimated by
    `gtlib.estimates.henderson`.
    """
    components = g.variance.to_numpy()
    if not is_balanced(g):
        cells = cells_of(g, "The intervals of a study with gaps need")
        return _simulated(cells, components, n_resamples, seed)
    solve = g.design.mean_squares_to_components(g.levels)
    expected = np.linalg.solve(solve, components)[:, None]
    return solve @ (expected * _chi_squares(g, n_resamples, seed))


def batches(n_resamples: int, largest: int) -> Iterable[int]:
    """Sizes of the batches in which to make them, the progress shown."""
    most = max(1, HELD // largest)
    sizes = [most] * (n_resamples // most) + [n_resamples % most]
    sizes = [size for size in sizes if size]
    return tqdm(sizes, disable=None, delay=2, unit="batch")


def sums_over(level: np.ndarray) -> scipy.sparse.csr_array:
    """The matrix that sums rows by level, each of which occurs."""
    where = level, np.arange(len(level))
    return scipy.sparse.csr_array((np.ones(len(level)), where))


def _chi_squares(g, n_resamples, seed):
    """Chi-squares over their degrees of freedom, (effects, n_resamples)."""
    df = g.design.degrees_of_freedom(g.levels)[:, None]
    rng = np.random.default_rng(seed)
    return rng.chisquare(df, (len(df), n_resamples)) / df


def _simulated(cells, components, n_resamples, seed):
    rng = np.random.default_rng(seed)
    margins = tabulate(cells, cells.scores)
    matrix = equations(cells, margins)
    n = len(cells.scores)
    *larger, finest = [effect.facets for effect in cells.design.effects]
    groups = [sums_over(home(cells, margins, finest, e)) for e in larger]
    counts = [margins[e].count[:, None] for e in larger]
    *sds, sd = np.sqrt(components)
    found = []
    for size in batches(n_resamples, n):
        y = sd * rng.standard_normal((n, size))
        for group, sd_e in zip(groups, sds, strict=True):
            if sd_e > 0:
                drawn = rng.standard_normal((group.shape[0], size))
                y += group.T @ (sd_e * drawn)
        terms = [
            np.sum((group @ y) ** 2 / count, axis=0)
            for group, count in zip(groups, counts, strict=True)
        ]
        terms.append(np.sum(y**2, axis=0))
        found.append(np.array(terms) - y.sum(axis=0) ** 2 / n)
    return np.linalg.solve(matrix, np.concatenate(found, axis=1))
