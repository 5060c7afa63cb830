"""The planner in the built book: gtlib's own answers, from the file system
and without a network, and a plain word for whatever cannot be right."""

from contextlib import suppress
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support.planner import (
    COEFFICIENTS,
    DOCUMENTS,
    NAMES,
    document_study,
    stretch,
)
from checks.conftest import PHONE
from checks.test_browser import axe_finds_nothing
from gtlib.uncertainty import replicate
from tests.cases import first

PAGE = "book/planner.html"
RUNS, PEOPLE, DOCS = "tasks-and-runs", "people-and-a-machine", "documents"
GATE = "a-gate"
FACES = "topics-and-assessors", RUNS, PEOPLE, GATE, DOCS
DESIGNS = {name: design for design, name in NAMES.items()}
CLOSE = {"rel": 1e-9, "abs": 1e-9}
SCREENS = {"width": 1280, "height": 800}, PHONE


class Planner:
    """A face of the page; a plan is given to it as an address, and read
    back. What is folded is open, if it is not to stay so."""

    def __init__(self, page, face=FACES[0], folded=False):
        self.page = page
        page.wait_for_selector(".planner-verdict:not(:empty)")
        page.add_style_tag(content="* { scroll-behavior: auto !important }")
        if face != FACES[0]:
            page.click(f"#pl-{face}-tab")
        self.face = page.locator(f"#pl-{face}-face")
        if not folded:
            details = page.locator("#pl-root details")
            details.evaluate_all(
                "all => all.forEach(e => { e.open = true; })"
            )

    def ask(self, **fields):
        """As somebody who follows a link; the page answers at once."""
        hash = urlencode(
            {k.replace("_", "-"): v for k, v in fields.items()}
        )
        self.page.evaluate(
            "hash => { history.replaceState(null, '', '#' + hash);"
            " dispatchEvent(new Event('hashchange')); }",
            hash,
        )

    def text(self, id):
        return self.page.inner_text(f"#pl-{id}")

    def number(self, id):
        return float(self.page.get_attribute(f"#pl-{id}", "value"))

    def verdict(self):
        return self.face.locator(".planner-verdict").inner_text()

    def design(self, id):
        """Levels and coefficient of a best design, if there is one."""
        data = self.page.query_selector(f"#pl-{id} data")
        if data is None:
            return None
        levels = {
            facet: int(data.get_attribute(f"data-{facet}"))
            for facet in ("topic", "assessor")
        }
        return levels, float(data.get_attribute("value"))

    def components(self):
        inputs = self.page.locator("#pl-components input")
        return inputs.evaluate_all("all => all.map(e => Number(e.value))")

    def errors(self):
        shown = self.face.locator(".planner-error:visible")
        return shown.all_inner_texts()


@pytest.fixture
def planner(opened):
    return Planner(opened(PAGE, offline=True))


@pytest.fixture
def runs(opened):
    return Planner(opened(PAGE, offline=True), RUNS)


@pytest.fixture
def people(opened):
    return Planner(opened(PAGE, offline=True), PEOPLE)


@pytest.fixture
def documents(opened):
    return Planner(opened(PAGE, offline=True), DOCS)


@pytest.fixture
def gate(opened):
    return Planner(opened(PAGE, offline=True), GATE)


def random_plan(seed):
    """A plan of components of one's own, as fields of the page."""
    rng = np.random.default_rng(seed)
    study = str(rng.choice(list(DESIGNS), p=[0.2, 0.55, 0.25]))
    labels = gt.Design(DESIGNS[study]).labels
    values = rng.lognormal(-5, 1.5, len(labels))
    values[1:] *= rng.choice(
        [1, 0, -0.1], len(labels) - 1, p=[0.8, 0.1, 0.1]
    )
    fields = {f"c{k}": f"{value:.7g}" for k, value in enumerate(values)}
    for name in ("judgment", "topic", "assessor"):
        choices = [0, 1, 0.5, 12, 250]
        fields[f"price_{name}"] = rng.choice(choices, p=[0.1] + [0.225] * 4)
    nested = study == "crossed" and rng.random() < 0.5
    return {
        "source": "components",
        "study": study,
        "shape": "nested" if nested else study,
        "topics": rng.integers(1, 400),
        "assessors": rng.integers(1, 20),
        "cost": rng.choice(["prices", "judgments"]),
        "budget": f"{rng.uniform(20, 5000):.6g}",
        "target": f"{rng.uniform(0.5, 0.99):.3f}",
        "coefficient": rng.choice(COEFFICIENTS),
        **fields,
    }


