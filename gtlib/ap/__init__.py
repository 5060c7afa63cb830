"""Average precision as a random variable (Carterette 2007).

Number the documents of a topic in any way. Document i is relevant,
X_i = 1, with probability p_i, independently of the others, and a system
puts it at rank r_i. With a_ij = 1 / max(r_i, r_j)

    AP = S / R,    S = sum over i <= j of a_ij X_i X_j,    R = sum of X_i

(AP is 0 when nothing is relevant). The difference between two systems has
the same form with c_ij = a_ij - b_ij. A judged document has p of 0 or 1; a
document that a system did not retrieve has rank infinity.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
