"""The ledger: verdicts, ranges and the record."""

import fnmatch
import itertools
from functools import cache

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gtlib as gt
from book.support.ledger import Ledger, attainable, record
from book.support.ledger.ours import computed
from book.support.ledger.rounding import overlaps
from book.support.ledger.verdicts import (
    ATTAINABLE,
    COMPARISONS,
    CONSISTENT,
    DIFFERS,
    EXACT,
    MISSING,
    NOTES,
    OTHER,
    OUT_OF_REACH,
    RANGES,
    VERDICTS,
    WITHIN,
)
from tests.cases import only
from tests.refusals import refused

PAPER = "a-paper"


def facts(**printed):
    """What `load` gives of a paper that prints these numbers."""
    text = pd.Series(printed, name="printed", dtype=str)
    decimals = text.str.partition(".")[2].str.len()
    return pd.DataFrame(
        {
            "paper": PAPER,
            "location": "Table 1",
            "quantity": "a number & more",
            "value": text.astype(float),
            "printed": text,
            "decimals": decimals.astype(int),
            "note": "",
        }
    ).rename_axis("key")


def notes(**said):
    """Notes as `Ledger.notes` gives them: a dict of columns per key."""
    rows = [{"paper": PAPER, "key": key} | row for key, row in said.items()]
    columns = ["paper", "key", *NOTES]
    return pd.DataFrame(rows, columns=columns, dtype=str).fillna("")


def ledger_of(printed, ours, said=None, **cited):
    if isinstance(printed, dict):
        printed = facts(**printed)
    said = notes(**said or {})
    return Ledger({PAPER: printed}, {PAPER: ours}, said, cited)


def verdict(ours, printed, low=np.nan, high=np.nan, **said):
    row = {"value": ours, "low": low, "high": high}
    said = {"x": {"note": "because"} | said}
    ledger = ledger_of({"x": printed}, {"x": row}, said)
    return ledger.table.loc[(PAPER, "x"), "verdict"]


class TestVerdicts:
    @pytest.mark.parametrize(
        ("ours", "printed", "expected"),
        [
            (0.932649, ".9326", EXACT),
            (0.93265, ".9326", EXACT),
            (0.93265, ".9327", EXACT),
            (0.932651, ".9326", DIFFERS),
            (1e-9, "0", EXACT),
            (-0.6, "-0.600", EXACT),
            (1826.4, "1826", EXACT),
        ],
    )
    def test_exact_is_equal_at_the_printed_decimals(
        self, ours, printed, expected
    ):
        assert verdict(ours, printed) == expected

    def test_within_rounding_needs_a_range_that_reaches_the_print(self):
        assert verdict(0.2614, ".260", 0.2578, 0.2650) == WITHIN
        assert verdict(0.2614, ".260", 0.2606, 0.2650) == DIFFERS
        assert verdict(0.2614, ".260", 0.2605, 0.2650) == WITHIN

    def test_exact_comes_before_the_range(self):
        assert verdict(0.261, ".261", 0.25, 0.27) == EXACT

    @given(st.floats(-100, 100), st.integers(0, 6))
    def test_what_is_printed_from_ours_is_exact(self, ours, decimals):
        assert verdict(ours, f"{ours:.{decimals}f}") == EXACT

    @pytest.mark.slow
    @given(
        st.integers(0, 4),
        st.tuples(*[st.floats(-9, 9)] * 3).map(sorted),
        st.floats(0, 5),
    )
    def test_a_wider_range_is_never_worse(self, decimals, three, more):
        low, ours, high = three
        for printed in (f"{low - 1:.{decimals}f}", f"{high:.{decimals}f}"):
            narrow = verdict(ours, printed, low, high)
            wide = verdict(ours, printed, low - more, high + more)
            assert VERDICTS.index(wide) <= VERDICTS.index(narrow)

    @pytest.mark.parametrize(
        ("comparison", "ours", "expected"),
        [
            (">", 10.2, EXACT),
            (">", 10.0, DIFFERS),
            ("≥", 10.0, EXACT),
            ("<", 10.0, DIFFERS),
        ],
    )
    def test_a_bound_holds_or_not(self, comparison, ours, expected):
        said = {"x": {"note": "because", "comparison": comparison}}
        row = ledger_of({"x": "10"}, {"x": ours}, said).table.iloc[0]
        assert (row["verdict"], row["comparison"]) == (expected, comparison)

    @pytest.mark.parametrize(
        ("ours", "printed", "expected"),
        [
            (15211, "15000", EXACT),
            (15501, "15000", DIFFERS),
            (0.34, "0.3", EXACT),
            (0.36, "0.3", DIFFERS),
        ],
    )
    def test_about_counts_significant_digits(self, ours, printed, expected):
        assert verdict(ours, printed, comparison="≈") == expected

    @pytest.mark.parametrize(
        ("ranges", "name"),
        [
            ("simulation", CONSISTENT),
            ("counts", ATTAINABLE),
            ("other data", OTHER),
        ],
    )
    def test_in_a_range_of_chance_nothing_is_exact(self, ranges, name):
        for ours, expected in ((0.88, name), (0.89, name), (0.5, name)):
            found = verdict(ours, ".88", 0.4, 0.9, ranges=ranges)
            assert found == expected
        assert verdict(0.88, ".88", 0.9, 0.95, ranges=ranges) == DIFFERS
        assert verdict(0.88, ".88", 0.1, 0.874, ranges=ranges) == DIFFERS
        # The print is rounded: .8754 to .8846 are printed as it is.
        assert verdict(0.8, ".88", 0.1, 0.876, ranges=ranges) == name

    def test_a_bound_may_hold_for_a_part_of_a_range(self):
        part = {"comparison": "<", "ranges": "simulation"}
        assert verdict(0.02, ".01", 0.001, 0.1, **part) == CONSISTENT
        assert verdict(0.02, ".01", 0.015, 0.1, **part) == DIFFERS

    def test_halfway_is_printed_as_either(self):
        assert overlaps(x := [0.25, 0.35], x, [0.2, 0.4], 1).all()
        assert not overlaps(0.2501, 0.3499, 0.2, 1)


