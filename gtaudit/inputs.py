"""Reading score tables: what readers make of files, as systems and topics.

`read_scores` gives the columns of a table their roles. What it cannot make
sense of it refuses, and says which file, where in it, and what to do.
"""

import re
import shlex
from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from gtaudit.nouns import OURS, Nouns
from gtaudit.readers import (
    are_words,
    as_scores,
    is_grouped,
    is_measure,
    list_inputs,
    parse_csv,
    read_tables,
    trec_eval_name,
)
from gtaudit.roles import (
    ALIASES,
    AVERAGES,
    GROUPS,
    METADATA,
    OWN_RUNS,
    Reading,
    are_of_errors,
    column_roles,
    is_any_score,
    is_id,
    is_index,
    is_less_better,
    is_named,
    is_of_errors,
    name_rank,
    plain,
)
from gtlib.checks import as_numbers, list_some, name_level
from gtlib.design import Design
from gtlib.runs import Paths, list_files, read_as_written, read_runs
from gtlib.scores import bad_score_error

_TOPIC_PATTERN = r"(?i)(q|t|topic|query|question|item)?[-_ ]?\d+"
_NUMBERED = r"(?i)(q|t|topic|query|question|item|task)[-_ ]?\d+[a-z]?"
_SYSTEMS = r"(?i)(sys|system|model)[-_ ]?\d+"
# Facets of an audit besides systems and topics.
FURTHER_FACETS = "task", "assessor", "seed", "repetition"


def read_scores(
    paths: Paths,
    measure: str | list[str] | None = None,
    transpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
    keep_averages: bool = False,
) -> pd.DataFrame:
    """Read a score table from one or more files.

    Parameters
    ----------
    paths : path, or list of paths
        One table, wide (a row per system, a column per topic) or long (a
        row per score; columns such as system, topic, assessor, score), as
        CSV, TSV, semicolon-separated, JSON, Parquet or Excel.  Or what
        tools write, a file or several: see `gtaudit.readers`. A folder
        stands for all files in it, or for what a tool wrote there.
    measure : str or list of str, optional
        Which measure, where a file holds several: a column of a long
        table, a value of its column ``measure``, or a measure of
        trec_eval, under its own name (``map``) or that of ir_measures
        (``AP``).  Of several the result has a column ``measure``.
    transpose : bool, optional
        Whether the rows of a wide table are topics, where neither the
        name of its first column nor the names in it say so. Rows without
        names are numbered, and ``attrs["report"]`` says so.
    roles : mapping of column to name, optional
        Columns to call ``system``, ``topic``, ... whatever their names.
    keep_averages : bool
        Whether what is called like an average is a system or a topic.

    Returns
    -------
    DataFrame
        Wide with systems as rows, or long with the columns ``system``,
        ``topic``, perhaps others, and ``score``. Names are text, as they
        stand in the file. ``attrs["reading"]`` is the `Reading`, and
        ``attrs["score"]`` what the scores of a measure are called.

    Raises
    ------
    ValueError
        If a file is missing, empty, not text, has no header, or does not
        say what is a system, a topic and a score; if a name is missing,
        is twice in the header, or differs from another by blanks only;
        or if the measure or `transpose` does not apply.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "scores.csv"
    >>> text = "Model,q1,q2,cost\\nbm25,.3,.4,7\\nlm,.2,.5,9\\n"
    >>> _ = path.write_text(text)
    >>> scores = read_scores(path)
    >>> scores.loc["bm25"].to_dict()
    {'q1': 0.3, 'q2': 0.4}
    >>> print(scores.attrs["reading"].sentence)
    read as: Model = system, columns = topic (2 × 2); left out: cost.
    """
    files = list_inputs(paths)
    raw, notes = read_tables(files)
    source = str(files[0])
    if len(files) > 1:
        source += f" and {len(files) - 1} more"
    averages = "" if keep_averages else AVERAGES
    wanted = measure if isinstance(measure, list) else [measure]
    if raw.attrs.get("trec_eval"):
        wanted = [trec_eval_name(m) for m in wanted]
    tables = {
        m: _arrange(source, raw, m, transpose, roles or {}, averages)
        for m in wanted
    }
    first = next(iter(tables.values()))
    attrs = dict(first.attrs)
    if len(tables) > 1:
        named = (t.assign(measure=m) for m, t in tables.items())
        first = pd.concat(named, ignore_index=True)
        attrs["reading"] = attrs["reading"].without(wanted)
    name = attrs.get("score")
    if is_any_score(name):
        titles = filter(is_of_errors, raw.attrs.get("titles", ()))
        attrs["score"] = next(titles, name)
    first.attrs = attrs
    first.attrs["report"] = [*notes, *attrs.get("report", [])]
    return first


