"""The rows of the atlas as a chart of a page, which a script can filter and
sort: an interval to a row, which opens what else is known of it.

Without the script, and in JupyterLab, the chart is whole. Its axis has the
same room for each nine: 0.9, 0.99, 0.999.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML
from jinja2 import Template

PAGE = Path(__file__).with_suffix(".html")
TARGET = 0.95
TICKS = 0, 0.5, 0.8, 0.95, 0.99, 0.999


def as_html(rows: pd.DataFrame) -> HTML:
    """Return the rows of ``load("atlas")``, by collection, to be shown."""
    source = PAGE.read_text("utf-8")
    template = Template(source, trim_blocks=True, autoescape=True)
    rows = rows.reset_index().assign(verdict=verdicts(rows).to_numpy())
    said = rows.astype(object).where(rows.notna(), "").to_dict("records")
    ways = share, number, place, width
    known = {way.__name__: way for way in ways}
    return HTML(template.render(rows=said, ticks=TICKS, **known))


def verdicts(rows: pd.DataFrame) -> pd.Series:
    """Say of each row how its generalizability stands to the target."""
    holds = rows["doubt"].isna()
    reaches = holds & (rows["generalizability_low"] >= TARGET)
    short = holds & (rows["generalizability_high"] < TARGET)
    names = f"reaches {TARGET}", f"falls short of {TARGET}"
    said = np.select([reaches, short], names, f"may reach {TARGET}")
    return pd.Series(said, rows.index)


def share(value: Any) -> str:
    """A coefficient, so near that its verdict shows."""
    if value == "":
        return "unknown"
    return "> 0.999" if 0.9995 <= value < 1 else f"{value:.3f}"


def place(value: float) -> str:
    """Where a coefficient lies on the axis, in hundredths of its length."""
    nines = -np.log10(1 - np.clip(value, 0, TICKS[-1]))
    return f"{100 * nines / 3.05:.2f}"


def width(row: dict[str, Any]) -> float | str:
    """The width of an interval; of one that is unknown, nothing."""
    low, high = row["generalizability_low"], row["generalizability_high"]
    return "" if low == "" else round(high - low, 6)


def number(value: float | str) -> str:
    return "none" if value == "" else f"{value:,.0f}"
