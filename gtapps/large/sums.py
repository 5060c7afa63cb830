"""What a G-study needs of its scores, as sums of groups in an engine.

From the tables of groups (`groups`) come single numbers; what they mean is
said in `gtlib.estimates.henderson`.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from gtapps.large.groups import Groups
from gtapps.large.refusals import refuse_effects, refuse_rows
from gtlib.estimates.henderson import MEAN, Facets, determined
from gtlib.estimates.incidence import Shares
from gtlib.gtheory import GStudy
from gtlib.tables.design import Design


@dataclass(frozen=True, eq=False)
class Sums:
    """The sums of a study whose rows an engine keeps.

    Attributes
    ----------
    n : int
        Rows.
    levels : dict of facet to int
        Levels in a nest (the most, where they differ).
    terms : array (effects,)
        The sum over each effect's levels of their total squared over
        their count, less that of the grand mean.
    matrix : array (effects, effects), or None in a balanced study
        The expected terms per component.
    shares : gtlib.estimates.incidence.Shares, or None in a balanced study
    """

    n: int
    levels: dict[str, int]
    terms: np.ndarray
    matrix: np.ndarray | None
    shares: Shares | None

    def gstudy(self, design: Design, method: str = "auto") -> GStudy:
        """The study of these sums: see `gtlib.GStudy.from_sums`."""
        if self.matrix is not None and method == "anova":
            raise ValueError(
                f"The study is not balanced: it has {self.n} scores for "
                f"{prod(self.levels.values())} cells. Use "
                "method='henderson'."
            )
        return GStudy.from_sums(
            design,
            self.levels,
            self.terms,
            self.matrix,
            self.shares,
            method=method,
        )


def read_sums(table: Any, design: Design) -> Sums:
    """The sums of a table, if it can be what the design says.

    Parameters
    ----------
    table : Ibis table
        As `Source.open` gives it.
    design : Design

    Raises
    ------
    ValueError
        For whatever `gtlib.gstudy` refuses, with some of the rows.
    """
    groups = Groups(table, design)
    try:
        refuse_rows(groups)
        refuse_effects(groups)
        matrix = shares = None
        if not groups.balanced:
            matrix = determined(_coefficients(groups), design)
            shares = _shares(groups)
        terms = _terms(groups)
        return Sums(groups.n, groups.levels, terms, matrix, shares)
    finally:
        groups.release()


def _terms(groups):
    """Of each effect, as `Sums` says."""
    mean = groups.whole["t"] ** 2 / groups.n
    terms = []
    for effect in groups.design.effects[:-1]:
        g = groups.by(effect.facets)
        squares = groups.sum(g["t"] * g["t"] / g["n"])
        terms.append(groups.value(squares) - mean)
    return np.array([*terms, groups.whole["q"] - mean])


def _coefficients(groups):
    """The expected terms per component."""
    effects = [effect.facets for effect in groups.design.effects]
    known: dict[tuple[Facets, Facets], float] = {}

    def shared(e, k):
        if k <= e:
            return groups.n
        joint = e | k
        if groups.size(joint) == groups.n:
            return groups.size(e) if e else 1
        if (e, joint) not in known:
            known[e, joint] = _squared_counts(groups, e, joint)
        return known[e, joint]

    matrix = np.array(
        [[shared(e, k) for k in effects] for e in [*effects, MEAN]],
        dtype=float,
    )
    return matrix[:-1] - matrix[-1]


def _squared_counts(groups, outer, joint):
    """The sum over joint levels of their count squared over that of
    the outer level they belong to."""
    g = groups.by(joint)
    count = g["n"].cast("float64")
    if not outer:
        return groups.value(groups.sum(count * count)) / groups.n
    sums = {"s": (count * count).sum(), "n": count.sum()}
    g = g.group_by(groups.names(outer)).agg(**sums)
    return groups.value(groups.sum(g["s"] / g["n"]))


def _shares(groups):
    """How each component enters the means of the objects."""
    design = groups.design
    objects = design.closure([design.object])
    names = groups.names(objects)
    of_object = groups.by(objects)
    order = of_object.order_by(names).select("n")
    observations = order.to_pandas()["n"].to_numpy(dtype=float)
    squares, between = [], []
    for effect in design.effects:
        joint = effect.facets | objects
        if joint == groups.all:
            g, n = groups.rows, groups.ibis.literal(1.0, "float64")
            squares.append(1 / observations)
        else:
            g = groups.by(joint)
            n = g["n"].cast("float64")
            per = g.group_by(names).agg(s=(n * n).sum())
            per = per.order_by(names).select("s").to_pandas()
            squares.append(per["s"].to_numpy() / observations**2)
        if effect.facets & objects:
            between.append(np.nan)
            continue
        one = groups.ibis.literal(1.0, "float64")
        each = of_object.select(*names, each=one / of_object["n"])
        g = g.mutate(k=n).join(each, names)
        own = groups.names(effect.facets)
        g = g.group_by(own).agg(w=(g["k"] * g["each"]).sum())
        total = groups.value(groups.sum(g["w"] * g["w"]))
        between.append(total / len(observations) ** 2)
    return Shares(
        observations,
        np.array(squares),
        np.array(between),
        {e.facets: groups.size(e.facets) for e in design.effects},
        _even(groups, objects),
    )


def _even(groups, objects):
    """The facets of which every object has as many, in every nest."""
    found = {}
    for facet in groups.all - objects:
        joint = groups.design.closure([facet]) | objects
        if joint == groups.all:
            number = groups.by(joint - {facet})["n"]
        else:
            g = groups.by(joint)
            g = g.group_by(groups.names(joint - {facet}))
            number = g.agg(k=lambda t: t.count())["k"]
        low, high = groups.value(number.min()), groups.value(number.max())
        if low == high:
            found[facet] = int(low)
    return found
