"""How often would other topics turn a comparison round?

The data-driven view of a test collection: `rates` counts swaps and
p-values on random topic sets, with what `binned` and `pairs` share;
`extrapolation` continues the curves, and `predictions` says what they
follow from; `stability` splits the topics in two, and `discriminative`
does without splitting.
"""
