"""Allocation against exhaustive search, closed forms and the paper."""

import itertools
from math import inf, prod

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.allocation import Error, Problem, Terms, search
from gtlib.uncertainty import replicate
from tests.cases import first

CROSSED = "system x topic x assessor"
NESTED = "system x (assessor:topic)"
LABELS = [
    "system",
    "topic",
    "assessor",
    "system x topic",
    "system x assessor",
    "topic x assessor",
    "system x topic x assessor",
]
PRINTED = gt.load("bodoff-li-2007")


def study(*components):
    """A crossed G-study from seven components, in the order of LABELS."""
    return gt.GStudy.from_components(
        CROSSED, dict(zip(LABELS, components, strict=True))
    )


def printed(key):
    return float(PRINTED.loc[key, "value"])


def trec4(rounding=None):
    """Table 1, each mean square moved by a share of its rounding."""
    g = gt.load("trec4-table1")
    if rounding is None:
        return g
    squares = g.mean_squares.copy()
    printed_in_digits = [f for f in LABELS if f != "assessor"]  # that is 0
    for label, move in zip(printed_in_digits, rounding, strict=True):
        key = f"table-1/mean-square/{label.replace(' ', '-')}"
        squares[label] += move * 10.0 ** -PRINTED.loc[key, "decimals"] / 2
    return gt.GStudy.from_mean_squares(CROSSED, g.levels, squares)


def as_printed(g):
    """The study as Bodoff & Li plan on it: negative estimates are zero."""
    return gt.GStudy.from_components(g.design, g.variance, levels=g.levels)


def random_components(rng):
    """Seven components, some of them zero or negative."""
    sizes = rng.lognormal(0, 1.5, 7)
    sizes[1:6] *= rng.choice([0, 1, -1], p=[0.2, 0.7, 0.1], size=5)
    return sizes


# ---- the paper --------------------------------------------------------


def test_ratio_of_the_paper():
    """1826 and 805 lie within what the printed rounding leaves open."""
    plan = as_printed(trec4()).plan()
    extremes = [
        as_printed(trec4(np.array(moves))).plan()
        for moves in itertools.product([-1, 1], repeat=6)
    ]
    for coefficient, error in (
        ("dependability", "absolute"),
        ("generalizability", "relative"),
    ):
        ratio = plan.optimal_ratio(coefficient).estimate
        paper = printed(f"section-3.2.3/optimal-ratio/{error}")
        assert ratio == pytest.approx(paper, abs=1)
        ratios = [
            p.optimal_ratio(coefficient, n_resamples=2).estimate
            for p in extremes
        ]
        assert min(ratios) < paper - 0.5 < paper + 0.5 < max(ratios)


def test_topics_before_assessors_until_the_ratio_turns():
    """The second assessor comes when n_i = 2 n_i* / n_a* roughly."""
    g = as_printed(trec4())
    assert g.plan().best(100).levels["assessor"] == 1
    before, after = (
        g.plan().best(budget).levels["assessor"] for budget in (1000, 9000)
    )
    assert before == 1
    assert after == 2


def test_of_the_signed_components_one_assessor_is_enough():
    """The estimate of assessor is below zero by twice that of system x
    assessor: all the money goes to topics."""
    plan = trec4().plan()
    assert plan.optimal_ratio(n_resamples=2).estimate == inf
    assert plan.best(400).levels == {"topic": 400, "assessor": 1}


# ---- exhaustive search, sharing no code -------------------------------


def every_design(components, nested, topics=200, assessors=50):
    """Errors of all designs up to 200 x 50, from the formulas written out.

    Returns arrays (topics, assessors): numbers, absolute and relative
    error.
    """
    _, i, a, pi, pa, ia, pia = components
    ni = np.arange(1, topics + 1)[:, None] + np.zeros((1, assessors))
    na = np.arange(1, assessors + 1)[None, :] + np.zeros((topics, 1))
    if nested:
        relative = pi / ni + (pa + pia) / (ni * na)
        absolute = relative + i / ni + (a + ia) / (ni * na)
    else:
        relative = pi / ni + pa / na + pia / (ni * na)
        absolute = relative + i / ni + a / na + ia / (ni * na)
    relative = np.maximum(relative, 0)
    return ni, na, np.maximum(absolute, relative), relative


