"""Tables with gaps: what is said of them holds, and advice can be taken."""

import re

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.command import main
from tests.gtaudit.said import coefficients_of, findings_of

RNG = np.random.default_rng(5)
WIDE = pd.DataFrame(
    0.3 + 0.1 * RNG.normal(size=(8, 1)) + 0.1 * RNG.normal(size=(8, 10)),
    index=[f"run{i}" for i in range(8)],
    columns=[f"q{i}" for i in range(10)],
)


def with_gaps(*cells):
    table = WIDE.copy()
    for row, column in cells:
        table.iloc[row, column] = np.nan
    return table


def long_of(wide):
    long = wide.rename_axis("system").reset_index()
    long = long.melt("system", var_name="topic", value_name="score")
    return long.dropna()


@pytest.mark.slow
def test_the_part_without_gaps_is_the_larger():
    few_topics = gtaudit.prepare(with_gaps((1, 2), (3, 2), (6, 2)))
    assert few_topics.wide.shape == (8, 9)
    assert "9 topics" in few_topics.notes[-1]
    few_systems = gtaudit.prepare(with_gaps((1, 2), (1, 5), (1, 7)))
    assert few_systems.wide.index.tolist() == list(WIDE.index.drop("run1"))
    assert "7 systems" in few_systems.notes[-1]
    diagonal = gtaudit.prepare(with_gaps(*((i, i) for i in range(8))))
    assert diagonal.wide is None
    assert gtaudit.describe_alpha(diagonal.wide) == (
        None,
        gtaudit.INCOMPLETE,
    )
    assert gtaudit.prepare(WIDE).notes == []


@pytest.mark.slow
def test_a_wide_table_with_gaps_is_its_long_one():
    gaps = with_gaps((0, 0), (2, 4), (7, 9))
    one, other = gtaudit.prepare(gaps), gtaudit.prepare(long_of(gaps))
    # the same bits: scores as given
    np.testing.assert_array_equal(one.cells, gaps)
    pd.testing.assert_frame_equal(
        one.cells,
        other.cells.loc[WIDE.index, WIDE.columns],
        check_names=False,
    )
    assert one.observations.tolist() == [9, 10, 9, 10, 10, 10, 10, 9]
    studies = [gt.gstudy(c.scores, c.design) for c in (one, other)]
    assert studies[0].estimate.tolist() == pytest.approx(
        studies[1].estimate.tolist(), rel=1e-9
    )
    assert studies[0].plan().generalizability == pytest.approx(
        gt.gstudy(long_of(gaps)).plan().generalizability
    )


def test_what_has_no_score_at_all_is_named():
    gaps = WIDE.copy()
    gaps.loc["run4"], gaps["q3"] = np.nan, np.nan
    collection = gtaudit.prepare(gaps)
    assert collection.cells.shape == (7, 9)
    told = " ".join(collection.notes)
    assert "system run4" in told and "topic q3" in told


def test_what_a_part_of_the_scores_says_begins_with_that_part():
    ways = {
        "On the 9 topics where nothing is missing, ": [(1, 2), (3, 2)],
        "Of the 7 systems that have every topic, ": [(1, 2), (1, 5)],
    }
    for begin, cells in ways.items():
        told = gtaudit.prepare(with_gaps(*cells)).describe_part(
            "**It is**."
        )
        assert told == f"{begin}**it is**."
    assert gtaudit.prepare(WIDE).describe_part("It is.") == "It is."


def test_a_small_part_says_nothing():
    """Half of the topics, or ten, and as many systems."""
    wide = pd.DataFrame(RNG.random((8, 30)))
    for topics in (9, 10):
        gaps = wide.copy()
        for topic in range(30 - topics):
            gaps.iloc[topic % 8, topic] = np.nan
        part = gtaudit.prepare(gaps).wide
        assert (part is None) == (topics < 10)


def first(collection):
    board = gtaudit.audit_leaderboard(collection)
    return board.table.index[board.table["rank"] == 1].tolist()


def test_with_gaps_the_first_is_by_all_scores():
    """A system that met the easy topics alone is not first."""
    scores = WIDE.copy()
    scores += np.linspace(0, 3, 10)
    scores.iloc[-1, :6] = np.nan
    scores.iloc[-1] -= 0.5
    collection = gtaudit.prepare(scores)
    assert scores.mean(axis=1).idxmax() == scores.index[-1]
    universe = collection.study.universe_scores()["estimate"]
    assert first(collection) == [universe.idxmax()] != [scores.index[-1]]


def test_systems_that_tie_at_the_top_are_all_first():
    scores = WIDE.copy()
    scores.iloc[[1, 6]] = scores.max() + 0.01
    scores.iloc[0, :2] = np.nan
    collection = gtaudit.prepare(scores)
    assert first(collection) == ["run1", "run6"]


def test_gaps_among_assessors_count_too():
    """Of two systems the better one lacks the lenient assessor."""
    rng = np.random.default_rng(0)
    index = np.indices((4, 12, 3)).reshape(3, -1)
    score = np.array([0.5, 0.54, 0.3, 0.2])[index[0]]
    score = score + 0.3 * (index[2] == 0) + rng.normal(size=144) / 50
    long = pd.DataFrame(index.T, columns=["system", "topic", "assessor"])
    long["system"] = "s" + long["system"].astype(str)
    long["score"] = score + rng.normal(size=12)[index[1]] / 9
    lacking = (index[0] == 1) & (index[2] == 0) & (index[1] > 1)
    collection = gtaudit.prepare(long[~lacking])
    assert collection.part == "" and collection.cells.notna().all(axis=None)
    assert collection.cells.mean(axis=1).idxmax() == "s0"
    assert first(collection) == ["s1"]


