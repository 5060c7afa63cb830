"""Of which tables there is no estimate, and how that is said."""

import numpy as np
import pandas as pd
import pytest

from gtlib import gstudy
from gtlib.gaps import henderson
from gtlib.scores import read_cells
from tests.gtlib.gaps.test_henderson import (
    CROSSED,
    small_table,
    table,
)
from tests.refusals import refused

LONG = table((4, 5), ["system", "topic"])
THREE = table((4, 6, 3), ["system", "topic", "assessor"])
ONE_EACH = THREE["assessor"] == (THREE["topic"] + THREE["system"]) % 3
SIX = table((6, 8), ["system", "topic"])
NINE = table((9, 8), ["system", "topic"])
NEST = table(
    (3, 4, 4),
    ["topic", "assessor", "page"],
    nest={"assessor": "topic", "page": "topic"},
)
ASSESSOR, PAGE = (
    NEST[name].str[-1].astype(int) for name in ("assessor", "page")
)
WITHIN = (NEST["topic"] != 1) | ((ASSESSOR < 2) == (PAGE < 2))
EXACT = np.add.outer([0.0, 0.25, 0.5], [0.0, 0.125, 0.5, 0.25])
SUMS = pd.DataFrame(
    [(s, t, s + 2.0 * t**2) for s in range(5) for t in range(6)],
    columns=["system", "topic", "score"],
)


def apart(long, systems):
    first = (long["system"] < systems) == (long["topic"] < 4)
    return gstudy(long[first])


REFUSED = {
    "1 of 20 cells missing ... hender": lambda: gstudy(
        LONG.iloc[1:], method="anova"
    ),
    "'guess'; choose from 'auto'": lambda: gstudy(LONG, method="guess"),
    "system x topic and system x topic x assessor cannot be told apart": (
        lambda: gstudy(THREE[ONE_EACH], CROSSED)
    ),
    "disconnected: system 0, 1, 2 and system 3, 4, 5 have no topic in "
    "common": lambda: apart(SIX, 3),
    "system 0, 1, 2 and 1 more and system 4, 5, 6 and 2 more have no topic "
    "in common": lambda: apart(NINE, 4),
    "assessor 1/0, 1/1 and assessor 1/2, 1/3 have no page in common": (
        lambda: gstudy(NEST[WITHIN], "(assessor x page):topic")
    ),
    "cannot tell apart system x page and system x topic x page and system "
    "x assessor x page and system x topic x assessor x page": lambda: (
        henderson(read_cells(*small_table(451)))
    ),
    "leave no error": lambda: (
        gstudy(EXACT).plan().interval("generalizability", method="profile")
    ),
    "leave no ": lambda: gstudy(SUMS, method="reml"),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


def test_a_link_within_a_nest_is_enough():
    linked = (NEST["topic"] != 1) | (ASSESSOR + PAGE != 3)
    gstudy(NEST[linked], "(assessor x page):topic")
