"""Figures of crossed and nested designs."""

import matplotlib.pyplot as plt
import numpy as np

from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH, label_ends

NAMES = ("generalizability", "dependability")


def who_judges_what(designs):
    """Which assessor judges which topic, a panel for each design.

    Parameters
    ----------
    designs : mapping of title to DataFrame of bool
        Topics x assessors; True where the assessor judges the topic.

    Returns
    -------
    Figure
    """
    shapes = [table.shape[1] for table in designs.values()]
    figure, axes = plt.subplots(
        1,
        len(designs),
        figsize=(WIDTH, 2.9),
        width_ratios=[max(n, 3) for n in shapes],
    )
    for ax, (title, table) in zip(
        np.atleast_1d(axes), designs.items(), strict=True
    ):
        topics, assessors = table.shape
        rows, columns = np.nonzero(table.to_numpy())
        ax.scatter(columns, rows, s=110, marker="s", color=PALETTE[0])
        rows, columns = np.nonzero(~table.to_numpy())
        ax.scatter(columns, rows, s=8, marker="s", color=MUTED)
        ax.set_title(title, color=INK)
        ax.set(xlabel="assessors", xlim=(-0.7, assessors - 0.3))
        ax.set(ylim=(topics - 0.3, -0.7), xticks=[], yticks=[])
        for side in ax.spines.values():
            side.set_visible(False)
    np.atleast_1d(axes)[0].set_ylabel("topics")
    return figure


def crossed_and_nested(grids, along="topic"):
    """Both coefficients of two designs, as a facet's number grows.

    Parameters
    ----------
    grids : mapping of title to DataFrame
        Of `gtlib.Plan.grid`, one for each design.
    along : str
        The facet along the axis.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(1, 2, figsize=(WIDTH, 3.4), sharey=True)
    colors = PALETTE[: len(grids)]
    for ax, name in zip(axes, NAMES, strict=True):
        for grid, color in zip(grids.values(), colors, strict=True):
            ax.plot(grid[along], grid[name], color=color, lw=2)
        ax.set_title(name, color=INK)
        ax.set(xlabel=f"number of {along}s")
        ax.margins(x=0)
    lowest = min(grid[list(NAMES)].min().min() for grid in grids.values())
    axes[0].set(ylim=(max(0, lowest - 0.03), 1), ylabel="coefficient")
    for ax, name in zip(axes, NAMES, strict=True):
        label_ends(
            ax,
            next(iter(grids.values()))[along].max(),
            [grid[name].iloc[-1] for grid in grids.values()],
            list(grids),
            colors,
        )
    return figure
