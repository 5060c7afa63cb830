"""Restricted maximum likelihood: components of any design, with gaps.

Patterson & Thompson (1971), by average information steps (Gilmour,
Thompson & Cullis 1995) on the exact likelihood, which `elimination`
makes cheap. No component is ever negative: one that would be stays at
zero, and the others adapt.
"""

from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from gtlib.cells import Cells
from gtlib.components.elimination import Covariance, Factor
from gtlib.components.henderson import henderson

_STEPS = 500
_ENOUGH = 1e-11  # of the total variance, in the last step
_EXACT = 1e-8  # of it, as error


@dataclass(frozen=True, eq=False)
class RemlFit:
    """Components of the highest restricted likelihood.

    Attributes
    ----------
    variance : array (effects,)
    mean : float
        The generalised least squares estimate of the grand mean.
    log_likelihood : float
    information : array (effects, effects)
        The average of the observed and the expected.
    steps : int
    """

    variance: np.ndarray
    mean: float
    log_likelihood: float
    information: np.ndarray
    steps: int


def reml(cells: Cells) -> RemlFit:
    """Variance components of the highest restricted likelihood.

    Parameters
    ----------
    cells : gtlib.cells.Cells

    Returns
    -------
    RemlFit
        In a balanced study whose analysis of variance gives no negative
        component, the same components.

    Raises
    ------
    ValueError
        If the data confound two effects or fall apart in unconnected
        parts; if the study is too large.

    Notes
    -----
    The log likelihood of the differences between scores, normal with
    covariance V, is -(log|V| + log(1'V⁻¹1) + y'Py + (N-1) log 2π)/2, with
    P = V⁻¹ - V⁻¹11'V⁻¹/(1'V⁻¹1).  A step goes to the top of the parabola
    with its gradient and average information, over components of at least
    zero, or part of the way until the likelihood rises.

    Examples
    --------
    >>> import pandas as pd
    >>> from gtlib.cells import read_cells
    >>> from gtlib.design import Design
    >>> scores = pd.DataFrame({
    ...     "system": [*"aaabbbccc"],
    ...     "topic": [1, 2, 3] * 3,
    ...     "score": [0.7, 0.5, 0.6, 0.8, 0.6, 0.76, 0.94, 0.82, 0.89]})
    >>> cells = read_cells(scores.iloc[:-1], Design("system x topic"))
    >>> reml(cells).variance.round(4).tolist()
    [0.0205, 0.0075, 0.0011]
    """
    origin = cells.scores.mean()
    scale = cells.scores.var()
    start = np.maximum(henderson(cells) / scale, 0)
    start[-1] = max(start[-1], 0.01)
    likelihood = _Likelihood(cells, (cells.scores - origin) / scale**0.5)
    top, steps = _climb(likelihood, likelihood.at(start))
    n = len(cells.scores)
    return RemlFit(
        top.components * scale,
        float(origin + top.mean * scale**0.5),
        float(top.value - (n - 1) * np.log(scale) / 2),
        top.information / scale**2,
        steps,
    )


@dataclass(frozen=True, eq=False)
class _Point:
    """The likelihood at some components, and its slope and curvature."""

    components: np.ndarray
    value: float
    gradient: np.ndarray
    information: np.ndarray
    mean: float


class _Likelihood:
    """The restricted likelihood of a study's components."""

    def __init__(self, cells, scores):
        self.covariance = Covariance(cells)
        self.scores = self.covariance.grid(scores)
        self.effects = range(len(cells.design.effects))

    def at(self, components):
        covariance = self.covariance
        factor = Factor(covariance, components)
        mean = factor.grand_mean(self.scores)
        one = covariance.present
        value = -0.5 * (
            factor.log_determinant
            - np.log(mean.variance)
            + np.sum(mean.residual * self.scores)
            + (one.sum() - 1) * np.log(2 * np.pi)
        )
        by_effect = [
            covariance.level_sums(mean.residual, k) for k in self.effects
        ]
        squares = np.array([np.sum(r**2) for r in by_effect])
        lost = mean.variance * np.array(
            [
                np.sum(covariance.level_sums(mean.weight, k) ** 2)
                for k in self.effects
            ]
        )
        gradient = (squares - factor.traces + lost) / 2
        working = np.stack([r * one for r in by_effect], axis=-1)
        information = _projected(working, factor, mean) / 2
        return _Point(components, value, gradient, information, mean.value)


def _climb(likelihood, now):
    """The highest point, and the number of steps to it."""
    for steps in tqdm(range(_STEPS), disable=None, delay=2):
        step = _top_of_parabola(now) - now.components
        then = _uphill(likelihood, now, step)
        if then is now:
            return now, steps
        if then.components[-1] < _EXACT:
            raise ValueError(
                "The effects explain the scores exactly and leave no "
                "error, so the likelihood has no top. Use "
                "method='henderson'."
            )
        now = then
    raise ValueError(
        f"The restricted likelihood has not settled after {_STEPS} steps: "
        "the scores hardly say anything about some component. Use "
        "method='henderson'."
    )


def _projected(working, factor, mean):
    """W'PW of the columns W of a grid."""
    solved = factor.solve(working).reshape(mean.weight.size, -1)
    working = working.reshape(mean.weight.size, -1)
    by_mean = mean.weight.ravel() @ working
    return working.T @ solved - np.outer(by_mean, by_mean) * mean.variance


def _top_of_parabola(point):
    """Where the likelihood's parabola is highest, no component below
    zero; a least-squares problem."""
    from scipy.optimize import nnls  # slow to import, only used here

    scale = 1 / np.sqrt(np.diag(point.information))
    scaled = point.information * np.outer(scale, scale)
    weight, axes = np.linalg.eigh(scaled)
    weight = np.sqrt(np.maximum(weight, 1e-10 * weight[-1]))
    root = weight[:, None] * axes.T
    lifted = (axes.T @ (point.gradient * scale)) / weight
    target = (
        nnls(root, root @ (point.components / scale) + lifted)[0] * scale
    )
    target[-1] = max(target[-1], point.components[-1] / 10)
    return target


def _uphill(likelihood, now, step):
    """A point along the step where the likelihood is no lower; the same
    if the step is tiny or there is none."""
    rise = now.gradient @ step
    if np.abs(step).max() < _ENOUGH:
        return now
    for share in 0.5 ** np.arange(40):
        then = likelihood.at(now.components + share * step)
        slack = 1e-11 * abs(now.value)
        if then.value >= now.value + 1e-4 * share * rise - slack:
            return then
    return now
