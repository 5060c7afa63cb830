"""The D-study: how reliable a design would be, before it is built."""

from dataclasses import dataclass
from math import ceil, prod

import numpy as np
import pandas as pd

from gtlib.design import Design, as_design, as_facets, whole_number
from gtlib.gstudy import GStudy, check_fixed

COEFFICIENTS = {
    "generalizability": "relative_error",
    "dependability": "absolute_error",
}
"""Each coefficient with the error that it sets against true variance."""


@dataclass(frozen=True)
class Plan:
    """A D-study design on a G-study's components, its numbers still open.

    Every component of the G-study ends up in one effect of the D-study:
    the smallest that has all its facets.  Averaged over the D-study's
    levels it is part of the universe score, of both errors, of the
    absolute error only, or (fixed facets only) of nothing.

    Attributes
    ----------
    design : Design
        The D-study's.
    fixed : tuple of str
    table : DataFrame, a row per effect of the D-study
        ``variance`` of a single observation, ``divisors`` (the facets that
        its variance is averaged over) and ``role``.
    pooling : array (effects of the D-study, effects of the G-study)
        1 where the former takes in the latter, else 0.
    """

    design: Design
    fixed: tuple
    table: pd.DataFrame
    pooling: np.ndarray

    def mean_variance(self, levels, components=None):
        """Variance of each effect's mean over `levels` of each facet.

        `levels` maps facets to numbers or to arrays of one shape; the
        result has the effects along its first axis. `components`, an
        array of this shape too, replaces the G-study's own.
        """
        numbers = np.broadcast_arrays(*map(np.float64, levels.values()))
        numbers = dict(zip(levels, numbers, strict=True))
        one = np.ones(np.shape(next(iter(numbers.values()))))
        variances = self.table["variance"].to_numpy()
        if components is not None:
            variances = np.tensordot(
                self.pooling, np.maximum(components, 0), axes=1
            )
        return np.array(
            [
                variance / prod((numbers[f] for f in facets), start=one)
                for variance, facets in zip(
                    variances, self.table["divisors"], strict=True
                )
            ]
        )

    def errors(self, coefficient):
        """Which effects are part of the coefficient's error; booleans."""
        counted = ["relative error"]
        if coefficient == "dependability":
            counted.append("absolute error only")
        return self.table["role"].isin(counted).to_numpy()

    def coefficients(self, levels, components=None):
        """Universe score variance, both errors and both coefficients.

        Takes what `mean_variance` does; returns a dict of floats or of
        arrays shaped like the numbers.
        """
        means = self.mean_variance(levels, components)
        role = self.table["role"].to_numpy()
        universe = means[role == "universe score"].sum(axis=0)
        relative = means[role == "relative error"].sum(axis=0)
        absolute = relative + means[role == "absolute error only"].sum(
            axis=0
        )
        return {
            "universe_score": universe,
            "relative_error": relative,
            "absolute_error": absolute,
            "generalizability": share(universe, relative),
            "dependability": share(universe, absolute),
        }


