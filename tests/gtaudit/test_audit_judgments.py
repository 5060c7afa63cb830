"""What an audit says of the judgments, beside ir_measures and by hand."""

import dataclasses
import itertools
import json

import ir_measures
import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from book.support.simulations import synthetic_runs
from gtaudit.command import main
from gtaudit.display import inline_html
from gtaudit.judgment_study import DEPTHS
from gtaudit.new_systems import judge_newcomers
from gtaudit.pooling import read_contributed
from gtaudit.results import as_json_values
from gtaudit.sites import read_sites
from gtlib.runs import parse_measure
from gtlib.scores import as_wide
from tests.cases import only
from tests.gtaudit.said import study_judgments
from tests.gtaudit.test_audit_hostile import NAMES

AP = parse_measure("AP")


def tables(lists, grades):
    """Runs and judgments from system -> topic -> documents, and topic ->
    document -> relevance."""
    runs = [
        (system, topic, document, -float(place))
        for system, topics in lists.items()
        for topic, documents in topics.items()
        for place, document in enumerate(documents)
    ]
    judged = [
        (t, d, g) for t, docs in grades.items() for d, g in docs.items()
    ]
    return (
        pd.DataFrame(
            runs, columns=["system", "topic", "document", "score"]
        ),
        pd.DataFrame(judged, columns=["topic", "document", "relevance"]),
    )


