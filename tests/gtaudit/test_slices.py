"""Who is the best in each part of the topics, all held together."""

import json

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

import gtaudit
from gtaudit.command import main
from gtaudit.slices import describe_slices
from tests.gtaudit.test_golden_reports import SCHEMA

SIZES = {"math": 50, "code": 35, "law": 12}
SYSTEMS = ["alpha", "beta", "gamma", "delta"]
EFFECTS = {"math": [3, 0, 0, 0], "code": [0, 3, 1, 0], "law": [0] * 4}


def drawn(seed=0, effects=EFFECTS):
    """Synthetic scores of four systems in three categories, a row each."""
    rng = np.random.default_rng(seed)
    names = [name for name, size in SIZES.items() for _ in range(size)]
    truth = np.array([effects[name] for name in names])
    scores = truth + rng.normal(0, 3, (len(names), 4))
    table = pd.DataFrame(scores, columns=SYSTEMS)
    table.insert(0, "task", [f"t{i}" for i in range(len(names))])
    table.insert(1, "category", names)
    return table


def written(table, folder):
    path = folder / "a.csv"
    table.to_csv(path, index=False)
    return str(path)


def studied(path, column="category", baseline=None, margin=None):
    audited = gtaudit.collect(path)
    slices = gtaudit.read_slices(path, column, audited)
    collection = audited.collection
    found = gtaudit.study_slices(collection, slices, baseline, margin)
    return found, collection


def long_of(table):
    kept = ["task", "category"]
    return table.melt(kept, var_name="model", value_name="score")


@pytest.mark.slow
@pytest.mark.parametrize("form", [lambda table: table, long_of])
def test_each_part_is_a_t_test_and_all_are_held_together(tmp_path, form):
    table = drawn()
    found, _ = studied(written(form(table), tmp_path))
    assert dict(found["topics"]) == SIZES
    p = []
    for name, row in found.iterrows():
        part = table.loc[table["category"] == name, SYSTEMS]
        first = part.mean().idxmax()
        assert row["a"] == first
        others = part.columns.drop(first)
        tests = {b: stats.ttest_rel(part[first], part[b]) for b in others}
        nearest = max(tests, key=lambda b: tests[b].pvalue)
        assert row["b"] == nearest
        assert row["p"] == pytest.approx(tests[nearest].pvalue)
        ends = tests[nearest].confidence_interval(1 - 0.05 / 3)
        assert [row["low"], row["high"]] == pytest.approx([*ends])
        p.append(tests[nearest].pvalue)
    sure, adjusted, *_ = multipletests(p, method="holm")
    assert [*found["p_adjusted"]] == pytest.approx([*adjusted])
    assert [*(found["answer"] == "enough")] == [*sure]
    assert found.loc["math", "answer"] == "enough"


def test_beside_a_baseline_and_within_a_margin(tmp_path):
    table = drawn()
    found, _ = studied(written(table, tmp_path), "category", "delta", 1.0)
    for name, row in found.iterrows():
        part = table.loc[table["category"] == name, SYSTEMS]
        best = part.mean().drop("delta").idxmax()
        assert (row["a"], row["b"]) == (best, "delta")
        expected = stats.ttest_1samp(
            part[best] - part["delta"], -1.0, alternative="greater"
        )
        assert row["p"] == pytest.approx(min(3 * expected.pvalue, 1))


def test_more_topics_of_a_part_are_said_where_they_would_tell(tmp_path):
    found, collection = studied(written(drawn(), tmp_path))
    said = describe_slices(found, collection)
    lines = dict(zip(found.index, said, strict=True))
    for name, row in found.iterrows():
        answer, said = lines[name]
        assert answer == row["answer"]
        assert said.startswith(f"{name} ({row['topics']}): ")
        assert ("would tell" in said) == (answer != "enough")


