"""What the command writes to a terminal, or to where it is led."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from gtlib.visible import visible

# From the beginning of the line, all that is written there.
_CLEAR = "\r\033[K"


def say(message: object) -> None:
    """Print a line for the person at the terminal, on standard error."""
    put([" ".join(_shown(message).split())], sys.stderr)


def tell(lines: Iterable[object]) -> None:
    """Print lines on standard output, at once."""
    put([*map(_shown, lines)], sys.stdout)


def put(lines: Iterable[str], stream: Any, end: str = "\n") -> None:
    """Print lines to a stream; one that is closed or full is passed
    over."""
    if stream is None:
        return
    text = "\n".join(lines)
    code = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(code, "backslashreplace").decode(code)
    try:
        print(text, file=stream, end=end, flush=True)
    except (OSError, ValueError):
        # What it still holds would fail again when the process ends.
        with suppress(OSError, ValueError), open(os.devnull, "w") as none:
            os.dup2(none.fileno(), stream.fileno())


class Progress:
    """What is being done, on one line that goes; only where a person
    watches."""

    def __init__(self) -> None:
        self.watched = sys.stderr is not None and sys.stderr.isatty()

    def __call__(self, doing: str = "") -> None:
        """Write what is done next in place of what was done; without it,
        leave nothing."""
        if self.watched:
            shown = f"gtlib audit: {doing} ..." if doing else ""
            put([f"{_CLEAR}{shown}"], sys.stderr, end="")


def _shown(line: object) -> str:
    """Return a line, with signs for what would move the cursor or turn
    the rest round."""
    return visible("".join(" " if c.isspace() else c for c in str(line)))
