"""The notebooks' form: what a reader may rely on in every one of them."""

import re

import nbformat
import pytest
import yaml

from checks.conftest import ROOT, read

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REPORT = ROOT / "gtapps" / "audit" / "report.ipynb"

KERNEL = {
    "display_name": "Python 3",
    "language": "python",
    "name": "python3",
}

SETUP = """\
try:
    import gtlib as gt
except ImportError:
    print('In the folder of the book: pip install ".[notebooks]"')
    raise"""


@pytest.fixture(params=CHAPTERS, ids=lambda path: path.stem)
def notebook(request):
    return read(request.param)


@pytest.fixture(params=[*CHAPTERS, REPORT], ids=lambda path: path.stem)
def any_notebook(request):
    return read(request.param)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose(notebook):
    return "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type != "code"
    )


def headings(notebook):
    return re.findall(r"^#+ +(.+)$", prose(notebook), flags=re.M)


def figure(cell):
    return cell.metadata.get("mystnb", {}).get("figure")


def test_a_notebook_is_valid_and_its_cells_have_names(any_notebook):
    nbformat.validate(any_notebook)
    ids = [cell.id for cell in any_notebook.cells]
    assert len(set(ids)) == len(ids)


def test_a_notebook_is_stored_bare(any_notebook):
    """As nbstripout leaves it: of cells only what the book is told."""
    for cell in code(any_notebook):
        assert cell.outputs == [], cell.id
        assert cell.execution_count is None, cell.id
    for cell in any_notebook.cells:
        assert {*cell.metadata} <= {"tags", "mystnb", "jupyter"}, cell.id
    assert dict(any_notebook.metadata) == {"kernelspec": KERNEL}


def test_the_first_code_cell_says_how_to_install_gtlib(notebook):
    first = code(notebook)[0]
    assert first.source == SETUP
    assert "remove-cell" in first.metadata.tags


def test_a_cell_holds_one_idea(any_notebook):
    for cell in code(any_notebook):
        lines = cell.source.splitlines()
        assert len(lines) <= 25, cell.source
        assert max(map(len, lines), default=0) <= 76, cell.source


def test_whatever_is_drawn_is_a_figure_described_in_words(notebook):
    for cell in code(notebook):
        if re.search(r"^figures\.(?!use_style)", cell.source, flags=re.M):
            assert figure(cell), cell.source
        if figure(cell):
            assert figure(cell)["name"].startswith("fig-"), cell.source
            assert len(figure(cell)["caption"].split()) > 3, cell.source
            alt = cell.metadata["mystnb"]["image"]["alt"]
            assert len(alt.split()) > 4, cell.source


def test_a_chapter_begins_with_its_question_and_ends_with_its_sources(
    notebook,
):
    assert notebook.cells[0].source.startswith("# ")
    assert re.search(r"\{admonition\} Overview", prose(notebook))
    said = " | ".join(headings(notebook)).lower()
    for part in ["summary", "what next", "references"]:
        assert part in said, f"no heading says {part}"
    assert "{bibliography}" in prose(notebook)


# Not words of prose: what is folded, formulas, and the marks of MyST.
NOT_PROSE = [
    r"(?s)```\{solution-start\}.*?```\{solution-end\}",
    r"(?s)\$\$.*?\$\$(?: \(eq-\S+\))?|```\{math\}.*?```",
    r"(?m)^(?:`{3,}|:{3,})(?:\{[\w-]+\})?|^:\w+:.*$",
]


def minutes(notebook):
    """What a chapter takes: 200 words a minute, five to an exercise.

    Captions are read too. A solution is part of its exercise.
    """
    text = prose(notebook)
    exercises = len(re.findall(r"\{exercise(?:-start)?\}", text))
    for pattern in NOT_PROSE:
        text = re.sub(pattern, " ", text)
    figures = [figure(cell) for cell in code(notebook) if figure(cell)]
    text = " ".join([text, *(each["caption"] for each in figures)])
    return len(text.split()) / 200 + 5 * exercises


def test_the_minutes_that_a_chapter_promises_are_honest(notebook):
    promised = re.search(r"\*\*Time:\*\* (\d+) minutes", prose(notebook))
    assert abs(int(promised[1]) - minutes(notebook)) <= 5


def test_minutes_are_those_of_words_and_exercises():
    texts = [
        "word " * 1000,
        "```{exercise-start} Title\n:label: ex\n```\n",
        "```{solution-start} ex\n```\nfolded\n```{solution-end}\n",
        "$$\nx = y\n$$ (eq-a)",
        ":::{dropdown} Why?\nBecause.\n:::",
    ]
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    made = nbformat.v4.new_notebook(cells=cells)
    assert minutes(made) == pytest.approx(1003 / 200 + 5)


def test_a_chapter_warns_and_lets_the_reader_try(notebook):
    assert "what people get wrong" in prose(notebook).lower()
    exercises = re.findall(
        r"\{exercise(?:-start)?\}.*?\n:label: *(\S+)",
        prose(notebook),
        flags=re.S,
    )
    solved = re.findall(r"\{solution(?:-start)?\} *(\S+)", prose(notebook))
    assert len(exercises) >= 5
    assert set(exercises) == set(solved)


def test_every_chapter_is_in_the_table_of_contents():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    listed = [
        chapter["file"]
        for part in toc["parts"]
        for chapter in part["chapters"]
        if chapter["file"].startswith("notebooks/")
    ]
    assert listed == [f"notebooks/{path.stem}" for path in CHAPTERS]


def test_names_of_figures_and_exercises_are_unique_in_the_book():
    names = []
    for path in CHAPTERS:
        notebook = read(path)
        names += [figure(c)["name"] for c in code(notebook) if figure(c)]
        names += re.findall(r"^:label: *(\S+)", prose(notebook), re.M)
    assert sorted(set(names)) == sorted(names)


def test_a_figure_is_folded_on_the_page_and_in_jupyter_or_nowhere(notebook):
    """What is not folded is one call that a reader may type again."""
    for cell in filter(figure, code(notebook)):
        on_the_page = "hide-input" in cell.metadata.get("tags", [])
        in_jupyter = cell.metadata.get("jupyter", {}).get("source_hidden")
        assert on_the_page == bool(in_jupyter), cell.source
        assert on_the_page or "ax." not in cell.source, cell.source
