"""gtlib.runs: runs and judgments in, scores out."""

import math
import shutil

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from gtlib import read_runs
from gtlib.scores import as_wide


def run(system, **topics):
    """A run that ranks the documents of each topic as they are named."""
    return pd.DataFrame(
        [
            (system, topic, document, -float(rank))
            for topic, documents in topics.items()
            for rank, document in enumerate(documents.split())
        ],
        columns=["system", "topic", "document", "score"],
    )


def qrels(**topics):
    return pd.DataFrame(
        [
            (topic, document, relevance)
            for topic, judged in topics.items()
            for document, relevance in judged.items()
        ],
        columns=["topic", "document", "relevance"],
    )


def run_file(path, table):
    lines = [
        f"{r.topic} Q0 {r.document} 0 {r.score} {r.system}\n"
        for r in table.itertuples()
    ]
    path.write_text("".join(lines))
    return path


def qrels_file(path, table):
    lines = [f"{t} 0 {d} {r}\n" for t, d, r in table.to_numpy()]
    path.write_text("".join(lines))
    return path


JUDGED = qrels(t1={"a": 1, "b": 0, "c": 1}, t2={"a": 0, "d": 2})
GOOD = run("good", t1="a c b", t2="d a")
POOR = run("poor", t1="b a", t2="a d")


def average_precision(ranking, relevant):
    """The mean, over relevant documents, of precision where they stand."""
    found, total = 0, 0.0
    for rank, document in enumerate(ranking, start=1):
        if document in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


class TestReadRuns:
    def test_scores_by_hand(self):
        table = read_runs(pd.concat([GOOD, POOR]), JUDGED, ["AP", "P@2"])
        assert table.columns.tolist() == [
            "system", "topic", "measure", "score",
        ]  # fmt: skip
        assert table.to_numpy().tolist() == [
            ["good", "t1", "AP", 1.0],
            ["good", "t1", "P@2", 1.0],
            ["good", "t2", "AP", 1.0],
            ["good", "t2", "P@2", 0.5],
            ["poor", "t1", "AP", 0.25],
            ["poor", "t1", "P@2", 0.5],
            ["poor", "t2", "AP", 0.5],
            ["poor", "t2", "P@2", 0.5],
        ]

    def test_folder_file_list_and_table_agree(self, tmp_path):
        folder = tmp_path / "runs"
        folder.mkdir()
        paths = [
            run_file(folder / "input.good", GOOD),
            run_file(folder / "input.poor", POOR),
        ]
        both = run_file(tmp_path / "both", pd.concat([GOOD, POOR]))
        judged = qrels_file(tmp_path / "qrels", JUDGED)
        expected = read_runs(pd.concat([GOOD, POOR]), JUDGED, "AP")
        (folder / ".hidden").write_text("not a run")
        for runs in (folder, str(folder), both, paths, tuple(paths)):
            table = read_runs(runs, judged, "AP")
            pd.testing.assert_frame_equal(table, expected)

    def test_one_qrels_file_per_assessor(self, tmp_path):
        strict = qrels_file(tmp_path / "strict.txt", JUDGED)
        lenient = qrels_file(
            tmp_path / "lenient", JUDGED.assign(relevance=1)
        )
        by_name = read_runs(POOR, [strict, lenient], "AP")
        table = pd.concat(
            [
                JUDGED.assign(assessor="strict"),
                JUDGED.assign(assessor="lenient", relevance=1),
            ]
        )
        by_column = read_runs(POOR, table, "AP")
        pd.testing.assert_frame_equal(by_name, by_column)
        assert by_name["assessor"].unique().tolist() == [
            "strict", "lenient",
        ]  # fmt: skip

    def test_result_is_ready_for_a_g_study(self):
        table = read_runs(pd.concat([GOOD, POOR]), JUDGED, "AP")
        assert as_wide(table).loc["poor", "t1"] == 0.25
        gt.gstudy(table, "system x topic")

    @pytest.mark.parametrize(
        "measure", ["nDCG@10", "RR", "R@5", "Bpref", "Rprec", "ERR@20"]
    )
    def test_any_measure_of_ir_measures(self, measure):
        if measure == "ERR@20" and not shutil.which("perl"):
            pytest.skip("ir_measures computes ERR with a Perl script")
        table = read_runs(GOOD, JUDGED, measure)
        assert table["measure"].tolist() == [measure] * 2
        assert table["score"].between(0, 1).all()

    def test_measure_objects(self):
        from ir_measures import AP, nDCG

        table = read_runs(GOOD, JUDGED, [AP(rel=2), nDCG @ 5])
        assert table["measure"].unique().tolist() == ["AP(rel=2)", "nDCG@5"]

    @given(
        st.permutations("abcdefghij"),
        st.sets(st.sampled_from("abcxyz"), min_size=1),
    )
    def test_average_precision_against_the_textbook(
        self, ranking, relevant
    ):
        table = read_runs(
            run("s", t=" ".join(ranking)),
            qrels(t=dict.fromkeys(sorted(relevant), 1)),
            "AP",
        )
        expected = average_precision(ranking, relevant)
        assert math.isclose(table["score"].item(), expected, abs_tol=1e-12)


