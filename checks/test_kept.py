"""What runs the chapters, and what is kept of those that lack data."""

import ast
import json
import re
from functools import cache

import kept
import nbformat
import pytest
import runs
from lxml import html
from nbformat.v4 import new_code_cell, new_notebook, new_output
from passed_over import bound, imported, outer
from plain import NOTEBOOKS, notebooks

import gtlib as gt
from checks.conftest import HTML, tree
from gtlib.data import remote_paths

CHAPTERS = [path.stem for path in notebooks()]
RENEW = "with the data at hand, `make outputs` renews what is kept"
NOTHING = re.compile(r"[\s|–-]*")
MOST_SECONDS = 5
FOR_EFFECT = "append extend insert update setdefault add pop remove clear"


def of_chapters(test):
    return pytest.mark.parametrize("chapter", CHAPTERS)(test)


# The mechanism, on chapters of our own


@pytest.fixture
def chapter(monkeypatch, tmp_path):
    """Makes a chapter, which is run without data, and what is kept of it:
    nothing, but for the cells that are named."""
    monkeypatch.setattr("plain.NOTEBOOKS", tmp_path)
    monkeypatch.setattr(runs, "NOTEBOOKS", tmp_path)
    monkeypatch.setattr(runs, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(kept, "OUTPUTS", tmp_path)
    monkeypatch.setenv("GTLIB_OFFLINE", "1")
    monkeypatch.setenv("GTLIB_MIRROR", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(runs, "data_here", lambda: [])

    def make(*sources, name="chapter", **outputs):
        cells = [
            new_code_cell(source, id=f"c{place}")
            for place, source in enumerate(sources)
        ]
        nbformat.write(
            new_notebook(cells=cells), tmp_path / f"{name}.ipynb"
        )
        cells = [
            new_code_cell(
                id=cell, outputs=[new_output("stream", text=text)]
            )
            for cell, text in outputs.items()
        ]
        known = new_notebook(
            cells=cells, metadata={"computed": "2026-01-31"}
        )
        nbformat.write(known, tmp_path / f"{name}.json")
        kept.kept_notebook.cache_clear()
        return name

    yield make
    kept.kept_notebook.cache_clear()


def said(cell):
    """What a cell shows, in words."""
    return "".join(
        output.get("text") or output["data"]["text/plain"]
        for output in cell.outputs
    )


LOAD = "import gtlib as gt\ntrec = gt.load('trec3')"


def test_what_lacks_data_shows_what_is_kept_and_the_rest_is_run(
    chapter, tmp_path
):
    """However the data are loaded, and whatever was bound before."""
    (tmp_path / "first.py").write_text("from second import fetch\n")
    (tmp_path / "second.py").write_text(
        "from gtlib.data import load_all as every\n"
        "def fetch(name):\n    return every(name)\n"
    )
    name = chapter(
        "old = 1\nresults = {}",
        "from first import fetch\nold = fetch('trec8')\nresults['a'] = 1",
        "old + 1",
        "def size():\n    return len(results)",
        "size()",
        "old = 2\nold",
        c1="loaded",
        c2="added",
        c4="measured",
    )
    cells = kept.shown(name).cells
    assert [said(cell) for cell in cells] == [
        *("", "loaded", "added", "", "measured", "2"),
    ]
    assert ["kept" in cell.metadata for cell in cells] == [
        *(False, True, True, False, True, False),
    ]
    assert "(31 January 2026)" in cells[1].metadata["kept"]


@pytest.mark.parametrize(
    "sources, outputs, words",
    [
        (
            [LOAD, "trec"],
            {"c0": ""},
            ["cell c1 needs data", "make outputs"],
        ),
        ([LOAD, "trecs"], {"c0": ""}, ["cell c1: NameError", "'trecs'"]),
        (
            [LOAD, "if False:\n    trec = 1", "trec"],
            {"c0": ""},
            ["cell c2 needs data"],
        ),
        (
            [f"{LOAD}\nimport math", "math.pi"],
            {"c0": ""},
            ["cell c1 needs data"],
        ),
        (["import os\nos._exit(3)"], {}, ["ernel"]),
        (
            [LOAD, "trec = 1", "{}['a']"],
            {"c0": "", "c1": ""},
            ["cell c2: KeyError: 'a'", "{}['a']", "Traceback"],
        ),
        (["1 +"], {}, ["cell c0: SyntaxError"]),
    ],
)
def test_what_stops_the_build_is_named(chapter, sources, outputs, words):
    name = chapter(*sources, **outputs)
    with pytest.raises(runs.CellFailed) as caught:
        kept.shown(name)
    for word in [f"notebooks/{name}.ipynb", *words]:
        assert word in str(caught.value)
    if "needs data" not in str(
        caught.value
    ):  # the next build runs it again
        assert not runs.place(name).exists()


def test_data_that_are_damaged_stop_the_build(
    chapter, monkeypatch, tmp_path
):
    (path,) = remote_paths("*/adhoc3.rda")
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_bytes(b"something else")
    monkeypatch.setenv("GTLIB_MIRROR", str(tmp_path))
    with pytest.raises(runs.CellFailed, match=r"ValueError.*adhoc3\.rda"):
        kept.shown(chapter(LOAD, c0=""))


def test_a_chapter_is_run_again_when_its_code_changes_or_data_come(
    chapter, monkeypatch
):
    times, run = [], runs.run
    monkeypatch.setattr(
        runs, "run", lambda notebook: times.append(1) or run(notebook)
    )
    name = chapter(LOAD, c0="kept")
    for _ in range(2):
        kept.shown(name)
    assert len(times) == 1
    kept.shown(chapter("1", name="other"))
    monkeypatch.setattr(runs, "data_here", lambda: ["trec3"])
    kept.shown("other")  # lacks nothing
    assert len(times) == 2
    kept.shown(name)
    assert len(times) == 3
    kept.shown(chapter("2", name="other"))
    assert len(times) == 4


@pytest.mark.parametrize(
    "source, names",
    [
        ("a = 1\nimport b\nfrom c import d", {"a"}),
        ("a[0] = 1\nb.c.d = 2\ndel e['f']", {"a", "b", "e"}),
        ("def f():\n    local = 1\nclass G:\n    h = 1", {"f", "G"}),
        ("for i, *j in k:\n    l += 1", {"i", "j", "l"}),
        ("[m for m in n]\nwith o() as p:\n    print(q)", {"p"}),
        ("[r := s for s in t]\nu = lambda: (v := 1)", {"r", "u"}),
        ("def w():\n    x[0] = 1", {"w"}),
    ],
)
def test_it_is_known_what_a_cell_binds(source, names):
    assert bound(ast.parse(source)) == names


@pytest.mark.parametrize(
    "one, other, unlike",
    [
        ("alpha 0.912 of 40", "alpha 0.912 of 40", False),
        ("alpha 0.912 of 40", "alpha 0.913 of 40", False),
        ("alpha 0.912 of 40", "alpha 0.914 of 40", True),
        ("alpha 0.912 of 40", "beta 0.912 of 40", True),
        ("alpha 0.912 of 40", "alpha 0.912 of 41", True),
        ("0.1 0.2 0.3", "0.2 0.3 0.4", True),
        ("0.1 0.2", "0.1 0.2 0.3", True),
        ("M 1.50 2", "M 1.51 2", False),
    ],
)
def test_a_last_digit_may_differ_and_no_result(one, other, unlike):
    assert kept.differs(one, other) == unlike


# The book's chapters, as they were built


def executed(chapter):
    """A chapter as it was built, which is so only where the data are."""
    notebook = runs.executed(chapter)
    for _, error in runs.failures(notebook):
        raise gt.DatasetUnavailable(error.evalue)
    return notebook


@of_chapters
def test_what_is_kept_is_what_the_book_computes(chapter):
    executed(chapter)
    old = kept.record(chapter)
    new = {c.id: c.outputs for c in kept.computed(chapter, old)}
    assert not kept.stale(old, new), RENEW


@of_chapters
def test_without_the_data_every_other_cell_shows_the_same(chapter):
    """As it was when the book was built without them, if it was."""
    executed(chapter)
    lacking = runs.place(chapter).with_suffix(".lacking")
    if not lacking.exists():
        return
    alone = nbformat.read(lacking, 4)
    if alone.metadata["code"] != runs.made_from(runs.read(chapter))[0]:
        return  # it was another chapter then
    failed = {cell.id for cell, _ in runs.failures(alone)}
    assert failed == {*kept.record(chapter)}, RENEW
    rest = [c for c in runs.code_cells(alone) if c.id not in failed]
    old = {c.id: kept.tidy(c.outputs, c.id) for c in rest}
    new = {c.id: c.outputs for c in kept.computed(chapter, old)}
    assert not kept.stale(old, new)


@cache
def seconds_of_all():
    """What all cells of the book took."""
    files = (runs.place(chapter) for chapter in CHAPTERS)
    notebooks = (nbformat.read(file, 4) for file in files if file.exists())
    return sum(
        cell.metadata.get("seconds", 0)
        for notebook in notebooks
        for cell in runs.code_cells(notebook)
    )


@of_chapters
def test_no_cell_takes_long(chapter):
    """Five seconds; on a machine that is slower than that on which they
    were counted, a fortieth of what all cells take."""
    most = max(MOST_SECONDS, seconds_of_all() / 40)
    file = runs.place(chapter)
    seconds = {
        cell.id: cell.metadata["seconds"]
        for cell in runs.code_cells(nbformat.read(file, 4))
        if cell.source.strip()
    }
    assert {k: s for k, s in seconds.items() if s > most} == {}


def changed_in_place(code, known):
    """Names that are not known, and of which a cell calls a method for its
    effect: what it ends with is shown, if it is no such method."""
    for node in outer(code):
        call = getattr(node, "value", None)
        method = getattr(getattr(call, "func", None), "attr", None)
        is_last = node is code.body[-1]
        if (
            not isinstance(node, ast.Expr)
            or method is None
            or (is_last and method not in FOR_EFFECT.split())
        ):
            continue
        while isinstance(call, ast.Call | ast.Attribute | ast.Subscript):
            call = getattr(call, "func", None) or call.value
        if isinstance(call, ast.Name) and call.id not in known:
            yield call.id


@of_chapters
def test_a_cell_that_needs_fetched_data_binds_what_it_makes(chapter):
    """If it called a method of another cell's list or table for its effect,
    this would not be undone where the data are not here."""
    known, wanted = set(), kept.record(chapter)
    for cell in runs.code_cells(runs.read(chapter)):
        code = ast.parse(re.sub(r"(?m)^[%!]", "#", cell.source))
        known |= imported(code)
        if cell.id in wanted:  # what it binds is here with the data only
            known |= bound(code)
            assert not {*changed_in_place(code, known)}, cell.id


@pytest.mark.parametrize(
    "source, found",
    [
        ("a.append(gt.load('trec3'))", {"a"}),
        ("a['b'].update(c)\nd", {"a"}),
        ("a.plot()", set()),
        ("a = []\na.append(1)\na", set()),
        ("f(a)\na", set()),
    ],
)
def test_what_is_changed_in_place_is_seen(source, found):
    code = ast.parse(source)
    assert {*changed_in_place(code, bound(code))} == found


@of_chapters
def test_no_table_and_no_figure_of_a_page_is_empty(chapter):
    folder = runs.file_of(chapter).parent.name
    (article,) = tree(f"{folder}/{chapter}.html").xpath("//article")
    assert "DatasetUnavailable:" not in article.text_content()
    for table in article.iter("table"):
        rows = [
            row for row in table.iter("tr") if row.find("td") is not None
        ]
        words = " ".join(row.text_content() for row in rows)
        assert not NOTHING.fullmatch(words), html.tostring(table)[:500]
    for figure in article.iter("figure"):
        assert figure.xpath(".//img | .//table"), figure.get("id")


@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda p: p.stem
)
def test_a_chapter_begins_with_the_picture_that_its_cell_draws(path):
    stored = (kept.OPENINGS / f"{path.stem}.svg").read_text("utf-8")
    assert not kept.differs(stored, kept.opening(path.stem))


@of_chapters
def test_a_notebook_to_be_run_shows_it_too(chapter):
    wanted = kept.record(chapter)
    made = nbformat.read(HTML / "_notebooks" / f"{chapter}.ipynb", 4)
    for cell in made.cells:
        tags = cell.metadata.get("tags", [])
        assert ("raises-exception" in tags) == (cell.id in wanted)
        if cell.id in wanted and cell.outputs:
            *_, words = cell.outputs
            assert words.text == kept.note(chapter)


def test_only_chapters_are_kept_and_it_is_small():
    files = [*kept.OUTPUTS.iterdir()]
    assert {path.stem for path in files} <= {*CHAPTERS}
    for path in files:
        ids = {cell.id for cell in runs.read(path.stem).cells}
        assert {*kept.record(path.stem)} <= ids
        assert json.loads(path.read_text("utf-8"))["cells"]
    assert sum(path.stat().st_size for path in files) < 2e6
