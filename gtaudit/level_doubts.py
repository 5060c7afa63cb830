"""Levels whose scores cannot be chance: summaries, copies, row numbers.

Each function looks at a `grid`: a row for each level of one facet, a
column for each cell of the others, NaN where nothing was scored. It yields
the code of a doubt, which rows it is about, and what their scores are; the
codes are listed in `doubts`.

A coincidence is told where chance would bring it less than once in a
million tables. Chance is taken from the table: what two levels have in
common with a third is no evidence that one is a copy, and witnesses that
mostly agree count as one. Where scores are coarse and systems few, as with
three systems and scores of 0 or 1, a topic may well equal another, and
nothing is said.
"""

from collections.abc import Iterator
from math import ceil, lgamma, log, log2

import numpy as np

SURE_BITS = 20  # chance brings it once in a million
COARSE = 0.5  # of the levels may agree in a cell, for it to count
SAMPLE = 10**4  # scores that show how fine all are
FIRST = 32  # cells that most rows fail a test in
_GROUPS, _LEVELS = 50, 500  # of equal levels, and of levels looked at
_VARIANT_BITS = 65  # variants of a system agree on nine topics of ten,
_APART = 4  # and what is nearest to a copy differs on so many
_ALIKE = 0.7  # of the levels: two cells that agree there are one witness
_MISSING = 0.25  # of a system's cells, for zeros that may be missing
_SPREADS = 6  # usual distances between systems, of fractions from per cent
_ZEROS = 0.05  # of the cells of others, at least, are zero
_GRADES, _SYSTEMS = 8, 5  # that show who is good where it is not zero
_PASSED = 10  # systems that show how many points a topic has
_TOP_BITS = 3  # of any highest mark, that nobody has more

# The code, the rows (a mask or their numbers), and what their scores are.
Found = tuple[str, np.ndarray | list[np.intp], str]


def find_level_doubts(
    grid: np.ndarray, is_object: bool, is_assessor: bool, is_nested: bool
) -> Iterator[Found]:
    """Find what is doubtful in the levels of one facet."""
    yield from find_summaries(grid)
    yield from find_counts(grid)
    yield from find_copies(grid, is_object, is_assessor)
    if is_object or is_assessor:
        yield from find_percentages(grid)
    if is_object or (is_assessor and not is_nested):
        yield from find_constants(grid)
        yield from find_zeros(grid)
    if not is_object and not is_assessor:
        yield from find_points(grid)


def find_summaries(grid: np.ndarray) -> Iterator[Found]:
    """Find levels whose scores are summaries of the others."""
    # Of two scores neither is the mean of others.
    several = (~np.isnan(grid)).sum(axis=0) > 2
    grid = grid if several.all() else grid[:, several]
    if min(grid.shape) < 2:
        return
    fine, spread, own = _fineness(grid)
    rounded = 0.501 * _last_digits(grid)[:, None]
    nearness = fine, spread, np.minimum(rounded, spread / 4)
    # Where no level is an average in the first cells, none is in all.
    first = _summaries_of(grid[:, :FIRST], *nearness)
    if not any(same.any() for *_, same in first):
        return
    for name, target, near, same in _summaries_of(grid, *nearness):
        # Twins have medians as well, and the best is a maximum.
        most = 1 if name in ("median", "maximum") else 3
        if 0 < same.sum() <= min(most, len(grid) - 2):
            target = np.where(np.isnan(grid[same][0]), np.nan, target)
            near = near[same].max()
            by = max(near, fine)
            bits = _surprise(target, grid[~same], by, own, near)
            if name == "maximum":  # the best may often have the best score
                bits = _surprise_of_best(target, grid[~same], near)
            # The level's own mean is free: the nearest of so many.
            bits += _bits(by, spread) - _bits(by, own)
            if bits - np.log2(len(grid)) > SURE_BITS:
                yield "summary", same, f"the {name} of the others, each"


def find_counts(grid: np.ndarray) -> Iterator[Found]:
    """Find levels whose scores number the cells, in their order or by
    rank: whole numbers that the others do not have."""
    if min(grid.shape) < 2:
        return
    grid = _shared_cells(grid)
    n = grid.shape[1]
    if n < 3:
        return
    steps = np.diff(grid[:, :2], axis=1)
    rows = np.flatnonzero(_passing(grid, lambda part: part % 0.5 == 0))
    ranked = np.zeros(len(grid), dtype=bool)
    ordered = np.sort(grid[rows], axis=1)
    for side in ("left", "both"):
        ranked[rows] |= (ordered == _ranks_of(ordered, side)).all(axis=1)
    counted = np.zeros(len(grid), dtype=bool)
    counted[rows] = (np.diff(grid[rows], axis=1) == steps[rows]).all(axis=1)
    counted &= np.isin(steps[:, 0], (-1, 1))
    for code, some, what in (
        ("index", counted, "numbers that only count"),
        ("ranks", ranked & ~counted, "ranks"),
    ):
        if not some.any() or some.mean() > 0.5:
            continue
        rest = np.sort(grid[~some], axis=None)
        rest = rest[~np.isnan(rest)]
        found = np.zeros(len(grid), dtype=bool)
        for row in np.flatnonzero(some)[:_GROUPS]:
            value, times = np.unique(grid[row], return_counts=True)
            ends = (
                np.searchsorted(rest, value, s) for s in ("right", "left")
            )
            share = np.maximum(np.subtract(*ends), 1) / max(len(rest), 1)
            if 2 * len(value) < n:  # hardly an order
                continue
            bits = -(times * np.log2(share)).sum()
            if code == "ranks":  # in any order
                bits -= (lgamma(n + 1) - sum(map(lgamma, times + 1))) / log(
                    2
                )
            found[row] = bits - log2(len(grid)) > SURE_BITS
        if found.any():
            yield code, found, f"{what}, beside others that do not"


