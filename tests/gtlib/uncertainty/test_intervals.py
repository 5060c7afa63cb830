"""Intervals: published numbers, agreement, coverage, refusals."""

from dataclasses import replace
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, norm
from scipy.stats import f as f_distribution

import gtlib as gt
from gtlib.design import Design
from gtlib.intervals import cluster_bootstrap, percentiles, stretches
from gtlib.uncertainty import replicate
from tests import oracle
from tests.gtlib.gtheory.test_study import table_1

COEFFICIENTS = "generalizability", "dependability"
LABELS = "system", "topic", "system x topic"


def trec3(fraction):
    scores = gt.load("trec3")
    return gt.gstudy(gt.drop_worst(scores, fraction))


def small(systems=12, topics=20, seed=0, design="system x topic"):
    rng = np.random.default_rng(seed)
    levels = {"system": systems, "topic": topics, "assessor": 3}
    return gt.gstudy(oracle.table(Design(design), levels, rng), design)


def barren():
    return gt.GStudy.from_mean_squares(
        "system x topic",
        {"system": 10, "topic": 12},
        {"system": 0.9, "topic": 3, "system x topic": 1},
    )


def test_every_number_that_gt4ireval_prints():
    """Components, coefficients, topics; five significant digits."""
    studies = {"all": trec3(0), "best-30": trec3(0.25)}
    printed = gt.load("urbano-2017")
    for key, row in printed.iterrows():
        who, *path = key.split("/")
        ours = as_printed(studies[who], *path)
        assert f"{ours:.5g}" == f"{row['value']:.5g}", key


def as_printed(g, what, *path):
    if what in ("variance", "mean-square"):
        column = "variance" if what == "variance" else "mean_square"
        return g.table.loc[path[0].replace("-", " "), column]
    if what == "topics":
        coefficient, target, end = path
        found = g.plan().required_interval(
            "topic", float(target), coefficient, method="exact"
        )
        return getattr(found, end)
    topics, *level, end = path
    level = int(level[0].split("-")[1]) / 100 if level else 0.95
    found = g.plan(topic=int(topics)).interval(
        what, confidence_level=level, method="exact"
    )
    return getattr(found, end)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_brennans_table_6_5(coefficient):
    g = gt.gstudy(gt.load("brennan-2001-matrix"))
    printed = gt.load("brennan-2001-printed")["value"]
    found = g.plan().interval(
        coefficient, confidence_level=0.8, method="exact"
    )
    for end in ("estimate", "low", "high"):
        wanted = printed[f"table-6.5/{coefficient}/{end}"]
        assert round(getattr(found, end), 3) == wanted


