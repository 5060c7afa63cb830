"""What is no score is noticed, and what chance does is not."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtaudit.coincidences import find_averages, find_disorder
from gtaudit.doubts import (
    judgment_suspicions,
    name_suspicions,
    refuse,
    run_suspicions,
    suspicions,
)
from gtaudit.judgment_study import score_and_study
from gtlib.design import as_design
from gtlib.scores import read_cells
from tests.doubtful_tables import CLEAN, REFUSED, design_of

CROSSED = as_design("system x topic")
JUDGED = as_design("system x topic x assessor")
RECORD = gt.load("plausibility").set_index("fault")
PARTS = [
    f"parts: {what}" for what in ("refused", "equal", "order", "constant")
]
AS_THEY_ARE = ["none", "equal", *PARTS]


def codes(table, design=CROSSED):
    return {found.code for found in suspicions(read_cells(table, design))}


def refuse_doubts(table, allow=()):
    """As the command does before it studies a table."""
    design = as_design(design_of(pd.DataFrame(table)))
    refuse(suspicions(read_cells(table, design)), allow)


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
def test_chance_is_no_suspicion(kind):
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


def test_the_record_says_what_is_promised():
    """All that can be told from a table is noticed, but for some systems
    that nearly are another: variants of a system agree as much."""
    faults = RECORD.drop(index=AS_THEY_ARE)
    told = faults[faults["code"].notna()]
    assert len(told) >= 35
    by_chance = (told["code"] == "order") | told.index.isin(
        ["a system is there twice but for one score", "one system is 1"]
    )
    assert (told["share"][~by_chance] >= 0.95).all()
    assert (told["share"][by_chance] > 0.6).all()
    assert len(faults) > len(told)
    assert (faults["share"].drop(told.index) < 0.05).all()
    assert RECORD.loc["none", "share"] == 0
    assert RECORD.loc["parts: refused", "noticed"] == 0
    assert RECORD.loc["parts: equal", "share"] < 0.005
    assert RECORD.loc["parts: order", "share"] < 0.005
    assert RECORD.loc["parts: constant", "share"] <= 0.005
    assert (RECORD["tables"] >= 50).all()


@pytest.mark.slow
def test_the_record_can_be_made_again(script):
    found = script("plausibility").study([("cf-ap", gt.load("cf-ap"))])
    found = found.set_index("fault")
    assert (found["noticed"][["none", "parts: refused"]] == 0).all()
    assert found.loc["parts: equal", "noticed"] == 0
    faults = found.drop(index=AS_THEY_ARE)
    assert ((faults["noticed"] == 1) == (faults["code"] != "")).all()
    assert [*found.index] == [*RECORD.index]


@pytest.mark.parametrize("said", REFUSED)
def test_what_is_no_score_is_refused(said):
    code, table = REFUSED[said]
    with pytest.raises(ValueError, match=f"allow='{code}'"):
        refuse_doubts(table)
    # The library is not asked what is likely.
    assert gt.gstudy(table, design_of(table)).estimate.notna().all()


@pytest.mark.parametrize("said", CLEAN)
def test_clean_tables_are_taken(said):
    table = CLEAN[said]
    assert not codes(table, as_design(design_of(table)))


@pytest.mark.parametrize("topics", [20, 50])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda row: np.roll(row, 1), "moved by 1 place"),
        (lambda row: np.roll(row, -2), "moved by 2 places"),
        (np.flip, "turned round"),
        (np.sort, "sorted by size"),
        (lambda row: 1 - row, "low where those of others are high"),
    ],
)
def test_scores_in_another_order_are_told(change, said, topics):
    """Where nearly all that scores share is how hard a topic is."""
    rng = np.random.default_rng(1)
    table = rng.random(topics) + rng.normal(0, 0.02, (9, topics))
    table[4] = change(table[4])
    found = suspicions(read_cells(table, CROSSED))
    assert [s.where for s in found if s.code == "order"] == ["system 5"]
    assert any(said in s.what for s in found)


def clean(kind, rng):
    """Scores that stand in their order, though they may seem not to."""
    table = rng.random(60) + rng.normal(0, 0.3, (12, 60))
    if kind == "relative":
        return table - table.mean(axis=0)
    if kind == "ranks":
        return table.argsort(axis=0).argsort(axis=0)
    if kind == "winner":
        return (table == table.max(axis=0)) * 1
    if kind == "sorted by difficulty":
        return table[:, table.mean(axis=0).argsort()]
    if kind == "two languages":
        table[:4, :30] -= 2
        table[4:, 30:] -= 2
        return table
    return rng.random((200, 50))


@pytest.mark.parametrize(
    "kind",
    [
        "relative",
        "ranks",
        "winner",
        "sorted by difficulty",
        "two languages",
        "noise",
    ],
)
def test_no_order_is_doubted_that_is_right(kind):
    rng = np.random.default_rng(0)
    told = [
        [*find_disorder(clean(kind, rng) * 1.0, is_object=True)]
        for _ in range(100)
    ]
    assert sum(map(bool, told)) <= 1


@pytest.mark.parametrize(
    "name", ["q{}", "{}", "topic-{}b", "1" * 5000 + "-{}"]
)
def test_order_is_that_of_the_numbers_in_names(name):
    """Not that of text, in which q10 stands before q2."""
    rng = np.random.default_rng(1)
    table = rng.random(30) + rng.normal(0, 0.05, (6, 30))
    table[2] = table[2, ::-1]
    topics = [name.format(k) for k in range(30)]
    frame = pd.DataFrame(table, [*"abcdef"], topics)
    found = suspicions(read_cells(frame, CROSSED))
    assert [s.where for s in found if s.code == "order"] == ["system c"]


def test_a_one_that_was_computed_is_within_the_range():
    table = np.random.default_rng(0).random((5, 20))
    table[0, 0] = np.nextafter(1, 2)
    assert "range" not in codes(table)


@pytest.mark.parametrize("size", [1e308, 1e-300])
def test_scores_of_any_size_have_an_order(size):
    rng = np.random.default_rng(1)
    table = rng.random(30) + rng.normal(0, 0.05, (5, 30))
    table[2] = table[2, ::-1]
    table[0, 7] = np.nan
    found = [*find_disorder(size / 2 * table, is_object=True)]
    assert [code for code, *_ in found] == ["order"]
    assert np.flatnonzero(found[0][1]).tolist() == [2]


def test_an_assessor_who_turns_the_scale_round_is_told():
    rng = np.random.default_rng(0)
    table = rng.integers(1, 6, (6, 12))[..., None] * np.ones(3)
    table[..., 1] = 6 - table[..., 1]
    table[..., 2] = (table[..., 2] + rng.integers(0, 2, (6, 12))).clip(1, 5)
    index = [range(n) for n in table.shape]
    rows = pd.DataFrame(
        {"score": table.ravel()},
        pd.MultiIndex.from_product(index, names=JUDGED.facets),
    )
    found = suspicions(read_cells(rows.reset_index(), JUDGED))
    assert [s.where for s in found if s.code == "order"] == ["assessor 1"]


@pytest.mark.parametrize(
    ("kind", "topics", "score", "expected"),
    [
        ("AP", 30, 0.5, {"constant"}),
        ("AP", 30, 0, {"zero"}),
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
    found = suspicions(read_cells(table, CROSSED))
    assert {s.code for s in found} == expected
    assert {s.where for s in found} <= {"system 5"}


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
    ((code, rows, _),) = find_averages(grid)
    assert code == "average"
    assert np.flatnonzero(rows).tolist() == [3]


def test_a_part_of_a_sparse_table_may_hold_no_score():
    """Of 200,000 systems three have scores, on every topic."""
    grid = np.full((200_000, 20), np.nan)
    rows = np.random.default_rng(5).choice(len(grid), 3, replace=False)
    grid[rows] = np.random.default_rng(0).random((3, 20))
    assert not [*find_averages(grid)]


def test_what_passes_1_by_nature_is_allowed():
    table = REFUSED["a lost point"][1]
    with pytest.raises(ValueError, match="--allow range"):
        refuse_doubts(table)
    refuse_doubts(table, "range")


def test_similar_systems_are_one_witness_that_topics_are_equal():
    """Three families of forty: two topics agree in all by few chances."""
    rng = np.random.default_rng(0)
    families = rng.integers(0, 10, (3, 30)) / 10
    families[:, :2] = [[0.1], [0.4], [0.8]]
    table = read_cells(np.repeat(families, 40, axis=0), CROSSED)
    facets = {
        doubt.where.split()[0]
        for doubt in suspicions(table)
        if doubt.code == "equal"
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
        assert "equal" not in codes(table)


def test_what_makes_numbers_wrong_is_refused():
    table = pd.DataFrame(scores(np.random.default_rng(0)))
    table.columns = [f"t{n}" for n in table]
    table["mean"] = table.mean(axis=1)
    with pytest.raises(ValueError, match="allow='average-name'"):
        refuse_doubts(table)
    with pytest.raises(ValueError, match="the mean of the others"):
        refuse_doubts(table, "average-name")
    refuse_doubts(table, ["average-name", "average"])


def test_what_may_be_right_is_told_and_not_refused():
    table = pd.DataFrame(scores(np.random.default_rng(0), kind="AP"))
    table = pd.concat([table, table.iloc[[3]]], ignore_index=True)
    assert codes(table) == {"equal"}
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
    found = suspicions(read_cells(long.drop(lost), CROSSED))
    if not gone:
        assert [(s.code, s.where) for s in found] == [
            ("average", "topic more")
        ]
    else:  # it is no longer that of what is there
        assert {s.code for s in found} <= {"average"}


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
    assert codes(copy, JUDGED) == {"equal"}
    idle = table.copy()
    idle.loc[idle["assessor"] == "bob", "score"] = 0
    assert codes(idle, JUDGED) == {"idle-assessor"}
    mean = table.copy()
    others = table[table["assessor"] != "bob"]
    both = others.groupby(["system", "topic"])["score"].mean()
    mean.loc[mean["assessor"] == "bob", "score"] = both.to_numpy()
    assert codes(mean, JUDGED) == {"average"}


def test_a_large_table_is_looked_at_in_part_and_told_of_as_a_whole():
    x = np.random.default_rng(0).random((300, 5000))
    x[:, 7] = np.delete(x, 7, axis=1).mean(axis=1)
    kept, x[250, 4999] = x[250, 4999], -999
    found = suspicions(read_cells(pd.DataFrame(x), CROSSED))
    assert {"sentinel"} <= {s.code for s in found}
    x[250, 4999] = kept
    found = suspicions(read_cells(pd.DataFrame(x), CROSSED))
    assert [(s.code, s.where) for s in found] == [("average", "topic 7")]
    x[:150, 8] = x[:150, 9]  # a half is no copy
    x[:, 7] = 0.5 * x[:, 7]
    assert codes(pd.DataFrame(x)) == set()


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["a", "ALL"], "average-name"),
        (["a", " Amean"], "average-name"),
        (["a", "Unnamed: 0"], "index"),
        (["bm25", "bm25 "], "blank-names"),
        (["bm25", "BM25"], "two-names"),
        (["topic 1", "Topic 2"], "transposed"),
        (["topic1", "bm25"], None),
        (["allan", "meaning", "1", "2"], None),
        ([1, 2, 3], None),
    ],
)
def test_names(names, code):
    found = [s.code for s in name_suspicions("system", names)]
    assert found == [code] * (code is not None)
    if code == "two-names":
        refuse(name_suspicions("system", names))


def run(**columns):
    lines = {"system": "a", "topic": ["1"] * 3, "rank": [1, 2, 3]}
    lines |= {"score": [3.0, 2.0, 1.0]} | columns
    return pd.DataFrame(lines)


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({}, []),
        ({"rank": [0, 0, 0]}, []),
        ({"score": [1.0, 2.0, 3.0]}, ["rank-order"]),
        ({"score": [1.0, 1.0, 1.0]}, ["tied"]),
        ({"topic": ["1", "2", "3"], "score": [1.0, 1.0, 1.0]}, []),
        ({"system": ["a", "b", "a"]}, ["several-runs"]),
    ],
)
def test_lines_of_a_run(columns, code):
    assert [
        s.code for s in run_suspicions(run(**columns), "run.txt")
    ] == code


def test_the_same_judgments_twice_are_told(tmp_path):
    for name in ("ann", "bob"):
        (tmp_path / name).write_text("1 0 x 1\n1 0 y 0\n")
    lines = "1 Q0 x 1 2 a\n1 Q0 y 2 1 a\n"
    (tmp_path / "a.run").write_text(lines)
    judged = [tmp_path / "ann", tmp_path / "bob"]
    found, *_ = score_and_study(tmp_path / "a.run", judged, ["AP"])
    (told,) = found.attrs["suspicions"]
    assert told.code == "equal-files"
    with pytest.raises(ValueError, match="ann and bob"):
        refuse([told])


def judgments(change=lambda key, grade: grade):
    grades = np.random.default_rng(0).integers(0, 3, (6, 30))
    return {
        str(t): {str(d): change((t, d), int(g)) for d, g in enumerate(row)}
        for t, row in enumerate(grades)
    }


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda key, grade: grade, "judgments."),
        (
            lambda key, grade: 2 * grade,
            "judgments with other numbers for the grades.",
        ),
        (
            lambda key, grade: grade if any(key) else (grade + 1) % 3,
            "judgments but in one line.",
        ),
        (lambda key, grade: grade if key[1] else (grade + 1) % 3, None),
    ],
)
def test_judgments_that_are_copies(change, what):
    judged = {"ann": judgments(), "bob": judgments(change)}
    doubts = [doubt.what for doubt in judgment_suspicions(judged)]
    assert doubts == ([f"ann and bob have the same {what}"] if what else [])


@pytest.mark.parametrize(
    "kind, sign, told", [("AP", -1, True), ("graded", -4, False)]
)
def test_a_whole_number_below_fractions_is_a_sign(kind, sign, told):
    """Of counts a few may lie below zero: only one far off is a sign."""
    table = scores(np.random.default_rng(1), kind=kind)
    table[3, 4] = sign
    assert ("sentinel" in codes(pd.DataFrame(table))) == told


def test_small_numbers_above_one_are_no_percentages():
    refuse_doubts(pd.DataFrame([[1.3, 2.69], [0.01, 0.12]]))
