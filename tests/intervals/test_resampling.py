"""Replicates: each way of drawing them against its slow meaning."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.cells import read_cells
from gtlib.components.henderson import (
    coefficients,
    henderson,
    t_terms,
    tabulate,
)
from gtlib.design import Design
from gtlib.intervals.replicates import parametric, pivotal
from gtlib.intervals.resampling import (
    _expected_coefficients,
    _multiplicities,
    _Resampled,
    cluster,
)
from tests import oracle
from tests.components.test_henderson import dense_henderson

CROSSED = Design("system x topic x assessor")
NESTED = Design("system x (assessor:topic)")


def resampled_table(long, design, drawn):
    """The table of a resampled study, a new label for each draw."""
    for facet, levels in drawn.items():
        parts = []
        for number, level in enumerate(levels):
            part = long[long[facet] == level].copy()
            for inner in design.facets:
                if inner == facet or facet in design.nesting[inner]:
                    part[inner] = [f"{number}#{x}" for x in part[inner]]
            parts.append(part)
        long = pd.concat(parts)
    return long


def draws(cells, weights, column):
    return {
        facet: np.repeat(cells.labels[facet], w[:, column].astype(int))
        for facet, w in weights.items()
    }


@pytest.mark.parametrize("design", [CROSSED, NESTED], ids=str)
@pytest.mark.parametrize("missing", [0, 0.2])
@pytest.mark.parametrize(
    "facets", [["system"], ["topic"], ["system", "topic"]]
)
def test_t_terms_are_those_of_the_resampled_table(design, missing, facets):
    rng = np.random.default_rng(3)
    levels = {"system": 4, "topic": 5, "assessor": 3}
    long = oracle.table(design, levels, rng)
    long = long[rng.random(len(long)) >= missing]
    cells = read_cells(long, design)
    margins = tabulate(cells, cells.scores)
    weights = {f: _multiplicities(cells, f, 6, rng) for f in facets}
    found = _Resampled(cells, margins, weights).t_terms()
    for column in range(6):
        table = resampled_table(long, design, draws(cells, weights, column))
        codes = {f: pd.factorize(table[f])[0] for f in design.facets}
        y = table["score"].to_numpy()
        for row, effect in enumerate(design.effects):
            key = pd.DataFrame({f: codes[f] for f in effect.facets})
            groups = pd.Series(y).groupby([key[f] for f in key])
            expected = (groups.sum() ** 2 / groups.size()).sum()
            expected -= y.sum() ** 2 / len(y)
            assert found[row, column] == pytest.approx(expected)


def test_unbiased_over_every_possible_draw():
    """All 27 x 27 ways to draw three systems and three topics."""
    rng = np.random.default_rng(4)
    design = Design("system x topic")
    long = oracle.table(design, {"system": 3, "topic": 3}, rng)
    cells = read_cells(long, design)
    margins = tabulate(cells, cells.scores)
    ways = np.array(list(product(range(3), repeat=3)))
    counts = np.array([np.bincount(w, minlength=3) for w in ways], float)
    pairs = list(product(range(27), repeat=2))
    weights = {
        "system": counts[[a for a, _ in pairs]].T,
        "topic": counts[[b for _, b in pairs]].T,
    }
    terms = _Resampled(cells, margins, weights).t_terms().mean(axis=1)
    solve = _expected_coefficients(cells, margins, ["system", "topic"])
    assert np.linalg.solve(solve, terms) == pytest.approx(henderson(cells))


@pytest.mark.parametrize("design", [CROSSED, NESTED], ids=str)
def test_expected_coefficients_are_the_mean_of_the_drawn(design):
    rng = np.random.default_rng(5)
    levels = {"system": 6, "topic": 5, "assessor": 3}
    cells = read_cells(oracle.table(design, levels, rng), design)
    margins = tabulate(cells, cells.scores)
    facets = [f for f in design.facets if not design.nesting[f]]
    weights = {f: _multiplicities(cells, f, 20_000, rng) for f in facets}
    drawn = _Resampled(cells, margins, weights).coefficients()
    mean, error = drawn.mean(axis=0), drawn.std(axis=0) / 20_000**0.5
    expected = _expected_coefficients(cells, margins, facets)
    assert (np.abs(mean - expected) <= 5 * error + 1e-9).all()


def test_nothing_drawn_twice_changes_nothing():
    """With each level drawn once, the coefficients are Henderson's."""
    rng = np.random.default_rng(6)
    levels = {"system": 4, "topic": 5, "assessor": 3}
    long = oracle.table(NESTED, levels, rng)
    long = long[rng.random(len(long)) >= 0.2]
    cells = read_cells(long, NESTED)
    margins = tabulate(cells, cells.scores)
    weights = {"system": np.ones((4, 2)), "topic": np.ones((5, 2))}
    drawn = _Resampled(cells, margins, weights)
    expected = coefficients(cells, margins)
    for replicate in range(2):
        assert drawn.coefficients()[replicate] == pytest.approx(expected)
        assert drawn.t_terms()[:, replicate] == pytest.approx(
            t_terms(cells, margins)
        )


