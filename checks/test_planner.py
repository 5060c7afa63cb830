"""The planner in the built book: gtlib's own answers, from the file system
and without a network, and a plain word for whatever cannot be right."""

from dataclasses import replace
from urllib.parse import urlencode

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from checks.conftest import HTML
from gtlib.intervals.jackknife import stretch
from gtlib.intervals.replicates import pivotal

ADDRESS = (HTML / "book" / "planner.html").as_uri()
DESIGNS = {
    "single": "system x topic",
    "crossed": "system x topic x assessor",
    "nested": "system x (assessor:topic)",
}
THREE = {
    "crossed": "system x assessor x (document:topic)",
    "topic": "system x ((assessor x document):topic)",
    "document": "system x (assessor:document:topic)",
}
COEFFICIENTS = "generalizability", "dependability"
CLOSE = {"rel": 1e-9, "abs": 1e-9}


class Planner:
    """The page; a plan is given to it as an address, and read back."""

    def __init__(self, page):
        self.page = page
        page.wait_for_selector("#pl-root:not([hidden])")

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

    def errors(self):
        shown = self.page.locator("#pl-root .planner-error:visible")
        return shown.all_inner_texts()


@pytest.fixture
def planner(opened):
    planner = Planner(opened(ADDRESS, offline=True))
    yield planner
    assert not planner.page.errors


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
    ours = answers(asked)
    for name in COEFFICIENTS:
        value = getattr(ours["plan"], name)
        assert planner.number(name) == pytest.approx(value, **CLOSE)
    assert planner.number("cost") == pytest.approx(ours["cost"], **CLOSE)
    for name in ("best", "cheapest"):
        theirs = planner.design(name)
        if isinstance(ours[name], str):
            free = "costs nothing" in ours[name]
            assert ("cost nothing" if free else "buys no") in theirs
            continue
        levels, value = theirs
        assert levels == {"assessor": 1, **ours[name].levels}
        expected = getattr(ours[name], asked["coefficient"])
        assert value == pytest.approx(expected, **CLOSE)


def test_random_plans_agree_with_gtlib(planner):
    for seed in range(120):
        asked = random_plan(seed)
        planner.ask(**asked)
        assert not planner.errors()
        agree(planner, asked)
        assert "NaN" not in planner.text("root")


@pytest.mark.parametrize("seed", range(6))
def test_copied_python_gives_the_same_answer(planner, seed):
    asked = random_plan(100 + seed)
    asked |= {k: 2 for k in asked if k.startswith("price")} | {
        "budget": 900
    }
    planner.ask(**asked)
    names = {}
    exec(planner.text("python"), names)
    for name in ("best", "cheapest"):
        levels, value = planner.design(name)
        assert levels == {"assessor": 1, **names[name].levels}
        ours = getattr(names[name], asked["coefficient"])
        assert value == pytest.approx(ours)
    assert planner.number("cost") and planner.number("dependability") == (
        pytest.approx(names["plan"].dependability)
    )


@pytest.mark.parametrize("shape", ["crossed", "nested"])
@pytest.mark.parametrize("source", ["trec4-table1", "cf-AP", "cf-ap"])
def test_intervals_are_gtlibs(planner, source, shape):
    """Within the Monte-Carlo error of the page's draws, which stand on the
    fewer of the degrees of freedom of both coefficients."""
    planner.ask(source=source, shape=shape, topics=50, assessors=2)
    plan = {"topic": 50, "assessor": 2}
    if source == "trec4-table1":
        g = gt.load(source)
    elif source == "cf-AP":
        g = gt.gstudy(gt.load("cf", measure="AP"), DESIGNS["crossed"])
    else:
        g, plan, shape = gt.gstudy(gt.load(source)), {"topic": 50}, "single"
    r = (
        1.0
        if g.cells is None
        else max(stretch(g.plan(), name) for name in COEFFICIENTS)
    )
    drawn = pivotal(g, 20_000, 0, r)
    for coefficient in COEFFICIENTS:
        plan_ = g.plan(DESIGNS[shape], **plan)
        found = plan_.interval(coefficient)
        if shape != "single":
            values = plan_.coefficients(drawn)[coefficient]
            low, high = np.quantile(values, [0.025, 0.975])
            found = replace(found, low=low, high=high)
        words = planner.text(f"{coefficient}-interval").split()
        assert (words[0], words[2]) == ("95%:", "to")
        assert float(words[1]) == pytest.approx(found.low, abs=0.012)
        assert float(words[3]) == pytest.approx(found.high, abs=0.006)


