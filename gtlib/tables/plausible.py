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
`percent`        refused systems in per cent beside systems in fractions
`pools`          refused pools, as said, that the judgments contradict
`range`          refused a score beyond 1, where most are fractions of it
`sentinel`       refused a sign of what is missing, such as -1 or -999
`transposed`     refused topics called run1, run2, or systems topic1, topic2
`equal`          told    systems, topics or assessors with the same scores
`negative`       told    a few scores below zero, the others in [0, 1]
`rank-order`     told    a run whose ranks contradict its scores
`several-runs`   told    several runs in one file, each a system here
`tied`           told    a run that gives all documents of a topic one score
`two-names`      told    two names that differ by capitals and blanks only
`unjudged-run`   told    a run of whose first documents none was judged
================ ======= ==================================================

A coincidence is told where chance would bring it less than once in a
million tables. Chance is taken from the table: what two levels have in
common with a third is no evidence that one is a copy, and witnesses that
mostly agree count as one. Where scores are coarse and systems few, as with
three systems and scores of 0 or 1, a topic may well equal another, and
nothing is said.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import chain, combinations, starmap
from math import ceil, prod
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gtlib.tables.cells import Cells
from gtlib.tables.checks import one_of
from gtlib.tables.scores import cell_numbers
from gtlib.tables.wording import count_noun, list_some

# Codes of what is refused unless it is allowed, and of what is reported.
REFUSED = [
    "average",
    "average-name",
    "blank-names",
    "equal-files",
    "idle-assessor",
    "index",
    "percent",
    "pools",
    "range",
    "sentinel",
    "transposed",
]
REPORTED = [
    "equal",
    "negative",
    "rank-order",
    "several-runs",
    "tied",
    "two-names",
    "unjudged-run",
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

SURE_BITS = 20  # chance brings it once in a million
COARSE = 0.5  # of the levels may agree in a cell, for it to count
_LEAST, _MOST = 50, 10**6  # cells of a level, and cells, looked at first
_WHOLE = 10**7  # cells, where something was found
SAMPLE = 10**4  # scores that show how fine all are
_GROUPS, _LEVELS = 50, 500  # of equal levels, and of levels looked at
_VARIANT_BITS = 65  # variants of a system agree on nine topics of ten,
_APART = 4  # and what is nearest to a copy differs on so many
_ALIKE = 0.7  # of the levels: two cells that agree there are one witness
FRACTIONS = 0.25  # of the scores, for a scale from 0 to 1
_JUDGED = 50  # documents whose grade is not the commonest
BELOW = 0.05  # of the scores, for one that may be negative


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
                f"{what} Mend it; or if it is right, say "
                f"gstudy(..., allow={code!r}) (--allow {code})."
            )


def suspicions(cells: Cells) -> list[Suspicion]:
    """Find faults in the content of a score table.

    Of a large table a part is looked at first, and more of it where
    something is found there.

    Examples
    --------
    >>> from gtlib.tables import as_design, read_cells
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
            faults = [*_level_faults(grid), *_equal_levels(grid, facet)]
            if facet in (cells.design.object, "assessor"):
                faults += _scale_faults(grid)
            nested = bool(cells.design.nesting[facet])
            if facet.lower() in ASSESSORS and not nested:
                faults += _idle_assessors(grid)
            if whole or not faults:
                break
        for code, members, what in faults:
            names = list_some(labels[members])
            what = f"The scores of {facet} {names} are {what}."
            doubts.append(Suspicion(code, f"{facet} {names}", what))
    # What says more of the same scores comes first.
    return sorted(doubts, key=lambda doubt: doubt.code == "range")


def name_suspicions(
    facet: str, labels: Iterable[object]
) -> list[Suspicion]:
    """Find faults in the names of a facet's levels.

    Examples
    --------
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
            "columns seem to be exchanged (--transpose)."
        )
        yield Suspicion("transposed", facet, what)


