"""The page of a report: one template, filled with numbers and figures."""

import json
from collections.abc import Callable, Mapping
from importlib import metadata
from math import floor, log10
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jinja2 import Environment
from markupsafe import Markup

from gtaudit.beside_people import Judged
from gtaudit.board import (
    board_table,
    describe_order,
    list_ranks,
)
from gtaudit.collection import INCOMPLETE
from gtaudit.display import inline_html, minus
from gtaudit.drawings import (
    FIRST,
    Axis,
    Rows,
    draw_curve,
    draw_rows,
    shorten,
)
from gtaudit.machine_sentences import describe_machines, machine_tables
from gtaudit.new_systems import describe_judgments, judgment_tables
from gtaudit.nouns import Nouns
from gtaudit.planning import present_numbers
from gtaudit.repetitions import describe_repetitions
from gtaudit.results import curve_table
from gtaudit.sentences import describe_alike, describe_odd_topics
from gtaudit.sites import describe_draws
from gtaudit.study import (
    Answered,
    Complete,
    JudgesAnswered,
    OneAnswered,
    Short,
)
from gtaudit.verdict import ENOUGH, TARGET
from gtlib.checks import count_noun
from gtlib.version import __version__
from gtlib.visible import visible

_TEMPLATE = Path(__file__).with_name("report.html")

# Other systems that are drawn beside one, and those in its table.
_BESIDE, _PAIRS = 40, 20

# The level at which two systems are told apart.
_LEVEL = 0.05

# How far to the right a curve goes, in present numbers of topics.
_FAR = 5

# How numbers of a column are written.
Format = str | Callable[[Any], str]

_LIMITS = ["estimate", "low", "high"]

# Where a share is drawn.
_SHARES = Axis(0.0, 1.0)


class Table(NamedTuple):
    """A table as it is shown: all is text, and the last column drawn."""

    heads: list[str]
    rows: list[tuple[str, list[str]]]
    drawn: Rows | None = None


class Seen(NamedTuple):
    """A table whose intervals are drawn, and all numbers of it."""

    table: Table | None
    numbers: Table


class Part(NamedTuple):
    """A part of the variance, and what it is coloured by."""

    label: str
    begin: float
    share: float
    kind: str


def make_page(
    study: Complete | Short, title: str, facts: Mapping[str, Any]
) -> str:
    """Return the page of a report.

    Parameters
    ----------
    study : Complete, OneAnswered or JudgesAnswered
        Of `gtaudit.study.complete`.
    title : str
    facts : dict
        What the report was made from.
    """
    environment = Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["md"] = lambda text: Markup(inline_html(text))
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    if isinstance(study, OneAnswered):
        first: Short | Answered = study
        parts = _of_one(study)
    elif isinstance(study, JudgesAnswered):
        first = study
        parts = _of_judges(study.found, study.collection.nouns)
    else:
        first = study.first
        parts = _of_several(study)
    doubts = len(first.audited.doubts)
    page = template.render(
        **parts,
        title=title,
        n=first.collection.nouns,
        verdicts=first.verdicts,
        audited=first.audited,
        doubts=doubts and count_noun(doubts, "doubt"),
        version=__version__,
        book=_book(),
        run=facts["run"],
        provenance=json.dumps(facts, indent=2, ensure_ascii=False),
    )
    return visible(page, kept="\n")


def _book():
    """Where the book is on the web; empty while the package names none."""
    try:
        named = metadata.metadata("gtlib-ir").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # a source tree, not installed
        named = []
    addresses = dict(line.split(", ", 1) for line in named)
    return addresses.get("Book", "")


def _of_one(study: OneAnswered) -> dict[str, Any]:
    """Return what a page on one system shows."""
    collection, repeated = study.collection, study.repeated
    nouns = collection.nouns
    if repeated is None:  # its only run says nothing of others
        return {}
    parts = {
        "repeated": describe_repetitions(repeated, nouns),
        "choices": _choices(repeated, "± of the mean", nouns),
    }
    if repeated.passes is not None:
        rows = repeated.passes.set_index("k")[_LIMITS]
        parts["passes"] = as_table(rows.rename("pass^{}".format))
    if len(repeated.flips):
        flip = collection.cells.iloc[0][repeated.flips.index]
        names = flip.index.to_series().astype(str)
        shown = names.groupby(flip.round(3)).agg(["size", ", ".join])
        shown = shown.rename("{:.3f}".format)
        titles = {"size": nouns.topics, "join": "which"}
        parts["flips"] = as_table(shown.rename(columns=titles))
    return parts


