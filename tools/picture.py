"""Draw book/_static/picture.svg, the result that the README shows."""

from pathlib import Path

import matplotlib.pyplot as plt

import gtlib as gt
from gtlib.plots import theme

ROOT = Path(__file__).resolve().parent.parent
TARGET = 0.95
TOPICS = range(5, 151)


def main():
    theme.use_style()
    g = printed_g_study()
    figure, axes = plt.subplots(figsize=(theme.WIDTH, 3.4))
    for assessors, color in zip([4, 1], theme.PALETTE, strict=False):
        curve = [
            gt.dstudy(g, topic=n, assessor=assessors).dependability
            for n in TOPICS
        ]
        axes.plot(TOPICS, curve, color=color)
        end = 0.013 if assessors > 1 else -0.013
        name = f"{assessors} assessor{'s' if assessors > 1 else ''}"
        theme.label_end(axes, TOPICS[-1], curve[-1] + end, name, color)
    mark_target(axes, gt.required_levels(g, "topic", TARGET, assessor=1))
    axes.set(
        xlabel="topics in the collection",
        ylabel="dependability of its scores",
        xlim=(0, TOPICS[-1]),
        ylim=(0.5, 1),
    )
    figure.savefig(
        ROOT / "book" / "_static" / "picture.svg", metadata={"Date": None}
    )


def printed_g_study():
    """Table 1 of Bodoff & Li (2007), with the 48 topics that it had."""
    table = gt.load("bodoff-li-2007")["value"]
    effects = [
        *("system", "topic", "assessor"),
        *("system x topic", "system x assessor", "topic x assessor"),
        "system x topic x assessor",
    ]
    return gt.GStudy.from_mean_squares(
        "system x topic x assessor",
        {"system": 33, "topic": 48, "assessor": 2},
        {e: table[f"table-1/mean-square/{slug(e)}"] for e in effects},
    )


def slug(effect):
    return effect.replace(" ", "-")


def mark_target(axes, topics):
    axes.axhline(TARGET, color=theme.MUTED, linewidth=0.8, linestyle=":")
    axes.annotate(
        f"{topics} topics reach {TARGET:.2f} with a single assessor",
        (topics, TARGET),
        xytext=(0, -48),
        textcoords="offset points",
        color=theme.INK,
        fontsize=9.5,
        ha="center",
        arrowprops={"arrowstyle": "-", "color": theme.MUTED},
    )


if __name__ == "__main__":
    main()
