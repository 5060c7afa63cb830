"""How often each interval holds the truth: some ten minutes, two CPUs.

Writes data/scores/interval-coverage.csv.gz and cruel-coverage.csv, which
chapter 10 shows; with `cruel` after it, only the second. Needs the tracks
that `gtlib.load` fetches. What little was chosen by such simulations was
chosen on `TRACKS`; `OTHERS` chose nothing.
"""

import sys
from itertools import product

import numpy as np
import pandas as pd
import scipy
from score_tables import write_table
from tqdm.contrib.concurrent import process_map

import gtlib as gt
from book.support import atlas
from book.support.simulations import Population, interval_coverage
from book.support.simulations.coverage import EFFECTS
from gtlib.scores import as_wide

TRACKS = [
    "trec3",
    "trec5",
    "trec6",
    "trec7",
    "trec8",
    "robust2004",
    "web2010",
    "web2011",
    "web2012",
    "web2013",
    "web2014",
    "cf-ap",
    "dl21",
    "robust2003",
]
OTHERS = [
    "clef-ehealth-2015",
    "clef-tar-2017",
    "nlu-copa",
    "nlu-rte",
    "nlu-wic",
    "nlu-boolq",
]
FEW = "exact", "jackknife"

# Of the two made populations: systems, topics, share that is missing
SIZES = [(8, 25, 0.0), (30, 50, 0.0), (10, 20, 0.4)]


def load(track):
    """The scores of a track: AP, of Deep Learning 2021 nDCG@10; of the
    others as the atlas reads them."""
    if track in OTHERS:
        return atlas.read_wide(track)
    if track != "robust2003":
        return gt.load(track)
    files = gt.load("robust2003-runs"), gt.load("robust2003-qrels")
    return as_wide(gt.read_runs(*files, "AP", report=None))


def like_systems_of(name, scores):
    """Systems drawn with replacement from those of a track: their universe
    scores as they are estimated, spread as wide as the component says. All
    else is normal."""
    g = gt.gstudy(scores)
    own = g.universe_scores()["estimate"].to_numpy()
    sds = np.sqrt(g.variance.to_numpy())
    own = (own - own.mean()) / own.std() * sds[0]

    def draw(systems, topics, rng):
        of_systems = rng.choice(own, systems)[:, None]
        of_topics = sds[1] * rng.normal(size=topics)
        rest = sds[2] * rng.normal(size=(systems, topics))
        return of_systems + of_topics + rest

    return Population(name, g.variance, draw)


def drawn_from(name, scores):
    """No model: systems and topics of a track drawn with replacement, each
    pair with the score that it has there."""
    table = scores.to_numpy()
    by_system = table.mean(axis=1, keepdims=True) - table.mean()
    by_topic = table.mean(axis=0) - table.mean()
    rest = table - table.mean() - by_system - by_topic
    values = [np.mean(x**2) for x in (by_system, by_topic, rest)]

    def draw(systems, topics, rng):
        rows, columns = (
            rng.integers(n, size=k)
            for n, k in zip(table.shape, (systems, topics), strict=True)
        )
        return table[np.ix_(rows, columns)]

    effects = pd.Index(EFFECTS, name="effect")
    return Population(name, pd.Series(values, effects), draw)


MODELS = {"systems of the track": like_systems_of, "no model": drawn_from}


def of_track(job):
    """The rows of one track, model and number of systems."""
    track, model, systems = job
    scores = load(track)
    population = MODELS[model](track, scores)
    rows = _rows(population, model, 500, systems, methods=FEW)
    means = scores.mean(axis=1)
    return rows.assign(
        chose=track in TRACKS,
        skewness=scipy.stats.skew(means, bias=False),
        excess_kurtosis=scipy.stats.kurtosis(means, bias=False),
    )


def of_made(job):
    """The rows of components like TREC-3's, with normal effects, or with
    scores like average precision."""
    name, (systems, topics, missing) = job
    population = Population.ap_like()
    if name == "normal":
        population = Population.normal(population.components)
    return _rows(population, "made", 500, systems, topics, missing)


def of_families(share):
    """The rows of six normal families of five systems."""
    like = Population.ap_like().components
    groups = {system: system // 5 for system in range(30)}
    return _rows(
        Population.normal(like, share),
        f"families, {share:.0%}",
        1000,
        len(groups),
        groups=groups,
        methods=FEW,
    )


def _rows(population, model, n, systems, topics=50, missing=0.0, **how):
    table = interval_coverage(
        population,
        systems,
        topics,
        missing=missing,
        n_simulations=n,
        seed=systems * topics,
        **how,
    )
    of = {"population": population.name, "model": model, "systems": systems}
    of |= {"topics": topics, "missing": missing, "n_simulations": n}
    return pd.DataFrame(of, table.index).join(table)


def cruel(n_simulations=500):
    """A population that has most of its scores near zero."""
    return interval_coverage(
        Population.ap_like(shape=(0.3, 3)),
        30,
        methods=FEW,
        n_simulations=n_simulations,
    )


def main(names):
    write_table("cruel-coverage.csv", cruel())
    if names == ["cruel"]:
        return
    jobs = [
        (of_track, [*product(TRACKS + OTHERS, MODELS, (10, 20, 30, 60))]),
        (of_made, [*product(("normal", "like AP"), SIZES)]),
        (of_families, [0.0, 0.5, 0.9]),
    ]
    tables = [
        table
        for function, each in jobs
        for table in process_map(function, each, chunksize=1)
    ]
    write_table("interval-coverage.csv.gz", pd.concat(tables))


if __name__ == "__main__":
    main(sys.argv[1:])
