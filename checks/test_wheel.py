"""gtlib as a reader gets it who never sees this repository."""

import yaml

from checks.conftest import ROOT
from checks.wheel import installed, run_in

VERSION = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]

USE = """
import sys
from pathlib import Path

import gtaudit
import gtlib

assert "site-packages" in gtlib.__file__, gtlib.__file__
assert gtlib.__version__ == sys.argv[1], gtlib.__version__
for package in gtlib, gtaudit:
    assert Path(package.__file__).with_name("py.typed").is_file()
sets = gtlib.datasets()
embedded = sets["name"][sets["where"] == "embedded"]
assert len(embedded), sets
for name in embedded:
    loaded = gtlib.load(name)
    assert getattr(loaded, "exists", lambda: True)(), name
"""


def test_an_installed_wheel_carries_version_types_and_data(tmp_path):
    run_in(tmp_path, installed(tmp_path), "-c", USE, VERSION)
