"""The applications of gtlib, and how to install them.

gtlib imports none of its applications. They name themselves as entry points
(``gtlib.applications`` in pyproject.toml).
"""

from importlib.metadata import entry_points
from typing import Any

__all__ = ["application", "how_to_install"]


def application(name: str) -> Any:
    """Load an application: an entry point of ``gtlib.applications``.

    Raises
    ------
    ImportError
        If no installed package offers it.
    """
    offered = list(entry_points(group="gtlib.applications", name=name))
    if not offered:
        raise ImportError(
            f"The application {name!r} of gtlib is not installed: "
            f"{how_to_install()}."
        )
    return offered[0].load()


def how_to_install(extra: str = "") -> str:
    """Return the command that installs gtlib, for a message.

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
