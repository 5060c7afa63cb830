"""Scores as people write them, as numbers."""

import re
from contextlib import suppress
from math import isnan

import pandas as pd

from gtlib.checks import as_numbers

MISSING = {"", "na", "n/a", "nan", "null", "none", "-", "–", "—"}
MISSING |= {"#n/a", "<na>", "?", "n.a."}  # of Excel and pandas, and people
# Words for right, wrong and half right; the letters are those of Inspect.
WORDS: dict[str, float]
WORDS = {"true": 1, "pass": 1, "passed": 1, "yes": 1, "correct": 1, "c": 1}
WORDS |= {"resolved": 1, "success": 1, "✓": 1, "✔": 1, "✅": 1, "y": 1}
WORDS |= {"○": 1, "〇": 1, "◯": 1, "△": 0.5, "×": 0, "✕": 0, "✖": 0}
WORDS |= {"false": 0, "fail": 0, "failed": 0, "no": 0, "incorrect": 0}
WORDS |= {"unresolved": 0, "failure": 0, "✗": 0, "✘": 0, "❌": 0, "n": 0}
WORDS |= {"i": 0, "p": 0.5}

_NUMBER = r"[+-]?(\d+{0}?\d*|{0}\d+)(e[+-]?\d+)?"
_GROUPED = r"[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?"


def refuse_no_number(path: object, name: object, value: object) -> None:
    """Refuse an object or a list in the place of a score of a record."""
    if isinstance(value, dict | list):
        raise ValueError(
            f"{path}: {name} is {str(value)[:40]} somewhere, which is no "
            "score. Write a number there, or null."
        )


def as_scores(fields: pd.Series) -> pd.Series:
    """Convert the fields of a column to scores.

    Numbers may have per cent signs, decimal commas, or commas between
    thousands where other fields tell these apart; words such as True,
    PASS, yes or Inspect's C stand for 1 and 0, if a column has nothing
    else. What is missing is NaN. What is no score stays as it is, so that
    a later message can quote it.

    Examples
    --------
    >>> as_scores(pd.Series(["50.5%", "N/A", "7%"])).tolist()
    [0.505, nan, 0.07]
    >>> as_scores(pd.Series(["PASS", "FAIL", "-"])).tolist()
    [1.0, 0.0, nan]
    >>> as_scores(pd.Series(["0,5", "1"])).tolist()
    [0.5, 1.0]
    >>> as_scores(pd.Series(["1,250", "980"])).tolist()
    [1250.0, 980.0]
    """
    if pd.api.types.is_bool_dtype(fields):
        return fields.astype(float)
    numbers = as_numbers(fields)
    if pd.api.types.is_numeric_dtype(fields) or numbers.notna().all():
        return numbers
    text = fields.astype(str).str.strip().str.casefold()
    missing = text.isin(MISSING) | fields.isna()
    written = text[~missing]
    if written.isin(WORDS).all():
        return text.map(WORDS).mask(missing).astype(float)
    if written.str.fullmatch(
        _NUMBER.replace("{0}", r"[.,]") + r"\s*%"
    ).all():
        parts = text.str.rstrip("% ").str.replace(",", ".")
        return (as_numbers(parts) / 100).mask(missing)
    commas = written[written.str.contains(",", regex=False)]
    decimal = written.str.fullmatch(_NUMBER.replace("{0}", ",")).all()
    if len(commas) and not commas.map(is_grouped).all():
        if decimal:
            return as_numbers(text.str.replace(",", ".")).mask(missing)
    elif len(commas):
        rest = numbers[~missing].drop(commas.index)
        if rest.notna().all() and (not decimal or rest.gt(9).any()):
            return as_numbers(text.str.replace(",", "")).mask(missing)
    known = numbers.notna() | missing
    return numbers if known.all() else fields.mask(known, numbers)


def is_grouped(field: object) -> bool:
    """Return whether commas may stand between the thousands of a
    number."""
    return bool(re.fullmatch(_GROUPED, str(field).strip()))


def are_words(fields: pd.Series) -> bool:
    """Return whether a column holds words for right and wrong."""
    if pd.api.types.is_numeric_dtype(fields):
        return pd.api.types.is_bool_dtype(fields)
    with suppress(TypeError, ValueError):  # fast, where all are numbers
        if not isnan(float(fields.iloc[0])):
            return False
    text = fields.dropna().astype(str).str.strip().str.casefold()
    text = text[~text.isin(MISSING)]
    return bool(len(text)) and bool(text.isin(WORDS).all())