def run_suspicions(lines: pd.DataFrame, name: object) -> list[Suspicion]:
    """Find faults in the lines of a run file.

    The columns are those of `gtlib.read_run`.

    Examples
    --------
    >>> lines = {"system": ["a", "a"], "topic": ["1", "1"],
    ...          "rank": [1, 2], "score": [0.5, 0.7]}
    >>> run_suspicions(pd.DataFrame(lines), "run.txt")[0].what
    'In run.txt the ranks on 1 topic contradict the scores, which count.'
    """
    each = lines.groupby(["system", "topic"], sort=False)
    table = lines[["rank", "score"]].assign(ranking=each.ngroup())
    table = table.sort_values(
        ["ranking", "rank", "score"], ascending=[True, True, False]
    )
    same_ranking = np.diff(table["ranking"]) == 0
    contradicted = (
        same_ranking
        & (np.diff(table["rank"]) > 0)
        & (np.diff(table["score"]) > 0)
    )
    contradicting = table["ranking"].iloc[1:][contradicted].nunique()
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
    >>> ann = {"1": {"x": 0, "y": 1}}
    >>> judgment_suspicions({"ann": ann, "bob": ann})[0].what
    'ann and bob have the same judgments.'
    """
    grades = {
        assessor: {
            (t, d): g for t, docs in of.items() for d, g in docs.items()
        }
        for assessor, of in judged.items()
    }
    doubts = []
    for first, second in combinations(judged, 2):
        how = ""
        if judged[first] != judged[second]:
            how = _nearly_same(grades[first], grades[second])
        if how is not None:
            what = f"{first} and {second} have the same judgments{how}."
            where = f"judgments {first} and {second}"
            doubts.append(Suspicion("equal-files", where, what))
    return doubts


def _nearly_same(one, other):
    """Return in which way judgments differ that are nearly the same, or
    nothing. People who judge for themselves do not agree on so many
    documents without the commonest grade."""
    times = [sorted(Counter(of.values()).items()) for of in (one, other)]
    counts = [[n for _, n in of] for of in times]
    if len(counts[0]) != len(counts[1]) or sum(counts[0]) < _JUDGED + max(
        counts[0]
    ):
        return None
    if max(abs(a - b) for a, b in zip(*counts, strict=True)) > 1:
        return None
    partner = dict(zip(*([g for g, _ in of] for of in times), strict=True))
    apart = len(one.keys() ^ other.keys()) + sum(
        partner[grade] != other[key]
        for key, grade in one.items()
        if key in other
    )
    if apart > 1:
        return None
    renumbered = any(grade != its for grade, its in partner.items())
    how = " with other numbers for the grades" if renumbered else ""
    return f"{how} but in one line" if apart else how


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
    beyond = (np.abs(scores) > 1) & (scores != sign)
    if beyond.any() and _within_one(scores) | _one_level(cells, beyond):
        first = scores[beyond.argmax()]
        what = (
            f"{_count_of(beyond, 'lie')} outside of [0, 1], as {first:g} "
            f"does{_whose(cells, beyond)}, and most others inside: a lost "
            "decimal point, percentages, or no scores?"
        )
        yield Suspicion("range", f"score {first:g}", what)
    below = scores[scores < 0]
    if scores.max() <= 1 and 0 < 100 * len(below) <= len(scores):
        rest = scores[scores >= 0]
        tail = np.quantile(rest, 0.05) - rest.min()
        if rest.min() - below.max() > 3 * tail:
            what = (
                f"{_count_of(scores < 0, 'lie')} below zero, as "
                f"{below.min():g} does, and all others in [0, 1]."
            )
            yield Suspicion("negative", f"score {below.min():g}", what)


def _missing_sign(cells):
    """Return the number that stands for what is missing, or nothing: a
    whole number apart from all the others, in any number of cells."""
    scores = cells.scores
    low, high = scores.min(), scores.max()
    for value in (low, high):
        rest = scores[(scores != value) & ~_written_for_missing(scores)]
        if 0 <= value <= 1 or value % 1 or not len(rest):
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
    just below, as those of a measure do that may be negative."""
    fractions = (scores > 0) & (scores < 1)
    inside = (scores >= 0) & (scores <= 1)
    below = (scores > -1) & (scores < 0)
    return (
        inside.mean() > 0.5
        and fractions.mean() > FRACTIONS
        and below.mean() < BELOW
    )


def _one_level(cells, beyond):
    """Return whether one level of some facet holds all that is beyond 1,
    and little else, where all others are scored 0 or 1."""
    if not np.isin(cells.scores[~beyond], (0, 1)).all():
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
    """Say how many scores are marked, and what these do."""
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


