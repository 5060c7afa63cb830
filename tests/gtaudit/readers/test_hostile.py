"""Files from strangers: one clear sentence each, exit code 2, no file."""

import bz2
import gzip
import io
import json
import lzma
import os
import zipfile

import numpy as np
import pandas as pd
import pytest

from gtaudit import collect
from gtaudit.command import main
from gtaudit.inputs import read_scores
from gtaudit.readers import files
from gtlib import runs

HEAD = "model,task_id,score\n"
HTML = "<script>alert(1)</script>"


def rows(score=lambda m, t: f"{(m * t + m) % 7 / 7}"):
    return HEAD + "".join(
        f"m{m},t{t},{score(m, t)}\n" for m in range(4) for t in range(5)
    )


def packed(name, mebibytes):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        header = {"eval": {"model": "m", "task": "t"}}
        archive.writestr("header.json", json.dumps(header))
        with archive.open(name, "w", force_zip64=True) as member:
            for _ in range(mebibytes):
                member.write(b" " * 2**20)
    return content.getvalue()


def zipped(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, document in members.items():
            archive.writestr(name, json.dumps(document))
    return content.getvalue()


LOG = {"eval": {"model": "m", "task": "t"}}
SAMPLE = {"id": 1, "scores": {"acc": 1}}

BAD = {
    "nothing": ("a.csv", "", "is empty"),
    "a header": ("a.csv", HEAD, "header but no rows"),
    "a row": ("a.csv", HEAD + "a,x,.1\n", "scores on 1 task"),
    "1e308": (
        "a.csv",
        rows(lambda m, t: "1e308" if m == t else "0.1"),
        "lie",
    ),
    "no scores": ("a.csv", rows(lambda m, t: "abc"), "is 'abc'"),
    "no column of scores": (
        "a.csv",
        rows().replace("score", "cost"),
        "no column of scores beside model, task_id: cost are left out",
    ),
    "only what is left out": (
        "a.csv",
        "model,cost,note\na,1,x\nb,2,y\n",
        "cost, note are left out",
    ),
    "deep": ("a.json", "[" * 10**5 + "]" * 10**5, "nests too deep"),
    "deep and open": ("a.json", '{"a":' * 10**5, "nests too deep"),
    "half": ("a.json", '[{"model": "a"', "is no JSON"),
    "numbers": ("a.json", "[1, 2]", "unknown form"),
    "an empty list": ("a.json", "[]", "unknown form"),
    "objects of lists": ("a.json", '[{"a": [1]}]', "hold nothing"),
    "half of HELM": (
        "a.json",
        '[{"instance_id": 1, "stats": 5}]',
        "not read as HELM",
    ),
    "half of MTEB": (
        "a.json",
        '{"task_name": "x", "scores": {"test": 5}}',
        "not read as MTEB",
    ),
    "a PDF": ("a.csv", b"%PDF-1.7\n\xe2\xe3", "is a PDF"),
    "LibreOffice": ("a.ods", packed("content.xml", 0), "save it as .xlsx"),
    "a row that is too long": (
        "a.csv",
        "system,q1,q2\na,.1,.2\nb,.1,.2,.3\n",
        "more fields than its header, that of b.",
    ),
    "an open quote": (
        "a.csv",
        'system,q1,q2\n"a,.1,.2\nb,.3,.2\n',
        "a quote is opened in it and never closed",
    ),
    "a word for a gap": (
        "a.csv",
        "system,q1,q2\na,.1,TBD\nb,.1,.2\n",
        "Then leave the field empty",
    ),
    **{
        f"a log with {name}": (
            "a.eval",
            zipped({"header.json": header, "samples/1.json": sample}),
            "a.eval is not read as a log of Inspect",
        )
        for name, header, sample in [
            ("a list for a header", [], {}),
            ("a list for a sample", LOG, [1]),
            ("no sample", LOG, None),
            ("a sample without an id", LOG, {"scores": {"acc": 1}}),
            ("no task", {"eval": {"model": "m"}}, SAMPLE),
            ("a list of scores", LOG, {"id": 1, "scores": [1]}),
        ]
    },
    "a log with a list for a score": (
        "a.eval",
        zipped(
            {
                "header.json": LOG,
                "samples/1.json": {"id": 1, "scores": {"acc": [1]}},
            }
        ),
        "a.eval: acc is [1] somewhere",
    ),
    "xz": ("a.csv.xz", lzma.compress(rows().encode()), "by xz"),
    "bzip2": ("a.csv.bz2", bz2.compress(rows().encode()), "by bzip2"),
    "Zstandard": ("a.zst", b"\x28\xb5\x2f\xfd\x24", "by Zstandard"),
    "7-Zip": ("a.7z", b"7z\xbc\xaf\x27\x1c\x00", "by 7-Zip"),
    "a key twice": (
        "a.json",
        '[{"system": "a", "topic": "b", "score": 1, "score": 2}]',
        "a.json has the key 'score' twice in one object",
    ),
    "a key twice in a line": (
        "a.jsonl",
        '{"system": "a", "topic": "b", "score": 1, "score": 2}\n',
        "a.jsonl, line 1 has the key 'score' twice",
    ),
    "half of a character": (
        "a.json",
        '[{"system": "\\ud800", "topic": "b", "score": 1}]',
        "a.json has half of a character, \\ud800",
    ),
    "ten thousand digits": (
        "a.json",
        f'[{{"system": "a", "topic": "b", "score": {"9" * 10_000}}}]',
        "a.json has a number of thousands of digits",
    ),
    "null": ("a.json", "null", "a.json is JSON of an unknown form"),
    "a word in JSON": ("a.json", '"abc"', "is JSON of an unknown form"),
    "a reward that is an object": (
        "a.json",
        '[{"task_id": 1, "trial": 0, "reward": {"a": 1}}]',
        "a.json: reward is {'a': 1} somewhere",
    ),
    "a score that is an object": (
        "a.json",
        json.dumps(
            [
                {"system": "a", "topic": "x", "score": 1},
                {"system": "a", "topic": "y", "score": {"b": 1}},
            ]
        ),
        "a.json, object 2: score is {'b': 1} somewhere",
    ),
    "a text among scores in an object": (
        "a.json",
        json.dumps(
            [
                {"system": s, "topic": t, "scores": {"acc": v}}
                for s, t, v in [
                    ("a", "x", 1),
                    ("a", "y", "lots"),
                    ("b", "x", 0.5),
                    ("b", "y", 0),
                ]
            ]
        ),
        "is 'lots'",
    ),
    "a field that does not end": (
        "a.csv",
        HEAD + "a,b," + "1" * 200_000,
        "a field has more than 131,072 letters",
    ),
    "a zip that is none": ("a.eval", b"PK\3\4x", "cannot be unpacked"),
    "another zip": (
        "a.eval",
        packed("x", 0).replace(b"header", b"footer"),
        "without header.json",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_one_sentence(name, tmp_path, capsys):
    file, content, said = BAD[name]
    path = tmp_path / file
    path.write_bytes(
        content if isinstance(content, bytes) else content.encode()
    )
    assert main(["audit", str(path), "--out", str(tmp_path / "r")]) == 2
    *_, sentence, end = capsys.readouterr().err.split("\n")
    assert said in sentence and not end
    assert "read_csv" not in sentence and "Error" not in sentence
    assert os.listdir(tmp_path) == [file]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "member"),
    [("a.eval", "samples/1.json"), ("a.xlsx", "xl/a.xml")],
)
def test_a_bomb(file, member, tmp_path, monkeypatch, capsys):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr(runs, "MOST_BYTES", 2**20)
    (tmp_path / file).write_bytes(packed(member, 2))
    assert main(["audit", str(tmp_path / file)]) == 2
    assert "more than 1 MiB" in capsys.readouterr().err


def workbook(path, cells, dimension="A1:C4", swapped=("A1", "A1")):
    """Write a workbook of these cells, which says that it has others, or
    has two places swapped."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    book.save(path)
    name = "xl/worksheets/sheet1.xml"
    with zipfile.ZipFile(path) as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    text = members[name].decode()
    text = text.replace('ref="A1:C4"', f'ref="{dimension}"')
    one, other = (f'r="{place}"' for place in swapped)
    text = text.replace(one, "here").replace(other, one)
    members[name] = text.replace("here", other).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


SHEET = [["run", "q1", "q2"], ["a", 0.5, 1], ["b", 0.25, 0], ["c", 0, 1]]
CELLS = {
    f"{'ABC'[i]}{n}": value
    for n, row in enumerate(SHEET, start=1)
    for i, value in enumerate(row)
}


@pytest.mark.parametrize("dimension", ["A1:A1", "B2:C3", "A1:XFD1048576"])
def test_a_workbook_that_lies_of_its_size_is_read_whole(
    tmp_path, dimension
):
    workbook(tmp_path / "a.xlsx", CELLS, dimension)
    read = read_scores(tmp_path / "a.xlsx")
    assert read.to_numpy().tolist() == [row[1:] for row in SHEET[1:]]


def test_a_workbook_in_disorder_is_no_part_of_a_table(tmp_path, capsys):
    workbook(tmp_path / "a.xlsx", CELLS, swapped=("A2", "A4"))
    assert main(["audit", str(tmp_path / "a.xlsx")]) == 2
    said = "a.xlsx has its rows or cells in disorder, at"
    assert said in capsys.readouterr().err


def test_a_cell_far_away_is_one_cell(tmp_path, capsys):
    workbook(tmp_path / "a.xlsx", {**CELLS, "XFD20000": "note"})
    assert main(["audit", str(tmp_path / "a.xlsx")]) == 2
    assert "XFD" not in capsys.readouterr().err


@pytest.mark.parametrize("file", ["a.csv", "a.json", "a.jsonl", "a.xlsx"])
def test_cells_are_bounded_before_they_are_read(
    tmp_path, monkeypatch, capsys, file
):
    monkeypatch.setattr(files, "MOST_CELLS", 20)
    path = tmp_path / file
    table = pd.DataFrame(np.arange(40.0).reshape(4, 10) % 7)
    if file == "a.csv":
        table.to_csv(path)
    elif file == "a.xlsx":
        pytest.importorskip("openpyxl")
        table.to_excel(path)
    else:
        lines = file.endswith("l")
        table.to_json(path, orient="records", lines=lines)
    assert main(["audit", str(path)]) == 2
    assert f"{file} has more than 20 cells" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "said"),
    [(b"," * 2**20, "more than 20,000,000"), (b"0" * 2**20, "64 MiB")],
)
def test_a_small_file_that_unpacks_to_much(tmp_path, capsys, line, said):
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wb") as packed:
        for _ in range(63 if line[:1] == b"," else 600):
            packed.write(line)
    assert main(["audit", str(path)]) == 2
    assert said in capsys.readouterr().err


def test_too_little_memory_is_a_sentence(tmp_path, monkeypatch, capsys):
    path = tmp_path / "a.csv"
    path.write_text(rows())

    def fail(*_):
        raise MemoryError

    monkeypatch.setattr("gtaudit.readers.delimited.read", fail)
    assert main(["audit", str(path)]) == 2
    said = "a.csv needs more memory than there is"
    assert said in capsys.readouterr().err


def test_names_are_shown_as_they_stand(tmp_path):
    text = (
        rows().replace("\n", ",x\n").replace("score,x", f"score,{HTML}", 1)
    )
    text = text.replace("task_id", "'; DROP TABLE task_id; --", 1)
    (tmp_path / "a.csv").write_text(text)
    columns = "topic='; DROP TABLE task_id; --"
    found = collect([tmp_path / "a.csv"], columns=columns)
    assert found.reading.left_out == (HTML,)


@pytest.mark.parametrize(
    "more", [["--measure", "x"], ["--design", "model x task_id x rater"]]
)
def test_messages_speak_of_the_readers_columns(
    tmp_path, capsys, more, monkeypatch
):
    (tmp_path / "a.csv").write_text(rows())
    for most in (2**28, 9):  # with less an engine reads it
        monkeypatch.setattr("gtaudit.audit_large.LARGE", most)
        given = ["audit", str(tmp_path / "a.csv"), *more]
        assert main([*given, "--out", str(tmp_path / "r")]) == 2
        said = capsys.readouterr().err
        assert "read_csv" not in said and "but ." not in said
        assert "score" in said
