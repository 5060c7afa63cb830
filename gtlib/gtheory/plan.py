"""The D-study: how reliable a design would be, before it is built."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gtlib import allocation, intervals
from gtlib.comparisons import predicted_tau, ranking_agreement
from gtlib.dstudy import DStudy
from gtlib.tables import can_style, count_noun, html_table


class Plan(DStudy):
    """A design with numbers of levels, on the components of a G-study.

    Make one by `GStudy.plan`; ask it for its errors, its coefficients and
    their intervals, and for better numbers.

    Attributes
    ----------
    study : GStudy
        Where the variance components come from.
    effects : PlannedEffects
        Which component goes where.
    given : dict of facet to (low, high)
        The numbers that were asked for: two equal ones for a number.

    Notes
    -----
    Each component is divided by the numbers of levels that it is averaged
    over.  Relative error collects what moves systems differently, absolute
    error also what moves them together (Bodoff & Li 2007, eqs. 2-6;
    Brennan 2001, chapters 4-5).  Estimates below zero count as zero.

    A study with gaps or uneven nests has no numbers of levels.  A plan of
    its own design without numbers is then about its systems' means as
    they were observed, each over its own scores: see
    ``gtlib.estimates.Incidence``.  Its `required` and `grid` keep the
    pattern of the gaps and nests: with twice as many topics, half of what
    topics have a part in is left, and all else as it is.

    Examples
    --------
    >>> import gtlib as gt
    >>> g = gt.GStudy.from_components(
    ...     "system x topic",
    ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
    >>> p = g.plan(topic=50)
    >>> f"{p.generalizability:.4f} {p.dependability:.4f}"
    '0.9375 0.7979'
    >>> p.required("topic", 0.95)
    241
    """

    @property
    def expected_tau(self) -> float:
        """Kendall's tau between the rankings of two such samples, if
        systems and errors are normal: 2/π arcsin(Eρ²)."""
        return float(predicted_tau(self.generalizability))

    def grid(
        self,
        levels: Mapping[str, int | Sequence[int]] | None = None,
        **more: int | Sequence[int],
    ) -> pd.DataFrame:
        """Tabulate errors and coefficients for several numbers of levels.

        Parameters
        ----------
        levels, **more : int or sequence of int
            The numbers to try for each facet; the others have the
            plan's, or stay as observed.

        Returns
        -------
        DataFrame, a row per combination
            The numbers of levels, both errors, both coefficients.

        Raises
        ------
        ValueError
            If a number is missing or impossible.

        Examples
        --------
        >>> import gtlib as gt
        >>> g = gt.GStudy.from_components(
        ...     "system x topic",
        ...     {"system": 0.003, "topic": 0.028, "system x topic": 0.01})
        >>> grid = g.plan().grid(topic=[25, 50])
        >>> grid["generalizability"].round(3).tolist()
        [0.882, 0.938]
        """
        tried = {}
        for facet, numbers in merge_numbers(levels, more).items():
            tried[facet] = [
                int(self.with_numbers({facet: number}).given[facet][0])
                for number in np.atleast_1d(numbers).tolist()
            ]
            if not tried[facet]:
                raise ValueError(f"{facet}: the list of numbers is empty.")
        if self.incidence is None or not tried:
            facets = self.effects.facets
            tried = {f: tried.get(f) or [self.number(f)] for f in facets}
        product = pd.MultiIndex.from_product(tried.values(), names=tried)
        table = product.to_frame(index=False)
        values = self.coefficients(numbers=dict(table.items()))
        del values["universe_score"]
        return table.assign(**values)

    interval = intervals.interval
    required_interval = intervals.required_interval
    best = allocation.best
    cheapest = allocation.cheapest
    sensitivity = allocation.sensitivity
    optimal_ratio = allocation.optimal_ratio
    ranking_agreement = ranking_agreement

    def __str__(self) -> str:
        table = self._display_table().to_string(
            float_format="{:.6g}".format
        )
        return f"{self._title()}\n\n{table}\n\n{self._summary()}"

    def _repr_html_(self):
        if not can_style():
            return None
        return html_table(
            self._title(), self._display_table(), self._summary()
        )

    def _display_table(self):
        if self.incidence is not None:
            return self.table.drop(columns="role")
        if self._open_facets():
            return self.effects.table[["variance", "role"]]
        return self.table

    def _open_facets(self):
        return [
            f for f in self.effects.facets if self.known_number(f) is None
        ]

    def _title(self):
        if self.incidence is not None:
            fixed = "".join(f", {facet} fixed" for facet in self.fixed)
            return f"D-study {self.design} as observed{fixed}"
        sizes = []
        for facet in self.effects.facets:
            size = count_noun(self.known_number(facet) or "?", facet)
            if self.design.nesting[facet]:
                size += " in each nest"
            if facet in self.fixed:
                size += " (fixed)"
            sizes.append(size)
        return f"D-study {self.design}, {' · '.join(sizes)}"

    def _summary(self):
        if self.incidence is None and self._open_facets():
            return f"Give numbers for {' and '.join(self._open_facets())}."
        gaps = ""
        if self.study.incidence is not None:
            gaps = f". The study has {self.study.incidence}"
            if self.incidence is None:
                gaps += "; the plan has no gaps"
        return (
            f"relative error {self.relative_error:.3g}, generalizability "
            f"{self.generalizability:.3f} (expected tau if normal "
            f"{self.expected_tau:.2f}); absolute "
            f"error {self.absolute_error:.3g}, dependability "
            f"{self.dependability:.3f}{gaps}"
        )


def merge_numbers(levels: Mapping | None, more: Mapping) -> dict:
    """Merge numbers given as a mapping and numbers given by name."""
    if not isinstance(levels, Mapping | None):
        raise ValueError(
            "levels maps each facet to a number, for instance "
            f"{{'topic': 50}}; got {levels!r}."
        )
    twice = set(levels or ()) & set(more)
    if twice:
        raise ValueError(f"{min(twice)} is given twice.")
    return {**(levels or {}), **more}
