"""What the judgments of a collection say to somebody with a new system."""

import numpy as np
import pandas as pd

from gtlib.audit.judgments import DEPTHS, TOP, Judgments
from gtlib.wording import as_text, html_table, some

SHOWN = 5
"""How many runs a table shows."""

ENOUGH, TOO_FEW = 0.9, 0.5
"""Shares of judged documents among a run's first `TOP`."""

FEWEST = 3
"""Runs from which leaving one out says something."""

BOUNDED = ("P", "RBP", "RR", "Success")
"""Measures that depend on nothing but what the run retrieves."""

_TITLES = {
    **{f"judged_at_{k}": f"first {k}" for k in DEPTHS},
    "first_hole": "first hole",
    "topics_with_hole": f"topics with a hole in {TOP}",
    "group": "site",
    "unique_relevant": "unique relevant",
    "score": "score",
    "score_without": "new score",
    "rank": "rank",
    "rank_without": "new rank",
    "score_if_relevant": "if the rest were relevant",
}


def answer(found: Judgments) -> str:
    """Whether the collection serves a new system, in Markdown.

    Yes takes three things: no run that is left out of the judging loses
    more than what the topics leave uncertain, every run has `ENOUGH` of
    its first `TOP` documents judged, and there are `FEWEST` runs.

    Examples
    --------
    >>> from gtlib import synthetic_runs
    >>> from gtlib.audit.judgments import study_judgments
    >>> lists, complete, _ = synthetic_runs(sites=3, topics=5)
    >>> print(answer(study_judgments(lists, complete, "P@10"))[:69])
    **Can I use this collection for my new system?** As far as these numb
    """
    share = found.runs[f"judged_at_{TOP}"]
    return "\n".join(
        [
            "**Can I use this collection for my new system?** "
            f"{_verdict(found, share)}",
            "",
            *_losses(found),
            f"- **Holes at the top.** Of the first {TOP} documents of the "
            f"median run {share.median():.1%} are judged, of every run at "
            f"least {share.min():.1%} ({_name(share.idxmin())}). What is "
            "said here speaks of a new system with a share like theirs "
            f"(`Judged@{TOP}` in ir_measures).",
            _condensed(found),
            _bounds(found),
            _limits(found),
        ]
    )


def _verdict(found, share):
    left_out = _left_out(found)
    if not left_out or np.isnan(found.noise):
        return (
            "**These numbers cannot tell**: it takes two topics and "
            f"{FEWEST} runs to see what one of them is to the others."
        )
    if share.median() < TOO_FEW:
        return (
            "**Not by these judgments alone**: half of the runs have less "
            f"than {TOO_FEW:.0%} of their first {TOP} documents judged."
        )
    losses = [_lost(table).max() for table in left_out.values()]
    kept = max(losses) <= found.noise
    judged = share.min() >= ENOUGH
    lost = (
        "no run that is left out of the judging loses more than what the "
        "topics leave uncertain"
        if kept
        else "a run that is left out of the judging can lose more than "
        "what the topics leave uncertain"
    )
    top = (
        f"every run has {ENOUGH:.0%} of its first {TOP} documents judged"
        if judged
        else f"not every run has {ENOUGH:.0%} of its first {TOP} documents "
        "judged"
    )
    if kept and judged:
        head = (
            "As far as these numbers go, **yes, for a system like these**"
        )
    elif kept or judged:
        head = "**With caution**"
    else:
        head = "**Not without further judgments**"
    also = "and" if kept == judged else "but"
    return f"{head}: {lost}, {also} {top}."


def _left_out(found):
    """The tables of who was left out, if there are enough of them."""
    tables = {"run": found.left_out, "site": found.sites_left_out}
    return {
        who: table
        for who, table in tables.items()
        if table is not None and table["group"].nunique() >= FEWEST
    }


def _lost(table):
    return table["score"] - table["score_without"]


def _losses(found):
    for who, table in _left_out(found).items():
        lost = _lost(table)
        places = table["rank_without"] - table["rank"]
        moved = int((places != 0).sum())
        ranks = (
            f"{moved} of {len(table)} change rank, by up to "
            f"{places.abs().max()}"
            if moved
            else "none changes its rank"
        )
        yield (
            f"- **A {who} left out.** If what only it contributed had not "
            f"been judged, {as_text(found.measure)} of a run would fall by "
            f" {lost.mean():.4f} on average and by {lost.max():.4f} at "
            f"most ({_name(lost.idxmax())}); {ranks}. For comparison: the "
            "topics leave the difference of two runs uncertain by "
            f"±{found.noise:.4f} (95%, the median pair)."
        )


