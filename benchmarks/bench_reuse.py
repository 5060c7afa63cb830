"""Reusability.

No installable tool analyses the block design; what people would write is
a loop that calls scipy's paired t-test for every pair.
"""

from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

import gtlib as gt
from benchmarks.harness import compare, made_up

PERMUTATIONS = 9999


def rows():
    scores, sites, assignment = collection()
    for comparisons in (("within",), ("within", "between", "participant")):
        yield from compare(
            f"{PERMUTATIONS} permutations, 110 systems x 249 topics, "
            + ", ".join(comparisons),
            lambda comparisons=comparisons: gt.reusability_test(
                scores,
                sites,
                assignment,
                comparisons,
                n_resamples=PERMUTATIONS,
            ),
        )
    yield from compare(
        "agreement within sites, 110 systems x 249 topics",
        lambda: gt.significance_agreement(scores, sites, assignment),
        {"a loop over pairs": lambda: loop(scores, sites, assignment)},
    )
    yield from compare(
        "assignment of 500 topics to 60 sites, 5 held out",
        lambda: gt.BlockDesign(60, 5, 500, fill=True).assign(),
    )


def collection():
    names = [f"run{i}" for i in range(110)]
    sites = pd.Series([f"S{i % 14 + 1}" for i in range(110)], names)
    design = gt.BlockDesign(14, 2, 249, fill=True)
    table = pd.DataFrame(made_up(110, 249), names, design.topics)
    return table, sites, design.assign()


def loop(scores, sites, assignment):
    """One table of expected and observed agreement, a pair at a time."""
    observed, expected = np.zeros((2, 2)), np.zeros((2, 2))
    for site, names in sites.groupby(sites).groups.items():
        out = assignment.held_out[site].to_numpy()
        for first, second in combinations(names, 2):
            z = (scores.loc[first] - scores.loc[second]).to_numpy()
            parts = z[~out], z[out]
            one, two = (
                stats.ttest_1samp(p, 0).pvalue < 0.05 for p in parts
            )
            observed[1 - one, 1 - two] += 1
            effect = parts[0].mean() / parts[0].std(ddof=1)
            one, two = (power_of(effect, len(part)) for part in parts)
            expected += np.outer([one, 1 - one], [two, 1 - two])
    return stats.chisquare(observed.ravel(), expected.ravel()).pvalue


def power_of(effect, topics):
    bound = stats.t.isf(0.025, topics - 1)
    return stats.nct.sf(bound, topics - 1, abs(effect) * np.sqrt(topics))
