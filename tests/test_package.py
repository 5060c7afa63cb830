"""gtlib as a whole: light to import, documented, pinned."""

import os
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import gtlib

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
VERSION = CITATION["version"]
PINS = (ROOT / "requirements.txt").read_text()

UNKNOWN = "0+unknown"
HEAVY = ["matplotlib", "seaborn", "pingouin", "statsmodels", "sklearn"]
HEAVY += ["scipy.stats", "scipy.optimize"]


def loaded(*names):
    """The modules that are there when these names of gtlib were used."""
    used = "".join(f"gtlib.{name};" for name in names)
    code = f"import gtlib, sys; {used} print(*sys.modules)"
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {*found.stdout.split()}


def test_importing_gtlib_waits_for_what_is_used():
    assert "numpy" not in loaded()


HOST = """
import os, signal, sys
assert sys.argv[0].endswith("run.py")
assert sys.path[0] == os.getcwd()
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
finally:
    print("tidied")
"""


def test_importing_gtlib_touches_nothing_of_its_host(tmp_path):
    package = tmp_path / "host"
    package.mkdir()
    (package / "__init__.py").write_text("import gtlib\n")
    (package / "run.py").write_text(HOST)
    ended = subprocess.run(
        [sys.executable, "-m", "host.run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert ended.stdout == "interrupted\ntidied\n", ended.stderr


def test_all_files_of_gtlib_load_nothing_heavy_and_no_application():
    modules = loaded(*gtlib.__all__)
    assert "gtlib.gtheory" in modules
    assert not {*HEAVY} & modules
    assert not {"gtaudit", "book"} & {m.split(".")[0] for m in modules}


ALONE = """
import sys
for extra in sys.argv[1:]:
    sys.modules[extra] = None
import gtlib as gt
[getattr(gt, name) for name in gt.__all__]
study = gt.gstudy(gt.load("cf-ap"))
print(study.plan(topic=50).interval("generalizability"))
print(len(gt.datasets()))
for asked in (
    lambda: gt.load("TREC-3"), lambda: gt.read_runs(".", ".", "AP")
):
    try:
        asked()
    except ImportError as error:
        print(error)
"""


def test_the_statistics_need_three_packages(tmp_path):
    """What else is needed is asked for in a sentence."""
    assert len(PROJECT["dependencies"]) == 3
    extras = "pooch", "rdata", "tqdm", "ir_measures", "matplotlib"
    ended = subprocess.run(
        [sys.executable, "-c", ALONE, *extras],
        cwd=ROOT,
        env={**os.environ, "GTLIB_MIRROR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert not ended.stderr
    found, _, data, runs = ended.stdout.splitlines()
    assert found.startswith("generalizability 0.")
    assert "needs pooch" in data and '".[data]"' in data
    assert "needs ir_measures" in runs and '".[runs]"' in runs


def test_public_names_are_there():
    assert len(set(gtlib.__all__)) == len(gtlib.__all__)
    assert all(hasattr(gtlib, name) for name in gtlib.__all__)


EXTRAS = r"(?:\[[\w,-]+\])?"  # without them older pips install no pin


def wanted():
    extras = PROJECT["optional-dependencies"]
    every = [
        *PROJECT["dependencies"],
        *PYPROJECT["build-system"]["requires"],
        *(r for extra in extras.values() for r in extra),
    ]
    return [r for r in map(Requirement, every) if r.name != PROJECT["name"]]


@pytest.mark.parametrize("requirement", wanted(), ids=lambda r: r.name)
def test_every_dependency_is_pinned_as_the_package_asks(requirement):
    pinned = re.findall(
        rf"^{re.escape(requirement.name)}{EXTRAS}==(\S+)",
        PINS,
        re.M | re.I,
    )
    assert pinned, "run `make pins`"
    assert all(version in requirement.specifier for version in pinned)


def test_every_pin_is_one_version_with_its_checksums():
    pinned = re.split(r"\n(?=[^ #])", PINS)[1:]
    assert len(pinned) > 100
    for pin in pinned:
        begins = rf"[\w.-]+{EXTRAS}==\S+( ; .*)? \\\n"
        assert re.match(begins, pin), pin
        assert re.search(r"    --hash=sha256:[0-9a-f]{64}\b", pin), pin
    assert "://" not in PINS


def test_the_version_stands_in_one_file_that_the_others_read():
    assert "version" not in PROJECT
    assert "version" in PROJECT["dynamic"]
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text()
    assert f"\n| {VERSION} |" in (ROOT / "book/about.md").read_text()


def test_the_authors_are_those_of_the_citation():
    assert PROJECT["authors"] == CITATION["authors"]


def test_gtlib_knows_the_version_that_is_installed():
    try:
        installed = metadata.version(PROJECT["name"])
    except metadata.PackageNotFoundError:
        installed = UNKNOWN
    assert gtlib.__version__ == installed
    assert installed in (VERSION, UNKNOWN), "run `make clean`"


@pytest.mark.sources
def test_a_source_tree_that_is_not_installed_has_no_version(monkeypatch):
    def version(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    ran = runpy.run_path(str(ROOT / "gtlib" / "version.py"))
    assert ran["__version__"] == UNKNOWN
