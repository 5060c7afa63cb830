"""Tables of honest scores of many kinds: none is refused, none changed."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.scores import as_long, as_wide
from tests.cases import first

SHAPES = [(6, 20), (10, 20), (3, 8), (12, 5), (2, 40)]


def ranks(rng, shape):
    """Every topic ranks its systems."""
    return rng.random(shape).argsort(axis=0) + 1


def dcg(rng, shape):
    """Discounted gains of ten documents with grades from 0 to 3."""
    grades = rng.binomial(3, 0.3, (*shape, 10))
    return ((2**grades - 1) / np.log2(np.arange(2, 12))).sum(axis=-1)


FAMILIES = {
    "normal, wide": lambda rng, shape: rng.normal(0.5, 0.3, shape),
    "normal": lambda rng, shape: rng.normal(0.5, 0.2, shape),
    "z-scores": lambda rng, shape: rng.normal(0, 1, shape),
    "exponential": lambda rng, shape: rng.exponential(0.4, shape),
    "lognormal": lambda rng, shape: rng.lognormal(-1, 0.7, shape),
    "gamma": lambda rng, shape: rng.gamma(2, 0.4, shape),
    "beta": lambda rng, shape: rng.beta(0.9, 2.7, shape),
    "uniform": lambda rng, shape: rng.uniform(0, 1, shape),
    "ratings": lambda rng, shape: rng.integers(1, 6, shape),
    "percentages": lambda rng, shape: rng.uniform(0, 100, shape).round(1),
    "counts": lambda rng, shape: rng.poisson(3, shape),
    "ranks": ranks,
    "-1 to 1": lambda rng, shape: rng.uniform(-1, 1, shape),
    "latencies": lambda rng, shape: rng.lognormal(6, 1, shape).round(),
    "DCG": dcg,
}


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("number", first(1, [5, 300]))
def test_honest_scores_are_taken_as_they_are(family, number):
    rng = np.random.default_rng(len(family))
    for table in range(number):
        shape = SHAPES[table % len(SHAPES)]
        scores = FAMILIES[family](rng, shape)
        wide = pd.DataFrame(scores, [f"s{i}" for i in range(shape[0])])
        before = wide.copy()
        as_read = as_wide(wide)
        assert (as_read.to_numpy() == scores).all()
        study = gt.gstudy(wide)
        assert (study.cells.axes.rows, study.method) == ("system", "anova")
        kept = as_long(wide)["score"].to_numpy()
        assert (kept == scores.ravel()).all()
        gt.tidy(wide)
        gt.leaderboard(wide)
        gt.drop_worst(wide, 0)
        gt.gstudy(as_long(wide), "system x topic")
        pd.testing.assert_frame_equal(wide, before)


@pytest.mark.parametrize("family", FAMILIES)
def test_so_they_are_by_alpha(family):
    """Alpha of ranks does not exist: all totals may be the same."""
    if family == "ranks":
        return
    rng = np.random.default_rng(1)
    scores = FAMILIES[family](rng, (6, 20))
    x = np.asarray(scores, float)
    k = x.shape[1]
    alpha = x.var(axis=0, ddof=1).sum() / x.sum(axis=1).var(ddof=1)
    alpha = k / (k - 1) * (1 - alpha)
    assert gt.cronbach_alpha(scores).estimate == pytest.approx(alpha)
