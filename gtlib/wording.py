"""How messages and titles count and name things."""

from collections.abc import Iterable


def count(n: int, noun: str) -> str:
    """``1 topic``, ``50 topics``."""
    return f"{n} {noun}" + "s" * (n != 1)


def some(names: Iterable, shown: int = 5) -> str:
    """The first names, and how many more there are."""
    names = [str(name) for name in names]
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more} more" * (more > 0))
