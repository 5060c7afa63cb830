"""Where the variance of scores comes from: chapter 2 and its details."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from gtapps.figures import theme
from gtapps.figures.moving import Moving, Panel, Stop, bare, squares
from gtlib.gtheory import GStudy, gstudy

# Red for less, blue for more, and no darker than stays a colour when
# a dark page turns light into dark.
SIGNS = sns.diverging_palette(25, 250, s=95, l=50, as_cmap=True)


def effect_maps(
    effects: Mapping[str, pd.DataFrame], names: Sequence[str] | None = None
) -> plt.Figure:
    """Effects of a study as maps, in one scale of colours.

    One cell in fifty of the strongest map is beyond the scale's ends, so
    that a few of them do not make all others pale.

    Parameters
    ----------
    effects : mapping of label to DataFrame
        Rows are systems; columns are in equal blocks, one per assessor,
        named by the upper level of the columns.
    names : sequence of str, optional
        The effects to draw, all of them by default. The scale is that of
        all, so that figures of one study can be compared.

    Returns
    -------
    Figure
    """
    drawn = {name: effects[name] for name in names or effects}
    rows = -(-len(drawn) // 2)
    figure, axes = theme.panels(len(drawn), 1.6 + 1.4 / rows, sharex=True)
    largest = max(np.quantile(e.abs(), 0.98) for e in effects.values())
    scale = plt.Normalize(-largest, largest)
    look = {"cmap": SIGNS, "aspect": "auto", "interpolation": "nearest"}
    for ax, (name, effect) in zip(axes, drawn.items(), strict=True):
        image = ax.imshow(effect, norm=scale, **look)
        ax.set_title(name, loc="left")
        blocks = effect.columns.get_level_values(0).unique()
        edges = np.linspace(0, effect.shape[1], len(blocks) + 1) - 0.5
        for edge in edges[1:-1]:
            ax.axvline(edge, color=theme.INK, lw=0.8)
        ax.set_xticks((edges[:-1] + edges[1:]) / 2, blocks, rotation=90)
        ax.set_yticks([])
        ax.tick_params(length=0)
    figure.supylabel("systems")
    thin: dict[str, Any] = {"shrink": 0.7, "aspect": 40, "extend": "both"}
    bar = figure.colorbar(image, ax=axes, location="bottom", **thin)
    bar.set_label("part of the score")
    bar.outline.set_visible(False)
    return figure


def variance_shares(studies: Mapping[str, GStudy]) -> plt.Axes:
    """The composition of each study's variance, a bar each.

    Parameters
    ----------
    studies : mapping of title to GStudy
        All of systems and topics, whose interaction is the error.

    Returns
    -------
    Axes
    """
    if not studies:
        return theme.draw_missing_note()
    shares = {name: g.table["percent"] for name, g in studies.items()}
    colors = [theme.COLORS[kind] for kind in ("system", "topic", "error")]
    _, ax = plt.subplots(figsize=(theme.WIDTH, 0.9 + 0.29 * len(studies)))
    theme.stack(ax, pd.DataFrame(shares).T, colors)
    ax.set_xlabel("percent of the variance of a single score")
    for bars, color in zip(ax.containers, colors, strict=False):
        first = bars[0]
        middle = first.get_x() + first.get_width() / 2
        name = str(bars.get_label())
        theme.label(ax, middle, -0.4, name, color, 0, 9, ha="center")
    ax.set_ylim(top=-0.9)
    return ax


def scores_apart(table: pd.DataFrame) -> plt.Figure:
    """Scores, and the parts that they are sums of, as squares.

    Parameters
    ----------
    table : DataFrame, shape (systems, topics)

    Returns
    -------
    Figure
        The panels of `moving_parts`: the first before, the others after
        everything is taken apart.
    """
    figure, axes = theme.panels(4, 2, columns=4)
    bare(*axes, aspect="equal")
    moving_parts(table).draw(axes, [0, 4, 4, 4])
    return figure


def moving_parts(table: pd.DataFrame) -> Moving:
    """Scores that are taken apart step by step.

    Parameters
    ----------
    table : DataFrame, shape (systems, topics)

    Returns
    -------
    Moving
        A panel of what is left of each score, and one for each part. The
        area of a square is the square of a part, hollow if it is below 0.
    """
    scores = table.to_numpy(float)
    mean = scores.mean()
    system, topic = (
        scores.mean(axis=axis, keepdims=True) - mean + 0 * scores
        for axis in (1, 0)
    )
    parts = [system, topic, scores - mean - system - topic]
    names = ["systems", "topics", "the rest"]
    study = gstudy(table).table
    largest = np.abs(scores - mean).max()
    rows, columns = np.indices(scores.shape)
    rows = rows[::-1]  # they are drawn upwards

    def panel(part, letter, title, below, numbers=()):
        """Two lines stand below a panel."""
        part = part.round(9)
        tones = [letter.upper() if v < 0 else letter for v in part.flat]
        cells = squares(columns, rows, 1, largest=0.96)
        marks = squares(columns, rows, (part / largest) ** 2)
        middle, top = scores.shape[1] / 2, len(scores)
        places = [(middle, top + 0.3), (middle, -0.4), (middle, -0.85)]
        places += zip(columns.ravel() + 0.5, rows.ravel() + 0.5, strict=True)
        texts = zip(places, [title, *below, *numbers], strict=False)
        return Panel(
            np.vstack([cells, marks]),
            "f" * scores.size + "".join(tones),
            [(*place, text) for place, text in texts],
        )

    def stop(step, title, kind="sum of squares", values=None):
        gone = [part * (step > k) for k, part in enumerate(parts, 1)]
        left = (scores - mean * (step > 0) - sum(gone)).round(9) + 0.0
        if values is None:
            values = [(part**2).sum() for part in gone]
        total = f"{(left**2).sum():.3f}"
        below = [kind, total] if 0 < step < 5 else ["", ""]
        numbers = map(("{:+.1f}" if step else "{:.1f}").format, left.flat)
        panels = [panel(left * (step > 0), "b", title, below, numbers)]
        panels += [
            panel(part, letter, name, [kind, f"{value:.3f}"])
            for part, letter, name, value in zip(
                gone, "ste", names, values, strict=True
            )
        ]
        words = f"{title.capitalize()}. {kind.capitalize()}: "
        words += "systems {system:system}, topics {topic:topic}, "
        words += "the rest {rest:error}" + "; left {left}." * (step < 5)
        said = dict(zip(["system", "topic", "rest"], values, strict=True))
        return Stop(panels, words, said | {"left": (left**2).sum()})

    titles = ["scores", *(f"less {n}" for n in ["their mean", *names])]
    stops = [stop(step, title) for step, title in enumerate(titles)]
    for kind, column in [
        ("mean square", "mean_square"),
        ("component", "estimate"),
    ]:
        stops.append(stop(5, "nothing is left", kind, [*study[column]]))
    limits = [(0, scores.shape[1], -1.1, len(scores) + 0.6)] * 4
    steps = {"Step": [*titles, "mean squares", "components"]}
    return Moving(limits, steps, titles[:1], stops)
