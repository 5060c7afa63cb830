"""Files as tools write them.

The small files here have the form that each tool documents, or that its
source writes; the name of what was looked at stands beside each. Where the
mirror has real ones (Terminal-Bench, τ-bench, Inspect), they are read as
well, and their numbers compared with the tool's own.
"""

import gzip
import json
import os
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from gtaudit import collect, read_scores
from gtaudit.columns import Question
from gtaudit.command import main

MODELS = ["gpt-x", "claude-y", "llama-z"]
TASKS = [f"task-{i}" for i in range(6)]
RIGHT = pd.DataFrame(
    np.random.default_rng(5).random((3, 6)) < [[0.7], [0.5], [0.3]],
    MODELS,
    TASKS,
)


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_text(text, "utf-8")
    return path


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def cells(scores):
    table = scores.pivot_table("score", "system", "topic")
    return table.loc[MODELS]


def terminal_bench(run, right):
    """harness/models.py: BenchmarkResults."""
    rows = [
        {
            "id": "0",
            "trial_name": f"{task}.1-of-1.{run}",
            "task_id": task,
            "instruction": "Do it.",
            "is_resolved": bool(right[task]) or (None if i % 2 else False),
            "failure_mode": "unset",
            "parser_results": {"test_it": "passed"},
            "total_input_tokens": 9,
        }
        for i, task in enumerate(TASKS)
    ]
    return {"id": "1", "results": rows, "accuracy": float(right.mean())}


@pytest.mark.parametrize("named", [True, False])
def test_terminal_bench(tmp_path, named):
    for model in MODELS:
        for run in "ab":
            folder = tmp_path / model / f"run-{run}"
            content = terminal_bench(run, RIGHT.loc[model])
            write(folder / "results.json", content)
            write(folder / "tb.lock", "{}")
            if named:
                write(
                    folder / "run_metadata.json",
                    {"agent_name": "terminus", "model_name": model},
                )
    found = collect([tmp_path])
    system = "agent" if named else "system"
    design = f"attempt:({system} x task_id)"
    assert str(found.collection.design) == design
    table = found.collection.cells
    table.index = [name.split()[-1] for name in table.index]
    np.testing.assert_array_equal(table.loc[MODELS, TASKS], RIGHT)
    assert "task_id = topic" in found.reading.sentence
    assert found.reading.shape == (3, 6, 2)


def test_terminal_bench_with_several_attempts_of_a_run(tmp_path):
    for model in MODELS:
        content = terminal_bench("r", RIGHT.loc[model])
        rows = content["results"]
        again = [
            {**row, "trial_name": row["trial_name"].replace("1-of", "2-of")}
            for row in rows
        ]
        write(
            tmp_path / model / "results.json", {"results": [*rows, *again]}
        )
    found = collect([tmp_path])
    assert found.reading.shape == (3, 6, 2)


@pytest.mark.parametrize("version", [1, 2])
def test_tau_bench(tmp_path, version):
    """tau-bench: run.py, EnvRunResult; tau2-bench: SimulationRun."""
    for model in MODELS:
        rows = [
            {
                "task_id": i,
                "trial": trial,
                "reward": float(RIGHT.loc[model].iloc[i]),
                "info": {"task": {}},
                "traj": [{"role": "user"}],
            }
            for i in range(6)
            for trial in range(2)
        ]
        content = rows
        if version == 2:
            simulations = [
                {**row, "reward_info": {"reward": row.pop("reward")}}
                for row in rows
            ]
            content = {
                "info": {"agent_info": {"llm": model}},
                "tasks": [],
                "simulations": simulations,
            }
        write(tmp_path / f"{model}.json", content)
    found = collect([tmp_path])
    system = "system" if version == 1 else "agent"
    design = f"trial:({system} x task_id)"
    assert str(found.collection.design) == design
    np.testing.assert_array_equal(found.collection.cells.loc[MODELS], RIGHT)