@dataclass(frozen=True)
class DStudy:
    """The errors and coefficients of one planned study.

    Attributes
    ----------
    design : Design
    levels : dict of facet to int
        Without the object of measurement; a nested facet's within its nest.
    fixed : tuple of str
    universe_score : float
        Variance of the object of measurement's true scores, σ²(τ).
    relative_error : float
        σ²(δ), in squared units of the score.
    absolute_error : float
        σ²(Δ), in the same units.
    generalizability : float
        Eρ² = σ²(τ) / (σ²(τ) + σ²(δ)).
    dependability : float
        Φ = σ²(τ) / (σ²(τ) + σ²(Δ)).
    table : DataFrame, a row per effect
        ``variance`` of a single observation, ``divisor``, the quotient
        ``mean_variance``, its ``role`` and its ``percent`` of σ²(τ)+σ²(Δ).
    """

    design: Design
    levels: dict
    fixed: tuple
    universe_score: float
    relative_error: float
    absolute_error: float
    generalizability: float
    dependability: float
    table: pd.DataFrame

    @property
    def signal_to_noise(self):
        """σ²(τ) / σ²(δ), Eρ² on a scale that grows with the number of
        topics without end (Cronbach & Gleser 1964)."""
        return _ratio(self.universe_score, self.relative_error)

    @property
    def absolute_signal_to_noise(self):
        """σ²(τ) / σ²(Δ)."""
        return _ratio(self.universe_score, self.absolute_error)

    def __str__(self):
        table = self.table.to_string(float_format="{:.6g}".format)
        return f"{self._title()}\n\n{table}\n\n{self._summary()}"

    def _repr_html_(self):
        html = (
            self.table.rename_axis(index=None)
            .style.format(
                {
                    "variance": "{:.5g}",
                    "mean_variance": "{:.3g}",
                    "percent": "{:.1f}",
                }
            )
            .format_index(
                lambda name: name.replace("_", " "), axis="columns"
            )
            .to_html()
        )
        return (
            f"<p><b>{self._title()}</b></p>{html}<p>{self._summary()}</p>"
        )

    def _title(self):
        size = " · ".join(
            f"{n} {facet}{'s' if n != 1 else ''}"
            + (" in each nest" if self.design.nesting[facet] else "")
            + (" (fixed)" if facet in self.fixed else "")
            for facet, n in self.levels.items()
        )
        return f"D-study {self.design}, {size}"

    def _summary(self):
        return (
            f"relative error {self.relative_error:.3g}, generalizability "
            f"{self.generalizability:.3f}; absolute error "
            f"{self.absolute_error:.3g}, dependability "
            f"{self.dependability:.3f}"
        )


def plan(g, design=None, *, fixed=()):
    """Which component of the G-study goes where in a D-study.

    Raises
    ------
    ValueError
        If the D-study has other facets than the G-study, if it separates
        what the G-study confounds, or if `fixed` is not possible.
    """
    if not isinstance(g, GStudy):
        raise ValueError(f"A D-study needs a GStudy; got {g!r}.")
    design = g.design if design is None else as_design(design)
    design = as_design(design.text, _same_object(g.design, design))
    _refuse_confounded(g.design, design)
    fixed = check_fixed(design, as_facets(fixed) or g.fixed)
    frozen = frozenset(fixed)
    pooling = np.array(
        [
            [
                design.closure(e.facets) == home.facets
                for e in g.design.effects
            ]
            for home in design.effects
        ],
        dtype=float,
    )
    variance = pooling @ np.maximum(g.variance.to_numpy(), 0)
    objects = design.closure([design.object])
    rows = []
    for effect, pooled in zip(design.effects, variance, strict=True):
        divisors = tuple(
            f for f in design.facets if f in effect.facets - objects
        )
        rows.append(
            {
                "effect": effect.label,
                "variance": pooled,
                "divisors": divisors,
                "role": _role(effect.facets, objects, frozen),
            }
        )
    table = pd.DataFrame(rows).set_index("effect")
    return Plan(design, fixed, table, pooling)


def dstudy(g, design=None, *, fixed=(), **levels):
    """Error variances and coefficients of a planned study.

    Parameters
    ----------
    g : GStudy
    design : str or Design, optional
        The planned design, if not the G-study's.  It may nest what the
        G-study crosses; it cannot separate what the G-study confounds.
    fixed : facet or facets, optional
        Facets whose levels are all there are; the others are generalised
        over.
    **levels : int
        The planned number of levels of each facet, of a nested one within
        its nest (``topic=50, assessor=2``).  Without it, the G-study's.

    Returns
    -------
    DStudy

    Raises
    ------
    ValueError
        If a number is missing or impossible, or the G-study's components
        do not support the design.

    Notes
    -----
    Each component is divided by the numbers of levels that it is averaged
    over.  Relative error collects what moves systems differently, absolute
    error also what moves them together (Bodoff & Li 2007, eqs. 2-6;
    Brennan 2001, chapters 4-5).  Estimates below zero count as zero.

    Examples
    --------
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> d = dstudy(g, topic=50)
    >>> f"{d.generalizability:.4f} {d.dependability:.4f}"
    '0.9375 0.7979'
    """
    ready = plan(g, design, fixed=fixed)
    levels = all_levels(g, ready, levels)
    return evaluate(ready, levels)