def answers(asked):
    """What gtlib says of the same plan."""
    text = DESIGNS[asked["study"]]
    labels = gt.Design(text).labels
    values = [float(asked[f"c{k}"]) for k in range(len(labels))]
    g = gt.GStudy.from_components(
        text, dict(zip(labels, values, strict=True))
    )
    numbers = {"topic": int(asked["topics"])}
    names = ["judgment", "topic"]
    if asked["study"] != "single":
        numbers["assessor"] = int(asked["assessors"])
        names.append("assessor")
    prices = None
    if asked["cost"] == "prices":
        prices = {name: float(asked[f"price_{name}"]) for name in names}
    design = DESIGNS[asked["shape"]]
    held = {facet: (n, n) for facet, n in numbers.items()}
    found = {
        "plan": g.plan(design, **numbers),
        "cost": g.plan(design, **held).best(1e12, prices).cost,
    }
    aim = {"coefficient": asked["coefficient"]}
    for name, limit in (("best", "budget"), ("cheapest", "target")):
        question = getattr(g.plan(design), name)
        try:
            found[name] = question(float(asked[limit]), prices, **aim)
        except ValueError as refused:
            found[name] = str(refused)
    return found


def agree(planner, asked):
    """What the page says, and what the Python that it gives computes."""
    ours, copied = answers(asked), {}
    with suppress(ValueError):
        exec(planner.text("python"), copied)
    for name in COEFFICIENTS:
        value = getattr(ours["plan"], name)
        assert planner.number(name) == pytest.approx(value, **CLOSE)
        assert getattr(copied["plan"], name) == pytest.approx(value)
    assert planner.number("cost") == pytest.approx(ours["cost"], **CLOSE)
    for name in ("best", "cheapest"):
        theirs = planner.design(name)
        if isinstance(ours[name], str):
            assert theirs is None
            continue
        levels, value = theirs
        assert levels == {"assessor": 1, **ours[name].levels}
        expected = getattr(ours[name], asked["coefficient"])
        assert value == pytest.approx(expected, **CLOSE)
        assert copied.get(name, ours[name]).levels == ours[name].levels
    assert planner.verdict().startswith(verdict(ours, asked))


def verdict(ours, asked):
    """Nothing, this, or more than there is, as gtlib's answers say."""
    best, cheapest = ours["best"], ours["cheapest"]
    reached = getattr(ours["plan"], asked["coefficient"])
    if reached >= float(asked["target"]):
        return "Buy nothing."
    if "costs nothing" in str(best):
        return "No best design."
    if isinstance(cheapest, str):
        return "Out of reach."
    if cheapest.cost <= float(asked["budget"]):
        return "Buy this:"
    return "More than you have."


@pytest.mark.parametrize(
    "seeds",
    first(1, [range(40), range(40, 120)]),
    ids=str,
)
def test_random_plans_agree_with_gtlib(planner, seeds):
    for seed in seeds:
        asked = random_plan(seed)
        planner.ask(**asked)
        assert not planner.errors()
        agree(planner, asked)
        assert "NaN" not in planner.page.inner_text("#pl-root")


@pytest.mark.parametrize("shape", ["crossed", "nested"])
@pytest.mark.parametrize("source", ["trec4-table1", "cf-AP", "cf-ap"])
def test_intervals_are_gtlibs(planner, source, shape):
    """To the last digit that is shown, since the draws are the same; those
    of one facet but for r, which is here that of the study."""
    planner.ask(source=source, shape=shape, topics=50, assessors=2)
    plan, close = {"topic": 50, "assessor": 2}, {"abs": 0.0006}
    if source == "trec4-table1":
        g = gt.load(source)
    elif source == "cf-AP":
        g = gt.gstudy(gt.load("cf", measure="AP"), DESIGNS["crossed"])
    else:
        g, plan, shape = gt.gstudy(gt.load(source)), {"topic": 50}, "single"
        close = {"abs": 0.012}
    ends = {}
    for coefficient, r in zip(COEFFICIENTS, stretch(g), strict=True):
        plan_ = g.plan(DESIGNS[shape], **plan)
        found = plan_.interval(coefficient)
        ends[coefficient] = [found.low, found.high]
        if shape != "single":
            drawn = replicate(g, "pivotal", 2000, 0, r)
            values = plan_.coefficients(drawn)[coefficient]
            ends[coefficient] = np.quantile(
                values, [0.025, 0.975], method="nearest"
            )
    (low, high), (least, most) = (ends[name] for name in COEFFICIENTS)
    ends = [(low, max(high, most)), (min(low, least), most)]
    for coefficient, expected in zip(COEFFICIENTS, ends, strict=True):
        words = planner.text(f"{coefficient}-note").split()
        assert (words[0], words[2]) == ("95%:", "to")
        shown = [float(words[1]), float(words[3])]
        assert shown == pytest.approx(expected, **close)


