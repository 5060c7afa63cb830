"""Many cases of one test, of which a person waits for the first."""

import pytest


def first(number, cases):
    """The cases; those after so many are slow."""
    rest = (pytest.param(case, marks=pytest.mark.slow) for case in cases)
    return [*cases[:number], *[*rest][number:]]
