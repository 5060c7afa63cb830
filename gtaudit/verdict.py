"""The verdict of an audit: what is enough, what is not, what settles it.

Each question that a report is asked has one of three answers. *Is the
first the best?* Enough, if it is told apart from all others at once. *Can
the order be trusted?* Enough, if the lower end of the interval of the
generalizability is at least the target, and not enough, if the upper end
is below it. *Is it fair to systems that come later?* Enough, if no
contributor that is left out of the judging loses more than half of what
the topics leave uncertain of a difference, and every run has its first
documents judged.

The answers to the first two, and what to do next, are a line each, which
begins with a word in capitals: at most `WIDE` characters, where names have
at most twelve. The page says the rest.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape
from math import ceil, floor, isfinite, isnan

import numpy as np
import pandas as pd

from gtaudit.board import compare_systems
from gtaudit.collection import Collection
from gtaudit.display import minus, safe_names
from gtaudit.forecast import SURE, levels_to_settle
from gtaudit.judgment_study import Judgments
from gtaudit.new_systems import judge_newcomers
from gtaudit.planning import (
    name_more,
    present_cost,
    present_numbers,
)
from gtlib.checks import as_text
from gtlib.swaps import Leaderboard

ENOUGH, NOT_ENOUGH, UNKNOWN = "enough", "not enough", "cannot be told"
# Said in place of these where a number is the answer.
ASKED_NUMBER = "estimate"

# The generalizability that is asked for where none is named.
TARGET = 0.95

# The characters of a line, one blank after its word; and of the word with
# all its blanks.
WIDE, WORD = 100, 16

# What costs more, in terms of what was spent so far, is not next.
_FAR = 30

_TRUSTED = "Can the order be trusted?"

# What a remedy settles.
_BEST, _ORDER, _PAIR = "who is best", "the order", "the pair"

# Where all scores of two systems are the same, so much of the largest
# standard error is left of their difference and its error.
_ROUNDING = 1e-9

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
        How many further ones.
    price : float
        In scores of a system, or in the unit of the prices.
    settles : str
        What it answers, as the end of a sentence.
    name : str
        What is to be done, as the actions call it.
    """

    facet: str
    levels: float
    price: float
    settles: str
    name: str


@dataclass(frozen=True)
class Verdict:
    """The answer to a question.

    Attributes
    ----------
    question : str
        In Markdown, like `sentence` and `more`.
    answer : {"enough", "not enough", "cannot be told", ""}
        Nothing, where a number was asked for.
    sentence : str
        The answer and its numbers.
    more : str
        What the page says besides.
    remedy : Remedy, optional
        What is expected to settle it.
    """

    question: str
    answer: str
    sentence: str
    more: str = ""
    remedy: Remedy | None = None


@dataclass(frozen=True)
class Verdicts:
    """The answers, and what to do next.

    Attributes
    ----------
    answers : tuple of Verdict
    remedy : Remedy or None
        The cheapest that changes an answer; None if none is near.
    next : str
        What to do next and at which price, in Markdown.
    fair : Verdict or None
        Whether it is fair to systems that come later, of judged runs.
    """

    answers: tuple[Verdict, ...]
    remedy: Remedy | None
    next: str
    fair: Verdict | None = None

    @property
    def every_answer(self) -> list[Verdict]:
        """All answers."""
        return [*self.answers, *([self.fair] if self.fair else [])]

    @property
    def lines(self) -> list[str]:
        """The first answers and what to do next, each after its word."""
        lines = [
            (v.answer, f"{v.question} {v.sentence.rpartition('** ')[2]}")
            for v in self.answers
        ]
        return [
            f"{(word or ASKED_NUMBER).upper():<{WORD}}{_plain(text)}"
            for word, text in [*lines, ("next", self.next)]
        ]

    @property
    def table(self) -> list[dict[str, str]]:
        """The answers as plain text, and what to do next."""
        rows = [
            {
                "question": unescape(v.question),
                "answer": v.answer,
                "sentence": _plain(v.sentence),
            }
            for v in self.every_answer
        ]
        next_ = _plain(self.next)
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
        The first of the board beside each other system, or each other
        system beside the baseline.
    judged : Judgments, optional
        Of runs; without it nobody asks about later systems.
    cost : mapping of str to float, optional
        As in `Plan.best`.
    budget : float, optional
        What may be spent in all.
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
    spent, prices = present_cost(collection.plan, cost)
    buys = _Buys(collection, prices, cost is not None, spent, budget)
    asked = _is_first_best
    if pairs.attrs["margin"]:
        asked = _as_good
    elif len({*pairs["b"]}) == 1:  # the baseline, or the only other
        asked = _is_better
    answers = [asked(buys, board, pairs)]
    if len(collection.cells) > 2:
        answers.append(_can_order_be_trusted(buys, coefficients, gaps))
    fair = None
    if judged is not None:
        n = collection.nouns.markdown
        answer, reason = judge_newcomers(judged, n)
        fair = Verdict(
            f"Is it fair to {n.systems} that come later?",
            answer,
            f"**{answer.capitalize()}.** {reason[2].upper()}{reason[3:]}",
        )
    remedies = [v.remedy for v in answers if v.remedy is not None]
    remedies.sort(key=lambda remedy: remedy.price)
    said = _what_next(buys, answers, remedies, fair, pairs)
    near = [*filter(buys.is_near, remedies)]
    return Verdicts(
        tuple(answers),
        near[0] if near else None,
        said,
        fair,
    )


