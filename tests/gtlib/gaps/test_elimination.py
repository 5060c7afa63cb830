"""The eliminated covariance matrix, against dense ones."""

from itertools import pairwise, permutations

import numpy as np
import pytest

from gtlib import gaps
from gtlib.design import Design
from gtlib.gaps import Covariance, Factor, best_order
from gtlib.scores import read_cells
from tests import oracle
from tests.gtlib.gaps.test_henderson import CROSSED
from tests.gtlib.gaps.test_reml import DESIGNS, Dense, gappy


def made(text, **kwargs):
    """A gappy table, its covariance matrix with some components, and the
    dense one."""
    long, design = gappy(text, **kwargs)
    covariance = Covariance(read_cells(long, design))
    rng = np.random.default_rng(2)
    components = rng.random(len(design.effects)) + 0.1
    components[0] = 0
    return long, covariance, components, Dense(long, design)


@pytest.mark.parametrize("chunks", [1, 2, 3])
@pytest.mark.parametrize("text", DESIGNS)
def test_is_the_dense_matrix(text, chunks, monkeypatch):
    """In one piece, and in several slices of the first facet."""
    long, covariance, components, dense = made(text)
    edges = [*range(chunks), covariance.sizes[0]]
    slices = [slice(*edge) for edge in pairwise(edges)]
    monkeypatch.setattr(Factor, "_chunks", lambda self: slices)
    factor = Factor(covariance, components)
    v = dense.covariance(components)
    inverse = np.linalg.inv(v)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(v)[1])
    traces = [np.sum(inverse * k) for k in dense.parts]
    assert factor.traces == pytest.approx(np.array(traces))
    columns = np.random.default_rng(3).normal(size=(len(long), 2))
    grids = np.stack([covariance.grid(c) for c in columns.T], axis=-1)
    solved = factor.solve(grids).reshape(-1, 2)
    assert solved[covariance.cell] == pytest.approx(inverse @ columns)
    assert np.delete(solved, covariance.cell, axis=0) == pytest.approx(0)


@pytest.mark.parametrize("text", DESIGNS)
def test_solves_accurately_where_there_is_hardly_any_error(text):
    """The matrix times the solution is the right side again, though its
    condition number is near 1e9; what was given is left alone."""
    long, covariance, components, dense = made(text)
    components[-1] = 1e-8
    factor = Factor(covariance, components)
    v = dense.covariance(components)
    right = v @ np.random.default_rng(3).normal(size=len(long))
    grid = covariance.grid(right)[..., None]
    before = grid.copy()
    solved = factor.solve(grid)
    assert (grid == before).all()
    back = v @ solved.reshape(-1)[covariance.cell]
    assert np.abs(back - right).max() < 1e-11 * np.abs(right).max()
    left = factor.remainder(grid, solved).reshape(-1)[covariance.cell]
    inverse = solved.reshape(-1)[covariance.cell]
    assert left == pytest.approx(components[-1] * inverse, abs=1e-10)


@pytest.mark.parametrize("text", ["system x topic", *list(DESIGNS)[2:4]])
def test_the_grand_mean_is_that_of_generalised_least_squares(text):
    """Best linear unbiased: X(X'V⁻¹X)⁻¹X'V⁻¹y with X a column of ones."""
    long, covariance, components, dense = made(text)
    y, one = dense.y, np.ones((len(long), 1))
    inverse = np.linalg.inv(dense.covariance(components))
    variance = np.linalg.inv(one.T @ inverse @ one)
    value = (variance @ one.T @ inverse @ y).item()
    factor = Factor(covariance, components)
    mean = factor.grand_mean(covariance.grid(y))
    assert mean.value == pytest.approx(value)
    assert mean.variance == pytest.approx(variance.item())
    weight, residual = mean.weight.ravel(), mean.residual.ravel()
    assert weight[covariance.cell] == pytest.approx(inverse.sum(axis=1))
    assert residual[covariance.cell] == pytest.approx(inverse @ (y - value))


def test_the_mean_of_a_balanced_study_is_the_plain_one():
    _, covariance, components, dense = made(CROSSED, missing=0)
    factor = Factor(covariance, components)
    mean = factor.grand_mean(covariance.grid(dense.y))
    assert mean.value == pytest.approx(dense.y.mean())
    v = dense.covariance(components)
    assert mean.variance == pytest.approx(v.mean())


def held(factor, chunk):
    """The most numbers that an array of a chunk holds."""
    steps, _ = factor._up(chunk)
    kernels = [step.kernel() for step in steps[1:]]
    present = factor.covariance.present[chunk]
    return max(array.size for array in (present, steps[0].rows, *kernels))


@pytest.mark.parametrize("text", DESIGNS)
@pytest.mark.parametrize("most", [40, 150, 600])
def test_a_chunk_is_as_large_as_is_allowed(text, most, monkeypatch):
    """But never smaller than a level of the first facet."""
    _, covariance, components, _ = made(text, shape=(7, 6, 3, 2))
    factor = Factor(covariance, components)
    monkeypatch.setattr(gaps, "_HELD", most)
    chunks = factor._chunks()
    n = covariance.sizes[0]
    whole = [i for chunk in chunks for i in range(*chunk.indices(n))]
    assert whole == list(range(n))
    width = chunks[0].stop
    assert width == 1 or held(factor, slice(0, min(width, n))) <= most
    assert held(factor, slice(0, 1)) * (width + 1) > most


def orders(design):
    """Every order of facets in which nests come first."""
    return [
        order
        for order in permutations(design.facets)
        if all(
            set(design.nesting[f]) <= set(order[: order.index(f)])
            for f in order
        )
    ]


def work(cells, order, monkeypatch):
    """The multiplications of matrices that an order leads to."""
    monkeypatch.setattr(gaps, "best_order", lambda *_: order)
    factor = Factor(Covariance(cells), np.ones(len(cells.design.effects)))
    steps, _ = factor._up(slice(None))
    n = len(factor.roots[0])
    counted = n**3 + n
    for step in steps:
        blocks, m, r = step.rows.shape
        counted += blocks * (r**3 + m * m * r)
    return counted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("system x topic", 20),
        (CROSSED, 7),
        ("system x (assessor:topic)", 7),
        ("(system:group) x topic x page", 3),
    ],
)
def test_the_order_is_the_one_with_the_least_work(text, most, monkeypatch):
    monkeypatch.setattr(Factor, "_eliminate", lambda self: None)
    design = Design(text)
    rng = np.random.default_rng(4)
    for _ in range(8):
        sizes = rng.integers(2, most, len(design.facets), endpoint=True)
        levels = dict(zip(design.facets, sizes.tolist(), strict=True))
        cells = read_cells(oracle.table(design, levels), design)
        chosen = best_order(design, levels)
        works = {
            order: work(cells, order, monkeypatch)
            for order in orders(design)
        }
        assert works[chosen] == min(works.values())


@pytest.mark.parametrize("limit", ["_LARGEST", "_CELLS"])
def test_too_large_is_said(limit, monkeypatch):
    long, design = gappy(CROSSED)
    cells = read_cells(long, design)
    rows = len(Factor(Covariance(cells), np.ones(7)).roots[0])
    largest = {"_LARGEST": rows, "_CELLS": 4 * 5 * 3}[limit]
    monkeypatch.setattr(gaps, limit, largest)
    Covariance(cells)
    monkeypatch.setattr(gaps, limit, largest - 1)
    with pytest.raises(
        ValueError,
        match=f"too large for method='reml': a matrix with {rows} rows, "
        "a grid of 60 cells",
    ):
        Covariance(cells)
