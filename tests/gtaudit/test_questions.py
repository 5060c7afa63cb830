"""Answers beside another collection, and names as they are shown."""

import numpy as np
import pytest
import scipy

import gtaudit
import gtlib as gt
from tests.cases import first
from tests.gtaudit.said import answers_of, verdicts_of
from tests.gtaudit.test_audit_hostile import NAMES
from tests.gtaudit.test_sentences import table


def other_table(seed=4):
    """The same systems on other topics, and where they stand then."""
    one = table(np.linspace(0, 1, 9), 0.3, 20)
    other = table(np.linspace(0, 1, 9), 1.0, 15, seed)
    return one, other.add_prefix("other ", axis=1)


@pytest.mark.parametrize("turned", [1, -1])
def test_another_collection_names_who_moves_most(turned):
    """By many ranks, whether up or down."""
    one, other = other_table()[::turned]
    before, after = (
        t.mean(axis=1).rank(ascending=False).astype(int)
        for t in (one, other)
    )
    moved = (after - before).sort_values(key=abs, ascending=False)
    assert abs(moved.iloc[2]) >= 1
    found = answers_of(gtaudit.prepare(one), other=gtaudit.prepare(other))
    _, short, said = found[-1]
    tau = scipy.stats.kendalltau(one.mean(axis=1), other.mean(axis=1))
    assert f"{tau.statistic:.2f}" in short
    assert f"{tau.statistic:.2f}" in said
    shown = said.partition("change most: ")[2].partition(". ")[0]
    names = dict(part.split(" by ") for part in shown.split(", "))
    assert len(names) == 3
    assert all(int(by) == moved[name] for name, by in names.items())
    least = min(abs(moved[name]) for name in names)
    assert (abs(moved.drop([*names])) <= least).all()
    one = gtaudit.prepare(one)
    again = answers_of(one, other=one)[-1]
    assert "1.00" in again.answer
    assert "change" not in again.sentence


def test_means_allow_for_the_topics_that_a_system_has():
    """The last met easy topics alone, and is not better for that."""
    scores = table(np.linspace(0, 1, 8), 0.1, 20)
    scores += np.linspace(0, 9, 20)
    gaps = scores.copy()
    gaps.iloc[0, :15] = np.nan
    one, other = map(gtaudit.prepare, (scores, gaps))
    assert gaps.mean(axis=1).idxmax() == "s0"
    plain = scipy.stats.kendalltau(scores.mean(axis=1), gaps.mean(axis=1))
    assert plain.statistic < 0.9
    said, numbers = gtaudit.compare_rankings(one, other)
    assert numbers["tau"] == pytest.approx(1)
    assert "change most" not in said
    board = gtaudit.audit_leaderboard(other).table["mean"]
    np.testing.assert_allclose(other.means[board.index], board)
    by = gtaudit.measure_table({"all": one, "some": other})
    assert [*by.index] == ["all", "some", "all, by ranks"]
    assert by["tau"].tolist() == pytest.approx([1, 1, 1])


def test_ranks_within_a_topic_are_a_row_of_measures():
    """As Robust 2004 has them: the oracle is its own G-study of ranks."""
    scores = gt.load("cf-ap").iloc[:, :30]
    by = gtaudit.measure_table({"AP": gtaudit.prepare(scores)})
    ranked = gt.gstudy(scores.rank() / len(scores)).plan()
    row = by.loc["AP, by ranks"]
    assert row["generalizability"] == pytest.approx(ranked.generalizability)
    means = scores.mean(axis=1), scores.rank().mean(axis=1)
    assert row["tau"] == pytest.approx(gt.kendall_tau(*means))
    ends = ranked.interval("generalizability")
    assert (row["low"], row["high"]) == pytest.approx((ends.low, ends.high))


# As they are shown


@pytest.mark.parametrize("name", first(3, NAMES), ids=range(len(NAMES)))
def test_names_of_strangers_show_as_they_stand(name):
    html = pytest.importorskip("lxml.html")
    scores = table(np.linspace(0, 3, 5)).set_axis([*"abcd", name])
    pair = scores.iloc[3:]
    said = name if len(name) < 99 else name[:20]
    for chosen in (scores, pair):
        found = verdicts_of(gtaudit.prepare(chosen))
        page = html.fromstring(gtaudit.show_verdicts(found).data)
        assert not page.xpath("//script | //a | //img | //em | //del")
        assert said in page.text_content()
        assert any(said in line for line in found.lines)
