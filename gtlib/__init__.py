"""How good is a test collection, and what should be built next?

The names stand in ``__init__.pyi``, each beside its room, which is loaded
when one of its names is first used.
"""

import lazy_loader

from gtlib.version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
