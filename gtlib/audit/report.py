"""The audit as files: one HTML page, its executed notebook, its numbers."""

import asyncio
import json
import os
import re
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from html import escape, unescape
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from string import Template

import pandas as pd
from tqdm import tqdm

from gtlib.collections import data_folder
from gtlib.files import cannot, temporary_folder, write_together
from gtlib.version import __version__

INSTALL = "gtlib-ir[audit] @ git+https://github.com/gtlib/gtlib"

LESSON, LESSONS_FROM_HERE = "lesson", "lessons-from-here"
"""Tags of what teaches: one cell, and a cell with all that follow it. A
report does without them."""

OF_THE_FIGURE = "of-the-figure"
"""Tag of a cell that computes what the figure before it shows."""

ENDINGS = (".html", ".ipynb", ".json")
READY = "gathered.pickle"
MARK = '<meta name="generator" content="gtlib audit '
FIGURE = Template(
    '<figure><div role="img" aria-label="$description">$drawing</div>'
    "<figcaption>$caption</figcaption></figure>"
)


def audit_notebook():
    """The path of the audit's notebook: embedded, or in the repository."""
    embedded = data_folder() / "audit.ipynb"
    if embedded.is_file():
        return embedded
    notebooks = data_folder().parent / "notebooks"
    return notebooks / "11-audit-your-collection.ipynb"


def places(out, inputs=()):
    """Where a report goes: ``.html``, ``.ipynb`` and ``.json``.

    Parameters
    ----------
    out : Path
        The report, with or without one of the three endings; or a folder,
        which receives ``audit.html`` and the others.
    inputs : paths
        What must not be overwritten.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If there is no folder for them, or at one of the places something
        is that no audit wrote.
    """
    if out.is_dir():
        out = out / "audit"
    if out.suffix.lower() in ENDINGS:
        out = out.with_suffix("")
    folder = out.parent
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} to write into.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"The folder {folder} cannot be written to.")
    finals = [out.with_name(out.name + ending) for ending in ENDINGS]
    taken = {os.path.realpath(path) for path in inputs if path}
    for final in finals:
        if os.path.realpath(final) in taken:
            raise ValueError(
                f"{final} is an input of this audit; choose another --out."
            )
        try:
            os.lstat(final)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise cannot("written", final, error) from error
        if not _is_ours(final):
            raise ValueError(
                f"{final} is there already, and no audit wrote it; remove "
                "it or choose another --out."
            )
    return finals


