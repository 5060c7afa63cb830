"""The weather of a ranking in the built book: it moves, says what gtlib
computes, takes an address, and is a still where nothing may move."""

import json
from urllib.parse import quote

import pandas as pd
import pytest

import gtlib as gt
from book.support import weather
from checks.conftest import DESK, PHONE
from checks.test_browser import axe_finds_nothing

PAGE = "book/weather.html"
NAMES = """() => [...document.querySelectorAll(".weather-row")]
    .map(row => [row.getBoundingClientRect().top,
                 row.children[1].textContent])
    .sort(([a], [b]) => a - b).map(([, name]) => name)"""
FRAMES = """() => new Promise(done => {
    let [frames, start] = [0, performance.now()];
    const frame = now => {
        frames += 1;
        if (now - start > 4000) done(1000 * frames / (now - start));
        else requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
})"""
STILL = {"reduced_motion": "reduce"}


def first(page):
    """By name, how often each is first, where that is shown."""
    shown = page.evaluate(
        """() => [...document.querySelectorAll(".weather-row")].map(
            row => [row.children[1].textContent,
                    row.lastChild.textContent])"""
    )
    return {name: float(text) for name, text in shown if text}


def slide(page, label, places):
    page.get_by_role("slider", name=label).focus()
    for _ in range(abs(places)):
        page.keyboard.press("ArrowRight" if places > 0 else "ArrowLeft")
    page.wait_for_timeout(400)


def test_the_board_says_what_gtlib_computes(opened):
    page = opened(f"{PAGE}#topics=10&assessors=1", offline=True, **STILL)
    means, g = weather.cystic_fibrosis()
    for levels in (
        {"topic": 10, "assessor": 1},
        {"topic": 25, "assessor": 3},
    ):
        shares = weather.first_shares(means, g.plan(**levels))
        expected = dict(zip(means.index, shares.round(2), strict=True))
        for name, share in first(page).items():
            assert share == pytest.approx(expected[name], abs=0.0101)
        said = page.inner_text(".weather-live [role=status]")
        assert f"{levels['topic']} topics" in said
        assert f"first in {expected[means.index[0]]:.2f}" in said
        slide(page, "Topics", 3)
        slide(page, "Assessors", 2)
    page.wait_for_function("() => location.hash.includes('assessors=5')")


def test_rows_move_and_are_counted_until_they_are_stopped(opened):
    page = opened(PAGE, offline=True, viewport=DESK)
    at_rest = page.evaluate(NAMES)
    page.wait_for_function(
        """() => document.querySelector(".weather-count").textContent
        .includes("studies drawn")""",
        timeout=10_000,
    )
    assert page.evaluate(NAMES) != at_rest
    page.focus(".weather-count button")
    page.keyboard.press("Enter")
    page.wait_for_timeout(1500)
    assert page.evaluate(NAMES) == at_rest
    before = page.inner_text(".weather-count")
    page.wait_for_timeout(2500)
    assert page.inner_text(".weather-count") == before


def test_frames_of_36_moving_rows(opened):
    """At least fifty a second on a quiet machine; here half is enough."""
    page = opened(PAGE, offline=True, viewport=DESK)
    page.wait_for_selector(".weather-row")
    assert page.evaluate(FRAMES) > 25


def test_nothing_moves_for_who_wants_no_motion(opened):
    page = opened(PAGE, offline=True, viewport=DESK, **STILL)
    at_rest = page.evaluate(NAMES)
    page.wait_for_timeout(2500)
    assert page.evaluate(NAMES) == at_rest
    page.get_by_role("button", name="Draw another study").click()
    assert "1 study drawn" in page.inner_text(".weather-count")


@pytest.mark.parametrize("without", ["a script", "a screen"])
def test_a_still_stands_in_its_place(opened, without):
    page = opened(PAGE, java_script_enabled=without != "a script")
    if without == "a screen":
        page.emulate_media(media="print")
    assert page.locator("figure.weather img").is_visible()
    assert not page.locator(".weather-board:visible").count()


def test_an_address_brings_other_systems(opened):
    evil = "<img src=x onerror=alert(1)>, b"
    values = {"system": 0.004, "topic": 0.02, "system x topic": 0.01}
    hash = (
        f"#design=single&means={quote(evil, safe='')}:0.41,B:0.39,C:0.3"
        "&components=0.004,0.02,0.01&topics=50"
    )
    page = opened(f"{PAGE}{hash}", offline=True, **STILL)
    assert page.evaluate(NAMES) == [evil, "B", "C"]
    assert not page.locator(".weather-live img").count()
    means = pd.Series([0.41, 0.39, 0.3])
    plan = gt.GStudy.from_components("system x topic", values).plan(
        topic=50
    )
    shares = weather.first_shares(means, plan)
    assert first(page)[evil] == pytest.approx(shares[0], abs=0.0051)
    page.evaluate("location.hash = '#means=a:1,b:x&components=1,1,1'")
    page.wait_for_selector(".weather-notice")
    assert "x where a number is needed" in page.inner_text(
        ".weather-notice"
    )
    assert len(page.evaluate(NAMES)) == 36


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_axe_finds_nothing_where_all_is_open(opened, scheme, viewport):
    page = opened(PAGE, viewport=viewport, color_scheme=scheme, **STILL)
    page.click(".weather-live summary")
    rows = page.locator(".weather-scroll tbody tr")
    rows.first.wait_for()
    assert rows.count() == 36
    axe_finds_nothing(page)


def test_a_chosen_row_has_its_own_locks(opened):
    page = opened(PAGE, offline=True, **STILL)
    means, g = weather.cystic_fibrosis()
    ranks = weather.draw_ranks(means, g.plan(), 20_000)
    for k in (0, 10):
        page.select_option(".weather-live select", str(k))
        shown = page.evaluate(
            """() => JSON.stringify(
                [...document.querySelectorAll(".weather-row")]
                .map(row => row.classList.contains("settled")))"""
        )
        below = (ranks[:, [k]] < ranks).mean(axis=0)
        share = [b if j > k else 1 - b for j, b in enumerate(below)]
        for j, lock in enumerate(json.loads(shown)):
            if j != k and abs(share[j] - weather.SETTLED) > 0.01:
                assert lock == (share[j] > weather.SETTLED), means.index[j]
