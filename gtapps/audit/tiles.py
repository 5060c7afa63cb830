"""The first screen of a report: three answers, and a picture."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import pandas as pd

from gtapps.audit.board import describe_pairs, top
from gtapps.audit.collection import Collection
from gtapps.audit.comparison import compare_rankings
from gtapps.audit.display import HTML, named
from gtapps.audit.judgment_study import Judgments
from gtapps.audit.machine_sentences import summarize_machines
from gtapps.audit.machines import Machines
from gtapps.audit.new_systems import verdict
from gtapps.audit.report import in_html
from gtapps.audit.sentences import differences, gaps, grade, reasons
from gtlib.swaps import Leaderboard
from gtlib.tables import count

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
    """The answers: can differences be trusted, who is first, is it fair to
    newcomers or to other judges, and does another collection agree?

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
    if len(collection.cells) == 2 and pairs is not None:
        (said,) = describe_pairs(pairs, board)
        answered = [
            Answer("Which of the two is better?", _bold(said), said)
        ]
    else:
        row = coefficients.loc["generalizability"]
        told = grade(row) if row["estimate"] > 0 else "no"
        said = differences(coefficients, collection.drawn)
        answered = [
            Answer("Can differences be trusted?", told, said),
            Answer("Which system is best?", _best(board), top(board)),
        ]
    said = summarize_machines(machines) if machines is not None else ""
    if machines is not None and said:
        tau = f"Kendall's tau {machines.together['tau'].iloc[0]:.2f}"
        answered.append(Answer("Do machines rank alike?", tau, said))
    ask = "Is it fair to newcomers?"
    if judged is not None:
        head, why = verdict(judged)
        told = _bold(head, -1)
        answered.append(Answer(ask, told, f"**{ask} {told}**{why}"))
    elif machines is None:
        answered.append(Answer(ask, "not known", _NO_RUNS))
    if other is not None:
        said, numbers = compare_rankings(collection, other)
        tau = f"Kendall's tau {numbers.get('tau', float('nan')):.2f}"
        short = "cannot be told" if tau.endswith("nan") else tau
        answered.append(Answer("Does the other rank alike?", short, said))
    return answered


def _bold(said, which=0):
    """The words between a pair of asterisks: the first, or the last."""
    return said.split("**")[1::2][which]


def _best(board):
    table = board.table
    maybe = table.index[table["may_be_best"]]
    if (table["rank"] == 1).all():
        return "none"
    if len(maybe) == 1:
        return named(maybe)
    return f"{named(table.index[:1])}, or {count(len(maybe) - 1, 'other')}"


def show_answers(answered: Iterable[Answer]) -> HTML:
    """Show the answers as tiles, side by side where there is room."""
    from IPython.display import HTML

    tiles = (
        f"<section><h3>{a.question}</h3><p>{a.answer}</p>"
        f"{in_html(_rest(a.sentence))}</section>"
        for a in answered
    )
    return HTML(f'<div class="tiles">{"".join(tiles)}</div>')


def _rest(said):
    """A sentence without what stands above it already."""
    first, _, rest = said.removeprefix("**").partition("**: ")
    short = said.startswith("**") and "**" not in first and rest
    return f"{rest[0].upper()}{rest[1:]}" if short else said


def findings(
    collection: Collection,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
    answered: Iterable[Answer],
    **options: Any,
) -> list[str]:
    """All sentences: the answers (first those that cannot be told), the
    note on missing scores, and the `reasons`."""
    said = [a.sentence for a in answered]
    said.sort(key=lambda text: "cannot" not in text)
    more = reasons(collection, coefficients, required, **options)
    return [*filter(None, [*said, gaps(collection), *more])]
