"""Closed-form limits: printed numbers, exact cases, the formulas as they
are printed."""

import numpy as np
import pytest
from scipy import stats

import gtlib as gt
from gtlib.intervals import arteaga, feldt, modified_large_sample


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_mean_square_is_a_chi_square(level):
    low, high = modified_large_sample(
        np.array([3.0]), np.array([17.0]), level
    )
    tail = (1 - level) / 2
    assert low == pytest.approx(51 / stats.chi2.ppf(1 - tail, 17))
    assert high == pytest.approx(51 / stats.chi2.ppf(tail, 17))


# ---- system x topic ---------------------------------------------------


@pytest.mark.parametrize(
    "coefficient", ["generalizability", "dependability"]
)
def test_limits_that_gt4ireval_prints(coefficient):
    """From its mean squares of the best 30 systems of TREC-3."""
    printed = gt.load("urbano-2017")["value"]
    system, topic, error = (
        printed[f"best-30/mean-square/{effect}"]
        for effect in ("system", "topic", "system-x-topic")
    )
    if coefficient == "generalizability":
        found = feldt((system, error), (29, 29 * 49), 50, 0.95)
    else:
        squares, df = (system, topic, error), (29, 49, 29 * 49)
        found = arteaga(squares, df, (30, 50), 0.95)
    for signal, end in zip(found, ("low", "high"), strict=True):
        reached = 50 * signal / (1 + 50 * signal)
        wanted = printed[f"best-30/{coefficient}/50/{end}"]
        assert reached == pytest.approx(wanted, abs=3e-5)


def test_feldt_is_an_f_distribution():
    low, high = feldt((6.0, 1.5), (9, 36), 5, 0.9)
    assert low == pytest.approx((4 / stats.f.ppf(0.95, 9, 36) - 1) / 5)
    assert high == pytest.approx((4 / stats.f.ppf(0.05, 9, 36) - 1) / 5)


@pytest.mark.parametrize(
    ("squares", "sizes"),
    [((0.37, 1.1, 0.011), (40, 50)), ((5.0, 2.0, 1.0), (5, 4))],
)
def test_arteaga_as_gt4ireval_writes_it(squares, sizes):
    (ms, mq, me), (ns, nq) = squares, sizes
    df = ns - 1, nq - 1, (ns - 1) * (nq - 1)
    for found, p in zip(
        arteaga(squares, df, sizes, 0.95), (0.975, 0.025), strict=True
    ):
        q = stats.chi2.ppf(p, df[0]) / df[0]
        qe, qq = stats.f.ppf(p, df[0], df[2]), stats.f.ppf(p, *df[:2])
        n = ms**2 - q * ms * me + (q - qe) * qe * me**2
        d = (ns - 1) * q * ms * me + qq * ms * mq
        phi = ns * (n / d) / (ns * (n / d) + nq)
        assert found == pytest.approx(phi / (1 - phi))


# ---- modified large sample --------------------------------------------


GAUGE = {  # what each component takes of the mean squares of a study of
    # 10 parts x 3 operators, each part measured three times by each
    "part": {"part": 1 / 9, "part-x-operator": -1 / 9},
    "operator": {"operator": 1 / 30, "part-x-operator": -1 / 30},
    "part-x-operator": {"part-x-operator": 1 / 3, "measurement": -1 / 3},
    "measurement": {"measurement": 1.0},
    "reproducibility": {
        "operator": 1 / 30,
        "part-x-operator": 9 / 30,
        "measurement": -1 / 3,
    },
}


@pytest.mark.parametrize("quantity", GAUGE)
def test_limits_that_gaugerr_prints(quantity):
    """A gauge study; formulas of Burdick, Borror & Montgomery (2005)."""
    printed = gt.load("gaugerr")["value"]
    p, o, r = (
        printed[f"levels/{f}"] for f in ("part", "operator", "measurement")
    )
    df = {
        "part": p - 1,
        "operator": o - 1,
        "part-x-operator": (p - 1) * (o - 1),
        "measurement": p * o * (r - 1),
    }
    shares = GAUGE[quantity]
    found = modified_large_sample(
        np.array(
            [c * printed[f"mean-square/{e}"] for e, c in shares.items()]
        ),
        np.array([df[e] for e in shares]),
        0.95,
    )
    for limit, end in zip(found, ("low", "high"), strict=True):
        wanted = printed[f"{quantity}/{end}"]
        assert limit == pytest.approx(wanted, rel=1e-6)


