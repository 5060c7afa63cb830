"""Which ways of judging there are not, and how that is said."""

import pandas as pd
import pytest

import gtlib as gt
from gtlib.judging import inclusion_probabilities, mtc_weights
from tests.gtlib.judging.test_judged_scores import (
    DRAWN,
    NOBODY,
    POOL,
    judged_scores,
)
from tests.refusals import refused

QRELS = DRAWN.qrels
TWICE = pd.concat([QRELS, QRELS.assign(relevance=1)])


def judge(*arguments, **options):
    return gt.judge(POOL, QRELS, *arguments, **options)


def scores(strategy, **options):
    return judged_scores(POOL, QRELS, strategy, **options)


REFUSED = {
    "strategy": lambda: judge("best"),
    "until": lambda: judge(until=95),
    "prior is 'hope'; choose from": lambda: judge(prior="hope"),
    "prior='experts' changes nothing": lambda: judge(
        "pooling", prior="experts"
    ),
    "per_topic=0": lambda: judge(per_topic=0),
    "per_topic=2.5": lambda: judge(per_topic=2.5),
    "two or more": lambda: mtc_weights([1, 2, 3], [0.5, 0.5, 0.5]),
    "draws nothing by chance": lambda: inclusion_probabilities(
        [[1, 2]], 1, "mtc"
    ),
    "nothing by chance": lambda: scores("mtc", estimate="sampled"),
    "infAP needs": lambda: scores("stratified", estimate="inferred"),
    "Every system is held out": lambda: scores("mtc", held_out=~NOBODY),
    "does not know 'system 01'": lambda: scores(
        "mtc", held_out=NOBODY.iloc[1:]
    ),
    "choose from": lambda: scores("mtc", estimate="hope"),
    "aggregator": lambda: gt.ExpertModel("vote"),
    "relevant and not relevant": lambda: gt.ExpertModel().fit(POOL, TWICE),
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_is_wrong_where_and_what_to_do(words):
    refused(REFUSED[words], words)


@pytest.mark.parametrize("wrong", [0, 2.5, "3"])
@pytest.mark.parametrize(
    "name", ["systems", "topics", "documents", "depth"]
)
def test_sizes_of_a_collection_are_whole(name, wrong):
    refused(
        lambda: gt.synthetic_collection(**{name: wrong}),
        f"{name}={wrong!r}: a whole number",
    )