def test_swe_bench_results_of_the_leaderboard(tmp_path):
    """experiments: evaluation/verified/SYSTEM/results/results.json."""
    for model in MODELS:
        right = RIGHT.loc[model]
        missing = [t for t in TASKS if not right[t]][:1]
        write(
            tmp_path / model / "results" / "results.json",
            {
                "no_generation": missing,
                "no_logs": [],
                "resolved": [t for t in TASKS if right[t]],
            },
        )
    found = collect([tmp_path])
    topics = found.collection.cells.columns
    np.testing.assert_array_equal(
        found.collection.cells.loc[MODELS], RIGHT[topics]
    )
    assert "counts as not resolved" in " ".join(found.notes)


def test_swe_bench_reports_of_the_harness(tmp_path):
    """SWE-bench: harness/reporting.py, make_run_report."""
    for model in MODELS:
        right = RIGHT.loc[model]
        write(
            tmp_path / f"{model}.run-1.json",
            {
                "total_instances": 6,
                "submitted_ids": TASKS,
                "completed_ids": TASKS,
                "incomplete_ids": [],
                "empty_patch_ids": [],
                "resolved_ids": [t for t in TASKS if right[t]],
                "unresolved_ids": [t for t in TASKS if not right[t]],
                "error_ids": [],
                "schema_version": 2,
            },
        )
    found = read_scores(tmp_path)
    found["system"] = found["system"].str.removesuffix(".run-1")
    np.testing.assert_array_equal(cells(found)[TASKS], RIGHT)


def test_swe_bench_logs_of_each_instance(tmp_path):
    """SWE-bench: run_evaluation/RUN/MODEL/INSTANCE/report.json."""
    for model in MODELS:
        for task in TASKS:
            report = {
                "patch_is_None": False,
                "patch_exists": True,
                "resolved": bool(RIGHT.loc[model, task]),
                "tests_status": {"FAIL_TO_PASS": {"success": []}},
            }
            folder = tmp_path / "run_evaluation" / "run1" / model / task
            write(folder / "report.json", {task: report})
    found = read_scores(tmp_path)
    np.testing.assert_array_equal(cells(found), RIGHT)


def test_swe_bench_pro_verdicts(tmp_path):
    """SWE-bench_Pro-os: eval_results.json; of few names it is not known
    whether they are settings."""
    drawn = np.random.default_rng(8).random((3, 9)) < 0.5
    names = [f"instance_org__repo-{i}a-v{i}" for i in range(9)]
    for model, right in zip(MODELS, drawn.tolist(), strict=True):
        verdicts = dict(zip(names, right, strict=True))
        write(tmp_path / f"{model}.json", verdicts)
    found = read_scores(tmp_path)
    np.testing.assert_array_equal(cells(found), drawn)
    write(tmp_path / "few.json", {"stream": True, "cache": False})
    with pytest.raises(ValueError, match="JSON of an unknown form"):
        read_scores(tmp_path / "few.json")


def test_swe_bench_instances_by_line(tmp_path):
    rows = [
        {"instance_id": t, "model_name_or_path": m, "resolved": bool(r)}
        for m in MODELS
        for t, r in RIGHT.loc[m].items()
    ]
    write(tmp_path / "all.jsonl", lines(rows))
    found = read_scores(tmp_path / "all.jsonl")
    np.testing.assert_array_equal(cells(found)[TASKS], RIGHT)


def helm_run(right, perturbed=False):
    """benchmark/runner.py and metrics/metric.py, PerInstanceStats."""
    rows = [
        {
            "instance_id": f"id{i}",
            "train_trial_index": 0,
            "stats": [
                {
                    "name": {"name": "exact_match", "split": "test"},
                    "count": 1,
                    "sum": float(value),
                    "mean": float(value),
                },
                {
                    "name": {"name": "num_references", "split": "test"},
                    "count": 1,
                    "mean": 4.0,
                },
            ],
        }
        for i, value in enumerate(right)
    ]
    if perturbed:
        rows += [{**r, "perturbation": {"name": "typos"}} for r in rows]
    return rows


