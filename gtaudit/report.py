"""The audit as files: one HTML page, its executed notebook, its numbers."""

import json
import os
import re
from html import escape
from itertools import takewhile
from pathlib import Path
from string import Template
from threading import RLock
from typing import Any

from gtaudit import safe_files
from gtaudit.board import BOARD_COLUMNS, board_markdown
from gtaudit.display import markdown_to_html
from gtaudit.extras import require_packages
from gtaudit.results import as_json_values
from gtlib.runs import file_error
from gtlib.version import __version__

# Its cells display what they show, and the last names the results.
NOTEBOOK = Path(__file__).with_name("report.ipynb")

NEEDED = ("IPython", "filelock", "jinja2", "mistune", "seaborn", "tqdm")

# Figures and standard streams are those of a process, not of a thread.
ONE_AT_A_TIME = RLock()

ENDINGS = (".html", ".ipynb", ".json")
# The tables that an audit writes, by option: the key of the results that
# each holds, and what its first line has.
TABLES = {
    "--board": ("leaderboard", "system,mean,standard_error,low,high,"),
    "--next": (
        "actions",
        "action,price,half_width,ties,worst_bias,mean_bias,error\n",
    ),
    "--markdown": ("leaderboard", BOARD_COLUMNS),
}
MARK = '<meta name="generator" content="gtlib audit '


def report_paths(out, inputs=(), tables=None):
    """Check the paths of a report, ``.html``, ``.ipynb`` and ``.json``,
    and of the tables that are asked for, and list them.

    Parameters
    ----------
    out : Path
        The report, with or without one of the three endings; or a folder,
        which receives ``audit.html`` and the others.
    inputs : paths
        What must not be overwritten.
    tables : dict of option to Path, optional
        Of `TABLES`: CSV files, and one of Markdown.

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
    finals = [out.with_name(out.name + ending) for ending in ENDINGS]
    options = dict.fromkeys(finals, "--out")
    for option, path in (tables or {}).items():
        ending = ".md" if option == "--markdown" else ".csv"
        if path.suffix.lower() != ending:
            raise ValueError(
                f"{option} {path}: its name must end in {ending}."
            )
        if os.path.realpath(path) in map(os.path.realpath, options):
            raise ValueError(f"{path} is to hold two tables: rename one.")
        options[path] = option
    taken = {os.path.realpath(path) for path in inputs if path}
    for final, option in options.items():
        folder = final.parent
        if not folder.is_dir():
            raise ValueError(f"There is no folder {folder} to write into.")
        if not os.access(folder, os.W_OK):
            raise ValueError(f"The folder {folder} cannot be written to.")
        if os.path.realpath(final) in taken:
            raise ValueError(f"{final} is an input: name another {option}.")
        try:
            os.lstat(final)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise file_error("written", final, error) from error
        if not is_audit_file(final, option):
            raise ValueError(
                f"{final} is there already, and no audit wrote it; remove "
                f"it or choose another {option}."
            )
    return [*options]


def is_audit_file(path, option="--out"):
    """Return whether an audit wrote a file: its mark is there, at the
    place where an audit writes it."""
    try:
        if path.is_symlink() or not path.is_file():
            return False  # a pipe would keep its reader waiting
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            return f"\n{MARK}" in f"\n{text[:500]}"
        if path.suffix.lower() == ".csv":
            return text.startswith(TABLES[option][1])
        if path.suffix.lower() == ".md":
            return TABLES[option][1] in text.partition("\n")[0]
        content = json.loads(text)
        return (
            "gtlib audit" in content.get("metadata", content)["generator"]
        )
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return False


def write_report(
    out,
    parameters,
    provenance,
    *,
    tables=None,
    audited=None,
    template=None,
    progress=False,
    checked=lambda: None,
    placed=lambda: None,
):
    """Run the report's notebook and write what it shows.

    Parameters
    ----------
    out : Path
        As `report_paths` takes it.
    parameters : dict
        For the notebook's cell of parameters.
    provenance : dict
        What the report was made from, and when, for page and numbers.
    tables : dict of option to Path, optional
        Where tables go, as for `report_paths`.
    audited : AuditData, optional
        What the parameters' files hold, so that they are read once.
    template : Path, optional
        Another notebook than the report's.
    progress : bool
        Show a bar, a step per cell.
    checked : callable
        Called before they are written, to raise what forbids it.
    placed : callable
        Called once all files are in place.

    Returns
    -------
    list of Path
        The files that were written, the numbers last: all, or none.

    Raises
    ------
    ImportError
        If a package that reports need is not installed.
    ValueError
        If the files cannot be written.
    RuntimeError
        If a cell of the notebook fails.
    """
    with safe_files.delay_signals():  # half an import may crash
        require_packages("A report", *NEEDED)
    report_paths(out, tables=tables)  # refused before the work
    notebook = json.loads((template or NOTEBOOK).read_text("utf-8"))
    generator = f"gtlib audit {__version__}"
    notebook["metadata"]["generator"] = generator
    written = {**parameters, "numbers": "numbers.json"}
    for name, value in written.items():
        notebook["cells"][0]["source"].append(f"\n{name} = {value!r}")
    values = {"audited": audited, "numbers": None}
    with ONE_AT_A_TIME:
        results = _execute(notebook["cells"], values, progress)
    facts = {"generator": generator, **provenance}
    page = _make_page(notebook["cells"], parameters["title"], facts)
    executed = json.dumps(notebook, indent=1, ensure_ascii=False)
    csvs = []
    for option in tables or ():
        key, header = TABLES[option]
        if option == "--markdown":
            system = results["nouns"].get("system", "system")
            alpha = results["pairs_told_apart"]["alpha"]
            csvs.append(board_markdown(results[key], system, alpha))
            continue
        csvs.append(_as_csv(results[key], header))
    results = facts | as_json_values(results)
    numbers = json.dumps(results, indent=2, allow_nan=False)
    texts = (
        text.encode("utf-8", "backslashreplace")
        for text in (page, executed, numbers, *csvs)
    )
    checked()
    # again: others may have written meanwhile
    finals = report_paths(out, tables=tables)
    try:
        safe_files.write_together(
            dict(zip(finals, texts, strict=True)), placed
        )
    except OSError as error:
        raise file_error("written", finals[0], error) from error
    return finals[3:] + finals[:3]


def _as_csv(table, header):
    """Write a table of the results as CSV; where there is none, its
    header."""
    if table is None:
        return header.rstrip(",\n") + "\n"
    return table.to_csv(index=table.index.name is not None)


def _execute(cells, values, progress):
    """Run the cells, keep what they display, and return the results that
    the last one names.

    The first cell has the parameters; `held` takes the place of some of
    them. What cells print, or warn of, is dropped. Signals wait for the
    end of a cell, and the figures of the reader's process keep their style.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from matplotlib import style
    from tqdm import tqdm
    from traitlets.config import Config

    def display(*things):
        cell["outputs"] += map(_display_output, things)

    names: dict[str, Any] = {"__name__": "report", "display": display}
    no_history = Config({"HistoryManager": {"enabled": False}})
    code_cells = [cell for cell in cells if cell["cell_type"] == "code"]
    with (
        safe_files.temporary_folder() as profile,
        style.context("default"),
        tqdm(code_cells, disable=not progress) as bar,
    ):
        shell = InteractiveShell(
            ipython_dir=str(profile), user_ns=names, config=no_history
        )
        for number, cell in enumerate(bar, start=1):
            cell["execution_count"] = number
            with safe_files.delay_signals(), capture_output(display=False):
                outcome = shell.run_cell("".join(cell["source"]))
            try:
                outcome.raise_error()
            except Exception as error:  # whatever a cell may raise
                message = f"{type(error).__name__}: {error}"
                raise RuntimeError(message) from error
            if number == 1:
                names |= values
    for cell in cells:
        if cell["cell_type"] == "markdown":  # with fields for the nouns
            nouns = names["audited"].collection.nouns.markdown
            cell["source"] = [t.format(n=nouns) for t in cell["source"]]
    return names["results"]


