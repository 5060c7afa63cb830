"""The small table that readers begin with, and what it teaches."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

pytestmark = pytest.mark.sources

DESIGN = "system x topic x assessor"


@pytest.fixture
def scores():
    table = gt.load("cf", measure="AP")
    return table[["system", "topic", "assessor", "score"]]


def test_it_is_the_draw_of_its_script(script, scores):
    reader = script("reader")
    drawn = reader.draw_table(scores, reader.SEED).reset_index(drop=True)
    pd.testing.assert_frame_equal(gt.load("scores"), drawn)


def test_what_the_issue_of_two_assessors_is():
    """Comparisons are known, values are not: one degree of freedom."""
    plan = gt.gstudy(gt.load("scores"), DESIGN).plan()
    generalizability = plan.interval("generalizability")
    dependability = plan.interval("dependability")
    topics = plan.required_interval("topic", 0.95, "generalizability")
    assert f"{generalizability:.2f}" == "0.93 [0.82, 0.99]"
    assert f"{dependability:.2f}" == "0.84 [0.01, 0.96]"
    assert f"{topics:.0f}" == "35 [7, 109]"
    assert np.sqrt(2 * plan.relative_error).round(3) == 0.031
    assert f"{plan.optimal_ratio():.0f}".startswith("82094 [0, none]")


def test_the_record_of_advice_is_what_such_tables_advise(script, scores):
    reader = script("reader")
    record = gt.load("advice-trials")
    assert len(record) == reader.TABLES
    truth = gt.gstudy(scores, DESIGN)
    for seed in (0, reader.SEED):
        row = reader.advice(reader.draw_table(scores, seed), truth)
        expected = record.set_index("table").loc[seed]
        assert row == pytest.approx(expected.to_dict(), rel=1e-4)