def pooled(depth=12, systems=6, topics=5, seed=2):
    """Synthetic runs, judged as far as their first documents go."""
    runs, complete, site = synthetic_runs(3, systems // 3, topics, 80, seed)
    top = runs[runs["rank"] <= depth][["topic", "document"]]
    return runs, complete.merge(top.drop_duplicates()), site


RUNS, QRELS, SITE = pooled()


def by_ir_measures(measure, qrels, run):
    """The mean over the topics of the judgments, straight from there."""
    grades = {
        topic: dict(zip(rows["document"], rows["relevance"], strict=True))
        for topic, rows in QRELS.groupby("topic")
    }
    for topic in grades:
        rows = qrels[qrels["topic"] == topic]
        told = zip(rows["document"], rows["relevance"], strict=True)
        grades[topic] = dict(told)
    ranking = {
        topic: dict(zip(rows["document"], rows["score"], strict=True))
        for topic, rows in run.groupby("topic")
    }
    found = ir_measures.evaluator([measure], grades).iter_calc(ranking)
    return sum(m.value for m in found) / len(grades)


@pytest.fixture(scope="module")
def found():
    return study_judgments(RUNS, QRELS, "AP", SITE)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_scores_are_those_of_read_runs(measure):
    found = study_judgments(RUNS, QRELS, measure)
    scores = gt.read_runs(RUNS, QRELS, measure, report=None)
    means = scores.groupby("system")["score"].mean()
    pd.testing.assert_series_equal(
        found.runs["score"], means, check_names=False
    )


@pytest.mark.parametrize("depth", [5, 20])
def test_shares_are_those_of_ir_measures(found, depth):
    for system, run in RUNS.groupby("system"):
        share = by_ir_measures(ir_measures.Judged @ depth, QRELS, run)
        told = found.runs.loc[system, f"judged_at_{depth}"]
        assert told == pytest.approx(share)


def test_holes_by_hand():
    """Which documents of whose lists nobody judged, and at which rank."""
    lists = {
        "whole": {"1": ["a", "b"], "2": ["a", "b"]},
        "late": {"1": ["b", "a"], "2": ["b", *"cdefghijkl", "x"]},
        "early": {"1": ["x", "a"], "2": ["c", "y"]},
    }
    grades = {"a": 1, "b": 0} | dict.fromkeys("cdefghijkl", 0)
    judged = tables(lists, dict.fromkeys("12", grades))
    found = study_judgments(*judged, "P@2")
    names = ["system", "topic", "rank", "document"]
    holes = [("late", "2", 12, "x"), ("early", "1", 1, "x")]
    holes += [("early", "2", 2, "y")]
    assert [*found.unjudged] == names
    assert [*found.unjudged.itertuples(index=False, name=None)] == holes
    scores = {"whole": 0.5, "late": 0.25, "early": 0.25}
    assert found.runs["score"].to_dict() == pytest.approx(scores)


@pytest.mark.parametrize("depth", only([1, 7], [1, 3, 7, 12, 30]))
@pytest.mark.parametrize("out", [(), ("s1", "s5")])
def test_the_pools_are_seen(depth, out):
    """Of any depth, and who did not contribute."""
    runs, complete, _ = synthetic_runs(3, 2, 9, 80, 2)
    pooled = ~runs["system"].isin(out) & (runs["rank"] <= depth)
    top = runs.loc[pooled, ["topic", "document"]].drop_duplicates()
    found = study_judgments(runs, complete.merge(top)).pooling
    assert found.depth == depth
    assert {*found.contributors} >= {*runs["system"]} - {*out}
    assert depth == 1 or not {*found.contributors} & {*out}
    assert found.explained == 1 and found.told == ()


def test_what_pools_do_not_explain_cannot_be_told():
    """A third of all documents, drawn at random, was judged."""
    runs, complete, site = synthetic_runs(3, 2, 9, 80, 2)
    judged = complete.sample(frac=1 / 3, random_state=0)
    found = study_judgments(runs, judged, "AP", site)
    assert found.pooling.depth is None and found.pooling.explained < 0.5
    assert found.left_out.empty and found.sites_left_out.empty
    told = study_judgments(runs, judged, depth=5)
    assert told.pooling.depth == 5 and told.pooling.told == ("depth",)
    assert not told.left_out.empty


def test_who_contributed_can_be_said(tmp_path):
    runs, complete, _ = synthetic_runs(3, 2, 9, 80, 2)
    top = runs[(runs["rank"] <= 7) & ~runs["system"].isin(["s1", "s2"])]
    pool = complete.merge(top[["topic", "document"]].drop_duplicates())
    path = tmp_path / "who.csv"
    path.write_text("Run,contributed\ns1,no\ns3,YES\ns4,1\ns5,true\n")
    who = read_contributed(path)
    found = study_judgments(runs, pool, contributed=who)
    assert found.pooling.contributors == ("s3", "s4", "s5")
    assert found.pooling.depth == 7 and found.pooling.explained < 1
    assert [*found.left_out.index] == ["s3", "s4", "s5"]
    path.write_text("system\ns3\nelsewhere\n")
    both = study_judgments(
        runs, pool, depth=6, contributed=read_contributed(path)
    )
    assert both.pooling.contributors == ("s3",)
    assert both.pooling.depth == 6


@pytest.mark.parametrize("who", ["run", "site"])
def test_leaving_out_is_scoring_by_smaller_judgments(found, who):
    """Pools without it, made anew from the runs, and its own score."""
    table = found.left_out if who == "run" else found.sites_left_out
    first = RUNS[RUNS["rank"] <= found.pooling.depth].merge(QRELS)
    group = SITE if who == "site" else SITE.index.to_series()
    owners = first.assign(group=first["system"].map(group))
    several = owners.groupby(["topic", "document"])["group"].nunique()
    for system, run in RUNS.groupby("system"):
        mine = first["system"].map(group) == group[system]
        lost = first[mine].set_index(["topic", "document"])
        lost = lost[several[lost.index].to_numpy() < 2]
        key = pd.MultiIndex.from_frame(QRELS[["topic", "document"]])
        kept = QRELS[~key.isin(lost.index)]
        row = table.loc[system]
        assert row["score_without"] == pytest.approx(
            by_ir_measures(AP, kept, run)
        )
        gone = QRELS[key.isin(lost.index)]
        assert row["unique_relevant"] == (gone["relevance"] > 0).sum()
        others = found.runs["score"].drop(
            group.index[group == group[system]]
        )
        above = (others > row["score_without"]).sum()
        assert row["rank_without"] >= 1 + above
        if who == "run":
            assert row["rank_without"] == 1 + above
    assert (table["score_without"] < table["score"]).any()


def test_what_was_sampled_and_not_judged_is_a_hole():
    """A relevance of -1 says that nobody judged."""
    qrels = QRELS.copy()
    rows = qrels.sample(frac=0.4, random_state=1).index
    sampled = qrels.assign(relevance=qrels["relevance"])
    sampled.loc[rows, "relevance"] = -1
    found = study_judgments(RUNS, sampled, "AP")
    assert found.judged == len(qrels) - len(rows)
    less = study_judgments(RUNS, qrels.drop(rows), "AP")
    pd.testing.assert_frame_equal(found.runs, less.runs)


@pytest.mark.slow
def test_several_assessors_are_averaged():
    other = QRELS.assign(relevance=1 - QRELS["relevance"])
    both = pd.concat(
        [QRELS.assign(assessor="a"), other.assign(assessor="b")]
    )
    one, two, all_ = (
        study_judgments(RUNS, q).runs for q in (QRELS, other, both)
    )
    mean = (one["score"] + two["score"]) / 2
    pd.testing.assert_series_equal(all_["score"], mean)
    pd.testing.assert_series_equal(
        all_["judged_at_20"], one["judged_at_20"]
    )


# What is said


def test_a_loss_is_held_against_half_of_the_noise(found):
    """The loss is a bias, and comes on top of the noise."""
    lost = found.left_out["score"] - found.left_out["score_without"]
    by_site = found.sites_left_out
    lost = max(
        lost.max(), (by_site["score"] - by_site["score_without"]).max()
    )
    answers = {}
    for share in (0.49, 0.51):
        answers[share], told = judge_newcomers(
            dataclasses.replace(found, noise=lost / share)
        )
        assert f"{share:.0%}" in told
    assert answers == {0.49: "enough", 0.51: "not enough"}


def test_the_noise_is_that_of_paired_differences(found):
    import scipy

    wide = as_wide(
        gt.read_runs(RUNS, QRELS, "AP", report=None).drop(columns="measure")
    )
    half = []
    for a, b in itertools.combinations(wide.to_numpy(), 2):
        test = scipy.stats.ttest_rel(a, b).confidence_interval()
        half.append((test.high - test.low) / 2)
    assert found.noise == pytest.approx(np.median(half))


# What cannot be right, and what strangers name


def test_odd_runs_and_topics_are_counted_as_they_are():
    """Documents that nobody judged, a topic without runs, a run that has
    one topic only, a topic of which nothing is judged."""
    lists = {
        "none": {"1": ["x", "y"], "2": ["z"]},
        "one": {"1": ["a", "x"]},
        "all": {"1": ["b", "a"], "2": ["c"], "9": ["a"]},
    }
    grades = {"1": {"a": 1, "b": 0}, "2": {"c": 0}, "3": {"e": 1}}
    found = study_judgments(*tables(lists, grades))
    assert found.runs["judged_at_5"].to_dict() == {
        "none": 0,
        "one": 0.5,
        "all": 1,
    }
    assert found.runs["score"].round(4).to_dict() == {
        "none": 0,
        "one": 0.3333,
        "all": 0.1667,
    }
    first = found.unjudged.groupby("system")["rank"].min()
    assert first.to_dict() == {"none": 1, "one": 2}
    assert found.judged == 4
    assert found.judged_elsewhere == 1


def test_names_of_strangers_show_as_they_stand():
    html = pytest.importorskip("lxml.html")
    rename = dict(zip(sorted(SITE.index), NAMES, strict=False))
    runs = RUNS.assign(system=RUNS["system"].map(rename))
    named = dict(zip(["S1", "S2", "S3"], NAMES[6:9], strict=True))
    sites = SITE.rename(rename).map(named)
    found = study_judgments(runs, QRELS, "AP", sites)
    words = "\n".join(
        [*judge_newcomers(found), *gtaudit.describe_judgments(found)]
    )
    shown = gtaudit.judgment_tables(found)
    for text in (inline_html(words), shown):
        page = html.fromstring(f"<div>{text}</div>")
        assert not page.xpath("//script | //a | //img | //em | //del")
    text = html.fromstring(shown).text_content()
    lost = found.left_out["score"] - found.left_out["score_without"]
    assert all(name in text for name in lost.nlargest(5).index)


# As a command


@pytest.fixture
def folder(tmp_path):
    """Runs, judgments and sites as files."""
    (tmp_path / "runs").mkdir()
    for system, run in RUNS.groupby("system"):
        lines = run.assign(q="Q0")[
            ["topic", "q", "document", "rank", "score", "system"]
        ]
        path = tmp_path / "runs" / system
        lines.to_csv(path, sep=" ", header=False, index=False)
    lines = QRELS.assign(iteration=0)
    lines = lines[["topic", "iteration", "document", "relevance"]]
    lines.to_csv(tmp_path / "qrels", sep=" ", header=False, index=False)
    SITE.to_csv(tmp_path / "sites.csv", index_label="system")
    return tmp_path


def test_files_give_what_tables_give(folder, found):
    files = folder / "runs", folder / "qrels"
    sites = read_sites(folder / "sites.csv")
    read = study_judgments(*files, "AP", sites)
    for name in ("runs", "left_out", "sites_left_out"):
        pd.testing.assert_frame_equal(
            getattr(read, name), getattr(found, name), check_exact=False
        )


def arguments(folder):
    files = [str(folder / name) for name in ("runs", "qrels", "sites.csv")]
    given = zip(["--runs", "--qrels", "--sites"], files, strict=True)
    out = ["--out", str(folder / "report.html")]
    return ["audit", *itertools.chain(*given), *out]


@pytest.mark.slow
def test_sites_go_without_an_assignment_here(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "gtaudit.run.write_report",
        lambda out, study, title, options, *_, **__: (
            asked.append(options) or [out]
        ),
    )
    assert main(arguments(folder)) == 0
    assert asked[0]["sites"] == [str(folder / "sites.csv")]


def test_every_number_is_written(found):
    told = json.loads(json.dumps(as_json_values(found)))
    assert told["measure"] == "AP"
    assert [*told["runs"][0]][1:5] == [f"judged_at_{k}" for k in DEPTHS]
    assert len(told["left_out"]) == len(told["sites_left_out"]) == len(SITE)


def test_short_runs_that_end_without_a_hole_say_nothing_of_the_depth():
    """Two runs of one document each, which somebody judged."""
    runs, complete, _ = synthetic_runs(3, 2, 9, 80, 2)
    top = runs[runs["rank"] <= 12]
    pool = complete.merge(top[["topic", "document"]].drop_duplicates())
    short = top[(top["rank"] == 1) & top["system"].isin(["s1", "s2"])]
    short = short.assign(system=short["system"] + "short")
    found = study_judgments(pd.concat([runs, short]), pool).pooling
    assert found.depth == 12 and found.explained == 1
    assert {*found.contributors} >= {*runs["system"]}