def _display_output(thing):
    """Return the output of a cell that shows a thing, as notebooks have
    it."""
    data = {"text/plain": repr(thing)}
    for kind in ("html", "markdown"):
        method = getattr(thing, f"_repr_{kind}_", None)
        text = method() if method else None
        if text is not None:
            data[f"text/{kind}"] = text
    return {"output_type": "display_data", "metadata": {}, "data": data}


def _make_page(cells, title, facts):
    body = "\n".join(
        part for cell in _without_empty(cells) for part in _cell_parts(cell)
    )
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
    parts = {"title": escape(title), "body": body, "version": __version__}
    provenance = escape(json.dumps(facts, indent=2, ensure_ascii=False))
    return Template(template).substitute(parts, provenance=provenance)


def _without_empty(cells):
    """Yield the cells, without headings and texts that nothing
    follows."""
    for i, cell in enumerate(cells):
        if cell["cell_type"] == "markdown":
            heading = _heads_section(cell)

            def goes_on(other, heading=heading):
                text = other["cell_type"] == "markdown"
                return not _heads_section(other) and (heading or not text)

            below = takewhile(goes_on, cells[i + 1 :])
            if not any(other.get("outputs") for other in below):
                continue
        yield cell


def _heads_section(cell):
    """Return whether a cell heads a section, itself or by what it shows
    first."""
    if cell["cell_type"] == "markdown":
        return cell["source"][0].startswith("## ")
    outputs = cell.get("outputs")
    if not outputs:
        return False
    return outputs[0]["data"].get("text/markdown", "").startswith("## ")


def _cell_parts(cell):
    """Yield the parts of a cell on a page, as HTML."""
    if cell["cell_type"] == "markdown":
        yield markdown_to_html("".join(cell["source"]))
        return
    for data in (output["data"] for output in cell["outputs"]):
        if "text/html" in data:
            yield data["text/html"]
        elif "text/markdown" in data:
            yield markdown_to_html(data["text/markdown"])
        else:
            yield f"<pre>{escape(data['text/plain'])}</pre>"
