"""The tests of reusability on collections that are made anew."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from gtlib import reusability_test
from gtlib.reuse import Assignment
from gtlib.tables import whole_number


def simulate_tests(
    collection: Callable[[int], tuple[pd.DataFrame, pd.Series, Assignment]],
    n_simulations: int = 200,
    comparisons: Sequence[str] = ("within",),
    n_resamples: int = 199,
    seed: int = 0,
) -> pd.DataFrame:
    """Simulate the p-values of the published and permutation tests.

    Parameters
    ----------
    collection : callable
        Takes a seed and returns ``scores, sites, assignment`` of a
        collection made anew, for `reusability_test`.
    n_simulations : int
        How many collections.
    comparisons, n_resamples
        As for `reusability_test`. With 199 permutations p ≤ .05 has
        probability .05, exactly, if the collection is reusable (but for
        ties).
    seed : int

    Returns
    -------
    DataFrame of p-values
        A row per collection. Columns ``test``, ``question``,
        ``statistic``: the ``published`` test of agreement (chi-square, 3
        degrees of freedom), the ``permutation`` tests, and their least p
        adjusted for being the least.

    Examples
    --------
    >>> from gtlib.reuse.blocks import BlockDesign
    >>> design = BlockDesign("XYZ", 1, 30)
    >>> def reusable(seed):
    ...     rng = np.random.default_rng(seed)
    ...     scores = rng.random((6, 30))
    ...     scores = pd.DataFrame(scores, list("abcdef"), design.topics)
    ...     sites = dict(zip("abcdef", "XXYYZZ"))
    ...     return scores, sites, design.assign(rng)
    >>> simulate_tests(reusable, 3, n_resamples=19).shape
    (3, 6)
    """
    n = whole_number(n_simulations, "n_simulations")
    rows = []
    seeds = np.random.default_rng(seed).integers(2**32, size=n)
    for own in tqdm(seeds.tolist(), "collections", disable=None):
        report = reusability_test(
            *collection(own), comparisons, n_resamples=n_resamples, seed=own
        )
        table = report.table
        row = {
            ("published", *key): scipy.special.chdtrc(3, x2)
            for key, x2 in table["observed"].items()
            if key[0] == "agreement"
        }
        row |= {("permutation", *k): p for k, p in table["p"].items()}
        row["permutation", "any", "adjusted"] = table["adjusted p"].min()
        rows.append(pd.Series(row))
    names = ["test", "question", "statistic"]
    return pd.DataFrame(rows).rename_axis(names, axis="columns")
