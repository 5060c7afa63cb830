"""How often would other topics turn a comparison round?

The data-driven view of a test collection: `rates` counts swaps and
p-values on random `topic_sets`, `extrapolation` continues the curves,
`halves` splits the topics in two, the `standings` of a leaderboard do
without splitting. `detection` says what differences so many
topics can show.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
