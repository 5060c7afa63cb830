"""The boxes *Now yours*, run on tables that readers may have."""

import ast
import json
import re
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parents[1]
CHAPTERS = sorted((ROOT / "notebooks").glob("0[0-7]-*.ipynb"))
OURS = 'yours = gt.load("scores")\n'
YOURS = '# yours = gt.tidy(pd.read_csv("my-scores.csv"))\n'


def ours():
    return gt.load("scores")


def with_gaps():
    """A tenth of the scores is missing, as empty cells."""
    table = ours()
    rows = table.sample(frac=0.1, random_state=1).index
    table.loc[rows, "score"] = np.nan
    return table


def ratings():
    """Points from 1 to 5 by four people, whose column has another name."""
    rng = np.random.default_rng(3)
    sizes = {"system": 6, "topic": 15, "assessor": 4}
    place = np.indices([*sizes.values()]).reshape(3, -1)
    table = pd.DataFrame(dict(zip(sizes, place, strict=True)))
    score = 3 + rng.normal(0, 0.7, len(table))
    for facet, number in sizes.items():
        score += rng.normal(0, 0.7, number)[table[facet]]
    table["system"] = "model " + table["system"].astype(str)
    return table.assign(score=np.clip(score.round(), 1, 5).astype(int))


def wide():
    """A row per system, a column per topic, and no assessors."""
    return ours().pivot_table("score", "system", "topic").reset_index()


def wide_with_gaps():
    table = wide()
    table.columns = ["run", *table.columns[1:]]
    for row, column in [(0, 3), (2, 3), (5, 7), (6, 20)]:
        table.iloc[row, column] = np.nan
    return table


def topics_in_rows():
    return ours().pivot_table("score", "topic", "system").reset_index()


def one_assessor():
    table = ours()
    return table[table["assessor"] == table["assessor"].min()]


def few():
    """Three systems on four topics, hardly a table."""
    return wide().iloc[:3, :5]


TABLES = [ours, with_gaps, ratings]
BARE = [wide, wide_with_gaps, topics_in_rows, one_assessor, few]


@cache
def box(chapter):
    """The cell of the section, and the one that imports."""
    cells = json.loads(chapter.read_text("utf-8"))["cells"]
    imports = next(
        source
        for source in ("".join(c["source"]) for c in cells)
        if "import gtlib" in source
    )
    (begin,) = [
        place
        for place, cell in enumerate(cells)
        if "".join(cell["source"]).startswith("## Now yours\n")
    ]
    assert cells[begin + 1]["cell_type"] == "code"
    return imports, "".join(cells[begin + 1]["source"])


def run(chapter, path, **changes):
    """Run a box on a file: what it shows."""
    imports, source = box(chapter)
    names = {}
    exec(imports, names)
    source = source.replace(OURS, "").replace(
        YOURS, f"yours = gt.tidy(pd.read_csv({str(path)!r}))\n"
    )
    for old, new in changes.items():
        source = re.sub(rf"\b{old}\b", new, source)
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else 0
    with redirect_stdout(StringIO()) as out:
        exec(compile(tree, chapter.name, "exec"), names)
        if last:
            value = eval(ast.unparse(last), names)
            if value is not None:
                print(value.to_html())
    return out.getvalue()


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_box_is_one_cell_with_one_line_to_change(chapter):
    _, source = box(chapter)
    assert source.startswith(OURS + YOURS)
    assert len(ast.parse(source).body) <= 8


@pytest.mark.parametrize("table", TABLES + BARE)
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_box_runs_on_other_tables(chapter, table, tmp_path):
    path = tmp_path / "my own.csv"
    table().to_csv(path, index=False)
    shown = run(chapter, path)
    assert re.search(r"\d|no interval of \w+: \w", shown)
    assert not re.search(r"\b(nan|None|inf|NaT)\b", shown), shown


def test_a_table_that_is_nested_already_needs_its_design(tmp_path):
    path = tmp_path / "mine.csv"
    table = ours()
    table["assessor"] += " of " + table["topic"].astype(str)
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match="Write 'assessor:topic'"):
        run(CHAPTERS[5], path)
    shown = run(CHAPTERS[5], path, crossed="nested")
    design = "system x (assessor:topic)"
    plan = gt.gstudy(table, design).plan()
    assert f"{plan.interval('dependability'):.2f}" in shown


def test_what_a_box_cannot_read_it_refuses_in_plain_words(tmp_path):
    """Other names of columns, and each topic with its own assessor."""
    path = tmp_path / "mine.csv"
    table = ours().rename(columns={"system": "model", "score": "rating"})
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match="no column 'system' or 'score'"):
        run(CHAPTERS[3], path)
    table = one_assessor()
    table["assessor"] = "judge of " + table["topic"].astype(str)
    table.to_csv(path, index=False)
    with pytest.raises(ValueError, match="assessor"):
        run(CHAPTERS[3], path)
