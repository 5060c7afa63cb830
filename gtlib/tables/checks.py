"""Numbers that callers give, checked in one place."""

from collections.abc import Iterable
from math import inf, nan
from numbers import Integral, Real

import numpy as np
import pandas as pd


def whole_number(value: object, name: str, least: int = 1) -> int:
    """Return `value` as an int of at least `least`, or refuse it."""
    if isinstance(value, Real) and not isinstance(value, bool):
        number: float
        number = int(value) if isinstance(value, Integral) else float(value)
        if number % 1 == 0 and number >= least:
            return int(number)
    raise ValueError(
        f"{name}={value!r}: a whole number of at least {least} is needed."
    )


def confidence_level(value: object) -> float:
    """Return `value` as a confidence level, or refuse it."""
    return fraction(value, "confidence_level", ".95")


def significance_level(value: object) -> float:
    """Return `value` as a significance level, or refuse it."""
    return fraction(value, "alpha", ".05")


def target(value: object) -> float:
    """Return `value` as the target of a coefficient, or refuse it."""
    return fraction(value, "target", ".95")


def fraction(value: object, name: str, usual: str) -> float:
    """Return `value` as a float between 0 and 1, both excluded, or refuse
    it."""
    if isinstance(value, Real) and 0 < float(value) < 1:
        return float(value)
    raise ValueError(
        f"{name}={value!r}: a number between 0 and 1, both excluded, is "
        f"needed; {usual} is usual."
    )


def positive(value: object, name: str) -> float:
    """Return `value` as a finite float above zero, or refuse it."""
    if isinstance(value, Real) and 0 < float(value) < inf:
        return float(value)
    raise ValueError(f"{name}={value!r}: a number above zero is needed.")


def one_of(value: object, name: str, choices: Iterable[object]) -> None:
    """Refuse a `value` that is not among the choices."""
    known = list(choices)
    if value not in known:
        listed = ", ".join(map(repr, known))
        raise ValueError(f"{name} is {value!r}; choose from {listed}.")


def as_numbers(fields: pd.Series) -> pd.Series:
    """Convert the fields of a file to numbers, and to NaN what is none.

    Each is the number nearest to what is written: before 3.1, pandas takes
    the one beside it for half of all scores that are written in full.
    """
    if pd.api.types.is_numeric_dtype(fields):
        return fields
    fields = fields.astype(object)
    try:  # all at once, which is many times as fast
        texts = fields.tolist()
        joined = "".join(texts)
        if "_" not in joined and joined.isascii():
            numbers = np.fromiter(map(float, texts), float, len(texts))
            return pd.Series(numbers, fields.index, name=fields.name)
    except (TypeError, ValueError):
        pass
    return fields.map(_number).astype(float)


def _number(field: object) -> float:
    text = str(field)
    if "_" in text or not text.isascii():  # numbers to Python only
        return nan
    try:
        return float(text)
    except ValueError:
        return nan
