"""Faults in the content of score tables; their form is checked elsewhere.

A well-formed table may hold numbers that are no scores: an average of the
others, an index, a sign for what is missing. What makes results wrong is
refused, unless its code is allowed; what may be right is reported.

================ ======= ==================================================
code                     what is found
================ ======= ==================================================
`average`        refused scores that are the mean, median or sum of others
`average-name`   refused a name such as all, mean or amean
`blank-names`    refused two names that differ by blanks only
`equal-files`    refused two files with the same judgments, or nearly
`idle-assessor`  refused an assessor by whom all scores are alike
`index`          refused numbers that count, or a name such as index
`loss`           refused scores called like errors, of which less is better
`percent`        refused systems in per cent beside systems in fractions
`pools`          refused pools, as said, that the judgments contradict
`range`          refused a score beyond 1, where most are fractions of it
`sentinel`       refused a sign of what is missing, such as -1 or -999
`transposed`     refused topics called run1, run2, or systems topic1, topic2
`constant`       told    a system with one score throughout, unlike others
`equal`          told    systems, topics or assessors with the same scores
`negative`       told    scores below zero, the others in [0, 1]
`order`          told    a system's scores that stand in another order
`rank-order`     told    a run whose ranks contradict its scores
`several-runs`   told    several runs in one file, each a system here
`tied`           told    a run that gives all documents of a topic one score
`two-names`      told    two names that differ by capitals and blanks only
`unjudged-run`   told    a run of whose first documents none was judged
`zero`           told    a system that scores 0 throughout, unlike others
================ ======= ==================================================

What averages, copies and the like need beyond chance, `coincidences` says.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, combinations, starmap
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gtaudit.coincidences import (
    find_averages,
    find_constant_systems,
    find_disorder,
    find_equal_levels,
    find_idle_assessors,
    find_indexes,
    find_percentages,
)
from gtlib.checks import count_noun, list_some, one_of, plural
from gtlib.scores import Cells, cell_numbers

# Codes of what is refused unless it is allowed, and of what is reported.
REFUSED = [
    "average",
    "average-name",
    "blank-names",
    "equal-files",
    "idle-assessor",
    "index",
    "loss",
    "percent",
    "pools",
    "range",
    "sentinel",
    "transposed",
]
REPORTED = [
    "constant",
    "equal",
    "negative",
    "order",
    "rank-order",
    "several-runs",
    "tied",
    "two-names",
    "unjudged-run",
    "zero",
]
CODES = [*REFUSED, *REPORTED]

# What a facet of assessors may be called.
ASSESSORS = ("assessor", "judge", "annotator", "rater", "grader")
AVERAGE = "all|a?mean|average|avg|median|overall|sum|total"
INDEX = r"index|level_\d+|unnamed: ?\d+"
# What all names of the other facet of a table would be called.
NUMBERED = {
    "system": r"(topic|query|question|item|task)[ _-]?\d+",
    "topic": r"(run|system|model|agent)[ _-]?\d+",
}

_LEAST, _MOST = 50, 10**6  # cells of a level, and cells, looked at first
_WHOLE = 10**7  # cells, where something was found
FRACTIONS = 0.25  # of the scores, for a scale from 0 to 1
_JUDGED = 50  # documents whose grade is not the commonest
BELOW = 0.05  # of the scores, for one that may be negative
_ASKED = 0.25  # of the scores: so many below zero are asked about


class Suspicion(NamedTuple):
    """A doubt about scores: its code (of `CODES`), where, and a sentence
    that says what was found there."""

    code: str
    where: str
    what: str


def refuse(
    doubts: Iterable[Suspicion], allow: str | Collection[str] = ()
) -> None:
    """Refuse doubts that make results wrong and are not allowed.

    Raises
    ------
    ValueError
        For the first such suspicion; or if `allow` has none of `CODES`.
    """
    allowed = [allow] if isinstance(allow, str) else [*allow]
    for code in allowed:
        one_of(code, "allow (--allow)", CODES)
    for code, _, what in doubts:
        if code in REFUSED and code not in allowed:
            raise ValueError(
                f"{what} Mend it; or if it is right, allow it: --allow "
                f"{code} of the command, allow={code!r} in Python."
            )


def suspicions(cells: Cells) -> list[Suspicion]:
    """Find faults in the content of a score table.

    Of a large table a part is looked at first, and more of it where
    something is found there.

    Examples
    --------
    >>> import numpy as np
    >>> from gtaudit.doubts import (suspicions,)
    >>> from gtlib.design import as_design
    >>> from gtlib.scores import read_cells
    >>> table = np.random.default_rng(0).random((5, 8))
    >>> table[:, 7] = table[:, :7].mean(axis=1)
    >>> cells = read_cells(table, as_design("system x topic"))
    >>> [(doubt.code, doubt.where) for doubt in suspicions(cells)]
    [('average', 'topic 8')]
    """
    names = starmap(name_suspicions, cells.labels.items())
    return [*chain.from_iterable(names), *score_suspicions(cells)]


def score_suspicions(cells: Cells) -> list[Suspicion]:
    """Find what `suspicions` does, but for the names of levels."""
    doubts = [*_range_suspicions(cells)]
    for facet, labels in cells.labels.items():
        for most in (_MOST, _WHOLE):
            grid, whole = _grid(cells, facet, most)
            faults = [*find_averages(grid), *find_indexes(grid)]
            faults += find_equal_levels(grid, facet)
            if facet == cells.design.object:
                faults += find_constant_systems(grid)
            if facet in (cells.design.object, "assessor"):
                faults += find_percentages(grid)
                ordered = _in_order(grid, cells, facet)
                faults += find_disorder(
                    ordered, facet == cells.design.object
                )
            nested = bool(cells.design.nesting[facet])
            if facet.lower() in ASSESSORS and not nested:
                faults += find_idle_assessors(grid)
            if whole or not faults:
                break
        for code, members, what in faults:
            named = labels[members]
            names = list_some(named)
            whose = f"{plural(facet) if len(named) > 1 else facet} {names}"
            what = f"The scores of {whose} are {what}."
            doubts.append(Suspicion(code, f"{facet} {names}", what))
    # What says more of the same scores comes first.
    return sorted(doubts, key=lambda doubt: doubt.code == "range")


def name_suspicions(
    facet: str, labels: Iterable[object]
) -> list[Suspicion]:
    """Find faults in the names of a facet's levels.

    Examples
    --------
    >>> from gtaudit.doubts import (name_suspicions,)
    >>> doubts = name_suspicions("system", ["BM25 ", "bm25", "All"])
    >>> [doubt.code for doubt in doubts]
    ['two-names', 'average-name']
    """
    labels = [*labels]
    doubts = [*_exchanged_names(facet, labels)]
    seen: dict[str, str] = {}
    for label in (name for name in labels if isinstance(name, str)):
        name = label.strip().casefold()
        code = ""
        for kind, names in ("average-name", AVERAGE), ("index", INDEX):
            if re.fullmatch(names, name):
                code, what = kind, "is called like an average or an index"
        other = seen.setdefault(name, label)
        if other != label:
            blanks = other.strip() == label.strip()
            code = "blank-names" if blanks else "two-names"
            by = "blanks" if blanks else "capitals or blanks"
            what = f"differs from {other!r} by {by} only"
        if code:
            what = f"The {facet} {label!r} {what}."
            doubts.append(Suspicion(code, f"{facet} {label}", what))
    return doubts


def refuse_two_names(kind: str, names: Iterable[object]) -> None:
    """Refuse two names of one group, such as NIST and nist.

    Raises
    ------
    ValueError
        If two differ by capitals or blanks only.
    """
    for code, _, what in name_suspicions(kind, names):
        if code in ("two-names", "blank-names"):
            raise ValueError(f"{what} Write the name in one way.")


def _exchanged_names(facet, labels):
    """Find names of topics that are those of runs, or the other way."""
    numbered = re.compile(NUMBERED.get(facet, "(?!)"), re.IGNORECASE)
    if labels and all(numbered.fullmatch(str(name)) for name in labels):
        what = (
            f"The {facet}s are called {list_some(labels)}: rows and "
            "columns seem to be exchanged (--columns topic=rows)."
        )
        yield Suspicion("transposed", facet, what)


def run_suspicions(lines: pd.DataFrame, name: object) -> list[Suspicion]:
    """Find faults in the lines of a run file.

    The columns are those of `gtlib.read_run`.

    Examples
    --------
    >>> import pandas as pd
    >>> from gtaudit.doubts import (run_suspicions,)
    >>> lines = {"system": ["a", "a"], "topic": ["1", "1"],
    ...          "rank": [1, 2], "score": [0.5, 0.7]}
    >>> run_suspicions(pd.DataFrame(lines), "run.txt")[0].what
    'In run.txt the ranks on 1 topic contradict the scores, which count.'
    """
    each = lines.groupby(["system", "topic"], sort=False)
    ranking = each.ngroup().to_numpy()
    rank, score = lines["rank"].to_numpy(), lines["score"].to_numpy()
    order = np.arange(len(rank))
    steps = np.diff(ranking)
    if not ((steps > 0) | ((steps == 0) & (np.diff(rank) > 0))).all():
        order = np.lexsort((-score, rank, ranking))
    contradicted = (
        (np.diff(ranking[order]) == 0)
        & (np.diff(rank[order]) > 0)
        & (np.diff(score[order]) > 0)
    )
    contradicting = len({*ranking[order][1:][contradicted]})
    several = each.size() > 1
    tied = (each["score"].max() == each["score"].min())[several]
    sentences = {}
    tags = lines["system"].unique()
    if len(tags) > 1:
        sentences["several-runs"] = (
            f"{name} has several runs: {list_some(tags)}."
        )
    if contradicting:
        sentences["rank-order"] = (
            f"In {name} the ranks on {count_noun(contradicting, 'topic')} "
            "contradict the scores, which count."
        )
    if tied.mean() > 0.5:
        sentences["tied"] = (
            f"In {name} all documents of "
            f"{count_noun(int(tied.sum()), 'topic')} have one score."
        )
    return [
        Suspicion(code, f"file {name}", sentence)
        for code, sentence in sentences.items()
    ]


def judgment_suspicions(
    judged: Mapping[Any, Mapping[str, Mapping[str, float]]],
) -> list[Suspicion]:
    """Find assessors with the same judgments: all of them, all but one, or
    with other numbers for the grades, such as 0 and 2 for 0 and 1.

    `judged` holds each assessor's grades of documents, by topic.

    Examples
    --------
    >>> from gtaudit.doubts import (judgment_suspicions,)
    >>> ann = {"1": {"x": 0, "y": 1}}
    >>> judgment_suspicions({"ann": ann, "bob": ann})[0].what
    'ann and bob have the same judgments.'
    """
    grades = {
        assessor: {
            (topic, document): grade
            for topic, documents in by_topic.items()
            for document, grade in documents.items()
        }
        for assessor, by_topic in judged.items()
    }
    doubts = []
    for first, second in combinations(judged, 2):
        difference = ""
        if judged[first] != judged[second]:
            difference = _small_difference(grades[first], grades[second])
        if difference is not None:
            what = (
                f"{first} and {second} have the same judgments{difference}."
            )
            where = f"judgments {first} and {second}"
            doubts.append(Suspicion("equal-files", where, what))
    return doubts


def _small_difference(one, other):
    """Say in which way judgments differ that are nearly the same; None if
    they are not. People who judge for themselves do not agree on so many
    documents without the commonest grade."""
    tallies = [
        sorted(Counter(grades.values()).items()) for grades in (one, other)
    ]
    counts = [[n for _, n in tally] for tally in tallies]
    if len(counts[0]) != len(counts[1]):
        return None
    if sum(counts[0]) - max(counts[0]) < _JUDGED:
        return None
    if max(abs(a - b) for a, b in zip(*counts, strict=True)) > 1:
        return None
    # Grades correspond in their order: 0 and 1 to 0 and 2.
    values = ([grade for grade, _ in tally] for tally in tallies)
    partner = dict(zip(*values, strict=True))
    apart = len(one.keys() ^ other.keys()) + sum(
        partner[grade] != other[key]
        for key, grade in one.items()
        if key in other
    )
    if apart > 1:
        return None
    renumbered = any(grade != its for grade, its in partner.items())
    difference = " with other numbers for the grades" if renumbered else ""
    return f"{difference} but in one line" if apart else difference


def _range_suspicions(cells):
    """Find scores that no measure gives beside all the others: signs of
    what is missing, and what lies outside of the measure's range."""
    scores = cells.scores
    sign = _missing_sign(cells)
    if sign is not None:
        rest = scores[scores != sign]
        what = (
            f"{_count_of(scores == sign, 'stand')} at {sign:g}, and all "
            f"others between {rest.min():g} and {rest.max():g}: a sign for "
            f"what is missing{_whose(cells, scores == sign)}?"
        )
        yield Suspicion("sentinel", f"score {sign:g}", what)
    beyond = np.abs(scores) > 1 + 1e-9  # 1 may be computed as a bit more
    if sign is not None:
        beyond &= scores != sign
    if beyond.any() and _within_one(scores) | _one_level(cells, beyond):
        first = scores[beyond.argmax()]
        what = (
            f"{_count_of(beyond, 'lie')} outside of [0, 1], as {first:g} "
            f"does{_whose(cells, beyond)}, and most others inside: a lost "
            "decimal point, percentages, or no scores?"
        )
        yield Suspicion("range", f"score {first:g}", what)
    negative = (scores < 0) & (True if sign is None else scores != sign)
    if negative.any() and scores.max() <= 1 and _is_odd(cells, negative):
        lowest = scores[negative].min()
        what = (
            f"{_count_of(negative, 'lie')} below zero, as {lowest:g} does"
            f"{_whose(cells, negative)}, and all others in [0, 1]."
        )
        yield Suspicion("negative", f"score {lowest:g}", what)


