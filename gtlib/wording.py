"""How messages and titles count and name things."""

from collections.abc import Iterable


def count(n: int | str, noun: str) -> str:
    """``1 topic``, ``50 topics``."""
    return f"{n} {noun}" + "s" * (n != 1)


def some(names: Iterable[object], shown: int = 5) -> str:
    """The first names, and how many more there are."""
    said = [str(name) for name in names]
    more = len(said) - shown
    return ", ".join(said[:shown]) + (f" and {more} more" * (more > 0))
