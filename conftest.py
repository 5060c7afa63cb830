"""Settings for every test, doctest and check."""

import atexit
import gc
import os
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import settings

from gtlib import data
from gtlib.data import DatasetUnavailable

# Jsonschema checks addresses with it, and takes seconds to import it.
sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]

# Far fewer searches for garbage than Python makes, and as much of it.
gc.set_threshold(100_000, 20, 100)

MIRROR = os.environ.get("GTLIB_MIRROR")
SLOW = os.environ.get("SLOW")

# No test may fail because a machine is slow.
settings.register_profile("quick", deadline=None, max_examples=10)
settings.register_profile("slow", deadline=None, max_examples=60)
settings.load_profile("slow" if SLOW else "quick")

# By its id, whether a test that has run waits for a data set.
WAITS = {}


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    """Nothing that is imported by now becomes garbage: look at the end."""
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leave simulations that confirm a record to ``make test SLOW=yes``;
    what imports a script of data/build needs the repository."""
    for item in items:
        if "script" in getattr(item, "fixturenames", ()):
            item.add_marker("sources")
    if SLOW:
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    items[:] = [item for item in items if item not in slow]
    config.hook.pytest_deselected(items=slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """What needs a data set that is not at hand is skipped, and nothing
    else; where a mirror has them all, nothing may be."""
    report = yield
    lacks = call.excinfo and call.excinfo.errisinstance(DatasetUnavailable)
    if lacks and not MIRROR:
        report.outcome = "skipped"
        report.longrepr = (*item.location[:2], str(call.excinfo.value))
        report.waits = True
    elif MIRROR and report.skipped and not hasattr(report, "wasxfail"):
        _, _, reason = report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}, though GTLIB_MIRROR is set"
    return report


def pytest_runtest_logreport(report):
    if report.when != "teardown":
        WAITS[report.nodeid] = hasattr(report, "waits")


def pytest_sessionfinish(session):
    """List the tests that wait, for ``make test-waiting``; those of
    an earlier run that did not run now are waiting still."""
    path = session.config.rootpath / "_build" / "results" / "waiting.txt"
    before = path.read_text("utf-8").split("\n") if path.exists() else []
    now = {name for name in before if name} - WAITS.keys()
    now |= {name for name, waits in WAITS.items() if waits}
    if now != {*before} and not hasattr(session.config, "workerinput"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{n}\n" for n in sorted(now)), "utf-8")


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    """No mirror, an empty cache, and a network that was not asked yet."""
    monkeypatch.delenv("GTLIB_MIRROR", raising=False)
    monkeypatch.delenv("GTLIB_OFFLINE", raising=False)
    monkeypatch.setattr(data, "_offline", None)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    return tmp_path


@pytest.fixture
def closed():
    """Figures are drawn in the book's style, and closed."""
    import_module("book.support.figures").use_style()
    yield
    import_module("matplotlib.pyplot").close("all")


@pytest.fixture
def script(monkeypatch):
    """What imports a script of data/build, which is then forgotten."""
    folder = data.data_folder() / "build"
    monkeypatch.syspath_prepend(folder)
    yield import_module
    for name, module in [*sys.modules.items()]:
        place = getattr(module, "__file__", None)
        if place and Path(place).parent == folder:
            del sys.modules[name]
