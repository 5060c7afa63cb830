"""The engine's route against the route in memory, on the same rows.

`checks/test_engines.py` has more designs, and Spark.
"""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.scores import as_long
from tests import oracle
from tests.cases import first, only

ibis = pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")
large = pytest.importorskip("gtaudit.large", exc_type=ImportError)

CROSSED = "system x topic x assessor"
NESTED = "system x (assessor:topic)"
LEVELS = {"system": 5, "topic": 4, "assessor": 3}


@pytest.fixture(scope="module")
def database():
    connection = ibis.duckdb.connect(threads=1)
    yield connection
    connection.disconnect()


def both(frame, design, database, **options):
    """The study by either route, or what either refuses it with."""
    found = []
    table = database.create_table("t", frame, overwrite=True)
    for study, scores in (gt.gstudy, frame), (large.gstudy, table):
        try:
            found.append(study(scores, design, **options))
        except ValueError as error:
            found.append(str(error))
    return found


def table(text, lost=(), **columns):
    frame = oracle.table(gt.Design(text), LEVELS)
    return frame.assign(**columns).drop(index=[*lost])


def same(one, other):
    """Components that differ by rounding, and the same sizes."""
    assert one.levels == other.levels
    assert one.method == other.method
    assert other.estimate.to_numpy() == pytest.approx(
        one.estimate.to_numpy(),
        rel=1e-9,
        abs=1e-12 * np.abs(one.estimate).max(),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    only([NESTED], ["system x topic", "topic:system", CROSSED, NESTED]),
)
def test_a_balanced_study(text, database):
    one, other = both(table(text), text, database)
    same(one, other)
    assert other.method == "anova"
    assert other.mean_squares.to_numpy() == pytest.approx(
        one.mean_squares.to_numpy(), rel=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(1, [5, 3, 8]))
def test_a_study_with_gaps(seed, database):
    frame, design = oracle.random_study(seed)
    one, other = both(frame, design, database, method="henderson")
    same(one, other)
    for name in ("universe", "relative", "absolute"):
        assert getattr(other.incidence, name) == pytest.approx(
            getattr(one.incidence, name), rel=1e-9, abs=1e-12, nan_ok=True
        )
    assert other.incidence.levels == one.incidence.levels
    assert other.incidence.typical == pytest.approx(one.incidence.typical)
    plans = [g.plan().dependability for g in (one, other)]
    assert plans[0] == pytest.approx(plans[1], rel=1e-9)


@pytest.mark.slow
def test_a_mean_of_a_million_loses_no_digit(database):
    frame = table(CROSSED)
    far = frame.assign(score=frame["score"].round(4) + 1e6)
    near = frame.assign(score=frame["score"].round(4))
    one = gt.gstudy(near, CROSSED)
    other = both(far, CROSSED, database)[1]
    assert other.estimate.to_numpy() == pytest.approx(
        one.estimate.to_numpy(), rel=1e-8
    )


@pytest.mark.slow
def test_more_levels_than_a_number_has_bits(database):
    """200 topics of 3 systems need blocks of bits; so do their names."""
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((70, 200)))
    frame = as_long(wide)
    text = frame.astype({"system": str, "topic": str})
    strewn = frame.assign(topic=frame["topic"] * 10**9 - 2**40)
    for long in frame, text, strewn:
        same(*both(long, "system x topic", database))
    lost = strewn.drop(index=[0, 77, 4000])
    options = {"method": "henderson"}
    same(*both(lost, "system x topic", database, **options))


def twice(frame, row):
    return pd.concat([frame, frame.iloc[[row]]], ignore_index=True)


@pytest.mark.parametrize(
    ("text", "lost"),
    first(
        1,
        [
            (NESTED, (4,)),
            ("system x topic", ()),
            ("system x topic", (4,)),
            (CROSSED, ()),
            (CROSSED, (4,)),
            (NESTED, ()),
        ],
    ),
)
def test_a_cell_that_is_there_twice(text, lost, database):
    """Also where another is lost, and the number of rows is right."""
    frame = twice(table(text, lost), 1)
    one, other = both(frame, text, database)
    assert other.startswith("1 row repeats a cell, the first: system ")
    assert one.split(". ")[0] == other.split(". ")[0]


def stray():
    frame = table(NESTED)
    name = frame["assessor"].iloc[0]
    there = frame["topic"] == frame["topic"].iloc[-1]
    last = frame["assessor"] == frame.loc[there, "assessor"].iloc[0]
    return frame.assign(assessor=frame["assessor"].mask(last, name))


REFUSED = {
    "hidden": (table(NESTED), CROSSED),
    "stray": (stray(), NESTED),
    "single": (
        table(NESTED)[lambda t: t["assessor"].str.endswith("assessor0")],
        NESTED,
    ),
    "one": (table(CROSSED, topic="only"), CROSSED),
    "equal": (table(CROSSED, score=0.25), CROSSED),
    "confounded": (
        table(CROSSED)[
            lambda t: t["topic"].str[-1] == t["assessor"].str[-1]
        ],
        CROSSED,
    ),
}


@pytest.mark.parametrize("why", only(["stray"], REFUSED))
def test_what_memory_refuses_the_engine_refuses(why, database):
    frame, text = REFUSED[why]
    one, other = both(frame, text, database, method="henderson")
    assert isinstance(one, str)
    assert one == other


