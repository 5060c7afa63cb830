"""Figures of G-studies: where the variance of scores comes from."""

import matplotlib.pyplot as plt
import numpy as np

from gtlib.plots.theme import (
    INK,
    MUTED,
    PALETTE,
    WIDTH,
    say_nothing_here,
)


def effect_maps(effects, block=None):
    """Every effect of a study as a map, in one scale of colours.

    Parameters
    ----------
    effects : mapping of label to DataFrame
        Rows are systems; columns may be in blocks, one per assessor, named
        by the upper level of the columns.
    block : int, optional
        Number of columns in a block; a line is drawn between blocks.

    Returns
    -------
    Figure
    """
    count = len(effects)
    across = 2 if count > 4 else count
    down = -(-count // across)
    figure, axes = plt.subplots(
        down,
        across,
        figsize=(WIDTH, 1.45 * down + 0.5),
        squeeze=False,
        sharex=True,
        sharey=True,
    )
    largest = max(np.abs(e.to_numpy()).max() for e in effects.values())
    for ax, (label, effect) in zip(
        axes.flat, effects.items(), strict=False
    ):
        image = ax.imshow(
            effect.to_numpy(),
            cmap="RdBu",
            vmin=-largest,
            vmax=largest,
            aspect="auto",
            interpolation="nearest",
        )
        ax.set_title(label, color=INK, loc="left")
        ax.set(xticks=[], yticks=[])
        for edge in range(block, effect.shape[1], block) if block else ():
            ax.axvline(edge - 0.5, color=INK, lw=0.8)
    if block and effect.columns.nlevels > 1:
        names = effect.columns.get_level_values(0)[::block]
        middles = block * (np.arange(len(names)) + 0.5) - 0.5
        axes[-1, 0].set_xticks(middles, names)
        for ax in axes.flat:
            ax.tick_params(length=0, labelsize=8)
    for ax in axes.flat[count:]:
        ax.axis("off")
    for ax in axes[:, 0]:
        ax.set_ylabel("systems")
    bar = figure.colorbar(image, ax=axes, shrink=0.5, pad=0.01)
    bar.set_label("part of the score", color=INK)
    bar.outline.set_visible(False)
    return figure


def fitting_levels(table, expected=None):
    """How many printed components each pair of numbers of levels gives.

    Parameters
    ----------
    table : DataFrame
        Rows and columns are numbers of levels of two facets, their names
        those of index and columns; values count the components.
    expected : (row, column), optional
        The pair that is printed; it is outlined.

    Returns
    -------
    Axes
    """
    _, ax = plt.subplots(figsize=(WIDTH * 0.8, 4.0))
    counts = table.to_numpy()
    best = counts.max()
    shade = 0.1 + 0.55 * (counts - counts.min()) / np.ptp(counts)
    shade[counts == best] = 1
    ax.imshow(shade, cmap="Blues", vmin=0, vmax=1.1, aspect="auto")
    for (row, column), n in np.ndenumerate(counts):
        ax.text(
            column,
            row,
            f"{n:.0f}",
            ha="center",
            va="center",
            color="white" if n == best else "black",
            fontweight="bold" if n == best else "normal",
        )
    if expected is not None:
        _outline(ax, table, *expected)
    ax.set_xticks(range(table.shape[1]), table.columns)
    ax.set_yticks(range(len(table)), table.index)
    ax.tick_params(length=0)
    ax.set(
        xlabel=f"number of {table.columns.name}s",
        ylabel=f"number of {table.index.name}s",
    )
    ax.spines[:].set_visible(False)
    return ax


def variance_shares(studies):
    """The composition of each study's variance, a bar each.

    Parameters
    ----------
    studies : mapping of title to GStudy
        All of one design, of few effects.

    Returns
    -------
    Axes
    """
    height = 0.9 + 0.38 * max(len(studies), 2)
    _, ax = plt.subplots(figsize=(WIDTH, height))
    ax.set(xlabel="percent of the variance of a single score")
    if not studies:
        return say_nothing_here(ax)
    for row, study in enumerate(studies.values()):
        start = 0.0
        shares = study.table["percent"]
        for (effect, share), color in zip(
            shares.items(), PALETTE, strict=False
        ):
            ax.barh(row, share, left=start, color=color, height=0.72)
            middle = start + share / 2
            if share >= 4:
                ax.text(
                    middle,
                    row,
                    f"{share:.0f}",
                    ha="center",
                    va="center",
                    color=_readable_on(color),
                    fontsize=9.5,
                )
            if row == 0:
                ax.annotate(
                    effect,
                    (middle, -0.4),
                    xytext=(0, 4),
                    textcoords="offset points",
                    ha="center",
                    va="bottom",
                    color=color,
                    fontsize=9.5,
                )
            start += share
    ax.set_yticks(range(len(studies)), list(studies))
    ax.set(xlim=(0, 100), ylim=(len(studies) - 0.5, -0.9))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    return ax


def components(studies):
    """The components of several studies of one design, effect by effect.

    Parameters
    ----------
    studies : mapping of title to GStudy
        Negative estimates are drawn at zero, hollow.

    Returns
    -------
    Axes
    """
    first = next(iter(studies.values()))
    effects = list(first.design.labels)
    _, ax = plt.subplots(figsize=(WIDTH, 0.8 + 0.4 * len(effects)))
    rows = np.arange(len(effects))
    shares = [
        study.table["percent"].to_numpy() for study in studies.values()
    ]
    ax.hlines(
        rows,
        np.min(shares, axis=0),
        np.max(shares, axis=0),
        color="#d5d5d5",
        lw=3,
    )
    widest = int(np.ptp(shares, axis=0).argmax())
    ranks = np.argsort(np.argsort([share[widest] for share in shares]))
    for (title, study), share, color, rank in zip(
        studies.items(), shares, PALETTE, ranks, strict=False
    ):
        below = study.estimate.to_numpy() < 0
        ax.plot(share[~below], rows[~below], "o", color=color, ms=8)
        ax.plot(
            share[below], rows[below], "o", mfc="white", mec=color, ms=8
        )
        right = rank == len(shares) - 1
        ax.annotate(
            title,
            (share[widest], widest),
            xytext=(9 if right else -9, 0),
            textcoords="offset points",
            ha="left" if right else "right",
            va="center",
            color=color,
            fontsize=9.5,
        )
    ax.set_yticks(rows, effects)
    ax.set_ylim(len(effects) - 0.5, -0.5)
    ax.axvline(0, color=MUTED, lw=0.8)
    ax.margins(x=0.12)
    ax.set(xlabel="percent of the variance of a single score")
    largest = np.max(shares)
    if max(share[widest] for share in shares) > 0.75 * largest:
        ax.set_xlim(right=1.45 * largest)  # room for the name at the right
    return ax


def _readable_on(color):
    """Black or white, whichever stands out more."""
    channels = np.array(color[:3])
    linear = np.where(
        channels <= 0.04045,
        channels / 12.92,
        ((channels + 0.055) / 1.055) ** 2.4,
    )
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    return "white" if luminance < 0.18 else "black"


def _outline(ax, table, row, column):
    """A frame round the cell of the levels that are printed."""
    row = table.index.get_loc(row)
    column = table.columns.get_loc(column)
    frame = plt.Rectangle(
        (column - 0.46, row - 0.45),
        0.92,
        0.9,
        fill=False,
        edgecolor=PALETTE[3],
        lw=2.5,
    )
    ax.add_patch(frame)
    ax.annotate(
        "outlined:\nas printed",
        (table.shape[1] - 0.4, row),
        ha="left",
        va="center",
        color=PALETTE[3],
        fontsize=9.5,
        annotation_clip=False,
    )
