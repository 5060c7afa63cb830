"""Show what came out of the chapters: now, or when it was kept.

Cells whose data are not here (`runs`) show what `data/outputs` has kept of
them, and a line says so. A cell of which nothing is kept stops the build,
and so does one that fails for any other reason.

`make outputs` writes `data/outputs/CHAPTER.json`, a notebook with the cells
that fail without the data and what they show with them; a cell without
outputs shows nothing. It also writes `book/openings/CHAPTER.svg`, the
picture that a chapter in plain Markdown begins with, which its cell tagged
`opening` draws; ``kept.py CHAPTER`` writes that of one chapter only.
"""

import contextlib
import hashlib
import json
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import date
from functools import cache
from itertools import count
from pathlib import Path

import matplotlib
import nbformat
import runs
from docutils import nodes
from nbformat.v4 import new_notebook, new_output
from plain import as_myst, notebooks
from runs import CellFailed, code_cells, executed, failures, is_passed_over
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.display import status_iterator

from book.support import typeface

OUTPUTS = runs.ROOT / "data" / "outputs"
OPENINGS = runs.ROOT / "book" / "openings"
NOTE = (
    "Computed when the data were at hand ({day.day} {day:%B %Y}). Run it "
    "with the data to see it again."
)
NOTHING_KEPT = """\
{place} needs data that are not here, and nothing is kept of it.
Where the data are, `make outputs` keeps it. {reason}"""

LACKING = """\
Data of others are not here: {} chapters show what is kept of them.
Where there is a network, `make data` fetches all."""

KINDS = "image/svg+xml", "text/html", "text/plain"  # one of them is kept
STYLED = re.compile(r'(?<=["#])T_[0-9a-f]{5}(?![0-9a-f])')
HASHED = re.compile(r"\b[a-z]+[0-9a-f]{10}\b")
METADATA = re.compile(r" <metadata>.*?</metadata>\n", re.S)
LONG = re.compile(r"(?<!scale\()-?\b\d+\.\d{3,}")
logger = logging.getLogger(__name__)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def setup(app):
    app.connect("env-before-read-docs", run_chapters)
    app.connect("source-read", put_in_place)
    app.add_transform(AddNotes)


# What came out


def run_chapters(app, env, docnames):
    """Run what is not run yet, the longest first: one more at a time than
    there are processors, since a kernel that starts or ends needs none. All
    that failed is told at once."""
    typeface.in_figures()  # cut here, and not by every kernel
    build = Path(app.outdir).parent
    chapters = {
        path.stem: path.stat().st_size
        for path in map(Path, map(env.doc2path, docnames))
        if path.suffix == ".ipynb"
    }
    chapters = sorted(chapters, key=chapters.get, reverse=True)
    with ThreadPoolExecutor(os.cpu_count() + 1) as side_by_side:
        names = {
            side_by_side.submit(shown, chapter, build): chapter
            for chapter in chapters
        }
        try:
            for _ in status_iterator(
                as_completed(names),
                "running chapters... ",
                length=len(names),
                stringify_func=names.get,
            ):
                pass
        except KeyboardInterrupt:
            side_by_side.shutdown(wait=False, cancel_futures=True)
            raise
    errors = [str(run.exception()) for run in names if run.exception()]
    if errors:
        raise CellFailed("\n\n".join(errors))
    lacking = [*names.values()]
    lacking = [c for c in lacking if any(failures(executed(c, build)))]
    if lacking:
        logger.info(LACKING.format(len(lacking)))


def put_in_place(app, docname, source):
    """Give the page of a chapter what its cells have shown."""
    path = Path(app.env.doc2path(docname))
    if path.suffix == ".ipynb":
        build = Path(app.outdir).parent
        source[0] = nbformat.writes(as_myst(shown(path.stem, build)))


def shown(chapter, build=None):
    """Return a chapter with what its page shows.

    Raises
    ------
    CellFailed
        If a cell failed, or lacked data and nothing is kept of it.
    """
    notebook = executed(chapter, build)
    known = record(chapter)
    for cell, error in failures(notebook):
        if not is_passed_over(error):
            raise CellFailed(runs.told(chapter, cell, error))
        if cell.id not in known:
            place, reason = runs.where(chapter, cell), error.evalue
            raise CellFailed(
                NOTHING_KEPT.format(place=place, reason=reason)
            )
        cell.outputs = known[cell.id]
        cell.metadata["kept"] = note(chapter)
    return notebook


# What is kept


@cache
def kept_notebook(chapter):
    """Return what is kept of a chapter, as a notebook."""
    path = OUTPUTS / f"{chapter}.json"
    return nbformat.read(path, 4) if path.exists() else new_notebook()


def record(chapter):
    """Return the outputs that are kept, by the cell's id."""
    return {c.id: c.outputs for c in kept_notebook(chapter).cells}


def note(chapter):
    """Say when the outputs of a chapter were computed."""
    day = date.fromisoformat(kept_notebook(chapter).metadata["computed"])
    return NOTE.format(day=day)


