"""G-studies of tables larger than memory: sums of groups, by an engine."""

from gtlib.engine.means import (
    MOST_MEANS,
    ItemSums,
    Means,
    item_sums,
    topic_means,
)
from gtlib.engine.source import Rows, is_source
from gtlib.engine.sums import Sums, read_sums

__all__ = [
    "MOST_MEANS",
    "ItemSums",
    "Means",
    "Rows",
    "Sums",
    "is_source",
    "item_sums",
    "read_sums",
    "topic_means",
]