class TestBookkeeping:
    def test_nothing_can_be_left_out(self):
        printed, said = {"x": "1", "y": "2"}, {"y": {"needs": OUT_OF_REACH}}
        ledger = ledger_of(printed, {"x": 1}, said)
        assert ledger.table["verdict"].tolist() == [EXACT, MISSING]

    def test_inputs_are_left_out_unless_computed(self):
        printed = facts(x="1", y="2", z="3")
        printed["note"] = ["input", "input, too", ""]
        ledger = ledger_of(printed, {"z": 3, "y": 2})
        keys = ledger.table.index.get_level_values("key")
        assert keys.tolist() == ["y", "z"]

    def test_an_input_can_be_said_to_be_missing(self):
        printed = facts(x="1", y="2")
        printed["note"] = "input"
        ledger = ledger_of(printed, {}, {"x": {"needs": OUT_OF_REACH}})
        assert ledger.table.index.tolist() == [(PAPER, "x")]

    def test_the_note_of_the_print_is_the_reason_by_default(self):
        printed = facts(x="1")
        printed["note"] = "as printed"
        ledger = ledger_of(printed, {"x": 1})
        assert ledger.table["reason"].tolist() == ["as printed"]

    def test_counts_add_up(self):
        said = {"b": {"note": "because"}}
        said |= {key: {"needs": OUT_OF_REACH} for key in "cd"}
        printed = dict.fromkeys("abcd", "1")
        ledger = ledger_of(printed, {"a": 1, "b": 2}, said)
        counts = ledger.counts()
        assert counts.columns.tolist() == [*VERDICTS, "all"]
        assert counts.loc[PAPER].tolist() == [1, 0, 0, 0, 0, 1, 2, 4]
        assert counts.loc["all"].tolist() == [1, 0, 0, 0, 0, 1, 2, 4]

    def test_results_and_arithmetic_are_counted_apart(self):
        printed = facts(a="1", b="2", c="3", d="4")
        notes = ["arithmetic; a sum", "input", "inputs are many", ""]
        printed["note"] = notes
        ledger = ledger_of(printed, {"a": 1, "c": 3, "d": 4})
        assert ledger.kinds.tolist() == [
            "arithmetic", "input", "result", "result",
        ]  # fmt: skip
        assert ledger.counts().loc["all", "all"] == 3
        assert ledger.counts("result").loc["all", "all"] == 2
        assert ledger.counts("arithmetic").loc["all", EXACT] == 1
        assert ledger.counts("result", "arithmetic").loc["all", "all"] == 3


