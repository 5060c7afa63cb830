"""The tables that readers begin with, and what their records say."""

import re

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import data

pytestmark = pytest.mark.sources

SHARES = [
    ("told_apart", 0.5, 0.7),
    ("generalizability", 0.95, 1),
    ("dependability", 0, 0.95),
    ("topics_to_compare", 13, 21),
    ("topics_to_be_sure", 41, 80),
    ("topics_to_score", 36, 144),
    ("best_assessors", 3, 5),
    ("lost", 0, 0.002),
]
DESIGN = "system x topic x assessor"


@pytest.fixture
def scores():
    table = gt.load("cf", measure="AP")
    return table[["system", "topic", "assessor", "score"]]


def require_answers(reader, truth, seed, kept):
    row = reader.answers(reader.draw_table(seed), truth)
    for name, value in row.items():
        if not isinstance(value, str):
            value = pytest.approx(value, rel=1e-4, abs=1e-9)
        assert kept[name] == value, name


class TestReaders:
    def test_it_is_the_draw_of_its_script(self, script):
        reader = script("reader")
        drawn = reader.draw_table(reader.SEED)
        pd.testing.assert_frame_equal(gt.load("scores"), drawn)

    def test_it_answers_what_most_such_tables_answer(self, script):
        reader = script("reader")
        record = gt.load("reader-answers").set_index("table")
        own = record.loc[reader.SEED]
        for name, least in {"best": 0.98, "may_be_best": 0.95}.items():
            assert record[name].mode()[0] == own[name]
            assert (record[name] == own[name]).mean() >= least
        for name in record.select_dtypes("number"):
            low, high = record[name].quantile([0.1, 0.9])
            assert low <= own[name] <= high, name

    @pytest.mark.parametrize(("column", "low", "high"), SHARES)
    def test_the_page_says_how_often_an_answer_is_the_same(
        self, column, low, high
    ):
        share = gt.load("reader-answers")[column].between(low, high).mean()
        text = (data.data_folder() / "README.md").read_text("utf-8")
        text = text.partition("**A table to begin with.**")[2]
        row = re.search(rf"^\| [^|]*`{column}`.*$", text, re.M)[0]
        told = f"{share:.1%}".replace(".0%", "%")
        assert row.endswith(f"| {told} |")

    def test_its_answers_are_near_the_truth(self, script):
        truth = script("reader").true_study().plan(topic=40, assessor=5)
        record = gt.load("reader-answers")
        for name in ("generalizability", "dependability"):
            true = getattr(truth, name)
            assert record[name].median() == pytest.approx(true, abs=0.005)

    def test_the_page_says_what_the_truth_is(self, script):
        reader = script("reader")
        study = reader.true_study()
        plan = study.plan(topic=40, assessor=5)
        order = plan.required("topic", 0.95, "generalizability")
        best = study.plan().best(reader.BUDGET).levels
        text = (data.data_folder() / "README.md").read_text("utf-8")
        for told in (
            f"component of the systems is {study.variance['system']:.4f}",
            f"generalizability of this design {plan.generalizability:.3f}",
            f"dependability {plan.dependability:.3f}. It takes {order}",
            f"and {plan.required('topic', 0.95)} for such a depend",
            f"has {best['topic']} topics and {best['assessor']} assessors",
        ):
            assert told in " ".join(text.split())
        rows = text.partition("**A table to begin with.**")[2]
        for effect, variance in reader.VARIANCES.items():
            assert f"| {effect} | {variance:.4f} |" in rows
        for mean in reader.MEANS.values():
            assert f"{mean:.2f}" in rows

    def test_the_record_is_what_such_tables_answer(self, script):
        reader = script("reader")
        record = gt.load("reader-answers").set_index("table")
        assert len(record) == reader.TABLES
        truth = reader.true_study()
        for seed in (reader.SEED, 199):
            require_answers(reader, truth, seed, record.loc[seed])

    @pytest.mark.slow
    def test_the_rest_of_the_record_is_so_too(self, script):
        reader = script("reader")
        record = gt.load("reader-answers").set_index("table")
        truth = reader.true_study()
        for seed in record.index[::10]:
            require_answers(reader, truth, seed, record.loc[seed])


class TestTwoAssessors:
    def test_it_is_the_draw_of_its_script(self, script, scores):
        two = script("two_assessors")
        drawn = two.draw_table(scores, two.SEED).reset_index(drop=True)
        pd.testing.assert_frame_equal(gt.load("two-assessors"), drawn)

    def test_comparisons_are_known_and_values_are_not(self):
        """Two assessors leave one degree of freedom."""
        plan = gt.gstudy(gt.load("two-assessors"), DESIGN).plan()
        generalizability = plan.interval("generalizability")
        dependability = plan.interval("dependability")
        topics = plan.required_interval("topic", 0.95, "generalizability")
        assert f"{generalizability:.2f}" == "0.94 [0.83, 0.99]"
        assert f"{dependability:.2f}" == "0.84 [0.01, 0.96]"
        assert f"{topics:.0f}" == "33 [7, 90]"
        assert np.sqrt(2 * plan.relative_error).round(3) == 0.03
        assert f"{plan.optimal_ratio():.0f}".startswith("none [0, none]")

    def test_the_record_of_advice_is_what_such_tables_advise(
        self, script, scores
    ):
        two = script("two_assessors")
        record = gt.load("advice-trials")
        assert len(record) == two.TABLES
        truth = gt.gstudy(scores, DESIGN)
        for seed in (0, two.SEED):
            row = two.advice(two.draw_table(scores, seed), truth)
            expected = record.set_index("table").loc[seed]
            assert row == pytest.approx(expected.to_dict(), rel=1e-4)
