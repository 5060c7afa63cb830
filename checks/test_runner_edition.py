"""The chapters as they are run: plain Markdown, and they do run."""

import re
import shutil
from copy import deepcopy

import nbformat
import pytest
from docutils import nodes
from lxml import html
from markdown_it import MarkdownIt

from book._ext.edition import site, support, wheel
from book._ext.overviews import number_of
from book._ext.plain import plain_chapters
from book._ext.plain_markdown import PlainMarkdown
from checks.conftest import HTML, ROOT, passes, read, tree
from checks.test_pages import anchors
from checks.wheel import installed, run_in
from tools import branch, lab

MADE = sorted(branch.RUNNER.glob("*.ipynb"))
COPIES = sorted(branch.ASSIGNMENTS.glob("*.ipynb"))
RUN = [branch.ASSIGNMENTS / "lab.ipynb"]
RUN += [pytest.param(path, marks=pytest.mark.slow) for path in MADE]
IMPORT = re.compile(
    r"^ *(?:import .+|from \S+ import (?:\([^)]*\)|.+))", re.M
)
MYST = re.compile(r"\{[a-z:_-]+\}`|:::|```+\{|^:\w+:|<script|<style", re.M)
BESIDE_TEXT = ".//summary/* | .//div[contains(@class, 'cell_')]"
SAID = ".//p | .//td | .//dd | .//*[@class='caption-text']"
# Titles that the notebooks word in their own way.
TITLES = "Exercise", "SolutiontoExercise"
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.S)


PLAIN = {path.stem for path in plain_chapters()}
TRANSLATED = [path for path in MADE if path.stem not in PLAIN]
ITSELF = [path for path in MADE if path.stem in PLAIN]

translated = pytest.mark.parametrize(
    "path", TRANSLATED, ids=lambda path: path.stem
)


@pytest.fixture(params=MADE, ids=lambda path: path.stem)
def path(request):
    return request.param


def cells(path, kind):
    return [c.source for c in read(path).cells if c.cell_type == kind]


def prose(path):
    return "\n\n".join(cells(path, "markdown"))


def chapter(path):
    """The source that a notebook was made from."""
    return ROOT / "notebooks" / path.name


def test_the_button_of_the_page_leads_here(path):
    page = tree(f"notebooks/{path.stem}.html")
    assert f"../_notebooks/{path.name}" in page.xpath("//div//a/@href")
    beside = HTML / "_notebooks" / path.name
    assert beside.read_bytes() == path.read_bytes()


def test_no_myst_is_left(path):
    nbformat.validate(read(path))
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    assert not MYST.findall(prose(path))
    assert "glue" not in "\n".join(cells(path, "code"))
    for text in cells(path, "markdown"):
        dollars = re.sub(r"\\\$|`[^`]*`", "", text).count("$")
        assert dollars % 2 == 0, text


def shown(element):
    """The words of an element, without formulas, marks and blanks."""
    for formula in element.xpath(".//*[contains(@class, 'math')]"):
        formula.drop_tree()
    return squeezed(element.text_content())


def squeezed(text):
    return re.sub(r"[\s#]+", "", FORMULA.sub("", text))


@translated
def test_it_says_what_the_page_says(path):
    """Paragraph by paragraph, rendered by another program than ours."""
    rendered = MarkdownIt("commonmark").enable("table")
    pieces = (FORMULA.sub("", text) for text in cells(path, "markdown"))
    made = html.fromstring(rendered.render("\n\n".join(pieces)))
    here = squeezed(made.text_content())
    page = deepcopy(tree(f"notebooks/{path.stem}.html"))
    article = page.find(".//article")
    for part in article.xpath(BESIDE_TEXT):
        part.getparent().extend(part.find_class("caption-text"))
        part.drop_tree()
    said = [*map(shown, article.xpath(SAID))]
    assert len(said) > 10
    missing = {text for text in said if text not in here}
    assert not [text for text in missing if not text.startswith(TITLES)]
    works = map(shown, article.xpath(".//div[@class='citation']/p"))
    assert {here.count(work) for work in works} == {1}


def test_every_link_leads_somewhere(path):
    links = re.findall(r"\]\((\S+?)\)", prose(path))
    links += re.findall(r"<a[^>]*?href=\"([^\"]*)\"", prose(path))
    assert "<a>" not in prose(path)
    for link in links:
        if link.startswith("attachment:"):
            continue
        if path.stem in PLAIN and link.endswith(".ipynb"):
            assert path.with_name(link).is_file(), link
            continue
        assert link.startswith("https://"), link
        if site() and link.startswith(site()):
            page, _, anchor = link.removeprefix(site()).partition("#")
            assert anchor in anchors(page), link


