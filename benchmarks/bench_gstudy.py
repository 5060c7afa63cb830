"""G-studies and their intervals.

A peer is given the largest size that it finishes in reasonable time; at
the sizes where it does not, gtlib stands alone. Intervals from replicates
have 2,000 of them.
"""

import warnings
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd

import gtlib as gt
from benchmarks.harness import compare, peer

generalizit = peer("generalizit")
mixed = peer("statsmodels.regression.mixed_linear_model")

CROSSED = "system x topic x assessor"
SPREAD = {
    ("system",): 0.1,
    ("topic",): 0.15,
    ("assessor",): 0.02,
    ("system", "topic"): 0.1,
    ("system", "assessor"): 0.01,
    ("topic", "assessor"): 0.04,
    ("system", "topic", "assessor"): 0.04,
}


def rows():
    yield from two_facets(129, 50)
    yield from balanced(33, 50, 2)
    yield from balanced(100, 1000, 5, peers=False)
    yield from gappy(12, 20, 3)
    yield from gappy(60, 200, 3, likelihood=False)
    yield from gappy(100, 1000, 5, peers=False, likelihood=False)
    yield from henderson_alone(200, 5600, 10)
    yield from intervals(129, 50)


def two_facets(systems, topics):
    long = table(system=systems, topic=topics)
    wide = long.pivot_table("score", "system", "topic")
    yield from compare(
        f"G-study, {systems} systems x {topics} topics",
        lambda: gt.gstudy(wide),
        {
            "generalizit": generalizit and (lambda: theirs(long)),
            "statsmodels": mixed and (lambda: mixed_model(long)),
        },
    )


def balanced(systems, topics, assessors, peers=True):
    long = table(system=systems, topic=topics, assessor=assessors)
    yield from compare(
        f"G-study, {systems} x {topics} x {assessors}",
        lambda: gt.gstudy(long, CROSSED),
        {"generalizit": generalizit and (lambda: theirs(long))}
        if peers
        else None,
    )


def gappy(systems, topics, assessors, peers=True, likelihood=True):
    """A tenth of the cells missing: REML, and Henderson's method I."""
    long = table(0.1, system=systems, topic=topics, assessor=assessors)
    size = f"{systems} x {topics} x {assessors}, a tenth missing"
    yield from compare(
        f"REML, {size}",
        lambda: gt.gstudy(long, CROSSED, method="reml"),
        {"statsmodels": mixed and (lambda: mixed_model(long))}
        if likelihood
        else None,
    )
    yield from compare(
        f"Henderson, {size}",
        lambda: gt.gstudy(long, CROSSED, method="henderson"),
        {"generalizit": generalizit and (lambda: theirs(long))}
        if peers
        else None,
    )


def henderson_alone(systems, topics, assessors):
    long = table(0.1, system=systems, topic=topics, assessor=assessors)
    yield from compare(
        f"Henderson, {systems} x {topics} x {assessors}, a tenth missing",
        lambda: gt.gstudy(long, CROSSED, method="henderson"),
    )


def intervals(systems, topics):
    g = gt.gstudy(table(system=systems, topic=topics), "system x topic")
    for method in ("exact", "pivotal", "parametric", "bootstrap"):
        yield from compare(
            f"interval of Φ, {method}, {systems} x {topics}",
            lambda method=method: g.plan().interval(
                "dependability", method=method
            ),
        )


def table(missing=0.0, **levels):
    """A long table of crossed random effects, some rows left out."""
    rng = np.random.default_rng(0)
    facets = list(levels)
    index = np.indices(tuple(levels.values()), dtype=np.int32)
    score = np.full(index.shape[1:], 0.5)
    for effect, spread in SPREAD.items():
        if set(effect) <= set(facets):
            shape = [n if f in effect else 1 for f, n in levels.items()]
            score += rng.normal(0, spread, shape)
    kept = rng.random(score.size) >= missing
    codes = index.reshape(len(facets), -1)
    long = {f: code[kept] for f, code in zip(facets, codes, strict=True)}
    return pd.DataFrame(long | {"score": score.ravel()[kept]})


def theirs(long):
    """GeneralizIT's analysis of variance; what it prints is swallowed."""
    facets = " x ".join(c for c in long.columns if c != "score")
    with redirect_stdout(StringIO()):
        study = generalizit.GeneralizIT(long, facets, "score")
        study.calculate_anova()


def mixed_model(long):
    """statsmodels' restricted likelihood, one group, crossed effects."""
    facets = [c for c in long.columns if c != "score"]
    formulas = {
        ":".join(effect): "0 + " + ":".join(f"C({f})" for f in effect)
        for effect in SPREAD
        if set(effect) < set(facets)
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mixed.MixedLM.from_formula(
            "score ~ 1",
            long.assign(all=1),
            groups="all",
            re_formula="0",
            vc_formula=formulas,
        ).fit(reml=True)