def test_every_collection_can_be_planned(planner):
    for option in planner.page.locator("#pl-source option").all():
        source = option.get_attribute("value")
        planner.ask(source=source, study="crossed", topics=60)
        assert 0 < planner.number("dependability") < 1, source
        without = planner.text("generalizability-note") == ""
        assert without == (source == "components")
        assert not planner.errors()


@pytest.mark.parametrize("correlation", [-0.9, 0, 0.5, 0.9, 1])
def test_human_topics_are_gtlibs(people, correlation):
    for width, total in [(0.01, 900), (0.05, 60), (0.05, 5000), (0.3, 5)]:
        asked = {"width": width, "sd": 0.2, "correlation": correlation}
        people.ask(
            **{f"h-{k}": v for k, v in (asked | {"topics": total}).items()}
        )
        with_machine = people.page.get_attribute("#pl-h-with", "value")
        (ours,) = gt.human_topics(width, 0.2, correlation, [total])
        assert with_machine == ("" if pd.isna(ours) else str(ours))
        copied = {}
        exec(people.text("python"), copied)
        assert copied["topics"].equals(
            gt.human_topics(width, 0.2, correlation, [total])
        )


@pytest.mark.parametrize("shape", DOCUMENTS)
def test_documents_are_planned_as_by_gtlib(documents, shape):
    study = document_study()
    for seed in range(4):
        rng = np.random.default_rng([seed, len(shape)])
        levels = {
            f: int(rng.integers(1, 60)) for f in ("topic", "document")
        }
        levels["assessor"] = int(rng.integers(1, 6))
        price = {"topic": int(rng.integers(0, 40)), "judgment": 1}
        budget = int(rng.integers(100, 20_000))
        coefficient = COEFFICIENTS[seed % 2]
        fields = {f"{facet}s": n for facet, n in levels.items()}
        fields |= {f"price-{name}": n for name, n in price.items()}
        fields |= {"shape": shape, "coefficient": coefficient}
        fields |= {"budget": budget}
        documents.ask(**{f"d-{k}": v for k, v in fields.items()})
        plan = study.plan(DOCUMENTS[shape], levels=levels)
        for name in COEFFICIENTS:
            value = getattr(plan, name)
            assert documents.number(f"d-{name}") == pytest.approx(
                value, **CLOSE
            )
        free = study.plan(
            DOCUMENTS[shape], assessor=(1, 4), document=(1, 50)
        )
        best = free.best(budget, price, coefficient=coefficient)
        value = best.row[coefficient]
        assert documents.number("d-best") == pytest.approx(value, **CLOSE)
        copied = {}
        with suppress(ValueError):  # no design may reach the target
            exec(documents.text("python"), copied)
        for name in COEFFICIENTS:
            value = getattr(copied["plan"], name)
            assert value == pytest.approx(getattr(plan, name), **CLOSE)
        assert copied["best"].levels == best.levels
        documents.ask(**{"d-target": 0.8})
        try:
            cheap = free.cheapest(0.8, price, coefficient=coefficient)
        except ValueError:
            assert documents.text("d-cheapest") == "none"
            continue
        value = pytest.approx(cheap.row[coefficient], **CLOSE)
        assert documents.number("d-cheapest") == value


