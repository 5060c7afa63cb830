"""Machine judges: their agreement, their bias, and what people add."""

import numpy as np
import pandas as pd

import gtlib as gt

__all__ = [
    "bias_by_kind",
    "kept_promise",
    "rare_failures",
]


def bias_by_kind(people, machine, kinds, n_draws=2000):
    """Return what a machine adds to what people's scores lead to expect.

    Each topic is standardised, so the bias is in standard deviations
    among systems. Its 95% limits come from draws of topics.
    """
    both = {"people": people, "machine": machine.loc[people.index]}
    z = {who: (t - t.mean()) / t.std(ddof=0) for who, t in both.items()}
    variance = gt.mgstudy(z).components["system"]["people"]
    slope = variance["machine"] / variance["people"]
    rest = (z["machine"] - slope * z["people"]).groupby(kinds).mean()
    rng = np.random.default_rng(0)
    drawn = rng.integers(rest.shape[1], size=(n_draws, rest.shape[1]))
    means = rest.to_numpy()[:, drawn].mean(axis=2)
    low, high = np.quantile(means, [0.025, 0.975], axis=1)
    columns = {"bias": rest.mean(axis=1), "low": low, "high": high}
    return pd.DataFrame(columns).assign(slope=slope)


def kept_promise(people, machine, n, n_draws=150, level=0.9):
    """Return how intervals fare if people judge n of the topics at random.

    The series has the coverage of `gt.prediction_powered` for these topics
    and of people alone, both widths, and the mean ratio of the widths.
    """
    rng = np.random.default_rng(n)
    topics = people.shape[1]
    drawn = np.array([rng.permutation(topics) for _ in range(n_draws)])
    same = machine.loc[people.index, people.columns]
    # A row for each draw and system, its human topics first
    human, other = (
        pd.DataFrame(np.vstack([*t.to_numpy()[:, drawn].swapaxes(0, 1)]))
        for t in (people, same)
    )
    found = gt.prediction_powered(
        human.iloc[:, :n], other, these_topics=True, confidence_level=level
    )
    truth = np.tile(people.mean(axis=1), n_draws)
    width = found["high"] - found["low"]
    alone = found["human_high"] - found["human_low"]
    return pd.Series(
        {
            "coverage": covered(found["low"], found["high"], truth),
            "people alone": covered(
                found["human_low"], found["human_high"], truth
            ),
            "width": width.mean(),
            "ratio": (width / alone).mean(),
        }
    )


def covered(low, high, truth):
    return ((low <= truth) & (truth <= high)).mean()


def rare_failures(n, topics, n_tables=4000):
    """Return how many 95% intervals hold the mean of synthetic scores.

    One score in twenty is 0 and the others lie near 1; people judge n of
    the topics. The pair is the coverage with the machine and without.
    """
    rng = np.random.default_rng(n)
    mean = 0.95 * 30 / 32
    people = with_failures((n_tables, topics), rng)
    machine = 0.9 * people + 0.1 * with_failures(people.shape, rng)
    found = gt.prediction_powered(
        pd.DataFrame(people).iloc[:, :n], pd.DataFrame(machine)
    )
    return (
        covered(found["low"], found["high"], mean),
        covered(found["human_low"], found["human_high"], mean),
    )


def with_failures(shape, rng):
    failed = rng.random(shape) < 0.05
    return np.where(failed, 0, rng.beta(30, 2, shape))
