"""Readers: what tools write and people keep, as tables; a file to a format.

`read` finds the reader for a file and puts several files together, `files`
finds and unpacks them, `values` takes scores as people write them. A reader
of JSON has ``read(document, path)`` and returns None for what is not its
own: add its module to ``read.DOCUMENTS``. What columns are is guessed in
`gtaudit.roles`.

The names stand in ``__init__.pyi``, each beside its module, which is loaded
when one of its names is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