def test_helm(tmp_path):
    for subject in ("law", "art"):
        for model in MODELS:
            run = f"mmlu:subject={subject},model=org_{model},data=x"
            values = RIGHT.loc[model]
            if subject == "art":
                values = values[::-1]
            write(
                tmp_path / run / "per_instance_stats.json",
                helm_run(values, perturbed=True),
            )
            write(tmp_path / run / "run_spec.json", {"name": run})
    # Counts are no measures, unless somebody asks for them.
    assert read_scores(tmp_path).attrs["score"] == "exact_match"
    assert read_scores(tmp_path, "num_references")["score"].eq(4).all()
    found = collect([tmp_path], measure="exact_match")
    assert str(found.collection.design) == "model x (instance_id:task)"
    assert found.collection.cells.shape == (3, 12)
    means = found.collection.cells.mean(axis=1)
    for model in MODELS:
        mean = RIGHT.loc[model].mean()
        assert means[f"org_{model}"] == pytest.approx(mean, rel=1e-9)


def inspect_log(model, right, epochs=1):
    samples = [
        {
            "id": i + 1,
            "epoch": epoch,
            "input": "why",
            "target": "42",
            "scores": {
                "match": {"value": "C" if value else "I", "answer": "42"}
            },
        }
        for i, value in enumerate(right)
        for epoch in range(1, epochs + 1)
    ]
    header = {
        "version": 2,
        "status": "success",
        "eval": {"model": f"org/{model}", "task": "popularity"},
    }
    return header, samples


def write_eval(path, header, samples, kind=zipfile.ZIP_DEFLATED):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", kind) as archive:
        for sample in samples:
            name = f"samples/{sample['id']}_epoch_{sample['epoch']}.json"
            archive.writestr(name, json.dumps(sample))
        archive.writestr("header.json", json.dumps(header))


@pytest.mark.parametrize("ending", ["json", "eval"])
@pytest.mark.parametrize("epochs", [1, 3])
def test_inspect(tmp_path, ending, epochs):
    """inspect.aisi.org.uk/eval-logs.html; log/_recorders/eval.py."""
    for model in MODELS:
        header, samples = inspect_log(model, RIGHT.loc[model], epochs)
        path = tmp_path / f"2026-01-01_popularity_{model}.{ending}"
        if ending == "eval":
            write_eval(path, header, samples)
        else:
            write(path, {**header, "samples": samples})
    found = collect([tmp_path])
    table = found.collection.cells
    table.index = table.index.str.removeprefix("org/")
    np.testing.assert_array_equal(table.loc[MODELS], RIGHT)
    nested = (
        found.collection.nouns.repetition in found.collection.design.nesting
    )
    assert nested == (epochs > 1)


def test_inspect_packed_with_zstandard_is_told(tmp_path, monkeypatch):
    """Since inspect_ai's pull request 3145, if INSPECT_USE_ZSTD is set."""
    path = tmp_path / "a.eval"
    write_eval(path, *inspect_log("x", RIGHT.iloc[0]), zipfile.ZIP_STORED)
    content = bytearray(path.read_bytes())
    start = 0
    for mark, place in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        start = 0
        while (start := content.find(mark, start)) >= 0:
            content[start + place] = 93
            start += 4
    path.write_bytes(content)
    told = r"Zstandard.*inspect log convert"
    if sys.version_info >= (3, 14):  # which reads it, and finds none
        told = "cannot be unpacked"
    with pytest.raises(ValueError, match=told):
        read_scores(path)


