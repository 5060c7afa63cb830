"""What no interval can be had of, and in which words that is said."""

from dataclasses import replace

import pandas as pd
import pytest

import gtlib as gt
from gtlib.scores import as_wide
from tests import oracle
from tests.gtlib.uncertainty.test_intervals import CALLS, barren, small
from tests.refusals import refused

G = small()
FEW = small(3, 4)
THREE = small(design="system x topic x assessor")
BARE = replace(THREE, cells=None)
NOTHING = gt.GStudy.from_components(THREE.design, THREE.estimate)
LONG = oracle.table(THREE.design, THREE.levels).iloc[2:]
GAPPY = gt.gstudy(LONG, THREE.design, method="henderson")
EIGHT = gt.gstudy(as_wide(oracle.table(G.design, G.levels)).iloc[:8])
SQUARES = gt.GStudy.from_mean_squares(
    EIGHT.design, EIGHT.levels, EIGHT.mean_squares
)
SYSTEMS = EIGHT.cells.labels["system"]
TWO = {s: "a" if n < 4 else "b" for n, s in enumerate(SYSTEMS)}


def interval(g, coefficient="dependability", levels=None, **options):
    return g.plan(levels=levels).interval(coefficient, **options)


def grouped(groups, g=EIGHT, **options):
    return interval(g, groups=groups, **options)


REFUSED = {
    "'alpha'; choose from": lambda: interval(G, "alpha"),
    "method is 'parametric'; choose from 'auto', 'exact', 'profile', "
    "'pivotal', 'bootstrap'": lambda: interval(G, method="parametric"),
    "topic=0: a whole number": lambda: interval(G, levels={"topic": 0}),
    "'assessor' takes no number": lambda: interval(
        G, levels={"assessor": 2}
    ),
    "target=95": lambda: barren().plan().required_interval("topic", 95),
    "coefficient is 'alpha'": lambda: (
        barren().plan().required_interval("topic", 0.9, "alpha")
    ),
    "target=95: a number between": lambda: THREE.plan().required_interval(
        "topic", 95
    ),
    "system is the object of measure": lambda: (
        THREE.plan().required_interval("system", 0.9)
    ),
    "dependability has no exact interval in the design system x topic x "
    "assessor; use method='pivotal'": lambda: interval(
        THREE, method="exact"
    ),
    "'bootstrap' needs the scores": lambda: interval(
        BARE, method="bootstrap"
    ),
    "Components alone do not say": lambda: NOTHING.component_intervals(
        method="pivotal"
    ),
    "Give levels= to GStudy.from_components, or use": lambda: interval(
        NOTHING, levels={"topic": 5, "assessor": 2}
    ),
    "method='mls' needs the mean": lambda: GAPPY.component_intervals(
        method="mls"
    ),
    "method='bootstrap' knows no groups": lambda: EIGHT.component_intervals(
        method="bootstrap", groups=TWO
    ),
    "method='jackknife' needs the mean": lambda: GAPPY.component_intervals(
        groups=TWO
    ),
    "'bootstrap' knows no": lambda: grouped(TWO, method="bootstrap"),
    "method='pivotal' needs the mean": lambda: GAPPY.component_intervals(
        method="pivotal"
    ),
    "No facet has the 5 levels": lambda: FEW.component_intervals(
        method="bootstrap"
    ),
    f"groups has no group for system {SYSTEMS[2]}, ... and 1": lambda: (
        grouped({s: TWO[s] for s in SYSTEMS[:2]})
    ),
    f"groups has no group for system {SYSTEMS[0]}": lambda: grouped(
        dict.fromkeys(SYSTEMS)
    ),
    "into the group <b>: an interval": lambda: grouped(
        dict.fromkeys(SYSTEMS, "<b>")
    ),
    "groups maps each system": lambda: grouped("family"),
    "groups maps each system to its group": lambda: grouped(3),
    "to its group, as a dict": lambda: grouped(["a", "b"]),
    "names a system twice": lambda: grouped(pd.Series(["a", "b"], [1, 1])),
    "groups= needs the scores": lambda: grouped(TWO, SQUARES),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize("method", ["exact", "bootstrap", "profile"])
def test_a_method_that_knows_no_groups(method):
    says = "knows no groups of systems"
    refused(lambda: grouped(TWO, method=method), says)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("level", [0, 1, 95, "95%"])
def test_a_level_that_is_none(call, level):
    refused(
        lambda: call(G, confidence_level=level),
        f"confidence_level={level!r}: a number between 0 and 1, both "
        "excluded, is needed; .95 is usual.",
    )
