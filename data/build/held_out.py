"""How often tests of reusability reject, and what pools lack: 3 minutes.

Writes four files, which chapters 7 and 16 and the appendix to chapter 7
show, and needs the scores, runs and judgments of others.

data/scores/reuse-trials.csv.gz has a row for each test of a collection. Of
the study `populations`, collections from which nothing is lost: topics of
Robust 2004 that are drawn anew, Cystic Fibrosis, and skewed scores, each
with a new assignment of sites. `losses`: Cystic Fibrosis, of which held-out
systems lose a share, the `setting`. `worse`: `beta_collection`, by the
number of topics of reuse. `own topics`: the published test over assignments
of a collection as it is, by the number of sites that are held out. `looks`:
the effect, nothing lost, after so many topics in random order.

data/scores/reuse-assigned.csv has what 300 assignments of Robust 2004 make
of the numbers of Carterette et al. (2010): the median, and the limits of
95%. data/scores/reuse-pools.csv has what scores do beside those of all
judgments if only some sites, or all but some, had been judged from, and
data/scores/reuse-depths.csv what being held out costs where four sites are
held out of each pool. With the name of a file after it, such as
`reuse-depths`, the script makes this one only.
"""

import sys
from itertools import combinations

import numpy as np
import pandas as pd
import scipy
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from book.support.simulations import (
    PoolSimulation,
    beta_collection,
    pool_effects,
    simulate_tests,
    skewed_collection,
    synthetic_runs,
)
from gtlib.reuse import Assignment

KEY = ["test", "question", "statistic"]
PUBLISHED = "published", "agreement"
SUBSETS = ["within", "participant"]
COLLECTIONS, RESAMPLES = 100, 99
LOSSES = 0, 0.03, 0.06, 0.12
BASELINE = 20  # topics of Cystic Fibrosis that all sites are judged on
WORSE = {
    "one of each site": {},
    "the same, worse": {"b_worse": 8},
    "one of all": {"alone": True},
}
OWN_ASSIGNMENTS, ASSIGNMENTS = 50, 300
LOOKS = 24, 49, 73, 98


def cystic_fibrosis():
    """Scores, families in the place of sites, and the design."""
    cf = gt.load("cf-ap")
    family = gt.load("cf").drop_duplicates("system")
    family = family.set_index("system")["family"]
    sites = sorted(set(family))
    return cf, family, gt.BlockDesign(sites, 2, cf.columns, BASELINE, True)


def robust_2004():
    """Scores and sites."""
    site = gt.load("robust2004-sites").set_index("system")["site"]
    return gt.load("robust2004"), site


def in_rotation(scores, site):
    """Without the site that has a single run, as in the paper."""
    site = site[site != site.value_counts().idxmin()]
    return scores[scores.index.isin(site.index)], site


def with_drawn_topics(seed):
    """Robust 2004 with topics drawn again, and a new assignment."""
    scores, site = robust_2004()
    topics = scores.columns
    rng = np.random.default_rng(seed)
    draw = rng.integers(len(topics), size=len(topics))
    drawn = scores.iloc[:, draw].set_axis(topics, axis=1)
    design = gt.BlockDesign(sorted(set(site)), 2, topics, fill=True)
    return drawn, site, design.assign(rng)


def losing(share):
    """Cystic Fibrosis, of which held-out systems lose a share of AP."""
    cf, family, design = cystic_fibrosis()

    def collection(seed):
        assignment = design.assign(seed)
        held = assignment.held_out[family[cf.index]].to_numpy().T
        return cf * (1 - share * held), family, assignment

    return collection


def simulated(study, population, collection, seed, setting=np.nan):
    """A row for each p-value of `simulate_tests`."""
    p = simulate_tests(
        collection, COLLECTIONS, SUBSETS, n_resamples=RESAMPLES, seed=seed
    )
    rows = p.rename_axis("draw").melt(value_name="p", ignore_index=False)
    return rows.reset_index().assign(
        study=study, population=population, setting=setting
    )


def published(collection, subset="within"):
    """The published test of a collection."""
    fit = gt.significance_agreement(*collection, subset).goodness_of_fit()
    return {
        **dict(zip(KEY, (*PUBLISHED, subset), strict=True)),
        "x2": fit.statistic,
        "p": fit.p_value,
    }


