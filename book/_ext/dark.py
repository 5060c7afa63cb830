"""Write each figure once more, in colours for dark pages.

A dark page shows `NAME-dark.svg` in place of `NAME.svg` (`enlarge.js`). The
colours of the palette have partners there that stay apart on a dark
ground, as turning them round would not; every other colour keeps its hue,
and light becomes dark.
"""

import colorsys
import re
from pathlib import Path

COLOR = re.compile(r"#[0-9a-f]{6}\b")
PARTNERS = {
    "#0173b2": "#56b4e9",  # topic
    "#a96600": "#f2b84b",  # assessor
    "#262626": "#dedede",  # system, and ink
    "#9c1a10": "#ff6b5b",  # error
    "#0b6e50": "#3fe0a0",  # generalizability
    "#93177a": "#ee7cc8",  # dependability
    "#5b4bb5": "#a99cf5",
    "#807400": "#d9cf5a",
    "#c9447a": "#ffb0c6",
    "#17818b": "#7fe3ec",
    "#8c6a55": "#cdaa92",
    "#737373": "#a0a0a0",  # muted
    "#ffffff": "#121212",  # the ground of a dark page
}


def write(app):
    for path in (Path(app.outdir) / "_images").glob("*.svg"):
        if not path.stem.endswith("-dark"):
            drawn = COLOR.sub(in_the_dark, path.read_text("utf-8"))
            path.with_stem(f"{path.stem}-dark").write_text(drawn, "utf-8")


def in_the_dark(color):
    return PARTNERS.get(color[0]) or turned(color[0])


def turned(color):
    """The same hue, with light and dark exchanged."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, light, saturation = colorsys.rgb_to_hls(*parts)
    found = colorsys.hls_to_rgb(hue, 0.94 - 0.87 * light, saturation)
    return "#" + "".join(f"{round(255 * part):02x}" for part in found)
