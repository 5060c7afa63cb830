"""The whole error budget of a collection, and what to judge next."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gtlib.audit.answer import losses_by
from gtlib.audit.judgments import Judgments
from gtlib.audit.numbers import planned
from gtlib.audit.unjudged import DEPTH, MORE, SYSTEMS
from gtlib.sources import UNJUDGED
from gtlib.study import GStudy
from gtlib.wording import as_text, count, html_table


@dataclass(frozen=True, eq=False)
class WholeBudget:
    """What is wrong with a difference of two systems, source by source.

    Attributes
    ----------
    sources : DataFrame, a row per source
        ``error``: standard deviation of a difference by this source;
        of a bias, how much lower a newcomer scores on average, and
        ``most``, at most. In the unit of the scores.
    spending : DataFrame
        As `Plan.next_judgments` gives it, for `MORE` judgments.
    notes : tuple of str
        What the numbers stand on, and what is missing.
    """

    sources: pd.DataFrame
    spending: pd.DataFrame
    notes: tuple[str, ...]


def whole_budget(g: GStudy, judged: Judgments) -> WholeBudget:
    """Put topics, assessors, unjudged documents and bias side by side.

    The scores hold the error of unjudged documents already, in the
    component system x topic, so that is split and the total stays.

    Parameters
    ----------
    g : GStudy
        Of the scores by the judgments' measure.
    judged : Judgments

    Raises
    ------
    ValueError
        If the study has no component for systems and topics.

    Examples
    --------
    >>> from gtlib import gstudy, read_runs, synthetic_runs
    >>> from gtlib.audit import study_judgments
    >>> lists, complete, _ = synthetic_runs(sites=3, topics=5)
    >>> scores = read_runs(lists, complete, "AP", report=None)
    >>> g = gstudy(scores.drop(columns="measure"))
    >>> found = whole_budget(g, study_judgments(lists, complete))
    >>> [*found.sources.index][:2]
    ['system x topic', 'unjudged documents']
    """
    pair = g.design.closure([g.design.object, "topic"])
    effect = next((e for e in g.design.effects if e.facets == pair), None)
    if effect is None:
        raise ValueError(
            f"The design {g.design} has no component for systems and "
            "topics together."
        )
    label = effect.label
    documents = max(1, round(judged.judged / judged.topics))
    believed = judged.unjudged or {documents: 0.0}
    now = next(iter(believed.values()))
    part = min(now, g.variance[label])
    scale = part / now if now else 0.0
    unjudged = {n: scale * value for n, value in believed.items()}
    rest = {**g.variance, label: g.variance[label] - part}
    plan = GStudy.from_components(g.design, rest).plan(
        levels=planned(g).levels, unjudged=part
    )
    error = plan.difference_errors().to_dict()
    if judged.unjudged:
        error.setdefault(UNJUDGED, 0.0)
    sources = pd.DataFrame({"error": error, "most": np.nan})
    for who, lost in losses_by(judged).items():
        row = f"bias against a new {who}"
        sources.loc[row, ["error", "most"]] = lost.mean(), lost.max()
    spending = plan.next_judgments(unjudged, documents, MORE)
    notes = [*_on_unjudged(judged, part < now), *_on_spending(spending)]
    return WholeBudget(
        sources.rename_axis("source"),
        spending.rename_axis("way"),
        tuple(notes),
    )


def _on_unjudged(judged, clipped):
    if not judged.unjudged:
        yield judged.unjudged_reason
        return
    yield (
        "The documents were judged without known probabilities, so what "
        "the others add is believed, not measured: from probabilities of "
        "relevance that a model learns from the runs (Carterette 2007), "
        f"on the first {DEPTH} documents of {SYSTEMS} runs at the most. "
        "Where it could be checked (chapter 13: two collections, 20 "
        "documents a topic from a pool) it was less than a tenth of the "
        "variance that was really missing. So read it as a lower bound: "
        "the row system x topic is then too large, and further documents "
        "are worth more than is said here. What lies deeper is not in it, "
        "and of several assessors the highest grade counts. It is taken "
        "out of the component system x topic, of which it is a part if "
        "what is missing has nothing to do with the topic's own effect."
    )
    yield (
        "Systems that were judged have biases against each other, too, "
        "which no number of topics averages away. Scores do not show "
        "them, and they are not in the table."
    )
    if clipped:
        yield (
            "The model leaves more open than the component system x topic "
            "holds; all of that stands with unjudged documents. Do not "
            "trust the split."
        )


def _on_spending(spending):
    others = spending.drop(index="now")
    if others.empty:
        yield f"{MORE:,} judgments are too few for any of these ways."
        return
    best = others["left"].idxmin()
    row = others.loc[best]
    if not row["left"] < WORTH:
        lost = (
            ""
            if "topics" in others.index
            else (" One more topic, judged as deeply as these, takes more.")
        )
        yield (
            f"{MORE:,} more judgments hardly change this error in any of "
            f"the ways that are compared.{lost}"
        )
        return
    number = int(row[best.removesuffix("s") if best in _PAID else best])
    bias = (
        "such judgments lower no bias that is the same on all topics"
        if best in _PAID
        else "deeper judgments may lower a bias, which is not counted"
    )
    yield (
        f"Of the ways that are compared, {MORE:,} more judgments are best "
        f"spent on {best}: with {as_text(count(number, best[:-1]))}"
        f"{' a topic' * (best == 'documents')} "
        f"{row['left']:.0%} of the relative error would be left. This "
        f"counts judgments only, not what a topic costs to develop; {bias}."
    )


_PAID = ("topics", "assessors")

WORTH = 0.99
"""The part of the error left by judgments that are not worth it."""


def budget_tables(found: WholeBudget) -> str:
    """Both tables for the report, as HTML."""
    sources = html_table(
        "What a difference of two systems' means is off by",
        found.sources,
        "Error: the standard deviation by this source alone. A bias is "
        "none: it lowers a newcomer beside those that were judged, by so "
        "much on average over those left out, and at most.",
        formats={"error": "{:.4f}", "most": "{:.4f}"},
    )
    whole = dict.fromkeys(found.spending.columns[:-2], "{:.0f}")
    spending = html_table(
        f"The next {MORE:,} judgments",
        found.spending,
        *found.notes,
        formats={**whole, "relative_error": "{:.3g}", "left": "{:.0%}"},
    )
    return sources + spending