def pick(minimised, other, ni, na, allowed):
    """The design that the tie rules choose, by looking at all."""
    if not allowed.any():
        return None
    rows = np.argwhere(allowed)
    first, second = minimised[allowed], other[allowed]
    tied = first <= first.min() * (1 + 1e-12)
    rows, second = rows[tied], second[tied]
    rows = rows[second <= second.min() * (1 + 1e-12)]
    x, y = min(map(tuple, rows), key=lambda xy: (xy[1], xy[0]))
    return {"topic": int(ni[x, y]), "assessor": int(na[x, y])}


COSTS = {
    "product": (None, lambda ni, na, nested: ni * na),
    "linear": (
        {"judgment": 1.0, "topic": 7.0, "assessor": 40.0},
        lambda ni, na, nested: (
            ni * na + 7 * ni + 40 * (ni * na if nested else na)
        ),
    ),
    "no judgments": (
        {"topic": 3.0, "assessor": 2.0},
        lambda ni, na, nested: 3 * ni + 2 * (ni * na if nested else na),
    ),
}


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("name", COSTS)
def test_exhaustive_search_agrees(name, nested):
    cost, written_out = COSTS[name]
    rng = np.random.default_rng(5)
    bounds = {"topic": (1, 200), "assessor": (1, 50)}
    design = NESTED if nested else CROSSED
    for trial in range(12):
        components = random_components(rng)
        g = study(*components)
        ni, na, absolute, relative = every_design(components, nested)
        price = written_out(ni, na, nested)
        coefficient, error = [
            ("dependability", absolute),
            ("generalizability", relative),
        ][trial % 2]
        budget = (
            rng.uniform(1, 1.2)
            * price[rng.integers(0, 60), rng.integers(0, 8)]
        )
        expected = pick(error, price, ni, na, price <= budget)
        found = g.plan(design, **bounds).best(
            budget, cost, coefficient=coefficient
        )
        assert found.levels == expected
        target = getattr(found, coefficient)
        if target == 1:  # no error is left
            continue
        limit = components[0] * (1 - target) / target
        reached = error <= limit * (1 + 1e-12)
        expected = pick(price, error, ni, na, reached)
        found = g.plan(design, **bounds).cheapest(
            target, cost, coefficient=coefficient
        )
        assert found.levels == expected


@pytest.mark.slow
@pytest.mark.parametrize("facets", [1, 2, 3, 4])
def test_any_number_of_facets(facets):
    """Random sums of terms in a box, against itertools.product."""
    rng = np.random.default_rng(facets)
    names = "abcd"[:facets]
    subsets = [
        subset
        for size in range(1, facets + 1)
        for subset in itertools.combinations(names, size)
    ]
    for _ in range(30):
        shares = rng.lognormal(0, 2, len(subsets))
        shares *= rng.random(len(subsets)) < 0.7
        shares[-1] += 0.1
        prices = rng.lognormal(0, 2, len(subsets))
        prices *= rng.random(len(subsets)) < 0.6
        prices[-1] += 0.1
        low = rng.integers(1, 3, facets)
        high = low + rng.integers(1, [80, 30, 10, 5][facets - 1], facets)
        error = dict(zip(subsets, shares, strict=True))
        cost = dict(zip(subsets, prices, strict=True))
        every = list(
            itertools.product(
                *(range(a, b + 1) for a, b in zip(low, high, strict=True))
            )
        )
        named = [dict(zip(names, n, strict=True)) for n in every]
        errors = [value(error, n, divide=True) for n in named]
        costs = [value(cost, n) for n in named]
        middle = rng.integers(len(every))
        price = Terms.from_weights(names, cost, cost.values())
        bounds = dict(zip(names, zip(low, high, strict=True), strict=True))
        shared = Error((Terms.from_weights(names, error, error.values()),))
        for cheapest, asked, limited in (
            (False, errors, costs),
            (True, costs, errors),
        ):
            limit = limited[middle]
            expected = min(
                (x, y, numbers[::-1])
                for x, y, numbers in zip(asked, limited, every, strict=True)
                if y <= limit
            )[-1][::-1]
            problem = Problem(bounds, shared, price, limit, cheapest)
            assert tuple(search(problem)) == expected


