"""What fails, told apart: too little memory, and an analysis."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager


def lacks_memory(error: BaseException | None) -> bool:
    """Return whether something failed because there is too little memory,
    as Python says it, the system, or its loader of libraries."""
    while error is not None:
        if isinstance(error, MemoryError):
            return True
        if isinstance(error, OSError) and error.errno == errno.ENOMEM:
            return True
        loaded = "failed to map segment", "cannot allocate memory"
        if any(said in str(error).lower() for said in loaded):
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def analysis() -> Iterator[None]:
    """Tell an analysis that failed from what cannot be analysed."""
    try:
        yield
    except Exception as error:  # whatever numbers may be
        message = f"{type(error).__name__}: {error}"
        raise RuntimeError(message) from error
