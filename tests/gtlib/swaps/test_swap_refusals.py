"""Which swaps, halves and comparisons there cannot be, and why."""

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.swaps import leaderboard, p_value_rates
from tests.gtlib.swaps.test_detection import study
from tests.gtlib.swaps.test_pairwise import table
from tests.gtlib.swaps.test_swaps import simulated
from tests.refusals import refused

SCORES = simulated()
APART = gt.swap_rates(SCORES + 1000 * np.arange(8)[:, None], drop=0)
TABLE = table()
NESTED = gt.GStudy.from_components(
    "topic:system", {"system": 1, "topic:system": 1}
)
GAP = pd.DataFrame(SCORES, copy=True)
GAP.iloc[2, 3] = np.nan


def swaps(**options):
    return gt.swap_rates(SCORES, **options)


def halves(**options):
    return gt.split_half(simulated(9, 30), **options)


def compared(*systems, **options):
    return gt.compare(TABLE, *systems, **options)


REFUSED = {
    "40 topics: too few for 2 disjoint": lambda: swaps(sizes=[21]),
    "at most 10": lambda: swaps(sizes=[11], matched=False),
    "size=0: a whole number of at least 1": lambda: swaps(sizes=[0]),
    "size=2.5: a whole number": lambda: swaps(sizes=[2.5]),
    "sizes is empty": lambda: swaps(sizes=[]),
    "size=-5: a whole": lambda: gt.extrapolate_swaps(swaps(), [-5]),
    "has two dimensions": lambda: gt.leaderboard(5),
    "begin at 0": lambda: swaps(bins=[0.1, 0.2]),
    "ascend": lambda: swaps(bins=[0, 0.2, 0.1]),
    "n_resamples=0: a whole number": lambda: swaps(n_resamples=0),
    "drop=1": lambda: swaps(drop=1),
    "of at least 2": lambda: p_value_rates(SCORES, [1]),
    "mine: ... system 2 ... topic 3": lambda: gt.swap_rates({"mine": GAP}),
    "no collection": lambda: gt.swap_rates({}),
    "more sizes": lambda: gt.extrapolate_swaps(APART),
    "Ask for at most 15": lambda: halves(sizes=[16]),
    "size=1: a whole number of at least 2": lambda: halves(sizes=[1]),
    "n_resamples=0: a whole": lambda: halves(n_resamples=0),
    "no system 'bb'; there is 'b'": lambda: compared("bb"),
    "no system 'zzz'; there is 'a', 'b', 'c' and 3": lambda: compared(
        "zzz", "a"
    ),
    "Name a system": compared,
    "compared with itself": lambda: compared("a", "a"),
    "confidence_level=95": lambda: compared("a", confidence_level=95),
    "Every facet is fixed": lambda: compared("a", fixed="topic"),
    "no facet of the design": lambda: compared("a", fixed="subject"),
    "More than 1e+12 topics": lambda: gt.topics_to_detect(study(), 1e-8),
    "systems crossed with topics": lambda: gt.topics_to_detect(NESTED, 0.1),
    "no prediction": lambda: gt.topics_to_detect(study(0, 0.1, 0), 0.1),
    "alpha=5: a": lambda: leaderboard(TABLE, alpha=5),
    "confidence_level=95: a": lambda: leaderboard(
        TABLE, confidence_level=95
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("difference", 0),
        ("difference", np.nan),
        ("alpha", 5),
        ("power", 1),
        ("systems", 1),
        ("systems", 2.5),
    ],
)
def test_topics_to_detect(name, wrong):
    options = {"difference": 0.1, name: wrong}
    refused(lambda: gt.topics_to_detect(study(), **options), name)
