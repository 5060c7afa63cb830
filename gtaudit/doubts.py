"""Doubts about what tables, runs and judgments hold; their form is checked
elsewhere.

A well-formed table may hold numbers that are no scores: an average of the
others, an index, a sign for what is missing. Three kinds are on no scale
whatever was measured, and are refused unless their code is allowed; all
others may be right and are told, unless their code is allowed.

========== ======= ========================================================
code               what is doubted
========== ======= ========================================================
`index`    refused a system or a topic whose scores only count the rows
`percent`  refused systems in per cent beside systems in fractions
`sentinel` refused a sign of what is missing, such as -1 or -999
`constant` told    one score throughout by a system or an assessor, or 0 on
                   many topics by a system that is good on the others
`copies`   told    systems, topics, assessors or files of judgments that
                   are the same
`loss`     told    scores called like errors, of which less is better
`names`    told    two names that look alike, or names of something else
`pools`    told    pools, as said, that the judgments contradict
`ranks`    told    ranks beside scores
`run`      told    a run file whose ranks contradict its scores, that has
                   several runs, or one score for all documents
`scale`    told    scores on another scale than the others
`summary`  told    the mean, median, sum or maximum of others, by numbers
                   or by its name
`unjudged` told    a run of whose first documents none was judged
========== ======= ========================================================

What single levels need beyond chance, `level_doubts` says.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, combinations, starmap
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gtaudit.level_doubts import find_level_doubts, surprise
from gtaudit.nouns import count_noun, plural
from gtlib.checks import list_some, one_of
from gtlib.scores import Cells, cell_numbers

# Codes of what is refused unless it is allowed, and of what is told.
REFUSED = ["index", "percent", "sentinel"]
TOLD = [
    "constant",
    "copies",
    "loss",
    "names",
    "pools",
    "ranks",
    "run",
    "scale",
    "summary",
    "unjudged",
]
CODES = [*REFUSED, *TOLD]

# What a facet of assessors may be called.
ASSESSORS = ("assessor", "judge", "annotator", "rater", "grader")
AVERAGE = "all|a?mean|average|avg|median|overall|sum|total"
_GRADE = "[ _-]?(score|grade|mark)s?"
SUMMARY = rf"({AVERAGE}|grade)({_GRADE})?|final{_GRADE}"
INDEX = r"index|level_\d+|unnamed: ?\d+"
# What all names of the other facet of a table would be called.
NUMBERED = {
    "system": r"(topic|query|question|item|task)[ _-]?\d+",
    "topic": r"(run|system|model|agent)[ _-]?\d+",
}
# Greek and Cyrillic letters that look like the Latin ones below them.
_ALIKE = str.maketrans(
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοικνρυАВЕКМНОРСТУХІЈЅаеорсухіјѕԁԛԝһӏ",
    "ABEZHIKMNOPTYXoikvpuABEKMHOPCTYXIJSaeopcyxijsdqwhl",
)

_LEAST, _MOST = 50, 10**6  # cells of a level, and cells, looked at first
_WHOLE = 10**7  # cells, where something was found
FRACTIONS = 0.25  # of the scores, for a scale from 0 to 1
BELOW = 0.05  # of the scores, for one that may be negative
_NEGATIVE = 0.25  # of the scores: so many below zero are doubted
GAP_BITS = 13  # chance brings a gap once in ten thousand tables
TAIL = 20  # scores that show how far apart those at one end are
_NEAR = 50  # scores that show how many lie just above zero
_OTHER_SIDE = 0.25  # of the scores near zero, at least, are below it


class Doubt(NamedTuple):
    """A doubt about scores: its code (of `CODES`), where, and a sentence
    that says what was found there."""

    code: str
    where: str
    what: str


def refuse(
    doubts: Iterable[Doubt], allow: str | Collection[str] = ()
) -> list[Doubt]:
    """Refuse doubts about what is on no scale, and return the others, but
    for those that are allowed.

    Raises
    ------
    ValueError
        For doubts of `REFUSED` that are not allowed; or if `allow` has
        none of `CODES`.
    """
    allowed = [*allow]
    if isinstance(allow, str):
        allowed = allow.split(",") if allow else []
    for code in allowed:
        one_of(code, "allow (--allow)", CODES)
    doubts = [doubt for doubt in doubts if doubt.code not in allowed]
    refused = {d.code: d.what for d in doubts if d.code in REFUSED}
    if refused:
        codes = ",".join([*allowed, *refused])
        raise ValueError(
            f"{' '.join(refused.values())} Mend it; or if it is right, say "
            f"--allow {codes} (in Python allow={codes!r})."
        )
    return doubts


def find_doubts(cells: Cells) -> list[Doubt]:
    """Find what is doubtful in a score table.

    Of a large table a part is looked at first, and more of it where
    something is found there.

    Examples
    --------
    >>> import numpy as np
    >>> from gtlib.design import as_design
    >>> from gtlib.scores import read_cells
    >>> table = np.random.default_rng(0).random((5, 8))
    >>> table[:, 7] = table[:, :7].mean(axis=1)
    >>> cells = read_cells(table, as_design("system x topic"))
    >>> [(doubt.code, doubt.where) for doubt in find_doubts(cells)]
    [('summary', 'topic 8')]
    """
    names = starmap(find_name_doubts, cells.labels.items())
    return [*chain.from_iterable(names), *find_score_doubts(cells)]


def find_score_doubts(cells: Cells) -> list[Doubt]:
    """Find what `find_doubts` does, but for the names of levels."""
    doubts = [*_whole_table_doubts(cells)]
    for facet, labels in cells.labels.items():
        is_object = facet == cells.design.object
        nested = bool(cells.design.nesting[facet])
        is_assessor = facet.lower() in ASSESSORS
        for most in (_MOST, _WHOLE):
            grid, whole = _grid(cells, facet, most)
            if whole:
                grid = _as_given(grid, cells, facet)
            found = [
                *find_level_doubts(
                    grid, is_object, is_assessor, is_assessor and nested
                )
            ]
            if whole or not found:
                break
        for code, members, what in found:
            named = labels[members]
            names = list_some(named)
            whose = f"{plural(facet) if len(named) > 1 else facet} {names}"
            what = f"The scores of {whose} are {what}."
            doubts.append(Doubt(code, f"{facet} {names}", what))
    # What says more of the same scores comes first.
    return sorted(doubts, key=lambda doubt: doubt.code == "scale")


def find_name_doubts(facet: str, labels: Iterable[object]) -> list[Doubt]:
    """Find what is doubtful in the names of a facet's levels.

    Examples
    --------
    >>> doubts = find_name_doubts("system", ["BM25 ", "bm25", "All"])
    >>> [doubt.code for doubt in doubts]
    ['names', 'summary']
    """
    labels = [*labels]
    numbered = re.compile(NUMBERED.get(facet, "(?!)"), re.IGNORECASE)
    doubts = []
    if labels and all(numbered.fullmatch(str(name)) for name in labels):
        what = (
            f"The {facet}s are called {list_some(labels)}: rows and "
            "columns seem to be exchanged."
        )
        doubts.append(Doubt("names", facet, what))
    for label, what in find_names_alike(labels):
        what = f"The {facet} {what}"
        doubts.append(Doubt("names", f"{facet} {label}", what))
    for label in (name for name in labels if isinstance(name, str)):
        name = label.strip().casefold()
        for code, pattern, called in (
            ("summary", SUMMARY, "a summary of the others"),
            ("names", INDEX, "an index"),
        ):
            if re.fullmatch(pattern, name):
                what = f"The {facet} {label!r} is called like {called}."
                doubts.append(Doubt(code, f"{facet} {label}", what))
    return doubts


def find_names_alike(
    labels: Iterable[object],
) -> Iterator[tuple[object, str]]:
    """Find names that look like one before, each with what to say of it.

    Examples
    --------
    >>> [what for _, what in find_names_alike(["NIST", "nist "])]
    ["'nist ' differs from 'NIST' by capitals or blanks only."]
    """
    seen: dict[str, object] = {}
    for label in labels:
        other = seen.setdefault(_look(str(label)), label)
        if other is label:
            continue
        one, two = f"{label}".strip(), f"{other}".strip()
        written = ascii if one.casefold() != two.casefold() else repr
        by = "signs that look alike or cannot be seen"
        if str(label) == str(other):
            by = "being a text or a number"
        elif one == two:
            by = "blanks"
        elif written is repr:
            by = "capitals or blanks"
        yield (
            label,
            f"{written(label)} differs from {written(other)} by {by} only.",
        )


def _look(name):
    """Return what a person sees of a name: no capitals, no signs without
    width, and one of letters that look alike."""
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name).translate(_ALIKE)
        name = "".join(c for c in name if unicodedata.category(c) != "Cf")
    return " ".join(name.casefold().split())


def refuse_two_names(kind: str, names: Iterable[object]) -> None:
    """Refuse two names of one group, such as NIST and nist.

    Raises
    ------
    ValueError
        If two look alike.
    """
    for _, what in find_names_alike(names):
        raise ValueError(f"The {kind} {what} Write the name in one way.")


def find_run_doubts(lines: pd.DataFrame, name: object) -> list[Doubt]:
    """Find what is doubtful in the lines of a run file.

    The columns are those of `gtlib.read_run`.

    Examples
    --------
    >>> import pandas as pd
    >>> lines = {"system": ["a", "a"], "topic": ["1", "1"],
    ...          "rank": [1, 2], "score": [0.5, 0.7]}
    >>> find_run_doubts(pd.DataFrame(lines), "run.txt")[0].what
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
    sentences = []
    tags = lines["system"].unique()
    if len(tags) > 1:
        sentences.append(f"{name} has several runs: {list_some(tags)}.")
    if contradicting:
        sentences.append(
            f"In {name} the ranks on {count_noun(contradicting, 'topic')} "
            "contradict the scores, which count."
        )
    if tied.mean() > 0.5:
        sentences.append(
            f"In {name} all documents of "
            f"{count_noun(int(tied.sum()), 'topic')} have one score."
        )
    return [Doubt("run", f"file {name}", what) for what in sentences]


