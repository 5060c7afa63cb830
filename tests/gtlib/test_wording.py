"""Tables as notebooks show them, and where they cannot."""

import pytest

import gtlib as gt

STUDY = gt.GStudy.from_components(
    "system x topic",
    {"system": 0.003, "topic": 0.028, "system x topic": 0.01},
    levels={"system": 10, "topic": 50},
)


@pytest.mark.parametrize("shown", [STUDY, STUDY.plan()], ids=type)
def test_what_cannot_be_styled_is_shown_as_text(shown, monkeypatch):
    assert "<table" in shown._repr_html_()
    monkeypatch.setattr("gtlib.checks.find_spec", lambda name: None)
    assert shown._repr_html_() is None
    assert "system" in str(shown) or "topic" in str(shown)
