"""The whole error budget of an audit, by hand and by brute force."""

import itertools
import json
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtapps import audit
from gtapps.audit import budget
from gtapps.audit.judgment_study import score_and_study
from gtapps.simulations import synthetic_runs
from gtlib.dstudy.sources import UNJUDGED
from gtlib.judging import relevance_estimates
from tests.gtapps.audit.test_audit_hostile import NAMES
from tests.gtapps.audit.test_audit_judgments import pooled, tables

RUNS, QRELS, SITE = pooled()
SCHEMA = Path(audit.__file__).with_name("report.schema.json")


def studied(runs=RUNS, qrels=QRELS, measure="AP", sites=None):
    scores, judged, _ = score_and_study(runs, qrels, [measure], sites)
    return gt.gstudy(scores.drop(columns="measure")), judged


@pytest.fixture(scope="module")
def study():
    return studied(sites=SITE)


def test_the_variance_is_that_of_all_ways_to_judge_the_rest():
    """Two short lists; the truth is drawn as the probabilities say."""
    lists = {
        "a": {"1": [*"uvwx"], "2": [*"xyzu"]},
        "b": {"1": [*"xwyv"], "2": [*"uzwx"]},
    }
    grades = {"1": {"v": 1, "x": 0, "q": 1}, "2": {"x": 1, "u": 0}}
    runs, judged = tables(lists, grades)
    found = audit.study_judgments(runs, judged).unjudged
    # A thousand more are all that there are: nothing is left open.
    assert [*found] == [2, 502]
    assert found[502] == 0
    told = runs.assign(rank=runs.groupby(["system", "topic"]).cumcount())
    extra = judged.assign(system="all", rank=range(len(judged)))
    pool = gt.pool_runs(pd.concat([told, extra])).only(["a", "b"])
    p = relevance_estimates(pool, judged, "experts")
    wanted = []
    for topic, part in p.groupby(level=0):
        ranks = pool.ranks[:, pool.documents.get_loc(topic)]
        open_ = np.flatnonzero((part > 0) & (part < 1))
        s, r = [], []
        chance = []
        for drawn in itertools.product([0, 1], repeat=len(open_)):
            x = part.to_numpy().copy()
            chance.append(np.where(drawn, x[open_], 1 - x[open_]).prod())
            x[open_] = drawn
            c = 1 / np.maximum(ranks[:, :, None], ranks[:, None])
            upper = np.triu(np.outer(x, x))
            both = (c * upper).sum(axis=(1, 2))
            s.append(both[0] - both[1])
            r.append(x.sum())
        moments = np.cov([s, r], aweights=chance, ddof=0)
        r_mean = np.dot(chance, r)
        theta = np.dot(chance, s) / r_mean
        slope = np.array([1, -theta]) / r_mean
        wanted.append(slope @ moments @ slope)
    assert found[2] == pytest.approx(np.mean(wanted) / 2)


def test_what_two_runs_share_is_known_by_its_name():
    """Alike lists differ by nothing, whoever judged whatever."""
    twins = pd.concat(
        RUNS[RUNS["system"] == "s1"].assign(system=name) for name in "ab"
    )
    found = audit.study_judgments(twins, QRELS).unjudged
    assert next(iter(found.values())) == pytest.approx(0, abs=1e-15)
    other = twins.copy()
    strange = other["document"].where(
        other["system"] == "a", "other" + other["document"]
    )
    known = other["document"].isin(QRELS["document"])
    other["document"] = other["document"].where(known, strange)
    found = audit.study_judgments(other, QRELS).unjudged
    assert next(iter(found.values())) > 1e-5


def test_names_with_one_checksum_are_no_error():
    one, two = "plumless", "buckeroo"
    assert crc32(one.encode()) == crc32(two.encode())
    lists = {"a": {"1": [one, "x", two]}, "b": {"1": ["x", two]}}
    runs, judged = tables(lists, {"1": {"x": 1, "y": 0}})
    assert audit.study_judgments(runs, judged).unjudged[2] > 0


