"""The tables and lists of a report, as people read them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from html import escape
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from gtapps.audit.collection import Collection
from gtlib.tables import Format, as_text, some

# What others define, imported where it is used.
HTML: TypeAlias = Any
Markdown: TypeAlias = Any
Axes: TypeAlias = Any
Styler: TypeAlias = Any

# How `Plan.required` begins where no number is enough.
UNREACHED = "No number of topics brings"

# What heads a table of measures.
SEVERAL = (
    "## Several measures\n\nThe same runs by other measures. One with a "
    "higher generalizability needs fewer topics to be as sure of the "
    "differences that *it* sees."
)

# Topics of which a report shows the numbers.
LOWEST = 8


def named(names: Iterable[object]) -> str:
    """The first names, for Markdown and HTML as they stand."""
    return as_text(some(names))


def listed(sentences: Iterable[str]) -> Markdown:
    """Sentences as a list."""
    from IPython.display import Markdown

    return Markdown("\n".join(f"- {sentence}" for sentence in sentences))


def styled(
    table: pd.DataFrame,
    formats: dict[Any, Format] | None = None,
    na_rep: str = "–",
) -> Styler:
    """A table with numbers in these formats, without any with three
    digits after the point, and names as they stand."""
    if formats is None:
        formats = dict.fromkeys(table.select_dtypes(float), "{:.3f}")
    shown = table.rename_axis(None).style.format(formats, na_rep=na_rep)
    shown.format_index(escape="html")
    return shown.format_index(escape="html", axis="columns")


def drawn(
    ax: Axes, caption: str, description: str, words: Callable = str
) -> HTML:
    """A figure under its caption, described for those who cannot see it.

    Parameters
    ----------
    ax : Axes
        Of the figure, which is closed.
    caption, description : str
    words : Words, optional
        The reader's, for what is written in the figure.
    """
    from IPython.core.pylabtools import print_figure
    from IPython.display import HTML
    from matplotlib.pyplot import close
    from matplotlib.text import Text

    figure = ax.figure.figure
    for text in figure.findobj(Text):
        text.set_text(words(text.get_text()))
    drawing = print_figure(figure, "svg")
    close(figure)
    return HTML(
        f'<figure><div role="img" aria-label="{escape(description)}">'
        f"{drawing[drawing.index('<svg') :]}</div>"
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def coefficients_shown(
    coefficients: pd.DataFrame, collection: Collection
) -> Iterator[object]:
    """What `coefficient_table` returns, in words too, and why an interval
    is missing or in doubt."""
    from IPython.display import Markdown

    yield styled(coefficients[["estimate", "low", "high", "method"]])
    if coefficients["low"].notna().any():
        yield Markdown(
            "An interval draws anew other systems like these and other "
            f"{collection.drawn}. Its degrees of freedom (df) are what the "
            "systems show that are left out one by one, or site by site."
        )
    if notes := [*dict.fromkeys(filter(None, coefficients["note"]))]:
        yield listed(f"{note[:1].upper()}{note[1:]}." for note in notes)


def lowest_shown(items: pd.DataFrame) -> Styler:
    """The topics of `item_analysis` that pull least with the rest."""
    columns = {
        "mean": "mean",
        "variance": "s.d.",
        "corrected_item_total": "correlation",
        "alpha_if_dropped": "alpha without it",
    }
    lowest = items.sort_values("corrected_item_total").head(LOWEST)
    lowest = lowest.assign(variance=lowest["variance"] ** 0.5)
    return styled(lowest[[*columns]].rename(columns=columns))


def components_shown(components: pd.DataFrame) -> Iterator[object]:
    """What `GStudy.component_intervals` returns."""
    numbers = ["estimate", "low", "high"]
    largest = components["estimate"].max()
    digits = max(0, 3 - int(np.floor(np.log10(largest))))
    formats: dict[Any, Format] = dict.fromkeys(numbers, f"{{:.{digits}f}}")
    yield styled(components[[*numbers, "method"]], formats, na_rep="none")
    notes = components["note"][components["note"] != ""]
    if len(notes):
        yield listed(f"{as_text(k)}: {n}." for k, n in notes.items())


def required_shown(required: pd.DataFrame) -> Iterator[object]:
    """What `required_table` returns, and why a number is missing."""
    shown = required[["coefficient", "target", "topics"]].copy()
    shown["95% interval"] = [*map(span, required["low"], required["high"])]
    shown["method"] = required["method"]
    yield styled(shown, {"target": "{:.2f}"}).hide(axis="index")
    notes = filter(None, required["note"].unique())
    if said := [n[0].upper() + n[1:] for n in notes if UNREACHED not in n]:
        yield listed(said)


def span(low: float, high: float) -> str:
    """An interval of a number of topics, which may have no end.

    Examples
    --------
    >>> span(34, np.inf), span(12, 40), span(np.nan, np.nan)
    ('34 or more', '12 to 40', 'no interval')
    """
    if not low < np.inf:
        return "none is enough" if low == np.inf else "no interval"
    return f"{low:.0f} " + (
        "or more" * (high == np.inf) or f"to {high:.0f}"
    )


def best_shown(best: pd.DataFrame) -> Styler:
    """What `best_systems` returns, for a few numbers of systems."""
    table = best.iloc[np.unique(np.linspace(0, len(best) - 1, 5).round())]
    return styled(table[["generalizability", "low", "high"]])


def measures_shown(
    by_measure: pd.DataFrame, target: float = 0.9
) -> Iterator[object]:
    """What `measure_table` returns, if there are several measures."""
    from IPython.display import Markdown

    if len(by_measure) == 1:
        return
    first = by_measure.index[0]
    names = {
        "topics_for_target": f"topics for {target:g}",
        "topics_as_first": f"topics to equal {first}",
        "tau_ap": "tau_AP",
    }
    table = by_measure.rename(columns=names)
    formats: dict[Any, Format] = dict.fromkeys(table, "{:.3f}")
    formats |= dict.fromkeys([*names.values()][:2], "{:.0f}")
    yield Markdown(SEVERAL)
    yield styled(table, formats)
    yield Markdown(
        as_text(
            "Tau and tau_AP say how the means by each measure rank the "
            f"systems beside those by {first}."
        )
    )


def beside_shown(pair: pd.DataFrame) -> Styler:
    """What `beside` returns; rows with % are shares of the variance of a
    single score."""
    whole = [row for row in pair.index if row.endswith("s")]
    shares = [row for row in pair.index if row.startswith("%")]
    shown = styled(pair)
    for rows, number in (whole, "{:.0f}"), (shares, "{:.1f}"):
        shown.format(number, (rows, slice(None)), na_rep="–")
    return shown
