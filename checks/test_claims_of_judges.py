"""What chapter 11 says of Krippendorff's alpha, apart from the notebook."""

from importlib.util import find_spec
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.judges import krippendorff


def graded(seed, passages=12, judges=4):
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(passages, 1))
    seen = latent + 0.7 * rng.normal(size=(passages, judges))
    return pd.DataFrame(np.digitize(seen, [-0.5, 0.3, 1]))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_definition_by_pairs(seed):
    """1 - observed over expected disagreement (Krippendorff 2004)."""
    grades = graded(seed)
    observed = np.mean(
        [
            (a - b) ** 2
            for row in grades.to_numpy()
            for a, b in permutations(row, 2)
        ]
    )
    every = grades.to_numpy().ravel()
    n = len(every)
    expected = sum((a - b) ** 2 for a, b in product(every, every))
    expected /= n * (n - 1)
    found = krippendorff(grades)
    assert found == pytest.approx(1 - observed / expected)
    if find_spec("krippendorff"):
        from krippendorff import alpha

        theirs = alpha(grades.T, level_of_measurement="interval")
        assert found == pytest.approx(theirs, abs=1e-12)


def test_it_is_phi_of_one_judge_as_passages_are_added():
    apart = []
    for passages in (10, 100, 1000):
        grades = graded(7, passages)
        study = gt.gstudy(grades.rename_axis("passage"), "passage x judge")
        phi = study.plan(judge=1).dependability
        apart.append(abs(krippendorff(grades) - phi) * passages)
    assert max(apart) < 1
    assert apart[2] / 1000 < 1e-3
