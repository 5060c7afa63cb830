"""What the book needs of Sphinx that no setting gives."""

from importlib.util import find_spec
from pathlib import Path

from sphinx_external_toc import collectors

MATHJAX = "tex-svg-full.js"


def setup(app):
    serve_mathjax(app)
    number_chapters_from_zero()
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


def number_chapters_from_zero():
    """Give chapter 00 the number 0, so that files and numbers agree.

    sphinx_external_toc counts the numbered chapters in a private counter
    and looks its class up when it is set up, which is later than this.
    """

    class FromZero(collectors.TocTreeCollectorWithStyles):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            self._TocTreeCollectorWithStyles__numerical_count = -1

    collectors.TocTreeCollectorWithStyles = FromZero
