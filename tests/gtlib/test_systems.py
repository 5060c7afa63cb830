"""Scores of single systems, against dense algebra and textbook formulas."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import systems
from gtlib.tables.design import Design
from tests import oracle
from tests.gtlib.estimates.test_henderson import CROSSED, table

NESTED = "system x (assessor:topic)"


def study(text=CROSSED, seed=0, missing=0.0, **levels):
    design = Design(text)
    levels = {"system": 6, "topic": 7, "assessor": 3, **levels}
    rng = np.random.default_rng(seed)
    long = oracle.table(design, levels, rng)
    long = long[rng.random(len(long)) >= missing]
    return gt.gstudy(long, design), long


def by_estimation(g):
    """Kackar and Harville's part of the squared error of one system."""
    plan, systems = g.plan(), len(g.cells.labels["system"])
    total = plan.universe_score + plan.relative_error
    return 2 * plan.relative_error**2 / total / (systems - 1)


def dense_predictions(g, long, fixed=()):
    """Henderson's mixed model equations in their covariance form."""
    variance = g.variance
    names = list(g.cells.labels["system"])
    z = {e: oracle.indicators(long, e.facets) for e in g.design.effects}
    v = sum(variance[e.label] * z[e] @ z[e].T for e in g.design.effects)
    inverse = np.linalg.inv(v)
    rows = inverse.sum(axis=1)
    p = inverse - np.outer(rows, rows) / rows.sum()
    universe = sum(
        variance[e.label]
        / np.prod([g.levels[f] for f in e.facets - {"system"}])
        for e in g.design.effects
        if "system" in e.facets and e.facets - {"system"} <= set(fixed)
    )
    belongs = long["system"].to_numpy()[:, None] == np.array(names)
    shared = universe * belongs
    y = long["score"].to_numpy()
    mean = rows @ y / rows.sum()
    errors = universe - np.diag(shared.T @ p @ shared)
    errors += by_estimation(g) * (1 - 1 / len(names))
    return mean + shared.T @ p @ y, np.sqrt(errors)


@pytest.mark.parametrize("text", ["system x topic", CROSSED, NESTED])
@pytest.mark.parametrize("missing", [0, 0.2])
@pytest.mark.parametrize("columns", [16, 4])
def test_universe_scores_are_the_best_predictions(
    text, missing, columns, monkeypatch
):
    monkeypatch.setattr(systems, "_COLUMNS", columns)
    g, long = study(text, 1, missing)
    estimate, error = dense_predictions(g, long)
    found = g.universe_scores()
    assert found["estimate"].to_numpy() == pytest.approx(estimate)
    assert found["standard_error"].to_numpy() == pytest.approx(error)
    means = long.groupby("system", sort=False)["score"].mean()
    assert found["mean"].to_dict() == pytest.approx(means.to_dict())


def test_a_nested_object():
    """Systems of groups: the group's effect is part of the score."""
    long = table(
        (3, 4, 9), ["group", "system", "topic"], 3, 0, {"system": "group"}
    )
    g = gt.gstudy(long, gt.Design("(system:group) x topic", "system"))
    variance = g.variance
    z = {
        e.label: oracle.indicators(long, e.facets) for e in g.design.effects
    }
    v = sum(variance[k] * z[k] @ z[k].T for k in z)
    inverse = np.linalg.inv(v)
    rows = inverse.sum(axis=1)
    p = inverse - np.outer(rows, rows) / rows.sum()
    systems = g.cells.labels["system"]
    same_system = long["system"].to_numpy()[:, None] == systems.to_numpy()
    groups = np.array([int(s.split("/")[0]) for s in systems])
    same_group = long["group"].to_numpy()[:, None] == groups
    shared = (
        variance["group"] * same_group
        + variance["system:group"] * same_system
    )
    y = long["score"].to_numpy()
    found = g.universe_scores()["estimate"].to_numpy()
    assert found == pytest.approx(rows @ y / rows.sum() + shared.T @ p @ y)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("variance", [0, 0.03, 1])
def test_standard_errors_are_those_of_an_estimated_variance(variance, gaps):
    """Of 300 studies, or 40 with gaps, of ten systems and ten topics."""
    rng = np.random.default_rng(8)
    errors, said, none = [], [], 0
    for _ in range(40 if gaps else 300):
        truth = pd.Series(rng.normal(0, variance**0.5, 10))
        y = truth.to_numpy()[:, None] + rng.normal(size=(10, 10))
        y = pd.DataFrame(y + rng.normal(size=10))
        if gaps:
            y = y.rename_axis("system").reset_index()
            y = y.melt("system", var_name="topic", value_name="score")
            y = y[rng.random(100) > 0.1]
        g = gt.gstudy(y, "system x topic")
        found = g.universe_scores()
        none += g.variance["system"] == 0
        estimate = found["estimate"] - found["estimate"].mean()
        errors.append(np.mean((estimate - truth) ** 2))
        said.append(np.mean(found["standard_error"] ** 2))
    ratio = np.sqrt(np.mean(said) / np.mean(errors))
    assert none > 0 or variance == 1
    assert min(said) > 0.01
    # The scores cannot tell a variance of 0 from one of 0.03
    assert ratio > 0.93 and (ratio < 1.3 or variance == 0)


