"""Do intervals keep what they promise? Simulated where truth is known.

A `Population` makes as many systems and topics as wanted, and knows its
variance components. Draw a collection, compute every interval, look
whether the truth lies inside; again and again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import factorial, sqrt

import numpy as np
import pandas as pd
import scipy
from tqdm import tqdm

import gtlib.checks as checks
from gtlib.intervals.methods import percentiles, replicate
from gtlib.sources import COEFFICIENTS
from gtlib.study import GStudy, gstudy

EFFECTS = "system", "topic", "system x topic"
_TERMS = 60  # of the expansion of a beta quantile function


@dataclass(frozen=True, eq=False)
class Population:
    """Endless systems and topics, with known variance components.

    Make one by `Population.normal` or `Population.ap_like`.

    Attributes
    ----------
    name : str
    components : Series, effect to float
        Of system, topic and system x topic.
    shares : tuple of float
        What the three effects contribute to a standard normal variable
        behind the score.
    shape : tuple of float, or None
        The beta distribution that the variable is turned into.

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
    shares: tuple[float, float, float]
    shape: tuple[float, float] | None = None

    @classmethod
    def normal(cls, components: Mapping[str, float]) -> "Population":
        """Normal effects: what the classical intervals assume.

        Parameters
        ----------
        components : mapping of effect to float
        """
        g = GStudy.from_components("system x topic", components)
        variance = g.variance
        return cls("normal", variance, tuple(variance / variance.sum()))

    @classmethod
    def ap_like(
        cls,
        shares: tuple[float, float, float] = (0.18, 0.56, 0.26),
        shape: tuple[float, float] = (0.9, 2.7),
    ) -> "Population":
        """Scores in the unit interval, skewed and crowded near zero, on
        hard topics close together: like average precision.

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
            raise ValueError(
                f"shares={shares}: three positive numbers that sum to 1."
            )
        system, topic, whole = _explained(shape, (*shares[:2], 1.0))
        components = [system, topic, whole - system - topic]
        index = pd.Index(EFFECTS, name="effect")
        return cls(
            "like AP",
            pd.Series(components, index),
            shares,
            shape,
        )

    def scores(
        self, systems: int, topics: int, seed: int | np.random.Generator
    ) -> pd.DataFrame:
        """A collection drawn from the population.

        Parameters
        ----------
        systems, topics : int
        seed : int or numpy.random.Generator

        Returns
        -------
        DataFrame, systems x topics
        """
        rng = np.random.default_rng(seed)
        system, topic, both = np.sqrt(self.shares)
        z = (
            system * rng.normal(size=(systems, 1))
            + topic * rng.normal(size=topics)
            + both * rng.normal(size=(systems, topics))
        )
        if self.shape is None:
            return pd.DataFrame(z * sqrt(self.components.sum()))
        return pd.DataFrame(np.interp(z, *_beta_of_normal(self.shape)))


def interval_coverage(
    population: Population,
    systems: int,
    topics: int = 50,
    *,
    confidence_level: float = 0.95,
    n_simulations: int = 400,
    n_resamples: int = 400,
    seed: int = 0,
) -> pd.DataFrame:
    """How often each interval holds the truth.

    Parameters
    ----------
    population : Population
    systems, topics : int
        Of each collection that is drawn.
    confidence_level : float in (0, 1)
        What the intervals promise.
    n_simulations : int
        Collections that are drawn.
    n_resamples : int
        Replicates in each, for the methods that need them.
    seed : int

    Returns
    -------
    DataFrame, a row per quantity and method
        ``quantity`` (a coefficient at this number of topics, or a
        component), ``method``, ``coverage``: the share of intervals that
        hold the truth; ``too_high`` and ``too_low``: that lie above and
        below it; ``width``, their median; ``none``, the share of
        collections without an interval, which count for nothing else.

    Raises
    ------
    ValueError
        If a number is out of range.

    Examples
    --------
    >>> population = Population.normal(
    ...     {"system": 0.007, "topic": 0.023, "system x topic": 0.011})
    >>> found = interval_coverage(
    ...     population, 30, n_simulations=20, n_resamples=50)
    >>> found.groupby("quantity", sort=False)["method"].agg(list).iloc[0]
    ['exact', 'parametric', 'bootstrap']
    """
    checks.confidence_level(confidence_level)
    n_simulations = checks.whole_number(n_simulations, "n_simulations")
    n_resamples = checks.whole_number(n_resamples, "n_resamples")
    truth = population.components.to_dict()
    study = GStudy.from_components("system x topic", truth)
    planned = study.plan(topic=topics)
    truth |= {name: getattr(planned, name) for name in COEFFICIENTS}
    rng = np.random.default_rng(seed)
    limits: dict[tuple[str, str], list] = {}
    for trial in tqdm(range(n_simulations), disable=None, delay=2):
        g = gstudy(population.scores(systems, topics, rng))
        for key, low, high in _all_limits(
            g, confidence_level, n_resamples, trial
        ):
            limits.setdefault(key, []).append((low, high))
    rows = []
    for (quantity, method), found in limits.items():
        low, high = np.transpose(found)
        given = ~np.isnan(low)
        low, high = low[given], high[given]
        rows.append(
            {
                "quantity": quantity,
                "method": method,
                "coverage": np.mean(
                    (low <= truth[quantity]) & (truth[quantity] <= high)
                ),
                "too_high": np.mean(low > truth[quantity]),
                "too_low": np.mean(high < truth[quantity]),
                "width": np.median(high - low),
                "none": 1 - np.mean(given),
            }
        )
    return pd.DataFrame(rows)


def _all_limits(g, confidence_level, n_resamples, seed):
    """Every interval of a study: what it is about and how, low, high."""
    plan = g.plan()
    for coefficient in COEFFICIENTS:
        found = plan.interval(
            coefficient, confidence_level=confidence_level, method="exact"
        )
        yield (coefficient, "exact"), found.low, found.high
    for method in ("mls", "satterthwaite"):
        table = g.component_intervals(
            confidence_level=confidence_level, method=method
        )
        for row in table.itertuples():
            yield (row.Index, method), row.low, row.high
    none = np.full(2, np.nan)
    for method in ("parametric", "bootstrap"):
        drawn = replicate(g, method, n_resamples, seed)
        values = plan.coefficients(drawn)
        for name in COEFFICIENTS:
            limits = none
            if g.estimate["system"] > 0:
                limits = percentiles(
                    values[name],
                    confidence_level,
                    method,
                    getattr(plan, name),
                )
            yield (name, method), *limits
        for effect, row in zip(g.estimate.index, drawn, strict=True):
            limits = none
            if g.estimate[effect] > 0:
                limits = percentiles(
                    row, confidence_level, method, g.estimate[effect]
                )
            yield (effect, method), *np.maximum(limits, 0)


@lru_cache
def _beta_of_normal(shape):
    """A table that turns a normal variable into a beta variable."""
    z = np.linspace(-9, 9, 20_001)
    return z, scipy.special.betaincinv(*shape, scipy.special.ndtr(z))


def _explained(shape, shares):
    """How much of a beta variable's variance is explained by parts of the
    normal variable behind it.

    With c_k its coefficients in the orthonormal Hermite polynomials, a
    part with share r of the normal variance explains the sum of
    c_k² r^k.
    """
    nodes, weights = scipy.special.roots_hermitenorm(150)
    weights = weights / weights.sum()
    values = (
        scipy.special.betaincinv(*shape, scipy.special.ndtr(nodes))
        * weights
    )
    orders = np.arange(1, _TERMS)
    squares = np.array(
        [
            (values @ scipy.special.eval_hermitenorm(k, nodes)) ** 2
            / factorial(k)
            for k in orders
        ]
    )
    return [squares @ share**orders for share in shares]
