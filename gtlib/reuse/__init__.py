"""Does a collection serve systems that did not contribute to it?

The block design and the analyses of Carterette et al. (2010), and a test
that keeps its level. `blocks` and `assignment` say which sites are held
out, `repooling` simulates it; `agreement`, `means` and `rank` compare
scores, and `permutation` says what to expect of the comparisons.
"""
