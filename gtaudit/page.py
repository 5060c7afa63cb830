"""The page of a report: one template, filled with numbers and figures."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from gtaudit.board import (
    board_table,
    describe_order,
    describe_other_rows,
    describe_pairs,
    first_rows,
)
from gtaudit.collection import INCOMPLETE
from gtaudit.display import inline_html
from gtaudit.drawings import draw_board, draw_differences
from gtaudit.machine_sentences import describe_machines, machine_tables
from gtaudit.new_systems import describe_judgments, judgment_tables
from gtaudit.repetitions import describe_repetitions
from gtaudit.sentences import describe_alike, describe_odd_topics
from gtaudit.sites import describe_draws
from gtaudit.study import Answered, Complete, OneAnswered
from gtaudit.verdict import TARGET
from gtlib.checks import count_noun
from gtlib.version import __version__
from gtlib.visible import visible

_TEMPLATE = Path(__file__).with_name("report.html")

# The systems that the first figure shows, and other systems beside one.
_DRAWN, _BESIDE = 12, 40

# How numbers of a column are written.
Format = str | Callable[[Any], str]

_LIMITS = ["estimate", "low", "high"]


class Table(NamedTuple):
    """A table as it is shown: all is text."""

    heads: list[str]
    rows: list[tuple[str, list[str]]]
    corner: str = ""


def make_page(
    study: Complete | OneAnswered, title: str, facts: Mapping[str, Any]
) -> str:
    """Return the page of a report.

    Parameters
    ----------
    study : Complete or OneAnswered
        Of `gtaudit.study.complete`.
    title : str
    facts : dict
        What the report was made from.
    """
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["md"] = lambda text: Markup(inline_html(text))
    template = environment.from_string(_TEMPLATE.read_text("utf-8"))
    parts: dict[str, Any] = dict.fromkeys(_PARTS)
    if isinstance(study, OneAnswered):
        first: OneAnswered | Answered = study
        parts |= _of_one(study)
    else:
        first = study.first
        parts |= _of_several(study)
    doubts = len(first.audited.doubts)
    page = template.render(
        **parts,
        title=title,
        n=first.collection.nouns,
        verdicts=first.verdicts,
        audited=first.audited,
        doubts=doubts and count_noun(doubts, "doubt"),
        version=__version__,
        run=facts["run"],
        provenance=json.dumps(facts, indent=2, ensure_ascii=False),
    )
    return visible(page, kept="\n")


# What a template may show, None where it does not apply.
_PARTS = (
    *("board_drawn", "not_planned", "gaps", "board", "order", "repeated"),
    *("choices", "passes", "flips", "actions", "pairs", "beside"),
    *("differences_drawn", "judgments", "judgment_tables"),
    *("machines", "machine_tables", "coefficients", "draws", "findings"),
    "coefficient_notes",
    "prices_said",
    *("alpha", "best", "odd", "items"),
    *("incomplete", "variance", "measures", "reuse", "reuse_said"),
)


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
        columns = [*_LIMITS, "method"]
        parts["coefficients"] = as_table(first.coefficients[columns])
        notes = first.coefficients["note"].unique()
        parts["coefficient_notes"] = [*filter(None, notes)]
        if first.coefficients["low"].notna().any():
            parts["draws"] = describe_draws(collection)
        parts["alpha"] = collection.describe_part(study.alpha_said)
        parts["variance"] = _focusable(collection.study._repr_html_())
    elif asked.budget or asked.cost:
        parts["not_planned"] = True
    if study.best is not None:
        few = study.best.iloc[:: max(1, len(study.best) // 5)]
        few = few.set_index("systems") if "systems" in few else few
        parts["best"] = as_table(few[["generalizability", "low", "high"]])
    return parts


def _standings(study):
    """Return the board, who stands beside one, and what to do next."""
    first = study.first
    collection, board = first.collection, first.board
    nouns = collection.nouns
    parts: dict[str, Any] = {}
    if first.several:
        drawn = first_rows(board.table, _DRAWN)
        said = "Means with their intervals"
        if len(drawn) < len(board.table):
            said += f", of the first {len(drawn)} of {len(board.table)}"
        said += "; coloured are those that may be best."
        parts["board_drawn"] = draw_board(drawn, said, nouns.one_system)
        shown = board_table(board)
        if collection.uneven:
            shown["scores"] = collection.observations
        parts["board"] = as_table(shown)
        parts["order"] = [
            *describe_order(board, nouns),
            *describe_other_rows(board, nouns),
        ]
        scale = 1 if first.asked.cost else len(board.table)
        parts["actions"] = _actions(study.actions, scale)
        parts["prices_said"] = (
            "Prices are in the unit that was given."
            if first.asked.cost
            else f"A price is the scores that it takes, of all "
            f"{nouns.systems} together."
        )
    if first.asked.baseline and first.several:
        parts["beside"] = describe_pairs(study.pairs, board, nouns)
        baseline = study.pairs["b"].iloc[0]
        said = (
            f"Mean of each {nouns.one_system} less that of {baseline}, "
            "with 95% intervals, each by itself: other "
            f"{nouns.list_facets(board.drawn)} are drawn anew, the same "
            "for both."
        )
        parts["differences_drawn"] = draw_differences(
            study.pairs.head(_BESIDE), said, nouns.one_system
        )
    if first.asked.baseline or not first.several:
        parts["pairs"] = _pairs(study.pairs, first.several)
    repeated = study.repeated
    if repeated is not None:
        parts["repeated"] = describe_repetitions(repeated, nouns)
        parts["choices"] = _choices(repeated, "± of a difference", nouns)
        if repeated.passes is not None:
            rows = repeated.passes
            ends = zip(*(rows[name] for name in _LIMITS), strict=True)
            cells = ["{:.2f} [{:.2f}, {:.2f}]".format(*e) for e in ends]
            shown = rows.assign(said=cells).pivot_table(
                "said", "system", "k", aggfunc="first"
            )
            shown = shown.loc[board.table.index]
            parts["passes"] = as_table(
                shown.rename(columns="pass^{}".format)
            )
    return parts


def _further(study):
    """Return what is shown of judgments, machines and topics."""
    first = study.first
    collection, audited = first.collection, first.audited
    nouns, wide = collection.nouns, collection.wide
    parts: dict[str, Any] = {}
    if audited.judged is not None:
        said = describe_judgments(audited.judged, nouns)
        parts["judgments"] = _items_of(said)
        tables = judgment_tables(audited.judged)
        parts["judgment_tables"] = _focusable(tables)
    if audited.machines is not None:
        said = describe_machines(audited.machines, nouns)
        parts["machines"] = _items_of(said)
        tables = machine_tables(audited.machines, nouns)
        parts["machine_tables"] = _focusable(tables)
    if study.items is not None:
        odd = describe_odd_topics(study.items, len(wide), nouns)
        odd += describe_alike(wide, first.board.table.index, nouns)
        parts["odd"] = [*map(collection.describe_part, odd)]
        columns = {
            "mean": "mean",
            "corrected_item_total": "correlation",
            "alpha_if_dropped": "alpha without it",
        }
        rounded = study.items["corrected_item_total"].round(9)
        order = rounded.sort_values(kind="stable").index[:8]
        lowest = study.items.loc[order, [*columns]]
        parts["items"] = as_table(lowest.rename(columns=columns))
    elif first.several and wide is None:
        parts["incomplete"] = INCOMPLETE
    if study.reuse is not None:
        parts["reuse_said"] = study.reuse.verdict
        shown = study.reuse.table.round(4) + 0.0  # no negative zeros
        formats = dict.fromkeys(shown.select_dtypes(float), "{:.4f}")
        parts["reuse"] = as_table(shown, formats)
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
    """Tabulate the first systems beside one."""
    titles = {
        "difference": "difference",
        "low": "from",
        "high": "to",
        "p_value": "p alone",
        "p_adjusted": "p together",
        "effect_size": "standardized size",
        "same_order": "same order again",
    }
    more = f"more {pairs.attrs['unit']}s"
    shown = pairs.head(20).set_index("a")
    shown = shown.rename(columns={**titles, "more": more})
    shown = shown[[*titles.values(), more]]
    if not several:  # then it is the p alone
        del shown["p together"]
    formats = dict.fromkeys(shown.select_dtypes(float), "{:.3f}")
    return as_table(shown, formats | {more: "{:,.0f}"}, "none")


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
    return as_table(study.by_measure.rename(columns=names))


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
        columns.append(
            [na_rep if pd.isna(v) else written(v) for v in frame[name]]
        )
    cells = map(list, zip(*columns, strict=True))
    names = [", ".join(map(str, _levels(name))) for name in frame.index]
    rows = zip(names, cells, strict=True)
    return Table([*map(str, frame)], [*rows])


def _levels(name):
    return name if isinstance(name, tuple) else (name,)


def _items_of(markdown):
    """Return the items of a list in Markdown."""
    return [line.removeprefix("- ") for line in markdown.split("\n")]


def _focusable(html):
    """Let a table that scrolls be reached by keyboard."""
    return html.replace("<table", '<table tabindex="0"')
