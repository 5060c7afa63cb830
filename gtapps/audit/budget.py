"""The whole error budget of a collection, and what to judge next."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from gtapps.audit.judgment_study import Judgments
from gtapps.audit.new_systems import losses_by
from gtapps.audit.results import planned
from gtapps.audit.unjudged import DEPTH, MORE, SYSTEMS
from gtlib.dstudy import UNJUDGED
from gtlib.gtheory import GStudy
from gtlib.tables import as_text, count, html_table


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
    >>> from gtlib import gstudy, read_runs
    >>> from gtapps.simulations import synthetic_runs
    >>> from gtapps.audit import study_judgments
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
    depth = max(1, round(judged.judged / judged.topics))
    believed = judged.unjudged or {depth: 0.0}
    documents, now = next(iter(believed.items()))
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
    notes = [
        *_on_unjudged(judged, part < now, error, label),
        *[ONE_OPINION] * ("assessor" not in g.design.facets),
        *_on_spending(spending, len(believed) > 1),
    ]
    return WholeBudget(
        sources.rename_axis("source"),
        spending.rename_axis("way"),
        tuple(notes),
    )


def _on_unjudged(judged, clipped, error, label):
    if not judged.unjudged:
        yield judged.unjudged_reason
        return
    total = sum(sd**2 for sd in error.values()) or 1.0
    out = error.get(label, 0.0) ** 2 / total
    left_in = out + error[UNJUDGED] ** 2 / total
    yield (
        "What unjudged documents add is believed, not measured: by a model "
        f"(Carterette 2007), on the first {DEPTH} documents of {SYSTEMS} "
        "runs at the most. Where it could be checked (chapter 13, two "
        "collections) it was less than a tenth of what was really missing: "
        "read it as a lower bound. It is taken out of system x topic as if "
        "it had nothing to do with the scores, which chapter 13 refutes "
        f"for pools (with all errors taken out, {REFUTED} more than the "
        f"true part was left). Taken out, {as_text(label)} is {out:.0%} of "
        f"the variance; left in, {left_in:.0%}. Biases of the judged "
        "systems against each other are not in the table."
    )
    if clipped:
        yield (
            "The model leaves more open than the component system x topic "
            "holds; all of that stands with unjudged documents. Do not "
            "trust the split."
        )


# By so much more than the true one, on the two collections of chapter 13.
REFUTED = "31 to 69%"

# Where one assessor judged.
ONE_OPINION = (
    "One set of judgments does not show how another assessor would have "
    "judged. That error is not in the table, and more topics do not remove "
    "what of it favours a system."
)


def _on_spending(spending, deeper):
    others = spending.drop(index="now")
    if deeper and "documents" not in others.index:
        yield (
            "More documents a topic are not among the ways that are "
            "compared: assessors judged different numbers of topics."
        )
    if others.empty:
        yield f"{MORE:,} judgments are too few for any of these ways."
        return
    best = others["left"].idxmin()
    row = others.loc[best]
    if not row["left"] < WORTH:
        lost = " One more topic, judged as deeply as these, takes more."
        lost *= "topics" not in others.index
        yield (
            f"{MORE:,} more judgments hardly change this error in any of "
            f"the ways that are compared.{lost}"
        )
        return
    deep = best == "documents"
    number = int(row[best if deep else best.removesuffix("s")])
    yield (
        f"Of the ways that are compared, {MORE:,} more judgments are best "
        f"spent on {best}: with {as_text(count(number, best[:-1]))}"
        f"{' a topic' * deep} {row['left']:.0%} of the relative error "
        "variance would be left. This counts judgments, not what a topic "
        f"costs to develop, and no bias{', which may fall' * deep}."
    )
    gain = 1 - others["left"]
    if best == "topics" and gain.get("documents", 0) > 0:
        yield (
            "Further documents would be better than topics if "
            f"{gain['topics'] / gain['documents']:.0f} times as much is "
            "missing as the model believes."
        )


# What it is in words: not the standard deviation of a difference.
VARIANCE = "relative error variance"

# The part of the error left by judgments that are not worth it.
WORTH = 0.99


def budget_tables(found: WholeBudget) -> str:
    """Both tables for the report, as HTML."""
    bias = found.sources.index.str.startswith("bias")
    error = found.sources["error"].where(~bias)
    shown = pd.DataFrame(
        {
            "error": error,
            "share": error**2 / max((error**2).sum(), 1e-300),
            "mean": found.sources["error"].where(bias) + 0.0,
            "most": found.sources["most"] + 0.0,
        }
    )
    sources = html_table(
        "What a difference of two systems' means is off by",
        shown,
        "Error: the standard deviation by this source alone; share: of "
        "the variance by all of them. A bias is neither: it lowers a "
        "newcomer beside those that were judged, by so much on average "
        "over those left out, and at most.",
        formats={"error": "{:.4f}", "share": "{:.1%}"}
        | dict.fromkeys(["mean", "most"], "{:.4f}"),
    )
    whole = dict.fromkeys(found.spending.columns[:-2], "{:.0f}")
    spending = html_table(
        f"The next {MORE:,} judgments",
        found.spending.rename(columns={"relative_error": VARIANCE}),
        *found.notes,
        formats={**whole, VARIANCE: "{:.3g}", "left": "{:.0%}"},
    )
    return sources + spending
