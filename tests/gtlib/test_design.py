"""The design language, and expected mean squares from the design alone."""

from unittest.mock import ANY

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtlib.design import Design
from tests import oracle

DESIGNS = [
    "p x i",
    "p x i x a",
    "p x (a:i)",
    "i:p",
    "p x (i:h)",
    "p x i x (d:i)",
    "p x ((a x b):c)",
    "p x (r:t:c)",
    "(a:p) x i",
    "p x (a:(b x c))",
    "p x i x a x d",
]


@pytest.mark.parametrize(
    "text, facets, labels",
    [
        ("system x topic", 2, ["system", "topic", "system x topic"]),
        (
            "system × (assessor:topic)",
            3,
            [
                "system",
                "topic",
                "assessor:topic",
                "system x topic",
                "system x (assessor:topic)",
            ],
        ),
        ("topic:system", 2, ["system", "topic:system"]),
        (
            "p x (r:t:c)",
            4,
            ["p", "c", "t:c", "r:t:c", "p x c", "p x (t:c)", "p x (r:t:c)"],
        ),
        (
            "p x (a x b):c",
            4,
            [
                "p",
                "c",
                "a:c",
                "b:c",
                "p x c",
                "p x (a:c)",
                "p x (b:c)",
                "(a x b):c",
                "p x ((a x b):c)",
            ],
        ),
        (
            "a:(b x c)",
            3,
            ["b", "c", "b x c", "a:(b x c)"],
        ),
    ],
)
def test_effects_follow_from_the_sentence(text, facets, labels):
    design = Design(text)
    assert len(design.facets) == facets
    assert list(design.labels) == labels


@pytest.mark.parametrize("text", DESIGNS)
def test_a_design_reads_back_what_it_prints(text):
    design = Design(text)
    assert Design(str(design)) == design
    assert hash(Design(str(design))) == hash(design)
    for effect in design.effects:
        assert design.find(effect.label) == effect.label


@pytest.mark.parametrize(
    "written, kept",
    [
        ("system × (assessor:topic)", "system x (assessor:topic)"),
        ("a:b x c", "(a:b) x c"),
        ("p x r:t:c", "p x (r:t:c)"),
        ("p x a:c x b:c", "p x ((a x b):c)"),
    ],
)
def test_a_design_is_kept_in_one_way_of_writing(written, kept):
    design = Design(written)
    assert design.text == str(design) == kept


def test_designs_differ_in_their_hashes():
    """Or a dict of designs is as slow as a list."""
    assert len({hash(Design(text)) for text in DESIGNS}) == len(DESIGNS)
    assert Design("a x b") == ANY


def test_object_is_the_leftmost_facet_nested_in_nothing():
    assert Design("topic:system").object == "system"
    assert Design("system x topic").object == "system"
    assert Design("system x topic", object="topic").object == "topic"
    assert Design("a x b") != Design("a x b", object="b")
    assert Design("a x b") != "a x b"


def test_an_effect_is_found_however_it_is_written():
    design = Design("system x (assessor:topic)")
    assert design.find("topic x system") == "system x topic"
    assert design.find("(assessor:topic) x system") == design.labels[-1]
    assert design.find("system x assessor:topic") == design.labels[-1]


def test_a_design_as_deep_as_may_be_is_read_at_once():
    assert Design("(" * 90 + "a x b" + ")" * 90).facets == ("a", "b")
    deep = Design(":".join(f"a{i}" for i in range(90)))
    assert deep.facets == tuple(f"a{i}" for i in reversed(range(90)))


def test_numbers_of_levels_are_whole():
    design = Design("system x topic")
    assert design.check_levels({"topic": 2.0, "system": np.int64(3)}) == {
        "system": 3,
        "topic": 2,
    }


@pytest.mark.parametrize("text", DESIGNS)
def test_expected_mean_squares_are_traces_of_projections(text):
    """E[MS of an effect] = Σ σ²(b) tr(P Z_b Z_b') / df, by brute force."""
    design = Design(text)
    levels = {f: 2 + (i % 2) for i, f in enumerate(design.facets)}
    frame = oracle.table(design, levels)
    projectors = oracle.effect_projectors(frame, design)
    df = np.array([np.trace(p) for p in projectors.values()])
    traces = np.array(
        [
            [
                np.trace(p @ z @ z.T)
                for effect in design.effects
                for z in [oracle.indicators(frame, effect.facets)]
            ]
            for p in projectors.values()
        ]
    )
    np.testing.assert_allclose(
        design.degrees_of_freedom(levels), df, atol=1e-8
    )
    np.testing.assert_allclose(
        design.mean_squares_to_components(levels) @ (traces / df[:, None]),
        np.eye(len(df)),
        atol=1e-8,
    )


@given(st.data())
def test_degrees_of_freedom_add_up(data):
    design = Design(data.draw(st.sampled_from(DESIGNS)))
    levels = {f: data.draw(st.integers(2, 9)) for f in design.facets}
    total = np.prod([levels[f] for f in design.facets])
    assert design.degrees_of_freedom(levels).sum() == total - 1
