"""Files that an engine reads, and names as data."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.scores import as_long
from tests.cases import first, only

pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")
large = pytest.importorskip("gtaudit.large", exc_type=ImportError)

HOSTILE = "a'; DROP TABLE t; --", 'b"b', "c,c", "d\\d", "é ✓", "%f {0}"


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((6, 5)), index=[*HOSTILE])
    return as_long(wide).astype({"topic": str})


def close(g, frame):
    assert g.estimate.to_numpy() == pytest.approx(
        gt.gstudy(frame).estimate.to_numpy(), rel=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    first(
        1,
        ["s.parquet", 'it\'s [1] "s".csv', "s.csv", "s.csv.gz", "s.tsv"],
    ),
)
def test_files(frame, tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        frame.to_csv(path, index=False, sep=mark)
    before = path.read_bytes()
    close(large.gstudy(path, "system x topic"), frame)
    close(large.gstudy(str(path), memory_limit="100MB"), frame)
    assert path.read_bytes() == before


@pytest.mark.slow
def test_several_files_are_one_table(frame, tmp_path):
    for system, part in frame.groupby("system"):
        number = HOSTILE.index(system)
        part.to_parquet(tmp_path / f"{number}.parquet")
    close(large.gstudy(tmp_path / "*.parquet"), frame)


@pytest.mark.slow
def test_labels_of_text_files_are_text(frame, tmp_path):
    """01 and 1 are two topics, as `read_scores` has it."""
    names = {"0": "1", "1": "01", "2": "1.0", "3": "+1", "4": "1e0"}
    frame = frame.assign(topic=frame["topic"].map(names))
    frame.to_csv(tmp_path / "s.csv", index=False)
    g = large.gstudy(tmp_path / "s.csv")
    assert g.levels["topic"] == 5
    close(g, frame)


@pytest.mark.slow
def test_columns_of_any_name(frame, tmp_path):
    renamed = {"system": 'mo"del', "topic": "it'em; x", "score": "a b"}
    path = tmp_path / "s.parquet"
    frame.rename(columns=renamed).to_parquet(path)
    columns = {'mo"del': "system", "it'em; x": "topic"}
    close(large.gstudy(path, columns=columns, score="a b"), frame)
    with pytest.raises(ValueError, match="no column 'system'"):
        large.gstudy(path)
    with pytest.raises(ValueError, match="One facet twice"):
        large.gstudy(path, columns=columns | {"other": "topic"})


def test_what_is_in_memory_is_not_for_an_engine(frame):
    with pytest.raises(ValueError, match=r"such as ibis\.memtable"):
        large.gstudy(frame)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    only(
        [("s.csv", b"system,topic,score\na,1,high\na,2,.1\n", "'high'")],
        [
            ("s.parquet", b"PAR1 no", "cannot be read"),
            ("s.csv", b"system,topic,score\na,1,high\na,2,.1\n", "'high'"),
            (
                "s.csv",
                b"system,topic,score\na,1,\na,2,.1\n",
                "is (nan|None)",
            ),
            ("s.csv", b"system,topic,score\n", "no rows"),
            ("s.xlsx", b"", "is no table for the engine"),
        ],
    ),
)
def test_files_that_cannot_be(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        large.gstudy(path)


@pytest.mark.slow
def test_paths_that_are_not_there(tmp_path):
    for path in tmp_path, tmp_path / "none.csv", tmp_path / "*.csv":
        with pytest.raises(ValueError, match="There is no file"):
            large.gstudy(path)


# What an engine would guess


def text(frame, tmp_path, change=lambda lines: lines, name="a.csv"):
    lines = frame.to_csv(index=False).splitlines()
    (tmp_path / name).write_text("\n".join(change(lines)) + "\n")
    return tmp_path / name


def plain(systems=60, topics=400):
    wide = pd.DataFrame(
        np.random.default_rng(2).random((systems, topics)),
        index=[f"s{i}" for i in range(systems)],
    )
    return as_long(wide).astype({"topic": str})


@pytest.mark.slow
def test_a_name_may_begin_as_a_comment_does(tmp_path):
    table = plain(6, 8).replace({"system": {"s0": "#s0"}})
    close(large.gstudy(text(table, tmp_path)), table)


@pytest.mark.parametrize(
    ("line", "place"),
    first(
        2,
        [
            ("# end of table", 49),
            ("s1,t2", 20),
            ("# made by x", 1),
            ("s1,t2", 1),
            ("s1,t2,.1,.2", 49),
            ('a"b', 20),
        ],
    ),
)
def test_a_line_that_does_not_fit_is_refused(tmp_path, line, place):
    def change(lines):
        return [*lines[:place], line, *lines[place:]]

    with pytest.raises(ValueError, match="cannot be read"):
        large.gstudy(text(plain(6, 8), tmp_path, change))


@pytest.mark.slow
def test_quotes_may_begin_late(tmp_path):
    table = plain().replace({"system": {"s59": 'best, "tuned"'}})
    close(large.gstudy(text(table, tmp_path)), table)

    def half(lines):
        quoted = [",".join(f'"{f}"' for f in s.split(",")) for s in lines]
        return lines[:12_000] + quoted[12_000:]

    close(large.gstudy(text(plain(), tmp_path, half)), plain())


def test_an_open_quote_is_refused(tmp_path):
    def change(lines):
        return [*lines[:-9], '"' + lines[-9], *lines[-8:]]

    with pytest.raises(ValueError, match="cannot be read"):
        large.gstudy(text(plain(), tmp_path, change))


@pytest.mark.parametrize(
    "score", first(1, ["1_000.5", "1_0", "0x1", "1,5", "ten"])
)
def test_what_is_no_number(tmp_path, score):
    table = plain(6, 8).astype({"score": str})
    table.loc[7, "score"] = score
    with pytest.raises(ValueError, match=score):
        large.gstudy(text(table, tmp_path))


@pytest.mark.parametrize("form", first(1, ["csv", "parquet"]))
def test_columns_that_differ_by_case_only(tmp_path, form):
    table = plain(6, 8).assign(Score=1.0)
    path = tmp_path / f"a.{form}"
    if form == "csv":
        table.to_csv(path, index=False)
    else:
        table.to_parquet(path)
    with pytest.raises(ValueError, match="has Score and score as columns"):
        large.gstudy(path)


@pytest.mark.slow
def test_names_of_folders_are_no_columns(tmp_path):
    folder = tmp_path / "system=s9"
    folder.mkdir()
    plain(6, 8).to_parquet(folder / "a.parquet")
    close(large.gstudy(folder / "a.parquet"), plain(6, 8))
    close(large.gstudy(text(plain(6, 8), folder)), plain(6, 8))


def test_headers_of_one_table_are_alike(tmp_path):
    text(plain(6, 8), tmp_path)
    text(
        plain(6, 8).rename(columns={"topic": "item"}),
        tmp_path,
        name="b.csv",
    )
    with pytest.raises(ValueError, match="other headers"):
        large.gstudy(tmp_path / "*.csv")


@pytest.mark.slow
def test_hashes_are_names_and_lists_are_not(tmp_path):
    table = plain(6, 8)
    code = table["system"].str[1:].astype("uint64")
    hashed = table.assign(system=np.uint64(2**64 - 10) + code)
    hashed.to_parquet(tmp_path / "a.parquet")
    close(large.gstudy(tmp_path / "a.parquet"), table)
    lists = table.assign(system=[[s] for s in table["system"]])
    lists.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match="system holds lists"):
        large.gstudy(tmp_path / "b.parquet")


@pytest.mark.parametrize("score", first(1, [-1e200, 1e308, 1e100]))
def test_scores_whose_squares_are_no_numbers(tmp_path, score):
    table = plain(6, 8)
    table.loc[3, "score"] = score
    table.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match="lose their digits"):
        large.gstudy(tmp_path / "a.parquet")


@pytest.mark.parametrize("path", ["https://a.example/b.csv", "x" * 5000])
def test_paths_that_are_none(path):
    with pytest.raises(ValueError, match=r"address|cannot be read|no file"):
        large.gstudy(path)


@pytest.mark.parametrize("column", first(1, ["topic", "score"]))
def test_a_number_that_is_none_though_the_file_says_so(tmp_path, column):
    """Parquet writes no NaN into the range of a column."""
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = plain(6, 8).astype({"topic": float})
    columns = {name: table[name].to_numpy(copy=True) for name in table}
    columns[column][20] = np.nan
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet")
    said = {"score": "system s2, topic 4.0 is nan", "topic": "no topic"}
    with pytest.raises(ValueError, match=said[column]):
        large.gstudy(tmp_path / "a.parquet")


# Files that are not alike, and names that look like patterns


def two(tmp_path, column, first, second, form="parquet"):
    """Two files of one table: their types of a column, and all rows."""
    table = plain(6, 8).astype({"topic": int})
    table["score"] = (table["score"] * 10).round(2)
    parts = table[:24].copy(), table[24:].copy()
    for number, (part, kind) in enumerate(
        zip(parts, (first, second), strict=True)
    ):
        if kind is None:
            del part[column]
        else:
            part[column] = part[column].astype(kind)
        part.to_parquet(tmp_path / f"{number}.{form}")
    return tmp_path / f"*.{form}", pd.concat(parts)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "order"),
    first(1, [("float32", -1), ("int64", 1), ("int32", -1), ("int8", 1)]),
)
def test_scores_of_files_are_widened_and_not_rounded(tmp_path, kind, order):
    path, table = two(tmp_path, "score", *[kind, "float64"][::order])
    close(large.gstudy(path), table.astype({"score": float}))


@pytest.mark.slow
def test_a_score_that_no_narrow_type_holds_stays(tmp_path):
    """2^24 + 1, in a file between those of floats and doubles."""
    table = plain(6, 8)
    table["score"] = np.arange(2**24, 2**24 + 48)[::-1] ** 1.0
    for number, kind in enumerate(["float32", "int32", "float64"]):
        part = table[number::3].copy()
        part["score"] = part["score"].astype(kind)
        table.loc[part.index, "score"] = part["score"].astype(float)
        part.to_parquet(tmp_path / f"{number}.parquet")
    close(large.gstudy(tmp_path / "*.parquet"), table)


@pytest.mark.parametrize(
    ("column", "types", "said"),
    first(
        3,
        [
            ("score", ("bool", "float64"), ("boolean", "float64")),
            ("topic", ("int64", "float64"), ("int64", "float64")),
            ("topic", (None, "int64"), ("missing", "int64")),
            ("score", ("int32", "float32"), ("int32", "float32")),
            ("score", ("float64", "str"), ("float64", "string")),
            ("score", ("float64", None), ("float64", "missing")),
            ("topic", ("int8", "int64"), ("int8", "int64")),
        ],
    ),
)
def test_files_of_other_types_are_refused(tmp_path, column, types, said):
    path, _ = two(tmp_path, column, *types)
    with pytest.raises(ValueError) as raised:
        large.gstudy(path)
    one, other = said
    told = str(raised.value)
    assert f"{column} is {one} in {tmp_path / '0.parquet'}" in told
    assert f"{other} in {tmp_path / '1.parquet'}" in told


@pytest.mark.slow
def test_columns_that_no_study_needs_may_differ(tmp_path):
    table = plain(6, 8)
    note = table.assign(note=1)[:24], table.assign(note="x")[24:]
    for number, part in enumerate(note):
        part[[*part.columns[:: 1 - 2 * number]]].to_parquet(
            tmp_path / f"{number}.parquet"
        )
    close(large.gstudy(tmp_path / "*.parquet"), table)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "name", "beside"),
    first(
        1,
        [
            ("parquet", "a*", "ab"),
            ("csv", "r[ab]", "ra"),
            ("parquet", "[!x]", "y"),
            ("csv", "q?", "qa"),
            ("csv.gz", "a*", "ab"),
            ("tsv", "r[ab]", "ra"),
        ],
    ),
)
def test_a_name_of_a_file_is_no_pattern(tmp_path, form, name, beside):
    folder = tmp_path / "run*"
    for n, file in (
        (folder, name),
        (folder, beside),
        (tmp_path / "runs", name),
    ):
        n.mkdir(exist_ok=True)
        table = plain(6, 8)
        if (n, file) != (folder, name):
            table["score"] = table["score"] ** 2
        if form == "parquet":
            table.to_parquet(n / f"{file}.{form}")
        else:
            mark = "\t" if form == "tsv" else ","
            table.to_csv(n / f"{file}.{form}", index=False, sep=mark)
    close(large.gstudy(folder / f"{name}.{form}"), plain(6, 8))


@pytest.mark.parametrize(
    ("name", "form"), first(1, [("r[ab]", "parquet"), ("a*", "csv")])
)
@pytest.mark.slow
def test_a_pattern_finds_each_name_once(tmp_path, name, form):
    for file, part in (name, plain(6, 8)[:24]), ("ra", plain(6, 8)[24:]):
        if form == "parquet":
            part.to_parquet(tmp_path / f"{file}.{form}")
        else:
            part.to_csv(tmp_path / f"{file}.{form}", index=False)
    close(large.gstudy(tmp_path / f"*.{form}"), plain(6, 8))


@pytest.mark.slow
def test_a_folder_may_be_called_as_a_home_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "~").mkdir()
    plain(6, 8).to_parquet(tmp_path / "~" / "a.parquet")
    close(large.gstudy("~/a.parquet"), plain(6, 8))


@pytest.mark.parametrize(
    ("form", "alone"),
    first(
        2,
        [
            ("parquet", True),
            ("csv", False),
            ("parquet", False),
            ("csv.gz", True),
        ],
    ),
)
def test_an_empty_file_is_named(tmp_path, form, alone):
    empty = tmp_path / f"1.{form}"
    if not alone:
        for number in (0, 2):
            file = tmp_path / f"{number}.{form}"
            if form == "parquet":
                plain(6, 8).to_parquet(file)
            else:
                plain(6, 8).to_csv(file, index=False)
    empty.touch()
    with pytest.raises(ValueError) as raised:
        large.gstudy(tmp_path / f"*.{form}")
    assert str(raised.value).startswith(f"{empty} has no columns")


def test_a_wide_text_is_refused_before_the_engine_reads_it(tmp_path):
    names = ",".join(f"q{i}" for i in range(100_000))
    (tmp_path / "a.csv").write_text(f"system,{names}\n")
    with pytest.raises(ValueError, match=r"a\.csv has 100,001 columns"):
        large.gstudy(tmp_path / "a.csv")