@dataclass(frozen=True)
class _Buys:
    """What can be bought: the collection with the price of a level of
    each facet, what was spent, and what may be spent in all."""

    collection: Collection
    prices: Mapping[str, float]
    are_named: bool
    spent: float
    budget: float | None

    @property
    def left(self):
        """What may be spent on more: as much again without a budget."""
        if self.budget is None:
            return self.spent
        return max(self.budget - self.spent, 0.0)

    @property
    def drawn(self):
        """The facets of which more can be had, topics first."""
        plan, topic = self.collection.plan, self.collection.nouns.topic
        facets = [
            facet
            for facet in plan.effects.facets
            if facet not in plan.fixed and self.prices.get(facet)
        ]
        return sorted(facets, key=lambda facet: facet != topic)

    def is_near(self, remedy):
        """Tell whether a remedy costs no more than `_FAR` times what was
        spent so far, or is of the only two systems."""
        return (
            len(self.collection.cells) == 2
            or remedy.price <= _FAR * self.spent
        )

    def remedy(self, facet, levels, settles):
        """Return the remedy that is so many further levels."""
        return Remedy(
            facet,
            levels,
            levels * self.prices[facet],
            settles,
            name_more(self.collection.plan, facet, int(levels)),
        )

    def describe(self, remedy):
        """Name further levels with their price: all scores that they
        take, or in the unit of the prices."""
        said = _name(remedy)
        if self.are_named:
            return f"{said} (price {_whole(remedy.price)})"
        scores = remedy.price * len(self.collection.cells)
        return f"{said} ({_whole(scores)} scores)"

    def present(self, facet):
        """Say how many levels there are, or how many more a budget
        buys."""
        collection = self.collection
        now = present_numbers(collection.plan)[facet]
        if float(now).is_integer():
            return f"you have {now:,.0f}"
        gaps = collection.cells.isna().to_numpy().any()
        topic = collection.nouns.topic
        if gaps and facet == topic and not collection.design.nesting[topic]:
            return f"you have {collection.cells.shape[1]:,}"
        return f"you have about {now:,.0f}"


def _name(remedy):
    """Name a remedy in a sentence."""
    number = str(int(remedy.levels))
    rest = remedy.name.removeprefix(number)
    begin = "" if rest == remedy.name else f"{int(remedy.levels):,}"
    return begin + as_text(rest)


