"""The gate of the planner: its probabilities are gtlib's, by Node."""

import numpy as np
import pytest

import gtlib as gt
from tests.browser import run
from tests.cases import first

PASSES = """
const { passes } = globalThis.plannerGates;
return value.map(([gate, truth]) => {
  const { other, same } = passes(gate, truth);
  return [other, same];
});
"""
TASKS = """
const { tasksFor } = globalThis.plannerGates;
return value.map(([gate, aim]) => ["other", "same"].map(
  (kind) => tasksFor(gate, aim, kind)));
"""
KINDS = {"other": "new_tasks", "same": "same_tasks"}


def power(gate, truth, tasks=None):
    """What gtlib says of a gate that the page describes."""
    if gate["binary"]:
        sds = {"task_sd": np.sqrt(gate["share"] * truth * (1 - truth))}
    else:
        sds = {"task_sd": gate["taskSd"], "run_sd": gate["runSd"]}
    tasks = tasks or gate["tasks"]
    return gt.gate_power(
        gate["threshold"], truth, tasks, gate["runs"], **sds
    ).iloc[0]


def random_gate(seed):
    rng = np.random.default_rng(seed)
    return {
        "binary": True,
        "share": float(rng.choice([0, 0.3, 0.68, 1])),
        "threshold": float(rng.choice([0, 0.07, 0.5, 0.8, 0.803, 1])),
        "tasks": int(rng.choice([1, 9, 100, 200, 5000, 10**6])),
        "runs": int(rng.choice([1, 3, 20])),
    }


def test_random_gates_are_gtlibs():
    gates = [random_gate(seed) for seed in range(40)]
    others = [
        {"binary": False, "taskSd": 2.5, "runSd": sd, "threshold": 70}
        | {"tasks": 30, "runs": 4}
        for sd in (0, 12.5)
    ]
    asked = [(gate, p) for gate in gates for p in (0, 0.5, 0.77, 0.97, 1)]
    asked += [(gate, p) for gate in others for p in (60, 69.9, 70, 75)]
    for found, (gate, truth) in zip(run(PASSES, asked), asked, strict=True):
        assert found == pytest.approx(
            power(gate, truth).tolist(), rel=1e-8, abs=1e-9
        ), (gate, truth)


@pytest.mark.slow
@pytest.mark.parametrize(
    "runs, threshold", first(1, [(3, 0.8), (1, 0.8), (2, 0.79)])
)
def test_from_so_many_tasks_on_the_gate_is_right(runs, threshold):
    """And not from a good deal fewer, if they are the least."""
    gate = {"binary": True, "share": 0.68, "threshold": threshold}
    gate |= {"tasks": 1, "runs": runs}
    aim = {"stop": 0.77, "pass": 0.82, "wrong": 0.05}
    (found,) = run(TASKS, [(gate, aim)])

    def is_right(kind, tasks):
        low, high = (
            power(gate, aim[name], tasks)[KINDS[kind]]
            for name in ("stop", "pass")
        )
        return low <= 0.05 and high >= 0.95

    for kind, least in zip(KINDS, found, strict=True):
        assert all(is_right(kind, least + k) for k in range(60))
        fewer = range(round(0.8 * least), round(0.95 * least))
        assert not all(is_right(kind, tasks) for tasks in fewer)


def test_a_threshold_that_is_true_is_never_sure():
    gate = {"binary": True, "share": 0.5, "threshold": 0.8, "runs": 3}
    aim = {"stop": 0.77, "pass": 0.8, "wrong": 0.05}
    assert run(TASKS, [(gate, aim)]) == [[None, None]]
