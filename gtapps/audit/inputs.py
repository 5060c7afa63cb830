"""Reading score tables: CSV, Parquet, output of evaluations.

`read_scores` recognizes the format of a file. What it cannot make sense of
it refuses, and says which file, where in it, and what to do.
"""

import csv
import io
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import pandas as pd

from gtapps.audit.evaluations import (
    SYSTEM_COLUMNS,
    TREC_EVAL,
    are_measures,
    read_evaluations,
    trec_eval_name,
)
from gtapps.audit.extras import require_packages
from gtapps.audit.safe_files import parse_csv
from gtlib.runs import (
    Paths,
    claim_system,
    list_files,
    read_as_written,
    read_runs,
)
from gtlib.tables import ASSESSORS, Design, as_numbers, list_some

# Column names that are understood, by the name that is used here.
ALIASES = {
    "system": (*SYSTEM_COLUMNS,),
    "topic": (
        *("topic", "query", "qid", "topic_id", "query_id", "topicid"),
        *("item", "item_id", "question", "question_id", "instance"),
        "doc_id",  # of lm-evaluation-harness
    ),
    "assessor": ASSESSORS,
    "seed": ("seed", "repetition", "replicate", "run_number", "epoch"),
    "score": ("score", "value"),
}

_SCORE_PATTERN = r"(?i)[+-]?([01]?\.\d+|\d+(\.\d*)?e[+-]?\d+)"
_TOPIC_PATTERN = r"(?i)(q|t|topic|query|question|item)?[-_ ]?\d+"