def value(weights, numbers, divide=False):
    power = -1 if divide else 1
    return sum(
        weight * prod(numbers[f] for f in key) ** power
        for key, weight in weights.items()
    )


def test_three_facets_and_a_large_budget():
    """The numbers of a long search still obey the optimality condition."""
    g = gt.GStudy.from_components(
        "system x topic x assessor x session",
        dict.fromkeys(
            gt.Design("system x topic x assessor x session").labels, 1.0
        )
        | {"topic": 40.0, "session": 4.0},
    )
    best = g.plan().best(1e6)
    assert best.cost <= 1e6
    for facet in best.levels:
        for other in set(best.levels) - {facet}:
            moved = dict(best.levels)
            moved[facet] += 1
            moved[other] -= 1
            while prod(moved.values()) > 1e6:
                moved[other] -= 1
            study = g.plan(**moved)
            assert study.dependability <= best.dependability


# ---- properties -------------------------------------------------------

component = st.floats(0.01, 50)
seven = st.tuples(*[component] * 7)


@given(seven, st.integers(1, 3000), st.booleans())
def test_the_two_questions_are_dual(components, budget, nested):
    g = study(*components)
    design = NESTED if nested else CROSSED
    best = g.plan(design).best(budget)
    assert best.cost <= budget
    planned = g.plan(design, **best.levels)
    assert best.dependability == pytest.approx(planned.dependability)
    cheapest = g.plan(design).cheapest(best.dependability)
    assert cheapest.cost <= best.cost
    assert cheapest.dependability >= best.dependability - 1e-12


@given(seven, st.floats(1.5, 1e4))
def test_ratio_of_the_best_continuous_split(components, budget):
    """Moving along the iso-cost line in either direction loses."""
    _, i, a, pi, pa, ia, pia = components

    def error(ni):
        na = budget / ni
        return (i + pi) / ni + (a + pa) / na + (ia + pia) / (ni * na)

    ratio = study(*components).plan().optimal_ratio().estimate
    topics = np.sqrt(budget * ratio)
    assert error(topics) <= min(error(topics * 1.01), error(topics / 1.01))


# ---- zero and negative components, fixed facets -----------------------


def test_nothing_that_assessors_alone_divide():
    g = study(8, 16, -0.1, 12, 0, 1, 2)
    assert g.plan().optimal_ratio().estimate == inf
    best = g.plan().best(5000)
    assert best.levels == {"topic": 5000, "assessor": 1}
    assert "assessor stays at 1" in str(best)


def test_a_promise_that_rests_on_a_negative_estimate_says_so():
    """By the formulas: σ²(pa) = -0.2 takes 0.2 from both errors."""
    g = study(8, 16, 0.5, 12, -0.2, 1, 2)
    best = g.plan(topic=100, assessor=1).best(100)
    relative, shared = 12 / 100 + 2 / 100, 16 / 100 + 0.5 + 1 / 100
    promised = 8 / (8 + relative - 0.2 + shared)
    without = 8 / (8 + relative + shared)
    assert best.dependability == pytest.approx(promised)
    assert str(best).splitlines()[1] == (
        f"The dependability of {promised:.4f} rests on a negative "
        "estimate, that of system x assessor: with zero in its place it "
        f"would be {without:.4f}."
    )
    cheapest = g.plan(assessor=1).cheapest(
        0.95, coefficient="generalizability"
    )
    size = cheapest.levels["topic"]
    without = 8 / (8 + 14 / size)
    assert f"generalizability of {cheapest.generalizability:.4f}" in str(
        cheapest
    )
    assert f"would be {without:.4f}" in str(cheapest)


def test_negative_estimates_of_one_sum_are_named_together():
    """Two negative estimates: either alone leaves no relative error, both
    as zero leave some. That of topic x assessor is not part of it."""
    g = study(8, 16, 4, -12, -6, -1, 2)
    best = g.plan(topic=2, assessor=2).best(
        9, coefficient="generalizability"
    )
    assert best.generalizability == 1
    assert best.notes[0] == (
        "The generalizability of 1.0000 rests on negative estimates, those "
        "of system x topic and system x assessor: with zero in their place "
        f"it would be {8 / (8 + 2 / 4):.4f}."
    )