FIVE = {"x": "1", "y": "5"}
REFUSED = [
    ({"x": 1}, {}, "a-paper y: compute it, or"),
    ({"x": 1}, {"y": {"needs": "dl21"}}, "a-paper y: compute it"),
    (
        {"x": 2, "y": 5},
        {"y": {"note": "fine"}},
        "a-paper x: ours differs; a",
    ),
    ({"x": 1, "y": 5, "nowhere": 1}, {}, "prints a number ... 'nowhere'"),
    ({"x": np.nan, "y": 5}, {}, "a-paper x: ours is no number"),
    *(
        ({"x": 1, "y": 5}, {"x": {column: "luck"}}, f"{column} is 'luck'")
        for column in ("comparison", "ranges")
    ),
    *(
        ({"x": 1, "y": 5}, {"x": {"ranges": of}}, f"no range for {of}")
        for of in ("simulation", "other data")
    ),
    (
        {"x": 1, "y": 5},
        {"x": {"note": "{nothing}"}},
        "x: the note cites 'nothing'",
    ),
]


@pytest.mark.parametrize(("ours", "said", "words"), REFUSED)
def test_what_is_no_ledger(ours, said, words):
    refused(lambda: ledger_of(FIVE, ours, said), words)


class TestNotes:
    def test_the_longest_key_counts_in_each_column_alone(self):
        said = {
            "*": {"note": "all"},
            "x*": {"note": "x and more"},
            "xy": {"comparison": ">"},
        }
        printed = {"x": "1", "xy": "1", "y": "1"}
        ledger = ledger_of(printed, {"x": 1, "xy": 1.5, "y": 1}, said)
        reasons = ["x and more", "x and more", "all"]
        assert ledger.table["reason"].tolist() == reasons
        assert ledger.table["comparison"].tolist() == ["", ">", ""]

    def test_a_note_cites_what_comes_with_the_number_and_all_of_ours(self):
        note = "{low:.1f}, {seeds[a]}, {ours[y]} of {n}, {more.real}"
        row = {"value": 1, "low": 0, "high": 2, "seeds": {"a": 5}, "n": 6}
        said = {"x": {"note": note}, "y": {"needs": OUT_OF_REACH}}
        said["y"] |= {"note": "{n}"}
        printed = {"x": "1", "y": "3", "z": "4"}
        ours = {"x": row, "y": 3, "z": 4}
        ledger = ledger_of(printed, ours, said, n=7, more=8)
        reasons = ["0.0, 5, 3 of 6, 8", "7", ""]
        assert ledger.table["reason"].tolist() == reasons


CHANCE = {
    CONSISTENT: "simulation",
    ATTAINABLE: "counts",
    OTHER: "other data",
}


@cache
def verdicts(**given):
    """A ledger with these verdicts."""
    ours, said = {}, {}
    for key, name in given.items():
        value = {EXACT: 1, DIFFERS: 9}.get(name, 1.7)
        ours[key] = {"value": value, "low": value - 0.3, "high": value}
        said[key] = {"note": "because", "ranges": CHANCE.get(name, "")}
        if name == MISSING:
            said[key] |= {"needs": OUT_OF_REACH}
            del ours[key]
    return ledger_of(dict.fromkeys(given, "1"), ours, said)


def on_record(**given):
    rows = [(PAPER, key, name) for key, name in given.items()]
    return pd.DataFrame(rows, columns=["paper", "key", "verdict"])


class TestRecord:
    @pytest.mark.parametrize(
        ("before", "now"),
        only(
            itertools.pairwise([*VERDICTS, *VERDICTS[::-1]]),
            itertools.product(VERDICTS, VERDICTS),
        ),
    )
    def test_worse_fails_and_better_does_not(self, before, now):
        ledger, record = verdicts(x=now), on_record(x=before)
        if VERDICTS.index(now) > VERDICTS.index(before):
            with pytest.raises(ValueError, match=f"{before} +{now} +worse"):
                ledger.hold(record)
        else:
            ledger.hold(record)
            better = [] if now == before else ["better"]
            assert ledger.changes(record)["change"].tolist() == better

    def test_a_number_that_is_gone_fails_and_a_new_one_does_not(self):
        ledger = verdicts(x=EXACT, y=DIFFERS)
        ledger.hold(on_record(x=EXACT))
        new = ledger.changes(on_record(x=EXACT))
        assert new["change"].to_dict() == {(PAPER, "y"): "new"}
        with pytest.raises(ValueError, match=r"(?s)1 verdict.* z +exact"):
            ledger.hold(on_record(x=EXACT, y=DIFFERS, z=EXACT))

    def test_a_record_of_its_own_holds(self):
        ledger = verdicts(x=EXACT, y=DIFFERS, z=MISSING)
        rows = ledger.record()
        assert list(rows) == list(record.items())
        known = rows.rename(columns={"ledger": "key"})
        ledger.hold(known)
        assert ledger.changes(known).empty


