"""What callers give, checked in one place, and how messages say it."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from html import escape
from importlib import import_module
from math import inf, nan
from numbers import Real
from operator import gt
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtlib.visible import visible

# Numbers that callers give, checked in one place.


LARGEST = 10**15  # whole numbers up to here are exact as floats
_MOST_RESAMPLES = 10**8


def whole_number(
    value: object, name: str, least: int = 1, most: int = LARGEST
) -> int:
    """Return `value` as an int within these bounds, or refuse it."""
    number = _as_float(value)
    if number % 1 == 0 and least <= number <= most:
        return int(number)
    bounds = f"of at least {least}"
    if most < number < inf:
        bounds = f"from {least} to {most:.0e}"
    raise ValueError(
        f"{name}={shown(value)}: a whole number {bounds} is needed."
    )


def resamples(value: object, least: int = 1) -> int:
    """Return `value` as a number of random repetitions, or refuse it."""
    return whole_number(value, "n_resamples", least, _MOST_RESAMPLES)


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
    number = _as_float(value)
    if 0 < number < 1:
        return number
    raise ValueError(
        f"{name}={shown(value)}: a number between 0 and 1, both excluded, "
        f"is needed; {usual} is usual."
    )


def share_below_one(value: object, name: str) -> float:
    """Return `value` as a float from 0 to below 1, or refuse it."""
    number = _as_float(value)
    if 0 <= number < 1:
        return number
    raise ValueError(f"{name}={shown(value)}: it must be in [0, 1).")


def positive(value: object, name: str) -> float:
    """Return `value` as a finite float above zero, or refuse it."""
    number = _as_float(value)
    if 0 < number < inf:
        return number
    raise ValueError(
        f"{name}={shown(value)}: a number above zero is needed."
    )


def number(value: object, name: str) -> float:
    """Return `value` as a finite float, or refuse it."""
    found = _as_float(value)
    if -inf < found < inf:
        return found
    raise ValueError(f"{name}={shown(value)}: a number is needed.")


def _as_float(value):
    """Return a number as a float, and NaN for what is none."""
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:  # of a whole number with many digits
            return inf if gt(value, 0) else -inf
    return nan


def number_array(values: object, name: str) -> np.ndarray:
    """Return real numbers as an array of floats, or refuse them."""
    try:
        array = np.asarray(values)
        if array.dtype.kind in "biuf":
            return array.astype(float)
        if array.dtype.kind == "O":  # None or a whole number of many digits
            items = [_as_float(item) for item in array.ravel()]
            array = np.array(items, float).reshape(array.shape)
            if not np.isnan(array).any():
                return array
    except (TypeError, ValueError):  # such as rows of different lengths
        pass
    raise ValueError(
        f"{name}={shown(values)}: a number, or several, are needed."
    )


def flag(value: object, name: str) -> bool:
    """Return True or False, or refuse what is neither."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{name}={shown(value)}: say True or False.")


def seed(value: Any, name: str = "seed") -> Any:
    """Return what numpy makes a generator from, or refuse it: a whole
    number, several of these, or a generator."""
    if isinstance(value, np.random.Generator):
        return value
    listed = isinstance(value, Sequence) and not isinstance(
        value, str | bytes
    )
    if listed and len(value):
        return [whole_number(one, name, 0, 2**128) for one in value]
    return whole_number(value, name, 0, 2**128)


def several(values: Any, name: str, of: str) -> list[Any]:
    """Return a list of what is named, or refuse a text or what is no
    list."""
    if isinstance(values, Iterable) and not isinstance(
        values, str | bytes | Mapping | pd.DataFrame
    ):
        try:
            return list(values)
        except TypeError:  # an array of no dimension
            pass
    raise ValueError(f"{name}={shown(values)}: a list of {of} is needed.")


def mapping(value: Any, name: str, example: str) -> Any:
    """Return a dict or a Series, or refuse what is neither."""
    if isinstance(value, Mapping | pd.Series):
        return value
    raise ValueError(
        f"{name}={shown(value)}: a mapping is needed, for instance "
        f"{example}."
    )


