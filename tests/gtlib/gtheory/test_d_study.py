"""Other numbers of a plan as observed: the pattern of its gaps stays."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.anova import COEFFICIENTS
from tests.gtlib.gtheory.uneven import DESIGNS, uneven

SEEDS = st.integers(0, 10_000)
CASES = [
    (design, facet, ())
    for design in DESIGNS
    for facet in gt.Design(design).facets[1:]
] + [
    ("system x topic x assessor", "topic", ("assessor",)),
    ("system x (topic:passage)", "topic", ("passage",)),
    ("seed:system x topic", "seed", ()),
    ("seed:system x topic", "topic", ()),
]


def study(design, seed):
    """Of a table with gaps or uneven nests that Henderson's method bears,
    with the table."""
    frame = uneven(design, seed)
    try:
        g = gt.gstudy(frame, design, method="henderson")
    except ValueError:
        g = None
    assume(g is not None and g.incidence is not None)
    return g, frame


def doubled(frame, design, facet):
    """Each level twice, with all that is nested in it."""
    inner = [f for f, within in design.nesting.items() if facet in within]
    again = frame.copy()
    for name in [facet, *inner]:
        again[name] = "other " + again[name]
    return pd.concat([frame, again])


@pytest.mark.slow
@given(case=st.sampled_from(CASES), seed=SEEDS)
def test_twice_the_number_is_every_level_twice(case, seed):
    """Of the first study's components, since copies are no new scores."""
    design, facet, fixed = case
    g, frame = study(design, seed)
    twice = doubled(frame, g.design, facet)
    other = gt.gstudy(twice, design, method="henderson").plan(fixed=fixed)
    plan, now = g.plan(fixed=fixed), g.incidence.typical[facet]
    assert other.study.incidence.typical[facet] == pytest.approx(2 * now)
    expected = other.coefficients(g.estimate.to_numpy())
    for name, value in plan.coefficients(numbers={facet: 2 * now}).items():
        assert value == pytest.approx(expected[name], abs=1e-12), name
    for name, value in plan.coefficients(numbers={facet: now}).items():
        assert value == pytest.approx(getattr(plan, name), abs=1e-12)


@given(st.sampled_from(CASES), SEEDS, st.floats(0.05, 0.99))
def test_no_ceiling_lies_below_the_estimate(case, seed, target):
    """Of components none of which is below zero: where one is, more of a
    facet may be worse."""
    design, facet, fixed = case
    g, _ = study(design, seed)
    g = replace(g, estimate=g.variance)
    plan = g.plan(fixed=fixed)
    for name in COEFFICIENTS:
        estimate = getattr(plan, name)
        endless = plan.coefficients(numbers={facet: float("inf")})[name]
        assert endless >= estimate - 1e-9
        try:
            n = plan.required(facet, target, name)
        except ValueError as error:
            assert endless < target + 1e-9
            if found := re.search(r"ceiling is (\S+),", str(error)):
                assert float(found[1]) == pytest.approx(endless, abs=6e-5)
            continue
        found = plan.grid({facet: [n, max(1, n - 1)]})[name]
        assert found[0] >= target and (n == 1 or found[1] < target)
        if estimate >= target + 1e-9:
            assert n < g.incidence.typical[facet] + 1


@given(st.sampled_from(CASES[:7]), SEEDS)
def test_the_present_number_reaches_the_estimate(case, seed):
    design, facet, fixed = case
    g, _ = study(design, seed)
    plan, now = g.plan(fixed=fixed), g.incidence.typical[facet]
    for name in COEFFICIENTS:
        target = getattr(plan, name) * (1 - 1e-9)
        more = plan.coefficients(numbers={facet: 2 * now})[name]
        if target > 0.01 and more > target * (1 + 1e-6):
            n = plan.required(facet, target, name)
            assert now - 0.01 <= n < now + 1


def test_what_stays_is_named_as_observed():
    """One passage has four of the six topics."""
    rows = [
        (f"s{s}", f"t{t}", "long" if t < 4 else f"p{t}", (s + 1) ** t % 7)
        for s in range(3)
        for t in range(6)
    ]
    frame = pd.DataFrame(
        rows, columns=["system", "topic", "passage", "score"]
    )
    g = gt.gstudy(frame, "system x (topic:passage)", method="henderson")
    known = pd.Series([1, 0.1, 0.2, 0.3, 0.4], g.estimate.index)
    g = replace(g, estimate=known)
    plan, v = g.plan(), g.variance
    weight = (4 / 6) ** 2 + 2 / 6**2
    error = weight * v["system x passage"]
    ceiling = v["system"] / (v["system"] + error)
    with pytest.raises(ValueError) as refusal:
        plan.required("topic", 0.99, "generalizability")
    assert str(refusal.value) == (
        "No number of topics brings generalizability to 0.99: its ceiling "
        f"is {ceiling:.4f}, because of the error that stays: system x "
        "passage (100%)."
    )
    table = plan.grid(topic=[2, 4])
    assert [*table] == [
        "topic",
        "relative_error",
        "absolute_error",
        *COEFFICIENTS,
    ]
    left = table["absolute_error"] - weight * (
        v["passage"] + v["system x passage"]
    )
    assert left[0] == pytest.approx(2 * left[1])