def read_input(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    measure: str | list[str] | None = None,
    transpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
    keep_averages: bool = False,
) -> tuple[pd.DataFrame, list[str]]:
    """Read scores from a table, or from runs and qrels, with notes on
    them.

    Parameters
    ----------
    table : path or list of paths, optional
        As `read_scores` takes them.
    runs, qrels : as in `read_runs`, optional
    measure : str or list of str, optional
        For runs, what ir_measures names; AP without it.
    transpose, roles, keep_averages : optional
        As `read_scores` takes them.

    Returns
    -------
    scores : DataFrame
    notes : list of str
        What was not complete, a sentence each.
    """
    if (table is None) == (runs is None):
        raise ValueError("Give a table of scores, or runs with qrels.")
    if table is not None:
        if qrels is not None:
            raise ValueError("Qrels go with runs, not with a table.")
        scores = read_scores(
            table, measure, transpose, roles, keep_averages
        )
        return scores, scores.attrs.get("report", [])
    if qrels is None:
        raise ValueError("Runs need qrels to be judged by (--qrels).")
    if transpose is not None:
        raise ValueError("Runs have no rows to transpose.")
    wanted = measure if isinstance(measure, list) else [measure or "AP"]
    scores = read_runs(runs, qrels, [*wanted], report=None)
    refuse_no_relevant(scores)
    return scores, scores.attrs["report"]


def refuse_no_relevant(
    scores: pd.DataFrame, documents: Collection[str] = ()
) -> None:
    """Refuse scores of runs that have no relevant document at all.

    Parameters
    ----------
    scores : DataFrame
    documents : collection of str
        Documents of the runs, if the judgments name none of any run.
    """
    if (scores["score"] != 0).any():
        return
    if len(documents):
        raise ValueError(
            "No document of the qrels is in the runs, which have "
            f"{list_some(documents)}: are these the judgments of another "
            "collection, or are documents named otherwise there?"
        )
    raise ValueError(
        "No run has a relevant document among those that the qrels name: "
        "are these the judgments of these runs?"
    )


def facet_roles(
    design: str | None, fixed: Collection[str] = ()
) -> tuple[dict[str, str], str | None]:
    """Find the roles that the facets of a design have in an audit.

    The system, the object of measurement, is the facet nested in no other
    that has a name of systems in `ALIASES`; failing that, the first such
    facet whose name is not in `ALIASES`. The topic is found likewise.

    Parameters
    ----------
    design : str, optional
    fixed : collection of str
        Facets that are no topics, as their levels are all there are.

    Returns
    -------
    roles : dict of facet to name
        Of each facet.
    design : str
        With the system first.

    Raises
    ------
    ValueError
        If the design cannot be read, or has no facet for systems.

    Examples
    --------
    >>> facet_roles("student x (rater:exercise)")
    ({'student': 'system', 'exercise': 'topic', 'rater': 'assessor'}, \
'student x (rater:exercise)')
    """
    if design is None:
        return {}, None
    parsed = Design(design)
    known = {a: name for name, names in ALIASES.items() for a in names}
    free = [f for f in parsed.facets if not parsed.nesting[f]]
    systems = [f for f in free if known.get(f.lower()) == "system"]
    systems += [f for f in free if f.lower() not in known]
    if not systems:
        raise ValueError(
            f"The design {design!r} has no facet for the systems that an "
            "audit compares. It is nested in no other, and is called "
            "system, run or model, or by a name that is none of topics, "
            "assessors or seeds."
        )
    if systems[0] != parsed.object:
        crossed = re.split(r"\s+x\s+", design)
        others = [part for part in crossed if part != systems[0]]
        design = " x ".join([systems[0], *others])
        parsed = Design(design)
    others = [f for f in parsed.facets if f != parsed.object]
    topics = [f for f in others if known.get(f.lower()) == "topic"]
    topics += [
        f for f in others if f.lower() not in known and f not in fixed
    ]
    roles = {parsed.object: "system"} | dict.fromkeys(topics[:1], "topic")
    for facet in others:
        name = known.get(facet.lower(), facet)
        roles.setdefault(facet, facet if name in roles.values() else name)
    return roles, design


