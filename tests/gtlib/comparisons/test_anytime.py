"""Limits that hold at any number of topics, by brute force and trial."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.comparisons import betting_limits, mixture_limits


def capital(x, m, alpha=0.05):
    """The hedged capital on a mean, topic by topic (theorem 3)."""
    above = below = 1.0
    seen, squares = 0.5, 0.25
    for t, value in enumerate(x, 1):
        bet = np.sqrt(
            2 * np.log(2 / alpha) / (squares / t * t * np.log(t + 1))
        )
        above *= 1 + min(bet, 0.5 / m) * (value - m)
        below *= 1 - min(bet, 0.5 / (1 - m)) * (value - m)
        seen += value
        squares += (value - seen / (t + 1)) ** 2
    return max(above, below) / 2


def test_bets_are_those_of_the_paper_on_a_fine_grid():
    rng = np.random.default_rng(0)
    z = np.clip(rng.normal(0.1, 0.3, (1, 60)), -1, 1)
    (low,), (high,), (p,) = betting_limits(z)
    x = (z[0] + 1) / 2
    grid = np.linspace(0.005, 0.995, 397)
    kept = [m for m in grid if capital(x, m) < 20]
    assert (low + 1) / 2 == pytest.approx(min(kept), abs=0.003)
    assert (high + 1) / 2 == pytest.approx(max(kept), abs=0.003)
    assert p == pytest.approx(min(1, 1 / capital(x, 0.5)))


def test_the_mixture_is_the_mean_of_likelihood_ratios():
    """Of noncentral t, over normal effects, by quadrature."""
    from scipy import stats

    z = np.random.default_rng(1).normal(0.4, 1, (1, 12))
    low, high, p = mixture_limits(z)
    n = z.shape[1]
    t = z.mean() / z.std(ddof=1) * np.sqrt(n)
    effects = 0.3 * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)
    ratio = stats.nct.pdf(t, n - 1, effects * np.sqrt(n)).mean()
    ratio /= stats.t.pdf(t, n - 1)
    assert p[0] == pytest.approx(min(1, 1 / ratio), rel=0.01)
    for end in (low, high):
        assert mixture_limits(z - end)[2][0] == pytest.approx(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("limits", [betting_limits, mixture_limits])
def test_equal_systems_are_rarely_called_different_at_any_time(limits):
    rng = np.random.default_rng(2)
    z = rng.uniform(-0.4, 0.4, (600, 120))
    called = np.zeros(600, bool)
    for n in range(5, 121, 5):
        low, high, p = limits(z[:, :n])
        assert ((p < 0.05) == ((low > 0) | (high < 0))).all()
        called |= p < 0.05
    assert called.mean() <= 0.05


@pytest.mark.parametrize("limits", [betting_limits, mixture_limits])
def test_a_change_of_sign_turns_the_interval(limits):
    z = np.random.default_rng(3).uniform(-0.2, 0.5, (4, 50))
    low, high, p = limits(z)
    turned = limits(-z)
    np.testing.assert_allclose(turned[0], -high, atol=1e-9)
    np.testing.assert_allclose(turned[2], p)
    assert (low < z.mean(axis=1)).all() and (z.mean(axis=1) < high).all()


@pytest.mark.parametrize("limits", [betting_limits, mixture_limits])
def test_differences_that_are_all_alike(limits):
    for value in (0.0, 0.3, 1.0):
        low, high, p = limits(np.full((1, 40), value))
        assert low[0] <= value + 1e-9 and high[0] >= value - 1e-9
        assert (p[0] < 0.05) == (value > 0)
    low, high, p = limits(np.array([[0.2, 0.1]]))
    assert low[0] <= 0 <= high[0] and p[0] > 0.05


def scores():
    rng = np.random.default_rng(4)
    table = np.clip(rng.normal(0.5, 0.15, (4, 80)), 0, 1)
    table[3] = np.clip(table[3] + 0.3, 0, 1)
    return pd.DataFrame(table, [*"abcd"])


def test_compare_takes_bets_within_bounds_and_the_mixture_else():
    table = scores()
    found = gt.compare(table, "d", any_time=True)
    z = (table.loc["d"] - table.loc[found["b"]]).to_numpy()
    for name, value in zip(
        ("low", "high", "p_value"), betting_limits(z), strict=True
    ):
        np.testing.assert_allclose(found[name], value)
    plain = gt.compare(table, "d")
    np.testing.assert_allclose(found["difference"], plain["difference"])
    assert (found["low"] < plain["low"]).all()
    assert found["more"].isna().all()
    wild = gt.compare(table * 10, "d", any_time=True)
    np.testing.assert_allclose(wild["low"], mixture_limits(10 * z)[0])


def test_topics_are_taken_in_the_order_of_the_table():
    table = scores()
    backwards = table.iloc[:, ::-1]
    one, other = (
        gt.compare(t, "a", any_time=True)["low"] for t in (table, backwards)
    )
    assert (one != other).any()
    z = (backwards.loc["a"] - backwards.loc[["d", "b", "c"]]).to_numpy()
    assert {*betting_limits(z)[0].round(9)} == {*other.round(9)}


def test_other_designs_are_refused():
    long = gt.load("scores")
    with pytest.raises(ValueError, match="systems x topics without gaps"):
        gt.compare(
            long,
            long["system"].iloc[0],
            design="system x topic x assessor",
            any_time=True,
        )
    gaps = scores().rename_axis("system").reset_index()
    gaps = gaps.melt("system", var_name="topic", value_name="score").iloc[
        1:
    ]
    with pytest.raises(ValueError, match="with gaps"):
        gt.compare(gaps, "a", any_time=True)


def test_the_record_of_looks_is_what_its_script_finds(script, monkeypatch):
    record = gt.load("looks").set_index(["collection", "looks"])
    betting = record["betting"][
        ~record.index.get_level_values(1).str.startswith("width")
    ]
    assert (betting <= 0.05).all()
    six = record.xs("6", level=1)
    assert six["paired"].between(0.11, 0.15).all()
    assert (six["mixture"] <= 0.05).all()
    looks = script("looks")
    found = next(iter(looks.rows("cf-ap")))
    kept = record.loc[("cf-ap", "1")]
    for kind in ("paired", "betting", "mixture"):
        assert found[kind] == pytest.approx(kept[kind])
