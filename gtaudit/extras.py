"""Packages of extras, asked for where they are needed."""

from gtlib.checks import needed


def require_packages(
    what: str, *modules: str, extra: str = "audit"
) -> None:
    """Load modules of an extra.

    Raises
    ------
    ImportError
        If one of them is not installed: which, what needs it, and how to
        get it.

    Examples
    --------
    >>> require_packages("A report", "no_such_module")
    Traceback (most recent call last):
    ImportError: A report needs no_such_module, which is not installed: \
pip install ".[audit]" in a checkout of gtlib, or with its wheel in \
place of the dot.
    """
    for name in modules:
        needed(name, what, extra)