def default_design(
    several: Collection[str], own_runs: bool = False
) -> str | None:
    """Return the design where topics belong to tasks or systems ran
    repeatedly; None where all facets are crossed.

    Parameters
    ----------
    several : collection of str
        The facets that have several levels.
    own_runs : bool
        Whether repetitions share nothing: each is of a system on a topic.
        Else each is of a system, as are seeds.
    """
    if "topic" not in several or not {"task", "seed", "repetition"} & {
        *several
    }:
        return None
    topic = "(topic:task)" if "task" in several else "topic"
    crossed = " x assessor" if "assessor" in several else ""
    for facet in ("seed", "repetition"):
        if facet in several:
            if own_runs and facet != "seed":
                return f"({facet}:(system x {topic})){crossed}"
            return f"({facet}:system) x {topic}{crossed}"
    return f"system x {topic}{crossed}"


def describe_nests(design: Design, nouns: Nouns = OURS) -> str | None:
    """Say which runs of a system were taken to share something, and how
    to say otherwise; None where there is one run."""
    system, topic = nouns.system, nouns.topic
    for facet in (nouns.seed, nouns.repetition):
        if facet not in design.facets:
            continue
        own = f"--design '{system} x {topic} x {facet}'"
        if topic in design.nesting[facet]:
            return (
                f"Each {facet} is taken as a run of its own, of one "
                f"{system} on one {topic}. If it holds for all "
                f"{nouns.topics} of {nouns.a_system}, as a training seed "
                f"does, say --design '({facet}:{system}) x {topic}'; if "
                f"all {nouns.systems} share it, {own}."
            )
        if design.nesting[facet]:
            return (
                f"{facet.capitalize()}s are taken as nested in "
                f"{nouns.systems}. If all {nouns.systems} share what a "
                f"{facet} sets, say so with {own}; if runs on two "
                f"{nouns.topics} share nothing, with --design "
                f"'{facet}:({system} x {topic})'."
            )
    return None


def refuse_no_topics(design: Design, topic: str = "topic") -> None:
    """Refuse a design without a facet of topics."""
    if topic not in design.facets:
        raise ValueError(
            f"The design {list_some([design])} has no facet for the "
            "topics; an audit "
            "asks how scores change with others."
        )


def refuse_no_facet(
    scores: pd.DataFrame, design: str | None, reading: Reading
) -> None:
    """Refuse a design with a facet that no column has."""
    if design is None or "score" not in scores:
        return
    lacking = [f for f in Design(design).facets if f not in scores]
    if lacking:
        names = [*reading.roles, *reading.left_out]
        runs = [c for c, r in reading.roles.items() if r == "repetition"]
        hint = ""
        if "seed" in lacking and runs:
            hint = f" In a design {runs[0]} is called repetition."
        raise ValueError(
            f"No column is called {list_some(lacking)}, as the design "
            f"says; the columns are {list_some(names, 12)}.{hint}"
        )


