"""What a notebook's hidden cells do for the cells that a reader sees.

A hidden cell mostly hands numbers to the text, which a notebook to be run
has in place already. What is left of it is what a later cell needs.
"""

import ast
import re

MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.M)
IMPORT_GLUE = re.compile(r"^from myst_nb import glue\n", re.M)


def without_glue(source):
    """The code less every statement that only hands on a number."""
    source = IMPORT_GLUE.sub("", source)
    if "glue(" not in source:
        return source
    lines = source.splitlines()
    for statement in reversed(tree(source).body):
        for first, last in glueing(statement):
            del lines[first - 1 : last]
    return "\n".join(lines).strip("\n")


def glueing(statement):
    """The first and last lines of what is to go, from the bottom up.

    A loop with nothing in it but such calls, and what only they need,
    goes as a whole.
    """
    if hands_on_only(statement):
        yield statement.lineno, statement.end_lineno
        return
    for part in reversed(getattr(statement, "body", [])):
        yield from glueing(part)


def hands_on_only(statement):
    """Whether it is such a call, or has nothing else but assignments."""
    body = getattr(statement, "body", [])
    return is_glue(statement) or (
        any(map(hands_on_only, body))
        and all(isinstance(p, ast.Assign) or hands_on_only(p) for p in body)
    )


def is_glue(statement):
    call = getattr(statement, "value", None)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(call, ast.Call)
        and getattr(call.func, "id", None) == "glue"
    )


def shows(source):
    """Whether the code ends with something that a notebook displays."""
    body = tree(source).body
    return bool(body) and isinstance(body[-1], ast.Expr)


def needed(source, names):
    """The statements of a hidden cell that bind one of the names.

    And those that bind what these need; the names are those that later
    cells read.
    """
    kept = []
    lines = source.splitlines()
    for statement in reversed(tree(source).body):
        if bound(statement) & names:
            names = names_before(statement, names)
            kept[:0] = lines[statement.lineno - 1 : statement.end_lineno]
    return "\n".join(kept)


def names_read(source, names):
    """What a cell reads, and the names that later ones read, before it."""
    for statement in reversed(tree(source).body):
        names = names_before(statement, names)
    return names


def names_before(statement, names):
    """The names that have to be there when a statement begins."""
    anew = set()
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, (ast.Name, ast.Tuple)):
                anew |= bound(target)
    return names - anew | read(statement)


def read(node):
    return {
        name.id
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    }


def bound(statement):
    """Names that a statement binds, or whose parts it sets."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    found = set()
    inside = [c for n in ast.walk(statement) for c in own_names(n)]
    for node in ast.walk(statement):
        if node in inside:
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {name.asname or name.name for name in node.names}
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            while isinstance(node, (ast.Subscript, ast.Attribute)):
                node = node.value
            if isinstance(node, ast.Name):
                found.add(node.id)
    return found


def own_names(node):
    """What a comprehension binds, which is gone after it."""
    for loop in getattr(node, "generators", []):
        yield from ast.walk(loop.target)


def tree(source):
    return ast.parse(MAGIC.sub(r"\1pass", source))
