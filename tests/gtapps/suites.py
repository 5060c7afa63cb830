"""Which cases of a test run always, and which with ``SLOW=yes`` only."""

import os

import pytest

# Of what hypothesis draws.
EXAMPLES = 60 if os.environ.get("SLOW") else 12


def only(quick, cases):
    """Return cases of a parameter, of which others than these are slow."""
    quick = [*quick]
    return _marked(cases, lambda number, case: case in quick)


def first(number, cases):
    """Return cases, tuples of parameters or one, of which those after so
    many are slow."""
    return _marked(cases, lambda place, case: place < number)


def _marked(cases, is_quick):
    return [
        case
        if is_quick(number, case)
        else pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.slow,
        )
        for number, case in enumerate(cases)
    ]
