"""The book's typeface, Source Sans 3 by Adobe (SIL Open Font License): from
a pinned package into figures, pages and slides.

Figures need one file to a weight, and pages one small file of all weights;
both are cut from the package's, once.
"""

from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
from matplotlib.font_manager import FontEntry, fontManager

NAME = "Source Sans 3"
PACKAGE = "fontpkg_source_sans_3"
SOURCES = {"normal": "SourceSans3[wght].ttf",
           "italic": "SourceSans3-Italic[wght].ttf"}  # fmt: skip
CUTS = [("normal", 400), ("normal", 600), ("italic", 400)]
# Latin, Greek, and the signs that formulas and tables have.
LETTERS = [*range(0x20, 0x180), *range(0x370, 0x400), *range(0x2000, 0x2070),
           *range(0x2070, 0x20C0), *range(0x2190, 0x2200),
           *range(0x2200, 0x2300), 0x2713, 0x2717]  # fmt: skip


def source(style):
    return files(PACKAGE) / "files" / SOURCES[style]


@cache
def in_figures() -> str | None:
    """Let matplotlib draw with it; return its name, or None where the
    package is not installed."""
    if find_spec(PACKAGE) is None:
        return None
    for style, weight in CUTS:
        path = str(cut(style, weight))
        fontManager.ttflist.append(
            FontEntry(path, NAME, style, "normal", weight, "normal", "scalable")
        )
    return NAME


def cut(style, weight) -> Path:
    """The file of one weight; made when it is first wanted."""
    path = Path(mpl.get_cachedir()) / f"{PACKAGE}-{style}-{weight}.ttf"
    if not path.exists():
        from fontTools.ttLib import TTFont
        from fontTools.varLib.instancer import instantiateVariableFont

        with source(style).open("rb") as file:
            font = instantiateVariableFont(TTFont(file), {"wght": weight})
            made = path.with_name(f"{path.name}.{id(font)}")
            font.save(made)
        made.replace(path)  # also if another process made it meanwhile
    return path


def on_pages(folder: Path) -> None:
    """Write the files that pages load: all weights, the letters we use."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    folder.mkdir(parents=True, exist_ok=True)
    for style in SOURCES:
        with source(style).open("rb") as file:
            font = TTFont(file, recalcTimestamp=False)
            options = Options(layout_features=["*"], flavor="woff2")
            subsetter = Subsetter(options)
            subsetter.populate(unicodes=LETTERS)
            subsetter.subset(font)
            font.flavor = "woff2"
            font.save(folder / f"source-sans-3-{style}.woff2")
