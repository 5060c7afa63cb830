"""Restricted maximum likelihood: components of any design, with gaps.

Patterson & Thompson (1971), by average information steps (Gilmour,
Thompson & Cullis 1995) on the exact likelihood, which `elimination`
makes cheap. No component is ever negative: one that would be stays at
zero, and the others adapt.

Scores y have the covariance matrix V = sum over k of σ²_k V_k, with
V_k = Z_k Z_k' and Z_k the 0/1 matrix of the levels of effect k. With
P = V⁻¹ - V⁻¹11'V⁻¹/(1'V⁻¹1), the log likelihood of the differences between
scores, its gradient and the average information are

    l = -(log |V| + log 1'V⁻¹1 + y'Py + (N - 1) log 2π) / 2,         (1)
    g_k = -(tr(P V_k) - y'P V_k P y) / 2,                            (2)
    A_kj = y'P V_k P V_j P y / 2 .                                   (3)

A step from the components x goes to the z, none below zero, at which the
parabola with this gradient and information is highest, which is a problem
of least squares with a root L'L = A:

    max g'(z - x) - (z - x)'A(z - x)/2  =  min |L z - (L x + L'⁻¹ g)|². (4)
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import scipy
from tqdm import tqdm

from gtlib.estimates.elimination import LEAST_ERROR, Covariance, Factor
from gtlib.estimates.henderson import henderson
from gtlib.tables import Cells

_STEPS = 200
_SETTLED = 1e-7  # what a step may still promise the log likelihood
_NOTHING = 1e-14  # share of the likelihood that it cannot resolve
_ENOUGH = 1e-11  # of the total variance, in the last step
_TINY = 100  # scores, up to which there are several starts
_FEW = 40  # scores, below which there are starts at random
_ON_PLANE = 1e6  # what leaving the plane costs, in the likelihood's root


def reml(cells: Cells) -> np.ndarray:
    """Return the variance components of the highest restricted likelihood.

    Parameters
    ----------
    cells : gtlib.tables.cells.Cells

    Returns
    -------
    ndarray (effects,)
        In the order of ``cells.design.effects``. In a balanced study whose
        analysis of variance gives no negative component, the same
        components.

    Raises
    ------
    ValueError
        If the data confound effects or fall apart in unconnected
        parts; if the study is too large; if the likelihood still rises
        where the error is 1e-8 of the variance of the scores, or a step
        still promises it a rise of 1e-7 after 200 of them.

    Notes
    -----
    The log likelihood is (1) of this module.  A step goes to the top of
    the parabola with its gradient and average information, over components
    of at least zero, or part of the way until the likelihood rises.  It
    starts from Henderson's components; with up to 100 scores from others
    too, since their likelihood may have several tops.

    Examples
    --------
    >>> import pandas as pd
    >>> from gtlib.tables.cells import read_cells
    >>> from gtlib.tables.design import Design
    >>> scores = pd.DataFrame({
    ...     "system": [*"aaabbbccc"],
    ...     "topic": [1, 2, 3] * 3,
    ...     "score": [0.7, 0.5, 0.6, 0.8, 0.6, 0.76, 0.94, 0.82, 0.89]})
    >>> cells = read_cells(scores.iloc[:-1], Design("system x topic"))
    >>> reml(cells).round(4).tolist()
    [0.0205, 0.0075, 0.0011]
    """
    likelihood, scale = standardized_likelihood(cells)
    top, steps = find_highest(likelihood, _starts(cells, scale))
    _refuse_no_top(top, steps, cells.design)
    return top.components * scale


class Point(NamedTuple):
    """The likelihood at some components, and its slope and curvature."""

    components: np.ndarray
    value: float
    gradient: np.ndarray
    information: np.ndarray


class Likelihood:
    """The restricted likelihood of a study's components."""

    def __init__(self, cells: Cells, scores: np.ndarray) -> None:
        self.covariance = Covariance(cells)
        self.scores = self.covariance.grid(scores)
        self.effects = range(len(cells.design.effects))

    @np.errstate(divide="ignore", invalid="ignore")
    def at(self, components: np.ndarray) -> Point:
        """Return the likelihood at components of the scores: no number
        where rounding has left nothing of it."""
        covariance = self.covariance
        factor = Factor(covariance, components)
        mean = factor.grand_mean(self.scores)
        present = covariance.present
        # Z_k'Py and Z_k'V⁻¹1 of each effect, and their squared lengths
        sums = covariance.level_sums
        residuals = [sums(mean.residual, k) for k in self.effects]
        weights = [sums(mean.weight, k) for k in self.effects]
        squares = np.array([np.sum(level**2) for level in residuals])
        weight_squares = np.array([np.sum(level**2) for level in weights])
        # (1): y'Py = (Py)'V(Py) is the sum of σ²_k |Z_k'Py|²; that of the
        # error, σ²_e |Py|², by way of σ²_e Py, which is what is left
        left = factor.remainder(
            (self.scores - mean.value) * present, mean.residual
        )
        value = -0.5 * (
            factor.log_determinant
            - np.log(mean.variance)
            + np.sum(left**2) / components[-1]
            + components[:-1] @ squares[:-1]
            + (present.sum() - 1) * np.log(2 * np.pi)
        )
        # (2): tr(P V_k) is tr(V⁻¹V_k) less |Z_k'V⁻¹1|²/(1'V⁻¹1)
        gradient = (
            squares - factor.traces + mean.variance * weight_squares
        ) / 2
        # (3), of the columns V_k P y
        working = np.stack([r * present for r in residuals], axis=-1)
        information = _project(working, factor, mean) / 2
        return Point(components, value, gradient, information)


