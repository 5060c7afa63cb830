"""What a chapter's code hands to its text."""

from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display as show

# By this the book's builder, myst_nb, knows what is not to be shown.
_HIDDEN = "application/papermill.record/"


def glue(name: str, value: Any, display: bool = True) -> None:
    """Hand a value to the text, which names it.

    Writes what `myst_nb.glue` does, without the two seconds that it takes
    to import the builder: every chapter would pay them.

    Parameters
    ----------
    name : str
    value : object
        As it would be displayed.
    display : bool
        Whether it is shown here as well.
    """
    formatter = InteractiveShell.instance().display_formatter
    assert formatter is not None  # a shell that runs cells has one
    data, metadata = formatter.format(value)
    prefix = "" if display else _HIDDEN
    metadata["scrapbook"] = {"name": name, "mime_prefix": prefix}
    data = {prefix + kind: text for kind, text in data.items()}
    show(data, raw=True, metadata=metadata)