def test_lm_evaluation_harness_several_tasks_of_a_model(tmp_path):
    """loggers/evaluation_tracker.py, save_results_samples."""
    for model in MODELS:
        for task in ("gsm8k", "arc_easy"):
            rows = [
                {
                    "doc_id": i,
                    "doc": {"question": "why"},
                    "target": "42",
                    "arguments": {"gen_args_0": {}},
                    "resps": [["42"]],
                    "filtered_resps": ["42"],
                    "filter": "none",
                    "metrics": ["acc"],
                    "doc_hash": f"{task}{i}",
                    "prompt_hash": "b",
                    "target_hash": "c",
                    "acc": float(value) if task == "gsm8k" else 1.0 - value,
                }
                for i, value in enumerate(RIGHT.loc[model])
            ]
            name = f"samples_{task}_2026-01-02T03-04-05.678901.jsonl"
            write(tmp_path / model / name, lines(rows))
        write(tmp_path / model / "results_2026-01-02.json", {"results": {}})
    found = collect([tmp_path])
    assert str(found.collection.design) == "model x (doc_id:task)"
    table = found.collection.cells.loc[MODELS]
    np.testing.assert_array_equal(table.filter(like="gsm8k"), RIGHT)
    np.testing.assert_array_equal(table.filter(like="arc"), ~RIGHT)
    assert "task (3 × 12 × 2)" not in found.reading.sentence
    changed = tmp_path / MODELS[0] / name
    changed.write_text(changed.read_text().replace("arc_easy3", "other"))
    with pytest.raises(ValueError, match="doc_id 3 is of two documents"):
        read_scores(tmp_path)


@pytest.mark.parametrize("before", ["", "20260121_034418_"])
def test_lm_evaluation_harness_with_two_filters(tmp_path, before):
    """lmms-eval: logging_utils.py puts the time before the name."""
    for model in MODELS:
        rows = [
            {
                "doc_id": i,
                "filter": name,
                "doc_hash": f"h{i}",
                "exact_match": float(value and name != "strict-match"),
            }
            for i, value in enumerate(RIGHT.loc[model])
            for name in ("strict-match", "flexible-extract")
        ]
        name = f"{before}samples_gsm8k_x.jsonl"
        write(tmp_path / model / name, lines(rows))
    with pytest.raises(ValueError, match="--measure exact_match,"):
        read_scores(tmp_path)
    wanted = "exact_match,flexible-extract"
    found = read_scores(tmp_path, wanted)
    np.testing.assert_array_equal(cells(found), RIGHT)


def test_eval_arena_and_evalstats(tmp_path):
    """eval-arena's README; evalstats' README, the table of aliases."""
    arena = [
        {
            "benchmark_id": "humaneval",
            "model": m,
            "example_id": f"HumanEval/{i}",
            "pass1": float(value),
            "count": 5,
            "correct": 5 * int(value),
        }
        for m in MODELS
        for i, value in enumerate(RIGHT.loc[m])
    ]
    write(tmp_path / "arena.jsonl", lines(arena))
    found = read_scores(tmp_path / "arena.jsonl", "pass1")
    np.testing.assert_array_equal(cells(found), RIGHT)
    rows = [(m, t, int(RIGHT.loc[m, t])) for m in MODELS for t in TASKS]
    for names in (
        ["model_label", "input_label", "result"],
        ["prompt_template", "item", "value"],
        ["template", "input", "score"],
        ["model_name", "example", "score"],
    ):
        table = pd.DataFrame(rows, columns=names)
        table.to_csv(tmp_path / "e.csv", index=False)
        found = read_scores(tmp_path / "e.csv")
        np.testing.assert_array_equal(cells(found)[TASKS], RIGHT)


@pytest.mark.parametrize("names", [("user_input", "response")])
def test_ragas(tmp_path, names):
    """docs.ragas.io: EvaluationResult.to_pandas().to_csv()."""
    rng = np.random.default_rng(1)
    for model in MODELS:
        table = pd.DataFrame(
            {
                names[0]: [f"What is {t}, and why?" for t in TASKS],
                "retrieved_contexts": ["['a, b', 'c']"] * 6,
                names[1]: [f"It is\n{i}." for i in range(6)],
                "reference": ["It is."] * 6,
                "faithfulness": rng.random(6).round(3),
                "answer_relevancy": rng.random(6).round(3),
            }
        )
        table.to_csv(tmp_path / f"{model}.csv", index=False)
    with pytest.raises(
        ValueError, match="--measure faithfulness or --meas"
    ):
        read_scores(tmp_path)
    found = collect([tmp_path], measure="faithfulness")
    assert {*found.collection.cells.index} == {*MODELS}
    assert found.collection.cells.shape == (3, 6)


