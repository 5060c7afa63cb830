"""Limits from the profile of the restricted likelihood: any study.

A hypothesis about a component, a coefficient or a number of levels is a
linear equation among the components. The highest likelihood under it,
compared with the highest of all, says how well the scores bear it: twice
the difference is close to a chi-square with one degree of freedom (Wilks
1938), and the interval holds what is not refuted. With l the highest log
likelihood of all and l(x) that among the components σ² for which

    row(x) · σ² = value(x),                                          (1)

the limits are the x on either side of the estimate at which

    2 (l - l(x)) = the quantile of the chi-square.                   (2)

Both sides are taken by their roots: that of the left one is a straight line
where the likelihood is a parabola.
"""

from collections.abc import Callable

import numpy as np
import scipy

from gtlib.estimates.reml import find_highest, standardized_likelihood
from gtlib.tables import Cells

# A row and a value: the components whose product with it is that.
Plane = tuple[np.ndarray, float]

_ENDS = -25.0, 25.0  # logarithms of what counts as 0 and as infinite
_EXACT = 1e-5  # of a limit's logarithm


class Profile:
    """The restricted likelihood of a study under linear equations.

    Parameters
    ----------
    cells : Cells
        The scores.
    components : array (effects,)
        As REML estimates them.

    Attributes
    ----------
    scale : float
        The variance of the scores, which is the unit of the components
        in an equation.
    top : gtlib.estimates.reml.Point
        Where the likelihood is highest: these components.

    Raises
    ------
    ValueError
        If the likelihood has no top, as `gtlib.estimates.reml` says.
    """

    def __init__(self, cells: Cells, components: np.ndarray) -> None:
        self.likelihood, self.scale = standardized_likelihood(cells)
        self.top, _ = find_highest(
            self.likelihood, [components / self.scale]
        )

    def ratio(
        self,
        numerator: np.ndarray,
        denominator: np.ndarray,
        confidence_level: float,
    ) -> np.ndarray:
        """Find the `limits` of a ratio of two linear functions of the
        components, given by their coefficients: (1) is
        (numerator - x denominator) · σ² = 0."""
        top = self.top.components
        return self.limits(
            lambda x: (numerator - x * denominator, 0.0),
            numerator @ top / max(denominator @ top, 1e-300),
            confidence_level,
        )

    def limits(
        self,
        plane: Callable[[float], Plane],
        estimate: float,
        confidence_level: float,
    ) -> np.ndarray:
        """Find the limits of a positive quantity that the scores allow.

        Parameters
        ----------
        plane : callable
            The equation that says that the quantity is x.
        estimate : float
            The quantity at the highest point.
        confidence_level : float in (0, 1)

        Returns
        -------
        (low, high)
            0 and infinity where the scores allow all that is so small or
            so large.
        """
        # The root of (2)'s right side
        bound = scipy.special.chdtri(1, 1 - confidence_level) ** 0.5
        with np.errstate(divide="ignore"):
            start = float(np.clip(np.log(estimate), *_ENDS))
        ends = [self._limit(plane, start, end, bound) for end in _ENDS]
        return np.exp(ends)

    def _limit(self, plane, near, end, bound):
        """Find the logarithm at which the likelihood has fallen that far;
        infinite if it has not at the end."""
        tried = {near: (-bound, self.top.components)}

        def excess(x):  # the root of (2)'s left side, less the bound
            if x not in tried:
                row, value = plane(np.exp(x))  # (1)
                closest = min(tried, key=lambda known: abs(known - x))
                start = _move_onto_plane(tried[closest][1], row, value)
                point, _ = find_highest(
                    self.likelihood, [start], (row, value)
                )
                fall = max(self.top.value - point.value, 0.0)
                tried[x] = (2 * fall) ** 0.5 - bound, point.components
            return tried[x][0]

        if near == _ENDS[1] and excess(near - _EXACT) > 0:
            return np.inf  # the estimate lies beyond all numbers
        step = np.sign(end - near)
        while near != end:
            far = float(np.clip(near + step, *_ENDS))
            if excess(far) > 0:
                return scipy.optimize.brentq(excess, near, far, xtol=_EXACT)
            near, step = far, 2 * step
        return np.copysign(np.inf, end)


def _move_onto_plane(components, row, value):
    """Components near these that lie on the plane, none below zero."""
    up, down = np.maximum(row, 0), np.maximum(-row, 0)
    if not down.any():  # the equation is about one component
        return np.where(up > 0, value / up.max(), components)
    for side, opposite in ((up, down), (down, up)):
        if side @ components == 0:
            share = (side == side.max()) / np.sum(side[side == side.max()])
            components = components + share * max(
                opposite @ components, 1e-6
            )
    ratio = ((down @ components) / (up @ components)) ** 0.5
    opposite = np.where(down > 0, 1 / ratio, 1)
    return components * np.where(up > 0, ratio, opposite)