def as_printed(terms, df, level):
    """Burdick & Graybill (1992), section 3.3: each limit by its own
    formula, the squared distance as a form in all terms."""
    tail = (1 - level) / 2
    plus = np.flatnonzero(terms > 0)
    minus = np.flatnonzero(terms < 0)
    size = np.abs(terms)
    G = 1 - df / stats.chi2.ppf(1 - tail, df)
    H = df / stats.chi2.ppf(tail, df) - 1
    estimate = size[plus].sum() - size[minus].sum()
    lower, upper = np.zeros((2, len(df), len(df)))
    for matrix, own, other in ((lower, G, H), (upper, H, G)):
        matrix[plus, plus] = own[plus] ** 2
        matrix[minus, minus] = other[minus] ** 2
    for q in plus:
        for r in minus:
            F = stats.f.ppf(1 - tail, df[q], df[r])
            lower[q, r] = ((F - 1) ** 2 - (G[q] * F) ** 2 - H[r] ** 2) / F
            F = stats.f.ppf(tail, df[q], df[r])
            upper[q, r] = ((1 - F) ** 2 - (H[q] * F) ** 2 - G[r] ** 2) / F
    for matrix, group in ((lower, plus), (upper, minus)):
        for k, q in enumerate(group):
            for t in group[k + 1 :]:
                n = df[q] + df[t]
                joint = 1 - n / stats.chi2.ppf(1 - tail, n)
                matrix[q, t] = (
                    (joint * n) ** 2 / (df[q] * df[t])
                    - G[q] ** 2 * df[q] / df[t]
                    - G[t] ** 2 * df[t] / df[q]
                ) / (len(group) - 1)
    return (
        estimate - np.sqrt(size @ lower @ size),
        estimate + np.sqrt(size @ upper @ size),
    )


@pytest.mark.parametrize(
    ("terms", "df"),
    [
        ([4.0, -1.0], [9.0, 40.0]),
        ([1.0, 2.0, -0.5], [3.0, 10.0, 6.0]),
        ([2.0, 0.5, -0.3, -1.5], [5.0, 60.0, 12.0, 8.0]),
        (
            [5.0, 1.0, 2.0, 0.5, -1.0, -2.0, -0.7, -0.2],
            [4, 5, 6, 9, 2, 3, 7, 8],
        ),
    ],
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_modified_large_sample_as_burdick_and_graybill_print_it(
    terms, df, level
):
    """Up to the eight mean squares of four crossed facets."""
    terms, df = np.array(terms), np.array(df, float)
    found = modified_large_sample(terms, df, level)
    assert found == pytest.approx(as_printed(terms, df, level))
    backwards = modified_large_sample(terms[::-1], df[::-1], level)
    assert found == pytest.approx(backwards)


def test_a_difference_touches_zero_where_the_f_test_does():
    f = stats.f.ppf(0.975, 8, 30)
    df = np.array([8.0, 30.0])
    low, _ = modified_large_sample(np.array([f, -1.0]), df, 0.95)
    assert low == pytest.approx(0, abs=1e-12)
    low, _ = modified_large_sample(np.array([1.01 * f, -1.0]), df, 0.95)
    assert low > 0
    f = stats.f.ppf(0.975, 30, 8)
    _, high = modified_large_sample(np.array([1.0, -f]), df, 0.95)
    assert high == pytest.approx(0, abs=1e-12)


def test_two_mean_squares_that_would_be_pooled_are_one():
    """With shares as their degrees of freedom, and next to nothing
    against them: the chi-square limit of the pooled mean square."""
    df = np.array([6.0, 19.0, 40.0])
    low, _ = modified_large_sample(np.array([6.0, 19.0, -1e-9]), df, 0.95)
    assert low == pytest.approx(25**2 / stats.chi2.ppf(0.975, 25))


def test_the_limits_of_a_difference_reversed_are_reversed():
    terms, df = np.array([4.0, 0.5, -1.0]), np.array([9.0, 40.0, 20.0])
    low, high = modified_large_sample(terms, df, 0.9)
    reverse = modified_large_sample(-terms, df, 0.9)
    assert reverse == pytest.approx((-high, -low))


def test_a_low_confidence_may_leave_no_distance():
    """The modified variance of the lower limit comes out below zero."""
    terms = np.array([0.2, 3.2, 0.7, -3.1])
    low, high = modified_large_sample(terms, np.array([1, 3, 5, 1000]), 0.2)
    assert low == pytest.approx(terms.sum())
    assert low < high
