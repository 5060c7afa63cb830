"""gtlib as a reader gets it who never sees this repository."""

import subprocess

import yaml

from checks.wheel import ROOT, clean_environment, installed

VERSION = yaml.safe_load((ROOT / "CITATION.cff").read_text())["version"]

USE = """
import sys
from pathlib import Path

import gtapps
import gtlib

assert "site-packages" in gtlib.__file__, gtlib.__file__
assert gtlib.__version__ == sys.argv[1], gtlib.__version__
for package in gtlib, gtapps:
    assert Path(package.__file__).with_name("py.typed").is_file()
sets = gtlib.datasets()
embedded = sets["name"][sets["where"] == "embedded"]
assert len(embedded), sets
for name in embedded:
    loaded = gtlib.load(name)
    assert getattr(loaded, "exists", lambda: True)(), name
"""


def test_an_installed_wheel_carries_version_types_and_data(tmp_path):
    subprocess.run(
        [installed(tmp_path), "-c", USE, VERSION],
        cwd=tmp_path,
        env=clean_environment(),
        check=True,
    )
