"""The audit: anybody's scores in, a reliability report out.

The names stand in ``__init__.pyi``, each beside its module, which is loaded
when one of its names is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
