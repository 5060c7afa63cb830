"""A G-study from sums of groups in an engine.

From the tables of groups (`groups`) come single numbers; what they mean is
said in `gtlib.GStudy.from_sums` and `gtlib.gaps.Shares`.
"""

from collections.abc import Collection
from contextlib import ExitStack
from math import prod
from typing import Any

import numpy as np

from gtaudit.doubts import (
    refuse,
)
from gtaudit.large.engine import _, single_value
from gtaudit.large.groups import Groups
from gtaudit.large.refusals import (
    find_group_doubts,
    refuse_effects,
    refuse_rows,
)
from gtlib.design import Design
from gtlib.gaps import Shares
from gtlib.gtheory import GStudy


def study_from_sums(
    table: Any,
    design: Design,
    method: str,
    allow: str | Collection[str] = (),
) -> GStudy:
    """Return the study of a table, if that can be what the design says.

    Parameters
    ----------
    table : Ibis table
        As `gtaudit.large.Table.open` gives it.
    design : Design
    method : {"auto", "anova", "henderson"}
    allow : str or collection of str
        Codes of doubts about what is right.

    Raises
    ------
    ValueError
        For whatever `gtlib.gstudy` refuses, with some of the rows.
    """
    with ExitStack() as stack:
        groups = Groups(table, design, stack)
        refuse_rows(groups)
        uneven: tuple = ()
        if not groups.balanced:
            refuse_effects(groups)
            if method == "anova":
                raise ValueError(
                    f"The study is not balanced: it has {groups.n} scores "
                    f"for {prod(groups.levels.values())} cells. Use "
                    "method='henderson'."
                )
            uneven = _coefficients(groups), _shares(groups)
        sums = groups.levels, _terms(groups), *uneven
        study = GStudy.from_sums(design, *sums, method=method)
        refuse(find_group_doubts(groups), allow)
        return study


def _terms(groups):
    """The terms of the effects: the sum over the levels of each of their
    total squared over their count, less that of the grand mean."""
    mean = groups.whole["t"] ** 2 / groups.n
    terms = []
    for effect in groups.design.effects[:-1]:
        g = groups.group(effect.facets)
        terms.append(
            single_value(groups.sum(g["t"] * g["t"] / g["n"])) - mean
        )
    return np.array([*terms, groups.whole["q"] - mean])


def _coefficients(groups):
    """The expected terms per component."""
    effects = [effect.facets for effect in groups.design.effects]
    known: dict[tuple[frozenset, frozenset], float] = {}

    def shared(e, k):
        if k <= e:
            return groups.n
        joint = e | k
        if groups.size(joint) == groups.n:
            return groups.size(e) if e else 1
        if (e, joint) not in known:
            known[e, joint] = _squared_counts(groups, e, joint)
        return known[e, joint]

    mean: frozenset[str] = frozenset()
    rows = [[shared(e, k) for k in effects] for e in [*effects, mean]]
    matrix = np.array(rows, dtype=float)
    return matrix[:-1] - matrix[-1]


def _squared_counts(groups, outer, joint):
    """The sum over joint levels of their count squared over that of
    the outer level they belong to."""
    count = _.n.cast("float64")
    sums = {"s": (count * count).sum(), "n": count.sum()}
    g = groups.group(joint).agg(by=groups.names(outer), **sums)
    return single_value(groups.sum(g["s"] / g["n"]))


def _shares(groups):
    """How each component enters the means of the objects."""
    design = groups.design
    objects = design.closure([design.object])
    names = groups.names(objects)
    of_object = groups.group(objects)
    order = of_object.order_by(names).select("n")
    observations = order.to_pandas()["n"].to_numpy(dtype=float)
    object_weights = of_object.select(*names, each=1.0 / of_object["n"])
    squares, between = [], []
    for effect in design.effects:
        joint = effect.facets | objects
        g = groups.group(joint).mutate(n=_.n.cast("float64"))
        if joint == groups.all:
            squares.append(1 / observations)
        else:
            sums = g.agg(by=names, s=(_.n * _.n).sum()).order_by(names)
            sums = sums.select("s").to_pandas()["s"].to_numpy()
            squares.append(sums / observations**2)
        if effect.facets & objects:
            between.append(np.nan)
            continue
        own = groups.names(effect.facets)
        g = g.join(object_weights, names).agg(
            by=own, w=(_.n * _.each).sum()
        )
        total = single_value(groups.sum(g["w"] * g["w"]))
        between.append(total / len(observations) ** 2)
    arrays = np.array(squares), np.array(between)
    sizes = {e.facets: groups.size(e.facets) for e in design.effects}
    numbers = _numbers(groups, objects)
    return Shares(design.object, observations, *arrays, sizes, *numbers)


def _numbers(groups, objects):
    """Numbers of levels of each facet: those that are the same for every
    object and in every nest, and the harmonic means of all."""
    even, typical = {}, {}
    for facet in groups.all - objects:
        number = groups.level_counts(facet, objects)
        low, high = single_value(number.min()), single_value(number.max())
        typical[facet] = 1 / single_value((1.0 / number).mean())
        if low == high:
            even[facet] = typical[facet] = int(low)
    return even, typical
