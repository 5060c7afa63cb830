"""Tables as people keep them: each is read at the first try, and the
reading says what was made of it."""

import json
import re

import numpy as np
import pandas as pd
import pytest

from gtaudit import collect, read_scores
from gtaudit.columns import Question
from gtaudit.command import main
from tests.cases import first
from tests.gtaudit.follow import refused

SYSTEMS = [f"sys-{name}" for name in ("bm25", "lm", "dense", "hybrid")]
TOPICS = [f"q{i}" for i in range(1, 8)]
RNG = np.random.default_rng(7)
SCORES = pd.DataFrame(RNG.random((4, 7)).round(3), SYSTEMS, TOPICS)
RIGHT = (SCORES > 0.5).astype(int)


def long(table, system="system", topic="topic", score="score"):
    rows = table.rename_axis(system).reset_index()
    return rows.melt(system, var_name=topic, value_name=score)


def csv(table, index=False, **options):
    return table.to_csv(index=index, **options)


def repeated(system, topic, run, score, n=3):
    rng = np.random.default_rng(3)
    rows = [
        (s, t, k, int(rng.random() < SCORES.loc[s, t]))
        for s in SYSTEMS
        for t in TOPICS
        for k in range(1, n + 1)
    ]
    return pd.DataFrame(rows, columns=[system, topic, run, score])


def agents():
    table = repeated("model", "task_id", "epoch", "is_resolved")
    table["is_resolved"] = table["is_resolved"].astype(bool)
    table["latency_s"] = np.arange(len(table)) / 7
    table["cost"] = 0.25 + np.arange(len(table)) % 5
    table["tokens"] = 1000 + np.arange(len(table))
    topic = table["task_id"].str[1:].astype(int)
    table["category"] = np.where(topic % 2, "odd", "even")
    return csv(table)


def leaderboard():
    table = SCORES.rename(columns="Task {}".format).mul(100).round(1)
    table.insert(0, "Average ⬆️", table.mean(axis=1).round(2))
    table.insert(0, "Type", ["pretrained", "chat", "chat", "merge"])
    table["#Params (B)"] = [7, 13, 70, 7]
    table["Flagged"] = [False, False, True, False]
    table["Hub License"] = ["mit", "apache-2.0", "", "mit"]
    return csv(table.rename_axis("Model"), index=True)


def percent():
    return csv(
        SCORES.mul(100).map("{:.1f}%".format).rename_axis("Model"),
        index=True,
    )


def german():
    text = SCORES.rename_axis("System").to_csv(sep=";", decimal=",")
    return "\ufeff" + text


def averages():
    table = SCORES.copy()
    table["MAP"] = table.mean(axis=1).round(4)
    table["std"] = SCORES.std(axis=1).round(4)
    table.loc["Avg."] = table.mean().round(4)
    return csv(table.rename_axis("retriever"), index=True)


def judged():
    rows = [
        (
            s,
            t,
            j,
            int(5 * SCORES.loc[s, t]) if j != "ann" else 3 * i % 5 + 1,
        )
        for i, s in enumerate(SYSTEMS)
        for t in TOPICS
        for j in ("ann", "bob", "eve")
    ]
    names = ["Model Name", "Question ID", "Rater", "Rating"]
    return csv(pd.DataFrame(rows, columns=names))


def words(right, wrong):
    table = long(RIGHT, "agent", "instance_id", "status")
    table["status"] = table["status"].map({1: right, 0: wrong})
    return csv(table.rename(columns={"status": "passed"}))


def records():
    return long(SCORES, "run", "qid", "value").to_json(orient="records")


def lines():
    return long(RIGHT, "model", "example_id", "pass1").to_json(
        orient="records", lines=True
    )