@pytest.mark.parametrize("systems, kept", [(9, (60, 10)), (12, (12, 100))])
def test_of_two_parts_the_larger_that_is_large_enough(systems, kept):
    wide = pd.DataFrame(np.random.default_rng(1).random((60, 100)))
    for topic in range(10, 100):
        wide.iloc[systems + topic % (60 - systems), topic] = np.nan
    assert gtaudit.prepare(wide).wide.shape == kept


@pytest.mark.slow
def test_fewer_assessors_on_some_topics():
    long = gt.load("cf", measure="AP")
    long = long[long["system"].isin(long["system"].unique()[:5])]
    long = long[long["topic"].isin(long["topic"].unique()[:6])]
    some = long.sample(frac=0.7, random_state=2)
    collection = gtaudit.prepare(some)
    g = gt.gstudy(collection.scores, collection.design)
    each = some.groupby(["system", "topic"])["assessor"].nunique()
    levels = gtaudit.plan_without_gaps(g).levels
    assert levels["assessor"] == round(len(each) / (1 / each).sum())
    expected = some.groupby(["system", "topic"])["score"].mean()
    assert np.nansum(collection.cells) == pytest.approx(expected.sum())


# Every advice is taken


def refused(table, design=None):
    with pytest.raises(ValueError, match=r"\w") as found:
        gtaudit.prepare(table, design)
    return str(found.value)


@pytest.mark.slow
def test_parts_that_nothing_links():
    long = long_of(WIDE)
    first = long["system"] < "run4"
    half = long["topic"] < "q5"
    apart = long[first == half]
    assert "disconnected" in refused(apart)
    for part in (long[first & half], long[~first & ~half]):
        coefficients_of(gtaudit.prepare(part))
    link = long[(long["system"] == "run0") & (long["topic"] > "q5")]
    coefficients_of(gtaudit.prepare(pd.concat([apart, link])))


@pytest.mark.slow
def test_scores_without_error_and_with_gaps():
    """The likelihood has no top there, and advises another method."""
    exact = pd.DataFrame(np.arange(6.0)[:, None] ** 2 + np.arange(9.0) ** 2)
    exact.iloc[2, 3] = exact.iloc[4, 1] = np.nan
    with pytest.raises(ValueError, match="or use method='henderson'"):
        gt.gstudy(long_of(exact), "system x topic")
    collection = gtaudit.prepare(exact)
    assert collection.study.method == "henderson"
    told = " ".join(findings_of(collection))
    assert "nan" not in told
    assert "**topic**, 100% of the relative error: not every" in told


def test_a_topic_of_its_own_for_each_system():
    rows = [(f"s{i % 5}", f"t{i}", RNG.random()) for i in range(40)]
    table = pd.DataFrame(rows, columns=["system", "topic", "score"])
    told = refused(table)
    (nested,) = re.findall(r"Write '(.*)' in the design", told)
    collection = gtaudit.prepare(table, f"system x ({nested})")
    assert coefficients_of(collection)["estimate"].between(0, 1).all()


def test_topics_that_one_assessor_each_judged():
    long = gt.load("cf", measure="AP")
    long = long[long["system"].isin(long["system"].unique()[:5])]
    topics = long["topic"].unique()[:8]
    by = dict(
        zip(topics, [*long["assessor"].unique()[:2]] * 4, strict=True)
    )
    table = long[long["assessor"] == long["topic"].map(by)]
    told = refused(table, "system x topic x assessor")
    (nested,) = re.findall(r"Write '(.*)' in the design", told)
    collection = gtaudit.prepare(table, f"system x ({nested})")
    assert gtaudit.prepare(table).design == collection.design


def test_scores_that_a_further_column_tells_apart():
    twice = pd.concat(
        [long_of(WIDE).assign(seed=seed) for seed in ("a", "b")]
    )
    twice["score"] += RNG.normal(0, 0.1, len(twice))
    told = refused(twice)
    assert "seed" in told
    gtaudit.prepare(twice[twice["seed"] == "a"])
    gtaudit.prepare(
        twice.groupby(["system", "topic"], as_index=False).mean(
            numeric_only=True
        )
    )
    coefficients_of(gtaudit.prepare(twice, "system x topic x seed"))


def test_sites_need_every_score(tmp_path):
    gaps = with_gaps((0, 0))
    with pytest.raises(ValueError, match="leave out the file of held-out"):
        gtaudit.block_design(gtaudit.prepare(gaps).cells, "a.csv", "b.csv")


@pytest.mark.slow
def test_a_page_without_a_part_says_so_where_a_figure_would_be(tmp_path):
    gaps = WIDE.mask(np.random.default_rng(1).random((8, 10)) < 0.5)
    gaps.to_csv(tmp_path / "a.csv", index_label="system")
    main(["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path / "r")])
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count(gtaudit.INCOMPLETE) == 2
    assert "<td>nan" not in page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "named"),
    [([(2, 1), (2, 4)], ", all of them of run2."), ([(2, 1), (3, 4)], ".")],
)
def test_the_only_system_that_lacks_scores_is_named(
    tmp_path, capsys, cells, named
):
    path = tmp_path / "scores.csv"
    long_of(with_gaps(*cells)).dropna().to_csv(path, index=False)
    assert main(["audit", str(path), "--out", f"{path}.html"]) == 0
    told = capsys.readouterr().err
    assert (
        f"2 of 80 pairs of a system and a topic have no score{named}"
        in (told)
    )
