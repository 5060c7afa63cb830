"""The record of ways to choose further documents."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

WAYS = [
    "before", "agreed", "deeper", "further runs", "at random", "sampled",
    "stratified",
]  # fmt: skip


@pytest.fixture(scope="module")
def record():
    return gt.load("judged-next")


def test_a_sample_leaves_less_than_as_many_at_random(record):
    """What the report advises where as many judgments again are made."""
    errors = record[record["share"] == 1].pivot_table(
        "error", ["collection", "seed"], "way"
    )
    gain = errors["at random"] - errors["stratified"]
    gain = gain.groupby("collection").agg(["mean", "sem"])
    assert len(gain) == 3
    assert (gain["mean"] > 3 * gain["sem"]).all()
    means = errors.groupby("collection").mean()
    assert (means.idxmin(axis=1) == "stratified").all()


@pytest.mark.slow
def test_the_record_is_what_the_script_finds(record, script):
    judged_next = script("judged_next")
    (name, (runs, qrels)), _ = judged_next.judged_collections().items()
    pool = gt.pool_runs(runs.astype({"topic": str}), judged_next.DEEP)
    relevance = pool.labels(qrels, otherwise=0).to_numpy()
    found = pd.DataFrame(judged_next.trial(pool, relevance, 0))
    rows = record[(record["collection"] == name) & (record["seed"] == 0)]
    assert found["way"].tolist() == [*WAYS, *WAYS] == rows["way"].tolist()
    for column in "documents", "error", "tau":
        np.testing.assert_allclose(
            found[column], rows[column], rtol=1e-3, err_msg=column
        )


def test_all_judgments_leave_no_error(script):
    """Of whatever way, if there are as many as there are documents."""
    judged_next = script("judged_next")
    drawn = gt.synthetic_collection(systems=9, topics=3, documents=60)
    pool = gt.pool_runs(drawn.runs, judged_next.DEEP)
    relevance = pool.labels(drawn.qrels, otherwise=0).to_numpy()
    judged_next.SHARES = (1000,)
    found = pd.DataFrame(judged_next.trial(pool, relevance, 0))
    found = found.set_index("way")["error"]
    assert found["before"] > 0.001
    np.testing.assert_allclose(found.drop("before"), 0, atol=1e-12)
