"""The planner in the built book: gtlib's own answers, from the file system
and without a network, and a plain word for whatever cannot be right."""

import numpy as np
import pandas as pd
import pytest
from axe_playwright_python.sync_playwright import Axe

import gtlib as gt
from checks.conftest import HTML

PLANS = 60
ADDRESS = (HTML / "book" / "planner.html").as_uri()
DESIGNS = {
    "single": "system x topic",
    "crossed": "system x topic x assessor",
    "nested": "system x (assessor:topic)",
}
FREE = "costs nothing"


class Planner:
    """The page, used through its fields as a person would."""

    def __init__(self, chromium, hash="", **options):
        self.problems = []
        self.context = chromium.new_context(
            offline=True, viewport={"width": 1280, "height": 900}, **options
        )
        self.page = self.context.new_page()
        self.page.on("console", self.heard)
        self.page.on("pageerror", lambda e: self.problems.append(str(e)))
        self.page.goto(ADDRESS + hash)
        self.page.wait_for_selector("#pl-root:not([hidden])")

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def type(self, field, text):
        self.page.focus(f"#pl-{field}")
        self.page.keyboard.press("Control+A")
        self.page.keyboard.press("Delete")
        self.page.keyboard.type(str(text))

    def choose(self, field, value):
        self.page.select_option(f"#pl-{field}", value)

    def tick(self, name, value):
        self.page.check(f"input[name='pl-{name}'][value='{value}']")

    def text(self, id):
        return self.page.inner_text(f"#pl-{id}")

    def number(self, id):
        return float(self.page.get_attribute(f"#pl-{id}", "value"))

    def design(self, id):
        """Levels and coefficient of a best design, or the page's reason."""
        data = self.page.query_selector(f"#pl-{id} data")
        if data is None:
            return self.text(id)
        levels = {
            facet: int(data.get_attribute(f"data-{facet}"))
            for facet in ("topic", "assessor")
        }
        return levels, float(data.get_attribute("value"))

    def body(self):
        return self.page.inner_text("#pl-root")

    def errors(self):
        return self.page.locator("#pl-root .planner-error:visible")


@pytest.fixture(scope="module")
def planner(chromium):
    """One for all the tests that a worker runs, in whichever state."""
    planner = Planner(chromium)
    yield planner
    planner.context.close()
    assert not planner.problems, planner.problems


# ---- random plans -----------------------------------------------------


def random_plan(rng):
    """One plan; numbers are texts, as they are typed."""
    study = str(rng.choice(list(DESIGNS), p=[0.2, 0.55, 0.25]))
    shape = study
    if study == "crossed" and rng.random() < 0.5:
        shape = "nested"
    labels = gt.Design(DESIGNS[study]).labels
    squares = bool(rng.random() < 0.4)
    values = rng.lognormal(-5, 1.5, len(labels))
    levels = {}
    if squares:
        values[0] += 30 * values[1:].max()
        levels = {
            facet: str(rng.integers(2, 60))
            for facet in gt.Design(DESIGNS[study]).facets
        }
    else:
        moves = rng.choice(
            [1, 0, -0.1], p=[0.8, 0.1, 0.1], size=len(values)
        )
        values[1:] *= moves[1:]
    prices = None
    if rng.random() < 0.6:
        prices = {
            name: str(
                rng.choice([0, 1, 0.5, 12, 250], p=[0.1] + [0.225] * 4)
            )
            for name in ("judgment", "topic", "assessor")
        }
    return {
        "study": study,
        "shape": shape,
        "squares": squares,
        "values": {
            label: f"{value:.{rng.integers(2, 8)}g}"
            for label, value in zip(labels, values, strict=True)
        },
        "levels": levels,
        "topic": str(rng.integers(1, 400)),
        "assessor": str(rng.integers(1, 20)),
        "prices": prices,
        "budget": f"{rng.uniform(20, 5000):.6g}",
        "target": f"{rng.uniform(0.5, 0.99):.3f}",
        "coefficient": str(
            rng.choice(["dependability", "generalizability"])
        ),
    }


