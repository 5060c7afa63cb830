"""How the chapters show a table."""

import pandas as pd


def show(table, digits=3, **of_columns):
    """Return a table as it is shown: with so many decimals in each column,
    right-aligned, with a true minus, empty where a number is missing; what
    its rows are stands above them, in the row of heads."""
    table = pd.DataFrame(table)
    if table.index.nlevels == 1 and table.columns.names == [None]:
        table = table.rename_axis(index=None, columns=table.index.name)
    formats = {
        column: formatter(of_columns.get(str(column), digits))
        for column in table
    }
    return table.style.format(formats).format_index(label)


def label(value):
    """Of a row: a number is as short as it can be."""
    return f"{value:g}" if isinstance(value, float) else value


def formatter(digits):
    def written(value):
        if not isinstance(value, float):
            return f"{value:,}" if isinstance(value, int) else f"{value}"
        if pd.isna(value):
            return ""
        return f"{value:,.{digits}f}".replace("-", "−")

    return written
