"""Tables of very many columns: all are looked at together, and what is
found is what a table of few columns says."""

import numpy as np
import pandas as pd
import pytest

from gtaudit.inputs import read_scores
from gtaudit.structure import structure


def written(path, topics, rows="system"):
    """Write scores of four systems on so many topics, a row for each
    system or for each topic."""
    scores = np.random.default_rng(1).random((4, topics)).round(4)
    table = pd.DataFrame(scores, ["bm25", "lm", "dense", "both"])
    table.columns = [f"q{i}" for i in range(topics)]
    shown = table if rows == "system" else table.T
    shown.to_csv(path, index_label=rows)
    return table


@pytest.mark.parametrize(
    "topics", [200, pytest.param(100_000, marks=pytest.mark.slow)]
)
def test_a_wide_table_is_read_as_the_same_turned(tmp_path, topics):
    for rows in ("system", "topic"):
        table = written(tmp_path / "a.csv", topics, rows)
        read = read_scores(tmp_path / "a.csv")
        pd.testing.assert_frame_equal(read, table, check_index_type=False)


def test_columns_of_a_wide_table_are_what_they_are_in_a_narrow_one():
    """Gaps, words, whole numbers, and what is broken."""
    fields = {
        "name": ["a", "b", "c"],
        "whole": ["1", "2", "30"],
        "gap": ["0.5", "", "NA"],
        "empty": ["", "-", "nan"],
        "words": ["PASS", "FAIL", "PASS"],
        "shares": ["5%", "7%", "9.5%"],
        "commas": ["0,5", "0,25", "1"],
        "broken": ["0.5", "lots", "0.25"],
    }
    few = structure(pd.DataFrame(fields))
    filled = {f"q{i}": ["0.1", "0.2", "0.3"] for i in range(99)}
    many = structure(pd.DataFrame(fields | filled))
    assert {c: many.kinds[c] for c in fields} == few.kinds
    for name in few.numbers:
        assert many.numbers[name].equals(few.numbers[name].astype(float))
        for known in ("is_whole", "has_fractions", "is_broken"):
            assert getattr(many, known)(name) == getattr(few, known)(name)
