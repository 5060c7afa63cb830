"""Means of systems on topics, what an item analysis sums of them, and the
scores of a sample of topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from gtapps.large.source import Source
from gtlib.ctt import ItemSums
from gtlib.tables.checks import whole_number
from gtlib.tables.design import Design
from gtlib.tables.wording import count

MOST_MEANS = 10_000_000
"""Means of a system on a topic that are taken into memory."""

MOST_SCORES = 200_000
"""Scores of a sample: with gaps, an interval takes 20 seconds of them."""


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
        said = f"Means of {systems} systems on {topics} topics"
        if topics < self.of_topics:
            said += f", {_at_random(self.of_topics, self.seed)}"
        return said + "."


def topic_means(
    rows: Source, design: Design, most: int = MOST_MEANS, seed: int = 0
) -> Means:
    """Systems x topics, or as many topics at random as fit."""
    most, seed = _of_sample(most, seed)
    with rows.open(_two(design)) as table:
        systems = table["f0"].nunique().to_pyarrow().as_py()
        table, of = _drawn(table, "f1", seed, lambda _: most / systems)
        pairs = table.group_by(["f0", "f1"]).agg(
            x=lambda t: t["score"].mean()
        )
        long = pairs.to_pandas()
    wide = long.pivot_table("x", "f0", "f1")
    wide = wide.rename_axis(index="system", columns="topic")
    return Means(wide, of, seed)


def topic_sample(
    rows: Source, design: Design, most: int = MOST_SCORES, seed: int = 0
) -> tuple[pd.DataFrame, str]:
    """All scores of as many topics at random as fit, a column for each
    facet, and a sentence on the sample, empty if it has all of them."""
    most, seed = _of_sample(most, seed)
    facets = design.facets
    topic = _two(design)[1]
    with rows.open(facets) as table:
        name = f"f{facets.index(topic)}"
        n = table.count().to_pyarrow().as_py()
        table, of = _drawn(table, name, seed, lambda k: k * most / n)
        long = in_memory(table, facets)
    number = long[topic].nunique()
    if number == of:
        return long, ""
    return long, (
        f"These are all scores of {number} {topic}s, "
        f"{_at_random(of, seed)}."
    )


def in_memory(table: Any, facets: tuple[str, ...]) -> pd.DataFrame:
    """The rows of an open table, with a column for each facet."""
    names = [f"f{i}" for i in range(len(facets))]
    long = table.select(*names, "score").to_pandas()
    return long.set_axis([*facets, "score"], axis="columns")


def _of_sample(most, seed):
    return whole_number(most, "most"), whole_number(seed, "seed", 0)


def _drawn(table, column, seed, fit):
    """The rows of as many levels as fit, and how many there are."""
    names = table.select(column).distinct().order_by(column)
    names = names.to_pandas()[column]
    most = max(2, int(min(fit(len(names)), len(names))))
    if len(names) > most:
        rng = np.random.default_rng(seed)
        drawn = rng.choice(len(names), most, replace=False)
        wanted = names.iloc[np.sort(drawn)].tolist()
        table = table.filter(table[column].isin(wanted))
    return table, len(names)


def _at_random(of, seed):
    return f"a random sample of the {of} (seed {seed})"


def item_sums(rows: Source, design: Design) -> ItemSums:
    """The sums of an item analysis, of tables of any size.

    Raises
    ------
    ValueError
        If a system lacks a topic.
    """
    with rows.open(_two(design)) as table:
        means = table.group_by(["f0", "f1"])
        means = means.agg(x=lambda t: t["score"].mean()).cache()
        try:
            return _item_sums(means)
        finally:
            means.release()


def _item_sums(pairs):
    seen = (
        pairs.agg(
            n=pairs.count(),
            systems=pairs["f0"].nunique(),
            mean=pairs["x"].mean(),
        )
        .to_pyarrow()
        .to_pylist()[0]
    )
    mean, systems = seen["mean"], seen["systems"]
    pairs = pairs.mutate(x=pairs["x"] - mean)
    totals = pairs.group_by("f0").agg(total=lambda t: t["x"].sum())
    totals = totals.mutate(total=totals["total"] - totals["total"].mean())
    joined = pairs.join(totals, "f0").group_by("f1")
    found = joined.agg(
        x=lambda t: t["x"].sum(),
        squares=lambda t: (t["x"] * t["x"]).sum(),
        with_total=lambda t: (t["x"] * t["total"]).sum(),
    )
    found = found.order_by("f1").to_pandas()
    if seen["n"] < systems * len(found):
        lost = systems * len(found) - seen["n"]
        raise ValueError(
            f"{count(lost, 'pair')} of a system and a topic "
            f"{'has' if lost == 1 else 'have'} no score, and an item "
            "analysis needs them all: leave out the systems or topics that "
            "lack some."
        )
    of_total = totals["total"].pow(2).sum().to_pyarrow().as_py()
    x = found["x"].to_numpy() / systems
    return ItemSums(
        pd.Index(found["f1"], name="topic"),
        systems,
        x + mean,
        found["squares"].to_numpy() - systems * x**2,
        found["with_total"].to_numpy(),
        of_total,
    )


def _two(design):
    """The object of measurement, and the topics."""
    shared = [
        f for f in design.facets if design.object not in design.closure([f])
    ]
    if design.nesting[design.object] or not shared:
        raise ValueError(
            f"The design {design} has no topics that all systems share: "
            "there is no table of systems and topics."
        )
    if "topic" in shared:
        return design.object, "topic"
    return design.object, next(f for f in shared if not design.nesting[f])
