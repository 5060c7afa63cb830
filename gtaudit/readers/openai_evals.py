"""OpenAI evals: a log of events, one to a line.

The first names the models (``spec.completion_fns``) and the evaluation;
others have ``sample_id``, ``type`` and ``data``, where ``correct`` or
``score`` is the score of a sample.

https://github.com/openai/evals (``evals/record.py``)
"""

from collections.abc import Sequence

import pandas as pd

_SCORES = "correct", "score"


def read(events: Sequence[dict]) -> pd.DataFrame | None:
    """Read the scores of a log; None of other lines."""
    specs = [e["spec"] for e in events if isinstance(e.get("spec"), dict)]
    named = [spec for spec in specs if "completion_fns" in spec]
    if not named:
        return None
    (spec, *_) = named
    rows = [
        {"sample_id": event.get("sample_id"), "score": float(data[name])}
        for event in events
        if isinstance(data := event.get("data"), dict)
        for name in _SCORES
        if isinstance(data.get(name), bool | int | float)
    ]
    if not rows:
        return None
    models = ", ".join(map(str, spec["completion_fns"]))
    table = pd.DataFrame(rows).assign(
        model=models, task=str(spec.get("eval_name", ""))
    )
    table.attrs["tasks"] = True
    return table