def test_questions_of_ragas_that_are_there_twice(tmp_path):
    table = pd.DataFrame(
        {
            "user_input": ["What?", "Why?", "Who?"] * 2,
            "response": [*"abcdef"],
            "retrieved_contexts": ["['a']"] * 6,
            "faithfulness": np.arange(6) / 7,
        }
    )
    table.to_csv(tmp_path / "one.csv", index=False)
    with pytest.raises(ValueError, match="one is the only system") as said:
        collect([tmp_path / "one.csv"], measure="faithfulness")
    assert "has several rows, 'What?'" in str(said.value)
    assert "add a column run" in str(said.value)


@pytest.mark.parametrize("form", ["json", "python", "hidden"])
def test_deepeval(tmp_path, form):
    """deepeval: test_run/api.py, and evaluate/types.py in Python; what it
    keeps in the folder of a project is hidden."""
    cases, metrics, place = "testCases", "metricsData", "{}.json"
    if form == "python":
        cases, metrics = "test_results", "metrics_data"
    if form == "hidden":
        place = "{}/.deepeval/.latest_test_run.json"
    for model in MODELS:
        document = {
            cases: [
                {
                    "name": f"test_case_{i}",
                    "input": f"What is {t}?",
                    "success": False,
                    metrics: [
                        {"name": "Bias", "score": 0.5, "success": True},
                        {"name": "Faithfulness", "score": int(right)},
                    ],
                }
                for i, (t, right) in enumerate(RIGHT.loc[model].items())
            ],
        }
        if form == "hidden":
            rows = [{"metric": "Bias", "scores": [0.5], "passes": 1}]
            document = {"testRunData": {**document, "metricsScores": rows}}
        write(tmp_path / place.format(model), document)
    with pytest.raises(Question) as asked:
        read_scores(tmp_path)
    assert asked.value.ways == ("--measure Bias", "--measure Faithfulness")
    assert "people who judged" not in str(asked.value)
    found = read_scores(tmp_path, "Faithfulness")
    np.testing.assert_array_equal(cells(found).loc[MODELS], RIGHT)


def test_an_experiment_of_phoenix(tmp_path):
    """arize-phoenix: GET /v1/experiments/ID/json."""
    for model in MODELS:
        rows = [
            {
                "example_id": f"RGF0{i}",
                "repetition_number": repetition,
                "input": {"question": "why"},
                "output": "because",
                "error": None,
                "latency_ms": 9.5,
                "annotations": [
                    {"name": "right", "label": "x", "score": float(right)}
                ],
            }
            for i, right in enumerate(RIGHT.loc[model])
            for repetition in (1, 2)
        ]
        write(tmp_path / f"{model}.json", rows)
    found = read_scores(tmp_path)
    assert found.attrs["reading"].shape == (3, 6, 2)
    np.testing.assert_array_equal(cells(found), RIGHT)


def test_traces_of_langfuse(tmp_path):
    """langfuse: GET /api/public/traces, a page of it."""
    values = np.random.default_rng(2).random(8).round(2)
    traces = [
        {
            "id": f"a{i}",
            "input": f"Why {i}?",
            "latency": 1.5,
            "scores": [{"name": "quality", "value": v, "comment": "ok"}],
        }
        for i, v in enumerate(values)
    ]
    traces[3]["scores"] = []
    write(tmp_path / "a.json", {"data": traces, "meta": {"page": 1}})
    found = read_scores(tmp_path / "a.json")
    assert [*found["score"]] == [*np.delete(values, 3)]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("attempts", [1, 4])