def test_a_negative_estimate_that_changes_nothing_is_not_named():
    """That of topic x assessor is no part of generalizability, and of
    systems that do not differ no coefficient is above zero."""
    plan = study(8, 16, 4, 12, 2, -1, 2).plan()
    best = plan.best(400, coefficient="generalizability")
    assert best.notes == ()
    assert "topic x assessor" in str(plan.best(400))
    alike = study(-1, 16, 4, 12, 2, 1, 2).plan().best(400)
    assert alike.notes == ()
    assert alike.dependability == 0


def test_nested_assessors_never_pay_while_only_judgments_cost():
    g = study(8, 16, 4, 12, 4, 1, 2)
    assert g.plan(NESTED).optimal_ratio().estimate == inf
    best = g.plan(NESTED).best(300)
    assert best.levels == {"topic": 300, "assessor": 1}
    with_topics = g.plan(NESTED).best(300, {"judgment": 1, "topic": 20})
    assert with_topics.levels["assessor"] > 1


def test_no_error_at_all_buys_the_smallest_design():
    best = study(8, 0, 0, 0, 0, 0, 0).plan().best(100)
    assert best.levels == {"topic": 1, "assessor": 1}
    assert best.dependability == 1


def test_only_the_residual_ties_go_to_topics():
    best = study(8, 0, 0, 0, 0, 0, 3).plan().best(1e6)
    assert best.levels == {"topic": 1_000_000, "assessor": 1}


def test_hired_assessors_count_once_crossed_and_every_time_nested():
    g = study(8, 16, 4, 12, 4, 1, 2)
    held = {"topic": 10, "assessor": 3}
    prices = {"judgment": 1, "topic": 5, "assessor": 100}
    crossed = g.plan(**held).best(1e5, prices)
    nested = g.plan(NESTED, **held).best(1e5, prices)
    assert crossed.cost == 30 + 50 + 300
    assert nested.cost == 30 + 50 + 3000


def test_fixed_assessors_are_held_at_their_number():
    g = trec4()
    best = g.plan(fixed="assessor").best(100)
    assert best.levels == {"topic": 50, "assessor": 2}
    expected = g.plan(fixed="assessor", topic=50)
    assert best.dependability == pytest.approx(expected.dependability)


def test_one_facet():
    g = gt.GStudy.from_components(
        "system x topic",
        {"system": 3, "topic": 28, "system x topic": 10},
    )
    assert g.plan().best(70.5).levels == {"topic": 70}
    assert g.plan().cheapest(0.95).levels == {
        "topic": g.plan().required("topic", 0.95)
    }


def test_an_allocation_shows_itself():
    best = study(8, 16, -1, 12, 0, 1, 2).plan().best(1000)
    assert str(best).startswith("topic 1000, assessor 1: cost 1,000, ")
    assert repr(best) == str(best)
    assert best.row["topic"] == 1000


def test_bounds_hold_where_the_optimum_lies_outside():
    g = trec4()
    best = g.plan(topic=(None, 80), assessor=(2, 5)).best(1000)
    assert best.levels == {"topic": 80, "assessor": 5}
    best = g.plan(assessor=3).best(1000)
    assert best.levels == {"topic": 333, "assessor": 3}


# ---- uncertain components ---------------------------------------------

DESIGN = gt.Design(CROSSED)
TRUTH = np.array([8, 16, 3, 12, 1, 1, 2.0])


def simulated_mean_squares(levels, rng, truth=TRUTH):
    """Mean squares of one normal study with these components."""
    squares = np.linalg.solve(
        DESIGN.mean_squares_to_components(levels), truth
    )
    df = DESIGN.degrees_of_freedom(levels)
    squares = squares * rng.chisquare(df) / df
    return dict(zip(DESIGN.labels, squares, strict=True))


def simulated_study(levels, rng, truth=TRUTH):
    squares = simulated_mean_squares(levels, rng, truth)
    return gt.GStudy.from_mean_squares(CROSSED, levels, squares)


