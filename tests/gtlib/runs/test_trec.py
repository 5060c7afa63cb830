"""gtlib.runs: the TREC file formats, read or refused by line."""

import gzip

import ir_measures
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtlib import read_qrels, read_run
from gtlib.runs import rank_documents, read_lists

RUN = "1 Q0 a 1 3.0 best\n1 Q0 b 2 2.5 best\n2 Q0 a 1 1 best\n"
QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 2\n"


def written(folder, text, name="file.txt"):
    path = folder / name
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_bytes(text.encode())
    return path


class TestReadRun:
    @pytest.mark.parametrize("name", ["run", "run.txt", "run.gz"])
    def test_plain_and_compressed(self, tmp_path, name):
        table = read_run(written(tmp_path, RUN, name))
        assert table.columns.tolist() == [
            "system",
            "topic",
            "document",
            "rank",
            "score",
        ]
        assert table.to_numpy().tolist() == [
            ["best", "1", "a", 1, 3.0],
            ["best", "1", "b", 2, 2.5],
            ["best", "2", "a", 1, 1.0],
        ]

    def test_compression_is_told_from_the_content(self, tmp_path):
        path = tmp_path / "run.txt"
        path.write_bytes(gzip.compress(RUN.encode()))
        assert len(read_run(path)) == 3

    @pytest.mark.parametrize(
        "text",
        [
            RUN.replace(" ", "\t"),
            RUN.replace(" ", "   "),
            RUN.replace("\n", "\r\n"),
            RUN.replace("\n", "\n\n"),
            "\ufeff" + RUN,
            RUN.replace("1 Q0", "  1 Q0"),
            RUN.rstrip("\n"),
        ],
    )
    def test_blanks_and_line_ends(self, tmp_path, text):
        assert read_run(written(tmp_path, text))["topic"].tolist() == [
            "1",
            "1",
            "2",
        ]

    def test_names_stay_as_they_are(self, tmp_path):
        text = '007 Q0 "NA" 1 3 null\n007 00 nan 2 2 null\n'
        table = read_run(written(tmp_path, text))
        assert table["topic"].tolist() == ["007"] * 2
        assert table["document"].tolist() == ['"NA"', "nan"]
        assert table["system"].tolist() == ["null"] * 2

    def test_tags_that_look_like_numbers(self, tmp_path):
        text = "1 0 1 1 1 01\n1 0 1 1 1 1\n1 0 1 1 1 1.0\n"
        table = read_run(written(tmp_path, text))
        assert table["system"].tolist() == ["01", "1", "1.0"]

    def test_ranking_is_that_of_the_scores_ties_from_z_to_a(self, tmp_path):
        text = "".join(
            f"1 Q0 {doc} {rank} {score} s\n"
            for rank, (doc, score) in enumerate(
                [("b", 1), ("d", 2), ("a", 1), ("c", 1.00000001)], start=0
            )
        )
        table = read_run(written(tmp_path, text))
        assert table["document"].tolist() == ["d", "c", "b", "a"]
        assert table["rank"].tolist() == [1, 2, 3, 4]

    @given(
        st.lists(st.sampled_from([0.5, 1.0, 1.0 + 1e-9, 2.0]), min_size=2)
    )
    def test_ranking_agrees_with_trec_eval(self, tmp_path_factory, scores):
        import pytrec_eval

        names = [f"d{i * 7 % 11}-{i}" for i in range(len(scores))]
        text = "".join(
            f"1 Q0 {n} 0 {s!r} s\n"
            for n, s in zip(names, scores, strict=True)
        )
        table = read_run(written(tmp_path_factory.mktemp("runs"), text))
        for name, rank in zip(
            table["document"], table["rank"], strict=True
        ):
            judge = pytrec_eval.RelevanceEvaluator(
                {"1": {name: 1}}, {"recip_rank"}
            )
            run = dict(zip(names, scores, strict=True))
            value = judge.evaluate({"1": run})["1"]["recip_rank"]
            assert round(1 / value) == rank

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["1", "2", "t"]),
                st.sampled_from(["a", "b", "_1", '"c', "NA"]),
                st.sampled_from(["1", "50.051279067993164", "1e308"]),
                st.sampled_from([" ", "  ", "\t"]),
                st.sampled_from(["\n", "\n\n", "\r\n", " \n"]),
            ),
            min_size=1,
            unique_by=lambda line: line[:2],
        )
    )
    def test_ir_measures_reads_the_same(self, tmp_path_factory, lines):
        text = "".join(
            sep.join([topic, "Q0", name, "1", score, "s"]) + end
            for topic, name, score, sep, end in lines
        )
        path = written(tmp_path_factory.mktemp("runs"), text)
        theirs = pd.DataFrame(ir_measures.read_trec_run(str(path)))
        key = ["topic", "document"]
        found = read_run(path).set_index(key)["score"].to_dict()
        assert (
            found
            == theirs.set_index(["query_id", "doc_id"])["score"].to_dict()
        )
        (lists,) = read_lists(path)[0].values()
        assert found == {
            (topic, name): score
            for topic, scores in lists.items()
            for name, score in scores.items()
        }

    @pytest.mark.parametrize(
        "line", ["1 Q0 a 3 0.5 best", "1 Q0 c 3 nan best", "1 Q0 c x 1 s"]
    )
    def test_what_ir_measures_lets_pass_is_refused(self, tmp_path, line):
        """Why the reader is our own."""
        path = written(tmp_path, RUN + line + "\n")
        assert len([*ir_measures.read_trec_run(str(path))]) == 4
        with pytest.raises(ValueError, match="line 4"):
            read_run(path)
        with pytest.raises(ValueError, match="line 4"):
            read_lists(path)

    @pytest.mark.parametrize("name", ["t\xa0t", "\x1c", "d\x0b", "\u2028"])
    def test_only_blanks_and_tabs_separate(self, tmp_path, name):
        path = written(tmp_path, f"1 Q0 {name} 1 3 s\n")
        assert read_run(path)["document"].tolist() == [name]

    def test_scores_beyond_trec_evals_are_ties(self, tmp_path):
        scores = {"a": 2e39, "b": 1e39, "c": -1e39, "d": -2e39, "e": 1.0}
        lines = (f"1 Q0 {d} 1 {s} t\n" for d, s in scores.items())
        run = read_run(written(tmp_path, "".join(lines)))
        assert run["document"].tolist() == ["b", "a", "e", "d", "c"]
        assert rank_documents(scores) == ["b", "a", "e", "d", "c"]

    def test_several_runs_in_one_file(self, tmp_path):
        text = RUN + RUN.replace("best", "worst")
        table = read_run(written(tmp_path, text))
        assert table["system"].unique().tolist() == ["best", "worst"]
        assert len(table) == 6


class TestReadQrels:
    def test_reads_judgments(self, tmp_path):
        table = read_qrels(written(tmp_path, QRELS))
        expected = pd.DataFrame(
            {
                "topic": ["1", "1", "2"],
                "document": ["a", "b", "a"],
                "relevance": [1, 0, 2],
            }
        )
        pd.testing.assert_frame_equal(table, expected)

    def test_negative_relevance_is_kept(self, tmp_path):
        table = read_qrels(written(tmp_path, "1 0 a -2\n"))
        assert table["relevance"].tolist() == [-2]

    def test_the_same_judgment_twice_counts_once(self, tmp_path):
        assert len(read_qrels(written(tmp_path, QRELS + QRELS))) == 3