def worse():
    for name, how in WORSE.items():
        first = not how  # chapter 16 counts the first on a grid
        grid = range(10, 101, 10) if first else (10, 30, 50, 100)
        for reuse in grid:
            for draw in range(40 if first else 15):
                row = published(beta_collection(reuse, draw, **how))
                row |= {"study": "worse", "population": name}
                yield row | {"setting": reuse, "draw": draw}


def own_topics(population, scores, site, subset, held_out, baseline=0):
    design = gt.BlockDesign(
        sorted(set(site)), held_out, scores.columns, baseline, fill=True
    )
    for draw in range(OWN_ASSIGNMENTS):
        row = published((scores, site, design.assign(draw)), subset)
        row |= {"study": "own topics", "population": population}
        yield row | {"setting": held_out, "draw": draw}


def looks():
    cf, family, design = cystic_fibrosis()
    for draw in range(COLLECTIONS):
        chosen = design.assign(draw).held_out
        order = np.random.default_rng(draw).permutation(chosen.index)
        for size in LOOKS:
            so_far = order[:size]
            report = gt.reusability_test(
                cf[so_far],
                family,
                Assignment(chosen.loc[so_far]),
                (),
                n_resamples=RESAMPLES,
            )
            p = report.table.loc[("scores", "effect"), "p"]
            key = dict(
                zip(KEY, ("permutation", "scores", "effect"), strict=True)
            )
            row = {"study": "looks", "population": "Cystic Fibrosis"}
            yield row | key | {"setting": size, "draw": draw, "p": p}


def trials():
    """All tests of all collections."""
    cf, family, design = cystic_fibrosis()
    populations = {
        "Robust 2004": with_drawn_topics,
        "Cystic Fibrosis": lambda seed: (cf, family, design.assign(seed)),
        "synthetic": skewed_collection,
    }
    parts = [
        simulated("populations", name, collection, 7)
        for name, collection in populations.items()
    ]
    parts += [
        simulated("losses", "Cystic Fibrosis", losing(share), 3, share)
        for share in LOSSES
    ]
    rows = [*worse(), *looks()]
    kept = in_rotation(*robust_2004())
    for subset, held_out in (
        *(("within", 2), ("participant", 2)),
        *(("between", 2), ("between", 4)),
    ):
        rows += own_topics("Robust 2004", *kept, subset, held_out)
    rows += own_topics(
        "Cystic Fibrosis", cf, family, "between", 4, BASELINE
    )
    table = pd.concat([*parts, pd.DataFrame(rows)])
    columns = ["study", "population", "setting", "draw", *KEY, "x2", "p"]
    return table[columns]


def one_tail(scores, held):
    """Expected cells with one tail, as R's power.t.test has it."""
    i, j = np.triu_indices(len(scores), 1)
    z = scores[i] - scores[j]
    z = z[z.any(axis=1)][:, ~held]
    effect = abs(z.mean(axis=1)) / (z.std(axis=1, ddof=1) + 1e-12)
    n = np.array([[(~held).sum()], [held.sum()]])
    bound = scipy.special.stdtrit(n - 1, 0.975)
    base, again = 1 - scipy.special.nctdtr(n - 1, effect * n**0.5, bound)
    return np.array(
        [
            (b * a).sum()
            for b in (base, 1 - base)
            for a in (again, 1 - again)
        ]
    )


def drawn_once(scores, site, pair, assignment):
    """What one assignment makes of Robust 2004, by the paper's keys."""
    held = {s: own.to_numpy() for s, own in assignment.held_out.items()}
    sites = dict(iter(scores.groupby(site)))
    gap = scores.loc[pair, ~held["jhu.apl.mcnamee"]].diff().iloc[1]
    row = {"apl/mean-difference": gap.mean(), "apl/sd": gap.std()}
    tables = {"apl": sites["jhu.apl.mcnamee"], "table-4": scores}
    for table, part in tables.items():
        agreement = gt.significance_agreement(part, site, assignment)
        for what in ("observed", "expected"):
            counts = getattr(agreement, what)
            counts = counts.rename(lambda cell: cell.replace(" ", "-"))
            row |= counts.add_prefix(f"{table}/{what}/")
    one = sum(one_tail(sites[s].to_numpy(), held[s]) for s in sites)
    cells = [key for key in row if key.startswith("table-4/expected/")]
    return row | {
        f"one tail: {key}": x for key, x in zip(cells, one, strict=True)
    }