def _of_judges(found: Judged, nouns: Nouns) -> dict[str, Any]:
    """Return what a page on judges beside people shows."""
    rows = found.every_agreement
    parts: dict[str, Any] = {"judged": found, "agreed": as_table(rows)}
    shown = rows.loc[rows["low"].notna(), _LIMITS]
    if len(shown):
        kinds = [
            "best" if j == found.judge else "other" for j in shown.index
        ]
        parts["agreeing"] = _drawn(shown, kinds, "agreeing")
    if len(found.ranking):
        parts["ranked"] = as_table(found.ranking)
    if len(found.means):
        parts["means"] = _means_of_judges(found.means, nouns)
    if len(found.errors):
        wrong = found.errors.set_index(["judge", "mark"])
        shown = wrong[["human_marks"]].assign(
            otherwise=_with_ends(wrong[_LIMITS])
        )
        titles = {
            "human_marks": "human marks",
            "otherwise": "judge marks otherwise",
        }
        parts["wrong"] = as_table(shown.rename(columns=titles))
    return parts


def _means_of_judges(means, nouns):
    """Tabulate the means of each judge, or of each system by each."""

    own = ["human_mean", "human_low", "human_high"]
    shown = pd.DataFrame(
        {
            nouns.topics: means["items"],
            "human marks": means["human_marks"],
            "judge alone": means["judge_mean"],
            "people alone": _with_ends(means[own]),
            "people with its help": _with_ends(means[_LIMITS]),
            "correlation": means["correlation"],
        }
    )
    systems = [means["system"]] if means["system"].any() else []
    return as_table(shown.set_index([means["judge"], *systems]))


def _with_ends(rows):
    """Write each estimate with its limits."""
    form = "{:z.2f} [{:z.2f}, {:z.2f}]".format
    return [form(*row).replace("nan", "–") for row in rows.to_numpy()]