def enter(planner, plan):
    planner.choose("source", "squares" if plan["squares"] else "components")
    planner.choose("study", plan["study"])
    for facet, number in plan["levels"].items():
        planner.type(f"n-{facet}", number)
    for k, text in enumerate(plan["values"].values()):
        planner.type(f"c-{k}", text)
    if plan["study"] == "crossed":
        planner.tick("shape", plan["shape"])
    planner.type("topics", plan["topic"])
    if plan["study"] != "single":
        planner.type("assessors", plan["assessor"])
    planner.tick("cost", "prices" if plan["prices"] else "judgments")
    for name, price in (plan["prices"] or {}).items():
        if name != "assessor" or plan["study"] != "single":
            planner.type(f"price-{name}", price)
    planner.type("budget", plan["budget"])
    planner.type("target", plan["target"])
    planner.choose("coefficient", plan["coefficient"])


def answers(plan):
    """What gtlib says about the same plan."""
    values = {k: float(v) for k, v in plan["values"].items()}
    text = DESIGNS[plan["study"]]
    if plan["squares"]:
        levels = {facet: int(n) for facet, n in plan["levels"].items()}
        g = gt.GStudy.from_mean_squares(text, levels, values)
    else:
        g = gt.GStudy.from_components(text, values)
    design = DESIGNS[plan["shape"]]
    numbers = {"topic": int(plan["topic"])}
    prices = plan["prices"] and {
        k: float(v) for k, v in plan["prices"].items()
    }
    if plan["study"] == "single":
        prices = prices and {k: prices[k] for k in ("judgment", "topic")}
    else:
        numbers["assessor"] = int(plan["assessor"])
    held = {facet: (n, n) for facet, n in numbers.items()}
    found = {
        "study": g.plan(design, **numbers),
        "cost": g.plan(design, **held).best(1e12, prices).cost,
    }
    free, asked = g.plan(design), {"coefficient": plan["coefficient"]}
    for name, question, limit in (
        ("best", free.best, plan["budget"]),
        ("cheapest", free.cheapest, plan["target"]),
    ):
        try:
            found[name] = question(float(limit), prices, **asked)
        except ValueError as refused:
            found[name] = str(refused)
    return found


def agree(planner, plan):
    ours = answers(plan)
    study = ours["study"]
    close = {"rel": 1e-9, "abs": 1e-9}
    for name in ("generalizability", "dependability"):
        assert planner.number(name) == pytest.approx(
            getattr(study, name), **close
        )
    assert planner.number("cost") == pytest.approx(ours["cost"], **close)
    for name in ("best", "cheapest"):
        theirs = planner.design(name)
        if isinstance(ours[name], str):
            reason = "cost nothing" if FREE in ours[name] else "buys no"
            assert reason in theirs
            continue
        levels, value = theirs
        assert levels == {"assessor": 1, **ours[name].levels}
        expected = getattr(ours[name], plan["coefficient"])
        assert value == pytest.approx(expected, **close)


@pytest.mark.parametrize("seed", range(PLANS))
def test_page_agrees_with_gtlib(planner, seed):
    plan = random_plan(np.random.default_rng(seed))
    enter(planner, plan)
    assert planner.errors().count() == 0, planner.errors().all_inner_texts()
    agree(planner, plan)
    assert "NaN" not in planner.body()


@pytest.mark.parametrize("seed", range(5))
def test_copied_python_gives_the_same_answer(planner, seed):
    plan = random_plan(np.random.default_rng(100 + seed))
    plan["prices"] = plan["prices"] and dict.fromkeys(plan["prices"], "2")
    plan["budget"] = "900"
    enter(planner, plan)
    names = {}
    exec(planner.text("python"), names)
    for name in ("best", "cheapest"):
        levels, value = planner.design(name)
        ours = names[name]
        assert levels == {"assessor": 1, **ours.levels}
        assert value == pytest.approx(getattr(ours, plan["coefficient"]))
    assert planner.number("dependability") == pytest.approx(
        names["plan"].dependability
    )


