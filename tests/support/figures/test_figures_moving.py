"""Figures of rectangles: what lies where at each of their stops."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import figures
from book.support.figures.ap_confidence import moving_judgments
from book.support.figures.g_study import moving_parts
from book.support.figures.moving import TONES
from book.support.figures.nested_or_crossed import moving_nests
from book.support.figures.reusability import moving_sites

SCORES = pd.DataFrame([[4, 1, 2], [3, 3, 0]])
BELIEF, RELEVANT = np.array([0.8, 0.4, 0.7, 0.1]), np.array([1, 1, 0, 0])


def small():
    return gt.gstudy(gt.load("small"), "system x topic x assessor")


MOVING = {
    "parts": lambda: moving_parts(SCORES),
    "nests": lambda: moving_nests(small()),
    "judgments": lambda: moving_judgments(BELIEF, RELEVANT == 1),
    "sites": lambda: moving_sites(gt.BlockDesign(4, 2, 6)),
}
DRAWN = {
    "parts": lambda: figures.scores_apart(SCORES),
    "nests": lambda: figures.nests(small()),
    "judgments": lambda: figures.judged_rankings(BELIEF, RELEVANT == 1),
}


@pytest.mark.parametrize("name", MOVING)
def test_every_stop_has_as_many_marks_in_their_panels(name):
    moving = MOVING[name]()
    sizes = [*map(len, moving.sliders.values())]
    assert len(moving.stops) == np.prod(sizes)
    for stop in moving.stops:
        for panel, limits, first in zip(
            stop.panels, moving.limits, moving.stops[0].panels, strict=True
        ):
            assert np.shape(panel.marks) == np.shape(first.marks)
            assert len(panel.tones) == len(panel.marks)
            corner, size = np.split(np.array(panel.marks), 2, axis=1)
            assert (size >= 0).all()
            ends = np.sort(np.reshape(limits, (2, 2)))
            assert (corner >= ends[:, 0]).all()
            assert (corner + size <= ends[:, 1]).all()
        named = re.findall(r"{(\w+):?(\w*)}", stop.words)
        assert {name for name, _ in named} <= {*stop.fields}
        assert {tone for _, tone in named} <= {"", *TONES.values()}


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_the_image_is_the_stop_at_which_the_sliders_begin(name):
    moving = MOVING[name]()
    (values,) = moving.sliders.values()
    stop = moving.stops[values.index(moving.start[0])]
    for ax, panel in zip(DRAWN[name]().axes, stop.panels, strict=True):
        drawn = [patch.get_bbox().bounds for patch in ax.patches]
        assert np.allclose(drawn, panel.marks)
        texts = [text.get_text() for text in ax.texts]
        assert texts == [text for _, _, text in panel.texts]
    plt.close("all")
