"""What is no score is noticed, and what chance does is not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import gtlib as gt
from gtaudit.doubts import (
    CODES,
    REFUSED,
    Doubt,
    find_doubts,
    find_name_doubts,
    find_run_doubts,
    refuse,
)
from gtaudit.judgment_study import score_and_study
from gtaudit.level_doubts import find_points, find_summaries, find_zeros
from gtlib.design import as_design
from gtlib.scores import read_cells
from tests.doubtful_tables import CLEAN, DOUBTFUL, design_of
from tests.gtlib.scores.test_honest_tables import FAMILIES, SHAPES

CROSSED = as_design("system x topic")
JUDGED = as_design("system x topic x assessor")
RECORD = gt.load("plausibility").set_index("fault")
PARTS = [
    f"parts: {what}" for what in ("refused", "copies", "constant", "others")
]
AS_THEY_ARE = ["none", "copies", *PARTS]


def codes(table, design=CROSSED):
    return {found.code for found in find_doubts(read_cells(table, design))}


def refuse_doubts(table, allow=()):
    """As the command does before it studies a table."""
    design = as_design(design_of(pd.DataFrame(table)))
    return refuse(find_doubts(read_cells(table, design)), allow)


def scores(rng, systems=20, topics=30, kind="normal"):
    """Scores with effects of systems, topics, and both."""
    y = 0.4 + rng.normal(0, 0.1, (systems, 1))
    y = y + rng.normal(0, 0.15, topics)
    y = y + rng.normal(0, 0.12, (systems, topics))
    return {
        "normal": 3 + y,
        "printed": (3 + y).round(4),
        "AP": y.clip(0, 1).round(4),
        "P@10": y.clip(0, 1).round(1),
        "0 or 1": (y > 0.4) * 1.0,
        "easy": (y > 0.25) * 1.0,
        "graded": np.digitize(y, [0.3, 0.45, 0.6]) * 1.0,
        "counts": rng.poisson(np.exp(4 * y)) * 1.0,
    }[kind]


KINDS = (
    "normal",
    "printed",
    "AP",
    "P@10",
    "0 or 1",
    "easy",
    "graded",
    "counts",
)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_chance_is_no_doubt(kind):
    """At most one table in a hundred, from 3 to 100 systems."""
    rng = np.random.default_rng(KINDS.index(kind))
    found = []
    for systems in (3, 5, 10, 30, 100):
        for topics in (3, 10, 50):
            for _ in range(10):
                table = scores(rng, systems, topics, kind)
                if np.ptp(table):
                    found.append(bool(codes(table)))
    assert np.mean(found) < 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_honest_tables_give_no_doubt(family):
    rng = np.random.default_rng(len(family))
    for number in range(20):
        table = FAMILIES[family](rng, SHAPES[number % len(SHAPES)])
        assert not codes(np.asarray(table, float)), number


@given(
    hnp.arrays(
        float,
        st.tuples(st.integers(2, 6), st.integers(2, 8)),
        elements=st.one_of(
            st.sampled_from([-999, -1, 0, 0.1, 0.5, 1, 2, 3, 2024, 1e9]),
            st.floats(-1e12, 1e12),
            st.floats(0, 1),
        ),
    )
)
def test_no_table_stops_a_doubt(table):
    found = find_doubts(read_cells(table, CROSSED))
    assert all(doubt.code in CODES and doubt.what for doubt in found)


# What coarse measures hide: reciprocal rank, and precision at 10.
HIDDEN = {
    "a topic is their maximum": 0.7,
    "a system is their maximum": 0.8,
    "6% of the scores are in per cent": 0.85,
    "a decimal point has slipped": 0.75,
    "a system is there twice": 0.9,
    "one system has 0 on half of the topics": 0.5,
    "one system is 1": 0.9,
}


def test_the_record_says_what_is_promised():
    """No table as it is gives a false doubt, and no part is refused."""
    faults = RECORD.drop(index=AS_THEY_ARE)
    told = faults[faults["code"].notna()]
    least = pd.Series(HIDDEN).reindex(told.index, fill_value=0.95)
    assert len(told) >= 45
    assert (told["share"] >= least).all()
    assert (faults["share"].drop(told.index) < 0.1).all()
    assert RECORD.loc["none", "share"] == 0
    assert RECORD.loc["parts: refused", "noticed"] == 0
    assert RECORD.loc["parts: copies", "share"] < 0.005
    assert RECORD.loc["parts: constant", "share"] <= 0.005
    assert RECORD.loc["parts: others", "share"] < 0.005
    assert (RECORD["tables"] >= 50).all()


@pytest.mark.slow
def test_the_record_can_be_made_again(script):
    found = script("plausibility").study([("cf-ap", gt.load("cf-ap"))])
    found = found.set_index("fault")
    assert (found["noticed"][["none", "parts: refused"]] == 0).all()
    assert found.loc["parts: copies", "noticed"] == 0
    faults = found.drop(index=AS_THEY_ARE)
    missed = faults.index[
        (faults["noticed"] == 1) != (faults["code"] != "")
    ]
    assert {*missed} <= {*HIDDEN}
    assert [*found.index] == [*RECORD.index]


@pytest.mark.parametrize("said", DOUBTFUL)
def test_what_is_no_score_is_refused_or_told(said):
    code, table = DOUBTFUL[said]
    if code in REFUSED:
        with pytest.raises(ValueError, match=f"say --allow {code}"):
            refuse_doubts(table)
    told = [doubt.code for doubt in refuse_doubts(table, REFUSED)]
    assert (code in told) == (code not in REFUSED)
    assert code not in [d.code for d in refuse_doubts(table, CODES)]
    # The library is not asked what is likely.
    assert gt.gstudy(table, design_of(table)).estimate.notna().all()


@pytest.mark.parametrize("said", CLEAN)
def test_clean_tables_are_taken(said):
    table = CLEAN[said]
    assert not codes(table, as_design(design_of(table)))


def test_a_one_that_was_computed_is_within_the_range():
    table = np.random.default_rng(0).random((5, 20))
    table[0, 0] = np.nextafter(1, 2)
    assert "scale" not in codes(table)


@pytest.mark.parametrize(
    ("kind", "topics", "score", "expected"),
    [
        ("AP", 30, 0.5, {"constant"}),
        ("AP", 30, 0, {"constant"}),
        ("P@10", 30, 0.4, {"constant"}),
        ("graded", 30, 1, {"constant"}),
        ("AP", 3, 0.5, set()),  # scores that may agree
        ("P@10", 5, 0.4, set()),
        ("easy", 30, 1, set()),  # a system that solves all, as others may
        ("AP", 30, 1, {"constant"}),
    ],
)
def test_one_score_throughout_is_told(kind, topics, score, expected):
    rng = np.random.default_rng(2)
    table = scores(rng, 20, topics, kind)
    assert not codes(table)
    table[4] = score
    found = find_doubts(read_cells(table, CROSSED))
    assert {s.code for s in found} == expected
    assert {s.where for s in found} <= {"system 5"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shape", "gaps"),
    [((20, 200), False), ((20, 200), True), ((100_000, 12), False)],
)
def test_an_average_is_found_in_large_tables_and_beside_gaps(shape, gaps):
    """A topic that two systems have is no evidence, and hides none."""
    grid = np.random.default_rng(0).random(shape)
    grid[3] = np.delete(grid, 3, axis=0).mean(axis=0)
    if gaps:
        grid[2:, 5] = np.nan
    ((code, rows, _),) = find_summaries(grid)
    assert code == "summary"
    assert np.flatnonzero(rows).tolist() == [3]


@pytest.mark.slow
def test_a_part_of_a_sparse_table_may_hold_no_score():
    """Of 200,000 systems three have scores, on every topic."""
    grid = np.full((200_000, 20), np.nan)
    rows = np.random.default_rng(5).choice(len(grid), 3, replace=False)
    grid[rows] = np.random.default_rng(0).random((3, 20))
    assert not [*find_summaries(grid)]


def test_all_that_is_refused_is_allowed_by_one_option():
    doubts = [Doubt(code, "here", f"{code}!") for code in CODES]
    with pytest.raises(ValueError, match="say --allow index,percent,sent"):
        refuse(doubts)
    with pytest.raises(ValueError, match=r"index! sentinel! Mend it"):
        refuse(doubts, "percent,run")
    told = refuse(doubts, "index,sentinel,percent,run")
    assert {d.code for d in told} == {*CODES} - {*REFUSED, "run"}


def test_similar_systems_are_one_witness_that_topics_are_equal():
    """Three families of forty: two topics agree in all by few chances."""
    rng = np.random.default_rng(0)
    families = rng.integers(0, 10, (3, 30)) / 10
    families[:, :2] = [[0.1], [0.4], [0.8]]
    table = read_cells(np.repeat(families, 40, axis=0), CROSSED)
    facets = {
        doubt.where.split()[0]
        for doubt in find_doubts(table)
        if doubt.code == "copies"
    }
    assert facets == {"system"}


@pytest.mark.parametrize(
    ("row", "expected"), [([1, 2, 3, 4], True), ([3, 7, 12, 20], False)]
)
def test_few_whole_numbers_count_if_none_is_left_out(row, expected):
    table = 10 * np.random.default_rng(0).random((300, 4))
    table[0] = row
    assert ("index" in codes(table)) == expected


@pytest.mark.parametrize("systems", [5, 30])
def test_topics_that_hardly_anybody_solved_are_no_copies(systems):
    """Nor are those that the same few similar systems solved."""
    rng = np.random.default_rng(systems)
    for best in range(4):
        table = scores(rng, systems, 20, "P@10")
        table[:, :2] = 0
        table[:best, :2] = 0.1
        assert "copies" not in codes(table)


def test_a_summary_is_told_by_its_name_and_by_its_numbers():
    table = pd.DataFrame(scores(np.random.default_rng(0)))
    table.columns = [f"t{n}" for n in table]
    table["mean"] = table.mean(axis=1)
    told = [doubt.what for doubt in refuse_doubts(table)]
    assert told == [
        "The topic 'mean' is called like a summary of the others.",
        "The scores of topic mean are the mean of the others, each.",
    ]
    assert not refuse_doubts(table, "summary")


def test_what_may_be_right_is_told_and_not_refused():
    table = pd.DataFrame(scores(np.random.default_rng(0), kind="AP"))
    table = pd.concat([table, table.iloc[[3]]], ignore_index=True)
    assert codes(table) == {"copies"}
    refuse_doubts(table)


@pytest.mark.parametrize("gone", [0, 60])
def test_gaps_hide_no_average(gone):
    rng = np.random.default_rng(3)
    table = pd.DataFrame(scores(rng))
    table["more"] = table.mean(axis=1)
    long = table.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    long = long.astype({"topic": str})
    often = long["topic"] != "more"
    lost = rng.choice(long.index[often], gone, replace=False)
    found = find_doubts(read_cells(long.drop(lost), CROSSED))
    if not gone:
        assert [(s.code, s.where) for s in found] == [
            ("summary", "topic more")
        ]
    else:  # it is no longer that of what is there
        assert {s.code for s in found} <= {"summary"}


def assessed(rng, own=0.1):
    index = pd.MultiIndex.from_product(
        [range(8), range(10), ["ann", "bob", "cy"]],
        names=["system", "topic", "assessor"],
    )
    score = 3 + rng.random(80).repeat(3) + rng.normal(0, own, 240)
    return pd.DataFrame({"score": score}, index).reset_index()


def test_assessors_who_are_copies_or_judged_nothing():
    table = assessed(np.random.default_rng(1))
    assert codes(table, JUDGED) == set()
    ann = table.loc[table["assessor"] == "ann", "score"].to_numpy()
    copy = table.copy()
    copy.loc[copy["assessor"] == "bob", "score"] = ann
    assert codes(copy, JUDGED) == {"copies"}
    idle = table.copy()
    idle.loc[idle["assessor"] == "bob", "score"] = 0
    assert codes(idle, JUDGED) == {"constant"}
    mean = table.copy()
    others = table[table["assessor"] != "bob"]
    both = others.groupby(["system", "topic"])["score"].mean()
    mean.loc[mean["assessor"] == "bob", "score"] = both.to_numpy()
    assert codes(mean, JUDGED) == {"summary"}


@pytest.mark.slow
def test_a_large_table_is_looked_at_in_part_and_told_of_as_a_whole():
    x = np.random.default_rng(0).random((300, 5000))
    x[:, 7] = np.delete(x, 7, axis=1).mean(axis=1)
    kept, x[250, 4999] = x[250, 4999], -999
    found = find_doubts(read_cells(pd.DataFrame(x), CROSSED))
    assert {"sentinel"} <= {s.code for s in found}
    x[250, 4999] = kept
    found = find_doubts(read_cells(pd.DataFrame(x), CROSSED))
    assert [(s.code, s.where) for s in found] == [("summary", "topic 7")]
    x[:150, 8] = x[:150, 9]  # a half is no copy
    x[:, 7] = 0.5 * x[:, 7]
    assert codes(pd.DataFrame(x)) == set()


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["a", "ALL"], "summary"),
        (["a", " Amean"], "summary"),
        (["a", "total score"], "summary"),
        (["a", "Grade"], "summary"),
        (["a", "Unnamed: 0"], "names"),
        (["bm25", "bm25 "], "names"),
        (["bm25", "BM25"], "names"),
        (["BM25", "BM25\u200b"], "names"),
        (["BM25", "\u0412\u041c25"], "names"),
        (["\u00e9t\u00e9", "e\u0301te\u0301"], "names"),
        (["topic 1", "Topic 2"], "names"),
        (["topic1", "bm25"], None),
        (["allan", "meaning", "1", "2", "upgrade"], None),
        ([1, 2, 3], None),
        ([1, "1"], "names"),
    ],
)
def test_names(names, code):
    found = [s.code for s in find_name_doubts("system", names)]
    assert found == [code] * (code is not None)


@pytest.mark.parametrize(
    ("names", "by"),
    [
        (["a", "a "], "'a ' differs from 'a' by blanks only."),
        (["a", "A"], "'A' differs from 'a' by capitals or blanks only."),
        (
            ["a", "a\u200b"],
            "'a\\u200b' differs from 'a' by signs that look alike or "
            "cannot be seen only.",
        ),
    ],
)
def test_what_is_said_of_names(names, by):
    (told,) = find_name_doubts("system", names)
    assert told.what == f"The system {by}"


def run(**columns):
    lines = {"system": "a", "topic": ["1"] * 3, "rank": [1, 2, 3]}
    lines |= {"score": [3.0, 2.0, 1.0]} | columns
    return pd.DataFrame(lines)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({}, []),
        ({"rank": [0, 0, 0]}, []),
        ({"score": [1.0, 2.0, 3.0]}, ["run"]),
        ({"score": [1.0, 1.0, 1.0]}, ["run"]),
        ({"topic": ["1", "2", "3"], "score": [1.0, 1.0, 1.0]}, []),
        ({"system": ["a", "b", "a"]}, ["run"]),
    ],
)
def test_lines_of_a_run(columns, code):
    assert [
        s.code for s in find_run_doubts(run(**columns), "run.txt")
    ] == code


def test_the_same_judgments_twice_are_told(tmp_path):
    for name in ("ann", "bob"):
        (tmp_path / name).write_text("1 0 x 1\n1 0 y 0\n")
    lines = "1 Q0 x 1 2 a\n1 Q0 y 2 1 a\n"
    (tmp_path / "a.run").write_text(lines)
    judged = [tmp_path / "ann", tmp_path / "bob"]
    found, *_ = score_and_study(tmp_path / "a.run", judged, ["AP"])
    (told,) = found.attrs["doubts"]
    assert told.code == "copies"
    assert told.what == "ann and bob have the same judgments."


@pytest.mark.parametrize(
    "kind, sign, told", [("AP", -1, True), ("graded", -4, False)]
)
def test_a_whole_number_below_fractions_is_a_sign(kind, sign, told):
    """Of counts a few may lie below zero: only one far off is a sign."""
    table = scores(np.random.default_rng(1), kind=kind)
    table[3, 4] = sign
    assert ("sentinel" in codes(pd.DataFrame(table))) == told


@pytest.mark.parametrize("most", [2, 10])
def test_a_mark_below_a_scale_from_one_is_a_sign(most):
    """As -1 of MT-Bench, where a judge named no rating from 1 to 10."""
    table = np.random.default_rng(1).integers(1, most + 1, (6, 30))
    table[3, 4] = -1
    assert ("sentinel" in codes(pd.DataFrame(table))) == (most > 2)


def test_small_numbers_above_one_are_no_percentages():
    refuse_doubts(pd.DataFrame([[1.3, 2.69], [0.01, 0.12]]))


def real(rng, shape=(20, 40)):
    """Scores as those of a measure from 0 to 1, with four digits."""
    merit = rng.normal(0, 0.5, (shape[0], 1))
    logit = merit + rng.normal(0, 0.8, shape[1]) + rng.normal(0, 0.6, shape)
    return (1 / (1 + np.exp(1 - logit))).round(4)


@pytest.mark.parametrize("axis", [0, 1])
def test_the_maximum_of_the_others_is_told(axis):
    table = real(np.random.default_rng(0))
    more = table.max(axis=axis, keepdims=True)
    found = find_doubts(
        read_cells(np.concatenate([table, more], axis=axis), CROSSED)
    )
    assert [d.code for d in found] == ["summary"]
    assert "the maximum of the others" in found[0].what


def test_zeros_of_a_good_system_are_told_and_those_of_a_bad_one_are_not():
    table = real(np.random.default_rng(1))
    good = table.mean(axis=1).argmax()
    table[good, ::2] = 0
    ((code, rows, _),) = find_zeros(table)
    assert (code, [*rows]) == ("constant", [good])
    table = real(np.random.default_rng(1))
    table[3] *= 0.1
    table[3, ::2] = 0
    assert not [*find_zeros(table)]


def test_ranks_are_told_beside_scores_and_not_alone():
    table = pd.DataFrame(real(np.random.default_rng(3)))
    ranks = table.rank(axis=0)
    assert not codes(ranks.to_numpy())
    table[40] = ranks[3]
    found = find_doubts(read_cells(table.to_numpy(), CROSSED))
    assert {d.code for d in found} == {"ranks", "scale"}


def test_an_index_counts_in_the_order_of_the_table():
    names = [f"s{k}" for k in range(20)]  # s10 is sorted before s2
    table = pd.DataFrame(real(np.random.default_rng(4)), names)
    table[40] = np.arange(20)
    with pytest.raises(ValueError, match="only count"):
        refuse_doubts(table)
    table[40] = np.random.default_rng(0).permutation(20) + 1
    assert "ranks" in {doubt.code for doubt in refuse_doubts(table)}


def test_questions_of_different_points_are_told_in_one_line():
    rng = np.random.default_rng(5)
    points = rng.choice([3, 5, 10], 30)
    able = rng.normal(0.8, 0.2, (40, 1))
    share = (able + rng.normal(0, 0.2, (40, 30))).clip(0, 1)
    marks = (share * points).round()
    (told,) = find_doubts(read_cells(marks, CROSSED))
    assert told.code == "scale"
    assert "each topic counts by its points" in told.what
    same = (share * 5).round()
    assert not [*find_points(same.T)]


@pytest.mark.parametrize("spread", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("mean", [0.3, 0.5])
def test_a_measure_that_passes_0_or_1_is_not_doubted(mean, spread):
    rng = np.random.default_rng(6)
    for _ in range(20):
        assert not codes(rng.normal(mean, spread, (10, 30)))
