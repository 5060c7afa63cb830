"""benchmarks.harness: figures that can be read."""

import pytest

from benchmarks import harness
from benchmarks.__main__ import replaced
from benchmarks.harness import NBSP, Row


@pytest.mark.parametrize(
    "seconds, text",
    [(97.3, "97 s"), (0.99996, "1,000 ms"), (3.6e-4, "360 µs")],
)
def test_a_duration_has_two_digits_and_a_unit(seconds, text):
    assert harness.duration(seconds).replace(NBSP, " ") == text


@pytest.mark.parametrize(
    "number, text",
    [(1, "1.0"), (0.26, "0.26"), (27.7, "28"), (5340, "5,300")],
)
def test_no_exponents(number, text):
    assert harness.significant(number) == text


def test_a_table_names_its_work_once_and_says_who_is_missing():
    rows = [
        Row("a G-study", "gtlib", 0.001, 0.2, 1.0),
        Row("a G-study", "a loop", 0.085, None, 85.0),
        Row("a G-study", "elsewhere"),
        Row("a G-study", "on paper", note="not finished"),
    ]
    *_, ours, loop, missing, paper = (
        harness.as_markdown(rows).replace(NBSP, " ").splitlines()
    )
    assert ours.endswith("| 1.0 ms | < 1 MB | 1.0 |")
    assert loop == "|  | a loop | 85 ms |  | 85 |"
    assert missing == "|  | elsewhere | not installed |  |  |"
    assert paper == "|  | on paper | not finished |  |  |"


def test_agreement_is_said_and_disagreement_stops():
    same = ("tau", "elsewhere", [0.5, 0.25], [0.5, 0.25 + 2e-16])
    last = harness.agreement_table([same]).splitlines()[-1]
    assert last == "| tau | elsewhere | 2 | 2e-16 |"
    for other in ([0.5, 0.26], [0.5, float("nan")]):
        with pytest.raises(AssertionError, match="tau, elsewhere: apart"):
            harness.agreement_table([(*same[:3], other)])


def test_a_new_section_takes_the_place_of_the_old_one():
    old = "All.\n\n## One\n\na\n\n## One and two\n\nb\n\n## Three\n\nc\n"
    new = replaced(old, "## One\n\nA\n")
    assert new == old.replace("\na\n", "\nA\n")
    assert replaced(new, "## One\n\na\n") == old
    assert replaced(old, "## Three\n\nC\n").endswith("b\n\n## Three\n\nC\n")
    assert replaced(old, "## Four\n\nd\n") == f"{old}\n## Four\n\nd\n"
