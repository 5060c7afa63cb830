"""Settings for every test: no test may fail because a machine is slow."""

import pytest
from hypothesis import settings

from gtlib.collections import remote

settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    """No mirror, an empty cache, and no memory of a missing network."""
    monkeypatch.delenv("GTLIB_MIRROR", raising=False)
    monkeypatch.setattr(remote, "_offline", None)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    return tmp_path