def read_scores(
    paths: Paths,
    measure: str | list[str] | None = None,
    transpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """A score table from one or more files.

    Parameters
    ----------
    paths : path, or list of paths
        One table, wide (a row per system, a column per topic) or long (a
        row per score; columns such as system, topic, assessor, score), as
        CSV, TSV, semicolon-separated or Parquet, plain or gzipped, or as
        R's ``write.table`` has it.  Or the output of ``trec_eval -q``,
        ``gdeval.pl`` or ``ir_measures -q``; or values with the run before
        them, as a ranking, or as JSON lines. A folder stands for all
        files in it.
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

    Returns
    -------
    DataFrame
        Wide with systems as rows, or long with the columns ``system``,
        ``topic``, perhaps others, and ``score``. Names are text, as they
        stand in the file.

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
    >>> _ = path.write_text("run,q1,q2\\nbm25,.3,.4\\nlm,.2,.5\\n")
    >>> read_scores(path).loc["bm25"].to_dict()
    {'q1': 0.3, 'q2': 0.4}
    """
    files = list_files(paths)
    wanted = measure if isinstance(measure, list) else [measure]
    tables = [_read(f, wanted, transpose, roles or {}) for f in files]
    if len(tables) == 1:
        return tables[0]
    owner: dict[str, object] = {}
    for path, table in zip(files, tables, strict=True):
        if "system" not in table.columns:
            raise ValueError(
                f"{len(files)} files were given, and {path.name} is a wide "
                "table. Several files are read as one only if each is the "
                "output of trec_eval -q or a long table."
            )
        for system in table["system"].unique():
            claim_system(owner, system, path.name)
    return pd.concat(tables, ignore_index=True)


def read_input(
    table: Paths | None = None,
    runs: Paths | None = None,
    qrels: Paths | None = None,
    measure: str | list[str] | None = None,
    transpose: bool | None = None,
    roles: Mapping[str, str] | None = None,
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
    transpose, roles : optional
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
        scores = read_scores(table, measure, transpose, roles)
        return scores, scores.attrs.get("report", [])
    if qrels is None:
        raise ValueError("Runs need qrels to be judged by (--qrels).")
    if transpose is not None:
        raise ValueError("Runs have no rows to transpose.")
    wanted = measure if isinstance(measure, list) else [measure or "AP"]
    scores = read_runs(runs, qrels, [*wanted], report=None)
    return scores, scores.attrs["report"]


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
        design = f"{systems[0]} x {design}"
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


def seed_design(several: Collection[str]) -> str | None:
    """The design where there are several seeds and topics, or None.

    Seeds are nested in systems: the first seed of one has nothing to do
    with the first of another.
    """
    if not {"seed", "topic"} <= {*several}:
        return None
    design = "(seed:system) x topic"
    return f"{design} x assessor" if "assessor" in several else design


def refuse_no_topics(design: Design, topic: str = "topic") -> None:
    """Refuse a design without a facet of topics."""
    if topic not in design.facets:
        raise ValueError(
            f"The design {list_some([design])} has no facet for the "
            "topics; an audit "
            "asks how scores change with others."
        )


def _read(path, measures, *options):
    if path.suffix == ".parquet":
        table = _parquet(path)
    else:
        text = read_as_written(path)
        first = next(io.StringIO(text.lstrip(), newline="")).strip()
        if TREC_EVAL.match(first):
            measures = map(trec_eval_name, measures)
        lines = io.StringIO(text, newline=None).read()
        table = read_evaluations(path, lines)
        if table is None:
            table = _delimited(path, text, first)
    tables = {m: _arrange(path, table, m, *options) for m in measures}
    if len(tables) == 1:
        return tables.popitem()[1]
    named = (t.assign(measure=m) for m, t in tables.items())
    return pd.concat(named, ignore_index=True)


def _parquet(path):
    require_packages("A Parquet file", "pyarrow")
    try:
        table = pd.read_parquet(path)
    except Exception as error:  # Arrow has kinds of its own
        raise ValueError(f"{path} is not a Parquet file.") from error
    if not isinstance(table.index, pd.RangeIndex):
        table = table.reset_index()
    texts = table.dtypes.map(pd.api.types.is_string_dtype)
    for name in table.columns[texts]:
        table[name] = table[name].map(str, na_action="ignore")
    return table


def _delimited(path, text, header):
    # The commonest of these; blanks, where there is none of them.
    delimiter = max(",\t;", key=header.count)
    if delimiter not in header:
        delimiter = " "
    rows: dict[int, list[str]] = {}  # the first of each number of fields
    try:
        lines = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter
        )
        names = [name.strip() for name in next(filter(None, lines))]
        for row in filter(None, lines):
            rows.setdefault(len(row), row)
    except csv.Error as error:
        raise ValueError(f"{path} cannot be read: {error}.") from error
    # R names no column of names.
    has_row_names = {*rows} == {len(names) + 1}
    if delimiter == " " and not (
        has_row_names or ('"' in header and len(names) > 1)
    ):
        hint = ""
        if "|" in header:
            hint = "; it looks separated by |"
        elif " " in header:
            hint = "; it looks separated by blanks"
        raise ValueError(
            f"{path} has one column only{hint}. Separate the columns with "
            "commas, tabs or semicolons."
        )
    if has_row_names:
        names = ["", *names]
        text = f'""{delimiter}{text.lstrip()}'
    scorelike = [re.fullmatch(_SCORE_PATTERN, name) for name in names[1:]]
    if sum(map(bool, scorelike)) >= len(scorelike) / 2:
        raise ValueError(
            f"The first line of {path} reads like scores, not like names "
            f"({list_some(names, 4)}): add a header line that names the "
            "topics, or the columns system, topic and score."
        )
    table = parse_csv(path, text, sep=delimiter, header=None)
    # Which score a short row lacks is not known; pandas takes the last.
    fewest = min(rows, default=len(names))
    if fewest < len(names):
        raise ValueError(
            f"{path} has a row with fewer fields than its header, that of "
            f"{list_some(rows[fewest][:1])}. Add the field; an empty one "
            "is a score that was not observed."
        )
    table = table[1:].set_axis(table.iloc[0].rename(None), axis="columns")
    if re.fullmatch(r"runid,topic,ndcg@\d+,err@\d+", header):  # of gdeval
        table = table[~table["topic"].isin(["amean", "topic"])]
    return table


def _arrange(path, table, measure, transpose, roles):
    """A table of scores by one measure: long with named columns, or wide
    with systems as rows."""
    if table.empty:
        raise ValueError(f"{path} has a header but no rows.")
    twice = table.columns[table.columns.duplicated()]
    if len(twice):
        raise ValueError(
            f"The header of {path} has {list_some(twice)} twice: rename "
            "one."
        )
    unnamed = re.match(r"(?i)\s*($|unnamed: )", str(table.columns[0]))
    named_columns = table.columns[1:] if unnamed else table.columns
    refuse_blank_names(path, named_columns.to_series(), "column")
    if {*table} >= {"name", "qid", "measure", "value"}:  # of PyTerrier
        table = table.rename(columns={"name": "system"})
    role_of = column_roles(path, table, measure, roles)
    missing_roles = {"system", "topic"} - {*role_of.values()}
    if not missing_roles:
        if transpose is not None:
            raise ValueError(
                f"{path} says what is a system and what is a topic: there "
                "is nothing to transpose (--transpose)."
            )
        if role_of.get(measure) == "score":
            same = {c for c in table if str(c).strip().lower() == "score"}
            table = table.drop(columns=same - {measure})
            measure = "score"
        facets = [*ALIASES, "measure", *roles.values()]
        if unnamed:  # the row numbers that pandas writes
            table = table.drop(columns=table.columns[0])
        table = table.rename(columns=role_of)
        return _long(path, table, measure, facets)
    if "score" in role_of.values():
        raise ValueError(
            f"{path} has a column of scores but none that names the "
            f"{' or the '.join(sorted(missing_roles))}; its columns are "
            f"{list_some(table.columns, 8)}. Say which do, as in --design "
            "'SYSTEMS x TOPICS'."
        )
    if measure is not None:
        raise ValueError(
            f"{path} is a table of systems and topics, which holds one "
            f"measure: {measure!r} cannot be chosen (--measure)."
        )
    role = role_of.get(table.columns[0])
    return _wide(path, table, transpose, role, unnamed)


def _wide(path, table, transpose, role, unnamed):
    """A wide table with systems as rows.

    The first column holds the names of the rows: of systems or topics, if
    its own name says so (`role`), or of either, as in one that is
    `unnamed`. Where it holds scores, rows have no names.
    """
    first = table.columns[0]
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
        table.insert(0, "", range(1, len(table) + 1))
    rows = table.iloc[:, 0].astype(str)
    columns = table.columns[1:].astype(str)
    refuse_blank_names(path, rows, "row")
    topics_across = columns.str.fullmatch(_TOPIC_PATTERN).all()
    topics_down = rows.str.fullmatch(_TOPIC_PATTERN).all()
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
    wide = wide.apply(lambda column: _numeric(path, column))
    if topics_in_rows:
        wide = wide.T
    wide.attrs["report"] = []
    if unnamed_rows:
        note = f"The rows of {path.name} have no names: they are numbered."
        wide.attrs["report"].append(note)
    return wide


def _holds_scores(path, table):
    """Return whether the first column has scores, so that rows have no
    names."""
    first = _numeric(path, table.iloc[:, 0])
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


def column_roles(
    path: object, columns: Iterable, measure: str | None, roles: Mapping
) -> dict[str, str]:
    """Find the roles of columns in an audit, by `ALIASES` and `roles`.

    Examples
    --------
    >>> column_roles("a.csv", ["Run", "qid", "AP"], None, {})
    {'Run': 'system', 'qid': 'topic'}
    """
    written = {column: str(column).strip().lower() for column in columns}
    reader_roles = {facet.lower(): name for facet, name in roles.items()}
    roles_found: dict[str, str] = {}
    for name, aliases in ALIASES.items():
        wanted_names = {
            facet for facet, role in reader_roles.items() if role == name
        }
        if not wanted_names & {*written.values()}:
            wanted_names = {*aliases} - {*reader_roles}
        present = [
            c for c, w in written.items() if w in (*wanted_names, name)
        ]
        if name == "score" and measure in present:
            present = [measure]
        if len(present) > 1:
            raise ValueError(
                f"Several columns of {path} may name the {name}: "
                f"{list_some(present)}. Leave one, or say which: --measure "
                "for scores, and --design for all else."
            )
        roles_found |= dict.fromkeys(present, name)
    return roles_found


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
    return table.rename(columns=column_roles(path, table, None, {}))


def refuse_blank_names(path: Path, names: pd.Series, what: str) -> None:
    """Refuse names that are empty or blank."""
    if (names.dropna().astype(str).str.strip() == "").any():
        raise ValueError(f"In {path} a {what} has no name.")


def _long(path, table, measure, facets):
    """A long table with one column ``score``: of the measure that is
    wanted, from the rows or the column that hold it."""
    for facet in {"system", "topic", "assessor", "seed"} & {*table}:
        refuse_blank_names(path, table[facet], facet)
    if "measure" in table:
        offered = table["measure"].unique().tolist()
        table = table[table["measure"] == _choose(path, offered, measure)]
        measure = None
    numbers = table.drop(columns=facets, errors="ignore")
    numbers = numbers.apply(as_numbers).dropna(axis=1)
    if "score" in table:  # whole numbers may be the levels of a facet
        whole = [n for n, c in numbers.items() if (c % 1 == 0).all()]
        whole = [n for n in whole if n != measure and not are_measures([n])]
        numbers = numbers.drop(columns=whole)
        numbers.insert(0, "score", 0)
    chosen = _choose(path, [*numbers], measure)
    if chosen != "score":
        table = table.drop(columns="score", errors="ignore")
    score = _numeric(path, table[chosen])
    return table.rename(columns={chosen: "score"}).assign(score=score)


def _choose(path, offered, measure):
    """Choose the measure that is wanted, or the only one."""
    if measure is None and len(offered) != 1:
        raise ValueError(
            f"{path} holds {len(offered)} measures "
            f"({list_some(offered) or 'none'}): say which with measure "
            "(--measure)."
        )
    wanted = offered[0] if measure is None else measure
    same_but_case = [o for o in offered if str(o).lower() == wanted.lower()]
    if wanted not in offered and len(same_but_case) != 1:
        raise ValueError(
            f"{path} has no measure {wanted!r}, but {list_some(offered)}."
        )
    return wanted if wanted in offered else same_but_case[0]


def _numeric(path, column):
    """The column as numbers; what is no number stays as it is, so that a
    later message can quote it."""
    if pd.api.types.is_numeric_dtype(column):
        return column
    text = column.astype(str).str.strip()
    commas = text.str.fullmatch(r"-?\d*,\d+")
    if commas.any():
        raise ValueError(
            f"{path} writes decimals with a comma: "
            f"{column[commas].iloc[0]}. Save it with decimal points."
        )
    numbers = as_numbers(text)
    gap = numbers.notna() | text.str.lower().isin(["", "na", "nan", "null"])
    return numbers if gap.all() else column.mask(gap, numbers)