def test_tasks_and_runs_are_planned_as_by_gtlib(runs):
    """Also by the Python that the page gives; with small components, with
    none of one kind, and where a task costs nothing."""
    label = "run:(system x task)"
    for seed in range(30):
        rng = np.random.default_rng([seed, 7])
        values = rng.lognormal(-3, 1, 3) * 10.0 ** rng.integers(-3, 2)
        values[1:] *= rng.choice([1, 1, 1, 0, -0.1], 2)
        levels = rng.integers(1, 100), rng.integers(1, 20)
        price = {"task": int(rng.integers(0, 60)), "run": 1}
        budget = int(rng.integers(50, 4000))
        fields = {f"c{k}": f"{value:.7g}" for k, value in enumerate(values)}
        values = [float(text) for text in fields.values()]
        fields |= dict(zip(["tasks", "runs"], levels, strict=True))
        fields |= {f"price-{name}": n for name, n in price.items()}
        fields |= {"budget": budget}
        runs.ask(**{f"r-{k}": v for k, v in fields.items()})
        assert not runs.errors()
        names = ["system", "system x task", label]
        components = dict(zip(names, values, strict=True)) | {"task": 0}
        g = gt.GStudy.from_components(label, components)
        now = g.plan(task=levels[0], run=levels[1])
        assert runs.number("r-generalizability") == pytest.approx(
            now.generalizability, **CLOSE
        )
        half = 1.959963984540054 * (2 * now.relative_error) ** 0.5
        assert runs.number("r-width") == pytest.approx(half, **CLOSE)
        cost = levels[0] * (price["task"] + levels[1])
        assert runs.number("r-cost") == pytest.approx(cost)
        copied = {}
        exec(runs.text("python"), copied)
        best = g.plan().best(budget, price, coefficient="generalizability")
        plan = g.plan(**best.levels)
        half = 1.959963984540054 * (2 * plan.relative_error) ** 0.5
        assert runs.number("r-best") == pytest.approx(half, **CLOSE)
        assert copied["best"].levels == best.levels
        shown = runs.page.get_attribute("#pl-r-best", "data-levels")
        tasks, each = map(int, shown.split())
        assert tasks * (price["task"] + each) <= budget
        the_cheapest_is_gtlibs(runs, g, price)


def the_cheapest_is_gtlibs(runs, g, price):
    """A half-width is a generalizability, which gtlib can be asked for."""
    width = float(runs.page.input_value("#pl-r-target"))
    allowed = (width / 1.959963984540054) ** 2 / 2
    universe = g.estimate["system"]
    target = universe / (universe + allowed)
    aim = {"coefficient": "generalizability"}
    cheap = g.plan().cheapest(target, price, **aim)
    shown = runs.page.get_attribute("#pl-r-cheapest", "data-levels")
    tasks, each = map(int, shown.split())
    theirs = tasks * (price["task"] + each * price["run"])
    assert theirs == pytest.approx(cheap.cost)


@pytest.mark.parametrize(
    "fields",
    [
        {"runs": 3},
        {"share": 1, "runs": 2},
        {"runs": 1, "stop": 0, "pass": 1},
        {"kind": "others", "task-sd": 12, "run-sd": 20}
        | {"stop": 68.5, "threshold": 70, "pass": 75},
    ],
    ids=range(4),
)
def test_a_gate_is_wrong_as_often_as_gtlib_says(gate, fields):
    gate.ask(**{f"g-{name}": value for name, value in fields.items()})
    assert not gate.errors()
    copied = {}
    exec(gate.text("python"), copied)
    low, high = copied["gate"]["new_tasks"]
    assert gate.number("g-wrong-stop") == pytest.approx(low, **CLOSE)
    assert gate.number("g-wrong-pass") == pytest.approx(1 - high, **CLOSE)
    assert "NaN" not in gate.face.inner_text()


def test_a_gate_gets_the_tasks_that_are_offered(gate):
    assert gate.verdict().startswith("Too few tasks.")
    gate.face.locator(".planner-verdict button").click()
    assert gate.verdict().startswith("Enough tasks.")
    gate.ask(**{"g-pass": 0.8})
    assert gate.verdict().startswith("Out of reach.")
    gate.ask(**{"g-kind": "binary", "g-pass": 82})
    assert len(gate.errors()) == 1


def test_a_price_of_nothing_and_a_budget_for_nothing_have_words(runs):
    runs.ask(**{"r-price-run": 0})
    assert "cost nothing" in runs.verdict()
    runs.ask(**{"r-price-run": 1, "r-price-task": 9, "r-budget": 9.5})
    assert "does not buy" in runs.verdict()
    runs.ask(**{"r-budget": 10})
    assert runs.text("r-best").startswith("1 task, 1 run on each")
    runs.ask(**{"r-c1": 0, "r-c2": 0, "r-budget": 1e9})
    assert "NaN" not in runs.face.inner_text()


def test_whose_components_of_runs_they_are_is_said_of_these_only(runs):
    note = runs.text("r-note")
    assert "Terminal-Bench" in note or "Round numbers" in note
    begun = runs.page.input_value("#pl-r-c1")
    runs.ask(**{"r-c1": 0.5})
    assert runs.text("r-note") == ""
    runs.ask(**{"r-c1": begun})
    assert runs.text("r-note") == note


