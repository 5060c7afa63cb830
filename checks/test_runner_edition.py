"""The chapters as they are run: plain Markdown, and they do run."""

import os
import re
import subprocess
from functools import cache

import nbformat
import pytest
from lxml import html
from markdown_it import MarkdownIt

from book._ext.edition import site, wheel
from checks.conftest import HTML
from checks.test_pages import anchors, tree
from checks.wheel import ROOT, clean_environment, installed
from tools import branch, lab, student

MADE = sorted(student.RUNNER.glob("*.ipynb"))
EXERCISES = student.known_exercises()
MYST = re.compile(r"\{[a-z:_-]+\}`|:::|```+\{|^:\w+:|<script|<style", re.M)
FORMULA = re.compile(r"\$\$.*?\$\$|\$[^$]+\$", re.S)

every_notebook = pytest.mark.parametrize(
    "path", MADE, ids=lambda path: path.stem
)


@cache
def notebook(path):
    return nbformat.read(path, as_version=nbformat.NO_CONVERT)


def cells(path, kind):
    return [c for c in notebook(path).cells if c.cell_type == kind]


def prose(path):
    return "\n\n".join(cell.source for cell in cells(path, "markdown"))


def chapter(path):
    """The source that a notebook was made from."""
    return notebook(ROOT / "notebooks" / path.name)


def text_of(path):
    return "\n".join(
        c.source for c in chapter(path).cells if c.cell_type == "markdown"
    )


def test_every_chapter_is_there():
    sources = (ROOT / "notebooks").glob("*.ipynb")
    assert [path.name for path in MADE] == sorted(p.name for p in sources)
    for path in MADE:
        beside = HTML / "_notebooks" / path.name
        assert beside.read_bytes() == path.read_bytes()


@every_notebook
def test_no_myst_is_left(path):
    nbformat.validate(notebook(path))
    ids = [cell.id for cell in notebook(path).cells]
    assert len(set(ids)) == len(ids)
    found = MYST.findall(prose(path))
    assert not found, found
    code = "\n".join(cell.source for cell in cells(path, "code"))
    assert "glue" not in code
    for cell in cells(path, "markdown"):
        dollars = re.sub(r"\\\$|`[^`]*`", "", cell.source).count("$")
        assert dollars % 2 == 0, cell.source


def shown(element):
    """The words of an element, without formulas, marks and blanks."""
    for formula in element.xpath(".//*[contains(@class, 'math')]"):
        formula.text = ""
        formula.drop_tree()
    return squeezed(element.text_content())


def squeezed(text):
    return re.sub(r"[\s#]+", "", FORMULA.sub("", text))


@every_notebook
def test_it_says_what_the_page_says(path):
    """Paragraph by paragraph, rendered by another program than ours."""
    rendered = MarkdownIt("commonmark").enable("table")
    pieces = (FORMULA.sub("", c.source) for c in cells(path, "markdown"))
    made = html.fromstring(rendered.render("\n\n".join(pieces)))
    here = squeezed(made.text_content())
    page = html.parse(HTML / "notebooks" / f"{path.stem}.html").getroot()
    article = page.find(".//article")
    for button in article.xpath(".//details[contains(@class, 'hide')]"):
        button.find("summary").drop_tree()
    for output in article.xpath(".//div[contains(@class, 'cell_')]"):
        for caption in output.xpath(
            ".//figcaption//*[@class='caption-text']"
        ):
            assert shown(caption) in here, caption.text_content()
        output.drop_tree()
    said = [shown(p) for p in article.iter("p", "td", "dd")]
    missing = [text for text in said if text not in here]
    missing = [text for text in missing if not text.startswith(TITLES)]
    assert len(said) > 30
    assert not missing, missing


# Titles that the notebooks word in their own way.
TITLES = ("Exercise", "SolutiontoExercise")


@every_notebook
def test_every_link_leads_somewhere(path):
    links = re.findall(r"\]\((\S+?)\)", prose(path))
    links += re.findall(r"<a[^>]*?href=\"([^\"]*)\"", prose(path))
    assert "<a>" not in prose(path)
    assert all(link.startswith("https://") for link in links), links
    for link in links:
        if not site() or not link.startswith(site()):
            continue
        page, _, anchor = link.removeprefix(site()).partition("#")
        assert (HTML / page).is_file(), link
        assert not anchor or anchor in anchors(page), link


