"""pass@k and pass^k, by counting all subsets, and by what was printed."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt

CELLS = st.lists(st.integers(0, 1), min_size=3, max_size=6)


def table(tasks, **more):
    rows = [(t, s) for t, runs in enumerate(tasks) for s in runs]
    return pd.DataFrame(rows, columns=["task", "score"]).assign(**more)


@given(tasks=st.lists(CELLS, min_size=2, max_size=6), k=st.integers(1, 3))
def test_estimates_count_all_subsets(tasks, k):
    """Of tables whose tasks have different numbers of runs, too."""
    subsets = [[*combinations(runs, k)] for runs in tasks]
    every = np.mean([np.mean([all(s) for s in sets]) for sets in subsets])
    some = np.mean([np.mean([any(s) for s in sets]) for sets in subsets])
    for found, expected in (
        (gt.pass_all_k(table(tasks), k), every),
        (gt.pass_at_k(table(tasks), k), some),
    ):
        assert found.estimate == pytest.approx(expected, abs=1e-12)
        assert 0 <= found.low <= found.estimate + 1e-12
        assert found.estimate - 1e-12 <= found.high <= 1


@pytest.mark.parametrize("estimate", [gt.pass_at_k, gt.pass_all_k])
def test_a_higher_confidence_level_widens_the_interval(estimate):
    scores = table([[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    wide, narrow = (estimate(scores, 2, level) for level in (0.95, 0.5))
    assert wide.low < narrow.low < narrow.high < wide.high


@given(tasks=st.lists(CELLS, min_size=2, max_size=6))
def test_what_is_solved_and_what_is_not_change_places(tasks):
    turned = [[1 - s for s in runs] for runs in tasks]
    one, other = (
        gt.pass_at_k(table(tasks), 2),
        gt.pass_all_k(table(turned), 2),
    )
    assert one.estimate == pytest.approx(1 - other.estimate)
    assert one.low == pytest.approx(1 - other.high)


def test_the_numbers_of_tau_bench_are_those_of_its_authors():
    runs = next(iter(gt.load_all("tau-bench").values()))
    found = [gt.pass_all_k(runs, k).estimate for k in (1, 2, 3, 4)]
    np.testing.assert_allclose(
        found, [0.42, 0.273333, 0.22, 0.2], atol=1e-6
    )


def test_terminal_bench_by_hand():
    """Components by numpy, and pass^k of one agent."""
    runs = next(iter(gt.load_all("terminal-bench").values()))
    cells = runs.pivot_table("score", ["system", "task"], "run")
    y = cells.to_numpy().reshape(5, 80, 5)
    means = y.mean(axis=2)
    within = y.var(axis=2, ddof=1).mean()
    system, task = (
        means.mean(axis=1, keepdims=True),
        means.mean(axis=0, keepdims=True),
    )
    left = ((means - system - task + means.mean()) ** 2).sum() / 4 / 79
    interaction = left - within / 5
    of_systems = system.var(ddof=1) - left / 80
    of_tasks = task.var(ddof=1) - left / 5
    own = runs.assign(
        run=runs[["system", "task", "run"]]
        .astype(str)
        .agg("/".join, axis=1)
    )
    found = gt.gstudy(own, "run:(system x task)").estimate.to_numpy()
    by_hand = [of_systems, of_tasks, interaction, within]
    np.testing.assert_allclose(found, by_hand, rtol=1e-9)
    oracle = [0.012618, 0.121867, 0.056682, 0.0575]
    np.testing.assert_allclose(found, oracle, atol=5e-7)
    every = [gt.pass_all_k(runs, k) for k in range(1, 6)]
    hands = [t.index[t.index.str.contains("openhands")][0] for t in every]
    found = [
        t.loc[s, "estimate"] for t, s in zip(every, hands, strict=True)
    ]
    expected = [0.4125, 0.3588, 0.3362, 0.3225, 0.3125]
    np.testing.assert_allclose(found, expected, atol=5e-5)
    assert gt.pass_at_k(runs, 5).loc[hands[0], "estimate"] == 0.5375


@pytest.mark.slow
@pytest.mark.parametrize("tasks", [20, 50])
@pytest.mark.parametrize("shape", [(0.3, 1.2), (0.5, 0.5), (1.2, 0.3)])
def test_intervals_hold_other_tasks(tasks, shape):
    """Of 300 synthetic suites with five runs of a task."""
    rng = np.random.default_rng(tasks)
    every = rng.beta(*shape, 10**6)
    true = {1: every.mean(), 3: (every**3).mean(), 5: (every**5).mean()}
    held = dict.fromkeys(true, 0)
    for _ in range(300):
        p = rng.beta(*shape, (tasks, 1))
        drawn = table((rng.random((tasks, 5)) < p).astype(int))
        for k, value in true.items():
            interval = gt.pass_all_k(drawn, k)
            held[k] += interval.low <= value <= interval.high
    assert min(held.values()) / 300 > 0.91


@pytest.mark.parametrize(
    ("tasks", "k", "said"),
    [
        (
            [[1, 0], [1, 1, 1]],
            3,
            "takes 3 runs of each task, and task 0 has",
        ),
        ([[1, 0.5], [1, 1]], 1, "0.5 is neither 0 nor 1"),
        ([[1, np.nan], [1, 1]], 1, "neither 0 nor 1"),
        ([[1, 0]], 1, "of one task says nothing of others"),
        ([[1, 0], [1, 1]], 0, "k"),
        ([[1, 0], [1, 1]], 1.5, "k"),
    ],
)
def test_what_has_no_estimate_is_refused(tasks, k, said):
    for function in (gt.pass_at_k, gt.pass_all_k):
        with pytest.raises(ValueError, match=said):
            function(table(tasks), k)
    with pytest.raises(ValueError, match="task"):
        gt.pass_at_k(table(tasks).drop(columns="task"), 1)


def test_one_system_has_an_interval_and_several_a_table():
    tasks = [[1, 0], [1, 1], [0, 0]]
    one = table(tasks, system="<b>a|b")
    both = pd.concat([one, table(tasks, system="c")])
    alone, found = gt.pass_at_k(one, 2), gt.pass_at_k(both, 2)
    assert alone.of == "pass@2"
    assert [*found.index] == ["<b>a|b", "c"]
    expected = [alone.estimate, alone.low, alone.high]
    assert found.loc["c"].tolist() == pytest.approx(expected)
