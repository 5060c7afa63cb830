"""A judge beside people: whether it agrees, whether it ranks systems as
they do, the mean that people would give, and what further marks would show.

A judge agrees enough where the lower end of the interval is at least 0.6,
from where Landis & Koch (1977) call kappa substantial, or what people reach
among themselves, if that is less; and ranks systems as people do where that
of Kendall's tau is at least 0.9 (Voorhees 2001).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from math import ceil, floor, isfinite, isnan, nan
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from gtaudit.collection import LEAST, Collection
from gtaudit.display import safe_names
from gtaudit.machines import tau_interval
from gtaudit.marks import HUMAN, JUDGE
from gtaudit.means import mean_interval
from gtaudit.nouns import Nouns, count_noun
from gtaudit.verdict import (
    ASKED_NUMBER,
    ENOUGH,
    NOT_ENOUGH,
    UNKNOWN,
    Verdict,
    Verdicts,
    first_that_fits,
)
from gtaudit.words import words_of
from gtlib.allocation import JUDGMENT
from gtlib.checks import as_text, list_some, positive
from gtlib.comparisons import wilson_limits
from gtlib.design import Design
from gtlib.judges import (
    FEWEST,
    MOST_GRADES,
    agreement,
    human_topics,
    prediction_powered,
)
from gtlib.scores import Interval

# Why what compares systems has no answer here.
MARKS_ONLY = (
    "the table has marks of people and machines, which are compared with "
    "each other. Leave this out."
)
SUBSTANTIAL, SAME_ORDER = 0.6, 0.9
# Of two marks of which one is mostly beyond those of the other.
_OTHER_SCALE = 0.5
# So many human marks show a first number, where there are hardly any; and
# what takes more than so many times the present ones is not next.
_FIRST, _FAR = 30, 30
# The half-width of a 95% interval in which an end lies on the right side
# of a target in 80% of studies, in its own distance: 1 + 0.84 / 1.96.
_SURE = 1.43
_LIMITS = ["estimate", "low", "high"]
_SIGNS = {
    "Cohen's kappa": "κ",
    "weighted kappa": "weighted κ",
    "alpha, interval": "α",
}


@dataclass(frozen=True, eq=False)
class Marks(Collection):
    """Marks of items by people and machines, whose `study` is None; the
    rows of `scores` are items, perhaps of systems, and its columns raters,
    as are the rows of `cells`."""

    def raters(self, role: str) -> list[str]:
        """Return the raters that are ``human``, or ``judge``."""
        roles = self.scores.attrs["marks"]
        return [name for name, of in roles.items() if of == role]

    @property
    def size(self) -> str:
        """The numbers of raters and items, in words."""
        people, judges = map(self.raters, (HUMAN, JUDGE))
        rows, n = self.scores.index, self.nouns
        items = count_noun(rows.nunique(), n.topic)
        if rows.nlevels > 1:
            systems, items = (
                count_noun(len(rows.unique(level)), noun)
                for level, noun in (("system", n.system), ("item", n.topic))
            )
            items = f"{systems} × {items}"
        return (
            f"{items}, marked by {list_some(people)} and, of machines, by "
            f"{list_some(judges)}"
        )

    @property
    def notes(self) -> list[str]:
        """Notes on the marks, of which there are none."""
        return []


def marks_collection(scores: pd.DataFrame, nouns: Nouns) -> Marks:
    """Make the collection of a table of marks."""
    no_study: Any = None
    design = Design(f"{nouns.system} x {nouns.topic}")
    return Marks(scores, scores.T, design, no_study, nouns=nouns)


@dataclass(frozen=True, eq=False)
class Judged:
    """What marks show of judges.

    Attributes
    ----------
    statistic : str
        Of `gtlib.agreement`; of several people its mean over them.
    agreement : DataFrame, a row per judge
        ``estimate`` with ``low`` and ``high``, the ``items`` that it and
        people marked, and a ``note``, why there is none, or "".
    people : dict or None
        The same of people among themselves, if there are several.
    ranking : DataFrame, a row per judge
        Kendall's tau, in the same columns, over the ``systems``.
    means : DataFrame, a row per judge and system
        ``items`` that the judge marked and, of these, ``human_marks``; the
        mean of the judge, that of people, and that of people which the
        judge's marks help to estimate, ``estimate``; where people marked
        all, that is theirs. ``correlation`` and ``sd`` of people's marks.
    errors : DataFrame, a row per judge and ``mark`` of people
        Of marks that are 0 and 1: of so many ``human_marks`` the share
        that the judge marked otherwise, ``estimate``, with Wilson's limits
        over items. For a mark of 0 that is the rate of false positives,
        for 1 that of false negatives. Of other marks it is empty.
    judge : str
        Who agrees best.
    """

    statistic: str
    agreement: pd.DataFrame
    people: Mapping[str, float] | None
    ranking: pd.DataFrame
    means: pd.DataFrame
    errors: pd.DataFrame
    judge: str

    @property
    def every_agreement(self) -> pd.DataFrame:
        """The agreement of judges, and of people among themselves."""
        if self.people is None:
            return self.agreement
        own = pd.DataFrame([self.people], ["people"])
        return pd.concat([self.agreement, own])


def study_judges(marks: Marks) -> Judged:
    """Study how judges mark beside people."""
    people, judges = map(marks.raters, (HUMAN, JUDGE))
    table = marks.scores
    ordered = all(map(pd.api.types.is_numeric_dtype, table.dtypes))
    grades = pd.unique(table.to_numpy().ravel())
    number = pd.Series(grades).nunique()
    statistic = "Cohen's kappa"
    if ordered and number > 2:
        statistic = "weighted kappa"
        if number > MOST_GRADES:
            statistic = "alpha, interval"
    agreed = {
        j: _agreement(
            table[[*people, j]], [(p, j) for p in people], statistic
        )
        for j in judges
    }
    among = None
    if len(people) > 1:
        pairs = [*combinations(people, 2)]
        among = _agreement(table[people], pairs, statistic)
        among = among if isfinite(among["estimate"]) else None
    found = pd.DataFrame.from_dict(agreed, orient="index")
    best = found["estimate"].fillna(-np.inf).idxmax()
    rows: list[dict] = []
    taus = {}
    if ordered:
        human = table[people].mean(axis=1)
        for j in judges:
            taus[j] = _ranking(human, table[j])
            rows += _means(human, table[j], _bounds(table, people, j))
    ranking = pd.DataFrame.from_dict(
        {j: row for j, row in taus.items() if row}, orient="index"
    )
    errors = []
    if ordered and {*grades[pd.notna(grades)]} == {0, 1}:
        errors = [
            {"judge": j, "mark": mark}
            | _error(table[people].eq(mark), table[j], mark)
            for j in judges
            for mark in (0, 1)
        ]
    return Judged(
        statistic,
        found,
        among,
        ranking,
        pd.DataFrame(rows),
        pd.DataFrame(errors),
        str(best),
    )


def _error(those, judge, mark):
    """Return how often a judge marked otherwise, where people gave this
    mark."""
    those = those[judge.notna()]
    wrong = those[judge.dropna() != mark].to_numpy().sum()
    number, items = those.to_numpy().sum(), those.any(axis=1).sum()
    row = {"human_marks": int(number), **dict.fromkeys(_LIMITS, nan)}
    if not number:
        return row
    share = np.array(wrong / number)
    low, high = wilson_limits(share, ndtri(0.975) ** 2 / items)
    ends = map(float, (share, low, high))
    return row | dict(zip(_LIMITS, ends, strict=True))


def _agreement(table, pairs, statistic):
    """Return the agreement of these pairs as a row."""
    row = {"estimate": nan, "low": nan, "high": nan, "items": 0, "note": ""}
    (_, other) = pairs[0]
    if _are_apart(_flat(table.drop(columns=other)), table[other]):
        return row | {"note": "marks are on another scale than people's"}
    try:
        found = agreement(table, pairs=pairs)
    except ValueError:
        return row | {"note": "fewer than two items have marks of both"}
    known = {k: found.loc[statistic, k] for k in [*_LIMITS, "items"]}
    if isnan(known["estimate"]):
        row["note"] = "all marks are the same"
    return row | known


def _flat(table):
    """Return all marks of some raters."""
    return table.melt()["value"].dropna()


def _are_apart(one, other):
    """Return whether most marks of one lie beyond all of the other, or
    are other words."""
    one, other = one.dropna(), other.dropna()
    if not (len(one) and len(other)):
        return False
    if not all(map(pd.api.types.is_numeric_dtype, (one, other))):
        return not {*one} & {*other}
    beyond = [
        1 - a.between(b.min(), b.max()).mean()
        for a, b in ((one, other), (other, one))
        if b.min() < b.max()
    ]
    return max(beyond, default=0) > _OTHER_SCALE


def _bounds(table, people, judge):
    """Return the least and the greatest mark that people could give, as
    all marks of one scale show it."""
    human = seen = _flat(table[people])
    if not _are_apart(human, table[judge]):
        seen = pd.concat([human, table[judge].dropna()])
    if seen.between(0, 1).all():
        return 0.0, 1.0
    return float(seen.min()), float(seen.max())


def _ranking(human, judge):
    """Return tau of the means of systems, on what both have marked."""
    if human.index.nlevels < 2:
        return None
    both = human.notna() & judge.notna()
    means = pd.DataFrame({"y": human, "x": judge})[both]
    y, x = (means.pivot_table(c, "system", "item") for c in means)
    if len(y) < LEAST:
        return None
    found = tau_interval(y.to_numpy(), x.to_numpy())
    if found is None:
        found = Interval(nan, nan)
    ends = found.estimate, found.low, found.high
    return dict(zip(_LIMITS, ends, strict=True)) | {"systems": len(y)}


def _means(human, judge, bounds):
    """Return the row of each system, or of all items."""
    every = [("", human.index)]
    if human.index.nlevels > 1:
        groups = human.groupby(level="system", sort=False)
        every = [(name, rows.index) for name, rows in groups]
    return [
        {"judge": judge.name, "system": str(name)}
        | _mean(human[rows], judge[rows], bounds)
        for name, rows in every
    ]


def _mean(human, judge, bounds):
    """Return the mean that people would give, with the help of a judge."""
    human, judge = (part.to_numpy() for part in (human, judge))
    human, judge = human[np.isfinite(judge)], judge[np.isfinite(judge)]
    known = np.isfinite(human)
    y = human[known]
    row = {
        "items": len(judge),
        "human_marks": len(y),
        "judge_mean": judge.mean() if len(judge) else nan,
        "human_mean": y.mean() if len(y) else nan,
        **dict.fromkeys(["human_low", "human_high", *_LIMITS], nan),
        "correlation": nan,
        "sd": y.std(ddof=1) if len(y) > 1 else nan,
    }
    if len(y) < FEWEST or bounds[0] == bounds[1]:
        return row
    # The library wants more items than people marked; the limits by people
    # alone do not hang on the one that is added.
    whole = np.append(judge[known], judge[~known])
    more = [judge.mean()] if known.all() else []
    found = prediction_powered(
        pd.DataFrame([y]), pd.DataFrame([[*whole, *more]]), bounds=bounds
    ).iloc[0]
    names = ["human_mean", "human_low", "human_high"]
    own = names if known.all() else ["mean", "low", "high"]
    row |= {name: found[name] for name in (*names, "correlation")}
    return row | dict(zip(_LIMITS, found[own], strict=True))


def price_of_a_mark(
    marks: Marks, cost: Mapping[str, float] | None, budget: float | None
) -> float | None:
    """Return the price of a human mark; None if nobody gave it.

    Raises
    ------
    ValueError
        If prices are of something else, or out of range.
    """
    if budget is not None:
        positive(budget, "--budget")
    if cost is None:
        return None
    (name, price), *others = cost.items()
    known = [HUMAN, JUDGMENT, *marks.raters(HUMAN), *words_of("assessor")]
    if others or name not in known:
        raise ValueError(
            f"--cost {list_some(cost)}: of these marks the price of one by "
            "a person counts, as in human=2."
        )
    return positive(price, "--cost")


def verdict_of_judges(
    marks: Marks,
    found: Judged,
    price: float | None = None,
    budget: float | None = None,
) -> Verdicts:
    """Answer what people are asked beside a judge, and say what to do
    next."""
    n = marks.nouns.markdown
    agrees, target = _does_agree(marks, found)
    answers = [agrees]
    if found.judge in found.ranking.index:
        answers.append(_does_rank(found, n))
    mean = _best_mean(found)
    if mean is not None:
        answers.append(_what_is_the_mean(marks, found, mean, n))
    next_ = _what_next(marks, found, mean, target, price, budget)
    return Verdicts(tuple(answers), None, next_)


def drawn_of_judges(found: Judged) -> tuple[pd.DataFrame, str]:
    """Return what is drawn on a terminal, and what it is: the means of
    systems, or else how raters agree."""
    rows = found.means
    if len(found.ranking):
        rows = rows[rows["judge"] == found.judge].set_index("system")
        rows = rows.sort_values("estimate", ascending=False)
        note = f"○ means, corrected, with {found.judge}"
    else:
        rows = found.every_agreement
        note = f"○ agreement with people ({found.statistic})"
    rows = rows[rows["low"].notna()].rename(columns={"estimate": "mean"})
    return rows.assign(may_be_best=False), note


def _ends(row, prefix=""):
    """Write an estimate with its limits."""
    low, high = row[f"{prefix}low"], row[f"{prefix}high"]
    estimate = row[f"{prefix}mean" if prefix else "estimate"]
    if isnan(low):
        return f"{estimate:z.2f} (no interval)"
    return f"{estimate:z.2f} [{low:z.2f}, {high:z.2f}]"


def _answer(row, target):
    """Say on which side of a target an interval lies."""
    if row["low"] >= target:
        return ENOUGH
    return NOT_ENOUGH if row["high"] < target else UNKNOWN


def _verdict(question, answer, *said, more=""):
    """Make a verdict whose sentence is the first that fits a line."""
    word = answer or ASKED_NUMBER
    shown = first_that_fits(*said, before=f"{word} {question}")
    if answer:
        shown = f"**{answer.capitalize()}.** {shown}"
    return Verdict(question, answer, shown, more)


def _does_agree(marks, found):
    """Answer whether the judge who agrees best agrees; also say how much
    would be enough."""
    judges = marks.raters(JUDGE)
    judge = safe_names([found.judge])
    question = f"Does {judge} agree?"
    row = found.agreement.loc[found.judge]
    if isnan(row["estimate"]):
        note = as_text(row["note"])
        return _verdict(question, UNKNOWN, note[0].upper() + note[1:]), nan
    target = SUBSTANTIAL
    if found.people is not None:
        target = min(target, found.people["estimate"])
    sign = _SIGNS[found.statistic]
    short = f"{sign} {_ends(row)}"
    of = f", best of {len(judges)}" if len(judges) > 1 else ""
    beside = f"; {target:.1f} is enough"
    told = beside
    if found.people is not None:
        beside = f"; people {_ends(found.people)}"
        told = f"; people {found.people['estimate']:z.2f}"
    more = (
        f"The {found.statistic} is 1 if all marks are the same, and 0 if "
        f"they are so as often as by chance. {target:.2f} is enough: "
        f"{SUBSTANTIAL:g}, or what people reach among themselves, if that "
        "is less."
    )
    wrong = found.errors
    if len(wrong) and wrong["estimate"].notna().all():
        wrong = wrong[wrong["judge"] == found.judge]
        no, yes = (_ends(row) for _, row in wrong.iterrows())
        more += (
            f" Of what people marked 0 it marks {no} as 1, which are false "
            f"positives; of what they marked 1 it marks {yes} as 0."
        )
    said = [f"{short}{x}" for x in (of + beside, beside, told, "")]
    return _verdict(
        question, _answer(row, target), *said, more=more
    ), target


def _does_rank(found, n):
    """Answer whether the judge ranks systems as people do."""
    row = found.ranking.loc[found.judge]
    question = f"Does it rank {n.systems} as people do?"
    if isnan(row["estimate"]):
        return _verdict(question, UNKNOWN, "One of them ties all")
    said = f"Kendall's tau {_ends(row)}"
    return _verdict(
        question,
        _answer(row, SAME_ORDER),
        f"{said}; {SAME_ORDER:g} is enough",
        said,
        more=f"The means of {row['systems']} {n.systems}, on the "
        f"{n.topics} that both marked; intervals are of other {n.topics}.",
    )


def _best_mean(found):
    """Return the row of the highest mean by the judge, if any is known."""
    if found.means.empty:
        return None
    rows = found.means[found.means["judge"] == found.judge]
    if rows["estimate"].isna().all():
        return None
    return rows.loc[rows["estimate"].idxmax()]


def _what_is_the_mean(marks, found, row, n):
    """Answer what the mean is, by people with the judge's help."""
    judge = safe_names([found.judge])
    of = f" of {safe_names([row['system']])}" if row["system"] else ""
    short = judge if len(found.agreement) > 1 else "judge"
    alone = f"{short} {row['judge_mean']:z.2f}"
    if row["human_marks"] == row["items"]:
        both = marks.scores[[*marks.raters(HUMAN), found.judge]]
        if row["system"]:
            both = both.xs(row["system"], level="system")
        gap = both[found.judge] - both.drop(columns=found.judge).mean(
            axis=1
        )
        bias = mean_interval(gap)
        said = f"{_ends(row)} by people; {alone}"
        over = f", {abs(bias.estimate):.2f} too "
        over += "high" if bias.estimate > 0 else "low"
        if not (bias.low > 0 or bias.high < 0):
            over = ", no clear difference"
        return _verdict(f"What is the mean{of}?", "", f"{said}{over}", said)
    said = f"{_ends(row)}; people"
    return _verdict(
        f"What is the corrected mean{of}?",
        "",
        f"{said} {_ends(row, 'human_')}; {alone}",
        f"{said} {row['human_mean']:z.2f}; {alone}",
        _ends(row),
        more=f"{judge} marked {row['items']} {n.topics}, and people "
        f"{row['human_marks']} of these, which correct it "
        f"(prediction-powered). It holds if these were drawn at random.",
    )


