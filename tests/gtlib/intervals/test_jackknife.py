"""The scatter that systems and topics show, against leaving them out."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import polygamma
from scipy.stats import f as f_distribution

import gtlib as gt
from gtlib.anova import balanced_mean_squares
from gtlib.intervals import (
    PRIOR,
    PRIOR_SYSTEMS,
    UNKNOWN,
    JackknifeTable,
    components_df,
    stretches,
)
from gtlib.scores import as_long
from gtlib.uncertainty import group_numbers
from tests import oracle

LEVELS = {"system": 6, "topic": 7, "assessor": 5, "item": 4}
COEFFICIENTS = "generalizability", "dependability"


def stretch(plan, coefficient):
    """r of one coefficient."""
    return stretches(plan.study.cells, plan.effects)[coefficient]


def df_of(g, groups=None):
    """The degrees of freedom of the components, with groups or without."""
    return components_df(g.cells, group_numbers(g, groups))


def scores(systems, topics, rng, of_systems=None, shares=(0.3, 1, 0.6)):
    """Crossed scores, normal but for the effects of the systems."""
    system, topic, error = shares
    if of_systems is None:
        of_systems = rng.normal(0, system**0.5, systems)
    noise = rng.normal(0, error**0.5, (systems, topics))
    return of_systems[:, None] + rng.normal(0, topic**0.5, topics) + noise


@pytest.mark.parametrize(
    "text",
    [
        "system x topic",
        "system x topic x assessor",
        "system x (assessor:topic)",
        "(topic:assessor) x system",
        "item:system",
    ],
)
def test_mean_squares_without_levels_are_those_of_the_rest(text):
    design = gt.Design(text)
    rng = np.random.default_rng(3)
    array = rng.normal(size=[LEVELS[f] for f in design.facets])
    table = JackknifeTable(array, design)
    assert table.mean == pytest.approx(balanced_mean_squares(array, design))
    for axis, facet in enumerate(design.facets):
        if design.nesting[facet]:
            continue
        n = array.shape[axis]
        for block in (np.arange(n), np.array([0, 2, 0, 1, 1, 2, 2])[:n]):
            found = table.without(facet, block)
            rests = [
                np.delete(array, np.flatnonzero(block == j), axis)
                for j in range(block.max() + 1)
            ]
            wanted = [balanced_mean_squares(r, design) for r in rests]
            assert found == pytest.approx(np.transpose(wanted))


def shrunk(ratio, systems):
    """A ratio of variances, moved towards that of other collections."""
    own = systems / (systems + PRIOR_SYSTEMS)
    log = np.log(ratio * (1 + UNKNOWN / systems))
    return np.exp(own * log + (1 - own) * np.log(PRIOR))


def by_hand(x):
    """r of the generalizability of systems x topics, one by one."""
    n, k = x.shape
    design = gt.Design("system x topic")

    def log_f(part):
        system, _, error = balanced_mean_squares(part, design)
        return np.log(system / error)

    seen = 0
    for axis, size in enumerate(x.shape):
        left = [log_f(np.delete(x, i, axis)) for i in range(size)]
        seen += (size - 1) / size * np.sum((left - np.mean(left)) ** 2)
    df, df_error = n - 1, (n - 1) * (k - 1)
    system, _, error = balanced_mean_squares(x, design)
    expected = polygamma(1, df / 2) + 4 * error / system / df
    expected += 2 * polygamma(1, df_error / 2)
    return min(shrunk(seen / expected, n), df)


@pytest.mark.parametrize("seed", range(4))
def test_the_stretch_of_generalizability_by_hand(seed):
    """Leaving out a topic changes the number of topics, which the library
    puts right: a matter of 1 in that number."""
    rng = np.random.default_rng(seed)
    skewed = -rng.gamma(1, 1, 12)
    x = scores(12, 200, rng, skewed)
    r = stretch(gt.gstudy(x).plan(), "generalizability")
    assert r == pytest.approx(by_hand(x), rel=0.02)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_one_broken_run_widens_the_interval(coefficient):
    rng = np.random.default_rng(1)
    whole = scores(25, 40, rng)
    broken = whole.copy()
    broken[3] -= 3
    r = [stretch(gt.gstudy(x).plan(), coefficient) for x in (whole, broken)]
    assert r[1] > 2 * r[0]


def test_scale_shift_and_order_change_nothing():
    x = scores(14, 20, np.random.default_rng(4))
    r = stretch(gt.gstudy(x).plan(), "dependability")
    mixed = np.random.default_rng(5).permutation(x)[:, ::-1]
    for other in (x * 1e-9, x * 1e9 + 7, mixed):
        again = stretch(gt.gstudy(other).plan(), "dependability")
        assert again == pytest.approx(r, rel=1e-6)


@pytest.mark.parametrize("coefficient", COEFFICIENTS)
@pytest.mark.parametrize("seed", range(5))
def test_groups_of_one_are_no_surer_than_systems(coefficient, seed):
    g = gt.gstudy(scores(9, 12, np.random.default_rng(seed)))
    names = g.cells.labels["system"]
    alone = {name: f"group {name}" for name in names}
    own, grouped = (
        g.plan().interval(coefficient, groups=groups)
        for groups in (None, alone)
    )
    assert grouped.low <= own.low < own.high <= grouped.high
    assert grouped.method.endswith(", 9 groups")


def test_groups_of_a_study_are_those_of_its_intervals():
    x = scores(12, 20, np.random.default_rng(8))
    groups = {n + 1: "abcdef"[n // 2] for n in range(12)}
    g, alone = gt.gstudy(x, groups=groups), gt.gstudy(x)
    assert "The systems are of 6 groups" in str(g)
    for coefficient in COEFFICIENTS:
        of_study = g.plan().interval(coefficient)
        known = alone.plan().interval(coefficient, groups=groups)
        assert vars(of_study) == pytest.approx(vars(known))
        assert of_study.method.endswith(", 6 groups")
        number = alone.plan().required_interval(
            "topic", 0.9, coefficient, groups=groups
        )
        found = g.plan().required_interval("topic", 0.9, coefficient)
        assert vars(found) == pytest.approx(vars(number))
    pd.testing.assert_frame_equal(
        g.component_intervals(), alone.component_intervals(groups=groups)
    )
    one, other = (
        study.plan().interval("generalizability", method="exact")
        for study in (g, alone)
    )
    assert vars(one) == pytest.approx(vars(other))


def test_what_cannot_leave_groups_out_says_so():
    x = scores(12, 20, np.random.default_rng(8))
    groups = {n + 1: "abcdef"[n // 2] for n in range(12)}
    long = as_long(pd.DataFrame(x)).iloc[3:]
    long["system"] += 1
    g = gt.gstudy(long, "system x topic", groups=groups)
    notes = g.component_intervals()["note"]
    assert notes.ne("").all()
    assert g.plan().interval("dependability").method.endswith("6 groups")
    g = gt.gstudy(long, "system x topic", method="henderson", groups=groups)
    reason = g.plan().interval("dependability").reason
    assert "takes each system for itself" in reason


def test_families_widen_the_intervals_of_components():
    """Systems of a family are all alike: its variance is known by as many
    numbers as there are families."""
    rng = np.random.default_rng(9)
    x = np.repeat(scores(8, 30, rng), 5, axis=0)
    x += rng.normal(0, 0.01, x.shape)
    groups = {n + 1: n // 5 for n in range(40)}
    alone = gt.gstudy(x).component_intervals().loc["system"]
    known = gt.gstudy(x, groups=groups).component_intervals().loc["system"]
    assert known["low"] < alone["low"] < alone["high"] < known["high"]
    df = df_of(gt.gstudy(x), groups)
    assert df[0] < 10 < df_of(gt.gstudy(x))[0]


def test_one_group_with_all_but_one_leaves_components_little():
    g = gt.gstudy(scores(9, 12, np.random.default_rng(7)))
    groups = dict.fromkeys(range(1, 9), "most") | {9: "other"}
    system, _, both = df_of(g, groups)
    assert system == 1 and both <= 11


@pytest.mark.parametrize("seed", [*range(30), 307])
def test_dependability_is_never_above_generalizability(seed):
    """Each has an r of its own, so that limits could cross; with seed 307
    only generalizability by itself has no upper limit."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(9, 12)) * rng.gamma(0.4, size=(9, 1))
    x += rng.gamma(0.4, size=12)
    plan = gt.gstudy(x).plan()
    relative, absolute = map(plan.interval, COEFFICIENTS)
    assert absolute.low <= relative.low
    assert absolute.high <= relative.high
    relative, absolute = (
        plan.required_interval("topic", 0.9, name) for name in COEFFICIENTS
    )
    assert relative.low <= absolute.low
    assert relative.high <= absolute.high
    assert absolute.high < np.inf or absolute.reason