@every_notebook
def test_figures_and_exercises_have_their_numbers(path):
    number = str(int(path.stem[:2]))
    figures = sum(
        "figure" in cell.metadata.get("mystnb", {})
        for cell in chapter(path).cells
    )
    for word, how_many in [
        ("Figure", figures),
        ("> **Exercise", text_of(path).count("{exercise-start}")),
    ]:
        start = r"^(?:\*\*)?" + re.escape(word)
        found = re.findall(rf"{start} (\d+)\.(\d+)\.", prose(path), re.M)
        expected = [(number, str(n + 1)) for n in range(how_many)]
        assert found == expected, word
    tags = [int(n) for n in re.findall(r"\\tag\{\d+\.(\d+)\}", prose(path))]
    assert tags == [*range(1, len(tags) + 1)]
    assert prose(path).startswith(f"# {number}. ")


@every_notebook
def test_solutions_and_answers_are_folded(path):
    parts = {}
    for cell in notebook(path).cells:
        about = cell.metadata.get("gtlib", {})
        parts.setdefault(about.get("part"), []).append(cell)
    assert len(parts["exercise"]) >= 5
    solved = {c.metadata["gtlib"]["exercise"] for c in parts["solution"]}
    asked = {c.metadata["gtlib"]["exercise"] for c in parts["exercise"]}
    assert solved == asked
    for cell in parts["solution"] + parts.get("question", []):
        if cell.cell_type == "code":
            assert cell.metadata["jupyter"]["source_hidden"]
            assert cell.metadata["jupyter"]["outputs_hidden"]
        elif "<details>" in cell.source:
            assert cell.source.startswith("<details>\n<summary>")
            assert cell.source.endswith("</details>")
    folded = sum("<details>" in c.source for c in parts.get("question", []))
    text = text_of(path).partition("## Check yourself")[2]
    assert folded == text.count("{dropdown}")


@every_notebook
def test_one_cell_on_top_installs_and_imports(path):
    code = [cell.source for cell in cells(path, "code")]
    (first,) = [source for source in code if "pip install" in source]
    assert "import gtlib as gt" in first
    assert code.index(first) == (1 if "11-audit" in path.stem else 0)


@every_notebook
def test_the_button_of_the_page_leads_here(path):
    page = tree(f"notebooks/{path.stem}.html")
    assert f"../_notebooks/{path.name}" in page.xpath("//div//a/@href")


def test_binder_is_told_what_to_install():
    files = dict(branch.for_binder())
    assert files["requirements.txt"].splitlines()[0] == "-c constraints.txt"
    assert files["requirements.txt"].endswith(f"\n./{wheel()}[chapters]\n")
    assert branch.WHEEL.is_file()
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
    return folder, installed(folder, "[chapters]")


def with_answers(made):
    """The notebook, and behind its solutions the cells that check them."""
    last = {}
    for place, cell in enumerate(made.cells):
        about = cell.metadata.get("gtlib", {})
        if about.get("part") == "solution" and cell.cell_type == "code":
            last[about["exercise"]] = place
    for label, place in sorted(last.items(), key=lambda item: -item[1]):
        known = EXERCISES.get(label, {})
        if "answer" in known:
            made.cells[place + 1 : place + 1] = [
                *student.with_check(label, known)
            ]
    return made


@every_notebook
def test_it_runs_from_top_to_bottom(path, elsewhere):
    """On the wheel alone; what `make student` takes for right, is."""
    folder, python = elsewhere
    made = with_answers(nbformat.read(path, as_version=4))
    nbformat.write(made, folder / path.name)
    run = [python.with_name("jupyter-execute"), "--inplace", path.name]
    subprocess.run(
        [*run, "--timeout=300"],
        cwd=folder,
        env=clean_environment() | {"OMP_NUM_THREADS": "1"},
        check=True,
    )
    done = nbformat.read(folder / path.name, as_version=4)
    for cell in done.cells:
        if cell.id.endswith("-check"):
            said = "".join(out.get("text", "") for out in cell.outputs)
            assert said == "Right.\n", cell.outputs
    os.remove(folder / path.name)