# The content of a file, its name, and what is said of it.
FOURTEEN = {
    "agents, epochs and what they cost": (
        agents,
        "a.csv",
        "model = system, task_id = topic, epoch = repetition, "
        "is_resolved = score (4 × 7 × 3); left out: latency_s, cost, "
        "tokens",
    ),
    "a leaderboard": (
        leaderboard,
        "a.csv",
        "Model = system, columns = topic (4 × 7); left out: Type, "
        "Average ⬆️, #Params (B), Flagged, Hub License",
    ),
    "per cent signs": (percent, "a.csv", "Model = system, columns = topic"),
    "semicolons and decimal commas": (german, "a.csv", "(4 × 7)."),
    "averages beside and below": (
        averages,
        "a.csv",
        "left out: MAP, std, the row Avg",
    ),
    "raters": (
        judged,
        "a.csv",
        "Model Name = system, Question ID = topic, Rater = assessor, "
        "Rating = score (4 × 7 × 3)",
    ),
    "PASS and FAIL": (
        lambda: words("PASS", "FAIL"),
        "a.csv",
        "agent = system, instance_id = topic, passed = score (4 × 7)",
    ),
    "True and False, tabs": (
        lambda: words("True", "False").replace(",", "\t"),
        "a.tsv",
        "passed = score",
    ),
    "a list of objects": (records, "a.json", "run = system, qid = topic"),
    "an object to a line": (lines, "a.jsonl", "pass1 = score (4 × 7)"),
    "an index that pandas wrote": (
        lambda: long(SCORES, "model", "question").to_csv(),
        "a.csv",
        "model = system, question = topic, score (4 × 7).",
    ),
    "a wide table with such an index": (
        lambda: SCORES.rename_axis("method").reset_index().to_csv(),
        "a.csv",
        "method = system, columns = topic (4 × 7).",
    ),
    "topics down": (
        lambda: SCORES.T.rename_axis("query_id").to_csv(),
        "a.csv",
        "query_id = topic, columns = system (4 × 7).",
    ),
    "models in columns, beside an id and the text of each question": (
        lambda: (
            SCORES.T.reset_index(drop=True)
            .rename_axis("id")
            .rename(lambda i: i + 1)
            .reset_index()
            .assign(question=lambda t: [f"Why {i}?" for i in t["id"]])
            .to_csv(index=False)
        ),
        "a.csv",
        "question = topic, columns = system (4 × 7); left out: id.",
    ),
    "models in columns, beside an id and a prompt": (
        lambda: (
            (SCORES.T > 0.5)
            .astype(int)
            .reset_index(drop=True)
            .rename_axis("id")
            .rename(lambda i: i + 101)
            .reset_index()
            .assign(prompt=lambda t: [f"Why {i}?" for i in t["id"]])
            .to_csv(index=False)
        ),
        "a.csv",
        "prompt = topic, columns = system (4 × 7); left out: id.",
    ),
    "a text beside the number of each question": (
        lambda: csv(
            long(SCORES, "prompt_version", "id").assign(
                question=lambda t: "What is " + t["id"] + "?", notes="ok"
            )
        ),
        "a.csv",
        "prompt_version = system",
    ),
}


def trials():
    return csv(repeated("agent", "sample_id", "run", "reward"))


def seeds():
    table = pd.concat(
        long(SCORES * (1 - k / 50), "Model", "Query").assign(Seed=k)
        for k in range(3)
    )
    return csv(table)


def gaps():
    text = long(SCORES, "system", "topic").astype({"score": object})
    text.loc[[3, 9], "score"] = ["N/A", "-"]
    return csv(text.assign(confidence=[None, *np.linspace(0, 1, 27)]))


def tasks():
    table = pd.concat(
        long(RIGHT, "model", "question_id", "correct").assign(task=task)
        for task in ("maths", "law")
    )
    table["question_id"] = table["question_id"].str[1:]
    other = (table["task"] == "law") & (table["question_id"] == "3")
    table.loc[other, "correct"] = 1 - table.loc[other, "correct"]
    return csv(table)


def markings():
    rows = {
        s: {t: float(x) for t, x in r.items()} for s, r in SCORES.iterrows()
    }
    return json.dumps(rows)