def _arrange(path, table, measure, transpose, roles, averages):
    """Make a table of scores by one measure: long with named columns, or
    wide with systems as rows."""
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    twice = table.columns[table.columns.duplicated()]
    if any(not str(name).strip() for name in twice):
        raise ValueError(f"Several columns of {path} have no name.")
    if len(twice):
        raise ValueError(
            f"The header of {path} has {list_some(twice)} twice: rename "
            "one."
        )
    unnamed = _is_unnamed(table.columns[0])
    named_columns = table.columns[1:] if unnamed else table.columns
    refuse_blank_names(path, named_columns.to_series(), "column")
    if "measure" not in table:
        metrics = [
            c for c in table if plain(c) in ("metric", "metric_name")
        ]
        metrics = [c for c in metrics if as_numbers(table[c]).isna().all()]
        table = table.rename(columns=dict.fromkeys(metrics, "measure"))
    role_of = column_roles(path, table, measure, roles, table)
    missing_roles = {"system", "topic"} - {*role_of.values()}
    if not missing_roles and "score" not in role_of.values():
        table, role_of = _melt_numbered(table, role_of)
    if not missing_roles:
        if transpose is not None:
            raise ValueError(
                f"{path} says what is a system and what is a topic: there "
                "is nothing to transpose (--transpose)."
            )
        return _long(path, table, role_of, measure, averages)
    if "score" in role_of.values() or "measure" in table:
        missing = sorted(missing_roles)
        columns = " ".join(f"{role}=COLUMN" for role in missing)
        raise ValueError(
            f"{path} has a column of scores but none that names the "
            f"{' or the '.join(missing)}; its columns are "
            f"{list_some(table.columns, 8)}. Say which do, as in --columns "
            f"{columns.replace(' ', ',')} or --design 'SYSTEMS x TOPICS'."
        )
    if measure is not None:
        raise ValueError(
            f"{path} is a table of systems and topics, which holds one "
            f"measure: {measure!r} cannot be chosen (--measure)."
        )
    return _wide(path, table, role_of, transpose, roles, averages)


def _melt_numbered(table, role_of):
    """Put scores into one column where assessors, seeds or repetitions
    have a column each, as in rater_1, rater_2."""
    for role in ("assessor", "seed", "repetition"):
        columns = [
            c
            for c in table
            if c not in role_of
            and re.search(r"\d$", str(c))
            and _is_numbered(c, role)
        ]
        if len(columns) > 1 and role not in role_of.values():
            others = [c for c in table if c not in columns]
            table = table.melt(others, columns, role, "score")
            return table, {**role_of, role: role, "score": "score"}
    return table, role_of


def _is_numbered(column, role):
    """Return whether a column is one of a role, as rater_1 is. Beside
    systems, a run is one of several runs of them."""
    name = plain(column).rstrip("0123456789_")
    known = name_rank(name, role) is not None
    return known or (role == "repetition" and name == "run")


