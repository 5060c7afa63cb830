"""The report on one system that ran several times on each topic."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtaudit
import gtlib as gt
from gtaudit.command import main
from gtaudit.one_system import (
    find_one_system,
    study_one_system,
    verdict_of_one,
)
from tests.cases import first

NAMES = ["system", "topic", "repetition", "score"]
SCHEMA = Path(gtaudit.__file__).with_name("report.schema.json")


def table(scores, name="a"):
    """Scores, topics x runs, of one system."""
    rows = [
        (name, f"t{topic}", run, score)
        for topic, runs in enumerate(scores)
        for run, score in enumerate(runs)
    ]
    return pd.DataFrame(rows, columns=NAMES)


def simulated(topics=60, runs=4, seed=0):
    rng = np.random.default_rng(seed)
    mean = rng.normal(0.5, 0.1, (topics, 1))
    return mean + rng.normal(0, 0.05, (topics, runs))


@pytest.mark.sources
def test_tau_bench_is_as_its_own_thread_has_it():
    """pass^1 to pass^4, as in the issue that reported them."""
    scores = gt.load("tau-bench").rename(
        columns={"task": "topic", "run": "repetition"}
    )
    mean, repeated = study_one_system(find_one_system(scores))
    passes = repeated.passes["estimate"].round(3).tolist()
    assert passes == [0.42, 0.273, 0.22, 0.2]
    assert mean.estimate == pytest.approx(0.42)
    assert repeated.flip_share.item() == pytest.approx(26 / 50)


def test_parts_are_those_of_an_analysis_of_variance():
    scores = simulated()
    mean, repeated = study_one_system(find_one_system(table(scores)))
    ratio = stats.f_oneway(*scores).statistic
    assert repeated.even_price[0] == pytest.approx(4 * (ratio - 1))
    # Both together are the error of the mean of topic means.
    total = repeated.parts["variance"].sum()
    assert total == pytest.approx(scores.mean(axis=1).var(ddof=1) / 60)
    interval = stats.ttest_1samp(scores.mean(axis=1), 0)
    low, high = interval.confidence_interval()
    assert (mean.low, mean.high) == pytest.approx((low, high))


@pytest.mark.slow
def test_the_error_that_is_promised_comes():
    """Of other topics, and of further runs of the same, in simulation."""
    came = {"again": [], "another": []}
    promised = {"again": [], "another": []}
    for seed in range(300):
        rng = np.random.default_rng([seed, 1])
        truth = rng.normal(0.5, 0.1, (40, 1))
        scores = truth[:30] + rng.normal(0, 0.2, (30, 2))
        one = find_one_system(table(scores))
        cost = {"topic": 0, "repetition": 1}
        _, repeated = study_one_system(one, cost, 60 + 20)
        choices = repeated.choices
        again, another = (choices.loc[k] for k in promised)
        for way in promised:
            promised[way].append(choices.loc[way, "half_width"])
        more = rng.normal(0, 0.2, (30, int(again["runs"])))
        longer = np.hstack([scores, truth[:30] + more])
        n, runs = int(again["topics"]), int(another["runs"])
        means = scores.mean(axis=1)
        means[:n] = longer[:n].mean(axis=1)
        came["again"].append(means.mean() - 0.5)
        n = int(another["topics"])
        new = rng.normal(0.5, 0.1, (n, 1)) + rng.normal(0, 0.2, (n, runs))
        means = [*scores.mean(axis=1), *new.mean(axis=1)]
        came["another"].append(np.mean(means) - 0.5)
    for way in came:
        half = 1.96 * np.sqrt(np.mean(np.square(came[way])))
        assert half == pytest.approx(np.mean(promised[way]), rel=0.1)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.iloc[1:],  # not as many runs
        lambda t: t[t["topic"] == "t0"],
        lambda t: t.assign(score=t["score"].where(t.index > 0)),
        lambda t: t.drop(columns="repetition"),
        lambda t: t.assign(assessor=t.index % 2),
        lambda t: t.assign(repetition=0),
    ],
)
def test_scores_of_one_that_allow_no_report_are_refused(change):
    with pytest.raises(ValueError, match="is the only system"):
        find_one_system(change(table(simulated(5))))


def test_several_systems_are_left_to_others():
    one = table(simulated(5))
    both = pd.concat([one, one.assign(system="b")])
    assert find_one_system(both) is None


def write(folder, scores, name="a"):
    path = folder / "runs.csv"
    table(scores, name).to_csv(path, index=False)
    return str(path)


@pytest.mark.parametrize(
    "scores",
    first(
        2,
        [
            [[0, 1], [1, 0], [1, 1]],
            simulated(),
            np.zeros((5, 3)),
            np.ones((2, 2)),
        ],
    ),
    ids=["flips", "fractions", "never", "always"],
)
def test_a_report_is_written(tmp_path, scores):
    out = str(tmp_path / "a.html")
    assert main(["audit", write(tmp_path, scores), "--out", out]) == 0
    numbers = json.loads((tmp_path / "a.json").read_text("utf-8"))
    jsonschema.validate(numbers, json.loads(SCHEMA.read_text("utf-8")))
    assert numbers["mean"]["estimate"] == pytest.approx(np.mean(scores))
    assert numbers["verdict"][0]["answer"] == "cannot be told"
    page = (tmp_path / "a.html").read_text("utf-8")
    assert "nan" not in page.lower()


def test_names_of_strangers_stay_text(tmp_path):
    name = "<img src=x onerror=alert(1)> [a](b) `c`"
    scores = [[0, 1], [1, 0], [1, 1]]
    path = tmp_path / "runs.csv"
    own = table(scores, name)
    own["topic"] = own["topic"].map("<b>{}</b>*x*".format)
    own.to_csv(path, index=False)
    out = tmp_path / "a.html"
    assert main(["audit", str(path), "--out", str(out)]) == 0
    html = pytest.importorskip("lxml.html")
    page = html.fromstring(out.read_text("utf-8"))
    assert not page.xpath("//img | //main//b | //a[@href='b']")
    assert name in page.text_content()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--baseline", "a"),
        ("--fail-under generalizability", "0.5"),
    ],
)
def test_what_compares_is_refused(tmp_path, option, value, capsys):
    path = write(tmp_path, simulated(5))
    given = ["audit", path, "--out", str(tmp_path / "a.html")]
    name, _, of = option.partition(" ")
    assert main([*given, name, f"{of}={value}" if of else value]) == 2
    assert f"{option}: the table has one system" in capsys.readouterr().err
    assert not (tmp_path / "a.html").exists()


def test_prices_decide_what_is_the_better_buy():
    """Dear topics are run again, cheap ones are written."""
    rng = np.random.default_rng(0)
    means = rng.normal(0.5, 0.05, (60, 1))
    scores = means + rng.normal(0, 0.2, (60, 4))
    one = find_one_system(table(scores))
    said = {}
    for price in (0.01, 10_000):
        cost = {"topic": price, "repetition": 1}
        mean, repeated = study_one_system(one, cost)
        said[price] = verdict_of_one(one, mean, repeated).next
    assert "another topic" in said[0.01]
    assert "another run" in said[10_000]


def test_a_run_that_solves_nothing_is_not_sure_of_it():
    """The interval of 0 of 25 is Wilson's, and no single point."""
    mean, _ = study_one_system(find_one_system(table(np.zeros((25, 1)))))
    t = stats.t.ppf(0.975, 24)
    assert mean.low == pytest.approx(0, abs=1e-12)
    assert mean.high == pytest.approx(t**2 / (25 + t**2))


