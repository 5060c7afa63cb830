"""What is made with gtlib, found when it is asked for.

gtlib imports none of its applications. They name themselves as entry points
(``gtlib.applications`` in pyproject.toml).
"""

from importlib.metadata import entry_points
from typing import Any


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
        f"The application {name!r} of gtlib is not installed: in a source "
        "tree, pip install --editable . ; elsewhere, pip install gtlib-ir."
    )
