"""Scores of which less is better: error rates, losses, failures."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtaudit
from gtaudit.command import main
from gtaudit.direction import turn_round

RNG = np.random.default_rng(3)
TRUTH = np.linspace(0.2, 0.6, 6)[:, None]  # the first errs least
ERRORS = (TRUTH + RNG.normal(0, 0.05, (6, 25))).clip(0, 1).round(4)


def long(name, errors=ERRORS):
    systems, topics = np.indices(errors.shape).reshape(2, -1)
    names = {"model": [f"m{s}" for s in systems], "item": topics}
    return pd.DataFrame({**names, name: errors.ravel()})


@pytest.fixture
def audited(tmp_path):
    """What is read of a table, and its leaderboard."""

    def read(table, **options):
        path = tmp_path / "a.csv"
        table.to_csv(path, index=False)
        found = gtaudit.collect(str(path), **options)
        return found, gtaudit.audit_leaderboard(found.collection).table

    return read


@pytest.mark.parametrize("name", ["wer", "test_error_rate", "ValLoss"])
def test_what_is_called_like_an_error_is_doubted(name, tmp_path):
    path = tmp_path / "a.csv"
    long(name).to_csv(path, index=False)
    (told,) = gtaudit.collect(str(path)).doubts
    assert told.code == "loss"
    assert told.what == (
        f"The scores are called {name}, and more is taken for better. If "
        "less is better, say --less-is-better."
    )


def test_the_system_that_errs_least_is_the_best(audited):
    found, board = audited(long("wer"), less_is_better=True)
    assert [*board.index] == [f"m{k}" for k in range(6)]
    assert board["mean"].to_numpy() == pytest.approx(
        np.sort(1 - ERRORS.mean(axis=1))[::-1]
    )
    assert any("1 − wer" in note for note in found.notes)
    allowed, other = audited(long("wer"), allow="loss")
    assert [*other.index] == [*board.index][::-1]
    one, same = (
        gtaudit.coefficient_table(of.collection.study)
        for of in (found, allowed)
    )
    pd.testing.assert_frame_equal(one, same, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.usefixtures("short_report")
def test_the_command_turns_errors_round(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    long("wer").to_csv("a.csv", index=False)
    given = ["audit", "a.csv", "--less-is-better"]
    assert main(given) == 0
    numbers = json.loads(Path("audit.json").read_text("utf-8"))
    assert numbers["leaderboard"][0]["system"] == "m0"


def test_errors_beyond_1_get_the_other_sign(audited):
    _, board = audited(long("rmse", 1.2 + ERRORS), less_is_better=True)
    assert board["mean"].to_numpy() == pytest.approx(
        np.sort(-1.2 - ERRORS.mean(axis=1))[::-1]
    )


def test_of_several_measures_those_called_like_errors_are_turned(audited):
    measures = {"wer": ERRORS, "accuracy": 1 - ERRORS}
    table = pd.concat(
        long("value", scores).assign(metric=name)
        for name, scores in measures.items()
    )
    found, board = audited(
        table, measure="wer,accuracy", less_is_better=True
    )
    assert board.index[0] == "m0"
    (turned,) = (n for n in found.notes if "less is better" in n)
    assert "wer" in turned and "accuracy" not in turned
    assert any("accuracy" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda x: np.where(x < 0.22, -1, x), "sentinel"),
        (lambda x: np.where(x < 0.22, 999, x), "sentinel"),
        (lambda x: x * ([[1]] * 5 + [[100]]), "percent"),
    ],
)
def test_doubts_are_of_the_errors_as_written(change, code, tmp_path):
    path = tmp_path / "a.csv"
    long("wer", change(ERRORS)).to_csv(path, index=False)
    with pytest.raises(ValueError, match=f"--allow {code} "):
        gtaudit.collect(str(path), less_is_better=True)


def test_unsigned_counts_and_a_faultless_system(audited, tmp_path):
    counts = (10 * ERRORS).round().astype("uint8")
    counts[0] = 0
    path = tmp_path / "a.parquet"
    long("errors", counts).to_parquet(path)
    read = gtaudit.collect(str(path), less_is_better=True)
    assert read.collection.cells.mean(axis=1).idxmax() == "m0"
    (told,) = read.doubts
    assert (told.code, told.where) == ("constant", "model m0")


@pytest.mark.parametrize(
    ("name", "errors", "said"),
    [
        ("wer", -ERRORS, "the other sign already"),
        ("accuracy", ERRORS, "but accuracy. Say"),
    ],
)
def test_what_is_no_error_is_not_turned(name, errors, said, tmp_path):
    path = tmp_path / "a.csv"
    long(name, errors).to_csv(path, index=False)
    with pytest.raises(ValueError, match=said):
        gtaudit.collect(str(path), less_is_better=True)
    assert not gtaudit.collect(str(path)).doubts


@pytest.mark.parametrize(
    "text",
    [
        "WER,u1,u2,u3\n",
        "system,u1_wer,u2_wer,u3_wer\n",
        "model,AMI WER,Ted WER,Vox WER\n",
        "ASR of the third quarter (WER in %)\n\nmodel,u1,u2,u3\n",
        "model,Average WER,s1,s2\n",
    ],
)
def test_a_wide_table_may_say_that_it_has_errors(text, tmp_path):
    path = tmp_path / "a.csv"
    rows = "whisper,5,7,6\nrnnt,9,8,12\nctc,8,6,9\n"
    path.write_text(text + rows)
    (told,) = gtaudit.collect(str(path), columns="system=rows").doubts
    assert told.code == "loss" and "--less-is-better" in told.what
    read = gtaudit.collect(
        str(path), columns="system=rows", less_is_better=True
    )
    assert read.collection.cells.mean(axis=1).idxmax() == "whisper"


@pytest.mark.parametrize(
    "text",
    [
        "topic,triplet_loss,softmax_loss\n1,.31,.42\n2,.35,.41\n3,.6,.52",
        "loss,q1,q2,q3\ntriplet,.3,.4,.2\nhinge,.2,.5,.1\nl2,.6,.1,.5",
        "Ergebnisse der Jury\n\nsystem,q1,q2\na,.3,.4\nb,.2,.5\nc,.1,.7",
        "name,math,image,code\na,.31,.42,.5\nb,.35,.4,.51\nc,.6,.7,.9",
        "name,intent,utterance,slot\na,.3,.4,.5\nb,.3,.41,.5\nc,.6,.7,.9",
    ],
)
def test_what_is_no_error_is_read_as_ever(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(text + "\n")
    named = text.startswith(("topic", "name"))
    choice = None if named else "system=rows"
    read = gtaudit.collect(str(path), columns=choice)
    assert not read.doubts
    assert read.collection.cells.shape in {(2, 3), (3, 3), (3, 2)}


def test_equal_errors_in_a_long_and_a_wide_file_are_both_turned(tmp_path):
    paths = [str(tmp_path / name) for name in ("long.csv", "wide.csv")]
    long("wer").to_csv(paths[0], index=False)
    wide = pd.DataFrame(ERRORS, [f"m{k}" for k in range(6)])
    wide.rename_axis("model").rename(columns="u{}".format).to_csv(paths[1])
    for table in paths:
        read = gtaudit.collect(table, less_is_better=True)
        assert read.collection.cells.mean(axis=1).idxmax() == "m0"


def test_a_wide_table_and_gaps():
    wide = pd.DataFrame(ERRORS)
    wide.iloc[1, 2] = np.nan
    turned = turn_round(wide, True)
    pd.testing.assert_frame_equal(turned.scores, 1 - wide)
    assert turned.start == {"": 1}
    assert len(turned.notes) == 1
    as_it_is = turn_round(wide, False)
    assert as_it_is.scores is wide
    assert not as_it_is.doubts  # it has no name