def simulated_scores(levels, rng):
    """Normal scores with the components TRUTH."""
    place = np.indices([*levels.values()]).reshape(len(levels), -1)
    table = pd.DataFrame(dict(zip(levels, place, strict=True)))
    score = np.zeros(len(table))
    for label, component in zip(LABELS, TRUTH, strict=True):
        facets = label.split(" x ")
        effect = rng.normal(0, component**0.5, [levels[f] for f in facets])
        score += effect[tuple(table[f] for f in facets)]
    return table.assign(score=score)


@pytest.mark.slow
def test_the_interval_of_a_ratio_covers_the_truth():
    rng = np.random.default_rng(11)
    levels = {"system": 30, "topic": 40, "assessor": 8}
    truth = (16 + 12) / (3 + 1)
    hits = 0
    for _ in range(200):
        ratio = simulated_study(levels, rng).plan().optimal_ratio()
        hits += ratio.low <= truth <= ratio.high
    assert 0.9 <= hits / 200 <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(
    ("absent", "ratio"), [("topic", 0), ("assessor", inf)]
)
def test_the_interval_of_a_ratio_covers_an_end_of_its_range(absent, ratio):
    """Neither component of a facet is there, and draws may be below
    zero: their sum counts, as well as each by itself."""
    rng = np.random.default_rng(5)
    levels = {"system": 8, "topic": 25, "assessor": 2}
    truth = np.where(np.isin(LABELS, [absent, f"system x {absent}"]), 0, 1)
    hits = 0
    for _ in range(200):
        plan = simulated_study(levels, rng, truth).plan()
        interval = plan.optimal_ratio(n_resamples=500)
        hits += interval.low <= ratio <= interval.high
    assert hits / 200 >= 0.93


def test_the_interval_of_a_ratio_is_of_the_ratio_of_each_draw():
    g = simulated_study(
        {"system": 30, "topic": 40, "assessor": 8}, np.random.default_rng(2)
    )
    drawn = dict(
        zip(LABELS, replicate(g, "pivotal", 2000, 0).clip(0), strict=True)
    )
    ratios = drawn["system x topic"] / drawn["system x assessor"]
    found = g.plan().optimal_ratio("generalizability")
    expected = np.quantile(ratios, [0.025, 0.975], method="nearest")
    assert [found.low, found.high] == pytest.approx([*expected])
    narrow = g.plan().optimal_ratio(
        "generalizability", confidence_level=0.5
    )
    limits = [found.low, narrow.low, narrow.high, found.high]
    assert limits == sorted(limits)
    # Nested assessors divide no component that topics do not.
    assert g.plan(NESTED).optimal_ratio().low == inf


def test_an_interval_of_a_ratio_without_an_upper_limit():
    ratio = trec4().plan().optimal_ratio()
    assert 1000 < ratio.low < 1500  # what is negative is taken away
    assert ratio.high == inf
    assert str(ratio).endswith("none] (95%, pivotal); no upper limit")


def test_a_ratio_of_components_alone_has_no_interval():
    ratio = study(8, 16, 0.5, 12, 0.2, 1, 2).plan().optimal_ratio()
    assert ratio.estimate == pytest.approx(40)
    assert np.isnan(ratio.low)
    assert "without the levels" in str(ratio)


@pytest.mark.slow
@pytest.mark.parametrize("method", first(1, ["reml", "henderson"]))
def test_the_interval_of_a_ratio_in_a_study_with_gaps(method):
    """About that of the whole study."""
    levels = {"system": 20, "topic": 30, "assessor": 6}
    scores = simulated_scores(levels, np.random.default_rng(4))
    ratio = gt.gstudy(scores, CROSSED).plan().optimal_ratio()
    gaps = scores.sample(frac=0.95, random_state=1)
    g = gt.gstudy(gaps, CROSSED, method=method)
    found = g.plan().optimal_ratio()
    assert found.low < found.estimate < found.high < inf
    assert found.estimate == pytest.approx(ratio.estimate, rel=0.2)
    expected = {"reml": "profile", "henderson": "bootstrap"}
    assert found.method == expected[method]
    if method == "reml":
        limits = np.log([found.low, found.high])
        assert limits == pytest.approx(
            np.log([ratio.low, ratio.high]), abs=0.7
        )


