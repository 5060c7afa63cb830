"""The audit as files: one HTML page, its numbers, and a notebook that one
may take further."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gtaudit import safe_files
from gtaudit.extras import require_packages
from gtaudit.failures import analysis
from gtaudit.paths import report_paths, run_of
from gtaudit.results import as_json_values
from gtaudit.study import Complete, Short
from gtaudit.terminal import say
from gtlib.checks import list_names
from gtlib.runs import file_error
from gtlib.version import __version__

# Its first cell has the parameters of `collect` and of `Asked`.
NOTEBOOK = Path(__file__).with_name("report.ipynb")

NEEDED = ("filelock", "jinja2")


def write_report(
    out: Path,
    study: Complete | Short,
    title: str,
    parameters: dict[str, Any],
    provenance: dict[str, Any],
    checked: Callable[[], object] = lambda: None,
    placed: Callable[[], object] = lambda: None,
) -> list[Path]:
    """Write what an audit found.

    Parameters
    ----------
    out : Path
        As `report_paths` takes it.
    study : Complete, OneAnswered or JudgesAnswered
        All numbers.
    title : str
        Heads the page.
    parameters : dict
        For the notebook's first cell.
    provenance : dict
        What the report was made from, for page and numbers.
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
        If the page cannot be made.
    """
    with safe_files.delay_signals():  # half an import may crash
        require_packages("A report", *NEEDED)
        from gtaudit.page import make_page
    facts = {"generator": f"gtlib audit {__version__}", **provenance}
    with analysis():
        results = {**facts, "title": title, **study.results}
        numbers = json.dumps(
            as_json_values(results), indent=2, allow_nan=False
        )
        # Of the numbers, so that the same ones have the same.
        run = hashlib.sha256(numbers.encode()).hexdigest()[:16]
        numbers = numbers.replace("{", f'{{\n  "run": "{run}",', 1)
        page = make_page(study, title, {"run": run, **facts})
    notebook = fill_notebook(parameters, run)
    texts = (
        text.encode("utf-8", "backslashreplace")
        for text in (page, notebook, numbers)
    )
    checked()
    # again: others may have written meanwhile
    finals = report_paths(out)
    if len({*map(run_of, finals)} - {None}) > 1:
        say(
            f"gtlib audit: {list_names(p.name for p in finals)} were of "
            "two runs, one of which was ended while it wrote: none of them "
            "could be trusted. All are written anew."
        )
    try:
        safe_files.write_together(
            dict(zip(finals, texts, strict=True)), placed
        )
    except OSError as error:
        raise file_error("written", finals[0], error) from error
    return finals


def fill_notebook(parameters: dict[str, Any], run: str) -> str:
    """Return the notebook with what the command was given in its first
    cell, so that it computes the same."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    notebook["metadata"]["generator"] = f"gtlib audit {__version__}"
    notebook["metadata"]["run"] = run
    for name, value in parameters.items():
        notebook["cells"][0]["source"].append(f"\n{name} = {value!r}")
    return json.dumps(notebook, indent=1, ensure_ascii=False)
