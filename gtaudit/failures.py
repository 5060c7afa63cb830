"""What fails, told apart: too little memory, and an analysis."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress

TOO_LITTLE = "it needs more memory than there is."
# With fewer bytes, libraries that numpy and scipy load end the process, or
# try for ever.
_LEAST = 600 * 2**20


def lacks_room() -> bool:
    """Return whether this process may have too little memory to begin."""
    try:
        import resource
    except ImportError:  # Windows
        return False
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return limit != resource.RLIM_INFINITY and limit < _LEAST


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


def let_go(error: BaseException | None) -> None:
    """Free what the functions that failed hold, a table perhaps, so that
    there is memory to say so."""
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            with suppress(RuntimeError):  # it runs still
                trace.tb_frame.clear()
            trace = trace.tb_next
        error = error.__cause__ or error.__context__


@contextmanager
def analysis() -> Iterator[None]:
    """Tell an analysis that failed from what cannot be analysed."""
    try:
        yield
    except Exception as error:  # whatever numbers may be
        message = f"{type(error).__name__}: {error}"
        raise RuntimeError(message) from error
