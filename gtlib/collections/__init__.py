"""The data of the book: what there is, where it is, and how to get it.

``data/registry.csv`` has a row per data set. Small tables of our own are
embedded; what belongs to others is fetched on first use and checked (see
`gtlib.collections.remote`).
"""

from gtlib.collections.judges import COVERAGE
from gtlib.collections.registry import datasets, load, load_available
from gtlib.collections.remote import DatasetUnavailable, data_folder

__all__ = [
    "COVERAGE",
    "DatasetUnavailable",
    "data_folder",
    "datasets",
    "load",
    "load_available",
]