class TestWhatIsNotComplete:
    def test_a_topic_that_a_run_lacks_counts_zero_and_is_told(self, capsys):
        table = read_runs(run("half", t1="a"), JUDGED, "AP")
        assert table.set_index("topic")["score"].to_dict() == {
            "t1": 0.5, "t2": 0.0,
        }  # fmt: skip
        said = ["Run half lacks 1 of 2 topics (t2): they count as zero."]
        assert table.attrs["report"] == said
        out, err = capsys.readouterr()
        assert out.strip() == said[0]
        assert err == ""

    def test_topics_without_judgments_are_left_out_and_told(self):
        runs = pd.concat([run("x", t1="a", t2="d", t9="a"), GOOD])
        heard = []
        table = read_runs(runs, JUDGED, "AP", report=heard.append)
        assert set(table["topic"]) == {"t1", "t2"}
        assert heard == ["1 topic of 1 run without judgments left out: t9."]

    def test_topics_without_relevant_documents_are_told(self):
        judged = pd.concat([JUDGED, qrels(t3={"a": 0})])
        runs = pd.concat([GOOD, run("good", t3="a")])
        table = read_runs(runs, judged, "AP", report=None)
        assert table.set_index("topic").loc["t3", "score"] == 0
        assert (
            "nothing relevant on 1 of 3 topics (t3)"
            in (table.attrs["report"][0])
        )

    def test_assessors_of_different_topics_are_told(self):
        judged = pd.concat(
            [
                JUDGED.assign(assessor="all"),
                JUDGED[JUDGED["topic"] == "t1"].assign(assessor="one"),
            ]
        )
        table = read_runs(GOOD, judged, "AP", report=None)
        assert len(table) == 3
        assert table.attrs["report"] == [
            "Assessor one did not judge 1 of 2 topics (t2)."
        ]

    def test_silence_when_all_is_complete(self, capsys):
        table = read_runs(GOOD, JUDGED, "AP")
        assert table.attrs["report"] == []
        assert capsys.readouterr() == ("", "")


def test_one_measure_in_two_spellings_is_one():
    found = read_runs(GOOD, JUDGED, ["AP@10", "AP(rel=1)@10"])
    assert found["measure"].unique().tolist() == ["AP@10"]
    assert len(found) == 2


def test_measures_may_stand_in_a_tuple():
    table = run("best", q1="a b")
    judged = qrels(q1={"a": 0, "b": 1})
    pd.testing.assert_frame_equal(
        read_runs(table, judged, ("AP", "P@2")),
        read_runs(table, judged, ["AP", "P@2"]),
    )