def test_shrinkage_brings_estimates_closer_to_the_truth():
    rng = np.random.default_rng(4)
    gain = []
    for _ in range(60):
        truth = rng.normal(size=20)
        y = truth[:, None] + rng.normal(0, 3, (20, 8))
        found = gt.gstudy(pd.DataFrame(y)).universe_scores()
        raw = np.mean((found["mean"] - truth) ** 2)
        gain.append(np.mean((found["estimate"] - truth) ** 2) / raw)
    assert np.mean(gain) < 0.75


@pytest.mark.parametrize(
    "text, plan",
    [
        ("system x topic", {"topic": 20}),
        ("system x topic", {"topic": 20, "design": "topic:system"}),
        (CROSSED, {"topic": 20, "assessor": 2}),
        (CROSSED, {"topic": 20, "assessor": 2, "design": NESTED}),
        (CROSSED, {"topic": 20, "fixed": "assessor"}),
        (NESTED, {"topic": 9, "assessor": 4}),
        ("topic:system", {"topic": 9}),
    ],
)
def test_squared_errors_average_to_those_of_the_study(text, plan):
    """As far as no component counts as zero there."""
    seeds = (study(text, seed)[0] for seed in range(40))
    g = next(g for g in seeds if not g.negative)
    found = g.plan(**plan).conditional_errors()
    d = g.plan(**plan)
    average = (found[["absolute", "relative"]] ** 2).mean()
    assert average["absolute"] == pytest.approx(d.absolute_error, rel=0.02)
    if not (plan.get("design") and text == CROSSED):
        assert average["relative"] == pytest.approx(
            d.relative_error, rel=0.05
        )


def test_absolute_errors_are_those_of_a_mean():
    """One facet: the standard error of a mean, known to everyone."""
    g, long = study("system x topic")
    found = g.plan().conditional_errors()
    by_system = long.groupby("system", sort=False)["score"]
    expected = by_system.std() / np.sqrt(by_system.size())
    assert found["absolute"].to_dict() == pytest.approx(expected.to_dict())


def test_relative_errors_find_the_erratic_system():
    rng = np.random.default_rng(5)
    noise = np.array([0.1, 0.1, 0.1, 3.0, 0.1])
    y = rng.normal(size=(5, 1)) + rng.normal(size=4000)
    y = y + noise[:, None] * rng.normal(size=(5, 4000))
    found = gt.gstudy(pd.DataFrame(y)).plan(topic=100).conditional_errors()
    assert found["relative"].to_numpy() == pytest.approx(
        noise / 10, rel=0.1, abs=0.03
    )


def test_two_systems_share_their_relative_error():
    y = pd.DataFrame(np.random.default_rng(6).normal(size=(2, 9)))
    g = gt.gstudy(y)
    found = g.plan().conditional_errors()["relative"] ** 2
    assert found.to_numpy() == pytest.approx(g.plan().relative_error)


def by_brennan(y, topics):
    """Absolute error, variance of topics and covariance, put right."""
    n, planned = len(y), topics
    absolute = y.var(axis=1, ddof=1)
    together = [np.cov(row, y.mean(axis=0))[0, 1] for row in y]
    topic = gt.gstudy(pd.DataFrame(y)).estimate["topic"]
    return (
        (n + 1) / (n - 1) * absolute
        + topic
        - 2 * n / (n - 1) * np.array(together)
    ) / planned


@pytest.mark.parametrize("systems", [2, 3, 5, 30])
def test_brennans_relative_error(systems):
    y = np.random.default_rng(systems).random((systems, 7))
    g = gt.gstudy(pd.DataFrame(y))
    plan = g.plan(topic=20)
    theirs = by_brennan(y, 20)
    assert theirs.mean() == pytest.approx(g.estimate.iloc[-1] / 20)
    found = plan.conditional_errors("brennan")
    np.testing.assert_allclose(
        found["relative"] ** 2, np.maximum(theirs, 0), atol=1e-15
    )
    ours = plan.conditional_errors()
    assert found["absolute"].equals(ours["absolute"])


