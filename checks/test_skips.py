"""Where every data set is at hand, a test that is skipped fails."""

import pytest

from checks.conftest import ROOT

pytest_plugins = ["pytester"]

TESTS = """
import pytest

def test_data():
    pytest.skip("TREC-3 is not here")

@pytest.mark.xfail(strict=True)
def test_that_fails_as_it_should():
    assert False
"""


@pytest.mark.parametrize("mirror", ["", "/somewhere"])
def test_a_skip_fails_with_the_mirror(pytester, monkeypatch, mirror):
    monkeypatch.setenv("GTLIB_MIRROR", mirror)
    pytester.makeconftest((ROOT / "conftest.py").read_text("utf-8"))
    pytester.makepyfile(TESTS)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    run = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    run.assert_outcomes(
        failed=1 if mirror else 0, skipped=0 if mirror else 1, xfailed=1
    )
    told = "TREC-3 is not here, though GTLIB_MIRROR is set"
    assert (told in run.stdout.str()) == bool(mirror)
