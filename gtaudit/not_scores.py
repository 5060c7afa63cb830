"""Tables that hold no score of a system on a topic: what they are, and what
to bring. Columns that are measures are never systems."""

import re
from collections.abc import Sequence
from math import isnan
from typing import NamedTuple

import pandas as pd

from gtaudit.columns import Question, Wide, way
from gtaudit.means import mean_interval
from gtaudit.readers.evaluations import is_measure
from gtaudit.structure import Column, Structure
from gtaudit.words import (
    are_known_systems,
    is_criterion,
    is_numbered,
    plain,
    rank,
)
from gtlib.checks import as_numbers, list_some
from gtlib.gtheory import GStudy
from gtlib.swaps import topics_to_detect

# Columns of a table with a row for each error that somebody marked.
_SEVERITIES = {"severity", "error_severity", "schwere", "gravité"}
_KINDS = {"category", "error", "error_type", "error_category", "type"}
_KINDS |= {"error_span", "span"}
# What a run calls the ranks of documents, and how many columns it has.
_RANKS, _OF_A_RUN = {"rank", "position", "rang", "rango"}, 7
# What only averages have: their errors, and how many were won.
_OF_AVERAGES = {"standard", "stderr", "wins", "ties", "losses", "draws"}
_OF_AVERAGES |= {"elo", "ci", "q025", "q975"}
# So many times are means of measures on unlike scales apart.
_UNLIKE = 100
# Of more columns it is not asked whether they are measures.
_FEW = 60


def refuse_errors_in_words(source: object, table: pd.DataFrame) -> None:
    """Refuse a table with a row for each error, whose severity is a word,
    as https://github.com/google/wmt-mqm-human-evaluation has them."""
    names = {plain(c): c for c in table}
    severities = [names[n] for n in _SEVERITIES & {*names}]
    if not severities or not _KINDS & {*names}:
        return
    (severity, *_) = severities
    words = table[severity].dropna().unique()
    if as_numbers(pd.Series(words)).notna().any():
        return
    raise ValueError(
        f"{source} has a row for each error, in words ({severity}: "
        f"{list_some(words, 4)}), and no score. Give each kind a weight, "
        "sum the weights of each segment, one without an error being 0, "
        "and bring a table with the columns system, segment, rater and "
        "score; of such sums less is better (--less-is-better)."
    )


def refuse_run(source: object, found: Structure) -> None:
    """Refuse a run of documents: beside topics, documents and scores their
    ranks, within each topic from the first on."""
    table, numbers = found.table, found.numbers
    ranks = [c for c in numbers if plain(c) in _RANKS]
    topics = [c for c in found.codes if rank(c, "topic") == 1]
    if not (ranks and topics) or len(table.columns) > _OF_A_RUN:
        return
    place, count = numbers[ranks[0]], found.levels[ranks[0]]
    for topic in topics:
        each = place.groupby(table[topic].to_numpy())
        begins = each.min() - place.min()
        follow = each.max() - each.min() == each.size() - 1
        whole = follow.all() and each.nunique().eq(each.size()).all()
        if count > 1 and whole and (begins == 0).all():
            raise ValueError(
                f"{source} reads like a run: documents of each {topic}, "
                f"with their {ranks[0]}. It says nothing of which are "
                "relevant. Write it as lines of topic, Q0, document, rank, "
                "score and system; give it with --runs, and judgments with "
                "--qrels."
            )


class Measures(NamedTuple):
    """Columns that split into systems and measures, as ``bm25_p@5``."""

    by_measure: dict[str, dict[str, Column]]

    def choose(self, source: object, measure: str | None) -> dict:
        """Return the column of each system by one measure."""
        if measure is None and len(self.by_measure) == 1:
            return next(iter(self.by_measure.values()))
        for name, columns in self.by_measure.items():
            if measure is not None and plain(name) == plain(measure):
                return columns
        systems = next(iter(self.by_measure.values()))
        raise Question(
            f"The columns of {source} are {len(self.by_measure)} measures "
            f"({list_some(self.by_measure)}) of the systems "
            f"{list_some(systems)}.",
            [way("measure", name) for name in self.by_measure],
        )


