"""The house: rooms known by their names, and arrows that run one way.

A room is a module or a folder directly in gtlib.
"""

import ast
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

pytestmark = pytest.mark.sources

ROOT = Path(__file__).resolve().parent.parent


def dotted(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {dotted(path): path for path in ROOT.glob("gtlib/**/*.py")}
FOLDERS = {name: p for name, p in MODULES.items() if p.stem == "__init__"}


def statements(tree):
    """Every node that runs, in functions too.

    What stands under ``if TYPE_CHECKING`` does not.
    """
    left = [tree]
    while left:
        for node in ast.iter_child_nodes(left.pop()):
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(
                node.test
            ):
                continue
            yield node
            left.append(node)


def imported(source, modules=MODULES):
    """The modules of gtlib that a source names in its imports."""
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "say the whole name"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [n if n in modules else node.module for n in inner]
        else:
            continue
        yield from (n for n in names if n.split(".")[0] == "gtlib")


IMPORTS = {
    name: set(imported(path.read_text("utf-8")))
    for name, path in MODULES.items()
    if name != "gtlib"
}


def test_an_import_is_seen_wherever_it_runs():
    source = """
import gtlib.a, numpy
from gtlib.b import c, function
if TYPE_CHECKING:
    from gtlib.d import Only
def late():
    from gtlib.e import thing
"""
    seen = set(imported(source, {"gtlib.b.c"}))
    assert seen == {"gtlib.a", "gtlib.b.c", "gtlib.b", "gtlib.e"}


def test_no_module_imports_all_of_gtlib():
    assert not [name for name in IMPORTS if "gtlib" in IMPORTS[name]]


def test_no_rooms_import_each_other():
    rooms = {}
    for name, targets in IMPORTS.items():
        others = rooms.setdefault(room(name), set())
        others.update(map(room, targets - {"gtlib"}))
        others.discard(room(name))
    TopologicalSorter(rooms).prepare()


def room(name):
    return name.split(".")[1]


@pytest.mark.parametrize("name", sorted({*map(room, IMPORTS)}))
def test_no_modules_of_a_room_import_each_other(name):
    inside = {k: v for k, v in IMPORTS.items() if room(k) == name}
    TopologicalSorter(
        {k: targets & inside.keys() for k, targets in inside.items()}
    ).prepare()


def test_only_figures_import_figures():
    drawing = {
        name
        for name, targets in IMPORTS.items()
        if "plots" in map(room, targets - {"gtlib"})
    }
    assert {*map(room, drawing)} <= {"plots"}


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_a_folder_only_says_what_it_offers(name):
    tree = ast.parse(FOLDERS[name].read_text("utf-8"))
    assert ast.get_docstring(tree)
    for node in tree.body[1:]:
        listed = ast.unparse(node).startswith("__all__ = ")
        assert listed or isinstance(node, ast.Import | ast.ImportFrom), (
            f"line {node.lineno} computes"
        )


@pytest.mark.parametrize("name", sorted(FOLDERS.keys() - {"gtlib"}))
def test_no_function_has_the_name_of_a_folder(name):
    """`import gtlib.room as r` would yield the function."""
    folder = import_module(name)
    above, _, last = name.rpartition(".")
    assert getattr(import_module(above), last) is folder
