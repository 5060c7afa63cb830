"""Figures that readers can move, and quizzes: what their scripts need.

Such a figure is an image like every other, and stays one in print, in the
PDF, in JupyterLab and without a script. On the page `interactive.js` lays
over it what moves. An element beside the image tells it the numbers, which
gtlib computes here, and where in the image they lie, which the ticks of its
axes say; rectangles (`book.support.figures.moving`) need no more than where
the axes are. A slide makes one for an image of its own with `element`.
"""

import json
import re
from functools import cache, partial
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
from docutils import nodes
from lxml import etree

import gtlib as gt
from book.support.figures.ap_confidence import moving_judgments
from book.support.figures.g_study import moving_parts
from book.support.figures.moving import TONES
from book.support.figures.nested_or_crossed import moving_nests
from book.support.figures.reusability import moving_sites

ELEMENT = '<div class="interactive" data-kind="{}" data-known="{}"></div>'
NUMBER = re.compile(r"\s*[\d.]+\s*")
DRAWS = 40
# Of a figure of the class `weather` (book.support.weather).
WEATHER_FIGURE = re.compile(r'<figure class="[^"]*\bweather\b')
WEATHER = [
    "make.js",
    "planner/arithmetic.js",
    "weather/known.js",
    "weather/ranks.js",
    "weather/board.js",
]


def setup(app):
    app.connect("doctree-resolved", add)
    app.connect("html-page-context", load)


def add(app, doctree, docname):
    """Put what is known of them beside the images of such figures."""
    if app.builder.name != "html":
        return
    for figure in doctree.findall(nodes.figure):
        for name in FIGURES.keys() & {*figure["ids"]}:
            (image,) = figure.findall(nodes.image)
            html = element(name, Path(app.srcdir) / image["uri"])
            image.replace_self([image, nodes.raw("", html, format="html")])


def load(app, pagename, templatename, context, doctree):
    if 'class="interactive"' in context.get("body", ""):
        app.add_js_file("interactive.js", loading_method="defer")
        app.add_css_file("interactive.css")
    if WEATHER_FIGURE.search(context.get("body", "")):
        for file in WEATHER:
            app.add_js_file(file, loading_method="defer")
        app.add_css_file("weather/weather.css")
    if 'class="quiz admonition"' in context.get("body", ""):
        app.add_js_file("quiz.js", loading_method="defer")


@cache
def element(name, path):
    """What stands beside an image that has the axes of this figure."""
    kind, numbers = FIGURES[name]
    image = etree.parse(path)
    known = places(image) | numbers(image)
    short = {"separators": (",", ":"), "default": int}  # numpy has its own
    return ELEMENT.format(kind, escape(json.dumps(known, **short)))


def places(image):
    """The size of an image, and of each of its axes the box and scales."""
    panels = []
    for axes in image.xpath("//*[starts-with(@id, 'axes_')]"):
        ground = axes.xpath("./*[starts-with(@id, 'patch_')]/*/@d")[0]
        corners = [float(n) for n in re.findall(r"[\d.]+", ground)]
        across, down = ({*corners[k::2]} for k in (0, 1))
        panels.append({"box": [*sorted(across), *sorted(down)]})
        panels[-1] |= {side: scale(axes, side) for side in "xy"}
    for side in "xy":  # where panels share an axis, one has the labels
        *_, shared = [None, *filter(None, (p[side] for p in panels))]
        for panel in panels:
            panel[side] = panel[side] or shared
    size = image.getroot().get("viewBox").split()[2:]
    return {"size": [*map(float, size)], "panels": panels}


def scale(axes, side):
    """A value v lies at ``start + step * v``, or its logarithm does; with
    fewer than two numbers at its ticks an axis has no scale."""
    ticks = [
        (float(label.text), float(mark.get(side)))
        for tick in axes.xpath(f".//*[starts-with(@id, '{side}tick_')]")
        for label in tick.xpath(".//comment()")
        for mark in tick.xpath("./*[1]//*[@x]")
        if NUMBER.fullmatch(label.text)
    ]
    if len(ticks) < 2:
        return None
    value, place = np.array(ticks).T
    steps = np.diff(place) / np.diff(value)
    log = not np.allclose(steps, steps[0], rtol=1e-3)
    step, start = np.polyfit(np.log(value) if log else value, place, 1)
    return [start, step, log]


def draws(image):
    """Two sets of topics, drawn as chapter 0 does, and who wins on each."""
    scores = gt.load("cf-ap")
    sizes = 10, scores.shape[1] // 2
    seeds = range(1, DRAWS + 1)
    found = [
        [drawn(scores, size, seed) for size in sizes] for seed in seeds
    ]
    return {"systems": [*scores.index], "sizes": sizes, "draws": found}


