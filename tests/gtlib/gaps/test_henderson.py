"""Henderson's method I, against textbooks and a dense-matrix oracle."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from gtlib.design import Design
from gtlib.gaps import find_undetermined, henderson, reml
from gtlib.scores import read_cells
from tests import oracle
from tests.cases import first

CROSSED = "system x topic x assessor"


def table(shape, names, seed=0, missing=0.0, nest=None):
    """A long table of correlated scores, some rows left out."""
    rng = np.random.default_rng(seed)
    index = np.indices(shape).reshape(len(shape), -1)
    y = rng.normal(size=index.shape[1])
    for size in range(1, len(shape)):
        axes = rng.permutation(len(shape))[:size]
        levels = np.ravel_multi_index(index[axes], np.array(shape)[axes])
        y += rng.normal(size=levels.max() + 1)[levels]
    long = pd.DataFrame(dict(zip(names, index, strict=True)))
    long["score"] = y
    for inner, outer in (nest or {}).items():
        long[inner] = (
            long[outer].astype(str) + "/" + long[inner].astype(str)
        )
    return long[rng.random(len(long)) >= missing]


def estimates(long, design):
    return henderson(read_cells(long, Design(design)))


def dense_henderson(long, design):
    """The same equations from N x N projection matrices."""
    design = Design(design)
    y = long["score"].to_numpy()
    n = len(y)
    indicators = []
    for effect in design.effects:
        names = (
            long[sorted(effect.facets)].astype(str).agg("|".join, axis=1)
        )
        indicators.append(pd.get_dummies(names).to_numpy(dtype=float))
    mean = np.full((n, n), 1 / n)
    quadratics = [
        z @ np.diag(1 / z.sum(axis=0)) @ z.T - mean for z in indicators
    ]
    matrix = [
        [np.trace(q @ z @ z.T) for z in indicators] for q in quadratics
    ]
    return np.linalg.solve(matrix, [y @ q @ y for q in quadratics])


@pytest.mark.parametrize(
    ("design", "nest"),
    [
        ("system x topic", None),
        (CROSSED, None),
        ("system x (assessor:topic)", {"assessor": "topic"}),
        ("topic:system", {"topic": "system"}),
        (
            "(topic x assessor):system",
            {"topic": "system", "assessor": "system"},
        ),
        ("assessor:topic:system", {"topic": "system", "assessor": "topic"}),
    ],
)
@pytest.mark.parametrize("seed", first(1, range(3)))
def test_is_the_dense_solution(design, nest, seed):
    names = Design(design).facets
    long = table((5, 6, 4)[: len(names)], names, seed, 0.2, nest)
    assert estimates(long, design) == pytest.approx(
        dense_henderson(long, design), abs=1e-10
    )


def test_rajaratnam():
    """Rajaratnam, Cronbach & Gleser (1965), unequal subtests."""
    scores = pd.DataFrame(
        [
            [4, 5, 3, 3, 5, 4, 5, 7],
            [2, 1, 2, 3, 1, 4, 4, 6],
            [2, 4, 4, 7, 6, 5, 8, 7],
            [1, 3, 5, 4, 5, 5, 4, 5],
            [3, 3, 6, 7, 5, 7, 8, 9],
            [1, 2, 5, 6, 4, 4, 5, 6],
            [3, 5, 6, 8, 6, 7, 7, 8],
            [0, 1, 1, 2, 0, 4, 7, 8],
        ]
    )
    long = scores.rename_axis("person").reset_index()
    long = long.melt("person", var_name="item", value_name="score")
    long["subtest"] = long["item"].map(dict(enumerate("AABBBBCC")))
    found = estimates(long, "person x (item:subtest)")
    assert found.round(4).tolist() == [
        1.2014,
        2.9161,
        0.2946,
        0.9914,
        0.8429,
    ]


@given(
    st.tuples(*[st.integers(2, 5)] * 3),
    st.integers(0, 2**32 - 1),
    st.floats(-100, 100),
)
def test_balanced_is_anova_wherever_the_origin(shape, seed, shift):
    names = "system", "topic", "assessor"
    long = table(shape, names, seed)
    anova = gt.gstudy(long, CROSSED).table["estimate"]
    long["score"] += shift
    assert estimates(long, CROSSED) == pytest.approx(
        anova.to_numpy(), abs=1e-9
    )


def test_the_sparse_and_the_dense_index_agree():
    """Most cells empty: levels are found by sorting instead."""
    rng = np.random.default_rng(1)
    long = pd.DataFrame(
        {
            "system": rng.integers(0, 40, 300),
            "topic": rng.integers(0, 40, 300),
            "assessor": rng.integers(0, 40, 300),
        }
    ).drop_duplicates()
    long["score"] = rng.normal(size=len(long)) + long["system"] % 3
    assert estimates(long, CROSSED) == pytest.approx(
        dense_henderson(long, CROSSED), abs=1e-9
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("design", "nest"),
    [
        ("system x topic", None),
        (CROSSED, None),
        ("system x (assessor:topic)", {"assessor": "topic"}),
    ],
)
def test_unbiased(design, nest):
    """Each estimate is a form y'Ay, with the expectation Σ σ²(k) Σ z'Az
    over the columns z of the indicators of k's levels."""
    design = Design(design)
    shape = (4, 5, 3)[: len(design.facets)]
    long = table(shape, design.facets, 5, 0.2, nest)
    cells = read_cells(long, design)
    long = long.sort_values(list(design.facets))
    expected = [
        sum(
            henderson(replace(cells, scores=column))
            for column in oracle.indicators(long, effect.facets).T
        )
        for effect in design.effects
    ]
    assert np.array(expected) == pytest.approx(
        np.eye(len(design.effects)), abs=1e-9
    )