def _is_first_best(buys, board, pairs):
    """Answer whether the first is told apart from all others at once."""
    collection = buys.collection
    n = collection.nouns.markdown
    table = board.table
    first = safe_names(table.index[:1])
    question = f"Is {first} the best?"
    drawn = collection.drawn
    maybe = table.index[table["may_be_best"]]
    if (table["rank"] == 1).all():
        return Verdict(
            f"Which {n.system} is the best?",
            UNKNOWN,
            "**Cannot be told.** All have the same mean.",
        )
    if not np.isfinite(pairs["standard_error"]).all():
        return Verdict(
            question,
            UNKNOWN,
            "**Cannot be told.** These scores do not show their error.",
            f"They do not show how differences would change with other "
            f"{drawn}.",
        )
    if len(maybe) == 1:
        return Verdict(
            question,
            ENOUGH,
            f"**Enough.** Told apart from {_others(len(table) - 1)} at "
            f"once ({1 - board.alpha:.0%} confidence).",
        )
    rivals = pairs[pairs["b"].isin(maybe)]
    same = _are_same(pairs).loc[rivals.index].any()
    rival = safe_names(rivals["b"].head(1))
    others = f"{rival} may be as well"
    if len(maybe) > 2:
        others = f"{rival} and {len(maybe) - 2} more may be as well"
    if len(maybe) == len(table):
        others = f"Any of the {len(table)} {n.systems} may be"
    remedies = []
    for facet in [] if same else buys.drawn:
        levels = levels_to_settle(collection, facet, board.alpha)
        if isfinite(levels):
            remedies.append(buys.remedy(facet, levels, _BEST))
    remedy = min(remedies, key=lambda r: r.price, default=None)
    more = f"These may be the best: {safe_names(maybe)}. "
    more += _forecast_said(n, remedy)
    return Verdict(
        question, NOT_ENOUGH, f"**Not enough.** {others}.", more, remedy
    )


def _are_same(pairs):
    """Return which pairs have the same scores throughout."""
    errors = pairs[["difference", "standard_error"]].abs().max(axis=1)
    return errors <= _ROUNDING * pairs["standard_error"].max()


def _others(number):
    """Name all other systems."""
    return "both others" if number == 2 else f"all {number} others"


def _forecast_said(n, remedy):
    """Say what the number of further levels for a first system means."""
    if remedy is None:
        return (
            "No number of what is drawn is expected to tell the first "
            "apart from all others."
        )
    return (
        f"With {_name(remedy)} the first is expected to be told "
        f"apart from all others at once in {SURE:.0%} of cases: a forecast "
        f"from how much these {n.systems} differ, which allows for the "
        "first having been picked for being first. How often such numbers "
        "came true is told in the book, in its pages on the audit."
    )


def _is_better(buys, board, pairs):
    """Answer whether the best other system is better than the baseline, or
    the baseline than it; of two systems, which is better."""
    collection = buys.collection
    better = pairs[
        (pairs["p_adjusted"] < _LEVEL) & (pairs["difference"] > 0)
    ]
    row = (pairs if better.empty else better).iloc[0]
    n, number = collection.nouns.markdown, len(pairs)
    a, b, ends = row["a"], row["b"], [row["low"], row["high"]]
    if row["difference"] < 0:
        a, b, ends = b, a, [-row["high"], -row["low"]]
    better, worse = safe_names([a]), safe_names([b])
    question = f"Is {better} better than {worse}?"
    if row["difference"] == 0 or isnan(row["p_value"]):
        if number == 1:
            question = f"Which of the two {n.systems} is better?"
        said = "These scores do not show their error"
        if row["difference"] == 0:
            said = "Both have the same mean"
        return Verdict(question, UNKNOWN, f"**Cannot be told.** {said}.")
    low, high = map(_short, ends)
    gap = f"By {_short(abs(row['difference']))} [{low}, {high}]"
    p = row["p_adjusted"]
    more = f"p = {p:.2g}, of a test of this pair."
    if number > 1:
        more = f"p = {p:.2g}, by Holm's method. {_beside(pairs, n)}"
    if p < _LEVEL:
        return Verdict(question, ENOUGH, f"**Enough.** {gap}.", more)
    unit, levels = _unit(collection, pairs), row["more"]
    if number > 1:  # it was picked among several
        gap += f"; of {number} pairs at once p = {p:.2g}"
        level = 1 - _LEVEL / number
        all_at_once = compare_systems(
            collection, board, row["b"], None, level
        )
        levels = all_at_once["more"].iloc[0]
    remedy = None
    if isfinite(levels) and buys.prices.get(unit):
        remedy = buys.remedy(unit, levels, _PAIR)
        more += (
            f" With {_name(remedy)} p is expected to be below "
            f"{_LEVEL} in {SURE:.0%} of cases, if nothing is known of the "
            "two but this."
        )
    return Verdict(
        question, NOT_ENOUGH, f"**Not enough.** {gap}.", more, remedy
    )


def _beside(pairs, n):
    """Count the systems that are told apart from the baseline."""
    told = pairs.loc[pairs["p_adjusted"] < _LEVEL, "difference"]
    base = safe_names(pairs["b"].head(1))
    return (
        f"Better than {base}, all at once: {(told > 0).sum()} of the "
        f"{len(pairs)} other {n.systems}; worse: {(told < 0).sum()}."
    )


