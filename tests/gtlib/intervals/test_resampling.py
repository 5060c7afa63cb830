"""The cluster bootstrap against its slow meaning: tables are built in
which a level that is drawn twice stands twice, and are analysed anew."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from gtlib import intervals
from gtlib.design import Design
from gtlib.gaps import henderson, tabulate
from gtlib.intervals import (
    _expected_coefficients,
    _multiplicities,
    _ResampledStudies,
    cluster_bootstrap,
)
from gtlib.scores import read_cells
from tests import oracle
from tests.cases import first

PLAIN = Design("system x topic")
CROSSED = Design("system x topic x assessor")
NESTED = Design("system x (assessor:topic)")
LEVELS = {"system": 4, "topic": 5, "assessor": 3}
BOTH = ["system", "topic"]


def study(design, missing=0.0, seed=3, levels=LEVELS):
    """A table, its cells, and their margins."""
    rng = np.random.default_rng(seed)
    long = oracle.table(design, levels, rng)
    long = long[rng.random(len(long)) >= missing]
    cells = read_cells(long, design)
    return long, cells, tabulate(cells, cells.scores)


def draw(cells, facets, size, seed=3):
    """How often each level is drawn: what `cluster_bootstrap` draws."""
    rng = np.random.default_rng(seed)
    return {f: _multiplicities(cells, f, size, rng) for f in facets}


def resampled_table(long, cells, weights, column):
    """The table of one resampled study: a new label for each draw of a
    level, and the old one kept beside it (``was system``)."""
    long = long.assign(**{f"was {f}": long[f] for f in cells.design.facets})
    for facet, counts in weights.items():
        parts = []
        for level, count in zip(
            cells.labels[facet], counts[:, column].astype(int), strict=True
        ):
            for copy in range(count):
                part = long[long[facet] == level].copy()
                for inner in cells.design.facets:
                    nests = cells.design.nesting[inner]
                    if inner == facet or facet in nests:
                        part[inner] = [f"{x}#{copy}" for x in part[inner]]
                parts.append(part)
        long = pd.concat(parts)
    return long


def indicators(table, facets):
    """0/1 matrix: observations x levels of the given facets together."""
    level = table.groupby(facets).ngroup().to_numpy()
    return (level[:, None] == np.unique(level)).astype(float)


def t_terms_and_coefficients(table, design):
    """Sums of squares around the mean, and what each component adds to
    their expectation: copies of a level share its effect."""
    y = table["score"].to_numpy()
    zs = [indicators(table, [*e.facets]) for e in design.effects]
    olds = [
        indicators(table, [f"was {f}" for f in e.facets])
        for e in design.effects
    ]
    of_mean = np.full((len(y), len(y)), 1 / len(y))
    forms = [z / z.sum(axis=0) @ z.T - of_mean for z in zs]
    terms = np.array([y @ form @ y for form in forms])
    matrix = [[np.trace(z.T @ form @ z) for z in olds] for form in forms]
    return terms, np.array(matrix)


@pytest.mark.parametrize("design", [CROSSED, NESTED], ids=str)
@pytest.mark.parametrize("missing", first(1, [0.2, 0]))
@pytest.mark.parametrize("facets", first(2, [["system"], BOTH, ["topic"]]))
def test_t_terms_and_coefficients_are_the_resampled_tables(
    design, missing, facets
):
    long, cells, margins = study(design, missing)
    weights = draw(cells, facets, 3)
    drawn = _ResampledStudies(cells, margins, weights)
    found = drawn.t_terms().T, drawn.coefficients()
    for column in range(3):
        table = resampled_table(long, cells, weights, column)
        terms, matrix = t_terms_and_coefficients(table, design)
        assert found[0][column] == pytest.approx(terms)
        assert found[1][column] == pytest.approx(matrix)


@pytest.mark.slow
@pytest.mark.parametrize("design", [PLAIN, NESTED], ids=str)
def test_replicates_with_gaps_solve_each_tables_equations(design):
    """A draw that confounds effects gets the shortest solution: one where
    every draw is of one system has nothing to say of systems."""
    long, cells, _ = study(design, 0.2, levels={**LEVELS, "system": 3})
    found = cluster_bootstrap(cells, BOTH, 12, 5)
    weights = draw(cells, BOTH, 12, 5)
    assert (weights["system"].max(axis=0) == 3).any()
    for column in range(12):
        table = resampled_table(long, cells, weights, column)
        terms, matrix = t_terms_and_coefficients(table, design)
        expected = np.linalg.lstsq(matrix.round(9), terms, rcond=1e-9)[0]
        assert found[:, column] == pytest.approx(expected, abs=1e-6)


def plain_components(table):
    """The analysis of variance of a complete systems x topics table."""
    y = table.pivot_table("score", "system", "topic").to_numpy()
    n_s, n_t = y.shape
    rows, columns = y.mean(axis=1), y.mean(axis=0)
    error = y - rows[:, None] - columns + y.mean()
    both = np.sum(error**2) / ((n_s - 1) * (n_t - 1))
    system = rows.var(ddof=1) - both / n_t
    topic = columns.var(ddof=1) - both / n_s
    return system, topic, both


@pytest.mark.parametrize("facets", [["system"], ["topic"], BOTH])
def test_replicates_are_the_plain_analysis_corrected(facets):
    """Of system x topic, corrected as Brennan, Harris & Hanson (1987) do:
    by n / (n - 1) for each facet that is drawn, less what its repeated
    levels add to the other facet's component."""
    long, cells, _ = study(PLAIN)
    n_s = LEVELS["system"] if "system" in facets else np.inf
    n_t = LEVELS["topic"] if "topic" in facets else np.inf
    grow_s, grow_t = (1 / (1 - 1 / n) for n in (n_s, n_t))
    weights = draw(cells, facets, 8, 1)
    found = cluster_bootstrap(cells, facets, 8, 1)
    assert found.shape == (3, 8)
    for column in range(8):
        table = resampled_table(long, cells, weights, column)
        system, topic, both = plain_components(table)
        both *= grow_s * grow_t
        assert found[:, column] == pytest.approx(
            [
                grow_s * system - both / n_t,
                grow_t * topic - both / n_s,
                both,
            ]
        )


