"""Simulated pools, to which some sites do not contribute."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from gtlib import BlockDesign, average_precision, reusability_test
from gtlib.reuse import Assignment, system_sites
from gtlib.scores import as_wide, require_columns


class PoolSimulation:
    """Runs and judgments, to be pooled again without the held-out sites.

    Parameters
    ----------
    runs : DataFrame
        As `read_run` returns it: ``system``, ``topic``, ``document`` and
        ``rank``.
    qrels : DataFrame
        ``topic``, ``document`` and ``relevance``: the judgments to draw
        from. A document that nobody judged counts as not relevant.
    sites : Series or dict
        System -> site.

    Raises
    ------
    ValueError
        If a column is missing, a system has no site, or runs and
        judgments have no topic in common.

    Notes
    -----
    Carterette et al. 2010, section 4.3. Only the ranks of judged documents
    are kept, so that many pools can be simulated from one reading.

    Examples
    --------
    >>> runs = pd.DataFrame({"system": ["a", "a", "b", "b"], "topic": "1",
    ...                      "document": ["x", "y", "z", "x"],
    ...                      "rank": [1, 2, 1, 2]})
    >>> qrels = pd.DataFrame({"topic": "1", "document": ["x", "y", "z"],
    ...                       "relevance": [1, 1, 1]})
    >>> pools = PoolSimulation(runs, qrels, {"a": "A", "b": "B"})
    >>> from gtlib.reuse import Assignment
    >>> held_out = pd.DataFrame({"A": [True], "B": [False]}, ["1"])
    >>> pools.judgments(Assignment(held_out), 1)["document"].tolist()
    ['z']
    """

    def __init__(
        self,
        runs: pd.DataFrame,
        qrels: pd.DataFrame,
        sites: pd.Series | Mapping[str, str],
    ) -> None:
        require_columns(runs, ["system", "topic", "document", "rank"])
        require_columns(qrels, ["topic", "document", "relevance"])
        self.systems = pd.Index(runs["system"].unique())
        self.sites = system_sites(self.systems, sites)
        key = ["topic", "document"]
        self.qrels = qrels[[*key, "relevance"]].reset_index(drop=True)
        retrieved = self.qrels.reset_index(names="row").merge(
            runs[["system", *key, "rank"]], on=key
        )
        if retrieved.empty:
            raise ValueError(
                "No run retrieves a judged document: do runs and judgments "
                "name their topics alike (text, or numbers)?"
            )
        self.ranks = np.full((len(self.systems), len(self.qrels)), np.inf)
        column = self.systems.get_indexer(retrieved["system"])
        self.ranks[column, retrieved["row"]] = retrieved["rank"]
        self.rows_of = self.qrels.groupby("topic", sort=False).indices

    def judgments(self, assignment: Assignment, depth: int) -> pd.DataFrame:
        """Return the judgments of a pool without the held-out sites' runs.

        Parameters
        ----------
        assignment : Assignment
        depth : int
            How many documents of each contributing run are judged.

        Returns
        -------
        DataFrame
            The rows of the qrels that the pools hold, for the topics of
            the assignment: ready for `read_runs` and any measure.
        """
        return self.qrels[self._pooled(assignment, depth)]

    def average_precision(
        self, assignment: Assignment, depth: int
    ) -> pd.DataFrame:
        """Return every run's AP with the judgments of such a pool.

        Parameters
        ----------
        assignment, depth
            As for `judgments`.

        Returns
        -------
        DataFrame, systems x topics
            What `read_runs` gives for `judgments` and the measure AP.
        """
        relevant = self.qrels["relevance"].to_numpy() > 0
        good = self._pooled(assignment, depth) & relevant
        columns = {}
        for topic in assignment.held_out.index:
            rows = self.rows_of[topic]
            ranks = self.ranks[:, rows[good[rows]]]
            columns[topic] = average_precision(ranks, np.ones_like(ranks))
        return as_wide(pd.DataFrame(columns, index=self.systems))

    def _pooled(self, assignment, depth):
        """Which rows of the qrels are in the pools of the assignment."""
        topics = assignment.held_out.index
        unknown = topics[~topics.isin(self.rows_of)]
        if len(unknown):
            raise ValueError(f"Topic {unknown[0]!r} has no judgments.")
        place = topics.get_indexer(self.qrels["topic"])
        contributes = ~assignment.site_rows(self.sites)
        pooled = (self.ranks <= depth) & contributes[:, place]
        return pooled.any(axis=0) & (place >= 0)


def pool_effects(
    pool: PoolSimulation,
    held_out: int,
    depths: Sequence[int],
    n_resamples: int = 499,
) -> pd.DataFrame:
    """Hold sites out of the pools of each topic, and test.

    Parameters
    ----------
    pool : PoolSimulation
    held_out : int
        How many sites are held out of each topic; chance says which
        (seed 0).
    depths : sequence of int
        How many documents of each contributing run are judged.
    n_resamples : int
        As for `reusability_test`.

    Returns
    -------
    DataFrame, a row per depth
        How many documents are ``judged``; the p-values of the participant
        comparison and of the effect of being held out; and the ``effect``
        with its limits ``low`` and ``high``.

    Examples
    --------
    >>> pool = PoolSimulation(*synthetic_runs(topics=15, documents=60))
    >>> table = pool_effects(pool, 2, [2], n_resamples=99)
    >>> table["effect"].lt(0).tolist()
    [True]
    """
    sites = sorted(set(pool.sites))
    design = BlockDesign(sites, held_out, list(pool.rows_of), fill=True)
    chosen, rows = design.assign(seed=0), {}
    for depth in depths:
        report = reusability_test(
            pool.average_precision(chosen, depth),
            pool.sites,
            chosen,
            ["participant"],
            n_resamples=n_resamples,
        )
        p = report.table["p"].iloc[[0, -1]]
        effect = report.effect
        interval = effect.estimate, effect.low, effect.high
        judged = len(pool.judgments(chosen, depth))
        rows[depth] = judged, *p, *interval
    columns = ["judged", "p of X²", "p of effect", "effect", "low", "high"]
    return pd.DataFrame(rows, columns).T.rename_axis("depth")


def synthetic_runs(
    sites: int = 6,
    systems: int = 3,
    topics: int = 60,
    documents: int = 300,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Make runs whose sites have tastes of their own, and judgments.

    Parameters
    ----------
    sites, systems, topics, documents : int
        Sites, systems of each site, topics, and for each topic documents,
        20 of them relevant.
    seed : int

    Returns
    -------
    runs, qrels : DataFrame
        As `read_run` and `read_qrels` return them.
    site : Series
        System -> site.

    Notes
    -----
    A system scores a document by its relevance, times the system's skill,
    plus the taste of its site for the document and noise of its own, all
    normal. What only one site's taste brings to the top is what a pool
    without that site lacks.

    Examples
    --------
    >>> runs, qrels, site = synthetic_runs(sites=2, topics=5)
    >>> site.tolist()
    ['S1', 'S1', 'S1', 'S2', 'S2', 'S2']
    """
    rng = np.random.default_rng(seed)
    total = sites * systems
    good = np.arange(documents) < 20
    skill = rng.uniform(0.8, 1.6, (total, 1, 1))
    difficulty = rng.uniform(0.4, 1.2, (1, topics, 1))
    taste = rng.standard_normal((sites, topics, documents))
    noise = rng.standard_normal((total, topics, documents))
    value = skill * difficulty * good + taste.repeat(systems, axis=0)
    value += 0.5 * noise
    order = np.argsort(-value, axis=2)
    site = pd.Series(np.arange(total) // systems + 1, range(1, total + 1))
    site = ("S" + site.astype(str)).rename("site").rename("s{}".format)
    topic = [f"t{i + 1}" for i in range(topics)]
    document = [f"d{i}" for i in range(documents)]
    place = range(1, documents + 1)
    runs = _all_combinations(system=site.index, topic=topic, rank=place)
    runs["document"] = np.take(document, order.ravel())
    runs["score"] = -runs["rank"].astype(float)
    qrels = _all_combinations(topic=topic, document=document)
    qrels["relevance"] = np.tile(good.astype(int), topics)
    return runs, qrels, site


def _all_combinations(**columns):
    """A table of all combinations of the values."""
    index = pd.MultiIndex.from_product(columns.values(), names=columns)
    return index.to_frame(index=False)
