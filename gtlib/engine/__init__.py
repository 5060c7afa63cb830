"""G-studies of tables larger than memory: sums of groups, by an engine."""

from gtlib.engine.means import (
    MOST_MEANS,
    MOST_SCORES,
    ItemSums,
    Means,
    in_memory,
    item_sums,
    topic_means,
    topic_sample,
)
from gtlib.engine.source import Rows, is_source
from gtlib.engine.sums import Sums, read_sums

__all__ = [
    "MOST_MEANS",
    "MOST_SCORES",
    "ItemSums",
    "Means",
    "Rows",
    "Sums",
    "in_memory",
    "is_source",
    "item_sums",
    "read_sums",
    "topic_means",
    "topic_sample",
]
