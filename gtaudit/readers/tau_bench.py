"""τ-bench: trajectories of an agent, several trials of each task.

A list of ``{"task_id", "trial", "reward", "info", "traj"}``, a file to an
agent and domain. τ²-bench has them as ``{"simulations": [{"task_id",
"trial", "reward_info": {"reward"}}], "info": {"agent_info": {"llm"}}}``.

https://github.com/sierra-research/tau-bench,
https://github.com/sierra-research/tau2-bench
"""

from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.readers.values import refuse_no_number


def read(document: Any, path: Path) -> pd.DataFrame | None:
    """Read the trajectories; None of other documents."""
    rows, agent = document, None
    if isinstance(document, dict):
        rows = document.get("simulations")
        info = document.get("info") or {}
        agent = (info.get("agent_info") or {}).get("llm")
    if not isinstance(rows, list) or not rows:
        return None
    columns: dict[str, list] = {"task_id": [], "trial": [], "reward": []}
    for row in rows:
        if not isinstance(row, dict) or not {"task_id", "trial"} <= {*row}:
            return None
        reward = (row.get("reward_info") or row).get("reward")
        refuse_no_number(path, "reward", reward)
        columns["task_id"].append(str(row["task_id"]))
        columns["trial"].append(str(row["trial"]))
        columns["reward"].append(reward)
    table = pd.DataFrame(columns)
    return table if agent is None else table.assign(agent=str(agent))