WRONG_FIELDS = [
    (FACES[0], "topics", ["0", "-3", "1.5", "1e99", "x", ""]),
    (FACES[0], "budget", ["0", "<b>", ""]),
    (FACES[0], "target", ["0", "1", "2"]),
    (PEOPLE, "h-correlation", ["1.1"]),
    (DOCS, "d-documents", ["0"]),
    (RUNS, "r-runs", ["0", "1.5"]),
    (GATE, "g-threshold", ["1.1", "-0.1", "x"]),
]


@pytest.mark.parametrize("face, name, texts", WRONG_FIELDS)
def test_what_cannot_be_right_has_a_word_beside_it(
    opened, face, name, texts
):
    asked = Planner(opened(PAGE, offline=True), face, folded=True)
    right = asked.page.input_value(f"#pl-{name}")
    results = asked.face.locator(".planner-verdict")
    waiting = asked.face.locator(".planner-waiting")
    for text in texts:
        asked.ask(**{name: text})
        assert len(asked.errors()) == 1, text
        assert not results.is_visible()
        assert waiting.is_visible()
    asked.ask(**{name: right})
    assert results.is_visible()
    assert not asked.errors()


@pytest.mark.parametrize("face", [RUNS, DOCS])
def test_prices_of_next_to_nothing_break_nothing(opened, face):
    asked = Planner(opened(PAGE, offline=True), face)
    names = {RUNS: ("r", "task", "run"), DOCS: ("d", "topic", "judgment")}
    letter, *kinds = names[face]
    asked.ask(**{f"{letter}-price-{kind}": "1e-300" for kind in kinds})
    said = asked.face.inner_text()
    assert not any(word in said for word in ("NaN", "Infinity", "\u221e"))


def test_an_address_from_elsewhere_does_no_harm(planner):
    planner.ask(source="<i>nowhere</i>", shape="round", coefficient="best",
                study="x", c0="1,2", constructor=1, elements=2)  # fmt: skip
    assert "<i>nowhere</i>" in planner.text("source-missing")
    assert "NaN" not in planner.page.inner_text("#pl-root")


UNSEEN = """slider => [slider, ...document.querySelectorAll(
    "#pl-generalizability, #pl-dependability, #pl-cost, " +
    ".planner-face:not([hidden]) .planner-number")]
    .filter(one => {
        const { left, top, bottom } = one.getBoundingClientRect();
        return [top + 2, bottom - 2].some(
            y => !one.contains(document.elementFromPoint(left + 9, y)));
    }).map(one => one.outerHTML)"""


@pytest.mark.parametrize("screen", SCREENS, ids=str)
@pytest.mark.parametrize("source", ["trec4-table1", "components"])
def test_sliders_and_results_share_a_screen(opened, screen, source):
    planner = Planner(opened(PAGE, viewport=screen))
    page = planner.page
    planner.ask(source=source, study="crossed")
    for name in ("topics", "assessors"):
        slider = page.locator(f"#pl-{name}-slider")
        for start in (0, 99_999):
            page.evaluate("y => scrollTo(0, y)", start)
            slider.evaluate("slider => slider.blur()")
            slider.focus()
            before = planner.number("dependability")
            slider.press("ArrowRight")
            assert planner.number("dependability") > before
            assert not slider.evaluate(UNSEEN)


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_two_keys_lead_to_the_sliders(opened, screen):
    page = Planner(opened(PAGE, viewport=screen)).page
    slider = page.locator("#pl-topics-slider")
    for key in ("Tab", "Enter"):
        page.keyboard.press(key)
    assert slider.evaluate("slider => slider.matches(':focus-visible')")
    assert not slider.evaluate(UNSEEN)
    page.locator("article h1").click(position={"x": 5, "y": 5})
    for _ in range(5):  # the tab that is chosen, two fields, and a link
        page.keyboard.press("Tab")
    assert slider.evaluate("slider => slider.matches(':focus')")


