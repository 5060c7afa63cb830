"""Components are added with their signs, and sums are cut off at zero."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.anova import COEFFICIENTS

NAMES = "system", "topic", "assessor", "session"
CROSSED = "system x topic x assessor"
NESTED = "system x (assessor:topic)"
VALUES = [*COEFFICIENTS, *COEFFICIENTS.values(), "universe_score"]


@st.composite
def tables(draw, fewest=2, most=3):
    """Scores of small crossed studies: mostly noise, so that about half of
    the components are estimated below zero."""
    facets = draw(st.integers(fewest, most))
    shape = [draw(st.integers(2, 5)) for _ in range(facets + 1)]
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    scores = rng.normal(size=shape)
    for axis in range(len(shape)):
        one = [n if k == axis else 1 for k, n in enumerate(shape)]
        size = draw(st.sampled_from([0, 0.3, 1]))
        scores = scores + size * rng.normal(size=one)
    return scores


def long_table(scores):
    """The scores of an array with an axis per facet, a row for each."""
    names = NAMES[: scores.ndim]
    index = pd.MultiIndex.from_product(
        map(range, scores.shape), names=names
    )
    return pd.Series(scores.ravel(), index, name="score").reset_index()


def study(scores):
    """The study of such an array, all facets crossed."""
    return gt.gstudy(long_table(scores), " x ".join(NAMES[: scores.ndim]))


def alpha(table):
    """Cronbach's alpha by its definition in covariances, (systems, n)."""
    cov = np.cov(table, rowvar=False)
    n = len(cov)
    return n / (n - 1) * (1 - np.trace(cov) / cov.sum())


def fixable(scores):
    """Every choice of facets to fix that leaves some to be drawn."""
    facets = range(1, scores.ndim)
    return [
        chosen
        for size in range(1, len(facets))
        for chosen in combinations(facets, size)
    ]


@given(tables())
def test_with_a_facet_fixed_it_is_alpha_of_the_means_over_it(scores):
    g = study(scores)
    for axes in fixable(scores):
        means = scores.mean(axis=axes)
        plan = g.plan(fixed=[NAMES[k] for k in axes])
        if means.ndim == 2:
            expected = max(alpha(means), 0)
        else:
            expected = study(means).plan().generalizability
        assert plan.generalizability == pytest.approx(
            expected, rel=1e-9, abs=1e-9
        )


@pytest.mark.slow
@given(tables())
def test_a_plan_with_a_facet_fixed_is_that_of_the_means_over_it(scores):
    """In both errors too, at other numbers of topics than were studied."""
    g = study(scores)
    for axes in fixable(scores):
        means = study(scores.mean(axis=axes))
        fixed = [NAMES[k] for k in axes]
        free = [f for f in g.levels if f not in (*fixed, "system")]
        # The means' own names: their facets are the first ones.
        renamed = dict(zip([*means.levels][1:], free, strict=True))
        levels = dict.fromkeys(renamed, 7)
        ours = g.plan(fixed=fixed, levels=dict.fromkeys(free, 7))
        theirs = means.plan(levels=levels)
        for name in VALUES:
            assert getattr(ours, name) == pytest.approx(
                getattr(theirs, name), rel=1e-9, abs=1e-9
            )


@given(tables(most=2))
def test_what_a_nested_plan_pools_is_what_a_nested_study_estimates(scores):
    """The same scores, each topic's assessors called by names of their
    own."""
    long, g = long_table(scores), study(scores)
    topic = long["topic"].astype(str)
    long["assessor"] = topic + "/" + long["assessor"].astype(str)
    nested = gt.gstudy(long, NESTED)
    pooled = g.plan(NESTED).effects.table["estimate"]
    for effect in ("assessor:topic", "system x (assessor:topic)"):
        assert pooled[effect] == pytest.approx(
            nested.estimate[effect], abs=1e-9
        )


@given(
    tables(),
    st.lists(st.integers(1, 400), min_size=3, max_size=3),
    st.booleans(),
)
def test_absolute_error_is_never_below_relative_error(
    scores, numbers, nested
):
    g = study(scores)
    design = NESTED if nested and scores.ndim == 3 else None
    facets = [f for f in g.levels if f != "system"]
    levels = dict(zip(facets, numbers, strict=False))
    plan = g.plan(design, levels=levels)
    assert plan.absolute_error >= plan.relative_error >= 0
    assert plan.universe_score >= 0
    assert 0 <= plan.dependability <= plan.generalizability <= 1
    assert (plan.table["variance"] >= 0).all()
    assert plan.grid().iloc[0]["dependability"] == pytest.approx(
        plan.dependability, rel=1e-9
    )


