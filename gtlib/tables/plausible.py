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
`equal-files`    refused two files with the same judgments
`idle-assessor`  refused an assessor by whom all scores are alike
`index`          refused numbers that count, or a name such as index
`percent`        refused systems in per cent beside systems in fractions
`pools`          refused pools, as said, that the judgments contradict
`sentinel`       refused a score that is far from all others, such as -999
`equal`          told    systems, topics or assessors with the same scores
`negative`       told    a few scores below zero, the others in [0, 1]
`rank-order`     told    a run whose ranks contradict its scores
`several-runs`   told    several runs in one file, each a system here
`tied`           told    a run that gives all documents of a topic one score
`two-names`      told    two names that differ by capitals and blanks only
`unjudged-run`   told    a run of whose first documents none was judged
================ ======= ==================================================

A coincidence is told where chance would bring it less than once in a
million tables. Where scores are coarse and systems few, as with three
systems and scores of 0 or 1, a topic may well equal another, and nothing
is said.
"""

import re
from collections.abc import Collection, Iterable
from math import ceil, prod
from typing import NamedTuple

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
    "sentinel",
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

_BITS = 20  # chance brings it once in a million
_COARSE = 0.5  # of the levels may agree in a cell, for it to count
_LEAST, _MOST = 50, 10**6  # cells of a level, and cells, looked at first
_WHOLE = 10**7  # cells, where something was found
_SAMPLE = 10**4  # scores that show how fine all are
_GROUPS = 50  # of equal levels


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
                f"{what} Mend it; or if it is right, say allow={code!r} "
                f"(--allow {code})."
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
    doubts = [*_range_suspicions(cells.scores)]
    for facet, labels in cells.labels.items():
        doubts += name_suspicions(facet, labels)
        for most in (_MOST, _WHOLE):
            grid, whole = _grid(cells, facet, most)
            faults = [*_level_faults(grid)]
            if facet == cells.design.object:
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
    return doubts


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
    doubts = []
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


def _range_suspicions(scores):
    """Find scores that are far from all others."""
    low, high = scores.min(), scores.max()
    for value in (low, high):
        rest = scores[scores != value]
        times = len(scores) - len(rest)
        usual = 0 <= value <= 1 or times > max(1, len(scores) / 20)
        if usual or not len(rest):
            continue
        least, most = rest.min(), np.abs(rest).max()
        beyond = most * (9 if (rest % 1 == 0).all() else 1)
        sign = value <= -beyond and value % 1 == 0 and least >= 0
        if sign or 1 < abs(value) > 50 * most > 0:
            what = (
                f"{count_noun(times, 'score')} of {len(scores)} stand at "
                f"{value:g}, and all others between {least:g} and "
                f"{rest.max():g}: a sign for what is missing?"
            )
            yield Suspicion("sentinel", f"score {value:g}", what)
            return
    below = scores[scores < 0]
    if high <= 1 and 0 < 100 * len(below) <= len(scores):
        rest = scores[scores >= 0]
        tail = np.quantile(rest, 0.05) - rest.min()
        if rest.min() - below.max() > 3 * tail:
            what = (
                f"{count_noun(len(below), 'score')} of {len(scores)} lie "
                f"below zero, as {low:g} does, and all others in [0, 1]."
            )
            yield Suspicion("negative", f"score {low:g}", what)


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
    for name, target, near in _possible_averages(grid, n, fine, spread):
        same = ~(np.abs(grid - target) > near).any(axis=1)
        most = 1 if name == "median" else 3  # twins have medians as well
        if 0 < same.sum() <= min(most, len(grid) - 2):
            target = np.where(np.isnan(grid[same][0]), np.nan, target)
            by = max(near, fine)
            bits = _surprise(target, grid[~same], by, own, near)
            # The level's own mean is free: the nearest of so many.
            bits += _bits(by, spread) - _bits(by, own)
            if bits - np.log2(len(grid)) > _BITS:
                yield "average", same, f"the {name} of the others, each"
    counts = (grid % 1 == 0).all(axis=1)
    ordered = np.sort(grid[counts], axis=1)
    once = (np.diff(ordered) >= 1).all(axis=1) & (grid.shape[1] > 2)
    longest = grid.shape[1] - 1 if grid.shape[1] < 8 else np.inf
    counts[counts] = once & (np.ptp(ordered, axis=1) <= longest)
    if counts.any() and (grid % 1 > 0).any(axis=1).mean() > 0.5:
        yield "index", counts, "whole numbers, each once, beside fractions"
    known = np.nan_to_num(grid, nan=-np.pi)
    key = known @ np.random.default_rng(0).normal(size=len(n))
    _, group, size = np.unique(
        key.round(9), return_inverse=True, return_counts=True
    )
    for number in np.flatnonzero(size > 1)[:_GROUPS]:
        first = known[group == number][0]
        same = (known == first).all(axis=1)
        target, others = grid[same][0], grid[~same]
        bits = _surprise(target, others, fine, own)
        if same.sum() > 1 and bits - 2 * np.log2(len(grid)) > _BITS:
            yield "equal", same, "the same"


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
        if bits * np.isfinite(grid[i]).sum() > _BITS:
            yield "idle-assessor", [i], f"all {low[i]:g}: no judgments"


def _fineness(grid):
    """Return the last digit of the scores, how far they lie apart, and
    how far without the means of their rows and columns."""
    rows = np.nanmean(grid, axis=1, keepdims=True)
    apart = grid - rows - np.nanmean(grid - rows, axis=0)
    flat = grid[~np.isnan(grid)]
    apart = apart[~np.isnan(apart)]
    sample = slice(None, None, ceil(len(flat) / _SAMPLE))
    spread = np.ptp(np.quantile(flat[sample], [0.05, 0.95]))
    own = np.ptp(np.quantile(apart[sample], [0.05, 0.95]))
    for scale in 10.0 ** np.arange(7):
        parts = (x * scale for x in (flat[sample], flat))
        if all((np.abs(x - np.rint(x)) < 1e-6).all() for x in parts):
            return 1 / scale, spread, own
    return 1e-9 * np.ptp(flat[sample]), spread, own


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


def _surprise(target, others, fine, own, near=0.0):
    """Return how unlikely it is, in bits, that a level agrees with a
    target by chance. Each cell counts by the share of other levels that
    agree there, and by how fine the scores are. A cell where many agree
    counts nothing: all may agree on an easy topic."""
    chance = (np.abs(others - target) <= near).sum(axis=0)
    chance = np.maximum(chance / (len(others) + 1), 2 ** -_bits(fine, own))
    if not near:
        scores = np.append(others, target)
        values, times = np.unique(scores, return_counts=True)
        often = times[np.searchsorted(values, target)]
        chance = np.maximum(chance, often / scores.size)
    used = ~np.isnan(target) & (chance <= _COARSE)
    return -np.log2(chance[used]).sum()


def _bits(fine, spread):
    """Return how unlikely it is, in bits, that two scores lie this near."""
    return -np.log2(3 * fine / (3 * fine + spread)) if spread else 0.0
