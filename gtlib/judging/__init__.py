"""Which document should be judged next, and what are the others worth?

`mtc_weights` says what each judgment would do for the comparison of the
systems (minimal test collections, Carterette, Allan & Sitaraman 2006);
`judge` runs a whole judging round with known judgments, to compare ways to
choose. Of what nobody judged, every system is an expert that gives its
opinion by ranking it (Carterette 2007, section 3): `ExpertModel` makes
probabilities of relevance of the opinions, and trials against judgments
that are known say whether these can be trusted.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