def test_errors_are_split_as_in_the_plan(planner):
    plan = random_plan(np.random.default_rng(7))
    enter(planner, plan)
    planner.page.click("text=Every source in numbers")
    rows = planner.page.locator("#pl-sources tbody tr").all_inner_texts()
    table = answers(plan)["study"].table
    table = table[table["role"].str.contains("error")]
    shown = {
        row.split("\t")[0].replace("×", "x"): row.split("\t")[3]
        for row in rows
    }
    assert set(shown) == set(table.index)
    for label, text in shown.items():
        assert float(text.replace(" × 10^−", "e-")) == pytest.approx(
            table.loc[label, "mean_variance"], rel=0.006
        )
    planner.page.click("text=Every source in numbers")


# ---- presets ----------------------------------------------------------


def test_presets_are_what_gtlib_estimates(planner):
    presets = planner.page.evaluate("window.plannerPresets")
    assert presets[0]["name"] == "trec4"
    assert presets[0]["components"][0] == pytest.approx(0.00751, abs=5e-6)
    checked = 0
    for preset in presets[1:]:
        if (
            preset["name"].startswith("cf-")
            and preset["design"] == "crossed"
        ):
            scores = gt.load("cf", preset["measure"])
            columns = ["system", "topic", "assessor", "score"]
            g = gt.gstudy(scores[columns], DESIGNS["crossed"])
            assert preset["components"] == pytest.approx(
                g.estimate.tolist()
            )
            checked += 1
    assert checked == 4


def test_every_preset_can_be_planned(planner):
    for preset in planner.page.evaluate("window.plannerPresets"):
        planner.choose("source", preset["name"])
        assert 0 < planner.number("dependability") < 1
        assert planner.errors().count() == 0


# ---- what cannot be right ---------------------------------------------

WRONG = {
    "topics": ["", "abc", "0", "-3", "2.5", "1e9"],
    "assessors": ["", "two", "0", "-1"],
    "budget": ["", "much", "0", "-10"],
    "target": ["", "high", "0", "1", "-0.5", "0,95"],
    "price-topic": ["", "x", "-1"],
    "c-1": ["", "abc", "1,5"],
    "c-0": ["0", "-1", ""],
}


@pytest.mark.parametrize("field", WRONG)
def test_bad_input_gets_a_message_and_no_number(planner, field):
    planner.choose("source", "trec4")
    planner.choose("source", "components")
    planner.tick("cost", "prices")
    before = planner.page.input_value(f"#pl-{field}")
    for text in WRONG[field]:
        planner.type(field, text)
        assert planner.errors().count() == 1, (field, text)
        box = planner.page.locator(f"#pl-{field}")
        assert box.get_attribute("aria-invalid") == "true"
        note = box.get_attribute("aria-describedby")
        assert planner.page.inner_text(f"[id='{note}']")
        assert "NaN" not in planner.body()
        assert "Infinity" not in planner.body()
        assert planner.page.is_visible("#pl-waiting")
        assert not planner.page.is_visible("#pl-dependability")
    planner.type(field, before)
    assert planner.errors().count() == 0
    assert planner.page.is_visible("#pl-dependability")


def test_mean_squares_that_cannot_be(planner):
    planner.choose("source", "trec4")
    planner.choose("source", "squares")
    planner.type("c-3", "-1")
    assert planner.errors().count() == 1
    planner.type("c-3", "9")
    assert "zero or less" in planner.errors().first.inner_text()
    planner.type("n-topic", "1")
    assert planner.errors().count() == 1
    planner.choose("source", "trec4")
    assert planner.errors().count() == 0


def test_free_assessors_and_a_small_budget_are_named(planner):
    planner.choose("source", "trec4")
    planner.tick("shape", "crossed")
    planner.tick("cost", "prices")
    for name, price in [("topic", 5), ("judgment", 0), ("assessor", 0)]:
        planner.type(f"price-{name}", price)
    assert "More assessors cost nothing" in planner.text("best")
    planner.type("price-judgment", 2)
    planner.type("budget", 6)
    assert "costs 7" in planner.text("best")
    planner.tick("cost", "judgments")
    planner.type("budget", 100)