def test_live_code_bench(tmp_path, own, attempts):
    """LiveCodeBench: runner/main.py, eval_all; OpenCompass' evaluator."""
    shares = {}
    for model in MODELS:
        drawn = np.random.default_rng(len(model)).random((6, attempts))
        problems = [
            {
                "question_id": f"18{i}_A",
                "contest_id": f"18{i % 2}",
                "difficulty": "easy",
                "code_list": ["x"] * attempts,
                "graded_list": [bool(g) for g in row < 0.5],
                "pass@1": float(np.mean(row < 0.5)),
            }
            for i, row in enumerate(drawn)
        ]
        shares[model] = [p["pass@1"] for p in problems]
        by_name = {p["question_id"]: p for p in problems}
        write(
            tmp_path / model / "Scenario.codegeneration_eval_all.json",
            problems if own else {"pass@1": 0.5, "eval": by_name},
        )
    found = read_scores(tmp_path)
    shape = (3, 6, attempts) if attempts > 1 else (3, 6)
    assert found.attrs["reading"].shape == shape
    np.testing.assert_allclose(cells(found), [*shares.values()])


ARENA = {
    "uid": "1",
    "model": "x",
    "judge": "j",
    "games": [{"score": "A>B"}, {"score": "B>>A"}],
}
AVERAGES = {
    "results": {"arc": {"acc,none": 0.5}},
    "configs": {},
    "versions": {"arc": 1},
}
STAT = {
    "name": {"name": "em", "split": "test"},
    "sum_squared": 1,
    "mean": 1,
}
LOG = {"model": "m", "task": "t"}
SEGMENTS = {"document_id": "d1", "metric_scores": {"XCOMET": [0.5, 0.7]}}
AIDER = "- dirname: a\n  model: x\n  pass_rate_1: 61.7\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("results_1.json", json.dumps(AVERAGES), "--log_samples"),
        ("a.json", '{"testRunLink": "x"}', "deepeval logout"),
        ("stats.json", json.dumps([STAT]), "per_instance_stats.json"),
        ("log.json", json.dumps({"eval": LOG}), "bring the whole log"),
        ("a.jsonl", json.dumps(SEGMENTS), "line 1: XCOMET is a list"),
        ("x.jsonl", f"{json.dumps(ARENA)}\n" * 3, "as Arena-Hard writes"),
        ("board.yml", AIDER, "as aider writes its leaderboards"),
        ("other.yaml", "a: 1\n", "is YAML, which is not read"),
    ],
)
def test_what_tools_write_beside_scores_is_named(
    tmp_path, name, content, words
):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=words):
        read_scores(tmp_path / name)


DOCUMENTS = [f"d{i}" for i in range(8)]
NUMBERS = np.random.default_rng(5)


def by_topic(value, share=1.0, names=DOCUMENTS, topics="q{}"):
    """Documents, all or some of the same, with a number each."""
    return {
        topics.format(i): {
            d: value() for d in names if NUMBERS.random() < share
        }
        for i in range(7)
    }


def score():
    return round(20 * NUMBERS.random(), 4)


def grade():
    return int(NUMBERS.integers(3))


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (by_topic(score), "like a run.*d0, d1, d2 and 5 more"),
        (by_topic(score, topics="30{}"), "like a run"),
        (by_topic(score, 0.6), "like a run"),
        (by_topic(grade), "like judgments.*with --qrels"),
        (by_topic(grade, 0.6), "like judgments"),
        (by_topic(grade, 0.4, [*map(str, range(90))]), "like judgments"),
        ({f"q{i}": {f"x{i}": 1} for i in range(5)}, "like judgments"),
    ],
)
def test_documents_by_topic_are_no_scores(tmp_path, document, words):
    """amenra.github.io/ranx: Run.save, Qrels.save; pytrec_eval."""
    write(tmp_path / "a.json", document)
    with pytest.raises(ValueError, match=words):
        collect([tmp_path / "a.json"])
    said = read_scores(tmp_path / "a.json", roles={"rows": "topic"})
    assert {*said.columns} == {*document}


SCORED = ["bm25", "dense", "bm25-k0.9-b0.4"]
WHO = ["system1", "system2", "system3"]


