"""Where every data set is at hand, a test that is skipped fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).resolve().parent.parent / "conftest.py"
NO_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
TESTS = """
import pytest

def test_data():
    pytest.skip("TREC-3 is not here")

@pytest.mark.xfail(strict=True)
def test_that_fails_as_it_should():
    assert False
"""


@pytest.mark.parametrize(
    ("mirror", "failed", "told"),
    [
        ("", 0, "1 skipped, 1 xfailed"),
        ("/somewhere", 1, "TREC-3 is not here, though GTLIB_MIRROR is set"),
    ],
)
def test_a_skip_fails_with_the_mirror(tmp_path, mirror, failed, told):
    (tmp_path / "conftest.py").write_bytes(CONFTEST.read_bytes())
    (tmp_path / "test_it.py").write_text(TESTS)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env={**os.environ, "GTLIB_MIRROR": mirror, **NO_PLUGINS},
        capture_output=True,
        text=True,
    )
    assert run.returncode == failed
    assert told in run.stdout
