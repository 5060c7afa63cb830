"""Write into the page *Status* what the build and its checks found.

With every build, and again by `make check` when its results are there.
"""

import platform
import re
import time
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
from reexecute import git

import gtlib as gt

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "_build"
PAGE = BUILD / "html" / "book" / "status.html"
PLACE = re.compile(r'(<div id="build-status">).*?(<!-- end -->)', re.S)
RESULTS = BUILD / "results"
SHOWN = [
    "gtlib-ir",
    "numpy",
    "scipy",
    "pandas",
    "matplotlib",
    "jupyter-book",
    "sphinx",
]


def main():
    tables = {
        "Checks": results(),
        "Data": data(),
        "Made with": versions(),
    }
    text = "".join(
        f"<p><strong>{title}</strong></p>{as_html(table)}"
        for title, table in zip(
            tables, map(pd.DataFrame, tables.values()), strict=True
        )
    )
    page = PAGE.read_text("utf-8")
    filled = PLACE.sub(lambda found: found[1] + text + found[2], page)
    PAGE.write_text(filled, "utf-8")


def as_html(table, classes="table", index=False):
    """A table that scrolls by itself where the window is narrow."""
    html = table.to_html(index=index, border=0, classes=classes)
    html = re.sub(r' style="[^"]*"', "", html)
    return f'<div class="pst-scrollable-table-container">{html}</div>'


def data():
    """Where the data sets were found."""
    where = gt.datasets()["where"].map(PLACES)
    for place, number in where.value_counts(sort=False).items():
        yield {"data": place, "sets": number}


PLACES = {
    "embedded": "travel with gtlib",
    "mirror": "belong to others; found in a mirror",
    "cached": "belong to others; fetched and kept",
    "remote": "belong to others; not here",
}


def results():
    """What pytest wrote of the last tests and the last checks."""
    for name in ["test", "check"]:
        path = RESULTS / f"{name}.xml"
        row = {"command": f"make {name}", "passed": "not run"}
        row |= {"failed": "", "on": ""}
        if path.exists():
            suite = ElementTree.parse(path).getroot().find("testsuite")
            tests, *others = (int(suite.get(k)) for k in COUNTED)
            row["passed"] = f"{tests - sum(others):,}"
            row["failed"] = f"{sum(others[1:]):,}"
            row["on"] = suite.get("timestamp")[:16].replace("T", " ")
        yield row


COUNTED = "tests", "skipped", "failures", "errors"


def versions():
    """What the pages were made with."""
    yield {"made with": "Python", "version": platform.python_version()}
    for name in SHOWN:
        yield {"made with": name, "version": metadata.version(name)}
    # And whether files differ from it.
    commit = git("describe", "--always", "--dirty", "--abbrev=12")
    yield {"made with": "commit", "version": commit or "unknown"}
    now = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    yield {"made with": "finished on", "version": now}


if __name__ == "__main__":
    main()
