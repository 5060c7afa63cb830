"""The applications of gtlib, and how to install them.

gtlib imports none of its applications. They name themselves as entry points
(``gtlib.applications`` in pyproject.toml).
"""

from importlib.metadata import entry_points
from typing import Any

__all__ = ["application", "install_command"]


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
            f"{install_command()}."
        )
    return offered[0].load()


def install_command(extra: str = "") -> str:
    """Return the command that installs gtlib, for a message.

    It names no package, because an index may give the name to others.

    Examples
    --------
    >>> from gtlib.applications import install_command
    >>> print(install_command("big"))
    pip install ".[big]" in a checkout of gtlib, or with its wheel in \
place of the dot
    """
    package = f".[{extra}]" if extra else "."
    return (
        f'pip install "{package}" in a checkout of gtlib, or with its '
        "wheel "
        "in place of the dot"
    )
