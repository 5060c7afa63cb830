"""The tests of reusability on collections that are made anew."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from gtlib import BlockDesign, reusability_test
from gtlib.checks import whole_number
from gtlib.reuse import Assignment


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
    >>> from gtlib.reuse import BlockDesign
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


def skewed_collection(
    seed: int,
) -> tuple[pd.DataFrame, pd.Series, Assignment]:
    """Make a reusable collection of skewed and tied scores.

    Parameters
    ----------
    seed : int

    Returns
    -------
    scores : DataFrame, 24 systems x 60 topics
        Whole numbers, alike within sites; nothing is lost by being held
        out.
    site : Series
        System -> one of six sites.
    assignment : Assignment

    Examples
    --------
    >>> scores, site, assignment = skewed_collection(1)
    >>> scores.shape, site.nunique(), assignment.held_out.shape
    ((24, 60), 6, (60, 6))
    """
    rng = np.random.default_rng(seed)
    design = BlockDesign(6, 2, 60, baseline=15, fill=True)
    names = [f"run{i}" for i in range(24)]
    site = pd.Series([f"S{i // 4 + 1}" for i in range(24)], names)
    skill = rng.uniform(0.5, 1.5, (24, 1))
    difficulty = rng.gamma(0.5, 1, 60)
    taste = rng.gamma(1, 1, (6, 60)).repeat(4, axis=0)
    noise = rng.gamma(2, 1, (24, 60))
    scores = (skill * difficulty * taste * noise).round()
    table = pd.DataFrame(scores, names, design.topics)
    return table, site, design.assign(rng)


def beta_collection(
    reuse: int, seed: int, b_worse: float = 5, alone: bool = False
) -> tuple[pd.DataFrame, pd.Series, Assignment]:
    """Make a collection in which some systems are worse when held out.

    Parameters
    ----------
    reuse : int
        Topics of reuse of each site.
    seed : int
    b_worse : float
        Scores are drawn from beta distributions with a first parameter of
        2. The second is 3.2, 4 and 5 for the three systems of a site, and
        this for those that get worse, where they are held out.
    alone : bool
        Whether only one system of all gets worse, or one of each site.

    Returns
    -------
    scores : DataFrame, 18 systems x topics
    site : Series
        System -> one of six sites.
    assignment : Assignment

    Notes
    -----
    After Carterette et al. 2010, section 4.1, which prints neither the
    distributions nor the numbers of sites and systems.

    Examples
    --------
    >>> scores, site, assignment = beta_collection(10, seed=1)
    >>> scores.shape
    (18, 80)
    """
    rng = np.random.default_rng(seed)
    design = BlockDesign(6, 2, 50 + 3 * reuse, baseline=50)
    assignment = design.assign(rng)
    names = [f"{site}-{i}" for site in design.sites for i in (1, 2, 3)]
    site = pd.Series(np.repeat([*design.sites], 3), names)
    b = np.tile([3.2, 4, 5], 6)[:, None]
    usual = rng.beta(2, b, (18, len(design.topics)))
    worse = rng.beta(2, b_worse, usual.shape)
    first = np.tile([True, False, False], 6)[:, None]
    first[3:] &= not alone
    held = assignment.held_out[site].to_numpy().T
    scores = np.where(first & held, worse, usual)
    return pd.DataFrame(scores, names, design.topics), site, assignment
