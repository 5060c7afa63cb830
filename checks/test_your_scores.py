"""Where a table of scores is dropped, in the built book: gtlib's answers,
without a request; by keyboard; and what can be taken away."""

import io

import pandas as pd
import pytest

import gtlib as gt
from book.support.planner import example
from checks.conftest import DESK, PHONE, look
from checks.test_browser import axe_finds_nothing
from tests.test_your_scores import CLOSE, DESIGNS, STEPS, drawn

PAGE, INDEX = "book/your-scores.html", "book/index.html"
OURS = "text=Use our example"


def paste(tab, text):
    """As somebody who has it on the clipboard."""
    area = tab.locator(".ys-paste textarea")
    tab.evaluate("document.querySelector('.ys-paste').open = true")
    area.fill(text)
    tab.wait_for_function(
        "() => document.querySelector('.ys-status').textContent"
        " !== 'Reading…'"
    )
    return tab.inner_text(".ys-status")


def results(tab):
    """The numbers, as they are taken away."""
    with tab.expect_download() as waiting:
        tab.click("button:text-is('CSV')")
    return pd.read_csv(waiting.value.path())


@pytest.mark.parametrize("page", [PAGE, INDEX])
def test_our_example_is_answered_without_a_request(opened, page):
    tab = opened(page, offline=True)
    tab.click(OURS)
    tab.wait_for_selector(".ys-svg")
    said = tab.inner_text(".ys-status")
    assert said == "Read as 12 systems × 40 topics × 5 assessors."
    lines = tab.locator(".ys-lines dt").all_inner_texts()
    assert lines[1:] == ["Can the order be trusted?", "Next:"]


def test_a_chapter_opens_the_page_at_its_question(opened):
    tab = opened(f"{PAGE}#order", offline=True)
    tab.wait_for_selector("text=Your chapter asks: Can the order be")
    tab.click(OURS)
    asked = tab.wait_for_selector(".ys-asked")
    assert asked.inner_text() == "Can the order be trusted?"


def test_a_file_is_read_and_what_is_none_is_for_the_command(opened):
    tab = opened(PAGE, offline=True)
    tab.wait_for_selector(".ys-zone")
    file = {"name": "a.csv", "mimeType": "text/csv"}
    text = example().encode()
    tab.set_input_files(".ys-file", [{**file, "buffer": text}])
    tab.wait_for_selector(".ys-svg")
    lost = b"\n".join(text.split(b"\n")[:-4])
    tab.set_input_files(".ys-file", [{**file, "buffer": lost}])
    tab.wait_for_selector(".ys-line")
    assert "gtlib audit a.csv" in tab.inner_text(".ys-line")
    assert "gap" in tab.inner_text(".ys-status")


@pytest.mark.parametrize("seed", range(9))
def test_numbers_are_gtlibs(opened, seed):
    (name, *_), table = drawn(seed)
    tab = opened(PAGE, offline=True)
    tab.wait_for_selector(".ys-zone")
    if name == "single":
        table = table.add_prefix("t").rename_axis("system").reset_index()
    paste(tab, table.to_csv(index=False))
    found = results(tab).set_index(["what", "name"])
    if name == "single":
        table = table.set_index("system")
    g = gt.gstudy(table, DESIGNS[name])
    ours = g.estimate / g.variance.sum()
    theirs = found.loc["variance component", "estimate"] / g.variance.sum()
    assert theirs[ours.index].tolist() == pytest.approx(ours, **CLOSE)
    for coefficient in ("generalizability", "dependability"):
        limits = g.plan().interval(coefficient)
        row = found.loc[("coefficient", coefficient)]
        ends = [limits.low, limits.high]
        expected = pytest.approx(ends, nan_ok=True, **STEPS)
        assert row[["low", "high"]].tolist() == expected
    board = gt.leaderboard(g).table
    means = found.loc["mean"]
    assert [*means["note"].notna()] == [*board["may_be_best"]]


def test_a_question_is_answered_by_a_click(opened):
    tab = opened(PAGE, offline=True)
    tab.wait_for_selector(".ys-zone")
    text = "x,alpha,beta,gamma\nthis,.1,.2,.3\nthat,.5,.4,.6\nit,.7,.5,.9"
    assert "rows systems or topics?" in paste(tab, text)
    assert tab.evaluate("document.activeElement.textContent") == (
        "Rows are topics"
    )
    tab.click("text=Rows are systems")
    tab.wait_for_selector(".ys-svg")
    assert "3 systems × 3 topics" in tab.inner_text(".ys-status")
    tab.click(".ys-roles summary")
    tab.click("text=Rows are topics")
    tab.wait_for_selector(".ys-svg")
    assert tab.locator(".ys-lines dt").first.inner_text() in (
        f"Is {name} the best?" for name in ("alpha", "beta", "gamma")
    )


def test_names_are_text(opened):
    tab = opened(PAGE, offline=True)
    tab.wait_for_selector(".ys-zone")
    evil = "<img src=x onerror=alert(1)>"
    text = io.StringIO()
    table = pd.DataFrame(
        {"system": [evil, "b"], "q1": [1, 3], "q2": [2, 5]}
    )
    table.to_csv(text, index=False)
    paste(tab, text.getvalue())
    tab.wait_for_selector(".ys-svg")
    assert not tab.locator(".your-scores img").count()


def test_the_keyboard_is_enough_and_a_link_leads_to_the_planner(opened):
    tab = opened(PAGE, offline=True)
    tab.wait_for_selector(".ys-zone")
    tab.locator(OURS).focus()
    tab.keyboard.press("Enter")
    tab.wait_for_selector(".ys-svg")
    copy = tab.locator("text=Copy a link")
    copy.focus()
    tab.keyboard.press("Enter")
    tab.wait_for_selector("text=no scores")
    assert copy.evaluate("copy => copy === document.activeElement")
    g = gt.gstudy(
        pd.read_csv(io.StringIO(example()), dtype={"topic": str}),
        DESIGNS["crossed"],
    )
    tab.click("text=Open in the planner")
    tab.wait_for_selector("#pl-root:not([hidden])")
    value = tab.get_attribute("#pl-generalizability", "value")
    plan = g.plan()
    assert float(value) == pytest.approx(plan.generalizability, **CLOSE)


@pytest.mark.parametrize("kind", ["SVG", "PNG"])
def test_a_picture_can_be_taken_away(opened, kind):
    tab = opened(PAGE, offline=True)
    tab.click(OURS)
    tab.wait_for_selector(".ys-svg")
    with tab.expect_download() as waiting:
        tab.click(f"button:text-is('{kind}')")
    content = waiting.value.path().read_bytes()
    if kind == "PNG":
        assert content.startswith(b"\x89PNG") and len(content) > 20_000
        return
    assert b"--ys-ink:" in content and b"rerank" in content


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_in_an_answer(opened, scheme, screen):
    tab = opened(
        PAGE, offline=True, viewport=screen, reduced_motion="reduce"
    )
    look(tab, scheme)
    tab.click(OURS)
    tab.wait_for_selector(".ys-svg")
    axe_finds_nothing(tab)
    wide = tab.evaluate("document.documentElement.scrollWidth")
    assert wide <= screen["width"]
