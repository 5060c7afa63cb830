"""Random designs with gaps: no page of a report contradicts itself."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtlib as gt
from gtaudit.planning import free_plan, present_cost
from gtaudit.sentences import _describe_unreached
from gtlib.anova import COEFFICIENTS
from tests.gtaudit.said import (
    UNEVEN,
    findings_of,
    uneven_collections,
)

CEILING = re.compile(
    r"(generalizability|dependability).*?ceiling is (\S+),"
)
TARGETS = 0.9, 0.99
# Of which topics alone have a number.
TOPICS = gt.gstudy(pd.DataFrame(np.random.default_rng(0).random((5, 9))))


@pytest.mark.slow
@pytest.mark.parametrize("design", UNEVEN)
def test_no_ceiling_lies_below_an_estimate_of_its_page(design):
    for collection in uneven_collections(design, 3)[:2]:
        g = collection.study
        estimates = {name: getattr(g.plan(), name) for name in COEFFICIENTS}
        required = gtaudit.required_table(g, TARGETS)
        said = findings_of(collection, required=required)
        for text in [*required["note"], *said]:
            for name, ceiling in CEILING.findall(text):
                assert float(ceiling) >= estimates[name] - 6e-5, text


@pytest.mark.parametrize("design", UNEVEN)
def test_no_number_stands_on_a_page_under_two_names(design):
    """But where no effect makes a difference between the two."""
    for collection in uneven_collections(design, 3):
        g = collection.study
        actions = gtaudit.advise(collection)
        assert actions.index.is_unique
        spent = actions[["price", "half_width", "error"]]
        assert len(spent.drop_duplicates()) == len(spent) > 1
        told = out_of_reach(gtaudit.required_table(g, [0.999]), g)
        whys = [re.sub(r"[^:]*: |[.\d]+%?", "", unescape(s)) for s in told]
        assert len(whys) == len({*whys})


def out_of_reach(table, g=TOPICS):
    return [*map(unescape, _describe_unreached(table, free_plan(g), None))]


def required(*rows):
    names = "coefficient", "target", "topics", "low", "high", "note"
    table = pd.DataFrame(rows, columns=names).assign(method="profile")
    return table.astype({"topics": "Int64"})


def stopped(coefficient, target, ceiling, stays, low=np.inf):
    note = (
        f"No number of topics brings {coefficient} to {target}: its "
        f"ceiling is {ceiling}, because of the error that stays: {stays}; "
        "7 systems are too few"
    )
    return coefficient, target, pd.NA, low, np.inf, note


def test_what_stops_both_coefficients_is_said_once():
    both = "assessor (60%), system x assessor (40%)"
    table = required(
        ("generalizability", 0.8, 12, 9, np.inf, "no upper limit"),
        stopped("generalizability", 0.9, 0.85, both),
        stopped("generalizability", 0.95, 0.85, both),
        stopped("dependability", 0.8, 0.75, both, 34),
    )
    said = out_of_reach(table)
    (once,) = said
    for number in ("0.90", "0.80", "0.85", both.replace(" x ", " × ")):
        assert number in once
    table.loc[3, "note"] = table.loc[3, "note"].replace(
        "system x", "topic x"
    )
    assert len(out_of_reach(table)) == 2


def test_the_cheapest_numbers_that_do_reach_a_target_are_said():
    """By brute force; and where none do, that."""
    g = gt.gstudy(gt.load("cf", measure="AP"), "system x topic x assessor")
    (told,) = out_of_reach(gtaudit.required_table(g, [0.95]), g)
    words = r"dependability 0.95 with (\d+) topics, (\d+) assessors"
    topics, assessors = map(int, re.search(words, told).groups())
    grid = g.plan().grid(topic=range(2, 400), assessor=range(1, 40))
    enough = grid[grid["dependability"] >= 0.95]
    least = (enough["topic"] * enough["assessor"]).min()
    assert topics * assessors == least
    rng = np.random.default_rng(0)
    alike = pd.DataFrame(rng.random((5, 9)))
    alike = alike.sub(alike.mean(axis=1), axis=0)  # no system differs
    both = pd.concat([alike, alike + 1], keys=["a", "b"])
    both = both.rename_axis(["assessor", "system"]).reset_index()
    long = both.melt(
        ["assessor", "system"], var_name="topic", value_name="score"
    )
    g = gt.gstudy(long, "system x topic x assessor")
    (told,) = out_of_reach(gtaudit.required_table(g, [0.95]), g)
    assert "cheapest" not in told


def test_the_present_effort_is_what_the_scores_of_a_system_cost():
    """Subjects of different size: no rounded mean size stands for them."""
    rng, sizes = np.random.default_rng(1), (3, 20, 4, 30)
    rows = [
        (f"m{s}", f"t{k}-{i}", f"s{k}", s * 0.3 + rng.normal())
        for s in range(8)
        for k, size in enumerate(sizes)
        for i in range(size)
    ]
    names = ["system", "topic", "subject", "score"]
    table = pd.DataFrame(rows, columns=names)
    collection = gtaudit.prepare(table, "system x (topic:subject)")
    for cost, spent in ((None, 57), ({"judgment": 1, "subject": 9}, 93)):
        found, each = present_cost(collection.plan, cost)
        assert found == pytest.approx(spent)
        size = found - 4 * (cost or {}).get("subject", 0)
        typical = collection.plan.incidence.typical
        assert each["topic"] == pytest.approx(size / typical["topic"])
