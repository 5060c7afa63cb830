"""The figure of chapter 5: the same judgments by few people or by many."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np

from book.support.figures import theme
from book.support.figures.moving import Moving, Panel, Stop, bare, squares
from gtlib.gtheory import GStudy

TOPICS, EACH = 6, 2  # assessors of each topic
GROUPS = 1, 2, 3, 6  # of topics, each with people of its own
TONES = {("topic",): "t", ("assessor",): "a", ("topic", "assessor"): "b"}
WORDS = (
    "{people} people, two to a topic. Relative error {relative}: "
    "system x topic {system_topic:topic}, "
    "system x assessor {system_assessor:assessor}, "
    "the rest {system_topic_assessor:both}. "
    "Absolute error {absolute}: these, and topic {topic:topic}, "
    "assessor {assessor:assessor}, topic x assessor {topic_assessor:both}."
)


def nests(study: GStudy) -> plt.Figure:
    """Draw crossed and nested assessors, and both errors of each design.

    Parameters
    ----------
    study : GStudy
        Of ``system x topic x assessor``.

    Returns
    -------
    Figure
        The panels of `moving_nests` at its last stop.
    """
    figure, axes = theme.panels(4, 1.7, sharey=False, height_ratios=[4, 3])
    moving_nests(study).draw(axes, -1)
    bare(*axes[:2])
    axes[0].set_ylabel("topics")
    for ax, names in zip(
        axes[2:], [["absolute", "relative"], []], strict=True
    ):
        ax.set_yticks([0, 1][: len(names)], names)
        ax.tick_params(axis="y", length=0)
        ax.spines["left"].set_visible(False)
    names = ["topics", "assessors", "both"]
    colors = [theme.COLORS["topic"], theme.COLORS["assessor"], theme.MUTED]
    above: dict[str, Any] = {
        "loc": "lower left",
        "bbox_to_anchor": (0, 0.95),
        "ncols": 3,
    }
    above |= {"columnspacing": 0.8, "borderpad": 0}
    theme.key(axes[2], names, colors, **above)
    figure.supxlabel("error variance of a system's mean")
    return figure


def moving_nests(study: GStudy) -> Moving:
    """Draw who judges what, and the errors, for few people and for many.

    Each group of topics has people of its own, and is a crossed design.
    The mean over such groups has the error of one, divided by their number.

    Parameters
    ----------
    study : GStudy
        Of ``system x topic x assessor``.

    Returns
    -------
    Moving
        Left the same people for all topics, right others for each group.
        Hollow parts belong to absolute error only.
    """
    widest = study.plan(topic=TOPICS, assessor=EACH).absolute_error
    designs = [(_judgments(n), *_errors(study, n, widest)) for n in GROUPS]
    grid, bars, _ = designs[0]
    stops = [
        Stop([grid, now, bars, errors], WORDS, values)
        for now, errors, values in designs
    ]
    grid_limits = 0, TOPICS * EACH, 0, TOPICS + 1.3
    bar_limits = 0, 1.35 * widest, -0.6, 1.6
    limits = [grid_limits] * 2 + [bar_limits] * 2
    people = [EACH * groups for groups in GROUPS]
    return Moving(limits, {"People": people}, people[-1:], stops)


def _judgments(groups):
    """A grid of topics and people, and who judges which topic."""
    topic, turn = np.indices((TOPICS, EACH))
    person = topic * groups // TOPICS * EACH + turn
    title = {1: "topic x assessor", TOPICS: "assessor:topic"}.get(
        groups, f"{TOPICS // groups} topics a pair"
    )
    rows, columns = np.indices((TOPICS, TOPICS * EACH))
    cells = squares(columns, rows, 1)
    marks = squares(person, TOPICS - 1 - topic, 1)
    text = f"{EACH * groups} people: {title}"
    return Panel(
        np.vstack([cells, marks]),
        "f" * len(cells) + "o" * len(marks),
        [(TOPICS * EACH / 2, TOPICS + 0.65, text)],
    )


def _errors(study, groups, widest):
    """A bar of the parts of each error, and their sizes."""
    plan = study.plan(topic=TOPICS // groups, assessor=EACH)
    sizes = plan.table["mean_variance"] / groups
    effects = plan.effects.table
    roles = {"relative error": str.lower, "absolute error only": str.upper}
    marks, tones, texts = [], "", []
    values = {"people": EACH * groups}
    for row, error in enumerate(["absolute", "relative"]):
        end = 0.0
        for divisors, letter in TONES.items():
            same = effects[effects["divisors"].map(divisors.__eq__)]
            for role in [*roles][: 2 - row]:
                (name,) = same.index[same["role"] == role]
                marks.append((end, row - 0.3, sizes[name], 0.6))
                tones += roles[role](letter)
                values[name.replace(" x ", "_")] = sizes[name]
                end += sizes[name]
        texts.append((end + widest / 6, row, f"{end:.3f}"))
        values[error] = end
    return Panel(np.array(marks), tones, texts), values
