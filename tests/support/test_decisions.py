"""book.support.decisions: documents called relevant, rightly or wrongly."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.decisions import document_correctness

DESIGN = "system x assessor x (document:topic)"


def run(system, **topics):
    """A run that ranks the documents of each topic as they are named."""
    rows = [
        (system, topic, document, rank)
        for topic, documents in topics.items()
        for rank, document in enumerate(documents.split(), start=1)
    ]
    columns = ["system", "topic", "document", "rank"]
    return pd.DataFrame(rows, columns=columns)


GOOD = run("good", t1="a c b", t2="d a")
RUNS = pd.concat([GOOD, run("poor", t1="b a", t2="a d")])
STRICT = pd.DataFrame(
    {
        "topic": ["t1", "t1", "t1", "t2", "t2"],
        "document": ["a", "b", "c", "a", "d"],
        "relevance": [1, 0, 1, 0, 2],
        "assessor": "strict",
    }
)
LENIENT = STRICT.assign(assessor="lenient", relevance=1)
JUDGED = pd.concat([STRICT, LENIENT])


def test_right_and_wrong_by_hand():
    table = document_correctness(RUNS, JUDGED, 1, 2)
    cells = table.set_index(["system", "assessor", "document"])["score"]
    assert len(cells) == 2 * 2 * 2 * 2
    for (system, assessor, name), right in cells.items():
        topic, document = name.split("/")
        first = {
            "good": {"t1": "a", "t2": "d"},
            "poor": {"t1": "b", "t2": "a"},
        }[system][topic]
        relevant = assessor == "lenient" or name in (
            "t1/a", "t1/c", "t2/d",
        )  # fmt: skip
        assert right == ((document == first) == relevant)


def test_is_a_balanced_study_with_a_document_facet():
    table = document_correctness(RUNS, JUDGED, 1, 2)
    g = gt.gstudy(table, DESIGN)
    assert g.levels == {
        "system": 2, "assessor": 2, "document": 2, "topic": 2,
    }  # fmt: skip


def test_the_sample_depends_on_the_seed_only():
    one = document_correctness(RUNS, JUDGED, 2, 2, seed=1)
    again = document_correctness(RUNS, JUDGED, 2, 2, seed=1)
    pd.testing.assert_frame_equal(one, again)


def test_a_pool_that_is_too_small():
    with pytest.raises(ValueError, match="Topic t2 has a pool of 2"):
        document_correctness(RUNS, JUDGED, 1, 3)


@pytest.mark.parametrize("wrong", [{"k": 0}, {"documents": 1.5}])
def test_sizes_are_whole_numbers(wrong):
    with pytest.raises(ValueError, match="a whole number of at least"):
        document_correctness(RUNS, JUDGED, **wrong)


def test_a_run_that_lacks_a_topic_calls_nothing_relevant():
    runs = pd.concat([GOOD, run("half", t1="a")])
    table = document_correctness(runs, JUDGED, 1, 2)
    half = table.query("system == 'half' and topic == 't2'")
    relevant = {"lenient": [0, 0], "strict": [1, 0]}
    for assessor, rows in half.groupby("assessor"):
        assert rows["score"].tolist() == relevant[assessor]


def test_names_and_numbers_of_topics_are_the_same():
    runs = RUNS.assign(topic=RUNS["topic"].str[1:])
    judged = JUDGED.assign(topic=JUDGED["topic"].str[1:].astype(int))
    scores = document_correctness(runs, judged, 1, 2)["score"]
    expected = document_correctness(RUNS, JUDGED, 1, 2)["score"]
    pd.testing.assert_series_equal(scores, expected)


def test_who_finds_nothing_relevant_is_scored_as_well():
    nothing = STRICT.assign(assessor="nobody", relevance=0)
    table = document_correctness(RUNS, pd.concat([JUDGED, nothing]), 1, 2)
    rows = table[table["assessor"] == "nobody"]
    assert len(rows) == 8
    called = {"good": ("t1/a", "t2/d"), "poor": ("t1/b", "t2/a")}
    for row in rows.itertuples():
        assert row.score == (row.document not in called[row.system])


def test_a_column_that_is_not_there():
    with pytest.raises(ValueError, match="no column 'assessor'"):
        document_correctness(RUNS, STRICT.drop(columns="assessor"))


@pytest.mark.slow
def test_mean_squares_of_the_cystic_fibrosis_runs_are_those_we_embed():
    judged = gt.load("cf-judgments")
    runs = gt.read_run(gt.load("cf-runs"))
    g = gt.gstudy(document_correctness(runs, judged, k=20), DESIGN)
    table = gt.load("cf-correctness")
    ours = table[table["k"] == 20].set_index("effect")["mean_square"]
    assert g.levels == {
        "system": 36, "assessor": 4, "document": 20, "topic": 98,
    }  # fmt: skip
    np.testing.assert_allclose(g.mean_squares[ours.index], ours, rtol=1e-8)
