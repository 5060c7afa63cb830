"""How often a test of reusability rejects, found by simulation."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from gtlib.reuse.assignment import Assignment
from gtlib.reuse.permutation import reusability_test
from gtlib.tables import checks


def simulate_tests(
    collection: Callable[[int], tuple[pd.DataFrame, pd.Series, Assignment]],
    n_simulations: int = 200,
    comparisons: Sequence[str] = ("within",),
    n_resamples: int = 199,
    seed: int = 0,
) -> pd.DataFrame:
    """p-values of the published and the permutation tests, again and again.

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
    n = checks.whole_number(n_simulations, "n_simulations")
    rows = []
    seeds = np.random.default_rng(seed).integers(2**32, size=n)
    for own in tqdm(seeds.tolist(), "collections", disable=None):
        report = reusability_test(
            *collection(own), comparisons, n_resamples=n_resamples, seed=own
        )
        observed = report.table["observed"]
        row = {
            ("published", *key): scipy.special.chdtrc(3, observed[key])
            for key in observed.index
            if key[0] == "agreement"
        }
        for key, p in report.table["p"].items():
            row["permutation", *key] = p
        least = report.table["adjusted p"].min()
        row["permutation", "any", "adjusted"] = least
        rows.append(row)
    table = pd.DataFrame(rows)
    names = ["test", "question", "statistic"]
    table.columns = pd.MultiIndex.from_tuples(rows[0], names=names)
    return table


def rejection_rates(p_values: pd.DataFrame) -> pd.DataFrame:
    """The share of collections that are rejected at .05, and how surely.

    Parameters
    ----------
    p_values : DataFrame
        As `simulate_tests` returns them.

    Returns
    -------
    DataFrame
        A row per column of p-values: ``rate``, the share with p ≤ .05;
        ``low`` and ``high``, the 95% interval for the true rate (Clopper
        & Pearson 1934).

    Examples
    --------
    >>> p = pd.DataFrame({"test": [0.01, 0.2, 0.7, 0.05]})
    >>> rejection_rates(p).loc["test"].round(3).tolist()
    [0.5, 0.068, 0.932]
    """
    rows = []
    for count in (p_values <= 0.05 + 1e-12).sum():
        test = scipy.stats.binomtest(count, len(p_values))
        rows.append((test.statistic, *test.proportion_ci()))
    return pd.DataFrame(rows, p_values.columns, ["rate", "low", "high"])
