"""What to do about gaps: by hand, and where the whole table is known."""

import numpy as np
import pytest

import gtaudit
import gtlib as gt
from tests.gtaudit.said import verdicts_of
from tests.gtaudit.test_sentences import table

WHOLE = table(np.linspace(0, 2, 12), 1.0, 20)


def gappy(systems=4, topics=6):
    scores = WHOLE.copy()
    scores.iloc[:systems, -topics:] = np.nan
    return scores


@pytest.mark.slow
def test_the_ways_are_counted_and_computed_by_hand():
    """And have no names of systems in them."""
    scores = gappy().rename(index=lambda name: f"<b>{name}")
    found = gtaudit.gap_remedies(gtaudit.prepare(scores))
    assert [*found.index] == [
        "as it is",
        "score the 24 missing",
        "leave out 4 systems",
        "leave out 6 topics",
    ]
    assert found["new_scores"].tolist() == [0, 24, 0, 0]
    assert found["lost_scores"].tolist() == [0, 0, 4 * 14, 8 * 6]
    for way, part in (
        ("leave out 4 systems", WHOLE.iloc[4:]),
        ("leave out 6 topics", WHOLE.iloc[:, :-6]),
    ):
        plan = gt.gstudy(part).plan()
        interval = plan.interval("generalizability")
        assert found.loc[way, "generalizability"] == pytest.approx(
            plan.generalizability
        )
        assert found.loc[way, "low"] == pytest.approx(interval.low)
        assert found.loc[way, "high"] == pytest.approx(interval.high)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cf-ap", "trec3", "trec8", "web2012"])
def test_a_filled_table_is_as_good_as_was_expected(name):
    """Scores are deleted at random, or in blocks."""
    whole = next(iter(gt.load_all(name).values()))
    true = gt.gstudy(whole).plan().generalizability
    rng = np.random.default_rng(0)
    blocks = np.outer(rng.random(len(whole)), rng.random(whole.shape[1]))
    for gone in (rng.random(whole.shape) < 0.1, blocks > 0.6):
        found = gtaudit.gap_remedies(gtaudit.prepare(whole.mask(gone)))
        row = found.iloc[1]
        assert row["new_scores"] == gone.sum()
        assert row["generalizability"] == pytest.approx(true, abs=0.01)
        assert row["low"] <= true <= row["high"]


def test_without_gaps_or_with_more_facets_there_is_nothing_to_say():
    assert gtaudit.gap_remedies(gtaudit.prepare(WHOLE)) is None
    long = gt.load("scores").iloc[1:]
    assert gtaudit.gap_remedies(gtaudit.prepare(long)) is None


@pytest.mark.slow
def test_where_everybody_lacks_something_nobody_is_left_out():
    scores = WHOLE.copy()
    for i in range(20):
        scores.iloc[i % 12, i] = np.nan
    found = gtaudit.gap_remedies(gtaudit.prepare(scores))
    assert [*found.index] == ["as it is", "score the 20 missing"]


@pytest.mark.slow
def test_to_fill_the_gaps_is_recommended_where_it_is_enough(monkeypatch):
    scores = gappy(9, 15)
    collection = gtaudit.prepare(scores)
    gaps = gtaudit.gap_remedies(collection)
    low = gaps["low"].iloc[1]
    assert gaps["low"].iloc[0] < low - 1e-3
    target = (gaps["low"].iloc[0] + low) / 2
    monkeypatch.setattr("gtaudit.verdict.TARGET", target)
    more = {"gaps": gaps, "budget": 10**6}
    found = verdicts_of(collection, **more)
    assert found.answers[1].remedy.name == "score the 135 missing"
    table = gtaudit.advise(collection, remedy=found.answers[1].remedy)
    assert table.index[0] == "score the 135 missing"
    assert table["price"].iloc[0] == pytest.approx(135 / 12)
    assert table["error"].iloc[0] < table.loc["stop", "error"]
