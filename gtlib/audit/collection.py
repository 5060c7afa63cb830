"""What is audited: a checked score table and the design that it has."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gtlib.cells import read_cells
from gtlib.design import Design, as_design
from gtlib.scores import as_wide, is_long

MOST_SYSTEMS = 200
"""Analyses of pairs of systems look at no more systems than this."""


@dataclass(frozen=True)
class Collection:
    """A score table that has been found fit for an audit.

    Attributes
    ----------
    scores : DataFrame
        Wide, or long with a column per facet and ``score``.
    wide : DataFrame
        Systems x topics, averaged over further facets.
    design : Design
        Of the G-study.
    """

    scores: pd.DataFrame
    wide: pd.DataFrame
    design: Design

    @property
    def size(self):
        """The numbers of levels, in words."""
        counts = {"system": len(self.wide), "topic": self.wide.shape[1]}
        for facet in self.design.facets:
            if facet not in counts:
                counts[facet] = self.scores[facet].nunique()
        return " x ".join(f"{n} {facet}s" for facet, n in counts.items())

    def pairs_sample(self, seed=0):
        """The wide table, or a random `MOST_SYSTEMS` of its systems."""
        if len(self.wide) <= MOST_SYSTEMS:
            return self.wide
        rng = np.random.default_rng(seed)
        rows = rng.choice(len(self.wide), MOST_SYSTEMS, replace=False)
        return self.wide.iloc[np.sort(rows)]


def prepare(scores, design=None):
    """Check a score table and find its design.

    Parameters
    ----------
    scores : DataFrame
        Wide (systems x topics), or long with ``system``, ``topic``,
        perhaps ``assessor``, and ``score``.
    design : str, optional
        Without it systems, topics and (if there are several) assessors
        are crossed, or assessors nested in topics if their labels say so.

    Returns
    -------
    Collection

    Raises
    ------
    ValueError
        For whatever cannot be right, named.

    Examples
    --------
    >>> from gtlib import load
    >>> collection = prepare(load("cf", measure="AP"))
    >>> str(collection.design)
    'system x topic x assessor'
    """
    if not is_long(scores):
        wide = as_wide(scores)
        _refuse_mixed_scales(wide)
        _refuse_constant(wide.to_numpy())
        design = as_design(design or "system x topic")
        if set(design.facets) != {"system", "topic"}:
            raise ValueError(
                f"The design {design} needs a long table, with a column "
                "for each facet; this one is wide, systems x topics."
            )
        read_cells(wide, design)
        return Collection(wide, wide, design)
    if "assessor" in scores and design is None:
        design = _design_with_assessors(scores)
    design = as_design(design or "system x topic")
    _refuse_constant(read_cells(scores, design).scores)
    if "assessor" in design.facets and not design.nesting["assessor"]:
        _refuse_idle_assessors(scores)
    means = scores.groupby(["system", "topic"], sort=False, as_index=False)
    wide = as_wide(means["score"].mean())
    _refuse_mixed_scales(wide)
    return Collection(scores, wide, design)


def _design_with_assessors(scores):
    if scores["assessor"].nunique() < 2:
        return None
    by_topic = scores.groupby("topic")["assessor"].nunique()
    homes = scores.groupby("assessor")["topic"].nunique()
    if homes.max() == 1:
        if by_topic.max() == 1:
            return None
        return "system x (assessor:topic)"
    return "system x topic x assessor"


def _refuse_constant(values):
    if np.ptp(values) == 0:
        raise ValueError(
            f"Every score is {values.flat[0]:g}: no system differs from "
            "another, and there is nothing to audit."
        )


def _refuse_mixed_scales(wide):
    """Some systems scored in per cent and others in fractions."""
    top = wide.max(axis=1)
    low, high = top[top <= 1], top[top > 1]
    if low.empty or high.empty or (wide.to_numpy() < 0).any():
        return
    mean = wide.mean(axis=1)
    if mean[high.index].median() > 10 * mean[low.index].median():
        raise ValueError(
            f"Scores of {low.index[0]} reach {low.iloc[0]:g}, those of "
            f"{high.index[0]} {high.iloc[0]:g}: fractions and percentages "
            "seem mixed. Bring all systems to one scale."
        )


def _refuse_idle_assessors(long):
    """An assessor by whom all scores are alike has judged nothing."""
    spread = long.groupby("assessor", sort=False)["score"].agg(np.ptp)
    idle = spread.index[spread == 0]
    if len(idle):
        score = long.loc[long["assessor"] == idle[0], "score"].iloc[0]
        raise ValueError(
            f"By assessor {idle[0]} every score is {score:g}: this "
            "assessor seems to have judged nothing. Leave the assessor "
            "out, or add the judgments."
        )