TEN_MORE = {
    "runs beside an agent": (
        trials,
        "a.csv",
        "agent = system, sample_id = topic, run = repetition, "
        "reward = score (4 × 7 × 3)",
    ),
    "seeds": (seeds, "a.csv", "Seed = seed, score (4 × 7 × 3)"),
    "gaps, and a column with a gap": (
        gaps,
        "a.csv",
        "system, topic, score",
    ),
    "questions that are numbered anew in each task": (
        tasks,
        "a.csv",
        "question_id = topic, task, correct = score (4 × 14 × 2)",
    ),
    "systems with their topics": (markings, "a.json", "columns = topic"),
    "columns of JSON": (
        lambda: long(SCORES, "model", "item").to_json(),
        "a.json",
        "model = system, item = topic, score (4 × 7)",
    ),
    "C and I": (lambda: words("C", "I"), "a.csv", "passed = score"),
    "yes and no": (
        lambda: words("yes", "no"),
        "a.csv",
        "passed = score",
    ),
    "a rank before the names": (
        lambda: (
            csv(
                SCORES.rename_axis("System").reset_index().assign(year=2024)
            )
            .replace("System", "Rank,System", 1)
            .replace("sys-", "1,sys-")
        ),
        "a.csv",
        "left out: Rank, year",
    ),
    "capitals and blanks": (
        lambda: csv(long(SCORES, "MODEL", "Query ID", "Score (0-1)")),
        "a.csv",
        "MODEL = system, Query ID = topic",
    ),
    "a column of another text and of the fold": (
        lambda: csv(
            long(SCORES, "run_id", "topic_id", "nDCG@10").assign(
                fold=1, comment="", n_tokens=17
            )
        ),
        "a.csv",
        "nDCG@10 = score (4 × 7); left out: fold, comment, n_tokens",
    ),
}


def nested():
    rows = long(SCORES, "model", "question_id").to_dict("records")
    for row in rows:
        row["scores"] = {"acc": row.pop("score")}
    return rows


def in_columns(name):
    table = long(SCORES)
    for i in (1, 2):
        table[f"{name}{i}"] = table["score"] / i
    return csv(table.drop(columns="score"))


def pytrec_eval():
    rows = SCORES.to_dict("index")
    return json.dumps(
        {s: {t: {"map": x} for t, x in r.items()} for s, r in rows.items()}
    )


WIDE = csv(SCORES.rename_axis("system"), index=True)
WIDE_READ = "system, columns = topic (4 × 7)"
AS_KEPT = {
    "a title above the header": (
        lambda: "Results of June" + 7 * "," + f"\n,,\n{WIDE}",
        "a.csv",
        WIDE_READ,
    ),
    "comments above the header": (
        lambda: f"# by me, in June\n# nDCG@10\n{WIDE}",
        "a.csv",
        WIDE_READ,
    ),
    "Excel's line of the separator": (
        lambda: "sep=;\n" + WIDE.replace(",", ";").replace(".", ","),
        "a.csv",
        WIDE_READ,
    ),
    "blank rows and columns of a spreadsheet": (
        lambda: WIDE.replace("\n", ",,\n") + ",,,,,,,,,\n" * 2,
        "a.csv",
        WIDE_READ,
    ),
    "a pivot table with two rows of names": (
        lambda: csv(
            long(SCORES, "model").pivot_table(["score"], "model", "topic"),
            index=True,
        ),
        "a.csv",
        "model = system, columns = topic (4 × 7)",
    ),
    "groups of topics above their names": (
        lambda: f",{'easy,' * 4}hard,hard,hard\n{WIDE}",
        "a.csv",
        WIDE_READ,
    ),
    "a sign that nobody knows": (
        lambda: WIDE + "sys-none,?,n.a.,?,?,?,?,?\n",
        "a.csv",
        "system, columns = topic",
    ),
    "runs of a model, a column each": (
        lambda: csv(
            long(SCORES, "model", "task").assign(run_2=0.5)
        ).replace("score", "run 1"),
        "a.csv",
        "model = system, task = topic, repetition, score (4 × 7 × 2)",
    ),
    "what Excel and pandas write for nothing": (
        lambda: WIDE + "sys-none,#N/A,<NA>,#N/A,#N/A,#N/A,#N/A,#N/A\n",
        "a.csv",
        "system, columns = topic",
    ),
    "blanks and tabs mixed, as in the tables of WMT": (
        lambda: csv(
            long(SCORES, "system", "seg_id", "avg"), sep=" "
        ).replace(" 0.", "\t0."),
        "a.tsv",
        "system, seg_id = topic, avg = score (4 × 7)",
    ),
    "scores in an object of their own": (
        lambda: "\n".join(map(json.dumps, nested())),
        "a.jsonl",
        "model = system, question_id = topic, acc = score (4 × 7)",
    ),
    "metrics of a list in an object": (
        lambda: json.dumps({"at": "June", "results": nested()}),
        "a.json",
        "model = system, question_id = topic, acc = score (4 × 7)",
    ),
    "scores of pytrec_eval": (
        pytrec_eval,
        "a.json",
        "system, topic, score (4 × 7)",
    ),
    "a column to a rater": (
        lambda: in_columns("Rater "),
        "a.csv",
        "system, topic, assessor, score (4 × 7 × 2)",
    ),
    "a column to a seed": (
        lambda: in_columns("seed_"),
        "a.csv",
        "system, topic, seed, score (4 × 7 × 2)",
    ),
    "a table of MLflow": (
        lambda: csv(
            long(SCORES, "run_name", "inputs", "similarity/v1/score")
        ),
        "a.csv",
        "run_name = system, inputs = topic",
    ),
}
LAYOUTS = FOURTEEN | TEN_MORE | AS_KEPT


