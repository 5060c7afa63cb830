"""One colour to one concept: in figures, in the planner, on dark pages."""

import re
from itertools import combinations
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import rgb_to_hsv, same_color, to_hex, to_rgb

import gtlib as gt
from book._ext.finish import COLOR, in_the_dark
from book.support import figures
from book.support.figures import COLORS
from book.support.figures.g_study import SIGNS

pytestmark = [pytest.mark.sources, pytest.mark.usefixtures("closed")]

ROOT = Path(__file__).resolve().parent.parent
LECTURE = "lecture/lecture.md"
LIGHT, DARK = "#ffffff", "#121212"
EVERY = [*COLORS.values(), *figures.PALETTE, figures.MUTED]
G = gt.GStudy.from_components(
    "system x topic x assessor",
    {
        "system": 4,
        "topic": 8,
        "assessor": 1,
        "system x topic": 5,
        "system x assessor": 0.3,
        "topic x assessor": 0.6,
        "system x topic x assessor": 2,
    },
)


def dark(color):
    return in_the_dark(COLOR.match(color))


def linear(color):
    parts = np.array(to_rgb(color))
    low = parts / 12.92
    return np.where(parts <= 0.04045, low, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one, other):
    """As WCAG defines it."""
    weights = np.array([0.2126, 0.7152, 0.0722])
    lights = [linear(color) @ weights + 0.05 for color in (one, other)]
    return max(lights) / min(lights)


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


def test_each_concept_has_a_colour_of_its_own():
    assert set(COLORS) == {
        "topic",
        "assessor",
        "system",
        "error",
        "generalizability",
        "dependability",
    }
    assert len(set(COLORS.values())) == len(COLORS)
    free = {*figures.PALETTE, figures.MUTED}
    assert not free & ({*COLORS.values()} - {figures.INK})


@pytest.mark.parametrize("color", sorted(set(EVERY)))
def test_a_colour_can_be_read_on_light_and_on_dark_pages(color):
    assert contrast(color, LIGHT) >= 4.5
    assert contrast(dark(color), DARK) >= 4.5


@pytest.mark.parametrize(
    "end, low, high", [(0.0, 0.0, 0.17), (1.0, 0.5, 0.75)]
)
def test_both_ends_of_a_scale_keep_their_hue(end, low, high):
    """Less is red to yellow and more is blue, on dark pages too."""
    color = to_hex(SIGNS(end))
    for shown in (color, dark(color)):
        hue, saturation, _ = rgb_to_hsv(to_rgb(shown))
        assert low <= hue < high
        assert saturation > 0.35


def test_no_two_colours_become_one_on_a_dark_page():
    names = sorted(set(EVERY))
    assert len({dark(color) for color in names}) == len(names)


