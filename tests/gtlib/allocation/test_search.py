"""The search for the best design against looking at every design."""

import itertools
from math import inf

import numpy as np
import pytest

from gtlib import allocation
from gtlib.allocation import Error, Problem, Terms, search
from tests.cases import first

NAMES = "abcd"
TIE = 1e-12


def value(weights, numbers, power=1):
    """The sum of weights times (or over) products, of every design."""
    numbers = np.asarray(numbers, float)
    columns = [[NAMES.index(f) for f in key] for key in weights]
    return sum(
        weight * numbers[:, which].prod(axis=1) ** power
        for weight, which in zip(weights.values(), columns, strict=True)
    )


def every_design(low, high):
    ranges = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
    return np.stack([x.ravel() for x in np.meshgrid(*ranges)], 1) * 1.0


def reach(weights, limit, low, high):
    """The largest of each number that the limit allows, others lowest."""
    most = low.copy()
    for facet in range(len(low)):
        one = low.copy()
        while one[facet] <= high[facet] and (
            value(weights, one[None])[0] <= limit
        ):
            most[facet] = one[facet]
            one[facet] += 1
    return most


def error_of(sums, numbers):
    """The highest of some sums over products, and of zero, which is what
    rounding leaves of 1/2 - 1/3 - 1/6."""
    sums = sums if isinstance(sums, tuple) else (sums,)
    values = [value(weights, numbers, -1) for weights in sums]
    highest = np.maximum.reduce(values)
    return np.where(highest > 1e-12, highest, 0.0)


def best_of_all(error, cost, limit, cheapest, numbers):
    """The best of some designs by looking at all of them, with the ties
    told apart as `search` says."""
    first, other = error_of(error, numbers), value(cost, numbers)
    if cheapest:
        first, other = other, first
    kept = other <= limit * (1 + TIE)
    for key in (first, other, *numbers.T[::-1]):
        if kept.any():
            kept &= key <= key[kept].min() * (1 + TIE)
    return [tuple(found) for found in numbers[kept]]


def terms(weights, facets):
    return Terms.from_weights(NAMES[:facets], weights, weights.values())


def asked(error, price, limit, low, high, cheapest=False):
    bounds = dict(zip(NAMES, zip(low, high, strict=True), strict=False))
    sums = error if isinstance(error, tuple) else (error,)
    shared = Error(tuple(terms(weights, len(low)) for weights in sums))
    return Problem(bounds, shared, price, limit, cheapest)


def found(error, price, limit, cheapest, low, high):
    numbers = search(asked(error, price, limit, low, high, cheapest))
    return [] if numbers is None else [tuple(numbers)]


def random_weights(rng, facets, chance):
    """Small whole weights, so that there are ties; one at least."""
    names = NAMES[:facets]
    subsets = [
        subset
        for size in range(1, facets + 1)
        for subset in itertools.combinations(names, size)
    ]
    weights = rng.integers(1, 9, len(subsets))
    weights *= rng.random(len(subsets)) < chance
    weights[rng.integers(len(subsets))] += 1
    return dict(zip(subsets, weights.tolist(), strict=True))


def drawn(rng, facets):
    """An error, a cost at which every number is paid for, and the lowest
    numbers."""
    error = random_weights(rng, facets, 0.6)
    cost = random_weights(rng, facets, 0.4)
    cost[tuple(NAMES[:facets])] += 1
    return error, cost, rng.integers(1, 4, facets)


# ---- everything is looked at ------------------------------------------


@pytest.mark.parametrize("facets", [1, 2, 3, 4])
def test_the_best_in_a_box(facets):
    rng = np.random.default_rng(facets)
    for _ in range(12):
        error = random_weights(rng, facets, 0.6)
        cost = random_weights(rng, facets, 0.5)
        low = rng.integers(1, 4, facets)
        high = low + rng.integers(0, [40, 14, 7, 4][facets - 1], facets)
        every = every_design(low, high)
        one = every[[rng.integers(len(every))]]
        price = terms(cost, facets)
        for cheapest, limit in (
            (False, value(cost, one)[0]),
            (True, value(error, one, -1)[0]),
            (False, value(cost, every).min() - 1),
            (True, value(error, every, -1).min() * 0.99),
        ):
            assert found(
                error, price, limit, cheapest, low, high
            ) == best_of_all(error, cost, limit, cheapest, every)


