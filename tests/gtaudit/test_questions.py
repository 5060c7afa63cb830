"""Rows of measures, and names as they are shown."""

import numpy as np
import pytest
import scipy

import gtaudit
import gtlib as gt
from gtaudit.display import inline_html
from tests.cases import first
from tests.gtaudit.said import verdicts_of
from tests.gtaudit.test_audit_hostile import NAMES
from tests.gtaudit.test_sentences import table


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
        more = [inline_html(v.question + v.sentence) for v in found.answers]
        page = html.fromstring(f"<p>{inline_html(found.next)}{more}</p>")
        assert not page.xpath("//script | //a | //img | //em | //del")
        assert said in page.text_content()
        assert any(said in line for line in found.lines)
