"""The data of the book: what there is, where it is, and how to get it.

``data/registry.csv`` has a row per data set. Small tables of our own are
embedded; other people's data are downloaded on first use and checked (see
`gtlib.collections.remote`).
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