def assigned():
    """The numbers of the paper over assignments of Robust 2004."""
    scores, site = in_rotation(*robust_2004())
    listed = gt.load("robust2004-sites")
    pair = listed.set_index("run")["system"][["apl04rsDw", "apl04rsTs"]]
    by_runs = listed["site"].value_counts().index
    design = gt.BlockDesign(by_runs[:-1], 2, scores.shape[1], fill=True)
    scores = scores.set_axis(design.topics, axis=1)
    rows = pd.DataFrame(
        drawn_once(scores, site, pair, design.assign(seed))
        for seed in tqdm(range(ASSIGNMENTS))
    )
    limits = rows.quantile([0.5, 0.025, 0.975]).T
    limits = limits.set_axis(["value", "low", "high"], axis=1)
    return limits.rename_axis("key").reset_index()


def pair_p(scores):
    """The p-values of all pairs of systems."""
    y = scores.to_numpy()
    i, j = np.triu_indices(len(y), 1)
    return scipy.stats.ttest_1samp(y[i] - y[j], 0, axis=1).pvalue


def beside_all(scores, truth, left):
    """What scores do beside those of all judgments; `left` marks the
    systems of sites that are left out."""
    mean, true_mean = scores.mean(axis=1), truth.mean(axis=1)
    differ, new = pair_p(truth) < 0.05, pair_p(scores) < 0.05
    place = true_mean.rank(ascending=False)
    moved = mean.rank(ascending=False) - place
    others = np.nan
    if (~left).sum() > 1:
        others = gt.kendall_tau(true_mean[~left], mean[~left])
    return {
        "mean": mean.mean(),
        "tau": gt.kendall_tau(true_mean, mean),
        "others_tau": others,
        "place": place[left].min(),
        "places": moved[left].max(),
        "fall": (true_mean - mean)[left].max(),
        "lost": (differ & ~new).sum() / differ.sum(),
        "made": (~differ & new).sum() / (~differ).sum(),
        "pairs": len(differ),
        "open": (~differ).sum(),
    }


def robust_2003():
    """Its pools, each run a site."""
    paths, qrels = gt.load_all(
        "robust2003-runs", "robust2003-qrels"
    ).values()
    runs = pd.concat([gt.read_run(path) for path in paths])
    names = runs["system"].unique()
    each = dict(zip(names, names, strict=True))
    return PoolSimulation(runs, gt.read_qrels(qrels), each)


def depths():
    """What being held out costs, by the depth of the pool."""
    _, family, _ = cystic_fibrosis()
    judged = gt.load("cf-judgments")
    physician = judged[judged["assessor"] == "physician"]
    physician = physician.astype({"topic": str})
    runs = gt.read_run(gt.load("cf-runs"))
    made = synthetic_runs(sites=8, systems=4, topics=60, documents=150)
    pools = {
        "Robust 2003": robust_2003(),
        "Cystic Fibrosis": PoolSimulation(runs, physician, family),
        "synthetic": PoolSimulation(*made),
    }
    tables = {
        name: pool_effects(pool, 4, (2, 10, 20, 50, 100))
        for name, pool in pools.items()
    }
    return pd.concat(tables, names=["collection"]).reset_index()


def pools_of_sites():
    """Robust 2003, each run a site: pools of some, down to a depth."""
    pool = robust_2003()
    names = [*pool.systems]
    rng = np.random.default_rng(0)
    ways = {
        "all sites": [names],
        "one site left out": [
            [n for n in names if n != out] for out in names
        ],
        "three sites": [
            [*rng.choice(names, 3, replace=False)] for _ in range(40)
        ],
        "one site": [[n] for n in names],
    }

    def judged_by(kept, depth):
        held = pd.DataFrame(True, [*pool.rows_of], names)
        held[kept] = False
        return pool.average_precision(Assignment(held), depth)

    truth = judged_by(names, np.inf)
    for way, sets in ways.items():
        for kept in tqdm(sets, way):
            left = ~truth.index.isin(kept)
            for depth in (20, 100):
                scores = judged_by(kept, depth)
                row = {"collection": "Robust 2003", "measure": "AP"}
                row |= {"way": way, "sites": " ".join(kept)}
                row |= {"size": len(kept), "depth": depth}
                yield row | beside_all(scores, truth, left)


