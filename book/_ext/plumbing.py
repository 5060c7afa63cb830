"""What a notebook's hidden cells do for the cells that a reader sees.

A hidden cell mostly hands numbers to the text, which a notebook to be run
has in place already. What is left of it is what a later cell needs.
"""

import ast
import re
from symtable import symtable
from textwrap import indent

MAGIC = re.compile(r"^([ \t]*)[%!].*$", re.M)
GLUE = (
    "glue(",
    "from book.support.figures import glue",
)


def without_glue(source):
    """The code less every statement that only hands on a number."""
    if "glue" not in source:
        return source
    lines = source.splitlines()
    for statement in reversed(tree(source).body):
        for first, last in glueing(statement):
            del lines[first - 1 : last]
    return "\n".join(lines).strip("\n")


def glueing(statement):
    """Yield the first and last lines of what to remove, from the bottom up.

    A loop with nothing in it but such calls, and what only they need,
    goes as a whole.
    """
    if hands_on_only(statement):
        yield statement.lineno, statement.end_lineno
        return
    for part in reversed(getattr(statement, "body", [])):
        yield from glueing(part)


def hands_on_only(statement):
    """Whether a statement is a call of `glue`, or holds only such calls and
    assignments."""
    body = getattr(statement, "body", [])
    return ast.unparse(statement).startswith(GLUE) or (
        any(map(hands_on_only, body))
        and all(isinstance(p, ast.Assign) or hands_on_only(p) for p in body)
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
    body = tree(source).body
    ends = [0, *(statement.end_lineno for statement in body)]
    for statement, above in zip(body[::-1], ends[-2::-1], strict=True):
        if bound(statement) & names:
            names = names_before(statement, names)
            kept[:0] = lines[above : statement.end_lineno]
    return "\n".join(kept).strip("\n")


def names_read(source, names):
    """What a cell reads, and the names that later ones read, before it."""
    for statement in reversed(tree(source).body):
        names = names_before(statement, names)
    return names


def names_before(statement, names):
    """The names that have to be there when a statement begins."""
    anew = {getattr(statement, "name", None)}
    for target in getattr(statement, "targets", []):
        anew |= named(target, ast.Store)
    if isinstance(statement, ast.For):  # which runs at least once
        anew = bound(statement)
    return names - anew | read(statement)


def read(statement):
    """The names that it takes from outside: not those of its functions, its
    comprehensions and its loops."""
    source, found = ast.unparse(statement), set()
    if hasattr(statement, "body"):  # as a function, with names of its own
        source = f"def _():\n{indent(source, ' ')}"
        sums = [p.target for p in statement.body if hasattr(p, "op")]
        found = set().union(*(named(part, ast.Store) for part in sums))
    scopes = [symtable(source, "", "exec")]
    for scope in scopes:
        found |= {
            symbol.get_name()
            for symbol in scope.get_symbols()
            if symbol.is_referenced()
            and (symbol.is_global() or scope is scopes[0])
        }
        scopes += scope.get_children()
    return found


def named(node, context):
    return {
        name.id
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, context)
    }


def bound(statement):
    """Names that a statement binds, or whose parts it sets."""
    symbols = symtable(ast.unparse(statement), "", "exec").get_symbols()
    found = {symbol.get_name() for symbol in symbols if symbol.is_local()}
    for node in ast.walk(statement):
        if isinstance(getattr(node, "ctx", None), ast.Store):
            while hasattr(node, "value"):  # a part, of a part, of a name
                node = node.value
            found |= named(node, ast.Load)
    return found


def tree(source):
    return ast.parse(MAGIC.sub(r"\1pass", source))
