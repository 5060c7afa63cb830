"""Names that somebody typed, and those that may have been meant."""

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from typing import Any

import lazy_loader

__all__ = ["attach", "did_you_mean", "similar"]

# The most names that are suggested, and the fewest letters that say which.
_MOST, _LETTERS = 3, 3


def attach(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Offer what a package's stub lists, as lazy_loader does, and suggest
    a name where one is misspelt.

    Raises
    ------
    AttributeError
        When a name is asked for that the package does not have.
    """
    find, list_names, names = lazy_loader.attach_stub(package, file)

    def find_or_suggest(name):
        if name in names:
            return find(name)
        meant = [f"gt.{found}" for found in similar(name, names)]
        raise AttributeError(
            f"{package} has no name {name!r}.{did_you_mean(meant)}"
        )

    return find_or_suggest, list_names, names


def did_you_mean(meant: Iterable[str]) -> str:
    """Ask whether one of these was meant; ask nothing if there is none."""
    asked = " or ".join(meant)
    return f" Did you mean {asked}?" if asked else ""


def similar(given: str, names: Iterable[str]) -> list[str]:
    """List the names of which a word begins like what was given, the
    shortest first, or else those that are spelt like it; three at most.

    Examples
    --------
    >>> from gtlib.names import similar
    >>> similar("alpha", ["kendall_tau", "cronbach_alpha"])
    ['cronbach_alpha']
    >>> similar("TREC-33", ["TREC-3", "Web 2010"])
    ['TREC-3']
    """
    typed = _letters(given)
    by_letters: dict[str, list[str]] = {}
    for name in names:
        by_letters.setdefault(_letters(name), []).append(name)
    if len(typed) < _LETTERS:
        return []
    begun = {
        letters
        for letters, like in by_letters.items()
        if any(_letters(end).startswith(typed) for end in _ends(like[0]))
    }
    found = (
        [typed]
        if typed in by_letters
        else sorted(begun, key=lambda n: (len(n), n))
    )
    found = found or get_close_matches(typed, by_letters, _MOST)
    meant = [name for letters in found for name in by_letters[letters]]
    return meant[:_MOST]


def _letters(name):
    """Return the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name.casefold()))


def _ends(name):
    """Yield what is left of a name from each of its words on."""
    for word in re.finditer(r"[^\W_]+", name):
        yield name[word.start() :]