def test_the_keyboard_is_enough_and_a_link_holds_the_plan(opened):
    planner = Planner(opened(PAGE, offline=True), folded=True)
    page = planner.page
    page.focus("#pl-topics-slider")
    page.keyboard.press("ArrowRight")
    assert page.input_value("#pl-topics") == "51"
    for more in page.locator(".planner-more > summary:visible").all():
        more.focus()
        page.keyboard.press("Enter")
    planner.ask(budget=100, target=0.97)  # more than the budget buys
    use = planner.face.locator(".planner-verdict button")
    use.focus()
    page.keyboard.press("Enter")
    assert page.input_value("#pl-topics") == "100"
    page.select_option("#pl-source", "components")
    page.fill("#pl-topics", "80")
    for button, said in (("copy", "copied"), ("link", "linked")):
        page.focus(f"#pl-{button}")
        page.keyboard.press("Enter")
        assert planner.text(said) == "Copied."
        focused = page.evaluate("document.activeElement.id")
        assert focused == f"pl-{button}"
    page.evaluate(
        "() => { const area = document.createElement('textarea');"
        " area.id = 'pasted'; document.body.append(area); area.focus(); }"
    )
    page.keyboard.press("Control+V")
    link = page.input_value("#pasted")
    page.wait_for_function("link => location.href === link", arg=link)
    other = Planner(opened(link))
    assert other.page.input_value("#pl-topics") == "80"
    assert other.components() == planner.components()
    for name in (*COEFFICIENTS, "cost"):
        # the same bits: one script on one link
        assert other.number(name) == planner.number(name)


def test_systems_that_differ_by_error_only_have_no_plan(planner):
    planner.ask(source="components", study="single", c0=-0.1)
    assert planner.components()[0] < 0
    assert planner.number("dependability") == 0
    assert planner.design("cheapest") is None
    assert "differ by error only" in planner.verdict()


@pytest.mark.parametrize("face", FACES[1:])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_other_faces(opened, face, scheme):
    asked = Planner(opened(PAGE, offline=True), face)
    still = {"reduced_motion": "reduce"}  # colours change at once
    asked.page.emulate_media(color_scheme=scheme, **still)
    axe_finds_nothing(asked.page)


@pytest.mark.parametrize("face", FACES)
def test_a_face_says_what_it_found_to_who_hears_it(opened, face):
    asked = Planner(opened(PAGE, offline=True), face)
    asked.page.wait_for_function(
        "said => document.querySelector('#pl-status').textContent === said",
        arg=asked.verdict(),
    )


def test_arrows_lead_from_face_to_face_and_old_addresses_to_theirs(opened):
    page = Planner(opened(PAGE, offline=True)).page
    page.focus(f"#pl-{FACES[0]}-tab")
    for face in (*FACES[1:], FACES[0]):
        page.keyboard.press("ArrowRight")
        assert page.is_visible(f"#pl-{face}-face")
    other = Planner(opened(f"{PAGE}#r-tasks=60"), folded=True).page
    assert other.is_visible(f"#pl-{RUNS}-face")
    assert other.input_value("#pl-r-tasks") == "60"
    moved = Planner(opened("book/planner-people.html"), folded=True).page
    assert moved.is_visible(f"#pl-{PEOPLE}-face")


def test_a_plan_can_be_dragged_on_its_map(opened):
    """From one assessor to the most, where the line of the budget turns."""
    planner = Planner(opened(PAGE, viewport=SCREENS[0]), folded=True)
    page, figure = planner.page, planner.page.locator("#pl-map svg")
    figure.scroll_into_view_if_needed()
    box = page.locator("#pl-map .here").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    assert planner.number("cost") == pytest.approx(50, abs=3)
    page.mouse.move(x, 0, steps=4)
    page.mouse.up()
    assert page.input_value("#pl-assessors") == "10"
    page.mouse.move(x, y)
    assert page.input_value("#pl-assessors") == "10"


def test_what_is_advised_reaches_what_is_asked(planner):
    """A plan that the page offers is taken, and then nothing is missing."""
    planner.ask(source="cf-AP", target=0.9, budget=100_000)
    assert planner.verdict().startswith("Buy this:")
    planner.face.locator(".planner-verdict button").click()
    assert planner.verdict().startswith("Buy nothing.")
    assert planner.face.locator(".planner-verdict button").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_all_is_open(planner, scheme):
    still = {"reduced_motion": "reduce"}  # colours change at once
    planner.page.emulate_media(color_scheme=scheme, **still)
    planner.ask(source="components", cost="prices", budget="-1")
    details = planner.page.locator("#pl-root details")
    details.evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert len(planner.errors()) == 1
    axe_finds_nothing(planner.page)
    planner.ask(budget="100")
    axe_finds_nothing(planner.page)
