"""What people ask of an audit: several measures, another collection, seeds,
names of their own, plans, gates; and the notebook on their own file."""

import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from gtapps import audit
from gtapps.audit.command import main
from gtapps.audit.inputs import roles_in
from gtapps.audit.planning import check_plan, read_numbers
from gtlib.tables.design import Design
from tests.gtapps.audit.said import findings_of

ROOT = Path(gt.__file__).resolve().parent.parent
SCHEMA = Path(audit.__file__).with_name("report.schema.json")


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
        ("topic x system", "system x topic x system"),
        (
            "item x (rater:model)",
            "system x topic x (assessor:system)",
        ),
        ("item x student", "system x topic x system"),
        ("topic:system", "topic:system"),
    ],
)
def test_a_design_says_what_its_facets_are(design, expected):
    roles, mapped = roles_in(design)
    assert mapped == expected
    assert Design(mapped).object == "system"
    assert set(roles) == set(Design(design).facets)


def test_columns_of_any_name_are_what_the_design_says(tmp_path):
    ours = gt.load("cf", measure="AP")
    names = {"system": "school", "topic": "exercise", "assessor": "reader"}
    path = file(tmp_path, ours.rename(columns=names))
    found = audit.collect(path, design="school x exercise x reader")
    assert str(found.collection.design) == "system x topic x reader"
    (families,) = found.notes
    assert "9 families" in families
    assert found.words.nouns == {"system": "school", "topic": "exercise"}
    g = gt.gstudy(found.collection.scores, found.collection.design)
    expected = gt.gstudy(ours, "system x topic x assessor")
    np.testing.assert_allclose(g.estimate, expected.estimate)
    ours["item"] = 1
    twice = file(tmp_path, ours)
    with pytest.raises(ValueError, match="may name the topic"):
        audit.collect(twice)


def test_runs_of_a_cell_may_have_the_same_numbers_in_all(tmp_path):
    """The first run of one cell is not that of another."""
    table = seeds().rename(columns={"seed": "repetition"})
    path, design = file(tmp_path, table), "repetition:(model x question)"
    found = audit.collect(path, measure="AP", design=design).collection
    assert found.study.levels == {"system": 6, "topic": 12, "seed": 4}
    assert found.size.endswith(", 4 seeds of each system and topic")
    names = ["model", "question"]
    within = table.groupby(names)["AP"].var().mean()
    residual = found.study.mean_squares.iloc[-1]
    assert residual == pytest.approx(within)


def test_seeds_are_nested_in_systems(tmp_path):
    """Unless somebody says that they are crossed."""
    path = file(tmp_path, seeds())
    found = audit.collect(path, measure="AP").collection
    assert str(found.design) == "(seed:system) x topic"
    g = gt.gstudy(found.scores, found.design)
    assert g.levels == {"system": 6, "seed": 4, "topic": 12}
    assert found.size == "6 systems x 12 topics, 4 seeds of each system"
    (note,) = audit.collect(path, measure="AP").notes[-1:]
    assert "nested in systems" in note and "--design" in note
    squares = found.scores.pivot_table(
        "score", "seed", "topic", observed=True
    )
    of_system = squares.index.str.partition(",").get_level_values(0)
    means = squares.mean(axis=1)
    within = means.groupby(of_system).var().mean()
    assert g.mean_squares["seed:system"] == pytest.approx(12 * within)
    named = audit.collect(
        path, measure="AP", design="(seed:model) x question"
    )
    again = gt.gstudy(named.collection.scores, named.collection.design)
    np.testing.assert_allclose(again.estimate, g.estimate)
    crossed = audit.collect(
        path, measure="AP", design="model x question x seed"
    )
    assert str(crossed.collection.design) == "system x topic x seed"
    assert crossed.collection.size == "6 systems x 12 topics x 4 seeds"
    assert not any("nested" in note for note in crossed.notes)


def test_several_measures_are_those_one_by_one(tmp_path):
    path = file(tmp_path, seeds())
    found = audit.collect(path, measure="nDCG, AP,nDCG").measures
    assert [*found] == ["nDCG", "AP"]
    for name, collection in found.items():
        one = audit.collect(path, measure=name).collection
        pd.testing.assert_frame_equal(collection.wide, one.wide)
    lines = []
    for topic in "12":
        lines += [f"map {topic} .{topic}", f"P_5 {topic} .{topic}5"]
    for name in "ab":
        (tmp_path / name).write_text("\n".join(lines))
    several = audit.read_scores(
        [tmp_path / "a", tmp_path / "b"], ["AP", "P@5"]
    )
    assert several.groupby("measure")["score"].sum().to_dict() == (
        pytest.approx({"map": 0.6, "P_5": 0.8})
    )


