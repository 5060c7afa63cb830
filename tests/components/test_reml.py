"""Restricted likelihood, against dense matrices and other programs."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import gtlib as gt
from gtlib.cells import read_cells
from gtlib.components import elimination
from gtlib.components.elimination import Covariance, Factor
from gtlib.components.reml import reml
from gtlib.design import Design
from tests import oracle
from tests.components.test_henderson import CROSSED, table

DESIGNS = {
    "system x topic": {},
    CROSSED: {},
    "system x (assessor:topic)": {"assessor": "topic"},
    "topic:system": {"topic": "system"},
    "assessor:topic:system": {"topic": "system", "assessor": "topic"},
    "(topic x assessor):system": {"topic": "system", "assessor": "system"},
    "system x topic x assessor x page": {},
    "system x (page:assessor:topic)": {
        "assessor": "topic",
        "page": "assessor",
    },
    "(system:group) x topic x page": {"system": "group"},
}


def gappy(text, seed=1, missing=0.2, shape=(4, 5, 3, 3)):
    design = Design(text)
    n = len(design.facets)
    nest = DESIGNS[text]
    return table(shape[:n], design.facets, seed, missing, nest), design


class Dense:
    """The restricted likelihood from N x N matrices."""

    def __init__(self, long, design):
        self.y = long["score"].to_numpy()
        self.parts = []
        for effect in design.effects:
            z = oracle.indicators(long, effect.facets)
            self.parts.append(z @ z.T)

    def covariance(self, components):
        return sum(
            c * k for c, k in zip(components, self.parts, strict=True)
        )

    def minus_log_likelihood(self, components):
        v = self.covariance(components)
        inverse = np.linalg.inv(v)
        rows = inverse.sum(axis=1)
        p = inverse - np.outer(rows, rows) / rows.sum()
        value = (
            np.linalg.slogdet(v)[1]
            + np.log(rows.sum())
            + self.y @ p @ self.y
            + (len(self.y) - 1) * np.log(2 * np.pi)
        ) / 2
        py = p @ self.y
        slope = [np.sum(p * k) / 2 - py @ k @ py / 2 for k in self.parts]
        return value, np.array(slope)

    def best(self):
        bounds = [(0, None)] * (len(self.parts) - 1) + [(1e-4, None)]
        found = [
            minimize(
                self.minus_log_likelihood,
                np.full(len(self.parts), start),
                jac=True,
                bounds=bounds,
                method="L-BFGS-B",
                options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 2000},
            )
            for start in (0.1, 1.0)
        ]
        return min(found, key=lambda result: result.fun)


@pytest.mark.parametrize("held", [10_000_000, 1])
@pytest.mark.parametrize("text", DESIGNS)
def test_the_eliminated_matrix_is_the_dense_one(text, held, monkeypatch):
    """In one piece, and a level of the first facet at a time."""
    monkeypatch.setattr(elimination, "_HELD", held)
    long, design = gappy(text)
    covariance = Covariance(read_cells(long, design))
    rng = np.random.default_rng(2)
    components = rng.random(len(design.effects)) + 0.1
    components[0] = 0
    factor = Factor(covariance, components)
    dense = Dense(long, design)
    v = dense.covariance(components)
    inverse = np.linalg.inv(v)
    assert factor.log_determinant == pytest.approx(np.linalg.slogdet(v)[1])
    traces = [np.sum(inverse * k) for k in dense.parts]
    assert factor.traces == pytest.approx(np.array(traces))
    columns = rng.normal(size=(len(long), 2))
    grids = np.stack([covariance.grid(c) for c in columns.T], axis=-1)
    solved = factor.solve(grids).reshape(-1, 2)
    assert solved[covariance.cell] == pytest.approx(inverse @ columns)
    assert np.delete(solved, covariance.cell, axis=0) == pytest.approx(0)


@pytest.mark.parametrize("text", list(DESIGNS)[:6])
@pytest.mark.parametrize("seed", range(4))
def test_is_the_dense_maximum(text, seed):
    long, design = gappy(text, seed, 0.15, (5, 6, 3))
    fit = reml(read_cells(long, design))
    best = Dense(long, design).best()
    assert fit.log_likelihood == pytest.approx(-best.fun, abs=1e-8)
    assert fit.variance == pytest.approx(best.x, abs=1e-6 * best.x.sum())
    assert (fit.variance >= 0).all()


@pytest.mark.parametrize("text", list(DESIGNS)[:6])
def test_balanced_is_anova_if_nothing_is_negative(text):
    """From a start away from the analysis of variance too."""
    design = Design(text)
    seeds = (
        oracle.table(
            design,
            {"system": 8, "topic": 9, "assessor": 4},
            np.random.default_rng(seed),
        )
        for seed in range(20)
    )
    long = next(t for t in seeds if not gt.gstudy(t, design).negative)
    anova = gt.gstudy(long, design).variance.to_numpy()
    found = gt.gstudy(long, design, method="reml")
    assert found.method == "reml"
    assert found.variance.to_numpy() == pytest.approx(anova, rel=1e-8)


def test_the_start_does_not_matter(monkeypatch):
    long, design = gappy(CROSSED, 3, 0.1, (8, 9, 4))
    cells = read_cells(long, design)
    usual = reml(cells)
    n = len(design.effects)
    for start in (np.zeros(n), np.full(n, 5.0)):
        monkeypatch.setitem(
            reml.__globals__, "henderson", lambda _, start=start: start
        )
        assert reml(cells).variance == pytest.approx(
            usual.variance, abs=1e-9
        )


def test_shift_and_scale():
    long, design = gappy(CROSSED)
    fit = reml(read_cells(long, design))
    other = long.assign(score=1000 + 50 * long["score"])
    moved = reml(read_cells(other, design))
    assert moved.variance == pytest.approx(2500 * fit.variance, rel=1e-7)
    assert moved.mean == pytest.approx(1000 + 50 * fit.mean)
    n = len(long)
    assert moved.log_likelihood == pytest.approx(
        fit.log_likelihood - (n - 1) * np.log(50)
    )
    assert moved.information == pytest.approx(
        fit.information / 2500**2, rel=1e-5
    )


def test_mean_and_information_are_the_dense_ones():
    long, design = gappy(CROSSED)
    fit = reml(read_cells(long, design))
    dense = Dense(long, design)
    inverse = np.linalg.inv(dense.covariance(fit.variance))
    rows = inverse.sum(axis=1)
    assert fit.mean == pytest.approx(rows @ dense.y / rows.sum())
    p = inverse - np.outer(rows, rows) / rows.sum()
    working = np.stack([k @ p @ dense.y for k in dense.parts], axis=-1)
    assert fit.information == pytest.approx(
        working.T @ p @ working / 2, rel=1e-6
    )


def test_statsmodels_agrees():
    pytest.importorskip("statsmodels")
    from statsmodels.regression.mixed_linear_model import MixedLM

    long = table((9, 11), ["system", "topic"], 6, 0.1).assign(one=1)
    ours = gt.gstudy(long.drop(columns="one")).variance
    fit = MixedLM.from_formula(
        "score ~ 1",
        long,
        groups="one",
        re_formula="0",
        vc_formula={"system": "0 + C(system)", "topic": "0 + C(topic)"},
    ).fit(reml=True, method="powell", ftol=1e-12)
    theirs = np.array([*fit.vcomp, fit.scale])
    assert (theirs > 0.01).all()
    assert ours.to_numpy() == pytest.approx(theirs, rel=1e-4)


def test_known_truth():
    """Large and gappy: estimates near the components simulated."""
    rng = np.random.default_rng(6)
    s, t, a = np.nonzero(rng.random((60, 80, 3)) > 0.1)
    y = (
        rng.normal(0, 1, 60)[s]
        + rng.normal(0, 2, 80)[t]
        + rng.normal(0, 1.5, (60, 80))[s, t]
        + rng.normal(0, 0.5, (80, 3))[t, a]
        + rng.normal(0, 0.7, len(s))
    )
    long = pd.DataFrame(
        {"system": s, "topic": t, "assessor": a, "score": y}
    )
    g = gt.gstudy(long, CROSSED)
    assert g.method == "reml"
    assert g.variance["system"] == pytest.approx(1, rel=0.6)
    assert g.variance["topic"] == pytest.approx(4, rel=0.5)
    assert g.variance["system x topic"] == pytest.approx(2.25, rel=0.1)
    assert g.variance["topic x assessor"] == pytest.approx(0.25, rel=0.3)
    assert g.variance.iloc[-1] == pytest.approx(0.49, rel=0.05)
    assert g.negative == ()


def test_scores_without_error_have_no_likelihood():
    long = pd.DataFrame(
        [(s, t, s + 2.0 * t**2) for s in range(5) for t in range(6)],
        columns=["system", "topic", "score"],
    )
    with pytest.raises(ValueError, match="leave no error"):
        gt.gstudy(long, method="reml")


def test_too_large_is_said(monkeypatch):
    long, design = gappy(CROSSED)
    monkeypatch.setattr(elimination, "_LARGEST", 5)
    with pytest.raises(ValueError, match="too large for method='reml'"):
        gt.gstudy(long, design)


def test_the_cheapest_order_comes_first():
    design = Design("system x (assessor:topic)")
    covariance = Covariance(read_cells(gappy(design.text)[0], design))
    assert covariance.order.index("topic") < covariance.order.index(
        "assessor"
    )
    large = {"system": 100, "topic": 1000, "assessor": 5}
    assert elimination.best_order(Design(CROSSED), large) == (
        "topic",
        "system",
        "assessor",
    )
