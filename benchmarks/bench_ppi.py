"""Prediction-powered means of many systems, beside ppi-python.

ppi-python tunes its weight with the variance of all predictions; given the
weight of gtlib it must have gtlib's estimate.
"""

import numpy as np

import gtlib as gt
from benchmarks.harness import compare, peer

ppi_py = peer("ppi_py")

HUMAN_TOPICS = 20


def one_by_one(human, machine, weights=None):
    """ppi-python's estimates, system by system."""
    found = []
    for row, (y, x) in enumerate(zip(human, machine, strict=True)):
        labelled, unlabelled = x[: len(y)], x[len(y) :]
        weight = None if weights is None else weights[row]
        (estimate,) = ppi_py.ppi_mean_pointestimate(
            y, labelled, unlabelled, lam=weight
        )
        found.append(estimate)
    return np.array(found)


def rows():
    people = gt.load("dl21")
    judges = gt.load("dl21-judges", "nDCG@10")
    gpt4o = judges[judges["model"] == "gpt-4o"].pivot_table(
        "score", "system", "topic"
    )
    machine = gpt4o.loc[people.index, people.columns]
    human = people.iloc[:, :HUMAN_TOPICS]
    if ppi_py:
        found = gt.prediction_powered(human, machine)
        theirs = one_by_one(
            human.to_numpy(), machine.to_numpy(), found["weight"].to_numpy()
        )
        np.testing.assert_allclose(found["mean"], theirs, atol=1e-12)
    yield from compare(
        "Prediction-powered means, 63 systems, 20 of 53 topics",
        lambda: gt.prediction_powered(human, machine),
        {
            "ppi-python": ppi_py
            and (lambda: one_by_one(human.to_numpy(), machine.to_numpy()))
        },
    )
