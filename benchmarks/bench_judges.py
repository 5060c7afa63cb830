"""Leaderboards and judges, beside autojudge-evaluate and evalstats.

TREC's autojudge-evaluate correlates leaderboards; evalstats makes one, with
a test of every pair by Holm's method and 2,000 resamples, and corrects
means of scores for what a judge has wrong. A leaderboard has ranks with
intervals by both, intervals for every pair by evalstats, and tiers and
universe scores by gtlib. Where both compute the same, the second table says
how far the numbers are apart. Where all systems of a ranking are tied,
tau_AP is 0 by autojudge-evaluate and not defined by gtlib.
"""

import sys
from importlib.util import find_spec
from types import ModuleType

import evalstats
import numpy as np
from evalstats.alignment import _icc_21
from evalstats.ppi import _analytic_mean_point_se_given_lambda

import gtlib as gt
from benchmarks.harness import compare, peer

RESAMPLES = 2000
HUMAN_TOPICS = 20


def single_files(package):
    """A package as a way to its files, without what it does on import.

    autojudge-evaluate and its base fetch data for nltk when they are
    imported, which none of the files below needs.
    """
    if package not in sys.modules and (spec := find_spec(package)):
        module = ModuleType(package)
        module.__path__ = [*spec.submodule_search_locations]
        module.LeaderboardFormat = str
        sys.modules[package] = module


single_files("autojudge_base")
single_files("autojudge_evaluate")
leaderboards = peer("autojudge_evaluate.evaluation")


def scored():
    """People's scores, and those of each judge, systems x topics."""
    people = gt.load("dl21")
    found = gt.load("dl21-judges", "nDCG@10")
    judges = {
        f"{model}/{prompt}": table.pivot_table("score", "system", "topic")
        for (model, prompt), table in found.groupby(["model", "prompt"])
    }
    return people, {k: t.loc[people.index] for k, t in judges.items()}


def rows():
    people, judges = scored()
    truth = people.mean(axis=1)
    means = {name: table.mean(axis=1) for name, table in judges.items()}
    yield from compare(
        "tau and tau_AP of 51 judges, 63 systems",
        lambda: [ours(truth, m) for m in means.values()],
        {
            "autojudge-evaluate": leaderboards
            and (lambda: [theirs(truth, m) for m in means.values()])
        },
    )
    scores = gt.load("cf-ap")
    yield from compare(
        "leaderboard, 36 systems x 98 topics",
        lambda: gt.leaderboard(scores),
        {"evalstats": analysis(scores)},
    )


def analysis(scores):
    """evalstats' analysis of the same table, made ready."""
    table = evalstats.BenchmarkResult(
        scores.to_numpy(), list(scores.index), [*map(str, scores.columns)]
    )
    return lambda: evalstats.analyze(
        table,
        n_bootstrap=RESAMPLES,
        correction="holm",
        p_values=True,
        rng=np.random.default_rng(0),
    )


def ours(truth, means):
    return gt.kendall_tau(truth, means), gt.tau_ap(truth, means, ties="b")


def theirs(truth, means):
    return (
        leaderboards.correlation(truth, means, "kendall"),
        leaderboards.tauap_b(truth, means),
    )


def agreements():
    """What was compared: with whom, how often, and how far apart."""
    people, judges = scored()
    if leaderboards:
        yield from of_leaderboards(people, judges)
    yield from of_evalstats(people, judges)


def of_leaderboards(people, judges):
    truth = people.mean(axis=1)
    pairs = [(truth, table.mean(axis=1)) for table in judges.values()]
    tied = [(a.round(2), b.round(2)) for a, b in pairs]
    for title, compared in (("", pairs), (", with ties", tied)):
        found = np.array([ours(a, b) for a, b in compared])
        other = np.array([theirs(a, b) for a, b in compared])
        for name, one, two in zip(
            ("tau", "tau_AP,b"), found.T, other.T, strict=True
        ):
            yield f"{name}{title}", "autojudge-evaluate", one, two


def of_evalstats(people, judges):
    few = people.iloc[:, :HUMAN_TOPICS]
    means, of_one = [], []
    for table in judges.values():
        found = gt.prediction_powered(few, table)
        for system, row in found.iterrows():
            x = table.loc[system]
            estimate, *_ = _analytic_mean_point_se_given_lambda(
                few.loc[system].to_numpy(),
                x[few.columns].to_numpy(),
                x.drop(few.columns).to_numpy(),
                row["weight"],
            )
            means.append((row["mean"], estimate))
        both = np.array([people, table[people.columns]]).reshape(2, -1)
        phi = gt.gstudy(both.T, "item x judge").plan(judge=1).dependability
        of_one.append((phi, _icc_21(*both)))
    of_means = "prediction-powered mean, our weight", "evalstats"
    yield *of_means, *np.transpose(means)
    yield "Φ of one judge, ICC(2,1)", "evalstats", *np.transpose(of_one)