def _level_faults(grid):
    """Find levels whose scores are averages, numbers or copies of others:
    their code, which levels, and what their scores are."""
    n = (~np.isnan(grid)).sum(axis=0)
    grid, n = grid[:, n > 1], n[n > 1]
    if min(grid.shape) < 2:
        return
    fine, spread, own = _fineness(grid)
    rounded = 0.501 * _last_digits(grid)[:, None]
    for name, target, near in _possible_averages(grid, n, fine, spread):
        near = np.maximum(near, np.minimum(rounded, spread / 4))
        same = ~(np.abs(grid - target) > near).any(axis=1)
        most = 1 if name == "median" else 3  # twins have medians as well
        if 0 < same.sum() <= min(most, len(grid) - 2):
            target = np.where(np.isnan(grid[same][0]), np.nan, target)
            near = near[same].max()
            by = max(near, fine)
            bits = _surprise(target, grid[~same], by, own, near)
            # The level's own mean is free: the nearest of so many.
            bits += _bits(by, spread) - _bits(by, own)
            if bits - np.log2(len(grid)) > SURE_BITS:
                yield "average", same, f"the {name} of the others, each"
    counts = (grid % 1 == 0).all(axis=1)
    ordered = np.sort(grid[counts], axis=1)
    once = (np.diff(ordered) >= 1).all(axis=1) & (grid.shape[1] > 2)
    longest = grid.shape[1] - 1 if grid.shape[1] < 8 else np.inf
    counts[counts] = once & (np.ptp(ordered, axis=1) <= longest)
    whole = (grid[~counts] % 1 == 0).mean() if not counts.all() else 1
    if counts.any() and -np.log2(max(whole, 1e-3)) * len(n) > SURE_BITS:
        yield "index", counts, "whole numbers, each once, beside fractions"


def _equal_levels(grid, facet):
    """Find levels with the same scores, or the same but in one cell."""
    grid = grid[:, (~np.isnan(grid)).sum(axis=0) > 1]
    if min(grid.shape) < 2:
        return
    varied = np.nanmax(grid, axis=1) > np.nanmin(grid, axis=1)
    known = np.nan_to_num(grid, nan=-np.pi)
    ordered = np.empty(0)
    for same, apart in _same_levels(known, varied):
        if not len(ordered):
            ordered = np.sort(known, axis=None)
        target, others = known[same][0], known[~same]
        chance, own = _chance_of_equals(ordered, target, others)
        if facet != "system":  # few solved both: most scores are alike
            chance[own > COARSE] = 1
        chance[(known[same] != target).any(axis=0)] = 1
        used = (chance <= COARSE) & (target != -np.pi)
        differ = others != target
        nearest = (
            differ[differ.sum(axis=1).argmin()] if len(others) else used
        )
        needed = SURE_BITS
        if facet == "system":
            used &= nearest.sum() >= _APART
            needed = _VARIANT_BITS * (1 + apart / 2)
        else:
            used &= nearest
        if facet not in ("system", "assessor"):  # systems are witnesses
            used = _independent(known, used, chance)
        bits = -np.log2(chance[used]).sum()
        pairs = len(grid) * (len(grid) - 1) / 2
        ways = pairs * len(target) ** apart
        if bits - np.log2(ways) > needed:
            but = f" but in {count_noun(apart, 'cell')}" if apart else ""
            yield "equal", same, f"the same{but}"


def _same_levels(known, varied):
    """Yield which levels agree in every cell, and which pairs in all but
    one: these agree in one half of the cells. Levels that are constant,
    as topics that nobody solved, are passed over."""
    weights = np.random.default_rng(0).normal(size=known.shape[1])
    half = np.arange(len(weights)) % 2
    whole, pairs = np.ones(len(half)), set()
    for part in (whole, half, 1 - half):
        key = (known @ (weights * part)).round(9)
        key[~varied] = np.arange(1, len(key) + 1)[~varied] * 1e9
        _, group, size = np.unique(
            key, return_inverse=True, return_counts=True
        )
        for number in np.flatnonzero(size > 1)[:_GROUPS]:
            members = np.flatnonzero(group == number)
            apart = (known[members] != known[members[0]]).sum(axis=1)
            if part is whole and (apart == 0).sum() > 1:
                yield np.isin(np.arange(len(key)), members[apart == 0]), 0
            pairs |= {(members[0], m) for m in members[apart == 1]}
    for pair in sorted(pairs):
        yield np.isin(np.arange(len(known)), pair), 1


def _scale_faults(grid):
    """Find systems in per cent beside systems in fractions."""
    top, mean = np.nanmax(grid, axis=1), np.nanmean(grid, axis=1)
    high = top > 1
    within = np.nanmin(grid) >= 0 and 5 < top.max() <= 100
    if not within or high.all() or not high.any():
        return
    low, rest = np.median(mean[~high]), np.median(mean[high])
    if 20 * low < rest < 500 * low and (grid[~high] % 1 > 0).any():
        few = high if high.mean() <= 0.5 else ~high
        what = (
            f"at most {top[few].max():g}, those of others "
            f"{top[~few].max():g}: percentages and fractions"
        )
        yield "percent", few, what


