"""How often a gate passes: exact answers, simulations, and refusals."""

import numpy as np
import pytest
import scipy.stats

import gtlib as gt
from tests.refusals import refused

TRUE = [0.77, 0.8, 0.82]
BOTH = ["new_tasks", "same_tasks"]


def sums(chances, tasks):
    """The distribution of a sum over tasks, from those of its parts, or
    the one of all, by their characteristic functions."""
    length = tasks * (chances.shape[-1] - 1) + 1
    spectra = np.fft.rfft(chances, 2 * length)
    spectrum = spectra**tasks if spectra.ndim == 1 else spectra.prod(axis=0)
    return np.fft.irfft(spectrum, 2 * length)[:length]


def beta(mean, share):
    """Tasks of this mean, between which this share of the variance is."""
    size = 1 / share - 1
    return scipy.stats.beta(mean * size, (1 - mean) * size)


def at_least(distribution, threshold):
    counts = np.arange(len(distribution))
    means = counts / (len(distribution) - 1)
    return distribution[means >= threshold - 1e-12].sum()


def exact_new(threshold, mean, share, tasks, runs):
    counts = np.arange(runs + 1)
    one = scipy.stats.betabinom.pmf(counts, runs, *beta(mean, share).args)
    return at_least(sums(one, tasks), threshold)


def exact_same(threshold, chances, runs):
    counts = np.arange(runs + 1)
    each = scipy.stats.binom.pmf(counts, runs, chances[:, None])
    return at_least(sums(each, len(chances)), threshold)


@pytest.mark.parametrize("tasks", [1, 7, 100, 200, 3001])
@pytest.mark.parametrize("threshold", [0, 0.07, 0.8, 0.803, 1])
def test_one_run_of_new_tasks_is_binomial(tasks, threshold):
    """That 0.07 * 100 is more than 7 matters not, nor does the spread."""
    least = np.ceil(round(threshold * tasks, 9))
    true = [0, 0.07, *TRUE, 1]
    exact = scipy.stats.binom.sf(least - 1, tasks, true)
    gate = gt.gate_power(threshold, true, tasks)
    assert gate["new_tasks"].to_numpy() == pytest.approx(exact, abs=1e-12)
    assert gate["same_tasks"].isna().all() == (threshold > 0)
    spread = gt.gate_power(threshold, TRUE, tasks, task_sd=0.3)
    assert spread["new_tasks"].equals(gate["new_tasks"].loc[TRUE])


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("tasks, off", [(50, 0.036), (200, 0.008)])
@pytest.mark.parametrize("runs", [2, 3, 5])
def test_tasks_with_beta_means(share, tasks, off, runs):
    """Both columns, beside sums of beta-binomials and of binomials."""
    for mean in (0.5, 0.77, 0.95):
        chances = beta(mean, share).ppf((np.arange(tasks) + 0.5) / tasks)
        for gap in (-0.05, -0.02, 0, 0.03):
            threshold = round(mean + gap, 3)
            sd = (share * mean * (1 - mean)) ** 0.5
            new = gt.gate_power(threshold, mean, tasks, runs, task_sd=sd)
            exact = exact_new(threshold, mean, share, tasks, runs)
            assert new["new_tasks"].item() == pytest.approx(exact, abs=off)
            true, sd = chances.mean(), chances.std()
            same = gt.gate_power(threshold, true, tasks, runs, task_sd=sd)
            exact = exact_same(threshold, chances, runs)
            found = same["same_tasks"].item()
            assert found == pytest.approx(exact, abs=off)


@pytest.mark.parametrize("runs", [1, 4])
def test_normal_scores_are_normal(runs):
    """With the mean of a variance that is added up by hand."""
    sds = {"task_sd": [0.2, 0.3], "run_sd": 0.4}
    gate = gt.gate_power(-1.5, [-1.52, -1.45], 30, runs, **sds)
    for k, (mean, sd) in enumerate([(-1.52, 0.2), (-1.45, 0.3)]):
        for name, tasks in zip(BOTH, (sd**2, 0), strict=True):
            error = (tasks / 30 + 0.16 / 30 / runs) ** 0.5
            exact = scipy.stats.norm(mean, error).sf(-1.5)
            assert gate[name].iloc[k] == pytest.approx(exact, rel=1e-12)


def test_what_does_not_vary_passes_if_it_is_not_below():
    sds = {"task_sd": 0, "run_sd": 0}
    gate = gt.gate_power(0.3, [0.1 * 3, 0.299, 0.31], 5, **sds)
    assert gate[BOTH].to_numpy().tolist() == [[1, 1], [0, 0], [1, 1]]
    # Tasks that are always solved or never: run again, they are the same.
    gate = gt.gate_power(0.8, [0.8, 0.79], 100, task_sd=[0.4, 0.4073082])
    assert gate["same_tasks"].round(2).tolist() == [1, 0]


