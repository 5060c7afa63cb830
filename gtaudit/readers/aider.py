"""aider: its leaderboards are YAML, ``pass_rate_1: 61.7`` for each run of
the benchmark, which is an average.

https://github.com/Aider-AI/aider (``aider/website/_data``, ``benchmark``)
"""

import re
from pathlib import Path


def refuse(path: Path, text: str) -> None:
    """Refuse a leaderboard, and other YAML."""
    if path.suffix.lower() not in (".yml", ".yaml"):
        return
    if re.search(r"^ *(- )?pass_rate_\d:", text, re.M):
        raise ValueError(
            f"{path} is a board of averages, as aider writes its "
            "leaderboards: a pass rate of each model, and no score of an "
            "exercise. Bring what the benchmark wrote for each exercise, "
            "the tests_outcomes of its .aider.results.json, as a table "
            "with the columns model, exercise and score."
        )
    raise ValueError(
        f"{path} is YAML, which is not read: bring its scores as CSV or "
        "JSON, with the columns system, topic and score."
    )
