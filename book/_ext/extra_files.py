"""What readers download beside the pages: chapters, reports and wheels.

A chapter to be run is the notebook with what it has shown. The reports are
those that ``gtlib audit`` gives; chapter 14 links to them. Reports and
wheels are made by a process of their own while Sphinx reads.
"""

import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import kept
import nbformat
import plain
from edition import requirements, site
from nbformat.v4 import new_output

import gtaudit
from gtaudit.report import write_report
from gtlib.data import DatasetUnavailable, load

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "_notebooks"  # beside the pages
SETUP = """\
# Where gtlib is missing, install it from the wheel that is on the book's
# site, or that you saved from there beside this notebook. Then import.
try:
    import gtlib
except ImportError:
    %pip install -q {requirements}

"""
# What a report says of the book, and what it says beside its pages.
HOW = "<span>How to read this page: chapter 14 of the book</span>"
LINK = (
    '<a href="notebooks/14-audit-your-collection.html">How to read this '
    "page</a>"
)
NOT_HERE = """\
<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>Not here</title>
<main><h1>This report is not here</h1>
<p>Its runs and judgments, of Robust 2003, could not be had when this book
was built.
<a href="notebooks/14-audit-your-collection.html">Chapter 14</a> says how to
make it.</p></main></html>
"""


def setup(app):
    app.connect("builder-inited", lay_table_beside_chapters)
    app.connect("builder-inited", start)
    app.connect("html-page-context", lead_download_here, 999)


def write_chapters(app):
    """Write the chapters to be run, and beside the pages for the button
    that downloads them."""
    made = Path(app.outdir).parent / "notebooks"
    beside = Path(app.outdir) / FOLDER
    for folder in made, beside:  # with chapters that are no more
        shutil.rmtree(folder, ignore_errors=True)
    made.mkdir()
    install = SETUP.format(
        requirements=" ".join(f'"{one}"' for one in requirements())
    )
    for page in filter(partial(source, app), app.env.found_docs):
        chapter = Path(page).name
        notebook = kept.shown(chapter, made.parent)
        known = kept.record(chapter)
        for cell in kept.code_cells(notebook):
            cell.outputs = kept.tidy(cell.outputs, cell.id)
            if cell.id in known:
                say_when(cell, kept.note(chapter))
        plain.to_run(notebook, install, site())
        nbformat.write(notebook, made / f"{chapter}.ipynb")
    shutil.copytree(made, beside)


def source(app, page):
    """The notebook that a page is written in; None if it is not one."""
    path = Path(app.env.doc2path(page))
    return path if path.suffix == ".ipynb" else None


def say_when(cell, words):
    """Below what is kept, say so; where the data are not, a cell that needs
    them does not stop those behind it."""
    tags = cell.metadata.get("tags", [])
    cell.metadata["tags"] = [*tags, "raises-exception"]
    if cell.outputs:
        cell.outputs.append(new_output("stream", text=words))


def lead_download_here(app, page, template, context, doctree):
    """Let the page's button download the chapter as it was run."""
    if not context.get("header_buttons") or not source(app, page):
        return
    notebook = f"{FOLDER}/{Path(page).name}.ipynb"
    for group in context["header_buttons"]:
        for button in group.get("buttons", []):
            if button.get("label") == "download-source-button":
                button["url"] = context["pathto"](notebook, 1)
                button["tooltip"] = "Download the chapter to run it"
            elif button.get("label") == "download-pdf-button":
                del button["javascript"]
                button["type"] = "link"
                button["url"] = f"{Path(page).name}.pdf"
                button["tooltip"] = "This chapter as a PDF"


def lay_table_beside_chapters(app):
    """Put the table that *Now yours* reads beside the chapters, before
    several of them run at once."""
    shutil.copy(ROOT / "data/scores/scores.csv", ROOT / "notebooks")


def start(app):
    if app.builder.name != "html":
        return
    making = subprocess.Popen([sys.executable, __file__, app.outdir])

    def wait(app, exception):
        if making.wait() and not exception:
            raise RuntimeError("An example of a report could not be made.")

    app.connect("build-finished", wait)


def main(html):
    wheels(html)
    of_scores(html / "example-audit.html")
    of_runs(html / "example-robust2003.html")


def of_scores(report):
    """The audit of the embedded scores, as in chapter 14."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "cf.csv"
        load("cf").to_csv(table, index=False)
        write(
            report,
            title="An example: Cystic Fibrosis, AP",
            table=str(table),
            measure="AP,nDCG@10,P@10",
        )


def of_runs(report):
    """The audit of runs, or a page that says that there is none."""
    try:
        runs = [str(path) for path in load("robust2003-runs")]
        qrels = str(load("robust2003-qrels"))
    except DatasetUnavailable:
        report.write_text(NOT_HERE)
        return
    title = "An example: Robust 2003, runs and judgments"
    write(report, title=title, runs=runs, qrels=qrels)


def write(report, **parameters):
    """A report, unless it is there, whole or not at all; the notebook and
    the numbers that come with it stay out of the book."""
    if report.exists():
        return
    with tempfile.TemporaryDirectory(dir=report.parents[1]) as folder:
        made = Path(folder) / report.name
        title = parameters.pop("title")
        audited = gtaudit.collect(**parameters)
        study = gtaudit.complete(gtaudit.answer(audited))
        write_report(made, study, title, parameters, {})
        page = made.read_text("utf-8").replace(HOW, LINK, 1)
        made.write_text(page, "utf-8")
        made.replace(report)


def wheels(html):
    """Build the wheels of this edition: gtlib's, and the book's."""
    for old in html.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    for project in ROOT, ROOT / "book" / "support":
        subprocess.run([*command, "-d", html], cwd=project, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
