"""Whether scores are what they seem: their content, and not their form.

A table may be well formed and hold what is no score: an average of the
rest, an index, a sign for what is missing. What makes numbers wrong is
refused, unless it is allowed by its code; what may be right is told.

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
from math import prod
from typing import NamedTuple

import numpy as np
import pandas as pd

from gtlib.tables.cells import Cells
from gtlib.tables.checks import one_of
from gtlib.tables.scores import cell_numbers
from gtlib.tables.wording import count, some

# What is looked for; of it, what is refused unless it is allowed.
REFUSED = "average average-name blank-names equal-files idle-assessor index"
REFUSED += " percent pools sentinel"
TOLD = "equal negative rank-order several-runs tied two-names unjudged-run"
CODES = f"{REFUSED} {TOLD}".split()

AVERAGE = "all|a?mean|average|avg|median|overall|sum|total"
INDEX = r"index|level_\d+|unnamed: ?\d+"

_BITS = 20  # chance brings it once in a million
_COARSE = 0.5  # of the levels may agree in a cell, for it to count
_LEAST, _MOST = 50, 10**6  # cells of a level, and cells, looked at first
_WHOLE = 10**7  # cells, where something was found
_SAMPLE = 10**4  # scores that show how fine all are
_GROUPS = 50  # of equal levels


class Suspicion(NamedTuple):
    """One of `CODES`, where it is, and what there is, as a sentence."""

    code: str
    where: str
    what: str


def refuse(
    found: Iterable[Suspicion], allow: str | Collection[str] = ()
) -> None:
    """Refuse what makes numbers wrong and is not allowed.

    Raises
    ------
    ValueError
        For the first such suspicion; or if `allow` has none of `CODES`.
    """
    allowed = [allow] if isinstance(allow, str) else [*allow]
    for code in allowed:
        one_of(code, "allow (--allow)", CODES)
    for code, _, what in found:
        if code in REFUSED.split() and code not in allowed:
            raise ValueError(
                f"{what} Mend it; or if it is right, say allow={code!r} "
                f"(--allow {code})."
            )


def suspicions(cells: Cells) -> list[Suspicion]:
    """What of a table of scores seems to be no score, or to be wrong.

    Of a large table a part is looked at, and more where something is found
    there.

    Examples
    --------
    >>> from gtlib.tables import as_design, read_cells
    >>> table = np.random.default_rng(0).random((5, 8))
    >>> table[:, 7] = table[:, :7].mean(axis=1)
    >>> cells = read_cells(table, as_design("system x topic"))
    >>> [(found.code, found.where) for found in suspicions(cells)]
    [('average', 'topic 8')]
    """
    found = [*_of_range(cells.scores)]
    for facet, labels in cells.labels.items():
        found += of_names(facet, labels)
        for most in (_MOST, _WHOLE):
            grid, whole = _grid(cells, facet, most)
            told = [*_of_levels(grid)]
            if facet == cells.design.object:
                told += _of_scales(grid)
            if facet == "assessor" and not cells.design.nesting[facet]:
                told += _idle(grid)
            if whole or not told:
                break
        for code, members, what in told:
            names = some(labels[members])
            what = f"The scores of {facet} {names} are {what}."
            found.append(Suspicion(code, f"{facet} {names}", what))
    return found


def of_names(facet: str, labels: Iterable[object]) -> list[Suspicion]:
    """What the names of a facet's levels say.

    Examples
    --------
    >>> [code for code, *_ in of_names("system", ["BM25 ", "bm25", "All"])]
    ['two-names', 'average-name']
    """
    found = []
    seen: dict[str, str] = {}
    for label in (name for name in labels if isinstance(name, str)):
        name, code = label.strip().casefold(), ""
        for kind, names in ("average-name", AVERAGE), ("index", INDEX):
            if re.fullmatch(names, name):
                code, what = kind, "is called like an average or an index"
        if (other := seen.setdefault(name, label)) != label:
            blanks = other.strip() == label.strip()
            code = "blank-names" if blanks else "two-names"
            by = "blanks" if blanks else "capitals or blanks"
            what = f"differs from {other!r} by {by} only"
        if code:
            what = f"The {facet} {label!r} {what}."
            found.append(Suspicion(code, f"{facet} {label}", what))
    return found


def of_run(lines: pd.DataFrame, name: object) -> list[Suspicion]:
    """What the lines of a run file say, as `gtlib.read_run` names them.

    Examples
    --------
    >>> lines = {"system": ["a", "a"], "topic": ["1", "1"],
    ...          "rank": [1, 2], "score": [0.5, 0.7]}
    >>> of_run(pd.DataFrame(lines), "run.txt")[0].what
    'In run.txt the ranks on 1 topic contradict the scores, which count.'
    """
    each = lines.groupby(["system", "topic"], sort=False)
    of, size, tags = each.ngroup(), each.size(), lines["system"].unique()
    rank, score = lines["rank"], lines["score"]
    order = lines.index[np.lexsort((-score, rank, of))]
    of, rank, score = (c[order].to_numpy() for c in (of, rank, score))
    worse = (np.diff(rank) > 0) & (np.diff(score) > 0)
    odd = len({*of[1:][worse & (np.diff(of) == 0)]})
    tied = (each["score"].max() == each["score"].min())[size > 1]
    said = {}
    if len(tags) > 1:
        said["several-runs"] = f"{name} has several runs: {some(tags)}."
    if odd:
        said["rank-order"] = (
            f"In {name} the ranks on {count(odd, 'topic')} contradict the "
            "scores, which count."
        )
    if tied.mean() > 0.5:
        n = count(int(tied.sum()), "topic")
        said["tied"] = f"In {name} all documents of {n} have one score."
    return [Suspicion(c, f"file {name}", s) for c, s in said.items()]


def _of_range(scores):
    """Scores that are far from all others."""
    low, high = scores.min(), scores.max()
    for value in (v for v in (low, high) if not 0 <= v <= 1):
        rest = scores[scores != value]
        times = len(scores) - len(rest)
        if not len(rest) or times > max(1, len(scores) / 20):
            continue
        least, most = rest.min(), np.abs(rest).max()
        beyond = most * (9 if (rest % 1 == 0).all() else 1)
        sign = value <= -beyond and value % 1 == 0 and least >= 0
        if sign or 1 < abs(value) > 50 * most > 0:
            what = (
                f"{count(times, 'score')} of {len(scores)} stand at "
                f"{value:g}, and all others between {least:g} and "
                f"{rest.max():g}: a sign for what is missing?"
            )
            yield Suspicion("sentinel", f"score {value:g}", what)
            return
    below = scores[scores < 0] if low < 0 and high <= 1 else scores[:0]
    if 0 < 100 * len(below) <= len(scores):
        rest = scores[scores >= 0]
        tail = np.quantile(rest, 0.05) - rest.min()
        if rest.min() - below.max() > 3 * tail:
            what = (
                f"{count(len(below), 'score')} of {len(scores)} lie below "
                f"zero, as {low:g} does, and all others in [0, 1]."
            )
            yield Suspicion("negative", f"score {low:g}", what)


def _grid(cells, facet, most):
    """The mean scores of a facet's levels in the cells of all facets that
    it is crossed with, or in some of these; and whether they are all."""
    design, levels = cells.design, len(cells.labels[facet])
    nesting = design.nesting
    crossed = [
        f
        for f in design.facets
        if f not in nesting[facet] | {facet} and facet not in nesting[f]
    ]
    sizes = [len(cells.labels[f]) for f in crossed]
    step = -(-prod(sizes) // max(_LEAST, most // levels))
    columns = -(-prod(sizes) // step)
    if crossed and cells.balanced and not any(nesting.values()):
        each = cells.scores.reshape(cells.shape)
        each = np.moveaxis(each, design.facets.index(facet), 0)
        taken = np.unravel_index(np.arange(columns) * step, sizes)
        return each[(slice(None), *taken)], step == 1
    place = cell_numbers({f: cells.codes[f] for f in crossed}, cells.labels)
    place = np.broadcast_to(place, cells.scores.shape)
    taken = place % step == 0
    place = (cells.codes[facet] * columns + place // step)[taken]
    n, sums = (
        np.bincount(place, weights, levels * columns)
        for weights in (None, cells.scores[taken])
    )
    with np.errstate(invalid="ignore"):
        return (sums / n).reshape(levels, columns), step == 1


def _of_levels(grid):
    """Codes, numbers of levels, and what their scores are."""
    n = (~np.isnan(grid)).sum(axis=0)
    grid, n = grid[:, n > 1], n[n > 1]
    if min(grid.shape) < 2:
        return
    fine, spread, own = _fineness(grid)
    for name, target, near in _averages(grid, n, fine, spread):
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
        one, others = grid[same][0], grid[~same]
        bits = _surprise(one, others, fine, own)
        if same.sum() > 1 and bits - 2 * np.log2(len(grid)) > _BITS:
            yield "equal", same, "the same"


def _of_scales(grid):
    """Systems in per cent beside systems in fractions."""
    top, mean = np.nanmax(grid, axis=1), np.nanmean(grid, axis=1)
    high = top > 1
    within = np.nanmin(grid) >= 0 and 5 < top.max() <= 100
    if not within or high.all() or not high.any():
        return
    low, rest = np.median(mean[~high]), np.median(mean[high])
    if 20 * low < rest < 500 * low and (grid[~high] % 1 > 0).any():
        few = high if high.mean() <= 0.5 else ~high
        most = [f"{top[of].max():g}" for of in (few, ~few)]
        what = "at most {}, those of others {}: percentages and fractions"
        yield "percent", few, what.format(*most)


def _idle(grid):
    """Assessors by whom all scores are alike, unlike those of others."""
    low, high = np.nanmin(grid, axis=1), np.nanmax(grid, axis=1)
    for i in np.flatnonzero(low == high):
        share = (np.delete(grid, i, axis=0) == low[i]).mean()
        bits = -np.log2(max(share, 1 / grid.size))
        if bits * np.isfinite(grid[i]).sum() > _BITS:
            yield "idle-assessor", [i], f"all {low[i]:g}: no judgments"


def _fineness(grid):
    """The last digit of scores, how far they lie apart, and how far if
    their rows' and columns' means are taken off."""
    rows = np.nanmean(grid, axis=1, keepdims=True)
    apart = grid - rows - np.nanmean(grid - rows, axis=0)
    flat, apart = grid[~np.isnan(grid)], apart[~np.isnan(apart)]
    sample = slice(None, None, -(-len(flat) // _SAMPLE))
    spread, own = (
        np.ptp(np.quantile(x[sample], [0.05, 0.95])) for x in (flat, apart)
    )
    for scale in 10.0 ** np.arange(7):
        parts = (x * scale for x in (flat[sample], flat))
        if all((np.abs(x - np.rint(x)) < 1e-6).all() for x in parts):
            return 1 / scale, spread, own
    return 1e-9 * np.ptp(flat[sample]), spread, own


def _averages(grid, n, fine, spread):
    """What scores of a level are if it is an average, and how nearly: the
    mean of all others is that of all, the median stands between two."""
    if n.min() > 2:
        total, ordered = np.nansum(grid, axis=0), np.sort(grid, axis=0)
        both = np.array([n // 2 - 1, n // 2 + n % 2])
        median = np.take_along_axis(ordered, both, axis=0).mean(axis=0)
        near = max(1e-4 * spread, min(5.1e-5, 1e-3 * spread))
        yield "mean", total / n, max(near, fine)
        yield "median", median, max(near, fine)
        by = max(near, min(fine, 1e-4) * len(grid) ** 0.5)
        yield "sum", total / 2, by


def _surprise(target, others, fine, own, near=0.0):
    """How unlikely it is that a level agrees with a target, in bits: of
    each cell, by the other levels that do, and by how fine scores are. A
    cell where many do counts for nothing: chance makes these alike many at
    a time, as an easy topic does."""
    chance = (np.abs(others - target) <= near).sum(axis=0)
    chance = np.maximum(chance / (len(others) + 1), 2 ** -_bits(fine, own))
    if not near:
        every = np.append(others, target)
        values, times = np.unique(every, return_counts=True)
        often = times[np.searchsorted(values, target)]
        chance = np.maximum(chance, often / every.size)
    used = ~np.isnan(target) & (chance <= _COARSE)
    return -np.log2(chance[used]).sum()


def _bits(fine, spread):
    """How unlikely a score is as near as this to another, in bits."""
    return -np.log2(3 * fine / (3 * fine + spread)) if spread else 0.0
