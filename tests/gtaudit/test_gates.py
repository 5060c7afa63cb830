"""What --fail-under says of a mean, and how often that comes true."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.special import expit, logit

import gtlib as gt
from gtaudit.command import main
from gtaudit.gates import mean_gate_ends, near_gates
from gtaudit.one_system import find_one_system
from tests.gtaudit.test_one_system import table

ENDS = 0.05, 0.95


def beta(rng, mean, share, tasks):
    size = 1 / share - 1
    return rng.beta(mean * size, (1 - mean) * size, tasks)


def solved(rng, chances, runs):
    return (rng.random((len(chances), runs)) < chances[:, None]).astype(int)


def audit(tmp_path, scores, *more):
    path = tmp_path / "scores.csv"
    table(scores).to_csv(path, index=False)
    out = tmp_path / "a.html"
    code = main(["audit", str(path), "--out", str(out), *more])
    written = out.with_suffix(".json")
    notes = json.loads(written.read_text())["notes"] if code != 2 else []
    return code, notes


@pytest.mark.slow
def test_a_mean_is_a_gate(tmp_path, capsys):
    """3 of 4 runs of 60 tasks are 0.75, though sums are rounded."""
    rng = np.random.default_rng(0)
    scores = np.zeros(240, int)
    scores[:180] = 1
    scores = rng.permutation(scores).reshape(60, 4)
    code, notes = audit(tmp_path, scores, "--fail-under", "mean=0.75")
    assert code == 0
    page = (tmp_path / "a.html").read_text("utf-8")
    note = next(note for note in notes if "The gate mean=0.75" in note)
    assert "with the same topics" in note
    assert note[:40] in page
    assert note[:40] in capsys.readouterr().err
    code, _ = audit(tmp_path, scores, "--fail-under", "mean=0.751")
    assert code == 3
    assert "mean is 0.750" in capsys.readouterr().err
    code, notes = audit(tmp_path, scores, "--fail-under", "mean.low=0.6")
    assert code == 0
    assert not notes


@pytest.mark.parametrize("runs", [1, 3])
def test_ends_are_those_of_the_power(runs):
    rng = np.random.default_rng(3)
    scores = solved(rng, beta(rng, 0.8, 0.5, 90), runs)
    normal = rng.normal(50, 8, (90, runs)) + rng.normal(0, 6, (90, 1))
    for found, threshold, unit in ((scores, 0.8, 1), (normal, 47, 20)):
        ends = mean_gate_ends(find_one_system(table(found)), threshold)
        assert ("same_tasks" in ends) == (runs > 1)
        within = found.var(axis=1, ddof=1).mean() if runs > 1 else 0
        between = found.mean(axis=1).var(ddof=1) - within / runs
        for kind, limits in ends.items():
            for true, share in zip(limits, ENDS, strict=True):
                sds = {"task_sd": between**0.5, "run_sd": within**0.5}
                if unit == 1:
                    of_tasks = between / (between + within)
                    of_tasks *= true * (1 - true)
                    sds = {"task_sd": of_tasks**0.5}
                gate = gt.gate_power(threshold, true, 90, runs, **sds)
                assert gate[kind].item() == pytest.approx(share, abs=1e-3)


def test_scores_that_do_not_vary_have_no_line(tmp_path):
    code, notes = audit(tmp_path, np.ones((9, 2)), "--fail-under", "mean=1")
    assert code == 0
    assert not any("The gate" in note for note in notes)


@pytest.mark.parametrize(
    "gate, words",
    [
        ("mean=0.5", "the table has 3 systems"),
        ("mean.low=0.5", "--columns repetition=run"),
    ],
)
def test_a_mean_of_several_systems_is_refused(
    tmp_path, gate, words, capsys
):
    path = tmp_path / "wide.csv"
    path.write_text("system,a,b,c\nx,1,2,3\ny,2,3,5\nz,2,4,6\n")
    out = ["--out", str(tmp_path / "a.html")]
    assert main(["audit", str(path), *out, "--fail-under", gate]) == 2
    assert words in capsys.readouterr().err


def test_a_mean_that_is_turned_round_is_refused(tmp_path, capsys):
    scores = np.random.default_rng(0).random((9, 2))
    gate = "--fail-under", "mean=0.5", "--less-is-better"
    assert audit(tmp_path, scores, *gate)[0] == 2
    assert "turned round" in capsys.readouterr().err


def test_a_gate_within_the_interval_is_told():
    row = {"estimate": 0.9, "low": 0.8, "high": 0.95}
    numbers = {"coefficients": [row | {"coefficient": "dependability"}]}
    numbers["alpha"] = row

    def said(**gates):
        return [*near_gates(gates, numbers)]

    assert "0.800 to 0.950" in said(dependability=0.85)[0]
    assert said(dependability=0.85)[0].endswith("may not pass.")
    assert said(alpha=0.92)[0].endswith("may pass.")
    assert not said(alpha=0.96, dependability=0.8)
    assert not said(generalizability=0.85)
    assert not [*near_gates({"alpha.low": 0.85}, numbers)]


def moved(chances, mean):
    """The same tasks, made harder or easier by as many logits until they
    have this mean."""
    logits = logit(np.clip(chances, 1e-9, 1 - 1e-9))
    shift = brentq(lambda x: expit(logits + x).mean() - mean, -9, 9)
    return expit(logits + shift)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mean", "share", "tasks", "runs"),
    [
        (0.5, 0.7, 50, 3),
        (0.9, 0.7, 50, 3),
        (0.8, 0.4, 200, 3),
        (0.9, 0.7, 200, 1),
    ],
)
def test_what_is_said_of_a_gate_comes_true(mean, share, tasks, runs):
    """Of tables at whose own mean the gate stands; then a system whose
    true mean is what was said comes to it, once for each. Of 1,000 tables
    in each of nine cases, 3.5 to 6.4 of a hundred passed where 5 were
    promised, and 93.4 to 96.1 where 95 were."""
    rng = np.random.default_rng([tasks, runs, round(100 * mean)])
    passed = {}
    for _ in range(400):
        chances = beta(rng, mean, share, tasks)
        one = find_one_system(table(solved(rng, chances, runs)))
        for kind, ends in mean_gate_ends(one, mean).items():
            for true, promised in zip(ends, ENDS, strict=True):
                now = moved(chances, true)
                if kind == "new_tasks":
                    now = beta(rng, true, share, tasks)
                reached = solved(rng, now, runs).mean() >= mean - 1e-12
                passed.setdefault((kind, promised), []).append(reached)
    shares = {key: np.mean(came) for key, came in passed.items()}
    for (_, promised), came in shares.items():
        assert came == pytest.approx(promised, abs=0.045)


def test_a_mean_of_0_and_1_is_between_them(tmp_path, capsys):
    scores = solved(np.random.default_rng(3), np.full(20, 0.8), 3)
    code, _ = audit(tmp_path, scores, "--fail-under", "mean=80")
    assert code == 2
    assert "mean=80: the scores are 0 or 1" in capsys.readouterr().err


def test_numbered_runs_of_the_only_agent_are_its_runs(tmp_path, capsys):
    scores = solved(np.random.default_rng(3), np.full(20, 0.8), 3)
    path = tmp_path / "scores.csv"
    rows = [
        (f"t{task}", "bot", run + 1, score)
        for (task, run), score in np.ndenumerate(scores)
    ]
    names = ["task", "agent", "run", "score"]
    pd.DataFrame(rows, columns=names).to_csv(path, index=False)
    main(["audit", str(path), "--out", str(tmp_path / "a.html")])
    assert "run = repetition" in capsys.readouterr().err