@pytest.mark.slow
def test_auto_says_what_it_did():
    long = table((4, 5), ["system", "topic"])
    assert gt.gstudy(long).method == "anova"
    assert gt.gstudy(long.iloc[1:]).method == "reml"
    henderson_too = gt.gstudy(long.iloc[1:], method="henderson")
    assert henderson_too.method == "henderson"


def test_one_score_may_link_two_parts():
    long = table((6, 8), ["system", "topic"])
    apart = (long["system"] < 3) == (long["topic"] < 4)
    link = (long["system"] == 5) & (long["topic"] == 0)
    assert estimates(long[apart | link], "system x topic") == pytest.approx(
        dense_henderson(long[apart | link], "system x topic")
    )


def test_nests_need_no_link():
    """Assessors of one topic and those of another share no page."""
    long = table(
        (3, 4, 4),
        ["topic", "assessor", "page"],
        nest={"assessor": "topic", "page": "topic"},
    )
    design = "(assessor x page):topic"
    assert estimates(long.iloc[1:], design) == pytest.approx(
        dense_henderson(long.iloc[1:], design)
    )


@pytest.mark.parametrize("method", ["anova", "henderson", "reml"])
def test_brennans_data_set_4(method):
    scores = gt.load("brennan-2001")
    printed = gt.load("brennan-2001-printed")["value"]
    g = gt.gstudy(scores, "person x (rater:task)", method=method)
    ours = g.estimate.round(4).to_numpy()
    assert (ours == printed.filter(like="4/variance").to_numpy()).all()
    for fixed, where in (((), ""), ("task", "/tasks-fixed")):
        d = g.plan(fixed=fixed)
        for name in ("generalizability", "dependability"):
            wanted = printed[f"data-set-4/{name}{where}"]
            assert round(getattr(d, name), 2) == wanted


def small_table(seed):
    """A few cells of a table with two to four levels of each facet."""
    rng = np.random.default_rng(seed)
    design = Design(oracle.STUDIES[rng.integers(len(oracle.STUDIES))])
    levels = {f: int(rng.integers(2, 5)) for f in design.facets}
    long = oracle.table(design, levels, rng)
    return long[rng.random(len(long)) > rng.uniform(0.05, 0.7)], design


def covariances_are_dependent(long, design):
    """Whether a sum of the effects' covariance matrices of differences
    between scores, some of them negative, is zero."""
    n = len(long)
    centre = np.eye(n) - 1 / n
    parts = []
    for effect in design.effects:
        z = centre @ oracle.indicators(long, effect.facets)
        parts.append((z @ z.T).ravel())
    norms = np.linalg.norm(parts, axis=1, keepdims=True)
    scaled = np.array(parts) / np.where(norms > 1e-9, norms, 1)
    return np.linalg.matrix_rank(scaled, tol=1e-7) < len(parts)


SINGULAR = [120, 301, 451, 452, 1009, 1357, 1362, 1629, 1983, 2350, 2546]


@pytest.mark.parametrize(
    "seed", [*first(4, SINGULAR), *first(6, range(24))]
)
def test_a_singular_system_is_refused_whatever_the_order(seed):
    """Exactly if no method could tell the effects apart."""
    long, design = small_table(seed)
    said = set()
    for order in range(3):
        rows = long.sample(frac=1, random_state=order)
        try:
            henderson(read_cells(rows, design))
            said.add("")
        except ValueError as refusal:
            said.add(str(refusal))
    assert len(said) == 1
    singular = "The table cannot tell apart" in said.pop()
    if seed in SINGULAR:
        assert singular
        with pytest.raises(ValueError, match="The table cannot tell apart"):
            reml(read_cells(long, design))
    if singular or not refused(long, design):
        assert covariances_are_dependent(long, design) == singular


def refused(long, design):
    """For another reason than a singular system."""
    try:
        henderson(read_cells(long, design))
    except ValueError as error:
        return "The table cannot tell apart" not in str(error)
    return False


@given(*[st.lists(st.integers(-12, 12), min_size=3, max_size=3)] * 2)
def test_what_is_undetermined_does_not_depend_on_units(rows, columns):
    """Each equation and each unknown in a unit of its own."""
    regular = np.array([[4.0, 1, 1], [1, 3, 1], [1, 1, 2]])
    twins = np.array([[4.0, 1, 1], [1, 3, 3], [1, 1, 1]])
    scale = 10.0 ** np.add.outer(rows, np.array(columns) // 3)
    assert find_undetermined(regular * scale).tolist() == [False] * 3
    assert find_undetermined(twins * scale)[1:].all()


def test_what_no_equation_names_is_undetermined():
    assert find_undetermined(np.diag([0.0, 3.0])).tolist() == [True, False]
    column = np.array([[2.0, 0.0], [1.0, 0.0]])
    assert find_undetermined(column).tolist() == [False, True]
