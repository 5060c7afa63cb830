"""What the numbers of an audit say, in words, with their uncertainty."""

from math import inf, sqrt

import numpy as np
import scipy

from gtapps.audit.beside_people import machines_in_short
from gtapps.audit.board import first_of_all, top
from gtapps.audit.captions import of_best
from gtapps.audit.new_systems import verdict
from gtapps.audit.shown import named, whole
from gtlib.ctt import odd_topics
from gtlib.gtheory import gstudy
from gtlib.swaps import detectable_difference, topics_to_detect
from gtlib.tables import as_text, count, others

_MEANING = {
    "system x topic": (
        "different systems find different topics hard, so what sets them "
        "apart depends on which topics were drawn. More topics reduce it"
    ),
    "system x assessor": (
        "assessors differ in which systems they favour. More assessors "
        "reduce it; more topics do not"
    ),
    "topic": (
        "some topics are harder than others for every system. It does not "
        "disturb the ranking, only what a score means by itself"
    ),
    "assessor": (
        "some assessors are more lenient than others with every system. It "
        "does not disturb the ranking"
    ),
    "topic x assessor": (
        "assessors differ in which topics they are lenient on. It does not "
        "disturb the ranking"
    ),
}
# Where all scores are 0 or 1 and each cell has one.
_COIN = (
    "how a system fares on a topic and the luck of a single run, which one "
    "score of 0 or 1 a cell cannot tell apart. More topics reduce both"
)
_GAPS = "not every system was scored on the same ones"

_GRADES = {
    0.95: "very reliable",
    0.9: "reliable",
    0.8: "fairly reliable",
    0.7: "doubtfully reliable",
    -inf: "not reliable",
}

# Between two means, on a scale from 0 to 1.
DIFFERENCES = 0.02, 0.05


