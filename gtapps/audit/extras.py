"""What an audit needs beyond statistics, asked for where it is needed."""

from importlib import import_module

EXTRA = "gtlib-ir[audit] @ git+https://github.com/gtlib/gtlib"


def need(what: str, *modules: str) -> None:
    """Load modules of the extra ``audit``.

    Raises
    ------
    ImportError
        If one of them is not installed: which, what needs it, and how to
        get it.

    Examples
    --------
    >>> need("A report", "no_such_module")
    Traceback (most recent call last):
    ImportError: A report needs no_such_module, which is not installed: \
pip install 'gtlib-ir[audit] @ git+https://github.com/gtlib/gtlib'.
    """
    for name in modules:
        try:
            import_module(name)
        except ModuleNotFoundError as error:
            raise ImportError(
                f"{what} needs {error.name}, which is not installed: pip "
                f"install {EXTRA!r}."
            ) from error