def _wide(path, table, role_of, transpose, roles, averages):
    """Make a wide table with systems as rows.

    One column holds the names of the rows: of systems or topics, if its
    own name says so, or of either. Where it holds scores, rows have no
    names. What is beside the scores is left out.
    """
    first = _column_of_names(table, role_of)
    if first != table.columns[0]:
        others = [c for c in table if c != first]
        table = table[[first, *others]]
    scores, left_out = _columns_of_scores(table, averages)
    if scores.empty:
        raise ValueError(
            f"{path} has no column of scores beside {str(first)!r}"
            + (
                f": {list_some(left_out)} are left out, by what they are "
                f"called or because they hold "
                f"text{_a_text(table, left_out)}."
                if left_out
                else "."
            )
        )
    table = pd.concat([table[[first]], scores], axis="columns")
    unnamed = _is_unnamed(first)
    role = role_of.get(first)
    # A name such as task, which may be that of a system as well.
    weak = role and first not in roles and name_rank(first, role) == 2
    # Whether topics go down the first column, if it says so.
    topics_in_rows = None
    if role in ("system", "topic"):
        topics_in_rows = role == "topic"
    unnamed_rows = (
        topics_in_rows is None
        and not unnamed
        and _holds_scores(path, table)
    )
    if unnamed_rows:
        if _like_scores(table.columns.to_series(), table):
            raise ValueError(
                f"The first line of {path} may hold scores: write the "
                "names of the columns in a line above it."
            )
        table = table.assign(**{first: as_scores(table[first])})
        table.insert(0, "", range(1, len(table) + 1))
    rows = table.iloc[:, 0].astype(str)
    columns = table.columns[1:].astype(str)
    refuse_blank_names(path, rows, "row")
    topics_across = columns.str.fullmatch(_TOPIC_PATTERN).all()
    topics_down = rows.str.fullmatch(_TOPIC_PATTERN).all()
    if weak:
        numbered = (
            rows.str.fullmatch(_NUMBERED),
            columns.str.fullmatch(_NUMBERED),
        )
        topics_in_rows = numbered[0].all() and not numbered[1].all()
    if (
        None not in (topics_in_rows, transpose)
        and topics_in_rows != transpose
    ):
        raise ValueError(
            f"The first column of {path} is called {first!r}: its "
            f"rows are {role}s, whatever --transpose says."
        )
    if topics_in_rows is None:
        topics_in_rows = transpose
    if topics_in_rows is None and columns.str.fullmatch(_SYSTEMS).all():
        topics_in_rows = True
    clear = topics_across and (unnamed_rows or not topics_down)
    if topics_in_rows is None and not clear:
        advice = ""
        if not unnamed_rows:
            advice = (
                f"call its first column, {first!r}, system or topic; or "
            )
        raise ValueError(
            f"{path} does not say whether its rows are systems or topics: "
            f"{advice}say --no-transpose if they are systems, --transpose "
            "if they are topics."
        )
    wide = table.set_index(rows).iloc[:, 1:]
    wide = wide.set_axis(columns, axis="columns").rename_axis(index=None)
    average_rows = [n for n in wide.index if is_named(n, averages)]
    if 0 < len(average_rows) <= len(wide) - 2:
        wide = wide.drop(index=average_rows)
        left_out += [
            f"the row {name}" for name in dict.fromkeys(average_rows)
        ]
    named = tuple(filter(str.strip, left_out))
    twice = wide.index[wide.index.duplicated()].unique()
    if len(twice) and not unnamed_rows and len(left_out):
        other = "system" if topics_in_rows else "topic"
        raise ValueError(
            f"{path} has several rows of {list_some(twice)}. If each is of "
            f"another {other}, say which column names these, as in "
            f"--columns {other}={named[0] if named else 'COLUMN'}; else "
            "rename or remove one."
        )
    if topics_in_rows:
        wide = wide.T
    _refuse_text(path, wide)
    row_role = "topic" if topics_in_rows else "system"
    corner = not role and is_of_errors(str(first))  # of a pivoted table
    unnamed = unnamed_rows or unnamed or corner
    names = {"rows" if unnamed else str(first): row_role}
    names["columns"] = "system" if topics_in_rows else "topic"
    wide.attrs["reading"] = Reading(names, named, wide.shape)
    wide.attrs["report"] = []
    if corner:
        wide.attrs["score"] = str(first)
    elif are_of_errors(scores):
        wide.attrs["score"] = list_some(scores, 3)
    else:  # Average WER stands beside them
        beside = [c for c in named if is_named(c, averages)]
        wide.attrs["score"] = next(filter(is_less_better, beside), None)
    if unnamed_rows:
        note = (
            f"The rows of {Path(path).name} have no names: they are "
            "numbered."
        )
        wide.attrs["report"].append(note)
    return wide


