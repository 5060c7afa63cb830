"""How good is a test collection, and what should be built next?

The names stand in ``__init__.pyi``, each beside its room, which is loaded
when one of its names is first used.
"""

from gtlib import names
from gtlib.version import __version__ as __version__

__getattr__, __dir__, __all__ = names.attach(__name__, __file__)
