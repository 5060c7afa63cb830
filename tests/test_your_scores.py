"""The page *Your scores*: it reads as the command does, or asks, or leaves
a table to the command; and its numbers are gtlib's."""

import csv

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.planner import NAMES
from tests.browser import run
from tests.doubtful_tables import CLEAN, DOUBTFUL, design_of
from tests.gtaudit.follow import is_same
from tests.gtaudit.made_tables import NAMES as COMMON
from tests.gtaudit.made_tables import RARER, make
from tests.gtaudit.test_marks import made as made_marks

DESIGNS = {name: text for text, name in NAMES.items()}

READ = """
const { Question, Refused, read } = globalThis.scoreReader;
return value.map(([text, told]) => {
  try {
    const { scores, ...found } = read(text, told || {});
    return { ...found, scores: [...scores] };
  } catch (error) {
    if (error instanceof Question) {
      return { asked: error.message, ways: error.ways };
    }
    if (!(error instanceof Refused)) throw error;
    return { refused: error.message, command: error.command,
      allow: error.allow };
  }
});
"""


def cells(found):
    """Systems x topics, of what the page has read."""
    scores = np.array(found["scores"]).reshape(found["n"]).mean(axis=2)
    return pd.DataFrame(scores, *found["names"][:2])


def fault(found, made):
    """What is wrong with what was read of a made table; else nothing."""
    roles = {role for _, role in found["roles"]} - {"score", "rows"}
    if "columns" in dict(found["roles"]):
        roles = made.roles
    if roles != made.roles or made.spoilt or "gaps" in made.told:
        return f"read as {found['roles']}, {made.told}"
    return "" if is_same(cells(found), made.tables[0]) else "other scores"


@pytest.mark.slow
@pytest.mark.parametrize("names", [COMMON, RARER], ids=["common", "rarer"])
def test_no_made_table_is_read_wrong(names):
    tables = [make(seed, names) for seed in range(30)]
    here = [
        not made.spoilt
        and "gaps" not in made.told
        and "repetition" not in made.roles
        for made in tables
    ]
    came = run(READ, [[made.text, None] for made in tables])
    faults = []
    ways = []
    for seed, (made, found) in enumerate(zip(tables, came, strict=True)):
        if "scores" in found and (wrong := fault(found, made)):
            faults.append((seed, wrong))
        if "refused" in found and not found["command"]:
            faults.append((seed, found["refused"]))
        ways += [(seed, way) for way in found.get("ways", [])]
    assert not faults
    asked = {seed for seed, _ in ways}
    right = sum("scores" in found for found in came)
    assert right >= 0.85 * sum(here)
    # One of the answers leads there.
    answers = run(READ, [[tables[seed].text, way] for seed, way in ways])
    led = {
        seed
        for (seed, _), found in zip(ways, answers, strict=True)
        if "scores" in found
        and is_same(cells(found), tables[seed].tables[0])
    }
    assert {seed for seed in asked if here[seed]} <= led


@pytest.mark.slow
def test_clean_tables_are_taken_and_doubtful_ones_are_not():
    def text(table):
        long = "score" in table
        return table.to_csv(index=not long, index_label="system")

    taken = run(READ, [[text(table), None] for table in CLEAN.values()])
    for said, found in zip(CLEAN, taken, strict=True):
        assert found.get("design") == NAMES[design_of(CLEAN[said])], said
    doubted = run(READ, [[text(t), None] for _, t in DOUBTFUL.values()])
    for said, found in zip(DOUBTFUL, doubted, strict=True):
        code, _ = DOUBTFUL[said]
        if found.get("allow") == code:
            continue
        # Averages are left out, by their name; runs go to the command.
        assert found.get("leftOut") or found.get("command"), (said, found)


def test_quotes_and_blank_rows_change_nothing():
    wide = make(1, COMMON).tables[0].rename_axis("system")
    table = wide.reset_index().melt("system", var_name="topic")
    table["system"] += ', a "good" one'
    plain = table.to_csv(index=False)
    quoted = table.to_csv(index=False, quoting=csv.QUOTE_ALL)
    rows = quoted.replace("\n", "\r\n,,\r\n")
    first, *others = run(READ, [[t, None] for t in (plain, quoted, rows)])
    assert [*first["names"][0]] == [*table["system"].unique()]
    assert all(found == first for found in others)