def _ranks_of(ordered, side):
    """Return the ranks of sorted rows: of equal ones the first, or the mean
    of first and last."""
    low = np.array([np.searchsorted(r, r, "left") for r in ordered]) + 1.0
    if side == "left":
        return low.reshape(ordered.shape)
    high = np.array([np.searchsorted(r, r, "right") for r in ordered])
    return ((low + high) / 2).reshape(ordered.shape)


def find_copies(
    grid: np.ndarray, is_object: bool, is_assessor: bool
) -> Iterator[Found]:
    """Find levels with the same scores."""
    grid = _shared_cells(grid)
    if min(grid.shape) < 2:
        return
    varied = np.fmax.reduce(grid, axis=1) > np.fmin.reduce(grid, axis=1)
    known = np.nan_to_num(grid, nan=-np.pi)
    ordered = np.empty(0)
    for same in _same_levels(known, varied):
        if not len(ordered):
            ordered = np.sort(known, axis=None)
        target, others = known[same][0], known[~same]
        chance, own = _chance_of_equals(ordered, target, others)
        if not is_object:  # few solved both: most scores are alike
            chance[own > COARSE] = 1
        used = (chance <= COARSE) & (target != -np.pi)
        differ = others != target
        nearest = (
            differ[differ.sum(axis=1).argmin()] if len(others) else used
        )
        if is_object:
            used &= nearest.sum() >= _APART
        else:
            used &= nearest
            if not is_assessor:  # systems are witnesses
                used = _independent(known, used, chance)
        bits = -np.log2(chance[used]).sum()
        pairs = len(grid) * (len(grid) - 1) / 2
        needed = _VARIANT_BITS if is_object else SURE_BITS
        if bits - np.log2(pairs) > needed:
            yield "copies", same, "the same"


def _same_levels(known, varied):
    """Yield which levels agree in every cell. Levels that are constant, as
    topics that nobody solved, are passed over."""
    weights = np.random.default_rng(0).normal(size=known.shape[1])
    key = (known @ weights).round(9)
    key[~varied] = np.arange(1, len(key) + 1)[~varied] * 1e9
    _, group, size = np.unique(key, return_inverse=True, return_counts=True)
    for number in np.flatnonzero(size > 1)[:_GROUPS]:
        members = np.flatnonzero(group == number)
        agree = (known[members] == known[members[0]]).all(axis=1)
        if agree.sum() > 1:
            yield np.isin(np.arange(len(key)), members[agree])


def find_percentages(grid: np.ndarray) -> Iterator[Found]:
    """Find systems in per cent beside systems in fractions."""
    top = np.fmax.reduce(grid, axis=1)
    high = top > 1
    if high.all() or not 5 < top.max() <= 100 or np.nanmin(grid) < 0:
        return
    mean = np.nanmean(grid, axis=1)
    low, rest = np.median(mean[~high]), np.median(mean[high])
    if not 20 * low < rest < 500 * low:
        return
    # Of scores that differ by powers, some are as far apart.
    apart = np.log(np.maximum(mean, low / 100) / np.where(high, rest, low))
    usual = np.median(np.abs(apart))
    if (
        np.log(rest / low) > _SPREADS * usual
        and (grid[~high] % 1 > 0).any()
    ):
        few = high if high.mean() <= 0.5 else ~high
        what = (
            f"at most {top[few].max():g}, those of others "
            f"{top[~few].max():g}: percentages and fractions"
        )
        yield "percent", few, what


