"""Write into the page *Status* what the build and its checks found.

With every build, and again by `make check` when its results are there.
"""

import json
import platform
import re
import time
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
from anew import git
from jupyter_cache import get_cache
from overviews import NOTEBOOKS, cells, parts

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
        "Chapters": chapters(),
        "Checks": results(),
        "Coverage": coverage(),
        "Data": data(),
        "Versions": versions(),
    }
    text = "".join(
        f"<p><strong>{title}</strong></p>{as_html(table)}"
        for title, table in zip(
            tables, map(pd.DataFrame, tables.values()), strict=True
        )
        if len(table)
    )
    page = PAGE.read_text("utf-8")
    filled = PLACE.sub(lambda found: found[1] + text + found[2], page)
    PAGE.write_text(filled, "utf-8")


def as_html(table):
    """A table that scrolls by itself where the window is narrow."""
    html = table.to_html(index=False, border=0, classes="table")
    html = re.sub(r' style="[^"]*"', "", html)
    return f'<div class="pst-scrollable-table-container">{html}</div>'


def chapters():
    """Of each chapter: seconds, size, and whether its data were there."""
    cache = get_cache(BUILD / ".jupyter_cache")
    sets = gt.datasets()
    missing = set(sets["name"][sets["where"] == "remote"])
    for name in [name for _, names in parts() for name in names]:
        code = "".join(cells(name, "code"))
        named = set(re.findall(r'["\']([a-z0-9-]+)["\']', code))
        lacks = sorted(named & missing)
        page = BUILD / "html" / "notebooks" / f"{name}.html"
        path = NOTEBOOKS / f"{name}.ipynb"
        seconds = cache.match_cache_file(path).data["execution_seconds"]
        yield {
            "chapter": name,
            "executed in": f"{seconds:.0f} s",
            "page and pictures": f"{weight(page) / 1e6:.1f} MB",
            "data": f"without {', '.join(lacks)}" if lacks else "all here",
        }


def weight(page):
    """Bytes of a page and of the pictures that it shows."""
    text = page.read_text("utf-8")
    pictures = set(re.findall(r'<img[^>]* src="([^":]+)"', text))
    files = [page, *((page.parent / name) for name in pictures)]
    return sum(file.stat().st_size for file in files)


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


def coverage():
    """Of each package: the lines that the tests run, if it was measured."""
    path = RESULTS / "coverage.json"
    if not path.exists():
        return
    found = json.loads(path.read_text("utf-8"))
    files = pd.DataFrame(found["files"]).loc["summary"].apply(pd.Series)
    packages = files.groupby(lambda file: Path(file).parts[0]).sum()
    for package, lines in packages.iterrows():
        share = lines["covered_lines"] / lines["num_statements"]
        yield {
            "package": package,
            "statements": f"{lines['num_statements']:,.0f}",
            "run by the tests": f"{share:.1%}",
            "on": found["meta"]["timestamp"][:16].replace("T", " "),
        }


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
