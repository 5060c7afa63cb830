"""The audit as files: one HTML page, its executed notebook, its numbers."""

import ast
import json
import os
import re
import sys
from contextlib import (
    contextmanager,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from html import escape, unescape
from importlib import import_module
from io import StringIO
from itertools import pairwise
from pathlib import Path
from string import Template
from threading import RLock

from tqdm import tqdm

from gtapps.audit.files import (
    signals_later,
    temporary_folder,
    write_together,
)
from gtlib.collections import data_folder
from gtlib.runs import cannot
from gtlib.version import __version__

INSTALL = "gtlib-ir[audit] @ git+https://github.com/gtlib/gtlib"

LESSON, LESSONS_FROM_HERE = "lesson", "lessons-from-here"
"""Tags of what teaches: one cell, and a cell with all that follow it. A
report does without them."""

OF_THE_FIGURE = "of-the-figure"
"""Tag of a cell that computes what the figure before it shows."""

ONE_AT_A_TIME = RLock()
"""Figures and standard streams are those of a process, not of a thread."""

ENDINGS = (".html", ".ipynb", ".json")
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
    out,
    parameters,
    provenance,
    *,
    gathered=None,
    progress=False,
    placed=lambda: None,
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
    placed : callable
        Called once all files are in place.

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
        for needed in ("IPython", "mistune"):
            import_module(needed)
    except ImportError as error:
        raise ValueError(
            f"An audit runs a notebook, and {error.name} is not "
            f"installed: pip install {INSTALL!r}."
        ) from error
    places(out)  # refused before the work
    notebook = json.loads(audit_notebook().read_text("utf-8"))
    cells = notebook["cells"] = [*_without_lessons(notebook["cells"])]
    generator = f"gtlib audit {__version__}"
    notebook["metadata"]["generator"] = generator
    given = {**parameters, "numbers": "numbers.json"}
    for cell in cells:
        if "parameters" in _tags(cell):
            cell["source"] += (f"\n{n} = {v!r}" for n, v in given.items())
    with temporary_folder() as folder, ONE_AT_A_TIME:
        path = folder / "numbers.json"
        held = {"gathered": gathered, "numbers": str(path)}
        _execute(cells, held, progress)
        found = path.read_text("utf-8")
    made = {"generator": generator, **provenance}
    executed = json.dumps(notebook, indent=1, ensure_ascii=False)
    page = _page(cells, parameters["title"], made)
    numbers = json.dumps({**made, **json.loads(found)}, indent=2)
    finals = places(out)  # again: others may have written meanwhile
    texts = zip(finals, (page, executed, numbers), strict=True)
    try:
        write_together(
            {p: t.encode("utf-8", "backslashreplace") for p, t in texts},
            placed,
        )
    except OSError as error:
        raise cannot("written", finals[0], error) from error
    return finals


def _execute(cells, held, progress):
    """Run the cells on what is held, and keep what they display.

    What is printed, or warned of, is no finding. Signals wait for the end
    of a cell: an import that is broken off may end in a crash. Matplotlib
    is left as it was.
    """
    with signals_later():
        import matplotlib.pyplot as plt

    def display(*things):
        cell["outputs"] += map(_shown, things)

    def drawn():
        return sorted({*plt.get_fignums()} - theirs)

    names, unsaid = {"display": display, **held}, StringIO()
    theirs = {*plt.get_fignums()}
    codes = [cell for cell in cells if cell["cell_type"] == "code"]
    try:
        with _by_agg(), tqdm(codes, disable=not progress) as bar:
            for number, cell in enumerate(bar, start=1):
                cell["execution_count"] = number
                with (
                    signals_later(),
                    redirect_stdout(unsaid),
                    redirect_stderr(unsaid),
                ):
                    value = _value("".join(cell["source"]), names)
                    if "parameters" in _tags(cell):
                        names |= held
                    if value is not None:
                        display(value)
                    for figure in drawn():
                        display(plt.figure(figure))
                        plt.close(figure)
    except Exception as error:  # whatever a cell may raise
        raise RuntimeError(f"{type(error).__name__}: {error}") from error
    finally:
        for figure in drawn():
            plt.close(figure)


@contextmanager
def _by_agg():
    """Draw by agg, in no style of the reader's.

    A backend is loaded when it first draws. That of the reader is not
    loaded to be put back: it may not be installed. No public function
    of Matplotlib says or sets that none is loaded yet.
    """
    from matplotlib import pyplot, rcParams, style

    backend, loaded = rcParams._get("backend"), pyplot._backend_mod
    try:
        with style.context("default"):
            with signals_later():
                pyplot.switch_backend("agg")
            yield
    finally:
        rcParams._set("backend", backend)
        pyplot._backend_mod = loaded


def _value(source, names):
    """Execute a cell; its last line's value, if that is to be shown."""
    from IPython.core.inputtransformer2 import TransformerManager

    lines = ast.parse(TransformerManager().transform_cell(source)).body
    last = None
    if isinstance(lines[-1], ast.Expr) and not source.endswith(";"):
        last = ast.Expression(lines[-1].value)
        del lines[-1]
    exec(compile(ast.Module(lines, []), "<cell>", "exec"), names)
    return eval(compile(last, "<cell>", "eval"), names) if last else None


def _shown(thing):
    """What notebooks show of a thing, as the output of a cell."""
    from IPython.core.pylabtools import print_figure
    from matplotlib.figure import Figure

    data = {"text/plain": repr(thing)}
    if isinstance(thing, Figure):
        data["image/svg+xml"] = print_figure(thing, "svg")
    for kind in ("html", "markdown"):
        method = getattr(thing, f"_repr_{kind}_", None)
        if method and (text := method()) is not None:
            data[f"text/{kind}"] = text
    return {"output_type": "display_data", "metadata": {}, "data": data}


def _tags(cell):
    return cell["metadata"].get("tags", [])


def _without_lessons(cells):
    for cell in cells:
        if LESSONS_FROM_HERE in _tags(cell):
            return
        if LESSON not in _tags(cell):
            yield cell


def _page(cells, title, made):
    for cell, after in pairwise(cells):
        _describe_figure(cell, after)
    body = "\n".join(part for cell in cells for part in _parts(cell))
    # Each section can be linked to.
    body = re.sub(
        "<h2>(.*)</h2>",
        lambda h: f'<h2 id="{h[1].replace(" ", "-")}">{h[1]}</h2>',
        body,
    )
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


def in_html(markdown):
    """Markdown, whose names `as_text` has made safe, as HTML."""
    from mistune import create_markdown

    return create_markdown(escape=False)(markdown)


def _parts(cell):
    """What a page shows of a cell, as HTML."""
    if cell["cell_type"] == "markdown":
        yield in_html("".join(cell["source"]))
        return
    for data in (output["data"] for output in cell["outputs"]):
        if "text/html" in data:
            yield data["text/html"]
        elif "text/markdown" in data:
            yield in_html(data["text/markdown"])
        else:
            yield f"<pre>{escape(data['text/plain'])}</pre>"


def _describe_figure(cell, after):
    """Give a drawn figure the caption and description that its cell has,
    and the sentence on what it shows that the next cell computed."""
    book = cell["metadata"].get("mystnb", {})
    if "figure" not in book:
        return
    if not any("image/svg+xml" in o["data"] for o in cell["outputs"]):
        return
    said = []
    if OF_THE_FIGURE in _tags(after):
        said = [
            unescape(o["data"]["text/markdown"]) for o in after["outputs"]
        ]
        after["outputs"] = []
    caption, description = (
        escape(" ".join([text, *said]))
        for text in (book["figure"]["caption"], book["image"]["alt"])
    )
    for data in (output["data"] for output in cell["outputs"]):
        if drawing := data.get("image/svg+xml"):
            data["text/html"] = FIGURE.substitute(
                drawing=drawing[drawing.index("<svg") :],
                description=description,
                caption=caption,
            )


def say(message):
    """A line for the person at the terminal, apart from any output."""
    shown = (c if c.isprintable() else " " for c in message)
    put(" ".join("".join(shown).split()), sys.stderr)


def put(text, stream):
    """Lines for a stream; one that is closed or full goes without."""
    if stream is None:
        return
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        # What it still holds would fail again when the process ends.
        with suppress(OSError, ValueError), open(os.devnull, "w") as none:
            os.dup2(none.fileno(), stream.fileno())