def test_the_total_stays_and_the_parts_are_by_hand(study):
    g, judged = study
    found = audit.whole_budget(g, judged)
    n = g.levels["topic"]
    now = next(iter(judged.unjudged.values()))
    error = found.sources["error"]
    rest = g.estimate["system x topic"] - now
    assert error[UNJUDGED] == pytest.approx(np.sqrt(2 * now / n))
    assert error["system x topic"] == pytest.approx(np.sqrt(2 * rest / n))
    total = (error[["system x topic", UNJUDGED]] ** 2).sum()
    assert total == pytest.approx(2 * g.plan().relative_error)
    for who, table in (
        ("run", judged.left_out),
        ("site", judged.sites_left_out),
    ):
        lost = table["score"] - table["score_without"]
        row = found.sources.loc[f"bias against a new {who}"]
        assert row.tolist() == pytest.approx([lost.mean(), lost.max()])
    documents = round(len(QRELS) / n)
    more = 1000 // documents
    spent = found.spending
    assert spent.loc["topics", "topic"] == n + more
    assert spent.loc["topics", "left"] == pytest.approx(n / (n + more))
    deeper = judged.unjudged[documents + 1000 // n]
    assert spent.loc["documents", "relative_error"] == pytest.approx(
        (rest + deeper) / n
    )
    gain = 1 - spent["left"].drop("now")
    assert gain.idxmax() == "topics"
    assert "best spent on topics" in found.notes[-2]
    factor = gain["topics"] / gain["documents"]
    assert f"{factor:.0f} times as much is missing" in found.notes[-1]


def test_what_the_report_says_of_the_belief_is_what_chapter_13_found():
    """Less than a tenth, after a pool of 20, by the audit's own model."""
    table = gt.load("judging-beliefs")
    rows = table.query("way == 'shallow pool' and model == 'experts'")
    assert len(rows) == 2
    assert (rows["judgments"] == 20).all()
    assert (rows["believed"] < 0.1 * rows["missed"]).all()


def test_errors_go_with_the_scores_as_the_report_says(study):
    """Their true variance taken out of the component leaves too much."""
    table = gt.load("judging-scores").query("judgments == 20")
    left = []
    pools = ["half the groups", "shallow pool", "MTC", "bandit"]
    for _, rows in table.groupby("collection"):
        true, *seen = (
            rows.pivot_table(way, "system", "topic")
            for way in ("all judgments", *pools)
        )
        component, *others = (
            gt.gstudy(x).estimate["system x topic"] for x in (true, *seen)
        )
        errors = (
            gt.gstudy(x - true).estimate["system x topic"] for x in seen
        )
        pairs = zip(others, errors, strict=True)
        left += [(now - error) / component - 1 for now, error in pairs]
    assert f"{100 * min(left):.0f} to {max(left):.0%}" == budget.REFUTED
    note = audit.whole_budget(*study).notes[0]
    assert budget.REFUTED in note
    squares = audit.whole_budget(*study).sources["error"] ** 2
    total = squares[["system x topic", UNJUDGED]].sum()
    share = squares["system x topic"] / total
    assert f"Taken out, system x topic is {share:.0%} of" in note
    assert "left in, 100%" in note


def test_the_total_stays_where_each_assessor_has_topics_of_his_own():
    topics = sorted(QRELS["topic"].unique())
    own = dict(zip(topics, "ababa", strict=True))
    apart = QRELS.assign(assessor=QRELS["topic"].map(own))
    scores, judged, _ = score_and_study(RUNS, apart, ["AP"])
    design = "system x (topic:assessor)"
    g = gt.gstudy(
        scores[scores["topic"] != topics[-1]].drop(columns="measure"),
        design,
    )
    assert g.levels == {"system": 6, "topic": 2, "assessor": 2}
    found = audit.whole_budget(g, judged)
    assert found.sources.loc[UNJUDGED, "error"] > 0
    bias = found.sources.index.str.startswith("bias")
    total = (found.sources.loc[~bias, "error"] ** 2).sum()
    assert total == pytest.approx(2 * g.plan().relative_error)


def test_a_model_that_leaves_too_much_open_is_said(study):
    g, judged = study
    part = g.estimate["system x topic"]
    large = replace(judged, unjudged={40: 2 * part, 240: part})
    large = replace(large, judged=40 * large.topics)
    found = audit.whole_budget(g, large)
    assert found.sources.loc["system x topic", "error"] == 0
    assert found.spending.loc["documents", "left"] == pytest.approx(0.5)
    assert any("Do not trust the split" in note for note in found.notes)
    words = "The model leaves more open"
    assert not any(words in n for n in audit.whole_budget(g, judged).notes)


@pytest.mark.parametrize("measure", ["nDCG@10", "P@5", "AP@20"])
def test_other_measures_have_a_reason_and_no_number(measure):
    g, judged = studied(measure=measure)
    found = audit.whole_budget(g, judged)
    assert judged.unjudged == {}
    assert UNJUDGED not in found.sources.index
    assert f"the scores are {measure}" in found.notes[0]
    assert "documents" not in found.spending.index
    error = found.sources.loc["system x topic", "error"]
    assert error**2 == pytest.approx(2 * g.plan().relative_error)


def test_several_assessors_can_be_bought():
    other = QRELS.assign(relevance=1 - QRELS["relevance"])
    both = pd.concat(
        [QRELS.assign(assessor="a"), other.assign(assessor="b")]
    )
    scores, judged, _ = score_and_study(RUNS, both, ["AP"])
    g = gt.gstudy(
        scores.drop(columns="measure"), "system x topic x assessor"
    )
    found = audit.whole_budget(g, judged)
    assert "system x assessor" in found.sources.index
    spent = found.spending
    documents = spent.loc["now", "documents"]
    each = documents * g.levels["topic"]
    assert spent.loc["assessors", "assessor"] == 2 + 1000 // each
    assert spent.loc["topics", "topic"] == 5 + 1000 // (2 * documents)
    assert spent.loc["documents", "documents"] == documents + 1000 // 10


def test_one_run_and_all_judged():
    alone = RUNS[RUNS["system"] == "s1"]
    found = audit.study_judgments(alone, QRELS)
    assert "takes two runs" in found.unjudged_reason
    g, judged = studied(*synthetic_runs(3, 2, 10, 60)[:2])
    whole = audit.whole_budget(g, judged)
    assert whole.sources.loc[UNJUDGED, "error"] == 0
    assert whole.spending["left"].notna().all()


def test_tables_are_safe_and_fit_the_schema(study, tmp_path, jsonschema):
    g, judged = study
    whole = audit.whole_budget(g, judged)
    shown = audit.budget_tables(whole)
    assert shown.count("<table") == 2
    for note in whole.notes:
        assert note in shown
    audit.write_numbers(tmp_path / "n.json", whole_budget=whole)
    told = json.loads((tmp_path / "n.json").read_text("utf-8"))
    schema = json.loads(SCHEMA.read_text("utf-8"))
    part = schema["properties"]["whole_budget"] | {"$defs": schema["$defs"]}
    jsonschema.validate(told["whole_budget"], part)
    assert told["whole_budget"]["sources"][0]["most"] is None
    told["whole_budget"]["spending"][0].pop("left")
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told["whole_budget"], part)


def test_strangers_names_change_nothing(study):
    _, judged = study
    names = dict(zip(RUNS["system"].unique(), NAMES, strict=False))
    runs = RUNS.assign(
        system=RUNS["system"].replace(names),
        document=RUNS["document"] + "<b>é|",
    )
    qrels = QRELS.assign(document=QRELS["document"] + "<b>é|")
    found = audit.study_judgments(runs, qrels).unjudged
    assert found == pytest.approx(judged.unjudged)


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ({"documents": 0.999}, "One more topic, judged as deeply as these"),
        ({"documents": 0.999, "topics": 1.0}, "in any of the ways"),
    ],
)
def test_judgments_that_change_nothing_are_not_advised(ways, said):
    left = pd.Series({"now": 1.0, **ways}, name="left")
    (sentence,) = budget._on_spending(left.to_frame(), False)
    assert "hardly change this error" in sentence
    assert said in sentence
    assert ("One more topic" in sentence) == ("topics" not in ways)
