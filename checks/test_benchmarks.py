"""benchmarks.harness: figures that can be read."""

import pytest

from benchmarks import harness
from benchmarks.harness import NBSP, Row


def test_a_table_has_two_digits_and_a_unit_and_says_who_is_missing():
    rows = [
        Row("a G-study", "gtlib", 3.6e-4, 0.2, 1),
        Row("a G-study", "a loop", 97.3, None, 5340),
        Row("a G-study", "a matrix", 0.99996, 1234, 0.26),
        Row("a G-study", "elsewhere"),
        Row("REML", "gtlib", 0.0101, 1, 27.7),
        Row("REML", "on paper", note="not finished"),
    ]
    table = harness.as_markdown(rows).replace(NBSP, " ").splitlines()
    assert [line.split(" | ", 2)[-1] for line in table[2:]] == [
        "360 µs | < 1 MB | 1.0 |",
        "97 s |  | 5,300 |",
        "1,000 ms | 1,234 MB | 0.26 |",
        "not installed |  |  |",
        "10 ms | 1 MB | 28 |",
        "not finished |  |  |",
    ]
    works = [line.split(" | ")[0] for line in table[2:]]
    assert works == ["| a G-study", *["| "] * 3, "| REML", "| "]


def test_agreement_is_said_and_disagreement_stops():
    same = ("tau", "elsewhere", [0.5, 0.25], [0.5, 0.25 + 2e-16])
    last = harness.agreement_table([same]).splitlines()[-1]
    assert last == "| tau | elsewhere | 2 | 2e-16 |"
    for other in ([0.5, 0.26], [0.5, float("nan")]):
        with pytest.raises(AssertionError, match="tau, elsewhere: apart"):
            harness.agreement_table([(*same[:3], other)])