def _of_several(study: Complete) -> dict[str, Any]:
    """Return what a page on several systems shows."""
    first = study.first
    collection, asked = first.collection, first.asked
    parts = {
        **_standings(study),
        **_further(study),
        "gaps": _gaps(first.gaps),
        "findings": study.findings,
        "measures": _measures(study),
    }
    if first.several:
        found = first.coefficients
        parts["coefficients"] = Seen(
            _drawn(found[_LIMITS], [*found.index], "both", _SHARES),
            as_table(found[[*_LIMITS, "method"]]),
        )
        parts["coefficient_notes"] = [*filter(None, found["note"].unique())]
        if found["low"].notna().any():
            parts["draws"] = describe_draws(collection)
        parts["alpha"] = collection.describe_part(study.alpha_said)
        parts |= _variance(study) | _curve(study)
    elif asked.budget or asked.cost:
        parts["not_planned"] = True
    if study.best is not None:
        few = study.best.iloc[:: max(1, len(study.best) // 5)]
        few = few.set_index("systems") if "systems" in few else few
        few = few[["generalizability", "low", "high"]]
        kinds = ["generalizability"] * len(few)
        parts["best"] = Seen(
            _drawn(few, kinds, "best", _SHARES), as_table(few)
        )
    return parts


def _drawn(
    rows: pd.DataFrame,
    kinds: list[str],
    name: str,
    axis: Axis | None = None,
    zero: float | None = None,
) -> Table:
    """Tabulate rows, with their limits drawn and not written."""
    ends = rows[["low", "high", rows.columns[0]]]
    drawn = draw_rows(ends, kinds, name, axis, zero)
    shown = as_table(rows.drop(columns=["low", "high"]))
    names, cells = zip(*shown.rows, strict=True)
    short = [*zip(shorten([*names]), cells, strict=True)]
    return Table(shown.heads, short, drawn)


def _standings(study):
    """Return the board, who stands beside one, and what to do next."""
    first = study.first
    collection, board = first.collection, study.board
    nouns, table = collection.nouns, board.table
    numbers = board_table(board)
    if collection.uneven:
        numbers["scores"] = collection.observations
    shown = table.head(FIRST)
    kinds = ["best" if may else "other" for may in shown["may_be_best"]]
    rows = shown[["mean", "low", "high"]].assign(ranks=list_ranks(shown))
    parts: dict[str, Any] = {
        "board": Seen(_drawn(rows, kinds, "board"), as_table(numbers)),
        "hidden": len(table) - len(numbers),
    }
    best = int(table["may_be_best"].sum())
    note = "the only one" if best == 1 else f"the {best}"
    note = f"filled: {note} that may be best"
    if len(shown) < len(table):
        note += f"; {len(shown)} of {len(table)} shown"
    level = f"{board.confidence_level:.0%}"
    parts["board_note"] = f"{level} intervals and ranks; {note}"
    if first.several:
        parts["order"] = describe_order(board, nouns)
        scale = 1 if first.asked.cost else len(table)
        parts["actions"] = _actions(study.actions, scale)
        parts["priced"] = first.asked.cost
    if first.asked.baseline or not first.several:
        parts["pairs"] = _pairs(first.pairs, first.several)
        baseline = first.pairs["b"].iloc[0]
        parts["pairs_note"] = (
            f"Mean of each {nouns.one_system} less that of {baseline}, "
            "with 95% intervals, each by itself: other "
            f"{nouns.list_facets(board.drawn)} are drawn anew, the same "
            "for both. Filled: told apart"
            f"{', all rows together' * first.several} (p < {_LEVEL})."
        )
    if first.slices is not None:
        parts |= _slices(first)
    repeated = study.repeated
    if repeated is not None:
        parts["repeated"] = describe_repetitions(repeated, nouns)
        parts["choices"] = _choices(repeated, "± of a difference", nouns)
        if repeated.passes is not None:
            rows = repeated.passes
            rows = rows.assign(said=_with_ends(rows[_LIMITS]))
            shown = rows.pivot_table("said", "system", "k", "first")
            shown = shown.loc[table.index]
            parts["passes"] = as_table(
                shown.rename(columns="pass^{}".format)
            )
    return parts


def _variance(study):
    """Return the parts of the variance, and their numbers."""
    collection = study.first.collection
    found, nouns = collection.study, collection.nouns
    colors = {nouns.topic: "topic", nouns.assessor: "assessor"}
    parts: list[Part] = []
    begin = 0.0
    shares = found.table["percent"].fillna(0) / 100
    for effect in found.design.effects:
        others = effect.facets - {found.design.object}
        mine = [color for facet, color in colors.items() if facet in others]
        kind = mine[0] if len(mine) == 1 else "further"
        if not others:
            kind = "system"
        elif len(others) < len(effect.facets):
            kind += " half"
        share = shares[effect.label]
        label = effect.label.replace(" x ", " × ")
        parts.append(Part(label, begin, share, kind))
        begin += share
    numbers = study.components[["estimate", "low", "high"]].assign(
        share=shares,
        df=found.table["df"],
        mean_square=found.table["mean_square"],
    )
    numbers = numbers.set_axis([part.label for part in parts])
    numbers = numbers.dropna(axis="columns", how="all")
    exact = _exact(numbers[["estimate", "low", "high"]])
    formats = dict.fromkeys(("estimate", "low", "high"), exact)
    formats |= {"df": "{:,.0f}", "share": "{:.2f}"}
    if "mean_square" in numbers:
        formats["mean_square"] = _exact(numbers["mean_square"])
    titles = {"low": "from", "high": "to", "mean_square": "mean square"}
    table = as_table(numbers, formats)
    heads = [titles.get(head, head) for head in table.heads]
    notes = "\n".join(found.notes).replace("(-", "(−")
    for label in sorted(shares.index, key=len, reverse=True):
        notes = notes.replace(label, label.replace(" x ", " × "))
    return {
        "parts": parts,
        "variance": table._replace(heads=heads),
        "notes": notes.split("\n"),
    }


def _exact(numbers):
    """Return the format that shows four digits of the largest number."""
    largest = numbers.abs().max(axis=None)
    digits = 3 - floor(log10(largest)) if largest > 0 else 3
    return f"{{:z,.{max(digits, 0)}f}}" if digits < 13 else "{:.3e}"


def _curve(study):
    """Return what more topics would bring, drawn and in numbers."""
    first = study.first
    collection = first.collection
    topic, plan = collection.nouns.topic, collection.plan
    within = " and ".join(sorted(plan.design.nesting[topic]))
    noun = collection.nouns.topics + (f" of each {within}" * bool(within))
    required = study.required
    targets = required["target"].map(" {:.2f}".format)
    ends = required[["low", "high"]]
    shown = required[["topics"]].join(ends.where(ends < np.inf))
    shown.index = required["coefficient"] + targets
    shown = shown.set_axis([noun, "from", "to"], axis="columns")
    parts = {"required": as_table(shown, dict.fromkeys(shown, "{:,.0f}"))}
    number = present_numbers(plan).get(topic)
    if number is None or topic in plan.fixed:
        return parts
    settled = None
    remedy = first.verdicts.answers[-1].remedy
    if remedy is not None and remedy.facet == topic:
        settled = number + remedy.levels
        settled = settled if settled <= _FAR * number else None
    now = first.coefficients.loc["generalizability", _LIMITS].astype(float)
    now.name = number
    most = max(2 * number, 1.15 * (settled or 0))
    tables = first.coefficients, required
    curve = curve_table(plan, topic, most, *tables)
    drawn = draw_curve(curve, now, TARGET, settled, noun)
    return parts | {"curve": drawn}


def _further(study):
    """Return what is shown of judgments, machines and topics."""
    first = study.first
    collection, audited = first.collection, first.audited
    nouns, wide = collection.nouns, collection.wide
    parts: dict[str, Any] = {}
    if audited.judged is not None:
        parts["judgments"] = describe_judgments(audited.judged, nouns)
        tables = judgment_tables(audited.judged)
        parts["judgment_tables"] = _focusable(tables)
    if audited.machines is not None:
        parts["machines"] = describe_machines(audited.machines, nouns)
        tables = machine_tables(audited.machines, nouns)
        parts["machine_tables"] = _focusable(tables)
    if study.items is not None:
        odd = describe_odd_topics(study.items, len(wide), nouns)
        odd += describe_alike(wide, first.board.table.index, nouns)
        parts["odd"] = [*map(collection.describe_part, odd)]
        columns = {"mean": "mean", "corrected_item_total": "correlation"}
        rounded = study.items["corrected_item_total"].round(9)
        order = rounded.sort_values(kind="stable").index[:8]
        lowest = study.items.loc[order, [*columns]]
        parts["items"] = as_table(lowest.rename(columns=columns))
    elif first.several and wide is None:
        parts["incomplete"] = INCOMPLETE
    if study.reuse is not None:
        parts["reuse_said"] = study.reuse.verdict
        parts["reuse"] = as_table(study.reuse.table)
    return parts


def _choices(repeated, error, nouns):
    """Tabulate what further runs, or further topics, would leave."""
    titles = {"half_width": error, "price": "price"}
    titles |= {"topics": nouns.topics, "runs": "runs of each"}
    shown = repeated.choices.rename(columns=titles)
    formats: dict[str, Format] = dict.fromkeys(shown, "{:,.0f}")
    return as_table(shown, formats | {error: "{:.3f}"})


def _gaps(gaps):
    if gaps is None:
        return None
    titles = {
        "new_scores": "scores to make",
        "lost_scores": "scores thrown away",
    }
    shown = gaps.rename(columns=titles)
    formats = dict.fromkeys(shown.columns[2:], "{:z.3f}")
    formats |= dict.fromkeys(titles.values(), "{:,.0f}")
    return as_table(shown, formats)


def _actions(actions, scale):
    """Tabulate what could be done; a price counts so many times."""
    titles = {
        "price": "price",
        "half_width": "± of a difference",
        "worst_bias": "largest loss, left out",
    }
    columns = [k for k in titles if actions[k].notna().any()]
    shown = actions[columns].rename(columns=titles)
    shown["price"] *= scale
    formats = dict.fromkeys(shown, "{:.3f}") | {"price": "{:,.0f}"}
    return as_table(shown, formats)


def _pairs(pairs, several):
    """Draw the other systems beside one, and tabulate the first."""
    titles = {
        "difference": "difference",
        "low": "from",
        "high": "to",
        "p_value": "p alone",
        "p_adjusted": "p together",
        "effect_size": "standardized size",
        "same_order": "same order again",
    }
    if pairs.attrs["margin"]:
        titles |= {"at_least": "as good", "equivalent": "equivalent"}
    more = f"more {pairs.attrs['unit']}s"
    rows = pairs.head(_BESIDE).set_index("a")
    sure = rows["p_adjusted"] < _LEVEL
    kinds = ["best" if is_sure else "other" for is_sure in sure]
    rows = rows[["difference", "low", "high"]]
    drawn = _drawn(rows, kinds, "pairs", zero=0.0)
    shown = pairs.head(_PAIRS).set_index("a")
    shown = shown.rename(columns={**titles, "more": more})
    shown = shown[[*titles.values(), more]]
    if not several:  # then it is the p alone
        del shown["p together"]
    formats = dict.fromkeys(shown.select_dtypes(float), "{:z.3f}")
    return Seen(drawn, as_table(shown, formats | {more: "{:,.0f}"}, "none"))


def _slices(first):
    """Draw who is the best in each slice, and by how much."""
    table, nouns = first.slices, first.collection.nouns
    known = table[table["low"].notna()].head(_BESIDE)
    sure = known["answer"] == ENOUGH
    kinds = ["best" if is_sure else "other" for is_sure in sure]
    rows = known[["difference", "low", "high"]].set_axis(
        [f"{name}: {row['a']}" for name, row in known.iterrows()]
    )
    more = f"more {nouns.topics}"
    shown = table.head(_PAIRS)
    shown = shown.rename(columns={"topics": nouns.topics, "more": more})
    shown = shown.dropna(axis="columns", how="all")
    formats = dict.fromkeys(shown.select_dtypes(float), "{:z.3f}")
    formats[more] = "{:,.0f}"
    drawn = _drawn(rows, kinds, "slices", zero=0.0) if len(rows) else None
    return {
        "slices_by": table.index.name,
        "slices": Seen(drawn, as_table(shown, formats)),
    }


def _measures(study):
    """Tabulate several measures; None of one."""
    first = study.first
    nouns = first.collection.nouns
    if not first.several or len(first.audited.measures) < 2:
        return None
    names = {
        "topics_for_target": f"{nouns.topics} for {TARGET:g}",
        "topics_as_first": f"{nouns.topics} to equal the first",
        "tau_ap": "tau_AP",
    }
    table = study.by_measure.rename(columns=names)
    kinds = ["generalizability"] * len(table)
    needed = names["topics_for_target"]
    few = table[["generalizability", "low", "high", needed, "tau"]]
    return Seen(_drawn(few, kinds, "measures"), as_table(table))


def as_table(
    frame: pd.DataFrame,
    formats: Mapping[str, Format] | None = None,
    na_rep: str = "–",
) -> Table:
    """Write a table as text, its numbers by default with three decimals.

    Examples
    --------
    >>> as_table(pd.DataFrame({"x": [0.5, None]}, ["a", "b"])).rows
    [('a', ['0.500']), ('b', ['–'])]
    """
    if formats is None:
        formats = dict.fromkeys(frame.select_dtypes(float), "{:z.3f}")
    columns = []
    for name in frame:
        form = formats.get(name, str)
        written = form.format if isinstance(form, str) else form
        values = [na_rep if pd.isna(v) else written(v) for v in frame[name]]
        if pd.api.types.is_numeric_dtype(frame[name]):
            values = [*map(minus, values)]
        columns.append(values)
    cells = map(list, zip(*columns, strict=True))
    keys = frame.index.to_frame(index=False).astype(str)
    names = keys.agg(", ".join, axis="columns")
    rows = zip(names, cells, strict=True)
    return Table([*map(str, frame)], [*rows])


def _focusable(html):
    """Let a table that scrolls be reached by keyboard, and write a true
    minus in it."""
    html = html.replace("<table", '<table tabindex="0"')
    return html.replace("<td>-", "<td>−").replace("[-", "[−")
