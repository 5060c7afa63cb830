"""Write every sentence of the book into catalogues for translators."""

import sys
from pathlib import Path

from jupyter_book.sphinx import build_sphinx

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"


def main():
    # Doctrees of the pages have no marks by which catalogues are kept.
    failed = build_sphinx(
        str(ROOT),
        str(BUILD / "gettext"),
        path_config=ROOT / "_config.yml",
        noconfig=True,
        confoverrides={
            "external_toc_path": str(ROOT / "_toc.yml"),
            "latex_individualpages": False,
        },
        doctreedir=str(BUILD / ".doctrees-gettext"),
        builder="gettext",
    )
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
