"""G-studies and their intervals.

A peer is given the largest size that it finishes in reasonable time; at
the sizes where it does not, gtlib stands alone. A G-study by gtlib also
reads names and looks for what is no score, which is most of the time of a
small one. Intervals from replicates have 2,000 of them.
"""

import warnings
from contextlib import redirect_stdout
from functools import partial
from io import StringIO

import generalizit
from statsmodels.regression.mixed_linear_model import MixedLM

import gtlib as gt
from benchmarks.harness import SPREAD, compare, made_up_long

FACETS = "system", "topic", "assessor"


def rows():
    yield from study(
        "G-study", 129, 50, generalizit=theirs, statsmodels=mixed_model
    )
    yield from study("G-study", 33, 50, 2, generalizit=theirs)
    yield from study("G-study", 100, 1000, 5)
    yield from study("REML", 12, 20, 3, statsmodels=mixed_model)
    yield from study("Henderson", 12, 20, 3, generalizit=theirs)
    yield from study("REML", 60, 200, 3)
    yield from study("Henderson", 60, 200, 3, generalizit=theirs)
    yield from study("REML", 100, 1000, 5)
    yield from study("Henderson", 100, 1000, 5)
    yield from study("Henderson", 200, 5600, 10)
    yield from intervals(129, 50)


def study(way, *sizes, **peers):
    """All facets crossed; REML, and Henderson's method I, are for a table
    in which a tenth of the cells is missing."""
    gaps = way != "G-study"
    levels = dict(zip(FACETS, sizes, strict=False))
    scores = long = made_up_long(0.1 * gaps, **levels)
    if len(sizes) == 2:
        scores = long.pivot_table("score", "system", "topic")
    yield from compare(
        f"{way}, {' x '.join(map(str, sizes))}"
        + ", a tenth missing" * gaps,
        lambda: gt.gstudy(
            scores,
            " x ".join(levels),
            method=way.lower() if gaps else "anova",
        ),
        {who: partial(work, long) for who, work in peers.items()},
    )


def intervals(systems, topics):
    g = gt.gstudy(
        made_up_long(system=systems, topic=topics), "system x topic"
    )
    for method in ("auto", "exact", "pivotal", "bootstrap"):
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
        MixedLM.from_formula(
            "score ~ 1",
            long.assign(all=1),
            groups="all",
            re_formula="0",
            vc_formula=formulas,
        ).fit(reml=True)
