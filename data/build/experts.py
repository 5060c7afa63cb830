"""What confidence by experts rests on: two minutes of a processor.

Writes three files, which the appendix to chapter 6 shows, and needs runs
and judgments of others.

data/scores/expert-trials.csv: of the study `choices`, the first forty
repetitions of chapter 6's trial on two collections, five judgments a topic,
with one choice of ours changed at a time. `six`: six repetitions on thirty
fixed topics, forty judgments a topic, by seed. `everything`: what a model
says of pairs of systems that was given the relevance of every document; and
of the lower half of the documents, by what it says, the mean that it
expects and the share that is relevant.

data/scores/effort-taus.csv: Kendall's tau with the order under all
judgments, by the way of judging, the estimate, the number of judgments a
topic and the draw. data/scores/raw-scores.csv: of each run of Robust 2003
the share of its scores' variance that lies between topics, and Brier scores
of relevance that is predicted from scores, from ranks and from a mixture of
two distributions, on topics that a regression has not seen.
"""

import numpy as np
import pandas as pd
from scipy.special import expit
from score_tables import judged_collections, write_table
from tqdm import tqdm

import gtlib as gt
from book.support.simulations import calibration_scores, ordered_pairs
from gtlib.experts import logistic, rank_opinions, relevance_estimates
from gtlib.judging import estimated_ap

TOPICS, DEPTH, REPEATS = 30, 50, 40
CHOICES = {
    "as in the chapter": {},
    "step 3: prior × 3": {"prior": 3},
    "step 3: prior × .3": {"prior": 0.3},
    "step 3: prior × .1": {"prior": 0.1},
    "step 3: no folds": {"folds": 0},
    "step 3: ten folds": {"folds": 10},
    "step 2: unranked 0 afterwards": {"zero": True},
}
BESIDE = {
    "step 2: counts × .1": {"second": 0.1},
    "step 1: two documents × .1": {"first": 0.1},
}
SPANS = (0, 2), (2, 12), (0, 10)  # the judged, ten others, ten with them
WAYS = [  # with the number of draws
    ("mtc", "logistic", 1),
    ("pooling", "not relevant", 1),
    ("sampling", "sampled", 2),
    ("random", "logistic", 2),
]


def thirty_topics(runs, rng=None):
    """Documents pooled from fifty ranks, of topics fixed or drawn."""
    names = runs["topic"].unique()
    some = sorted(names)[:TOPICS]
    if rng is not None:
        some = rng.choice(names, TOPICS, replace=False)
    return gt.pool_runs(runs[runs["topic"].isin(some)], depth=DEPTH)


def opinions(pool, labels, first=1, second=1):
    """Steps 1 and 2, with other weights of what stands beside judgments."""
    depth = int(pool.ranks[np.isfinite(pool.ranks)].max())
    told = (np.bincount(pool.topic_of, labels == y) for y in (1, 0))
    levels = rank_opinions(depth, *(n + first - 1 for n in told))
    levels[:, -1] = 0
    x = np.column_stack([np.ones(levels.size), levels.ravel()])
    level = np.where(np.isfinite(pool.ranks), pool.ranks, depth + 1) - 1
    cells = pool.topic_of * (depth + 1) + level.astype(int)

    def calibrated(cell):
        exists = np.zeros(len(x))
        exists[cell] = exists[depth :: depth + 1] = second
        hits, misses = (
            exists + np.bincount(cell, labels == y, len(x)) for y in (1, 0)
        )
        return expit(x[cell] @ logistic(x, hits, misses, "step 2"))

    return np.array([*map(calibrated, cells)])


def belief(q, pool, labels, prior=1, folds=5, zero=False):
    """Step 3: what the experts expect of documents, by choices of ours."""
    if zero:
        q = np.where(np.isfinite(pool.ranks), q, 0)
    known = np.flatnonzero(~np.isnan(labels))
    x, y = np.vstack([q[:, known].T, np.eye(len(q))]), labels[known]
    own, fold = np.full(len(q), prior), np.arange(len(known)) % (folds or 1)
    fits = []
    for k in range(folds) or [-1]:
        kept = fold != k
        hits, misses = np.r_[kept * y, own], np.r_[kept * (1 - y), own]
        fits.append(logistic(x, hits, misses, "step 3"))
    expected = expit(np.mean(fits, axis=0) @ q)
    return np.where(np.isnan(labels), expected, labels)