def test_runs_are_read_once_for_all_measures(tmp_path, monkeypatch):
    from gtlib.runs import evaluate

    monkeypatch.setattr(evaluate, "in_order", map)
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
    found = audit.collect(
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
    audit.collect(runs=runs, qrels=tmp_path / "q", judges=[judge])
    assert len(calls) == 4
    beside = audit.collect(
        runs=runs,
        qrels=tmp_path / "q",
        measure="P@1,RR",
        against_qrels=tmp_path / "q2",
    ).other
    assert beside.wide.loc["b"].tolist() == [1, 0]


def test_topics_that_make_measures_equal(tmp_path):
    """One topic fewer falls short."""
    path = file(tmp_path, seeds())
    measures = audit.collect(path, measure="AP,nDCG").measures
    table = audit.measure_table(measures, 0.8)
    aim = table.loc["AP", "generalizability"]
    for name, collection in measures.items():
        g = gt.gstudy(collection.scores, collection.design)
        for column, target in [
            ("topics_as_first", aim),
            ("topics_for_target", 0.8),
        ]:
            n = table.loc[name, column]
            if pd.isna(n):
                top = g.plan(topic=10**9).generalizability
                assert top < target
                continue
            assert g.plan(topic=n).generalizability >= target - 1e-12
            if n > 1:
                assert g.plan(topic=n - 1).generalizability < target
    means = [c.wide.mean(axis=1) for c in measures.values()]
    assert table.loc["nDCG", "tau"] == gt.kendall_tau(*means)
    assert table.loc["AP", "tau_ap"] == 1


def test_a_collection_beside_itself_and_beside_another():
    one = audit.prepare(WIDE)
    said, numbers = audit.compare_rankings(one, one)
    assert numbers == pytest.approx({"systems": 6, "tau": 1, "tau_ap": 1})
    other = audit.prepare(WIDE.iloc[:4].add_prefix("other "))
    said, numbers = audit.compare_rankings(one, other)
    assert "would be expected" in said
    rho = [gt.gstudy(c.wide).plan().generalizability for c in (one, other)]
    assert numbers["expected_tau"] == pytest.approx(
        2 / np.pi * np.arcsin(np.sqrt(rho[0] * rho[1]))
    )
    stranger = audit.prepare(WIDE.set_axis([*"uvwxyz"]))
    assert audit.compare_rankings(one, stranger)[1] == {"systems": 0}


# Plans


def test_the_cheapest_is_that_of_all_that_reach_a_target():
    """By brute force."""
    collection = audit.prepare(gt.load("cf", measure="AP"))
    cost = {"topic": 5, "assessor": 100, "judgment": 1}
    told = findings_of(collection, target=0.9, cost=cost)
    each = collection.plan.grid(topic=range(2, 400), assessor=range(1, 6))
    price = 5 * each["topic"] + 100 * each["assessor"]
    price += each["topic"] * each["assessor"]
    for name in ("generalizability", "dependability"):
        (said,) = (s for s in told if f"cheapest with {name} 0.9" in s)
        least = price[each[name] >= 0.9].idxmin()
        topics, assessors = each.loc[least, ["topic", "assessor"]]
        assert f": {topics:.0f} topics, {assessors:.0f} assessor" in said
        assert said.endswith(f"at a cost of {price[least]:,.10g}.")


def test_where_nothing_reaches_a_target_that_is_said():
    none = audit.prepare(pd.DataFrame(np.eye(6) - np.eye(6)[::-1]))
    told = [s for s in findings_of(none, target=0.9) if "cheapest" in s]
    assert len(told) == 2
    assert all(": none. No design reaches" in s for s in told)
    assert not any("cheapest" in s for s in findings_of(none))


@given(
    st.dictionaries(
        st.from_regex(r"[a-z.]{1,9}", fullmatch=True),
        st.floats(-1e9, 1e9),
        min_size=1,
    )
)
def test_numbers_are_read_as_they_are_written(numbers):
    text = ", ".join(f"{k} = {v!r}" for k, v in numbers.items())
    assert read_numbers(text, "--cost") == numbers


# A whole report


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Seeds, measures, another collection, prices and gates; piped in."""
    folder = tmp_path_factory.mktemp("report")
    table = seeds()
    other = table.assign(question="other " + table["question"])
    arguments = ["audit", "-", "--measure", "AP,nDCG", "--against"]
    arguments += [str(file(folder, other, "b.csv")), "--target", ".9"]
    arguments += ["--cost", "topic=5,seed=20", "--out", str(folder)]
    arguments += ["--fail-under", "dependability.low=.1,alpha=.2"]
    arguments += ["--fail-under", "generalizability=.99999"]
    text = table.to_csv(index=False).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
        patch.setattr(sys, "stderr", said := io.StringIO())
        code = main(arguments)
    return folder, code, said.getvalue()


def test_a_gate_that_is_missed_ends_with_3(report):
    folder, code, said = report
    assert code == 3
    assert said.count("\n") == 2  # the first is on seeds
    assert "generalizability is 0.9" in said
    assert "--fail-under asks for 0.99999" in said
    assert (folder / "audit.html").exists()


def test_a_report_is_what_the_schema_says(report, jsonschema):
    folder, _, _ = report
    schema = json.loads(SCHEMA.read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    numbers = json.loads((folder / "audit.json").read_text("utf-8"))
    jsonschema.validate(numbers, schema)
    assert numbers["title"] == "standard input: AP"
    assert [row["measure"] for row in numbers["measures"]] == ["AP", "nDCG"]
    assert numbers["beside"]["tau"] == pytest.approx(1)
    assert numbers["measure"] == "AP,nDCG"
    names = [file["name"] for file in numbers["files"]]
    assert names == ["standard input", "b.csv"]
    actions = {re.sub(r"\d+ ", "", r["action"]) for r in numbers["actions"]}
    assert actions == {"stop", "more topics", "more seed of each system"}
    assert sum(r["best_in"] for r in numbers["actions"]) == pytest.approx(1)
    assert numbers["to_judge"] == []
    assert any("1 seed of each system" in s for s in numbers["findings"])
    for broken in ({}, {**numbers, "findings": "good"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)


def test_a_section_is_there_if_it_has_something_to_say(
    report, cell_of_report
):
    page = (report[0] / "audit.html").read_text("utf-8")
    assert "Several measures</h2>" in re.sub("<a .*?</a>", "", page)
    one = audit.AuditData({"AP": audit.prepare(WIDE)})
    shown = []
    names = {"audit": audit, "found": one, "target": None, "several": 1}
    names["display"] = lambda *things: shown.extend(things)
    exec(cell_of_report("by_measure ="), names)
    assert shown == []


def test_what_is_delivered_names_the_readers_files_only(report):
    folder, _, _ = report
    executed = json.loads((folder / "audit.ipynb").read_text("utf-8"))
    given = "".join(executed["cells"][0]["source"])
    assert "table = ['-']" in given
    assert f"{os.sep}standard input" not in given


@pytest.mark.sources
def test_the_chapter_runs_from_top_to_bottom(
    tmp_path, monkeypatch, run_notebook, chapter
):
    """With a table of the reader's, lessons and exercises included."""
    path = file(tmp_path, WIDE, index=True)
    monkeypatch.chdir(tmp_path)
    names = run_notebook(chapter, table=str(path), transpose=False)
    assert names["wide"].shape == WIDE.shape
    assert names["studies"]["three"].levels["assessor"] == 3


def test_empty_standard_input_is_called_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    assert main(["audit", "-", "--out", str(tmp_path / "a")]) == 2
    said = capsys.readouterr().err
    assert (
        said == "gtlib audit: standard input is empty: it has no lines.\n"
    )


def test_closed_standard_input_is_one_sentence(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.setattr("sys.stdin", None)
    assert main(["audit", "-", "--out", str(tmp_path / "a")]) == 2
    assert "Standard input (-) is closed" in capsys.readouterr().err


def command(folder, *arguments):
    return subprocess.Popen(
        [sys.executable, *arguments, "-m", "gtlib", "--version"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_nothing_in_the_current_folder_is_imported(tmp_path):
    for name in ("seaborn", "pandas", "numpy", "tqdm", "argparse"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('owned')")
    out, _ = command(tmp_path).communicate()
    assert out == f"gtlib {gt.__version__}\n"


def test_an_interruption_while_loading_is_quiet(tmp_path):
    process = command(tmp_path, "-X", "importtime")
    for line in process.stderr:
        if line.rstrip().endswith("numpy.version"):
            break
    process.send_signal(signal.SIGINT)
    out, said = process.communicate()
    assert process.returncode == -signal.SIGINT
    assert out == ""
    assert "Traceback" not in said


# Hostile options: generated, each one sentence

NUMBERS = ["", "=", "topic", "topic=", "=1", "topic=x", "topic=nan"]
NUMBERS += ["topic=inf", "topic=1,topic=2", "topic=1,", ",", "topic=1=2"]
NUMBERS += ["topic=-1", "assessor=1", "x=1", "judgment=0", "topic=0"]
NUMBERS += ["<script>=1", "topic=1;judgment=2", "t" * 9999 + "=1"]
GATED = [n.replace("topic", "alpha") for n in NUMBERS[:13]]
GATED += [
    "alpha=-1",
    "alpha=90",
    "alpha.low=0",
    "alpha.high=.9",
    "tau=.9",
    "alpha.low.low=.9",
    "Alpha=.9",
]
TARGETS = ["0", "1", "-1", "nan", "inf", "90", "1e-400", "-0.0"]
DESIGNS = ["", "x", "model", "model x", ":", "model:item", "a:b:c", "()"]
DESIGNS += ["model x model", "model x item x rater", "(model", "model y b"]
DESIGNS += ["system:topic", "item x rater"]
DESIGNS += ["item:model", "model x (item:item)", "a" * 9999, "<b> x c"]
FILES = ["no.csv", "", "./no/", "/dev/null", "a.csv", "x" * 999, "\n", "-"]
MEASURES = ["AP", "AP,", ",", "AP,AP", "AP,nDCG@10", "(", "P@0,AP", " "]
OPTIONS = [
    *(("--cost", text) for text in NUMBERS),
    *(("--fail-under", text) for text in GATED),
    *(("--target", text) for text in TARGETS),
    *(("--budget", text) for text in ["0", "-1", "nan", "inf", "-inf"]),
    *(("--design", text) for text in DESIGNS if text != "item:model"),
    *(("--against", text) for text in FILES if text != "a.csv"),
    *(("--against-qrels", text) for text in FILES),
    *(("--measure", text) for text in MEASURES),
    *(("--sites", text) for text in FILES),
    *(("--held-out", text) for text in FILES),
    *(("--runs", text) for text in FILES),
    *(("--qrels", text) for text in FILES),
]


@pytest.mark.parametrize("option", OPTIONS, ids=range(len(OPTIONS)))
def test_a_hostile_option_is_one_sentence(
    tmp_path, monkeypatch, capsys, option
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    file(tmp_path, WIDE, index=True)
    assert main(["audit", "a.csv", f"{option[0]}={option[1]}"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert len(said.err) < 2000
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_a_price_of_nothing_is_refused():
    for text in ("system x topic", "system x topic x assessor"):
        for cost in ({"topic": 0}, {"judgment": 0.0}):
            with pytest.raises(ValueError, match="would cost nothing"):
                check_plan(Design(text), cost=cost)
    check_plan(Design("system x (assessor:topic)"), cost={"assessor": 1})


TALL = "system,topic,measure,score\n" + "".join(
    f"s{i},{t},{name},{(i * t + i) % 7 / 7}\n"
    for name, systems in {"AP": 4, "K": 2}.items()
    for i in range(systems)
    for t in range(5)
)
SAME = "system,q1,q2,q3\na,.1,.2,.3\nb,.1,.2,.3\nc,.1,.2,.3\n"


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        (TALL, ["--measure", "AP,K"], "Only one of AP and K has scores"),
        (SAME, [], "On every topic all systems have the same score"),
        (SAME.replace(".1", "1e300"), [], "lose their digits"),
        (re.sub(r"\.(\d)", r"\1e-200", SAME), [], "lose their digits"),
    ],
)
def test_what_cannot_be_computed_is_refused(
    text, more, message, tmp_path, capsys
):
    (tmp_path / "table.csv").write_text(text)
    out = ["--out", str(tmp_path / "report")]
    assert main(["audit", str(tmp_path / "table.csv"), *more, *out]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("system,site\na,1\na,2\n", "gives a two sites"),
        ("system,site\na,1\nb,\n", "no site for the system b"),
    ],
)
def test_sites_that_contradict_themselves(text, message, tmp_path):
    (tmp_path / "sites.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        audit.read_sites(tmp_path / "sites.csv")
