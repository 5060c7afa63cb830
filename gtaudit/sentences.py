"""Sentences on the numbers of an audit, with their uncertainty."""

from contextlib import suppress
from math import isnan

import numpy as np

from gtaudit.display import safe_names
from gtaudit.nouns import OURS, count_noun, plural
from gtaudit.planning import describe_levels, free_plan
from gtlib.checks import as_text, with_article
from gtlib.ctt import odd_topics

# The number of best systems on which alike topics are looked for.
_BEST = 5

# How `Plan.required` begins where no number is enough.
_UNREACHED = "No number of "


def findings(collection, coefficients, required, told_apart, cost=None):
    """Say what stands behind the answers.

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    required : DataFrame of `required_table`
    told_apart : float
        The share of pairs that are told apart.
    cost : mapping of str to float, optional
        As in `Plan.best`.

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    gaps = _describe_gaps(collection)
    if len(collection.cells) == 2:
        return [*filter(None, [gaps])]
    sentences = [
        _describe_differences(coefficients, told_apart, collection)
    ]
    sentences.append(gaps)
    if collection.plan.universe_score > 0:
        sentences.append(_describe_ranking(collection))
    note = coefficients.loc["generalizability", "note"].split("; ")[-1]
    if "too few" in note:
        sentences.append(f"Beware: {as_text(note)}.")
    free = free_plan(
        collection.study, collection.fixed, collection.nouns.topic
    )
    sentences += _describe_unreached(required, free, cost, collection.nouns)
    for kind in ("relative", "absolute"):
        sentences.append(_describe_limit(collection, kind))
    return [*filter(None, sentences)]


def _describe_gaps(collection):
    """Describe the scores that are missing; None if there are none."""
    if not collection.uneven:
        return None
    incidence = as_text(collection.study.incidence)
    sentence = f"The scores are uneven: there are {incidence}."
    if collection.cells.notna().all(axis=None):
        return sentence
    return (
        f"{sentence} What follows is of the "
        f"{collection.nouns.markdown.systems}' means, and right if a score "
        "is missing for no reason that has to do with how it would have "
        "turned out."
    )


def _describe_differences(coefficients, told_apart, collection):
    """Describe how many pairs of systems are told apart, and the share of
    true differences."""
    systems, drawn = collection.nouns.markdown.systems, collection.drawn
    row = coefficients.loc["generalizability"]
    if row["estimate"] <= 0:
        return (
            f"**These {drawn} cannot tell the {systems} apart**: chance "
            f"alone makes means differ as much. The {systems} may still "
            f"differ. Generalizability is {_with_interval(row)}."
        )
    return (
        f"**{told_apart:.0%} of all pairs of {systems} are told apart** "
        f"(Holm's method). Generalizability is {_with_interval(row)}: that "
        "share of the variance of the mean scores is true difference "
        f"between {systems}; the rest would change with other {drawn}."
    )


def _with_interval(row):
    if isnan(row["low"]):
        note = as_text(row["note"])
        return f"{row['estimate']:.3f} (no interval: {note})"
    return f"{row['estimate']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def _describe_unreached(required, free, cost, nouns=OURS):
    """Describe targets that no number of topics reaches.

    Of each coefficient the least such target is named, with what is in its
    way, and with the cheapest numbers of all facets that reach it. Both
    coefficients share a sentence if the same effects are in their way.
    """
    table = required[required["note"].str.startswith(_UNREACHED)]
    table = table.drop_duplicates("coefficient")
    reason = table["note"].str.extract(r": (.+?)\.?(?:; |$)")[0]
    without_numbers = reason.str.replace(r"[\d.%]+", "", regex=True)
    for _, rows in table.assign(why=reason).groupby(
        without_numbers, sort=False
    ):
        targets = rows["target"].map(" to {:.2f}".format)
        goals = rows["coefficient"] + targets
        first = rows.iloc[0]
        ceiling = f"the ceiling of {first['coefficient']}"
        why = first["why"].replace("its ceiling", ceiling)
        yield (
            f"{_UNREACHED}{nouns.markdown.topics} brings "
            f"{', nor '.join(goals)}: "
            f"{as_text(why.replace(' x ', ' × '))}."
            f"{_describe_alternatives(rows, free, cost, nouns.topic)}"
        )


def _describe_alternatives(rows, free, cost, topic):
    """End a sentence with the cheapest numbers of all facets that reach
    targets, if any do."""
    if {*free.bounds} == {topic, *free.fixed}:
        return ""
    designs = []
    for name, target in rows[["coefficient", "target"]].to_numpy():
        with suppress(ValueError):
            plan = free.cheapest(target, cost, coefficient=name)
            levels = describe_levels(plan.levels, free)
            designs.append(f"{name} {target:.2f} with {as_text(levels)}")
    if not designs:
        return " Nor do any other numbers."
    return f" With all numbers free, the cheapest: {'; '.join(designs)}."


def _describe_ranking(collection):
    agreement = collection.agreement
    changed = (1 - agreement.tau) / 2
    return (
        f"The ranking: as many other {collection.drawn} would rank the "
        f"{collection.nouns.markdown.systems} with an expected Kendall's "
        f"tau of {agreement.tau:.2f} "
        f"({agreement.low:.2f} to {agreement.high:.2f} in nine of ten "
        f"draws), that is with {changed:.0%} of the pairs changed; tau_AP, "
        f"which weighs the top most, {agreement.tau_ap:.2f}."
    )


def _describe_limit(collection, kind):
    plan = collection.plan
    n = collection.nouns.markdown
    counted = plan.table["role"] == "relative error"
    total = plan.relative_error
    if kind == "absolute":
        counted |= plan.table["role"] == "absolute error only"
        total = plan.absolute_error
    if total <= 0:
        return f"There is no {kind} error at all in these scores."
    parts = plan.table.loc[counted, "mean_variance"]
    if plan.incidence is not None and kind == "relative":
        parts = plan.table["relative_error"]
    total = parts.sum()  # where what is negative is shown as zero
    effect = parts.idxmax()
    meaning = _describe_effect(plan, effect, collection.nouns)
    crossed = len(plan.design.facets) == 2 and effect == plan.design.text
    if crossed and collection.cells.stack().isin((0, 1)).all():
        meaning = (
            f"how {n.a_system} fares on {n.a_topic} and the luck of a "
            "single run, which one score of 0 or 1 a cell cannot tell "
            f"apart. More {n.topics} reduce both"
        )
    if kind == "relative" and not counted[effect]:
        meaning = f"not every {n.system} was scored on the same ones"
    what = "the differences" if kind == "relative" else "the scores"
    share = f"{parts[effect] / total:.0%} of the {kind} error"
    if len(parts) == 1:
        share = "the only error of theirs that this table can show"
    effect = as_text(effect.replace(" x ", " × "))
    return f"What limits {what} most is **{effect}**, {share}: {meaning}."


def _describe_effect(plan, label, nouns):
    """Describe what a component means, and what makes its error
    smaller."""
    design = plan.design
    effect = next(e for e in design.effects if e.label == label)
    free = effect.facets - {design.object}
    others = [f for f in design.facets if f in free]
    nests = {n for f in others for n in design.nesting[f]}
    facets = " and ".join(f"the {f}" for f in others if f not in nests)
    within = [with_article(f) for f in others if f in nests]
    if within:
        facets += f" of {' and '.join(within)}"
    n = nouns.markdown
    if design.object not in effect.facets:
        return (
            f"scores depend on {as_text(facets)}, those of every "
            f"{n.system} alike. It does not disturb the ranking, only what "
            "a score means by itself"
        )
    added = [f for f in others if f not in plan.fixed]
    remark = "" if nouns.topic in added else f"; more {n.topics} do not"
    more = " or ".join(map(plural, added))
    return (
        f"which {n.systems} do well depends on {as_text(facets)}. More "
        f"{as_text(more)} reduce it{remark}"
    )


def describe_odd_topics(items, systems, nouns=OURS):
    """Describe the topics that do not order systems as others do.

    Parameters
    ----------
    items : DataFrame of `item_analysis`
    systems : int
    nouns : Nouns, optional

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    n = nouns.markdown
    sentences = []
    variance = items["variance"]
    equal = items.index[variance <= 1e-12 * variance.max()]
    if len(equal):
        sentences.append(
            f"**All {n.systems} score alike** on "
            f"{count_noun(len(equal), n.topic)}: {safe_names(equal)}. Such "
            f"{n.a_topic} tells nothing about their differences."
        )
    if systems < 4:
        return sentences
    table = odd_topics(items, systems)
    if table.empty:
        return sentences
    odd = table.index[table["p_value"] < 0.05]
    if len(odd):
        sentences.insert(
            0,
            f"**{n.Topics} that order the {n.systems} against the rest**, "
            f"the worst first: {safe_names(odd)}. Chance does not explain "
            f"so low a correlation, of any of the {len(items)} {n.topics} "
            f"(p < 0.05 by Holm's method), nor how much the {n.topics} "
            "differ in this. Read them before anything else: wrong "
            "judgments, an ambiguous request, or a different kind of task?",
        )
    return sentences


def describe_alike(wide, ranking, nouns=OURS):
    """Describe the topics on which the best systems all score alike.

    Parameters
    ----------
    wide : DataFrame, systems x topics
        Without gaps.
    ranking : Index of systems, the best first
    nouns : Nouns, optional

    Returns
    -------
    list of str
        A sentence in Markdown, if there are such topics and twice as many
        systems as the best `_BEST`.
    """
    n = nouns.markdown
    best = wide.loc[ranking[ranking.isin(wide.index)][:_BEST]]
    if len(wide) < 2 * _BEST:
        return []
    alike, of_all = (
        int((np.ptp(table.to_numpy(), axis=0) == 0).sum())
        for table in (best, wide)
    )
    if not alike:
        return []
    return [
        f"**The best {_BEST} {n.systems} score alike** on {alike:,} of "
        f"{count_noun(wide.shape[1], n.topic)} (all {len(wide)} on "
        f"{of_all:,}): these tell nothing about which of the {_BEST} is "
        "better."
    ]
