"""The coverage of intervals, simulated where the truth is known.

A `Population` makes as many systems and topics as wanted, and knows its
variance components. Draw a collection, compute every interval, look
whether the truth lies inside; again and again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

from gtlib import GStudy, gstudy
from gtlib.anova import COEFFICIENTS
from gtlib.checks import whole_number
from gtlib.intervals import percentiles
from gtlib.scores import as_long
from gtlib.uncertainty import replicate

EFFECTS = "system", "topic", "system x topic"
METHODS = "exact", "jackknife", "bootstrap"


@dataclass(frozen=True, eq=False)
class Population:
    """Endless systems and topics, with known variance components.

    `normal` and `ap_like` make one.

    Attributes
    ----------
    name : str
    components : Series, effect to float
        Of system, topic and system x topic.
    draw : callable
        Takes numbers of systems and of topics and a random generator, and
        returns their scores.

    Examples
    --------
    >>> population = Population.ap_like()
    >>> population.components.round(4).tolist()
    [0.0068, 0.0219, 0.012]
    >>> population.scores(2, 3, seed=1).round(3).values.tolist()
    [[0.36, 0.041, 0.504], [0.406, 0.111, 0.481]]
    """

    name: str
    components: pd.Series
    draw: Callable[[int, int, np.random.Generator], np.ndarray]

    @classmethod
    def normal(
        cls, components: Mapping[str, float], families: float = 0.0
    ) -> "Population":
        """Make normal effects: what the classical intervals assume.

        Parameters
        ----------
        components : mapping of effect to float
        families : float in [0, 1)
            Share of the systems' variance that lies between families of
            five, each drawn anew.
        """
        study = GStudy.from_components("system x topic", components)
        sds = np.sqrt(study.variance.to_numpy())

        def draw(systems, topics, rng):
            own = rng.normal(size=systems)
            shared = rng.normal(size=-(-systems // 5)).repeat(5)[:systems]
            own = (1 - families) ** 0.5 * own + families**0.5 * shared
            return _additive(own * sds[0], topics, sds, rng)

        return cls("normal", study.variance, draw)

    @classmethod
    def ap_like(
        cls,
        shares: tuple[float, float, float] = (0.18, 0.56, 0.26),
        shape: tuple[float, float] = (0.9, 2.7),
    ) -> "Population":
        """Make scores in the unit interval, skewed and crowded near zero,
        on hard topics close together: like average precision.

        A normal variable, the sum of a system's, a topic's and their own
        part, is turned into a beta variable. The default looks like
        TREC-3.

        Parameters
        ----------
        shares : three floats that sum to 1
            Of system, topic and system x topic in the normal variable.
        shape : two floats
            Parameters of the beta distribution.
        """
        if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
            raise ValueError(f"shares={shares}: positive, of sum 1.")
        parts = (*shares[:2], 1)
        system, topic, whole = (_explained(shape, part) for part in parts)
        values = system, topic, whole - system - topic
        sds = np.sqrt(shares)

        def draw(systems, topics, rng):
            own = sds[0] * rng.normal(size=systems)
            z = _additive(own, topics, sds, rng)
            return np.interp(z, *_beta_table(shape))

        study = GStudy.from_components(
            "system x topic", dict(zip(EFFECTS, values, strict=True))
        )
        return cls("like AP", study.variance, draw)

    def scores(
        self, systems: int, topics: int, seed: int | np.random.Generator
    ) -> pd.DataFrame:
        """Draw a collection from the population.

        Parameters
        ----------
        systems, topics : int
        seed : int or numpy.random.Generator

        Returns
        -------
        DataFrame, systems x topics
        """
        rng = np.random.default_rng(seed)
        return pd.DataFrame(self.draw(systems, topics, rng))


def interval_coverage(
    population: Population,
    systems: int,
    topics: int = 50,
    *,
    missing: float = 0.0,
    methods: Sequence[str] = METHODS,
    groups: Mapping[int, int] | None = None,
    confidence_level: float = 0.95,
    n_simulations: int = 400,
    n_resamples: int = 400,
    seed: int = 0,
) -> pd.DataFrame:
    """Count how often each interval holds the truth.

    Parameters
    ----------
    population : Population
    systems, topics : int
        Of each collection that is drawn.
    missing : float in [0, 1)
        Share of the scores that is left out at random, others in each
        collection.
    methods : sequence of str
        Some of ``"exact"`` (with gaps the profile; of components the
        modified large sample), ``"jackknife"`` (`Plan.interval` as it is)
        and ``"bootstrap"``.
    groups : mapping of system to group, optional
        Of the systems 0, 1, ...: for the jackknife.
    confidence_level : float in (0, 1)
        What the intervals promise.
    n_simulations : int
        Collections that are drawn.
    n_resamples : int
        Bootstrap studies in each.
    seed : int

    Returns
    -------
    DataFrame, a row per quantity and method
        ``quantity`` (a coefficient of the systems' means, or a
        component), ``method``, ``coverage``: the share of collections
        whose interval holds the truth; ``error``, its Monte-Carlo standard
        error; ``too_high`` and ``too_low``: the share that lies above and
        below the truth; ``none``, that has no interval; ``width``, the
        median.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> population = Population.normal(
    ...     {"system": 0.007, "topic": 0.023, "system x topic": 0.011})
    >>> table = interval_coverage(
    ...     population, 30, n_simulations=20, n_resamples=50)
    >>> table.groupby("quantity", sort=False)["method"].agg(list).iloc[0]
    ['exact', 'jackknife', 'bootstrap']
    """
    n_simulations = whole_number(n_simulations, "n_simulations")
    if not 0 <= missing < 1:
        raise ValueError(f"missing={missing!r}: a share from 0 to below 1.")
    rng = np.random.default_rng(seed)
    rows = []
    for trial in tqdm(range(n_simulations), disable=None, delay=2):
        scores = population.scores(systems, topics, rng)
        if missing:
            there = rng.random(scores.shape) >= missing
            scores = as_long(scores)[there.ravel()]
        g = gstudy(scores, "system x topic")
        true = population.components
        truth = {**true, **g.plan().coefficients(true.to_numpy())}
        for quantity, *limits in _all_limits(
            g, methods, groups, confidence_level, n_resamples, trial
        ):
            rows.append((quantity, *limits, truth[quantity]))
    names = ["quantity", "method", "low", "high", "truth"]
    intervals = pd.DataFrame(rows, columns=names)
    low = intervals["low"]
    high = intervals["high"]
    truth = intervals["truth"]
    intervals["coverage"] = truth.between(low, high).astype(float)
    intervals["too_high"] = low > truth
    intervals["too_low"] = high < truth
    intervals["none"] = low.isna()
    intervals["width"] = high - low
    by_method = intervals.groupby(["quantity", "method"], sort=False)
    table = by_method[["coverage", "too_high", "too_low", "none"]].mean()
    table.insert(1, "error", by_method["coverage"].sem(ddof=0))
    return table.assign(width=by_method["width"].median()).reset_index()


def _all_limits(g, methods, groups, confidence_level, n_resamples, seed):
    """Every interval of a study: of what, by which method, low, high."""
    plan = g.plan()
    level = {"confidence_level": confidence_level}
    balanced = plan.incidence is None
    component_methods = (
        {"exact": "mls"} if balanced else {"exact": "profile"}
    )
    for method in methods:
        if method == "bootstrap":
            yield from _bootstrap(g, confidence_level, n_resamples, seed)
            continue
        options = {"method": method if balanced else "profile"}
        if method == "jackknife":
            options = {"groups": groups}
        for name in COEFFICIENTS:
            interval = plan.interval(name, **options, **level)
            yield name, method, interval.low, interval.high
        if balanced or method == "exact":
            component_method = component_methods.get(method, method)
            of_groups = groups if method == "jackknife" else None
            table = g.component_intervals(
                method=component_method, groups=of_groups, **level
            )
            for row in table.itertuples():
                yield row.Index, component_method, row.low, row.high


def _bootstrap(g, confidence_level, n_resamples, seed):
    """Bootstrap intervals of all quantities, from the same draws."""
    replicates = replicate(g, "bootstrap", n_resamples, seed)
    values = dict(zip(EFFECTS, replicates, strict=True))
    values |= g.plan().coefficients(replicates)
    estimates = {**g.estimate, **g.plan().coefficients()}
    for name in (*COEFFICIENTS, *EFFECTS):
        limits = percentiles(
            values[name], confidence_level, "bootstrap", estimates[name]
        )
        yield name, "bootstrap", *np.maximum(limits, 0)


def _additive(system_effects, topics, sds, rng):
    """Systems' effects, with normal ones of topics and interactions."""
    shape = len(system_effects), topics
    topic_effects = sds[1] * rng.normal(size=topics)
    return (
        system_effects[:, None]
        + topic_effects
        + sds[2] * rng.normal(size=shape)
    )


def _beta(shape, z):
    """The beta variable that a standard normal one is turned into."""
    return scipy.special.betaincinv(*shape, scipy.special.ndtr(z))


@lru_cache
def _beta_table(shape):
    z = np.linspace(-9, 9, 20_001)
    return z, _beta(shape, z)


def _explained(shape, share):
    """How much of a beta variable's variance is explained by a part with
    this share of the variance of the normal variable behind it: the
    variance of the mean given that part, by Gauss-Hermite quadrature."""
    nodes, weights = scipy.special.roots_hermitenorm(80)
    weights = weights / weights.sum()
    part, rest = nodes[:, None], nodes
    given = _beta(shape, share**0.5 * part + (1 - share) ** 0.5 * rest)
    mean = given @ weights
    return weights @ mean**2 - (weights @ mean) ** 2
