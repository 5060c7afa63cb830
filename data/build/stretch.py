"""What r is from one collection to another: the prior of the jackknife.

Writes data/scores/stretch.csv, a row per collection of the atlas: its r of
each coefficient as it is seen (`observed_stretch`), how much log r of one
half of its systems differs from that of the other, and the prior that the
*other* collections give. And data/scores/stretch-trials.csv.gz: coverage
and width of this and other intervals of generalizability on the same draws.
The appendix to chapter 10 shows both: a quarter of an hour, two CPUs.
"""

import numpy as np
import pandas as pd
import scipy
from coverage import OTHERS, TRACKS, drawn_from, load
from score_tables import write_table
from statsmodels.stats.meta_analysis import combine_effects
from tqdm.contrib.concurrent import process_map

import gtlib as gt
from book.support import atlas
from gtlib.anova import COEFFICIENTS
from gtlib.intervals import feldt, observed_stretches, stretches
from gtlib.scores import is_long

SPLITS, HALVED = 20, 10  # halves are drawn of so many systems or more
SIZES = [(10, 25), (30, 50)]
STUDIES, RESAMPLES = 500, 400
TAILS = np.array([0.025, 0.975])
SAME = 1e-9  # of log F


def row(name):
    """r of one collection, and its scatter between halves."""
    read = atlas.read(name)
    scores, design = read["scores"], read["design"]
    systems = pd.Index(
        scores["system"] if is_long(scores) else scores.index
    )
    names = systems.unique()
    found = {"collection": name, "systems": len(names)}
    for coefficient in COEFFICIENTS:
        found[coefficient] = _observed(scores, design, coefficient)
    rng = np.random.default_rng(0)
    halves = []
    for _ in range(SPLITS * (len(names) >= HALVED)):
        order = rng.permutation(names)
        half = len(names) // 2
        halves.append(
            [
                _observed(
                    scores[systems.isin(part)], design, "generalizability"
                )
                for part in (order[:half], order[half : 2 * half])
            ]
        )
    if halves:
        one, other = np.log(halves).T
        # Of as many systems as the collection has, half the variance
        found["noise"] = np.nanmean((one - other) ** 2) / 4
    return found


def _observed(scores, design, coefficient):
    try:
        plan = gt.gstudy(scores, design).plan()
        observed = observed_stretches(plan.study.cells, plan.effects)
        return observed[coefficient]
    except ValueError:  # as where no score differs
        return np.nan


def prior(rows, coefficient):
    """r of another collection, and how many systems tell as much.

    log r of a collection is normal about that of all, and what is seen of
    it about that, with a variance of c over its number of systems.
    """
    log_r = np.log(rows[coefficient].to_numpy())
    systems = rows["systems"].to_numpy()
    c = np.exp(np.log(rows["noise"] * systems).mean())
    of_all = combine_effects(log_r, c / systems, "iterated")
    mean = of_all.summary_frame().loc["random effect", "eff"]
    return np.exp(mean), c / of_all.tau2


def trials(job):
    """Coverage and width of each way on one population."""
    name, (systems, topics) = job
    population = drawn_from(name, load(name))
    of_system, _, of_both = population.components
    truth = of_system / (of_system + of_both / topics)
    rng = np.random.default_rng(systems * topics)
    found = []
    for _ in range(STUDIES):
        scores = population.scores(systems, topics, rng)
        for way, (low, high) in limits(scores, rng).items():
            held = low <= truth <= high
            found.append((way, held, min(high, 1) - low))
    table = pd.DataFrame(found, columns=["way", "coverage", "width"])
    means = table.groupby("way", sort=False).mean().reset_index()
    means.insert(0, "population", name)
    return means.assign(
        systems=systems,
        topics=topics,
        chose=name in TRACKS,
        n_simulations=STUDIES,
    )


