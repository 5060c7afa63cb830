"""Variance components: published, brute force, simulated, and cross-checked
with statsmodels."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gtlib as gt
from gtlib.anova import balanced_mean_squares
from gtlib.scores import as_long
from tests import oracle

RNG = np.random.default_rng(5)
WIDE = pd.DataFrame(
    RNG.normal(size=(9, 1)) + RNG.normal(size=7) + RNG.normal(size=(9, 7))
)


def test_table_1_follows_from_its_mean_squares_with_48_topics():
    """To one unit in the last place: the mean squares are rounded too."""
    printed = gt.load("bodoff-li-2007")
    g = table_1(48)
    for effect in g.design.labels:
        for column in ("variance", "percent"):
            row = printed.loc[f"table-1/{column}/{slug(effect)}"]
            ours = g.table.loc[effect, column]
            unit = 10.0 ** -row["decimals"]
            assert ours == pytest.approx(row["value"], abs=unit)
    assert g.negative == ("assessor",)
    with_50 = round(table_1(50).variance["system"], 5)
    assert with_50 == 0.00721
    assert with_50 != printed.loc["table-1/variance/system", "value"]


def slug(effect):
    return effect.replace(" ", "-")


def table_1(topics):
    g = gt.load("trec4-table1")
    return gt.GStudy.from_mean_squares(
        g.design, {**g.levels, "topic": topics}, g.mean_squares
    )


@pytest.mark.parametrize(
    "fraction, expected",
    [
        (0, [0.00716682, 0.02264232, 0.01091967]),
        (0.25, [0.0028117, 0.0280934, 0.0101522]),
    ],
)
def test_trec_3(fraction, expected):
    """Components that gt4ireval gives for the same matrix."""
    scores = gt.drop_worst(gt.load("trec3"), fraction)
    np.testing.assert_allclose(
        gt.gstudy(scores).estimate, expected, rtol=2e-5
    )


DESIGNS = [
    "p x i",
    "p x i x a",
    "p x (a:i)",
    "i:p",
    "p x (i:h)",
    "p x i x (d:i)",
    "p x a x (d:i)",
    "p x (r:t:c)",
]


@pytest.mark.parametrize("text", DESIGNS)
def test_mean_squares_are_squared_projections(text):
    design = gt.Design(text)
    levels = {f: 2 + i % 3 for i, f in enumerate(design.facets)}
    frame = oracle.table(design, levels, np.random.default_rng(3))
    g = gt.gstudy(frame, text)
    y = frame["score"].to_numpy()
    for effect, p in oracle.effect_projectors(frame, design).items():
        assert g.mean_squares[effect] == pytest.approx(
            y @ p @ y / np.trace(p)
        )


@pytest.mark.slow
@pytest.mark.parametrize("text", DESIGNS)
def test_estimates_are_unbiased(text):
    """Mean of 600 simulated studies within 4 standard errors of truth."""
    design = gt.Design(text)
    shape = [6, 5, 3, 4][: len(design.facets)]
    levels = dict(zip(design.facets, shape, strict=True))
    rng = np.random.default_rng(11)
    truth = rng.uniform(0.2, 2, len(design.effects))
    solve = design.mean_squares_to_components(levels)
    estimates = []
    for _ in range(600):
        y = np.zeros(shape)
        for effect, variance in zip(design.effects, truth, strict=True):
            size = [levels[f] if f in effect.facets else 1 for f in levels]
            y = y + rng.normal(0, variance**0.5, size)
        estimates.append(solve @ balanced_mean_squares(y, design))
    error = np.std(estimates, axis=0) / np.sqrt(600)
    z = (np.mean(estimates, axis=0) - truth) / error
    assert np.abs(z).max() < 4


def test_components_agree_with_statsmodels_anova():
    design = gt.Design("p x i x a")
    levels = {"p": 5, "i": 4, "a": 3}
    frame = oracle.table(design, levels, np.random.default_rng(8))
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    fit = ols("score ~ C(p) * C(i) * C(a)", frame).fit()
    with np.errstate(divide="ignore"):  # it divides by no residual
        theirs = anova_lm(fit)["sum_sq"]
    g = gt.gstudy(frame, design)
    ours = g.mean_squares * g.table["df"]
    for effect in design.labels[:-1]:
        term = ":".join(f"C({f})" for f in effect.split(" x "))
        assert ours[effect] == pytest.approx(theirs[term])
    last = theirs["C(p):C(i):C(a)"]
    assert ours[design.labels[-1]] == pytest.approx(last)


@given(
    st.sampled_from(DESIGNS),
    st.floats(-100, 100),
    st.floats(0.01, 100),
    st.integers(0, 2**32 - 1),
)
def test_order_and_shift_change_nothing_and_scale_squares(
    text, shift, scale, seed
):
    design = gt.Design(text)
    levels = {f: 2 + i % 2 for i, f in enumerate(design.facets)}
    frame = oracle.table(design, levels, np.random.default_rng(seed))
    before = gt.gstudy(frame, design).estimate
    frame = frame.sample(frac=1, random_state=seed)
    frame["score"] = frame["score"] * scale + shift
    after = gt.gstudy(frame, design).estimate
    np.testing.assert_allclose(
        after, before * scale**2, atol=1e-9 * before.abs().max() * scale**2
    )


@pytest.mark.slow
@settings(max_examples=settings().max_examples // 5)
@given(
    st.sampled_from(DESIGNS),
    st.sampled_from([-1e14, -12345.0, 2.0**20, 1e9, 2.0**40, 1e14]),
    st.sampled_from(["anova", "henderson", "reml"]),
    st.integers(0, 2**32 - 1),
)
def test_no_shift_costs_a_digit(text, shift, method, seed):
    """Scores in 64ths are as exact near 1e14 as near 0."""
    design = gt.Design(text)
    levels = {f: 2 + i % 2 for i, f in enumerate(design.facets)}
    rng = np.random.default_rng(seed)
    near = oracle.table(design, levels, rng)
    near["score"] = (64 * near["score"]).round() / 64
    far = near.assign(score=near["score"] + shift)
    assert (far["score"] - shift == near["score"]).all()
    one, other = (gt.gstudy(t, design, method=method) for t in (near, far))
    # the same bits: the shift is taken off before anything is rounded
    assert one.estimate.to_dict() == other.estimate.to_dict()


@pytest.mark.parametrize("rows", [slice(None), slice(3, None)])
def test_nor_of_what_is_said_of_single_systems(rows):
    rng = np.random.default_rng(2)
    scores = pd.DataFrame(rng.integers(0, 64, (8, 12)) / 64)
    scores = scores.rename_axis("system").reset_index()
    near = scores.melt("system", var_name="topic", value_name="score")
    near = near.iloc[rows]
    far = near.assign(score=near["score"] + 2.0**40)
    one, other = (gt.gstudy(t, "system x topic") for t in (near, far))
    a, b = (g.universe_scores() for g in (one, other))
    errors = [x["standard_error"].to_numpy() for x in (a, b)]
    np.testing.assert_allclose(*errors, rtol=1e-9)
    gap = b["estimate"] - 2.0**40 - a["estimate"]
    assert gap.abs().max() < 2.0**-10


@given(st.permutations(["p", "i", "a"]))
def test_the_order_of_the_facets_changes_nothing(order):
    frame = oracle.table(
        gt.Design("p x i x a"),
        {"p": 4, "i": 3, "a": 2},
        np.random.default_rng(6),
    )
    before = gt.gstudy(frame, "p x i x a").estimate
    other = gt.gstudy(frame, gt.Design(" x ".join(order), "p"))
    for effect, value in before.items():
        assert other.estimate[other.design.find(effect)] == pytest.approx(
            value
        )


def test_relabelling_levels_changes_nothing():
    renamed = WIDE.rename(index=lambda s: f"run{s}", columns=lambda t: -t)
    np.testing.assert_allclose(
        gt.gstudy(renamed).estimate, gt.gstudy(WIDE).estimate
    )


def test_no_interaction_leaves_none():
    """Exactly additive scores: what is left is rounding only."""
    x = np.add.outer(np.arange(6.0), 1e3 * np.arange(5.0))
    g = gt.gstudy(pd.DataFrame(x))
    assert g.estimate["system x topic"] < 1e-20 * g.estimate["topic"]


@pytest.mark.parametrize("seed", range(10))
def test_repetitions_that_are_equal_differ_by_nothing(seed):
    """On any processor, however a mean of equal scores is rounded."""
    design = gt.Design("repetition:(system x topic)")
    sizes = {"system": 4, "topic": 30, "repetition": 1}
    shape = [sizes[facet] for facet in design.facets]
    scores = np.random.default_rng(seed).random(shape)
    repeated = scores.repeat(3, axis=design.facets.index("repetition"))
    *others, last = balanced_mean_squares(repeated, design)
    assert last == 0
    assert min(others) > 0


def test_a_negative_estimate_is_kept_and_counted_as_zero():
    g = table_1(48)
    assert g.estimate["assessor"] < 0
    assert g.table.loc["assessor", "estimate"] < 0
    assert g.table.loc["assessor", "variance"] == 0
    assert g.table["percent"].sum() == pytest.approx(100)


def nested_study():
    """Five systems, four topics, two assessors for each; one estimate is
    negative."""
    return gt.GStudy.from_mean_squares(
        "system x (assessor:topic)",
        {"system": 5, "topic": 4, "assessor": 2},
        {
            "system": 9,
            "topic": 5,
            "assessor:topic": 1,
            "system x topic": 3,
            "system x (assessor:topic)": 2,
        },
    )


CONFOUNDED = "{} is confounded with error: its cells have one score."
NOTES = [
    CONFOUNDED.format("system x (assessor:topic)"),
    "The estimate of assessor:topic is negative (-0.2): small beside its "
    "sampling error. In percentages it counts as zero; coefficients add it "
    "with its sign.",
]
TITLE = (
    "G-study system x (assessor:topic), 5 systems · 4 topics · 2 assessors "
    "in each nest (anova)"
)


def test_a_study_in_a_terminal():
    title, table, *notes = str(nested_study()).split("\n\n")
    assert title == TITLE
    assert notes == NOTES
    assert [re.sub(" {2,}", "|", line) for line in table.splitlines()] == [
        "|df|mean_square|estimate|variance|percent",
        "effect|",
        "system|4|9|0.75|0.75|21.1268",
        "topic|3|5|0.3|0.3|8.4507",
        "assessor:topic|4|1|-0.2|0|0",
        "system x topic|12|3|0.5|0.5|14.0845",
        "system x (assessor:topic)|16|2|2|2|56.338",
    ]


def parts_of_html(html):
    """What stands before the table, its rows, and what comes after."""
    before, after = re.split("\n<table>.*</table>", html, flags=re.S)
    rows = [
        "|".join(re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row))
        for row in re.findall("<tr>.*?</tr>", html, flags=re.S)
    ]
    return before, rows, after.strip()


def test_a_study_in_a_notebook():
    before, rows, after = parts_of_html(nested_study()._repr_html_())
    assert before == f"<p><b>{TITLE}</b></p>"
    assert after == "".join(f"<p>{note}</p>" for note in NOTES)
    assert rows == [
        "|df|mean square|estimate|variance|percent",
        "system|4|9|0.75|0.75|21.1",
        "topic|3|5|0.3|0.3|8.5",
        "assessor:topic|4|1|-0.2|0|0.0",
        "system x topic|12|3|0.5|0.5|14.1",
        "system x (assessor:topic)|16|2|2|2|56.3",
    ]


def test_components_alone_in_a_notebook():
    """One topic is singular, nothing unknown has a place, and the variance
    is not said twice where it is the estimate."""
    effects = {"system": 1, "topic": 2, "system x topic": 16 / 3}
    g = gt.GStudy.from_components("system x topic", effects)
    assert (g.table.dtypes == "float64").all()
    before, rows, after = parts_of_html(g._repr_html_())
    assert before == "<p><b>G-study system x topic (given)</b></p>"
    assert after == f"<p>{CONFOUNDED.format('system x topic')}</p>"
    assert rows == [
        "|estimate|percent",
        "system|1|12.0",
        "topic|2|24.0",
        "system x topic|5.3333|64.0",
    ]
    one = gt.GStudy.from_components(g.design, effects, levels=ONE_TOPIC)
    assert "topic, 9 systems · 1 topic (given)" in str(one)


ONE_TOPIC = {"system": 9, "topic": 1}


def test_no_variance_has_no_percentages():
    nothing = dict.fromkeys(["p", "i", "p x i"], -1)
    g = gt.GStudy.from_components("p x i", nothing)
    assert g.table["percent"].isna().all()
    assert (g.table["variance"] == 0).all()


def test_uneven_nests_are_not_balanced():
    frame = oracle.table(gt.Design("p x (a:i)"), {"p": 3, "i": 4, "a": 3})
    lost = frame["a"].isin(frame["a"].iloc[[0, 1, 3]])
    g = gt.gstudy(frame[~lost], "p x (a:i)", method="henderson")
    assert str(g).startswith(
        "G-study p x (a:i), 3 ps · 4 is · at most 3 as in each nest (hend"
    )


def test_reused_labels_that_look_crossed_are_taken_at_their_word():
    """No data can tell: a table of crossed assessors is the same."""
    nested = oracle.table(gt.Design("p x (a:i)"), {"p": 3, "i": 4, "a": 2})
    reused = nested.assign(a=[1, 2] * 12)
    assert gt.gstudy(reused, "p x i x a").levels == {"p": 3, "i": 4, "a": 2}


def test_the_sizes_of_a_planned_study_are_exact():
    design = "system x (assessor:topic)"
    effects = dict.fromkeys(gt.Design(design).labels, 1.0)
    levels = {"system": 5, "topic": 4, "assessor": 3}
    g = gt.GStudy.from_components(design, effects, levels=levels)
    assert "4 topics · 3 assessors in each nest (given)" in str(g)


def test_the_column_that_is_named_is_the_one_that_is_studied():
    long = as_long(gt.load("small").pivot_table("score", "system", "topic"))
    rng = np.random.default_rng(0)
    other = rng.permutation(long["score"])
    found = gt.gstudy(long.assign(AP=other), score="AP").variance
    expected = gt.gstudy(long.assign(score=other)).variance
    pd.testing.assert_series_equal(found, expected)
    given = long.rename(columns={"topic": "score", "score": "AP"})
    found = gt.gstudy(given, score="AP", columns={"score": "topic"})
    expected = gt.gstudy(long).variance
    pd.testing.assert_series_equal(found.variance, expected)
    for wrong in {"score": "zz"}, {"columns": {"a": "topic"}}:
        with pytest.raises(ValueError, match="no column"):
            gt.gstudy(long, **wrong)
