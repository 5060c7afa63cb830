"""Comparisons: means of systems, of pairs of them, and of rankings."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
