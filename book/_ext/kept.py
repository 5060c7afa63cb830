"""Show what came out of cells whose data are not here.

Other people's data are fetched. A cell needs a data set if it loads it, or
reads a name that such a cell has bound. Where the data set can be had, the
cell is run like every other. Where it cannot, the cell is not run, and the
page shows what `data/outputs` has kept of it, and says so in a line:

* ``CHAPTER/LABEL.html``, ``.svg`` or ``.txt``: what a cell shows; LABEL is
  the name of its figure or table, or the cell's own. What it shows after
  that is ``LABEL-2`` and so on.
* ``CHAPTER/glued.txt``: what it hands to the text. A line has the cell, the
  name, and the words, or the file that is called so.
* ``CHAPTER/computed.txt``: the day, and a checksum of the data.

`make outputs` writes all of it, from a book that was built with the data.
"""

import ast
import csv
import re
import shutil
import sys
from datetime import date
from fnmatch import filter as matching
from functools import cache
from hashlib import sha256
from itertools import chain, count
from pathlib import Path

import nbformat
from docutils import nodes
from jupyter_cache import get_cache
from myst_nb.core.utils import coalesce_streams
from myst_nb.ext.glue import GLUE_PREFIX
from nbformat.v4 import new_output
from plumbing import bound, names_read, tree
from sphinx.transforms import SphinxTransform

import gtlib as gt
from gtlib.collections import remote

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
OUTPUTS = DATA / "outputs"
GLUED, COMPUTED = "glued.txt", "computed.txt"
SKIPPED = "skip-execution"  # nbclient does not run a cell with this tag
NOTE = (
    "Computed when the data were at hand ({day.day} {day:%B %Y}, checksum "
    "{data}). Run it with the data to see it again."
)

STYLED = re.compile(r'(?<=["#])T_[0-9a-f]{5}(?![0-9a-f])')
HASHED = re.compile(r"\b[a-z]+[0-9a-f]{10}\b")
METADATA = re.compile(r" <metadata>.*?</metadata>\n", re.S)
LONG = re.compile(r"(?<!scale\()-?\b\d+\.\d{3,}")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def setup(app):
    app.connect("source-read", put_in_place)
    app.add_transform(AddNotes)


# Which cells need which data


@cache
def loaders():
    """Return what loads data, and the names that it takes: to each the data
    sets among those that are fetched."""
    sets = {
        row["name"]: set()
        if (DATA / row["files"]).is_file()
        else {row["name"]}
        for row in table("registry.csv")
    }
    rows = table("collections.csv")
    atlas = {row["collection"]: sets[row["data"]] for row in rows}
    return {"gt.load": sets, "gt.load_all": sets, "read": atlas}


def table(name):
    with (DATA / name).open(encoding="utf-8") as file:
        return [*csv.DictReader(file)]


def named_in(source, names):
    """Return which names are strings of the code, or fit one."""
    fitting = set()
    for node in ast.walk(tree(source)):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        values = [getattr(part, "value", None) for part in parts]
        texts = [v if isinstance(v, str) else "*" for v in values]
        pattern = "".join(texts)
        if pattern.strip("*"):
            fitting |= {*matching(names, pattern)}
    return fitting


def loaded(source):
    """Return the fetched data sets that a cell loads: those that it names,
    or all that there are if it names none."""
    known = {}
    for name, sets in loaders().items():
        if re.search(rf"(?<![\w.]){re.escape(name)}\(", source):
            known |= sets
    if not known:
        return set()
    chosen = named_in(source, known) or known
    return set().union(*(known[name] for name in chosen))


def needs(cells):
    """Return the data sets that each cell needs, by its id, if any."""
    behind, needed = {}, {}
    for cell in cells:
        source = cell.source if cell.cell_type == "code" else ""
        sets = loaded(source)
        if not sets and not any(name in source for name in behind):
            continue  # nor does it bind such a name anew
        names = names_read(source, set())
        sets = sets.union(*(behind.get(name, ()) for name in names))
        new = (bound(statement) for statement in tree(source).body)
        behind |= dict.fromkeys(chain(*new), sets)
        if sets:
            needed[cell.id] = sets
    return needed


