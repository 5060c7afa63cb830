"""How often a test of reusability rejects, found by simulation."""

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from gtlib.reuse.permutation import reusability_test


def simulate_tests(
    collection,
    trials=200,
    comparisons=("within",),
    permutations=199,
    seed=0,
):
    """p-values of the published and the permutation tests, again and again.

    Parameters
    ----------
    collection : callable
        Takes a seed and returns ``scores, sites, assignment`` of a
        collection made anew, for `reusability_test`.
    trials : int
        How many collections.
    comparisons, permutations
        As for `reusability_test`. With 199 permutations p ≤ .05 has
        probability .05, exactly, if the collection is reusable (but for
        ties).
    seed : int

    Returns
    -------
    DataFrame of p-values
        A row per trial. Columns ``test``, ``question`` and ``statistic``:
        the ``published`` test of agreement (chi-square, 3 degrees of
        freedom), the ``permutation`` tests, and their least p adjusted
        for being the least.

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
    >>> simulate_tests(reusable, trials=3, permutations=19).shape
    (3, 6)
    """
    rows = []
    seeds = np.random.default_rng(seed).integers(2**32, size=trials)
    for own in tqdm(seeds.tolist(), "trials", disable=None):
        report = reusability_test(
            *collection(own),
            comparisons,
            permutations=permutations,
            seed=own,
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


def rejection_rates(p_values, alpha=0.05, level=0.95):
    """The share of trials that reject, and how surely it is known.

    Parameters
    ----------
    p_values : DataFrame
        As `simulate_tests` returns them.
    alpha : float
        Reject where p ≤ alpha.
    level : float
        Of the interval for the true rate (Clopper & Pearson 1934).

    Returns
    -------
    DataFrame
        A row per column of p-values: ``rate``, ``low``, ``high``.

    Examples
    --------
    >>> p = pd.DataFrame({"test": [0.01, 0.2, 0.7, 0.05]})
    >>> rejection_rates(p).loc["test"].round(3).tolist()
    [0.5, 0.068, 0.932]
    """
    count = (p_values <= alpha + 1e-12).sum()
    trials, tail = len(p_values), (1 - level) / 2
    low = scipy.special.betaincinv(
        np.maximum(count, 1), trials - count + 1, tail
    )
    high = scipy.special.betaincinv(
        count + 1, np.maximum(trials - count, 1), 1 - tail
    )
    return pd.DataFrame(
        {
            "rate": count / trials,
            "low": np.where(count == 0, 0.0, low),
            "high": np.where(count == trials, 1.0, high),
        }
    )
