"""Public names: a reader meets each, and each says its types.

A reader meets a name in a chapter's code, in a page, the README or an
application; what such a name returns is met too, and so are exceptions.
"""

import ast
import builtins
import doctest
import inspect
import json
import re
from pathlib import Path

import pytest

import gtlib
from book._ext.plain import notebooks

ROOT = Path(__file__).resolve().parent.parent
PARSER = doctest.DocTestParser()
PUBLIC = {name: getattr(gtlib, name) for name in gtlib.__all__}
OURS = re.compile(r"\b(?:gt|gtlib)\.(\w+)")
IMPORTED = re.compile(r"^from gtlib\S* import (\([^)]*\)|.*)", re.M)


def functions(thing):
    """A function, or those that a class defines for others to call."""
    if not inspect.isclass(thing):
        return {thing.__name__: thing}
    found = {
        name: inspect.unwrap(
            getattr(member, "fget", getattr(member, "func", member))
        )
        for ours in reversed(thing.__mro__)
        if ours.__module__.startswith("gtlib.")
        for name, member in vars(ours).items()
        if name == "__init__" or not name.startswith("_")
    }
    return {k: v for k, v in found.items() if inspect.isfunction(v)}


CALLED = {
    (name, called): function
    for name, thing in PUBLIC.items()
    for called, function in functions(thing).items()
}


@pytest.mark.parametrize(("name", "called"), CALLED)
def test_a_public_function_says_its_types(name, called):
    told = inspect.signature(CALLED[name, called])
    bare = [
        parameter.name
        for parameter in told.parameters.values()
        if parameter.annotation is parameter.empty
        and parameter.name not in ("self", "cls")
    ]
    assert not bare
    if called != "__init__":
        assert told.return_annotation is not told.empty


VERBS = re.compile(
    "adjust|analyse|apply|average|compare|compute|count|draw|estimate|find|fit"
    "|give|judge|keep|list|load|make|plan|pool|predict|rank|read|return|say"
    "|score|split|tabulate|test|yield"
)


@pytest.mark.parametrize(("name", "called"), CALLED)
def test_a_docstring_begins_with_what_is_done(name, called):
    """But for what is read as an attribute, and for constructors."""
    if is_called(name, called):
        first, _ = inspect.getdoc(CALLED[name, called]).split(maxsplit=1)
        assert VERBS.fullmatch(first.lower())


def is_called(name, called):
    member = inspect.getattr_static(
        PUBLIC[name], called, CALLED[name, called]
    )
    kinds = classmethod, staticmethod
    return called != "__init__" and (
        inspect.isfunction(member) or isinstance(member, kinds)
    )


@pytest.mark.parametrize(("name", "called"), CALLED)
def test_an_example_imports_what_it_uses(name, called):
    """So it runs where it is pasted; that it runs, doctests see."""
    more = {CALLED[name, called]} if is_called(name, called) else {}
    for thing in {PUBLIC[name], *more}:
        examples = PARSER.get_examples(inspect.getdoc(thing))
        tree = ast.parse("".join(example.source for example in examples))
        used, made = set(), {*dir(builtins)}
        for node in ast.walk(tree):
            match node:
                case ast.Name(id=found, ctx=ast.Load()):
                    used.add(found)
                case ast.Name(id=found) | ast.arg(arg=found):
                    made.add(found)
                case ast.alias(name=found, asname=other):
                    made.add(other or found)
        assert used and used <= made


@pytest.mark.sources
def test_a_reader_meets_every_public_name():
    known, new = set(), met()
    while new:
        known |= new
        new = {other for name in new for other in returned(name)} - known
    assert not {
        name
        for name, thing in PUBLIC.items()
        if name not in known
        and not (inspect.isclass(thing) and issubclass(thing, Exception))
    }


def met():
    names = {name for text in written() for name in OURS.findall(text)}
    for path in [
        *ROOT.glob("gtaudit/**/*.py"),
        *ROOT.glob("book/support/**/*.py"),
    ]:
        for listed in IMPORTED.findall(path.read_text("utf-8")):
            names |= {*re.findall(r"\w+", listed)}
    return names & PUBLIC.keys()


def written():
    """The chapters' code, and the pages and the README."""
    for path in notebooks():
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield "".join(cell["source"])
    for glob in ["README.md", "book/*.md", "book/_ext/*.py"]:
        for path in ROOT.glob(glob):
            yield path.read_text("utf-8")


def returned(name):
    """The public names in what a function or a class's methods return."""
    for function in functions(PUBLIC[name]).values():
        hint = str(inspect.signature(function).return_annotation)
        yield from {*re.findall(r"\w+", hint)} & PUBLIC.keys()
