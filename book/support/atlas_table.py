"""The rows of the atlas as a table of a page, which a script can filter.

Without the script, and in JupyterLab, the table is whole.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from IPython.display import HTML
from jinja2 import Template

PAGE = Path(__file__).with_suffix(".html")
TARGET = 0.95


def as_html(rows: pd.DataFrame) -> HTML:
    """Return the rows of ``load("atlas")``, by collection, to be shown."""
    source = PAGE.read_text("utf-8")
    template = Template(source, trim_blocks=True, autoescape=True)
    rows = rows.reset_index().assign(verdict=verdicts(rows).to_numpy())
    said = rows.astype(object).where(rows.notna(), "").to_dict("records")
    return HTML(template.render(rows=said, share=share, number=number))


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


def number(value: float | str) -> str:
    return "none" if value == "" else f"{value:,.0f}"