def keep(chapter):
    """Keep what a chapter shows with the data and not without; return the
    ids of the cells of which something else is kept now.

    Raises
    ------
    CellFailed
        If a cell fails without the data, and not for want of them.
    """
    alone = runs.read(chapter)
    with tempfile.TemporaryDirectory() as nowhere:
        fonts = matplotlib.get_cachedir()  # or each chapter would list them
        runs.run(
            alone,
            GTLIB_OFFLINE="1",
            GTLIB_MIRROR="",
            XDG_CACHE_HOME=nowhere,
            MPLCONFIGDIR=fonts,
        )
    lacking = set()
    for cell, error in failures(alone):
        if not is_passed_over(error):
            raise CellFailed(runs.told(chapter, cell, error))
        lacking.add(cell.id)
    old, new = record(chapter), computed(chapter, lacking)
    changed = stale(old, {cell.id: cell.outputs for cell in new})
    if changed:
        for cell in new:
            if cell.id not in changed:
                cell.outputs = old[cell.id]
        about = {"computed": f"{date.today()}"}
        OUTPUTS.mkdir(exist_ok=True)
        nbformat.write(
            new_notebook(cells=new, metadata=about),
            OUTPUTS / f"{chapter}.json",
        )
    if not new:
        (OUTPUTS / f"{chapter}.json").unlink(missing_ok=True)
    return changed


def computed(chapter, wanted):
    """Return the cells with these ids, with what they have shown with the
    data, as it is kept."""
    cells = [c for c in code_cells(executed(chapter)) if c.id in wanted]
    for cell in cells:
        cell.source, cell.metadata, cell.execution_count = "", {}, None
        cell.outputs = tidy(cell.outputs, cell.id)
    return cells


def tidy(outputs, name):
    """Return outputs without what each run has anew, and drawn to a
    hundredth of a point."""
    numbers = count()
    return [tidied(o, f"{name}-{next(numbers)}") for o in outputs]


def tidied(output, name):
    if "data" not in output:  # a stream, an error that is meant
        return output
    kind = next(kind for kind in KINDS if kind in output.data)
    text = output.data[kind]
    if kind.endswith("svg+xml"):
        hashed = {}
        text = HASHED.sub(
            lambda n: hashed.setdefault(n[0], f"n{len(hashed)}"),
            METADATA.sub("", text),
        )
        text = LONG.sub(lambda n: f"{float(n[0]):.2f}", text)
    elif kind.endswith("html"):
        styled = hashlib.sha256(name.encode()).hexdigest()[:5]
        text = STYLED.sub(f"T_{styled}", text)
    about = output.metadata
    return new_output("display_data", {kind: text}, metadata=about)


def stale(old, new):
    """Return the ids of the cells of which not the same is kept."""
    return {
        name
        for name in {*old, *new}
        if name not in old
        or name not in new
        or differs(*(as_text(known[name]) for known in (old, new)))
    }


def as_text(outputs):
    return json.dumps(outputs, ensure_ascii=False, sort_keys=True)


def differs(one, other):
    """Return whether two kept outputs do not say the same.

    On another processor a number may come out one higher in its last digit,
    if it lies between the two. That happens to few.
    """
    if NUMBER.split(one) != NUMBER.split(other):
        return True
    pairs = [*zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)]
    unlike = [pair for pair in pairs if pair[0] != pair[1]]
    return len(unlike) > 1 + len(pairs) / 20 or any(map(are_far, unlike))


def are_far(pair):
    """Return whether two numbers differ by more than their last digit;
    whole numbers are counts."""
    places = max(len(number.partition(".")[2]) for number in pair)
    one, other = map(float, pair)
    return places == 0 or abs(one - other) > 1.01 * 10.0**-places


def opening(chapter):
    """Return the picture that a chapter begins with, as its cell draws it;
    None if it has no such cell."""
    for cell in code_cells(executed(chapter)):
        if "opening" in cell.metadata.get("tags", []):
            drawn = [
                o for o in cell.outputs if KINDS[0] in o.get("data", {})
            ]
            (picture,) = tidy(drawn, cell.id)
            return picture.data[KINDS[0]].strip() + "\n"
    return None


def keep_opening(chapter):
    """Store the picture, unless what is stored says the same."""
    path = OPENINGS / f"{chapter}.svg"
    drawn = opening(chapter)
    if drawn is None:
        path.unlink(missing_ok=True)
    elif not path.exists() or differs(path.read_text("utf-8"), drawn):
        OPENINGS.mkdir(exist_ok=True)
        path.write_text(drawn, "utf-8")


def main():
    if sys.argv[1:]:
        for chapter in sys.argv[1:]:
            keep_opening(chapter)
        return
    chapters = [path.stem for path in notebooks()]
    for chapter in chapters:
        for _, error in failures(executed(chapter)):
            sys.exit(f"`make outputs` needs all data. {error.evalue}")
    for path in OUTPUTS.glob("*.json"):
        if path.stem not in chapters:
            path.unlink()
    with ThreadPoolExecutor(os.cpu_count() + 1) as side_by_side:
        changed = [*side_by_side.map(keep, chapters)]
    for path in OPENINGS.glob("*.svg"):
        if path.stem not in chapters:
            path.unlink()
    for chapter in chapters:
        keep_opening(chapter)
    total = sum(map(len, changed))
    print(f"data/outputs has something else of {total} cells")


class AddNotes(SphinxTransform):
    """Put a note below the first of adjacent cells that show what is
    kept."""

    default_priority = 410

    def apply(self):
        noted = []
        for cell in self.document.findall(nodes.container):
            words = cell.get("cell_metadata", {}).get("kept")
            shows = cell.children and cell[-1].get("nb_element")
            if (
                words
                and shows == "cell_code_output"
                and cell.parent not in noted
            ):
                noted.append(cell.parent)
                cell[-1] += nodes.paragraph("", words, classes=["kept"])


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
