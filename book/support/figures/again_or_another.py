"""Figures of the chapter on repeated runs: errors, flips and prices."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from book.support.figures import theme

# Runs that agree that a task is not solved, that do not agree, and that
# agree that it is.
_NEVER, _SOME, _ALWAYS = theme.MUTED, theme.PALETTE[4], theme.PALETTE[3]


def two_errors(errors: pd.DataFrame) -> plt.Axes:
    """Draw means, each with the 95% interval of two standard errors.

    Parameters
    ----------
    errors : DataFrame, a row per system, drawn downwards
        ``mean``, and the standard errors ``over tasks`` and ``over runs``.

    Returns
    -------
    Axes
    """
    kinds = {"over tasks": theme.COLORS["topic"]}
    kinds["over runs"] = theme.COLORS["error"]
    size = theme.WIDTH, 0.9 + 0.5 * len(errors)
    _, ax = plt.subplots(figsize=size)
    for (kind, color), dy in zip(kinds.items(), (-0.13, 0.13), strict=True):
        rows = np.arange(len(errors)) + dy
        half = 1.96 * errors[kind]
        ends = errors["mean"] - half, errors["mean"] + half
        ax.hlines(rows, *ends, color=color, lw=4)
        ax.plot(errors["mean"], rows, "o", color=color, ms=7, mec="white")
    theme.name_rows(ax, list(errors.index))
    theme.key(ax, [*kinds], [*kinds.values()])
    ax.set(xlabel="mean score, with its 95% interval")
    return ax


def pass_curves(tables: Mapping[str, pd.DataFrame]) -> plt.Figure:
    """Draw the chance that one of k runs solves a task, and that all do.

    Parameters
    ----------
    tables : mapping of title to DataFrame
        A row per kind and k, its index, such as ``("pass@k", 3)``; columns
        ``estimate``, ``low`` and ``high``.

    Returns
    -------
    Figure
        A panel per table.
    """
    colors = {"pass@k": theme.PALETTE[0], "pass^k": theme.PALETTE[2]}
    figure, axes = theme.panels(len(tables), 3.2)
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        for kind, color in colors.items():
            of = table.loc[kind]
            theme.band(ax, of["low"], of["high"], color)
            ax.plot(of.index, of["estimate"], "o-", color=color, ms=5)
        ax.set(title=title, xlabel="k", xticks=of.index, ylim=(0, 1))
    axes[0].set_ylabel("share of tasks")
    above = {"loc": "outside upper left", "ncols": 2}
    theme.key(figure, colors, [*colors.values()], **above)
    return figure


def solved_runs(counts: pd.DataFrame) -> plt.Axes:
    """Draw how many tasks each system solves in none, some and all runs.

    Parameters
    ----------
    counts : DataFrame, a row per system, a column per number of runs
        Tasks that are solved in 0, 1, ..., all runs.

    Returns
    -------
    Axes
    """
    size = theme.WIDTH, 1.1 + 0.5 * len(counts)
    _, ax = plt.subplots(figsize=size)
    between = counts.shape[1] - 2
    tints = sns.light_palette(_SOME, between + 2)[1:-1]
    colors = [_NEVER, *tints, _ALWAYS]
    shares = 100 * counts.div(counts.sum(axis=1), axis=0)
    theme.stack(ax, shares, colors, least=9)
    few, many = counts.columns[[1, -2]]
    names = ["solved in no run", f"in {few} to {many}", "in all"]
    theme.key(ax, names, [_NEVER, _SOME, _ALWAYS])
    ax.set(xlabel="percent of the tasks", ylabel="")
    return ax


def price_curves(errors: pd.DataFrame) -> plt.Axes:
    """Draw the error that the same money leaves, by the runs of each task.

    Parameters
    ----------
    errors : DataFrame, a row per number of runs, a column per price
        Standard errors, over the least that this price allows.

    Returns
    -------
    Axes
        The least of each line is marked.
    """
    _, ax = plt.subplots(figsize=(theme.WIDTH, 3.6))
    for (name, line), color in zip(
        errors.items(), theme.PALETTE, strict=False
    ):
        ax.plot(line.index, line, color=color, label=name)
        best = line.idxmin()
        ax.plot(best, line[best], "D", color=color, ms=8, mec="white")
    ax.set(xlabel="runs on each task", xticks=errors.index[::2])
    ax.set_ylabel("error, over the least for this price")
    theme.label_ends(ax)
    return ax