# ---- pasting, sharing, keyboard ---------------------------------------


def test_a_table_is_pasted(planner):
    planner.choose("source", "components")
    planner.choose("study", "single")
    planner.page.click("text=Paste a table")
    planner.type(
        "paste", "p .003\ntopic: .028\nsystem x topic = .0101\nx y"
    )
    planner.page.click("#pl-paste-read")
    assert "3 numbers of 3 read" in planner.text("paste-note")
    assert "x y" in planner.text("paste-note")
    assert planner.page.input_value("#pl-c-2") == ".0101"
    planner.type("topics", 50)
    assert planner.number("generalizability") == pytest.approx(
        0.003 / (0.003 + 0.0101 / 50)
    )
    planner.page.click("text=Paste a table")


@pytest.mark.parametrize(
    "text, told",
    [
        ("p 0,003\ntopic 0,028\nsystem x topic 0,0101", "write a point"),
        ("p .1\np .2\ni .3\npi .4", "system (twice)"),
        ("p .1\ni .3", "Missing: system x topic"),
        ("run .1 .2 .3\na .2 .3 .4", "more than one number"),
        ("bm25 .1\nlm .2", "has to become a G-study"),
    ],
)
def test_a_table_is_pasted_whole_or_not_at_all(planner, text, told):
    planner.choose("source", "components")
    planner.choose("study", "single")
    inputs = [planner.page.locator(f"#pl-c-{k}") for k in range(3)]
    before = [field.input_value() for field in inputs]
    planner.page.evaluate(
        "text => { document.querySelector('#pl-paste').value = text; "
        "document.querySelector('#pl-paste-field').open = true; }",
        text,
    )
    planner.page.click("#pl-paste-read")
    assert told in planner.text("paste-note")
    assert "Nothing was changed" in planner.text("paste-note")
    assert [field.input_value() for field in inputs] == before
    planner.page.evaluate(
        "document.querySelector('#pl-paste-field').open = false"
    )


# ---- people and a machine -----------------------------------------------


def ask(planner, width, sd, correlation, topics):
    """Answers of the page's last question: None if none are enough."""
    values = {"width": width, "sd": sd, "correlation": correlation}
    for name, value in {**values, "topics": topics}.items():
        planner.type(f"h-{name}", value)
    found = (
        planner.page.get_attribute(f"#pl-h-{name}", "value")
        for name in ("with", "without")
    )
    return [int(number) if number else None for number in found]


@pytest.mark.parametrize("seed", range(25))
def test_human_topics_are_gtlibs(planner, seed):
    rng = np.random.default_rng(seed)
    sd = float(f"{rng.lognormal(-1.5, 1):.3g}")
    width = float(f"{sd * rng.uniform(0.05, 1):.3g}")
    r = float(f"{rng.choice([0, 1, -1, *rng.uniform(-1, 1, 5)]):.3g}")
    total = int(rng.choice([5, 6, 30, 100, 400, 2000]))
    people, alone = ask(planner, width, sd, r, total)
    (ours,) = gt.human_topics(width, sd, r, [total])
    assert people == (None if ours is pd.NA else ours)
    if alone <= 1500:
        # Without a machine all topics are judged by people.
        sizes = range(5, alone + 2)
        needed = gt.human_topics(width, sd, 0, sizes)
        assert max(alone, 5) == needed.first_valid_index()


def test_humans_begin_with_what_the_chapter_has(planner):
    start = planner.page.evaluate("window.plannerHumanStart")
    people = gt.load("dl21")
    judges = gt.load("dl21-judges", "nDCG@10").query("model == 'gpt-4o'")
    machine = judges.pivot_table("score", "system", "topic")
    sds = people.std(axis=1)
    assert float(start["sd"]) == pytest.approx(sds.median(), abs=5e-4)
    r = [
        np.corrcoef(people.loc[s], machine.loc[s])[0, 1] for s in sds.index
    ]
    assert float(start["correlation"]) == pytest.approx(
        np.median(r), abs=5e-3
    )


