"""What ways of judging leave out, with all judgments known.

Writes five files, which chapter 13 shows: judging-scores.csv.gz, the scores
that each way of judging gives; judging-sets.csv, their errors over repeated
draws; judging-split.csv, the simulated error of sampled judgments;
judging-reuse.csv, what being held out costs; and judging-tests.csv, how
often a test sees it. Needs the judgments of Cystic Fibrosis and of Robust
2003, and a quarter of an hour of one processor. Name parts to make only
these: sets, split, reuse, tests.
"""

import sys
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from scipy.stats import linregress, sem
from score_tables import judged_collections, write_table
from tqdm import tqdm

import gtlib as gt
from gtlib.judging import estimated_ap

DEPTH, HELD_OUT = 50, 4
EFFORTS = 10, 20, 40
HALF = "half the groups"
BY_CHANCE = HALF, "random thinning", "random, infAP", "stratified sample"
WAYS = {
    "random thinning": ("random", "not relevant"),
    "random, infAP": ("random", "inferred"),
    HALF: ("pooling", "not relevant"),
    "shallow pool": ("pooling", "not relevant"),
    "MTC": ("mtc", "not relevant"),
    "bandit": ("bandit", "not relevant"),
    "stratified sample": ("stratified", "sampled"),
}
ALONE = [way for way in WAYS if way != HALF]
REPEATS, DRAWS, ASSIGNMENTS, SIMULATIONS = 40, 40, 2, 2000
BUDGET, PRICES, PLANS = 2000, (1, 5, 20, 80), 2000
N_RESAMPLES = 199
KEPT = ("Cystic Fibrosis", 20), ("Robust 2003", 20), ("Robust 2003", 40)
LOSSES = 0, 0.03, 0.06, 0.12


def collections():
    """Name -> pool of all systems, judgments, group of each system."""
    family = gt.load("cf").drop_duplicates("system").set_index("system")
    for name, (runs, qrels) in judged_collections().items():
        pool = gt.pool_runs(runs, DEPTH)
        keys = pd.MultiIndex.from_frame(qrels[["topic", "document"]])
        pooled = qrels[keys.isin(pool.documents)]  # no others are looked up
        groups = pool.systems.to_series().replace(family["family"])
        yield name, pool, pooled, groups


def true_scores(pool, qrels):
    return pool.average_precision(pool.labels(qrels, 0))


def share_listed(pool, qrels):
    """The share of all that was retrieved that has a line in the qrels."""
    found = np.isfinite(pool.ranks).sum(axis=0)
    return found[pool.labels(qrels).notna()].sum() / found.sum()