def _as_good(buys, board, pairs):
    """Answer whether the best other system is as good as the baseline, but
    for a margin."""
    n, row = buys.collection.nouns.markdown, pairs.iloc[0]
    name, base = safe_names([row["a"]]), safe_names([row["b"]])
    margin, answer = pairs.attrs["margin"], row["at_least"]
    question = f"Is {name} as good as {base} within {margin:g}?"
    if not isfinite(row["at_worst"]):
        return Verdict(
            question,
            UNKNOWN,
            "**Cannot be told.** These scores do not show their error.",
        )
    end = "at_best" if answer == NOT_ENOUGH else "at_worst"
    gap = f"By {_short(row['difference'])}, "
    gap += f"{end.replace('_', ' ')} {_short(row[end])}"
    more = (
        "A limit of 95%, on the one side that counts: a "
        f"{n.one_system} that is worse by all of the margin passes at most "
        "5 times in 100."
    )
    if row["equivalent"] == ENOUGH:
        more += " The two are equivalent: neither is better by the margin."
    if len(pairs) > 1:
        number = (pairs["at_least"] == ENOUGH).sum()
        more += (
            f" So good are {number} of the {len(pairs)} other {n.systems}, "
            "each asked by itself."
        )
    remedy, levels = None, row["more_at_least"]
    unit = _unit(buys.collection, pairs)
    if answer == UNKNOWN and isfinite(levels) and buys.prices.get(unit):
        remedy = buys.remedy(unit, levels, _PAIR)
    said = f"**{answer.capitalize()}.** {gap}."
    return Verdict(question, answer, said, more, remedy)


def _unit(collection, pairs):
    """Return the facet of which more would tell a pair apart."""
    unit = pairs.attrs["unit"]
    if unit in collection.design.facets:
        return unit
    return collection.nouns.topic  # of means that were summed


def _short(number):
    """Write a number of any size with few characters."""
    if abs(number) < 1000:
        return f"{number:z.3f}"
    return f"{number:z,.0f}" if abs(number) < 10**6 else f"{number:.2e}"


def _can_order_be_trusted(buys, coefficients, gaps):
    """Answer whether the generalizability reaches the target."""
    collection = buys.collection
    row = coefficients.loc["generalizability"]
    low, high = row["low"], row["high"]
    number = f"It would repeat to {row['estimate']:.3f}"
    agreed = "This is the generalizability, 1 if nothing would change. "
    if isnan(low):
        return Verdict(
            _TRUSTED,
            UNKNOWN,
            f"**Cannot be told.** {number}, a number without interval.",
            f"{agreed}{as_text(row['note'])}.",
        )
    number += f" [{low:.3f}, {high:.3f}]"
    if collection.plan.universe_score > 0:
        changed = (1 - collection.agreement.tau) / 2
        agreed += (
            f"As many other {collection.drawn} would turn {changed:.0%} "
            "of all pairs."
        )
    if low >= TARGET:
        return Verdict(
            _TRUSTED, ENOUGH, f"**Enough.** {number}.", agreed.strip()
        )
    answer = NOT_ENOUGH if high < TARGET else UNKNOWN
    remedy = _reach(buys)
    enough = []
    if gaps is not None:
        enough = gaps.index[1:][gaps["low"][1:] >= TARGET]
    more = agreed.strip()
    if len(enough):
        ways = " or to ".join(map(as_text, enough))
        more += f" It would be enough to {ways}."
        if gaps.loc[enough[0], "new_scores"]:
            remedy = _fill_gaps(collection, enough[0], gaps)
    elif remedy is not None:
        more += (
            f" With {_name(remedy)} the lower end is expected to "
            f"reach {TARGET:g}."
        )
    else:
        topics = collection.nouns.markdown.topics
        more += f" No number of {topics} is known to be enough."
    return Verdict(
        _TRUSTED,
        answer,
        f"**{answer.capitalize()}.** {number}; {TARGET:g} is enough.",
        more.strip(),
        remedy,
    )


def _fill_gaps(collection, name, gaps):
    """Return the remedy that is to score what is missing."""
    n, cells = collection.nouns, collection.cells
    now = present_numbers(collection.plan)[n.topic]
    return Remedy(
        n.topic,
        cells.shape[1] - now,
        gaps.loc[name, "new_scores"] / len(cells),
        _ORDER,
        name,
    )


