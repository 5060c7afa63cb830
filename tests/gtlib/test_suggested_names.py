"""A name that is misspelt gets a suggestion."""

import re

import pytest

import gtlib as gt
from gtlib.checks import similar


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("alpha", "no name 'alpha'. Did you mean gt.cronbach_alpha?"),
        ("tau", "Did you mean gt.tau_ap or gt.kendall_tau?"),
        ("leaderbord", "Did you mean gt.leaderboard?"),
        ("interval", "Did you mean gt.Interval?"),
        ("g_study", "Did you mean gt.GStudy or gt.gstudy?"),
        ("leader", "Did you mean gt.leaderboard?"),
        ("icc", "gtlib has no name 'icc'.$"),
        ("x", "gtlib has no name 'x'.$"),
    ],
)
def test_a_misspelt_name_is_answered_with_those_like_it(typed, told):
    with pytest.raises(
        AttributeError, match=re.escape(told.rstrip("$"))
    ) as raised:
        getattr(gt, typed)
    assert told.endswith("$") != ("Did you mean" in str(raised.value))


def test_every_name_that_is_suggested_is_there():
    for name in gt.__all__:
        assert similar(name.upper(), gt.__all__)[0].lower() == name.lower()
        assert getattr(gt, name) is not None


def test_what_python_asks_of_a_module_is_answered_plainly():
    assert not hasattr(gt, "__wrapped__")
    assert not hasattr(gt, "_repr_html_")