@pytest.mark.parametrize("facets", [1, 2, 3])
def test_the_best_for_a_budget_without_bounds(facets):
    """Every number costs something, so a small budget bounds them all."""
    rng = np.random.default_rng(10 + facets)
    for _ in range(15):
        error, cost, low = drawn(rng, facets)
        budget = value(cost, low[None])[0] * rng.integers(1, 7) + 2
        high = np.where(rng.random(facets) < 0.3, low + 2, inf)
        price = terms(cost, facets)
        every = every_design(low, reach(cost, budget, low, high))
        expected = best_of_all(error, cost, budget, False, every)
        assert found(error, price, budget, False, low, high) == expected


@pytest.mark.parametrize("facets", [1, 2, 3])
def test_the_cheapest_for_an_error_without_bounds(facets):
    """A design beyond the ones looked at costs more than the best."""
    rng = np.random.default_rng(20 + facets)
    for _ in range(15):
        error, cost, low = drawn(rng, facets)
        start = value(error, low[None], -1)[0]
        limit = start / rng.uniform(1, [20, 5, 3][facets - 1])
        high = np.where(rng.random(facets) < 0.3, low + 2, inf)
        most = np.minimum(high, [250, 60, 20][facets - 1]).astype(int)
        every = every_design(low, most)
        expected = best_of_all(error, cost, limit, True, every)
        if not expected:
            continue
        paid = value(cost, np.array(expected))[0]
        for facet in np.flatnonzero(np.isinf(high)):
            beyond = low.copy()
            beyond[facet] = most[facet] + 1
            assert value(cost, beyond[None])[0] > paid
        price = terms(cost, facets)
        assert found(error, price, limit, True, low, high) == expected


def signed_weights(rng, facets):
    """One or two sums, of which some weights are below zero."""
    sums = []
    for _ in range(rng.integers(1, 3)):
        weights = random_weights(rng, facets, 0.8)
        below = rng.random(len(weights)) < 0.35
        signs = np.where(below, -1, 1).tolist()
        sums.append(
            {
                key: weight * sign
                for (key, weight), sign in zip(
                    weights.items(), signs, strict=True
                )
            }
        )
    return tuple(sums)


@pytest.mark.slow
@pytest.mark.parametrize("facets", first(2, [1, 2, 3, 4]))
def test_the_best_where_components_are_negative(facets):
    """More of a number may raise the error, and many designs may have
    none. Limits lie between two errors: ties of sums in which something
    is taken away are ties but for rounding."""
    rng = np.random.default_rng(30 + facets)
    for _ in range(60):
        error = signed_weights(rng, facets)
        cost = random_weights(rng, facets, 0.5)
        low = rng.integers(1, 4, facets)
        high = low + rng.integers(0, [40, 14, 7, 4][facets - 1], facets)
        every = every_design(low, high)
        price = terms(cost, facets)
        one = every[[rng.integers(len(every))]]
        for cheapest, limit in (
            (False, value(cost, one)[0]),
            (True, error_of(error, one)[0] * 1.01 + 1e-6),
            (True, error_of(error, every).min() * 0.99),
        ):
            expected = best_of_all(error, cost, limit, cheapest, every)
            ours = found(error, price, limit, cheapest, low, high)
            assert len(ours) == len(expected[:1])
            for of, weights in ((error_of, error), (value, cost)):
                if expected:
                    best = of(weights, np.array(expected))[0]
                    assert of(weights, np.array(ours))[0] == pytest.approx(
                        best, rel=1e-9, abs=1e-12
                    )


