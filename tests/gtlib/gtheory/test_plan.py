"""D-studies: published numbers, algebra, brute force, refusals."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from tests import oracle
from tests.gtlib.gtheory.test_study import (
    nested_study,
    parts_of_html,
    slug,
    table_1,
)

PUBLISHED = gt.load("bodoff-li-2007")


def published(key):
    return PUBLISHED.loc[key, "value"], PUBLISHED.loc[key, "decimals"]


@pytest.mark.parametrize(
    "key, study, attribute",
    [
        ("relative-error", "mean squares", "relative_error"),
        ("generalizability", "mean squares", "generalizability"),
        ("dependability", "mean squares", "dependability"),
        ("absolute-error", "rounded", "absolute_error"),
        ("dependability", "rounded", "dependability"),
    ],
)
def test_the_worked_example(key, study, attribute):
    """The paper's .00149 comes from its rounded components, its .00066
    from the mean squares (the rounded ones give .000665)."""
    value, decimals = published(f"section-2.3/{key}/20x3")
    g = rounded_components() if study == "rounded" else as_printed()
    ours = getattr(g.plan(topic=20, assessor=3), attribute)
    assert round(ours, decimals) == value


def as_printed():
    """Table 1 as the paper plans on it: a negative estimate is zero."""
    g = table_1(48)
    return gt.GStudy.from_components(g.design, g.variance, levels=g.levels)


def rounded_components():
    effects = table_1(48).design.labels
    return gt.GStudy.from_components(
        "system x topic x assessor",
        {
            effect: published(f"table-1/variance/{slug(effect)}")[0]
            for effect in effects
        },
    )


@pytest.mark.parametrize("topics", [50, 100])
@pytest.mark.parametrize("assessors", [1, 2])
@pytest.mark.parametrize(
    "coefficient", ["dependability", "generalizability"]
)
def test_table_4(topics, assessors, coefficient):
    value, decimals = published(
        f"table-4/{coefficient}/{topics}x{assessors}"
    )
    d = as_printed().plan(topic=topics, assessor=assessors)
    assert round(getattr(d, coefficient), decimals) == value


@pytest.mark.parametrize(
    "fraction, coefficients, topics",
    [
        (0, [0.970428, 0.914361], None),
        (0.25, [0.93265, 0.78613], [69, 259]),
    ],
)
def test_trec_3(fraction, coefficients, topics):
    """What gt4ireval gives for the same matrix."""
    g = gt.gstudy(gt.drop_worst(gt.load("trec3"), fraction))
    d = g.plan()
    assert [d.generalizability, d.dependability] == pytest.approx(
        coefficients, abs=6e-6
    )
    if topics:
        assert topics == [
            g.plan().required("topic", 0.95, coefficient)
            for coefficient in ("generalizability", "dependability")
        ]


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 999))
def test_alpha_is_generalizability(systems, topics, seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(systems, topics))
    scores = pd.DataFrame(2 * rng.normal(size=(systems, 1)) + noise)
    g = gt.gstudy(scores)
    if g.variance["system"] > 0:
        assert g.plan().generalizability == pytest.approx(
            gt.cronbach_alpha(scores).estimate
        )


COMPONENTS = st.fixed_dictionaries(
    dict.fromkeys(
        gt.Design("p x i x a").labels,
        st.floats(0, 1, allow_subnormal=False),
    )
)


@given(COMPONENTS, st.integers(1, 50), st.integers(1, 9))
def test_nested_is_never_above_crossed(components, i, a):
    g = gt.GStudy.from_components("p x i x a", components)
    crossed = g.plan(i=i, a=a)
    nested = g.plan("p x (a:i)", i=i, a=a)
    slack = 1e-12
    assert nested.relative_error <= crossed.relative_error + slack
    assert nested.absolute_error <= crossed.absolute_error + slack
    c = components
    by_hand = c["p x i"] / i + (c["p x a"] + c["p x i x a"]) / (i * a)
    assert nested.relative_error == pytest.approx(by_hand, abs=1e-15)
    by_hand += c["i"] / i + (c["a"] + c["i x a"]) / (i * a)
    assert nested.absolute_error == pytest.approx(by_hand, abs=1e-15)


@pytest.mark.parametrize("text", ["p x i x a", "p x (a:i)", "(i x a):p"])
def test_errors_are_the_variance_of_simulated_means(text):
    """Draw the planned study 20,000 times; compare the variances."""
    design = gt.Design("p x i x a")
    rng = np.random.default_rng(12)
    truth = dict(zip(design.labels, rng.uniform(0.2, 1, 7), strict=True))
    g = gt.GStudy.from_components(design, truth)
    d = g.plan(text, i=3, a=2)
    plan = gt.Design(text)
    n, i, a = 20_000, 3, 2
    effects = {}
    for effect in design.effects:
        home = plan.closure(effect.facets)
        size = (
            n,
            2 if "p" in home else 1,
            i if "i" in home else 1,
            a if "a" in home else 1,
        )
        draws = rng.normal(0, truth[effect.label] ** 0.5, size)
        effects[effect.label] = draws.mean(axis=(2, 3))
    both = sum(np.broadcast_to(e, (n, 2)) for e in effects.values())
    error = both - effects["p"]
    half_difference = (error[:, 0] - error[:, 1]) / 2**0.5
    se = np.sqrt(2 / n)
    assert error[:, 0].var() == pytest.approx(d.absolute_error, rel=5 * se)
    assert half_difference.var() == pytest.approx(
        d.relative_error, rel=5 * se
    )


def test_fixed_facets_move_their_interaction_to_the_universe_score():
    g = table_1(48)
    d = g.plan(fixed="assessor", topic=50)
    v = g.variance
    universe = v["system"] + v["system x assessor"] / 2
    error = v["system x topic"] / 50 + v["system x topic x assessor"] / 100
    assert d.universe_score == pytest.approx(universe)
    assert d.relative_error == pytest.approx(error)
    assert d.table.loc["assessor", "role"] == "constant"


def test_fixed_levels_are_averaged_over():
    frame = oracle.table(
        gt.Design("p x i x a"),
        {"p": 6, "i": 5, "a": 3},
        np.random.default_rng(4),
    )
    here = gt.gstudy(frame, "p x i x a").plan(fixed="a")
    averaged = frame.groupby(["p", "i"], as_index=False)["score"].mean()
    plain = gt.gstudy(averaged, "p x i").plan()
    assert here.generalizability == pytest.approx(plain.generalizability)


def test_an_uneven_number_of_levels_is_given():
    frame = oracle.table(gt.Design("p x (a:i)"), {"p": 3, "i": 4, "a": 3})
    lost = frame["a"] == frame["a"].iloc[0]
    g = gt.gstudy(frame[~lost], "p x (a:i)")
    assert g.plan(a=3).levels == {"i": 4, "a": 3}
    assert gt.gstudy(frame, "p x (a:i)").plan().levels["a"] == 3


def test_a_nested_object_is_compared_across_its_nests():
    design = gt.Design("(run:site) x topic", object="run")
    g = gt.GStudy.from_components(
        design, dict(zip(design.labels, [1, 2, 3, 4, 5], strict=True))
    )
    d = g.plan(topic=10)
    v = g.variance
    expected = v["site"] + v["run:site"]
    assert d.universe_score == pytest.approx(expected)
    assert d.relative_error == pytest.approx(
        (v["topic x site"] + v["topic x (run:site)"]) / 10
        if "topic x site" in v
        else (v["site x topic"] + v["(run:site) x topic"]) / 10
    )


def test_a_plan_keeps_the_object_of_its_study():
    design = gt.Design("system x topic", "topic")
    g = gt.GStudy.from_components(
        design, {"system": 3, "topic": 2, "system x topic": 1}
    )
    plan = g.plan("system x topic", system=4)
    assert plan.design.object == "topic"
    assert plan.generalizability == pytest.approx(2 / (2 + 1 / 4))


def test_sums_of_drawn_components_are_cut_off_at_zero():
    """Where topics and their interaction are far below zero: no relative
    error, nor an absolute one."""
    plan = table_1(48).plan()
    drawn = np.repeat(plan.study.estimate.to_numpy()[:, None], 3, axis=1)
    drawn[0, 0] = -1  # system
    drawn[3, 1] = -1  # system x topic
    drawn[1, 2] = -1  # topic
    found = plan.coefficients(drawn)
    assert found["universe_score"][0] == found["dependability"][0] == 0
    assert found["relative_error"][1] == found["absolute_error"][1] == 0
    assert found["absolute_error"][2] == found["relative_error"][2] > 0
    assert found["relative_error"][0] == pytest.approx(plan.relative_error)


def test_numbers_whose_product_is_no_integer_of_64_bits():
    numbers = {"topic": [2**33], "assessor": [2**33]}
    row = table_1(48).plan().grid(**numbers).iloc[0]
    assert 0 < row["relative_error"] < row["absolute_error"] < 1e-9


def test_a_grid_is_many_d_studies():
    g = table_1(48)
    grid = g.plan().grid(topic=[20, 50], assessor=[1, 2, 3])
    assert len(grid) == 6
    for row in grid.to_dict("records"):
        d = g.plan(topic=row["topic"], assessor=row["assessor"])
        for name in (
            "relative_error",
            "absolute_error",
            "generalizability",
            "dependability",
        ):
            assert row[name] == pytest.approx(getattr(d, name), rel=1e-14)


def test_a_grid_turns_its_last_facet_first_and_fills_in_the_study():
    g = table_1(48)
    grid = g.plan().grid(topic=[20, 50], assessor=[1, 3])
    assert grid[["topic", "assessor"]].to_numpy().tolist() == [
        [20, 1],
        [20, 3],
        [50, 1],
        [50, 3],
    ]
    assert grid.columns[2:].tolist() == [
        "relative_error",
        "absolute_error",
        "generalizability",
        "dependability",
    ]
    nested = "system x (assessor:topic)"
    row = g.plan(nested).grid(topic=20).iloc[0]
    d = g.plan(nested, topic=20, assessor=2)
    assert row["assessor"] == 2
    assert row["relative_error"] == pytest.approx(d.relative_error)
    assert row["relative_error"] < g.plan(topic=20).relative_error
    fixed = g.plan(fixed="assessor").grid(topic=20).iloc[0]
    d = g.plan(fixed="assessor", topic=20)
    assert fixed["dependability"] == pytest.approx(d.dependability)


@given(
    COMPONENTS,
    st.floats(0.05, 0.99),
    st.sampled_from(["generalizability", "dependability"]),
)
def test_required_levels_is_the_smallest_that_reaches(
    components, target, coefficient
):
    g = gt.GStudy.from_components("p x i x a", components)

    def at(n):
        return getattr(g.plan(i=n, a=2), coefficient)

    try:
        n = g.plan(a=2).required("i", target, coefficient)
    except ValueError:
        assert at(10**9) < target + 1e-6
        return
    assert at(n) >= target
    assert n == 1 or at(n - 1) < target


signed = st.floats(-1, 1).map(lambda x: round(x, 3))


@given(
    st.floats(0.1, 5),
    st.tuples(*[signed] * 6),
    st.floats(0.1, 0.95),
    st.sampled_from(["generalizability", "dependability"]),
)
def test_required_levels_where_components_are_negative(
    system, others, target, coefficient
):
    """Against a look at 400 numbers: with one sum falling and another
    rising, only a few numbers between may do."""
    labels = gt.Design("p x i x a").labels
    components = dict(zip(labels, (system, *others), strict=True))
    plan = gt.GStudy.from_components("p x i x a", components).plan(a=2)
    grid = plan.grid(i=range(1, 401))
    reached = grid.loc[grid[coefficient] >= target, "i"]
    try:
        n = plan.required("i", target, coefficient)
    except ValueError:
        n = np.inf
    if len(reached):
        assert n == reached.iloc[0]
    else:
        assert n > 400


def test_the_ceiling_of_a_number_that_does_harm():
    """The more topics, the less of a negative interaction is left."""
    components = dict.fromkeys(gt.Design("p x i x a").labels, 0.0)
    components |= {"p": 1.0, "p x i": -0.5, "p x a": 1.0}
    plan = gt.GStudy.from_components("p x i x a", components).plan(a=1)
    assert plan.required("i", 0.6, "generalizability") == 1
    with pytest.raises(ValueError, match=r"ceiling is 0\.6667, .*p x a"):
        plan.required("i", 0.7, "generalizability")


def test_required_levels_of_a_nested_plan():
    g = as_printed()
    nested = "system x (assessor:topic)"
    n = g.plan(nested, assessor=2).required("topic", 0.95)

    def at(topics):
        d = g.plan(nested, topic=topics, assessor=2)
        return d.dependability

    assert at(n - 1) < 0.95 <= at(n)
    assert n < g.plan(assessor=2).required("topic", 0.95)


def only(**components):
    """Of p x i x a, all other components being zero."""
    labels = gt.Design("p x i x a").labels
    given = {k.replace("_", " x "): v for k, v in components.items()}
    return gt.GStudy.from_components(
        "p x i x a", {**dict.fromkeys(labels, 0.0), **given}
    )


@pytest.mark.parametrize(
    "universe, error, target, topics",
    [(1, 3, 0.5, 3), (1, 3, 0.25, 1), (1, 2, 0.8, 8), (2, 3, 0.4, 1)],
)
def test_the_target_itself_is_enough(universe, error, target, topics):
    """Though 2/(.2/.8) is more than 8 in floating point."""
    g = only(p=universe, p_i=error)
    assert g.plan(a=1).required("i", target) == topics


def test_required_levels_where_rounding_errors_matter():
    """18/(18 + 36/98) is .98, but not in floating point; and a ceiling can
    be above the target by less than any number of levels can show."""
    g = gt.GStudy.from_components("p x i", {"p": 18, "i": 20, "p x i": 16})
    n = g.plan().required("i", 0.98)
    before, at = (g.plan(i=k).dependability for k in (n - 1, n))
    assert before < 0.98 <= at
    g = only(p=1, p_i=1, p_a=np.nextafter((1 - 0.9) / 0.9, 0))
    with pytest.raises(
        ValueError,
        match=r"^No number of is brings dependability to 0\.9: its ceiling"
        r" is too close\.$",
    ):
        g.plan(a=1).required("i", 0.9)


def test_nothing_has_no_percentages():
    g = only()
    d = g.plan(i=1, a=1)
    assert d.table["percent"].isna().all()


def test_the_parts_add_up():
    d = table_1(48).plan(topic=50, assessor=2)
    part = d.table.groupby("role")["mean_variance"].sum()
    assert part["universe score"] == pytest.approx(d.universe_score)
    assert part["relative error"] == pytest.approx(d.relative_error)
    assert d.table["percent"].sum() == pytest.approx(100)


TITLE = (
    "D-study system x (assessor:topic), 4 topics (fixed) · 1 assessor in "
    "each nest"
)
SUMMARY = (
    "relative error 0.5, generalizability 0.636 (expected tau if normal "
    "0.44); absolute error 0.5, "
    "dependability 0.636"
)


def test_a_plan_in_a_terminal():
    d = nested_study().plan(fixed="topic", assessor=1)
    title, table, summary = str(d).split("\n\n")
    assert title == TITLE
    assert summary == SUMMARY
    assert [re.sub(" {2,}", "|", line) for line in table.splitlines()] == [
        "|variance|divisor|mean_variance|role|percent",
        "effect|",
        "system|0.75|1|0.75|universe score|54.5455",
        "topic|0.3|4|0.075|constant|0",
        "assessor:topic|0|4|0|absolute error only|0",
        "system x topic|0.5|4|0.125|universe score|9.09091",
        "system x (assessor:topic)|2|4|0.5|relative error|36.3636",
    ]


def test_a_plan_in_a_notebook():
    """Errors that differ, and more digits than are shown."""
    g = gt.GStudy.from_components(
        "system x topic",
        {"system": 1, "topic": 2, "system x topic": 16 / 3},
    )
    before, rows, after = parts_of_html(g.plan(topic=1)._repr_html_())
    assert before == "<p><b>D-study system x topic, 1 topic</b></p>"
    assert rows == [
        "|variance|divisor|mean variance|role|percent",
        "system|1|1|1|universe score|12.0",
        "topic|2|1|2|absolute error only|24.0",
        "system x topic|5.3333|1|5.33|relative error|64.0",
    ]
    assert after == (
        "<p>relative error 5.33, generalizability 0.158 (expected tau "
        "if normal 0.10); absolute error 7.33, dependability 0.120</p>"
    )


def test_systems_whose_means_tie_have_no_ranking_to_expect():
    plan = gt.gstudy(np.eye(4)).plan()
    assert plan.universe_score == 0
    assert "(expected tau if normal 0.00)" in str(plan)


def test_no_true_variance_means_no_reliability():
    g = gt.GStudy.from_components("p x i", {"p": -0.1, "i": 1, "p x i": 1})
    d = g.plan(i=5)
    assert d.generalizability == d.dependability == 0


# ---- names and numbers that are given -----------------------------------

ASKED = "levels design fixed self g facet cost budget level seed method x2"


@pytest.mark.parametrize("name", ASKED.split())
def test_a_facet_may_have_any_name(name):
    """The answers are those of the same study with a tame name."""
    text = "person x item x {}"
    squares = [0.9, 0.5, 0.4, 0.03, 0.02, 0.04, 0.01]

    def study(facet):
        design = gt.Design(text.format(facet))
        levels = {"person": 20, "item": 12, facet: 3}
        given = dict(zip(design.labels, squares, strict=True))
        return gt.GStudy.from_mean_squares(design, levels, given)

    strange, tame = study(name), study("rater")
    p = strange.plan(levels={"item": 10, name: 2})
    q = tame.plan(item=10, rater=2)
    assert p.dependability == pytest.approx(q.dependability)
    one, other = (
        plan.interval("dependability", n_resamples=50) for plan in (p, q)
    )
    assert one.low == pytest.approx(other.low)
    assert p.required(name, 0.8) == q.required("rater", 0.8)
    grid = strange.plan().grid({name: [1, 2], "item": 5})
    assert grid[name].tolist() == [1, 2]
    bounded = strange.plan(levels={name: (1, 4)})
    assert (
        bounded.best(60).levels[name]
        == (tame.plan(rater=(1, 4)).best(60).levels["rater"])
    )
    ratios = [g.plan().optimal_ratio().estimate for g in (strange, tame)]
    assert ratios[0] == ratios[1]


def test_bounds_are_for_what_is_sought():
    g = table_1(48)
    bounded = g.plan(topic=(10, 60), assessor=2)
    assert bounded.bounds == {"topic": (10, 60), "assessor": (2, 2)}
    assert "? topics · 2 assessors" in str(bounded)
    assert "Give numbers for topic." in bounded._repr_html_()
    assert bounded.best(200).levels == {"topic": 60, "assessor": 2}


def test_a_plan_without_any_number_shows_what_it_knows():
    p = only().plan()
    assert str(p).startswith("D-study p x i x a, ? is · ? as")
    assert "universe score" in str(p)
    assert str(p).endswith("Give numbers for i and a.")


def test_plans_of_a_study_compare():
    g = table_1(48)
    assert g.plan(topic=5) == g.plan(topic=5) != g.plan(topic=6)
    nested = "system x (assessor:topic)"
    assert g.plan(nested, topic=5) != g.plan(topic=5)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_numpy_numbers_are_numbers(kind):
    p = table_1(48).plan(assessor=np.int64(2))
    assert p.required("topic", kind(0.75)) == p.required("topic", 0.75)
    assert p.cheapest(kind(0.75)).levels == p.cheapest(0.75).levels