@pytest.mark.parametrize("said", [[], ["--columns", "repetition=trial"]])
def test_runs_of_one_system_need_no_column_that_names_it(
    tmp_path, monkeypatch, capsys, said
):
    """Trials are no systems, where another column names topics."""
    monkeypatch.chdir(tmp_path)
    scores = table(simulated(topics=6, runs=3).round(3))
    names = {"topic": "scenario", "repetition": "trial"}
    own = scores.drop(columns="system").rename(columns=names)
    own.to_csv("agent.csv", index=False)
    assert main(["audit", "agent.csv", *said]) == 0
    told = capsys.readouterr()
    assert "scenario = topic, trial = repetition" in told.err
    assert "Is agent the best? There is no other system" in told.out
    error = own.groupby("scenario")["score"].mean().sem()
    page = Path("audit.html").read_text("utf-8")
    assert f"its standard error is {error:.3f}" in page


def test_trials_of_what_is_not_called_a_topic_are_asked_about(
    tmp_path, capsys
):
    own = table(simulated(topics=6, runs=3)).drop(columns="system")
    path = tmp_path / "agent.csv"
    own.columns = ["unit", "trial", "score"]
    own.to_csv(path, index=False)
    assert main(["audit", str(path)]) == 2
    assert "does not say what its columns" in capsys.readouterr().err
