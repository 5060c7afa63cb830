"""Which runs, judgments and files are none, and where that is said."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib import read_qrels, read_run, read_runs
from tests.gtlib.runs.test_evaluate import (
    GOOD,
    JUDGED,
    qrels,
    qrels_file,
    run,
    run_file,
)
from tests.gtlib.runs.test_pool import RUNS
from tests.gtlib.runs.test_trec import QRELS, RUN, written
from tests.refusals import refused

POOL = gt.pool_runs(RUNS)
TWICE = JUDGED.iloc[[0, 0]].assign(topic="1", document="x")
TWICE["relevance"] = [0, 1]


def pooled(**change):
    return gt.pool_runs(RUNS.assign(**change))


def confidence(wrong, *ratio):
    return POOL.confidence([0.5, 0.5, wrong, 0.5], *ratio)


POOLS = {
    "system a, topic 1, document x is there twice": lambda: pooled(
        document=["x", "x", "y", "z", "x"]
    ),
    "system a, topic 1, rank 1.0 is there twice": lambda: pooled(
        rank=[1, 1, 1, 2, 1]
    ),
    "the rank of row 1 is nan": lambda: pooled(rank=[1, np.nan, 1, 2, 1]),
    "the rank of row 1 is inf": lambda: pooled(rank=[1, np.inf, 1, 2, 1]),
    "the rank of row 1 is 'two'": lambda: pooled(
        rank=["1", "two", "1", "2", "1"]
    ),
    "no rows": lambda: gt.pool_runs(RUNS[:0]),
    "depth=0": lambda: gt.pool_runs(RUNS, depth=0),
    "depth=1.5": lambda: gt.pool_runs(RUNS, depth=1.5),
    "depth='2'": lambda: gt.pool_runs(RUNS, depth="2"),
    "no column 'rank'": lambda: gt.pool_runs(RUNS.drop(columns="rank")),
    "no system 'c'": lambda: POOL.only(["a", "c", "d"]),
    "document x of topic 1": lambda: POOL.labels(TWICE),
    "relevance of row 0 is nan": lambda: POOL.labels(
        TWICE.assign(relevance=np.nan)
    ),
    "relevance of row 0 is 'yes'": lambda: POOL.labels(
        TWICE.assign(relevance="yes")
    ),
    "no column 'topic'": lambda: POOL.labels(TWICE.drop(columns="topic")),
    "The shape is (1,); give a number for each of the 4": lambda: (
        POOL.expected_ap([0.5])
    ),
    "The shape is ": lambda: POOL.average_precision([0, 1, 0, 1, 1]),
    "0 or 1": lambda: POOL.average_precision([0, 1, 0, 0.5]),
    "1.5 for ... 'z') is not a prob": lambda: confidence(1.5),
    "-0.1 for ... 'z') is not a prob": lambda: confidence(-0.1),
    "nan for ... 'z') is not a prob": lambda: confidence(np.nan),
    "ratio is 'guess'": lambda: confidence(0.5, "guess"),
}

EVALUATED = {
    "shares no topic ... another": lambda: read_runs(
        run("s", q7="a"), JUDGED, "AP"
    ),
    "ERR@10 ... above 4 ... up to 5": lambda: read_runs(
        GOOD, qrels(t1={"a": 5}, t2={"a": 1}), ["AP", "ERR@10"]
    ),
    "RBP(rel=1), AP here: ... ir-measures[cwl_eval]": lambda: read_runs(
        GOOD, JUDGED, ["RBP(p=0.8,rel=1)", "AP"]
    ),
    "No qrels": lambda: read_runs(
        GOOD, JUDGED.assign(assessor="a").iloc[:0], "AP"
    ),
    "no column 'relevance'": lambda: read_runs(
        GOOD, JUDGED.drop(columns="relevance"), "AP"
    ),
    "no column 'score'": lambda: read_runs(
        GOOD.drop(columns="score"), JUDGED, "AP"
    ),
}

REFUSED = POOLS | EVALUATED


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize("column", RUNS.columns)
def test_every_row_is_whole(column):
    runs = RUNS.astype(object)
    runs.loc[1, column] = None
    refused(lambda: gt.pool_runs(runs), "runs: ... row 1")


@pytest.mark.parametrize("measure", ["MAP!", "P@", "nothing", "P@x"])
def test_unknown_measures(measure):
    refused(lambda: read_runs(GOOD, JUDGED, measure), "not a measure that")


def test_without_ir_measures_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    words = "Scoring runs needs ir_measures ... [runs]"
    refused(lambda: read_runs(GOOD, JUDGED, "AP"), words, ImportError)


# ---- files, and the line that is meant ---------------------------------

RUN_LINES = [
    ("1 Q0 c 3 0.5", "line 4: 5 fields where 6 are expected"),
    ("1 Q0 c 3 0.5 my best run", "line 4: 8 fields"),
    ("1 Q0 c 3 0.5 my best", "line 4: 7 fields"),
    ("1 Q0 c 3 high best", "line 4: the score is 'high'"),
    ("1 Q0 c 3 nan best", "line 4: the score is 'nan'"),
    ("1 Q0 c 3 inf best", "line 4: the score is 'inf'"),
    ("1 Q0 c 3 1_0 best", "line 4: the score is"),
    ("1 Q0 c 3 ٣ best", "line 4: the score is"),
    ("1 Q0 c third 1 best", "line 4: the rank is 'third'"),
    ("1 Q0 b 3 0.5 best", "line 4: system best, topic 1, doc"),
    ("\n\n1 Q0 c", "line 6: 3 fields"),
]
QRELS_LINES = [
    ("1 0 a 2", "line 4: topic 1, document a is judged twice, and"),
    ("1 0 c 0.5", "line 4: the relevance is 0.5"),
    ("1 0 c yes", "line 4: the relevance is 'yes'"),
    ("1 0 c", "line 4: 3 fields where 4 are expected"),
    ("1 0 c 1 1 tag", "line 4: 6 fields where 4 are expected"),
]
FIRST_LINES = ["1 Q0 c 3 0.5", "1 Q0 c 3 0.5 a b c d", "# a run"]
WHOLE_FILES = {
    "has no lines": b"",
    "UTF-8": RUN.replace("best", "méthode").encode("latin-1"),
    "line 1: 7": RUN.replace("\n", " x\n").encode(),
    "line 1: 8": RUN.replace("\n", " x y\n").encode(),
    "line 1: 9": RUN.replace("\n", " x y z\n").encode(),
}


@pytest.mark.parametrize("line, words", RUN_LINES)
def test_a_line_of_a_run(tmp_path, line, words):
    path = written(tmp_path, RUN + line + "\n")
    refused(lambda: read_run(path), f"{path} ... {words}")


@pytest.mark.parametrize("line, words", QRELS_LINES)
def test_a_line_of_judgments(tmp_path, line, words):
    path = written(tmp_path, QRELS + line + "\n")
    refused(lambda: read_qrels(path), f"{path} ... {words}")


@pytest.mark.parametrize("line", FIRST_LINES)
def test_the_first_line_may_be_the_malformed_one(tmp_path, line):
    path = written(tmp_path, line + "\n" + RUN)
    refused(lambda: read_run(path), "line 1: ")


@pytest.mark.parametrize("words", WHOLE_FILES)
def test_a_whole_file(tmp_path, words):
    path = tmp_path / "run"
    path.write_bytes(WHOLE_FILES[words])
    refused(lambda: read_run(path), words)


def test_files_of_another_kind(tmp_path):
    path = tmp_path / "run.gz"
    refused(lambda: read_run(path), "No such file", FileNotFoundError)
    path.write_bytes(gzip.compress(RUN.encode())[:-12])
    refused(lambda: read_run(path), "not a whole gzip file")
    path = written(tmp_path, RUN)
    refused(lambda: read_qrels(path), "line 1: 6 fields")


def test_folders(tmp_path):
    def read(judged=JUDGED, runs=tmp_path):
        return read_runs(runs, judged, "AP")

    refused(read, "no files in the folder")
    for name in ("one", "two"):
        run_file(tmp_path / name, GOOD)
    above = tmp_path / "above"
    (above / "below").mkdir(parents=True)
    run_file(above / "below" / "run", GOOD)
    refused(lambda: read(runs=above), "Name those below it ... run is")
    refused(read, "tag good is in both ... one")
    (tmp_path / "two").write_text("t1 Q0 a 1 high b\n")
    refused(read, "two, line 1: the score is")
    (tmp_path / "more").mkdir()
    places = tmp_path / "qrels.txt", tmp_path / "more" / "qrels.txt"
    judged = [qrels_file(path, JUDGED) for path in places]
    refused(lambda: read(judged, GOOD), "rename one")


def table_of(rows, last):
    return pd.DataFrame(rows, columns=["system", "topic", "document", last])


ONE_RUN = table_of([("a", "1", "x", 2.0), ("a", "1", "y", 1.0)], "score")
JUDGMENTS = pd.DataFrame(
    {"topic": "1", "document": ["x", "y"], "relevance": [1, 0]}
)
TABLES = {
    "system a, topic 1, document x is there twice": lambda: read_runs(
        pd.concat([ONE_RUN, ONE_RUN[:1].assign(score=0.5)]), JUDGMENTS, "AP"
    ),
    "the score of row 0 is nan": lambda: read_runs(
        ONE_RUN.assign(score=[np.nan, 1]), JUDGMENTS, "AP"
    ),
    "row 1 has no system": lambda: read_runs(
        ONE_RUN.assign(system=["a", None]), JUDGMENTS, "AP"
    ),
    "topic 1, document x is there twice": lambda: read_runs(
        ONE_RUN,
        pd.concat([JUDGMENTS, JUDGMENTS[:1].assign(relevance=0)]),
        "AP",
    ),
    "the relevance of row 0 is 5000": lambda: read_runs(
        ONE_RUN, JUDGMENTS.assign(relevance=[5000, 0]), "AP"
    ),
    "the relevance of row 0 is 0.5": lambda: read_runs(
        ONE_RUN, JUDGMENTS.assign(relevance=[0.5, 0]), "AP"
    ),
}


@pytest.mark.parametrize("words", TABLES)
def test_tables_are_refused_as_files_are(words):
    refused(TABLES[words], words)


def test_whole_numbers_may_be_floats_and_documents_numbers():
    runs = ONE_RUN.assign(document=[1, 2])
    judged = JUDGMENTS.assign(document=[1, 2], relevance=[1.0, 0.0])
    assert read_runs(runs, judged, "AP")["score"].tolist() == [1.0]