def find_constants(grid: np.ndarray) -> Iterator[Found]:
    """Find levels with one score throughout: 0, which is rare among the
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
        # Its own scores count: of ranks, only one system is the first.
        chance = max(half.mean(), share.sum() / len(grid))
        bits = -np.log2(chance) * n
        if value == 0:
            idle = (share == 1) & (bits > SURE_BITS)
            if idle.any():
                yield "constant", idle, "all 0, where others vary"
            continue
        # The first score of each system is free: it may be any.
        bits -= np.log2(len(grid)) - np.log2(chance)
        constant |= (share == 1) & (bits > SURE_BITS)
    if constant.any():
        first, *more = np.unique(low[constant])
        what = "one throughout" if more else f"all {first:g}"
        yield "constant", constant, f"{what}, where others vary"


def find_zeros(grid: np.ndarray) -> Iterator[Found]:
    """Find levels with zeros that seem to stand for what is missing: far
    more than others have that are as good where they are not zero."""
    known = ~np.isnan(grid)
    n = np.maximum(known.sum(axis=1), 1)
    zero, some = grid == 0, known & (grid != 0)
    share = zero.sum(axis=1) / n
    many = (share >= _MISSING) & some.any(axis=1)
    few = len(np.unique(grid[some])) < _GRADES  # all that is solved is 1
    if not many.any() or len(grid) < _SYSTEMS or few:
        return
    scores = np.where(some, grid, 0)
    usual = scores.sum(axis=0) / np.maximum(some.sum(axis=0), 1)
    at_hand = np.maximum((some * usual).sum(axis=1), 1e-300)
    with np.errstate(over="ignore"):  # of numbers without bounds
        level = scores.sum(axis=1) / at_hand
    good = level >= np.median(level)
    found = []
    for row in np.flatnonzero(many & good)[:_GROUPS]:
        good[row] = False
        chance = max(share[good].max(initial=0), _ZEROS)
        if share[row] > chance:
            bits = surprise(share[row] * n[row], n[row], chance)
            if bits - log2(len(grid)) > SURE_BITS:
                found.append(row)
        good[row] = True
    if found:
        yield (
            "constant",
            found,
            (
                f"0 in {share[found[0]]:.0%} of the cells, and not low in "
                "the others: a sign for what is missing"
            ),
        )


def find_points(grid: np.ndarray) -> Iterator[Found]:
    """Find topics on unlike scales, as questions of an exam with 3 and with
    10 points: whole or half marks, of which so many systems have the most
    that some would have more, if there were more to have. As in a normal
    distribution, each mark's ratio to the one before falls."""
    grid = _shared_cells(grid)
    if min(grid.shape) < 2 or not _are_halves(grid).all():
        return
    n = (~np.isnan(grid)).sum(axis=1)
    top = np.fmax.reduce(grid, axis=1)
    below = np.where(grid < top[:, None], grid, -np.inf).max(axis=1)
    low = np.fmin.reduce(grid, axis=1)
    small = (n >= _PASSED) & (2 * top <= top.max()) & (low < below)
    if small.sum() < 2:
        return
    full = (grid == top[:, None]).sum(axis=1)[small]
    nearly = (grid == below[:, None]).sum(axis=1)[small]
    steps = np.nanvar(grid[small], axis=1) / (top - below)[small] ** 2
    bits = full**2 / nearly * np.exp(-1 / steps) / log(2)
    if (bits - _TOP_BITS).sum() > SURE_BITS:
        small[small] = bits > _TOP_BITS
        yield (
            "scale",
            small,
            (
                f"at most {top[small].min():g} to {top[small].max():g}, "
                f"and many have as much; others have up to {top.max():g}: "
                "each topic counts by its points"
            ),
        )


def surprise(times: float, of: float, chance: float) -> float:
    """Return how unlikely it is, in bits, that something of this chance
    comes so many times, or more where that is more often than expected,
    else fewer (Chernoff's bound)."""
    share = times / of
    return of * sum(
        p * log2(p / q)
        for p, q in ((share, chance), (1 - share, 1 - chance))
        if p > 0
    )


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


def _summaries_of(grid, fine, spread, rounded):
    """Yield what the scores of a level would be if it were a summary, how
    nearly, and which levels' are: the mean of all others is the mean of
    all, the median of all others stands between two scores, and if one is
    the maximum of the others, the highest score is there twice."""
    n = (~np.isnan(grid)).sum(axis=0)
    some = ~np.isnan(grid).all(axis=1)
    total, ordered = np.nansum(grid, axis=0), np.sort(grid, axis=0)
    middle = np.array([n // 2 - 1, n // 2 + n % 2])
    median = np.take_along_axis(ordered, middle, axis=0).mean(axis=0)
    last = np.maximum(np.array([n - 1, n - 2]), 0)
    best, second = np.take_along_axis(ordered, last, axis=0)
    near = max(1e-4 * spread, min(5.1e-5, 1e-3 * spread))
    best = np.where(best - second <= max(near, fine / 2), best, np.inf)
    for name, target, by in (
        ("mean", total / n, fine),
        ("median", median, fine),
        ("sum", total / 2, min(fine, 1e-4) * len(grid) ** 0.5),
        ("maximum", best, fine / 2),
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


def _surprise_of_best(target, others, near):
    """Return how unlikely it is, in bits, that a level has the highest
    score of others in every cell. A score counts by how rare it is there
    and in this level: one that is often perfect says nothing."""
    used = ~np.isnan(target)
    _, place, times = np.unique(
        target[used], return_inverse=True, return_counts=True
    )
    own = times[place] / used.sum()
    agree = np.abs(others[:, used] - target[used]) <= near
    chance = np.maximum(agree.sum(axis=0) / (len(others) + 1), own)
    return -np.log2(chance[chance <= COARSE]).sum()


def _are_halves(grid):
    """Return which scores are whole or half; missing ones are."""
    return ~(grid % 0.5 != 0) | np.isnan(grid)


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
