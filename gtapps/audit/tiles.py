"""The first screen of a report: three answers, and a picture."""

from collections.abc import Iterable
from math import isnan, nan
from typing import Any, NamedTuple

import pandas as pd

from gtapps.audit.board import describe_best, describe_pairs
from gtapps.audit.collection import Collection
from gtapps.audit.comparison import compare_rankings
from gtapps.audit.display import HTML, safe_names
from gtapps.audit.judgment_study import Judgments
from gtapps.audit.machine_sentences import summarize_machines
from gtapps.audit.machines import Machines
from gtapps.audit.new_systems import verdict
from gtapps.audit.report import markdown_to_html
from gtapps.audit.sentences import (
    describe_differences,
    describe_gaps,
    grade,
    reasons,
)
from gtlib.swaps import Leaderboard
from gtlib.tables import count_noun

_NO_RUNS = "Scores alone do not show it; `--runs` and `--qrels` would."


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
    other: Collection | None = None,
) -> list[Answer]:
    """Answer the first questions: can differences be trusted, who is first,
    is it fair to newcomers or to other judges, and does another collection
    agree?

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    board : Leaderboard
    pairs : DataFrame of `pairs_of`, optional
        Needed where there are two systems only.
    judged, machines, other : optional
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
        short_answer = grade(row) if row["estimate"] > 0 else "no"
        sentence = describe_differences(
            coefficients, collection.drawn, nouns
        )
        collected = [
            Answer("Can differences be trusted?", short_answer, sentence),
            Answer(
                f"Which {nouns.markdown.system} is best?",
                _name_best(board),
                describe_best(board, nouns),
            ),
        ]
    if machines is not None:
        sentence = summarize_machines(machines, nouns)
        if sentence:
            tau = f"Kendall's tau {machines.together['tau'].iloc[0]:.2f}"
            collected.append(
                Answer("Do machines rank alike?", tau, sentence)
            )
    question = "Is it fair to newcomers?"
    if judged is not None:
        head, reason = verdict(judged, nouns)
        short_answer = _bold_words(head, -1)
        collected.append(
            Answer(
                question,
                short_answer,
                f"**{question} {short_answer}**{reason}",
            )
        )
    elif machines is None:
        collected.append(Answer(question, "not known", _NO_RUNS))
    if other is not None:
        sentence, numbers = compare_rankings(collection, other)
        agreement = numbers.get("tau", nan)
        short_answer = "cannot be told"
        if not isnan(agreement):
            short_answer = f"Kendall's tau {agreement:.2f}"
        collected.append(
            Answer("Does the other rank alike?", short_answer, sentence)
        )
    return collected


def _bold_words(text, which=0):
    """Return the words between a pair of asterisks: the first, or the
    last."""
    return text.split("**")[1::2][which]


def _name_best(board):
    table = board.table
    maybe = table.index[table["may_be_best"]]
    if (table["rank"] == 1).all():
        return "none"
    if len(maybe) == 1:
        return safe_names(maybe)
    first = safe_names(table.index[:1])
    return f"{first}, or {count_noun(len(maybe) - 1, 'other')}"


def show_answers(answered: Iterable[Answer]) -> HTML:
    """Show the answers as tiles, side by side where there is room."""
    from IPython.display import HTML

    tiles = (
        f"<section><h3>{a.question}</h3><p>{a.answer}</p>"
        f"{markdown_to_html(_without_verdict(a.sentence))}</section>"
        for a in answered
    )
    return HTML(f'<div class="tiles">{"".join(tiles)}</div>')


def _without_verdict(sentence):
    """Leave out of a sentence what stands above it already."""
    if not sentence.startswith("**"):
        return sentence
    verdict_text, _, rest = sentence.removeprefix("**").partition("**: ")
    if not rest or "**" in verdict_text:
        return sentence
    return f"{rest[0].upper()}{rest[1:]}"


def findings(
    collection: Collection,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
    answered: Iterable[Answer],
    **options: Any,
) -> list[str]:
    """All sentences: the answers (first those that cannot be told), the
    note on missing scores, and the `reasons`."""
    sentences = [a.sentence for a in answered]
    sentences.sort(key=lambda text: "cannot" not in text)
    further = reasons(collection, coefficients, required, **options)
    return [
        *filter(None, [*sentences, describe_gaps(collection), *further])
    ]
