"""Levels whose scores cannot be chance: averages, copies, row numbers.

Each function looks at a `grid`: a row for each level of one facet, a
column for each cell of the others, NaN where nothing was scored. It yields
the code of a fault, which rows have it, and what their scores are; the
codes are listed in `plausible`.

A coincidence is told where chance would bring it less than once in a
million tables, an order where it would in a thousand. Chance is taken
from the table: what two levels have in common with a third is no evidence
that one is a copy, and witnesses that mostly agree count as one. Where
scores are coarse and systems few, as with three systems and scores of 0 or
1, a topic may well equal another, and nothing is said.
"""

from collections.abc import Iterator
from math import ceil

import numpy as np
import scipy

from gtlib.checks import count_noun

SURE_BITS = 20  # chance brings it once in a million
COARSE = 0.5  # of the levels may agree in a cell, for it to count
SAMPLE = 10**4  # scores that show how fine all are
FIRST = 32  # cells that most rows fail a test in
_GROUPS, _LEVELS = 50, 500  # of equal levels, and of levels looked at
_VARIANT_BITS = 65  # variants of a system agree on nine topics of ten,
_APART = 4  # and what is nearest to a copy differs on so many
_ALIKE = 0.7  # of the levels: two cells that agree there are one witness
_STEPS = 10  # upwards, too few for a sign that scores are sorted
_ENOUGH = 400  # cells, in which an order shows
_CORRELATED = 20  # cells that a correlation is computed of, or more
_RARE = 1e-3  # tables in which chance brings a correlation
_WEAK = 0.3  # Fisher's z, however many cells there are
_AGREE = 0.5  # of levels that agree
_ALIKE_NEIGHBOURS = 3  # standard errors

# The code, the rows (a mask or their numbers), and what their scores are.
Fault = tuple[str, np.ndarray | list[np.intp], str]


def find_averages(grid: np.ndarray) -> Iterator[Fault]:
    """Find levels whose scores are averages or sums of the others."""
    # Of two scores neither is the mean of others.
    several = (~np.isnan(grid)).sum(axis=0) > 2
    grid = grid if several.all() else grid[:, several]
    if min(grid.shape) < 2:
        return
    fine, spread, own = _fineness(grid)
    rounded = 0.501 * _last_digits(grid)[:, None]
    nearness = fine, spread, np.minimum(rounded, spread / 4)
    # Where no level is an average in the first cells, none is in all.
    first = _averages_of(grid[:, :FIRST], *nearness)
    if not any(same.any() for *_, same in first):
        return
    for name, target, near, same in _averages_of(grid, *nearness):
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


def find_indexes(grid: np.ndarray) -> Iterator[Fault]:
    """Find levels whose scores are row numbers: whole, and each there
    once."""
    grid = _shared_cells(grid)
    if min(grid.shape) < 2:
        return
    counts = _passing(grid, lambda part: part % 1 == 0)
    if not counts.any():
        return
    ordered = np.sort(grid[counts], axis=1)
    once = (np.diff(ordered) >= 1).all(axis=1) & (grid.shape[1] > 2)
    longest = grid.shape[1] - 1 if grid.shape[1] < 8 else np.inf
    counts[counts] = once & (np.ptp(ordered, axis=1) <= longest)
    whole = (grid[~counts] % 1 == 0).mean() if not counts.all() else 1
    bits = -np.log2(max(whole, 1e-3)) * grid.shape[1]
    if counts.any() and bits > SURE_BITS:
        yield "index", counts, "whole numbers, each once, beside fractions"


def find_equal_levels(grid: np.ndarray, facet: str) -> Iterator[Fault]:
    """Find levels with the same scores, or the same but in one cell."""
    grid = _shared_cells(grid)
    if min(grid.shape) < 2:
        return
    varied = np.fmax.reduce(grid, axis=1) > np.fmin.reduce(grid, axis=1)
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


def find_percentages(grid: np.ndarray) -> Iterator[Fault]:
    """Find systems in per cent beside systems in fractions."""
    top = np.fmax.reduce(grid, axis=1)
    high = top > 1
    if high.all() or not 5 < top.max() <= 100 or np.nanmin(grid) < 0:
        return
    mean = np.nanmean(grid, axis=1)
    low, rest = np.median(mean[~high]), np.median(mean[high])
    if 20 * low < rest < 500 * low and (grid[~high] % 1 > 0).any():
        few = high if high.mean() <= 0.5 else ~high
        what = (
            f"at most {top[few].max():g}, those of others "
            f"{top[~few].max():g}: percentages and fractions"
        )
        yield "percent", few, what


