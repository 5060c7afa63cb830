"""Whether a collection is fair to a new system: sentences and tables."""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from gtaudit.display import safe_names
from gtaudit.judgment_study import TOP, Judgments
from gtaudit.nouns import OURS, Nouns
from gtaudit.pooling import describe_pools
from gtlib.checks import as_text, html_table
from gtlib.data import load

# The number of runs that a table shows.
SHOWN = 5

# Shares of judged documents among a run's first `TOP`.
SEEN, TOO_FEW = 0.9, 0.5

# The most that a run may lose, as a share of what the topics leave
# uncertain.
MOST_LOST = 0.5

# The fewest runs from which leaving one out says something.
FEWEST = 3

_TITLES = {
    "group": "site",
    "unique_relevant": "unique",
    "score_without": "new score",
    "rank_without": "new rank",
}


def describe_judgments(
    judgments: Judgments, nouns: Nouns = OURS
) -> list[str]:
    """Return the reasons for `judge_newcomers`, in Markdown."""
    n = nouns.markdown
    return [
        describe_pools(judgments.pooling),
        *_losses(judgments, n),
        "**What this cannot show.** Runs that share methods find each "
        "other's documents, so a left-out run loses less than "
        f"{n.a_system} of a new kind would; and as far as runs that are "
        "not here had what seems unique, the losses are overstated.",
        _further_judgments(),
    ]


def losses_if_left_out(judgments: Judgments) -> dict[str, pd.Series]:
    """Return the loss of each run that is left out of the judging, alone or
    with its site, where there are enough of them."""
    return {
        who: _lost(table) for who, table in _left_out(judgments).items()
    }


def judge_newcomers(
    judgments: Judgments, nouns: Nouns = OURS
) -> tuple[str, str]:
    """Return whether the collection is fair to a system that comes later,
    and why.

    It is enough if no run that is left out of the judging loses more than
    `MOST_LOST` of what the topics leave uncertain, and every run has
    `SEEN` of its first `TOP` documents judged. It is not enough if a run
    loses more, or if half of the runs have fewer than `TOO_FEW` judged.
    Where no run loses more, but not every run's first documents are
    judged, it cannot be told.

    Returns
    -------
    tuple of str
        ``"enough"``, ``"not enough"`` or ``"cannot be told"``; and the
        reason, in Markdown, as the end of a sentence.
    """
    n = nouns.markdown
    share = judgments.runs[f"judged_at_{TOP}"]
    losses = losses_if_left_out(judgments).values()
    if not losses or not judgments.noise > 0:
        reason = (
            f"it takes scores that differ, two {n.topics} and "
            f"{FEWEST} runs that contributed to the judgments to see what "
            "one run is to the others"
        )
        if judgments.pooling.depth is None:
            reason = (
                "the judgments do not show which runs they were made from"
            )
        return "cannot be told", f": {reason}."
    if share.median() < TOO_FEW:
        return "not enough", (
            f": half of the runs have less than {TOO_FEW:.0%} of their "
            f"first {TOP} documents judged."
        )
    largest = max(0, *(loss.max() for loss in losses))
    worst_loss = largest / judgments.noise
    losses_are_small = worst_loss <= MOST_LOST
    tops_are_judged = share.min() >= SEEN
    answer = "not enough"
    if losses_are_small:
        answer = "enough" if tops_are_judged else "cannot be told"
    losing = "no run loses" if losses_are_small else "a run may lose"
    judged_runs = (
        "every run has" if tops_are_judged else "not every run has"
    )
    link = "and" if losses_are_small == tops_are_judged else "but"
    return answer, (
        f": left out of the judging {losing} more than half of what the "
        f"{n.topics} leave uncertain (at most {worst_loss:.0%} of it), "
        f"{link} {judged_runs} at least {SEEN:.0%} "
        f"of its first {TOP} documents judged."
    )


def _left_out(judgments):
    """Return the tables of runs and of sites that were left out, where
    there are `FEWEST` of them."""
    tables = {"run": judgments.left_out, "site": judgments.sites_left_out}
    return {
        who: table
        for who, table in tables.items()
        if table is not None and table["group"].nunique() >= FEWEST
    }


def _lost(table):
    """Return what each score loses; 0 where the loss is a rounding
    error."""
    lost = table["score"] - table["score_without"]
    return lost.where(lost.abs() > 1e-9, 0)


def _losses(judgments: Judgments, n: Nouns) -> Iterator[str]:
    for who, table in _left_out(judgments).items():
        losses = _lost(table)
        lower = "no lower for any that contributed"
        if losses.max() > 0:
            most = safe_names([losses.idxmax()])
            lower = (
                f"lower by {losses.mean():.3f} on average and by "
                f"{losses.max():.3f} at most ({most})"
            )
        moved = (table["rank_without"] - table["rank"]).abs().max()
        changes = "no rank changes"
        if moved:
            changes = f"ranks change by up to {moved}"
        yield (
            f"**A {who} left out.** If what only it contributed had not "
            f"been judged, the {as_text(judgments.measure)} of a run would "
            f"be {lower}; {changes}. The "
            f"{n.topics} leave the difference of two runs uncertain by "
            f"±{judgments.noise:.3f} (95%, the median pair)."
        )


def _further_judgments():
    """Say how further documents are best chosen, from a replay."""
    replay: Any = load("judged-next")
    replay = replay[replay["share"] == 1]
    left = replay.groupby("way")["error"].mean().map("{:.3f}".format)
    collections = replay["collection"].nunique()
    return (
        f"**If more is judged.** On {collections} public collections, "
        f"{replay['seed'].nunique()} times each, as many judgments again "
        f"brought the error of a difference from {left['before']}, on "
        f"average, to {left['stratified']} where they were a stratified "
        "sample of the first 100 documents of all runs and were scored as "
        f"a sample; to {left['further runs']} where they were the tops of "
        f"runs that had not been pooled; and to {left['agreed']} where "
        "they were the documents on which most runs agree (the "
        "chapter “What unjudged documents do”)."
    )


def judgment_tables(judgments: Judgments) -> str:
    """Return tables for the report, as HTML; `judgments` has all rows."""
    tables = []
    for who, table in _left_out(judgments).items():
        if _lost(table).max() > 0:
            tables.append(_left_out_table(judgments, who, table))
    return "".join(tables)


def _left_out_table(judgments, who, table):
    table = table.assign(change=-_lost(table)).sort_values("change")
    columns = ["unique_relevant", "score", "change", "rank", "rank_without"]
    if who != "run":
        columns.insert(0, "group")
    shown = table[columns].head(SHOWN)
    return html_table(
        f"Without the contributions of one {who}",
        shown.rename(columns=_TITLES),
        f"The largest losses. Unique: relevant documents that no other "
        f"{who} has among its first {judgments.pooling.depth}. Only what "
        "is left out is scored anew, and ranked among the others as they "
        "are.",
        formats={"score": "{:.3f}", "change": "{:+z.3f}"},
    )
