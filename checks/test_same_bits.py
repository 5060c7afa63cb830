"""The same numbers on every processor: what a test asks of two floats.

Where gtlib's annotations call a value a float or an Interval, `==` (or
`equals`) has a side that is written out, or `pytest.approx`, or a comment
on its line or the one above says why equality is meant, in the words
`# the same bits: WHY`.
"""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("checks/*.py")])
EXACT = {"equals", "array_equal", "assert_array_equal", "assert_equal"}
FLOAT = "float", "Interval"
FREE = {"approx", "inf", "len", "round", "int", "str", "isnan", "index"}


def annotated():
    """The names that gtlib annotates, each with what it is said to be."""
    for path in (ROOT / "gtlib").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.AnnAssign(target=ast.Name(id=name), annotation=of):
                    yield name, ast.unparse(of)
                case ast.FunctionDef(name=name, returns=ast.expr() as of):
                    yield name, ast.unparse(of)


FLOATS = {name for name, of in annotated() if of.startswith(FLOAT)}
FLOATS -= {
    name for name, of in annotated() if of.startswith(("int", "str"))
}


def named(node):
    """The attributes, keys and functions that lead to a value."""
    match node:
        case ast.Attribute(value=inner, attr=name):
            return {name} | named(inner)
        case ast.Subscript(value=inner, slice=ast.Constant(value=name)):
            return {name} | named(inner)
        case ast.Call(func=ast.Name(id=name)):
            return {name}
        case ast.Subscript(value=inner) | ast.Call(func=inner):
            return named(inner)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in named(part)}
    return set()


def written(node):
    """Whether a side is written out, or a whole number, text or `inf`."""
    match node:
        case ast.Constant() | ast.JoinedStr() | ast.Compare() | ast.Set():
            return True
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return all(map(written, parts))
        case ast.Dict(values=parts):
            return all(map(written, parts))
        case ast.BinOp(left=left, right=right):
            return written(left) and written(right)
        case ast.UnaryOp(operand=inner):
            return written(inner)
        case ast.Name(id=name):
            return name == "inf"
    return not named(node).isdisjoint(FREE)


def sides(node):
    """What is asked to be the same, if something is."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            if all(isinstance(how, ast.Eq) for how in ops):
                return [left, *others]
        case ast.Call(func=ast.Attribute(value=own, attr=name), args=args):
            if name in EXACT:
                return [own, *args]
    return []


def doubtful(tree):
    """The places where computed numbers with a point are to be the same."""
    for node in ast.walk(tree):
        asked = sides(node)
        computed = any(FLOATS & named(side) for side in asked)
        if computed and not any(map(written, asked)):
            yield node


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_two_floats_are_compared_within_rounding(path):
    text = path.read_text("utf-8")
    lines = text.splitlines()
    bare = {
        f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"
        for node in doubtful(ast.parse(text))
        if not any(
            "# the same bits: " in line
            for line in lines[node.lineno - 2 : node.end_lineno]
        )
    }
    assert not bare


def test_what_is_doubtful_is_seen():
    for line, seen in {
        "one.low == other.low": True,
        "(one.estimate == other).all()": True,
        "one.estimate.equals(other)": True,
        "one.low == 0.5": False,
        "one.low == approx(other.low)": False,
        "round(one.low, 2) == printed": False,
        "one.columns == other.columns": False,
    }.items():
        assert bool([*doubtful(ast.parse(line))]) == seen, line
