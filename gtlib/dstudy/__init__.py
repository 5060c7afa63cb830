"""Planned designs: sources of error, and numbers of levels."""

from gtlib.dstudy.numbers import Numbers
from gtlib.dstudy.sources import Sources

__all__ = ["Numbers", "Sources"]