@pytest.mark.slow
def test_what_is_too_small_says_so(tmp_path):
    table = drawn()
    table.loc[0, "category"] = "one"
    table.loc[1:3, "category"] = "tied"
    table.loc[1:3, SYSTEMS] = 1.0
    found, collection = studied(written(table, tmp_path))
    for name in ("one", "tied"):
        assert found.loc[name, "answer"] == "cannot be told"
        assert isinstance(found.loc[name, "why"], str)
    said = [s for _, s in describe_slices(found, collection)]
    assert sum("too small to tell" in s for s in said) == 2


@pytest.mark.slow
def test_the_command_tells_and_writes_it(tmp_path, capsys):
    path = written(drawn(), tmp_path)
    out = ["--out", str(tmp_path / "audit.html")]
    assert main(["audit", path, "--by", "category", *out]) == 0
    told = capsys.readouterr().out
    assert "By category, all 3 held together:" in told
    numbers = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    jsonschema.validate(numbers, json.loads(SCHEMA.read_text("utf-8")))
    found, _ = studied(path)
    assert [row["slice"] for row in numbers["slices"]] == [*found.index]
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "By category" in page


@pytest.mark.slow
def test_names_are_text_whatever_they_hold(tmp_path, capsys):
    table = drawn()
    table["category"] = table["category"].replace("law", "<b>law</b>&")
    path = written(table.rename(columns={"category": "<i>"}), tmp_path)
    out = ["--out", str(tmp_path / "audit.html")]
    assert main(["audit", path, "--by", "<i>", *out]) == 0
    page = (tmp_path / "audit.html").read_text("utf-8")
    assert "<b>law" not in page and "&lt;b&gt;law" in page


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("categry", "Did you mean category"),
        ("task", "another for each"),
        ("same", "one value for all"),
        ("alpha", "another for each"),
    ],
)
def test_what_is_no_part_of_the_topics_is_refused(tmp_path, column, said):
    path = written(drawn().assign(same="x"), tmp_path)
    with pytest.raises(ValueError, match=said):
        studied(path, column)


def test_a_topic_of_two_parts_is_refused(tmp_path):
    table = long_of(drawn())
    table.loc[0, "category"] = "law"
    with pytest.raises(ValueError, match="t0 has several, law, math"):
        studied(written(table, tmp_path))


def test_rows_that_are_systems_have_no_column_of_topics(tmp_path):
    table = drawn().set_index("task")[SYSTEMS].T.rename_axis("system")
    path = written(table.reset_index().assign(size=[1, 1, 2, 2]), tmp_path)
    with pytest.raises(ValueError, match="says which task a row is of"):
        studied(path, "size")


@pytest.mark.slow
def test_of_equal_systems_a_part_is_enough_as_seldom_as_is_said(tmp_path):
    """In all 300 synthetic tables together, at most 5 of 100 have one."""
    none = dict.fromkeys(SIZES, [0] * 4)
    wrong = 0
    for seed in range(300):
        found, _ = studied(written(drawn(seed, none), tmp_path))
        wrong += (found["answer"] == "enough").any()
    assert wrong <= stats.binom.ppf(0.99, 300, 0.05)


NONE = {"x": [[1, 1, 1], [0, 0, 0]], "y": [[1, 0, 0]], "z": [[0, 0, 1]]}


def test_slices_of_which_none_has_an_answer_are_told(tmp_path, capsys):
    rows = [[*row, name] for name, part in NONE.items() for row in part]
    table = pd.DataFrame(rows, columns=[*"abc", "category"])
    table.insert(0, "task", [f"t{i}" for i in range(len(table))])
    path = written(table, tmp_path)
    out = ["--out", str(tmp_path / "a.html")]
    assert main(["audit", path, "--by", "category", *out]) == 0
    assert capsys.readouterr().out.count("too small to tell") == len(NONE)


def test_a_facet_of_the_design_has_no_slices(tmp_path, capsys):
    table = drawn().groupby("category").head(12)
    table = table.melt(["task", "category"], var_name="model")
    path = written(table, tmp_path)
    design = ["--design", "model x (task:category)"]
    assert main(["audit", path, "--by", "category", *design]) == 2
    assert "the design has it as a facet" in capsys.readouterr().err
