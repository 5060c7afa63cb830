"""Run a chapter in a kernel of its own, and store what came out.

Every cell is run. Where the data of others are not here, a cell that loads
them ends in `DatasetUnavailable`, and so does each that needs what such a
cell would have bound (`passed_over`). What came out lies in
`_build/executed`; it is run again when the code or what it computes from
has changed, or when it lacked data and others are here now.
"""

import hashlib
import json
import os
import re
from pathlib import Path
from threading import get_ident

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from passed_over import SECONDS
from plain import NOTEBOOKS, file_of
from reexecute import data_here, sources_checksum
from sphinx.errors import SphinxError

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "_build"
ANSI = re.compile(r"\x1b\[[\d;]*m")


class CellFailed(SphinxError):
    category = "The book cannot be built"


def executed(chapter, build=None):
    """Return a chapter with what came out of its cells: as it was run for
    the last build, if that still holds."""
    file = place(chapter, build)
    notebook = read(chapter)
    done = still_holds(file, notebook)
    if done is None:
        done = run_and_store(file, chapter)
    came_out = {cell.id: cell.outputs for cell in code_cells(done)}
    for cell in code_cells(notebook):
        cell.outputs = came_out[cell.id]
    return notebook


def place(chapter, build=None):
    """Return where what came out of a chapter is stored."""
    return (build or BUILD) / "executed" / f"{chapter}.ipynb"


def still_holds(file, notebook):
    """Return what is stored of a chapter, unless it was made from something
    else, or lacked data and others are here now."""
    if not file.exists():
        return None
    done = nbformat.read(file, 4)
    code, data = made_from(notebook)
    same = done.metadata["code"] == code
    lacked = any(failures(done))
    return (
        done
        if same and (not lacked or done.metadata["data"] == data)
        else None
    )


def made_from(notebook):
    """Return checksums of the code, and of which data are here."""
    cells = [(cell.id, cell.source) for cell in code_cells(notebook)]
    parts = [sources_checksum(), cells], data_here()
    texts = (json.dumps(part).encode() for part in parts)
    return tuple(hashlib.sha256(text).hexdigest() for text in texts)


def run_and_store(file, chapter):
    """Run a chapter. It is stored unless a cell failed for another reason
    than that data are not here; what it was without is left beside it."""
    notebook = read(chapter)
    code, data = made_from(notebook)
    try:
        run(notebook)
    except (CellTimeoutError, DeadKernelError, RuntimeError) as error:
        ran = [c for c in code_cells(notebook) if c.execution_count]
        place = name(chapter)
        if ran:
            place = where(chapter, ran[-1])
        raise CellFailed(f"{place}, or the next: {error}") from None
    notebook.metadata.update(code=code, data=data)
    if all(is_passed_over(error) for _, error in failures(notebook)):
        file.parent.mkdir(parents=True, exist_ok=True)
        unfinished = file.with_suffix(f".{os.getpid()}-{get_ident()}")
        nbformat.write(notebook, unfinished)
        if file.exists() and any(failures(nbformat.read(file, 4))):
            file.replace(file.with_suffix(".lacking"))
        unfinished.replace(file)
    return notebook


def run(notebook, **variables):
    """Run all cells; what they show and take is put into the notebook."""
    path = str(HERE), os.environ.get("PYTHONPATH", "")
    client = NotebookClient(
        notebook,
        timeout=600,
        kernel_name="python3",
        allow_errors=True,
        coalesce_streams=True,
        shutdown_kernel="immediate",
        resources={"metadata": {"path": str(NOTEBOOKS)}},
        extra_arguments=["--ext=passed_over", "--log-level=ERROR"],
    )
    paths = {"PYTHONPATH": os.pathsep.join(filter(None, path))}
    client.execute(env={**os.environ, **paths, **variables})
    for cell in code_cells(notebook):
        for output in [*cell.outputs]:
            if seconds := output.get("data", {}).get(SECONDS):
                cell.metadata["seconds"] = float(seconds)
                cell.outputs.remove(output)


def read(chapter):
    return nbformat.read(file_of(chapter), 4)


def name(chapter):
    folder = "appendices" if "appendix-" in chapter else "notebooks"
    return f"{folder}/{chapter}.ipynb"


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def failures(notebook):
    """Yield each cell that failed and was not meant to, with its error."""
    for cell in code_cells(notebook):
        errors = [o for o in cell.outputs if o.output_type == "error"]
        meant = "raises-exception" in cell.metadata.get("tags", [])
        if errors and not meant:
            yield cell, errors[-1]


def is_passed_over(error):
    return error.ename == "DatasetUnavailable"


def where(chapter, cell):
    return f"{name(chapter)}, cell {cell.id}"


def told(chapter, cell, error):
    """Say which cell failed, what stands in it, and how it failed."""
    head = f"{where(chapter, cell)}: {error.ename}: {error.evalue}"
    trace = ANSI.sub("", "\n".join(error.traceback))
    return "\n\n".join([head, cell.source, trace])
