"""Machines as judges, beside autojudge-evaluate and evalstats.

TREC's autojudge-evaluate correlates leaderboards and compares judgments
topic by topic; evalstats corrects means of scores for what a judge has
wrong. Where both compute the same, the second table says how far the
numbers are apart.
Kappa and Jaccard are counted here by hand, as gtlib leaves them to
scikit-learn. Where all systems of a ranking are tied, tau_AP is 0 by
autojudge-evaluate and not defined by gtlib.
"""

import sys
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import numpy as np
import pandas as pd

import gtlib as gt
from benchmarks.harness import compare, peer
from gtapps.audit import read_scores

TOP = 10
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
    return package in sys.modules


AUTOJUDGE = single_files("autojudge_base") and single_files(
    "autojudge_evaluate"
)
leaderboards = peer("autojudge_evaluate.evaluation") if AUTOJUDGE else None
documents = (
    peer("autojudge_evaluate.nugget_doc_eval") if AUTOJUDGE else None
)
evalstats = peer("evalstats")
krippendorff = peer("krippendorff")


def scored():
    """People's scores, and those of each judge, systems x topics."""
    people = gt.load("dl21")
    found = gt.load("dl21-judges", "nDCG@10")
    judges = {
        f"{model}/{prompt}": table.pivot_table("score", "system", "topic")
        for (model, prompt), table in found.groupby(["model", "prompt"])
    }
    return people, {k: t.loc[people.index] for k, t in judges.items()}


def graded(topics=25, documents=40, judges=4, seed=0):
    """Grades from 0 to 3 of people, the first row, and of judges."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(1, topics, documents))
    noise = rng.normal(size=(judges + 1, topics, documents))
    lenient = np.linspace(0, 0.5, judges + 1)[:, None, None]
    return np.digitize(latent + 0.6 * noise + lenient, [0.3, 0.9, 1.5])


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
        yield from of_files(people, judges)
    if documents:
        yield from of_documents(graded())
    if krippendorff:
        yield from of_alpha(graded())
    if evalstats:
        yield from of_evalstats(people, judges, graded())


def of_leaderboards(people, judges):
    truth = people.mean(axis=1)
    pairs = [(truth, table.mean(axis=1)) for table in judges.values()]
    tied = [(a.round(2), b.round(2)) for a, b in pairs]
    for title, compared in (
        ("", pairs),
        (", with ties", tied),
    ):
        found = np.array([ours(a, b) for a, b in compared])
        other = np.array([theirs(a, b) for a, b in compared])
        for name, one, two in zip(
            ("tau", "tau_AP,b"), found.T, other.T, strict=True
        ):
            yield f"{name}{title}", "autojudge-evaluate", one, two


def of_files(people, judges):
    """From the same files, each by its own reader."""
    methods = ["kendall", f"kendall@{TOP}", f"tauap_b@{TOP}"]
    with TemporaryDirectory() as folder:
        paths = {}
        for name, table in {"people": people, **judges}.items():
            paths[name] = Path(folder, name.replace("/", "-"))
            long = table.melt(ignore_index=False).reset_index()
            long.insert(1, "measure", "nDCG@10")
            long.to_csv(paths[name], sep="\t", header=False, index=False)
        evaluator = leaderboards.LeaderboardEvaluator(
            paths["people"],
            truth_format="tot",
            eval_format="tot",
            truth_drop_aggregate=True,
            eval_drop_aggregate=True,
            correlation_methods=methods,
        )
        truth = mean_of(paths.pop("people"))
        best = truth.nlargest(TOP).index
        found = []
        for path in paths.values():
            (theirs,) = evaluator.evaluate(path).values()
            means = mean_of(path)
            tau, _ = ours(truth, means)
            of_ours = [tau, *ours(truth[best], means[best])]
            found.append((of_ours, [theirs[name] for name in methods]))
    names = "tau", f"tau of the best {TOP}", f"tau_AP,b of the best {TOP}"
    for i, name in enumerate(names):
        one, two = np.array(found)[:, :, i].T
        yield f"{name}, from files", "autojudge-evaluate", one, two


def mean_of(path):
    return read_scores(path).groupby("system")["score"].mean()


def of_documents(grades):
    """Kappa and Jaccard by their counts, topic by topic."""
    from autojudge_base.qrels import QrelRow, Qrels

    human, *judges = grades
    found = []
    for judge in judges:
        both = [
            Qrels(
                rows=[
                    QrelRow(f"t{t:02}", f"d{d:02}", int(grade))
                    for (t, d), grade in np.ndenumerate(table)
                ]
            )
            for table in (human, judge)
        ]
        results = documents.grade_agreement(*both, max_grade=3)
        for t, theirs in enumerate(results):
            one, other = human[t], judge[t]
            a, b = one > 0, other > 0
            linear = np.abs(np.subtract.outer(range(4), range(4)))
            found.append(
                (
                    kappa(a, b, 1 - np.eye(2)),
                    theirs.kappa_binary[1, 1],
                    kappa(one, other, linear),
                    theirs.kappa_weighted,
                    (a & b).sum() / (a | b).sum(),
                    theirs.jaccard,
                )
            )
    columns = np.array(found, float).T
    for i, name in enumerate(("kappa", "kappa, linear weights", "Jaccard")):
        yield name, "autojudge-evaluate", columns[2 * i], columns[2 * i + 1]


def kappa(one, other, weights):
    """Cohen's kappa, by the disagreement that chance would give."""
    table = np.zeros(weights.shape)
    np.add.at(table, (one.astype(int), other.astype(int)), 1)
    table /= table.sum()
    chance = np.outer(table.sum(axis=1), table.sum(axis=0))
    return 1 - (weights * table).sum() / (weights * chance).sum()


def of_alpha(grades):
    """Alpha is Φ of one judge, but for a term that goes with 1 / n."""
    found = []
    for chosen in combinations(range(len(grades)), 3):
        table = grades[list(chosen)].reshape(3, -1)
        within = table.var(axis=0, ddof=1).mean()
        alpha = 1 - within / table.var(ddof=1)
        other = krippendorff.alpha(table, level_of_measurement="interval")
        found.append((alpha, other))
    one, two = np.transpose(found)
    yield "Krippendorff's alpha, squared", "krippendorff", one, two


def of_evalstats(people, judges, grades):
    from evalstats.alignment import _icc_21
    from evalstats.ppi import _analytic_mean_point_se_given_lambda

    few = people.iloc[:, :HUMAN_TOPICS]
    one, two = [], []
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
            one.append(row["mean"])
            two.append(estimate)
    yield "prediction-powered mean, our weight", "evalstats", one, two
    one, two = [], []
    for a, b in combinations(grades.reshape(len(grades), -1), 2):
        table = pd.DataFrame({"a": a, "b": b}).rename_axis("item")
        study = gt.gstudy(table, "item x judge")
        one.append(study.plan(judge=1).dependability)
        two.append(_icc_21(a, b))
    yield "Φ of one judge, ICC(2,1)", "evalstats", one, two
