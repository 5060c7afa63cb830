"""The Cystic Fibrosis collection: originals, embedded files, the build."""

import gzip
import hashlib
import re
import sys

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import data
from gtlib.data import data_folder

SCORES = gt.load("cf")
MEASURES = ["AP", "nDCG@10", "P@10", "RR"]


def tags(path, name):
    """The texts of an element, by a route that parses no XML."""
    return re.findall(rf"<{name}[^>]*>\s*(.*?)\s*</{name}>", path, re.S)


class TestOriginals:
    def test_topics_without_the_two_spoilt_ones(self):
        table = gt.load("cf-topics")
        expected = [n for n in range(1, 101) if n not in data.SPOILT]
        assert table["topic"].tolist() == expected
        assert table["text"].str.endswith(("?", ".")).mean() > 0.9

    def test_judgments(self):
        table = gt.load("cf-judgments")
        assert table["topic"].nunique() == 98
        assert len(table) == 4 * 4693
        assert set(table["relevance"]) == {0, 1, 2}
        assert not table.duplicated(["topic", "document", "assessor"]).any()
        first = table[table["topic"] == 1].iloc[:4]
        assert first["document"].tolist() == ["00139"] * 4
        assert first["relevance"].tolist() == [1, 2, 2, 2]
        assert tuple(first["assessor"]) == data.ASSESSORS

    def test_every_assessor_found_something_on_every_topic(self):
        table = gt.load("cf-judgments").query("relevance > 0")
        found = table.groupby(["topic", "assessor"]).size()
        assert len(found) == 98 * 4

    def test_the_librarian_is_far_more_lenient(self):
        table = gt.load("cf-judgments").query("relevance > 0")
        found = table.groupby("assessor").size()
        assert found["librarian"] > 1.5 * found.drop("librarian").max()

    def test_the_file_s_own_counts_agree_and_show_what_is_spoilt(self):
        from gtlib.data import fetch, remote_paths

        gt.load("cf-topics")
        (path,) = remote_paths("*/cfquery.xml")
        text = fetch(path).read_text("utf-8")
        wrong = []
        for query in tags(text, "QUERY"):
            (number,) = tags(query, "QueryNumber")
            (announced,) = tags(query, "Results")
            if int(announced) != query.count("<Item "):
                wrong.append(int(number))
        assert wrong == [92]
        assert '<Item score="00018">00093</Item>' in text


class TestEmbedded:
    def test_the_table_is_complete(self):
        assert SCORES.columns.tolist() == [
            "system", "family", "topic", "assessor", *MEASURES,
        ]  # fmt: skip
        sizes = SCORES[["system", "topic", "assessor"]].nunique()
        assert sizes.tolist() == [36, 98, 4]
        assert len(SCORES) == 36 * 98 * 4
        assert SCORES[MEASURES].to_numpy().min() >= 0
        assert SCORES[MEASURES].to_numpy().max() <= 1
        assert tuple(SCORES["assessor"].unique()) == data.ASSESSORS

    def test_families_and_quality_differ(self):
        families = SCORES.groupby("family")["system"].nunique()
        assert len(families) >= 6
        assert families.min() >= 2
        best = SCORES.groupby("system")["AP"].mean()
        assert best.min() < 0.1
        assert best.max() > 0.35

    def test_the_files_are_small(self):
        folder = data_folder() / "scores"
        assert sum(path.stat().st_size for path in folder.iterdir()) < 4.2e6

    @pytest.mark.sources
    def test_readme_has_the_checksums_of_the_files(self):
        text = (data_folder() / "README.md").read_text("utf-8")
        for path in (data_folder() / "scores").glob("*.gz"):
            content = path.read_bytes()
            assert hashlib.sha256(content).hexdigest() in text
            plain = gzip.decompress(content)
            assert hashlib.sha256(plain).hexdigest() in text

    def test_compressed_without_name_and_time(self):
        for path in (data_folder() / "scores").glob("*.gz"):
            header = path.read_bytes()[:10]
            assert header[3] == 0  # no file name
            assert header[4:8] == bytes(4)  # no time

    @pytest.mark.slow
    def test_runs(self):
        runs = gt.read_run(gt.load("cf-runs"))
        systems = SCORES["system"].unique().tolist()
        assert runs["system"].unique().tolist() == systems
        groups = runs.groupby(["system", "topic"])
        assert len(groups) == 36 * 98
        assert groups.size().max() == 100
        assert (runs["score"] == 101 - runs["rank"]).all()

    @pytest.mark.slow
    def test_scores_are_those_of_the_runs(self):
        judged = gt.load("cf-judgments")
        table = gt.read_runs(gt.load("cf-runs"), judged, MEASURES)
        assert table.attrs["report"] == []
        for measure, rows in table.groupby("measure"):
            ours = SCORES.set_index(["system", "topic", "assessor"])[
                measure
            ]
            rows = rows.assign(topic=rows["topic"].astype(int))
            theirs = rows.set_index(ours.index.names)["score"]
            np.testing.assert_allclose(
                theirs.loc[ours.index], ours, atol=5e-7
            )