def _missing_sign(cells):
    """Return the number that stands for what is missing, or nothing: a
    whole number apart from all the others, in any number of cells."""
    scores = cells.scores
    low, high = scores.min(), scores.max()
    for value in (low, high):
        if 0 <= value <= 1 or value % 1:
            continue
        rest = scores[(scores != value) & ~_written_for_missing(scores)]
        if not len(rest):
            continue
        whole = (rest % 1 == 0).all()
        most, at = np.abs(rest).max(), scores == value
        if value < 0 <= rest.min() and (
            value <= -most * (9 if whole else 1)
            or (_written_for_missing(value) and (value < -1 or not whole))
            or (value == -1 and _fills_levels(cells, at))
        ):
            return value
        few = at.sum() <= max(1, len(scores) / 20)
        nines = _written_for_missing(value) and value > 9 * most
        if nines or (few and abs(value) > 50 * most > 0):
            return value
    return None


def _written_for_missing(values):
    """Return where values are -1, or nines such as -9, -99 or 999."""
    size = np.abs(values)
    nines = (size >= 9) & (np.log10(np.maximum(size, 1) + 1) % 1 == 0)
    return (values == -1) | (nines & ((values < 0) | (size > 9)))


def _within_one(scores):
    """Return whether most scores lie in [0, 1], many as fractions, and few
    just below, as those of a measure do that may be negative. A half is no
    fraction: the mean of two grades may be one."""
    fractions = (scores > 0) & (scores < 1) & (scores != 0.5)
    inside = (scores >= 0) & (scores <= 1)
    below = (scores > -1) & (scores < 0)
    return (
        inside.mean() > 0.5
        and fractions.mean() > FRACTIONS
        and below.mean() < BELOW
    )


