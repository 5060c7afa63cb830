"""What the page draws, and what a terminal shows in letters."""

import re
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
import pytest
from jinja2.meta import find_undeclared_variables

import gtaudit
import gtlib as gt
from gtaudit.command import main
from gtaudit.drawings import (
    Axis,
    draw_curve,
    draw_in_letters,
    draw_rows,
)
from gtaudit.results import curve_table

html = pytest.importorskip("lxml.html")
PAGE = Path(gtaudit.__file__).with_name("page.py")

RNG = np.random.default_rng(1)
SCORES = pd.DataFrame(
    0.5 + 0.1 * RNG.normal(size=(20, 1)) + 0.2 * RNG.normal(size=(20, 15)),
    [f"run{i}" for i in range(20)],
    [f"q{i}" for i in range(15)],
)
BOARD = gt.leaderboard(SCORES).table


def drawn(svg):
    return html.fromstring(svg)


def test_the_template_shows_nothing_that_no_page_gives():
    """A misspelt name would be shown as nothing, in silence."""
    template = PAGE.with_name("report.html").read_text("utf-8")
    environment = jinja2.Environment()
    environment.filters["md"] = str
    names = find_undeclared_variables(environment.parse(template))
    given = {*re.findall(r'"(\w+)"|\b(\w+)=', PAGE.read_text("utf-8"))}
    assert len(names) > 20
    assert names <= {name for pair in given for name in pair}


def test_a_row_is_drawn_where_its_numbers_are():
    rows = BOARD[["low", "high", "mean"]]
    found = draw_rows(rows, ["best"] * 20, "a", Axis(-1, 2), zero=0.0)
    assert found.ticks.count('class="zero"') == 1
    for mark, row in zip(found.marks, rows.to_numpy(), strict=True):
        (line,) = drawn(mark).iter("line")
        (dot,) = drawn(mark).iter("circle")
        ends = line.get("x1"), line.get("x2"), dot.get("cx")
        places = [3 * float(end.strip("%")) / 100 - 1 for end in ends]
        assert places == pytest.approx(row, abs=2e-4)


def test_what_has_no_interval_is_a_dot():
    rows = BOARD[["low", "high", "mean"]].head(2).copy()
    rows.iloc[0, :2] = np.nan
    one, other = draw_rows(rows, ["best"] * 2, "a").marks
    assert "no interval" in one and "<line" not in one
    assert "<line" in other


@pytest.mark.parametrize(
    "ends", [(0, 1), (-3e-7, 2e-7), (1e9, 1e9 + 5), (4, 4)]
)
def test_ticks_are_round_and_written_alike(ends):
    ticks = Axis.over(ends).ticks()
    assert 2 <= len(ticks) <= 6
    written = [label for _, label in ticks]
    decimals = {len(label.partition(".")[2]) for label in written}
    assert len(decimals) == 1 or "e" in "".join(written)
    assert "-" not in "".join(written).replace("e-", "")


def test_the_curve_passes_through_what_gtlib_says():
    g = gt.gstudy(gt.load("scores"), "system x topic x assessor")
    tables = gtaudit.coefficient_table(g), gtaudit.required_table(g)
    curve = curve_table(g.plan(), "topic", 80, *tables)
    assert curve["estimate"].is_monotonic_increasing
    for number in (1, 80):
        limits = g.plan(topic=number).interval("generalizability")
        row = curve.iloc[0 if number == 1 else -1]
        ends = [limits.estimate, limits.low, limits.high]
        assert row.tolist() == pytest.approx(ends)
    (number, row) = [*curve.iterrows()][20]
    limits = g.plan(topic=round(number)).interval("generalizability")
    assert row["low"] == pytest.approx(limits.low, abs=0.02)
    assert row["high"] == pytest.approx(limits.high, abs=0.02)


