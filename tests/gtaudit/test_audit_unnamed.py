"""Matrices as R writes them, and tables as neighbours do: no score and no
average becomes a name, and what is advised leads to a right answer."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from gtaudit import collect, prepare, read_input, read_scores
from gtaudit.command import main
from tests.cases import first

SYSTEMS = ["lex", "lm", "mix"]
SCORES = pd.DataFrame(
    np.random.default_rng(3).random((3, 5)).round(3), SYSTEMS
)
TINY = SCORES / 1e4  # in scientific notation, as 3.1e-05
BINARY = pd.DataFrame(
    [[0, 1, 1, 0, 1], [1, 1, 0, 0, 0], [0, 1, 0, 0, 1]], SYSTEMS
)


def long(table, system, topic, score):
    rows = table.rename_axis(system).reset_index()
    return rows.melt(system, var_name=topic, value_name=score)


def in_r(table, form):
    """What R writes of a matrix of topics x systems."""
    head, *_ = forms = {
        "write.csv": ('"",{}', '"{}",{}', ","),
        "write.csv, no row names": ("{}", "{1}", ","),
        "write.table": ("{}", '"{}" {}', " "),
        "write.table, no quotes": ("{}", "{} {}", " "),
        "write.table, no row names": ("{}", "{1}", " "),
        "write.table, tabs": ("{}", '"{}"\t{}', "\t"),
    }[form]
    mark = forms[2]
    quote = "{}" if form.endswith("no quotes") else '"{}"'
    names = mark.join(map(quote.format, table.index))
    rows = [
        forms[1].format(i, mark.join(f"{x:g}" for x in row))
        for i, row in enumerate(table.T.to_numpy(), start=1)
    ]
    return "\n".join([head.format(names), *rows]) + "\n"


FORMS = [
    "write.csv",
    "write.csv, no row names",
    "write.table",
    "write.table, no quotes",
    "write.table, no row names",
    "write.table, tabs",
]


@pytest.mark.parametrize("form", first(3, FORMS))
@pytest.mark.parametrize("table", [SCORES, TINY, BINARY])
def test_no_score_becomes_a_name(tmp_path, form, table):
    """Which way round it is cannot be told; the advice is followed."""
    path = tmp_path / "m.csv"
    path.write_text(in_r(table, form))
    with pytest.raises(ValueError, match="--columns topic=rows"):
        read_scores(path)
    found = read_scores(path, roles={"rows": "topic"})
    assert [*found.index] == SYSTEMS
    assert [*found.columns] == [*"12345"]
    np.testing.assert_allclose(found, table)
    found = read_scores(path, roles={"rows": "system"})
    assert [*found.columns] == SYSTEMS
    np.testing.assert_allclose(found, table.T)


@pytest.mark.parametrize("names", [["301", "302"], ["q1", "q2"]])
def test_a_header_of_topics_tells_what_rows_without_names_are(
    tmp_path, names
):
    path = tmp_path / "m.csv"
    path.write_text(f"{','.join(names)}\n0.3,1e-3\n.25,0\n1,.5\n")
    scores, notes = read_input(path)
    assert [*scores.index] == ["1", "2", "3"]
    assert [*scores.columns] == names
    assert scores.to_numpy().tolist() == [[0.3, 0.001], [0.25, 0], [1, 0.5]]
    assert notes == ["The rows of m.csv have no names: they are numbered."]
    path.write_text(f"system,{','.join(names)}\n7,0.3,1e-3\n9,.25,0\n")
    scores, notes = read_input(path)
    assert [*scores.index] == ["7", "9"] and notes == []


def test_numbers_that_tell_rows_apart_are_names(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("id,bm25,lm\n301,.3,1\n302,.4,0\n303,.1,.2\n")
    found = read_scores(path, roles={"rows": "topic"})
    assert [*found.columns] == ["301", "302", "303"]
    path.write_text("topic,bm25,lm\n1.1,.3,1\n1.2,.4,0\n1.10,.1,.2\n")
    assert [*read_scores(path).columns] == ["1.1", "1.2", "1.10"]


def test_whole_numbers_that_may_be_either_are_asked_about(tmp_path):
    path = tmp_path / "m.csv"
    text = "bm25,lm\n33,41\n29,50\n45,20\n"
    path.write_text(text)
    with pytest.raises(ValueError, match="may hold names or scores"):
        read_scores(path, roles={"rows": "topic"})
    first, *rest = text.splitlines()
    numbered = [f",{first}", *(f"{i},{r}" for i, r in enumerate(rest))]
    path.write_text("\n".join(numbered))
    rows = {"rows": "topic"}
    assert [*read_scores(path, roles=rows).index] == ["bm25", "lm"]
    path.write_text(text.replace("bm25", "topic"))
    assert [*read_scores(path)["topic"]] == ["33", "29", "45"]


def test_many_systems_of_unnamed_topics_are_asked_about(tmp_path):
    path = tmp_path / "m.csv"
    scores = pd.DataFrame(np.random.default_rng(0).random((50, 61)))
    scores.add_prefix("run ").to_csv(path, index=False)
    with pytest.raises(ValueError, match="--columns topic=rows"):
        read_input(path)
    scores.add_prefix("sys").to_csv(path, index=False)
    found, _ = read_input(path)
    assert found.to_numpy() == pytest.approx(scores.T.to_numpy())
    scores.add_prefix("sys").to_csv(path, index_label="topic")
    named, _ = read_input(path)
    assert named.to_numpy() == pytest.approx(found.to_numpy())


def test_scores_in_the_first_line_are_no_names(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("1e-3,2e-04,3.1E-5\n1e-3,2e-04,1e-5\n")
    with pytest.raises(ValueError, match="reads like scores"):
        read_scores(path)
    for text in ("0,1\n1,0\n1,1\n", "30.5,41,29\n50.5,20,10\n33,60,8\n"):
        path.write_text(text)
        for roles in (None, {"rows": "topic"}, {"rows": "system"}):
            with pytest.raises(ValueError, match="in a line above it"):
                read_scores(path, roles=roles)
    path.write_text(f"a,b,c\n{text}")
    assert read_scores(path, roles={"rows": "topic"}).shape == (3, 3)


@pytest.mark.slow
@pytest.mark.usefixtures("short_report")
def test_the_command_follows_its_own_advice(tmp_path, capsys):
    path = tmp_path / "m.txt"
    path.write_text(in_r(SCORES, "write.table"))
    given = ["audit", str(path), "--out", str(tmp_path)]
    assert main(given) == 2
    (option,) = re.findall(r"--columns topic=rows", capsys.readouterr().err)
    assert main([*given, *option.split()]) == 0
    said = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert {row["system"] for row in said["leaderboard"]} == {*SYSTEMS}


# Neighbours


def test_what_pyterrier_writes(tmp_path):
    table = pd.concat(
        long(SCORES, "name", "qid", "value").assign(measure=measure)
        for measure in ("map", "ndcg_cut_10")
    )[["name", "qid", "measure", "value"]]
    for index in (True, False):
        table.to_csv(tmp_path / "e.csv", index=index)
        found = collect([tmp_path / "e.csv"], measure="map")
        cells = found.collection.cells
        assert [*cells.index] == SYSTEMS
        # the same bits: read as written
        np.testing.assert_array_equal(cells, SCORES)
        assert found.every_note == []


def test_what_lm_evaluation_harness_writes(tmp_path):
    for model, row in SCORES.iterrows():
        samples = [
            {
                "doc_id": i,
                "doc": {"question": "why"},
                "target": "42",
                "arguments": [["a", {}]],
                "resps": [["42"]],
                "exact_match": score,
            }
            for i, score in row.items()
        ]
        path = tmp_path / model / "samples_gsm8k_2026-01-02T03-04.jsonl"
        path.parent.mkdir()
        path.write_text("\n".join(map(json.dumps, samples)))
    found = read_scores(
        sorted(tmp_path.glob("*/samples*")), measure="exact_match"
    )
    # the same bits: read as written
    np.testing.assert_array_equal(prepare(found).cells, SCORES)


def test_samples_with_epochs(tmp_path):
    rows = [
        (model, item, epoch, (len(model) + item * epoch) % 2)
        for model in (*SYSTEMS, "t5")
        for item in range(4)
        for epoch in (1, 2)
    ]
    table = pd.DataFrame(
        rows, columns=["model_id", "item_id", "epoch", "score"]
    )
    table.to_csv(tmp_path / "s.csv", index=False)
    found = read_scores(tmp_path / "s.csv")
    assert {*found} == {"system", "topic", "repetition", "score"}
    assert found["repetition"].unique().tolist() == ["1", "2"]


@pytest.mark.parametrize("apart", [True, False])
def test_what_gdeval_writes(tmp_path, apart):
    head = "runid,topic,ndcg@20,err@20\n"
    parts = {}
    for system, row in SCORES.iterrows():
        rows = [f"{system},{301 + t},{x:.5f},.1" for t, x in row.items()]
        rows += [f"{system},amean,{row.mean():.5f},.1"]
        parts[system] = head + "\n".join(rows) + "\n"
    if not apart:
        parts = {"all": "".join(parts.values())}
    for name, text in parts.items():
        (tmp_path / f"{name}.txt").write_text(text)
    for measure in ("ndcg@20", "nDCG@20"):
        found = prepare(read_scores(tmp_path, measure))
        assert [*found.cells.columns] == ["301", "302", "303", "304", "305"]
        # the same bits: read as written
        np.testing.assert_array_equal(found.cells, SCORES)


def trec_eval(system, row, tag_first):
    topics = [f"map\t{t}\t{x:.4f}" for t, x in row.items()]
    whole = [f"runid\tall\t{system}", f"map\tall\t{row.mean():.4f}"]
    parts = [whole, topics] if tag_first else [topics, whole]
    return "".join(f"{line}\n" for part in parts for line in part)


@pytest.mark.parametrize("tag_first", [True, False])
def test_outputs_of_trec_eval_after_each_other(tmp_path, tag_first):
    path = tmp_path / "all.txt"
    path.write_text(
        "".join(trec_eval(s, r, tag_first) for s, r in SCORES.iterrows())
    )
    found = read_scores(path).pivot_table("score", "system", "topic")
    # the same bits: read as written
    np.testing.assert_array_equal(found.loc[SYSTEMS], SCORES)


def test_a_measure_of_zeros_and_ones_beside_a_score(tmp_path):
    table = long(BINARY, "system", "topic", "P@1")
    table = table.assign(score=lambda t: t["P@1"] / 2)
    table.to_csv(tmp_path / "a.csv", index=False)
    with pytest.raises(ValueError, match=r"2 measures \(score, P@1\)"):
        read_scores(tmp_path / "a.csv")
    for measure, times in [("P@1", 1), ("score", 2)]:
        found = read_scores(tmp_path / "a.csv", measure)
        cells = found.pivot_table("score", "system", "topic")
        # the same bits: read as written
        np.testing.assert_array_equal(cells * times, BINARY)


def test_the_only_facet_beside_the_topics_is_the_system(tmp_path):
    table = long(SCORES, "who", "query", "value")
    path = tmp_path / "a.csv"
    table.to_csv(path, index=False)
    assert collect([path]).reading.roles["who"] == "system"
    collect([path], design="who x query")
    found = collect([path], columns="system=who")
    assert found.reading.roles["who"] == "system"
    table = table.rename(columns={"who": "model"})
    shifted = table["query"].map({i: (i + 1) % 5 for i in range(5)})
    table.assign(system=shifted).to_csv(path, index=False)
    # What is called system is another name of the queries.
    assert collect([path]).reading.roles["model"] == "system"
    collect([path], design="model x query")
