"""The data of an audit: all that it looks at, read and checked once."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path

import pandas as pd

from gtaudit.audit_large import is_large, read_large
from gtaudit.beside_people import MARKS_ONLY, Marks, marks_collection
from gtaudit.board import audit_leaderboard
from gtaudit.collection import Collection, prepare
from gtaudit.columns import COLUMNS, Reading
from gtaudit.designs import (
    default_design,
    describe_nests,
    facet_roles,
    refuse_no_facet,
    refuse_no_topics,
)
from gtaudit.direction import turn_round
from gtaudit.doubts import (
    Doubt,
    refuse,
)
from gtaudit.inputs import read_input, refuse_no_relevant
from gtaudit.judgment_study import Judgments, score_and_study
from gtaudit.machines import Machines, compare_judges, read_judges
from gtaudit.marks import MARKED
from gtaudit.nouns import OURS, Nouns, own_nouns
from gtaudit.one_system import (
    OneSystem,
    find_one_system,
    refuse_comparisons,
)
from gtaudit.pooling import find_pool_doubts, pool_notes, read_pools
from gtaudit.results import plan_without_gaps
from gtaudit.sites import (
    BY_NAME,
    add_sites,
    name_sites,
    read_sites,
    site_notes,
)
from gtaudit.words import FACETS, is_average
from gtlib.checks import list_some
from gtlib.design import as_design
from gtlib.runs import Paths

# A column of the judged runs.
AT = "judged_at_10"


# The most topics that may be the benchmarks of a board of averages.
_BENCHMARKS = 40


@dataclass(frozen=True, eq=False)
class AuditData:
    """The collections of an audit.

    Attributes
    ----------
    measures : dict of str to Collection
        The same runs by each measure; the first is what the audit is of.
    judged : Judgments or None
        What the judgments of the runs cover, by the first measure.
    machines : Machines or None
        What becomes of the runs if machines judge, by the first measure.
    notes : tuple of str
        What to know of the scores, a sentence each.
    doubts : tuple of Doubt
        What may be wrong with the content, and nobody allowed.
    reading : Reading or None
        What was made of the columns of a table.
    """

    measures: dict[str, Collection]
    judged: Judgments | None = None
    machines: Machines | None = None
    notes: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    reading: Reading | None = None

    @property
    def by_code(self) -> dict[str, list[str]]:
        """The doubts, a sentence each, by their codes."""
        sentences: dict[str, list[str]] = {}
        for code, _, what in self.doubts:
            sentences.setdefault(code, []).append(what)
        return sentences

    @property
    def collection(self) -> Collection:
        """The collection by the first measure, which the audit is of."""
        return next(iter(self.measures.values()))

    @property
    def every_note(self) -> list[str]:
        """Notes on the scores, on the collection, and on its pairs."""
        return [*self.notes, *self.collection.notes]


def split_measures(
    scores: pd.DataFrame,
    design: str | None = None,
    allow: str | Iterable[str] = (),
    nouns: Nouns = OURS,
    start: Mapping[str, float] | None = None,
) -> dict[str, Collection]:
    """Return a collection for each measure of a score table.

    Parameters
    ----------
    scores : DataFrame
        As `prepare` takes it, perhaps with a column ``measure``. Where
        its column ``seed`` or ``repetition`` holds several and no design
        is given, they are nested as `default_design` says.
    design : str, optional
    allow, nouns : optional
        As `prepare` takes them.
    start : dict of measure to float, optional
        Of errors that were turned round, as `prepare` takes it.

    Raises
    ------
    ValueError
        For whatever `prepare` refuses; or without a facet of topics.

    Examples
    --------
    >>> from gtlib import load
    >>> long = load("cf").melt(["system", "topic", "assessor"],
    ...     ["AP", "RR"], var_name="measure", value_name="score")
    >>> [*split_measures(long)]
    ['AP', 'RR']
    """
    topic, runs = nouns.topic, {nouns.seed, nouns.repetition}
    facets = {topic, nouns.task, nouns.assessor, *runs} & {*scores}
    several = {f for f in facets if len(scores[f].unique()) > 1}
    if "task" not in (scores.attrs.get("facets", ())):
        several.discard(nouns.task)  # a column of the reader's own
    if design is None:
        own = scores.attrs.get("own_runs") or are_zero_or_one(scores)
        design = _default_design(several, own, nouns)
    if design is not None:
        scores = _own_levels(scores, as_design(design), nouns)
    tables = {"": scores}
    if {topic, "measure"} <= {*scores}:
        grouped = scores.groupby("measure", sort=False)
        tables = {str(m): t.drop(columns="measure") for m, t in grouped}
    collections = {
        m: prepare(t, design, allow, nouns, (start or {}).get(m))
        for m, t in tables.items()
    }
    for collection in collections.values():
        refuse_no_topics(collection.design, topic)
    return collections


def _own_levels(scores, design, nouns):
    """Give what is numbered anew in each nest names of its own: topics, and
    the runs of a system; seed 1 of one is not seed 1 of another. Assessors
    may be the same people."""
    for facet in design.facets:
        outer = design.nesting[facet]
        nests = sorted(outer & {*scores})
        anew = facet == nouns.topic or nouns.system in outer
        if not (anew and nests and facet in scores):
            continue
        once = scores[[*nests, facet]].drop_duplicates()
        if once[facet].is_unique:
            continue
        levels = [scores[name].astype(str) for name in (*nests, facet)]
        homes = [*zip(*levels, strict=True)]
        own = [*map(" ".join, homes)]
        if len({*own}) < len({*homes}):  # "a b" of c, and "a" of "b c"
            own = [*map(str, homes)]
        scores = scores.assign(**{facet: own})
    return scores


def collect(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    *,
    judges: Paths | None = None,
    sites: Paths | None = None,
    pools: Paths | None = None,
    measure: str | None = None,
    columns: str | None = None,
    design: str | None = None,
    fixed: str | None = None,
    allow: str | None = None,
    less_is_better: bool | None = None,
    engine: bool | None = None,
) -> AuditData:
    """Read and check what an audit is of.

    Parameters
    ----------
    table, runs, qrels : as `read_input` takes them
    judges : path or list of paths, optional
        With runs and qrels: judgments of the same by machines, a file for
        each.
    sites : path or ``"by-name"``, optional
        A CSV file with the columns ``system`` and ``site``, or the
        families that the names show: who is left out together, by
        intervals and, with runs, of the judging.  Of a list, the first.
    pools : list of path or number, optional
        With runs and qrels: how many documents of a run that contributed
        were judged, and a CSV file that says which runs did, as
        `read_pools` reads it.
    measure : str, optional
        One, or several between commas: ``"AP,nDCG@10,P@5"``.
    columns : str, optional
        What columns are, where they say not: ``"system=agent,topic=task"``;
        of a wide table ``"topic=rows"`` or ``"system=rows"``.
    design : str, optional
        In the names of a long table's columns, as `facet_roles` reads them.
    fixed : str, optional
        Facets whose levels are all there are, between commas, in the names
        of the design.
    allow : str, optional
        Codes of doubts about what is right, between commas: what would
        be refused is taken, and what would be told is not.
    less_is_better : bool, optional
        Whether the scores of tables are errors, which `turn_round` turns.
    engine : bool, optional
        Whether an engine sums the table, which may be larger than memory:
        see `read_large`; by default if it `is_large`.

    Raises
    ------
    ValueError
        For whatever cannot be right, named.
    """
    _refuse_what_lacks_its_files(runs, qrels, judges, pools, less_is_better)
    asked = _Asked.read(measure, columns, design, fixed, allow)
    site_of = _sites_from(sites)
    if engine or (engine is None and not runs and is_large(table)):
        read = _read_by_engine(table, asked, less_is_better)
    elif runs and qrels and table is None and not asked.columns:
        read = _read_runs(runs, qrels, asked, site_of, judges, pools)
    else:
        read = _read_table(table, runs, qrels, asked, less_is_better)
    if isinstance(read.collection, OneSystem | Marks):
        return read
    collections = _with_fixed(read.measures, asked.fixed)
    if list(collections) == [""]:
        name = asked.first_measure or ("AP" if runs else "")
        collections = {name: collections[""]}
    _refuse_other_systems(collections)
    notes = [*read.notes]
    first = next(iter(collections.values()))
    nests = describe_nests(first.design, first.nouns)
    if asked.design is None and nests:
        notes.append(nests)
    if read.reading is not None and _is_of_averages(read.reading, first):
        notes.append(
            f"If each score is itself an average, of the items of a "
            f"benchmark for example, intervals are of other "
            f"{first.nouns.topics}, and not of other items of these."
        )
    if site_of is not None:
        collections = {
            name: add_sites(c, site_of(c.cells.index))
            for name, c in collections.items()
        }
    notes += site_notes(next(iter(collections.values())))
    doubts = chain(read.doubts, *(c.doubts for c in collections.values()))
    return replace(
        read,
        measures=collections,
        notes=tuple(notes),
        doubts=tuple(dict.fromkeys(doubts)),
    )


def _is_of_averages(reading, collection):
    """Return whether an average stands beside few topics, as on a board of
    benchmarks."""
    few = collection.cells.shape[1] <= _BENCHMARKS
    return few and any(map(is_average, reading.left_out))


@dataclass(frozen=True)
class _Asked:
    """What the options say of the scores, taken apart."""

    measures: list[str]
    columns: dict[str, str]
    roles: dict[str, str]
    design: str | None
    fixed: list[str]
    allowed: tuple[str, ...]

    @classmethod
    def read(cls, measure, columns, design, fixed, allow):
        fixed = [f.strip() for f in (fixed or "").split(",") if fixed]
        roles, design = facet_roles(design, fixed)
        allowed = (c.strip() for c in (allow or "").split(",") if allow)
        return cls(
            _split_measure_names(measure or ""),
            split_columns(columns),
            roles,
            design,
            fixed,
            tuple(allowed),
        )

    @property
    def first_measure(self):
        return self.measures[0] if self.measures else None

    @property
    def nouns(self):
        return Nouns.from_roles(self.roles)

    @property
    def facet_of(self):
        return {role: facet for facet, role in self.roles.items()}


def _refuse_what_lacks_its_files(runs, qrels, judges, pools, less):
    """Refuse options that are of other files than those that are given."""
    judged = runs and qrels
    if less and runs:
        raise ValueError(
            "--less-is-better goes with a table of scores; of the measures "
            "of runs more is better."
        )
    if judges and not judged:
        raise ValueError(
            "--judges are machines beside people: they go with --runs "
            "and with people's --qrels."
        )
    if pools and not judged:
        raise ValueError(
            "--pools says which documents of --runs the --qrels judged; it "
            "goes with both."
        )


def _sites_from(sites):
    """Return what names the sites of systems; None if nobody said."""
    if not sites:
        return None
    given = [sites] if isinstance(sites, str | Path) else [*sites]
    if len(given) > 2:
        raise ValueError(
            "--sites takes a CSV of sites, and perhaps one of the topics "
            f"that each was held out of; it was given {list_some(given)}. "
            "A table of scores stands before the options."
        )
    first = given[0]
    if first != BY_NAME:
        read_sites(first)  # refuses it before much else is read
    return partial(name_sites, first)


def _read_by_engine(table, asked, less_is_better):
    """Let an engine sum a table of scores."""
    if len(asked.measures) > 1:
        raise ValueError(
            f"An engine sums so large a table, of one measure: leave one "
            f"of {list_some(asked.measures)}."
        )
    if less_is_better:
        raise ValueError(
            "--less-is-better: an engine sums so large a table; let the "
            "column of the scores hold them with the other sign, under "
            "another name."
        )
    collection, notes, reading = read_large(
        [table] if isinstance(table, str | Path) else [*table],
        asked.first_measure,
        asked.design,
        asked.roles,
        asked.allowed,
        asked.columns,
    )
    return AuditData({"": collection}, notes=tuple(notes), reading=reading)


def _read_runs(runs, qrels, asked, site_of, judges, pools):
    """Score runs by judgments, and study these."""
    pools = read_pools(pools)
    scores, judged, machines = _score_runs(
        runs, qrels, asked.measures or ["AP"], site_of, judges, pools
    )
    judged_shares = judged.runs.filter(like="judged_at")
    nobody = judged_shares.to_numpy().sum() == 0
    refuse_no_relevant(
        scores, judged.unjudged["document"] if nobody else ()
    )
    remarks = pool_notes(pools, judged.pooling, judged.runs.index)
    doubts = [
        *scores.attrs.get("doubts", ()),
        *_judgment_doubts(judged, asked.nouns),
    ]
    notes = *scores.attrs["report"], *remarks
    read = AuditData({}, judged, machines, notes, (*doubts,))
    return _split(read, scores, asked, asked.nouns, asked.design)


def _read_table(table, runs, qrels, asked, less_is_better):
    """Read a table of scores: by columns, names or a design, as options
    say or content shows."""
    several = len(asked.measures) > 1
    roles, declared = said_roles(asked.roles, asked.columns)
    scores, notes = read_input(
        table,
        runs,
        qrels,
        asked.measures if several else asked.first_measure,
        roles,
        "summary" in asked.allowed,
        declared,
    )
    reading = scores.attrs.get("reading")
    if "marks" in scores.attrs:
        refuse_comparisons(
            {"--less-is-better": less_is_better, "--fixed": asked.fixed},
            MARKS_ONLY,
        )
        nouns = own_nouns(reading.roles, ())
        if nouns.topic == "topic" and "topic" not in reading.roles:
            nouns = replace(nouns, topic="item")
        marks = marks_collection(scores, nouns)
        name = asked.first_measure or ""
        return AuditData({name: marks}, notes=tuple(notes), reading=reading)
    turned = turn_round(scores, bool(less_is_better))
    scores = turned.scores.rename(columns=asked.facet_of)
    design, nouns = asked.design, asked.nouns
    rated = design is None and _is_rated(scores)
    if reading is not None:
        refuse_no_facet(scores, design, reading)
        topic = nouns.assessor if rated else nouns.topic
        scores, reading = _leave_out(scores, reading, design, topic)
        if design is None:
            # Systems stand in rows now, whatever the file has.
            turned_over = reading.roles.get(COLUMNS) == "system"
            names = scores.index if turned_over else scores.columns
            nouns = own_nouns(reading.roles, names)
            scores = scores.rename(columns=asdict(nouns))
    if rated:  # assessors stand in the place of topics
        design = f"{nouns.system} x {nouns.assessor}"
        if nouns.repetition in scores:
            design = f"({nouns.repetition}:({design}))"
        nouns = replace(nouns, topic=nouns.assessor)
    doubts = *turned.doubts, *scores.attrs.get("doubts", ())
    read = AuditData(
        {},
        notes=(*notes, *turned.notes),
        doubts=doubts,
        reading=reading,
    )
    return _split(read, scores, asked, nouns, design, turned.start)


def _split(read, scores, asked, nouns, design, start=None):
    """Refuse what is on no scale; return what was read with its
    collections, or with one system alone."""
    doubts = tuple(refuse(read.doubts, asked.allowed))
    alone = None if design else find_one_system(scores, nouns)
    measures: dict[str, Collection]
    if alone is not None:
        measures = {asked.first_measure or "": alone}
    else:
        measures = split_measures(
            scores, design, asked.allowed, nouns, start
        )
    return replace(read, measures=measures, doubts=doubts)


def _with_fixed(collections, fixed):
    """Fix the facets that --fixed names, and refuse what cannot be."""
    first = next(iter(collections.values()))
    facets = _fixed_facets(fixed, first)
    collections = {
        name: replace(c, fixed=facets) for name, c in collections.items()
    }
    if facets:
        for collection in collections.values():
            plan_without_gaps(
                collection.study, facets, collection.nouns.topic
            )
            audit_leaderboard(collection)
    return collections


def _default_design(several, own_runs, nouns):
    """Return the default design in the nouns of a table."""
    roles = {noun: role for role, noun in asdict(nouns).items()}
    text = default_design({roles[facet] for facet in several}, own_runs)
    if text is None:
        return None
    noun_of = asdict(nouns)
    return re.sub(r"\w+", lambda w: noun_of.get(w[0], w[0]), text)


def are_zero_or_one(scores: pd.DataFrame) -> bool:
    """Return whether all scores of a long table are 0 or 1."""
    if "score" not in scores:
        return False
    return bool(scores["score"].dropna().isin([0, 1]).all())


def _is_rated(scores):
    """Return whether a long table has systems and assessors, and nothing
    else."""
    rated = {"system", "assessor", "score"} <= {*scores}
    return rated and "topic" not in scores


def said_roles(
    roles: Mapping[str, str], said: Mapping[str, str]
) -> tuple[dict[str, str], bool]:
    """Return the roles that a design and --columns say, the latter first,
    and whether these are all facets of a design."""
    others = {f: r for f, r in roles.items() if r not in said.values()}
    return {**others, **said}, bool(roles) and not said


def split_columns(text: str | None) -> dict[str, str]:
    """Return the roles of columns that --columns names. A comma may be
    part of a name."""
    roles: dict[str, str] = {}
    for part in filter(None, re.split(r",(?=\s*\w+\s*=)", text or "")):
        role, equals, column = (p.strip() for p in part.partition("="))
        known = [*FACETS, "score", *MARKED]
        if not equals or not column or role not in known:
            raise ValueError(
                f"--columns has {part!r}: say it as in "
                "system=agent,topic=task_id, or topic=rows of a wide "
                f"table; the roles are {list_some(known, 9)}."
            )
        if roles.get(column, role) != role:
            raise ValueError(
                f"--columns says that {column!r} is the {roles[column]} "
                f"and the {role}: a column has one role. Name another "
                "column for one of them."
            )
        once = role not in MARKED
        if once and role in roles.values() and roles.get(column) != role:
            raise ValueError(
                f"--columns names two columns for the {role}: choose one."
            )
        roles[column] = role
    return roles


def _leave_out(scores, reading, design, topic):
    """Leave out the columns that no design names, except those with one
    value per topic, which may be facets."""
    used = {*as_design(design).facets} if design else set()
    left_out = [
        c
        for c in scores
        if str(c) in reading.left_out and c not in reading.roles.values()
    ]
    kept = [c for c in left_out if c in used]
    for column in left_out:
        pairs = scores.drop_duplicates([topic, column])
        if column not in used and pairs[topic].is_unique:
            few = 1 < scores[column].nunique() < len(pairs)
            kept += [column] if few else []
    gone = [c for c in left_out if c not in kept]
    attrs = scores.attrs
    scores = scores.drop(columns=gone)
    scores.attrs = attrs
    return scores, reading.without(map(str, kept))


def _split_measure_names(text):
    """List the measures between commas, each once. A comma within
    brackets, as in nDCG(a=1,b=2), is part of a name."""
    if not text:
        return []
    names = re.split(r",(?![^()]*\))", text)
    return [*dict.fromkeys(name.strip() for name in names)]


def _score_runs(runs, qrels, measures, sites, judges, pools):
    """Return scores of runs, the study of their judgments, and the
    comparison with machines as judges, if there are any."""
    graded = files = machines = None
    if judges:
        graded, files = read_judges(judges, qrels)
    scores, judged, by_judge = score_and_study(
        runs, qrels, measures, sites, graded, pools
    )
    if judges:
        machines = compare_judges(scores, by_judge, files)
    return scores, judged, machines


def _judgment_doubts(judged, nouns):
    """Find what is doubtful in the judgments, if there are any."""
    if judged is None:
        return
    yield from find_pool_doubts(judged.pooling)
    for run, share in judged.runs[AT].items():
        if share == 0:
            what = f"Of the first ten documents of {run} none was judged."
            yield Doubt("unjudged", f"{nouns.system} {run}", what)


def _fixed_facets(fixed_names, collection):
    """Return the facets of --fixed, and refuse those that cannot be
    fixed."""
    n = collection.nouns
    drawn = n.system, n.topic
    free = [f for f in collection.design.facets if f not in drawn]
    wrong = [name for name in fixed_names if name not in free]
    if wrong:
        raise ValueError(
            f"--fixed {list_some(wrong)}: {n.systems} and {n.topics} are "
            "drawn anew; in this design "
            f"{list_some(free) or 'nothing else'} may be fixed. Name a "
            "facet of --design, for instance --design 'model x "
            "(item:subject)' --fixed subject."
        )
    return tuple(dict.fromkeys(fixed_names))


def _refuse_other_systems(collections):
    """Refuse measures of different systems: their rankings cannot be
    compared."""
    (first_name, first), *others = collections.items()
    for name, other in others:
        in_one = first.cells.index.symmetric_difference(other.cells.index)
        if len(in_one):
            raise ValueError(
                f"Only one of {first_name} and {name} has scores of the "
                f"{first.nouns.system} {list_some(in_one)}: measures are "
                f"compared on the same {first.nouns.systems}. Leave one of "
                "the two out."
            )