def _reach(buys):
    """Find the cheapest facet of which more levels bring the lower end of
    the interval to the target; None if none is known to."""
    plan = buys.collection.plan
    present = present_numbers(plan)
    remedies = []
    for facet in buys.drawn:
        try:
            needed = plan.required_interval(
                facet, TARGET, "generalizability"
            ).high
        except ValueError:
            continue
        if isfinite(needed):
            levels = max(ceil(needed - present[facet]), 1)
            remedies.append(buys.remedy(facet, levels, _ORDER))
    return min(remedies, key=lambda r: r.price, default=None)


def _whole(price):
    return f"{ceil(price - 1e-9):,}"


def _what_next(buys, answers, remedies, fair, pairs):
    """Say what to do next, as the end of a line: what settles an answer
    and its price, and what there is now."""
    if all(v.answer == ENOUGH for v in answers):
        if fair is not None and fair.answer != ENOUGH:
            return (
                "judge deeper, or pool more runs; the page says how many."
            )
        every = "both answers are" if len(answers) > 1 else "the answer is"
        return f"stop; {every} enough."
    if not any(map(buys.is_near, remedies)):
        trusted = any(v.answer == ENOUGH for v in answers[1:])
        return _as_much_again(buys, remedies, pairs, trusted)
    first, *others = remedies
    facet = first.facet
    if first.name.startswith("score "):
        return f"{as_text(first.name)}, which would settle {first.settles}."
    said = f"{buys.describe(first)} would settle {first.settles}"
    besides = "".join(
        f", {other.levels:,.0f} {other.settles}"
        for other in others
        if other.facet == facet and other.name[0].isdigit()
    )
    tail = f"; {buys.present(facet)}"
    if first.price > buys.left and buys.budget is not None:
        levels = floor(buys.left / buys.prices[facet] * (1 + 1e-9))
        tail = f"; your budget buys {levels:,}"
    return first_that_fits(f"{said}{besides}{tail}", f"{said}{tail}", said)


def first_that_fits(*sentences: str, before: str = "NEXT") -> str:
    """Return the first of some sentences that is no longer than a line
    with what stands before it, or the last."""
    for said in sentences:
        if len(_plain(f"{before} {said}.")) < WIDE:
            break
    return f"{said}."


def _as_much_again(buys, remedies, pairs, trusted):
    """Say how far what was spent so far, or what a budget leaves, would
    raise the generalizability, where nothing near is known to be enough;
    or how sure differences would be, if the order is `trusted`."""
    collection = buys.collection
    if not buys.drawn:
        return "other scores: of these, nothing can be had more of."
    facet, plan = buys.drawn[0], collection.plan
    number = floor(buys.left / buys.prices[facet] * (1 + 1e-9))
    remedy = buys.remedy(facet, max(number, 1), _ORDER)
    said = f"{buys.describe(remedy)} would"
    now = present_numbers(plan)
    drawn = [f for f in now if f not in plan.fixed]
    levels = {f: max(1, floor(now[f])) for f in drawn}
    levels[facet] += max(number, 1)
    with_more = plan.with_numbers(levels)
    far = ""
    if remedies and remedies[0].facet == facet:
        far = f"; {remedies[0].levels:,.0f} would settle "
        far += remedies[0].settles
    reached = with_more.interval("generalizability")
    if len(collection.cells) > 2 and reached.estimate > 0 and not trusted:
        ends = f" [{reached.low:.3f}, {reached.high:.3f}]"
        better = f"{said} make it repeat to {reached.estimate:.3f}"
        return first_that_fits(
            f"{better}{far or ends}", f"{better}{ends}", better
        )
    same = _are_same(pairs)
    row = pairs.loc[(~same).idxmax()]
    half, error = (row["high"] - row["low"]) / 2, plan.relative_error
    if not (isfinite(half) and error > 0):
        return f"{said} show more; so far all differ as by chance."
    half *= (with_more.relative_error / error) ** 0.5
    shown = f"{said} leave differences ±{_short(half)}"
    seen = f"; the first two differ by {_short(abs(row['difference']))}"
    if same.iloc[0]:
        seen = "; the first two are the same"
    return first_that_fits(f"{shown}{far or seen}", f"{shown}{seen}", shown)


def _plain(markdown):
    """Return Markdown without its marks, which `as_text` has kept out of
    names."""
    return unescape(minus(markdown.replace("*", "").replace("`", "")))