def _is_odd(cells, negative):
    """Return whether to ask why some scores are below zero: they are of one
    level, or few and far from the others, or these are fractions of 1. A
    measure that may be negative mostly gives more of them."""
    if _whose(cells, negative):
        return True
    rest = cells.scores[~negative]
    if 100 * negative.sum() <= negative.size:
        tail = np.quantile(rest, 0.05) - rest.min()
        return rest.min() - cells.scores[negative].max() > 3 * tail
    fractions = (rest > 0) & (rest < 1) & (rest != 0.5)
    return negative.mean() < _ASKED and fractions.mean() > FRACTIONS


def _one_level(cells, beyond):
    """Return whether one level of some facet holds all that is beyond 1,
    and little else, where all others are scored 0 or 1."""
    if beyond.all() or not np.isin(cells.scores[~beyond], (0, 1)).all():
        return False
    levels = ((f, np.unique(c[beyond])) for f, c in cells.codes.items())
    return any(
        len(level) == 1
        and len(cells.labels[facet]) > 5
        and beyond[cells.codes[facet] == level[0]].mean() > 0.5
        for facet, level in levels
    )


def _fills_levels(cells, at):
    """Return whether some facet's levels hold these scores and no other,
    and the rest none."""
    for code in cells.codes.values():
        share = np.bincount(code, at) / np.bincount(code)
        if np.isin(share, (0, 1)).all():
            return True
    return False


