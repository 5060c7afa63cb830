"""gtlib.data: scores as other people published them."""

import json

import pandas as pd
import pytest

import gtlib as gt
from gtlib import data
from gtlib.data import MATRIX_READERS
from gtlib.scores import as_wide
from tests.refusals import refused

CROSSED = {"design": "system x query", "measure": "AP"}
TAR = {"design": "system x review", "measure": "average precision"}
NESTED = {"design": "system x (sample:problem)"}
SEGMENTS = {"design": "system x segment"}
SONGS = {"design": "system x song"}
ANNOTATED = {"design": "system x song x annotator"}


@pytest.fixture
def read(tmp_path):
    """Read files with these texts."""

    def from_texts(reader, row, files):
        paths = []
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            paths.append(path)
        return MATRIX_READERS[reader](paths, row)

    return from_texts


FILES = {
    "team.run.1.dat": "map  q1 0.5\nP_10 q1 0.1\nmap q2 0.25\n"
    "map all 0.375\nrunid all team\n",
    "team.run.2.dat": "map q1 1\n",
}


class TestPerTopic:
    def test_lines_of_the_measure_and_no_mean(self, read):
        found = read("per topic", CROSSED, FILES)
        assert found.to_numpy().tolist() == [
            ["team.run.1", "q1", 0.5],
            ["team.run.1", "q2", 0.25],
            ["team.run.2", "q1", 1.0],
        ]
        assert found.columns.tolist() == ["system", "query", "score"]

    def test_a_gap_stays_one(self, read):
        found = read("per topic", CROSSED, FILES)
        with pytest.raises(ValueError, match=r"team.run.2 on topic q2"):
            as_wide(found.rename(columns={"query": "topic"}))

    def test_another_order_of_a_line_and_remarks(self, read):
        text = "CD1\tap\t0.125\nCD1 Duplicate 8116325\nALL\tap\t0.125\n"
        found = read("per topic", TAR, {"a.results": text})
        assert found.to_numpy().tolist() == [["a", "CD1", 0.125]]

    def test_a_topic_twice_is_refused_later(self, read):
        files = {"a.dat": "map q1 1\n" * 2, "b.dat": "map q2 0\n"}
        found = read("per topic", CROSSED, files)
        with pytest.raises(ValueError, match="repeats a cell"):
            gt.gstudy(found, CROSSED["design"])


class TestPerSample:
    def held(self, *rows, **more):
        names = "model", "question_id", "pass@1"
        rows = [dict(zip(names, row, strict=True)) for row in rows]
        return {"p.json": json.dumps({"performances": rows, **more})}

    def test_samples_are_numbered_within_problem_and_model(self, read):
        files = self.held(
            ("A", "p", 10.0), ("A", "p", 0.0), ("A", "q", 100.0),
            ("Cllama-7b", "p", 5.0), ("Cllama-7b", "p", 6.0),
            ("Cllama-7b", "q", 7.0),
        )  # fmt: skip
        found = read("per sample", NESTED, files)
        assert found["sample"].tolist() == ["p/1", "p/2", "q/1"] * 2
        assert found["system"].unique().tolist() == ["A", "CodeLlama-7b"]
        assert found["score"].tolist() == [10, 0, 100, 5, 6, 7]


class TestPerSegment:
    def test_unrated_segments_have_no_row(self, read):
        text = "system mqm_avg_score seg_id\nA\t-1.5 1\nA None 2\nB 0 1\n"
        found = read("per segment", SEGMENTS, {"s.tsv": text})
        assert found.to_numpy().tolist() == [["A", 1, -1.5], ["B", 1, 0.0]]


class TestPerSong:
    HEAD = "MirexMajMin\nFile,Pairwise score (%),Duration (s)\n"

    def test_two_lines_before_the_songs(self, read):
        files = {"x/KBK1.csv": self.HEAD + '"0012",90.5,218\n"1",7,3\n'}
        found = read("per song", SONGS, files)
        assert found.to_numpy().tolist() == [
            ["KBK1", "0012", 90.5],
            ["KBK1", "1", 7.0],
        ]

    def test_annotators_and_a_system_that_came_twice(self, read):
        files = {
            f"{year}/by{who}/CM1.csv": f"{self.HEAD}12,{80 + who},1\n"
            for year in (2018, 2019)
            for who in (1, 2)
        }
        found = read("per song", ANNOTATED, files)
        assert found.to_numpy().tolist() == [
            ["CM1", "12", "1", 81.0],
            ["CM1", "12", "2", 82.0],
        ]


class TestPerResponder:
    def test_a_row_per_responder(self, read):
        text = "userid,i1,i2\na_1,0,1\na_10,1,1\n"
        found = read("per responder", {}, {"c.csv": text})
        assert found.index.tolist() == ["a_1", "a_10"]
        assert found.to_numpy().tolist() == [[0, 1], [1, 1]]


ANSWERS = "userid,i1,i2\na_1,0,1\na_10,{},1\n"
CUT = {"x/CM1.csv": "MirexMajMin\nFile,Du\n"}
REFUSED = [
    *(
        ("per topic", CROSSED, {**FILES, "cut.dat": text}, "cut.dat has no")
        for text in ("", "map all 0.3\n", "P_10 q1 0.2\n")
    ),
    ("per song", SONGS, CUT, "CM1.csv has no column"),
    *(
        ("per responder", {}, {"c.csv": ANSWERS.format(score)}, "c.csv has")
        for score in ("2", "0.5", "")
    ),
]


@pytest.mark.parametrize(("reader", "row", "files", "words"), REFUSED)
def test_what_is_none_is_named(read, reader, row, files, words):
    refused(lambda: read(reader, row, files), words)


NAME = "nlu-wsc"


class TestWhereTheFilesAre:
    @pytest.fixture
    def path(self, monkeypatch, tmp_path):
        monkeypatch.setenv("GTLIB_MIRROR", str(tmp_path))
        (path,) = data.remote_paths("*/wsc_irt_all_coded.csv")
        (tmp_path / path).parent.mkdir(parents=True)
        return tmp_path / path

    def test_a_missing_file_in_one_clear_message(self, path, monkeypatch):
        def unavailable(name):
            raise data.DatasetUnavailable(f"{name} is not on this machine")

        monkeypatch.setattr(data, "fetch", unavailable)
        words = r"^WSC.*: .*wsc_irt_all_coded\.csv is not on this"
        with pytest.raises(data.DatasetUnavailable, match=words):
            gt.load_all(NAME)


SIZES = pd.Series(
    {
        "clef-ehealth-2015": 110 * 66,
        "clef-tar-2017": 48 * 30 + 4 * 27,
        "livecodebench-execution": 37 * 479,
        "livecodebench-output": 37 * 442,
        "wmt-2021-ende": 17 * 527,
        "chords-casd": 7 * 50 * 4,
        "nlu-wsc": 90,
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES.index)
def test_public_files_hold_what_is_said_of_them(name):
    table = gt.load(name)
    assert len(table) == SIZES[name]
    if "score" in table:
        facets = table.columns.drop("score").tolist()
        assert facets == [*gt.Design(_design(name)).facets]
        assert not table.duplicated(facets).any()
        assert table["score"].notna().all()


def _design(name):
    return gt.datasets().set_index("name").loc[name, "design"]


@pytest.mark.slow
def test_tests_that_models_write_have_one_order():
    """Without it, samples of a problem would be as hard as each other."""
    table = gt.load("livecodebench-output")
    shares = gt.gstudy(table, "system x (sample:problem)").variance
    assert shares["sample:problem"] > 2 * shares["problem"]
