"""promptfoo: ``promptfoo eval -o results.json``, tests by prompts and
providers.

``{"evalId", "results": {"results": [{"testIdx", "promptIdx", "provider":
{"id"}, "score"}]}}``; a system is a provider, with the number of its
prompt where it had several.

https://www.promptfoo.dev/docs/configuration/outputs/
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the results; None of other documents."""
    results = (
        document.get("results") if isinstance(document, dict) else None
    )
    rows = results.get("results") if isinstance(results, dict) else None
    if not isinstance(rows, list) or not rows:
        return None
    columns: dict[str, list] = {"provider": [], "prompt": [], "test": []}
    scores = []
    for row in rows:
        if not isinstance(row, dict) or not {"testIdx", "score"} <= {*row}:
            return None
        provider = row.get("provider") or {}
        name = provider.get("label") or provider.get("id")
        refuse_no_number(path, "score", row["score"])
        columns["provider"].append(str(name))
        columns["prompt"].append(str(row.get("promptIdx", 0)))
        columns["test"].append(str(row["testIdx"]))
        scores.append(row["score"])
    table = pd.DataFrame(columns)
    prompts = table.groupby("provider")["prompt"].transform("nunique")
    several = prompts > 1
    model = table["provider"].where(
        ~several, table["provider"] + " prompt " + table["prompt"]
    )
    return pd.DataFrame(
        {"model": model, "test_case": table["test"], "score": scores}
    )