@pytest.mark.parametrize(
    "document",
    [
        {s: {f"q{i}": score() for i in range(9)} for s in SCORED},
        {s: {f"q{i}": grade() % 2 for i in range(9)} for s in WHO},
        {s: {f"doc{i}": score() for i in range(9)} for s in SCORED},
        {s: {str(i): grade() % 2 for i in range(9)} for s in [*"abc"]},
        by_topic(score, names=SCORED),
        by_topic(score, names=WHO),
        by_topic(grade, names=["k0.9-b0.4", "k1.2-b0.75", "k2.0-b0.1"]),
    ],
)
def test_scores_of_systems_by_topic_are_no_documents(tmp_path, document):
    write(tmp_path / "a.json", document)
    with suppress(Question):  # where nothing says what the rows are
        found = collect([tmp_path / "a.json"])
        assert found.collection.cells.shape in ((3, 9), (3, 7))


@pytest.mark.parametrize("meta", [True, False])
def test_mteb(tmp_path, meta):
    """Repository results: MODEL/REVISION/TASK.json; TaskResult."""
    scores = RIGHT * 0.5 + 0.25
    for k, model in enumerate(MODELS):
        folder = tmp_path / model / f"{k}abc123def"
        for task in TASKS:
            rows = [
                {
                    "hf_subset": subset,
                    "languages": ["eng-Latn"],
                    "main_score": scores.loc[model, task],
                    "ndcg_at_10": 0.5,
                }
                for subset in ("default", "de")
            ]
            write(
                folder / f"{task}.json",
                {
                    "dataset_revision": "x",
                    "task_name": task,
                    "mteb_version": "1.14.15",
                    "scores": {"dev": rows, "test": rows},
                    "evaluation_time": 16.5,
                },
            )
        if meta:
            write(folder / "model_meta.json", {"name": model})
    found = read_scores(tmp_path)
    np.testing.assert_allclose(cells(found)[TASKS], scores)
    assert found["topic"].nunique() == 12


@pytest.mark.parametrize("subsets", [True, False])
def test_mteb_as_it_was_written_early(tmp_path, subsets):
    """mteb 1.6: a task's splits beside its name; subsets within."""
    scores = RIGHT * 0.5 + 0.25
    for model in MODELS:
        for task in TASKS:
            of = {"main_score": scores.loc[model, task], "f1": 0.1}
            split = {"en": of, "evaluation_time": 9.8} if subsets else of
            write(
                tmp_path / model / f"{task}.json",
                {"mteb_dataset_name": task, "test": split},
            )
    found = read_scores(tmp_path)
    np.testing.assert_allclose(cells(found), scores)
    assert ("task-0 en" in {*found["topic"]}) == subsets
    write(
        path := tmp_path / "x.json", {"mteb_dataset_name": "x", "test": {}}
    )
    with pytest.raises(ValueError, match="has no main_score of the task x"):
        read_scores(path)


def test_battles_are_refused_with_what_to_bring(tmp_path, capsys):
    rows = [
        {
            "question_id": str(i),
            "model_a": MODELS[i % 3],
            "model_b": MODELS[(i + 1) % 3],
            "winner": "model_a" if i % 2 else "tie",
            "judge": "arena_user",
        }
        for i in range(9)
    ]
    for path, content in {
        "b.jsonl": lines(rows),
        "b.json": json.dumps(rows),
        "b.csv": pd.DataFrame(rows).to_csv(index=False),
    }.items():
        write(tmp_path / path, content)
        given = [
            "audit",
            str(tmp_path / path),
            "--out",
            str(tmp_path / "r"),
        ]
        assert main(given) == 2
        said = capsys.readouterr().err
        assert "battles of two models" in said and "Bring a score" in said


# Real files, where the mirror is


def mirror(pattern):
    folder = os.environ.get("GTLIB_MIRROR")
    if folder is None:
        pytest.skip("the mirror is not here")
    found = sorted(Path(folder).glob(pattern))
    assert found, pattern
    return found


