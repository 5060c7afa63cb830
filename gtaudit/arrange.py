"""Score tables made of what readers give: long with named columns, or wide
with systems as rows."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from gtaudit.columns import (
    COLUMNS,
    JOIN,
    ROWS,
    Layout,
    Question,
    Reading,
    Wide,
    ask,
    choose,
    names,
    naming_columns,
    score_columns,
    seems_long,
    shorter_name,
    tell_apart,
    way,
    wide_parts,
)
from gtaudit.marks import MARKED, find_marks
from gtaudit.not_scores import (
    are_measures,
    are_named_measures,
    are_systems,
    board_error,
    is_called_measure,
    refuse_errors_in_words,
    refuse_no_systems,
    refuse_run,
    split_measures,
)
from gtaudit.readers import as_scores, is_grouped, is_measure
from gtaudit.readers.values import are_words
from gtaudit.structure import structure
from gtaudit.words import (
    are_of_errors,
    is_aside,
    is_average,
    is_less_better,
    is_of_errors,
    is_unnamed,
    plain,
    rank,
)
from gtlib.checks import as_numbers, list_some, name_level
from gtlib.judges import MOST_GRADES
from gtlib.scores import bad_score_error

# Runs that share nothing, whatever the scores.
OWN_RUNS = {"epoch", "trial", "attempt"}
# Of a long table, the roles that are told, in this order.
_KEPT = ("system", "topic", "task", "assessor", "seed", "repetition")


def arrange(
    source: str,
    table: pd.DataFrame,
    measure: str | None = None,
    said: Mapping[str, str] | None = None,
    averages: bool = True,
    declared: bool = False,
) -> pd.DataFrame:
    """Make a table of scores by one measure.

    Parameters
    ----------
    source : str
        What the table was read from.
    table : DataFrame
        As readers give it.
    measure : str, optional
    said : dict of column to role, optional
        What options say; of ``rows`` and ``columns``, too.
    averages : bool
        Whether what is called like an average is left out.
    declared : bool
        Whether what is said are all facets of a design.
    """
    _refuse_header(source, table)
    facets = {*(said or {})} - {ROWS, COLUMNS}
    known = _said_columns(source, table, said or {}, declared)
    if known.get(ROWS) not in (None, "system", "topic"):
        table.attrs["runs"] = known.pop(ROWS)
    declared = declared and len(known) == len(facets)
    refuse_errors_in_words(source, table)
    table, called, measure = _of_measure(source, table, measure, known)
    found = structure(table)
    if not known:
        if "documents" in table.attrs:
            raise ValueError(table.attrs["documents"])
        refuse_run(source, found)
    if not declared:
        marks = find_marks(source, found, known, measure)
        if marks is not None:
            return marks
    layouts = names(found, known, None, declared)
    wide = wide_parts(found, known, averages)
    if ROWS in known and _is_long(found, names(found, {}), {}, wide):
        raise ValueError(
            f"{source} has a row for each score, and a column that says "
            "what its topic is: its rows are neither systems nor topics "
            "(--columns)."
        )
    if not declared and not _is_long(found, layouts, known, wide):
        if wide is None:
            found, wide = _number_rows(source, found, averages)
        found, wide, measure = _split(source, found, wide, measure, known)
        one = _one_system(source, found, wide, measure, known)
        if one is not None:
            alone, layout, score = one
            return _long(source, alone, layout, score, None, averages)
        if measure in wide.scores and are_measures(wide.scores):
            others = [c for c in wide.scores if c != measure]
            kept = found.table.drop(columns=others)
            kept.attrs = found.table.attrs
            if others:  # raters and items by one measure, perhaps
                return arrange(source, kept, None, said, averages, declared)
        refuse_no_systems(source, found, wide, known)
        layouts = names(found, known, wide)
    if not layouts:
        alone = _runs_of_one(source, found, known)
        if alone is not None:
            return arrange(source, alone, measure, said, averages)
        raise _explain(source, found, known, wide, declared)
    layout = choose(source, found, layouts)
    if not layout.across:
        return _long(
            source,
            found,
            layout,
            known,
            measure,
            averages,
            called,
            declared,
        )
    if measure is not None:
        raise ValueError(
            f"{source} is a table of systems and topics, which holds one "
            f"measure: {measure!r} cannot be chosen (--measure)."
        )
    if {*layout.roles.values(), layout.across} != {"system", "topic"}:
        return _melt(source, found, layout, wide, known, averages)
    return _wide(source, found, layout, wide, averages)


def _is_long(found, layouts, said, wide):
    """Return whether a row is a score, as names say, or as columns that
    cross do."""
    if {ROWS, COLUMNS} & {*said}:
        return False
    sure = bool(layouts) and not layouts[0].guessed
    return sure or seems_long(found, wide)


def _refuse_header(source, table):
    """Refuse a table without rows, and names of columns that are blank or
    there twice."""
    if table.empty:
        raise ValueError(f"{source} has a header but no rows.")
    twice = table.columns[table.columns.duplicated()]
    if any(not str(name).strip() for name in twice):
        raise ValueError(f"Several columns of {source} have no name.")
    if len(twice):
        raise ValueError(
            f"The header of {source} has {list_some(twice)} twice: rename "
            "one."
        )
    unnamed = is_unnamed(table.columns[0])
    named = table.columns[1:] if unnamed else table.columns
    refuse_blank_names(source, named.to_series(), "column")


def refuse_blank_names(path: object, names: pd.Series, what: str) -> None:
    """Refuse names that are empty or blank."""
    if (names.dropna().astype(str).str.strip() == "").any():
        raise ValueError(f"In {path} a {what} has no name.")


def _said_columns(source, table, said, declared):
    """Return what is said of columns, under the names that they have."""
    by_name = {plain(c): c for c in reversed([*table])}
    chosen = {}
    for name, role in said.items():
        parts = str(name).split(JOIN)
        if name in table or name in (ROWS, COLUMNS):
            chosen[name] = role
        elif len(parts) > 1 and {*parts} <= {*table}:
            texts = table[parts].astype(str)
            table[name] = texts.agg(JOIN.join, axis="columns")
            chosen[name] = role
        elif plain(name) in by_name:
            chosen[by_name[plain(name)]] = role
        elif role in MARKED:  # perhaps one of those that a column names
            chosen[name] = role
        elif not declared:
            raise ValueError(
                f"{source} has no column {name!r}, as --columns says; its "
                f"columns are {list_some(table.columns, 8)}."
            )
    return chosen


def _of_measure(source, table, measure, chosen):
    """Return the rows of one measure, where a column names measures; what
    that is called; and the measure that is still to be chosen."""
    # Of very many columns, those that begin with a word.
    words = as_numbers(table.iloc[0]).isna().to_numpy()
    named = [
        c
        for c in table.columns[words]
        if c not in chosen
        and (rank(c, "measure") is not None or are_named_measures(table[c]))
        and as_numbers(table[c]).isna().all()
    ]
    if not named or words.all():  # of nothing that is a number
        return table, None, measure
    column, offered = named[0], table[named[0]].unique().tolist()
    beside = [c for c in table if c != column]
    texts = [c for c in beside if as_numbers(table[c]).isna().all()]
    several = len(offered) > 1
    if several and not texts and len(offered) == len(table):
        raise board_error(source, offered)
    if several and len(texts) == 1 and are_systems(texts[0], chosen):
        averages = not table.duplicated([column, *texts]).any()
        if averages and len(beside) == 2:  # systems, and their averages
            raise board_error(source, offered)
    if measure in beside or (
        measure is not None
        and plain(measure) not in map(plain, offered)
        and plain(measure) in map(plain, beside)
    ):
        if len(offered) == 1:
            return table.drop(columns=column), None, measure
        raise Question(
            f"In {source} there are {len(offered)} measures "
            f"({list_some(offered)}), named in the column {column}.",
            [
                f"{way('measure', name)} {way('columns', score=measure)}"
                for name in offered
            ],
        )
    if measure is None and len(offered) > 1:  # counts and times are none
        offered = [o for o in offered if not is_aside(o)] or offered
        offered.sort(key=lambda name: not is_called_measure(name))
    called = _choose(source, offered, measure, named=True)
    rows = table[table[column] == called].drop(columns=column)
    rows = rows.reset_index(drop=True)
    rows.attrs = table.attrs
    return rows, called, None


def _number_rows(source, found, averages):
    """Number the rows of a wide table that no column names."""
    table = found.table
    first = table.columns[0]
    if found.is_whole(first) and found.is_each_once(first):
        raise Question(
            f"The first column of {source}, {str(first)!r}, may hold names "
            "or scores.",
            [way("columns", topic=first), way("columns", system=first)],
            "If it holds scores, put a column before it that numbers the "
            "rows, without a name.",
        )
    _refuse_scores_as_header(source, table)
    numbered = table.copy()
    numbered.insert(0, "", range(1, len(table) + 1))
    numbered.attrs = table.attrs
    again = structure(numbered)
    wide = wide_parts(again, {"": ROWS}, averages)
    assert wide is not None  # the numbers name its rows
    return again, wide._replace(numbered=True)


def _refuse_scores_as_header(source, table):
    """Refuse a first line that holds scores: numbers like those below."""
    header = as_numbers(table.columns.to_series())
    scores = table.apply(as_numbers)
    ends = scores.min(axis=None), scores.max(axis=None)
    if header.between(*ends).all():
        raise ValueError(
            f"The first line of {source} may hold scores: write the "
            "names of the columns in a line above it."
        )


def _split(source, found, wide, measure, said):
    """Return a wide table by one measure, where its columns are systems
    and measures, and the measure that is still to be chosen."""
    grid = split_measures(wide.scores)
    if grid is None or COLUMNS in said:
        return found, wide, measure
    columns = grid.choose(source, measure)
    own = {c: system for system, c in columns.items()}
    kept = found.table[[*wide.key, *own]].rename(columns=own)
    kept.attrs = found.table.attrs
    left_out = [c for c in found.table if c not in (*wide.key, *own)]
    wide = Wide(wide.key, (*own.values(),), (*left_out,), wide.numbered)
    return structure(kept), wide, None


def _one_system(source, found, wide, measure, said):
    """Return a table of one system's measures, with a column of its name,
    what names its rows, and the column of its scores, if one measure is
    wanted or there is one only; else None."""
    (key, *others), scores = wide.key, wide.scores
    if others or COLUMNS in said or "system" in said.values():
        return None
    if not found.is_each_once(key) or are_systems(key, said):
        return None
    called = [c for c in scores if plain(c) == plain(measure or "")]
    if len(scores) == 1 and measure is None:
        called = [*scores]
    if not called:
        return None
    score = called[0]
    _ask_systems(source, found, key)
    measured = measure is not None or is_called_measure(score)
    if not measured and rank(key, "topic") is None:
        return None
    system = Path(source).name.partition(".")[0] if measured else score
    name = "system" if "system" not in found.table else "system "
    table = found.table.assign(**{name: str(system)})
    table.attrs = found.table.attrs
    topic = shorter_name(found, key)
    if rank(topic, "topic") is None:  # a question, asked twice
        twice = [c for c in found.table if rank(c, "topic")]
        topic = next(filter(found.may_name, twice), topic)
    layout = Layout({topic: "topic", name: "system"})
    return structure(table), layout, {score: "score"}


def _runs_of_one(source, found, said):
    """Return a table with a column that names its only system, where the
    others name a topic and one of its own runs; else None."""
    roles = {
        c: said.get(c) or _role_of_one(c)
        for c in naming_columns(found, said)
        if said.get(c) != "score"
    }
    wanted = ["repetition", "topic"]
    if (
        "system" in found.table
        or sorted(map(str, roles.values())) != wanted
    ):
        return None
    if found.repeats([*roles]):
        return None
    system = Path(source).name.partition(".")[0]
    table = found.table.assign(system=system)
    table.attrs = found.table.attrs
    return table


def _role_of_one(column):
    """Return what a column is in a table of one system, if its name is
    sure: one that is called run may hold systems."""
    if plain(column) in OWN_RUNS:
        return "repetition"
    sure = rank(column, "topic") is not None
    return "topic" if sure and rank(column, "system") is None else None


def _ask_systems(source, found, key):
    """Ask whether a table with a row for each topic is of the systems that
    a column names, of which no two share a topic."""
    for column in found.table:
        if found.may_name(column) and (rank(column, "system") or 9) < 3:
            systems = found.table[column].dropna().unique()
            raise Question(
                f"The column {column} of {source} may name "
                f"{len(systems)} systems ({list_some(systems)}), and each "
                f"{key} is of one of them.",
                [way("design", f"{key}:{column}")],
                "If all are of one system, leave that column out; if they "
                "had the same topics, bring a column that names these.",
            )


def _explain(source, found, said, wide, declared):
    """Make the question, or the refusal, of a table of which no reading is
    allowed."""
    key = wide.key if wide else naming_columns(found, said)
    facets = [c for c in said if c in found.table and said[c] != "score"]
    used = facets or [*key]
    others = [c for c in found.table if c not in used]
    if others and all(found.kinds[c] == "empty" for c in others):
        return ValueError(f"{source} has no score at all.")
    no_scores = wide is not None and not wide.scores
    if no_scores or not score_columns(found, facets):
        summed = [c for c in others if is_average(c)]
        if summed and len(used) == 1 and are_systems(used[0], said):
            known = [c for c in summed if c in found.numbers]
            return board_error(source, summed, found.numbers[known])
        hint = ""
        if others:
            hint = (
                f": {list_some(others)} are left out, by what they are "
                "called or because they hold "
                f"text{_a_text(found.table, others)}. Write scores as "
                "numbers"
            )
        labels = _labels_of_raters(found, used, others)
        if labels:
            hint += (
                ". If they are labels by several raters, "
                f"gtlib.agreement({labels}) says how far these agree"
            )
        return ValueError(
            f"{source} has no column of scores beside "
            f"{list_some(used) or 'others'}{hint}."
        )
    layouts = names(found, said, wide, declared, relaxed=True)
    if layouts:
        least = layouts[0].cost
        near = [x for x in layouts if x.cost <= least + 1]
        return ask(source, found, near)
    roles = {r for c in found.table for r in [said.get(c)] if r}
    missing = [r for r in ("system", "topic") if r not in roles]
    columns = ",".join(f"{role}=COLUMN" for role in missing)
    return ValueError(
        f"{source} has a column of scores but none that names the "
        f"{' or the '.join(missing)}; its columns are "
        f"{list_some(found.table.columns, 8)}. Say which do, as in "
        f"--columns {columns} or --design 'SYSTEMS x TOPICS'."
    )


def _labels_of_raters(found, used, others):
    """Write labels with a column for each rater, or nothing: they may
    stand so, or in one column beside those of items and raters."""
    raters = _with_labels(found.table, others)
    if raters:
        return f"table[{raters}]"
    people = [c for c in used if rank(c, "assessor") == 1]
    items = [c for c in used if c not in people]
    if not len(people) == len(items) == len(others) == 1:
        return ""
    if found.repeats(used):
        return ""
    places = {"index": items, "columns": people, "values": others}
    said = ", ".join(f"{place}={c!r}" for place, (c,) in places.items())
    return f"table.pivot({said})"


def _with_labels(table, columns):
    """Return the columns that share most of their few words."""
    words = {c: {*table[c].dropna().astype(str)} for c in columns}
    few = [c for c in columns if 2 <= len(words[c]) <= MOST_GRADES]
    alike = [
        c
        for c in few
        if 2 * len(words[c] & words[few[0]]) > len(words[c] | words[few[0]])
    ]
    return alike if len(alike) > 1 else []


def _a_text(table, columns):
    """Quote a cell of the first of these columns that holds text."""
    for column in columns:
        for value in table[column].dropna().head(9):
            if as_numbers(pd.Series([str(value)])).isna().all():
                return f" (as {str(value)[:40]!r} in {column})"
    return ""


# A table with a row for each score


def _long(
    source,
    found,
    layout,
    said,
    measure,
    averages,
    called=None,
    declared=False,
):
    """Make a long table with one column ``score``."""
    roles = dict(layout.roles)
    if not declared:
        roles |= _further_assessor(found, roles)
    tasks = found.table.attrs.get("tasks") and "task" in found.table
    if tasks and not found.is_constant("task"):
        roles.setdefault("task", "task")
    score = _choose_score(source, found, roles, measure, said)
    table = found.table
    runs = table.attrs.get("runs")
    question = tell_apart(source, found, roles, declared)
    if runs:
        attrs = table.attrs
        each = table.groupby([*roles], sort=False, dropna=False).cumcount()
        table = table.assign(**{ROWS: (each + 1).astype(str)})
        table.attrs = attrs
        roles[ROWS] = runs
    elif question is not None:
        raise question
    values = found.numbers.get(score)
    if values is None:
        values = as_scores(table[score])
    clash = {r for c, r in roles.items() if r in table and r != c}
    clash |= {"score"} & {*table} - {score}
    left_out = [c for c in table if c not in (*roles, score)]
    joined = {part for c in roles for part in str(c).split(JOIN)}
    left_out = [c for c in left_out if not is_unnamed(c)]
    left_out = [c for c in left_out if c not in joined]
    table = table.drop(
        columns=[c for c in clash if c not in (*roles, score)]
    )
    table = table.rename(columns={**roles, score: "score"})
    table = table.assign(score=values)
    for facet in {*_KEPT} & {*roles.values()}:
        refuse_blank_names(source, table[facet], facet)
    table, rows_out = _without_averages(table, averages)
    if "task" in roles.values() and "topic" in roles.values():
        own = table["task"].astype(str) + " " + table["topic"].astype(str)
        table = table.assign(topic=own)
    written = {r: str(c) for c, r in roles.items()}
    shown = {written[r]: r for r in _KEPT if r in written}
    shown |= {c: r for c, r in roles.items() if r not in _KEPT}
    shown[str(score)] = "score"
    shape = tuple(
        _count_levels(table, r) for r in shown.values() if r != "score"
    )
    unnamed = [c for c in table if is_unnamed(c)]
    table = table.drop(columns=unnamed)
    table.attrs = {
        "reading": Reading(shown, (*map(str, left_out), *rows_out), shape),
        "report": [],
        "own_runs": plain(written.get("repetition", ""))
        in {*OWN_RUNS, ROWS},
        "score": str(score if called is None else called),
        "facets": (*written,),
    }
    return table


def _further_assessor(found, roles):
    """Return the column of assessors that no cell needs, and its role."""
    if "assessor" in roles.values():
        return {}
    further = [
        c
        for c in naming_columns(found, {})
        if c not in roles and rank(c, "assessor") == 1
    ]
    return dict.fromkeys(further[:1], "assessor")


def _choose_score(source, found, facets, measure, said):
    """Choose the column of the scores."""
    given = [c for c, role in said.items() if role == "score"]
    if given:
        return given[0]
    columns = [c for c in found.table if c not in facets]
    if measure is not None:
        same = [c for c in columns if str(c).lower() == measure.lower()]
        if measure in columns or len(same) == 1:
            return measure if measure in columns else same[0]
    free = score_columns(found, facets)
    ranks = {c: _score_rank(c) for c in free}
    best = min(ranks.values(), default=9)
    called = [c for c in free if ranks[c] == best < 9]
    if len(called) > 1 and measure is None:
        raise Question(
            f"Several columns of {source} may name the score: "
            f"{list_some(called)}.",
            [way("measure", c) for c in called],
        )
    # Beside a score, criteria such as confidence are no measures.
    is_known = is_measure if called else is_called_measure
    known = [c for c in free if is_known(c) and c not in called]
    if not called and known:  # also those with names that are not known
        known += [c for c in free if c not in known]
    offered = [*called, *known] or free
    offered.sort(key=lambda c: are_words(found.table[c]))
    return _choose(source, offered, measure)


def _score_rank(name):
    """Return the rank of a name among those of scores; 3 if it ends in one
    of them, 9 if it is none."""
    found = rank(name, "score")
    if found is None:
        last = plain(name).rpartition("_")[2]
        found = 3 if rank(last, "score") in (1, 2) else 9
    return found


def _choose(source, offered, measure, named=False):
    """Choose the measure that is wanted, or the only one; of those that a
    column names, or that are well known, nobody asks what else they are."""
    named = named or all(map(is_called_measure, offered))
    if measure is None and len(offered) != 1:
        hint = (
            "If these columns are people who judged the same, or systems, "
            "make one column of their names, assessor or system, and one "
            "of the scores."
        )
        raise Question(
            f"In {source} there are {len(offered)} measures "
            f"({list_some(offered)}).",
            [way("measure", name) for name in offered],
            "" if named else hint,
        )
    wanted = offered[0] if measure is None else measure
    same = [o for o in offered if str(o).lower() == str(wanted).lower()]
    if wanted not in offered and len(same) != 1:
        raise ValueError(
            f"{source} has no measure {wanted!r}, but {list_some(offered)}."
        )
    return wanted if wanted in offered else same[0]


def _count_levels(table, role):
    """Count the levels of a role; of repetitions, those of a cell."""
    if role in ("seed", "repetition"):
        cells = [r for r in ("system", "topic") if r in table]
        each = table.groupby(cells, sort=False)[role]
        return int(each.nunique().max())
    return table[role].nunique()


def _without_averages(table, averages):
    """Leave out the rows of averages over topics, of any usual name."""
    if not averages or "topic" not in table:
        return table, ()
    found = [n for n in table["topic"].unique() if is_average(n)]
    if not found or table["topic"].nunique() - len(found) < 2:
        return table, ()
    kept = table[~table["topic"].isin(found)]
    return kept, tuple(f"the rows of {name}" for name in found)


# A table with a column for each system or topic


def _melt(source, found, layout, wide, said, averages):
    """Make a long table of a wide one, whose columns are assessors, seeds
    or repetitions, or whose rows have several names."""
    name = layout.across
    long = found.table.melt(
        [*wide.key], [*wide.scores], f"{name} ", "score "
    )
    long = long.rename(columns={f"{name} ": name, "score ": "score"})
    long.attrs = found.table.attrs
    roles = {**layout.roles, name: name}
    known = {**said, "score": "score"}
    again = structure(long)
    table = _long(source, again, Layout(roles), known, None, averages)
    left_out = [*filter(str.strip, map(str, wide.left_out))]
    reading = table.attrs["reading"]
    table.attrs["reading"] = Reading(
        reading.roles, (*reading.left_out, *left_out), reading.shape
    )
    return table


def _wide(source, found, layout, wide, averages):
    """Make a wide table with systems as rows."""
    ((named, role),) = layout.roles.items()
    first = shorter_name(found, named)
    left_out = [str(c) for c in (named, *wide.left_out) if c != first]
    table = found.table
    rows = table[first].astype(str)
    refuse_blank_names(source, rows, "row")
    broken = {
        c: as_scores(table[c])
        for c in wide.scores
        if c not in found.numbers
    }
    scores = found.numbers.reindex(columns=[*wide.scores]).assign(**broken)
    wide_table = scores.set_index(rows)
    wide_table = wide_table.rename_axis(index=None).rename(columns=str)
    if averages:
        summed = [n for n in wide_table.index if is_average(n)]
        if 0 < len(summed) <= len(wide_table) - 2:
            wide_table = wide_table.drop(index=summed)
            left_out += [f"the row {n}" for n in dict.fromkeys(summed)]
    _refuse_rows_twice(source, found, first, role, wide_table)
    if role == "topic":
        wide_table = wide_table.T
    _refuse_text(source, wide_table)
    # A topic that is called system does not make a long table.
    called = {c: f"{c} (column)" for c in ("system", "topic", "score")}
    wide_table = wide_table.rename(columns=called)
    corner = is_of_errors(str(first))  # of a pivoted table
    unnamed = wide.numbered or is_unnamed(first) or corner
    known = {ROWS if unnamed else str(first): role, COLUMNS: layout.across}
    named = (*filter(str.strip, left_out),)
    wide_table.attrs["reading"] = Reading(known, named, wide_table.shape)
    wide_table.attrs["report"] = []
    if corner:
        wide_table.attrs["score"] = str(first)
    elif are_of_errors(scores):
        wide_table.attrs["score"] = list_some(scores, 3)
    else:  # Average WER stands beside them
        beside = [c for c in named if is_average(c)]
        score = next(filter(is_less_better, beside), None)
        wide_table.attrs["score"] = score
    if wide.numbered:
        wide_table.attrs["report"].append(
            f"The rows of {Path(source).name} have no names: they are "
            "numbered."
        )
    return wide_table


def _refuse_rows_twice(source, found, first, role, table):
    """Ask what tells rows of one name apart, if another column does."""
    twice = table.index[table.index.duplicated()].unique()
    if not len(twice):
        return
    other = "repetition"
    free = [
        c
        for c in naming_columns(found, {})
        if c != first and found.kinds[c] == "text"
    ]
    free = [c for c in free if found.repeats([first, c]) == 0]
    if free:
        raise Question(
            f"{source} has several rows of {list_some(twice)}, which "
            f"{free[0]} tells apart.",
            [way("columns", **{role: first, other: free[0]})],
            "If they are not runs of the same, rename or remove one.",
        )


def _refuse_text(path, wide):
    """Refuse the first cell that holds no score."""
    kinds = wide.dtypes
    numbers = [*filter(pd.api.types.is_numeric_dtype, {*kinds})]
    for topic, fields in wide.loc[:, ~kinds.isin(numbers)].items():
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
