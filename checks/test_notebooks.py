"""The notebooks' form: what a reader may rely on in every one of them."""

import json
import re
from operator import attrgetter

import pytest
from lxml import html
from nbformat.validator import isvalid

from book._ext.plain import as_myst, notebooks
from checks.conftest import HTML, ROOT, read
from tools.edit_bare import KEPT
from tools.minutes import minutes

CHAPTERS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STEM = attrgetter("stem")
REPORTS = sorted((ROOT / "gtaudit").glob("*.ipynb"))

KERNEL = {"Python 3", "python", "python3"}
TITLES = ".//h2 | .//p[contains(@class, 'admonition-title')]"
PARTS = ["exercises", "solutions", "references", "numbers"]


@pytest.fixture(params=CHAPTERS, ids=STEM)
def notebook(request):
    return read(request.param)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def figure(cell):
    found = cell.metadata.get("mystnb", {}).get("figure", {})
    return (
        found if not found.get("name", "tab-").startswith("tab-") else None
    )


@pytest.mark.parametrize("path", [*notebooks(), *REPORTS], ids=STEM)
def test_a_notebook_is_valid_and_stored_bare(path):
    """As nbstripout leaves it: of cells only what the book is told.

    nbformat, as it reads a notebook, gives cells of one name new ones.
    """
    assert isvalid(json.loads(path.read_text("utf-8")))
    notebook = read(path)
    for cell in code(notebook):
        assert cell.outputs == [], cell.id
        assert cell.execution_count is None, cell.id
        if not {"parameters", "numbers"} & {*cell.metadata.get("tags", [])}:
            assert len(cell.source.splitlines()) <= 25, cell.source
    for cell in notebook.cells:
        assert {*cell.metadata} <= {*KEPT}, cell.id
    assert {*notebook.metadata} == {"kernelspec"}
    assert {*notebook.metadata.kernelspec.values()} == KERNEL


def test_the_first_code_cell_imports_gtlib(notebook):
    """How to install it says the copy to be run."""
    first = code(notebook)[0]
    assert "import gtlib as gt" in first.source
    assert not first.metadata.get("tags")


@pytest.mark.parametrize("path", CHAPTERS, ids=STEM)
def test_a_chapter_has_all_of_its_parts_and_takes_the_minutes_it_says(path):
    page = html.parse(HTML / "notebooks" / f"{path.stem}.html")
    (article,) = page.xpath("//article")
    titles = article.xpath(TITLES)
    said = " | ".join(title.text_content().lower() for title in titles)
    assert not [part for part in PARTS if part not in said]
    (overview,) = article.find_class("overview")
    assert overview.text_content().strip().startswith("You need")
    exercises = [each.get("id") for each in article.find_class("exercise")]
    solved = article.xpath(
        ".//div[contains(@class, 'solution ')]/p[1]//a/@href"
    )
    assert len(exercises) >= 5
    assert {f"#{name}" for name in exercises} == {*solved}
    said = re.search(r"Time: (.*?)[.;]", article.text_content(), re.S)
    promised = [*map(int, re.findall(r"\d+", said[1]))]
    assert promised == minutes(HTML / "notebooks" / f"{path.stem}.html")


@pytest.mark.parametrize(
    ("thing", "read", "code"),
    [
        ("<p>word</p>", 5, 5),
        ("<div class='quiz'></div>", 40, 40),
        ("<figure><img></figure>", 20, 20),
        ("<figure><table><tr><td>.5</td></tr></table></figure>", 20, 20),
        ("<div class='math '>x</div>", 30, 30),
        ("<div class='cell_input'>x = 1\n</div>", 5, 5),
        ("<div class='cell_output'><pre>1</pre></div>", 5, 20),
    ],
)
def test_what_stops_a_reader_takes_time(tmp_path, thing, read, code):
    page = tmp_path / "page.html"
    page.write_text(f"<article>{40 * thing}</article>", "utf-8")
    assert minutes(page) == [read, code]


def test_a_figure_is_folded_on_the_page_and_in_jupyter_or_nowhere(notebook):
    """What is not folded is one call that a reader may type again."""
    for cell in filter(figure, code(as_myst(notebook))):
        on_the_page = "teach" not in cell.metadata.get("tags", [])
        in_jupyter = cell.metadata.get("jupyter", {}).get("source_hidden")
        assert on_the_page or not in_jupyter, cell.source
        assert on_the_page or "ax." not in cell.source, cell.source