def test_new_tasks_are_less_sure_than_the_same():
    """And at the threshold about a coin, however many there are."""
    gate = gt.gate_power(0.8, TRUE, 200, 3, task_sd=0.33)
    assert gate.index.name == "truth"
    assert (gate.diff().iloc[1:] > 0).all(axis=None)
    low, _, high = gate.to_numpy()
    assert low[0] > low[1]
    assert high[0] < high[1]
    many = gt.gate_power(0.8, 0.8, 10**9, 3, task_sd=0.33)
    assert many.to_numpy() == pytest.approx(0.5, abs=1e-3)


def simulate(rng, threshold, mean, tasks, runs, share, draws):
    """The share of draws that pass: with tasks drawn anew in each, and
    with tasks of one draw, whose mean and spread are returned."""
    population = beta(mean, share)
    new = population.rvs((draws, tasks), rng)
    kept = population.rvs(tasks, rng)
    passes = [
        (rng.binomial(runs, p, (draws, tasks)).sum(axis=1)
         >= threshold * tasks * runs - 1e-9).mean()
        for p in (new, kept)
    ]  # fmt: skip
    return passes, kept.mean(), kept.std()


def is_as_said(rng, threshold, mean, tasks, runs, share, draws):
    passes, own, spread = simulate(
        rng, threshold, mean, tasks, runs, share, draws
    )
    sd = (share * mean * (1 - mean)) ** 0.5
    new = gt.gate_power(threshold, mean, tasks, runs, task_sd=sd)
    same = gt.gate_power(threshold, own, tasks, runs, task_sd=spread)
    said = new["new_tasks"].item(), same["same_tasks"].item()
    # Four standard errors of the simulation, and what is not exact
    assert passes == pytest.approx(said, abs=2 / draws**0.5 + 0.01)


def test_a_gate_that_was_simulated():
    is_as_said(np.random.default_rng(1), 0.8, 0.77, 200, 3, 0.6, 2000)


@pytest.mark.slow
@pytest.mark.parametrize("mean", [0.5, 0.77, 0.82, 0.9])
@pytest.mark.parametrize("share", [0.2, 0.7])
@pytest.mark.parametrize("tasks, runs", [(100, 1), (100, 3), (200, 5)])
def test_gates_that_were_simulated(mean, share, tasks, runs):
    rng = np.random.default_rng([tasks, runs, round(100 * mean)])
    for gap in (-0.03, 0, 0.02):
        threshold = round(mean + gap, 2)
        is_as_said(rng, threshold, mean, tasks, runs, share, 20_000)


def test_before_there_are_data():
    """The page of how to use gtlib: tasks for .03 above .80."""
    parts = {"system": 0, "task": 0, "system x task": 0.8 * 0.2}
    g = gt.GStudy.from_components("system x task", parts)
    alone = gt.topics_to_detect(g, 0.03)
    z = scipy.stats.norm.ppf([0.975, 0.8]).sum()
    assert alone == pytest.approx(2 * 0.16 * (z / 0.03) ** 2, rel=0.002)


NO_SD = {"task_sd": 0.1, "run_sd": np.nan}
REFUSED = {
    "threshold=nan: a number": lambda: gt.gate_power(np.nan, 0.8, 9),
    "threshold=1.2: scores of 0 and 1": lambda: gt.gate_power(1.2, 0.8, 9),
    "truth=80: scores of 0 and 1": lambda: gt.gate_power(0.8, 80, 9),
    "truth=[0.5, nan]": lambda: gt.gate_power(0.8, [0.5, np.nan], 9),
    "truth=[]": lambda: gt.gate_power(0.8, [], 9),
    "truth=[[0.5]]": lambda: gt.gate_power(0.8, [[0.5]], 9),
    "tasks=0: a whole": lambda: gt.gate_power(0.8, 0.8, 0),
    "runs=1.5: a whole": lambda: gt.gate_power(0.8, 0.8, 9, 1.5),
    "task_sd is needed": lambda: gt.gate_power(0.8, 0.8, 9, 2),
    "one run, the gate": lambda: gt.gate_power(0.8, 0.8, 9, run_sd=0.1),
    "task_sd=-0.1": lambda: gt.gate_power(0.8, 0.8, 9, task_sd=-0.1),
    "run_sd=nan": lambda: gt.gate_power(5, 4, 9, **NO_SD),
    "task_sd=[0.1, 0.2]: one": lambda: gt.gate_power(
        0.8, TRUE, 9, task_sd=[0.1, 0.2]
    ),
    "differ by 0.384 at most": lambda: gt.gate_power(
        0.8, TRUE, 9, task_sd=[0.4, 0.4, 0.39]
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)
