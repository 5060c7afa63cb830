"""Restricted likelihood, against dense matrices and other programs."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

import gtlib as gt
from gtlib.design import Design
from gtlib.gaps import (
    Likelihood,
    Point,
    _climb,
    _starts,
    _top_of_parabola,
    find_highest,
    reml,
    standardized_likelihood,
)
from gtlib.scores import read_cells
from tests import oracle
from tests.cases import first
from tests.gtlib.gaps.test_henderson import CROSSED, table

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

    def information(self, components):
        """The mean of the observed one, a difference quotient of the
        slope, and the expected one."""
        inverse = np.linalg.inv(self.covariance(components))
        rows = inverse.sum(axis=1)
        p = inverse - np.outer(rows, rows) / rows.sum()
        expected = [
            [np.sum((p @ k) * (p @ j).T) / 2 for j in self.parts]
            for k in self.parts
        ]
        steps = 1e-5 * np.eye(len(components))
        observed = [
            (
                self.minus_log_likelihood(components + step)[1]
                - self.minus_log_likelihood(components - step)[1]
            )
            / 2e-5
            for step in steps
        ]
        return (np.array(observed) + np.array(expected)) / 2

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


def point_at(cells, variance):
    """The likelihood there, and its value and information in the units
    of the scores."""
    likelihood, scale = standardized_likelihood(cells)
    point = likelihood.at(variance / scale)
    value = point.value - (len(cells.scores) - 1) * np.log(scale) / 2
    return value, point.information / scale**2


def steps_to_the_top(cells):
    likelihood, scale = standardized_likelihood(cells)
    return find_highest(likelihood, _starts(cells, scale))[1]


@pytest.mark.parametrize("text", list(DESIGNS)[:4])
def test_the_likelihood_and_its_slope_are_the_dense_ones(text):
    long, design = gappy(text)
    dense = Dense(long, design)
    components = np.random.default_rng(7).random(len(design.effects)) + 0.1
    point = Likelihood(read_cells(long, design), dense.y).at(components)
    value, slope = dense.minus_log_likelihood(components)
    assert point.value == pytest.approx(-value)
    assert point.gradient == pytest.approx(-slope)
    assert point.information == pytest.approx(
        dense.information(components), rel=1e-5
    )
    assert point.components is components


@pytest.mark.parametrize("text", list(DESIGNS)[:6])
@pytest.mark.parametrize("seed", first(1, range(2)))
def test_is_the_dense_maximum(text, seed):
    long, design = gappy(text, seed, 0.15, (5, 6, 3))
    cells = read_cells(long, design)
    found = reml(cells)
    best = Dense(long, design).best()
    value, _ = point_at(cells, found)
    assert value == pytest.approx(-best.fun, abs=1e-8)
    assert found == pytest.approx(best.x, abs=1e-6 * best.x.sum())
    assert (found >= 0).all()


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
    assert steps_to_the_top(found.cells) <= 1  # it starts there


def test_the_start_does_not_matter(monkeypatch):
    long, design = gappy(CROSSED, 3, 0.1, (8, 9, 4))
    cells = read_cells(long, design)
    usual = reml(cells)
    n = len(design.effects)
    for start in (np.zeros(n), np.full(n, 5.0)):
        monkeypatch.setitem(
            reml.__globals__, "henderson", lambda _, start=start: start
        )
        assert reml(cells) == pytest.approx(usual, abs=1e-9)


@pytest.mark.slow
def test_shift_and_scale():
    long, design = gappy(CROSSED)
    cells = read_cells(long, design)
    other = long.assign(score=1000 + 50 * long["score"])
    moved = read_cells(other, design)
    assert reml(moved) == pytest.approx(2500 * reml(cells), rel=1e-7)
    value, information = point_at(cells, reml(cells))
    value_there, information_there = point_at(moved, reml(moved))
    assert value_there == pytest.approx(
        value - (len(long) - 1) * np.log(50)
    )
    assert information_there == pytest.approx(
        information / 2500**2, rel=1e-5
    )
    dense = Dense(long, design)
    assert information == pytest.approx(
        dense.information(reml(cells)), rel=1e-6
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spread", [1, 1e5])
def test_a_step_goes_to_the_top_of_the_parabola(seed, spread):
    """Of those without negative components, found by brute force, and
    however different the sizes of the components."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 4)) @ np.diag([1, spread, 1 / spread, 1])
    information = root.T @ root
    size = 1 / np.sqrt(np.diag(information))
    here = rng.random(4) * size
    gradient = 2 * rng.normal(size=4) / size

    def depth(scaled):
        step = scaled * size - here
        slope = information @ step - gradient
        return step @ (information @ step / 2 - gradient), slope * size

    brute = minimize(
        depth,
        np.ones(4),
        jac=True,
        bounds=[(0, None)] * 4,
        options={"ftol": 1e-15, "gtol": 1e-10},
    )
    found = _top_of_parabola(Point(here, 0.0, gradient, information))
    top = brute.x * size
    top[-1] = max(top[-1], here[-1] / 10)
    assert found / size == pytest.approx(top / size, abs=1e-5)


