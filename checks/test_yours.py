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
READ = 'pd.read_csv("scores.csv")'
DESIGN = 'design = " x ".join(yours.columns[:-1])'
# Chapters whose sentence says so where there are none.
WITHOUT_ASSESSORS = {"02", "04", "05"}


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
    """The cells of the section, and those that import."""
    cells = json.loads(chapter.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    imports = next(
        source
        for source in ("".join(c["source"]) for c in code)
        if "import gtlib" in source and "except" not in source
    )
    titles = [
        place
        for place, cell in enumerate(cells)
        if cell["cell_type"] == "markdown"
        and re.search("^## ", "".join(cell["source"]), re.M)
    ]
    (begin,) = [
        place
        for place in titles
        if "## Now yours\n" in "".join(cells[place]["source"])
    ]
    section = cells[begin : titles[titles.index(begin) + 1]]
    return imports, section


def run(chapter, path, design=None):
    """Run a box on a file: what it shows, and what it says."""
    imports, section = box(chapter)
    names, shown = {}, []
    exec(imports, names)
    for cell in section:
        source = "".join(cell["source"])
        hidden = "remove-cell" in cell["metadata"].get("tags", [])
        if cell["cell_type"] != "code" or hidden:
            continue
        source = source.replace(READ, f"pd.read_csv({str(path)!r})")
        if design:
            source = source.replace(DESIGN, f"design = {design!r}")
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else 0
        with redirect_stdout(StringIO()) as out:
            exec(compile(tree, chapter.name, "exec"), names)
            if last:
                value = eval(ast.unparse(last), names)
                if value is not None:
                    print(value.to_html())
        shown.append(out.getvalue())
    return shown


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_box_has_its_parts(chapter):
    """A file that is read in one line, three lines, a sentence, a link."""
    _, section = box(chapter)
    code = [c for c in section if c["cell_type"] == "code"]
    sources = ["".join(c["source"]) for c in code]
    assert sum(READ in source for source in sources) == 1
    assert "scores.csv" in sources[0]
    visible = [c for c in code if not c["metadata"].get("tags")]
    assert len(visible) == 1
    assert len(ast.parse("".join(visible[0]["source"])).body) <= 8
    text = "\n".join("".join(c["source"]) for c in section)
    text = " ".join(text.split())
    assert (
        f"<exercises-of-{chapter.stem[3:]}>`" in text
        or "](../book/assignments.md)" in text
    )
    assert re.search(r"scores\.csv`? ?[<(]|\(\.\./data/scores/scores", text)
    assert "../data/scores/scores.csv" in text


@pytest.mark.parametrize("table", TABLES + BARE)
@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_box_runs_on_other_tables(chapter, table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "my own.csv"
    table().to_csv(path, index=False)
    *_, output, sentence = run(chapter, path)
    assert re.search(r"\d|no interval of \w+: \w", output)
    words = " ".join(sentence.split())
    assert re.match(r"[A-Z].+\.$", words), words
    assert len(words.split()) >= 12 or "assessors" in words
    assert not re.search(r"\b(nan|None|inf|NaT)\b", words), words
    assert max(map(len, sentence.splitlines())) <= 70
    number = chapter.stem[:2]
    if number in WITHOUT_ASSESSORS:
        without = "no assessors" in words
        assert without == (table in BARE), words


def test_our_own_table_is_put_beside_a_notebook_but_never_over_another(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    run(CHAPTERS[1], "scores.csv")
    mine = tmp_path / "scores.csv"
    pd.testing.assert_frame_equal(pd.read_csv(mine), ours())
    wide().to_csv(mine, index=False)
    before = mine.read_bytes()
    run(CHAPTERS[1], "scores.csv")
    assert mine.read_bytes() == before


def test_a_table_that_is_nested_already_needs_its_design(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.csv"
    table = ours()
    table["assessor"] += " of " + table["topic"].astype(str)
    table.to_csv(path, index=False)
    design = "system x (assessor:topic)"
    with pytest.raises(ValueError, match="Write 'assessor:topic'"):
        run(CHAPTERS[5], path)
    *_, sentence = run(CHAPTERS[5], path, design)
    assert "new ones for each topic" in " ".join(sentence.split())
    *_, output, _ = run(CHAPTERS[3], path, design)
    plan = gt.gstudy(table, design).plan()
    assert str(plan.interval("dependability")) in output


def test_what_a_box_cannot_read_it_refuses_in_plain_words(
    tmp_path, monkeypatch
):
    """Other names of columns, and each topic with its own assessor."""
    monkeypatch.chdir(tmp_path)
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