def test_what_people_and_a_machine_cost(planner):
    people, alone = ask(planner, 0.05, 0.2, 0.8, 400)
    assert (people, alone) == (29, 64)
    assert "for 3,300" in planner.text("h-with-note")
    assert "for 6,400" in planner.text("h-without-note")
    assert ask(planner, 0.001, 0.2, 0.8, 400)[0] is None
    assert "none are enough" in planner.text("h-with")
    names = {"gt": gt}
    planner.type("h-width", 0.04)
    exec(f"found = {planner.text('h-python')}", names)
    shown = int(planner.page.get_attribute("#pl-h-with", "value"))
    assert names["found"].tolist() == [shown]


def test_its_own_fields_are_wrong_by_themselves(planner):
    planner.choose("source", "trec4")
    ask(planner, 0.05, 0.2, 0.8, 400)
    before = planner.text("dependability")
    for field, text in [
        ("h-width", "0"),
        ("h-sd", "-1"),
        ("h-correlation", "1.1"),
        ("h-topics", "4"),
        ("h-people", "much"),
    ]:
        kept = planner.page.input_value(f"#pl-{field}")
        planner.type(field, text)
        assert planner.errors().count() == 1
        assert not planner.page.is_visible("#pl-h-results")
        assert planner.text("dependability") == before
        planner.type(field, kept)
    assert planner.errors().count() == 0
    assert planner.page.is_visible("#pl-h-results")


# ---- documents ----------------------------------------------------------

THREE = {
    "crossed": "system x assessor x (document:topic)",
    "topic": "system x ((assessor x document):topic)",
    "document": "system x (assessor:document:topic)",
}


@pytest.fixture(scope="module")
def three():
    squares = gt.load("cf-correctness").query("k == 20")
    levels = {"system": 36, "assessor": 4, "topic": 98, "document": 20}
    return gt.GStudy.from_mean_squares(
        THREE["crossed"], levels, squares.set_index("effect")["mean_square"]
    )


@pytest.mark.parametrize("shape", THREE)
@pytest.mark.parametrize("seed", range(4))
def test_documents_are_planned_as_by_gtlib(planner, three, shape, seed):
    rng = np.random.default_rng([seed, len(shape)])
    levels = {f: int(rng.integers(1, 60)) for f in ("topic", "document")}
    levels["assessor"] = int(rng.integers(1, 6))
    price = {"topic": int(rng.integers(0, 40)), "judgment": 1}
    budget = int(rng.integers(100, 20_000))
    coefficient = ["dependability", "generalizability"][seed % 2]
    planner.choose("d-shape", shape)
    planner.choose("d-coefficient", coefficient)
    for facet, number in levels.items():
        planner.type(f"d-{facet}s", number)
    for name, number in price.items():
        planner.type(f"d-price-{name}", number)
    planner.type("d-budget", budget)
    plan = three.plan(THREE[shape], levels=levels)
    for name in ("generalizability", "dependability"):
        assert planner.number(f"d-{name}") == pytest.approx(
            getattr(plan, name), rel=1e-12
        )
    free = three.plan(THREE[shape], assessor=(1, 4), document=(1, 50))
    best = free.best(budget, price, coefficient=coefficient)
    wanted = best.row[coefficient]
    assert planner.number("d-best") == pytest.approx(wanted, rel=1e-9)


def test_documents_and_their_limits(planner):
    planner.choose("d-shape", "crossed")
    for field, text in [("price-topic", 0), ("price-judgment", 0)]:
        planner.type(f"d-{field}", text)
    assert "costs nothing" in planner.text("d-best")
    planner.type("d-price-judgment", 1)
    planner.type("d-budget", "0.5")
    assert "does not buy one topic" in planner.text("d-best")
    planner.type("d-documents", "0")
    assert planner.errors().count() == 1
    assert not planner.page.is_visible("#pl-d-results")
    planner.type("d-documents", "20")
    planner.type("d-budget", "10000")
    assert planner.errors().count() == 0