@pytest.mark.parametrize("name", LAYOUTS)
def test_it_is_read_at_the_first_try(name, tmp_path):
    make, file, said = LAYOUTS[name]
    path = tmp_path / file
    path.write_text(make(), "utf-8")
    scores = read_scores(path)
    assert said in scores.attrs["reading"].sentence
    wide = "system" not in scores
    scores = scores.dropna(how="all") if wide else scores
    assert {*(scores.index if wide else scores["system"])} == {*SYSTEMS}
    topics = scores.columns if wide else scores["topic"].unique()
    assert len(topics) in (7, 14)
    numbers = scores if wide else scores["score"]
    assert numbers.min(axis=None) >= 0


@pytest.mark.parametrize("name", first(3, LAYOUTS))
def test_it_is_studied_at_the_first_try(name, tmp_path):
    make, file, said = LAYOUTS[name]
    path = tmp_path / file
    path.write_text(make(), "utf-8")
    found = collect([path])
    assert said in found.reading.sentence
    assert {*found.collection.cells.index} == {*SYSTEMS}


def test_what_stands_above_the_header_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"Results of June\n{WIDE}")
    notes = collect([path]).every_note
    assert any("a.csv: Results of June" in note for note in notes)


def test_unicode_text_of_excel(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text(WIDE.replace(",", "\t"), "utf-16")
    assert WIDE_READ in collect([path]).reading.sentence


def test_a_file_of_measures_for_each_system(tmp_path):
    for system, scores in SCORES.iterrows():
        table = pd.DataFrame({"query_id": TOPICS, "nDCG@10": scores})
        (tmp_path / f"{system}.csv").write_text(csv(table))
    found = collect([tmp_path])
    said = "system, query_id = topic, nDCG@10 = score (4 × 7)"
    assert said in found.reading.sentence
    assert {*found.collection.cells.index} == {*SYSTEMS}


def test_the_only_facet_beside_the_systems_is_the_topic(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv(long(SCORES, "model", "what was asked", "acc")))
    assert collect([path]).reading.roles["what was asked"] == "topic"


def test_commas_between_thousands(tmp_path):
    path = tmp_path / "a.csv"
    counts = SCORES.mul(1000).round().add(800).iloc[:, :2]
    written = counts.map("{:,.0f}".format).assign(
        q3=["999", "1", "10", "9"]
    )
    written.iloc[0, :2], written.iloc[1, :2] = "1,250", "980"
    path.write_text(csv(written.rename_axis("system"), index=True))
    cells = collect([path]).collection.cells
    assert cells.loc["sys-bm25", "q1"] == 1250
    assert cells.loc["sys-lm", "q2"] == 980
    written["q1"] = ["1,250", "1,300", "2,001", "1,001"]
    path.write_text(csv(written.rename_axis("system"), index=True))
    with pytest.raises(ValueError, match="may stand before decimals"):
        collect([path])


def test_what_was_read_is_told_with_another_way_to_read_it(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(agents())
    found = collect([path])
    assert found.reading.roles["task_id"] == "topic"
    assert found.reading.shape == (4, 7, 3)
    assert found.reading.left_out == ("latency_s", "cost", "tokens")
    notes = " ".join(found.every_note)
    assert "--design '(epoch:model) x task_id'" in notes
    assert "category" in notes


def test_several_scores_of_a_cell_are_asked_about(tmp_path):
    table = pd.concat(
        long(SCORES * (1 - k * k / 9), "model", "item").assign(
            prompt=f"p{k}"
        )
        for k in range(3)
    )
    path = tmp_path / "a.csv"
    path.write_text(csv(table))
    with pytest.raises(ValueError, match="prompt tells apart") as asked:
        collect([path])
    said = str(asked.value)
    assert "--columns system=model,topic=item,repetition=prompt" in said
    found = collect([path], columns="repetition=prompt")
    assert "prompt" in found.collection.design.facets
    (design,) = {*re.findall("--design '(.*?)'", said)}
    assert len(collect([path], design=design).collection.design.facets) == 3


def test_of_two_measures_none_is_chosen(tmp_path):
    table = long(SCORES, "model", "query", "ndcg@10")
    table["recall"] = table["ndcg@10"].round(1)
    (tmp_path / "a.csv").write_text(csv(table))
    with pytest.raises(ValueError, match="--measure ndcg@10 or --measure"):
        collect([tmp_path / "a.csv"])


@pytest.mark.parametrize("content", ["leaderboard", "percent", "german"])
def test_scores_stay_what_they_are(content, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(globals()[content](), "utf-8")
    times = 100 if content == "leaderboard" else 1
    cells = collect([path]).collection.cells
    np.testing.assert_allclose(cells, times * SCORES, atol=1e-3 * times)


def test_excel(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    long(SCORES, "model", "item").assign(latency=3).to_excel(
        path, index=False
    )
    found = collect([path])
    np.testing.assert_allclose(found.collection.cells, SCORES)
    assert found.reading.left_out == ("latency",)
    SCORES.rename_axis("System").to_excel(path)
    np.testing.assert_allclose(collect([path]).collection.cells, SCORES)


def test_a_sheet_is_read_like_a_text(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "a.xlsx"
    scores = SCORES.rename(index={SCORES.index[0]: "NA"})
    with pd.ExcelWriter(path) as book:
        scores.rename_axis("System").to_excel(book, startrow=3, startcol=2)
        book.sheets["Sheet1"].cell(1, 1, "Results, of; all")
        scores.to_excel(book, sheet_name="nDCG")
    found = collect([path])
    np.testing.assert_allclose(found.collection.cells, SCORES)
    assert found.collection.cells.index[0] == "NA"
    notes = " ".join(found.every_note)
    assert 'Left out above the header of a.xlsx: "Results' in notes
    assert "only the first sheet was read, not nDCG" in notes
    with pd.ExcelWriter(path) as book:
        about = pd.DataFrame({"what": ["text"], "who": ["us"]})
        about.to_excel(book, sheet_name="About", index=False)
        scores.to_excel(book, sheet_name="AP")
    with pytest.raises(ValueError, match="first sheet, 'About', is read"):
        collect([path])


def test_excel_without_its_package_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    with pytest.raises(
        ImportError, match=r"An Excel file needs openpyxl.*excel"
    ):
        collect([tmp_path / "a.xlsx"])


# Which repetitions share something


@pytest.mark.parametrize(
    "name", first(1, ["run", "epoch", "trial", "attempt", "sample"])
)
def test_runs_of_one_system_on_one_topic_share_nothing(name, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(csv(repeated("model", "task", name, "passed")))
    found = collect([path])
    assert str(found.collection.design) == f"{name}:(model x task)"
    said = " ".join(found.notes)
    assert f"--design '({name}:model) x task'" in said
    other = collect([path], design=f"({name}:model) x task")
    assert str(other.collection.design) == f"({name}:model) x task"
    crossed = collect([path], design=f"model x task x {name}").collection
    assert crossed.study.levels["task"] == 7


def test_the_same_table_gives_the_same_under_any_name(tmp_path):
    studies = []
    for name in ("epoch", "run"):
        path = tmp_path / "a.csv"
        path.write_text(csv(repeated("model", "task", name, "passed")))
        estimate = collect([path]).collection.study.estimate
        studies.append(estimate.rename(lambda e: e.replace("epoch", "run")))
    for other in studies[1:]:
        pd.testing.assert_series_equal(studies[0], other)


def test_seeds_hold_for_a_whole_system(tmp_path):
    (tmp_path / "a.csv").write_text(seeds())
    found = collect([tmp_path / "a.csv"])
    assert str(found.collection.design) == "(seed:Model) x Query"
    assert "--design 'seed:(Model x Query)'" in " ".join(found.notes)


# Two guesses equally good: one question, with both commands


def test_a_question_names_both_commands(tmp_path, capsys):
    table = long(SCORES, "model", "item").assign(
        system=lambda t: [
            SYSTEMS[(SYSTEMS.index(m) + int(i[1:])) % 4]
            for m, i in zip(t["model"], t["item"], strict=True)
        ],
        accuracy=lambda t: t["score"],
        f1=lambda t: t["score"] ** 2,
    )
    path = tmp_path / "a.csv"
    path.write_text(csv(table.drop(columns="score")))
    given = ["audit", str(path), "--out", str(tmp_path)]
    assert main(given) == 2
    said = capsys.readouterr().err
    assert "--columns system=model,topic=item or --columns" in said
    given += ["--columns", "system=model"]
    assert main(given) == 2
    assert "--measure accuracy or --measure f1" in capsys.readouterr().err
    for wrong in ("model", "system=", "colour=model", "system=nobody"):
        assert main([*given[:4], "--columns", wrong]) == 2
        assert "--columns" in capsys.readouterr().err


# An engine reads the same


@pytest.mark.slow
@pytest.mark.parametrize("name", ["epoch", "repetition", "seed"])
def test_an_engine_reads_the_same(name, tmp_path):
    pytest.importorskip("ibis")
    pytest.importorskip("duckdb")
    path = tmp_path / "a.csv"
    table = repeated("agent", "task_id", name, "is_resolved")
    path.write_text(csv(table.assign(cost=1.5)))
    here = collect([path])
    there = collect([path], engine=True)
    assert there.reading == here.reading
    design = str(here.collection.design)
    for role, noun in here.collection.nouns.renamed.items():
        design = design.replace(noun, role)  # an engine keeps our nouns
    assert str(there.collection.design) == design
    np.testing.assert_allclose(
        there.collection.study.estimate, here.collection.study.estimate
    )


def judgments(model, judge="gpt-4"):
    """A file of MT-Bench: two turns of each question, by one judge."""
    marks = np.random.default_rng(len(model)).integers(1, 11, (9, 2))
    return [
        {
            "question_id": 81 + i,
            "model": model,
            "judge_id": judge,
            "score": int(mark),
            "turn": turn,
            "tstamp": 1718412007.5 + i,
        }
        for i, row in enumerate(marks)
        for turn, mark in enumerate(row, start=1)
    ]


def test_turns_of_the_only_model_are_no_systems(tmp_path):
    """FastChat: llm_judge, model_judgment/gpt-4_single.jsonl."""
    write = pd.DataFrame(judgments("a")).to_json
    write(tmp_path / "a.jsonl", orient="records", lines=True)
    with pytest.raises(Question, match="which turn tells apart") as asked:
        read_scores(tmp_path / "a.jsonl")
    assert len(asked.value.ways) == 1  # a design has several systems
    assert [*refused(tmp_path / "a.jsonl")] == []


def test_runs_of_documents_that_systems_do_not_share_are_nested(tmp_path):
    """Segments, as in the scores of WMT's error span annotation, whose
    documents have the system in their names."""
    rng = np.random.default_rng(9)
    rows = [
        (f"ann{d % 3}", f"mt{s}", "eng", rng.integers(101), f"doc{d}#mt{s}")
        for s in range(4)
        for d in range(6)
        for _ in range(2)
    ]
    columns = ["annotator", "system", "language", "score", "document"]
    pd.DataFrame(rows, columns=columns).to_csv(tmp_path / "a.csv")
    with pytest.raises(Question) as asked:
        read_scores(tmp_path / "a.csv")
    assert asked.value.ways == (
        "--design 'rows:(document:(system x annotator))'",
    )
    assert [*refused(tmp_path / "a.csv")] == []


def test_two_files_of_a_model_may_be_of_two_judges(tmp_path):
    for judge in ("j1", "j2"):
        for model in ("a", "bb"):
            table = pd.DataFrame(judgments(model, judge))
            table = table[table["turn"] == 1]
            path = tmp_path / f"{judge}-{model}.csv"
            table.drop(columns=["turn", "tstamp"]).to_csv(path, index=False)
    found = read_scores(tmp_path)
    assert found["assessor"].nunique() == 2
    assert found.attrs["reading"].shape == (2, 9, 2)
    (tmp_path / "j3-a.csv").write_text((tmp_path / "j1-a.csv").read_text())
    with pytest.raises(ValueError, match="The system or run tag a on j1"):
        read_scores(tmp_path)


def test_numbers_of_contests_are_no_scores(tmp_path):
    """Beside pass@1, the only measure of one system."""
    rng = np.random.default_rng(4)
    table = pd.DataFrame(
        {
            "question_id": [f"q{i}" for i in range(9)],
            "contest_id": 1873 + np.arange(9) // 3,
            "pass@1": rng.random(9),
        }
    )
    table.to_csv(tmp_path / "m.csv", index=False)
    found = read_scores(tmp_path / "m.csv")
    assert [*found["score"]] == [*table["pass@1"]]
    assert "contest_id" in found.attrs["reading"].left_out


def test_counts_of_tokens_are_no_measures(tmp_path):
    """A spans export of Phoenix, which nobody annotated."""
    counts = np.random.default_rng(1).integers(9, 99, (6, 2))
    table = pd.DataFrame(counts).add_prefix("llm.token_count.")
    table.columns = ["llm.token_count.prompt", "llm.token_count.completion"]
    table.insert(0, "llm.model_name", [*"abab", "c", "c"])
    table.insert(1, "input.value", [f"Act {i // 2}" for i in range(6)])
    table.to_csv(tmp_path / "spans.csv", index=False)
    with pytest.raises(ValueError, match="has no column of scores"):
        read_scores(tmp_path / "spans.csv")


def test_systems_that_share_no_topic_are_asked_about(tmp_path):
    """Scores of Langfuse: each trace is of one run of a data set."""
    values = np.random.default_rng(3).random(12).round(2)
    table = pd.DataFrame(
        {
            "id": [f"s{i:02d}" for i in range(12)],
            "dataset_run_id": ["run-a", "run-b"] * 6,
            "name": "correctness",
            "value": values,
        }
    )
    table.to_csv(tmp_path / "scores.csv", index=False)
    with pytest.raises(Question) as asked:
        read_scores(tmp_path / "scores.csv")
    assert asked.value.ways == ("--design id:dataset_run_id",)
    found = collect([tmp_path / "scores.csv"], design="id:dataset_run_id")
    means = found.collection.cells.mean(axis=1)
    assert means["run-a"] == pytest.approx(values[::2].mean())


def test_a_table_without_a_header_is_told(tmp_path):
    """Appraise: the scores of an ESA campaign of WMT."""
    rows = [
        f"ann{i % 2},wmt.{s},{i},TGT,eng,deu,{40 + i},doc{i % 3}#{s},False"
        for s in ("ONLINE-A", "NLLB")
        for i in range(6)
    ]
    path = tmp_path / "esa.csv"
    path.write_text("\n".join(rows))
    with pytest.raises(
        ValueError, match=r"reads like a row.*a header line"
    ):
        read_scores(path)