def find_judgment_doubts(
    judged: Mapping[Any, Mapping[str, Mapping[str, float]]],
) -> list[Doubt]:
    """Find assessors with the same judgments, of each assessor's grades of
    documents, by topic.

    Examples
    --------
    >>> ann = {"1": {"x": 0, "y": 1}}
    >>> find_judgment_doubts({"ann": ann, "bob": ann})[0].what
    'ann and bob have the same judgments.'
    """
    return [
        Doubt(
            "copies",
            f"judgments {first} and {second}",
            f"{first} and {second} have the same judgments.",
        )
        for first, second in combinations(judged, 2)
        if judged[first] == judged[second]
    ]


def _whole_table_doubts(cells):
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
        yield Doubt("sentinel", f"score {sign:g}", what)
    usual = scores != sign  # all, where there is none
    beyond = usual & _beyond(cells, usual)
    if beyond.any():
        first = scores[beyond.argmax()]
        what = (
            f"{_count_of(beyond, 'lie')} far above the others, as "
            f"{first:g} does{_whose(cells, beyond)}; these are at most "
            f"{scores[usual & ~beyond].max():g}: a lost decimal point, "
            "percentages, or no scores?"
        )
        yield Doubt("scale", f"score {first:g}", what)
    negative = usual & (scores < 0)
    if negative.any() and _is_odd(scores[usual]):
        lowest = scores[negative].min()
        what = (
            f"{_count_of(negative, 'lie')} below zero, as {lowest:g} does"
            f"{_whose(cells, negative)}, and all others in [0, 1]."
        )
        yield Doubt("scale", f"score {lowest:g}", what)


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
            or (value == -1 and whole and most > 2 and rest.min() > 0)
            or (value == -1 and _fills_levels(cells, at))
        ):
            return value
        few = at.sum() <= max(1, len(scores) / 20)
        if value > 0:
            far = _written_for_missing(value) and value > 9 * most
        else:
            far = few and value < -50 * most < 0
        if far:
            return value
    return None


