"""The house: rooms known by their names, and arrows that run one way.

A room is a module or a folder directly in gtlib, gtaudit or book.support.
An import is an import, wherever it is; but where a function is a method of
`GStudy` or `Plan`, its file may name their types.
"""

import ast
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import gtlib

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = "gtlib", "gtaudit", "book.support"


def dotted(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {
    dotted(path): path
    for package in PACKAGES
    for path in sorted((ROOT / package.replace(".", "/")).rglob("*.py"))
}
FOLDERS = {name: p for name, p in MODULES.items() if p.stem == "__init__"}


def imported(source, modules=MODULES):
    """(module, name) of all that a source imports of ours; without a name
    where a module itself is imported."""
    tree = ast.parse(source)
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if isinstance(node, ast.Import):
            found = [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "say the whole name"
            found = [
                (inner, None)
                if (inner := f"{node.module}.{alias.name}") in modules
                else (node.module, alias.name)
                for alias in node.names
            ]
        else:
            continue
        yield from (pair for pair in found if package(pair[0]) in PACKAGES)


def package(name):
    return next((p for p in PACKAGES if f"{name}.".startswith(f"{p}.")), "")


def room(name):
    """The module or folder directly in a package."""
    parts = package(name).count(".") + 2
    return ".".join(name.split(".")[:parts])


@cache
def named(name):
    return {*imported(MODULES[name].read_text("utf-8"))}


@cache
def imports():
    return {name: {m for m, _ in named(name)} for name in MODULES}


def test_an_import_is_seen_wherever_it_stands():
    source = """
import gtlib.a, numpy
from gtlib.b import c, function
if TYPE_CHECKING:
    from gtaudit.d import NotThis
def late():
    from gtlib.e import thing
"""
    assert {*imported(source, {"gtlib.b.c"})} == {
        ("gtlib.a", None),
        ("gtlib.b.c", None),
        ("gtlib.b", "function"),
        ("gtlib.e", "thing"),
    }


def test_the_library_knows_nothing_of_what_is_made_with_it():
    """Nor does the command know the book. Only what begins the command
    reaches up."""
    for name, targets in imports().items():
        if name == "gtlib.__main__":
            continue
        above = PACKAGES[PACKAGES.index(package(name)) + 1 :]
        assert not {*above} & {*map(package, targets)}, name


def test_no_module_of_gtlib_imports_all_of_it():
    of_gtlib = {n: t for n, t in imports().items() if package(n) == "gtlib"}
    assert not [n for n, t in of_gtlib.items() if "gtlib" in t]


def test_no_rooms_import_each_other():
    rooms = {}
    for name, targets in imports().items():
        if name not in PACKAGES:
            others = rooms.setdefault(room(name), set())
            others.update({*map(room, targets)} - {*PACKAGES, room(name)})
    TopologicalSorter(rooms).prepare()


@pytest.mark.parametrize("name", sorted({*map(room, MODULES)}))
def test_no_modules_of_a_room_import_each_other(name):
    inside = {k: v for k, v in imports().items() if room(k) == name}
    TopologicalSorter(
        {k: targets & inside.keys() for k, targets in inside.items()}
    ).prepare()


@pytest.mark.parametrize(
    "name", sorted(n for n in MODULES if package(n) != "gtlib")
)
def test_an_application_uses_nothing_private(name):
    for module, what in named(name):
        if package(module) == "gtlib":
            private = (what or "").startswith("_")
            assert not private or what == "__version__", (module, what)


def test_the_library_is_flat():
    files = (ROOT / "gtlib").rglob("*.py*")
    assert {f.parent.name for f in files} - {"__pycache__"} == {"gtlib"}
    assert not [*(ROOT / "gtlib").glob("*.pyi")]


def test_only_figures_import_figures():
    drawing = {
        room(name)
        for name, targets in imports().items()
        if any(target.endswith(".figures") for target in map(room, targets))
    }
    assert drawing <= {"book.support.figures"}


@pytest.mark.parametrize(
    "name", sorted(FOLDERS.keys() - {"gtlib", "gtaudit"})
)
def test_a_folder_only_says_what_it_offers(name):
    tree = ast.parse(FOLDERS[name].read_text("utf-8"))
    assert ast.get_docstring(tree)
    for node in tree.body[1:]:
        text = ast.unparse(node)
        listed = text.startswith("__all__ = ")
        assert listed or isinstance(node, ast.Import | ast.ImportFrom), (
            f"line {node.lineno} computes"
        )


@pytest.mark.parametrize("name", sorted(FOLDERS.keys() - {*PACKAGES}))
def test_what_a_room_lists_is_there(name):
    offered = import_module(name)
    assert sorted(offered.__all__) == sorted({*offered.__all__})
    assert all(hasattr(offered, listed) for listed in offered.__all__)


@pytest.mark.parametrize("name", sorted({*map(room, MODULES)}))
def test_no_function_has_the_name_of_a_room(name):
    """`import gtlib.room as r` would yield the function."""
    if name in (*PACKAGES, "gtlib.__main__"):
        return
    module = import_module(name)
    above, _, last = name.rpartition(".")
    assert getattr(import_module(above), last) is module


def test_tests_mirror_the_packages():
    for test in (ROOT / "tests").glob("gt*/**/test_*.py"):
        inside = test.parent.relative_to(ROOT / "tests")
        there = ROOT / inside
        file = there.with_suffix(".py")
        assert there.is_dir() or file.is_file(), f"{inside} is no room"


# Whose functions are methods of `GStudy` and `Plan`, and gtlib's names.
METHODS = "gtlib.allocation", "gtlib.comparisons", "gtlib.uncertainty"


@pytest.mark.parametrize(
    "name", sorted(MODULES.keys() - {"gtlib", *METHODS})
)
def test_no_import_hides_in_a_type_hint(name):
    assert "TYPE_CHECKING" not in MODULES[name].read_text("utf-8")


def test_the_table_of_names_has_what_the_files_say_they_offer():
    offered = {
        name: sorted(import_module(name).__all__)
        for name in MODULES
        if package(name) == "gtlib" and "\n__all__ = [" in source(name)
    }
    listed = {
        f"gtlib.{file}": sorted(names.split())
        for file, names in gtlib._NAMES.items()
    }
    assert listed == offered


def source(name):
    return MODULES[name].read_text("utf-8")


@pytest.mark.parametrize("name", PACKAGES)
def test_no_code_hides_in_a_string_or_a_long_line(name):
    for module, path in MODULES.items():
        if package(module) == name:
            text = path.read_text("utf-8")
            assert max(map(len, text.splitlines()), default=0) <= 76, module
            called = {
                node.func.id
                for node in ast.walk(ast.parse(text))
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
            }
            assert not called & {"exec", "eval"}, module
