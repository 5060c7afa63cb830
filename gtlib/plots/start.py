"""The figures of the first chapter."""

import matplotlib.pyplot as plt
import numpy as np

from gtlib.plots.theme import INK, MUTED, PALETTE, WIDTH


def two_topic_sets(panels):
    """Mean scores of the systems on one set of topics against another.

    Parameters
    ----------
    panels : mapping of title to DataFrame
        Systems x two columns, one for each set of topics.

    Returns
    -------
    Figure
    """
    figure, axes = plt.subplots(
        1, len(panels), figsize=(WIDTH, 3.6), sharex=True, sharey=True
    )
    top = max(table.to_numpy().max() for table in panels.values()) * 1.06
    for ax, (title, table) in zip(
        np.atleast_1d(axes), panels.items(), strict=True
    ):
        first, second = table.columns
        ax.plot([0, top], [0, top], color=MUTED, lw=0.9, ls=":")
        ax.scatter(
            table[first],
            table[second],
            s=26,
            color=PALETTE[0],
            alpha=0.75,
            linewidths=0,
        )
        ax.set_title(title, color=INK)
        ax.set(xlabel=f"mean on {first}", xlim=(0, top), ylim=(0, top))
        ax.locator_params(nbins=5)
        ax.set_aspect("equal")
    np.atleast_1d(axes)[0].set_ylabel(f"mean on {second}")
    return figure