def split_measures(columns: Sequence[Column]) -> Measures | None:
    """Split names into a system and a measure each; None, unless all split
    so that each of several systems has the same measures.

    Examples
    --------
    >>> split_measures(["bm25_p@5", "bm25_r@5", "lm_p@5", "lm_r@5"])
    Measures(by_measure={'p@5': {'bm25': 'bm25_p@5', 'lm': 'lm_p@5'}, \
'r@5': {'bm25': 'bm25_r@5', 'lm': 'lm_r@5'}})
    >>> split_measures(["bm25", "lm"])
    """
    if not 4 <= len(columns) <= _FEW:
        return None
    by_measure: dict[str, dict[str, Column]] = {}
    for column in columns:
        parts = _system_and_measure(str(column))
        if parts is None:
            return None
        system, measure = parts
        if (
            by_measure.setdefault(measure, {}).setdefault(system, column)
            is not column
        ):
            return None
    systems = [{*of} for of in by_measure.values()]
    same = all(of == systems[0] for of in systems)
    if not same or len(by_measure) < 2 or len(systems[0]) < 2:
        return None
    return Measures(by_measure)


def _system_and_measure(name):
    """Split the name of a column into a system and a measure."""
    name = re.sub(r"\s*[(\[](.+)[)\]]$", r" \1", name)
    marks = [m.span() for m in re.finditer(r"\s*[_:/|. -]\s*", name)]
    for start, end in marks:
        first, last = name[:start], name[end:]
        for system, measure in ((first, last), (last, first)):
            known = bool(measure) and is_called_measure(measure)
            if known and system and not is_called_measure(system):
                return system, measure
    return None


def is_called_measure(name: Column) -> bool:
    """Return whether a name is that of a measure or a score; a letter is
    none."""
    if rank(name, "score") is not None:
        return True
    return len(str(name)) > 1 and (is_criterion(name) or is_measure(name))


def are_measures(columns: Sequence[Column]) -> bool:
    """Return whether columns are measures, all or two and half of them."""
    if not 1 <= len(columns) <= _FEW:
        return False
    known = [c for c in _without_beginning(columns) if is_called_measure(c)]
    return len(known) == len(columns) or (
        len(known) > 1 and 2 * len(known) >= len(columns)
    )


def _without_beginning(names):
    """Return names without the word with which all of them begin, as
    ``feedback.`` may be."""
    parts = [re.split(r"[._/: ]", str(name), maxsplit=1) for name in names]
    same = len(parts) > 1 and len({first for first, *_ in parts}) == 1
    if same and all(len(part) == 2 and part[1] for part in parts):
        return [rest for _, rest in parts]
    return names


def are_named_measures(values: pd.Series) -> bool:
    """Return whether a column holds the names of measures, two or more."""
    if pd.api.types.is_numeric_dtype(values):
        return False
    names = values.dropna().astype(str).unique()
    few = 1 < len(names) <= _FEW and not is_numbered(names)
    return few and all(map(is_called_measure, names))


def are_systems(rows: Column, said: dict) -> bool:
    """Return whether the rows that a column names are systems: as options
    say, or by its name."""
    given = said.get("rows", said.get(rows))
    if given is not None:
        return given == "system"
    return rank(rows, "system") is not None and rank(rows, "topic") is None


def refuse_no_systems(
    source: object, found: Structure, wide: Wide, said: dict
) -> None:
    """Refuse a wide table whose columns are no systems, and its rows
    neither: measures. What an option says of the columns is obeyed."""
    if "columns" in said:
        return
    systems = are_systems(wide.key[0], said) or _are_known(found, wide)
    if are_measures(wide.scores) or (systems and _is_board(found, wide)):
        _refuse_measures(source, found, wide, systems)
    if not are_systems(wide.key[0], said):
        _ask_criteria(source, wide)


