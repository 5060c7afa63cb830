"""Draw the result that the README shows: book/_static/picture.svg."""

from pathlib import Path

import matplotlib.pyplot as plt

import gtlib as gt
from gtapps.figures import theme

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
TARGET = 0.95
TOPICS = range(5, 151)


def main():
    theme.use_style()
    g = gt.load("trec4-table1")
    cf = gt.gstudy(gt.load("cf", measure="AP"), "system x topic x assessor")
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(theme.WIDTH, 3.4), sharey=True
    )
    draw(left, g)
    left.set_title("TREC-4: new people\non each topic", fontsize=10)
    draw(right, cf)
    right.set_title("Cystic Fibrosis: the same\npeople on all", fontsize=10)
    right.set_ylabel("")
    figure.savefig(STATIC / "picture.svg", metadata={"Date": None})


def draw(axes, g):
    """Dependability against topics, for one assessor and for four."""
    for assessors, color in zip([4, 1], theme.PALETTE, strict=False):
        curve = [
            g.plan(topic=n, assessor=assessors).dependability
            for n in TOPICS
        ]
        axes.plot(TOPICS, curve, color=color)
        end = 0.013 if assessors > 1 else -0.013
        name = f"{assessors} assessor{'s' if assessors > 1 else ''}"
        theme.label(axes, TOPICS[-1], curve[-1] + end, name, color)
    mark_target(axes, g)
    axes.set(
        xlabel="topics in the collection",
        ylabel="dependability of its scores",
        xlim=(0, TOPICS[-1]),
        ylim=(0.5, 1),
    )


def mark_target(axes, g):
    """The target, and what one assessor needs or where one is stuck."""
    axes.axhline(TARGET, color=theme.MUTED, linewidth=0.8, linestyle=":")
    ceiling = g.plan(topic=10**9, assessor=1).dependability
    if ceiling < TARGET:
        at = TOPICS[-1] * 0.6, ceiling
        text = f"one assessor:\nnever above\n{ceiling:.2f}"
        axes.axhline(ceiling, color=theme.MUTED, lw=0.8, linestyle="--")
    else:
        topics = g.plan(assessor=1).required("topic", TARGET)
        at = topics, TARGET
        text = f"{topics} topics\nreach {TARGET:.2f} with\none assessor"
    axes.annotate(
        text,
        at,
        xytext=(12, -48),
        textcoords="offset points",
        color=theme.INK,
        fontsize=10,
        ha="center",
        va="top",
        arrowprops={"arrowstyle": "-", "color": theme.MUTED},
    )


if __name__ == "__main__":
    main()
