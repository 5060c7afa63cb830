"""Links from the API pages to the lines of the source, on its host."""

import inspect
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def setup(app):
    app.setup_extension("sphinx.ext.linkcode")
    app.connect("config-inited", give_address)
    return {"parallel_read_safe": True}


def give_address(app, config):
    """Ask for the links, with the repository that the book names."""
    options = config.html_theme_options
    start = (
        f"{options['repository_url']}/blob/{options['repository_branch']}"
    )

    def address(domain, info):
        place = domain == "py" and lines_of(
            info["module"], info["fullname"]
        )
        return place and f"{start}/{place}"

    config.linkcode_resolve = address


def lines_of(module, name):
    """The file and its lines, from the root of the repository; or None.

    Attributes and what Python itself writes have no lines of their own.
    """
    found = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    found = getattr(found, "fget", found)
    try:
        path = Path(inspect.getsourcefile(inspect.unwrap(found)))
        lines, first = inspect.getsourcelines(found)
    except (TypeError, OSError):
        return None
    if ROOT not in path.resolve().parents:
        return None
    where = path.resolve().relative_to(ROOT).as_posix()
    return f"{where}#L{first}-L{first + len(lines) - 1}"
