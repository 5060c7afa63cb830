"""The verdict of an audit: what is enough, what is not, what settles it.

Each question that a report is asked has one of three answers. *Is the
first the best?* Enough, if it is told apart from all others at once. *Can
the ranking be trusted?* Enough, if the lower end of the interval of the
generalizability is at least the target, and not enough, if the upper end
is below it. *Is it fair to systems that come later?* Enough, if no
contributor that is left out of the judging loses more than half of what
the topics leave uncertain of a difference, and every run has its first
documents judged.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from math import ceil, floor, isfinite, isnan
from typing import Any

import numpy as np
import pandas as pd

from gtaudit.collection import Collection
from gtaudit.display import HTML, markdown_to_html, safe_names
from gtaudit.judgment_study import Judgments
from gtaudit.new_systems import judge_newcomers
from gtaudit.planning import (
    name_more,
    present_cost,
    present_numbers,
)
from gtlib.checks import as_text, count_noun
from gtlib.data import load
from gtlib.swaps import Leaderboard

ENOUGH, NOT_ENOUGH, UNKNOWN = "enough", "not enough", "cannot be told"

# The generalizability that is asked for where none is named.
TARGET = 0.95

_TRUSTED = "Can the ranking be trusted?"

# Significance level of the sentences on pairs.
_LEVEL = 0.05


@dataclass(frozen=True)
class Remedy:
    """What is expected to change an answer.

    Attributes
    ----------
    facet : str
        Of which there have to be more levels.
    levels : float
        How many further ones; infinite if none are known to be enough.
    price : float
        In scores of a system, or in the unit of the prices.
    change : str
        What it changes, in Markdown.
    name : str
        What is to be done, as the actions call it.
    """

    facet: str
    levels: float
    price: float
    change: str
    name: str


@dataclass(frozen=True)
class Verdict:
    """The answer to a question.

    Attributes
    ----------
    question : str
        In Markdown, like `sentence`.
    answer : {"enough", "not enough", "cannot be told"}
    sentence : str
        The answer and its numbers, and what would settle it.
    remedy : Remedy, optional
        What is expected to settle it.
    """

    question: str
    answer: str
    sentence: str
    remedy: Remedy | None = None


@dataclass(frozen=True)
class Verdicts:
    """The answers, and what to do next.

    Attributes
    ----------
    answers : tuple of Verdict
    remedy : Remedy or None
        The cheapest that changes an answer and can be paid; None if the
        next thing is nothing.
    next : str
        What to do next and why, in Markdown.
    """

    answers: tuple[Verdict, ...]
    remedy: Remedy | None
    next: str

    @property
    def table(self) -> list[dict[str, str]]:
        """The answers as plain text, and what to do next."""
        rows = [
            {
                "question": unescape(v.question),
                "answer": v.answer,
                "sentence": _plain(v.sentence),
            }
            for v in self.answers
        ]
        next_ = _plain(self.next).removeprefix("Next: ")
        return [
            *rows,
            {"question": "Next", "answer": "", "sentence": next_},
        ]


def give_verdicts(
    collection: Collection,
    coefficients: pd.DataFrame,
    board: Leaderboard,
    pairs: pd.DataFrame,
    judged: Judgments | None = None,
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    target: float | None = None,
    gaps: pd.DataFrame | None = None,
) -> Verdicts:
    """Answer the questions that a report is asked, and say what to do
    next.

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    board : Leaderboard
    pairs : DataFrame of `compare_systems`
        The first of the board beside each other system.
    judged : Judgments, optional
        Of runs; without it nobody asks about later systems.
    cost : mapping of str to float, optional
        As in `Plan.best`.
    budget : float, optional
        What may be spent in all. Without it, what is recommended costs at
        most as much as was spent so far.
    target : float, optional
        The generalizability to be reached; `TARGET` without it.
    gaps : DataFrame of `gap_remedies`, optional

    Examples
    --------
    >>> import gtaudit
    >>> from gtlib import load
    >>> cf = gtaudit.prepare(load("cf-ap"))
    >>> coefficients = gtaudit.coefficient_table(cf.study)
    >>> board = gtaudit.audit_leaderboard(cf)
    >>> pairs = gtaudit.compare_systems(cf, board)
    >>> verdicts = give_verdicts(cf, coefficients, board, pairs)
    >>> [v.answer for v in verdicts.answers]
    ['not enough', 'enough']
    """
    prices = present_cost(collection.plan, cost)
    answers = [_is_first_best(collection, board, pairs, prices[1], cost)]
    if len(collection.cells) > 2:
        answers.append(
            _can_ranking_be_trusted(
                collection,
                coefficients,
                prices[1],
                cost,
                target or TARGET,
                gaps,
            )
        )
    if judged is not None:
        n = collection.nouns.markdown
        answer, reason = judge_newcomers(judged, n)
        answers.append(
            Verdict(
                f"Is it fair to {n.systems} that come later?",
                answer,
                f"**{_BEGINS[answer]}**{reason}",
            )
        )
    spent = prices[0]
    to_spend = spent if budget is None else max(budget - spent, 0.0)
    remedy, said = _what_next(answers, to_spend, budget)
    if remedy is None:
        price = "For what `--budget` leaves"
        if budget is None:
            price = "For as much as was spent so far"
        said += _meanwhile(collection, answers, to_spend, prices[1], price)
    return Verdicts(tuple(answers), remedy, f"**Next:** {said}")


_BEGINS = {
    ENOUGH: "Enough",
    NOT_ENOUGH: "Not enough",
    UNKNOWN: "Cannot be told",
}


def _is_first_best(collection, board, pairs, prices, cost):
    """Answer whether the first is told apart from all others at once."""
    n = collection.nouns.markdown
    table = board.table
    first = safe_names(table.index[:1])
    if len(table) == 2:
        return _which_of_two(collection, pairs.iloc[0], pairs, prices, cost)
    question = f"Is {first} the best?"
    drawn = collection.drawn
    maybe = table.index[table["may_be_best"]]
    if (table["rank"] == 1).all():
        return Verdict(
            f"Which {n.system} is the best?",
            UNKNOWN,
            f"**Cannot be told**: all have the same mean on these {drawn}.",
        )
    if not np.isfinite(pairs["standard_error"]).all():
        return Verdict(
            question,
            UNKNOWN,
            "**Cannot be told**: the scores do not show how differences "
            f"would change with other {drawn}.",
        )
    if len(maybe) == 1:
        return Verdict(
            question,
            ENOUGH,
            "**Enough**: it is told apart from all others at once "
            f"({1 - board.alpha:.0%} confidence).",
        )
    rivals = pairs[pairs["b"].isin(maybe)]
    rival = safe_names(rivals["b"].head(1))
    named = f"{first} and {rival}"
    if len(maybe) > 2:
        named = (
            f"{first}, {rival} and {count_noun(len(maybe) - 2, 'other')}"
        )
    if len(maybe) == len(table):
        named = f"any of the {len(table)} {n.systems}"
    open_ = rivals[rivals["more"] != 0]
    remedy = None
    said = (
        "Each of these pairs is told apart by itself, but not all at once."
        if len(rivals) > 1
        else "The two are told apart as a pair, but not among all at once."
    )
    if len(open_):
        remedy, said = _settle(
            collection,
            open_.iloc[0],
            pairs.attrs["unit"],
            prices,
            cost,
            chosen=True,
        )
    return Verdict(
        question,
        NOT_ENOUGH,
        f"**Not settled**: {named} may be. {said}",
        remedy,
    )


def _which_of_two(collection, row, pairs, prices, cost):
    """Answer which of the only two systems is better."""
    n = collection.nouns.markdown
    if row["difference"] < 0:
        a, b, low, high = row["b"], row["a"], -row["high"], -row["low"]
    else:
        a, b, low, high = row["a"], row["b"], row["low"], row["high"]
    better, worse = safe_names([a]), safe_names([b])
    question = f"Is {better} better than {worse}?"
    if row["difference"] == 0 or isnan(row["p_value"]):
        return Verdict(
            f"Which of the two {n.systems} is better?",
            UNKNOWN,
            f"**Cannot be told**: {better} and {worse} have the same mean."
            if row["difference"] == 0
            else "**Cannot be told**: these scores do not show how a "
            f"difference would change with other {collection.drawn}.",
        )
    gap = f"by {abs(row['difference']):.3f} [{low:z.3f}, {high:z.3f}]"
    if row["p_value"] < _LEVEL:
        return Verdict(
            question,
            ENOUGH,
            f"**Enough**: {gap}, p = {row['p_value']:.2g}.",
        )
    remedy, said = _settle(
        collection, row, pairs.attrs["unit"], prices, cost
    )
    return Verdict(
        question,
        NOT_ENOUGH,
        f"**Not settled**: {gap}, p = {row['p_value']:.2g}. {said}",
        remedy,
    )


def _settle(collection, row, unit, prices, cost, chosen=False):
    """Say how many more topics are expected to settle a pair. One that was
    `chosen` for being first and next is settled less surely than others:
    for it, what came true of such pairs is said."""
    names = f"{safe_names([row['a']])} against {safe_names([row['b']])}"
    number = row["more"]
    if unit not in collection.design.facets:  # of means that were summed
        unit = collection.nouns.topic
    if not isfinite(number):
        units = as_text(collection.nouns.list_facets([unit]))
        return None, f"No number of {units} would settle {names}."
    price = number * prices.get(unit, 0.0)
    remedy = Remedy(
        unit,
        number,
        price,
        f"{names}, perhaps settled"
        if chosen
        else f"{names}, settled with probability .8",
        name_more(collection.plan, unit, int(number)),
    )
    more = _levels(collection, unit, number, price, cost)
    if chosen:
        return remedy, f"To settle {names}: {more}. {_came_true()}"
    return remedy, f"To settle {names} with probability .8: {more}."


def _came_true():
    """Say how often the number for a first and a next system was enough."""
    trials: Any = load("settling-trials")
    trials = trials[trials["rule"] == "predicted"]
    trials = trials[trials["pairs"] == "top"]
    shares = trials["settled"] / trials["told"]
    share = trials["settled"].sum() / trials["told"].sum()
    return (
        "This number aims at probability .8, and is less sure for a pair "
        "that was picked for being first and next: in trials on "
        f"{len(trials)} collections {share:.2f} of such pairs were settled "
        f"by it, between {shares.min():.2f} and {shares.max():.2f} from "
        "collection to collection."
    )


def _can_ranking_be_trusted(
    collection, coefficients, prices, cost, target, gaps
):
    """Answer whether the generalizability reaches the target."""
    row = coefficients.loc["generalizability"]
    question = _TRUSTED
    low, high = row["low"], row["high"]
    number = f"generalizability {row['estimate']:.3f}"
    if isnan(low):
        return Verdict(
            question,
            UNKNOWN,
            f"**Cannot be told**: {number} has no interval "
            f"({as_text(row['note'])}).",
        )
    number += f" [{low:.3f}, {high:.3f}]"
    if low >= target:
        return Verdict(question, ENOUGH, f"**Enough**: {number}.")
    answer = NOT_ENOUGH if high < target else UNKNOWN
    remedy = _reach(collection, prices, target, answer)
    said = "No number of topics is known to be enough."
    said = said.replace("topics", collection.nouns.markdown.topics)
    enough = []
    if gaps is not None:
        enough = gaps.index[1:][gaps["low"][1:] >= target]
    if len(enough):
        said = (
            f"It would be enough to {' or to '.join(map(as_text, enough))}."
        )
        if gaps.loc[enough[0], "new_scores"]:
            remedy = _fill_gaps(collection, enough[0], gaps, answer)
    elif remedy is not None:
        more = _levels(
            collection, remedy.facet, remedy.levels, remedy.price, cost
        )
        said = f"For the lower end to reach {target:g}: {more}."
    return Verdict(
        question,
        answer,
        f"**{_BEGINS[answer]}**: {number}, where {target:g} is asked for. "
        f"{said}",
        remedy,
    )


def _fill_gaps(collection, name, gaps, answer):
    """Return the remedy that is to score what is missing."""
    n, cells = collection.nouns, collection.cells
    now = present_numbers(collection.plan)[n.topic]
    return Remedy(
        n.topic,
        cells.shape[1] - now,
        gaps.loc[name, "new_scores"] / len(cells),
        _trusted(answer),
        name,
    )


def _trusted(answer):
    return f"*{_TRUSTED}* from {answer} to {ENOUGH}"


def _reach(collection, prices, target, answer):
    """Find the cheapest facet of which more levels bring the lower end of
    the interval to the target; None if none is known to."""
    plan = collection.plan
    levels = present_numbers(plan)
    remedies = []
    for facet in plan.effects.facets:
        if facet in plan.fixed or not prices.get(facet):
            continue
        try:
            needed = plan.required_interval(
                facet, target, "generalizability"
            ).high
        except ValueError:
            continue
        if isfinite(needed):
            more = max(ceil(needed - levels[facet]), 1)
            remedies.append(
                Remedy(
                    facet,
                    more,
                    more * prices[facet],
                    _trusted(answer),
                    name_more(plan, facet, more),
                )
            )
    return min(remedies, key=lambda r: r.price, default=None)


def _levels(collection, facet, number, price, cost):
    """Describe further levels of a facet, and their price if that is
    another number."""
    said = as_text(name_more(collection.plan, facet, int(number)))
    said = f"{int(number):,}{said[len(str(int(number))) :]}"
    if cost is not None:
        return f"{said} (price {_whole(price)})"
    if len(collection.design.facets) > 2:
        system = collection.nouns.markdown.a_system
        return f"{said} ({_whole(price)} scores of {system})"
    return said


def _whole(price):
    return f"{ceil(price - 1e-9):,}"


def _what_next(answers, to_spend, budget):
    """Choose the cheapest remedy that can be paid, and say why."""
    open_ = [v for v in answers if v.answer != ENOUGH]
    if not open_:
        return None, "nothing. All that is asked is answered."
    remedies = [v.remedy for v in open_ if v.remedy is not None]
    affordable = [r for r in remedies if r.price <= to_spend * (1 + 1e-9)]
    if affordable:
        remedy = min(affordable, key=lambda r: r.price)
        return remedy, f"{as_text(remedy.name)}, for {remedy.change}."
    limit = "`--budget` leaves"
    if budget is None:
        limit = "was spent so far, the limit without `--budget`"
    if not remedies:
        return None, (
            "nothing. No number of what is drawn is known to change an "
            "answer."
        )
    return None, (
        f"nothing. What is left open would cost more than {limit}: see "
        "above."
    )


def _meanwhile(collection, answers, to_spend, prices, said):
    """Say how far what can be paid would raise the generalizability, where
    it is not known to reach the target."""
    open_ = [
        v for v in answers if v.question == _TRUSTED and v.answer != ENOUGH
    ]
    plan, facet = collection.plan, collection.nouns.topic
    if open_ and open_[0].remedy is not None:
        facet = open_[0].remedy.facet
    price = prices.get(facet)
    if not open_ or not price or to_spend < price or facet in plan.fixed:
        return ""
    number = floor(to_spend / price * (1 + 1e-9))
    now = present_numbers(plan)
    drawn = [f for f in now if f not in plan.fixed]
    levels = {f: max(1, floor(now[f])) for f in drawn}
    levels[facet] += number
    reached = plan.with_numbers(levels).interval("generalizability")
    if not reached.estimate > 0:
        return ""
    more = as_text(name_more(plan, facet, number))
    return (
        f" {said}, {more} would bring generalizability to "
        f"{reached.estimate:.3f} [{reached.low:.3f}, {reached.high:.3f}]."
    )


def _plain(markdown):
    """Return Markdown without its marks, which `as_text` has kept out of
    names."""
    return unescape(markdown.replace("*", "").replace("`", ""))


def show_verdicts(verdicts: Verdicts, beside: HTML | None = None) -> HTML:
    """Show the answers, and what to do next, as the head of a page; where
    it is wide, with something beside them."""
    from IPython.display import HTML

    rows = (
        f'<div class="{v.answer.replace(" ", "-")}"><dt>{v.question}</dt>'
        f"<dd>{markdown_to_html(v.sentence)}</dd></div>"
        for v in verdicts.answers
    )
    said = (
        f'<dl class="verdict">{"".join(rows)}</dl>'
        f'<div class="next">{markdown_to_html(verdicts.next)}</div>'
    )
    if beside is None:
        return HTML(said)
    return HTML(f'<div class="first"><div>{said}</div>{beside.data}</div>')


def verdict_lines(table: Iterable[Mapping[str, str]]) -> list[str]:
    """Return the lines of the answers for a terminal, questions in a
    column."""
    rows = [*table]
    width = max(len(row["question"]) for row in rows[:-1])
    lines = [f"{r['question']:{width}}  {r['sentence']}" for r in rows[:-1]]
    return [*lines, f"Next: {rows[-1]['sentence']}"]