def _column_of_names(table, role_of):
    """Choose the column that names the rows of a wide table."""
    for role in ("system", "topic"):
        named = [c for c, r in role_of.items() if r == role]
        if named:
            return named[0]
    first, second = table.columns[0], table.columns[1:2]
    if len(second) and (
        is_index(first, table[first])
        or (re.fullmatch("\\s*", str(first)) and _counts(table[first]))
    ):
        fields = as_scores(table[second[0]])
        if not pd.api.types.is_numeric_dtype(fields):
            return second[0]
    return first


def _a_text(table, columns):
    """Quote a cell of the first of these columns that holds text."""
    for column in table:
        if str(column) in columns:
            for value in table[column].dropna().head(9):
                if as_numbers(pd.Series([str(value)])).isna().all():
                    return f" (as {str(value)[:40]!r} in {column})"
    return ""


def _counts(fields):
    """Return whether a column numbers the rows, from 0 or from 1."""
    numbers = as_numbers(fields)
    steps = numbers.diff().iloc[1:]
    return numbers.iloc[0] in (0, 1) and (steps == 1).all()


def _columns_of_scores(table, averages):
    """Tell the columns of scores of a wide table, as numbers, from those
    beside them: averages, what is known by name, text, and words among
    numbers."""
    kept, left_out, words = {}, [], []
    fractions = False
    for column in table.columns[1:]:
        fields = table[column]
        known = is_named(column, averages) or is_named(column, METADATA)
        if known or is_index(column, fields) or is_id(column, fields):
            left_out.append(str(column))
            continue
        kept[column] = scores = as_scores(fields)
        if pd.api.types.is_numeric_dtype(scores):
            if are_words(fields):
                words.append(column)
            elif not fractions:
                fractions = bool((scores % 1 > 0).any())
        elif (
            as_numbers(fields).isna().all()
            and not fields.map(is_grouped).any()
        ):
            left_out.append(str(column))
            del kept[column]
    if fractions:  # words among them are no scores
        left_out += [str(c) for c in words]
        kept = {c: s for c, s in kept.items() if c not in words}
    return pd.DataFrame(kept, index=table.index), left_out


def _refuse_text(path, wide):
    """Refuse the first cell that holds no score."""
    for topic, fields in wide.items():
        if pd.api.types.is_numeric_dtype(fields):
            continue
        texts = fields.map(lambda v: isinstance(v, str))
        if texts.any():
            system = texts.idxmax()
            value = next(v for v in fields if isinstance(v, str))
            cell = f"{name_level('system', system)} on "
            cell += name_level("topic", topic)
            hint = f" It stands in {path}. Was it not observed? "
            hint += "Then leave the field empty."
            if value.strip().endswith("%"):
                hint = " Some scores of this column have % and others not: "
                hint += f"write all of them alike. It stands in {path}."
            if is_grouped(value):
                hint += (
                    " Its comma may stand before decimals or between "
                    "thousands: write it with a point, or without."
                )
            raise bad_score_error(cell, hint, value)


def _holds_scores(path, table):
    """Return whether the first column has scores, so that rows have no
    names."""
    first = as_scores(table.iloc[:, 0])
    if not pd.api.types.is_numeric_dtype(first):
        return False
    if (first % 1 != 0).any() or first.duplicated().any():
        return True
    parts = table.iloc[:, 1:].apply(as_numbers) % 1
    if parts.any(axis=None) or not _like_scores(first, table.iloc[:, 1:]):
        return False
    raise ValueError(
        f"The first column of {path}, {table.columns[0]!r}, may hold names "
        "or scores: call it system or topic if it names these, or put a "
        "column before it that numbers the rows, without a name."
    )


def _like_scores(fields, table):
    """Return whether all fields are within the range of a table's
    scores."""
    scores = table.apply(as_numbers)
    ends = scores.min(axis=None), scores.max(axis=None)
    return as_numbers(fields).between(*ends).all()