def choice_trials(runs, qrels, repeat):
    """Five judgments a topic of two systems; ten others, by pairs."""
    rng = np.random.default_rng(repeat)
    pool = thirty_topics(runs, rng)
    qrels = qrels[qrels["topic"].isin(pool.topics)]
    names = rng.permutation(pool.systems)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    two, ten, ours = (pool.only(names[a:b]) for a, b in SPANS)
    mtc, top = (
        pool.labels(gt.judge(two, qrels, way, 5)).to_numpy()
        for way in ("mtc", "pooling")
    )
    q = opinions(pool, mtc)
    p = {k: belief(q, pool, mtc, **how) for k, how in CHOICES.items()}
    for model, weights in BESIDE.items():
        p[model] = belief(opinions(pool, mtc, **weights), pool, mtc)
    p["trial: five from the top"] = belief(opinions(pool, top), pool, top)
    p["trial: two of the ten judged"] = p["as in the chapter"]
    for model, one in p.items():
        asked = ours if model == "trial: two of the ten judged" else ten
        pairs = ordered_pairs(asked.confidence(one), truth[asked.systems])
        yield pairs.assign(repeat=repeat, effort=5, model=model)


def fixed_trials(pool, qrels, seed, repeats=6, effort=40):
    """Judge documents of two systems; order ten others, by pairs."""
    rng = np.random.default_rng(seed)
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    for repeat in range(repeats):
        names = rng.permutation(pool.systems)[:12]
        told = gt.judge(pool.only(names[:2]), qrels, "mtc", effort)
        p = relevance_estimates(pool, told, "experts")
        claimed = pool.only(names[2:]).confidence(p)
        pairs = ordered_pairs(claimed, truth[names[2:]])
        yield pairs.assign(
            repeat=repeat, effort=effort, model=f"seed {seed}"
        )


def told_everything(pool, qrels):
    """What the logistic model says that was given every document."""
    known = pool.labels(qrels, otherwise=0).rename("relevance")
    everything = known.rename_axis(["topic", "document"]).reset_index()
    best = gt.ExpertModel("logistic").fit(pool, everything).estimates()
    ap = pool.average_precision(known)
    pairs = ordered_pairs(pool.confidence(best), ap.mean(axis=1))
    low = best <= np.median(best)
    return {
        **pairs[["confidence", "right"]].mean(),
        "expected_low": best[low].mean(),
        "relevant_low": known[low].mean(),
    }


def taus(pool, qrels):
    """Rank correlation with the full judgments, by judging effort."""
    truth = pool.average_precision(pool.labels(qrels, 0)).mean(axis=1)
    for way, rest, draws in WAYS:
        for draw in range(draws):
            judged = gt.judge(pool, qrels, way, 40, seed=[0, draw])
            for n in (5, 10, 20, 40):
                told = judged[judged["step"] <= n]
                ap = estimated_ap(pool, told, way, rest).mean(axis=1)
                tau = gt.kendall_tau(ap, truth)
                row = {"strategy": way, "estimate": rest, "effort": n}
                yield row | {"draw": draw, "tau": tau}


def mixture(scores, steps=50):
    """The chance that each score belongs to the normal part.

    The scores of a ranking are taken for a mixture, exponential for
    documents that are not relevant and normal for those that are, which is
    fitted by expectation and maximization (Manmatha et al. 2001).
    """
    x = scores.to_numpy() - scores.min() + 1e-9
    normal = np.quantile(x, 0.95), x.std(), 0.05
    rate = 1 / np.median(x)
    for _ in range(steps):
        mean, sd, share = normal
        z = (x - mean) / sd
        good = share * np.exp(-z * z / 2) / (sd * np.sqrt(2 * np.pi))
        bad = (1 - share) * rate * np.exp(-rate * x)
        p = good / (good + bad + 1e-300)
        mean = (p * x).sum() / p.sum()
        sd = np.sqrt((p * (x - mean) ** 2).sum() / p.sum())
        normal = mean, max(sd, 1e-3 * x.max()), p.mean().clip(1e-4, 0.5)
        rate = (1 - p).sum() / ((1 - p) * x).sum()
    return p


