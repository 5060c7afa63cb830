"""Figures of chapter 13: errors against the effort of judging."""

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures.theme import MUTED, PALETTE, panels

# More lines than colours that can be told apart without a mark.
LOOKS = [
    {"color": color, "marker": marker, "ms": 5}
    for color, marker in zip([*PALETTE, MUTED], "os^DvPX", strict=True)
]


def effort_panels(
    tables: Mapping[str, pd.DataFrame], ylabel: str
) -> plt.Figure:
    """Draw a line per column over judgments a topic, a panel for each
    table.

    Panels stand two to a row.

    Parameters
    ----------
    tables : dict of str to DataFrame
        By panel title: index, judgments per topic; the columns of the
        first are named above.
    ylabel : str

    Returns
    -------
    Figure
    """
    rows = -(-len(tables) // 2)
    figure, axes = panels(len(tables), 2.2 + 0.9 / rows)
    names = next(iter(tables.values()))
    looks = dict(zip(names, LOOKS, strict=False))
    for ax, (title, table) in zip(axes, tables.items(), strict=True):
        for name in table:
            ax.plot(table[name], label=name, **looks[name])
        ax.set(title=title, xscale="log")
        ax.set_xticks(table.index, table.index)
        ax.minorticks_off()
        ax.axhline(0, color=MUTED, lw=1)
    figure.supxlabel("judgments per topic")
    figure.supylabel(ylabel)
    figure.legend(
        *axes[0].get_legend_handles_labels(),
        loc="outside upper left",
        ncols=3,
        fontsize=11,
        handlelength=1,
        columnspacing=1,
    )
    return figure
