"""The figures of the book, drawn from what gtlib computes.

Each chapter has a file for what is too long for its cells. The cells draw
the rest themselves, with the helpers of `theme`, which is loaded first, as
it says what to install where that is missing. The names stand in
``__init__.pyi``, each beside its module.
"""

import lazy_loader

from gtapps.figures import theme

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
