"""Draw the result that the README shows: book/_static/picture.svg."""

import math
from pathlib import Path

import matplotlib.pyplot as plt

import gtlib as gt
from book.support.figures import theme

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
TARGET = 0.95
TOPICS = range(1, 151)


def main(folder=STATIC):
    theme.use_style()
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(theme.WIDTH, 2.8), sharey=True
    )
    g = gt.load("trec4-table1")
    # A negative component counts as zero, as in the paper
    g = gt.GStudy.from_components(g.design, g.variance)
    draw(left, g)
    left.set_title("TREC-4: people\ntook turns", fontsize=10)
    left.set_ylabel("dependability of the scores")
    left.set_yticks([0, 0.25, 0.5, 0.75, TARGET])
    cf = gt.load("cf", measure="AP")
    draw(right, gt.gstudy(cf, "system x topic x assessor"))
    right.set_title("Cystic Fibrosis: the same\npeople on all", fontsize=10)
    figure.supxlabel("topics in the collection")
    figure.savefig(folder / "picture.svg", metadata={"Date": None})
    plt.close(figure)


def draw(axes, g):
    """Dependability against topics, for four assessors and for one."""
    axes.set(xlim=(0, TOPICS[-1]), ylim=(0, 1), xticks=[0, TOPICS[-1]])
    axes.axhline(TARGET, color=theme.MUTED, linewidth=0.8, linestyle=":")
    purple, blue = theme.COLORS["dependability"], theme.COLORS["topic"]
    for assessors, name, dashes, side, height in [
        (4, "4 assessors", "-", "right", 0.88),
        (1, "1 assessor", "--", "left", 0.68),
    ]:
        curve = [0] + [
            g.plan(topic=n, assessor=assessors).dependability
            for n in TOPICS
        ]
        axes.plot([0, *TOPICS], curve, dashes, color=purple)
        topics, said = finding(g, assessors)
        if topics:
            axes.vlines(topics, 0, TARGET, blue, linewidths=0.8)
            axes.text(topics, -0.02, topics, color=blue, ha=side, va="top")
        theme.label(axes, TOPICS[-1], height, f"{name}:\n{said}", purple)


def finding(g, assessors):
    """How many topics reach the target, if any do, and words for it."""
    ceiling = g.plan(topic=10**9, assessor=assessors).dependability
    if ceiling < TARGET:
        return None, f"below {math.ceil(100 * ceiling) / 100:.2f}"
    topics = g.plan(assessor=assessors).required("topic", TARGET)
    return topics, f"{topics} topics"


if __name__ == "__main__":
    main()
