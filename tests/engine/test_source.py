"""Files, frames and tables that an engine reads, and names as data."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

pytest.importorskip("ibis")
duckdb = pytest.importorskip("duckdb")

HOSTILE = "a'; DROP TABLE t; --", 'b"b', "c,c", "d\\d", "é ✓", "%f {0}"


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame(rng.random((6, 5)), index=[*HOSTILE])
    return gt.as_long(wide).astype({"topic": str})


def close(g, frame):
    assert g.estimate.to_numpy() == pytest.approx(
        gt.gstudy(frame).estimate.to_numpy(), rel=1e-9
    )


@pytest.mark.parametrize(
    "name", ["s.parquet", "s.csv", "s.csv.gz", "s.tsv", 'it\'s [1] "s".csv']
)
def test_files(frame, tmp_path, name):
    path = tmp_path / name
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        mark = "\t" if path.suffix == ".tsv" else ","
        frame.to_csv(path, index=False, sep=mark)
    before = path.read_bytes()
    close(gt.gstudy(path, "system x topic"), frame)
    close(gt.gstudy(str(path), memory_limit="100MB"), frame)
    assert path.read_bytes() == before


def test_several_files_are_one_table(frame, tmp_path):
    for system, part in frame.groupby("system"):
        number = HOSTILE.index(system)
        part.to_parquet(tmp_path / f"{number}.parquet")
    close(gt.gstudy(tmp_path / "*.parquet"), frame)


def test_labels_of_text_files_are_text(frame, tmp_path):
    """01 and 1 are two topics, as `read_scores` has it."""
    names = {"0": "1", "1": "01", "2": "1.0", "3": "+1", "4": " 1"}
    frame = frame.assign(topic=frame["topic"].map(names))
    frame.to_csv(tmp_path / "s.csv", index=False)
    g = gt.gstudy(tmp_path / "s.csv")
    assert g.levels["topic"] == 5
    close(g, frame)


def test_columns_of_any_name(frame, tmp_path):
    renamed = {"system": 'mo"del', "topic": "it'em; x", "score": "a b"}
    path = tmp_path / "s.parquet"
    table = frame.rename(columns=renamed)
    table.to_parquet(path)
    columns = {'mo"del': "system", "it'em; x": "topic"}
    for given in path, table:
        close(gt.gstudy(given, columns=columns, score="a b"), frame)
    with pytest.raises(ValueError, match="no column 'system'"):
        gt.gstudy(path)
    with pytest.raises(ValueError, match="Two columns"):
        gt.gstudy(path, columns=columns | {"other": "topic"})


def test_a_relation(frame):
    with duckdb.connect() as connection:
        relation = connection.from_df(frame)
        close(gt.gstudy(relation), frame)


def test_a_polars_frame(frame):
    polars = pytest.importorskip("polars")
    table = polars.DataFrame(frame.to_dict("list"))
    close(gt.gstudy(table), frame)
    close(gt.gstudy(table.lazy()), frame)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("s.parquet", b"PAR1 no", "cannot be read"),
        ("s.csv", b"system,topic,score\na,1,high\na,2,.1\n", "'high'"),
        ("s.csv", b"system,topic,score\na,1,\na,2,.1\n", "is nan"),
        ("s.csv", b"system,topic,score\n", "no rows"),
        ("s.xlsx", b"", "is no table for the engine"),
    ],
)
def test_files_that_cannot_be(name, content, said, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=said):
        gt.gstudy(path)


def test_paths_that_are_not_there(tmp_path):
    for path in tmp_path, tmp_path / "none.csv", tmp_path / "*.csv":
        with pytest.raises(ValueError, match="There is no file"):
            gt.gstudy(path)


def test_a_limit_that_cannot_be(frame, tmp_path):
    frame.to_parquet(tmp_path / "s.parquet")
    with pytest.raises(ValueError, match="memory_limit='much'"):
        gt.gstudy(tmp_path / "s.parquet", memory_limit="much")


def test_no_room_is_said_and_nothing_is_left(tmp_path, monkeypatch):
    path, folder = tmp_path / "s.parquet", tmp_path / "temporary"
    duckdb.sql(
        "select range % 1500 as system, range // 1500 as topic, "
        "random() as score from range(1500000)"
    ).write_parquet(str(path))
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    with pytest.raises(RuntimeError, match="ran out of memory or of disk"):
        gt.gstudy(path, memory_limit="8MB")
    assert not [*folder.iterdir()]
