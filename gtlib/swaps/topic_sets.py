"""Every pair of systems on random topic sets."""

import numpy as np

from gtlib.comparisons.paired import t_statistic


def draw_topics(
    rng: np.random.Generator, topics: int, size: int, trials: int, sets: int
) -> np.ndarray:
    """Draw random topic sets, as positions: (sets, trials, size).

    The sets of one trial are disjoint: a permutation of the topics, cut.

    Examples
    --------
    >>> sets = draw_topics(np.random.default_rng(1), 6, 3, trials=1, sets=2)
    >>> sorted(sets.ravel().tolist())
    [0, 1, 2, 3, 4, 5]
    """
    drawn = np.array([rng.permutation(topics) for _ in range(trials)])
    drawn = drawn[:, : sets * size]
    return drawn.reshape(trials, sets, size).swapaxes(0, 1)


def set_means(scores: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Average each system on each topic set: (systems, trials).

    `scores` is a systems x topics array, `drawn` one set a row. Rounded
    to 12 decimals, so that the order of summation makes no ties and
    breaks none.
    """
    held = np.zeros((len(drawn), scores.shape[1]))
    np.put_along_axis(held, drawn, 1, axis=1)
    return np.round(scores @ held.T / drawn.shape[1], 12)


def paired_t(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute the difference and the paired t of every pair.

    Parameters
    ----------
    scores : array, systems x topics
        At least two topics.

    Returns
    -------
    difference, t : arrays, a value per pair i < j
        t is 0 where the two systems have the same mean, and infinite
        where they differ by a constant.

    Examples
    --------
    >>> paired_t(np.array([[0.1, 0.2, 0.6], [0.1, 0.1, 0.4]]))[1].round(4)
    array([1.7321])
    """
    i, j = np.triu_indices(len(scores), 1)
    size = scores.shape[1]
    centred = scores - scores.mean(axis=0)
    means = centred.mean(axis=1)
    difference = np.round(means[i] - means[j], 12)
    products = centred @ centred.T
    own = np.diag(products)
    squares = own[i] + own[j] - 2 * products[i, j]
    return difference, t_statistic(size * difference, squares, size)
