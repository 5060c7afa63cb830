"""How far scores are from a ranking, in units of their covariance."""

import numpy as np
import pandas as pd
import scipy
from numpy.typing import ArrayLike

from gtlib import checks
from gtlib.reuse.multinomial import Tested
from gtlib.scores import as_wide


def d_rank(
    scores: pd.DataFrame | ArrayLike,
    reference: pd.Series,
    n_resamples: int = 2000,
    seed: int = 0,
) -> Tested:
    """How far scores are from a ranking, given how alike the systems are.

    Parameters
    ----------
    scores : DataFrame, systems x topics
        Wide or long, over the topics of reuse; more topics than systems.
    reference : Series
        The baseline score of each system: the ranking to hold against.
    n_resamples : int
        Simulated cones for the weights of the chi-bar-square.
    seed : int

    Returns
    -------
    Tested
        ``.statistic`` is 0 when the order is the same, and t squared for
        two systems that swapped.

    Raises
    ------
    ValueError
        If systems differ between the two, or the differences have no
        invertible covariance matrix (too few topics, identical systems).

    Notes
    -----
    Carterette 2009. With z_k the score differences of neighbours in the
    reference ranking, D = min over θ ≥ 0 of n (z̄ - θ)' S⁻¹ (z̄ - θ): the
    distance to the nearest mean differences that keep the ranking. If all
    true differences are zero, D is a mixture of chi-squares; the weights
    are the probabilities of how many differences are positive at the
    minimum, estimated by simulation. S is taken as known, so that with few
    topics the p-value is too small.

    Examples
    --------
    >>> table = pd.DataFrame([[0.3, 0.2, 0.1, 0.4], [0.4, 0.3, 0.3, 0.4]],
    ...                      index=["a", "b"])
    >>> round(d_rank(table, pd.Series({"a": 0.5, "b": 0.4})).statistic, 6)
    6.0
    """
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    nnls = scipy.optimize.nnls
    scores = as_wide(scores)
    reference = pd.Series(reference)
    if set(reference.index) != set(scores.index):
        raise ValueError(
            "reference and scores must have the same systems: "
            f"{sorted(set(reference.index) ^ set(scores.index))[0]} is in "
            "one only."
        )
    order = reference.sort_values(ascending=False, kind="stable").index
    values = scores.loc[order].to_numpy()
    z = values[:-1] - values[1:]
    size, topics = z.shape
    covariance = np.atleast_2d(np.cov(z))
    if (
        topics <= size
        or np.linalg.matrix_rank(covariance, hermitian=True) < size
    ):
        raise ValueError(
            f"d_rank of {size + 1} systems needs more topics than that (it "
            f"has {topics}) and no two systems with the same scores."
        )
    whiten = np.linalg.inv(np.linalg.cholesky(covariance))
    target = np.sqrt(topics) * whiten @ z.mean(axis=1)
    distance = nnls(whiten, target)[1] ** 2
    noise = np.random.default_rng(seed).standard_normal((n_resamples, size))
    positive = [np.count_nonzero(nnls(whiten, x)[0]) for x in noise]
    df = size - np.array(positive)
    tail = scipy.special.chdtrc(df, distance)
    tail[df == 0] = distance < 1e-12
    return Tested(float(distance), float(tail.mean()))