def find_idle_assessors(grid: np.ndarray) -> Iterator[Fault]:
    """Find assessors by whom all scores are alike, unlike others'."""
    low, high = (f.reduce(grid, axis=1) for f in (np.fmin, np.fmax))
    for i in np.flatnonzero(low == high):
        share = (np.delete(grid, i, axis=0) == low[i]).mean()
        bits = -np.log2(max(share, 1 / grid.size))
        if bits * np.isfinite(grid[i]).sum() > SURE_BITS:
            yield "idle-assessor", [i], f"all {low[i]:g}: no judgments"


def find_constant_systems(grid: np.ndarray) -> Iterator[Fault]:
    """Find systems with one score throughout: 0, which is rare among the
    worse half of the others, or one that is rare in every other system. A
    system that solves all, beside one that solves nearly all, is none."""
    n = (~np.isnan(grid)).sum(axis=1)
    low, high = (f.reduce(grid, axis=1) for f in (np.fmin, np.fmax))
    varied = high > low
    if not varied.any():
        return
    constant = np.zeros(len(grid), dtype=bool)
    for value in np.unique(low[low == high])[:_GROUPS]:
        share = (grid == value).sum(axis=1) / np.maximum(n, 1)
        others = np.sort(share[varied])
        half = others[len(others) // 2 :] if value == 0 else others[-1:]
        chance = max(half.mean(), 1 / grid.size)
        bits = -np.log2(chance) * n
        if value == 0:
            idle = (share == 1) & (bits > SURE_BITS)
            if idle.any():
                yield "zero", idle, "all 0, where others vary"
            continue
        # The first score of each system is free: it may be any.
        bits -= np.log2(len(grid)) - np.log2(chance)
        constant |= (share == 1) & (bits > SURE_BITS)
    if constant.any():
        first, *more = np.unique(low[constant])
        what = "one throughout" if more else f"all {first:g}"
        yield "constant", constant, f"{what}, where others vary"


def find_disorder(grid: np.ndarray, is_object: bool) -> Iterator[Fault]:
    """Find systems whose scores go with those of the others only if they
    are moved by a place or two or turned round, or are sorted by size; and
    levels that are low where others, which agree, are high.

    Columns stand in their order. Where neighbours among them are alike, as
    in a table that is sorted, no order is doubted. Nor is anything of more
    than a quarter of the levels: then it lies in what the scores are, as
    where each topic's have the same sum.
    """
    grid = _shared_cells(grid[:, :_ENOUGH])
    n = len(grid)
    if n < (3 if is_object else 2) or grid.shape[1] < _CORRELATED:
        return
    most = n if n == 2 else max(1, n // 4)
    grid = grid / max(np.nanmax(np.abs(grid)), 1e-300)
    scores, others = _beside_others(grid)
    here = _fisher_z(scores, others)
    # What chance brings once in a thousand tables, of so many looks.
    z = -scipy.special.ndtri(_RARE / (6 * n))
    surely = max(_WEAK, z / (grid.shape[1] - 3) ** 0.5)
    against = here < -max(_AGREE, surely)
    told = []
    if is_object:
        if _neighbours_alike(np.nanmean(grid, axis=0)[None])[0]:
            return
        against &= ~_neighbours_alike(scores - others)
        rising = _are_sorted(grid)
        told.append(("sorted by size, unlike those of others", rising))
        apart = ~rising & (np.abs(here) < surely / 2)
        for said, elsewhere in _moves(scores):
            agree = apart & (_fisher_z(elsewhere, others) > surely)
            told.append((f"like those of others only if {said}", agree))
    few = 0 < against.sum() <= most
    if few and (n == 2 or _agree(grid[~against])):
        told.append(("low where those of others are high", against))
    for what, rows in told:
        if 0 < rows.sum() <= most:
            yield "order", rows, what


def _agree(grid):
    """Return whether most levels correlate with the others."""
    return np.median(_fisher_z(*_beside_others(grid))) > _AGREE


def _neighbours_alike(rows):
    """Return in which rows neighbouring columns correlate, beyond chance,
    as they do where columns are sorted or stand in blocks."""
    rows = rows - rows.mean(axis=1, keepdims=True)
    z = np.abs(_fisher_z(rows[:, 1:], rows[:, :-1]))
    return z * (rows.shape[1] - 4) ** 0.5 > _ALIKE_NEIGHBOURS


def _are_sorted(grid):
    """Return which rows never fall, or never rise, over many steps."""
    steps = np.diff(grid, axis=1)
    known = ~np.isnan(steps)
    one_way = ~((steps < 0) & known).any(axis=1)
    one_way |= ~((steps > 0) & known).any(axis=1)
    return one_way & (((steps != 0) & known).sum(axis=1) > _STEPS)


def _moves(scores):
    """Yield scores at other places, and how they came there."""
    for by in (1, 2):
        said = f"moved by {count_noun(by, 'place')}"
        yield said, np.roll(scores, by, axis=1)
        yield said, np.roll(scores, -by, axis=1)
    yield "turned round", scores[:, ::-1]


def _beside_others(grid):
    """Return the scores of each level and the means of all others, as
    deviations from their row's mean; what is missing is 0."""
    known = ~np.isnan(grid)
    size = np.maximum(known.sum(axis=1, keepdims=True), 1)
    scores = grid - np.nansum(grid, axis=1, keepdims=True) / size
    scores = np.where(known, scores, 0)
    n = known.sum(axis=0) - known
    others = (scores.sum(axis=0) - scores) / np.maximum(n, 1)
    return scores, others - others.mean(axis=1, keepdims=True)


def _fisher_z(scores, others):
    """Return arctanh(r) of the correlation r of each row, whose mean is 0,
    with that of `others`; 0 where one has no variance."""
    products, of_scores, of_others = (
        np.einsum("ij,ij->i", a, b)
        for a, b in ((scores, others), (scores, scores), (others, others))
    )
    size, none = np.sqrt(of_scores * of_others), np.zeros(len(products))
    r = np.divide(products, size, out=none, where=size > 0)
    return np.arctanh(np.clip(r, -0.9999, 0.9999))


def _shared_cells(grid):
    """Return the columns in which two levels or more have a score."""
    missing = np.isnan(grid)
    if len(grid) > 1 and not missing.any():
        return grid
    return grid[:, (~missing).sum(axis=0) > 1]


def _fineness(grid):
    """Return the last digit of the scores, how far they lie apart, and
    how far without the means of their rows and columns, in a part of a
    large grid."""
    some = grid
    if grid.size > 10 * SAMPLE:
        rng = np.random.default_rng(0)
        for axis in (1, 0):
            size = some.shape[axis]
            most = max(FIRST * 4, 10 * SAMPLE // some.shape[1 - axis])
            chosen = rng.permutation(size)[:most]
            some = some.take(np.sort(chosen), axis)
    some = some[~np.isnan(some).all(axis=1)]
    some = some[:, ~np.isnan(some).all(axis=0)]
    apart = some - np.nanmean(some, axis=1, keepdims=True)
    apart = apart - np.nanmean(apart, axis=0)
    flat, apart = (x[~np.isnan(x)] for x in (grid, apart))
    sample = slice(None, None, ceil(len(flat) / SAMPLE))
    spread = np.ptp(np.quantile(flat[sample], [0.05, 0.95]))
    own = spread  # of a part that holds no score
    if len(apart):
        apart = apart[:: ceil(len(apart) / SAMPLE)]
        own = np.ptp(np.quantile(apart, [0.05, 0.95]))
    for scale in 10.0 ** np.arange(7):
        parts = (x * scale for x in (flat[sample], flat))
        if all((np.abs(x - np.rint(x)) < 1e-6).all() for x in parts):
            return 1 / scale, spread, own
    return 1e-9 * np.ptp(flat[sample]), spread, own


def _last_digits(grid):
    """Return the last decimal digit of each level's scores, of ten."""
    digit = np.full(len(grid), 1e-9)
    for scale in 10.0 ** -np.arange(6, -1, -1):
        digit[_passing(grid, _has_last_digit, scale)] = scale
    return digit


def _has_last_digit(grid, scale):
    """Return which scores are multiples of `scale`; missing ones are."""
    parts = grid / scale
    return ~(np.abs(parts - np.rint(parts)) > 1e-4)


def _passing(grid, test, *more):
    """Return the rows whose cells all pass a test. Most rows fail among
    the first cells, and are not looked at further."""
    rows = np.arange(len(grid))
    for part in (grid[:, :FIRST], grid):
        rows = rows[test(part[rows], *more).all(axis=1)]
    return np.isin(np.arange(len(grid)), rows)


def _averages_of(grid, fine, spread, rounded):
    """Yield what the scores of a level would be if it were an average, how
    nearly, and which levels' are: the mean of all others is the mean of
    all, and the median of all others stands between two scores."""
    n = (~np.isnan(grid)).sum(axis=0)
    some = ~np.isnan(grid).all(axis=1)
    total, ordered = np.nansum(grid, axis=0), np.sort(grid, axis=0)
    middle = np.array([n // 2 - 1, n // 2 + n % 2])
    median = np.take_along_axis(ordered, middle, axis=0).mean(axis=0)
    near = max(1e-4 * spread, min(5.1e-5, 1e-3 * spread))
    for name, target, by in (
        ("mean", total / n, fine),
        ("median", median, fine),
        ("sum", total / 2, min(fine, 1e-4) * len(grid) ** 0.5),
    ):
        near_each = np.maximum(max(near, by), rounded)
        apart = (np.abs(grid - target) > near_each).any(axis=1)
        yield name, target, near_each, some & ~apart


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
    """Return which of the used cells are independent evidence: of cells
    that agree in most levels, as in those of two similar systems, only one
    is."""
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
