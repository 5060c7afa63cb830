"""What chapters 8 and 9 say, computed apart from the notebooks."""

import ast
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, special, stats

import gtlib as gt


def product_of_effects(table):
    """Tukey's F, by least squares with the product as a regressor."""
    systems, topics = table.shape
    y = table.to_numpy().ravel()
    rows = np.repeat(np.arange(systems), topics)
    columns = np.tile(np.arange(topics), systems)
    additive = np.column_stack(
        [rows[:, None] == range(systems), columns[:, None] == range(topics)]
    ).astype(float)
    product = np.outer(
        table.mean(axis=1) - y.mean(), table.mean() - y.mean()
    ).ravel()
    left = [
        np.sum((y - x @ np.linalg.lstsq(x, y)[0]) ** 2)
        for x in (additive, np.column_stack([additive, product]))
    ]
    freedom = (systems - 1) * (topics - 1) - 1
    return (left[0] - left[1]) / left[1] * freedom, 1 - left[1] / left[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, whole, best, share",
    [
        ("trec5", 296.2, 54.5, 0.025),
        ("trec8", 1187.0, 5.3, 0.001),
    ],
)
def test_the_product_of_effects_is_weak_without_the_worst_quarter(
    name, whole, best, share
):
    table = gt.load(name)
    assert product_of_effects(table)[0] == pytest.approx(whole, abs=0.05)
    found = product_of_effects(gt.drop_worst(table))
    assert found[0] == pytest.approx(best, abs=0.05)
    assert found[1] == pytest.approx(share, abs=0.0005)


@pytest.mark.parametrize(
    "topics, matched, least",
    [
        (6, True, 0.23),
        (12, True, 0.14),
        (6, False, 0.41),
        (12, False, 0.27),
    ],
)
def test_what_six_and_twelve_topics_of_robust_2004_can_find(
    topics, matched, least
):
    g = gt.gstudy(gt.drop_worst(gt.load("robust2004")))
    error = g.variance["system x topic"]
    error += 0 if matched else g.variance["topic"]
    freedom = (topics - 1) * (1 if matched else 2)
    bound = stats.t.isf(0.025, freedom)

    def power(difference):
        away = difference / np.sqrt(2 * error / topics)
        return stats.nct.sf(bound, freedom, away)

    assert power(least - 0.01) < 0.8 <= power(least)


def from_chapter(name, **given):
    """The function of the chapter that has it, whatever its number."""
    chapters = Path(__file__).parents[3].glob("notebooks/[0-9]*.ipynb")
    (function,) = (
        statement
        for chapter in chapters
        for cell in json.loads(chapter.read_text("utf-8"))["cells"]
        if f"def {name}(" in "".join(cell["source"])
        for statement in ast.parse("".join(cell["source"])).body
        if getattr(statement, "name", None) == name
    )
    names = {
        "np": np,
        "pd": pd,
        "special": special,
        "stats": stats,
        **given,
    }
    exec(compile(ast.Module([function], []), name, "exec"), names)
    return names[name]


@pytest.fixture
def predicted_swap_rates():
    """For rates in the bins of the chapter."""
    rates = gt.swap_rates(np.eye(4), [1], n_resamples=1)
    return from_chapter("predicted_swap_rates", rates=rates)


def study(system=0.003, topic=0.03, interaction=0.01):
    return gt.GStudy.from_components(
        "system x topic",
        {"system": system, "topic": topic, "system x topic": interaction},
    )


@pytest.mark.sources
class TestPredictedSwapRates:
    @pytest.mark.slow
    def test_simulated_pairs(self, predicted_swap_rates):
        rng = np.random.default_rng(0)
        true = rng.normal(0, np.sqrt(2 * 0.003), 2_000_000)
        scale = np.sqrt(2 * 0.01 / 25)
        first = true + rng.normal(0, scale, true.size)
        second = true + rng.normal(0, scale, true.size)
        bins = np.minimum(np.abs(first) // 0.01, 20).astype(int)
        seen = np.bincount(bins, first * second < 0) / np.bincount(bins)
        rates = predicted_swap_rates(study(), [25])
        np.testing.assert_allclose(rates.loc[25], seen, atol=0.004)

    def test_integrated_over_the_bins(self, predicted_swap_rates):
        scale = np.sqrt(2 * (0.003 + 0.01 / 10))
        rho = 0.003 / 0.004
        slope = rho / scale / np.sqrt(1 - rho**2)

        def density(d):
            return stats.norm.pdf(d, scale=scale)

        def swapped(d):
            return density(d) * stats.norm.cdf(-slope * d)

        for bins, rate in (
            predicted_swap_rates(study(), [10]).loc[10].items()
        ):
            ends = bins.left, min(bins.right, 2)
            swaps, pairs = (
                integrate.quad(f, *ends)[0] for f in (swapped, density)
            )
            assert rate == pytest.approx(swaps / pairs, rel=1e-8)

    def test_of_equal_and_of_exact_systems(self, predicted_swap_rates):
        equal = predicted_swap_rates(study(system=0), [1, 100])
        np.testing.assert_allclose(equal, 0.5)
        with np.errstate(divide="ignore"):
            exact = predicted_swap_rates(study(interaction=0), [1])
        np.testing.assert_allclose(exact, 0, atol=1e-14)