@pytest.mark.parametrize("method", ["deviations", "brennan"])
def test_relative_errors_are_unbiased_for_each_system(method):
    """4000 studies of five systems; four standard errors, about 6%."""
    rng = np.random.default_rng(9)
    truth = np.array([0.2, 0.5, 1.0, 1.5, 3.0]) ** 2
    y = rng.normal(0, 2, (4000, 1, 6))
    y = y + np.sqrt(truth)[:, None] * rng.normal(size=(4000, 5, 6))
    d = (y - y.mean(axis=1, keepdims=True)).var(axis=2, ddof=1)
    a = y.var(axis=2, ddof=1)
    found = (5 * d - 5 / 4 * d.mean(axis=1, keepdims=True)) / 3
    if method == "brennan":
        found = (5 * d + a - a.mean(axis=1, keepdims=True)) / 4
    error = found.std(axis=0) / np.sqrt(4000)
    assert (abs(found.mean(axis=0) - truth) < 4 * error).all()
    table = pd.DataFrame(y[0])
    first = gt.gstudy(table).plan(topic=1).conditional_errors(method)
    np.testing.assert_allclose(
        first["relative"] ** 2, np.maximum(found[0], 0), atol=1e-12
    )


@pytest.mark.parametrize(
    "text, plan",
    [(CROSSED, {"topic": 20, "assessor": 2}), (NESTED, {"topic": 9})],
)
def test_brennans_average_is_the_studys_too(text, plan):
    """Before what is negative for a single system counts as zero."""
    seeds = (study(text, seed)[0] for seed in range(40))
    g = next(g for g in seeds if not g.negative)
    planned = g.plan(**plan)
    _, found = systems._squared_errors(g.cells, planned, "brennan")
    assert found.mean() == pytest.approx(planned.relative_error)


def test_gaps_leave_what_can_be_known():
    _, long = study(CROSSED, 7, topic=5)
    gone = (long["system"] == "system0") & (
        (long["assessor"] != "assessor0") | (long["topic"] == "topic1")
    )
    found = (
        gt.gstudy(long[~gone], CROSSED)
        .plan(topic=5, assessor=2)
        .conditional_errors()
    )
    assert found.loc["system0"].isna().tolist() == [False, True, True]
    assert found.drop("system0").notna().all(axis=None)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("text", [CROSSED, NESTED])
def test_the_error_of_a_difference_is_that_of_the_dense_prediction(
    text, missing
):
    """The covariance of what is predicted, less that of its prediction."""
    g, long = study(text, seed=4, missing=missing)
    names = list(g.cells.labels["system"])
    z = {e: oracle.indicators(long, e.facets) for e in g.design.effects}
    v = sum(g.variance[e.label] * z[e] @ z[e].T for e in g.design.effects)
    inverse = np.linalg.inv(v)
    rows = inverse.sum(axis=1)
    p = inverse - np.outer(rows, rows) / rows.sum()
    of = (long["system"].to_numpy()[:, None] == names).astype(float)
    between = g.variance["system"]
    shared = between * of
    errors = between * np.eye(len(names)) - shared.T @ p @ shared
    scores = shared.T @ p @ long["score"].to_numpy()
    gap, error = systems.universe_difference(g, names[1], names[4])
    assert gap == pytest.approx(scores[1] - scores[4])
    expected = errors[1, 1] + errors[4, 4] - 2 * errors[1, 4]
    expected += 2 * by_estimation(g)
    assert error == pytest.approx(np.sqrt(expected))


def test_without_error_a_system_is_as_far_from_the_next_as_it_seems():
    """Gaps, and scores that are sums of a system's and a topic's part."""
    part = np.arange(6.0) ** 2
    wide = pd.DataFrame(part[:, None] + np.arange(9.0) ** 2)
    wide.iloc[2, 3] = wide.iloc[4, 1] = np.nan
    long = wide.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    g = gt.gstudy(long.dropna(), "system x topic", method="henderson")
    assert g.variance["system x topic"] == pytest.approx(0, abs=1e-9)
    found = g.universe_scores()
    gaps = np.diff(found["estimate"])
    assert gaps == pytest.approx(np.diff(part), rel=1e-5)
    assert (found["standard_error"] >= 0).all()


def test_refusals():
    g, long = study("system x topic")
    bare = replace(g, cells=None)
    for question in (bare.universe_scores, bare.plan().conditional_errors):
        with pytest.raises(ValueError, match="need the scores, and this"):
            question()
    by_group = long.assign(
        group=long["system"].isin(["system0", "system1"])
    )
    nested = gt.gstudy(
        by_group,
        gt.Design("(system:group) x topic", "system"),
        method="reml",
    )
    with pytest.raises(ValueError, match="system is nested"):
        nested.plan(topic=3).conditional_errors()
    with pytest.raises(ValueError, match="method is 'jarjoura'; choose"):
        g.plan().conditional_errors("jarjoura")
    gaps = gt.gstudy(long.iloc[1:], "system x topic")
    with pytest.raises(ValueError, match="a balanced study without gaps"):
        gaps.plan(topic=9).conditional_errors("brennan")
