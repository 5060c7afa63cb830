"""Values as trec_eval, ir_measures and autojudge-evaluate write them."""

import json
import sys
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from ir_measures.providers.pytrec_eval_provider import PytrecEvalProvider

import gtaudit
from gtaudit import read_scores
from gtaudit.readers.evaluations import TREC_EVAL
from gtlib.runs import parse_measure
from tests.gtaudit.test_audit_hostile import NAMES

SYSTEMS, TOPICS = ["bm25", "lm", "dense"], ["q1", "q2", "301", "q4"]
SCORES = pd.DataFrame(
    np.random.default_rng(1).random((3, 4)).round(4), SYSTEMS, TOPICS
)

# The lines of autojudge-evaluate 1.1, eval_results/io.py
FORMS = {
    "trec_eval": "{measure}\t{topic}\t{value}",
    "tot": "{run}\t{measure}\t{topic}\t{value}",
    "ir_measures": "{run}\t{topic}\t{measure}\t{value}",
    "ranking": "{topic}\tQ0\t{run}\t0\t{value}\t{measure}",
    "jsonl": '{{"run_id": "{run}", "topic_id": "{topic}", '
    '"measure": "{measure}", "value": {value}}}',
}


def lines(form, measures=("AVG_GRADE", "AP"), averages=True):
    """What it writes, a list of lines to each system."""
    rows = SCORES.assign(all=SCORES.mean(axis=1))
    kept = [*TOPICS, "all"] if averages else TOPICS
    return {
        run: [
            FORMS[form].format(run=run, topic=t, measure=m, value=v)
            for m in measures
            for t, v in rows.loc[run, kept].items()
        ]
        for run in SYSTEMS
    }


def read(tmp_path, written, apart, measure="AVG_GRADE"):
    if apart:
        for run, its in written.items():
            (tmp_path / f"{run}.eval").write_text("\n".join(its) + "\n")
        return read_scores(tmp_path, measure)
    path = tmp_path / "all.eval"
    path.write_text("\n".join(chain(*written.values())) + "\n")
    return read_scores(path, measure)


def refold(long):
    return long.pivot_table("score", "system", "topic").loc[SYSTEMS, TOPICS]


@pytest.mark.parametrize(
    ("form", "apart"),
    [(form, True) for form in FORMS]
    + [(form, False) for form in FORMS if form != "trec_eval"],
)
def test_every_form_is_known_by_its_content(tmp_path, form, apart):
    found = read(tmp_path, lines(form), apart)
    np.testing.assert_allclose(refold(found), SCORES)
    assert len(found) == SCORES.size


@pytest.mark.parametrize("form", ["tot", "ir_measures", "ranking", "jsonl"])
def test_averages_need_not_be_there(tmp_path, form):
    for measures in (["AP", "P@5"], ["AVG_GRADE"]):
        written = lines(form, measures, averages=False)
        found = read(tmp_path, written, False, measures[0])
        np.testing.assert_allclose(refold(found), SCORES)


def test_one_measure_need_not_be_named(tmp_path):
    found = read(tmp_path, lines("tot", ["NUGGETS"]), False, None)
    np.testing.assert_allclose(refold(found), SCORES)
    with pytest.raises(ValueError, match="there are 2 measures"):
        read(tmp_path, lines("tot"), False, None)


@pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="ir_measures stops on Python 3.14"
)
@pytest.mark.parametrize("form", ["tsv", "jsonl"])
def test_what_ir_measures_itself_prints(
    tmp_path, capsys, monkeypatch, form
):
    from ir_measures.__main__ import main_cli

    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 b 1\n2 0 c 0\n")
    (tmp_path / "evals").mkdir()
    for tag, run in {
        "one": "1 Q0 a 1 2 one\n2 Q0 c 1 2 one\n2 Q0 b 2 1 one\n",
        "two": "1 Q0 x 1 2 two\n1 Q0 a 2 1 two\n2 Q0 b 1 2 two\n",
    }.items():
        path = tmp_path / tag
        path.write_text(run)
        given = [str(tmp_path / "qrels"), str(path), "RR", "P@1"]
        arguments = ["ir_measures", *given, "-q", "-o", form]
        monkeypatch.setattr("sys.argv", arguments)
        main_cli()
        said = capsys.readouterr().out
        (tmp_path / "evals" / f"{tag}.txt").write_text(said)
    found = read_scores(tmp_path / "evals", "RR")
    found = found.pivot_table("score", "system", "topic")
    assert found.to_numpy().tolist() == [[1, 0.5], [0.5, 1]]