def half_out(pool, groups, rng):
    """Whether each system's group is in the half that has no say."""
    names = rng.permutation(groups.unique())
    out = groups.isin(names[: len(names) // 2])
    return pd.DataFrame(dict.fromkeys(pool.topics, out), pool.systems)


def scores_of(pool, qrels, way, effort, held_out, seed):
    strategy, estimate = WAYS[way]
    judged = pool if held_out is None else pool.without(held_out)
    told = gt.judge(judged, qrels, strategy, effort, seed=seed)
    return estimated_ap(pool, told, strategy, estimate, judged)


def relative(table):
    """Each topic's mean over systems taken away: systems x topics."""
    return table - table.mean(axis=0)


def errors(scores, truth, out):
    """What an incompletely judged table has wrong, in numbers."""
    error = scores - truth
    # An estimate of average precision from a sample may pass 1.
    parts = gt.gstudy(error).estimate
    plan = gt.gstudy(scores).plan()
    means = error.mean(axis=1)
    both = gt.mgstudy({"all": truth, "some": scores})
    line = linregress(truth.mean(axis=1), means)
    return {
        "in": means[~out].mean(),
        "out": means[out].mean(),
        "out less in": means[out].mean() - means[~out].mean(),
        "bias": parts["system"],
        "variance": parts["system x topic"],
        "slope": line.slope,
        "scale": line.rvalue**2,
        "correlation": both.correlation(
            "all", "some", n_resamples=1
        ).estimate,
        "rmse": np.sqrt((relative(error).mean(axis=1) ** 2).mean()),
        "tau": gt.kendall_tau(scores.mean(axis=1), truth.mean(axis=1)),
        "generalizability": plan.generalizability,
        "dependability": plan.dependability,
    }


def sets():
    """Points 1 and 6: errors over repeated draws, and one draw whole."""
    rows, kept, listed = [], {}, {}
    for name, pool, qrels, groups in collections():
        truth = true_scores(pool, qrels)
        listed[name] = share_listed(pool, qrels)
        known = {("all judgments", effort): truth for effort in EFFORTS}
        for repeat in tqdm(range(REPEATS), name, disable=None):
            half = half_out(pool, groups, np.random.default_rng(repeat))
            out = half.iloc[:, 0]
            for way, effort in product(WAYS, EFFORTS):
                moves = way in BY_CHANCE
                if moves or repeat == 0:
                    without = half if way == HALF else None
                    known[way, effort] = scores_of(
                        pool, qrels, way, effort, without, repeat
                    )
                row = errors(known[way, effort], truth, out)
                rows.append(in_row(name, way, effort) | row)
            if repeat == 0:
                kept |= {
                    (name, effort, way): table
                    for (way, effort), table in known.items()
                    if (name, effort) in KEPT
                }
    grouped = pd.DataFrame(rows).groupby(
        ["collection", "way", "judgments"], sort=False
    )
    table = grouped.mean().join(grouped.sem().add_suffix(" error"))
    table = table.assign(repeats=REPEATS).reset_index()
    table["listed"] = table["collection"].map(listed)
    write_table("judging-sets.csv", table)
    write_scores(kept)


def in_row(name, way, judgments):
    return {"collection": name, "way": way, "judgments": judgments}


def write_scores(kept):
    """A column per way, a row per system, topic and number of judgments."""
    long = pd.concat(
        {
            key: table.melt(ignore_index=False, var_name="topic")
            for key, table in kept.items()
        },
        names=["collection", "judgments", "way"],
    )
    keys = ["collection", "judgments", "topic", "system"]
    wide = long.pivot_table("value", keys, "way", sort=False)
    write_table("judging-scores.csv.gz", wide.reset_index(), "%.4f")


def spread(table):
    """Variance over the first axis, of relative scores: systems x ..."""
    return (table**2).sum(axis=0).mean() / (len(table) - 1)


def over_draws(drawn):
    """Variance over draws of relative scores: draws x systems x topics."""
    variance = drawn.var(axis=0, ddof=1).sum(axis=0).mean()
    return variance / (drawn.shape[1] - 1)


def simulated_means(drawn, topics, times, rng):
    """Means over topics drawn anew, of any draw each: times x systems."""
    draws, systems, known = drawn.shape
    seen = np.empty((times, systems))
    for row in seen:
        some = rng.integers(known, size=topics)
        which = rng.integers(draws, size=topics)
        row[:] = drawn[which, :, some].mean(axis=0)
    return seen


def split():
    """Point 3: where the error of sampled judgments comes from.

    Relative to the mean of all topics under all judgments: topics are
    drawn with replacement, and documents anew for each.
    """
    rows = []
    for name, pool, qrels, _ in collections():
        known = relative(true_scores(pool, qrels)).to_numpy()
        universe = known.mean(axis=1, keepdims=True)
        of_topics = spread(known - universe)
        rng = np.random.default_rng(13)
        for effort in (10, 15, 20, 30, 40, 60, 80, 120):
            sampled = partial(
                scores_of, pool, qrels, "stratified sample", effort, None
            )
            seeds = tqdm(range(DRAWS), name, disable=None)
            drawn = np.array([relative(sampled(seed=s)) for s in seeds])
            mean = drawn.mean(axis=0)
            centre = mean.mean(axis=1, keepdims=True)
            unjudged = over_draws(drawn)
            bend = spread(mean - centre) - unjudged / DRAWS - of_topics
            gaps = simulated_means(drawn, 25, 4000, rng) - universe[:, 0]
            simulated = (gaps**2).sum(axis=1) / (len(known) - 1)
            row = {
                "collection": name,
                "judgments": effort,
                "topics": of_topics,
                "bend": bend,
                "unjudged": unjudged,
                "bias": spread(centre - universe),
                "simulated": simulated.mean(),
                "error": simulated.std() / np.sqrt(len(simulated)),
                **whole_plans(drawn, universe[:, 0], effort),
            }
            rows.append(row)
    table = pd.DataFrame(rows).assign(drawn_topics=25, draws=DRAWS)
    write_table("judging-split.csv", table)


def whole_plans(drawn, universe, effort):
    """Squared correlations with the truth, of plans for one budget.

    As in `split`, but as many topics as the budget buys at each price.
    """
    found, rng = {}, np.random.default_rng([13, effort])
    for price in PRICES:
        n = BUDGET // (price + effort)
        seen = simulated_means(drawn, n, PLANS, rng)
        seen -= seen.mean(axis=1, keepdims=True)
        squared = (seen @ universe) ** 2 / (seen**2).sum(axis=1)
        squared /= (universe**2).sum()
        found[f"plan at {price}"] = squared.mean()
        found[f"plan at {price} error"] = squared.std() / np.sqrt(PLANS)
    return found


def even_design(pool, groups):
    sites, topics = sorted(groups.unique()), list(pool.topics)
    return gt.BlockDesign(sites, HELD_OUT, topics, fill=True)


def held(assignment, groups, topics):
    out = assignment.site_rows(groups)
    names = assignment.held_out.index
    return pd.DataFrame(out, groups.index, names)[topics]


def newcomer(pool, qrels, groups, assignment, way, effort, seed):
    """What each system loses where it is held out, step by step.

    Means over all topics, its reuse topics, these judged by everybody,
    these judged without the other held-out sites, and without its own.
    """
    truth = true_scores(pool, qrels)
    out = held(assignment, groups, pool.topics)

    def judged(held_out):
        return scores_of(pool, qrels, way, effort, held_out, seed)

    everybody, without = judged(out & False), judged(out)
    others = everybody.copy()
    sites = groups.unique().to_numpy()
    chosen = assignment.held_out.loc[pool.topics, sites].to_numpy()
    place = np.reshape(sites[np.nonzero(chosen)[1]], (-1, HELD_OUT))
    for back in place.T:
        mine = groups.to_numpy()[:, None] == back
        found = judged(out & ~mine)
        others = others.where(~(out & mine), found)
    seen = [t.where(out) for t in (truth, everybody, others, without)]
    parts = np.diff([t.mean(axis=1) for t in (truth, *seen)], axis=0)
    names = ["topics", "estimator", "other sites", "own site"]
    row = pd.Series(parts.mean(axis=1), names)
    rms = pd.Series(np.sqrt((parts**2).mean(axis=1)), names)
    return {**row, **rms.add_suffix(" rms")}, without


def reuse():
    """Point 2: what being held out costs."""
    rows = []
    for name, pool, qrels, groups in collections():
        design = even_design(pool, groups)
        for way, effort in product(ALONE, EFFORTS):
            some = []
            for seed in range(ASSIGNMENTS):
                chosen = design.assign(seed)
                row, scores = newcomer(
                    pool, qrels, groups, chosen, way, effort, seed
                )
                effect = gt.reusability_test(
                    scores, groups, chosen, (), n_resamples=1999
                ).effect
                row["effect"] = effect.estimate
                some.append(row | {"low": effect.low, "high": effect.high})
            mean = pd.DataFrame(some).mean().to_dict()
            rows.append(in_row(name, way, effort) | mean)
    table = pd.DataFrame(rows).assign(assignments=ASSIGNMENTS)
    write_table("judging-reuse.csv", table)


def twinned(pool):
    """Every system twice, side by side: itself, and its twin."""
    names = [n for s in pool.systems for n in (s, f"{s} (twin)")]
    systems = pd.Index(names, name="system")
    return replace(
        pool, systems=systems, ranks=pool.ranks.repeat(2, axis=0)
    )


def judged_without(pool, qrels, out, way, twins, effort=20):
    """Scores of every topic, judged without every set of systems.

    `out` is systems x sets, as many sets as topics. Judged sheet by sheet:
    in each of them every topic has another set. Topics x sets x systems.
    """
    judged = twinned(pool) if twins else pool
    topics, systems = len(pool.topics), len(pool.systems)
    found = np.empty((topics, topics, systems))
    topic = np.arange(topics)
    held_out = pd.DataFrame(False, judged.systems, pool.topics)
    for sheet in range(topics):
        which = (topic + sheet) % topics
        held_out.loc[pool.systems] = out[:, which]
        seed = [sheet, 13]
        scores = scores_of(judged, qrels, way, effort, held_out, seed)
        found[topic, which] = scores.loc[pool.systems].to_numpy().T
    return found


def effect_weights(out):
    """What a cell weighs in the least-squares effect of being held out."""
    centred = out - out.mean(axis=0) - out.mean(axis=1, keepdims=True)
    centred = centred + out.mean()
    return centred / (centred * out).sum()


def rejected(found, out, losses, back):
    """How often simulated collections are rejected, for each loss.

    A collection has a topic, drawn with replacement, for every set of
    sites: so the assignment is drawn anew as well. Then `back` is added
    to the scores of who is held out, and a share of them is lost. The
    test is that of `reusability_test` for the effect alone.
    """
    weights, place = effect_weights(out), np.arange(out.shape[1])
    count = np.zeros(len(losses))
    for seed in range(SIMULATIONS):
        rng = np.random.default_rng([seed, 13])
        drawn = found[rng.integers(len(found), size=len(place)), place].T
        drawn = drawn + back * out
        order = rng.permuted(np.tile(place, (N_RESAMPLES, 1)), axis=1)
        whole, lost = weights.T @ drawn, weights.T @ (drawn * out)
        for nth, loss in enumerate(losses):
            adds = whole - loss * lost
            shuffled = np.abs(adds[order, place].sum(axis=1))
            as_far = shuffled >= abs(np.trace(adds)) * (1 - 1e-6)
            p = (1 + as_far.sum()) / (1 + N_RESAMPLES)
            count[nth] += p <= 0.05 + 1e-12
    return count / SIMULATIONS


def tests():
    """Point 2: how often the test of chapter 7 rejects, and what.

    Documents are judged without the sites that are held out, by each way,
    and all are scored. The topics of a collection are drawn from the real
    ones with replacement, and the held-out sites of each from the sets of
    one even design. Its documents are judged without just these, once for
    every topic and set: the collections share these judgments. This is
    done twice.

    With twins. Every site has a twin that returns the same rankings and is
    never held out; only the sites themselves are tested. So whatever a
    held-out system found was also found by one that took part, and of what
    can be found nothing is lost. For random thinning and infAP (the frame
    of the sample stays), the pool and the bandit (who ask what was found,
    and in which order, never by how many) the judged documents do not
    depend on who is held out: a sharp hypothesis, under which the test is
    exact, whatever the simulation says. MTC and the strata do count how
    many systems found a document, and a held-out site's documents are
    found by one fewer. There judging adapts, and what the smaller weight
    costs is an effect, if a small one, and no error of the test.

    Alone. Without twins every way adapts, and being held out costs
    something: the rate is the power to see that. With the mean effect
    given back to every held-out score being held out costs nothing on
    average, though it still costs some sites and topics something and
    gives to others: a hypothesis weaker than the test's own, of which the
    permutations promise nothing.

    The effect is the mean over topics, each under all sets, and its error
    the standard error of that mean. Its scores are what is sampled from,
    so the mean that is given back is known without error.
    """
    rows = []
    for name, pool, qrels, groups in collections():
        chosen = even_design(pool, groups).assign(1)
        out = held(chosen, groups, pool.topics).to_numpy(float)
        weights = effect_weights(out)
        ways = [*product(ALONE, (True, False))]
        for way, twins in tqdm(ways, name, disable=None):
            found = judged_without(pool, qrels, out > 0, way, twins)
            effects = np.einsum("si,tis->t", weights, found).round(12)
            mean, error = effects.mean(), sem(effects)
            for back in (False, True):
                rates = rejected(found, out, LOSSES, -mean * back)
                row = in_row(name, way, 20) | {
                    "twins": twins,
                    "given_back": back,
                    "effect": mean,
                    "effect error": error,
                    "loss": LOSSES,
                    "rate": rates,
                    "error": np.sqrt(rates * (1 - rates) / SIMULATIONS),
                }
                rows.append(pd.DataFrame(row))
    table = pd.concat(rows).assign(simulations=SIMULATIONS)
    write_table("judging-tests.csv", table)


PARTS = {part.__name__: part for part in (sets, split, reuse, tests)}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
