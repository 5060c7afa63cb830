"""What no allocation is found for, and in which words that is said."""

import pytest

import gtlib as gt
from tests.gtlib.allocation.test_allocation import study, trec4
from tests.refusals import refused

G = study(8, 16, 4, 12, 4, 1, 2)
FAR = study(8, 16, 0.5, 12, 2, 1, 2)


def best(budget, *prices, **levels):
    return G.plan(**levels).best(budget, *prices)


def documents():
    """Topics without a bound, and two facets with one."""
    design = gt.Design("system x assessor x (document:topic)")
    components = dict.fromkeys(design.labels, 0.1)
    return gt.GStudy.from_components(
        design.text, components | {"system": 1, "assessor": 8.9}
    )


REFUSED = {
    "budget=0": lambda: best(0),
    "budget='ten'": lambda: best("ten"),
    "costs 10": lambda: best(9, topic=10),
    "'topics'; there are prices for judgment, topic, assessor": lambda: (
        best(9, {"topics": 1})
    ),
    "the price of topic is -1; a price is a number, zero or more": lambda: (
        best(9, {"topic": -1})
    ),
    "give prices": lambda: best(9, 3),
    "More of assessor costs nothing, so there is no best number of it: "
    "give it a price, or a bound such as assessor=(1, 100)": lambda: best(
        9, {"topic": 1}
    ),
    "takes no number": lambda: best(9, systems=3),
    "above the upper": lambda: best(9, topic=(5, 2)),
    "topic=(1, 2, 3): bound a number by two, (low, high)": lambda: best(
        9, topic=(1, 2, 3)
    ),
    "at least 1": lambda: best(9, topic=0),
    "coefficient is 'alpha'; choose from": lambda: G.plan().best(
        9, coefficient="alpha"
    ),
    "target=1.0: a number between 0 and 1": lambda: G.plan().cheapest(1.0),
    "More of topic costs nothing": lambda: G.plan().cheapest(0.5, {}),
    "'both'; choose": lambda: G.plan().optimal_ratio("both"),
    "any split is as good": lambda: (
        study(8, 0, 0, 0, 0, 1, 2).plan().optimal_ratio()
    ),
    "A ratio needs two facets to share a budget": lambda: (
        trec4().plan(fixed="assessor").optimal_ratio()
    ),
    f"No design reaches ... {8 / (8 + 2.5 / 2):.4f} ... system x assessor "
    "(80%": lambda: FAR.plan(assessor=(1, 2)).cheapest(0.9),
    "No design reaches ... 0.3077 ... assessor (99%": lambda: (
        documents().plan(assessor=(1, 4), document=(1, 50)).cheapest(0.5)
    ),
    "estimated as zero": lambda: (
        study(-1, 1, 1, 1, 1, 1, 1).plan().cheapest(0.5)
    ),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)
