"""Numbers that the text says: as many as typed, and as exact as typed."""

import pytest

from book.support.said import NUMBER, said


@pytest.mark.parametrize(
    ("fragment", "values"),
    [
        ("alpha is 0.877 for the first", [0.8771]),
        ("nearly 12 of the 40 topics", [12, 40]),
        ("1,234 of 12,345,678 documents, no more", [1234, 12345678]),
        ("a covariance of −0.3, or of -0.31.", [-0.31, -0.31]),
        ("45% of them, or 45.2%, not .95", [0.452, 0.452, 0.95]),
        ("from 3.2 to 4.8 ($0.95$)", [3.21, 4.79, 0.95]),
        ("a value of 0.5 (12-fold, of F1 and k10)", [0.5, 12]),
        ("halfway is 0.12 or 0.13", [0.125, 0.125]),
        ("halfway is 2 or 3", [2.5, 2.5]),
        ("of BM25 and nDCG@10 0.4.", [0.4]),
        ("10–20 topics", [10, 20]),
    ],
)
def test_what_is_typed_is_what_is_rounded(fragment, values):
    said(fragment, *values)


@pytest.mark.parametrize(
    ("fragment", "values", "message"),
    [
        ("alpha is 0.88", [0.8649], "0.88, the code 0.8649"),
        ("alpha is 0.88", [float("nan")], "nan"),
        ("alpha is 0.880", [0.8779], "0.880"),
        ("45% of them", [45], "45%, the code 45.0"),
        ("−0.3", [0.3], "−0.3"),
        ("12 of 40", [12], "has 2 numbers"),
        ("no number", [12], "has 0 numbers"),
    ],
)
def test_what_is_wrong_is_named(fragment, values, message):
    with pytest.raises(AssertionError, match=message) as error:
        said(fragment, *values)
    assert fragment in str(error.value)


def test_an_interval_is_its_estimate():
    class Interval:
        estimate = 0.95

    said("it is 0.95", Interval())


def test_digits_of_names_are_no_numbers():
    assert NUMBER.findall("nDCG@10, BM25, k1, 2x, 3-d") == ["3"]
