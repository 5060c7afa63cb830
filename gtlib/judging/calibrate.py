"""The calibrations of the expert model, by Newton's method."""

import functools
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike

_TOLERANCE = 1e-16
"""Of the expected gain of a step, relative to the likelihood."""

_MOST_STEPS = 100


def rank_opinions(
    depth: int, relevant: ArrayLike, not_relevant: ArrayLike
) -> np.ndarray:
    """Step 1: what a rank says about relevance, topic by topic.

    The coefficients theta of the levels 1 .. depth and of "not retrieved"
    maximise

        sum over r < s of log sigma(theta_r - theta_s)
        + sum over r of (1 + relevant) log sigma(theta_r)
                      + (1 + not_relevant) log sigma(-theta_r)

    (pairwise preference, Carterette & Petkova 2006), and the opinion is
    sigma(theta_r). Its mean over the levels is
    (1 + relevant) / (2 + relevant + not_relevant).

    Parameters
    ----------
    depth : int
        Length of the runs.
    relevant, not_relevant : array_like of int, shape (topics,)
        Judged documents of each topic.

    Returns
    -------
    numpy.ndarray, shape (topics, depth + 1)
        The last column is "not retrieved".

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Examples
    --------
    >>> rank_opinions(4, [0], [0]).round(3).tolist()
    [[0.818, 0.665, 0.5, 0.335, 0.182]]
    """
    counts = np.column_stack([relevant, not_relevant])
    cases, place = np.unique(counts, axis=0, return_inverse=True)
    opinions = [
        scipy.special.expit(
            _rank_coefficients(depth + 1, 1 + hits, 1 + misses)
        )
        for hits, misses in cases
    ]
    return np.stack(opinions)[place.ravel()]


@functools.lru_cache(maxsize=1024)
def _rank_coefficients(levels, hits, misses):
    """Newton's method; topics and fits often share their counts."""
    theta = np.linspace(1, -1, levels)
    wins = np.arange(levels)[::-1]  # level r is preferred to so many

    def value(theta):
        gaps = theta[:, None] - theta
        upper = np.triu(np.logaddexp(0, -gaps), 1).sum()
        own = hits * np.logaddexp(0, -theta)
        return -(upper + np.sum(own + misses * np.logaddexp(0, theta)))

    def slope(theta):
        beats = scipy.special.expit(theta[:, None] - theta)
        own = scipy.special.expit(theta)
        gradient = wins - (beats.sum(axis=1) - 0.5)
        gradient += hits - (hits + misses) * own
        curve = beats * (1 - beats)
        np.fill_diagonal(curve, 0)
        total = curve.sum(axis=1) + (hits + misses) * own * (1 - own)
        return gradient, np.diag(total) - curve

    return maximised(theta, value, slope, "the rank coefficients")


def logistic_lines(
    x: np.ndarray, misses: np.ndarray, hits: np.ndarray
) -> np.ndarray:
    """Step 2: many weighted logistic regressions on one feature at once.

    Parameters
    ----------
    x : numpy.ndarray, shape (cells,)
    misses, hits : numpy.ndarray, shape (systems, cells)
        Weight of y = 0 and of y = 1 in each cell.

    Returns
    -------
    numpy.ndarray, shape (systems, 2)
        Intercepts and slopes.

    Raises
    ------
    RuntimeError
        If Newton's method does not converge.

    Examples
    --------
    >>> x = np.array([0.0, 1.0])
    >>> line = logistic_lines(x, np.array([[3, 1]]), np.array([[1, 3]]))
    >>> (line / np.log(3)).round(6).tolist()
    [[-1.0, 2.0]]
    """
    both = np.column_stack([np.ones_like(x), x])
    total = misses + hits
    moments = np.column_stack([both, x**2])

    def value(line):
        z = line @ both.T
        return np.sum(hits * z - total * np.logaddexp(0, z), axis=1)

    def slope(line):
        fitted = scipy.special.expit(line @ both.T)
        gradient = (hits - total * fitted) @ both
        a, b, c = ((total * fitted * (1 - fitted)) @ moments).T
        curve = np.stack([np.stack([a, b], -1), np.stack([b, c], -1)], -2)
        return gradient, curve

    start = np.zeros((len(hits), 2))
    return maximised(start, value, slope, "the systems' calibration")


def maximised(
    x: np.ndarray,
    value: Callable[[np.ndarray], np.ndarray],
    slope: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    what: str,
) -> np.ndarray:
    """Maximise concave functions by Newton's method, all at once.

    Parameters
    ----------
    x : numpy.ndarray, shape (..., k)
        Where to start.
    value, slope : callable
        Give the value, and gradient and negative Hessian.
    what : str
        Named if it does not converge.
    """
    now = value(x)
    for _ in range(_MOST_STEPS):
        gradient, curve = slope(x)
        step = np.linalg.solve(curve, gradient[..., None])[..., 0]
        gain = np.sum(gradient * step, axis=-1)
        if np.all(gain <= _TOLERANCE * (1 + np.abs(now))):
            return x + step
        size = np.ones_like(now)
        while True:
            tried = x + np.asarray(size)[..., None] * step
            then = value(tried)
            worse = then < now - 1e-12 * (1 + np.abs(now))
            if not np.any(worse & (size > 1e-6)):
                break
            size = np.where(worse, size / 2, size)
        x, now = tried, then
    raise RuntimeError(
        f"{what} did not converge in {_MOST_STEPS} Newton steps: the "
        f"gradient is still {np.abs(gradient).max():.2g}. Are the counts "
        "of judgments finite and the prior above 0?"
    )