# ---- how sure the best design is ---------------------------------------


def test_a_choice_says_nothing_of_draws_unless_asked():
    best = (
        simulated_study(
            {"system": 8, "topic": 25, "assessor": 2},
            np.random.default_rng(0),
        )
        .plan()
        .best(400)
    )
    assert best.winners is None
    assert best.interval is None
    assert np.isnan(best.share)
    assert "draws" not in str(best)


@pytest.mark.slow
def test_how_sure_a_choice_is_by_trying_every_design():
    """The winners of all draws, among all designs, by the formulas."""
    g = simulated_study(
        {"system": 8, "topic": 25, "assessor": 2}, np.random.default_rng(0)
    )
    best = g.plan().best(50, n_resamples=200, seed=3)
    assert best.levels == g.plan().best(50).levels
    wins = dict.fromkeys(itertools.product(range(1, 201), range(1, 51)), 0)
    for components in replicate(g, "pivotal", 200, 3).T:
        ni, na, absolute, _ = every_design(components, False)
        design = pick(absolute, ni * na, ni, na, ni * na <= 50)
        wins[*design.values(),] += 1 / 200
    shares = best.winners.set_index(["topic", "assessor"])["share"]
    assert shares.to_dict() == pytest.approx(
        {design: share for design, share in wins.items() if share}
    )
    assert shares.is_monotonic_decreasing
    assert best.share == pytest.approx(wins[*best.levels.values(),])
    expected = best.plan.interval("dependability", seed=3)
    assert vars(best.interval) == pytest.approx(vars(expected))
    assert f"The best design in {best.share:.0%} of the draws" in str(best)


@pytest.mark.slow
def test_a_choice_is_sure_of_a_large_study_and_not_of_a_small_one():
    shares = []
    for levels in (
        {"system": 300, "topic": 400, "assessor": 300},
        {"system": 8, "topic": 25, "assessor": 2},
    ):
        g = simulated_study(levels, np.random.default_rng(1))
        best = g.plan().best(50, n_resamples=100)
        shares.append(best.winners["share"].max())
    assert shares[0] > 0.8 > 0.6 > shares[1]


def test_with_one_facet_there_is_one_best_design():
    g = gt.gstudy(np.random.default_rng(0).normal(size=(5, 9)).cumsum(0))
    best = g.plan().best(70, n_resamples=20)
    assert best.share == 1
    assert str(best).endswith("in 100% of the draws of the components.")


@pytest.mark.slow
def test_a_choice_with_gaps_says_which_facet_its_draws_keep():
    levels = {"system": 8, "topic": 25, "assessor": 2}
    scores = simulated_scores(levels, np.random.default_rng(4))
    g = gt.gstudy(scores.sample(frac=0.9, random_state=1), CROSSED)
    best = g.plan().best(40, n_resamples=20)
    assert "The draws keep each assessor of the study" in str(best)
    assert best.interval.method.startswith("stretched profile")


# ---- what building on the estimates may lose ----------------------------


@pytest.mark.slow
def test_sensitivity_is_about_the_design_that_was_chosen():
    rng = np.random.default_rng(3)
    levels = {"system": 30, "topic": 40, "assessor": 8}
    g = simulated_study(levels, rng)
    table = g.plan().sensitivity(400, n_resamples=60, seed=2)
    assert len(table) == 60
    assert (table["topic"] * table["assessor"] <= 400).all()
    assert (table["loss"] >= -1e-12).all()
    assert len(set(table["assessor"])) > 1
    again = g.plan().sensitivity(400, n_resamples=60, seed=2)
    pd.testing.assert_frame_equal(table, again)
    chosen = g.plan().best(400).levels
    same = (table[list(chosen)] == pd.Series(chosen)).all(axis=1)
    assert table.loc[same, "loss"].abs().max() == 0


def test_large_studies_leave_no_doubt():
    levels = {"system": 3000, "topic": 4000, "assessor": 3000}
    g = simulated_study(levels, np.random.default_rng(0))
    table = g.plan().sensitivity(400, n_resamples=30)
    assert table["loss"].max() < 1e-3
    assert table["assessor"].nunique() <= 3