def test_a_target_that_only_fewer_of_a_number_reach():
    """What b divides is negative: the more of it, the more error; and
    where another sum falls with b, only some numbers of it will do."""
    price = terms({("a", "b"): 1}, 2)
    error = {("a",): 9, ("b",): -1}
    assert found(error, price, 0.1, True, [1, 1], [inf, inf]) == [(9, 1)]
    assert found(error, price, 0.1, True, [1, 1], [8, inf]) == []
    both = {("a",): -6, (): 4}, {("a",): 6}
    price = terms({("a",): 1}, 1)
    assert found(both, price, 2.1, True, [1], [inf]) == [(3,)]
    assert found(both, price, 1.9, True, [1], [inf]) == []
    assert found(both, price, 9, False, [1], [inf]) == [(3,)]


def test_a_bound_below_makes_an_odd_number_worth_while():
    """Twenty judgments, three assessors at least: five topics and four
    assessors use them all, six topics and three do not."""
    error, cost = {("a",): 1, ("a", "b"): 9}, {("a", "b"): 1}
    price = terms(cost, 2)
    assert found(error, price, 20, False, [1, 3], [inf, inf]) == [(5, 4)]
    assert found(error, price, 20, False, [1, 1], [inf, inf]) == [(20, 1)]


@pytest.mark.slow
def test_limits_that_rounding_just_misses():
    """Three times .1 is more than .3 to a computer, and 1/3 + 1/3 + 1/3
    less than 1."""
    cost = {("a",): 0.1}
    price = terms(cost, 1)
    assert found({("a",): 1}, price, 0.3, False, [1], [inf]) == [(3,)]
    for n in range(2, 50):
        for high, expected in ((inf, [(n,)]), (n, [(n,)]), (n - 1, [])):
            found_here = found(
                {("a",): 0.7}, price, 0.7 / n, True, [1], [high]
            )
            assert found_here == expected


# ---- numbers that stay where they are ---------------------------------


@pytest.mark.parametrize(
    ("error", "cost", "low", "high", "idle"),
    [
        ("a", "ab", [1, 1], [inf, inf], "b"),  # b divides nothing
        ("a", "ab", [2, 2], [9, 9], "b"),
        ("a", "ab", [1, 2], [9, 2], ""),  # and is held anyway
        ("ab", "ab", [1, 1], [inf, inf], "b"),  # as good as a, so one idles
        ("ab", "ab", [1, 1], [9, inf], "a"),  # but a cannot do it all
        ("ab", "ab", [1, 1], [9, 9], ""),
        ("ab", "ab", [1, 2], [inf, inf], "a"),  # from 2 up, b has steps
        ("ab", "ab", [2, 2], [inf, inf], ""),
        ("a ab", "ab", [1, 1], [inf, inf], "b"),
        ("b ab", "ab", [1, 1], [inf, inf], "a"),
        ("a b ab", "ab", [1, 1], [inf, inf], ""),
        ("ab", "a ab", [1, 1], [inf, inf], "a"),  # a costs more
        ("ab", "b ab", [1, 1], [inf, inf], "b"),
        ("ab", "a b", [1, 1], [inf, inf], ""),
        ("abc", "abc", [1, 1, 1], [inf, inf, inf], "bc"),
    ],
)
def test_which_numbers_are_idle(error, cost, low, high, idle):
    facets = len(low)
    error, cost = (
        dict.fromkeys(map(tuple, w.split()), 1) for w in (error, cost)
    )
    stays = asked(error, terms(cost, facets), 10, low, high).idle
    assert "".join(itertools.compress(NAMES, stays)) == idle


# ---- numbers without an end -------------------------------------------


@pytest.mark.parametrize("cheapest", [False, True])
@pytest.mark.parametrize("free", [0, 1])
def test_what_costs_nothing_needs_a_bound(free, cheapest):
    error = {("a",): 1, ("b",): 1}
    cost = {(NAMES[1 - free],): 1}
    price = terms(cost, 2)
    high = [inf, inf]
    with pytest.raises(
        ValueError, match=f"More of {NAMES[free]} costs nothing"
    ):
        found(error, price, 1.5, cheapest, [1, 1], high)
    high[free] = 7
    every = every_design([1, 1], [7, 7])
    assert found(error, price, 1.5, cheapest, [1, 1], high) == best_of_all(
        error, cost, 1.5, cheapest, every
    )