@pytest.mark.slow
def test_parts_that_nothing_links(database):
    rng = np.random.default_rng(0)
    rows = [(s, t) for s in range(9) for t in range(8) if s % 2 == t % 2]
    frame = pd.DataFrame(rows, columns=["system", "topic"])
    frame["score"] = rng.random(len(frame))
    one, other = both(frame, "system x topic", database, method="henderson")
    assert "disconnected: system 0, 2, 4 and 2 more and system" in other
    assert one == other
    linked = twice(frame, 0)
    linked.iloc[-1, 1] = 1
    same(*both(linked, "system x topic", database, method="henderson"))


@pytest.mark.parametrize(
    ("column", "value", "said"),
    first(
        2,
        [
            ("score", np.nan, "system system1, topic topic1, assessor ass"),
            ("topic", None, "1 of 60 rows have no topic (system system1"),
            ("score", np.inf, "is inf; scores must be finite"),
            ("score", -np.inf, "is -inf; scores must be finite"),
        ],
    ),
)
@pytest.mark.slow
def test_rows_that_cannot_be(column, value, said, database):
    frame = table(CROSSED)
    frame.loc[17, column] = value
    assert said in both(frame, CROSSED, database)[1]


def test_scores_that_are_text(database):
    frame = table("system x topic").astype({"score": str})
    said = both(frame, "system x topic", database)[1]
    assert "'" in said and "must be finite numbers" in said


@pytest.mark.slow
def test_what_the_engine_kept_is_gone():
    connection = ibis.duckdb.connect()
    frame = connection.create_table("t", table(CROSSED))
    large.gstudy(frame, CROSSED)
    with pytest.raises(ValueError, match="no variance"):
        large.gstudy(frame.mutate(score=ibis.literal(1.0)), CROSSED)
    left = connection.raw_sql("select table_name from duckdb_tables()")
    assert left.fetchall() == [("t",)]


def test_anova_of_gaps_is_refused(database):
    said = both(table(CROSSED, [3]), CROSSED, database, method="anova")[1]
    assert "it has 59 scores for 60 cells" in said


@pytest.mark.parametrize("text", first(1, ["system x topic", NESTED]))
def test_a_column_that_tells_repeats_apart_is_named(text, database):
    frame = table(text).assign(f0="one", given=2, score_2=1.0)
    again = frame.assign(f0="two", score=frame["score"] + 0.1)
    again["score_2"] = None
    whole = pd.concat([frame, again.iloc[4:6]])
    one, other = both(whole, text, database)
    said = (
        ". The column f0 or score_2 may tell them apart: choose one value, "
        "average over it, or make it a facet."
    )
    assert one.endswith(said)
    assert other.endswith(said)
    assert other.startswith("2 rows repeat a cell, the first: system ")


@pytest.mark.slow
def test_a_column_with_no_other_value_in_a_cell_tells_nothing(
    database, tmp_path
):
    frame = twice(table("system x topic"), 1)
    frame["note"] = frame["topic"].map(lambda topic: [topic])
    other = both(frame.astype({"note": str}), "system x topic", database)[1]
    assert other.endswith("remove or average the rest.")
    lists = str(tmp_path / "lists.parquet")
    more = duckdb.sql("select *, [topic] as l, uuid() as u from frame")
    more.write_parquet(lists)
    with pytest.raises(ValueError, match="The column u may tell"):
        large.gstudy(lists, "system x topic")


@pytest.mark.slow
def test_scores_that_are_none_are_said_each(database):
    frame = table("system x topic")
    frame.loc[2, "score"] = -np.inf
    assert "is -inf; scores" in both(frame, "system x topic", database)[1]
    frame.loc[5, "score"] = -np.inf
    assert "is -inf; scores" in both(frame, "system x topic", database)[1]
    frame.loc[5, "score"] = np.inf
    other = both(frame, "system x topic", database)[1]
    assert ("is inf or -inf;" in other) or ("is -inf or inf;" in other)


@pytest.mark.parametrize("text", first(1, ["system", "system x topic"]))
def test_a_study_of_any_number_of_facets(text, database):
    frame = (
        table(CROSSED).groupby(text.split(" x ")).mean(numeric_only=True)
        + 9
    )
    same(*both(frame.reset_index(), text, database))


def test_a_nested_facet_with_one_name_has_one_level(database):
    frame = table(NESTED)[lambda t: t["assessor"].str.endswith("assessor0")]
    one, other = both(frame.assign(assessor="only"), NESTED, database)
    assert one == other
    assert one.startswith("The table has 1 assessor;")


@pytest.mark.slow
def test_per_cent_is_found_in_a_sample_of_the_rows(monkeypatch):
    """The rows at both ends stand beside it: of their topics two systems
    may be there alone."""
    monkeypatch.setattr("gtaudit.large.refusals._CHECKED", 4000)
    scores = np.random.default_rng(0).random((20, 500))
    scores[3] *= 100
    rows = as_long(pd.DataFrame(scores))
    with pytest.raises(ValueError, match="percentages and fractions"):
        large.gstudy(ibis.memtable(rows))
