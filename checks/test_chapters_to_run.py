"""The chapters as they are run: plain Markdown, and they do run."""

import re
import shutil

import nbformat
import pytest

from book._ext.edition import site, support, wheel
from book._ext.runs import file_of
from checks.conftest import HTML, passes, read, tree
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


@pytest.fixture(params=MADE, ids=lambda path: path.stem)
def path(request):
    return request.param


def cells(path, kind):
    return [c.source for c in read(path).cells if c.cell_type == kind]


def prose(path):
    return "\n\n".join(cells(path, "markdown"))


def chapter(path):
    """The source that a notebook was made from."""
    return file_of(path.stem)


def test_the_button_of_the_page_leads_here(path):
    page = tree(f"{chapter(path).parent.name}/{path.stem}.html")
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


def test_every_link_leads_somewhere(path):
    links = re.findall(r"\]\((\S+?)\)", prose(path))
    links += re.findall(r"<a[^>]*?href=\"([^\"]*)\"", prose(path))
    assert "<a>" not in prose(path)
    for link in links:
        if link.startswith("attachment:"):
            continue
        if link.endswith(".ipynb"):
            assert path.with_name(link).is_file(), link
            continue
        assert link.startswith("https://"), link
        if site() and link.startswith(site()):
            page, _, anchor = link.removeprefix(site()).partition("#")
            assert anchor in anchors(page), link


def test_a_chapter_is_its_own_copy_with_what_it_has_shown(path):
    made, own = read(path), read(chapter(path))
    assert [cell.id for cell in made.cells] == [c.id for c in own.cells]
    for copy, cell in zip(made.cells, own.cells, strict=True):
        assert copy.source.endswith(cell.source) or "](" in cell.source
        assert "](../" not in copy.source
        for name in re.findall(r"\]\(attachment:(\S+)\)", copy.source):
            assert name in copy.attachments
    shown = [cell for cell in made.cells if cell.get("outputs")]
    assert len(shown) > 2
    pictured = "](../book/openings" in own.cells[0].source
    assert pictured == ("attachment:" in made.cells[0].source)


def test_one_cell_on_top_installs_and_imports(path):
    code = cells(path, "code")
    (first,) = [source for source in code if "pip install" in source]
    assert "import gtlib as gt" in first
    assert code[0] == first


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
