"""What the book needs of Sphinx that no setting gives."""

from importlib.util import find_spec
from pathlib import Path

MATHJAX = "tex-svg-full.js"


def setup(app):
    serve_mathjax(app)
    return {"parallel_read_safe": True}


def serve_mathjax(app):
    """Copy MathJax in one file, fonts and all, to the book's own pages."""
    package = Path(find_spec("sphinx-mathjax-offline").origin).parent
    script = package / "static" / "mathjax" / MATHJAX
    app.connect(
        "config-inited",
        lambda _, config: config.html_static_path.append(str(script)),
    )
    app.config.mathjax_path = MATHJAX