def read_system_table(path: str | Path) -> pd.DataFrame:
    """Read a CSV file about systems, as text; the column of their names is
    called ``system``, whatever its name in the file."""
    list_files([path])
    text = read_as_written(path)
    table = parse_csv(path, text)
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    if not isinstance(table.index, pd.RangeIndex):
        raise ValueError(f"{path} has rows with more fields than names.")
    names = [c for c in table if name_rank(c, "system") is not None]
    return table.rename(columns=column_roles(path, names, None, {}))


def refuse_blank_names(path: object, names: pd.Series, what: str) -> None:
    """Refuse names that are empty or blank."""
    if (names.dropna().astype(str).str.strip() == "").any():
        raise ValueError(f"In {path} a {what} has no name.")


def _long(path, table, role_of, measure, averages):
    """Make a long table with one column ``score``: of the measure that is
    wanted, from the rows or the column that hold it."""
    written = {role: str(c) for c, role in role_of.items()}
    score = next((c for c, r in role_of.items() if r == "score"), None)
    facets = {c: r for c, r in role_of.items() if r != "score"}
    clash = {r for c, r in facets.items() if r in table and r != c}
    table = table.drop(columns=clash).rename(columns=facets)
    for facet in {"system", "topic", *FURTHER_FACETS} & {*table}:
        refuse_blank_names(path, table[facet], facet)
    called = None
    if "measure" in table:
        offered = table["measure"].unique().tolist()
        called = _choose(path, offered, measure)
        table = table[table["measure"] == called]
        measure = None
    names = {*facets.values(), "measure"}
    numbers = _find_numbers(table.drop(columns=names, errors="ignore"))
    offered = _measures([*numbers], score)
    used = [c for c in written.values() if c != str(score)]
    chosen = _choose_column(path, table, offered, measure, names, used)
    scores = numbers.get(chosen)
    if scores is None:
        scores = as_scores(table[chosen])
    if "score" in table and chosen != "score":
        table = table.drop(columns="score")
    table = table.rename(columns={chosen: "score"}).assign(score=scores)
    written["score"] = str(chosen)
    table, left_out = _without_averages(table, averages)
    table, group = _tell_topics_apart(table, names & {*table} - {"measure"})
    if group:
        written["task"] = group
    kept = ["system", "topic", *FURTHER_FACETS]
    extra = {c: r for c, r in role_of.items() if r not in (*kept, "score")}
    shown = {written[r]: r for r in kept if r in written} | extra
    shown[written["score"]] = "score"
    _refuse_repeated_cells(path, table, shown)
    shape = tuple(
        _count_levels(table, r) for r in shown.values() if r != "score"
    )
    others = [c for c in table if c not in names | {"score", "task"}]
    unnamed = _is_unnamed(table.columns[0])
    if unnamed:  # the row numbers that pandas writes
        table = table.drop(columns=table.columns[0])
        others = [c for c in others if c in table]
    left_out = (*map(str, others), *left_out)
    table.attrs = {"reading": Reading(shown, left_out, shape), "report": []}
    own = plain(written.get("repetition", "")) in OWN_RUNS
    table.attrs["own_runs"] = own
    table.attrs["score"] = str(chosen if called is None else called)
    table.attrs["facets"] = tuple(written)
    return table


def _refuse_repeated_cells(path, table, shown):
    """Refuse several scores of a cell that a further column tells apart."""
    facets = [r for r in shown.values() if r in table and r != "score"]
    others = [c for c in table if c not in (*facets, "score", "measure")]
    if not others or not table.duplicated(facets).any():
        return
    apart = [c for c in others if not table.duplicated([*facets, c]).any()]
    if apart:
        cell = [c for c, r in shown.items() if r in ("system", "topic")]
        design = " x ".join([*cell, str(apart[0])])
        raise ValueError(
            f"{path} has several scores in a cell of {cell[0]} and "
            f"{cell[1]}; {list_some(apart)} may tell them apart. If these "
            "are runs of the same, say --columns "
            f"repetition={apart[0]}; if others of them could be drawn, "
            f"--design '{design}'."
        )


