"""What moves in the figure of chapter 7: the topics of each comparison."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from book.support.figures import theme
from book.support.figures.moving import Moving, Panel, Stop, squares
from gtlib.reuse import BlockDesign

# What is said if no site is chosen, or one, or two.
WORDS = (
    "{topics} topics: {baseline:other} of baseline, judged from the runs "
    "of all sites, and others that hold out {out:one} sites each.",
    "Within {site}: {baseline:other} topics of baseline, to which it "
    "contributed, and {reuse:one} of reuse, which hold it out.",
    "Between {site} and {rival}: {baseline:other} topics of baseline, to "
    "which both contributed, and {reuse:one} of reuse, with both held out. "
    "Participant comparison of {site} with {rival}: {against} topics, with "
    "{site} alone held out.",
)


def moving_sites(design: BlockDesign) -> Moving:
    """Draw the grid of sites and topics, for each site and for each pair.

    Parameters
    ----------
    design : BlockDesign

    Returns
    -------
    Moving
        One panel: a row per site, a column per topic.
    """
    out = (design.table() == "−").to_numpy().T
    sites = [*design.table()]
    rows, columns = np.indices(out.shape)
    line = np.argmax(out.any(axis=0))  # where the baseline ends
    end = np.array([[line, 0, 0.05, len(sites)]])
    marks = np.vstack([squares(columns, rows, 1), end])

    def stop(*names):
        chosen = [*dict.fromkeys(name for name in names if name in sites)]
        mine = np.isin(sites, chosen)[:, None] | (not chosen)
        look = np.where(out, np.where(mine, "o", "O"), "f")
        if chosen:
            look[mine & ~out] = "p"
        held = [out[sites.index(site)] for site in chosen or sites]
        every, some = np.all(held, axis=0), np.any(held, axis=0)
        values = {
            "topics": out.shape[1],
            "out": design.held_out,
            "baseline": np.sum(~some),
            "reuse": np.sum(every),
            "against": np.sum(held[0] & ~every),
        } | dict(zip(("site", "rival"), chosen, strict=False))
        return Stop(
            [Panel(marks, "".join(look.flat) + "s")],
            WORDS[len(chosen)],
            values,
        )

    sliders = {"Site": ["all", *sites], "Other site": ["none", *sites]}
    stops = [stop(*chosen) for chosen in product(*sliders.values())]
    limits = [(0, out.shape[1], len(sites), 0)]
    return Moving(limits, sliders, ["all", "none"], stops)


def block_design(design: BlockDesign) -> plt.Axes:
    """Draw which sites each topic holds out, the baseline first."""
    held = (design.table() == "−").T
    _, ax = plt.subplots(figsize=(theme.WIDTH, 2.4))
    colors = [theme.FAINT, theme.PALETTE[0]]
    sns.heatmap(
        held, cmap=colors, cbar=False, lw=1.5, xticklabels=False, ax=ax
    )
    baseline = int((~held.any()).sum())
    ax.axvline(baseline, color=theme.INK, lw=0.8)
    middle = (baseline + held.shape[1]) / 2
    for x, name in ((baseline / 2, "baseline"), (middle, "subset 1")):
        theme.label(ax, x, 0, name, dx=0, dy=9, ha="center")
    ax.set(xlabel="topics", ylabel="")
    ax.tick_params(length=0, rotation=0)
    return ax


def effects_by_depth(effects: pd.DataFrame) -> plt.Axes:
    """Draw what being held out costs, by the depth of the pool.

    Parameters
    ----------
    effects : DataFrame
        Rows collection and depth; columns effect, low and high.
    """
    _, ax = plt.subplots(figsize=(theme.WIDTH, 3.2))
    ax.axhline(0, color=theme.MUTED, lw=1)
    groups = effects.groupby(level="collection", sort=False)
    for (name, table), aside, color in zip(
        groups, (-0.12, 0, 0.12), theme.PALETTE, strict=False
    ):
        x = np.arange(len(table)) + aside
        middle = table["effect"]
        bars = [middle - table["low"], table["high"] - middle]
        ax.errorbar(x, middle, bars, fmt="o-", ms=4, capsize=3, color=color)
        ax.plot(4.2, middle.iloc[-1], color=color, label=name)
    ax.set_xticks(range(len(table)), table.index.get_level_values("depth"))
    ax.set_xlim(right=4.2)
    ax.set(xlabel="depth of the pool", ylabel="effect of being held out")
    theme.label_ends(ax)
    return ax
