"""A machine that has none of the files that gtlib fetches."""

import pytest

from gtlib.collections import remote


@pytest.fixture
def nothing_here(monkeypatch, tmp_path):
    """No mirror, an empty cache, and no memory of a missing network."""
    monkeypatch.delenv("GTLIB_MIRROR", raising=False)
    monkeypatch.setattr(remote, "_offline", None)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / name)
    return tmp_path
