"""What machines' judgments, held beside people's, say in words."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from gtapps.audit.machines import TOP, Machines
from gtlib.collections import COVERAGE
from gtlib.tables import Format, as_text, count, html_table, some

# How many systems a table shows.
SHOWN = 5


def machines_in_short(found: Machines) -> str:
    """How machines and people rank the systems, in one sentence."""
    (row,) = found.together.to_dict("records")
    if np.isnan(row["tau"]):
        return ""
    universe = _correlation(row)
    return (
        f"Machines as judges: {_panel(found)} and people rank the systems "
        f"with a Kendall's tau of {_limited(row, 'tau')}; their "
        f"universe scores {universe} (95% intervals over topics): see "
        "Machines as judges."
    )


def machines_in_words(found: Machines) -> str:
    """What the comparison of machines and people says, in Markdown."""
    reasons = [*_coverage(found), *_agreement(found), *_plans(found)]
    reasons.append(
        "**What this cannot show.** The people are those of these "
        "judgments. Whether the machines knew the topics or the judgments "
        "from their training, no number here can tell; and another system "
        "may be judged otherwise than these."
    )
    return "\n".join(f"- {reason}" for reason in reasons)


def _panel(found):
    if len(found.panel) == 1:
        return as_text(some(found.panel))
    return f"the mean of {len(found.panel)} judges"


def _limited(row, name, digits=2):
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    if np.isnan(low):
        return f"{row[name]:.{digits}f} (no interval)"
    return f"{row[name]:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _correlation(row):
    if np.isnan(row["correlation"]):
        return (
            "have no correlation, as by one of them the systems differ no "
            "more than by chance"
        )
    return f"correlate {_limited(row, 'correlation')}"


def _coverage(found: Machines) -> Iterator[str]:
    judges, panel = found.judges, found.panel
    least = judges["coverage"].idxmin()
    share = judges.loc[least, "coverage"]
    said = (
        "**What was judged.** Of the documents that people judged, "
        f"{count(len(judges), 'judge')} graded "
        f"{_percent(judges['coverage'].min())}"
    )
    if share < judges["coverage"].max():
        said += (
            f" ({as_text(some([least]))}) to "
            f"{_percent(judges['coverage'].max())}"
        )
    said += ". What a judge did not grade counts as not relevant by it."
    invalid, elsewhere = judges[["invalid", "elsewhere"]].sum()
    if invalid:
        said += (
            f" Beyond people's scale, and counted as none: "
            f"{count(int(invalid), 'grade')}."
        )
    if elsewhere:
        said += (
            " Of documents that people did not judge, and not used: "
            f"{count(int(elsewhere), 'grade')}."
        )
    left = [name for name in judges.index if name not in panel]
    if left and judges.loc[panel[0], "coverage"] >= COVERAGE:
        said += (
            f" The mean is without {as_text(some(left))}, who graded less "
            f"than {COVERAGE:.0%} or not every topic."
        )
    elif share < COVERAGE:
        said += (
            f" No judge graded {COVERAGE:.0%}: what follows speaks of "
            f"{as_text(some(panel))}, who graded most."
        )
    yield said


def _percent(share):
    """All of it only where it is all."""
    return "all" if share == 1 else f"{min(share, 0.999):.1%}"


def _agreement(found: Machines) -> Iterator[str]:
    (row,) = found.together.to_dict("records")
    who = _panel(found)
    if np.isnan(row["tau"]):
        yield (
            "**The ranking.** Either people or the judges tie all systems."
        )
        return
    said = (
        f"**The ranking.** That by {who} agrees with people's by a "
        f"Kendall's tau of {_limited(row, 'tau')} and a tau_AP of "
        f"{row['tau_ap']:.2f}."
    )
    if not np.isnan(row["tau_top"]):
        said += (
            f" Among people's best {TOP} tau is {_limited(row, 'tau_top')}"
        )
    if row["kept"] is not None:
        kept = f"{row['kept']} of them are among the best {TOP} here."
        said += (
            f"; {kept}"
            if not np.isnan(row["tau_top"])
            else (f" Of people's best {TOP}, {kept}")
        )
    if len(found.judges) > 1:
        tau = found.judges["tau"]
        said += (
            f" Of single judges the lowest tau is {tau.min():.2f} "
            f"({as_text(some([tau.idxmin()]))}), the highest "
            f"{tau.max():.2f} ({as_text(some([tau.idxmax()]))})."
        )
    yield said
    yield (
        "**The limit.** The universe scores by people and by "
        f"{who} {_correlation(row)}. More topics, or more judges of this "
        "kind, do not lift this. A correlation over all systems is high "
        "where some are far below the rest."
    )
    moved = found.systems.loc[row["system"]]
    if not moved["shift"]:
        yield "**Shifts.** No system changes its rank."
        return
    yield (
        f"**Shifts.** {as_text(some([row['system']]))} moves most, from "
        f"rank {row['rank']} by people to {row['new_rank']} "
        f"(by {moved['shift']:+.0f}, and by {moved['low']:+.0f} to "
        f"{moved['high']:+.0f} with other topics). It was chosen as the "
        "largest shift; some of that is chance. Whatever agrees "
        "imperfectly with people also brings first and last systems "
        "nearer to the middle."
    )


def _plans(found: Machines) -> Iterator[str]:
    plans = found.human_topics
    if plans.empty:
        return
    for of, rows in plans.groupby("of", sort=False):
        first = rows.iloc[0]
        what = "mean" if of == "mean" else "difference"
        whose = "system" if of == "mean" else "pair of systems"
        none = pd.notna(first["people"]) and (
            first["people"] >= first["people_alone"]
        )
        yield (
            f"**Topics to keep for a {what}.** {first['people_alone']} "
            f"topics by people alone leave the {what} of the median "
            f"{whose} uncertain by ±{first['half_width']:.3f} (95%). If "
            f"{_panel(found)} had {first['topics']} topics, people would "
            f"have to judge {_kept(first)} of them for the same, drawn at "
            "random (by the prediction-powered estimate). Scores by people "
            "and machine correlate over topics "
            f"by {first['correlation']:.2f} (the median)."
            + " By that estimate the machine saves no topic."
            * bool(none)
        )


def _kept(row):
    if pd.isna(row["people"]):
        return "more than all"
    high = "no limit" if row["high"] == np.inf else f"{row['high']:.0f}"
    low = "no limit" if row["low"] == np.inf else f"{row['low']:.0f}"
    return f"{row['people']} [{low} to {high}]"


def machine_tables(found: Machines) -> str:
    """Tables for the report, as HTML; in `found` they have all rows."""
    judges = found.judges.assign(
        **{
            name: [
                _limited(r, name) for r in found.judges.to_dict("records")
            ]
            for name in ("tau", "tau_top", "correlation")
        }
    )
    columns = {
        "topics": "topics",
        "coverage": "coverage",
        "invalid": "invalid",
        "tau": "tau",
        "correlation": "correlation",
        "tau_ap": "tau_AP",
        "tau_top": f"tau of best {TOP}",
        "kept": "kept",
        "system": "moves most",
        "rank": "from",
        "new_rank": "to",
    }
    order = found.judges["tau"].sort_values(ascending=False).index
    shown = judges.loc[order, [*columns]].rename(columns=columns)
    formats: dict[str, Format] = {"coverage": _percent}
    formats |= {"tau_AP": "{:.2f}", "kept": "{:.0f}"}
    text = [
        html_table(
            "Each judge beside people",
            shown,
            f"The scores are {found.measure}. Correlation: of universe "
            "scores, whose estimate may exceed 1. Kept: how many of "
            f"people's best {TOP} are the judge's. Intervals speak of "
            "other topics, these systems and this judge.",
            formats=formats,
        )
    ]
    moved = found.systems.reindex(
        found.systems["shift"].abs().sort_values(ascending=False).index
    ).head(SHOWN)
    names = {"mean": "by people", "new_mean": "by machines"}
    numbers = dict.fromkeys(names.values(), "{:.4f}")
    numbers |= dict.fromkeys(("shift", "low", "high"), "{:+.0f}")
    text.append(
        html_table(
            "The largest shifts",
            moved.rename(columns=names),
            "Ranks gained where machines judge, with limits for other "
            "topics, each system by itself.",
            formats=numbers,
        )
    )
    if not found.human_topics.empty:
        plans = found.human_topics.assign(
            people=[_kept(r) for _, r in found.human_topics.iterrows()]
        )
        plans = plans.drop(columns=["sd", "low", "high"]).set_index("of")
        names = {"topics": "topics by machine", "people": "by people"}
        text.append(
            html_table(
                "Topics that people must judge",
                plans.rename(columns=names),
                "For an interval of ± the half-width, of the median "
                "system's mean or the median pair's difference, over all "
                "topics that might have been drawn. The first half-width "
                "is the present one.",
                formats={"half_width": "{:.3f}", "correlation": "{:.2f}"},
            )
        )
    return "".join(text)
