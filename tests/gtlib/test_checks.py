"""Numbers that callers give: which are taken, and what refusals say."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gtlib import checks
from gtlib.checks import as_numbers


@pytest.mark.parametrize("value", [7, 7.0, np.int64(7), np.float32(7)])
def test_a_whole_number_of_any_type_becomes_an_int(value):
    made = checks.whole_number(value, "n_resamples")
    assert made == 7
    assert type(made) is int


def test_the_least_number_is_included():
    assert checks.whole_number(0, "gaps", least=0) == 0
    assert checks.whole_number(1, "topics") == 1


@pytest.mark.parametrize(
    ("check", "name"),
    [
        (checks.confidence_level, "confidence_level"),
        (checks.significance_level, "alpha"),
    ],
)
class TestFractions:
    @pytest.mark.parametrize(
        "value",
        [0.95, np.float32(0.95), np.float64(0.95), Fraction(19, 20)],
    )
    def test_a_fraction_of_any_type_becomes_a_float(
        self, check, name, value
    ):
        assert check(value) == pytest.approx(0.95)
        assert type(check(value)) is float

    @pytest.mark.parametrize(
        "value", [0, 1, 0.0, 1.0, 2, -0.1, 95, math.nan, True, "x", None]
    )
    def test_anything_else_is_named_and_refused(self, check, name, value):
        with pytest.raises(ValueError, match=f"^{name}=.* both excluded"):
            check(value)


def test_the_last_digit_of_a_number_is_read():
    """A real score, which pandas before 3.1 reads as the number below."""
    written = "50.051279067993164"
    assert as_numbers(pd.Series([written])).tolist() == [float(written)]


@given(st.lists(st.floats(), min_size=1))
def test_every_number_is_read_as_it_was_written(numbers):
    read = as_numbers(pd.Series(map(repr, numbers), dtype=object))
    np.testing.assert_array_equal(read, numbers)


@pytest.mark.parametrize("kind", [object, "category", "string"])
def test_what_says_no_number_is_a_gap(kind):
    fields = ["1_0", "٣", "4e 6", "0x1F", "1,5", "", "True", None, " 2.50 "]
    read = as_numbers(pd.Series(fields, dtype=kind))
    assert read.dtype == float
    np.testing.assert_array_equal(read, [np.nan] * 8 + [2.5])


def test_numbers_stay_as_they_are():
    assert as_numbers(pd.Series([1, 2])).dtype == int
