"""Many cases of one test, of which a person waits for some: the others are
run with ``SLOW=yes``."""

import pytest


def first(number, cases):
    """Return cases, of which those after so many are slow."""
    return _marked(cases, lambda place, case: place < number)


def only(quick, cases):
    """Return cases, of which others than these are slow."""
    quick = [*quick]
    return _marked(cases, lambda place, case: case in quick)


def _marked(cases, is_quick):
    return [
        case
        if is_quick(place, case)
        else pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.slow,
        )
        for place, case in enumerate(cases)
    ]