def drawn(scores, size, seed):
    order = np.random.default_rng(seed).permutation(scores.shape[1])
    sets = order[:size], order[size : 2 * size]
    means = [scores.iloc[:, topics].mean(axis=1) for topics in sets]
    return {
        "means": [mean.round(3).tolist() for mean in means],
        "best": [int(mean.argmax()) for mean in means],
        "tau": gt.kendall_tau(*means),
    }


def plans(image, at, best):
    """Variances of Cystic Fibrosis: divided by topics, by assessors, by
    both."""
    scores = gt.load("cf", measure="AP").drop(columns="family")
    study = gt.gstudy(scores, "system x topic x assessor")
    table = study.plan(topic=1, assessor=1).effects.table
    kinds = table["role"].str.split().str[0]
    divisors = table["divisors"].str.join(" ")
    sums = table["variance"].groupby([kinds, divisors]).sum()
    return {
        "variance": {kind: sums[kind].to_dict() for kind in {*kinds}},
        "topics": [
            *range(5, 60),
            *range(60, 200, 5),
            *range(200, 1001, 20),
        ],
        "assessors": [*range(1, 31)],
        "start": at,
        "best": best,
    }


def worst(image):
    """Alpha without the worst system, without the worst two, and so on."""
    scores = gt.load("cf-ap")
    order = scores.mean(axis=1).sort_values().index
    fewer = [scores.loc[order[k:]] for k in range(len(order) - 4)]
    found = map(gt.cronbach_alpha, fewer)
    alphas = [[a.estimate, a.low, a.high] for a in found]
    return {"systems": [*order], "alphas": alphas}


def parts(image):
    """The nine scores, after their mean the numbers in the first axes."""
    texts = image.xpath("//*[@id = 'axes_1']/*/comment()")
    numbers = (float(t.text) for t in texts if NUMBER.fullmatch(t.text))
    _, *scores = numbers
    return stops(moving_parts(pd.DataFrame(np.reshape(scores, (3, 3)))))


def nests(image):
    study = gt.gstudy(gt.load("small"), "system x topic x assessor")
    return stops(moving_nests(study))


def judgments(image):
    """Sixteen documents, and what one draw of their judgments finds."""
    p = np.linspace(0.6, 0.1, 16)
    relevant = np.random.default_rng(0).random(16) < p
    return stops(moving_judgments(p, relevant))


def sites(image):
    return stops(moving_sites(gt.BlockDesign(6, 2, 20, baseline=5)))


def stops(moving):
    """A figure of rectangles; places are parts of their panels' boxes."""
    words = [*dict.fromkeys(stop.words for stop in moving.stops)]
    drawn = [[*map(in_box, s.panels, moving.limits)] for s in moving.stops]
    for panels in drawn[1:]:  # what has not moved is not said again
        for panel, first in zip(panels, drawn[0], strict=True):
            if panel[0] == first[0]:
                panel[0] = None
    sliders = zip(moving.sliders.items(), moving.start, strict=True)
    return {
        "tones": TONES,
        "sliders": [*sliders],
        "words": words,
        "stops": [
            [panels, words.index(stop.words), stop.fields]
            for panels, stop in zip(drawn, moving.stops, strict=True)
        ],
    }


def in_box(panel, limits):
    """Left, top, width and height of each mark, and the middles of texts,
    if the upper left corner of the box is 0, 0 and the lower right 1, 1."""
    left, right, bottom, top = limits
    x, y, wide, high = np.transpose(panel.marks)
    across, down = right - left, bottom - top
    y, high = (y, high) if down > 0 else (y + high, -high)
    corners = (x - left) / across, (y - top) / down
    marks = np.transpose([*corners, wide / across, high / down])
    texts = [
        ((x - left) / across, (y - top) / down, text)
        for x, y, text in panel.texts
    ]
    return [marks.round(4).tolist(), panel.tones, texts]


# Each by its name: the kind that the script knows, and the numbers.
FIGURES = {
    "fig-start-halves": ("draws", draws),
    "fig-ctt-worst": ("worst", worst),
    "fig-dst-map": ("plan", partial(plans, best=False, at=(100, 1))),
    "fig-allocation-map": ("plan", partial(plans, best=True, at=(100, 4))),
    "fig-gst-apart": ("rectangles", parts),
    "fig-nested-designs": ("rectangles", nests),
    "fig-ap-judged": ("rectangles", judgments),
    "fig-reuse-design": ("rectangles", sites),
}