@translated
def test_figures_and_exercises_have_their_numbers(path):
    number = number_of(path.stem)
    source = chapter(path).read_text("utf-8")
    tables = source.count('"name": "tab-')
    for word, how_many in [
        ("Figure", source.count('"figure": {') - tables),
        ("Table", tables),
        ("> **Exercise", prose(chapter(path)).count("{exercise-start}")),
    ]:
        start = r"^(?:\*\*)?" + re.escape(word)
        found = re.findall(rf"{start} (D?\d+)\.(\d+)\.", prose(path), re.M)
        expected = [(number, str(n + 1)) for n in range(how_many)]
        assert found == expected, word
    tags = re.findall(r"\\tag\{(.*?)\}", prose(path))
    assert tags == [f"{number}.{n + 1}" for n in range(len(tags))]
    assert prose(path).startswith(f"# {number}. ")


@pytest.mark.parametrize("path", ITSELF, ids=lambda path: path.stem)
def test_a_plain_chapter_is_its_own_copy_with_what_it_has_shown(path):
    made, own = read(path), read(chapter(path))
    assert [cell.id for cell in made.cells] == [c.id for c in own.cells]
    for copy, cell in zip(made.cells, own.cells, strict=True):
        assert copy.source.endswith(cell.source) or "](" in cell.source
        assert "](../" not in copy.source
        for name in re.findall(r"\]\(attachment:(\S+)\)", copy.source):
            assert name in copy.attachments
    shown = [cell for cell in made.cells if cell.get("outputs")]
    assert len(shown) > 5
    assert "attachment:" in made.cells[0].source


@translated
def test_solutions_and_answers_are_folded(path):
    parts = {}
    for cell in read(path).cells:
        about = cell.metadata.get("gtlib", {})
        parts.setdefault(about.get("part"), []).append(cell)
    for cell in parts.get("solution", []) + parts.get("question", []):
        if cell.cell_type == "code":
            assert cell.metadata["jupyter"]["source_hidden"]
            assert cell.metadata["jupyter"]["outputs_hidden"]
        elif "<details>" in cell.source:
            assert cell.source.startswith("<details>\n<summary>")
            assert cell.source.endswith("</details>")
    folded = sum("<details>" in c.source for c in parts.get("question", []))
    assert folded == prose(chapter(path)).count(":class: quiz")


def test_one_cell_on_top_installs_and_imports(path):
    code = cells(path, "code")
    (first,) = [source for source in code if "pip install" in source]
    assert "import gtlib as gt" in first
    assert code.index(first) == ("audit" in path.stem)  # after parameters


def test_what_plain_markdown_does_not_know_is_not_lost_in_silence():
    with pytest.raises(NotImplementedError, match="of_sidebar"):
        PlainMarkdown("a page", {}).of(nodes.sidebar())


def test_binder_is_told_what_to_install():
    files = dict(branch.for_binder())
    assert files["requirements.txt"].splitlines()[0] == "-c constraints.txt"
    assert files["requirements.txt"].endswith(
        f"\n./{wheel()}[chapters]\n./{support()}\n"
    )
    assert all(file.is_file() for file in branch.WHEELS)
    assert "\njupyterlab==" in files["requirements.txt"]
    assert "\nnumpy==" in files["constraints.txt"]
    assert "--hash" not in files["constraints.txt"]  # git has none


def test_lab_keeps_what_its_reader_has_changed(tmp_path):
    made, mine = tmp_path / "made", tmp_path / "mine"
    made.mkdir()
    (made / "a.ipynb").write_text("first")
    (made / "b.ipynb").write_text("first")
    assert lab.refresh(made, mine) == []
    (mine / "a.ipynb").write_text("my own")
    assert lab.refresh(made, mine) == ["a.ipynb"]
    (made / "b.ipynb").write_text("second")
    assert lab.refresh(made, mine) == ["a.ipynb"]
    assert (mine / "a.ipynb").read_text() == "my own"
    assert (mine / "b.ipynb").read_text() == "second"


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory):
    """A folder without the repository, and the Python that is there."""
    folder = tmp_path_factory.mktemp("elsewhere")
    return folder, installed(folder, "[chapters]", support=True)


def test_every_name_is_there_before_it_is_used():
    """The chapters were run by the build: what a notebook may lack is what
    was taken out of it as plumbing."""
    rules = "--isolated", "--select=F821", "--output-format=concise"
    passes("ruff", "check", *rules, *MADE, *COPIES)


def test_the_wheels_bring_what_notebooks_import(elsewhere):
    folder, python = elsewhere
    imports = {
        f"{line.strip()}\n"
        for path in [*MADE, *COPIES]
        for source in cells(path, "code")
        for line in IMPORT.findall(source)
    }
    assert "import gtlib as gt\n" in imports
    (folder / "imports.py").write_text("".join(sorted(imports)))
    run_in(folder, python, "imports.py")


@pytest.mark.parametrize("path", RUN, ids=lambda path: path.stem)
def test_it_runs_from_top_to_bottom(path, elsewhere):
    """On the wheels alone."""
    folder, python = elsewhere
    shutil.copy(path, folder)
    run = python.with_name("jupyter-execute"), "--timeout=300"
    run_in(folder, *run, path.name, OMP_NUM_THREADS="1")