def _count_levels(table, role):
    """Count the levels of a role; of repetitions, those of a cell."""
    if role in ("seed", "repetition"):
        each = table.groupby(["system", "topic"], sort=False)[role]
        return int(each.nunique().max())
    return table[role].nunique()


def _without_averages(table, averages):
    """Leave out the rows of averages over topics, of any usual name."""
    names = [n for n in table["topic"].unique() if is_named(n, averages)]
    if not names or table["topic"].nunique() - len(names) < 2:
        return table, ()
    kept = table[~table["topic"].isin(names)]
    return kept, tuple(f"the rows of {name}" for name in names)


def _tell_topics_apart(table, facets):
    """Number topics within the tasks that they belong to, where several
    tasks have the same numbers."""
    tasks = table.attrs.get("tasks")
    groups = [c for c in table if plain(c) in GROUPS.split()]
    groups = [c for c in groups if c not in facets]
    if tasks:
        groups = ["task"] if len(table["task"].unique()) > 1 else []
    elif not groups or not table.duplicated([*facets]).any():
        return table, None
    for group in groups:
        if tasks or not table.duplicated([*facets, group]).any():
            own = (
                table[group].astype(str) + " " + table["topic"].astype(str)
            )
            table = table.assign(topic=own, task=table[group])
            if group != "task":
                table = table.drop(columns=group)
            return table, str(group)
    return table, None


def _find_numbers(table):
    """Convert the columns that may hold scores."""
    numbers = {}
    for column, fields in table.items():
        if not is_named(column, METADATA) and not is_index(column, fields):
            scores = as_scores(fields)
            if pd.api.types.is_numeric_dtype(scores) and scores.count():
                numbers[column] = scores
    return numbers


def _measures(numbers, score):
    """List the columns that may hold the scores of a measure."""
    known = [c for c in numbers if is_measure(c)]
    if score is not None:
        return [score, *(c for c in known if c != score)]
    if known:
        return known
    return [c for c in numbers if plain(c) not in GROUPS.split()]


def _is_unnamed(column):
    """Return whether a column has no name, or that which pandas gives."""
    return bool(re.match(r"(?i)\s*($|unnamed: )", str(column)))


def _choose_column(path, table, offered, measure, names, used):
    """Choose the column of the scores."""
    if measure is not None:
        columns = [c for c in table if c not in names]
        same = [c for c in columns if str(c).lower() == measure.lower()]
        if measure in columns or len(same) == 1:
            return measure if measure in columns else same[0]
    if not offered:
        columns = [c for c in table if c not in names]
        hint = ""
        if columns:
            hint = (
                f" Others ({list_some(columns)}) are called like a time, a "
                "price or a count, or hold words. Write scores as numbers, "
                "and say which column has them, as in --columns "
                f"score={shlex.quote(str(columns[-1]))}, and "
                "--less-is-better if they are errors, times or prices."
            )
        raise ValueError(
            f"{path} has no column of scores beside {list_some(used)}."
            + hint
        )
    return _choose(path, offered, measure)


def _choose(path, offered, measure):
    """Choose the measure that is wanted, or the only one."""
    if measure is None and len(offered) != 1:
        ways = [f"--measure {shlex.quote(str(n))}" for n in offered[:8]]
        raise ValueError(
            f"In {path} there are {len(offered)} measures "
            f"({list_some(offered)}): say which, as in {' or '.join(ways)}."
            " If these columns are people who judged the same, or systems, "
            "make one column of their names, assessor or system, and one "
            "of the scores."
        )
    wanted = offered[0] if measure is None else measure
    same_but_case = [o for o in offered if str(o).lower() == wanted.lower()]
    if wanted not in offered and len(same_but_case) != 1:
        raise ValueError(
            f"{path} has no measure {wanted!r}, but {list_some(offered)}."
        )
    return wanted if wanted in offered else same_but_case[0]
