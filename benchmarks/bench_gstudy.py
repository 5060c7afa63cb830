"""G-studies and their intervals.

A peer is given the largest size that it finishes in reasonable time; at
the sizes where it does not, gtlib stands alone. Intervals from replicates
have 2,000 of them.
"""

import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import gtlib as gt
from benchmarks.harness import SPREAD, compare, made_up_long, peer

generalizit = peer("generalizit")
mixed = peer("statsmodels.regression.mixed_linear_model")

CROSSED = "system x topic x assessor"


def rows():
    yield from two_facets(129, 50)
    yield from balanced(33, 50, 2)
    yield from balanced(100, 1000, 5, peers=False)
    yield from gappy(12, 20, 3, peers=["generalizit", "statsmodels"])
    yield from gappy(60, 200, 3, peers=["generalizit"])
    yield from gappy(100, 1000, 5)
    yield from gappy(200, 5600, 10, methods=["henderson"])
    yield from intervals(129, 50)


def two_facets(systems, topics):
    long = made_up_long(system=systems, topic=topics)
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
    long = made_up_long(system=systems, topic=topics, assessor=assessors)
    yield from compare(
        f"G-study, {systems} x {topics} x {assessors}",
        lambda: gt.gstudy(long, CROSSED),
        {"generalizit": generalizit and (lambda: theirs(long))}
        if peers
        else None,
    )


def gappy(*sizes, methods=("reml", "henderson"), peers=()):
    """A tenth of the cells missing: REML, and Henderson's method I."""
    levels = dict(zip(CROSSED.split(" x "), sizes, strict=True))
    long = made_up_long(0.1, **levels)
    ways = {
        "reml": ("REML", "statsmodels", mixed, mixed_model),
        "henderson": ("Henderson", "generalizit", generalizit, theirs),
    }
    for method in methods:
        name, who, installed, way = ways[method]
        yield from compare(
            f"{name}, {' x '.join(map(str, sizes))}, a tenth missing",
            partial(gt.gstudy, long, CROSSED, method=method),
            {who: installed and partial(way, long)} if who in peers else {},
        )


def intervals(systems, topics):
    g = gt.gstudy(
        made_up_long(system=systems, topic=topics), "system x topic"
    )
    for method in ("exact", "pivotal", "parametric", "bootstrap"):
        yield from compare(
            f"interval of Φ, {method}, {systems} x {topics}",
            lambda m=method: g.plan().interval("dependability", method=m),
        )


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