BENCH = "laude-institute/terminal-bench-leaderboard/*/results/*"


@pytest.mark.slow
def test_a_real_folder_of_terminal_bench():
    (folder,) = mirror(BENCH)
    found = collect([folder])
    assert found.reading.shape == (5, 80, 5)
    own: dict[str, list[float]] = {}
    for path in folder.rglob("*.json.gz"):
        said = json.loads(gzip.decompress(path.read_bytes()))
        agent = path.relative_to(folder).parts[0]
        own.setdefault(agent, []).append(said["accuracy"])
    for agent, values in own.items():
        mean = found.collection.cells.loc[agent].mean()
        assert mean == pytest.approx(np.mean(values)), agent
    several = collect(sorted(folder.iterdir()))
    pd.testing.assert_frame_equal(
        several.collection.cells, found.collection.cells
    )


def test_real_trajectories_of_tau_bench():
    (path,) = mirror("sierra-research/**/*.json.gz")
    found = read_scores(path)
    rows = json.loads(gzip.decompress(path.read_bytes()))
    assert found.attrs["reading"].shape == (1, 50, 4)
    mean = np.mean([r["reward"] for r in rows])
    assert found["score"].mean() == pytest.approx(mean, rel=1e-9)


def test_real_logs_of_inspect():
    paths = mirror("UKGovernmentBEIS/**/*.eval")
    paths += mirror("UKGovernmentBEIS/**/*.json")
    said = []
    for path in paths:
        try:
            found = read_scores(path)
        except ValueError as error:
            said.append(str(error))
            continue
        assert found["score"].isin([0, 1]).all()
        assert "sample_id = topic" in found.attrs["reading"].sentence
    # One of them was written before it was scored.
    assert len(said) == 1 and "no score of a sample" in said[0]


def test_promptfoo_results(tmp_path):
    rows = [
        {
            "testIdx": i,
            "promptIdx": p,
            "provider": {"id": name, "label": ""},
            "score": round(0.1 * i + 0.05 * p, 2),
        }
        for i in range(6)
        for p, name in enumerate(["openai:a", "openai:b", "openai:b"])
    ]
    path = tmp_path / "out.json"
    path.write_text(
        json.dumps({"evalId": "e", "results": {"results": rows}})
    )
    found = read_scores(path)
    assert [*found["system"].unique()] == [
        "openai:a",
        "openai:b prompt 1",
        "openai:b prompt 2",
    ]
    assert found["score"].sum() == pytest.approx(3 * 1.5 + 6 * 0.15)


def test_openai_evals_logs(tmp_path):
    for name, right in {"a": [1, 0, 1], "b": [0, 0, 1]}.items():
        events = [{"spec": {"completion_fns": [name], "eval_name": "t"}}]
        for i, correct in enumerate(right):
            sample = {"run_id": "r", "sample_id": f"t.{i}"}
            data = {"correct": bool(correct), "picked": None}
            events += [
                sample | {"type": "sampling", "data": {"prompt": "x"}},
                sample | {"type": "match", "data": data},
            ]
        events.append({"final_report": {"accuracy": 0.5}})
        lines = "\n".join(map(json.dumps, events))
        (tmp_path / f"{name}.jsonl").write_text(lines)
    found = read_scores(sorted(tmp_path.glob("*.jsonl")))
    cells = found.pivot_table("score", "system", "topic")
    assert cells.to_numpy().tolist() == [[1, 0, 1], [0, 0, 1]]


def test_a_right_answer_of_lm_evaluation_harness_is_no_score(tmp_path):
    """It may be a number, as of a multiple choice."""
    rows = [
        {
            "doc_id": i,
            "target": "1",
            "filter": of,
            "doc_hash": str(i),
            "exact_match": i % 2,
        }
        for i in range(4)
        for of in ("strict", "flexible")
    ]
    path = tmp_path / "m" / "samples_t.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match="there are 2 measures"):
        read_scores(path)