class Teams:
    """Deep Learning 2021, judged from what some of its teams found."""

    def __init__(self):
        names = "dl21-runs", "dl21-judgments", "dl21-groups"
        paths, qrels, team_of = gt.load_all(*names).values()
        qrels = qrels.query("assessor == 'human'")
        self.grades = qrels["relevance"].to_numpy()
        qrels = qrels.assign(relevance=(self.grades >= 2).astype(int))
        runs = pd.concat(map(gt.read_run, paths))
        runs = runs[runs["topic"].isin(qrels["topic"])]
        team_of = team_of.set_index("system")["group"]
        self.track = PoolSimulation(runs, qrels, team_of)
        self.team_of = team_of[self.track.systems]
        self.teams = sorted(set(self.team_of))
        found = pd.DataFrame(self.track.ranks <= 10, self.track.systems)
        self.first_ten = found.groupby(self.team_of).any()
        top = runs[runs["rank"] <= 10]
        top = top.merge(qrels, "left", on=["topic", "document"])
        self.judged = top["relevance"].notna().mean()
        threes = list(combinations(self.teams, 3))
        rng = np.random.default_rng(0)
        drawn = rng.choice(len(threes), 100, replace=False)
        self.sets_of = {
            1: [(team,) for team in self.teams],
            3: [threes[k] for k in drawn],
            len(self.teams): [tuple(self.teams)],
        }

    def ap(self, kept):
        """AP of all runs if only these judgments had been made."""
        good, ranks, columns = (
            kept & (self.grades >= 2),
            self.track.ranks,
            {},
        )
        for topic, rows in self.track.rows_of.items():
            own = ranks[:, rows[good[rows]]]
            columns[topic] = gt.average_precision(own, np.ones_like(own))
        return pd.DataFrame(columns, self.track.systems)

    def ndcg(self, kept):
        """nDCG@10, grades as gains, of the same."""
        ranks, columns = self.track.ranks, {}
        weight = (ranks <= 10) / np.log2(1 + ranks)
        for topic, rows in self.track.rows_of.items():
            gains = (self.grades * kept)[rows]
            best = np.sort(gains)[:-11:-1]
            best = (best / np.log2(2 + np.arange(len(best)))).sum()
            columns[topic] = weight[:, rows] @ gains / best
        return pd.DataFrame(columns, self.track.systems)

    def judged_from(self, way, chosen):
        """Which judgments there are, and which teams are left out."""
        others = [team for team in self.teams if team not in chosen]
        by_chosen = self.first_ten.loc[[*chosen]].any().to_numpy()
        by_others = self.first_ten.loc[others].any().to_numpy()
        return {
            "all but their own": (~by_chosen | by_others, chosen),
            "pools of all but": (by_others, chosen),
            "pools of": (by_chosen, others),
        }[way]

    def rows(self, way, size, name="AP"):
        """A row for each choice of so many teams."""
        measure = {"AP": self.ap, "nDCG@10": self.ndcg}[name]
        truth = measure(np.full(len(self.grades), True))
        for chosen in tqdm(self.sets_of[size], f"{way}, {size}"):
            kept, out = self.judged_from(way, chosen)
            row = {"collection": "Deep Learning 2021", "measure": name}
            row |= {"way": way, "sites": " ".join(chosen), "size": size}
            row |= {"known": kept[self.grades >= 2].mean(), "depth": 10}
            left = self.team_of.isin(out).to_numpy()
            yield row | beside_all(measure(kept), truth, left)

    def all_rows(self):
        ways, every = (
            ("all but their own", "pools of all but"),
            len(self.teams),
        )
        for way in (*ways, "pools of"):
            for size in (1, 3):
                yield from self.rows(way, size)
        yield from self.rows("pools of", every)
        yield from self.rows("all but their own", 1, "nDCG@10")
        yield from self.rows("pools of", every, "nDCG@10")
        row = {"collection": "Deep Learning 2021", "depth": 10}
        yield row | {"way": "first ten", "known": self.judged}
        truth = self.ap(np.full(len(self.grades), True))
        mean = truth.to_numpy().mean()
        yield row | {"way": "all judgments", "known": 1, "mean": mean}


def pools():
    """What scores do with the judgments of some sites."""
    rows = pd.DataFrame([*pools_of_sites(), *Teams().all_rows()])
    whole = ["size", "pairs", "open"]
    return rows.astype(dict.fromkeys(whole, "Int64"))


FILES = {
    "reuse-trials": (trials, ".csv.gz", "%.7g"),
    "reuse-assigned": (assigned, ".csv", "%.9g"),
    "reuse-pools": (pools, ".csv", "%.6g"),
    "reuse-depths": (depths, ".csv", "%.7g"),
}


def main(names):
    for name in names or FILES:
        make, ending, digits = FILES[name]
        write_table(name + ending, make(), digits)


if __name__ == "__main__":
    main(sys.argv[1:])
