"""Every pair of systems on random topic sets: what swaps.py stands on."""

import numpy as np

_CELLS = 2**15
"""Pairs x trials held at once: keeps the work in the processor's cache."""


def draw_topics(rng, topics, size, trials, sets, replace=False):
    """Random topic sets, as positions: an array (sets, trials, size).

    Without replacement the sets of one trial are disjoint: a permutation
    of the topics, cut. With replacement each set is drawn from all topics
    on its own, and a topic may come twice, as in a bootstrap.

    Examples
    --------
    >>> sets = draw_topics(np.random.default_rng(1), 6, 3, trials=1, sets=2)
    >>> sorted(sets.ravel().tolist())
    [0, 1, 2, 3, 4, 5]
    """
    if replace:
        return rng.integers(topics, size=(sets, trials, size))
    drawn = np.array([rng.permutation(topics) for _ in range(trials)])
    return (
        drawn[:, : sets * size]
        .reshape(trials, sets, size)
        .transpose(1, 0, 2)
    )


def set_means(scores, drawn):
    """Mean score of each system on each topic set: (systems, trials).

    `scores` is a systems x topics array, `drawn` one set a row. Rounded
    to 12 decimals, so that the order of summation makes no ties and
    breaks none.
    """
    trials, size = drawn.shape
    topics = scores.shape[1]
    cell = drawn + topics * np.arange(trials)[:, None]
    times = np.bincount(cell.ravel(), minlength=trials * topics)
    return np.round(scores @ times.reshape(trials, topics).T / size, 12)


def pair_blocks(systems, trials, cells=_CELLS):
    """Yield the pairs (i, j), i < j, as index arrays, a block at a time.

    A block has at most `cells` values if each pair has one per trial.
    """
    i, j = np.triu_indices(systems, 1)
    step = max(1, cells // trials)
    for start in range(0, len(i), step):
        yield i[start : start + step], j[start : start + step]


def paired_t(scores):
    """Difference of means and paired t of every pair of systems.

    Parameters
    ----------
    scores : array, systems x topics
        At least two topics.

    Returns
    -------
    difference, t : arrays, a value per pair i < j
        t is 0 where the two systems score the same on every topic, and
        infinite where they differ by a constant.

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
    squares = np.diag(products)
    total = squares[i] + squares[j] - 2 * products[i, j]
    spread = np.maximum(total - size * difference**2, 0) / (size - 1)
    spread[spread < 1e-15] = 0
    error = np.sqrt(spread / size)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(difference == 0, 0.0, difference / error)
    return difference, t
