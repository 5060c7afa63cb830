"""Battles of an arena, and other preferences: two answers, and which of
them somebody preferred. They hold no score of a system on a topic."""

from collections.abc import Iterable, Sequence

from gtaudit.words import plain
from gtlib.checks import list_names

# Columns of two sides, of which somebody preferred one.
_SIDES = (
    *("model_a model_b", "model_1 model_2", "left right"),
    *("generator_1 generator_2", "output_1 output_2", "chosen rejected"),
    *(
        "response_a response_b",
        "response_1 response_2",
        "answer_a answer_b",
    ),
)
_OUTCOMES = {"winner", "preference", "preferred", "label", "outcome"}
_OUTCOMES |= {"winner_model_a", "choice", "vote"}


def refuse(source: object, columns: Iterable[object]) -> None:
    """Refuse battles and other preferences between two answers.

    Such as ``{"model_a", "model_b", "winner"}`` of https://lmarena.ai, or
    ``{"generator_1", "generator_2", "preference"}`` of AlpacaEval.
    """
    names = {plain(c) for c in columns}
    sides = [s for s in map(str.split, _SIDES) if {*s} <= names]
    if not sides or not (names & _OUTCOMES or "chosen" in sides[0]):
        return
    pair = list_names(sides[0])
    raise ValueError(
        f"{source} holds battles of two models ({pair}): who won says "
        "nothing of how good either answer was, and each pair saw prompts "
        "of its own. Bring a score of each model on each prompt: grades of "
        "the single answers, or verdicts against one same opponent, as a "
        "long table with the columns model, prompt and score."
    )


def refuse_games(source: object, objects: Sequence[dict]) -> None:
    """Refuse the verdicts of Arena-Hard: games of a model against one
    baseline, in words such as ``A>>B``.

    https://github.com/lmarena/arena-hard-auto (``model_judgment``)
    """
    if not all(isinstance(row.get("games"), list) for row in objects):
        return
    raise ValueError(
        f"{source} holds battles of a model with a baseline, as Arena-Hard "
        "writes them: who won, in words (A>>B), and no number. Turn each "
        "question's games into one number of the model, its wins, a tie "
        "counting half; and bring those of several models against the same "
        "baseline, as a table with the columns model, question and score."
    )
