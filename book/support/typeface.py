"""The book's typeface, Source Sans 3 by Adobe (SIL Open Font License): from
a pinned package into figures, pages and slides.

Figures need one file to a weight, and pages one small file of all weights;
both are cut from the package's.
"""

import logging
from base64 import b64encode
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from io import BytesIO
from os import getpid
from pathlib import Path
from typing import Any
from zlib import crc32

import matplotlib as mpl
from matplotlib.font_manager import FontEntry, fontManager

NAME = "Source Sans 3"
PACKAGE = "fontpkg_source_sans_3"
SOURCES = {
    "normal": "SourceSans3[wght].ttf",
    "italic": "SourceSans3-Italic[wght].ttf",
}
# Of style and weight, and as which weight matplotlib shall know it.
CUTS = {("normal", 400): 400, ("normal", 600): 700, ("italic", 400): 400}
# Figures of one width; Latin, Greek, the signs of formulas and tables.
FEATURES = ["ccmp", "kern", "lnum", "mark", "tnum"]
LETTERS = [range(0x20, 0x180), range(0x370, 0x400), range(0x2000, 0x2720)]


def opened(style: str, text: str = "") -> Any:
    """A font of all weights, with the letters that we use, or those of a
    text."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    logging.getLogger("fontTools").setLevel(logging.ERROR)
    with (files(PACKAGE) / "files" / SOURCES[style]).open("rb") as file:
        font = TTFont(file, lazy=False, recalcTimestamp=False)
    options = Options(layout_features=FEATURES, hinting=False)
    subsetter = Subsetter(options)
    every = [n for some in LETTERS for n in some]
    subsetter.populate(unicodes=[*map(ord, text)] or every)
    subsetter.subset(font)
    return font


@cache
def in_figures() -> str | None:
    """Let matplotlib draw with it; return its name, or None where the
    package is not installed."""
    if find_spec(PACKAGE) is None:
        return None
    for (style, weight), known_as in CUTS.items():
        font = FontEntry(
            fname=str(cut(style, weight)),
            name=NAME,
            style=style,
            variant="normal",
            weight=known_as,
            stretch="normal",
            size="scalable",
        )
        fontManager.ttflist.append(font)
    return NAME


def cut(style: str, weight: int) -> Path:
    """The file of one weight; made when it is first wanted."""
    made_of = crc32(f"{LETTERS} {FEATURES}".encode())
    name = f"{PACKAGE}-{style}-{weight}-{made_of:08x}.ttf"
    path = Path(mpl.get_cachedir()) / name
    if not path.exists():
        from fontTools.varLib.instancer import instantiateVariableFont

        font = instantiateVariableFont(opened(style), {"wght": weight})
        made = path.with_name(f"{name}.{getpid()}")
        font.save(made)
        made.replace(path)  # as a whole, if others make it meanwhile
    return path


def on_pages(folder: Path) -> None:
    """Write the files that pages load: all weights, the letters we use."""
    folder.mkdir(parents=True, exist_ok=True)
    for style in SOURCES:
        font = opened(style)
        font.flavor = "woff2"
        font.save(folder / f"source-sans-3-{style}.woff2")


def in_drawing(text: str) -> str:
    """A style with the letters of a text, for a drawing of SVG: as an image
    of a page it loads no file."""
    font, packed = opened("normal", text), BytesIO()
    font.flavor = "woff2"
    font.save(packed)
    data = b64encode(packed.getvalue()).decode()
    return (
        f'<style>@font-face {{ font-family: "{NAME}"; '
        f"font-weight: 200 900; "
        f"src: url(data:font/woff2;base64,{data}) }}</style>"
    )
