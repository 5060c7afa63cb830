"""Does a collection serve systems that did not contribute to it?

The block design and the analyses of Carterette et al. (2010), and a test
that keeps its level. `blocks` and `assignment` say which sites are held
out, `heldout` lines scores up with that, `significant_pairs` and
`multinomial` compare them as the paper does. `permutation` says what to
expect of the comparisons, from what `shuffled` computes.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