@pytest.mark.parametrize("missing", [0, 0.15])
def test_cluster_centres_on_the_estimate_and_has_its_spread(missing):
    """Spread of the bootstrap against that of many real studies."""
    rng = np.random.default_rng(7)
    there = rng.random((40, 60)) >= missing
    systems, topics = np.nonzero(there)
    found, spread = [], []
    for _ in range(25):
        y = rng.normal(size=40)[:, None] + 1.4 * rng.normal(size=60)
        y += 1.2 * rng.normal(size=(40, 60))
        long = {"system": systems, "topic": topics, "score": y[there]}
        cells = read_cells(pd.DataFrame(long), Design("system x topic"))
        estimate = henderson(cells)
        drawn = cluster(cells, ["system", "topic"], 400, 1)
        assert drawn.mean(axis=1) == pytest.approx(estimate, rel=0.06)
        found.append(estimate)
        spread.append(drawn.std(axis=1))
    ratio = np.mean(spread, axis=0) / np.std(found, axis=0)
    assert (ratio[:2] > 0.7).all()
    assert (ratio[:2] < 1.4).all()


def test_seeded():
    cells = read_cells(
        oracle.table(Design("system x topic"), {"system": 4, "topic": 6}),
        Design("system x topic"),
    )
    one, same, other = (
        cluster(cells, ["topic"], 50, seed) for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()


def test_parametric_of_a_study_with_gaps():
    """Its mean is the truth, its spread that of simulated studies."""
    rng = np.random.default_rng(9)
    components = dict(
        zip(CROSSED.labels, [4, 2, 0, 1, 0.5, 0, 3], strict=True)
    )
    levels = {"system": 6, "topic": 7, "assessor": 3}
    long = oracle.table(CROSSED, levels, rng, components)
    long = long[rng.random(len(long)) >= 0.2]
    g = gt.gstudy(long, CROSSED, method="henderson")
    drawn = parametric(g, 3000, 2)
    truth = g.variance.to_numpy()
    error = drawn.std(axis=1) / 3000**0.5
    assert (np.abs(drawn.mean(axis=1) - truth) < 4 * error).all()
    others = []
    gaps = long.index
    named = dict(zip(CROSSED.labels, truth, strict=True))
    for _ in range(40):
        full = oracle.table(CROSSED, levels, rng, named)
        others.append(dense_henderson(full.loc[gaps], CROSSED.text))
    ratio = drawn.std(axis=1) / np.std(others, axis=0)
    assert (ratio > 0.7).all()
    assert (ratio < 1.4).all()


def test_parametric_and_pivotal_of_a_balanced_study():
    long = oracle.table(CROSSED, {"system": 9, "topic": 8, "assessor": 4})
    g = gt.gstudy(long, CROSSED)
    drawn = parametric(g, 20_000, 3)
    truth = g.variance
    error = drawn.std(axis=1) / 20_000**0.5
    assert (np.abs(drawn.mean(axis=1) - truth) < 4 * error).all()
    solve = CROSSED.mean_squares_to_components(g.levels)
    squares = np.linalg.solve(solve, pivotal(g, 20_000, 3))
    pivots = g.mean_squares.to_numpy()[:, None] / squares
    assert pivots.mean(axis=1) == pytest.approx(1, abs=0.02)
    df = g.df.to_numpy()
    assert pivots.var(axis=1) * df / 2 == pytest.approx(1, abs=0.05)
