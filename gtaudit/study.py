"""All numbers of an audit: first those that answer, then the others.

The command prints the answers as soon as it has them; `complete` takes as
long again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import pandas as pd

from gtaudit.actions import advise, documents_to_judge
from gtaudit.audit_data import AuditData
from gtaudit.beside_people import (
    Judged,
    Marks,
    price_of_a_mark,
    study_judges,
    verdict_of_judges,
)
from gtaudit.board import (
    add_borda,
    audit_leaderboard,
    best_systems_on_board,
    compare_systems,
)
from gtaudit.collection import Collection
from gtaudit.comparison import (
    measure_table,
)
from gtaudit.gaps import gap_remedies
from gtaudit.one_system import OneSystem, study_one_system, verdict_of_one
from gtaudit.repetitions import Repetitions, study_repetitions
from gtaudit.results import (
    as_json_values,
    coefficient_table,
    describe_alpha,
    required_table,
)
from gtaudit.sentences import findings
from gtaudit.sites import block_design
from gtaudit.slices import study_slices
from gtaudit.verdict import TARGET, Verdicts, give_verdicts
from gtlib.ctt import item_analysis
from gtlib.reuse import ReusabilityReport, reusability_test
from gtlib.scores import Interval
from gtlib.swaps import Leaderboard

_PAIR = ["a", "b", "difference", "low", "high", "p"]
_WITHIN = ["at_worst", "at_best", "at_least", "equivalent"]


@dataclass(frozen=True)
class Asked:
    """What is asked of the numbers.

    Attributes
    ----------
    cost : dict of str to float, optional
        Prices; of judgments without them.
    budget : float, optional
        What may be spent in all; a fifth more than now without it.
    baseline : str, optional
        A system; the others are set beside it.
    margin : float, optional
        How much less than the baseline is as good.
    sites : tuple of path
        Of sites; and, for the reusability test, of the topics that each
        was held out of.
    slices : Series, optional
        The slice of each topic, of `read_slices`.
    """

    cost: Mapping[str, float] | None = None
    budget: float | None = None
    baseline: str | None = None
    margin: float | None = None
    sites: Sequence[str] = ()
    slices: pd.Series | None = None


@dataclass(frozen=True, eq=False)
class Answered:
    """The numbers that the first screen takes."""

    audited: AuditData
    asked: Asked
    coefficients: pd.DataFrame
    board: Leaderboard
    pairs: pd.DataFrame
    gaps: pd.DataFrame | None
    verdicts: Verdicts
    slices: pd.DataFrame | None = None

    @property
    def collection(self) -> Collection:
        """The collection by the first measure."""
        return self.audited.collection

    @property
    def several(self) -> bool:
        """Whether there are more systems than two."""
        return len(self.collection.cells) > 2


@dataclass(frozen=True, eq=False)
class OneAnswered:
    """The same of one system alone."""

    audited: AuditData
    collection: OneSystem
    mean: Interval
    repeated: Repetitions | None
    verdicts: Verdicts

    @property
    def results(self) -> dict[str, Any]:
        """All numbers, by the keys of the report's JSON."""
        mean = self.mean
        return {
            **_common_results(self),
            "mean": {
                "estimate": mean.estimate,
                "low": mean.low,
                "high": mean.high,
            },
            "repetitions": self.repeated,
        }


@dataclass(frozen=True, eq=False)
class JudgesAnswered:
    """The same of marks by people and machines."""

    audited: AuditData
    collection: Marks
    found: Judged
    verdicts: Verdicts

    @property
    def results(self) -> dict[str, Any]:
        """All numbers, by the keys of the report's JSON."""
        return {**_common_results(self), "judges": self.found}


# What has answers to what several systems are asked only in part.
Short = OneAnswered | JudgesAnswered


@dataclass(frozen=True, eq=False)
class Complete:
    """All numbers of an audit of several systems."""

    first: Answered
    board: Leaderboard
    required: pd.DataFrame
    best: pd.DataFrame | None
    items: pd.DataFrame | None
    actions: pd.DataFrame | None
    repeated: Repetitions | None
    alpha: Interval | None
    alpha_said: str
    components: pd.DataFrame
    by_measure: pd.DataFrame
    reuse: ReusabilityReport | None
    findings: list[str]

    @property
    def judgments(self) -> dict[str, Any] | None:
        """What judgments cover, and which documents to judge next."""
        first, judged = self.first, self.first.audited.judged
        if judged is None:
            return None
        pairs = pd.DataFrame(columns=["topic", "document"])
        if self.actions is not None:
            pairs = documents_to_judge(
                self.actions,
                first.collection,
                judged,
                first.asked.cost,
                first.asked.budget,
            )
        return {**as_json_values(judged), "next": pairs}

    @property
    def results(self) -> dict[str, Any]:
        """All numbers, by the keys of the report's JSON."""
        first = self.first
        board, gaps = self.board, first.gaps
        collection, audited = first.collection, first.audited
        pairs = self.first.pairs.rename(columns={"p_value": "p"})
        return {
            **_common_results(first),
            "findings": [*map(unescape, self.findings)],  # plain text
            "observations": collection.observations,
            "slices": None
            if first.slices is None
            else first.slices.rename_axis("slice"),
            "pairs": pairs[
                [*_PAIR, *(_WITHIN if first.asked.margin else ())]
            ],
            "leaderboard": board.table.rename_axis("system"),
            "best_systems": self.best,
            "coefficients": first.coefficients,
            "alpha": self.alpha,
            "items": self.items,
            "g_study": collection.study.table,
            "components": self.components,
            "required": self.required,
            "measures": self.by_measure,
            "actions": self.actions,
            "repetitions": self.repeated,
            "gaps": None if gaps is None else gaps.rename_axis("way"),
            "pairs_told_apart": {
                "share": board.told_apart,
                "test": board.test,
                "alpha": board.alpha,
            },
            "reusability": self.reuse and self.reuse.table,
            "judgments": self.judgments,
            "machines": audited.machines,
        }