def _idle_assessors(grid):
    """Find assessors by whom all scores are alike, unlike others'."""
    low, high = np.nanmin(grid, axis=1), np.nanmax(grid, axis=1)
    for i in np.flatnonzero(low == high):
        share = (np.delete(grid, i, axis=0) == low[i]).mean()
        bits = -np.log2(max(share, 1 / grid.size))
        if bits * np.isfinite(grid[i]).sum() > SURE_BITS:
            yield "idle-assessor", [i], f"all {low[i]:g}: no judgments"


def _fineness(grid):
    """Return the last digit of the scores, how far they lie apart, and
    how far without the means of their rows and columns."""
    rows = np.nanmean(grid, axis=1, keepdims=True)
    apart = grid - rows - np.nanmean(grid - rows, axis=0)
    flat = grid[~np.isnan(grid)]
    apart = apart[~np.isnan(apart)]
    sample = slice(None, None, ceil(len(flat) / SAMPLE))
    spread = np.ptp(np.quantile(flat[sample], [0.05, 0.95]))
    own = np.ptp(np.quantile(apart[sample], [0.05, 0.95]))
    for scale in 10.0 ** np.arange(7):
        parts = (x * scale for x in (flat[sample], flat))
        if all((np.abs(x - np.rint(x)) < 1e-6).all() for x in parts):
            return 1 / scale, spread, own
    return 1e-9 * np.ptp(flat[sample]), spread, own


def _last_digits(grid):
    """Return the last decimal digit of each level's scores, of ten."""
    digit = np.full(len(grid), 1e-9)
    for scale in 10.0 ** -np.arange(6, -1, -1):
        apart = grid / scale - np.rint(grid / scale)
        digit[~(np.abs(apart) > 1e-4).any(axis=1)] = scale
    return digit


def _possible_averages(grid, n, fine, spread):
    """Yield what the scores of a level would be if it were an average,
    and how nearly: the mean of all others is the mean of all, and the
    median of all others stands between two scores."""
    if n.min() > 2:
        total, ordered = np.nansum(grid, axis=0), np.sort(grid, axis=0)
        middle = np.array([n // 2 - 1, n // 2 + n % 2])
        median = np.take_along_axis(ordered, middle, axis=0).mean(axis=0)
        near = max(1e-4 * spread, min(5.1e-5, 1e-3 * spread))
        yield "mean", total / n, max(near, fine)
        yield "median", median, max(near, fine)
        by = max(near, min(fine, 1e-4) * len(grid) ** 0.5)
        yield "sum", total / 2, by


def _surprise(target, others, fine, own, near):
    """Return how unlikely it is, in bits, that a level agrees with a
    target by chance. Each cell counts by the share of other levels that
    agree there, and by how fine the scores are. A cell where many agree
    counts nothing: all may agree on an easy topic."""
    chance = (np.abs(others - target) <= near).sum(axis=0)
    chance = np.maximum(chance / (len(others) + 1), 2 ** -_bits(fine, own))
    used = ~np.isnan(target) & (chance <= COARSE)
    return -np.log2(chance[used]).sum()


def _chance_of_equals(ordered, target, others):
    """Return how likely two levels that are no copies agree in a cell, for
    each: the share of others that agree there, or of cells that hold this
    score (`ordered` are all); where there are no others, a half. And the
    share of cells with this score in the level itself."""
    ends = (
        np.searchsorted(ordered, target, side) for side in ("right", "left")
    )
    times = np.subtract(*ends)
    _, place, own_times = np.unique(
        target, return_inverse=True, return_counts=True
    )
    copies = len(ordered) / len(target) - len(others) - 1
    size = (len(others) + 1) * len(target)
    often = (times - copies * own_times[place]) / size
    own = own_times[place] / len(target)
    if not len(others):
        return np.maximum(often, COARSE), own
    agree = (others == target).sum(axis=0) / (len(others) + 1)
    return np.maximum(agree, often), own


def _independent(known, used, chance):
    """Return which of the cells that are used are witnesses by themselves:
    of cells that agree in most levels, as those of two similar systems do,
    one."""
    some = known[:: ceil(len(known) / _LEVELS)]
    witnesses, left = np.zeros_like(used), used.copy()
    for cell in np.argsort(chance)[:_LEVELS]:
        if left[cell]:
            witnesses[cell] = True
            left &= (some == some[:, [cell]]).mean(axis=0) <= _ALIKE
    return witnesses


def _bits(fine, spread):
    """Return how unlikely it is, in bits, that two scores lie this near."""
    return -np.log2(3 * fine / (3 * fine + spread)) if spread else 0.0
