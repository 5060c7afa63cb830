"""What is said of pools, and what of it the judgments contradict."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.simulations import synthetic_runs
from gtaudit.assessments import Assessments, JudgedRuns
from gtaudit.command import main
from gtaudit.pooling import (
    Pooling,
    find_pool_doubts,
    find_pooling,
    pool_notes,
    read_contributed,
    read_pools,
)
from gtlib.runs import process_runs

DEPTH = 10
RUNS, COMPLETE, _ = synthetic_runs(3, 3, 11, 80, 2)
SYSTEMS = [*RUNS["system"].unique()]
POOLED = SYSTEMS[:6]
HTML = "<script>alert(1)</script>", "**x** [a](http://b)"


def judged(pooled=POOLED, depth=DEPTH, without=()):
    """The judgments of the first documents of some runs, but for pairs of
    run and topic that were not pooled."""
    top = RUNS[(RUNS["rank"] <= depth) & RUNS["system"].isin(pooled)]
    pairs = [*zip(top["system"], top["topic"], strict=True)]
    top = top[[pair not in without for pair in pairs]]
    keys = top[["topic", "document"]].drop_duplicates()
    return COMPLETE.merge(keys)


def pooling(runs, qrels, depth=None, pooled=None):
    every = Assessments(qrels)

    def numbered(system, run):
        return every.number(every.rank(run))

    data = JudgedRuns(every, dict(process_runs(runs, numbered, [])))
    who = None if pooled is None else dict.fromkeys(pooled, True)
    return find_pooling(data, depth, who)


def doubted(qrels=None, depth=None, pooled=None, runs=RUNS):
    """The sentences on what cannot be right of what was said."""
    qrels = judged() if qrels is None else qrels
    told = [*find_pool_doubts(pooling(runs, qrels, depth, pooled))]
    assert all(s.code == "pools" for s in told)
    return "".join(s.what for s in told)


def missing(qrels, systems, depth):
    """Of the first documents of some runs, which share nobody judged, by
    sets of documents."""
    top = RUNS[(RUNS["rank"] <= depth) & RUNS["system"].isin(systems)]
    keys = ["topic", "document"]
    known = {*qrels[keys].itertuples(index=False, name=None)}
    first = [*top[keys].itertuples(index=False, name=None)]
    return np.mean([pair not in known for pair in first])


@pytest.mark.parametrize("depth", [3, 10, 40])
@pytest.mark.parametrize("who", [None, POOLED])
def test_what_is_right_is_not_doubted(depth, who):
    assert doubted(judged(depth=depth), depth, who) == ""
    assert who is None or doubted(judged(depth=depth), None, who) == ""


def test_what_nobody_said_is_not_doubted():
    odd = COMPLETE.sample(frac=1 / 3, random_state=0)
    assert doubted(odd) == ""
    assert doubted() == ""
    said = Pooling(DEPTH, ("a",), 1.0, ("depth",), {"a": 0.3})
    assert [*find_pool_doubts(said)] and not [
        *find_pool_doubts(replace(said, told=()))
    ]


@pytest.mark.slow
@pytest.mark.parametrize("depth", [15, 20, 60])
def test_too_deep_a_depth_is_doubted_by_what_nobody_judged(depth):
    said = doubted(None, depth, POOLED)
    share = missing(judged(), POOLED, depth)
    assert f"of the first {depth} documents of {POOLED[0]}, " in said
    assert f"and 1 more nobody judged {share:.0%}." in said
    assert doubted(None, depth) != ""


def test_runs_that_did_not_contribute_are_named():
    said = doubted(None, None, [*POOLED[:3], SYSTEMS[-1]])
    share = missing(judged(), [SYSTEMS[-1]], DEPTH)
    assert f"documents of {SYSTEMS[-1]} nobody judged {share:.0%}" in said
    assert not any(name in said for name in POOLED)


def test_pools_that_hold_few_of_the_judged_are_doubted():
    share = pooling(RUNS, judged(depth=40), 5).explained
    assert share < 0.5
    said = doubted(judged(depth=40), 5, POOLED)
    assert f"first 5 documents of 6 runs hold {share:.0%} of what" in said
    assert "nobody" not in said


def test_some_documents_may_be_missing():
    """One of twenty, at random."""
    for seed in range(5):
        some = judged(depth=20).sample(frac=0.95, random_state=seed)
        assert doubted(some, 20, POOLED) == ""


def test_a_run_may_be_pooled_on_some_of_its_topics():
    """On most; the others are as if it had not contributed."""
    topics = [*RUNS["topic"].unique()]
    out = {(POOLED[3], topic) for topic in topics[:5]}
    assert doubted(judged(without=out), DEPTH, POOLED) == ""
    few = {(POOLED[3], topic) for topic in topics[:9]}
    assert POOLED[3] in doubted(judged(without=few), DEPTH, POOLED)


def test_lists_that_end_before_the_depth_contradict_nothing():
    short = RUNS[RUNS["rank"] <= 8]
    assert doubted(None, 30, POOLED, short) == ""


def test_lists_that_end_at_the_depth_show_who_contributed():
    found = pooling(RUNS[RUNS["rank"] <= DEPTH], judged())
    assert found.depth == DEPTH
    assert {*POOLED} <= {*found.contributors}
    assert len(found.contributors) < len(SYSTEMS)


@pytest.fixture(scope="module")
def robust():
    """The first 150 of each list of Robust 2003, and its judgments. What
    `read_run` would look for in all the lines takes most of its time."""
    runs = pd.concat(map(first, gt.load("robust2003-runs")))
    return runs, gt.read_qrels(gt.load("robust2003-qrels"))


def first(path):
    names = ["topic", "q", "document", "rank", "score", "system"]
    run = pd.read_csv(path, sep=r"\s+", names=names, dtype={"topic": str})
    place = run.groupby("topic")["score"].rank("min", ascending=False)
    run = run[place <= 150].drop(columns="q")
    run = run.sort_values(["score", "document"], ascending=False)
    run["rank"] = run.groupby("topic").cumcount() + 1
    return run[run["rank"] <= 150]


@pytest.mark.slow
def test_robust_2003_judged_again(robust):
    """On every fourth topic, the first ten documents of every other run;
    of some, nobody judged one of them."""
    runs, qrels = robust
    systems = [*runs["system"].unique()]
    some = systems[::2]
    few = runs["topic"].isin(runs["topic"].unique()[::4])
    runs = runs[few & (runs["rank"] <= 2 * DEPTH)]
    top = runs[(runs["rank"] <= DEPTH) & runs["system"].isin(some)]
    pool = qrels.merge(top[["topic", "document"]].drop_duplicates())
    assert doubted(pool, DEPTH, some, runs) == ""
    assert doubted(pool, DEPTH, None, runs) == ""
    assert "nobody" in doubted(pool, 2 * DEPTH, some, runs)
    assert "nobody" in doubted(pool, DEPTH, systems, runs)


@pytest.mark.slow
def test_the_pools_of_robust_2003_are_those_that_were_judged(robust):
    """On its own topics, 125 deep; the older ones were judged before."""
    runs, qrels = robust
    systems = [*runs["system"].unique()]
    new, of_new = (t["topic"].astype(int) > 600 for t in robust)
    assert doubted(qrels[of_new], 125, systems, runs[new]) == ""
    said = doubted(qrels[~of_new], 125, systems, runs[~new])
    assert "nobody judged" in said and "of what was judged" in said


# As a command


@pytest.fixture
def run(tmp_path, capsys, short_report):
    """The command with files of runs and judgments; its exit code, and
    what it says."""
    (tmp_path / "runs").mkdir()
    for system, lines in RUNS.groupby("system"):
        lines = lines.assign(q="Q0")[
            ["topic", "q", "document", "rank", "score", "system"]
        ]
        path = tmp_path / "runs" / system
        lines.to_csv(path, sep=" ", header=False, index=False)
    lines = judged().assign(i=0)[["topic", "i", "document", "relevance"]]
    lines.to_csv(tmp_path / "qrels", sep=" ", header=False, index=False)

    def call(*more):
        given = "--runs", tmp_path / "runs", "--qrels", tmp_path / "qrels"
        out = "--out", tmp_path / "audit.html", "--measure", "P@10"
        try:
            code = main(["audit", *map(str, (*given, *out, *more))])
        except SystemExit as error:  # of options that cannot be read
            code = error.code
        return code, capsys.readouterr().err

    return call


@pytest.mark.slow
def test_a_contradiction_is_told_and_fails_a_gate(run, tmp_path):
    gate = "--fail-under", "alpha=0.0001"
    code, said = run("--pools", "40", *gate)
    assert code == 3 and "(pools)" in said and "--allow pools" in said
    numbers = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    (told,) = numbers["doubts"]
    assert told["code"] == "pools"
    assert {*POOLED} <= {*numbers["judgments"]["pooling"]["missing"]}


def notes_on(tmp_path, file):
    """What is said of the contributors that a file names."""
    path = tmp_path / "who.csv"
    path.write_text(file, "utf-8")
    told = read_pools(path)
    found = pooling(RUNS, judged(), None, POOLED)
    return "\n".join(pool_notes(told, found, SYSTEMS))


def test_names_that_are_no_run_and_runs_left_out_are_said(tmp_path):
    """Names of strangers as they are: the report makes them safe."""
    names = [*POOLED, *HTML]
    file = "run,contributed\n" + "".join(f'"{n}",yes\n' for n in names)
    said = notes_on(tmp_path, f"{file}{SYSTEMS[-1]},no\n")
    no_run, left_out = said.split("\n")
    assert f": {HTML[0]}, {HTML[1]}." in no_run
    assert f": {', '.join(SYSTEMS[6:-1])}." in left_out


def test_a_list_of_contributors_says_all_there_is_to_say(tmp_path):
    """Runs that are not in it did not contribute; a BOM is no name."""
    assert notes_on(tmp_path, "\ufeffRun \n" + "\n".join(POOLED)) == ""


def test_a_depth_beyond_all_lists_is_said():
    found = pooling(RUNS[RUNS["rank"] <= 8], judged(), 30)
    (note,) = pool_notes((30, None), found, SYSTEMS)
    assert "--pools says 30" in note and "more than 8:" in note
    assert found.depth == 8
    assert [*pool_notes((8, None), found, SYSTEMS)] == []


@pytest.mark.parametrize("depth", [0, -3, 2.5, True, "0", float("nan")])
def test_a_depth_in_a_notebook_is_a_whole_number(depth):
    with pytest.raises(ValueError, match=r"--pools=.* whole number"):
        read_pools(depth)


def test_blanks_around_columns_and_names_do_not_count(tmp_path):
    path = tmp_path / "who.csv"
    path.write_text(" Run , Contributed \n a ,YES\nb, no\n")
    assert read_contributed(path) == {"a": True, "b": False}
