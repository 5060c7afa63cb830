"""What chapter 16 says of numbers that depend on chance or other data."""

from dataclasses import replace

import numpy as np
import pytest

import gtlib as gt

TRECS = ["trec3", "trec5", "trec6", "trec7", "trec8"]


def load(*names):
    return {name: gt.load(name) for name in names}


@pytest.mark.slow
def test_the_range_of_the_fit_decides_the_rate_at_50_topics():
    # Monte-Carlo error of a rate at 25 topics: .3 of a per cent.
    rates = gt.swap_rates(load(*TRECS), n_resamples=100)
    whole, from_5 = (
        100 * gt.extrapolate_swaps(part).rate.loc[50, 0.03]
        for part in (rates, replace(rates, rate=rates.rate.loc[5:]))
    )
    printed = gt.load("voorhees-2006")["value"]
    assert round(whole) < printed["50-is-adequate/p-swap/.03-.04"]
    assert round(from_5) == printed["50-is-adequate/p-swap/.03-.04"]


@pytest.mark.parametrize("trec", [4, 9, 10])
@pytest.mark.slow
def test_printed_alphas_are_those_of_the_best_three_quarters(trec):
    """By the runs' means, with any residual of the other collections."""
    runs = load(f"trec{trec}-means")
    means = next(iter(runs.values()))["AP"]
    printed = gt.load("bodoff-li-2007").loc[f"table-2/trec-{trec}", "value"]
    tables = load(*TRECS).values()

    def alphas(means, tables):
        squares = [
            gt.gstudy(table).mean_squares["system x topic"]
            for table in tables
        ]
        found = 1 - np.array(squares) / (50 * means.var())
        return found.min(), found.max()

    best = means.nlargest(len(means) * 3 // 4)
    low, high = alphas(best, map(gt.drop_worst, tables))
    assert low < printed < high
    assert printed < alphas(means, tables)[0]


@pytest.mark.slow
def test_the_means_of_the_runs_are_those_of_the_scores():
    """Control: alpha by means, where the scores are known."""
    for scores in load(*TRECS).values():
        best = gt.drop_worst(scores)
        square = gt.gstudy(best).mean_squares["system x topic"]
        by_means = 1 - square / (50 * best.mean(axis=1).var())
        assert by_means == pytest.approx(gt.cronbach_alpha(best).estimate)


def test_apl_s_difference_is_that_of_210_random_topics():
    (scores,) = load("robust2004").values()
    systems = gt.load("robust2004-sites").set_index("run")["system"]
    gap = (
        scores.loc[systems["apl04rsTs"]] - scores.loc[systems["apl04rsDw"]]
    )
    rng, printed = np.random.default_rng(0), gt.load("carterette-2010")
    drawn = [rng.choice(gap, 210, replace=False) for _ in range(2000)]
    for key, found in (
        ("apl/mean-difference", np.mean(drawn, axis=1)),
        ("apl/sd", np.std(drawn, axis=1, ddof=1)),
    ):
        low, high = np.quantile(found, [0.025, 0.975])
        assert low < printed.loc[key, "value"] < high
