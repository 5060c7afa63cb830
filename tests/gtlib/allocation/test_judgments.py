"""Topics against judgments a topic: every design tried, and simulated."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

CROSSED = gt.GStudy.from_components(
    "system x topic x assessor",
    {
        "system": 0.008,
        "topic": 0.03,
        "assessor": 0.001,
        "system x topic": 0.02,
        "system x assessor": 0.0004,
        "topic x assessor": 0.004,
        "system x topic x assessor": 0.006,
    },
)
TWO = gt.GStudy.from_components(
    "system x topic",
    {"system": 0.008, "topic": 0.03, "system x topic": 0.02},
)
NUMBERS = *range(1, 13), 15, 20, 25, 26, 33, 50, 51, 99, 100, 101, 200
UNJUDGED = {n: 0.4 / n - 0.4 / 200 for n in NUMBERS}


def test_unjudged_documents_are_an_error_that_topics_divide():
    plain = TWO.plan(topic=40)
    plan = TWO.plan(topic=40, unjudged=0.01)
    assert plan.relative_error == pytest.approx((0.02 + 0.01) / 40)
    assert plan.absolute_error == pytest.approx((0.03 + 0.02 + 0.01) / 40)
    assert plan.universe_score == plain.universe_score
    row = plan.table.loc["unjudged documents"]
    assert row[["variance", "divisor"]].tolist() == [0.01, 40]
    assert plan.table["percent"].sum() == pytest.approx(100)
    three = CROSSED.plan(topic=40, assessor=3, unjudged=0.01)
    gap = (
        three.relative_error
        - CROSSED.plan(topic=40, assessor=3).relative_error
    )
    assert gap == pytest.approx(0.01 / 40)
    assert "unjudged documents" in str(plan)
    nothing = TWO.plan(topic=40, unjudged=0)
    assert nothing.table.equals(plain.table)


def test_required_topics_and_grids_know_of_them():
    plan = TWO.plan(unjudged=0.01)
    n = plan.required("topic", 0.95, "generalizability")
    same = gt.GStudy.from_components(
        "system x topic",
        {"system": 0.008, "topic": 0.03, "system x topic": 0.03},
    ).plan()
    assert n == same.required("topic", 0.95, "generalizability")
    pd.testing.assert_frame_equal(
        plan.grid(topic=[5, 50]), same.grid(topic=[5, 50])
    )


@pytest.mark.parametrize(
    ("g", "facets"), [(TWO, ["topic"]), (CROSSED, ["topic", "assessor"])]
)
@pytest.mark.parametrize(
    "prices",
    [
        {"judgment": 1, "topic": 20},
        {"judgment": 1, "topic": 3.5},
        None,
    ],
)
@pytest.mark.parametrize(
    "coefficient", ["generalizability", "dependability"]
)
def test_the_best_is_that_of_all_designs(g, facets, prices, coefficient):
    budget = 50
    table = g.plan().best_by_judgments(
        UNJUDGED, budget, prices, coefficient=coefficient
    )
    price = prices or {"judgment": 1}
    best = {}

    @cache
    def of_plan(topics, assessors):
        numbers = {"topic": topics, "assessor": assessors}
        return g.plan().sources.coefficients(
            {f: numbers[f] for f in facets}
        )

    for n, topics in product(UNJUDGED, range(1, budget + 1)):
        most = budget if "assessor" in facets else 1
        for assessors in range(1, most + 1):
            cost = topics * (
                assessors * n * price["judgment"] + price.get("topic", 0)
            )
            if cost > budget:
                break
            plan = of_plan(topics, assessors)
            error = (
                "absolute"
                if coefficient == "dependability"
                else ("relative")
            )
            value = plan["universe_score"] / (
                plan["universe_score"]
                + plan[f"{error}_error"]
                + UNJUDGED[n] / topics
            )
            best[n] = max(best.get(n, 0), value)
    found = table[coefficient]
    assert found.to_dict() == pytest.approx(best)
    assert (table["cost"] <= budget + 1e-9).all()


def test_bounds_of_the_plan_hold():
    table = TWO.plan(topic=(1, 10)).best_by_judgments(UNJUDGED, 1000)
    assert table["topic"].max() == 10
    fixed = TWO.plan(topic=10).best_by_judgments(UNJUDGED, 1000)
    assert fixed.index.max() == 100


@pytest.mark.parametrize("unjudged", [-0.1, np.nan, np.inf])
def test_a_variance_is_a_number(unjudged):
    with pytest.raises(ValueError, match=r"unjudged=.*zero or more"):
        TWO.plan(topic=5, unjudged=unjudged)


def test_what_is_asked_must_be_possible():
    with pytest.raises(ValueError, match="no facet topic"):
        gt.GStudy.from_components(
            "system x query", {"system": 1, "query": 1, "system x query": 1}
        ).plan(query=5, unjudged=0.1)
    with pytest.raises(ValueError, match="buys no design"):
        TWO.plan().best_by_judgments({50: 0.1}, 10)
    with pytest.raises(ValueError, match="buys no design"):
        TWO.plan().best_by_judgments({}, 10)
    with pytest.raises(ValueError, match=r"number of judgments=2\.5"):
        TWO.plan().best_by_judgments({2.5: 0.1}, 10)
    with pytest.raises(ValueError, match="price for 'dog'"):
        TWO.plan().best_by_judgments({2: 0.1}, 10, {"dog": 1})


def test_an_interval_takes_them_as_known():
    scores = np.random.default_rng(0).normal(size=(20, 30))
    scores += np.linspace(0, 2, 20)[:, None]
    g = gt.gstudy(pd.DataFrame(scores))
    g = gt.GStudy.from_mean_squares(
        "system x topic",
        g.levels | {}
        if "system" in g.levels
        else {"system": 20, "topic": 30},
        {
            "system": g.mean_squares.iloc[0],
            "topic": g.mean_squares.iloc[1],
            "system x topic": g.mean_squares.iloc[2],
        },
    )
    plain = g.plan(topic=30).interval("generalizability")
    found = g.plan(topic=30, unjudged=1.0).interval("generalizability")
    assert found.method == "pivotal"
    assert found.low < found.estimate < found.high
    assert found.high < plain.high
    tiny = g.plan(topic=30, unjudged=1e-12).interval("generalizability")
    assert tiny.low == pytest.approx(plain.low, abs=0.01)


def test_the_split_is_the_simulated_error():
    """Topics drawn, documents drawn, and scores that are unbiased."""
    rng = np.random.default_rng(5)
    systems, topics, documents, n = 12, 25, 40, 8
    taste = rng.normal(0, 1, (systems, documents))
    noise_of_one = (taste - taste.mean(axis=0)).var(axis=1, ddof=1).mean()
    unjudged = noise_of_one * (1 / n - 1 / documents)
    unjudged *= systems / (systems - 1)
    squares = []
    for _ in range(1500):
        effects = rng.normal(0, np.sqrt(0.5), (systems, topics))
        kept = np.argsort(rng.random((topics, documents)))[:, :n]
        seen = taste[:, kept].mean(axis=2) - taste.mean(axis=1)[:, None]
        error = (effects + seen).mean(axis=1)
        squares.append(error.var(ddof=1))
    g = gt.GStudy.from_components(
        "system x topic", {"system": 1, "topic": 1, "system x topic": 0.5}
    )
    plan = g.plan(topic=topics, unjudged=unjudged)
    error = np.std(squares) / np.sqrt(len(squares))
    assert np.mean(squares) == pytest.approx(
        plan.relative_error, abs=3 * error
    )
    assert error < 0.02 * plan.relative_error


def test_half_the_variance_of_a_difference():
    drawn = gt.synthetic_collection(systems=4, topics=5, documents=40)
    pool = gt.pool_runs(drawn.runs)
    p = drawn.p[pool.documents].to_numpy()
    rng = np.random.default_rng(0)
    ap = np.stack(
        [pool.average_precision(rng.random(len(p)) < p) for _ in range(400)]
    )
    relative = ap - ap.mean(axis=1, keepdims=True)
    seen = relative.var(axis=0, ddof=1).sum(axis=0).mean() / 3
    assert pool.unjudged_variance(p) == pytest.approx(seen, rel=0.1)
    assert pool.unjudged_variance(np.round(p)) == 0


def test_what_comes_from_scores_alone_does_not_take_them():
    scores = np.random.default_rng(1).normal(size=(8, 12))
    scores += np.linspace(0, 2, 8)[:, None]
    plan = gt.gstudy(pd.DataFrame(scores)).plan(unjudged=0.5)
    assert plan.ranking_agreement(n_resamples=20).method == "normal"
    with pytest.raises(ValueError, match="no place for unjudged"):
        plan.interval(method="profile")


def test_the_next_judgments_by_hand():
    """Three ways to spend 90 judgments, each computed by itself."""
    unjudged = {10: 0.4, 13: 0.3}
    plan = CROSSED.plan(topic=3, assessor=2, unjudged=0.4)
    found = plan.next_judgments(unjudged, 10, 18)
    assert [*found.index] == ["now", "documents"]
    found = plan.next_judgments(unjudged, 10, 19 + 11)
    assert [*found.index] == ["now", "topics", "assessors"]
    wanted = CROSSED.plan(topic=4, assessor=2, unjudged=0.4)
    row = found.loc["topics"]
    assert row["topic"] == 4
    assert row["relative_error"] == pytest.approx(wanted.relative_error)
    wanted = CROSSED.plan(topic=3, assessor=3, unjudged=0.4)
    row = found.loc["assessors"]
    assert row["assessor"] == 3
    assert row["left"] == pytest.approx(
        wanted.relative_error / plan.relative_error
    )
    only = CROSSED.plan(topic=3, assessor=2, fixed="assessor")
    assert "assessors" not in only.next_judgments(unjudged, 10, 90).index


def test_more_judgments_never_raise_the_error():
    for more in (1, 7, 40, 1000):
        left = TWO.plan(topic=4).next_judgments({5: 0.1}, 5, more)["left"]
        assert (left <= 1).all()
        assert ("topics" in left) == (more >= 5)


def test_the_present_variance_must_be_known():
    with pytest.raises(ValueError, match=r"no variance for 7 .* \[5\]"):
        TWO.plan(topic=4).next_judgments({5: 0.1}, 7)
    with pytest.raises(ValueError, match=r"more=0"):
        TWO.plan(topic=4).next_judgments({5: 0.1}, 5, 0)


def test_parts_of_a_difference_add_up():
    plan = CROSSED.plan(topic=7, assessor=3, unjudged=0.2)
    parts = plan.difference_errors()
    assert (parts**2).sum() == pytest.approx(2 * plan.relative_error)
    assert parts["unjudged documents"] == pytest.approx(
        np.sqrt(2 * 0.2 / 7)
    )
