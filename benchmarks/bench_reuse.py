"""Reusability.

No installable tool analyses the block design; what people would write is
a loop that calls scipy's paired t-test for every pair.
"""

import numpy as np
import pandas as pd
from scipy import stats

import gtlib as gt
from benchmarks.harness import compare

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
        "assignment of 249 topics to 14 sites, 2 held out",
        lambda: gt.BlockDesign(14, 2, 249, fill=True).assign(),
    )
    yield from compare(
        "assignment of 500 topics to 60 sites, 5 held out",
        lambda: gt.BlockDesign(60, 5, 500, fill=True).assign(),
    )


def collection():
    rng = np.random.default_rng(1)
    names = [f"run{i}" for i in range(110)]
    sites = pd.Series([f"S{i % 14 + 1}" for i in range(110)], names)
    design = gt.BlockDesign(14, 2, 249, fill=True)
    scores = (
        rng.normal(0.25, 0.06, (110, 1))
        + rng.normal(0, 0.17, 249)
        + rng.normal(0, 0.1, (110, 249))
    )
    table = pd.DataFrame(scores, names, design.topics)
    return table, sites, design.assign()


def loop(scores, sites, assignment):
    """One table of expected and observed agreement, a pair at a time."""
    observed, expected = np.zeros((2, 2)), np.zeros((2, 2))
    for site, names in sites.groupby(sites).groups.items():
        out = assignment.held_out[site].to_numpy()
        for i, first in enumerate(names):
            for second in names[i + 1 :]:
                z = (scores.loc[first] - scores.loc[second]).to_numpy()
                tests = [
                    stats.ttest_1samp(z[part], 0).pvalue < 0.05
                    for part in (~out, out)
                ]
                observed[1 - tests[0], 1 - tests[1]] += 1
                effect = z[~out].mean() / z[~out].std(ddof=1)
                power = [
                    power_of(effect, part.sum()) for part in (~out, out)
                ]
                expected += np.outer(
                    [power[0], 1 - power[0]], [power[1], 1 - power[1]]
                )
    return stats.chisquare(observed.ravel(), expected.ravel()).pvalue


def power_of(effect, topics):
    bound = stats.t.isf(0.025, topics - 1)
    return stats.nct.sf(bound, topics - 1, abs(effect) * np.sqrt(topics))
