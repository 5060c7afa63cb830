"""Of which ranks and judgments there is no AP, and how that is said."""

import numpy as np
import pytest

import gtlib as gt
from gtlib import ap
from gtlib.ap import ap_moments, confidence
from tests.refusals import refused

HALF = [0.5, 0.5]
MANY = np.arange(1, 22), np.full(21, 0.5)
REFUSED = {
    "shapes are (2,) and (1,)": lambda: ap_moments([1, 2], [0.5]),
    "one entry per document": lambda: ap_moments(1, 0.5),
    "have one axis, the documents": lambda: ap_moments([[1, 2]], HALF),
    "one axis, the": lambda: ap_moments([1, 2], [HALF]),
    "3 is the rank of two doc": lambda: ap_moments([3, 1, 3], [0.5] * 3),
    "1 is the rank of two documents": lambda: ap_moments([1, 1], HALF),
    "2.5 at [1] is not a rank": lambda: ap_moments([1, 2.5], HALF),
    "0 at [0] is not a rank": lambda: ap_moments([0, 1], HALF),
    "nan at [0] is not a rank": lambda: ap_moments([np.nan, 1], HALF),
    "-inf at [0] is not a rank": lambda: ap_moments([-np.inf, 1], HALF),
    "1.1 at [1] is not a prob": lambda: ap_moments([1, 2], [0.5, 1.1]),
    "nan at [1] is not a prob": lambda: ap_moments([1, 2], [0.5, np.nan]),
    "'Plugin'; choose from 'exact'": lambda: ap_moments(
        [1], [0.5], ratio="Plugin"
    ),
    "ratio is 'exact'": lambda: ap.approximate(None, "exact"),
    "0 or 1": lambda: gt.average_precision([1, 2], [0.5, 1]),
    "too many to list": lambda: gt.ap_distribution(*MANY),
    "No documents": lambda: gt.ap_distribution([], []),
    "one topic or more": lambda: confidence([]),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)