def board_error(
    source: object,
    measures: Sequence[object],
    averages: pd.DataFrame | None = None,
) -> ValueError:
    """Return the refusal of systems' averages by these measures; where the
    averages are shares, with the number of items that would tell the first
    two apart."""
    return ValueError(
        f"{source} is a board of averages: one number of each system by "
        f"each measure ({list_some(measures)}). Averages do not say how a "
        "system's scores differ from topic to topic, so nothing can be "
        "said of how sure the order is. Bring the score of each system on "
        "each topic, from which these averages were made: a table with the "
        "columns system, topic and score."
        f"{'' if averages is None else _items_needed(averages)}"
    )


def _items_needed(averages):
    """Say of how many items each of the first two shares would have to be,
    if these are shares of items that are right, to be told apart."""
    for name in averages:
        shares = averages[name].dropna()
        if len(shares) > 1 and shares.max() > 1:
            shares = shares / 100
        if len(shares) > 1 and shares.between(0, 1).all():
            break
    else:
        return ""
    first, second = shares.nlargest(2)
    variance = (first * (1 - first) + second * (1 - second)) / 2
    if not (first > second and variance > 0):
        return ""
    parts = {"system": 0.0, "topic": 0.0, "system x topic": variance}
    study = GStudy.from_components("system x topic", parts)
    items = topics_to_detect(study, first - second)
    return (
        f" If {list_some([name])} is the share of n items that are right, "
        f"the first two, {first:.3f} and {second:.3f}, would be told apart "
        f"(p < 0.05, in 80 of 100 cases) with {items:,} items of each, or "
        "with fewer if both have the same items and fail on the same ones."
    )


def _are_known(found, wide):
    """Return whether rows have the names of well-known systems, or columns
    are of what only averages have, such as a standard error."""
    if any({*plain(c).split("_")} & _OF_AVERAGES for c in wide.scores):
        return True
    (key, *_) = wide.key
    return are_known_systems(found.table[key].dropna().unique())


def _is_board(found, wide):
    """Return whether of rows that are systems some columns are measures,
    and others are on scales that are very unlike."""
    if len(wide.scores) > _FEW:
        return False
    means = [
        found.numbers[c].mean() for c in wide.scores if c in found.numbers
    ]
    some = [mean for mean in means if mean > 0]
    known = sum(map(is_called_measure, wide.scores)) > 1
    known = known or any(rank(c, "criterion") for c in wide.scores)
    return known and max(some, default=0) > _UNLIKE * min(some, default=1)


def _refuse_measures(source, found, wide, systems):
    """Refuse measures of one system, with a row for each topic, or
    averages, with a row for each system."""
    names = list_some(wide.scores)
    if systems:
        named = [c for c in wide.scores if is_called_measure(c)]
        known = [c for c in named or wide.scores if c in found.numbers]
        raise board_error(
            source, named or wide.scores, found.numbers[known]
        )
    means = [
        f"{c} {_shown(found.numbers[c])}"
        for c in wide.scores
        if c in found.numbers
    ]
    raise Question(
        f"{source} holds {len(wide.scores)} "
        f"measure{'s' * (len(wide.scores) > 1)} ({names}) of one system, "
        f"and no second system to compare it with. Its means, with 95% "
        f"intervals over {len(found.table)} rows: {list_some(means, 8)}. "
        "Give another system's file beside it, and one measure; or have a "
        "report on this system alone.",
        [way("measure", c) for c in wide.scores],
    )


def _shown(values):
    mean = mean_interval(values)
    if isnan(mean.low):
        return f"{mean.estimate:.3f}"
    return f"{mean:.3f}"


def _ask_criteria(source, wide):
    """Ask whether columns that all end in ``score`` or ``rating`` are
    systems, or criteria of one system."""
    if not 2 <= len(wide.scores) <= _FEW:
        return
    words = [plain(c).split("_") for c in wide.scores]
    ends = {w[-1] for w in words}
    if ends - {"score", "scores", "rating", "grade", "rate"}:
        return
    if any(len(w) < 2 for w in words):
        return
    raise Question(
        f"The columns of {source}, {list_some(wide.scores)}, may be "
        "systems, or what was measured of one system.",
        [
            way("columns", system="columns"),
            *(way("measure", c) for c in wide.scores[:2]),
        ],
        "The first, if they are systems.",
    )