def test_tables_stay_tables(tmp_path):
    """Numbers as topics' names, and a header or none."""
    path = tmp_path / "a.tsv"
    path.write_text("system\t301\t302\nbm25\t.3\t.4\nlm\t.2\t.5\n")
    assert read_scores(path).shape == (2, 2)
    path.write_text("system\t1\t2\t3\nbm25\t.3\t.4\t.1\nlm\t.2\t.5\t.1\n")
    assert read_scores(path).shape == (2, 3)
    path.write_text("bm25\tq1\t0.5\nbm25\tq2\t0.4\nlm\tq1\t0.3\n")
    with pytest.raises(ValueError, match="reads like scores"):
        read_scores(path)


def test_names_are_read_as_they_stand(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [
        {"run_id": s, "topic_id": t, "measure": "m", "value": 0.5 + i / 9}
        for s in NAMES
        for i, t in enumerate(NAMES)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = read_scores(path)
    assert (
        [*found["topic"].unique()] == [*found["system"].unique()] == NAMES
    )


def test_an_audit_takes_them(tmp_path):
    path = tmp_path / "a.eval"
    path.write_text("\n".join(chain(*lines("tot").values())))
    found = gtaudit.collect([path], measure="AP,AVG_GRADE")
    assert [*found.measures] == ["AP", "AVG_GRADE"]
    np.testing.assert_allclose(found.collection.cells.to_numpy(), SCORES)


def called_by_trec_eval(measure):
    """As ir_measures itself asks trec_eval for it."""
    provider = PytrecEvalProvider()
    asked = []
    provider.pytrec_eval = SimpleNamespace(
        RelevanceEvaluator=lambda _, names, **how: asked.extend(names)
    )
    provider._build_invokers([parse_measure(measure)], {})
    (name,) = asked
    return name


MEASURES = {each.NAME for each in PytrecEvalProvider.SUPPORTED_MEASURES}
CUT = {"P": ["@5"], "R": ["@5"], "Success": ["@5"], "IPrec": ["@0.1"]}
CUT |= {"AP": ["", "@5"], "nDCG": ["", "@5"]}


@pytest.mark.parametrize(
    "measure",
    sorted(name + cut for name in MEASURES for cut in CUT.get(name, [""])),
)
def test_a_measure_is_found_under_the_name_of_trec_eval(tmp_path, measure):
    """Add a name that is missing to those in evaluations.py."""
    name = called_by_trec_eval(measure)
    for run in SYSTEMS:
        rows = SCORES.loc[run].items()
        text = "".join(f"{name}\t{topic}\t{v}\n" for topic, v in rows)
        (tmp_path / f"{run}.eval").write_text(text)
    found = refold(read_scores(tmp_path, measure))
    np.testing.assert_allclose(found, SCORES)


def test_whatever_trec_eval_prints_is_known_by_its_first_line():
    """Where a number belongs behind a name, with the number."""
    cuts = pytrec_eval.supported_measures & {"P", "recall", "success"}
    names = pytrec_eval.supported_measures - cuts - {"map_cut"}
    cuts = {f"{name}_5" for name in cuts | {"map_cut", "ndcg_cut"}}
    for name in {*names, *cuts, "iprec_at_recall_0.10"}:
        assert TREC_EVAL.match(f"{name}\t301\t0.5"), name
    assert not TREC_EVAL.match("P\t301\t0.5")