def standardized_likelihood(cells: Cells) -> tuple[Likelihood, float]:
    """Return the likelihood of scores with mean 0 and variance 1, and the
    variance that they had."""
    scale = cells.centred.var()
    return Likelihood(cells, cells.centred / scale**0.5), scale


def find_highest(
    likelihood: Likelihood,
    starts: Iterable[np.ndarray],
    plane: tuple[np.ndarray, float] | None = None,
) -> tuple[Point, int]:
    """Return the highest point reached from any start, and the steps to it.

    With a plane (row, value), among the components with ``row @ components
    == value`` only; the starts lie on it.
    """
    climbs: list[tuple[Point, int]] = []
    for start in starts:
        tops = [point for point, _ in climbs]
        start_point = likelihood.at(start)
        climbs.append(_climb(likelihood, start_point, tops, plane))
    return max(climbs, key=lambda climb: climb[0].value)


def _starts(cells, scale):
    """Return components to start from: Henderson's. If there are few
    scores also equal ones, each in turn as the largest, and random ones:
    the fewer scores, the more of these."""
    first = np.maximum(henderson(cells) / scale, 0)
    first[-1] = max(first[-1], 0.01)
    if len(cells.scores) > _TINY:
        return [first]
    n = len(cells.design.effects)
    equal = np.full(n, 1 / n)
    each_largest = 0.01 + 0.9 * np.eye(n)
    more = max(0, _FEW - len(cells.scores))
    exponents = np.random.default_rng(0).uniform(-5, 0, (more, n))
    return [first, equal, *each_largest, *10**exponents]


def _refuse_no_top(point, steps, design):
    """Refuse where the likelihood goes on rising."""
    advice = (
        " Leave an effect out of the design, add scores, or use "
        "method='henderson', which needs no likelihood and may give "
        "negative estimates."
    )
    rise = -point.gradient[-1] * point.components[-1]
    if point.components[-1] < 2 * LEAST_ERROR and rise > _SETTLED:
        raise ValueError(
            "The restricted likelihood still rises where the variance of "
            f"{design.labels[-1]} is down to {LEAST_ERROR:g} of that of "
            "the scores: if it has a top, the other effects explain the "
            f"scores there and leave no error.{advice}"
        )
    promise = point.gradient @ (_top_of_parabola(point) - point.components)
    if promise > _SETTLED:
        raise ValueError(
            f"The restricted likelihood has not settled after {steps} "
            f"steps: at {point.value:.9g} its slope still promises a rise "
            f"of {promise:.1g}.{advice}"
        )


