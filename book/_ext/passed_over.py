"""In the kernel of a chapter: a cell that fails has bound nothing.

After a cell that raised, the names that it would have bound are deleted, so
that no later cell reads something stale. Where data were not here, a later
cell that lacks such a name fails for the same reason, and says so. With
what a cell shows comes what it took of the processors' time.

Jupyter loads this: ``ipykernel_launcher --ext=passed_over``.
"""

import ast
import os

from gtlib.data import DatasetUnavailable

SECONDS = "application/vnd.gtlib.seconds"
# What stands in these is bound in them, and not in the cell.
BODIES = ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda
LOOPS = ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp


def load_ipython_extension(shell):
    lacking = {}  # names that were not bound, each with the reason
    began = [0.0]

    def begin(info):
        began[0] = cpu_seconds()

    def end(result):
        took = cpu_seconds() - began[0]
        shell.display_pub.publish({SECONDS: f"{took:.2f}"})
        if result.error_before_exec is not None:  # no Python at all
            return
        tree = ast.parse(shell.transform_cell(result.info.raw_cell))
        error = reason(result.error_in_exec)
        if error is not None:
            for name in bound(tree):
                shell.user_ns.pop(name, None)
        if isinstance(error, DatasetUnavailable):
            names = bound(tree) | imported(tree)
            lacking.update(dict.fromkeys(names, error))
        for name in lacking.keys() & shell.user_ns.keys():
            del lacking[name]

    def reason(error):
        """The error behind a missing name, or the error itself."""
        missing = getattr(error, "name", None)
        is_name = isinstance(error, NameError)
        return lacking.get(missing, error) if is_name else error

    def explain(shell, kind, error, trace, tb_offset=None):
        error = reason(error)
        trace = trace if isinstance(error, NameError) else None
        shell.showtraceback(
            (type(error), error, trace), tb_offset=tb_offset
        )

    shell.set_custom_exc((NameError,), explain)
    shell.events.register("pre_run_cell", begin)
    shell.events.register("post_run_cell", end)


def bound(tree):
    """Names that a cell binds, or parts of which it sets or deletes; not
    those of modules, which a failure leaves as they are."""
    found = set()
    for node in outer(tree):
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            while isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            if isinstance(node, ast.Name):
                found.add(node.id)
        elif isinstance(getattr(node, "name", None), str):
            found.add(node.name)  # a function, a class, an exception
    return found - imported(tree)


def imported(tree):
    """Names that a cell's imports bind."""
    return {
        (name.asname or name.name).partition(".")[0]
        for node in outer(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in node.names
    }


def outer(node):
    """Yield the nodes of a cell without those that have names of their
    own; in a comprehension, what is bound by := is the cell's."""
    for child in ast.iter_child_nodes(node):
        yield child
        if isinstance(child, LOOPS):
            named = (n for n in ast.walk(child) if type(n) is ast.NamedExpr)
            yield from (node.target for node in named)
        elif not isinstance(child, BODIES):
            yield from outer(child)


def cpu_seconds():
    """What this process and those that it has started took so far."""
    return sum(os.times()[:4])