@pytest.mark.parametrize("method", ["exact", "pivotal"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_required_topics_reach_the_target_at_the_limits(
    coefficient, method
):
    """At the number of topics of one limit, the coefficient's other limit
    has just reached the target."""
    g = small()
    check_limits(g, 0.9, coefficient, method=method)


@pytest.mark.parametrize(
    "plan",
    [
        {"design": "system x (assessor:topic)", "assessor": 2},
        {"fixed": "assessor"},
    ],
)
def test_so_they_do_with_assessors(plan):
    g = small(14, 30, 2, "system x topic x assessor")
    check_limits(g, 0.7, "dependability", **plan)
    found = g.plan(**plan).required_interval("topic", 0.7)
    assert int(found.estimate) == g.plan(**plan).required("topic", 0.7)


def test_so_they_do_where_more_topics_do_not_help_everything():
    """What assessors do to systems stays, as each replicate has it."""
    design = Design("system x topic x assessor")
    components = dict.fromkeys(design.labels, 1.0)
    components |= {"assessor": 0.1, "system x assessor": 0.2}
    g = gt.GStudy.from_components(
        design,
        components,
        levels={"system": 30, "topic": 40, "assessor": 9},
    )
    check_limits(g, 0.8, "dependability", assessor=9)
    check_limits(g, 0.8, "generalizability", assessor=9)


def check_limits(g, target, coefficient, method="auto", **plan):
    number = g.plan(**plan).required_interval(
        "topic", target, coefficient, method=method
    )
    for topics, end in ((number.high, "low"), (number.low, "high")):
        at, before = (
            getattr(
                g.plan(topic=n, **plan).interval(
                    coefficient, method=method
                ),
                end,
            )
            for n in (topics, max(1, topics - 1))
        )
        assert at >= target
        assert before < target or topics == 1


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_a_limit_is_its_own_target(coefficient):
    """The target that n topics just reach needs n, not n + 1 because of a
    rounding error."""
    g = small()
    for n in (1, 2, 3, 7, 19, 30, 59):
        limit = g.plan(topic=n).interval(coefficient).low
        found = g.plan().required_interval("topic", limit, coefficient)
        assert int(found.high) == n
        assert found.reason == ""


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_either_facet_may_be_measured(coefficient):
    """Topics as objects: the interval of the table turned round."""
    scores = small().cells.array()
    topics = gt.gstudy(scores, Design("system x topic", "topic"))
    turned = gt.gstudy(scores.T)
    one = topics.plan(system=9).interval(coefficient)
    other = turned.plan(topic=9).interval(coefficient)
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_percentiles_are_corrected_as_efron_says(level):
    """If a share Φ(1) of the replicates lies below the estimate, the tails
    move by 2; one half, and they stay."""
    drawn = np.arange(100_001.0)
    z = norm.ppf([(1 - level) / 2, (1 + level) / 2])
    for shift in (0, 0.5, 1):
        estimate = 100_000 * norm.cdf(shift)
        found = percentiles(drawn, level, "bootstrap", estimate)
        wanted = 100_000 * norm.cdf(z + 2 * shift)
        assert found == pytest.approx(wanted, abs=6)
        plain = percentiles(drawn, level, "pivotal", estimate)
        assert plain == pytest.approx(100_000 * norm.cdf(z), abs=1)


def test_percentiles_of_ties_and_of_estimates_outside():
    """Ties count half; the limits are replicates even far outside."""
    drawn = np.repeat([0.0, 1.0, 2.0], [100, 800, 100])
    assert percentiles(drawn, 0.9, "bootstrap", 1.0).tolist() == [0, 2]
    assert percentiles(drawn, 0.9, "bootstrap", 7.0).tolist() == [2, 2]
    assert percentiles(drawn, 0.9, "bootstrap", -7.0).tolist() == [0, 0]
    few = np.array([0.0, 1.0, 10.0])
    assert set(percentiles(few, 0.5, "pivotal", 1.0)) <= set(few)


def test_pivotal_components_are_plain_percentiles():
    g = small()
    table = g.component_intervals(method="pivotal", n_resamples=200)
    drawn = replicate(g, "pivotal", 200, 0)
    low, high = np.quantile(drawn, [0.025, 0.975], 1, method="nearest")
    assert table["low"].to_numpy() == pytest.approx(np.maximum(low, 0))
    assert table["high"].to_numpy() == pytest.approx(np.maximum(high, 0))


CALLS = [
    lambda g, **options: g.plan().interval("dependability", **options),
    lambda g, **options: g.plan().required_interval(
        "topic", 0.9, **options
    ),
    gt.GStudy.component_intervals,
]


def same(one, other):
    """Of the same draws: to the last bit."""
    return (
        one.equals(other) if isinstance(one, pd.DataFrame) else one == other
    )


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("method", ["pivotal", "bootstrap"])
def test_a_seed_repeats_and_zero_is_the_usual_one(call, method):
    g = small()
    options = {"method": method, "n_resamples": 100}
    usual = call(g, **options)
    assert same(usual, call(g, seed=0, **options))
    assert not same(usual, call(g, seed=1, **options))


def test_an_interval_in_words():
    of = gt.Interval
    assert str(of(0.123456, 0.56789, 0.31415926, 0.9, "feldt")) == (
        "0.3142 [0.1235, 0.5679] (90%, feldt)"
    )
    assert str(of(12, inf, 40, 0.95, "exact", "why")) == (
        "40 [12, none] (95%, exact); why"
    )
    assert str(of(np.nan, np.nan, reason="why")) == "no interval: why"


def test_an_interval_knows_its_level_and_method():
    g = small()
    for level in (0.8, 0.95):
        one = g.plan().interval("dependability", confidence_level=level)
        other = g.plan().required_interval(
            "topic", 0.9, confidence_level=level
        )
        # the same bits: it is handed on
        assert one.confidence_level == other.confidence_level == level
        assert one.method == other.method
        assert one.method.startswith("stretched arteaga, ")
    none = (
        barren()
        .plan()
        .required_interval("topic", 0.9, confidence_level=0.8)
    )
    assert (none.confidence_level, none.method) == (0.8, "arteaga")
    assert none.estimate == none.high == inf
    assert "variance of system is estimated as zero" in none.reason


def test_components_that_are_not_above_zero_say_why():
    """The F of systems is 1, so the estimate is just zero; and so small
    that not even the upper limit is above."""
    sizes = {"system": 10, "topic": 12}
    notes, highs = [], []
    for system in (1, 0.01):
        squares = {"system": system, "topic": 3, "system x topic": 1}
        g = gt.GStudy.from_mean_squares("system x topic", sizes, squares)
        row = g.component_intervals().loc["system"]
        assert row["low"] == 0
        highs.append(row["high"])
        notes.append(row["note"])
    assert highs == pytest.approx([ceiling_of_the_f_test(), 0])
    assert notes == [
        "the estimate is not above zero",
        "the estimate is not above zero, nor is the upper limit",
    ]


def ceiling_of_the_f_test():
    """Modified large sample of a difference of two mean squares of 1
    (Burdick & Graybill 1992, section 3.3), by hand."""
    k, r = 9, 99
    h = 1 / (chi2.ppf(0.025, k) / k) - 1
    g = 1 - 1 / (chi2.ppf(0.975, r) / r)
    f = f_distribution.ppf(0.025, k, r)
    cross = ((1 - f) ** 2 - h**2 * f**2 - g**2) / f
    return np.sqrt(h**2 + g**2 + cross) / 12


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("topics", [None, 7])
def test_the_pivotal_interval_is_feldts_and_close_to_arteagas(
    coefficient, topics
):
    g = small(30, 40)
    levels = {} if topics is None else {"topic": topics}
    exact = g.plan(**levels).interval(coefficient, method="exact")
    found = g.plan(**levels).interval(
        coefficient, method="pivotal", n_resamples=40_000
    )
    assert exact.method in ("feldt", "arteaga")
    closeness = 0.005 if coefficient == "generalizability" else 0.02
    assert (found.low, found.high) == pytest.approx(
        (exact.low, exact.high), abs=closeness
    )


def test_nested_topics_have_feldts_interval():
    """topic:system is a one-way analysis of variance."""
    g = small(design="topic:system")
    found = g.plan().interval("dependability")
    assert found.method.startswith("stretched feldt, ")
    same = g.plan().interval("generalizability")
    assert found.low == pytest.approx(same.low)
    assert found.high == pytest.approx(same.high)
    plan = small().plan("topic:system").interval("generalizability")
    assert plan.method.startswith("stretched arteaga, ")
    crossed = small().plan().interval("dependability")
    assert plan.high == pytest.approx(crossed.high)


@pytest.mark.parametrize("method", ["pivotal", "bootstrap"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_any_design_has_intervals(method, coefficient):
    g = small(10, 12, design="system x topic x assessor")
    found = g.plan(topic=20, assessor=2).interval(
        coefficient, method=method, n_resamples=300
    )
    assert 0 <= found.low < found.estimate < found.high <= 1
    d = g.plan(topic=20, assessor=2)
    assert found.estimate == pytest.approx(getattr(d, coefficient))
    number = g.plan(assessor=2).required_interval(
        "topic",
        round(found.estimate, 3),
        coefficient,
        method=method,
        n_resamples=300,
    )
    assert 19 <= number.estimate <= 21
    assert number.low <= number.estimate <= number.high


@pytest.mark.slow
def test_automatic_methods():
    crossed = small(10, 12, design="system x topic x assessor")
    found = crossed.plan().interval("dependability", n_resamples=50)
    assert found.method.startswith("stretched pivotal, ")
    cells = crossed.cells
    gappy = gt.gstudy(
        oracle.table(cells.design, cells.levels).iloc[3:], cells.design
    )
    found = gappy.plan().interval("dependability", n_resamples=50)
    assert found.method.startswith("stretched profile, ")
    few = gappy.component_intervals(n_resamples=50)["method"]
    assert set(few) == {"profile"}  # too few assessors to resample
    by_henderson = replace(gappy, method="henderson")
    found = by_henderson.plan().interval("dependability", n_resamples=50)
    assert found.method == "bootstrap"
    assert set(crossed.component_intervals()["method"]) == {"jackknife"}
    *others, last = small(10, 12).component_intervals()["method"]
    assert (set(others), last) == ({"jackknife"}, "bootstrap")
    squares = replace(small(10, 12), cells=None).component_intervals()
    assert set(squares["method"]) == {"mls"}


def test_mean_squares_alone_are_enough():
    """Bodoff and Li's table 1, three facets and no scores."""
    found = table_1(48).plan(topic=50, assessor=1).interval("dependability")
    assert found.method == "pivotal"
    assert 0.85 < found.low < 0.920 < found.high < 0.97


def test_components_and_levels_are_mean_squares():
    g = small()
    again = gt.GStudy.from_components(g.design, g.estimate, levels=g.levels)
    for coefficient in COEFFICIENTS:
        one = g.plan().interval(coefficient, method="exact")
        other = again.plan().interval(coefficient)
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_fixed_assessors():
    """With assessors fixed, system against system x topic is an F again,
    and the pivotal interval is Feldt's."""
    g = small(15, 20, design="system x topic x assessor")
    fixed = g.plan(fixed="assessor")
    averaged = gt.gstudy(g.cells.array().mean(axis=2)).plan()
    r, again = (
        stretches(p.study.cells, p.effects)["generalizability"]
        for p in (fixed, averaged)
    )
    assert r == pytest.approx(again)
    found = fixed.interval(
        "generalizability", method="pivotal", n_resamples=40_000
    )
    exact = averaged.interval("generalizability", method="exact")
    assert found.low == pytest.approx(exact.low, abs=0.005)
    assert found.high == pytest.approx(exact.high, abs=0.005)


def test_no_variance_between_systems_has_an_interval_from_zero():
    for coefficient in COEFFICIENTS:
        for method in ("auto", "pivotal"):
            found = barren().plan().interval(coefficient, method=method)
            assert found.low == found.estimate == 0
            assert 0 < found.high < 0.9
            assert "system is estimated as -0.00833, not" in str(found)
    found = barren().plan().required_interval("topic", 0.9)
    assert found.estimate == found.high == inf
    high = barren().plan().interval("dependability").high
    enough = barren().plan(topic=found.low).interval("dependability").high
    assert high < 0.9 <= enough


def test_an_interval_without_error_says_why_there_is_none():
    g = gt.gstudy(np.add.outer([0.0, 0.25, 0.5], [0.0, 0.125, 0.5, 0.25]))
    assert g.mean_squares.iloc[-1] == 0
    for found in (
        g.plan().interval("generalizability"),
        g.plan().required_interval("topic", 0.9),
    ):
        assert np.isnan([found.low, found.high]).all()
        assert "leave no error to judge" in str(found)


def test_no_error_but_for_rounding_is_none():
    rng = np.random.default_rng(1)
    scores = np.add.outer(rng.normal(size=6), rng.normal(size=9))
    g = gt.gstudy(scores + 1e6)
    assert g.mean_squares.iloc[-1] > 0
    found = g.plan().interval("generalizability")
    assert np.isnan(found.low) and found.reason


def test_the_limit_of_dependability_falls_with_the_systems():
    """Arteaga's upper limit rose again to 1 as their mean square fell."""
    highs = []
    for square in (2, 1, 0.5, 0.2, 0.05, 0.01, 1e-4, 1e-9):
        g = gt.GStudy.from_mean_squares(
            "system x topic",
            {"system": 10, "topic": 30},
            {"system": square, "topic": 2, "system x topic": 1},
        )
        highs.append(g.plan().interval("dependability").high)
    assert highs == sorted(highs, reverse=True)
    assert highs[-1] == 0


def test_a_negative_component_has_an_interval_from_zero():
    table = barren().component_intervals()
    assert table.loc["system", "low"] == 0
    assert table.loc["system", "high"] == pytest.approx(0.166, abs=5e-4)
    others = table.drop("system")
    assert (others["low"] < others["estimate"]).all()
    assert (others["estimate"] < others["high"]).all()
    assert others.loc["topic", "note"] == ""
    assert others.loc["system x topic", "note"].startswith("for normal")


@pytest.mark.filterwarnings("error")
def test_no_upper_limit_is_said():
    g = gt.GStudy.from_mean_squares(
        "system x topic",
        {"system": 8, "topic": 10},
        {"system": 1.5, "topic": 3, "system x topic": 1},
    )
    for method in ("exact", "pivotal"):
        found = g.plan().required_interval("topic", 0.9, method=method)
        assert found.high == inf
        assert found.reason == (
            "no upper limit: dependability may be so low that no number "
            "of topics reaches 0.9"
        )


@pytest.mark.parametrize(
    "method",
    ["mls", "jackknife", "pivotal", "bootstrap"],
)
def test_components_lie_in_their_intervals(method):
    g = small(20, 30, design="system x topic")
    table = g.component_intervals(method=method)
    assert (table["low"] < table["estimate"]).all()
    assert (table["high"] > table["estimate"]).all()
    assert (table["low"] >= 0).all()
    narrow = g.component_intervals(confidence_level=0.5, method=method)
    assert (narrow["high"] < table["high"]).all()
    assert (narrow["low"] > table["low"]).all()


def test_the_error_component_is_a_chi_square_interval():
    g = small()
    mls = g.component_intervals(method="mls").iloc[-1]
    df = g.design.degrees_of_freedom(g.levels)[-1]
    low, high = df * mls["estimate"] / chi2.ppf([0.975, 0.025], df)
    assert mls["low"] == pytest.approx(low)
    assert mls["high"] == pytest.approx(high)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["exact", "pivotal"])
def test_coverage_on_normal_data(method):
    truth = np.array([0.003, 0.028, 0.010])
    g = gt.GStudy.from_components(
        "system x topic",
        dict(zip(LABELS, truth, strict=True)),
        levels={"system": 30, "topic": 50},
    )
    solve = g.design.mean_squares_to_components(g.levels)
    df = g.design.degrees_of_freedom(g.levels)
    targets = {name: getattr(g.plan(), name) for name in COEFFICIENTS}
    rng = np.random.default_rng(12)
    covered = []
    for seed in range(200):
        squares = np.linalg.solve(solve, truth) * rng.chisquare(df) / df
        study = gt.GStudy.from_mean_squares(
            g.design, g.levels, dict(zip(LABELS, squares, strict=True))
        )
        plan, hits = study.plan(), []
        for name, target in targets.items():
            found = plan.interval(
                name, method=method, n_resamples=400, seed=seed
            )
            hits.append(found.low <= target <= found.high)
        covered.append(hits)
    shares = np.mean(covered, axis=0)
    assert ((shares > 0.91) & (shares < 0.985)).all()


def test_two_assessors_are_not_resampled():
    g = small(6, 7, design="system x topic x assessor")
    found = g.component_intervals(method="bootstrap", n_resamples=50)
    drawn = cluster_bootstrap(g.cells, ["system", "topic"], 50, 0)
    for row, (_, one) in zip(drawn, found.iterrows(), strict=True):
        limits = percentiles(row, 0.95, "bootstrap", one["estimate"])
        if one["estimate"] > 0:
            expected = np.maximum(limits, 0).tolist()
            assert [one.low, one.high] == pytest.approx(expected)
