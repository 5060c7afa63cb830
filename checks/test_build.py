"""The plumbing of the build: what makes it start again, what it leaves."""

import json
import re

import reexecute

from checks.conftest import HTML, ROOT
from gtlib import data


def test_the_stamp_knows_which_data_are_here(monkeypatch, tmp_path):
    """What they hold is compared with their checksums, when it is read."""
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache")
    monkeypatch.delenv("GTLIB_MIRROR", raising=False)
    without = reexecute.fingerprint()
    mirror = tmp_path / "mirror"
    monkeypatch.setenv("GTLIB_MIRROR", str(mirror))
    assert reexecute.fingerprint() == without
    file = mirror / next(iter(data.checksums()))
    file.parent.mkdir(parents=True)
    file.write_bytes(b"something")
    assert reexecute.fingerprint() != without
    file.rename(mirror / "nobody asks for this")
    assert reexecute.fingerprint() == without


def test_search_knows_the_words_of_the_glossary():
    index = (HTML / "_static" / "sections.js").read_text("utf-8")
    found = json.loads(index[len("const SECTIONS = ") : -2])
    text = (ROOT / "book" / "glossary.md").read_text("utf-8")
    inside = "\n".join(
        re.findall(r"```\{glossary\}\n(.*?\n)```", text, re.S)
    )
    terms = re.findall(r"^([^\s:].*)\n", inside, re.M)
    assert len(terms) > 30
    found = {title.replace("’", "'") for title, *_ in found}
    assert not set(terms) - found


def test_styled_tables_are_counted_and_not_named_at_random():
    for page in (HTML / "notebooks").glob("*.html"):
        text = page.read_text("utf-8")
        named = re.findall(r'<table[^>]* id="T_(\w+)"', text)
        assert named == [f"{n:05}" for n in range(1, len(named) + 1)], page
