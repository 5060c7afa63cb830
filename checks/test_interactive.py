"""Figures that readers can move: by mouse, by keyboard and on a slide they
show gtlib's numbers, at their places in the image, and without a script or
on paper they are that image. Quizzes that are answered."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from checks.conftest import HTML, LETTERS, PHONE, pages, tree
from tests.cases import first

FIGURES = {
    "fig-start-halves": "00-start-here",
    "fig-ctt-worst": "01-classical-test-theory",
    "fig-dst-map": "03-d-study",
    "fig-allocation-map": "04-optimal-allocation",
    "fig-gst-apart": "02-g-study",
    "fig-nested-designs": "05-nested-or-crossed",
    "fig-ap-judged": "06-ap-confidence",
    "fig-reuse-design": "07-reusability",
}
EXACT = {"rel": 1e-12}
# The middles of shapes, in the units of the image.
MIDDLES = """shapes => shapes.map(shape => {
    const over = shape.closest(".stage").lastElementChild;
    const [all, box] = [over, shape].map(e => e.getBoundingClientRect());
    const unit = over.viewBox.baseVal.width / all.width;
    return [(box.x + box.width / 2 - all.x) * unit,
            (box.y + box.height / 2 - all.y) * unit];
})"""
# Of rectangles: left, top, width and height, and whether they are hollow.
MARKS = """shapes => shapes.map(shape => {
    const over = shape.closest(".stage").lastElementChild;
    const [all, box] = [over, shape].map(e => e.getBoundingClientRect());
    const unit = over.viewBox.baseVal.width / all.width;
    return [...[box.x - all.x, box.y - all.y, box.width, box.height]
        .map(n => n * unit), shape.classList.contains("hollow")];
})"""
COLORS = "all => all.map(e => e.style.color.match(/--([a-z]+)/)[1])"
VALUES = "all => all.map(e => Number(e.value))"
GROWS = "all => all.map(e => Number(e.style.flexGrow))"

CHAPTER_OF_QUIZZES = "notebooks/01-classical-test-theory.html"
# What each choice of a quiz is answered.
CHOOSE = """quiz => [...quiz.querySelectorAll("li button")].map(choice => {
    choice.click();
    return quiz.querySelector(".said").textContent.trim() + " ";
})"""

every_figure = pytest.mark.parametrize("name", FIGURES)


def address(name):
    return f"notebooks/{FIGURES[name]}.html"


def element(name):
    return tree(address(name)).get_element_by_id(name)


def drawn(name, pattern):
    """Places of what matplotlib has drawn."""
    source = HTML / "notebooks" / element(name).find(".//img").get("src")
    found = re.findall(pattern, source.resolve().read_text("utf-8"))
    return np.array(found, float)


class Moving:
    """A figure that is open in a tab."""

    def __init__(self, tab, name):
        tab.add_style_tag(content="* { transition: none !important }")
        self.tab, self.figure = tab, tab.locator(f"#{name}")
        self.over = self.figure.locator(".stage > svg")
        self.over.scroll_into_view_if_needed()
        self.controls = self.figure.locator("button, input")

    def values(self, name):
        return self.figure.locator(f"data.{name}").evaluate_all(VALUES)

    def middles(self, shapes):
        return self.figure.locator(shapes).evaluate_all(MIDDLES)

    def on_screen(self, place):
        box = self.over.bounding_box()
        x, y = np.array(place, float) * self.unit()
        return box["x"] + x, box["y"] + y

    def unit(self):
        """Pixels of one unit of the image."""
        wide = self.over.get_attribute("viewBox").split()[2]
        return self.over.bounding_box()["width"] / float(wide)

    def drag(self, *place):
        mouse = self.tab.mouse
        mouse.move(*self.on_screen(self.middles(".grip .reach")[0]))
        mouse.down()
        mouse.move(*self.on_screen(place), steps=4)
        mouse.up()

    def press(self, slider, *keys):
        self.figure.get_by_label(slider, exact=True).focus()
        for key in keys:
            self.tab.keyboard.press(key)

    def marks(self, panel):
        """Rectangles on a panel, and what each has the colour of."""
        drawn = self.over.locator(f"> svg:nth-child({panel + 1}) .mark")
        places = np.array(drawn.evaluate_all(MARKS), float)
        return places, np.array(drawn.evaluate_all(COLORS))

    def go(self, slider, stop):
        self.press(slider, "Home", *["ArrowRight"] * stop)

    def said(self):
        return self.figure.get_by_role("status").inner_text()


@pytest.fixture
def moving(opened, name):
    return Moving(opened(address(name), offline=True), name)


@pytest.mark.parametrize("name", ["fig-start-halves"])
def test_another_draw_has_the_winners_that_gtlib_finds(moving, name):
    dots = drawn(name, r'<use .* x="(.*?)" y="(.*?)".*-opacity')
    assert np.allclose(moving.middles("circle.system"), dots, atol=0.2)
    scores = gt.load("cf-ap")
    same = np.zeros(2)
    for seed in range(1, 13):
        order = np.random.default_rng(seed).permutation(scores.shape[1])
        for k, size in enumerate((10, 49)):
            sets = order[:size], order[size : 2 * size]
            means = [scores.iloc[:, s].mean(axis=1) for s in sets]
            best = [mean.argmax() for mean in means]
            same[k] += best[0] == best[1]
            tau = moving.values("tau")[k]
            assert tau == pytest.approx(gt.kendall_tau(*means), **EXACT)
            shown = [moving.values(c)[k] for c in ("one", "other", "same")]
            assert shown == [*best, same[k]]
            for mark, of in zip(("one", "other"), best, strict=True):
                systems = moving.middles("circle.system")
                place = systems[k * len(scores) + of]
                winner = moving.middles(f"g.{mark} circle")[k]
                assert np.allclose(winner, place, atol=0.2)
            assert scores.index[best[0]] in moving.said()
        if seed < 5:
            moving.controls.click()
        else:
            moving.controls.focus()
            moving.tab.keyboard.press("Enter" if seed % 2 else "Space")


@cache
def study():
    scores = gt.load("cf", measure="AP").drop(columns="family")
    return gt.gstudy(scores, "system x topic x assessor")


def plan_shown(moving):
    """Topics and assessors, if all that is said of them is right."""
    n, m = re.match(r"(\d+) topics × (\d+)", moving.said()).groups()
    plan = study().plan(topic=int(n), assessor=int(m))
    for coefficient in ("dependability", "generalizability"):
        ours = pytest.approx(getattr(plan, coefficient), **EXACT)
        assert moving.values(coefficient) == [ours]
    wide = moving.figure.locator(".bar i").evaluate_all(GROWS)
    named = ("system", "topic", "assessor", "both")
    said = [value for each in named for value in moving.values(each)]
    assert wide == pytest.approx(said, rel=1e-4)
    assert sum(wide) == pytest.approx(1)
    share = plan.table["percent"] / 100
    for part in ("topic", "assessor"):
        of = plan.effects.table["divisors"] == (part,)
        assert moving.values(part) == [pytest.approx(share[of].sum())]
    if moving.values("most"):
        best = study().plan().best(int(n) * int(m))
        ours = pytest.approx(best.row["dependability"], **EXACT)
        assert moving.values("most") == [ours]
        n_best, m_best = map(best.levels.get, ("topic", "assessor"))
        assert f"{n_best} × {m_best}, with" in moving.said()
    return int(n), int(m)


@pytest.mark.parametrize("name", ["fig-dst-map", "fig-allocation-map"])
def test_a_plan_is_worth_what_gtlib_says(moving, name):
    best = name == "fig-allocation-map"
    assert plan_shown(moving) == ((100, 4) if best else (100, 1))
    assert bool(moving.values("most")) is best
    moving.press("Topics", "Home", "ArrowRight", "ArrowRight")
    moving.press("Assessors", "Home", "ArrowUp")
    assert plan_shown(moving) == (7, 2)
    moving.press("Topics", "End")
    assert plan_shown(moving) == (1000, 2)
    rng = np.random.default_rng(4)
    for place in rng.uniform((50, 10), (330, 245), (6, 2)):
        moving.drag(*place)
        plan_shown(moving)
    diamonds = drawn(name, r'<use .* x="(.*?)" y="(.*?)".*miter')
    assert len(diamonds) == 3 * best
    for budget, place in zip((100, 400, 1600), diamonds, strict=False):
        moving.drag(*place)
        levels = study().plan().best(budget).levels
        shown = plan_shown(moving)
        assert shown == (levels["topic"], levels["assessor"])
        for mark in (".best", ".grip .reach"):
            assert np.allclose(moving.middles(mark), place, atol=1)
        text = moving.figure.get_by_label("Assessors")
        assert text.get_attribute("aria-valuetext") == str(shown[1])


@pytest.mark.parametrize("name", ["fig-ctt-worst"])
def test_without_the_worst_alpha_is_gtlibs(moving, name):
    scores = gt.load("cf-ap")
    order = scores.mean(axis=1).sort_values().index
    curve = drawn(name, r"[ML] (\d+\.\d+) (\d+\.\d+) ")

    def agrees(gone):
        fewer = gt.drop_worst(scores, gone / len(scores))
        ours = gt.cronbach_alpha(fewer)
        names = ("generalizability", "low", "high")
        shown = [value for n in names for value in moving.values(n)]
        expected = [ours.estimate, ours.low, ours.high]
        assert shown == pytest.approx(expected, **EXACT)
        dot = np.array(moving.middles("g.alpha circle"))
        assert np.abs(curve - dot).max(axis=1).min() < 0.05
        assert moving.middles("path.edge")[0][0] == pytest.approx(dot[0, 0])
        curtain = moving.figure.locator(".curtain")
        ends = [float(curtain.get_attribute(a)) for a in ("x", "width")]
        assert sum(ends) == pytest.approx(dot[0, 0], abs=0.01)
        if gone:
            assert moving.said().endswith(f"was {order[gone - 1]}.")
        return dot[0]

    step = -agrees(0)[0]
    moving.press("Systems taken away", "ArrowRight")
    step += agrees(1)[0]
    moving.press("Systems taken away", *["ArrowRight"] * 8)
    left = agrees(9)[0] - 9 * step
    assert "9 worst of 36" in moving.said()
    for gone in (20, 3, 31):
        moving.drag(left + (gone + 0.2) * step, 90)
        agrees(gone)


@pytest.mark.parametrize("name", ["fig-gst-apart"])
def test_the_squares_of_scores_add_up_to_the_table(moving, name):
    study = gt.gstudy(
        pd.DataFrame([[0.9, 0.7, 0.2], [0.7, 0.5, 0.3], [0.8, 0.3, 0.1]])
    )
    squares, components = (
        study.table[["mean_square", "estimate"]].to_numpy().T
    )
    sums = squares * study.table["df"].to_numpy()

    def shown():
        return [moving.values(n)[0] for n in ("system", "topic", "rest")]

    def areas():
        """Of the squares that lie in the nine cells of each panel."""
        panels = [moving.marks(k)[0][9:] for k in range(4)]
        return [(marks[:, 2] * marks[:, 3]).sum() for marks in panels]

    assert shown() == pytest.approx(sums)
    unit = areas()[1] / sums[0]
    for taken in range(4):
        moving.go("Step", taken + 1)
        gone = np.where(np.arange(3) < taken, sums, 0)
        assert shown() == pytest.approx(gone)
        expected = [(sums - gone).sum(), *gone]
        assert np.divide(areas(), unit) == pytest.approx(expected, abs=2e-3)
    for step, expected in ((5, squares), (6, components)):
        moving.go("Step", step)
        assert shown() == pytest.approx(expected)


@pytest.mark.parametrize("name", ["fig-nested-designs"])
def test_few_people_or_many_have_the_errors_of_gtlibs_plans(moving, name):
    g = gt.gstudy(gt.load("small"), "system x topic x assessor")
    v = g.variance
    own = v["assessor"] + v["system x assessor"]
    crossed = g.plan(topic=6, assessor=2)
    nested = g.plan("system x (assessor:topic)", topic=6, assessor=2)
    for stop, people in enumerate((2, 4, 6, 12)):
        moving.go("People", stop)
        (cells, kinds) = moving.marks(1)
        columns, topics = cells[kinds == "one"][:, :2].round().T
        assert len({*zip(columns, topics, strict=True)}) == 12
        assert len({*columns}) == people
        assert {*np.unique(topics, return_counts=True)[1]} == {2}
        relative, absolute = (
            crossed.relative_error
            - v["system x assessor"] * (1 / 2 - 1 / people),
            crossed.absolute_error - own * (1 / 2 - 1 / people),
        )
        assert moving.values("relative") == [pytest.approx(relative)]
        assert moving.values("absolute") == [pytest.approx(absolute)]
        bars, _ = moving.marks(3)
        wide = bars[bars[:, 4] == 0][:, 2]  # those of relative error, twice
        assert wide.sum() / bars[:, 2].sum() == pytest.approx(
            2 * relative / (relative + absolute), abs=2e-3
        )
    assert relative == pytest.approx(nested.relative_error)
    assert absolute == pytest.approx(nested.absolute_error)


@pytest.mark.parametrize("name", ["fig-ap-judged"])
def test_judgments_narrow_ap_as_gtlib_says(moving, name):
    belief = np.linspace(0.6, 0.1, 16)
    ranks = np.arange(1, 17)
    relevant = np.random.default_rng(0).random(16) < belief
    for count in (5, 0, 11, 16):
        if count != 5:  # as the image has it
            moving.go("Judged", count)
        assert moving.values("judged") == [count]
        ends = {"top": ranks <= count, "bottom": ranks > 16 - count}
        for panel, (end, known) in enumerate(ends.items()):
            p = np.where(known, relevant, belief)
            ap = gt.ap_moments(ranks, p, ratio="exact")
            deviation = pytest.approx(np.sqrt(ap.variance))
            assert moving.values(end) == [pytest.approx(ap.mean)]
            assert moving.values(f"{end}_deviation") == [deviation]
            _, kinds = moving.marks(panel)
            assert np.array_equal(kinds == "other", known)
            bars = moving.marks(panel + 2)[0]
            middles = bars[:, 0] + bars[:, 2] / 2 - bars[0, 0]
            mean = middles @ bars[:, 3] / bars[:, 3].sum()
            mean /= 20 * bars[0, 2]
            assert mean == pytest.approx(ap.mean, abs=0.026)


@pytest.mark.parametrize("name", ["fig-reuse-design"])
def test_sites_have_the_topics_that_the_design_counts(moving, name):
    design = gt.BlockDesign(sites=6, held_out=2, topics=20, baseline=5)
    out = (design.table() == "−").to_numpy().T
    size = design.sizes

    def looks():
        """Whether each cell of the grid is filled as held out, or not."""
        marks, kinds = moving.marks(0)
        filled = (marks[:-1, 4] == 0).reshape(out.shape)
        return kinds[:-1].reshape(out.shape), filled

    kinds, filled = looks()
    assert np.array_equal(kinds == "one", out) and filled.all()
    for site, other in ((1, 0), (6, 0), (2, 4), (4, 2), (3, 6)):
        moving.go("Site", site)
        moving.go("Other site", other)
        chosen = [site - 1, other - 1][: 1 + bool(other)]
        kinds, filled = looks()
        assert np.array_equal(kinds == "one", out)
        assert filled[chosen].all()
        assert {*np.flatnonzero((kinds == "other").any(axis=1))} == {
            *chosen
        }
        which = "between-site" if other else "within-site"
        for part in ("baseline", "reuse"):
            assert moving.values(part) == [size[f"{which} {part}"]]
        if other:
            against = size["participant comparison"]
            assert moving.values("against") == [against]


@pytest.mark.parametrize("name", first(2, FIGURES))
def test_without_a_script_and_on_paper_it_is_the_image(opened, name):
    tab = opened(address(name), java_script_enabled=False)
    assert tab.locator(f"#{name} img").is_visible()
    assert not tab.locator(f"#{name} .interactive *").count()
    tab = opened(address(name))
    tab.emulate_media(media="print")
    shown = tab.locator(f"#{name} .interactive :visible").all()
    classes = [each.get_attribute("class") for each in shown]
    assert classes == ["stage", "still"]


@every_figure
def test_a_phone_shows_letters_and_grips_large_enough(opened, name):
    tab = opened(address(name), viewport=PHONE, has_touch=True)
    moving = Moving(tab, name)
    for text in moving.figure.locator("text").all():
        assert text.evaluate(LETTERS) * moving.unit() >= 9
    assert moving.figure.get_by_role("status").evaluate(LETTERS) >= 14
    for hold in [*moving.controls.all(), *tab.locator(".reach").all()]:
        assert hold.bounding_box()["height"] >= 24
    before = moving.said()
    if moving.figure.locator(".grip").count():
        tab.touchscreen.tap(*moving.on_screen((200, 90)))
        assert moving.said() != before


@pytest.mark.parametrize("name", ["fig-dst-map", "fig-ctt-worst"])
@pytest.mark.parametrize("beside", [0, 100])
def test_a_finger_drags_the_grip_and_scrolls_beside_it(
    opened, name, beside
):
    tab = opened(address(name), viewport=PHONE, has_touch=True)
    moving, finger = Moving(tab, name), tab.context.new_cdp_session(tab)

    def swipe(place, across, up):
        x, y = moving.on_screen(place)
        for k in range(7):
            kind = "Start" if not k else "Move" if k < 6 else "End"
            at = {"x": x + across * k / 5, "y": y - up * k / 5}
            points = [at] if k < 6 else []
            sent = {"type": f"touch{kind}", "touchPoints": points}
            finger.send("Input.dispatchTouchEvent", sent)
        return moving.said()

    [grip] = moving.middles(".grip .reach")
    before, scrolled = moving.said(), tab.evaluate("scrollY")
    after = swipe((grip[0] + beside, grip[1]), 0 if beside else 40, 40)
    assert (after == before) is bool(beside)
    if beside:
        tab.wait_for_function("y => scrollY > y", arg=scrolled)
    else:
        assert tab.evaluate("scrollY") == scrolled


@pytest.mark.parametrize("chapter", pages("notebooks/"))
def test_each_choice_of_a_quiz_is_answered_and_one_is_right(
    opened, chapter
):
    tab = opened(chapter)
    for quiz in tab.locator(".quiz").all():
        said = quiz.evaluate(CHOOSE)
        assert len(said) == quiz.locator("ul li").count() > 1
        assert sum(each.startswith("Yes. ") for each in said) == 1
        assert min(len(each) for each in said) > 12, said
        assert quiz.locator("details").get_attribute("open") is None


def test_without_a_script_the_answer_of_a_quiz_unfolds(opened):
    tab = opened(CHAPTER_OF_QUIZZES, java_script_enabled=False)
    quiz = tab.locator(".quiz").first
    assert quiz.locator("button").count() == 0
    quiz.locator("summary").click()
    assert quiz.locator("details strong").is_visible()


@pytest.mark.parametrize("slide", ["more", "worst", "ratio"])
def test_on_a_slide_it_moves_and_the_slide_stays(opened, slide):
    size = {"width": 1280, "height": 720}
    tab = opened(f"slides/lecture.html#{slide}", viewport=size)
    tab.wait_for_function("document.body.dataset.ready")
    moving = Moving(tab, slide)
    assert 10 * moving.unit() >= 20
    for words in moving.figure.locator(".interactive p, label").all():
        assert words.evaluate(LETTERS) >= 20
    tab.set_viewport_size({"width": 1024, "height": 600})
    before = moving.said()
    moving.controls.first.focus()
    slides = moving.figure.locator(".grip").count()
    tab.keyboard.press("ArrowRight" if slides else "Space")
    assert moving.said() != before
    if slides:
        moving.drag(150, 90)
        [(x, _)] = moving.middles(".grip .reach")
        assert x == pytest.approx(150, abs=6)
    assert tab.evaluate("Reveal.getCurrentSlide().id") == slide