def _common_results(first):
    audited, collection = first.audited, first.collection
    return {
        "verdict": first.verdicts.table,
        "nouns": collection.nouns.renamed,
        "size": collection.size,
        "doubts": [s._asdict() for s in audited.doubts],
        "reading": audited.reading,
        "notes": audited.every_note,
    }


def answer(
    audited: AuditData, asked: Asked | None = None
) -> Answered | Short:
    """Answer the questions of the first screen.

    Examples
    --------
    >>> from gtaudit import split_measures
    >>> from gtlib import load
    >>> first = answer(AuditData(split_measures(load("cf-ap"))))
    >>> [row["answer"] for row in first.verdicts.table]
    ['not enough', 'enough', '']
    """
    asked = asked or Asked()
    collection = audited.collection
    cost, budget = asked.cost, asked.budget
    if isinstance(collection, OneSystem):
        mean, repeated = study_one_system(collection, cost, budget)
        said = verdict_of_one(collection, mean, repeated)
        return OneAnswered(audited, collection, mean, repeated, said)
    if isinstance(collection, Marks):
        judged = study_judges(collection)
        price = price_of_a_mark(collection, cost, budget)
        said = verdict_of_judges(collection, judged, price, budget)
        return JudgesAnswered(audited, collection, judged, said)
    coefficients = coefficient_table(collection.study, collection.fixed)
    board = audit_leaderboard(collection)
    pairs = compare_systems(collection, board, asked.baseline, asked.margin)
    gaps = gap_remedies(collection) if len(collection.cells) > 2 else None
    verdicts = give_verdicts(
        collection,
        coefficients,
        board,
        pairs,
        audited.judged,
        cost,
        budget,
        gaps,
    )
    slices = None
    if asked.slices is not None:
        slices = study_slices(
            collection, asked.slices, asked.baseline, asked.margin
        )
    return Answered(
        audited, asked, coefficients, board, pairs, gaps, verdicts, slices
    )


def complete(
    first: Answered | Short,
    progress: Callable[[str], object] = lambda doing: None,
) -> Complete | Short:
    """Compute all other numbers of an audit.

    Parameters
    ----------
    first : Answered, OneAnswered or JudgesAnswered
        Of `answer`; of the latter two there is nothing more.
    progress : callable
        Told what is done next.
    """
    if isinstance(first, Short):
        return first
    audited, asked, board = first.audited, first.asked, first.board
    collection, judged = first.collection, audited.judged
    study, fixed = collection.study, collection.fixed
    nouns, wide = collection.nouns, collection.wide
    progress("planning")
    required = required_table(study, fixed=fixed, topic=nouns.topic)
    actions = None
    if first.several:
        actions = advise(
            collection,
            judged,
            audited.machines,
            asked.cost,
            asked.budget,
            first.verdicts.remedy,
        )
    progress("looking at topics and at the best systems")
    items = None
    if first.several and wide is not None and wide.shape[1] > 2:
        items = item_analysis(wide)
    best = best_systems_on_board(collection, board)
    alpha, alpha_said = describe_alpha(wide, collection.sites)
    progress("comparing")
    sentences = findings(
        collection,
        first.coefficients,
        required,
        board.told_apart,
        asked.cost,
    )
    reuse = None
    if len(asked.sites) > 1:
        blocks = block_design(collection.cells, *asked.sites)
        reuse = reusability_test(*blocks)
    return Complete(
        first=first,
        board=add_borda(board, collection) if first.several else board,
        required=required,
        best=best,
        items=items,
        actions=actions,
        repeated=study_repetitions(collection, asked.cost, asked.budget),
        alpha=alpha,
        alpha_said=alpha_said,
        components=study.component_intervals(),
        by_measure=measure_table(audited.measures, TARGET),
        reuse=reuse,
        findings=sentences,
    )
