"""Means of systems on topics, and the scores of a sample of topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gtaudit.large.engine import _, single_value
from gtaudit.nouns import plural
from gtlib import checks
from gtlib.checks import whole_number
from gtlib.design import Design

# Means of a system on a topic that are taken into memory.
MOST_MEANS = 10_000_000

# Scores of a sample: with gaps, an interval takes 20 seconds of them.
MOST_SCORES = 200_000

_ENDS = 100  # lowest and highest scores that are looked at


@dataclass(frozen=True, eq=False)
class Means:
    """Mean scores of systems on topics, over all other facets.

    Attributes
    ----------
    table : DataFrame, systems x topics
        NaN where a system has no score on a topic.
    of_topics : int
        How many topics the study has; where all systems' means on all of
        them do not fit, `table` has a random sample.
    seed : int
        Of the sample.
    """

    table: pd.DataFrame
    of_topics: int
    seed: int

    def __str__(self) -> str:
        systems, topics = self.table.shape
        rows, columns = (plural(axis.name) for axis in self.table.axes)
        sentence = f"Means of {systems} {rows} on {topics} {columns}"
        if topics < self.of_topics:
            sentence += f", {describe_sample(self.of_topics, self.seed)}"
        return sentence + "."


def systems_and_topics(
    design: Design, topic: str = "topic"
) -> tuple[str, str]:
    """Return the facets of the object of measurement and of the topics that
    all objects share: `topic`, or else the first that nothing nests."""
    object_, closure = design.object, design.closure
    shared = [f for f in design.facets if object_ not in closure([f])]
    if design.nesting[design.object] or not shared:
        raise ValueError(
            f"The design {design} has no topics that all systems share: "
            "there is no table of systems and topics."
        )
    crossed = [f for f in shared if not design.nesting[f]]
    return design.object, topic if topic in shared else crossed[0]


def topic_means(
    table: Any, facets: Sequence[str], most: int, seed: int
) -> Means:
    """Return the means of an open table of systems and topics, which
    `facets` name, on as many topics as fit."""
    topics = sorted_names(table, "f1")
    cells = single_value(table["f0"].nunique()) * len(topics)
    table = draw_levels(table, topics, most, seed, cells)
    means = _means(table).to_pandas().pivot_table("x", "f0", "f1")
    named = means.rename_axis(facets[0]).rename_axis(columns=facets[1])
    return Means(named, len(topics), seed)


def load_rows(table: Any, facets: tuple[str, ...]) -> pd.DataFrame:
    """Load the rows of an open table, with a column for each facet."""
    columns = {facet: f"f{i}" for i, facet in enumerate(facets)}
    return table.select(**columns, score="score").to_pandas()


def load_ends(table: Any, facets: tuple[str, ...]) -> list[pd.DataFrame]:
    """Load the rows of an open table with the lowest scores, and those
    with the highest."""
    orders = _.score, _.score.desc()
    ends = (table.order_by(order).limit(_ENDS) for order in orders)
    return [load_rows(end, facets) for end in ends]


def load_sample(
    table: Any, facets: tuple[str, ...], most: int, ends: list[pd.DataFrame]
) -> pd.DataFrame:
    """Load the first rows of an open table, and add those at both ends."""
    rows = [load_rows(table.limit(most), facets), *ends]
    return pd.concat(rows).drop_duplicates([*facets])


def sorted_names(table: Any, column: str) -> pd.Series:
    """Load the names in a column, sorted; their series is called as it."""
    names = table.select(column).distinct().order_by(column)
    return names.to_pandas()[column]


def draw_levels(
    table: Any, names: pd.Series, most: int, seed: int, cells: int
) -> Any:
    """Draw levels of a column at random, as many as have `most` cells.

    Parameters
    ----------
    table : Ibis table
    names : Series
        The names in the column that it is called as.
    most, seed : int
    cells : int
        How many cells all levels have.

    Returns
    -------
    table
        The rows of the levels that were drawn, at least two.
    """
    most = whole_number(most, "most")
    seed = checks.seed(seed)
    total = len(names)
    most_levels = max(2, int(min(total * most / cells, total)))
    if total <= most_levels:
        return table
    chosen = np.random.default_rng(seed).choice(
        total, most_levels, replace=False
    )
    wanted = names.iloc[np.sort(chosen)].tolist()
    return table.filter(table[names.name].isin(wanted))


def describe_sample(total: int, seed: int) -> str:
    """Describe a sample of topics."""
    return f"a random sample of the {total} (seed {seed})"


def _means(table):
    return table.agg(by=["f0", "f1"], x=_.score.mean())
