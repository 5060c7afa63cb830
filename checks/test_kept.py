"""What is kept of cells whose data are fetched: all of it, and as it is."""

import os
import re

import kept
import matplotlib
import nbformat
import pytest
from lxml import html
from nbformat.v4 import new_code_cell
from plumbing import shows, without_glue

from checks.conftest import HTML, passes, tree
from tools import slides

CHAPTERS = sorted(path.stem for path in kept.NOTEBOOKS.glob("*.ipynb"))
RENEW = "with the data at hand, `make outputs` renews what is kept"
WHEN = "ancestor::p[@class='kept']"
NOTHING = re.compile(r"[\s|–-]*")


def needing(*sources):
    """The places of the cells that need data, and the data."""
    cells = [new_code_cell(s, id=str(i)) for i, s in enumerate(sources)]
    return {int(name): sets for name, sets in kept.needs(cells).items()}


@pytest.mark.parametrize(
    "sources, expected",
    [
        (["a = gt.load('cf-ap')", "a"], {}),
        (["a = gt.load('trec3')", "b = a", "b", "c"], [0, 1, 2]),
        (["a = gt.load('trec3')", "a = 1", "a"], [0]),
        (["a = {}", "a['x'] = gt.load('trec3')", "a"], [1, 2]),
        (["def f():\n    return gt.load('trec3')", "f()"], [0, 1]),
        (["a = [gt.load(f'trec{n}') for n in (5, 8)]", "1"], [0]),
        (["for n in names:\n    gt.load(n)"], [0]),
        (["papers = ['sakai-2018']\n[gt.load(p) for p in papers]"], {}),
        (["a = rows.loc['trec3']", "book.load('trec3')"], {}),
        (["read('cystic-fibrosis')", "read(name)"], [1]),
    ],
)
def test_a_cell_needs_what_it_loads_or_is_made_of_it(sources, expected):
    assert [*needing(*sources)] == [*expected]


def test_it_is_known_which_data_a_cell_needs():
    sets = needing(
        "a = gt.load_all('trec3', 'cf-ap')", "gt.load('trec8')", "a"
    )
    assert sets == {0: {"trec3"}, 1: {"trec8"}, 2: {"trec3"}}


@pytest.mark.parametrize(
    "one, other, unlike",
    [
        ("alpha 0.912 of 40", "alpha 0.912 of 40", False),
        ("alpha 0.912 of 40", "alpha 0.913 of 40", False),
        ("alpha 0.912 of 40", "alpha 0.914 of 40", True),
        ("alpha 0.912 of 40", "beta 0.912 of 40", True),
        ("alpha 0.912 of 40", "alpha 0.913 of 41", True),
        ("0.1 0.2 0.3", "0.2 0.3 0.4", True),
        ("0.1 0.2", "0.1 0.2 0.3", True),
        ("M 1.50 2", "M 1.51 2", False),
    ],
)
def test_a_last_digit_may_differ_and_no_result(one, other, unlike):
    assert kept.differs(one, other) == unlike


def of_chapters(test):
    return pytest.mark.parametrize("chapter", CHAPTERS)(test)


@of_chapters
def test_what_is_kept_is_what_the_book_computes(chapter):
    wrong = kept.stale(chapter, kept.computed(chapter))
    assert not wrong, f"{chapter} shows something else; {RENEW}"
    cells = kept.read(chapter).cells
    if kept.kept_files(chapter):
        data = kept.checksum(cells)
        assert kept.computed_on(chapter)[1] == data, f"other data; {RENEW}"


@of_chapters
def test_all_that_a_page_shows_of_fetched_data_is_kept(chapter):
    cells = kept.read(chapter).cells
    wanted, blank = kept.needs(cells), []
    for cell in (cell for cell in cells if cell.id in wanted):
        outputs, glued = kept.outputs, kept.glued
        if (
            shows(without_glue(cell.source))
            and not [*outputs(chapter, cell)]
        ) or ("glue(" in cell.source and not [*glued(chapter, cell)]):
            blank.append(cell.id)
    assert not blank, f"nothing is kept of these cells; {RENEW}"


@of_chapters
def test_what_is_kept_can_be_shown_again(chapter):
    cells = kept.read(chapter).cells
    wanted = kept.needs(cells)
    shown = [
        (cell, [*kept.outputs(chapter, cell), *kept.glued(chapter, cell)])
        for cell in cells
        if cell.id in wanted
    ]
    assert kept.files_of(shown) == kept.kept_files(chapter)


@of_chapters
def test_no_table_and_no_figure_of_a_page_is_empty(chapter):
    (article,) = tree(f"notebooks/{chapter}.html").xpath("//article")
    assert "Not here:" not in article.text_content()
    for table in article.iter("table"):
        rows = [
            row for row in table.iter("tr") if row.find("td") is not None
        ]
        said = " ".join(row.text_content() for row in rows)
        assert not NOTHING.fullmatch(said), html.tostring(table)[:500]
    for figure in article.iter("figure"):
        assert figure.xpath(".//img | .//table"), figure.get("id")


@of_chapters
def test_a_notebook_to_be_run_shows_it_too(chapter):
    wanted = kept.needs(kept.read(chapter).cells)
    made = nbformat.read(HTML / "_notebooks" / f"{chapter}.ipynb", 4)
    for cell in made.cells:
        tags = cell.metadata.get("tags", [])
        assert ("raises-exception" in tags) == (cell.id in wanted)
        if cell.id in wanted and shows(cell.source):
            *_, said = cell.outputs
            assert said.text == kept.note(chapter)


def test_it_is_small():
    files = [path for path in kept.OUTPUTS.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2e6


def test_the_lecture_needs_no_fetched_data():
    for file in (slides.LECTURE, *slides.WEEKS):
        code = slides.CODE.findall(file.read_text("utf-8"))
        assert code
        assert not set().union(*map(kept.loaded, code)), file.name


@pytest.mark.slow
def test_without_the_data_the_chapters_read_the_same(tmp_path):
    """All of their words, and as many pictures."""
    nowhere = "http://127.0.0.1:9"
    clean = {k: v for k, v in os.environ.items() if k != "GTLIB_MIRROR"}
    clean |= {"HTTPS_PROXY": nowhere, "XDG_CACHE_HOME": str(tmp_path)}
    clean["MPLCONFIGDIR"] = matplotlib.get_cachedir()  # it lists fonts
    build = "jupyter-book", "build", ".", "--warningiserror", "--nitpick"
    passes(*build, "--path-output", tmp_path, env=clean)
    for chapter in CHAPTERS:
        name = f"notebooks/{chapter}.html"
        page = html.parse(tmp_path / "_build" / "html" / name)
        assert not kept.differs(words(page), words(tree(name))), chapter
        images = [
            len(root.findall(".//img")) for root in (page, tree(name))
        ]
        assert images[0] == images[1], chapter


def words(page):
    """What a chapter says, but for when it was computed."""
    texts = page.xpath(f"//article//text()[not({WHEN})]")
    return " ".join("".join(texts).split())
