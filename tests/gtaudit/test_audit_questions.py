"""What people ask of an audit: several measures, another collection, seeds,
names of their own, plans, gates; and the notebook on their own file."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.command import main
from gtaudit.designs import facet_roles
from gtlib import runs as evaluate
from gtlib.design import Design

ROOT = Path(gt.__file__).resolve().parent.parent


def seeds(systems=6, seeds=4, topics=12):
    """Scores with an effect of each seed of each system."""
    rng = np.random.default_rng(7)
    shape = systems, seeds, topics
    index = pd.MultiIndex.from_product(
        [
            [f"m{i}" for i in range(systems)],
            range(seeds),
            [f"q{i}" for i in range(topics)],
        ],
        names=["model", "seed", "question"],
    )
    table = pd.DataFrame(index=index)
    for measure, error in {"AP": 0.1, "nDCG": 0.2}.items():
        scores = 0.1 * np.arange(systems)[:, None, None]
        scores = scores + 0.05 * rng.normal(size=(systems, seeds, 1))
        table[measure] = (scores + error * rng.normal(size=shape)).ravel()
    return table.reset_index()


WIDE = seeds().pivot_table("AP", "model", "question")


def file(tmp_path, table, name="a.csv", index=False):
    table.to_csv(tmp_path / name, index=index)
    return tmp_path / name


# Names, facets and measures


@pytest.mark.parametrize(
    "design, expected",
    [
        ("model x item x rater", "system x topic x assessor"),
        ("(seed:model) x query", "(seed:system) x topic"),
        ("(run:model) x item", "(run:system) x topic"),
        ("student x (reader:essay)", "system x (reader:topic)"),
        ("a x b x judge x rater", "system x topic x assessor x rater"),
        ("system x topic", "system x topic"),
        ("topic x system", "system x topic"),
        (
            "item x (rater:model)",
            "system x topic x (assessor:system)",
        ),
        ("item x student", "system x topic"),
        ("topic:system", "topic:system"),
    ],
)
def test_a_design_says_what_its_facets_are(design, expected):
    roles, text = facet_roles(design)
    mapped = re.sub(r"[\w.@-]+", lambda m: roles.get(m[0], m[0]), text)
    assert mapped == expected
    assert roles[Design(text).object] == "system"
    assert set(roles) == set(Design(design).facets)


@pytest.mark.slow
def test_columns_of_any_name_are_what_the_design_says(tmp_path):
    ours = gt.load("cf", measure="AP")
    names = {"system": "school", "topic": "exercise", "assessor": "reader"}
    path = file(tmp_path, ours.rename(columns=names))
    found = gtaudit.collect(path, design="school x exercise x reader")
    assert str(found.collection.design) == "school x exercise x reader"
    assert len(found.notes) == 1  # on the families of its systems
    assert found.collection.nouns.renamed == {
        "system": "school",
        "topic": "exercise",
    }
    g = gt.gstudy(found.collection.scores, found.collection.design)
    expected = gt.gstudy(ours, "system x topic x assessor")
    np.testing.assert_allclose(g.estimate, expected.estimate)
    ours["item"] = range(len(ours))
    ours["item"] %= 7
    # What names no row together with the others is no facet.
    reading = gtaudit.collect(file(tmp_path, ours)).reading
    assert reading.roles["topic"] == "topic"
    assert "item" in reading.left_out


def test_runs_of_a_cell_may_have_the_same_numbers_in_all(tmp_path):
    """The first run of one cell is not that of another."""
    table = seeds().rename(columns={"seed": "repetition"})
    path, design = file(tmp_path, table), "repetition:(model x question)"
    found = gtaudit.collect(path, measure="AP", design=design).collection
    names = ["model", "question"]
    assert [*found.study.levels.values()] == [6, 12, 4]
    assert found.size.endswith(", 4 repetitions of each model and question")
    within = table.groupby(names)["AP"].var().mean()
    residual = found.study.mean_squares.iloc[-1]
    assert residual == pytest.approx(within)


def test_names_that_join_to_the_same_stay_apart(tmp_path):
    """The question "b c" of category "a" is not "c" of "a b"."""
    table = pd.DataFrame(
        [
            (model, category, question, (7 * i + 3 * j) % 10 / 10)
            for i, model in enumerate(["m", "n", "o"])
            for j, (category, question) in enumerate(
                [("a", "b c"), ("a", "c"), ("a b", "c"), ("a b", "d")]
            )
        ],
        columns=["model", "category", "question", "AP"],
    )
    path, design = file(tmp_path, table), "model x (question:category)"
    found = gtaudit.collect(path, measure="AP", design=design).collection
    assert found.scores["question"].nunique() == 4


@pytest.mark.slow
def test_seeds_are_nested_in_systems(tmp_path):
    """Unless somebody says that they are crossed."""
    path = file(tmp_path, seeds())
    found = gtaudit.collect(path, measure="AP").collection
    assert str(found.design) == "(seed:model) x question"
    g = gt.gstudy(found.scores, found.design)
    assert g.levels == {"model": 6, "seed": 4, "question": 12}
    assert found.size == "6 models × 12 questions, 4 seeds of each model"
    (note,) = gtaudit.collect(path, measure="AP").notes[-1:]
    assert "nested" in note and "--design" in note
    squares = found.scores.pivot_table(
        "score", ["model", "seed"], "question", observed=True
    )
    within = squares.mean(axis=1).groupby("model").var().mean()
    assert g.mean_squares["seed:model"] == pytest.approx(12 * within)
    named = gtaudit.collect(
        path, measure="AP", design="(seed:model) x question"
    )
    again = gt.gstudy(named.collection.scores, named.collection.design)
    np.testing.assert_allclose(again.estimate, g.estimate)
    crossed = gtaudit.collect(
        path, measure="AP", design="model x question x seed"
    )
    assert str(crossed.collection.design) == "model x question x seed"
    assert crossed.collection.size == "6 models × 12 questions × 4 seeds"
    assert not any("nested" in note for note in crossed.notes)


@pytest.mark.slow
def test_several_measures_are_those_one_by_one(tmp_path):
    path = file(tmp_path, seeds())
    found = gtaudit.collect(path, measure="nDCG, AP,nDCG").measures
    assert [*found] == ["nDCG", "AP"]
    for name, collection in found.items():
        one = gtaudit.collect(path, measure=name).collection
        pd.testing.assert_frame_equal(collection.wide, one.wide)
    lines = []
    for topic in "12":
        lines += [f"map {topic} .{topic}", f"P_5 {topic} .{topic}5"]
    for name in "ab":
        (tmp_path / name).write_text("\n".join(lines))
    several = gtaudit.read_scores(
        [tmp_path / "a", tmp_path / "b"], ["AP", "P@5"]
    )
    assert several.groupby("measure")["score"].sum().to_dict() == (
        pytest.approx({"map": 0.6, "P_5": 0.8})
    )


@pytest.mark.slow
def test_runs_are_read_once_for_all_measures(tmp_path, monkeypatch):
    pass

    monkeypatch.setattr(evaluate, "map_in_parallel", map)
    read, calls = evaluate.read_lists, []
    monkeypatch.setattr(
        evaluate,
        "read_lists",
        lambda path: calls.append(path) or read(path),
    )
    for name, docs in {"a": "xyz", "b": "zyx"}.items():
        lines = [
            f"{t} Q0 {d} 1 {9 - k} {name}"
            for t in "12"
            for k, d in enumerate(docs)
        ]
        (tmp_path / name).write_text("\n".join(lines))
    (tmp_path / "q").write_text("1 0 x 1\n1 0 y 1\n2 0 x 1\n")
    (tmp_path / "q2").write_text("1 0 z 1\n1 0 y 1\n2 0 x 1\n")
    runs = [tmp_path / "a", tmp_path / "b"]
    found = gtaudit.collect(
        runs=runs, qrels=tmp_path / "q", measure="nDCG(cutoff=2),P@1,RR"
    )
    assert [*found.measures] == ["nDCG@2", "P@1", "RR"]
    assert found.measures["P@1"].wide.to_numpy().tolist() == [
        [1, 1],
        [0, 0],
    ]
    assert len(calls) == 2
    judge = tmp_path / "judge.txt"
    judge.write_text("1 0 x 1\n2 0 x 1\n3 0 x 1\n")
    (tmp_path / "q").write_text("1 0 x 1\n2 0 x 1\n3 0 x 1\n3 0 y 0\n")
    gtaudit.collect(runs=runs, qrels=tmp_path / "q", judges=[judge])
    assert len(calls) == 4


def test_topics_that_make_measures_equal(tmp_path):
    """One topic fewer falls short."""
    path = file(tmp_path, seeds())
    measures = gtaudit.collect(path, measure="AP,nDCG").measures
    table = gtaudit.measure_table(measures, 0.8)
    aim = table.loc["AP", "generalizability"]
    for name, collection in measures.items():
        g = gt.gstudy(collection.scores, collection.design)
        for column, target in [
            ("topics_as_first", aim),
            ("topics_for_target", 0.8),
        ]:
            n = table.loc[name, column]
            if pd.isna(n):
                top = g.plan(question=10**9).generalizability
                assert top < target
                continue
            assert g.plan(question=n).generalizability >= target - 1e-12
            if n > 1:
                assert g.plan(question=n - 1).generalizability < target
    means = [c.wide.mean(axis=1) for c in measures.values()]
    tau = gt.kendall_tau(*means)
    assert table.loc["nDCG", "tau"] == pytest.approx(tau, rel=1e-9)
    assert table.loc["AP", "tau_ap"] == 1


# Plans


def test_empty_standard_input_is_called_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(["audit", "-", "--out", str(tmp_path / "a")]) == 2
    said = capsys.readouterr().err
    assert said.startswith("gtlib audit: standard input is empty")


def test_closed_standard_input_is_one_sentence(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["audit", "-", "--out", str(tmp_path / "a")]) == 2
    assert "Standard input (-) is closed" in capsys.readouterr().err


def command(folder, *arguments, table="none.csv"):
    return subprocess.Popen(
        [sys.executable, *arguments, "-m", "gtlib", "audit", table],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_nothing_in_the_current_folder_is_imported(tmp_path):
    for name in ("seaborn", "pandas", "numpy", "tqdm", "argparse"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('owned')")
    _, said = command(tmp_path).communicate()
    assert said.startswith("gtlib audit: There is no file ")
    (tmp_path / "a.csv").write_text("")
    _, said = command(tmp_path, table="a.csv").communicate()
    assert said.startswith("gtlib audit: ") and "empty" in said


def test_an_interruption_while_loading_is_quiet(tmp_path):
    (tmp_path / "a.csv").write_text("system,q1,q2\na,1,2\nb,2,1\n")
    process = command(tmp_path, "-X", "importtime", table="a.csv")
    for line in process.stderr:
        if line.rstrip().endswith("numpy.version"):
            break
    process.send_signal(signal.SIGINT)
    out, said = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert out == ""
    assert "Traceback" not in said