class TestAttainable:
    def test_a_sum(self):
        inputs = facts(x="1.0", y="2.00")
        got = attainable(lambda x: {"sum": x.sum()}, inputs).loc["sum"]
        assert got.tolist() == pytest.approx([3, 2.945, 3.055])

    @given(
        st.lists(st.integers(1, 999), min_size=3, max_size=5),
        st.lists(st.floats(-1, 1), min_size=5, max_size=5),
    )
    def test_no_input_in_between_leads_further_out(self, numbers, shift):
        names = "abcde"[: len(numbers)]
        printed = facts(
            **{
                n: f"{v / 1000:.3f}"
                for n, v in zip(names, numbers, strict=True)
            }
        )

        def share(x):
            return {"share": x.iloc[0] / x.sum()}

        got = attainable(share, printed).loc["share"]
        inside = printed["value"] + 0.0005 * np.array(shift[: len(names)])
        value = share(inside)["share"]
        assert got["low"] - 1e-12 <= value <= got["high"] + 1e-12
        assert got["low"] <= got["value"] <= got["high"]

    def test_only_inputs_that_are_possible_together(self):
        inputs = facts(x="1.0", y="2.0")
        got = attainable(
            lambda x: {"x": x["x"], "sum": x.sum()},
            inputs,
            where=lambda x: np.isclose(x.sum(), 3),
        )
        assert got.loc["sum"].tolist() == pytest.approx([3, 3, 3])
        assert got.loc["x"].tolist() == pytest.approx([1, 0.95, 1.05])

    @pytest.mark.parametrize("count", [0, 13])
    def test_too_few_or_too_many_inputs(self, count):
        inputs = facts(**{f"x{i}": "1" for i in range(13)}).iloc[:count]
        with pytest.raises(ValueError, match=f"{count} inputs"):
            attainable(lambda x: {"sum": x.sum()}, inputs)


def test_the_record_is_of_numbers_that_are_printed():
    record = Ledger.on_record()
    assert set(record["verdict"]) <= set(VERDICTS)
    assert not record.duplicated(["paper", "key"]).any()
    assert len(record) >= 150
    for paper, rows in record.groupby("paper"):
        printed = gt.load(paper)
        assert set(rows["key"]) <= set(printed.index)
        given = printed["note"].str.startswith("input")
        assert set(printed.index[~given]) <= set(rows["key"])


def test_the_notes_are_about_numbers_that_are_printed():
    said = Ledger.notes()
    assert list(said) == ["paper", "key", *NOTES]
    assert not said.duplicated(["paper", "key"]).any()
    assert set(said["comparison"]) <= {"", *COMPARISONS}
    assert set(said["ranges"]) <= {"", *RANGES}
    assert set(said["needs"]) <= {"", OUT_OF_REACH}
    for paper, keys in said.groupby("paper")["key"]:
        printed = gt.load(paper).index
        idle = [key for key in keys if not fnmatch.filter(printed, key)]
        assert not idle


def test_the_notes_and_the_record_agree_on_what_cannot_be_had():
    said, record = Ledger.notes(), Ledger.on_record()
    never = said[said["needs"] == OUT_OF_REACH]
    for paper, rows in record.groupby("paper"):
        patterns = never.loc[never["paper"] == paper, "key"]
        expected = {
            key for p in patterns for key in fnmatch.filter(rows["key"], p)
        }
        lost = rows.loc[rows["verdict"] == MISSING, "key"]
        assert set(lost) == expected


def test_a_value_on_record_is_one_that_a_row_says():
    said = record.on_record("carterette-2010", 12102, 0.5955)
    assert said == (12102, 0.5955)
    with pytest.raises(AssertionError, match=r"No row .* \[0.12345\]"):
        record.on_record("carterette-2010", 0.12345)


@pytest.mark.slow
def test_what_is_computed_is_what_is_on_record():
    """All of it: verdicts, ours, and reasons."""
    ledger = computed()
    ledger.hold(Ledger.on_record())
    rows = record.items().query("item == ''").reset_index(drop=True)
    pd.testing.assert_frame_equal(ledger.record(), rows)