def every_draw(n):
    """Multiplicities of all n ** n ways to draw n levels, (n, ways)."""
    ways = product(range(n), repeat=n)
    return np.array([np.bincount(w, minlength=n) for w in ways], float).T


@pytest.mark.parametrize("facets", [["system"], ["topic"], BOTH])
@pytest.mark.parametrize("design", [PLAIN, CROSSED, NESTED], ids=str)
def test_unbiased_over_every_possible_draw(design, facets):
    """All 27 ways to draw three systems, with all 27 to draw topics."""
    levels = {"system": 3, "topic": 3, "assessor": 2}
    _, cells, margins = study(design, levels=levels)
    ways = np.array(list(product(range(27), repeat=len(facets)))).T
    weights = {
        facet: every_draw(3)[:, way]
        for facet, way in zip(facets, ways, strict=True)
    }
    drawn = _ResampledStudies(cells, margins, weights)
    expected = _expected_coefficients(cells, margins, facets)
    assert drawn.coefficients().mean(axis=0) == pytest.approx(expected)
    terms = drawn.t_terms().mean(axis=1)
    assert np.linalg.solve(expected, terms) == pytest.approx(
        henderson(cells)
    )


def test_levels_are_drawn_evenly_and_as_many_as_there_are():
    _, cells, _ = study(PLAIN)
    counts = draw(cells, ["topic"], 4000)["topic"]
    assert counts.shape == (5, 4000)
    assert (counts.sum(axis=0) == 5).all()
    assert counts.mean(axis=1) == pytest.approx(1, abs=0.07)
    assert counts.var(axis=1) == pytest.approx(0.8, abs=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("missing", "studies"), [(0, 25), (0.15, 4)])
def test_cluster_centres_on_the_estimate_and_has_its_spread(
    missing, studies
):
    """Spread of the bootstrap against that of many real studies."""
    rng = np.random.default_rng(7)
    there = rng.random((40, 60)) >= missing
    systems, topics = np.nonzero(there)
    found, spread = [], []
    for _ in range(studies):
        y = rng.normal(size=40)[:, None] + 1.4 * rng.normal(size=60)
        y += 1.2 * rng.normal(size=(40, 60))
        long = {"system": systems, "topic": topics, "score": y[there]}
        cells = read_cells(pd.DataFrame(long), PLAIN)
        estimate = henderson(cells)
        drawn = cluster_bootstrap(cells, BOTH, 400, 1)
        assert drawn.mean(axis=1) == pytest.approx(estimate, rel=0.06)
        found.append(estimate)
        spread.append(drawn.std(axis=1))
    if not missing:
        ratio = np.mean(spread, axis=0) / np.std(found, axis=0)
        assert (ratio[:2] > 0.7).all()
        assert (ratio[:2] < 1.4).all()


@pytest.mark.parametrize("missing", [0, 0.15])
def test_a_constant_added_to_the_scores_changes_nothing(missing):
    long, cells, _ = study(PLAIN, missing)
    moved = read_cells(long.assign(score=long["score"] + 1e7), PLAIN)
    found = [cluster_bootstrap(c, BOTH, 20, 1) for c in (cells, moved)]
    assert found[1] == pytest.approx(found[0], abs=1e-6)


def test_seeded():
    _, cells, _ = study(PLAIN)
    one, same, other = (
        cluster_bootstrap(cells, ["topic"], 50, seed) for seed in (1, 1, 2)
    )
    assert (one == same).all()  # the same bits: of one seed
    assert (one != other).any()


def test_batches_are_drawn_one_after_the_other(monkeypatch):
    monkeypatch.setattr(intervals, "HELD", 100)
    _, cells, _ = study(PLAIN)
    found = cluster_bootstrap(cells, BOTH, 7, 1)
    assert found.shape == (3, 7)
    assert len(np.unique(found[2])) == 7
