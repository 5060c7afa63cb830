"""Battles of an arena: two models, and which of them a person preferred.

``{"model_a", "model_b", "winner": "model_a" | "model_b" | "tie"}``, as
https://lmarena.ai publishes. They hold no score of a system on a topic.
"""

from collections.abc import Iterable
from pathlib import Path

_SIDES = {"model_a", "model_b"}, {"model_1", "model_2"}, {"left", "right"}
_OUTCOMES = {"winner", "preference", "label", "winner_model_a", "outcome"}


def refuse(path: Path, columns: Iterable[object]) -> None:
    """Refuse a table of battles."""
    names = {str(c).strip().lower() for c in columns}
    if any(s <= names for s in _SIDES) and names & _OUTCOMES:
        raise ValueError(
            f"{path} holds battles of two models: who won says nothing of "
            "how good either answer was, and each pair saw prompts of its "
            "own. Bring a score of each model on each prompt: grades of "
            "the single answers, or verdicts against one same opponent."
        )
