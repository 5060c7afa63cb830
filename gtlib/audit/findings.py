"""What the numbers of an audit say, in words."""

from gtlib.wording import as_text, some

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


def findings(g, coefficients, items, required, power):
    """The findings of an audit, the most important first.

    Parameters
    ----------
    g : GStudy
    coefficients : DataFrame of `coefficient_table`
    items : DataFrame of `item_analysis`, or None
    required : DataFrame of `required_table`
    power : DiscriminativePower, or None

    Returns
    -------
    list of str
        Sentences in Markdown.
    """
    plan = g.plan()
    said = [_differences(coefficients), _scores(coefficients)]
    if plan.universe_score > 0:
        said.insert(1, _ranking(plan.ranking_agreement()))
    said += [_limit(plan, "relative"), _limit(plan, "absolute")]
    said += [_wanted(required, plan)]
    if power is not None:
        said.append(
            f"On these topics **{power.power:.0%} of the pairs** of "
            "systems can be told apart (paired bootstrap, pair by pair, "
            f"p < {power.alpha:g}); it takes a difference of about "
            f"{power.required_difference:.3f}."
        )
    if items is not None:
        said.append(_odd_topics(items))
    for effect in g.negative:
        said.append(
            f"The variance of {effect} was estimated below zero. It is "
            "small beside its sampling error, and counts as zero."
        )
    return [sentence for sentence in said if sentence]


def _differences(coefficients):
    row = coefficients.loc["generalizability"]
    if row["estimate"] <= 0:
        return (
            "**The differences between systems cannot be trusted at all**: "
            "the systems' means differ no more than chance makes them "
            f"differ. Generalizability is {_with_interval(row)}."
        )
    grade = _grade(row["estimate"])
    return (
        f"**The differences between systems are {grade}**: "
        f"generalizability {_with_interval(row)}. That share of the "
        "variance of the mean scores is true difference between systems; "
        "the rest would change with other topics."
    )


def _ranking(agreement):
    changed = (1 - agreement.tau) / 2
    return (
        "**The ranking**: as many other topics would rank the systems "
        f"with an expected Kendall's tau of {agreement.tau:.2f} "
        f"({agreement.low:.2f} to {agreement.high:.2f} in nine of ten "
        f"draws), that is with {changed:.0%} of the pairs changed; tau_AP, "
        f"which weighs the top most, {agreement.tau_ap:.2f}."
    )


def _scores(coefficients):
    row = coefficients.loc["dependability"]
    if row["estimate"] <= 0:
        return None
    return (
        f"**A score by itself is {_grade(row['estimate'])}**: "
        f"dependability {_with_interval(row)}. This matters when a score "
        "is held against a standard, or against another collection."
    )


def _grade(coefficient):
    if coefficient >= 0.95:
        return "very reliable"
    if coefficient >= 0.9:
        return "reliable"
    if coefficient >= 0.8:
        return "fairly reliable"
    return (
        "not reliable" if coefficient < 0.7 else "of doubtful reliability"
    )


def _with_interval(row):
    if row["low"] != row["low"]:
        return f"{row['estimate']:.3f} (no interval: {row['note']})"
    return f"{row['estimate']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"


def _limit(plan, kind):
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
    what = "the differences" if kind == "relative" else "the scores"
    return (
        f"What limits {what} most is **{as_text(effect)}**, "
        f"{parts[effect] / total:.0%} of the {kind} error: {meaning}."
    )


def _wanted(required, plan):
    reached = required[
        (required["coefficient"] == "generalizability")
        & required["topics"].notna()
    ]
    if reached.empty:
        return None
    steps = [
        f"{row.target:.2f} with {row.topics} topics"
        for row in reached.itertuples()
    ]
    return (
        f"Generalizability reaches {', '.join(steps)}; the collection has "
        f"{plan.study.levels['topic']}."
    )


def _odd_topics(items):
    odd = items.index[items["negative"]]
    if len(odd) == 0:
        return "Every topic ranks the systems in the direction of the rest."
    return (
        "**Topics that order the systems against the rest**: "
        f"{as_text(some(odd))}, {len(odd)} of {len(items)}. Read them "
        "before anything else: wrong judgments, an ambiguous request, or a "
        "different kind of task?"
    )
