"""The data of an audit: all that it looks at, read and checked once."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import pandas as pd

from gtapps.audit.board import board_of
from gtapps.audit.collection import Collection, prepare
from gtapps.audit.inputs import (
    gather,
    refuse_no_topics,
    roles_in,
    with_seeds,
)
from gtapps.audit.judgment_study import Judgments, score_and_study
from gtapps.audit.large import read_large
from gtapps.audit.machines import Machines, compare_judges, read_judges
from gtapps.audit.nouns import Nouns
from gtapps.audit.pooling import doubts, notes_on_pools, read_pools
from gtapps.audit.results import planned
from gtapps.audit.sites import notes_on_sites, read_sites, with_sites
from gtlib.runs import Paths
from gtlib.tables import Suspicion, as_design, as_text, refuse, some

# A column of the judged runs.
AT = "judged_at_10"


@dataclass(frozen=True, eq=False)
class AuditData:
    """The collections of an audit.

    Attributes
    ----------
    measures : dict of str to Collection
        The same runs by each measure; the first is what the audit is of.
    other : Collection or None
        What it is compared with.
    judged : Judgments or None
        What the judgments of the runs cover, by the first measure.
    machines : Machines or None
        What becomes of the runs if machines judge, by the first measure.
    notes : tuple of str
        What to know of the scores, a sentence each.
    words : Nouns
        The reader's nouns, for reports.
    suspicions : tuple of Suspicion
        Faults found in the content.
    allowed : tuple of str
        Codes of suspicions that the user has allowed.
    """

    measures: dict[str, Collection]
    other: Collection | None = None
    judged: Judgments | None = None
    machines: Machines | None = None
    notes: tuple[str, ...] = ()
    words: Nouns = field(default_factory=Nouns)
    suspicions: tuple[Suspicion, ...] = ()
    allowed: tuple[str, ...] = ()

    @property
    def open(self) -> list[Suspicion]:
        """The suspicions that nobody allowed."""
        return [s for s in self.suspicions if s.code not in self.allowed]

    @property
    def collection(self) -> Collection:
        """The collection by the first measure, which the audit is of."""
        return next(iter(self.measures.values()))

    @property
    def every_note(self) -> list[str]:
        """Notes on the scores, on the collection, and on its pairs."""
        return [*self.notes, *self.collection.notes]

    @property
    def introduction(self) -> str:
        """The size of the collection, its suspicions and notes, in
        Markdown."""
        said = [f"{self.collection.size}."]
        said += [
            f"**Suspicious ({as_text(s.code)}).** {as_text(s.what)}"
            for s in self.suspicions
        ]
        return "\n\n".join([*said, *map(as_text, self.every_note)])


def by_measure(
    scores: pd.DataFrame,
    design: str | None = None,
    allow: str | Iterable[str] = (),
) -> dict[str, Collection]:
    """A collection for each measure of a score table.

    Parameters
    ----------
    scores : DataFrame
        As `prepare` takes it, perhaps with a column ``measure``. Where
        its column ``seed`` holds several and no design is given, they are
        nested in systems.
    design : str, optional
    allow : str or list of str
        As `prepare` takes it.

    Raises
    ------
    ValueError
        For whatever `prepare` refuses; or without a facet of topics.

    Examples
    --------
    >>> from gtlib import load
    >>> long = load("cf").melt(["system", "topic", "assessor"],
    ...     ["AP", "RR"], var_name="measure", value_name="score")
    >>> [*by_measure(long)]
    ['AP', 'RR']
    """
    facets = {"topic", "assessor", "seed"} & {*scores}
    several = {f for f in facets if len(scores[f].unique()) > 1}
    if {"seed", "topic"} <= several:
        design = design or with_seeds(several)
        nesting = as_design(design or "system x topic").nesting
        nests = sorted(nesting.get("seed", set()) & {"system", "topic"})
        if nests:  # seed 1 of one system is not seed 1 of another
            levels = [
                scores[facet].astype(str) for facet in (*nests, "seed")
            ]
            own = [str(names) for names in zip(*levels, strict=True)]
            scores = scores.assign(seed=own)
    tables = {"": scores}
    if {"topic", "measure"} <= {*scores}:
        grouped = scores.groupby("measure", sort=False)
        tables = {str(m): t.drop(columns="measure") for m, t in grouped}
    collections = {m: prepare(t, design, allow) for m, t in tables.items()}
    for collection in collections.values():
        refuse_no_topics(collection.design)
    return collections


def collect(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    *,
    measure: str | None = None,
    transpose: bool | None = None,
    design: str | None = None,
    against: Paths | None = None,
    against_qrels: Paths | None = None,
    fixed: str | None = None,
    sites: str | None = None,
    judges: Paths | None = None,
    memory_limit: str | None = None,
    pool_depth: int | None = None,
    contributed: str | None = None,
    allow: str | None = None,
) -> AuditData:
    """Read and check what an audit is of, and what it is compared with.

    Parameters
    ----------
    table, runs, qrels, transpose : as `gather` takes them
    measure : str, optional
        One, or several between commas: ``"AP,nDCG@10,P@5"``.
    design : str, optional
        In the names of a long table's columns, as `roles_in` reads them.
    against : path or list of paths, optional
        Another collection's table, read as `table` is, by the first
        measure.
    against_qrels : path or list of paths, optional
        Other judgments of the same runs.
    fixed : str, optional
        Facets whose levels are all there are, between commas, in the names
        of the design.
    sites : path, optional
        A CSV file with the columns ``system`` and ``site``: who is left
        out together, by intervals and, with runs, of the judging.
    judges : path or list of paths, optional
        With runs and qrels: judgments of the same by machines, a file for
        each.
    pool_depth : int, optional
        How many documents of a run that contributed were judged.
    contributed : path, optional
        A CSV file that says which runs did, as `read_pools` reads it.
    allow : str, optional
        Codes of what is refused as implausible and is right, between
        commas.
    memory_limit : str, optional
        Have an engine sum the table, which may be larger than memory: see
        `read_large`.

    Raises
    ------
    ValueError
        For whatever cannot be right, named.
    """
    held = [f.strip() for f in (fixed or "").split(",") if fixed]
    roles, mapped = roles_in(design, held)
    allowed = tuple(c.strip() for c in (allow or "").split(",") if allow)
    several = _measures_in(measure or "")
    first = several[0] if several else None
    wanted = several if len(several) > 1 else first
    both = bool(runs and qrels)
    if against_qrels and (against or not runs):
        raise ValueError(
            "--against-qrels judges the --runs once more; it goes with "
            "them, and not with --against."
        )
    if judges and not both:
        raise ValueError(
            "--judges are machines beside people: they go with --runs "
            "and with people's --qrels."
        )
    if (pool_depth is not None or contributed) and not both:
        raise ValueError(
            "--pool-depth and --contributed say which documents of "
            "--runs the --qrels judged; they go with both."
        )
    pools = read_pools(pool_depth, contributed)
    judged = machines = None
    named = read_sites(sites) if sites else None
    told: list[Suspicion] = []
    if memory_limit:
        if runs or not table or len(several) > 1:
            raise ValueError("--memory-limit: one table, and one measure.")
        paths = [table] if isinstance(table, str | Path) else [*table]
        one, notes = read_large(paths, memory_limit, first, design, allowed)
        collections = {"": one}
    else:
        if both and table is None and transpose is None:
            scores, judged, machines = _score_runs(
                runs, qrels, several or ["AP"], named, judges, pools
            )
            beyond = notes_on_pools(
                pools, judged.pooling, judged.runs.index
            )
            notes = [*scores.attrs["report"], *beyond]
        else:
            given = table, runs, qrels
            scores, notes = gather(*given, wanted, transpose, roles)
        told += [*scores.attrs.get("suspicions", ()), *_unjudged(judged)]
        refuse(told, allowed)
        collections = by_measure(scores, mapped, allowed)
    notes = [*notes]
    held = _fixed(held, roles, next(iter(collections.values())))
    collections = {
        name: replace(c, fixed=held) for name, c in collections.items()
    }
    if held:
        for collection in collections.values():  # refuse what cannot be
            planned(collection.study, held)
            board_of(collection)
    if list(collections) == [""]:
        collections = {first or ("AP" if runs else ""): collections[""]}
    _refuse_other_systems(collections)
    design = str(next(iter(collections.values())).design)
    if mapped is None and "seed:system" in design:
        notes.append(
            "Seeds are taken as nested in systems. If all systems share "
            "what a seed sets, say so with --design 'system x topic x "
            "seed'."
        )
    compared = None
    if against or against_qrels:
        again = runs if against_qrels else None
        more = first, transpose, roles
        other, said = gather(against, again, against_qrels, *more)
        notes += [f"The other: {note}" for note in said]
        (compared,) = by_measure(other, mapped, allowed).values()
        compared = replace(compared, fixed=held)
        of_other = [
            *other.attrs.get("suspicions", ()),
            *compared.suspicions,
        ]
        refuse(of_other, allowed)
        told += [s._replace(what=f"The other: {s.what}") for s in of_other]
    if named is not None:
        collections = {
            name: with_sites(c, named) for name, c in collections.items()
        }
        if compared is not None:
            compared = with_sites(compared, named)
    main = next(iter(collections.values()))
    notes += notes_on_sites(main)
    columns = {*main.scores} - {*roles.values()}
    words = Nouns.of(roles, chain(*main.cells.axes, columns))
    told += chain(*(c.suspicions for c in collections.values()))
    return AuditData(
        measures=collections,
        other=compared,
        judged=judged,
        machines=machines,
        notes=tuple(notes),
        words=words,
        suspicions=tuple(dict.fromkeys(told)),
        allowed=allowed,
    )


def _measures_in(text):
    """The measures between commas, each once; a comma within brackets, as
    in nDCG(a=1,b=2), is part of a name."""
    if not text:
        return []
    names = re.split(r",(?![^()]*\))", text)
    return [*dict.fromkeys(name.strip() for name in names)]


def _score_runs(runs, qrels, measures, sites, judges, pools):
    """Scores of runs, the study of their judgments, and what becomes of
    the runs if machines judge, where there are any."""
    graded = files = machines = None
    if judges:
        graded, files = read_judges(judges, qrels)
    scores, judged, by_judge = score_and_study(
        runs, qrels, measures, sites, graded, pools
    )
    if judges:
        machines = compare_judges(scores, by_judge, files)
    return scores, judged, machines


def _unjudged(judged):
    """Faults found in the judgments, if there are any."""
    if judged is None:
        return
    yield from doubts(judged.pooling)
    for run, share in judged.runs[AT].items():
        if share == 0:
            what = f"Of the first ten documents of {run} none was judged."
            yield Suspicion("unjudged-run", f"system {run}", what)


def _fixed(held, roles, collection):
    """The facets of --fixed, by the audit's names; refused are those
    that cannot be fixed."""
    facets = [*collection.design.facets]
    free = [f for f in facets if f not in ("system", "topic")]
    held = [roles.get(name, name) for name in held]
    wrong = [name for name in held if name not in free]
    if wrong:
        raise ValueError(
            f"--fixed {some(wrong)}: systems and topics are drawn anew; "
            f"in this design {some(free) or 'nothing else'} may be fixed. "
            "Name a facet of --design, for instance --design 'model x "
            "(item:subject)' --fixed subject."
        )
    return tuple(dict.fromkeys(held))


def _refuse_other_systems(collections):
    """Refuse measures of different systems: their rankings cannot be
    compared."""
    (one, first), *others = collections.items()
    for name, other in others:
        strange = first.cells.index.symmetric_difference(other.cells.index)
        if len(strange):
            raise ValueError(
                f"Only one of {one} and {name} has scores of the system "
                f"{some(strange)}: measures are compared on the same "
                "systems. Leave one of the two out."
            )
