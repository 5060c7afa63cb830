"""Sentences and tables on machines' judgments, compared with people's."""

from collections.abc import Iterator

import numpy as np

from gtaudit.display import safe_names
from gtaudit.machines import ASSURANCE, Machines
from gtaudit.nouns import OURS, Nouns
from gtlib.checks import Format, count_noun, html_table
from gtlib.data import COVERAGE

# How many systems a table shows.
SHOWN = 5


def describe_machines(machines: Machines, nouns: Nouns = OURS) -> list[str]:
    """Return the sentences on machines and people, in Markdown."""
    n = nouns.markdown
    return [
        *_coverage(machines, n),
        *_agreement(machines, n),
        "**What this cannot show.** The people are those of these "
        f"judgments. Whether the machines knew the {n.topics} or the "
        "judgments from their training, no number here can tell; and "
        f"another {n.system} may be judged otherwise than these.",
    ]


def _name_panel(machines):
    if len(machines.panel) == 1:
        return safe_names(machines.panel)
    return f"the mean of {len(machines.panel)} judges"


def _with_interval(row, name):
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    interval = f"[{low:.2f}, {high:.2f}]"
    if np.isnan(low):
        interval = "(no interval)"
    return f"{row[name]:.2f} {interval}"


def _correlation(row, n):
    if np.isnan(row["correlation"]):
        return (
            f"have no correlation, as by one of them the {n.systems} "
            "differ no more than by chance"
        )
    return f"correlate {_with_interval(row, 'correlation')}"


def _population_interval(row, n):
    """The interval of the correlation over systems, if there is one."""
    low, high = row["population_low"], row["population_high"]
    if np.isnan(low):
        return ""
    return f"; with other {n.systems}, too, it is [{low:.2f}, {high:.2f}]"


def _coverage(machines: Machines, n: Nouns) -> Iterator[str]:
    judges = machines.judges
    panel = machines.panel
    share = judges["coverage"]
    sentence = (
        "**What was judged.** Of the documents that people judged, "
        f"{count_noun(len(judges), 'judge')} graded {_percent(share.min())}"
    )
    if share.min() < share.max():
        sentence += (
            f" ({safe_names([share.idxmin()])}) to {_percent(share.max())}"
        )
    sentence += ". What a judge did not grade counts as not relevant by it."
    for column, what in _UNUSED.items():
        number = int(judges[column].sum())
        if number:
            sentence += f" {what}: {count_noun(number, 'grade')}."
    left_out = judges.index.difference(panel, sort=False)
    if len(left_out):
        sentence += (
            f" What follows is without {safe_names(left_out)}, who graded "
            f"less than {COVERAGE:.0%}, less than others, or not every "
            f"{n.topic}."
        )
    yield sentence


_UNUSED = {
    "invalid": "Beyond people's scale, and counted as none",
    "elsewhere": "Of documents that people did not judge, and not used",
}


def _percent(share):
    """A share in percent; "all" only where it is all."""
    return "all" if share == 1 else f"{min(share, 0.999):.1%}"


def _agreement(machines: Machines, n: Nouns) -> Iterator[str]:
    (row,) = machines.together.to_dict("records")
    who = _name_panel(machines)
    if np.isnan(row["tau"]):
        yield (
            f"**The ranking.** Either people or judges tie all {n.systems}."
        )
        return
    yield (
        f"**The ranking.** That by {who} agrees with people's by a "
        f"Kendall's tau of {_with_interval(row, 'tau')} and a tau_AP of "
        f"{row['tau_ap']:.2f}."
    )
    yield (
        "**The limit.** The universe scores by people and by "
        f"{who} {_correlation(row, n)}{_population_interval(row, n)}. More "
        f"{n.topics}, or more judges of this kind, do not lift this. A "
        f"correlation over all {n.systems} is high where some are far "
        "below the rest. Most moves "
        f"{safe_names([row['system']])}, from rank {row['rank']} to "
        f"{row['new_rank']}."
    )


_TITLES = {
    "tau_ap": "tau_AP",
    "system": "moves most",
    "rank": "from",
    "new_rank": "to",
}


def machine_tables(machines: Machines, nouns: Nouns = OURS) -> str:
    """Return tables for the report, as HTML; `machines` has all rows."""
    return "".join(_tables(machines, nouns))


def _tables(machines, n):
    judges = machines.judges.sort_values("tau", ascending=False)
    columns = ["topics", "coverage", "invalid", "tau", "correlation"]
    columns += ["tau_ap", "system", "rank", "new_rank"]
    shown = judges[columns].rename(columns={**_TITLES, "topics": n.topics})
    for name in ("tau", "correlation"):
        rows = judges.to_dict("records")
        shown[name] = [_with_interval(row, name) for row in rows]
    formats: dict[str, Format] = {"tau_AP": "{:.2f}"}
    yield html_table(
        "Each judge beside people",
        shown,
        f"The scores are {machines.measure}. Correlation: of universe "
        "scores, whose estimate may exceed 1. Intervals speak of other "
        f"{n.topics}, these {n.systems} and this judge.",
        formats={"coverage": _percent, **formats},
    )
    if machines.human_topics.empty:
        return
    plans = machines.human_topics.set_index("of").drop(columns="sd")
    names = {"topics": f"{n.topics} by machine", "people": "by people"}
    yield html_table(
        f"{n.Topics} that people must judge",
        plans.rename(columns=names),
        "For an interval of ± the present half-width, or a narrower one, "
        f"in {ASSURANCE:.0%} of studies, of the median {n.system}'s mean "
        "or the median pair's difference, by the prediction-powered "
        f"estimate. People judge {n.topics} that are drawn at random. This "
        f"is planned for normal scores; skewed ones need more {n.topics}.",
        formats={"half_width": "{:.3f}", "correlation": "{:.2f}"},
    )