class Hill:
    """A likelihood with its top at 1, which tells its curvature wrong."""

    def __init__(self, told):
        self.told = told

    def at(self, x):
        information = np.array([[self.told]])
        return Point(x, -((x - 1) ** 2).sum(), 2 - 2 * x, information)


@pytest.mark.parametrize("unit", [1e-9, 1, 1e9])
@pytest.mark.parametrize("seed", range(8))
def test_a_step_on_a_plane_goes_to_the_top_there(seed, unit):
    """In whatever unit the plane is given; or as far along as leaves a
    tenth of the error."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    here, row = rng.random(3) + 0.5, rng.normal(size=3)
    gradient, information = rng.normal(size=3), root @ root.T + np.eye(3)
    gradient[-1] -= 9 * (seed % 2)  # towards no error
    here[1] *= seed % 4 != 3
    plane = unit * row, unit * (row @ here)
    point = Point(here, 0.0, gradient, information)
    found = _top_of_parabola(point, plane)

    def fall(x):
        return (x - here) @ information @ (x - here) / 2 - gradient @ x

    top = minimize(
        fall,
        here,
        method="SLSQP",
        bounds=[(0, None)] * 3,
        constraints={"type": "eq", "fun": lambda x: row @ (x - here)},
        options={"ftol": 1e-14},
    ).x
    least = here[-1] / 10
    assert (top[-1] < least) == seed % 2
    share = min(1, (here[-1] - least) / max(here[-1] - top[-1], 1e-9))
    assert found == pytest.approx(here + share * (top - here), abs=1e-5)
    assert row @ found == pytest.approx(row @ here, abs=1e-8)


@pytest.mark.parametrize(
    ("told", "steps"),
    [
        (2.0, 1),  # the truth
        (1.0, 1),  # the step ends as high beyond the top, so half of it
        (0.3, 70),  # it ends lower, so a quarter of it, again and again
        (4.0, 40),  # it ends half way, again and again
    ],
)
def test_the_top_is_found_with_a_wrong_curvature(told, steps):
    hill = Hill(told)
    point, taken = _climb(hill, hill.at(np.array([1.5])))
    assert point.components == pytest.approx(1, abs=1e-10)
    assert taken <= steps


def test_a_likelihood_without_a_top_is_said(monkeypatch):
    monkeypatch.setitem(reml.__globals__, "_STEPS", 3)
    long, design = gappy(CROSSED)
    with pytest.raises(
        ValueError, match=r"not settled after 3 steps: .* promises"
    ):
        reml(read_cells(long, design))


@pytest.mark.slow
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


def outcome(long, design):
    """The fit, or the message that there is none."""
    try:
        return reml(read_cells(long, design))
    except ValueError as refusal:
        return str(refusal)


SEEDS = [526, 528, 529, 530, 525, 527]


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(2, SEEDS))
def test_no_dense_search_finds_a_higher_likelihood(seed):
    """Gaps, components over six orders of magnitude, means of a million,
    scores of 1e-8; or there is no top with an error to be found."""
    long, design = oracle.random_study(seed, 60)
    fit = outcome(long, design)
    dense = oracle.Likelihood(long, design)
    best, where = dense.best()
    if isinstance(fit, str):
        assert "still rises" in fit
        assert where[-1] == pytest.approx(dense.least)
    else:
        known = dense(fit / dense.scale**2)[0]
        assert known > best - 1e-6
        value, _ = point_at(read_cells(long, design), fit)
        assert value == pytest.approx(known, abs=1e-6)


@pytest.mark.slow
def test_a_climb_ends_where_rounding_hides_the_top():
    """Steps promise a little for ever there, and bring nothing."""
    long, design = oracle.random_study(20, 60)
    likelihood, scale = standardized_likelihood(read_cells(long, design))
    starts = _starts(read_cells(long, design), scale)
    steps = [find_highest(likelihood, [start])[1] for start in starts]
    assert max(steps) < 100


@pytest.mark.parametrize("sd", [0.03, 0.01, 0.001])
def test_hardly_any_error(sd):
    rng = np.random.default_rng(2)
    scores = rng.normal(size=(20, 1)) + rng.normal(size=(1, 30))
    scores += sd * rng.normal(size=(20, 30))
    s, t = np.nonzero(rng.random(scores.shape) > 0.2)
    long = pd.DataFrame({"system": s, "topic": t, "score": scores[s, t]})
    design = Design("system x topic")
    cells = read_cells(long, design)
    found = reml(cells)
    assert steps_to_the_top(cells) < 15
    dense = oracle.Likelihood(long, design)
    value, slope = dense(found / dense.scale**2)
    assert point_at(cells, found)[0] == pytest.approx(value, abs=1e-6)
    assert slope * found / dense.scale**2 == pytest.approx(0, abs=1e-4)
    assert found[-1] == pytest.approx(sd**2, rel=0.2)


@pytest.mark.parametrize("text", [CROSSED, "system x (assessor:topic)"])
@pytest.mark.parametrize("share", [1e-4, 1e-6, 1e-8])
def test_nothing_cancels(text, share):
    """The likelihood, and its slope by the logs of components, where the
    error is a tiny share."""
    design = Design(text)
    rng = np.random.default_rng(5)
    components = rng.random(len(design.effects))
    components[-1] = share
    named = dict(zip(design.labels, components, strict=True))
    levels = {"system": 6, "topic": 7, "assessor": 4}
    long = oracle.table(design, levels, rng, named)
    long = long[rng.random(len(long)) > 0.2]
    dense = oracle.Likelihood(long, design)
    components /= dense.scale**2
    cells = read_cells(long, design)
    scaled = (cells.scores - cells.scores.mean()) / dense.scale
    point = Likelihood(cells, scaled).at(components)
    value, slope = dense(components)
    n = len(long)
    value += (n - 1) * np.log(dense.scale)
    assert point.value == pytest.approx(value, abs=1e-6)
    assert point.gradient * components == pytest.approx(
        slope * components, rel=1e-4, abs=1e-4
    )


@pytest.mark.slow
def test_a_tiny_table_has_several_tops():
    """Of which most starts find a lower one."""
    long, design = oracle.random_study(1311, 36)
    assert len(long) == 14
    dense = oracle.Likelihood(long, design)
    found = reml(read_cells(long, design))
    best, _ = dense.best()
    assert dense(found / dense.scale**2)[0] > best - 1e-6


@pytest.mark.slow
def test_as_many_effects_as_scores_leave_no_error():
    """The likelihood has a top, which has no error."""
    long, design = oracle.random_study(195)
    z = [oracle.indicators(long, e.facets) for e in design.effects[:-1]]
    assert np.linalg.matrix_rank(np.hstack(z)) == len(long)
    with pytest.raises(
        ValueError,
        match="still rises where the variance of system x topic x assessor "
        "is down to 1e-08 of that of the scores",
    ):
        gt.gstudy(long, design)


def test_order_and_labels_do_not_matter():
    long, design = oracle.random_study(6)
    cells = read_cells(long, design)
    found = reml(cells)
    mixed = long.sample(frac=1, random_state=3)
    # the same bits: rows are put in order before anything is added up
    assert (reml(read_cells(mixed, design)) == found).all()
    other = mixed.assign(
        **{f: mixed[f].map(lambda s: s[::-1]) for f in design.facets}
    )
    renamed = read_cells(other, design)
    again = reml(renamed)
    assert again == pytest.approx(found, abs=1e-6 * found.sum())
    assert point_at(renamed, again)[0] == pytest.approx(
        point_at(cells, found)[0]
    )
