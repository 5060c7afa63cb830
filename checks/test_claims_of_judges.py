"""What chapter 11 says of Krippendorff's alpha, apart from the notebook."""

import ast
import json
from importlib.util import find_spec
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtlib as gt

CHAPTER = Path(__file__).parent.parent / "notebooks" / "11-llm-judges.ipynb"


@pytest.fixture(scope="module")
def krippendorff():
    """The chapter's own function, out of its cell."""
    cells = json.loads(CHAPTER.read_text("utf-8"))["cells"]
    (source,) = (
        text
        for cell in cells
        if "def krippendorff(" in (text := "".join(cell["source"]))
    )
    function = ast.Module(ast.parse(source).body[:1], [])
    names = {"np": np}
    exec(compile(function, str(CHAPTER), "exec"), names)
    return names["krippendorff"]


def graded(seed, passages=12, judges=4):
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(passages, 1))
    seen = latent + 0.7 * rng.normal(size=(passages, judges))
    return pd.DataFrame(np.digitize(seen, [-0.5, 0.3, 1]))


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_definition_by_pairs(krippendorff, seed):
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


def test_it_is_phi_of_one_judge_as_passages_are_added(krippendorff):
    apart = []
    for passages in (10, 100, 1000):
        grades = graded(7, passages)
        study = gt.gstudy(grades.rename_axis("passage"), "passage x judge")
        phi = study.plan(judge=1).dependability
        apart.append(abs(krippendorff(grades) - phi) * passages)
    assert max(apart) < 1
    assert apart[2] / 1000 < 1e-3
