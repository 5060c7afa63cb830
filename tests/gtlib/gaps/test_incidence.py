"""The incidence of observed scores, by matrices that hold every cell."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.anova import with_coefficients
from gtlib.gaps import Incidence, compute_shares
from gtlib.scores import read_cells
from tests import oracle
from tests.cases import first

SIZES = {"p": 5, "i": 6, "a": 3, "g": 2}
DESIGNS = "p x i", "p x i x a", "p x (a:i)", "i:p", "(p:g) x i"


def with_gaps(design, seed, missing=0.3):
    """Every level occurs at least once, for most seeds."""
    levels = {facet: SIZES[facet] for facet in design.facets}
    rng = np.random.default_rng(seed)
    frame = oracle.table(design, levels, rng)
    return frame[rng.random(len(frame)) >= missing]


def weights(frame, design, fixed=()):
    """Multipliers of the components in universe score, relative and
    absolute error: traces of the covariance matrix that each effect
    brings to the systems' distances from their universe scores."""
    objects = sorted(design.closure([design.object]))
    own = [scores for _, scores in frame.groupby(objects)]
    found = []

    def rows(table):
        return [*map(tuple, table.to_numpy(dtype=object))]

    for effect in design.effects:
        facets = sorted(effect.facets)
        others = sorted(effect.facets - {*objects})
        mine = [f for f in facets if f in objects]
        levels = frame[facets].drop_duplicates()
        whole = effect.facets <= {*objects, *fixed}
        if whole and others and mine:  # also what was not observed
            levels = (
                frame[mine]
                .drop_duplicates()
                .merge(frame[others].drop_duplicates(), how="cross")
            )
        share = np.zeros((len(own), len(levels)))
        target = np.zeros_like(share)
        for row, scores in enumerate(own):
            has = rows(scores[facets])
            here = rows(scores[mine])[0]
            for column, level in enumerate(rows(levels[facets])):
                share[row, column] = has.count(level) / len(has)
            for column, name in enumerate(rows(levels[mine])):
                target[row, column] = whole and here == name
        target /= np.maximum(target.sum(axis=1, keepdims=True), 1)
        error = (share - target) @ (share - target).T
        n = len(own)
        absolute = relative = np.trace(error) / n
        if not mine:
            centre = np.eye(n) - 1 / n
            relative = np.trace(centre @ error) / (n - 1)
        universe = (target**2).sum() / n if mine else 0.0
        found.append((universe, relative, absolute))
    return np.transpose(found)


def incidence(cells, fixed=()):
    return Incidence.from_shares(cells.design, compute_shares(cells), fixed)


@pytest.mark.parametrize("seed", first(1, [1, 2]))
@pytest.mark.parametrize(
    ("text", "fixed"),
    [(design, ()) for design in DESIGNS]
    + [("p x i x a", ("a",)), ("p x i x a", ("i",))],
)
def test_is_what_every_cell_says(text, fixed, seed):
    design = gt.Design(text, object="p")
    frame = with_gaps(design, seed)
    seen = incidence(read_cells(frame, design), fixed)
    expected = weights(frame, design, fixed)
    np.testing.assert_allclose(seen.universe, expected[0], atol=1e-12)
    np.testing.assert_allclose(seen.relative, expected[1], atol=1e-12)
    np.testing.assert_allclose(seen.absolute, expected[2], atol=1e-12)


@pytest.mark.parametrize("text", DESIGNS[:4])
def test_of_a_table_without_gaps_is_the_plan_by_numbers(text):
    design = gt.Design(text)
    g = gt.gstudy(with_gaps(design, 3, missing=0), design)
    assert g.incidence is None
    sums = incidence(g.cells).sums(g.estimate.to_numpy())
    found = with_coefficients(sums)
    plan = g.plan()
    for name, value in found.items():
        assert getattr(plan, name) == pytest.approx(value, abs=1e-12)


def test_says_how_many_observations_a_system_has():
    frame = pd.DataFrame(
        {
            "system": [*"aaaabbc"],
            "topic": [1, 2, 3, 4, 1, 2, 1],
            "score": [0.1, 0.3, 0.2, 0.6, 0.5, 0.4, 0.8],
        }
    )
    seen = incidence(read_cells(frame, gt.Design("system x topic")))
    assert str(seen) == (
        "1 to 4 observations of a system (harmonic mean 1.7)"
    )
    even = frame[frame["system"] != "c"].iloc[[0, 1, 4, 5]]
    seen = incidence(read_cells(even, gt.Design("system x topic")))
    assert str(seen) == "2 observations of each system"


@pytest.mark.slow
def test_knows_the_numbers_that_all_systems_share():
    """Every system has three of the six topics, and both assessors."""
    frame = oracle.table(gt.Design("p x i x a"), {"p": 6, "i": 6, "a": 2})
    place = (
        frame["i"].str[1:].astype(int) - frame["p"].str[1:].astype(int)
    ) % 6
    third = frame[place < 3]
    design = gt.Design("p x i x a")
    assert incidence(read_cells(third, design)).levels == {
        "i": 3,
        "a": 2,
    }
    assert gt.gstudy(third, design).plan(i=10).levels == {"i": 10, "a": 2}
    fewer = third[(third["p"] != "p0") | (third["i"] != "i0")]
    assert incidence(read_cells(fewer, design)).levels == {"a": 2}


def table(rng, systems, topics, there):
    """Scores with gaps, and the systems' true means."""
    truth = rng.normal(size=systems)
    scores = (
        truth[:, None]
        + 1.4 * rng.normal(size=topics)
        + 1.4 * rng.normal(size=(systems, topics))
    )
    wide = pd.DataFrame(scores).where(there)
    wide = wide.rename_axis("system").reset_index()
    long = wide.melt("system", var_name="topic", value_name="score")
    return long.dropna(), truth


def at_random(rng, systems, topics, filled):
    return rng.random((systems, topics)) < filled


def in_blocks(rng, systems, topics, filled):
    """Groups of five systems have each a run of topics."""
    start = (np.arange(systems) // 5) * 5 * topics // systems
    distance = (np.arange(topics) - start[:, None]) % topics
    return distance < round(filled * topics)


@pytest.mark.slow
@pytest.mark.parametrize("filled", [0.1, 0.2, 0.5, 0.8])
@pytest.mark.parametrize("pattern", [at_random, in_blocks])
def test_claims_what_the_means_then_correlate_with_the_truth(
    pattern, filled
):
    """The mean of 12 collections of 100 systems; where the number of
    collections allows no more, within three standard errors."""
    rng = np.random.default_rng(6)
    gap = []
    for _ in range(12):
        there = pattern(rng, 100, 60, filled)
        long, truth = table(rng, 100, 60, there)
        g = gt.gstudy(long, "system x topic", method="henderson")
        means = long.groupby("system")["score"].mean()
        squared = np.corrcoef(means, truth[means.index])[0, 1] ** 2
        gap.append(g.plan().generalizability - squared)
    error = np.std(gap) / np.sqrt(len(gap))
    assert abs(np.mean(gap)) < max(0.02, 3 * error)
