"""What is made of a table on disk, beside its study."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from tests import oracle
from tests.cases import first, only
from tests.refusals import refused

large = pytest.importorskip("gtaudit.large", exc_type=ImportError)

CROSSED = "system x topic x assessor"


@pytest.fixture(scope="module")
def frame():
    levels = {"system": 8, "topic": 6, "assessor": 3}
    return oracle.table(gt.Design(CROSSED), levels)


@pytest.fixture(scope="module")
def table(frame, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "s.parquet"
    frame.to_parquet(path)
    return large.Table(path)


@pytest.fixture(scope="module")
def study(table):
    return table.gstudy(CROSSED)


@pytest.fixture(scope="module")
def means(frame):
    return frame.pivot_table("score", "system", "topic")


def test_means_are_the_table_for_all_that_needs_scores(table, means):
    found = table.means(CROSSED)
    assert (found.table.index == means.index).all()
    assert found.table.to_numpy() == pytest.approx(means.to_numpy())


def test_means_that_do_not_fit_are_a_sample_that_says_so(table, means):
    found = table.means(CROSSED, most=25, seed=3)
    topics = [*found.table.columns]
    assert len(topics) == 3
    assert found.table.to_numpy() == pytest.approx(means[topics].to_numpy())
    assert "3 topics" in str(found) and "(seed 3)" in str(found)
    assert [*table.means(CROSSED, 25, 3).table.columns] == topics


def test_items_and_alpha_are_those_of_the_means(table, means):
    sums = table.means(CROSSED).table
    there, here = gt.item_analysis(sums), gt.item_analysis(means)
    assert (there.index == here.index).all()
    assert (there["negative"] == here["negative"]).all()
    numbers = here.columns.drop("negative")
    assert there[numbers].to_numpy() == pytest.approx(
        here[numbers].to_numpy(), rel=1e-9
    )
    there, here = gt.cronbach_alpha(sums), gt.cronbach_alpha(means)
    assert there.estimate == pytest.approx(here.estimate, rel=1e-9)
    assert there.low == pytest.approx(here.low, rel=1e-9)


@pytest.mark.slow
def test_plans_intervals_and_allocations_are_as_in_memory(study, frame):
    other = gt.gstudy(frame, CROSSED)
    p, q = (g.plan(topic=40, assessor=2) for g in (study, other))
    assert p.dependability == pytest.approx(q.dependability, rel=1e-9)
    assert p.interval("dependability").low == pytest.approx(
        q.interval("dependability").low, rel=1e-9
    )
    assert p.required("topic", 0.6) == q.required("topic", 0.6)
    assert p.best(200).plan.levels == q.best(200).plan.levels
    tables = (g.component_intervals(method="mls") for g in (study, other))
    low, other_low = (table["low"].to_numpy() for table in tables)
    assert low == pytest.approx(other_low, rel=1e-9)


@pytest.mark.slow
def test_gaps(frame, tmp_path):
    path = tmp_path / "s.parquet"
    lost = (frame["system"] == "system1") & (frame["topic"] == "topic2")
    frame[~lost].to_parquet(path)
    table = large.Table(path)
    g = table.gstudy(CROSSED)
    assert g.method == "henderson"
    assert np.isnan(table.means().table.loc["system1", "topic2"])
    with pytest.raises(ValueError, match="scores must be finite"):
        gt.item_analysis(table.means().table)
    for method in ("auto", "exact", "pivotal"):
        with pytest.raises(ValueError, match=r"needs the scores|balanced"):
            g.plan().interval("dependability", method=method)


@pytest.mark.parametrize("lost", first(1, [[], [4, 40, 77]]))
@pytest.mark.slow
def test_a_sample_is_all_scores_of_some_topics(lost, frame, tmp_path):
    """Its intervals are those of the same topics in memory."""
    path = tmp_path / "s.parquet"
    frame.drop(index=[*lost]).to_parquet(path)
    table = large.Table(path)
    g = table.gstudy(CROSSED)
    sample = table.sample(g, most=100, seed=2)
    assert "4 topics" in str(sample) and "(seed 2)" in str(sample)
    again, other = (table.sample(g, 100, seed) for seed in (2, 3))
    # the same bits: the same topics, read in the same order
    assert again.estimate.equals(sample.estimate)
    # the same bits: not even nearly, of other topics
    assert not other.estimate.equals(sample.estimate)
    topics = [*sample.cells.labels["topic"]]
    part = frame.drop(index=[*lost])[lambda t: t["topic"].isin(topics)]
    same = gt.gstudy(part, CROSSED, method=g.method)
    for coefficient in ("dependability", "generalizability"):
        one, other = (
            s.plan(topic=40, assessor=2).interval(
                coefficient, n_resamples=20
            )
            for s in (sample, same)
        )
        assert [one.low, one.high] == pytest.approx(
            [other.low, other.high], rel=1e-9
        )
    assert (sample.component_intervals(n_resamples=20)["high"] > 0).all()


@pytest.mark.slow
def test_a_sample_of_all_is_the_study(table, study, frame):
    sample = table.sample(study)
    assert sample.sampled == ""
    pd.testing.assert_series_equal(
        sample.estimate, gt.gstudy(frame, CROSSED).estimate, rtol=1e-9
    )


@pytest.mark.slow
def test_a_nested_study_has_whole_topics_in_a_sample(tmp_path):
    design = gt.Design("system x (assessor:topic)")
    levels = {"system": 5, "topic": 6, "assessor": 3}
    oracle.table(design, levels).to_parquet(tmp_path / "s.parquet")
    table = large.Table(tmp_path / "s.parquet")
    sample = table.sample(table.gstudy(design), most=50)
    assert sample.levels == levels | {"topic": 3}


@pytest.fixture
def asked(table, study):
    """What takes a number of scores and a seed."""
    return {
        "sample": (table.sample, study),
        "means": (table.means, CROSSED),
    }


NO_SIZES = ["x", np.nan, np.inf, 0, -5, 2.5, True, None]
NO_SEEDS = [-1, 1.5, "x", None, np.nan]
REFUSED = [
    *((most, 0, f"most={most!r}", "at least 1") for most in NO_SIZES),
    *((40, seed, f"seed={seed!r}", "at least 0") for seed in NO_SEEDS),
]


@pytest.mark.slow
@pytest.mark.parametrize("ask", ["sample", "means"])
@pytest.mark.parametrize(
    ("most", "seed", "given", "least"),
    only([REFUSED[3], REFUSED[-1]], REFUSED),
)
def test_numbers_that_are_none(asked, ask, most, seed, given, least):
    way, of = asked[ask]
    words = f"{given}: a whole number of {least} is needed."
    refused(lambda: way(of, most, seed), words)


def test_what_needs_every_score_says_so(study):
    plan = study.plan()
    for call, words in {
        lambda: plan.interval("dependability", method="bootstrap"): "",
        study.universe_scores: "Universe scores ... ",
    }.items():
        refused(call, f"{words}holds none: it was made from sums")


@pytest.mark.slow
def test_whole_numbers_of_any_size_and_kind(table, study):
    huge = 2**53 + 1  # which no float is
    assert f"(seed {huge})" in str(table.means(CROSSED, 24, huge))
    whole = table.sample(study, np.float32(1e6), np.int8(3))
    # the same bits: all scores, read in the same order
    assert table.sample(study, 10**15).estimate.equals(whole.estimate)
    assert table.sample(study, 1).levels["topic"] == 2
