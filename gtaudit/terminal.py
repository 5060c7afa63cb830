"""What the command writes to a terminal, or to where it is led."""

import os
import re
import shutil
import sys
from collections.abc import Iterable
from contextlib import suppress
from textwrap import fill
from typing import Any

from gtlib.visible import visible

# From the beginning of the line, all that is written there.
_CLEAR = "\r\033[K"

# What stays on one line: options with what is said, quotes, intervals.
_WHOLE = re.compile(
    r"--[\w-]+ ('[^']*'|[^\s'-]\S*)|(?<=[ =(])'[^']{,60}'"
    r"|\[[^][ ]*, [^][ ]*\]"
)


def say(message: object) -> None:
    """Print a line for the person at the terminal, on standard error."""
    line = " ".join(_shown(message).split())
    put([_wrap(line, sys.stderr, 4)], sys.stderr)


def tell(lines: Iterable[object], hang: int = 0) -> None:
    """Print lines on standard output, at once; wrapped with an indent, if
    they hang."""
    shown = [*map(_shown, lines)]
    if hang:
        shown = [_wrap(line, sys.stdout, hang) for line in shown]
    put(shown, sys.stdout)


def width() -> int:
    """Return how many letters a line of the terminal has; 80 of none."""
    return shutil.get_terminal_size().columns


def can_show(signs: str) -> bool:
    """Return whether standard output has these signs."""
    try:
        signs.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeError, LookupError):
        return False
    return True


def _wrap(line, stream, hang):
    """Wrap a line where a person watches; elsewhere it stays whole."""
    if stream is None or not stream.isatty():
        return line
    kept = _WHOLE.sub(lambda part: part[0].replace(" ", "\xa0"), line)
    wrapped = fill(
        kept,
        max(width(), 2 * hang),
        subsequent_indent=" " * hang,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapped.replace("\xa0", " ")


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
            shown = shown[: width() - 1]  # a second line would stay
            put([f"{_CLEAR}{shown}"], sys.stderr, end="")


def _shown(line: object) -> str:
    """Return a line, with signs for what would move the cursor or turn
    the rest round."""
    return visible("".join(" " if c.isspace() else c for c in str(line)))
