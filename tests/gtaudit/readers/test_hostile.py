"""Files from strangers: one clear sentence each, exit code 2, no file."""

import io
import json
import os
import zipfile
from html import unescape

import pytest

from gtaudit import collect
from gtaudit.command import main
from gtaudit.readers import files, sheets

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


BAD = {
    "nothing": ("a.csv", "", "is empty"),
    "a header": ("a.csv", HEAD, "header but no rows"),
    "a row": ("a.csv", HEAD + "a,x,.1\n", "1 model"),
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
        "of HELM",
    ),
    "half of MTEB": (
        "a.json",
        '{"task_name": "x", "scores": {"test": 5}}',
        "of MTEB",
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


@pytest.mark.parametrize(
    ("file", "member"),
    [("a.eval", "samples/1.json"), ("a.xlsx", "xl/a.xml")],
)
def test_a_bomb(file, member, tmp_path, monkeypatch, capsys):
    pytest.importorskip("openpyxl")
    for module in (files, sheets):
        monkeypatch.setattr(module, "MOST_BYTES", 2**20)
    (tmp_path / file).write_bytes(packed(member, 2))
    assert main(["audit", str(tmp_path / file)]) == 2
    assert "more than 1 MiB" in capsys.readouterr().err


def test_names_are_shown_as_they_stand(tmp_path):
    text = (
        rows().replace("\n", ",x\n").replace("score,x", f"score,{HTML}", 1)
    )
    text = text.replace("task_id", "'; DROP TABLE task_id; --", 1)
    (tmp_path / "a.csv").write_text(text)
    columns = "topic='; DROP TABLE task_id; --"
    found = collect([tmp_path / "a.csv"], columns=columns)
    assert found.reading.left_out == (HTML,)
    assert HTML not in found.introduction
    assert HTML in unescape(found.introduction)


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
