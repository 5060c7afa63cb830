"""Scores of single systems, against dense algebra and textbook formulas."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.design import Design
from tests import oracle
from tests.gtlib.gaps.test_henderson import CROSSED

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
def test_universe_scores_are_the_best_predictions(text, missing):
    """Exactly without gaps; with gaps they are near."""
    g, long = study(text, 1, missing)
    estimate, error = dense_predictions(g, long)
    found = g.universe_scores()
    near = 0.1 * long["score"].std() if missing else 1e-9
    assert found["estimate"].to_numpy() == pytest.approx(estimate, abs=near)
    near = 0.1 if missing else 1e-6
    assert found["standard_error"].to_numpy() == pytest.approx(error, near)
    means = long.groupby("system", sort=False)["score"].mean()
    assert found["mean"].to_dict() == pytest.approx(means.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("variance", [0, 0.03, 1])
@pytest.mark.parametrize("gaps", [False, True])
def test_standard_errors_are_those_of_an_estimated_variance(variance, gaps):
    """Of 100 studies, or 40 with gaps, of ten systems and ten topics:
    the ratio's Monte-Carlo error is .04 or less, or .07."""
    rng = np.random.default_rng(8)
    errors, said, none = [], [], 0
    for _ in range(40 if gaps else 100):
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


@pytest.mark.slow
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


def test_without_scores_there_are_none():
    bare = gt.GStudy.from_components(
        "system x topic", {"system": 1, "topic": 1, "system x topic": 1}
    )
    with pytest.raises(ValueError, match="holds none"):
        bare.universe_scores()
