"""Estimates of variance components, from the index grid of a study."""

from gtlib.estimates.anova import (
    balanced_mean_squares,
    deviations,
    mean_squares_of_terms,
)
from gtlib.estimates.coefficients import COEFFICIENTS
from gtlib.estimates.henderson import disconnected, refuse_confounded
from gtlib.estimates.incidence import Incidence, Shares
from gtlib.estimates.study_data import StudyData, cells_of

__all__ = [
    "COEFFICIENTS",
    "Incidence",
    "Shares",
    "StudyData",
    "balanced_mean_squares",
    "cells_of",
    "deviations",
    "disconnected",
    "mean_squares_of_terms",
    "refuse_confounded",
]