def _count_of(marked, verb):
    """Say how many scores are marked, with the verb for what they do."""
    number = int(marked.sum())
    verb += "s" if number == 1 else ""
    return f"{count_noun(number, 'score')} of {marked.size} {verb}"


def _whose(cells, marked):
    """Name the level that holds all of the marked scores, if one does."""
    for facet, code in cells.codes.items():
        levels = np.unique(code[marked])
        if len(levels) == 1 < marked.sum():
            return f" (all of {facet} {cells.labels[facet][levels[0]]})"
    return ""


def _in_order(grid, cells, facet):
    """Return a grid with columns of one facet in the order of its names,
    by the numbers in them: q2 stands before q10."""
    others = [labels for f, labels in cells.labels.items() if f != facet]
    if len(others) != 1 or len(others[0]) != grid.shape[1]:
        return grid
    keys = [_natural(name) for name in others[0]]
    return grid[:, sorted(range(len(keys)), key=keys.__getitem__)]


def _natural(name):
    """Return what names are sorted by, so that q2 stands before q10. A
    longer number is a larger one: Python converts none of any length."""
    parts = re.split(r"(\d+)", str(name))
    numbers = (p.lstrip("0") if p.isdecimal() else None for p in parts)
    return [
        (0, part) if number is None else (len(number), number)
        for part, number in zip(parts, numbers, strict=True)
    ]