def _what_next(marks, found, mean, target, price, budget):
    """Say how many more human marks would settle whether the judge agrees,
    or halve an interval, and what they cost; of several people, how many
    more topics that as many of them mark."""
    row = found.agreement.loc[found.judge]
    items = int(row["items"])
    people = marks.scores[marks.raters(HUMAN)]
    each = people.count(axis=1)
    each = each[each > 0].mean()
    unit = each * (1.0 if price is None else price)
    several = people.shape[1] > 1

    def buy(number, does):
        said = f"{number:,} more human mark{'s' * (number > 1)}"
        if several:
            n = marks.nouns.markdown
            noun = n.topics if number > 1 else n.topic
            said = f"{number:,} more {noun} marked by people"
        if price is not None:
            said += f" (price {ceil(number * unit - 1e-9):,})"
        return f"{said} would {does}"

    wants = []
    judge = safe_names([found.judge])
    if not isnan(row["low"]):
        more = marks_to_settle(row, items, target)
        wants.append((more, f"settle whether {judge} agrees", items))
    if mean is not None:
        of = f" of {safe_names([mean['system']])}" if mean["system"] else ""
        does = f"halve the interval of the mean{of}"
        wants.append((_marks_to_halve(mean), does, mean["human_marks"]))
    elif not isnan(row["low"]):
        does = "halve the interval of the agreement"
        wants.append((3 * items, does, items))
    wants = sorted(want for want in wants if want[0])
    if not wants:
        topics = marks.nouns.markdown.topics
        said = buy(max(_FIRST - items, 2), "give a first number")
        return first_that_fits(f"{said}; draw the {topics} at random", said)
    (first, does, have), *others = wants
    tail = f"; you have {have:,}"
    if budget is not None:
        spent = (price or 1.0) * int(people.count().sum())
        left = floor(max(budget - spent, 0) / unit * (1 + 1e-9))
        tail = f"; your budget buys {left:,}"
    besides = "".join(f", {m:,} {also}" for m, also, _ in others)
    said = buy(first, does)
    return first_that_fits(
        f"{said}{besides}{tail}", f"{said}{besides}", f"{said}{tail}", said
    )


def marks_to_settle(row, items, target):
    """Return how many more would bring the interval to one side of the
    target in 80% of studies, if agreement is as it seems; 0 if that is
    far."""
    gap = abs(row["estimate"] - target)
    end = row["low"] if row["estimate"] > target else row["high"]
    half = abs(row["estimate"] - end)
    if _answer(row, target) != UNKNOWN:
        return 0
    times = (_SURE * half / max(gap, 1e-9)) ** 2 - 1
    return ceil(items * times) if times <= _FAR else 0


def _marks_to_halve(mean):
    """Return how many more halve the interval of the mean."""
    marks, items = int(mean["human_marks"]), int(mean["items"])
    half = (mean["high"] - mean["low"]) / 4
    if marks < items and mean["sd"] > 0 and half > 0:
        r = np.nan_to_num(np.clip(mean["correlation"], -1, 1))
        plan = partial(human_topics, half, mean["sd"], r, assurance=0.5)
        needed = plan([items]).iloc[0]
        if not pd.isna(needed):
            return max(int(needed) - marks, 1)
    return 3 * marks
