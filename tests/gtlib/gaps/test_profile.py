"""Profile limits against a dense likelihood, and Feldt's for balance."""

import numpy as np
import pytest
import scipy

import gtlib as gt
from tests import oracle
from tests.cases import first
from tests.oracle import indicators


def gappy(text, levels, missing, seed):
    design = gt.Design(text)
    rng = np.random.default_rng(seed)
    frame = oracle.table(design, levels, rng)
    return frame[rng.random(len(frame)) >= missing]


class Dense:
    """The restricted likelihood by its matrix."""

    def __init__(self, frame, design):
        self.y = frame["score"].to_numpy()
        self.parts = [
            z @ z.T
            for effect in design.effects
            for z in [indicators(frame, effect.facets)]
        ]

    def __call__(self, components):
        v = sum(c * z for c, z in zip(components, self.parts, strict=True))
        root = np.linalg.cholesky(v)
        one, y = (
            scipy.linalg.solve_triangular(root, x, lower=True)
            for x in (np.ones(len(self.y)), self.y)
        )
        rest = y - one * (one @ y) / (one @ one)
        return -(
            np.log(np.diag(root)).sum()
            + np.log(one @ one) / 2
            + rest @ rest / 2
        )


def fall(dense, top, free):
    """How far the best of the components that `free` gives lies below."""
    start = np.log(top[1:])
    found = scipy.optimize.minimize(
        lambda z: -dense(free(np.exp(z))),
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000},
    )
    return 2 * (dense(top) + found.fun)


@pytest.mark.parametrize("seed", [1, 2])
def test_a_coefficients_limits_have_the_likelihood_that_they_should(seed):
    """At each limit the highest dense likelihood lies 3.84 / 2 below."""
    frame = gappy("p x i", {"p": 8, "i": 12}, 0.3, seed)
    g = gt.gstudy(frame, "p x i", method="reml")
    dense, top = Dense(frame, g.design), g.variance.to_numpy()
    plan = g.plan(i=10)
    found = plan.interval("dependability", method="profile")
    for limit in (found.low, found.high):
        signal = limit / (1 - limit)

        def systems_follow(others, signal=signal):
            return np.array([signal * others.sum() / 10, *others])

        below = fall(dense, top, systems_follow)
        assert below == pytest.approx(scipy.stats.chi2.ppf(0.95, 1), 1e-3)


def test_a_components_limits_have_the_likelihood_that_they_should():
    frame = gappy("p x i", {"p": 8, "i": 12}, 0.3, 1)
    g = gt.gstudy(frame, "p x i", method="reml")
    dense, top = Dense(frame, g.design), g.variance.to_numpy()
    row = g.component_intervals(method="profile").loc["p"]
    for limit in (row["low"], row["high"]):
        below = fall(dense, top, lambda z, p=limit: np.array([p, *z]))
        assert below == pytest.approx(scipy.stats.chi2.ppf(0.95, 1), 1e-3)


@pytest.mark.slow
def test_what_the_estimate_does_not_reach_the_upper_limit_may():
    """There is a lower limit, and the other coefficient's mirrors it."""
    design, sizes = "p x i x a", {"p": 9, "i": 10, "a": 3}
    g = gt.gstudy(gappy(design, sizes, 0.2, 4), design, method="reml")
    plan = g.plan(a=3)
    endless = plan.coefficients(numbers={"i": np.inf})["dependability"]
    target = (1 + endless) / 2
    needed = plan.required_interval("i", target)
    assert needed.estimate == needed.high == np.inf
    assert needed.reason
    assert 1 < needed.low < np.inf
    for n, reached in ((needed.low, True), (needed.low - 1, False)):
        found = g.plan(a=3, i=n).interval("dependability")
        assert (found.high >= target) == reached
    beyond = plan.required_interval("i", 1 - 1e-9)
    assert beyond.low == np.inf
    assert "within the limits no number reaches" in beyond.reason