def _grid(cells, facet, most):
    """Return the mean scores of a facet's levels in the cells of all
    facets that it is crossed with, or in evenly spaced ones of many; and
    whether these are all cells."""
    design, levels = cells.design, len(cells.labels[facet])
    nesting = design.nesting
    crossed = [
        f
        for f in design.facets
        if f not in nesting[facet] | {facet} and facet not in nesting[f]
    ]
    sizes = [len(cells.labels[f]) for f in crossed]
    cells_in_all = prod(sizes)
    step = ceil(cells_in_all / max(_LEAST, most // levels))
    columns = ceil(cells_in_all / step)
    if crossed and cells.balanced and not any(nesting.values()):
        scores = cells.scores.reshape(cells.shape)
        scores = np.moveaxis(scores, design.facets.index(facet), 0)
        sampled = np.unravel_index(np.arange(columns) * step, sizes)
        return scores[(slice(None), *sampled)], step == 1
    place = cell_numbers({f: cells.codes[f] for f in crossed}, cells.labels)
    place = np.broadcast_to(place, cells.scores.shape)
    sampled = place % step == 0
    place = (cells.codes[facet] * columns + place // step)[sampled]
    n = np.bincount(place, minlength=levels * columns)
    sums = np.bincount(place, cells.scores[sampled], levels * columns)
    with np.errstate(invalid="ignore"):
        return (sums / n).reshape(levels, columns), step == 1
