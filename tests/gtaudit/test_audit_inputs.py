"""What people hand to an audit: read when it can be, refused by name."""

import csv
import gzip

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtaudit import prepare, read_input, read_scores

WIDE = (
    "system,q1,q2,q3\nbm25,.30,.40,.10\nlm,.20,.50,.20\nrm3,.40,.60,.30\n"
)
LONG = "run,query,value\nbm25,1,.3\nbm25,2,.4\nlm,1,.2\nlm,2,.5\n"
TREC_EVAL = """\
runid                 \tall\tbm25
num_q                 \tall\t2
map                   \t301\t0.3000
P_10                  \t301\t0.5000
map                   \t302\t0.4000
P_10                  \t302\t0.2000
map                   \tall\t0.3500
"""
RUN = "301 Q0 d1 1 9.5 bm25\n301 Q0 d2 2 9.0 bm25\n302 Q0 d1 1 5 bm25\n"
QRELS = "301 0 d1 1\n301 0 d2 0\n302 0 d1 0\n302 0 d3 1\n"


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "name, content",
    [
        ("a.csv", WIDE),
        ("a.tsv", WIDE.replace(",", "\t")),
        ("a.csv", WIDE.replace(",", ";")),
        ("a.csv.gz", gzip.compress(WIDE.encode(), mtime=0)),
        ("a.csv", "\ufeff" + WIDE),
        ("a.csv", WIDE.replace("\n", "\r\n")),
        (
            "a.csv",
            "topic,bm25,lm,rm3\nq1,.3,.2,.4\nq2,.4,.5,.6\nq3,.1,.2,.3\n",
        ),
    ],
    ids=[
        "commas",
        "tabs",
        "semicolons",
        "gzip",
        "byte order mark",
        "line ends of Windows",
        "rows are topics",
    ],
)
def test_wide_tables(write, name, content):
    wide = prepare(read_scores(write(name, content))).wide
    assert wide.loc["lm", "q2"] == 0.5
    assert wide.shape == (3, 3)


def test_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    table = pd.DataFrame(
        {"system": ["a", "a", "b", "b"], "topic": [1, 2] * 2}
    ).assign(score=[0.1, 0.2, 0.3, 0.5])
    table.to_parquet(path)
    pd.testing.assert_frame_equal(read_scores(path), table)


def test_long_tables_under_the_names_that_people_use(write):
    scores = read_scores(write("a.csv", LONG))
    assert {"system", "topic", "score"} <= set(scores.columns)
    assert prepare(scores).wide.loc["lm", "2"] == 0.5


def test_a_measure_is_chosen_by_column_or_by_value(write):
    table = gt.load("cf").query("topic <= 3")
    path = write("cf.csv", table.to_csv(index=False))
    ours = read_scores(path, "nDCG@10")
    assert ours["score"].tolist() == pytest.approx(
        table["nDCG@10"].tolist()
    )
    melted = table.melt(
        ["system", "topic", "assessor"],
        ["AP", "RR"],
        var_name="measure",
        value_name="score",
    )
    path = write("melted.csv", melted.to_csv(index=False))
    assert read_scores(path, "AP")["score"].sum() == pytest.approx(
        table["AP"].sum()
    )


def test_trec_eval_output_one_file_per_system(write, tmp_path):
    write("evals/one.txt", TREC_EVAL)
    write("evals/two.txt", TREC_EVAL.replace("bm25", "lm"))
    scores = read_scores(tmp_path / "evals", "P@10")
    assert scores["system"].tolist() == ["bm25", "bm25", "lm", "lm"]
    assert scores["score"].tolist() == [0.5, 0.2, 0.5, 0.2]
    assert read_scores(tmp_path / "evals")["score"].tolist()[:2] == [
        0.3,
        0.4,
    ]


def test_runs_and_a_file_of_judgments_per_assessor(write, tmp_path):
    write("runs/one.txt", RUN)
    write("runs/two.txt", "301 Q0 d2 1 2 lm\n")
    ann, bob = write("ann.txt", QRELS), write("bob.txt", QRELS)
    scores, notes = read_input(
        runs=tmp_path / "runs", qrels=[ann, bob], measure="AP"
    )
    assert set(scores["assessor"]) == {"ann", "bob"}
    assert any("Run lm lacks 1 of 2 topics (302)" in note for note in notes)


def test_assessors_nested_in_topics_are_recognised():
    table = gt.load("cf", measure="AP").query("topic <= 20")
    table = table[table["assessor"].isin(table["assessor"].unique()[:2])]
    nested = table.assign(
        assessor=table["topic"].astype(str) + table["assessor"]
    )
    assert str(prepare(table).design) == "system x topic x assessor"
    assert str(prepare(nested).design) == "system x (assessor:topic)"
    one_each = nested.drop_duplicates(["system", "topic"])
    assert str(prepare(one_each).design) == "system x topic"


def test_numbers_in_json_stay_as_they_are_written(tmp_path):
    lines = [
        f'{{"run_id": "{run}", "topic_id": {topic}, "measure": "m", '
        f'"value": 0.{k}}}'
        for k, run in enumerate("ab")
        for topic in ("9007199254740993", "9007199254740992", "1.5")
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    topics = read_scores(tmp_path / "a.jsonl")["topic"].unique()
    assert [*topics] == ["9007199254740993", "9007199254740992", "1.5"]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_what_ends_a_line_elsewhere_may_be_in_a_name(tmp_path, ends):
    marks = ["\v", "\f", "\x1c", "\x1d", "\x85", "\u2028", "\u2029"]
    names = [f"a{mark}b" for mark in [*marks, "\n", "\r", "\r\n"]]
    names += [f"{mark}{i}" for i, mark in enumerate(marks)]
    scores = np.random.default_rng(0).random((4, len(names)))
    wide = pd.DataFrame(scores, list("stuv"), names)
    path = tmp_path / "a.csv"
    for label, given in (("system", wide), ("topic", wide.T)):
        with open(path, "w", newline="", encoding="utf-8") as file:
            given.to_csv(
                file,
                index_label=label,
                lineterminator=ends,
                quoting=csv.QUOTE_ALL,
            )
        found = prepare(read_scores(path)).wide
        assert found.columns.tolist() == names
        # the same bits: read as written
        np.testing.assert_array_equal(found, wide)
    cut = path.read_text("utf-8").rstrip().rpartition(",")[0]
    path.write_text(cut, "utf-8")
    with pytest.raises(ValueError, match="fewer fields than its header"):
        read_scores(path)


def test_of_two_score_columns_the_one_that_is_named(tmp_path):
    names = ["system", "topic", "score", "Score"]
    rows = [(f"s{i}", f"t{j}", 0, i) for i in range(3) for j in range(3)]
    pd.DataFrame(rows, columns=names).to_parquet(tmp_path / "a.parquet")
    found = read_scores(tmp_path / "a.parquet", "Score")
    assert found["score"].tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]