def instance(value: Any, name: str, kind: type, made_by: str) -> Any:
    """Return a result of this library, or refuse another thing."""
    if isinstance(value, kind):
        return value
    raise ValueError(
        f"{name}={shown(value)}: a {kind.__name__} is needed, as {made_by} "
        "gives it."
    )


def label(value: Any, name: str) -> Any:
    """Return what can be the name of a column or a level, or refuse it."""
    try:
        hash(value)
    except TypeError:
        value_is_name = False
    else:
        value_is_name = not (value is None or value is pd.NA)
    if value_is_name:
        return value
    raise ValueError(f"{name}={shown(value)}: a name is needed.")


def path(value: Any, name: str = "path") -> Path:
    """Return the path of a file, or refuse what is none; a number would
    be the file that a program has open."""
    if isinstance(value, str | PathLike) and str(value).strip():
        return Path(value)
    raise ValueError(
        f"{name}={shown(value)}: the name of a file is needed."
    )


def shown(value: object) -> str:
    """Write what was given on one line, and not all of it if it is
    long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def one_of(value: object, name: str, choices: Iterable[object]) -> None:
    """Refuse a `value` that is not among the choices."""
    known = list(choices)
    kinds = tuple({type(choice) for choice in known})
    if not isinstance(value, kinds) or value not in known:
        listed = ", ".join(map(repr, known))
        raise ValueError(f"{name} is {shown(value)}; choose from {listed}.")


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


# The wording of counts and names in messages, and the look of tables.

Format: TypeAlias = str | Callable[[float], str]

_OF_EFFECTS: dict[str, Format] = {
    "mean_square": "{:.5g}",
    "estimate": "{:.5g}",
    "variance": "{:.5g}",
    "divisor": "{:.4g}",
    "mean_variance": "{:.3g}",
    "relative_error": "{:.3g}",
    "percent": "{:.1f}",
}


def count_noun(n: int | str, noun: str) -> str:
    """Count things: ``1 topic``, ``50 topics``."""
    return f"{n} {as_noun(noun) if n == 1 else plural(noun)}"


def as_noun(name: str) -> str:
    """Return the noun, in the singular, that the name of a column is in a
    sentence: ``question`` of ``question_id``, ``object`` of ``objects``."""
    end = r"(?<=\w{2})([_ ](id|ID|Id)|(?<=[a-z])I[Dd])s?$"
    noun = re.sub(end, "", name)
    return re.sub(r"(?<=[a-z]{2}[^sui])s$", "", noun)


def plural(noun: str) -> str:
    """Return the plural of a noun: ``topics``, ``queries``, ``classes``;
    ``questions`` of ``question_id``."""
    noun = as_noun(noun)
    if re.search("[^aeiou]y$", noun):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search("(s|x|z|ch|sh)$", noun) else "s")


def with_article(noun: str) -> str:
    """Return a noun with its article: ``a topic``, ``an item``."""
    noun = as_noun(noun)
    vowel = re.match("(?!use|uni)[aeiou]", noun, re.IGNORECASE)
    return f"an {noun}" if vowel else f"a {noun}"


def list_some(names: Iterable[object], shown: int = 5) -> str:
    """List the first names, and say how many more there are."""
    texts = [n if len(n) <= 60 else f"{n[:59]}…" for n in map(str, names)]
    listed = ", ".join(texts[:shown])
    more = len(texts) - shown
    return f"{listed} and {more} more" if more > 0 else listed


def list_names(names: Iterable[object], shown: int = 4) -> str:
    """List names with a word before the last: ``a, b and c``."""
    listed = list_some(names, shown)
    if " more" in listed or ", " not in listed:
        return listed
    return " and ".join(listed.rsplit(", ", 1))


def name_level(facet: str, name: object) -> str:
    """Name a level: ``system 4`` for the names 4 and ``system 4``."""
    text = str(name)
    return text if text.startswith(f"{facet} ") else f"{facet} {text}"


def as_text(chosen: object) -> str:
    """Escape what a user chose, so that Markdown and HTML show it as is.

    Whatever is no letter, digit or blank becomes a character reference,
    which neither language reads as a sign of its own.
    """
    return re.sub(
        r"[^\w ]|_",
        lambda sign: f"&#{ord(sign[0])};",
        visible(str(chosen)),
    )


def html_table(
    title: str,
    table: pd.DataFrame,
    *after: str,
    formats: Mapping[str, Format] = _OF_EFFECTS,
) -> str:
    """Return a table under its title as HTML, for notebooks: column names
    with spaces, numbers in the given formats (by default those of a table
    of effects), and paragraphs after it."""
    heads = [escape(str(name).replace("_", " ")) for name in table]
    head = "".join(f"<th>{name}</th>" for name in heads)
    rows = []
    for name, row in zip(
        table.index,
        table.itertuples(index=False, name=None),
        strict=True,
    ):
        cells = "".join(
            f"<td>{escape(_cell(value, formats.get(column)))}</td>"
            for column, value in zip(table, row, strict=True)
        )
        rows.append(f"<tr><th>{escape(str(name))}</th>{cells}</tr>")
    paragraphs = "".join(
        f"<p>{escape(text, quote=False)}</p>" for text in after
    )
    return (
        f"<p><b>{escape(title, quote=False)}</b></p>\n<table>\n<thead>"
        f"<tr><td></td>{head}</tr></thead>\n<tbody>\n"
        f"{chr(10).join(rows)}\n</tbody>\n</table>\n{paragraphs}"
    )


def _cell(value, form):
    """Return what a cell of a table shows."""
    if pd.isna(value):
        return ""
    if form is None:
        return f"{value:.6f}" if isinstance(value, float) else str(value)
    return form(value) if callable(form) else form.format(value)


# Names that somebody typed, and those that may have been meant.

# The most names that are suggested, and the fewest letters that say which.
_MOST, _LETTERS = 3, 3


def did_you_mean(meant: Iterable[str]) -> str:
    """Ask whether one of these was meant; ask nothing if there is none."""
    asked = " or ".join(meant)
    return f" Did you mean {asked}?" if asked else ""


def similar(given: str, names: Iterable[str]) -> list[str]:
    """List the names of which a word begins like what was given, the
    shortest first, or else those that are spelt like it; three at most."""
    typed = _letters(given)
    by_letters: dict[str, list[str]] = {}
    for name in names:
        by_letters.setdefault(_letters(name), []).append(name)
    if len(typed) < _LETTERS:
        return []
    begun = {
        letters
        for letters, like in by_letters.items()
        if any(_letters(end).startswith(typed) for end in _ends(like[0]))
    }
    found = (
        [typed]
        if typed in by_letters
        else sorted(begun, key=lambda n: (len(n), n))
    )
    found = found or get_close_matches(typed, by_letters, _MOST)
    meant = [name for letters in found for name in by_letters[letters]]
    return meant[:_MOST]


def _letters(name):
    """Return the letters and digits of a name, in small letters."""
    return "".join(filter(str.isalnum, name.casefold()))


def _ends(name):
    """Yield what is left of a name from each of its words on."""
    for word in re.finditer(r"[^\W_]+", name):
        yield name[word.start() :]


def install_command(extra: str = "") -> str:
    """Return the command that installs gtlib, for a message.

    It names no package, because an index may give the name to others.
    """
    package = f".[{extra}]" if extra else "."
    return (
        f'pip install "{package}" in a checkout of gtlib, or with its '
        "wheel "
        "in place of the dot"
    )


def needed(module: str, what: str, extra: str) -> Any:
    """Import a package of an extra, or say in a sentence how to get it."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise ImportError(
            f"{what} needs {error.name}, which is not installed: "
            f"{install_command(extra)}."
        ) from error


def progress(things: Sequence[Any], what: str) -> Iterable[Any]:
    """Show how far a loop is, where a person watches for two seconds and
    tqdm is installed."""
    try:
        from tqdm import tqdm
    except ImportError:
        return things
    return tqdm(things, what, disable=None, delay=2, leave=False)
