"""The appendix's distance from a ranking, against a list of all faces."""

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import gtlib as gt
from book.support.simulations import Population
from tests.cases import first

pytestmark = pytest.mark.sources


@pytest.fixture(scope="module")
def d_rank():
    """The appendix's own function."""
    book = Path(__file__).parents[3] / "appendices"
    chapter = book / "appendix-07-reusability.ipynb"
    names = {"np": np, "combinations": combinations}
    for cell in json.loads(chapter.read_text("utf-8"))["cells"]:
        code = "".join(cell["source"])
        if "def distances(" in code or "def d_rank(" in code:
            exec(code, names)
    return names["d_rank"]


def cone_distance(z):
    """min over θ ≥ 0 of n (z̄-θ)'S⁻¹(z̄-θ): the best of all faces."""
    n, (size, _) = z.shape[1], z.shape
    weight = n * np.linalg.inv(np.atleast_2d(np.cov(z)))
    mean = z.mean(axis=1)
    best = mean @ weight @ mean
    for count in range(1, size + 1):
        for free in combinations(range(size), count):
            free, zero = (
                list(free),
                [i for i in range(size) if i not in free],
            )
            inner = weight[np.ix_(free, free)]
            theta = mean[free] + np.linalg.solve(
                inner, weight[np.ix_(free, zero)] @ mean[zero]
            )
            if (theta >= 0).all():
                gap = mean.copy()
                gap[free] -= theta
                best = min(best, gap @ weight @ gap)
    return best


class TestDRank:
    def table(self, systems, topics, seed):
        rng = np.random.default_rng(seed)
        scores = rng.random((systems, topics)) + rng.random(topics)
        return pd.DataFrame(scores)

    @pytest.mark.parametrize("systems", [2, 3, 5, 8])
    def test_is_the_nearest_point_of_all_faces(self, d_rank, systems):
        for seed in range(8):
            table = self.table(systems, 25, seed)
            reference = pd.Series(
                np.random.default_rng(seed).random(systems), table.index
            )
            order = np.argsort(-reference.to_numpy())
            z = -np.diff(table.to_numpy()[order], axis=0)
            found = d_rank(table, reference, n_resamples=10)
            assert found[0] == pytest.approx(cone_distance(z), abs=1e-9)

    def test_of_two_swapped_systems_is_t_squared(self, d_rank):
        table = self.table(2, 20, 3)
        means = table.mean(axis=1)
        t = stats.ttest_rel(*table.to_numpy()).statistic
        swapped = d_rank(table, -means)
        assert swapped[0] == pytest.approx(t**2)
        assert d_rank(table, means)[1] == pytest.approx(1)
        one_sided = stats.t.sf(abs(t), 19)
        drawn = d_rank(table, -means, n_resamples=4000)[1]
        error = np.sqrt(one_sided / 4000)
        assert abs(drawn - one_sided) < 4 * error + 0.1 * one_sided

    @pytest.mark.parametrize("systems", first(1, [3, 2, 4]))
    def test_p_value_lists_all_signs(self, d_rank, systems):
        """Seven topics have 128 signs: the distance anew for each."""
        table = self.table(systems, 7, 12 + systems)
        reference = -table.mean(axis=1)
        z = -np.diff(table.loc[reference.sort_values().index[::-1]], axis=0)
        seen = cone_distance(z)
        hits = [
            cone_distance(z * signs) > seen - 1e-9
            for signs in product((-1, 1), repeat=7)
        ]
        found = d_rank(table, reference, n_resamples=8000)
        error = np.sqrt(np.mean(hits) / 8000)
        assert found[0] == pytest.approx(seen)
        assert abs(found[1] - np.mean(hits)) < 4 * error

    @pytest.mark.slow
    def test_weights_follow_from_the_angles(self, d_rank):
        """Of three systems the cone is a wedge: 1/2 and the angle; with
        many topics S is as good as known."""
        table = self.table(3, 4000, 5) - 0.5
        angle = np.arccos(0.5)  # neighbours' differences correlate -1/2
        found = d_rank(table, pd.Series([1, 2, 3]), n_resamples=8000)
        inside = angle / (2 * np.pi)
        tail = 0.5 * stats.chi2.sf(found[0], 1)
        tail += (0.5 - inside) * stats.chi2.sf(found[0], 2)
        assert 0.01 < tail < 0.9
        assert found[1] == pytest.approx(tail, rel=0.07)

    @pytest.mark.slow
    @pytest.mark.parametrize("systems, topics", [(8, 30), (10, 15)])
    @pytest.mark.parametrize("like_ap", [False, True])
    def test_size_where_systems_are_equal(
        self, d_rank, systems, topics, like_ap
    ):
        """100 tables: .05 with a standard error of .022. With S taken as
        known it would be .15 and .46."""
        population = Population.normal(
            {"system": 0, "topic": 0.02, "system x topic": 0.01}
        )
        if like_ap:
            population = Population.ap_like((1e-12, 0.68, 0.32 - 1e-12))
        reference = pd.Series(-np.arange(systems))
        tables = (
            population.scores(systems, topics, seed) for seed in range(100)
        )
        p = np.array([d_rank(table, reference, 39)[1] for table in tables])
        assert 0 < (p <= 0.05).mean() < 0.05 + 0.06

    @pytest.mark.slow
    def test_systems_in_order_are_rejected_less(self, d_rank):
        """Far apart and in order, but for two that are equal."""
        rejected = []
        for seed in range(200):
            noise = np.random.default_rng(seed).standard_normal((4, 20))
            table = pd.DataFrame(noise + np.array([[9], [6], [0], [0]]))
            reference = pd.Series([4, 3, 2, 1])
            rejected.append(d_rank(table, reference, 39)[1] <= 0.05)
        assert np.mean(rejected) < 0.05 + 0.045

    def test_invariances(self, d_rank):
        table = self.table(4, 12, 1)
        reference = -table.mean(axis=1)
        found = d_rank(table, reference)
        for other in (table * 1e-8, table + 1e3, table.iloc[::-1]):
            again = d_rank(other, reference)
            assert again[0] == pytest.approx(found[0], rel=1e-6)
            assert again[1] == pytest.approx(found[1], abs=1e-3)

    def test_of_the_best_8_of_trec_3_reversed(self, d_rank):
        best = gt.load("trec3")
        means = best.mean(axis=1).sort_values(ascending=False).index[:8]
        best = best.loc[means]
        found = d_rank(best, -best.mean(axis=1))
        assert found[0] == pytest.approx(50.757, abs=5e-4)
        assert found[1] == 1 / 2001
