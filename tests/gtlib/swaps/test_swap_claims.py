"""What chapter 8 says of data, computed apart from the notebook."""

import numpy as np
import pytest
from scipy import stats

import gtlib as gt


def load(name):
    try:
        return gt.load(name)
    except gt.DatasetUnavailable as error:
        pytest.skip(str(error))


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
    table = load(name)
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
    g = gt.gstudy(gt.drop_worst(load("robust2004")))
    error = g.variance["system x topic"]
    error += 0 if matched else g.variance["topic"]
    freedom = (topics - 1) * (1 if matched else 2)
    bound = stats.t.isf(0.025, freedom)

    def power(difference):
        away = difference / np.sqrt(2 * error / topics)
        return stats.nct.sf(bound, freedom, away)

    assert power(least - 0.01) < 0.8 <= power(least)
