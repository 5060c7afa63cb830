"""How the chapters show a table."""

import pandas as pd


def show(table, digits=3, **of_columns):
    """Return a table as it is shown: with so many decimals in each column,
    right-aligned, with a true minus, empty where a number is missing."""
    table = pd.DataFrame(table)
    formats = {
        column: formatter(of_columns.get(str(column), digits))
        for column in table
    }
    return table.style.format(formats)


def formatter(digits):
    def written(value):
        if not isinstance(value, float):
            return f"{value:,}" if isinstance(value, int) else f"{value}"
        if pd.isna(value):
            return ""
        return f"{value:,.{digits}f}".replace("-", "−")

    return written
