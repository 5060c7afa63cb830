"""The collection under audit: a checked score table and its design."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
import pandas as pd

from gtaudit.doubts import (
    CODES,
    Doubt,
    find_doubts,
    refuse,
)
from gtaudit.nouns import OURS, Nouns, count_noun, plural
from gtlib.checks import as_numbers, as_text, list_some
from gtlib.comparisons import RankingAgreement, estimate_means
from gtlib.design import Design, as_design
from gtlib.gtheory import GStudy, Plan, gstudy
from gtlib.intervals import ENOUGH_LEVELS
from gtlib.scores import is_long, read_cells, require_columns
from gtlib.uncertainty import resampled_facets

# Said in place of an analysis that a table with gaps does not allow.
INCOMPLETE = "This needs complete scores; the notes at the top say why."


# The fewest systems, and topics, for an analysis of complete scores.
LEAST = 3


# The fewest systems, and topics, that may stand for all of a table with
# gaps; half of them, where there are fewer than 20.
ENOUGH = 10


# The smallest range of scores; the largest score is its reciprocal.
SMALLEST = 1e-15


@dataclass(frozen=True, eq=False)
class Collection:
    """A score table that has been found fit for an audit.

    Attributes
    ----------
    scores : DataFrame
        Wide, or long with a column per facet and ``score``. A table with
        gaps is long. Of a study made from sums of all scores, `cells`.
    cells : DataFrame
        Systems x topics, averaged over further facets; NaN where nothing
        was observed.
    design : Design
        Of the G-study, with the names of its facets.
    study : GStudy
        Its groups, where they are known, are `sites`.
    left_out : tuple of str
        What had a name and no score, a sentence each.
    fixed : tuple of str
        Facets whose levels are all there are.
    doubts : tuple of Doubt
        What may be wrong with the scores, and nobody allowed.
    nouns : Nouns
        The facets of `design` that have a role.
    """

    scores: pd.DataFrame
    cells: pd.DataFrame
    design: Design
    study: GStudy
    left_out: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    nouns: Nouns = OURS

    @property
    def sites(self) -> pd.Series | None:
        """The site of each system, if they are known: the intervals leave
        out those of a site together."""
        return self.study.groups

    @property
    def plan(self) -> Plan:
        """The plan of the study's own numbers of levels."""
        return self.study.plan(fixed=self.fixed)

    @cached_property
    def agreement(self) -> RankingAgreement:
        """How far another such collection would rank systems alike."""
        return self.plan.ranking_agreement()

    @cached_property
    def means(self) -> pd.Series:
        """The mean of each system, with the errors of the design: it
        allows for how hard the topics were that a system has."""
        if self.study.cells is None:
            return self.cells.mean(axis=1)
        return estimate_means(self.study, self.fixed).value

    @property
    def drawn(self) -> str:
        """The facets that another such collection draws anew, as a
        noun."""
        facets = {*self.design.facets} - {self.design.object, *self.fixed}
        return as_text(self.nouns.list_facets(facets))

    @cached_property
    def wide(self) -> pd.DataFrame | None:
        """The part of `cells` without gaps: the systems that have all
        topics or the topics that all systems have, whichever is more; None
        if neither is large enough, or has scores that differ."""
        seen = self.cells.notna()
        if seen.all(axis=None):
            return self.cells
        parts = self.cells[seen.all(axis=1)], self.cells.loc[:, seen.all()]
        half = -(-np.array(seen.shape) // 2)
        enough = np.maximum(LEAST, np.minimum(ENOUGH, half))
        fit = [part for part in parts if (part.shape >= enough).all()]
        fit = [part for part in fit if np.ptp(part.to_numpy()) > 0]
        return max(fit, key=lambda part: part.size, default=None)

    @cached_property
    def by_ranks(self) -> "Collection | None":
        """The same with the share of the other systems that each beats
        there, half of it where they are equal, in place of a score: its
        means are Borda counts. None where scores are not at hand, or all
        are tied."""
        system, design = self.nouns.system, self.design
        others = [
            facet
            for facet in design.facets
            if system not in design.closure([facet])
        ]
        if self.study.cells is None or not others:
            return None
        ranked = _share_beaten(self.scores)
        if is_long(self.scores):
            of_cell = self.scores.groupby(others)["score"]
            ranked = self.scores.assign(score=_share_beaten(of_cell))
        try:
            found = prepare(ranked, design, CODES, self.nouns)
        except ValueError:  # as where all are tied
            return None
        study = replace(found.study, groups=self.sites)
        return replace(found, study=study, fixed=self.fixed)

    @property
    def part(self) -> str:
        """The beginning of a sentence on `wide`, if it is not all."""
        if self.wide is None or self.wide.shape == self.cells.shape:
            return ""
        n = self.nouns.markdown
        systems, topics = self.wide.shape
        if systems < len(self.cells):
            whole = f"{n.systems} that have every {n.topic}"
            return f"Of the {systems} {whole}, "
        return f"On the {topics} {n.topics} where nothing is missing, "

    def describe_part(self, sentence: str) -> str:
        """Begin a sentence on `wide` with `part`."""
        if not self.part:
            return sentence
        bold = "**" if sentence.startswith("**") else ""
        sentence = sentence.removeprefix(bold)
        return f"{self.part}{bold}{sentence[0].lower()}{sentence[1:]}"

    @cached_property
    def uneven(self) -> bool:
        """Whether the scores have gaps, or nests of different size."""
        return self.study.incidence is not None

    @property
    def observations(self) -> pd.Series:
        """How many scores each system has."""
        if self.scores is self.cells:  # of an even study
            levels = self.study.levels
            each = prod(levels.values()) // levels[self.design.object]
            return pd.Series(each, self.cells.index)
        counts = self.scores[self.nouns.system].value_counts(sort=False)
        return counts[self.cells.index].rename("observations")

    @property
    def notes(self) -> list[str]:
        """Notes on what has no score or is not used, a sentence each."""
        n = self.nouns
        notes = [*self.left_out, *_unused(self.scores, self.design, n)]
        fixed = n.list_facets(self.fixed)
        if fixed:
            notes.append(
                f"The {fixed} are taken as all there are, each with the "
                "same weight in a mean: nothing is said of others."
            )
        systems, topics = self.cells.shape
        lacking = self.cells.isna().sum(axis=1)
        gaps = int(lacking.sum())
        if not gaps:
            return notes
        whose = lacking.index[lacking > 0]
        of_one = ""
        if len(whose) == 1:
            of_one = f", all of them of {as_text(whose[0])}"
        notes.append(
            f"{gaps} of {systems * topics} pairs of {n.a_system} and "
            f"{n.a_topic} have no score{of_one}. They count as not "
            "observed, and not as zero."
        )
        if self.wide is None:
            remark = (
                "They are left out: no part of the table without gaps is "
                "large enough and has scores that differ."
            )
        else:
            part = (
                f"{len(self.wide)} {n.systems} that have all {topics} "
                f"{n.topics}"
            )
            if len(self.wide) == systems:
                kept = count_noun(self.wide.shape[1], n.topic)
                part = (
                    f"{kept} on which all {systems} {n.systems} have a "
                    "score"
                )
            remark = f"They are computed on the {part}."
        notes.append(
            f"Alpha and the analysis of {n.topics} need complete scores. "
            f"{remark}"
        )
        return notes

    @property
    def size(self):
        """The numbers of levels, in words."""
        systems, topics = self.cells.shape
        nesting, levels = self.design.nesting, self.study.levels
        n = self.nouns
        if not nesting[n.topic]:  # the means may be of a sample
            topics = levels[n.topic]
        crossed = f"{systems} {n.systems} × {topics} {n.topics}"
        nests = ""
        for facet in self.design.facets:
            if facet in (n.system, n.topic):
                continue
            number = str(levels[facet])
            if not nesting[facet]:
                by = "of" if facet in nesting[n.topic] else "×"
                crossed += f" {by} {number} {plural(facet)}"
                continue
            within = sorted(nesting[facet])
            if self.uneven:
                each = self.scores.groupby(within)[facet].nunique()
                ends = sorted({each.min(), each.max()})
                number = " to ".join(map(str, ends))
            nests += f", {number} {plural(facet)} of each "
            nests += " and ".join(within)
        return crossed + nests


def prepare(scores, design=None, allow=(), nouns=OURS, start=None):
    """Check a score table and find its design.

    Parameters
    ----------
    scores : DataFrame
        Wide (systems x topics), or long with ``system``, ``topic``,
        perhaps ``assessor``, and ``score``. Where a score is missing, it
        was not observed.
    design : str, optional
        Without it systems, topics and (if there are several) assessors
        are crossed, or nested if their labels say so: assessors in topics,
        or topics in assessors.
    allow : str or list of str
        Codes of doubts about what is right.
    nouns : Nouns, optional
        What columns and design call the systems, topics and assessors.
    start : float, optional
        What the scores were taken from, if they are errors turned round:
        doubts are of the errors as they were written.

    Returns
    -------
    Collection

    Raises
    ------
    ValueError
        For whatever cannot be right, named.

    Examples
    --------
    >>> from gtlib import load
    >>> collection = prepare(load("cf", measure="AP"))
    >>> str(collection.design)
    'system x topic x assessor'
    """
    left_out = ()
    facets = [nouns.system, nouns.topic]
    if not is_long(scores):
        design = as_design(design or " x ".join(facets))
        if {*design.facets} != {*facets}:
            raise ValueError(
                f"The design {list_some([design])} needs a long table, "
                "with a column for each facet; this one is wide, "
                f"{list_some(map(plural, facets))}."
            )
        if scores.isna().any(axis=None) or {*facets} & {*scores}:
            scores = scores.melt(
                var_name=nouns.topic, value_name="score", ignore_index=False
            )
            scores = scores.rename_axis(nouns.system).reset_index()
        else:
            scores = scores.rename_axis(facets[0]).rename_axis(
                columns=facets[1]
            )
    long = is_long(scores)
    if long:
        require_columns(scores, [*facets, "score"])
        order = [scores[facet].unique() for facet in facets]
        if scores["score"].isna().any():
            scores, left_out = _drop_missing(scores, facets)
        if nouns.assessor in scores and design is None:
            design = _design_with_assessors(scores, nouns)
        design = as_design(design or " x ".join(facets))
    observed = read_cells(scores, design)
    _refuse_constant(observed.scores, nouns)
    written = observed
    if start is not None:
        written = replace(observed, scores=start - observed.scores)
    doubts = tuple(refuse(find_doubts(written), allow))
    study = _study(scores, design, observed.balanced)
    _refuse_few(study)
    if long:
        floats = scores.astype({"score": float})
        cells = floats.pivot_table("score", *facets)
        cells = cells.reindex(order[0]).reindex(order[1], axis="columns")
        cells = cells.dropna(how="all").dropna(axis="columns", how="all")
    else:
        cells = scores = scores.astype(float)
    _refuse_equal(cells)
    return Collection(
        scores, cells, design, study, left_out, (), doubts, nouns
    )


def _share_beaten(scores):
    """Return ranks from 0, the worst of several, to 1."""
    ranks = scores.rank()
    number = (ranks / scores.rank(pct=True)).round()
    return (ranks - 1) / (number - 1).where(number > 1)


def _unused(scores, design, nouns):
    """Notes on the columns of a long table that no design names and that
    hold no measure."""
    unused = []
    columns = scores.dropna(axis=1, how="all") if is_long(scores) else ()
    for name in columns:
        numbers = as_numbers(scores[name])
        measure = numbers.notna().all() and (numbers % 1 != 0).any()
        if not measure and name not in (*design.facets, "score"):
            unused.append(name)
    if unused:
        yield f"Not used, as no design names them: {list_some(unused)}."
    for name in unused:
        topic = nouns.topic
        pairs = scores.drop_duplicates([topic, name])[topic]
        few = 1 < scores[name].nunique() < len(pairs)
        if pairs.is_unique and few and not design.nesting[topic]:
            whole_word = rf"(?<![\w.@-]){re.escape(topic)}(?![\w.@-])"
            nested = re.sub(whole_word, f"({topic}:{name})", str(design))
            yield (
                f"Each {topic} has one {name}. If {nouns.topics} were "
                "drawn with what they belong to, as questions are with "
                f"their passage, say --design '{nested}'; if these are all "
                f"the {plural(name)} there are, also --fixed '{name}'."
            )


def _study(scores, design, balanced):
    """The G-study; of gaps that its usual method cannot study, by
    Henderson's."""
    try:
        return gstudy(scores, design)
    except ValueError:
        if balanced:
            raise
        return gstudy(scores, design, method="henderson")


def _drop_missing(scores, facets):
    """Return the rows with a score, and notes on names without any."""
    seen = scores[scores["score"].notna()]
    if seen.empty:
        raise ValueError("The table has no score at all.")
    left_out = []
    for facet in facets:
        lost = pd.unique(scores[facet][~scores[facet].isin(seen[facet])])
        if len(lost):
            left_out.append(
                f"Left out, no score: {facet} {list_some(lost)}."
            )
    return seen, tuple(left_out)


def _design_with_assessors(scores, nouns):
    system, topic, assessor = nouns.system, nouns.topic, nouns.assessor
    if scores[assessor].nunique() < 2:
        return None
    by_topic = scores.groupby(topic)[assessor].nunique()
    homes = scores.groupby(assessor)[topic].nunique()
    if by_topic.max() == 1:
        if homes.max() == 1:
            return None
        return f"{system} x ({topic}:{assessor})"
    if homes.max() == 1:
        return f"{system} x ({assessor}:{topic})"
    return f"{system} x {topic} x {assessor}"


def _refuse_few(study):
    """Refuse gaps in a table that is too small to take levels out of it, as
    its intervals need."""
    if study.incidence is not None and not resampled_facets(study):
        sizes = " and ".join(
            count_noun(n, facet) for facet, n in study.levels.items()
        )
        raise ValueError(
            f"The table has gaps, and only {sizes}: of a table with gaps "
            f"nothing can be said with fewer than {ENOUGH_LEVELS} of each. "
            "Fill the gaps, or leave out what has them."
        )


@np.errstate(over="ignore")
def _refuse_constant(values, nouns):
    if np.ptp(values) == 0:
        raise ValueError(
            f"Every score is {values.flat[0]:g}: no {nouns.system} differs "
            "from another, and there is nothing to audit."
        )
    if np.abs(values).max() > 1 / SMALLEST or np.ptp(values) < SMALLEST:
        raise ValueError(
            f"The scores lie between {values.min():g} and "
            f"{values.max():g}: squares of such numbers lose their digits. "
            "Multiply all scores by one number that brings them near 1."
        )


def _refuse_equal(cells):
    shared = cells.loc[:, cells.count() > 1]
    if shared.size and (shared.max() == shared.min()).all():
        system, topic = cells.index.name, cells.columns.name
        raise ValueError(
            f"On every {topic} all {plural(system)} have the same score: "
            f"no {system} differs from another, and there is nothing to "
            "audit."
        )