def findings(
    collection,
    g,
    coefficients,
    required,
    *,
    items=None,
    board=None,
    best=None,
    judged=None,
    machines=None,
):
    """The findings of an audit, in short: who is best, how reliable it is,
    how many topics that takes, and what to do next.

    Parameters
    ----------
    collection : Collection
    g : GStudy
    coefficients : DataFrame of `coefficient_table`
    required : DataFrame of `required_table`
    items : DataFrame of `item_analysis`, optional
    board : Leaderboard, optional
    best : DataFrame of `best_systems`, optional
    judged : Judgments, optional
    machines : Machines, optional

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    plan = g.plan()
    drawn = as_text(others(g.design.facets, g.design.object))
    of_part = collection.of_part
    said = [] if board is None else [top(board, brief=True)]
    if collection.uneven:
        said = [first_of_all(collection)]
    said += [_gaps(g, plan, drawn), _differences(coefficients, drawn)]
    if best is not None and (of_them := _of_the_best(best)):
        said.append(of_part(of_them))
    if plan.universe_score > 0:
        said.append(_ranking(plan.ranking_agreement(), drawn))
    said += [_scores(coefficients), _doubt(coefficients)]
    said += [*_out_of_reach(required), _reached(required, collection)]
    if judged is not None:
        said.append(f"{verdict(judged)[0]}: see The judgments.")
    if machines is not None:
        said.append(machines_in_short(machines))
    one_coin = _one_coin(collection, g)
    said += [_limit(plan, k, one_coin) for k in ("relative", "absolute")]
    if one_coin:
        said.append(_second_run(plan))
    if board is not None:
        told = (
            f"{board.told_apart:.0%} of the pairs of systems can be told "
            "apart where all are tested together."
        )
        said.append(of_part(told))
    if items is not None and items["negative"].any():
        said.append(of_part(_negative(items, len(collection.wide))))
    for effect in g.negative:
        said.append(
            f"The variance of {as_text(effect)} was estimated below zero. "
            "It is small beside its sampling error, and counts as zero."
        )
    return [sentence for sentence in said if sentence]


def _gaps(g, plan, drawn):
    if g.incidence is None:
        return None
    said = (
        f"The scores are uneven: there are {g.incidence}. What follows is "
        "of the systems' means, and right if a score is missing for no "
        "reason that has to do with how it would have turned out."
    )
    if plan.incidence is None or plan.relative_error <= 0:
        return said
    shared = plan.table["role"] == "absolute error only"
    share = plan.table.loc[shared, "relative_error"].sum()
    share /= plan.relative_error
    if share < 0.005:
        return said
    return (
        f"{said} That not all of them met the same {drawn} makes "
        f"{share:.0%} of the relative error; with the same for all it "
        "would cancel."
    )


def _differences(coefficients, drawn):
    row = coefficients.loc["generalizability"]
    if row["estimate"] <= 0:
        return (
            f"**These {drawn} cannot tell the systems apart**: chance "
            "alone makes means differ as much. The systems may still "
            "differ. "
            f"Generalizability is {_with_interval(row)}."
        )
    return (
        f"{_verdict('The differences between systems', 'are', row)}: "
        f"generalizability {_with_interval(row)}. That share of the "
        "variance of the mean scores is true difference between systems; "
        f"the rest would change with other {drawn}."
    )


def _scores(coefficients):
    row = coefficients.loc["dependability"]
    if row["estimate"] <= 0:
        return None
    said = _verdict("A score by itself", "is", row).replace("**", "")
    return (
        f"{said}: dependability {_with_interval(row)}. This matters when a "
        "score is held against a standard, or against another collection."
    )


def _doubt(coefficients):
    """Why the intervals may not hold, if they may not."""
    note = coefficients.loc["generalizability", "note"].split("; ")[-1]
    return f"Beware: {note}." if "too few" in note else None


def _verdict(what, verb, row):
    """What the interval, and not the estimate alone, allows to say."""
    if row["low"] != row["low"]:
        return (
            f"**{what} {verb} {_grade(row['estimate'])}, as far as can be "
            "told without an interval**"
        )
    low, high = _grade(row["low"]), _grade(row["high"])
    if low == high:
        return f"**{what} {verb} {low}**"
    if row["low"] >= 0.8:
        return f"**{what} {verb} at least {low}**"
    if row["high"] < 0.8:
        return f"**{what} {verb} at best {high}**"
    return (
        f"**How reliable {what[0].lower()}{what[1:]} {verb} cannot be told "
        f"from this table** (anything from {low} to {high})"
    )


def _grade(coefficient):
    return next(g for least, g in _GRADES.items() if coefficient >= least)


def _with_interval(row):
    if row["low"] != row["low"]:
        return f"{row['estimate']:.3f} (no interval: {row['note']})"
    return f"{row['estimate']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def _of_the_best(best):
    """How reliable the collection is where people look."""
    *steps, systems = best.index
    if not steps:
        return None
    half = min(steps, key=lambda n: abs(n - systems / 2))
    few = 20 if 20 in steps else half
    row, whole = best.loc[few], best.iloc[-1]
    both = row["generalizability"], whole["generalizability"]
    if not np.isfinite(both).all():
        return None
    return (
        f"Among the best {few} of the {systems} systems generalizability "
        f"is {of_best(row)}, among all {whole['generalizability']:.2f}. "
        "The first is on the low side: they were chosen by these scores."
    )


def _out_of_reach(required):
    """Targets that no number of topics reaches, with what stops them."""
    stopped = required[required["topics"].isna()]
    for coefficient, rows in stopped.groupby("coefficient", sort=False):
        note = rows["note"].iloc[0]
        why = note[max(note.find("its ceiling"), 0) :]
        *more, last = [f"{target:.2f}" for target in rows["target"]]
        targets = " or ".join(filter(None, [", ".join(more), last]))
        yield (
            f"No number of topics brings {coefficient} to {targets}: "
            f"{as_text(why)}"
        )


def _reached(required, collection):
    rows = required[required["coefficient"] == "generalizability"]
    rows = rows.dropna(subset="topics")
    if rows.empty:
        return None
    steps = []
    for row in rows.itertuples():
        limits = f"[{row.low:.0f} to {whole(row.high)}]"
        limits = "[no interval]" if row.low != row.low else limits
        topics = count(int(row.topics), "topic")
        steps.append(f"{row.target:.2f} with {topics} {limits}")
    begin, has = "Generalizability", f"{collection.cells.shape[1]}"
    each = collection.cells.count(axis=1).agg(["min", "max"]).unique()
    if each[0] < collection.cells.shape[1]:
        begin = "Without gaps, generalizability"
        has += f", a system {' to '.join(map(str, each))} of them"
    return f"{begin} reaches {', '.join(steps)}. The collection has {has}."


def _ranking(agreement, drawn):
    changed = (1 - agreement.tau) / 2
    return (
        f"The ranking: as many other {drawn} would rank the systems "
        f"with an expected Kendall's tau of {agreement.tau:.2f} "
        f"({agreement.low:.2f} to {agreement.high:.2f} in nine of ten "
        f"draws), that is with {changed:.0%} of the pairs changed; tau_AP, "
        f"which weighs the top most, {agreement.tau_ap:.2f}."
    )


def pairs_in_words(board, wide):
    """How many pairs are told apart, and what would take more topics.

    Parameters
    ----------
    board : Leaderboard
    wide : DataFrame, systems x topics

    Returns
    -------
    str
    """
    return (
        f"Told apart at p < {board.alpha:g}: **{board.told_apart:.0%}** of "
        f"all pairs ({board.test}, adjusted for their number by Holm's "
        f"method). {_detectable(wide)}"
    )


def _detectable(wide):
    """What difference these topics show, and topics that show another."""
    seen = detectable_difference(wide)
    if seen <= 0:
        return ""
    least, most = wide.min(axis=None), wide.max(axis=None)
    unit = 1 if least >= 0 and most <= 1 else most - least
    one, other = (unit * difference for difference in DIFFERENCES)
    study = gstudy(wide, "system x topic")
    return (
        f"A true difference of {seen:.2g} between two systems would be "
        "significant in four of five collections of this size, for half of "
        "the pairs (paired t-test of one pair, p < 0.05). For a pair of "
        f"average spread, a difference of {one:.2g} takes "
        f"{topics_to_detect(study, one):,} topics, one of {other:.2g} "
        f"takes {topics_to_detect(study, other):,} topics (power .8)."
    )


def _one_coin(collection, g):
    """Whether all scores are 0 or 1, and each cell has one."""
    binary = collection.cells.stack().isin((0, 1)).all()
    return binary and g.design.labels[-1] == "system x topic"


def _second_run(plan):
    """What another score of 0 or 1 in each cell would show.

    Scores with the probabilities p have the error variance p(1 - p) in a
    cell, and two of them differ with the probability 2p(1 - p).
    """
    true, error = plan.universe_score, plan.relative_error
    if true <= 0:
        return None
    differ = 2 * plan.table.loc["system x topic", "variance"]
    return (
        "A second run would show which: run each item again, as a column "
        "`repetition` nested in the cells (`--design 'repetition:(system x "
        "topic)'`, in the names of your columns). If all of system x topic "
        f"is luck, the runs will differ in {min(differ, 1):.0%} of the "
        "cells, and generalizability will be "
        f"{true / (true + error / 2):.2f}. If none is, they will not "
        f"differ, and it stays at {plan.generalizability:.2f}."
    )


def _limit(plan, kind, one_coin=False):
    counted = plan.table["role"] == "relative error"
    total = plan.relative_error
    if kind == "absolute":
        counted |= plan.table["role"] == "absolute error only"
        total = plan.absolute_error
    if total <= 0:
        return f"There is no {kind} error at all in these scores."
    parts = plan.table.loc[counted, "mean_variance"]
    if kind == "relative" and plan.incidence is not None:
        parts = plan.table["relative_error"]
    effect = parts.idxmax()
    meaning = _MEANING.get(effect, "together with what is not explained")
    if one_coin and effect == "system x topic":
        meaning = _COIN
    if kind == "relative" and not counted[effect]:
        meaning = _GAPS
    what = "the differences" if kind == "relative" else "the scores"
    share = f"{parts[effect] / total:.0%} of the {kind} error"
    if len(parts) == 1:
        share = "the only error of theirs that this table can show"
    return (
        f"What limits {what} most is **{as_text(effect)}**, {share}: "
        f"{meaning}."
    )


def odd(items, systems):
    """What is said of topics that do not order systems as others do.

    Parameters
    ----------
    items : DataFrame of `item_analysis`
    systems : int

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    said = []
    variance = items["variance"]
    alike = items.index[variance <= 1e-12 * variance.max()]
    if len(alike):
        said.append(
            f"**All systems score alike** on {count(len(alike), 'topic')}: "
            f"{named(alike)}. Such a topic tells nothing about "
            "their differences."
        )
    if systems < 4:
        return said
    table = odd_topics(items, systems)
    if table.empty:
        return said
    found = table.index[table["p_value"] < 0.05]
    if len(found):
        said.insert(
            0,
            "**Topics that order the systems against the rest**, the worst "
            f"first: {named(found)}. Chance does not explain so "
            f"low a correlation, of any of the {len(items)} topics (p < "
            "0.05 by Holm's method), nor how much the topics differ in "
            "this. Read them before anything else: wrong judgments, an "
            "ambiguous request, or a different kind of task?",
        )
    negative, expected = items["negative"].sum(), _expected(table, systems)
    if negative and not len(found):
        meaning = "None is so far below zero that chance cannot explain it."
        if scipy.stats.poisson.sf(negative - 1, expected) < 0.05:
            meaning = (
                "So some topics order the systems differently, though of "
                "no single one is it sure that it orders them against the "
                "rest. Families of systems that suit different topics are "
                "enough to make this. Read the lowest first."
            )
        said.append(
            f"{_below_zero(items)}; if all ordered the {systems} systems "
            f"alike, about {_digits(expected)} would be expected. {meaning}"
        )
    elif not negative:
        which = " on which systems differ" * bool(len(alike))
        lowest = table["corrected_item_total"].iloc[0]
        said.append(
            f"Every topic{which} correlates above zero with the rest; the "
            f"lowest is {named(table.index[:1])}, at {lowest:.2f}."
        )
    return said


def _negative(items, systems):
    """Of topics below zero, in short."""
    if systems < 4:
        return f"{_below_zero(items)}."
    table = odd_topics(items, systems)
    sure = int((table["p_value"] < 0.05).sum())
    return (
        f"{_below_zero(items)}, where about "
        f"{_digits(_expected(table, systems))} would if all ordered the "
        f"systems alike. Of {sure or 'none'} of them is it sure that it "
        "orders them against the rest."
    )


def _below_zero(items):
    number = int(items["negative"].sum())
    verb = "correlates" if number == 1 else "correlate"
    return f"{count(number, 'topic')} {verb} below zero with the rest"


def _expected(table, systems):
    """Topics below zero by chance, if all order the systems alike."""
    median = table["corrected_item_total"].median()
    middle = np.clip(median, -0.999, 0.999)
    t = middle * sqrt((systems - 2) / (1 - middle**2))
    return len(table) * scipy.special.stdtr(systems - 2, -t)


def _digits(number):
    return f"{number:.{2 * (number < 1)}f}"
