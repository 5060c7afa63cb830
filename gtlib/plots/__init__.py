"""The figures of the book, drawn from results; nothing computes here."""

from gtlib.plots.theme import use_style

__all__ = ["use_style"]