def evaluate(ready, levels):
    """The DStudy of a Plan at whole numbers of levels."""
    numbers = ready.coefficients(levels)
    table = ready.table[["variance"]].copy()
    table["divisor"] = [
        prod(levels[f] for f in facets)
        for facets in ready.table["divisors"]
    ]
    table["mean_variance"] = ready.mean_variance(levels)
    table["role"] = ready.table["role"]
    total = numbers["universe_score"] + numbers["absolute_error"]
    table["percent"] = (
        100
        * table["mean_variance"].where(table["role"] != "constant", 0)
        / total
        if total > 0
        else np.nan
    )
    values = {name: float(value) for name, value in numbers.items()}
    return DStudy(ready.design, levels, ready.fixed, **values, table=table)


def dstudy_grid(g, design=None, *, fixed=(), **lists):
    """D-studies for every combination of several numbers of levels.

    Parameters
    ----------
    g, design, fixed : as in `dstudy`
    **lists : int or sequence of int
        The numbers to try for each facet.

    Returns
    -------
    DataFrame, a row per combination
        The numbers of levels, both errors, both coefficients.

    Examples
    --------
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> dstudy_grid(g, topic=[25, 50])["generalizability"].round(3).tolist()
    [0.882, 0.938]
    """
    ready = plan(g, design, fixed=fixed)
    several = {
        facet: [
            whole_number(n, facet) for n in np.atleast_1d(numbers).tolist()
        ]
        for facet, numbers in lists.items()
    }
    for facet, numbers in several.items():
        if not numbers:
            raise ValueError(f"{facet}: the list of numbers is empty.")
    first = {facet: numbers[0] for facet, numbers in several.items()}
    full = all_levels(g, ready, first)
    axes = [np.array(several.get(facet, [n])) for facet, n in full.items()]
    grid = [axis.ravel() for axis in np.meshgrid(*axes, indexing="ij")]
    levels = dict(zip(full, grid, strict=True))
    for facet in set(ready.fixed) & set(several):
        for number in several[facet]:
            all_levels(g, ready, {**first, facet: number})
    numbers = ready.coefficients(levels)
    numbers.pop("universe_score")
    return pd.DataFrame({**levels, **numbers})


def required_levels(
    g,
    facet,
    target,
    coefficient="dependability",
    *,
    design=None,
    fixed=(),
    **levels,
):
    """The fewest levels of one facet that reach a target coefficient.

    Parameters
    ----------
    g, design, fixed, **levels : as in `dstudy`
    facet : str
        The facet whose number is sought, for instance ``"topic"``.
    target : float in (0, 1)
    coefficient : {"dependability", "generalizability"}

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If no number of levels reaches the target; it says what the
        ceiling is and which effect sets it.

    Examples
    --------
    >>> g = GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> required_levels(g, "topic", 0.95)
    241
    """
    check_coefficient(coefficient)
    check_target(target)
    ready = plan(g, design, fixed=fixed)
    check_sought(facet, ready)
    levels = all_levels(g, ready, {**levels, facet: 1})
    table = ready.table
    mean = pd.Series(ready.mean_variance(levels), table.index)
    universe = mean[table["role"] == "universe score"].sum()
    counted = ready.errors(coefficient)
    shrinks = np.array([facet in d for d in table["divisors"]])
    stays = mean[counted & ~shrinks]
    allowed = universe * (1 - target) / target
    ceiling = share(universe, stays.sum())
    if universe == 0 or stays.sum() >= allowed:
        culprit = stays.idxmax() if stays.sum() > 0 else ready.design.object
        reason = (
            f"{culprit} does not shrink with the number of {facet}s"
            if universe > 0
            else f"the variance of {culprit} is estimated as zero"
        )
        raise ValueError(
            f"{_unreachable(facet, coefficient, target)}: its ceiling is "
            f"{ceiling:.4f}, because {reason}."
        )
    shrinking = mean[counted & shrinks].sum()
    n = max(1, ceil(shrinking / (allowed - stays.sum())))

    def reached(number):
        numbers = ready.coefficients({**levels, facet: number})
        return numbers[coefficient] >= target

    # The quotient is right but for rounding: step, and bisect at the worst.
    low = n - 2 if n > 2 and not reached(n - 2) else 0
    while not reached(n):
        low, n = n, 2 * n
        if n > 2**53:
            where = _unreachable(facet, coefficient, target)
            raise ValueError(f"{where}: its ceiling is too close.")
    while n - low > 1:
        middle = (low + n) // 2
        low, n = (low, middle) if reached(middle) else (middle, n)
    return n


