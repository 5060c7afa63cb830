"""Planned designs: sources of error, and numbers of levels."""

from gtlib.dstudy.d_study import DStudy
from gtlib.dstudy.planned_effects import PlannedEffects

__all__ = ["DStudy", "PlannedEffects"]