@cache
def missing():
    """Return the data sets that chapters need and that cannot be had."""
    where = gt.datasets().set_index("name")["where"]
    wanted = set()
    if "remote" in {*where}:
        for path in NOTEBOOKS.glob("*.ipynb"):
            cells = nbformat.read(path, 4).cells
            wanted = wanted.union(*needs(cells).values())
    return {
        name
        for name in wanted
        if where[name] == "remote" and is_missing(name)
    }


def is_missing(name):
    """Return whether a data set cannot be had."""
    try:
        gt.load(name)
    except gt.DatasetUnavailable:
        return True
    return False


# What is kept


@cache
def read(chapter):
    return nbformat.read(NOTEBOOKS / f"{chapter}.ipynb", 4)


@cache
def executed(chapter):
    """Return a chapter with what its cells showed in the built book."""
    runs = get_cache(str(ROOT / "_build" / ".jupyter_cache"))
    try:
        return runs.merge_match_into_notebook(read(chapter))[1]
    except KeyError:
        raise LookupError(f"`make book` first: {chapter} is new") from None


def computed(chapter):
    """Return what is to be kept of a chapter as it was built, by files."""
    cells = read(chapter).cells
    wanted = needs(cells)
    runs = zip(cells, executed(chapter).cells, strict=True)
    return files_of((c, run.outputs) for c, run in runs if c.id in wanted)


def files_of(cells):
    """Return what cells and their outputs are kept as, by files."""
    files, lines = {}, []
    for cell, shown in cells:
        number = 0
        for output in coalesce_streams(shown):
            handed = output.get("metadata", {}).get("scrapbook", {})
            number += not handed
            stem = handed.get("name") or stem_of(cell, number)
            ending, text = tidy(output, stem)
            if handed and ending == "txt":
                lines.append(f"{cell.id} {stem} {text}")
                continue
            files[f"{stem}.{ending}"] = text
            if handed:
                lines.append(f"{cell.id} {stem} {stem}.{ending}\n")
    return files | ({GLUED: "".join(lines)} if lines else {})


def stem_of(cell, number):
    """Name the file of a cell's first, second or later output."""
    figure = cell.metadata.get("mystnb", {}).get("figure", {})
    return figure.get("name", cell.id) + f"-{number}" * (number > 1)


def tidy(output, stem):
    """Return the ending of an output's file and its text, as it is kept:
    without what each run has anew, and drawn to a hundredth of a point."""
    if "text" in output:
        return "txt", output["text"]
    data = {
        k.removeprefix(GLUE_PREFIX): v for k, v in output["data"].items()
    }
    if svg := data.get("image/svg+xml"):
        hashed = {}
        svg = HASHED.sub(
            lambda n: hashed.setdefault(n[0], f"n{len(hashed)}"),
            METADATA.sub("", svg),
        )
        return "svg", LONG.sub(lambda n: f"{float(n[0]):.2f}", svg)
    if html := data.get("text/html"):
        name = f"T_{sha256(stem.encode()).hexdigest()[:5]}"
        return "html", STYLED.sub(name, html)
    return "txt", data["text/plain"] + "\n"


@cache
def kept_files(chapter):
    """Return what is kept of a chapter, by files."""
    return {
        path.name: path.read_text("utf-8")
        for path in sorted((OUTPUTS / chapter).glob("*"))
        if path.name != COMPUTED
    }


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
    """Return whether two numbers differ by more than their last digit."""
    places = max(len(number.partition(".")[2]) for number in pair)
    one, other = map(float, pair)
    return abs(one - other) > 1.01 * 10.0**-places


def stale(chapter, files):
    """Return the names of files that do not hold what the book computes."""
    old = kept_files(chapter)
    return {
        name
        for name in {*old, *files}
        if name not in old
        or name not in files
        or differs(old[name], files[name])
    }


def checksum(cells):
    """Return a checksum of the data that cells need."""
    sets = set().union(*needs(cells).values())
    rows = table("registry.csv")
    patterns = [row["files"] for row in rows if row["name"] in sets]
    paths = {*chain(*map(remote.remote_paths, " ".join(patterns).split()))}
    text = "".join(remote.checksums()[path] for path in sorted(paths))
    return sha256(text.encode()).hexdigest()[:8]


