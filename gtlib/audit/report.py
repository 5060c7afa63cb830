"""The audit as files: one HTML page, its executed notebook, its numbers."""

import os
import re
import shutil
import sys
import tempfile
from html import escape
from pathlib import Path
from string import Template

from gtlib.collections import data_folder
from gtlib.version import __version__

INSTALL = "gtlib-ir[audit] @ git+https://github.com/gtlib/gtlib"

LESSON, LESSONS_FROM_HERE = "lesson", "lessons-from-here"
"""Tags of what teaches: one cell, and a cell with all that follow it. A
report does without them."""

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


def write_report(out, parameters, *, progress=False):
    """Run the audit's notebook and write what it shows.

    Parameters
    ----------
    out : Path
        The report, ``.html``; the executed notebook (``.ipynb``) and the
        numbers (``.json``) go beside it under the same name.
    parameters : dict
        For the notebook's cell of parameters.
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
        import nbformat
        import papermill
    except ImportError as error:
        raise ValueError(
            f"An audit runs a notebook, and {error.name} is not "
            f"installed: pip install {INSTALL!r}."
        ) from error
    finals = [out.with_suffix(s) for s in (".html", ".ipynb", ".json")]
    _check_writable(finals)
    with tempfile.TemporaryDirectory() as folder:
        source, executed, numbers = (
            Path(folder) / name
            for name in ("audit.ipynb", "executed.ipynb", "numbers.json")
        )
        notebook = nbformat.read(audit_notebook(), as_version=4)
        notebook.cells = list(_without_lessons(notebook.cells))
        nbformat.write(notebook, source)
        try:
            papermill.execute_notebook(
                source,
                executed,
                {**parameters, "numbers": str(numbers)},
                kernel_name="python3",
                progress_bar=progress,
                extra_arguments=["--log-level=CRITICAL"],
            )
        except papermill.PapermillExecutionError as error:
            raise RuntimeError(f"{error.ename}: {error.evalue}") from error
        page = Path(folder) / "report.html"
        page.write_text(_page(executed, parameters["title"]), "utf-8")
        for made, final in zip(
            (page, executed, numbers), finals, strict=True
        ):
            _move(made, final)
    return finals


def _without_lessons(cells):
    for cell in cells:
        tags = cell.metadata.get("tags", [])
        if LESSONS_FROM_HERE in tags:
            return
        if LESSON not in tags:
            yield cell


def _page(executed, title):
    import nbformat
    from nbconvert import HTMLExporter

    notebook = nbformat.read(executed, as_version=4)
    for cell in notebook.cells:
        _describe_figure(cell)

    exporter = HTMLExporter(
        template_name="basic",
        exclude_input=True,
        exclude_input_prompt=True,
        exclude_output_prompt=True,
    )
    body, _ = exporter.from_notebook_node(notebook)
    # pandas heads the column of names with nothing: no heading, then.
    empty = r"<th( class=\"blank[^>]*)>(?:&nbsp;|\s)*</th>"
    body = re.sub(empty, r"<td\1></td>", body)
    template = Path(__file__).with_name("report.html").read_text("utf-8")
    return Template(template).substitute(
        title=escape(title), body=body, version=__version__
    )


def _describe_figure(cell):
    """Give a drawn figure the caption and description that its cell has."""
    book = cell.metadata.get("mystnb", {})
    if "figure" not in book:
        return
    for output in cell.get("outputs", []):
        drawing = output.get("data", {}).pop("image/svg+xml", None)
        if drawing:
            output.data["text/html"] = FIGURE.substitute(
                drawing=drawing[drawing.index("<svg") :],
                description=escape(book["image"]["alt"]),
                caption=escape(book["figure"]["caption"]),
            )


def _check_writable(finals):
    folder = finals[0].parent
    if not folder.is_dir():
        raise ValueError(f"There is no folder {folder} to write into.")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"The folder {folder} cannot be written to.")
    for final in finals:
        if final.is_dir():
            raise ValueError(f"{final} is a folder; choose another --out.")


def _move(made, final):
    """Put a finished file in its place in one step, even across disks."""
    beside = final.with_name(f".{final.name}.part")
    shutil.copyfile(made, beside)
    os.replace(beside, final)


def say(message):
    """A line for the person at the terminal, apart from any output."""
    print(message, file=sys.stderr)
