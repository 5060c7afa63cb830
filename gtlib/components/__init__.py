"""Estimates of variance components, from the index grid of a study."""

from gtlib.components.anova import (
    balanced_mean_squares,
    mean_squares_of_terms,
)
from gtlib.components.henderson import henderson
from gtlib.components.reml import reml

__all__ = [
    "balanced_mean_squares",
    "henderson",
    "mean_squares_of_terms",
    "reml",
]