# What is left of a colour for those who lack one kind of cones, of linear
# red, green and blue: Machado, Oliveira & Fernandes (2009), severity 1.
SIGHTS = {
    "all cones": np.eye(3),
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = [
    [0.4124, 0.3576, 0.1805],
    [0.2126, 0.7152, 0.0722],
    [0.0193, 0.1192, 0.9505],
]


def lab(color, sight):
    seen = np.clip(np.array(SIGHTS[sight]) @ linear(color), 0, 1)
    xyz = np.array(TO_XYZ) @ seen / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("ground", ["light", "dark"])
@pytest.mark.parametrize("sight", SIGHTS)
def test_concepts_stay_apart_for_all_who_see(sight, ground):
    look = str if ground == "light" else dark
    colors = map(look, COLORS.values())
    for one, other in combinations(colors, 2):
        apart = np.linalg.norm(lab(one, sight) - lab(other, sight))
        assert apart > 9, (one, other)


def colors_of(lines):
    return [to_hex(line.get_color()) for line in lines]


def test_lines_of_a_coefficient_have_its_colour():
    both = [COLORS["generalizability"], COLORS["dependability"]]
    grid = G.plan().grid(topic=[10, 50, 90], assessor=[1, 4])
    drawn = figures.reliability_curves(grid).axes
    for ax, color in zip(drawn, both, strict=True):
        assert colors_of(ax.lines[:2]) == [color] * 2
        looks = [line.get_linestyle() for line in ax.lines[:2]]
        assert len(set(looks)) == 2


def test_crossed_and_nested_have_one_line_style_each():
    """The first is crossed, in chapter 5 and in the lecture."""
    styles = dict(zip(["crossed", "nested"], figures.DASHES, strict=False))
    assert styles == {"crossed": "-", "nested": "--"}
    for name in ("notebooks/05-nested-or-crossed.ipynb", LECTURE):
        text = (ROOT / name).read_text("utf-8").replace("\\", "")
        assert '= {"crossed": None, "nested": "system' in text
    assert "ways.items(), figures.DASHES, strict=False" in text


def test_topics_and_systems_are_drawn_as_such():
    table = pd.DataFrame({"corrected_item_total": [-0.1, 0.2]})
    dots = figures.item_totals({"a": table}).collections[0]
    colors = [COLORS["error"], COLORS["topic"]]
    for found, color in zip(dots.get_facecolor(), colors, strict=True):
        assert same_color(found[:3], color)
    means = pd.DataFrame({"one": [0.2, 0.3], "other": [0.1, 0.4]})
    (ax,) = figures.mean_scores(means).axes
    found = ax.collections[0].get_facecolor()[0, :3]
    assert same_color(found, COLORS["system"])


def test_what_is_no_concept_has_none_of_their_colours():
    _, ax = plt.subplots()
    (line,) = ax.plot([1, 2])
    assert to_hex(line.get_color()) == figures.PALETTE[0]
    ax = figures.components({"one": G, "other": G})
    drawn = {*colors_of(line for line in ax.lines if len(line.get_xdata()))}
    assert drawn.isdisjoint({*COLORS.values()})


GREEN = {"relative": "generalizability", "absolute": "dependability"}
FACETS = ["topic", "assessor"]
SCRIPTS = {
    "planner/planner.css": (
        "planner",
        {name: COLORS[name] for name in FACETS}
        | {name: COLORS[concept] for name, concept in GREEN.items()}
        | {"wrong": COLORS["error"], "both": figures.MUTED}
        | {"machine": figures.PALETTE[3]},
    ),
    "scores/your-scores.css": (
        "your-scores",
        {name: COLORS[name] for name in FACETS}
        | {"green": COLORS["generalizability"]}
        | {"wrong": COLORS["error"], "both": figures.MUTED},
    ),
    "interactive.css": (
        "interactive",
        COLORS
        | {"both": figures.MUTED, "faint": figures.FAINT}
        | {"one": figures.PALETTE[0], "other": figures.PALETTE[3]},
    ),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("file", SCRIPTS)
def test_what_scripts_draw_has_the_colours_of_the_figures(file, theme):
    name, expected = SCRIPTS[file]
    css = (ROOT / "book" / "_static" / file).read_text("utf-8")
    rules = re.findall(rf"\.{name} \{{(.*?)\}}", css, re.S)
    color = r"--(?:pl-|ys-)?(\w+): (#\w+);"
    found = dict(re.findall(color, rules[theme == "dark"]))
    look = dark if theme == "dark" else str
    assert found == {name: look(color) for name, color in expected.items()}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_report_has_the_colours_of_the_figures(theme):
    text = (ROOT / "gtaudit" / "report.html").read_text("utf-8")
    rules = re.findall(r":root \{(.*?)\}", text, re.S)
    found = dict(re.findall(r"--(\w+): (#\w+);", rules[theme == "dark"]))
    expected = {**COLORS, "muted": figures.MUTED, "ground": LIGHT}
    expected["ink"] = expected.pop("system")
    if theme == "dark":
        expected = {name: dark(color) for name, color in expected.items()}
    css = (ROOT / "book/_static/custom.css").read_text("utf-8")
    rule = re.search(rf'html\[data-theme="{theme}"\] {{(.*?)}}', css, re.S)
    expected["link"] = re.search(r"--pst-color-link: (#\w+);", rule[1])[1]
    assert found.pop("line") and found.pop("tint")
    assert found == expected
    assert "filter" not in text


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_marks_on_pages_have_the_colours_of_the_figures(theme):
    css = (ROOT / "book/_static/custom.css").read_text("utf-8")
    rule = re.search(rf'html\[data-theme="{theme}"\] {{(.*?)}}', css, re.S)
    look = dark if theme == "dark" else str
    free = [figures.PALETTE[place] for place in (0, 1, 3, 4)]
    expected = dict(zip("1234", map(look, free), strict=True))
    expected["error"] = look(COLORS["error"])
    assert expected == dict(re.findall(r"--book-(\w+): (#\w+)", rule[1]))


def test_the_picture_on_the_front_page_has_the_colours_of_the_figures():
    drawn = (ROOT / "book/_static/picture.svg").read_text("utf-8")
    concepts = {*COLORS.values()} - {figures.INK}
    found = {*COLOR.findall(drawn)} & concepts
    assert found == {COLORS["topic"], COLORS["dependability"]}


def test_no_figure_names_a_colour_by_its_number():
    """A second palette would begin so."""
    files = [
        *(ROOT / "notebooks").glob("*.ipynb"),
        *(ROOT / "appendices").glob("*.ipynb"),
        *(ROOT / "gtaudit").rglob("*.py"),
        *(ROOT / "book" / "support").rglob("*.py"),
        *(ROOT / "tools").glob("*.py"),
        *(ROOT / "book" / "_static").glob("large-*.svg"),
    ]
    for path in files:
        if path.name != "theme.py":
            found = {*COLOR.findall(path.read_text("utf-8"))}
            found -= {*figures.PALETTE, "#eef3f8"}
            greys = {c for c in found if c[1:3] == c[3:5] == c[5:]}
            assert found == greys, path