@pytest.mark.slow
def test_with_gaps_the_band_passes_through_what_is_known():
    gaps = SCORES.add(np.linspace(0, 0.5, 20), axis=0)
    gaps = gaps.mask(np.random.default_rng(3).random(gaps.shape) < 0.1)
    found = gtaudit.prepare(gaps)
    plan, number = found.plan, found.plan.incidence.typical["topic"]
    table = gtaudit.coefficient_table(found.study)
    required = gtaudit.required_table(found.study)
    curve = curve_table(plan, "topic", 2 * number, table, required)
    now = table.loc["generalizability"]
    for end in ("estimate", "low", "high"):
        value = np.interp(number, curve.index, curve[end])
        assert value == pytest.approx(now[end], abs=0.01)
    rows = required[required["coefficient"] == "generalizability"]
    seen = 0
    for row in rows.itertuples():
        for end, other in (("low", row.high), ("high", row.low)):
            if 2 < other < 2 * number:
                value = np.interp(other, curve.index, curve[end])
                assert value == pytest.approx(row.target, abs=0.03)
                seen += 1
    assert seen


def test_the_curve_shows_where_we_are_and_what_is_enough():
    table = pd.DataFrame(
        {"estimate": [0.5, 0.8, 0.9], "low": np.nan, "high": np.nan},
        [1.0, 10.0, 20.0],
    )
    now = pd.Series({"estimate": 0.8, "low": 0.7, "high": 0.9}, name=10.0)
    plain = drawn(draw_curve(table, now, 0.95, None, "topics"))
    said = [text.text for text in plain.iter("text")]
    assert {"you are here", "0.95 is enough", "topics"} <= {*said}
    assert len(plain.find_class("whole")) == 1  # no band is known
    settled = drawn(draw_curve(table, now, 0.95, 18.0, "topics"))
    assert "+8" in [text.text for text in settled.iter("text")]
    (dot,) = settled.find_class("settled")
    assert dot.get("cx") == "90.00%"


@pytest.mark.slow
def test_a_page_shows_twelve_systems_and_says_of_how_many(tmp_path):
    SCORES.to_csv(tmp_path / "a.csv", index_label="system")
    out = tmp_path / "a.html"
    assert main(["audit", str(tmp_path / "a.csv"), "--out", str(out)]) == 0
    page = html.fromstring(out.read_text("utf-8"))
    board = page.find_class("drawn")[0]
    assert len(board.xpath("./tbody/tr")) == 12
    assert "12 of 20 shown" in page.find_class("quiet")[0].text
    numbers = page.xpath("(//section)[1]/details//tbody/tr")
    assert len(numbers) == 20
    shares = page.find_class("parts")[0].xpath(".//td")
    total = sum(float(cell.text.strip("%")) for cell in shares)
    assert total == pytest.approx(100, abs=1.5)
    assert len(page.find_class("reach")) == 1
    assert len({*page.xpath("//@id")}) == len(page.xpath("//@id"))
    used = {at.removeprefix("#") for at in page.xpath("//use/@href")}
    assert used <= {*page.xpath("//@id")}


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("width", [50, 80, 200])
def test_letters_stand_where_the_numbers_are(plain, width):
    names = [f"a-system-with-a-rather-long-name-{i}" for i in range(20)]
    table = BOARD.set_axis(names)
    head, *lines = draw_in_letters(table, width, plain)
    assert len(lines) == 12
    assert max(map(len, lines)) < width
    assert not plain or "".join(lines).isascii()
    begin = lines[0].index("  0.") + 9
    wide = max(map(len, lines)) - begin
    for line, row in zip(lines, table.to_dict("records"), strict=False):
        marks = re.search(r"[-─]*[*o●○][-─]*$", line)[0]
        length = (row["high"] - row["low"]) / np.ptp(
            table[["low", "high"]].head(12).to_numpy()
        )
        assert len(marks) == pytest.approx(length * wide, abs=3)
        best = {"*", "●"} & {*marks}
        assert bool(best) == row["may_be_best"]
    assert [float(x) for x in head.split()] == sorted(
        float(x) for x in head.split()
    )