@pytest.mark.slow
@given(tables(most=2), st.booleans(), st.integers(1, 300))
def test_every_function_has_the_same_coefficient(scores, nested, budget):
    """The design that is best, the cheapest that does as well, the grid
    and a plan of its numbers."""
    g = study(scores)
    design = NESTED if nested else CROSSED
    free = g.plan(design, topic=(1, 60), assessor=(1, 12))
    for name, error in COEFFICIENTS.items():
        best = free.best(budget, coefficient=name)
        at = g.plan(design, **best.levels)
        assert getattr(best, name) == getattr(at, name)
        grid = free.grid(topic=range(1, 61), assessor=range(1, 13))
        paid = grid["topic"] * grid["assessor"] <= budget
        assert getattr(at, error) == pytest.approx(
            grid.loc[paid, error].min(), rel=1e-9, abs=1e-12
        )
        target = getattr(at, name)
        if not 0.01 < target < 0.999:
            continue
        cheapest = free.cheapest(target, coefficient=name)
        assert cheapest.cost <= best.cost
        assert getattr(cheapest, name) >= target * (1 - 1e-9)


@given(tables(1, 1))
def test_alpha_is_generalizability_with_the_same_limits(scores):
    table = pd.DataFrame(scores)
    assume(np.ptp(table.sum(axis=1)) > 1e-6)
    plan = gt.gstudy(table).plan()
    for method in ("auto", "exact", "pivotal"):
        ours = gt.cronbach_alpha(table, 0.9, method=method)
        theirs = plan.interval(
            "generalizability", confidence_level=0.9, method=method
        )
        assert [ours.low, ours.high] == pytest.approx(
            [theirs.low, theirs.high], rel=1e-9, abs=1e-12
        )
        assert ours.method == theirs.method
        assert max(ours.estimate, 0) == pytest.approx(
            theirs.estimate, rel=1e-9, abs=1e-9
        )


# Truth: no variance of assessors, nor of systems by assessors.
TRUTH = dict(
    zip(
        gt.Design(CROSSED).labels,
        [0.0075, 0.016, 0.0, 0.0126, 0.0, 0.0014, 0.0018],
        strict=True,
    )
)
SIZES = [(33, 50, 2), (10, 20, 2)]


@pytest.mark.parametrize("sizes", SIZES)
def test_errors_of_known_truth_are_right_on_average(sizes):
    """20,000 studies' mean squares. Sums are unbiased but for being cut
    off; crossed absolute error with each component cut off before was
    9% too high where 10 x 20 x 2 were studied and 50 x 1 are planned."""
    design = gt.Design(CROSSED)
    levels = dict(zip(design.facets, sizes, strict=True))
    solve = design.mean_squares_to_components(levels)
    truth = np.array([*TRUTH.values()])
    df = design.degrees_of_freedom(levels)[:, None]
    rng = np.random.default_rng(0)
    drawn = rng.chisquare(df, (len(df), 20_000)) / df
    estimates = solve @ (np.linalg.solve(solve, truth)[:, None] * drawn)
    g = gt.GStudy.from_components(design, TRUTH, levels=levels)
    numbers = {"topic": 50, "assessor": 1}
    for planned in (CROSSED, NESTED):
        plan = g.plan(planned, **numbers)
        found = plan.coefficients(estimates)
        signed = found["absolute_error"].mean() / plan.absolute_error
        relative = found["relative_error"].mean() / plan.relative_error
        assert signed == pytest.approx(1, abs=0.015)
        assert relative == pytest.approx(1, abs=0.015)
    each = g.plan(**numbers).coefficients(estimates.clip(0))
    before = each["absolute_error"].mean() / plan.absolute_error
    assert before > {33: 1.02, 10: 1.07}[sizes[0]]


@pytest.mark.sources
def test_the_book_says_how_zero_before_adding_differs():
    """The table of the comparison with GeneralizIT, which puts zero in the
    place of a negative component before it adds."""
    rng = np.random.default_rng(3)
    sizes = [(6, 1, 1), (6, 5, 1), (6, 5, 3)]
    scores = sum(rng.normal(size=size) for size in sizes)
    g = study(scores)
    topic, assessor, all_three = (
        f"system x {rest}"
        for rest in ("topic", "assessor", "topic x assessor")
    )
    parts = g.table["estimate"]
    assert parts[assessor] < 0

    def coefficient(parts):
        error = parts[topic] / 5 + parts[assessor] / 3
        error += parts[all_three] / 15
        return parts["system"] / (parts["system"] + error)

    signed, cut = coefficient(parts), coefficient(parts.clip(lower=0))
    assert signed == pytest.approx(g.plan().generalizability)
    page = Path(gt.__file__).parents[1] / "book" / "how-to-use.md"
    said = " ".join(page.read_text("utf-8").split())
    assert f"is then {cut:.3f} and {signed:.3f}." in said