@pytest.mark.slow
def test_required_levels_mirror_the_coefficient():
    """That many levels bring the other limit to the target."""
    frame = gappy("p x i", {"p": 8, "i": 12}, 0.3, 2)
    g = gt.gstudy(frame, "p x i", method="reml")
    needed = g.plan(i=1).required_interval("i", 0.8, "generalizability")
    assert needed.method.startswith("stretched profile, ")
    for number, limit in ((needed.low, "high"), (needed.high, "low")):
        for n, reached in ((number, True), (number - 1, False)):
            if n == 0:
                continue
            found = g.plan(i=n).interval("generalizability")
            assert (getattr(found, limit) >= 0.8) == reached


def test_is_close_to_the_exact_interval_of_a_balanced_study():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(40, 1)) + rng.normal(size=(40, 30))
    plan = gt.gstudy(scores).plan()
    profile = plan.interval("generalizability", method="profile")
    exact = plan.interval("generalizability", method="exact")
    assert profile.estimate == pytest.approx(exact.estimate)
    assert profile.low == pytest.approx(exact.low, abs=0.003)
    assert profile.high == pytest.approx(exact.high, abs=0.003)


@pytest.mark.slow
def test_a_component_of_zero_has_an_upper_limit():
    frame = gappy("p x i", {"p": 5, "i": 8}, 0.2, 5)
    frame["score"] -= frame.groupby("p")["score"].transform("mean")
    g = gt.gstudy(frame, "p x i", method="reml")
    assert g.variance["p"] == 0
    row = g.component_intervals(method="profile").loc["p"]
    assert row["low"] == 0 < row["high"]
    found = g.plan().interval("generalizability")
    assert found.low == found.estimate == 0 < found.high < 1


@pytest.mark.slow
@pytest.mark.parametrize("factor", first(1, [1e-8, 1e6]))
def test_limits_have_the_units_of_the_scores(factor):
    frame = gappy("p x (a:i)", {"p": 5, "i": 6, "a": 2}, 0.2, 4)
    one = gt.gstudy(frame, "p x (a:i)").component_intervals(
        method="profile"
    )
    frame["score"] = frame["score"] * factor + 10 * factor
    other = gt.gstudy(frame, "p x (a:i)").component_intervals(
        method="profile"
    )
    for limit in ("low", "high"):
        expected = (one[limit] * factor**2).to_list()
        assert other[limit].to_list() == pytest.approx(
            expected, rel=1e-3, abs=0
        )


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(2, range(6)))
def test_small_tables_of_any_kind_have_limits(seed):
    """Ties, zeros and ones, hardly any system variance: every limit lies
    on its side of the estimate, and a wider level is wider."""
    rng = np.random.default_rng(seed)
    frame = gappy("p x i", {"p": 4 + seed % 3, "i": 5}, 0.25, seed)
    if seed % 2:
        frame["score"] = (frame["score"] > 0).astype(float)
    if seed % 3 == 0:
        frame["score"] += 1e6 + 0.01 * rng.normal(size=len(frame))
    try:
        g = gt.gstudy(frame, "p x i")
    except ValueError as error:
        pytest.skip(f"refused: {error}")
    plan = g.plan()
    for coefficient in ("generalizability", "dependability"):
        one, other = (
            plan.interval(
                coefficient, confidence_level=level, method="profile"
            )
            for level in (0.8, 0.95)
        )
        assert 0 <= other.low <= one.low <= one.estimate + 1e-9
        assert one.estimate - 1e-9 <= one.high <= other.high <= 1


def test_a_climb_stays_on_its_plane():
    """All systems alike: the limit was 1, for the climb had left it."""
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(6, 8))
    scores -= scores.mean(axis=1, keepdims=True)
    g = gt.gstudy(scores)
    found = g.plan().interval("generalizability", method="profile")
    assert found.low == found.estimate == 0
    exact = g.plan().interval("generalizability", method="exact")
    assert found.high < max(0.7, exact.high)


@pytest.mark.slow
def test_profiles_of_other_estimates_are_about_their_own_top():
    frame = gappy("p x i", {"p": 6, "i": 8}, 0.3, 2)
    by_reml = gt.gstudy(frame, "p x i", method="reml").plan()
    other = gt.gstudy(frame, "p x i", method="henderson").plan()
    one = by_reml.interval("generalizability", method="profile")
    two = other.interval("generalizability", method="profile")
    assert (two.low, two.high) == pytest.approx((one.low, one.high), 1e-3)
