"""In the kernel of a chapter: a cell that fails has bound nothing.

After a cell that raised, the names that it would have bound are deleted, so
that no later cell reads something stale. Where data were not here, a later
cell that lacks such a name fails for the same reason, and says so. With
what a cell shows comes what it took of the processors' time.

Jupyter loads this: ``ipykernel_launcher --ext=passed_over``.
"""

import ast
import os
from symtable import symtable

from gtlib.collections import DatasetUnavailable

SECONDS = "application/vnd.gtlib.seconds"


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
        names = bound(shell.transform_cell(result.info.raw_cell))
        error = reason(result.error_in_exec)
        for name in names:
            lacking.pop(name, None)
            if error is not None:
                shell.user_ns.pop(name, None)
        if isinstance(error, DatasetUnavailable):
            lacking.update(dict.fromkeys(names, error))

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


def bound(source):
    """Names that a cell binds, or parts of which it sets or deletes."""
    top = symtable(source, "cell", "exec").get_symbols()
    found = {
        symbol.get_name()
        for symbol in top
        if symbol.is_assigned() and not symbol.is_imported()
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            while isinstance(node, ast.Attribute | ast.Subscript):
                node = node.value
            if isinstance(node, ast.Name) and isinstance(
                node.ctx, ast.Load
            ):
                found.add(node.id)
    return found


def cpu_seconds():
    """What this process and those that it has started took so far."""
    return sum(os.times()[:4])
