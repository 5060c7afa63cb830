"""What a report says of its questions, in sentences."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from gtaudit.board import describe_best, describe_pairs
from gtaudit.collection import Collection
from gtaudit.display import safe_names
from gtaudit.judgment_study import Judgments
from gtaudit.machine_sentences import summarize_machines
from gtaudit.machines import Machines
from gtaudit.new_systems import judge_newcomers
from gtaudit.sentences import (
    describe_differences,
    describe_gaps,
    reasons,
)
from gtlib.checks import count_noun
from gtlib.swaps import Leaderboard


class Answer(NamedTuple):
    """An answer to a question, in a few words, and the sentence behind it;
    all in Markdown."""

    question: str
    answer: str
    sentence: str


def answers(
    collection: Collection,
    coefficients: pd.DataFrame,
    board: Leaderboard,
    pairs: pd.DataFrame | None = None,
    judged: Judgments | None = None,
    machines: Machines | None = None,
) -> list[Answer]:
    """Answer questions in sentences: how many pairs are told apart, who is
    first, is it fair to newcomers or to other judges?

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    board : Leaderboard
    pairs : DataFrame of `pairs_of`, optional
        Needed where there are two systems only.
    judged, machines : optional
        As of `AuditData`.
    """
    nouns = collection.nouns
    if len(collection.cells) == 2 and pairs is not None:
        (sentence,) = describe_pairs(pairs, board, nouns)
        collected = [
            Answer(
                "Which of the two is better?",
                _bold_words(sentence),
                sentence,
            )
        ]
    else:
        row = coefficients.loc["generalizability"]
        told = board.told_apart
        short_answer = f"{told:.0%}" if row["estimate"] > 0 else "no"
        sentence = describe_differences(
            coefficients, told, collection.drawn, nouns
        )
        collected = [
            Answer(
                "How many pairs are told apart?", short_answer, sentence
            ),
            Answer(
                f"Which {nouns.markdown.system} is best?",
                _name_best(board),
                describe_best(board, nouns),
            ),
        ]
    if judged is not None:
        question = (
            f"Is it fair to {nouns.markdown.systems} that come later?"
        )
        short_answer, reason = judge_newcomers(judged, nouns)
        collected.append(
            Answer(
                question,
                short_answer,
                f"**{question} {short_answer.capitalize()}**{reason}",
            )
        )
    if machines is not None:
        sentence = summarize_machines(machines, nouns)
        if sentence:
            tau = f"Kendall's tau {machines.together['tau'].iloc[0]:.2f}"
            collected.append(
                Answer("Do machines rank alike?", tau, sentence)
            )
    return collected


def _bold_words(text):
    """Return the words between the first pair of asterisks."""
    return text.split("**")[1]


def _name_best(board):
    table = board.table
    maybe = table.index[table["may_be_best"]]
    if (table["rank"] == 1).all():
        return "none"
    if len(maybe) == 1:
        return safe_names(maybe)
    first = safe_names(table.index[:1])
    return f"{first}, or {count_noun(len(maybe) - 1, 'other')}"


def findings(
    collection: Collection,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
    answered: Iterable[Answer],
    **options: Any,
) -> list[str]:
    """Return all sentences: the answers (first those that cannot be told),
    the note on missing scores, and the `reasons`."""
    sentences = [a.sentence for a in answered]
    sentences.sort(key=lambda text: "cannot" not in text)
    further = reasons(collection, coefficients, required, **options)
    return [
        *filter(None, [*sentences, describe_gaps(collection), *further])
    ]