def _condensed(found):
    said = [
        f"{as_text(name)} {row['tau']:.3f}"
        for name, row in found.unjudged_left_out.iterrows()
    ]
    return (
        "- **Without the unjudged documents.** Kendall's tau with the "
        f"ranking by {as_text(found.measure)}: {'; '.join(said)}."
    )


def _bounds(found):
    wide = found.runs["score_if_relevant"] - found.runs["score"]
    said = (
        "- **If the rest were relevant.** If whatever a run retrieves and "
        "nobody judged were relevant, and not the contrary, its mean would "
        f"be higher by {wide.median():.3f} (the median run), at most by "
        f"{wide.max():.3f} ({_name(wide.idxmax())}). "
        f"{found.bounds_apart:.0%} of the pairs of runs are so far apart "
        "that this cannot change their order"
    )
    if found.measure.partition("@")[0].partition("(")[0] in BOUNDED:
        return f"{said}."
    return (
        f"{said}, as far as it goes: a measure like "
        f"{as_text(found.measure)} depends also on relevant documents that "
        "nobody retrieved, so these are no strict bounds."
    )


def _limits(found):
    sites = (
        ""
        if found.sites_left_out is not None
        else " Sites (`--sites`) would show what is lost if all runs of a "
        "site are left out."
    )
    return (
        "- **What this cannot show.** Runs that share methods find each "
        "other's documents, so that a left-out run loses less than a "
        "system of a new kind would: no number here speaks of relevant "
        f"documents that no run retrieves.{sites} On the other hand, "
        f"{found.judged_elsewhere:,} of the {found.judged:,} judged "
        "documents come from elsewhere than the tops of these runs. As far "
        "as runs that are not here also had what seems unique, the losses "
        "are overstated."
    )


def _name(system):
    return as_text(some([system]))


def judgment_tables(found: Judgments) -> str:
    """Tables for the report, as HTML; in `found` they have all rows."""
    shown = [_share_table(found)]
    for who, table in _left_out(found).items():
        shown.append(_left_out_table(found, who, table))
    return "".join([*shown, _unjudged_table(found), _bounds_table(found)])


def _share_table(found):
    runs = found.runs.drop(columns=["score", "score_if_relevant"])
    runs = runs.sort_values(f"judged_at_{TOP}", kind="stable")
    quarters = runs.quantile([0.25, 0.5, 0.75], interpolation="nearest")
    names = ["lower quartile", "median", "upper quartile"]
    shown = pd.concat([runs.head(SHOWN), quarters.set_axis(names)])
    return html_table(
        "Judged documents among the first ones of a run",
        shown.rename(columns=_TITLES),
        dict.fromkeys((_TITLES[name] for name in shown), "{:.1%}")
        | {"first hole": _rank},
        f"The {len(shown) - 3} runs with the smallest shares of the first "
        f"{TOP}, and the quartiles of all {len(runs)}, column by column. "
        "The first hole is the rank of the first document that nobody "
        "judged, the median over topics.",
    )


def _left_out_table(found, group, table):
    change = -_lost(table)
    table = table.assign(change=change).loc[change.sort_values().index]
    shown = table.head(SHOWN)
    if group == "run":
        shown = shown.drop(columns="group")
    depth = (
        "all that it retrieves, as these judgments do not show how deep "
        "the pools were"
        if found.pool_depth is None
        else f"those down to rank {found.pool_depth}, as half of all lists "
        "are judged without a hole so far"
    )
    return html_table(
        f"What a run loses if its {group} had not contributed",
        shown.rename(columns=_TITLES),
        dict.fromkeys(["score", "new score"], "{:.4f}")
        | {"change": "{:+.4f}"},
        f"The {len(shown)} runs with the largest losses. Unique is what no "
        f"other {group} has; the documents of a {group} are {depth}. Only "
        f"runs of the {group} are scored anew, and ranked among the others "
        "as they are (Zobel 1998).",
    )


def _unjudged_table(found):
    shown = found.unjudged_left_out
    return html_table(
        "Measures that leave out what was not judged",
        shown.set_axis(["tau", "largest move", "rank", "new rank"], axis=1),
        {"tau": "{:.3f}"},
        f"Tau is that of their ranking with the one by {found.measure}.",
    )


def _bounds_table(found):
    columns = ["score", "score_if_relevant"]
    shown = found.runs.sort_values("score", ascending=False)[columns]
    return html_table(
        f"{found.measure} of the best runs, and if the rest were relevant",
        shown.head(SHOWN).rename(columns=_TITLES),
        dict.fromkeys((_TITLES[name] for name in columns), "{:.4f}"),
    )


def _rank(rank):
    return f"{rank:.0f}" if np.isfinite(rank) else "none"
