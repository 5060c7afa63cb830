"""Figures of chapter 10: how often intervals contain the truth."""

import matplotlib.pyplot as plt
import pandas as pd

from book.support.figures import theme


def coverage_dots(table: pd.DataFrame) -> plt.Figure:
    """Draw coverage of 95% intervals, a panel per coefficient.

    Parameters
    ----------
    table : DataFrame
        Of `book.support.simulations.interval_coverage`, with columns
        ``population`` and ``model`` in addition; the populations from the
        highest row down. Dots of the second model are hollow.

    Returns
    -------
    Figure
    """
    kinds = table[["population", "method", "model"]]
    names, methods, models = (kinds[kind].unique() for kind in kinds)
    colors = dict(zip(methods, theme.PALETTE, strict=False))
    faces = {models[-1]: "white", models[0]: None}
    coefficients = table.groupby("quantity")
    figure, axes = theme.panels(len(coefficients), 4.4, sharex=True)
    for ax, (quantity, part) in zip(axes, coefficients, strict=True):
        ax.axvline(0.95, color=theme.MUTED, lw=1)
        for (method, model), rows in part.groupby(["method", "model"]):
            y = pd.Index(names).get_indexer(rows["population"])
            look = {"color": colors[method], "mfc": faces[model]}
            ax.plot(rows["coverage"], y, "o", ms=5, **look)
        ax.set_title(quantity)
    theme.name_rows(axes[0], names)
    axes[0].set(xlim=(min(0.8, table["coverage"].min() - 0.02), 1.01))
    figure.supxlabel("share that contain the truth")
    names_of_marks = [
        *methods,
        "● " + models[0],
        *("○ " + m for m in models[1:]),
    ]
    inks = [*colors.values(), theme.INK, theme.INK]
    theme.key(
        figure, names_of_marks, inks, loc="outside upper left", ncols=2
    )
    return figure