def limits(scores, rng):
    """The limits of generalizability, by each way."""
    study = gt.gstudy(scores)
    plan = study.plan()
    n, topics = scores.shape
    squares = study.mean_squares.to_numpy()[[0, 2]]
    df = study.table["df"].to_numpy()[[0, 2]]
    theta = np.log(squares[0] / squares[1])
    seen, shrunk = (
        of(study.cells, plan.effects)["generalizability"]
        for of in (observed_stretches, stretches)
    )

    def on(r):
        signal = topics * feldt(squares, df / min(r, n - 1), topics, 0.95)
        return np.maximum(signal, 0) / (1 + np.maximum(signal, 0))

    def of_theta(ends):
        return np.maximum(1 - np.exp(-np.sort(ends)), 0)

    unknown = 1 + 2 / n
    bonett = scipy.stats.norm.ppf(TAILS) * np.sqrt(
        2 * topics / ((topics - 1) * (n - 2))
    )
    students, percentiles = resampled(scores.to_numpy(), theta, rng)
    return {
        "exact": on(1),
        "r as seen, at least .7": on(max(seen, 0.7 * unknown)),
        "r shrunk": on(shrunk),
        "r = 2": on(2),
        "Bonett": of_theta(theta - np.log(n / (n - 1)) - bonett),
        "bootstrap-t": of_theta(students),
        "BCa": of_theta(percentiles),
    }


def resampled(x, theta, rng):
    """Limits of log F by a bootstrap-t and by BCa: systems are drawn with
    replacement. Standard errors are those of the jackknife over systems,
    and for the study itself over topics, too."""
    n, topics = x.shape
    weights = rng.multinomial(n, np.full(n, 1 / n), RESAMPLES)
    drawn, error, _ = _log_f(x, weights)
    _, own, left = _log_f(x, np.ones((1, n)))
    _, over_topics, _ = _log_f(x.T, np.ones((1, topics)))
    whole_error = np.sqrt(own[0] ** 2 + over_topics[0] ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        t = (drawn - theta) / error
    t = t[np.isfinite(t)]
    students = theta - np.quantile(t, TAILS[::-1]) * whole_error
    drawn = drawn[np.isfinite(drawn)]
    # Some resamples are the sample, and equal it but for the last bits.
    below = np.mean(drawn < theta - SAME)
    z0 = scipy.stats.norm.ppf(below.clip(0.001, 0.999))
    apart = left[0].mean() - left[0]
    a = np.sum(apart**3) / (6 * np.sum(apart**2) ** 1.5)
    z = z0 + scipy.stats.norm.ppf(TAILS)
    levels = scipy.stats.norm.cdf(z0 + z / (1 - a * z))
    return students, np.quantile(drawn, levels)


@np.errstate(invalid="ignore", divide="ignore")
def _log_f(x, weights):
    """log F of tables with rows weighted, (tables,); the jackknife's
    standard error over their rows; and log F without each row."""
    x = x - x.mean()
    columns = weights @ x
    squares = np.square(x).sum(axis=1)
    means = x.mean(axis=1)
    n, k = weights.sum(axis=1)[:, None], x.shape[1]

    def log_f(n, total, of_means, mean, of_columns):
        rows = k * (of_means - n * mean**2)
        by_column = of_columns / n - n * k * mean**2
        rest = total - n * k * mean**2 - rows - by_column
        return np.log(rows / (n - 1)) - np.log(rest / ((n - 1) * (k - 1)))

    total = (weights @ squares)[:, None]
    of_means = (weights @ means**2)[:, None]
    sums = (weights @ means)[:, None]
    of_columns = np.square(columns).sum(axis=1)[:, None]
    whole = log_f(n, total, of_means, sums / n, of_columns)[:, 0]
    left = log_f(
        n - 1,
        total - squares,
        of_means - means**2,
        (sums - means) / (n - 1),
        of_columns - 2 * columns @ x.T + squares,
    )
    left = np.where(weights > 0, left, 0)
    mean = np.sum(weights * left, axis=1, keepdims=True) / n
    variance = np.sum(weights * (left - mean) ** 2, axis=1, keepdims=True)
    error = np.sqrt((n - 1) / n * variance)[:, 0]
    return whole, error, left


def main():
    rows = pd.DataFrame(process_map(row, atlas.catalogue().index))
    others = [rows.drop(index) for index in rows.index]
    for name in COEFFICIENTS:
        columns = [f"{name}_prior", f"{name}_prior_systems"]
        rows[columns] = [prior(other, name) for other in others]
    write_table("stretch.csv", rows)
    jobs = [(name, size) for size in SIZES for name in TRACKS + OTHERS]
    tables = process_map(trials, jobs, chunksize=1)
    write_table("stretch-trials.csv.gz", pd.concat(tables))


if __name__ == "__main__":
    main()