def _is_ours(path):
    """Whether an audit wrote a file; it says so where only it would."""
    try:
        if path.is_symlink():
            return False
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            return f"\n{MARK}" in f"\n{text[:500]}"
        found = json.loads(text)
        return "gtlib audit" in found.get("metadata", found)["generator"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def write_report(
    out, parameters, provenance, *, gathered=None, progress=False
):
    """Run the audit's notebook and write what it shows.

    Parameters
    ----------
    out : Path
        As `places` takes it.
    parameters : dict
        For the notebook's cell of parameters.
    provenance : dict
        What the report was made from, and when, for page and numbers.
    gathered : Gathered, optional
        What the parameters' files hold, so that they are read once.
    progress : bool
        Show a bar, a step per cell.

    Returns
    -------
    list of Path
        The files that were written: all of them, or none.

    Raises
    ------
    ValueError
        If the packages that run notebooks are not installed, or the
        files cannot be written.
    RuntimeError
        If a cell of the notebook fails.
    """
    try:
        for needed in ("ipykernel", "nbclient", "nbconvert"):
            import_module(needed)
        import nbformat
    except ImportError as error:
        raise ValueError(
            f"An audit runs a notebook, and {error.name} is not "
            f"installed: pip install {INSTALL!r}."
        ) from error
    finals = places(out)
    notebook = nbformat.read(audit_notebook(), as_version=4)
    notebook.cells = list(_without_lessons(notebook.cells))
    notebook.metadata["generator"] = f"gtlib audit {__version__}"
    given = {**parameters, "numbers": "numbers.json"}
    ready = f"\ngathered = {READY!r}" if gathered is not None else ""
    cells = [
        cell
        for cell in notebook.cells
        if "parameters" in cell.metadata.get("tags", [])
    ]
    for cell in cells:
        cell.source += "".join(f"\n{n} = {v!r}" for n, v in given.items())
        cell.source += ready
    # The kernel imports what lies in its folder: no Python file does.
    with temporary_folder() as folder:
        if ready:
            pd.to_pickle(gathered, folder / READY)
        _execute(notebook, folder, progress)
        for cell in cells:  # whoever runs it again has the files
            cell.source = cell.source.removesuffix(ready)
        found = (folder / "numbers.json").read_text("utf-8")
    for cell in notebook.cells:  # what Python warns of is no finding
        if cell.cell_type == "code":
            cell.outputs = [
                o for o in cell.outputs if o.get("name") != "stderr"
            ]
    made = {"generator": notebook.metadata["generator"], **provenance}
    executed = nbformat.writes(notebook)
    page = _page(notebook, parameters["title"], made)
    numbers = json.dumps({**made, **json.loads(found)}, indent=2)
    texts = zip(places(out), (page, executed, numbers), strict=True)
    try:
        write_together(
            {p: t.encode("utf-8", "backslashreplace") for p, t in texts}
        )
    except OSError as error:
        raise cannot("written", finals[0], error) from error
    return finals


def _execute(notebook, folder, progress):
    """Run a notebook's cells; a signal ends them and the kernel."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    begun: Future = Future()

    async def execute():
        begun.set_result(asyncio.current_task())
        await client.async_execute(cwd=folder, stderr=subprocess.DEVNULL)

    with (
        tqdm(total=len(notebook.cells), disable=not progress) as bar,
        ThreadPoolExecutor(1) as worker,
    ):
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            extra_arguments=["--log-level=CRITICAL"],
            on_cell_start=lambda **_: bar.update(),
        )
        try:
            # In another thread it leaves the signals to this one.
            worker.submit(asyncio.run, execute()).result()
        except CellExecutionError as error:
            raise RuntimeError(f"{error.ename}: {error.evalue}") from error
        except (SystemExit, KeyboardInterrupt):
            task = begun.result()
            task.get_loop().call_soon_threadsafe(task.cancel)
            raise


def _without_lessons(cells):
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if LESSONS_FROM_HERE in tags:
            return
        if LESSON not in tags:
            yield cell


def _page(notebook, title, made):
    from nbconvert import HTMLExporter

    for cell, after in pairwise(notebook.cells):
        _describe_figure(cell, after)

    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
        extra_template_basedirs=[],  # otherwise the current folder
    )
    body, _ = exporter.from_notebook_node(notebook)
    # pandas heads the column of names with nothing: no heading, then.
    empty = r"<th( class=\"blank[^>]*)>(?:&nbsp;|\s)*</th>"
    body = re.sub(empty, r"<td\1></td>", body)
    # A table that scrolls can be reached by keyboard.
    body = body.replace("<table", '<table tabindex="0"')
    template = Path(__file__).with_name("report.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(title),
        body=body,
        mark=MARK,
        version=__version__,
        provenance=escape(json.dumps(made, indent=2, ensure_ascii=False)),
    )


def _describe_figure(cell, after):
    """Give a drawn figure the caption and description that its cell has,
    and the sentence on what it shows that the next cell computed."""
    book = cell.metadata.get("mystnb", {})
    if "figure" not in book:
        return
    said = []
    if OF_THE_FIGURE in after.metadata.get("tags", []):
        said = [unescape(o.data["text/markdown"]) for o in after.outputs]
        after.outputs = []
    for output in cell.outputs:
        drawing = output.get("data", {}).pop("image/svg+xml", None)
        if drawing:
            caption, description = (
                escape(" ".join([text, *said]))
                for text in (
                    book["figure"]["caption"],
                    book["image"]["alt"],
                )
            )
            output.data["text/html"] = FIGURE.substitute(
                drawing=drawing[drawing.index("<svg") :],
                description=description,
                caption=caption,
            )


def say(message):
    """A line for the person at the terminal, apart from any output."""
    shown = (c if c.isprintable() else " " for c in message)
    print(" ".join("".join(shown).split()), file=sys.stderr)