def test_groups_may_be_a_series_in_any_order_with_others():
    g = gt.gstudy(scores(8, 12, np.random.default_rng(7)))
    names = [*g.cells.labels["system"]]
    groups = pd.Series([n // 2 for n in range(8)], names)
    wanted = g.plan().interval("dependability", groups=groups)
    more = pd.concat([groups[::-1], pd.Series({"another": 99})])
    for given in (more, dict(more)):
        found = g.plan().interval("dependability", groups=given)
        assert vars(found) == pytest.approx(vars(wanted))
    number = g.plan().required_interval("topic", 0.9, groups=more)
    assert number.method.endswith(", 4 groups")
    assert "4 groups are too few" in number.reason


def test_a_group_with_all_systems_but_one_leaves_one_degree():
    g = gt.gstudy(scores(9, 12, np.random.default_rng(7)))
    groups = dict.fromkeys(range(1, 9), "most") | {9: "other"}
    found = g.plan().interval("generalizability", groups=groups)
    assert found.method == "stretched feldt, 1 df in place of 8, 2 groups"
    assert found.reason.startswith("2 groups")


@pytest.mark.parametrize("shape", [(2, 2), (2, 3), (2, 4), (2, 6)])
def test_two_systems_have_an_interval_and_a_note(shape):
    rng = np.random.default_rng(1)
    found = gt.gstudy(rng.random(shape)).plan().interval("generalizability")
    assert found.low <= found.estimate <= found.high
    assert "2 systems are too few" in found.reason


def test_one_broken_run_among_perfect_ones_is_one_degree_of_freedom():
    """Without it nothing is left of the error."""
    rng = np.random.default_rng(2)
    x = np.ones((30, 50))
    x[0] = rng.random(50) < 0.3
    g = gt.gstudy(x)
    for coefficient in COEFFICIENTS:
        found = g.plan().interval(coefficient)
        assert ", 1 df in place of 29" in found.method
    table = g.component_intervals(method="jackknife")
    assert np.isfinite(table[["low", "high"]]).all(axis=None)
    assert (df_of(g) >= 1).all()


def test_few_systems_are_said_to_be_few():
    rng = np.random.default_rng(2)
    for systems, few in ((5, True), (8, False)):
        g = gt.gstudy(scores(systems, 30, rng, np.arange(systems) / 3))
        for found in (
            g.plan().interval("generalizability"),
            g.plan().required_interval("topic", 0.9),
        ):
            assert (f"{systems} systems" in found.reason) == few


@pytest.mark.filterwarnings("error")
def test_two_systems_systems_alike_and_one_unlike():
    rng = np.random.default_rng(3)
    two = gt.gstudy(scores(2, 10, rng)).plan()
    assert "2 systems" in two.interval("dependability").reason
    same = 5 + np.tile(rng.normal(size=10), (6, 1))
    one = same + np.eye(6, 1) * rng.normal(1, 0.1, 10)
    found = gt.gstudy(one).plan().interval("dependability")
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_gaps_hardly_change_what_the_systems_show():
    x = scores(30, 40, np.random.default_rng(8), -np.geomspace(0.1, 6, 30))
    whole = gt.gstudy(x)
    long = whole.cells
    frame = pd.DataFrame({**long.codes, "score": long.scores})
    gappy = gt.gstudy(
        frame.sample(frac=0.7, random_state=1), "system x topic"
    )
    for coefficient in COEFFICIENTS:
        r, again = (stretch(g.plan(), coefficient) for g in (whole, gappy))
        assert again == pytest.approx(r, rel=0.25)
    found = gappy.plan().interval("generalizability")
    plain = gappy.plan().interval("generalizability", method="profile")
    assert found.method.startswith("stretched profile, ")
    assert found.low < plain.low < plain.high < found.high


def test_systems_that_share_no_items_are_seen_by_their_means():
    frame = oracle.table(gt.Design("item:system"), LEVELS | {"system": 12})
    frame = frame.sample(frac=0.8, random_state=1)
    g = gt.gstudy(frame, "item:system")
    means = frame.groupby("system")["score"].mean()

    def log_variance(part):
        return np.log(part.var())

    left = [log_variance(means.drop(name)) for name in means.index]
    seen = 11 / 12 * np.sum((left - np.mean(left)) ** 2)
    wanted = shrunk(seen / polygamma(1, 11 / 2), 12)
    assert stretch(g.plan(), "dependability") == pytest.approx(
        wanted, rel=1e-5
    )


@pytest.mark.slow
def test_an_interval_that_holds_where_the_exact_one_does_not():
    """400 studies of systems like those of Deep Learning 2021, one of
    which is far below the others: of 95%, a standard error of .011."""
    g = gt.gstudy(gt.load("dl21"))
    system, _, error = g.estimate
    means = g.universe_scores()["estimate"].to_numpy()
    means = (means - means.mean()) / means.std() * system**0.5
    truth = 50 * system / (50 * system + error)
    rng, kept = np.random.default_rng(10), {"auto": 0, "exact": 0}
    for _ in range(400):
        x = scores(30, 50, rng, rng.choice(means, 30), tuple(g.estimate))
        plan = gt.gstudy(x).plan()
        for method in kept:
            found = plan.interval("generalizability", method=method)
            kept[method] += found.low <= truth <= found.high
    assert 0.89 * 400 < kept["auto"] < 0.96 * 400
    assert kept["exact"] < kept["auto"] - 0.015 * 400


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_an_interval_that_holds_with_families(coefficient):
    """Six groups of five, half of the variance between them."""
    rng = np.random.default_rng(11)
    group = np.repeat(np.arange(6), 5)
    groups = dict(enumerate(group, start=1))
    error = 0.6 if coefficient == "generalizability" else 1.6
    truth = 0.3 / (0.3 + error / 40)
    kept = {"auto": 0, "exact": 0}
    for _ in range(300):
        between = rng.normal(0, 0.15**0.5, 6)[group]
        x = scores(30, 40, rng, between + rng.normal(0, 0.15**0.5, 30))
        plan = gt.gstudy(x).plan()
        for method in kept:
            of = groups if method == "auto" else None
            found = plan.interval(coefficient, method=method, groups=of)
            kept[method] += found.low <= truth <= found.high
    assert kept["auto"] > 0.915 * 300
    assert kept["exact"] < kept["auto"] - 0.03 * 300


def test_components_have_the_degrees_of_freedom_that_they_show():
    """Of normal scores those of the table, but for chance; of scores whose
    spread differs between topics fewer of the residual."""
    rng = np.random.default_rng(12)
    x = scores(40, 60, rng)
    df = np.array([39, 59, 39 * 59])
    ratio = df_of(gt.gstudy(x)) / df
    assert ((ratio > 0.5) & (ratio < 1.45)).all()
    spread = scores(40, 60, rng, shares=(0.3, 1, 0.1))
    spread += rng.normal(size=(40, 60)) * rng.gamma(0.5, 2, 60)
    assert df_of(gt.gstudy(spread))[-1] < df[-1] / 10


def test_the_exact_limits_on_fewer_degrees_of_freedom():
    """Feldt's formula by hand, both degrees of freedom over r."""
    g = gt.gstudy(scores(20, 30, np.random.default_rng(13)))
    r = stretch(g.plan(), "generalizability")
    system, _, error = g.mean_squares
    df = np.array([19, 19 * 29]) / r
    low, high = (
        1 - f_distribution.ppf(p, *df) / (system / error)
        for p in (0.975, 0.025)
    )
    found = g.plan().interval("generalizability")
    assert (found.low, found.high) == pytest.approx((low, high))