def test_every_collection_can_be_planned(planner):
    for option in planner.page.locator("#pl-source option").all():
        source = option.get_attribute("value")
        planner.ask(source=source, study="crossed", topics=60)
        assert 0 < planner.number("dependability") < 1, source
        assert planner.page.is_visible("#pl-no-interval") == (
            source == "components"
        )
        assert not planner.errors()


@pytest.mark.parametrize("correlation", [-0.9, 0, 0.5, 0.9, 1])
def test_human_topics_are_gtlibs(planner, correlation):
    for width, total in [(0.01, 900), (0.05, 60), (0.05, 5000), (0.3, 5)]:
        asked = {"width": width, "sd": 0.2, "correlation": correlation}
        planner.ask(
            **{f"h-{k}": v for k, v in (asked | {"topics": total}).items()}
        )
        with_machine = planner.page.get_attribute("#pl-h-with", "value")
        (ours,) = gt.human_topics(width, 0.2, correlation, [total])
        assert with_machine == ("" if pd.isna(ours) else str(ours))


@pytest.mark.parametrize("shape", THREE)
def test_documents_are_planned_as_by_gtlib(planner, shape):
    squares = gt.load("cf-correctness").query("k == 20")
    levels = {"system": 36, "assessor": 4, "topic": 98, "document": 20}
    study = gt.GStudy.from_mean_squares(
        THREE["crossed"], levels, squares.set_index("effect")["mean_square"]
    )
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
        planner.ask(**{f"d-{k}": v for k, v in fields.items()})
        plan = study.plan(THREE[shape], levels=levels)
        for name in COEFFICIENTS:
            value = getattr(plan, name)
            assert planner.number(f"d-{name}") == pytest.approx(
                value, **CLOSE
            )
        free = study.plan(THREE[shape], assessor=(1, 4), document=(1, 50))
        best = free.best(budget, price, coefficient=coefficient)
        value = best.row[coefficient]
        assert planner.number("d-best") == pytest.approx(value, **CLOSE)


def test_what_cannot_be_right_has_a_word_beside_it(planner):
    wrong = {
        "topics": ["0", "-3", "1.5", "1e99", "x", ""],
        "budget": ["0", "<b>", ""],
        "target": ["0", "1", "2"],
        "h-correlation": ["1.1"],
        "d-documents": ["0"],
    }
    planner.ask(source="trec4-table1")
    for name, texts in wrong.items():
        right = planner.page.input_value(f"#pl-{name}")
        part = name.partition("-")[0] if "-" in name else ""
        results = f"#pl-{part}-results" if part else "#pl-results"
        for text in texts:
            planner.ask(**{name: text})
            assert len(planner.errors()) == 1, (name, text)
            assert not planner.page.is_visible(results)
        planner.ask(**{name: right})
        assert planner.page.is_visible(results)
    assert not planner.errors()


def test_an_address_from_elsewhere_does_no_harm(planner):
    planner.ask(source="<i>nowhere</i>", shape="round", coefficient="best",
                study="x", c0="1,2", constructor=1, elements=2)  # fmt: skip
    assert "<i>nowhere</i>" in planner.text("source-missing")
    assert "NaN" not in planner.text("root")


def test_the_keyboard_is_enough_and_the_address_holds_the_plan(planner):
    page = planner.page
    page.focus("#pl-topics")
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.id")
    assert focused == "pl-topics-slider"
    page.keyboard.press("ArrowRight")
    assert page.input_value("#pl-topics") == "51"
    page.focus("#pl-use-best")
    page.keyboard.press("Enter")
    assert page.input_value("#pl-topics") == "100"
    page.focus("#pl-copy")
    page.keyboard.press("Enter")
    assert planner.text("copied") == "Copied."
    page.wait_for_function("() => location.hash.includes('&topics=100')")
    page.reload()
    page.wait_for_selector("#pl-root:not([hidden])")
    assert page.input_value("#pl-topics") == "100"
    page.set_viewport_size({"width": 390, "height": 844})
    page.focus("#pl-topics-slider")
    page.locator("#pl-topics-slider").scroll_into_view_if_needed()
    strip = page.locator("#pl-strip").bounding_box()
    assert 0 <= strip["y"] < 400, "results are seen while a slider moves"
