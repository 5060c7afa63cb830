"""What is left of hidden cells in the runner's edition."""

import pytest

from book._ext import plumbing

HIDDEN = """\
a = 1
low, high = a, 2
table = {}
table['x'] = 3
def f():
    return a
assert all(name for name in (1, 2))
save(a, {name: 1 for name in (1, 2)})
"""
NESTED = """\
for i in a:
    y = i
    for j in b:
        glue(j, y)
        z = j
    glue('z', z)
"""


@pytest.mark.parametrize(
    "source, left",
    [
        ("glue('a', 1, display=False)", ""),
        ("from book.support.figures import glue\nimport io", "import io"),
        ("x = 1\nglue(\n    'a',\n    x,\n)\nx + 1", "x = 1\nx + 1"),
        (NESTED, ""),
        (
            NESTED.replace("z = j", "found.append(j)"),
            "for i in a:\n    y = i\n    for j in b:\n"
            "        found.append(j)",
        ),
        ("%pip install -q x\nglue('a', 1)", "%pip install -q x"),
        ("print('glue')", "print('glue')"),
    ],
)
def test_calls_that_hand_on_numbers_go(source, left):
    assert plumbing.without_glue(source) == left


@pytest.mark.parametrize(
    "names, left",
    [
        ({"unrelated"}, ""),
        ({"name"}, ""),  # of a comprehension, gone after it
        ({"low"}, "a = 1\nlow, high = a, 2"),
        ({"table"}, "table = {}\ntable['x'] = 3"),
        ({"f"}, "a = 1\ndef f():\n    return a"),
    ],
)
def test_of_a_hidden_cell_what_others_need_is_kept(names, left):
    assert plumbing.needed(HIDDEN, names) == left


def test_a_name_that_is_bound_anew_is_not_needed_before():
    assert plumbing.names_read("a = b\nc = a", {"a", "d"}) == {"b", "d"}
    assert plumbing.names_read("a[0] = b", {"a"}) == {"a", "b"}


def test_a_cell_shows_something_if_it_ends_with_an_expression():
    sources = ["x = 1\nx", "x = 1", ""]
    assert [*map(plumbing.shows, sources)] == [True, False, False]