def test_what_divides_no_error_stays_at_its_lowest_and_needs_no_price():
    price = terms({("a",): 1}, 2)
    assert found({("a",): 1}, price, 9, False, [1, 2], [inf, inf]) == [
        (9, 2)
    ]


def test_costs_that_differ_by_rounding_tie():
    """15 x 1.8 comes out as two numbers; the fewest of b decide."""
    weight = {("a", "b"): 0.3 * 6}
    box = [1, 2], [5, 9]
    assert found(
        {("a", "b"): 0.1}, terms(weight, 2), 28.5, False, *box
    ) == [(5, 3)]


def test_an_error_that_no_number_brings_down():
    """What b divides stays, whatever a is."""
    error, price = {("a",): 1, ("b",): 1}, terms({("a", "b"): 1}, 2)
    for limit, high in ((0.5, [inf, 2]), (0.49, [inf, 2]), (0, [inf] * 2)):
        assert found(error, price, limit, True, [1, 1], high) == []
    assert found(error, price, 0.51, True, [1, 1], [inf, 2]) == [(100, 2)]


# ---- what it takes ----------------------------------------------------


@pytest.fixture
def looked(monkeypatch):
    """The number of blocks that are looked at, step by step."""
    numbers, halves = [], allocation._halves

    def counting(problem, blocks, sides):
        numbers.append(len(sides))
        return halves(problem, blocks, sides)

    monkeypatch.setattr(allocation, "_halves", counting)
    return numbers


@pytest.mark.parametrize(
    ("cheapest", "blocks"), [(False, 345), (True, 530)]
)
def test_a_long_search_looks_at_few_blocks(cheapest, blocks, looked):
    """Of a hundred million designs; a quarter above today's numbers. Of a
    given b and c the best a is the largest that the budget allows, or the
    smallest that the error does."""
    error = {
        ("a",): 40,
        ("b",): 3,
        ("c",): 1,
        ("a", "b"): 20,
        ("b", "c"): 2,
    }
    cost = {("a", "b", "c"): 1, ("a",): 30, ("c",): 8}
    price = terms(cost, 3)
    limit = 0.2 if cheapest else 1e5
    high = [inf] * 3
    one = found(error, price, limit, cheapest, [1, 1, 1], high)
    assert sum(looked) < blocks
    b, c = every_design([1, 1], [300, 300]).T
    if cheapest:
        left = limit - 3 / b - 1 / c - 2 / (b * c)
        a = np.where(left > 0, np.ceil((40 + 20 / b) / left), inf)
    else:
        a = np.floor((limit - 8 * c) / (b * c + 30))
    every = np.stack([a, b, c], 1)[(a >= 1) & (a <= 10_000)]
    assert one == best_of_all(error, cost, limit, cheapest, every)


@pytest.mark.slow
@pytest.mark.parametrize("cheapest", [False, True])
def test_what_is_too_much_to_try_one_by_one(cheapest, looked):
    """Three numbers that are paid apart: numpy needs most of a minute to
    try every pair of two of them, with the third solved. By Cauchy and
    Schwarz error times cost is never below the square of the sum of
    sqrt(weight x price), which says how good the best can be."""
    budget, weights, prices = 3e5, [5, 4, 3], [3, 2, 1]
    pairs = budget**2 / (2 * prices[0] * prices[1])
    least = np.sqrt(np.multiply(weights, prices)).sum() ** 2
    error, cost = (
        {(name,): w for name, w in zip("abc", sizes, strict=True)}
        for sizes in (weights, prices)
    )
    price = terms(cost, 3)
    limit = least / budget if cheapest else budget
    one = found(error, price, limit, cheapest, [1, 1, 1], [inf] * 3)
    reached = value(error, one, -1)[0] * value(cost, one)[0]
    assert least * (1 - TIE) < reached < least * (1 + 1e-6)
    assert sum(looked) < pairs / 800


# ---- listing designs --------------------------------------------------