EVIL = "<img src=x onerror=alert(1)>"
LONG = "system,topic,assessor,score\n"
WRONG = {
    "": "a line of names",
    "t1,t2": "a line of names",
    "a\nb": "must divide the columns",
    "x,t1,t2\na,.1,.2": "has one system",
    "x,t1,t2\na,.1,\nb,.3,.4": "There is a gap",
    "x,t1,t2\na,.1,NA\nb,nan,.4": "There are 2 gaps",
    "x,t1,t2\na,.1\nb,.3,.4": "Row 1 has 2 fields",
    "x,t1,t2\na,1e308,.2\nb,-1e308,.4": "from -1e+308 to 1e+308",
    "x,t1,t2\na,.3,.3\nb,.3,.3": "Every score is 0.3",
    "x,t,u,t\na,.1,.2,.3\nb,.3,.4,.5": "Two columns are called t",
    "q,a_p@5,a_r@5,b_p@5,b_r@5\n1,.1,.2,.3,.4": "p@5, r@5 of each",
    "x,t,u\na,.1,.2\na,.3,.4\nb,.5,.6": "systems or topics?",
    f"x,t1,t2\n{EVIL},.1,b\nb,.3,.4": "b stands among the scores",
    LONG + "a,1,i,.1\na,2,j,.2\nb,1,i,.3\nb,2,j,.5": "What are the columns",
    LONG + "a,1,i,.1\na,1,j,.2\nb,1,i,.3\nb,2,j,.5": "gaps",
    "system,topic,wer\na,1,.1\na,2,.2\nb,1,.3\nb,2,.3": "may be better",
    "system,topic,seed,score\na,1,1,.1\na,1,2,.2\na,2,1,.4\na,2,2,.6\n"
    "b,1,1,.1\nb,1,2,.3\nb,2,1,.3\nb,2,2,.4": "a facet more, the seed",
}


@pytest.mark.slow
def test_a_table_that_cannot_be_right_is_told_so():
    came = run(READ, [[text, None] for text in WRONG])
    for (text, said), found in zip(WRONG.items(), came, strict=True):
        assert said in found.get("refused", found.get("asked")), text


SAID = "human baseline", "gpt-4", "ours"


@pytest.mark.slow
def test_marks_by_people_and_machines_are_left_to_the_command():
    """Which reads them, or asks; never as systems."""
    made = [made_marks(seed) for seed in range(60)]
    texts = [table.to_csv(index=False) for table, *_ in made]
    came = run(READ, [[text, None] for text in texts])
    for text, found in zip(texts, came, strict=True):
        assert found.get("command"), (text[:200], found)
    rows = [f"{s},{t},{len(s) + t}" for t in range(9) for s in SAID]
    (found,) = run(READ, [["\n".join(["model,q,score", *rows]), None]])
    assert found["n"] == [3, 9, 1]


def drawn(seed):
    """A table of some design, scale and spread, and its study."""
    rng = np.random.default_rng([seed, 71])
    name = [*DESIGNS][seed % 3]
    n = [*rng.integers(2, [24, 30])]
    n.append(1 if name == "single" else int(rng.integers(2, 7)))
    scores = (
        rng.normal(0, rng.uniform(0.02, 0.3), (n[0], 1, 1))
        + rng.normal(0, 0.2, (1, n[1], 1))
        + rng.normal(0, 0.05, (n[0], 1, n[2])) * (name == "crossed")
        + rng.normal(0, 0.1, (n[0], n[1], 1))
        + rng.normal(0, 0.2, n)
    )
    kind = seed % 5
    if kind == 1:
        scores = (scores > 0) * 1.0
    if kind == 2:
        scores = 1 / (1 + np.exp(-scores))
    if kind == 3:
        scores = scores.round(1)
    if np.ptp(scores) == 0:
        return drawn(seed + 1000)
    facets = "system", "topic", "assessor"
    index = pd.MultiIndex.from_product(map(range, n), names=facets)
    table = pd.Series(scores.ravel(), index, name="score").reset_index()
    if name == "nested":
        table["assessor"] += 100 * table["topic"]
    if name == "single":
        table = pd.DataFrame(scores[:, :, 0])
    sizes = [int(x) for x in n]
    return [name, sizes, scores.ravel().tolist()], table