def _climb(likelihood, current, known=(), plane=None):
    """Climb to the highest point, and count the steps to it. A climb ends
    where it comes close below a top that is known."""
    last_promise = np.inf
    for steps in tqdm(range(_STEPS), disable=None, delay=2):
        if any(_close_below(current, top) for top in known):
            return current, steps
        step = _top_of_parabola(current, plane) - current.components
        promise = current.gradient @ step
        negligible = min(_NOTHING * abs(current.value), 1e-6 * last_promise)
        if plane is not None:  # of a limit, the height alone counts
            negligible = _SETTLED
        if promise < negligible or np.abs(step).max() < _ENOUGH:
            if plane is None or promise > -_SETTLED:
                current = current._replace(
                    components=current.components + step
                )
            return current, steps
        candidate = _step_uphill(likelihood, current, step)
        if (
            candidate is current
            or last_promise / 2 < promise < _SETTLED / 10
        ):
            return current, steps
        current, last_promise = candidate, promise
    return current, _STEPS


def _close_below(point, top):
    gap = np.abs(point.components - top.components)
    close = (gap <= 1e-4 + 1e-2 * top.components).all()
    return point.value < top.value and close


def _project(working, factor, mean):
    """W'PW = W'V⁻¹W - W'V⁻¹1 1'V⁻¹W/(1'V⁻¹1), of columns W of a grid."""
    solved = factor.solve(working).reshape(mean.weight.size, -1)
    working = working.reshape(mean.weight.size, -1)
    of_mean = mean.weight.ravel() @ working
    return working.T @ solved - np.outer(of_mean, of_mean) * mean.variance


def _top_of_parabola(point, plane=None):
    """Find where the likelihood's parabola is highest, (4), with no
    component below zero and all on the plane. The units are such that A
    has ones on its diagonal; the plane is one more row of L, with a large
    weight."""
    diagonal = np.diag(point.information)  # 0 if all of a facet's means tie
    scale = 1 / np.sqrt(np.maximum(diagonal, 1e-12 * diagonal.max()))
    scaled = point.information * np.outer(scale, scale)
    weight, axes = np.linalg.eigh(scaled)
    weight = np.sqrt(np.maximum(weight, 1e-10 * weight[-1]))
    root = weight[:, None] * axes.T  # L
    lifted = (axes.T @ (point.gradient * scale)) / weight  # L'⁻¹ g
    height = root @ (point.components / scale) + lifted
    if plane is not None:
        row, value = plane[0] * scale, plane[1]
        pull = _ON_PLANE / (np.abs(plane[0]) @ point.components)
        root = np.vstack([root, pull * row])
        height = np.append(height, pull * value)
    target = scipy.optimize.nnls(root, height)[0] * scale
    least = max(point.components[-1] / 10, LEAST_ERROR)
    if plane is not None and target[-1] < least < point.components[-1]:
        step = target - point.components  # a part of it, to stay on it
        share = (least - point.components[-1]) / step[-1]
        return point.components + share * step
    target[-1] = max(target[-1], least)
    return target


def _step_uphill(likelihood, current, step):
    """A point along the step where the likelihood is no lower; the same
    if there is none."""
    rise = current.gradient @ step
    slack = 1e-11 * abs(current.value)
    for share in 0.5 ** np.arange(40):
        try:
            candidate = likelihood.at(current.components + share * step)
        except np.linalg.LinAlgError:  # too far to be computed
            continue
        if candidate.value >= current.value + 1e-4 * share * rise - slack:
            return candidate
    return current
