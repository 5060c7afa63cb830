"""What comes beside gtlib: its applications, and what they need.

gtlib imports none of its applications. They name themselves as entry points
(``gtlib.applications`` in pyproject.toml).
"""

from importlib.metadata import entry_points
from typing import Any

__all__ = ["application", "how_to_install"]


def application(name: str) -> Any:
    """What an entry point of the group ``gtlib.applications`` names.

    Raises
    ------
    ImportError
        If no installed package offers it.
    """
    for found in entry_points(group="gtlib.applications", name=name):
        return found.load()
    raise ImportError(
        f"The application {name!r} of gtlib is not installed: "
        f"{how_to_install()}."
    )


def how_to_install(extra: str = "") -> str:
    """The command that installs gtlib, for a message.

    It names no package, because an index may give the name to others.

    Examples
    --------
    >>> print(how_to_install("big"))
    pip install ".[big]" in a checkout of gtlib, or with its wheel in \
place of the dot
    """
    what = f".[{extra}]" if extra else "."
    return (
        f'pip install "{what}" in a checkout of gtlib, or with its wheel '
        "in place of the dot"
    )