def _written_for_missing(values):
    """Return where values are -1, or nines such as -9, -99 or 999."""
    size = np.abs(values)
    nines = (size >= 9) & (np.log10(np.maximum(size, 1) + 1) % 1 == 0)
    return (values == -1) | (nines & ((values < 0) | (size > 9)))


def _beyond(cells, usual):
    """Return where scores lie above the scale of the others: beyond 1,
    where most are fractions of it and end before; in one level, where all
    others are 0 or 1; or fifty times as high as all others."""
    scores = cells.scores
    one = scores > 1 + 1e-9  # 1 may be computed as a bit more
    if (one & usual).any():
        if _within_one(scores) and _are_apart(scores[usual], one[usual]):
            return one
        if _one_level(cells, one & usual):
            return one
    high = scores == scores[usual].max()
    rest = scores[usual & ~high]
    few = high.sum() <= max(1, len(scores) / 20)
    far = few and len(rest) and scores[usual].max() > 50 * rest.max() > 0
    if far and _are_apart(scores[usual], high[usual]):
        return high
    return np.zeros(len(scores), dtype=bool)


def _are_apart(scores, beyond):
    """Return whether scores begin farther above the others than chance
    brings, even where few are large, as in a law of powers: there gaps of
    logarithms, each times how many are above it, are alike (Rényi)."""
    rest = np.sort(scores[(scores > 0) & ~beyond])
    if len(rest) < 2:
        return False
    if _ends_at(rest[-1], scores) or _has_valley(scores, rest[-1]):
        return True
    k, m = beyond.sum(), min(len(rest) - 1, max(TAIL, len(rest) // 50))
    top = np.log(rest[-m - 1 :])
    gaps = np.diff(top)[::-1]
    lower = rest[rest < rest[-1]]
    next_ = lower[-1] if len(lower) else rest[-1]
    step = rest[-1] - next_
    usual = max(
        ((k + np.arange(1, m + 1)) * gaps).mean(),
        (k + m) * (top[-1] - np.log(next_)) / m,
    )
    # Of scores that are rounded, one may have been less by a step.
    least = max(scores[beyond].min() - step, rest[-1])
    return _is_rare(np.log(least) - top[-1], k, m, usual)


def _ends_at(most, scores):
    """Return whether scores end at one that is there far more often than
    any above it: there are no better ones."""
    _, times = np.unique(scores[scores > most], return_counts=True)
    return _are_fewer(times.max(), (scores == most).sum())


def _has_valley(scores, most):
    """Return whether fewer scores are up to e times as high as most are
    than e to e^2 times, or higher: there another scale begins."""
    fold = np.ceil(np.log(scores[scores > most]) - np.log(most))
    times = np.bincount(np.maximum(fold, 1).astype(int) - 1)
    return len(times) > 1 and _are_fewer(times[0], times[1:].max(), 0.5)


def _are_fewer(these, those, share=_OTHER_SIDE):
    """Return whether these are surely less than a share of both."""
    n = these + those
    return bool(these < share * n and surprise(these, n, share) > GAP_BITS)


def _within_one(scores):
    """Return whether most scores lie in [0, 1], many as fractions, and few
    just below, as those of a measure do that may be negative. A half is no
    fraction: the mean of two grades may be one."""
    inside = (scores >= 0) & (scores <= 1)
    below = (scores > -1) & (scores < 0)
    return (
        inside.mean() > 0.5
        and _are_fractions(scores)
        and below.mean() < BELOW
    )


def _are_fractions(scores):
    fractions = (scores > 0) & (scores < 1) & (scores != 0.5)
    return fractions.mean() > FRACTIONS


def _is_odd(scores):
    """Return whether to ask why some scores are below zero, beside
    fractions of 1: hardly any lie just below it where many lie just above,
    or a gap is there that chance does not bring. Where a measure may be
    negative, its scores go on through zero."""
    negative, rest = scores[scores < 0], np.sort(scores[scores >= 0])
    if scores.max() > 1 or len(negative) > _NEGATIVE * len(scores):
        return False
    if len(rest) < TAIL or not _are_fractions(rest):
        return False
    far = rest[rest > 0][: max(_NEAR, len(rest) // 10)][-1]
    above = rest[rest <= far]
    many = len(above) >= _NEAR
    if many and (above <= far / 2).mean() >= 0.5:  # no tail
        below = (negative >= -far).sum()
        return _are_fewer(below, len(above))
    k, m = len(negative), min(len(rest) - 1, max(TAIL, len(rest) // 50))
    higher = rest[rest > rest[0]]
    step = higher[0] - rest[0] if len(higher) else 0.0
    spaces = (k + np.arange(1, m + 1)) * np.diff(rest[: m + 1])
    usual = max(spaces.mean(), (k + m) * step / m)
    return _is_rare(rest[0] - negative.max() - step, k, m, usual)


def _is_rare(gap, k, m, usual):
    """Return whether a gap with k scores behind it is wider than chance
    brings, where m gaps, each times how many are behind it, are `usual`
    on average."""
    if not usual:
        return bool(gap > 0)
    return bool(m * np.log2(1 + k * max(gap, 0) / (m * usual)) > GAP_BITS)


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


def _as_given(grid, cells, facet):
    """Return a grid with columns of one facet as the table has them."""
    others = [f for f in cells.labels if f != facet]
    if len(others) != 1 or len(cells.labels[others[0]]) != grid.shape[1]:
        return grid
    given = cells.given.get(others[0])
    return grid if given is None else grid[:, given]


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