DOCUMENTS = "system x assessor x (document:topic)"
LEVELS = {"system": 36, "assessor": 4, "document": 20, "topic": 98}


class TestCorrectness:
    table = gt.load("cf-correctness")

    @pytest.mark.parametrize("k", [5, 10, 20, 50])
    def test_mean_squares_make_a_g_study(self, k):
        rows = self.table[self.table["k"] == k].set_index("effect")
        g = gt.GStudy.from_mean_squares(
            DOCUMENTS, LEVELS, rows["mean_square"]
        )
        assert g.table["df"].to_dict() == rows["df"].to_dict()


@pytest.mark.slow
@pytest.mark.sources
class TestBuild:
    @pytest.fixture
    def build(self, monkeypatch):
        pytest.importorskip("bm25s")
        monkeypatch.syspath_prepend(data_folder() / "build")
        import cystic_fibrosis

        yield cystic_fibrosis
        for name in (
            "cystic_fibrosis",
            "systems",
            "retrieval",
            "score_tables",
        ):
            sys.modules.pop(name, None)

    def test_documents(self, build):
        table = build.read_documents(gt.load("cf-documents"))
        assert table["document"].tolist() == [
            f"{n:05d}" for n in range(1, 1240)
        ]
        assert (table["abstract"] == "").sum() == 24
        assert (table["title"] != "").all()
        assert (table["mesh"] != "").all()
        first = table.iloc[0]
        assert first["title"].startswith("Pseudomonas aeruginosa infection")
        assert first["mesh"].split("|")[:2] == [
            "CYSTIC-FIBROSIS", "PSEUDOMONAS-AERUGINOSA",
        ]  # fmt: skip
        assert first["references"].startswith(
            "BELFRAGE S, ACTA MED SCAND SUPPL, 173, 5, 963|"
        )

    def test_one_family_comes_out_the_same(self, build):
        documents = build.read_documents(gt.load("cf-documents"))
        collection = build.Collection(documents, gt.load("cf-topics"))
        ours = [
            line
            for system in build.SYSTEMS
            if system.startswith("dfr-")
            for line in build.ranking(system, collection)
        ]
        with gzip.open(gt.load("cf-runs"), "rt") as file:
            assert ours == [line for line in file if " dfr-" in line]

    def test_families_are_those_of_the_table(self, build):
        pairs = SCORES[["family", "system"]].drop_duplicates()
        assert list(pairs.itertuples(index=False, name=None)) == [
            (system.partition("-")[0], system) for system in build.SYSTEMS
        ]

    def test_models_against_their_formulas(self, build):
        """Weights of one term, computed by hand."""
        import retrieval as r

        docs = ("cat dog dog", "cat cow", "owl owl owl hen")
        index = r.Index.of(
            tuple(tuple(d.split()) for d in docs), (("dog",), ("cat",))
        )
        f, n, mean = 2, 3, 3  # of dog: in the collection; documents; length
        tf = 2 * np.log2(1 + mean / 3)
        lam = f / n
        by_hand = {
            r.dirichlet: np.log(1 + 2 / (1000 * 2 / 9))
            + np.log(1000 / 1003),
            r.jelinek_mercer: np.log(1 + (2 / 3) / (2 / 9)),
            r.inl2: tf / (tf + 1) * np.log2((n + 1) / 1.5),
            r.pl2: (
                tf * np.log2(tf / lam)
                + (lam - tf) * np.log2(np.e)
                + np.log2(2 * np.pi * tf) / 2
            )
            / (tf + 1),
            r.dph: (1 - 2 / 3) ** 2
            / 3
            * (
                2 * np.log2((2 * mean / 3) * (n / f))
                + np.log2(2 * np.pi * 2 * (1 - 2 / 3)) / 2
            ),
            r.coordination: 1,
            r.overlap: 1 / 2,
        }
        for model, expected in by_hand.items():
            scores = model(index)
            assert np.isclose(scores[0, 0], expected), model
            assert np.isneginf(scores[0, 1:]).all(), model
            assert np.isfinite(scores[1, :2]).all(), model


def test_load_with_a_measure_is_ready_for_a_g_study():
    table = gt.load("cf", measure="RR")
    assert table["score"].tolist() == SCORES["RR"].tolist()
    assert "AP" not in table


def test_means_over_assessors():
    table = gt.load("cf-ndcg10")
    expected = SCORES.groupby(["system", "topic"])["nDCG@10"].mean()
    assert np.isclose(
        table.loc["bm25-all", 1], expected["bm25-all", 1], atol=1e-12
    )
    assert table.index.tolist() == SCORES["system"].unique().tolist()
    assert isinstance(table, pd.DataFrame)
