"""Repeated runs: names for them, and whether runs or tasks are bought."""

import numpy as np
import pandas as pd

__all__ = ["again_or_another", "made_up_runs", "name_runs"]


def name_runs(scores):
    """Return the scores with a different name for every run.

    Run 1 of one agent has nothing to do with run 1 of another, so the name
    of a run begins with its system and its task.
    """
    cell = ["system", "task"]
    if scores.duplicated([*cell, "run"]).any():
        raise ValueError("One run of a cell occurs twice.")
    number = scores.groupby(cell).cumcount().astype(str)
    own = scores["system"].astype(str) + "/" + scores["task"].astype(str)
    named = scores.assign(run=own + "/" + number)
    return named[[*cell, "run", "score"]]


def made_up_runs(seed=5):
    """Return a synthetic table: four agents, 20 tasks, three runs."""
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 2, 20) + rng.normal(0, 2, (4, 20))
    chance = 1 / (1 + np.exp(-level - np.arange(4)[:, None]))
    solved = rng.random((3, 4, 20)) < chance
    names = ["run", "system", "task"]
    axes = [range(1, size + 1) for size in solved.shape]
    index = pd.MultiIndex.from_product(axes, names=names)
    scores = pd.Series(solved.ravel().astype(int), index, name="score")
    return scores.reset_index()


def again_or_another(study, price):
    """Say what a further run, or other tasks for the same money, would do.

    Parameters
    ----------
    study : GStudy
        Of the design ``run:(system x task)``.
    price : float
        Of a task, where a run of all systems on one task costs 1.
    """
    of_tasks, of_runs = study.variance.iloc[-2:]
    tasks, runs = study.levels["task"], study.levels["run"]
    if of_tasks == 0:
        return (
            "The systems show no sign of differing from task to task, so "
            "no number of runs can be advised. Write more tasks."
        )

    def half(task, run):
        """Of the 95% interval of a difference."""
        return 1.96 * np.sqrt(2 * (of_tasks + of_runs / run) / task)

    share = of_runs / runs / (of_tasks + of_runs / runs)
    more = tasks / (price + runs)  # tasks for one run of each
    best = study.plan().best(
        tasks * (price + runs),
        {"task": price, "run": 1},
        coefficient="generalizability",
    )
    return (
        f"With {tasks} tasks and {runs} runs of each, the interval of a "
        f"difference is ± {half(tasks, runs):.3f}, and the runs cause "
        f"{share:.0%} of its variance. One more run of each task would "
        f"make it ± {half(tasks, runs + 1):.3f}. The same money buys "
        f"{more:.1f} further tasks, which would make it ± "
        f"{half(tasks + more, runs):.3f}. If you spent the whole budget "
        f"again, the best plan would be {best.levels['task']} tasks with "
        f"{best.levels['run']} runs of each: ± {half(**best.levels):.3f}."
    )
