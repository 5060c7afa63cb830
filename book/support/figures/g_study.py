"""Where the variance of scores comes from: chapter 2."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from book.support.figures import theme
from book.support.figures.moving import Moving, Panel, Stop, bare, squares
from gtlib.gtheory import gstudy

# Red for less, blue for more, and no darker than stays a colour when
# a dark page turns light into dark.
SIGNS = sns.diverging_palette(25, 250, s=95, l=50, as_cmap=True)


def effect_maps(
    effects: Mapping[str, pd.DataFrame], names: Sequence[str] | None = None
) -> plt.Figure:
    """Draw effects of a study as maps, in one scale of colours.

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


def maps_of(scores: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Take crossed scores apart, for `effect_maps`.

    Parameters
    ----------
    scores : DataFrame
        Columns system, topic, assessor and score, every system with every
        topic and assessor.

    Returns
    -------
    dict of label to DataFrame
        The scores less their mean, and each effect. Every second system,
        the best first, and every eighth topic, the hardest first.
    """
    parts = effects_of(scores)
    by_system = scores.groupby("system")["score"].mean().sort_values()
    by_topic = scores.groupby("topic")["score"].mean().sort_values()
    systems, topics = by_system.index[::-2], by_topic.index[::8]
    assessors = scores["assessor"].unique()
    columns = pd.MultiIndex.from_product([assessors, topics])
    shown = {"the scores, minus their mean": parts.iloc[:, 1:].sum(axis=1)}
    shown |= dict(parts.iloc[:, 1:].items())
    shown["the rest"] = shown.pop("system x topic x assessor")
    maps = {}
    for name, values in shown.items():
        wide = scores.assign(value=values).pivot_table(
            index="system", columns=["assessor", "topic"], values="value"
        )
        maps[name] = wide.loc[systems, columns]
    return maps


def effects_of(scores: pd.DataFrame) -> pd.DataFrame:
    """Say what each effect adds to every score of a crossed table."""
    facets = ("system", "topic", "assessor")
    effects: dict[tuple[str, ...], pd.Series] = {
        (): pd.Series(scores["score"].mean(), scores.index)
    }
    for size in (1, 2, 3):
        for part in combinations(facets, size):
            mean = scores.groupby(list(part))["score"].transform("mean")
            before = [p for p in effects if {*p} < {*part}]
            effects[part] = mean - sum(effects[p] for p in before)
    named = {" x ".join(part): effects[part] for part in effects}
    return pd.DataFrame(named)


def scores_apart(table: pd.DataFrame) -> plt.Figure:
    """Draw scores, and the parts that they are sums of, as squares.

    Parameters
    ----------
    table : DataFrame, shape (systems, topics)

    Returns
    -------
    Figure
        The panels of `moving_parts` at its first stop.
    """
    figure, axes = theme.panels(4, 2, columns=4)
    bare(*axes, aspect="equal")
    moving_parts(table).draw(axes, 0)
    return figure


def moving_parts(table: pd.DataFrame) -> Moving:
    """Draw scores that are taken apart step by step.

    Parameters
    ----------
    table : DataFrame, shape (systems, topics)

    Returns
    -------
    Moving
        A panel of the scores, or of what is left of them, and one for each
        part. The area of a square is the square of a part; it is hollow
        if the part is below zero.
    """
    scores = table.to_numpy(float)
    mean = scores.mean()
    system, topic = (
        scores.mean(axis=axis, keepdims=True) - mean + 0 * scores
        for axis in (1, 0)
    )
    parts = [system, topic, scores - mean - system - topic]
    study = gstudy(table).table
    largest = np.abs(scores - mean).max()
    rows, columns = np.indices(scores.shape)
    rows = rows[::-1]  # they are drawn upwards
    middle, top = scores.shape[1] / 2, len(scores)
    places = [(middle, top + 0.3), (middle, -0.4), (middle, -0.85)]
    places += zip(columns.ravel() + 0.5, rows.ravel() + 0.5, strict=True)

    def panel(part, letter, *texts):
        """Draw squares; a title, two lines below, and a text in each
        cell."""
        part = part.round(9)
        tones = [letter.upper() if v < 0 else letter for v in part.flat]
        cells = squares(columns, rows, 1, largest=0.96)
        marks = squares(columns, rows, (part / largest) ** 2)
        return Panel(
            np.vstack([cells, marks]),
            "f" * scores.size + "".join(tones),
            [(*p, t) for p, t in zip(places, texts, strict=False)],
        )

    def stop(first, kind, sizes, taken=3):
        """Draw the first panel, and the parts that are taken out."""
        gone = [part * (k < taken) for k, part in enumerate(parts)]
        sizes = [size * (k < taken) for k, size in enumerate(sizes)]
        names = ["systems", "topics", "the rest"]
        panels = [
            panel(part, letter, name, kind, f"{size:.3f}")
            for part, letter, name, size in zip(
                gone, "ste", names, sizes, strict=True
            )
        ]
        title, *below = [text for _, _, text in first.texts[:3]]
        left = f"{title} ({' '.join(below)})" if below else title
        words = f"{left.capitalize()}. {kind.capitalize()}: "
        words += "systems {system:system}, "
        words += "topics {topic:topic}, the rest {rest:error}."
        fields = zip(["system", "topic", "rest"], sizes, strict=True)
        return Stop([first, *panels], words, dict(fields))

    kind, sums = "sum of squares", [(part**2).sum() for part in parts]
    below = ["mean", f"{mean:.3f}", *map("{:.1f}".format, scores.flat)]
    stops = [stop(panel(0 * scores, "b", "scores", *below), kind, sums)]
    left = scores - mean
    titles = ["less mean", "less systems", "less topics", "nothing left"]
    for taken, title in enumerate(titles):
        size = f"{(left**2).sum():.3f}"
        rest = panel(left, "b", title, kind, size)
        stops.append(stop(rest, kind, sums, taken))
        left = left - [*parts, 0][taken]
    for kind, sizes in [
        ("mean square", study["mean_square"]),
        ("component", study["estimate"]),
    ]:
        stops.append(stop(panel(0 * scores, "b", titles[-1]), kind, sizes))
    limits = [(0, scores.shape[1], -1.1, top + 0.6)] * 4
    steps = ["scores", *titles, "mean squares", "components"]
    return Moving(limits, {"Step": steps}, steps[:1], stops)