def predictors(runs, qrels):
    """The judged documents of the first fifty ranks, and what may predict
    their relevance."""
    tops = runs[runs["rank"] <= DEPTH].merge(qrels)
    tops["relevant"] = (tops["relevance"] > 0).astype(float)
    tops["log rank"] = np.log(tops["rank"])
    by_topic = tops.groupby(["system", "topic"])["score"]
    own = tops["score"] - by_topic.transform("mean")
    spread = by_topic.transform("std")
    tops["within topic"] = (own / spread.where(spread > 1e-9)).fillna(0)
    lists = runs.groupby(["system", "topic"])["score"]
    whole = runs.assign(mixture=lists.transform(mixture))
    keys = ["system", "topic", "document"]
    tops["mixture"] = tops[keys].merge(whole)["mixture"].to_numpy()
    fitted = tops["mixture"].clip(1e-4, 1 - 1e-4)
    tops["mixture, fitted"] = np.log(fitted / (1 - fitted))
    return tops


def forecast(part, name, folds=5):
    """Brier score on topics that the regression has not seen."""
    topics = np.random.default_rng(0).permutation(part["topic"].unique())
    number = pd.Series(np.arange(len(topics)) % folds, topics)
    fold = part["topic"].map(number).to_numpy()
    y = part["relevant"].to_numpy()
    x = part[[name]].to_numpy(float) if name else np.empty((len(y), 0))
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    x = np.column_stack([np.ones(len(y)), x])
    p = np.empty(len(y))
    for k in range(folds):
        seen, rest = fold != k, fold == k
        b = logistic(x[seen], y[seen], 1 - y[seen], name or "base rate")
        p[rest] = expit(x[rest] @ b)
    return ((p - y) ** 2).mean()


def raw_scores(runs, qrels):
    """A row for each run."""
    tops = predictors(runs, qrels)
    names = ["score", "within topic", "log rank", "mixture, fitted"]
    for run, part in tqdm(tops.groupby("system")):
        away = part["score"] - part["score"].mean()
        of_topics = part.groupby("topic")["score"].transform("mean")
        between = (of_topics - part["score"].mean()) ** 2
        yield {
            "run": run,
            "between_topics": between.sum() / (away**2).sum(),
            **{name: forecast(part, name) for name in names},
            "base rate": forecast(part, ""),
            "mixture": ((part["mixture"] - part["relevant"]) ** 2).mean(),
        }


def main():
    judged = judged_collections()
    drawn = gt.synthetic_collection(14, TOPICS, depth=DEPTH, seed=6)
    fixed = {"synthetic": (gt.pool_runs(drawn.runs), drawn.qrels)}
    parts, efforts = [], []
    for name, (runs, qrels) in judged.items():
        fixed[name] = thirty_topics(runs), qrels
        repeats = tqdm(range(REPEATS), name)
        made = [t for k in repeats for t in choice_trials(runs, qrels, k)]
        scores = calibration_scores(pd.concat(made)).reset_index()
        parts.append(scores.assign(study="choices", collection=name))
    for seed in range(3):
        made = pd.concat(fixed_trials(*fixed[name], seed))
        scores = calibration_scores(made).reset_index()
        parts.append(scores.assign(study="six", collection=name))
    for name, collection in fixed.items():
        rows = pd.DataFrame([told_everything(*collection)])
        rows["model"] = "logistic"
        parts.append(rows.assign(study="everything", collection=name))
        rows = pd.DataFrame(taus(*collection))
        rows.insert(0, "collection", name)
        efforts.append(rows)
    columns = ["study", "collection", "model", "effort", "confidence"]
    columns += ["right", "error", "expected_low", "relevant_low"]
    trials = pd.concat(parts)[columns].astype({"effort": "Int64"})
    write_table("expert-trials.csv", trials, "%.7g")
    write_table("effort-taus.csv", pd.concat(efforts), "%.7g")
    raw = pd.DataFrame(raw_scores(*judged["Robust 2003"]))
    write_table("raw-scores.csv", raw, "%.7g")


if __name__ == "__main__":
    main()
