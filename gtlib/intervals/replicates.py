"""Replicates of variance components: what another study might have given.

`pivotal` draws them from the normal model, `resampling` from the scores.
Each gives an array (effects, n_resamples), from a seed and without a loop
over replicates.
"""

from collections.abc import Iterable

import numpy as np
import scipy
from tqdm import tqdm

from gtlib.estimates import StudyData, balanced_mean_squares

# How many numbers a batch of replicates may hold at once.
HELD = 20_000_000


def is_balanced(g: StudyData) -> bool:
    """Return whether a G-study is or could be of a balanced table."""
    return g.incidence is None and bool(g.levels)


def study_mean_squares(g: StudyData) -> np.ndarray:
    """Return the mean squares of a study for which `is_balanced` holds."""
    if g.mean_squares is not None:
        return g.mean_squares.to_numpy()
    if g.cells is not None:
        return balanced_mean_squares(g.cells.array(), g.design)
    solve = g.design.mean_squares_to_components(g.levels)
    return np.linalg.solve(solve, g.estimate.to_numpy())


def pivotal(
    g: StudyData, n_resamples: int, seed: int, stretch: float = 1.0
) -> np.ndarray:
    """Draw components that could have led to the study's mean squares.

    A mean square over its expectation is a chi-square over its degrees of
    freedom, whatever the components: draw that, and solve for them. Their
    quantiles are a generalized confidence interval (Weerahandi 1993); for
    the generalizability of system x topic, Feldt's exact one.  `stretch`
    divides the degrees of freedom.
    """
    expected = study_mean_squares(g)[:, None]
    solve = g.design.mean_squares_to_components(g.levels)
    df = g.design.degrees_of_freedom(g.levels)[:, None] / stretch
    rng = np.random.default_rng(seed)
    drawn = rng.chisquare(df, (len(df), n_resamples)) / df
    return solve @ (expected / np.maximum(drawn, 1e-12))


def batches(n_resamples: int, largest: int) -> Iterable[slice]:
    """Yield the batches in which to make replicates, with progress."""
    most = max(1, HELD // largest)
    starts = range(0, n_resamples, most)
    parts = [slice(i, min(i + most, n_resamples)) for i in starts]
    return tqdm(parts, disable=None, delay=2, unit="batch")


def summing_matrix(level: np.ndarray) -> scipy.sparse.csr_array:
    """Return the matrix that sums rows by level; every level occurs."""
    where = level, np.arange(len(level))
    return scipy.sparse.csr_array((np.ones(len(level)), where))