STUDY = """
const { leaderboard, numberFor, study } = globalThis.plannerStudy;
return value.map(([name, n, scores]) => {
  const found = study(name, n, Float64Array.from(scores));
  const { components, now, levels, limits } = found;
  return { components, now, limits: limits && limits.interval(levels),
    topics: ["generalizability", "dependability"].map(
      (name) => numberFor(found, "topic", 0.9, name)),
    board: leaderboard(found).rows };
});
"""
# gtlib finds slopes by steps of a millionth, which costs its limits digits.
CLOSE = {"rel": 1e-9, "abs": 1e-9}
STEPS = {"rel": 1e-8, "abs": 1e-8}


def numbers(values):
    return [float(value) for value in values]


def agree(found, table, name):
    """The page's numbers of a table are gtlib's."""
    g = gt.gstudy(table, DESIGNS[name])
    plan = g.plan()
    total = g.variance.sum()
    scaled = np.array(numbers(found["components"])) / total
    assert scaled == pytest.approx(g.estimate / total, **CLOSE)
    # Where systems are so alike that (J1) is cut, its slopes are rounding.
    sums = plan.sums()
    cut = sums["universe_score"] < -0.7 * sums["relative_error"]
    for k, coefficient in enumerate(["generalizability", "dependability"]):
        now = pytest.approx(getattr(plan, coefficient), **CLOSE)
        assert float(found["now"][coefficient]) == now
        if cut:
            continue
        ours = plan.interval(coefficient)
        ends = (found["limits"] or {}).get(coefficient, ["nan", "nan"])
        close = {**STEPS, "nan_ok": True}
        assert numbers(ends) == pytest.approx(
            [ours.low, ours.high], **close
        )
        needed = plan.required_interval("topic", 0.9, coefficient)
        their = found["topics"][k]
        if ends[0] != "nan":
            low_high = [needed.low, needed.high]
            assert numbers([their["low"], their["high"]]) == low_high
        try:
            estimate = plan.required("topic", 0.9, coefficient)
        except ValueError:
            estimate = np.inf
        their_own = float(their["estimate"])
        if their_own != estimate:  # the last bit decides
            fewer = int(min(their_own, estimate))
            at = g.plan(levels={**plan.levels, "topic": fewer})
            assert abs(getattr(at, coefficient) - 0.9) < 1e-12
    board = gt.leaderboard(g).table
    their = pd.DataFrame(found["board"]).set_index("system")
    assert [*their.index] == [*map(int, board.index)]
    assert [*their["mayBeBest"]] == [*board["may_be_best"]]
    # Of scores that are all alike rounding decides the degrees of freedom.
    varied = board["standard_error"].to_numpy() > 1e-12
    for column in ("mean", "low", "high"):
        value = their[column].astype(float).to_numpy()[varied]
        expected = pytest.approx(board[column].to_numpy()[varied], **CLOSE)
        assert value == expected


@pytest.mark.parametrize(
    "seeds",
    [range(9), pytest.param(range(9, 500), marks=pytest.mark.slow)],
    ids=str,
)
def test_numbers_are_gtlibs(seeds):
    tables = [drawn(seed) for seed in seeds]
    came = run(STUDY, [value for value, _ in tables])
    for (value, table), found in zip(tables, came, strict=True):
        agree(found, table, value[0])


ANSWER = """
const { leaderboard, study } = globalThis.plannerStudy;
const table = globalThis.scoreReader.read(value, {});
const found = study(table.design, table.n, table.scores);
return globalThis.scoreVerdict.verdict(table, found, leaderboard(found));
"""


def test_nothing_settles_the_first_beside_its_copy():
    """The command says the same."""
    rng = np.random.default_rng(3)
    merit = np.r_[1, 1, np.linspace(0, 0.8, 7)]
    scores = rng.normal(merit[:, None], 0.2, (9, 40)).round(4)
    first, second, *_ = np.argsort(-scores.mean(axis=1))
    scores[second] = scores[first]
    names = [f"system {i}" for i in range(9)]
    topics = [f"topic {i}" for i in range(40)]
    wide = pd.DataFrame(scores, names, topics).rename_axis("system")
    answer = run(ANSWER, wide.to_csv())
    assert "remedy" not in answer["answers"][0]
    assert answer["next"].endswith("; the first two are the same")