def computed_on(chapter):
    """Return the day on which a chapter was computed, and the checksum of
    its data."""
    path = OUTPUTS / chapter / COMPUTED
    return path.read_text().split() if path.exists() else ["", ""]


def note(chapter):
    """Say when the outputs of a chapter were computed."""
    day, data = computed_on(chapter)
    return NOTE.format(day=date.fromisoformat(day), data=data)


def keep(chapter):
    """Write what has changed since it was kept; return which files."""
    files, folder = computed(chapter), OUTPUTS / chapter
    changed = stale(chapter, files)
    for name in changed:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).unlink(missing_ok=True)
        if name in files:
            (folder / name).write_text(files[name], "utf-8")
    data = checksum(read(chapter).cells)
    if files and (changed or computed_on(chapter)[1] != data):
        (folder / COMPUTED).write_text(f"{date.today()} {data}\n")
    if not files:
        shutil.rmtree(folder, ignore_errors=True)
    return changed


def main():
    if lacking := missing():
        sys.exit(f"`make outputs` needs all data; not here: {lacking}")
    chapters = {path.stem for path in NOTEBOOKS.glob("*.ipynb")}
    for folder in OUTPUTS.glob("*"):
        if folder.name not in chapters:
            shutil.rmtree(folder)
    changed = sum(len(keep(chapter)) for chapter in sorted(chapters))
    print(f"{changed} files in data/outputs have changed")


# Where it is shown


def outputs(chapter, cell):
    """Yield what is kept of a cell, as it had shown it."""
    files = kept_files(chapter)
    for number in count(1):
        stem = stem_of(cell, number)
        endings = [end for end in OUTPUT_OF if f"{stem}.{end}" in files]
        if not endings:
            return
        yield OUTPUT_OF[endings[0]](files[f"{stem}.{endings[0]}"])


def kept_outputs(chapter, cells):
    """Return what is kept of cells that need data, with a note on each."""
    wanted = needs(cells)
    by_cell = {
        cell.id: [*outputs(chapter, cell)]
        for cell in cells
        if cell.id in wanted
    }
    for made in filter(None, by_cell.values()):
        made.append(new_output("stream", text=note(chapter)))
    return by_cell


def as_data(kind):
    return lambda text: new_output("display_data", {kind: text})


# To each ending of a file, what makes an output of its text.
OUTPUT_OF = {
    "html": as_data("text/html"),
    "svg": as_data("image/svg+xml"),
    "txt": lambda text: new_output("stream", text=text),
}


def put_in_place(app, docname, source):
    """Give cells that cannot be run what they had shown."""
    path = Path(app.env.doc2path(docname))
    if path.suffix != ".ipynb" or not missing():
        return
    notebook = nbformat.reads(source[0], 4)
    wanted = needs(notebook.cells)
    for cell in notebook.cells:
        if wanted.get(cell.id, set()) & missing():
            cell.metadata.setdefault("tags", []).append(SKIPPED)
            cell.outputs = [
                *outputs(path.stem, cell),
                *glued(path.stem, cell),
            ]
    source[0] = nbformat.writes(notebook)


def glued(chapter, cell):
    """Yield what is kept of a cell for the text."""
    files = kept_files(chapter)
    for line in files.get(GLUED, "").splitlines():
        place, name, value = line.split(" ", 2)
        if place == cell.id:
            kind = (
                f"{GLUE_PREFIX}text/{'html' if value in files else 'plain'}"
            )
            about = {"name": name, "mime_prefix": GLUE_PREFIX}
            yield new_output(
                "display_data",
                {kind: files.get(value, value)},
                metadata={"scrapbook": about},
            )


class AddNotes(SphinxTransform):
    """Put a note below the first of adjacent cells that were not run."""

    default_priority = 410

    def apply(self):
        noted = []
        for cell in self.document.findall(nodes.container):
            tags = cell.get("cell_metadata", {}).get("tags", [])
            shows = cell.children and cell[-1].get("nb_element")
            if (
                SKIPPED in tags
                and shows == "cell_code_output"
                and cell.parent not in noted
            ):
                noted.append(cell.parent)
                words = note(Path(self.env.docname).name)
                cell[-1] += nodes.paragraph("", words, classes=["kept"])


if __name__ == "__main__":
    main()