# ---- intervals ----------------------------------------------------------


def interval_of(planner, coefficient):
    """What the page prints, as two numbers."""
    words = planner.text(f"{coefficient}-interval").split()
    assert (words[0], words[2]) == ("95%:", "to")
    return float(words[1]), float(words[3])


@pytest.mark.parametrize("shape", ["crossed", "nested"])
def test_intervals_are_gtlibs_pivotal_ones(planner, shape):
    """Within the Monte-Carlo error of the page's 2,000 draws."""
    planner.choose("source", "trec4")
    planner.tick("shape", shape)
    planner.type("topics", 50)
    planner.type("assessors", 2)
    study = gt.load("trec4-table1")
    plan = study.plan(
        DESIGNS[shape] if shape == "nested" else None, topic=50, assessor=2
    )
    for coefficient in ("generalizability", "dependability"):
        found = plan.interval(
            coefficient, method="pivotal", n_resamples=20_000
        )
        low, high = interval_of(planner, coefficient)
        assert low == pytest.approx(found.low, abs=0.006)
        assert high == pytest.approx(found.high, abs=0.003)
    planner.tick("shape", "crossed")


def test_components_alone_have_no_interval(planner):
    planner.choose("source", "components")
    assert planner.text("generalizability-interval") == ""
    assert "takes mean squares" in " ".join(
        planner.text("no-interval").split()
    )
    planner.choose("source", "trec4")
    assert not planner.page.is_visible("#pl-no-interval")


def test_the_address_holds_the_plan(chromium, planner):
    plan = random_plan(np.random.default_rng(3))
    enter(planner, plan)
    planner.page.wait_for_timeout(400)
    address = planner.page.evaluate("location.hash")
    other = Planner(chromium, address)
    agree(other, plan)
    assert not other.problems
    other.page.wait_for_timeout(400)
    assert other.page.evaluate("location.hash") == address
    other.context.close()


def test_an_address_from_elsewhere_does_no_harm(chromium):
    wild = (
        "#source=nowhere&topics=%3Cb%3E&shape=round&coefficient=best"
        "&study=x&values=1,2,3,4,5,6,7,8,9&budget="
    )
    planner = Planner(chromium, wild)
    assert not planner.problems
    assert planner.errors().count() == 3
    assert "nowhere" in planner.text("source-missing")
    assert "NaN" not in planner.body()
    planner.context.close()


def test_the_keyboard_is_enough(chromium):
    planner = Planner(chromium)
    planner.page.focus("#pl-topics")
    planner.page.keyboard.press("Tab")
    focused = "document.activeElement.id"
    assert planner.page.evaluate(focused) == "pl-topics-slider"
    planner.page.keyboard.press("ArrowRight")
    assert planner.page.input_value("#pl-topics") == "51"
    planner.page.focus("#pl-use-best")
    planner.page.keyboard.press("Enter")
    assert planner.page.input_value("#pl-topics") == "100"
    planner.page.focus("#pl-copy")
    planner.page.keyboard.press("Enter")
    assert planner.text("copied") == "Copied."
    planner.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_planner_is_accessible_and_fits(chromium, scheme, width):
    for state in ["", "#source=components&study=crossed&values=x&topics=0"]:
        planner = Planner(
            chromium, state, color_scheme=scheme, reduced_motion="reduce"
        )
        assert not planner.problems
        page = planner.page
        page.set_viewport_size({"width": width, "height": 900})
        for summary in page.locator("#pl-root summary:visible").all():
            summary.click()
        found = Axe().run(page, context="#pl-root").response["violations"]
        assert not found, [
            (v["id"], node["html"][:150])
            for v in found
            for node in v["nodes"]
        ]
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth") <= width
        moving = page.evaluate(
            "[...document.querySelectorAll('#pl-root *')].filter(e => "
            "parseFloat(getComputedStyle(e).transitionDuration) > 0).length"
        )
        assert moving == 0
        planner.context.close()