def check_coefficient(coefficient):
    """Refuse a coefficient that does not exist."""
    if coefficient not in COEFFICIENTS:
        raise ValueError(
            f"coefficient={coefficient!r} is not known; choose "
            "'generalizability' or 'dependability'."
        )


def check_target(target):
    """Refuse a target that no coefficient can meet."""
    if not (isinstance(target, int | float) and 0 < target < 1):
        raise ValueError(
            f"target={target!r}: a coefficient lies between 0 and 1, both "
            "excluded; .95 is usual."
        )


def _unreachable(facet, coefficient, target):
    return f"No number of {facet}s brings {coefficient} to {target}"


def _ratio(universe, error):
    return universe / error if error > 0 else float("inf")


def share(universe, error):
    """Universe score variance over itself and error; 0 if both are."""
    total = universe + error
    with np.errstate(invalid="ignore"):
        return np.where(total > 0, universe / total, 0.0)[()]


def _role(facets, objects, fixed):
    if not facets <= objects | fixed:
        shared = facets & objects
        return "relative error" if shared else "absolute error only"
    return "universe score" if facets & objects else "constant"


def _same_object(studied, planned):
    unknown = set(planned.facets) ^ set(studied.facets)
    if unknown:
        facet = sorted(unknown)[0]
        where = "D-study" if facet in planned.facets else "G-study"
        hint = (
            "its variance was not studied"
            if where == "D-study"
            else f"give it {facet}=1 or more instead of leaving it out"
        )
        raise ValueError(
            f"{facet} is a facet of the {where} only ({studied} against "
            f"{planned}): {hint}."
        )
    return studied.object


def _refuse_confounded(studied, planned):
    for facet in studied.facets:
        for outer in studied.nesting[facet] - planned.nesting[facet]:
            raise ValueError(
                f"The G-study {studied} nests {facet} within {outer}, so "
                f"it cannot tell {facet} from {facet} x {outer}; the "
                f"design {planned} needs them apart. Plan with {facet} "
                f"nested within {outer}, or run a G-study that crosses "
                "them."
            )


def check_sought(facet, ready):
    """Refuse a facet of which more does not help."""
    if facet not in ready.design.facets:
        raise ValueError(
            f"{facet!r} is no facet of the design {ready.design}."
        )
    if facet in ready.design.closure([ready.design.object]):
        raise ValueError(
            f"{facet} is the object of measurement: more of it does not "
            "make its scores more reliable."
        )
    if facet in ready.fixed:
        raise ValueError(f"{facet} is fixed: its number cannot change.")


def _studied(g, facet):
    """The G-study's number of levels, if it is known and the same in
    every nest."""
    if g.levels is None:
        return None
    uneven = g.cells is not None and np.ptp(g.cells.counts[facet]) > 0
    return None if uneven else g.levels[facet]


def all_levels(g, ready, levels):
    """The numbers of levels of every facet but the object's, checked."""
    design = ready.design
    wanted = [
        f for f in design.facets if f not in design.closure([design.object])
    ]
    for facet in levels:
        if facet not in wanted:
            raise ValueError(
                f"{facet!r} takes no number in a D-study of {design}; "
                f"give numbers for {', '.join(wanted)}."
            )
    found = {}
    for facet in wanted:
        studied = _studied(g, facet)
        number = levels.get(facet, studied)
        if number is None:
            raise ValueError(
                f"How many levels of {facet}? Give {facet}=..., for "
                f"instance {facet}=50."
            )
        found[facet] = whole_number(number, facet)
        if facet in ready.fixed and studied not in (None, found[facet]):
            raise ValueError(
                f"{facet} is fixed at the {studied} levels of the G-study; "
                f"{facet}={number} is not possible."
            )
    return found
