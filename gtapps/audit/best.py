"""Reliability among the best systems, where it is wanted most.

Poor systems lose on every topic. They add true variance and hardly any
error, and so flatter a collection that is to tell good systems apart.
"""

from math import floor, nan

import numpy as np
import pandas as pd

from gtapps.audit.results import LIMITS, limits
from gtlib.gtheory import gstudy
from gtlib.swaps import leaderboard
from gtlib.tables import CODES, Design, is_long

_STEPS = 12


def best_systems(
    scores: pd.DataFrame,
    design: str | Design = "system x topic",
    *,
    sites: pd.Series | None = None,
    fixed: tuple[str, ...] = (),
    ranking: pd.Index | None = None,
) -> pd.DataFrame:
    """Generalizability among the best n systems, for several n.

    Parameters
    ----------
    scores : score table
        Wide, or long with the column ``system``.
    design : str or Design
        With the facet ``system``, the object of measurement.
    sites : Series of system to site, optional
        The intervals leave the systems of a site out together.
    fixed : tuple of str, optional
        Facets whose levels are all there are.
    ranking : Index of systems, optional
        The best first; else they are ranked by `gtlib.leaderboard`.

    Returns
    -------
    DataFrame, a row per number of systems
        Index ``systems``: 3, and on in steps that grow, 20 and what is
        left without the worst quarter among them, to all. The columns are
        ``generalizability``; ``low`` and ``high`` of its 95% interval and
        the ``method``; and a ``note``: why there is no interval, as of
        systems of one site, or why it is in doubt.

    Raises
    ------
    ValueError
        If the table is not right, or has fewer than three systems.

    Notes
    -----
    Systems are ranked by their means in the table; of equal ones the
    first in it goes before.  Bodoff & Li (2007, table 2) leave the worst
    quarter out, as Voorhees & Buckley (2002) do.

    Those who are best in these scores are so in part by luck, and their
    means lie closer together than those of systems chosen beforehand: the
    coefficient is too low, and the interval around it takes no notice
    of that. For the best 10 of 20 systems on 200 topics, normal scores have
    a mean of .80 for a true .85 where all systems have .95, of .58 for .73
    where they have .88, and of .21 for .54 where they have .70.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> merit = np.r_[np.full(10, 0.3), np.linspace(0, 0.2, 10)]
    >>> scores = merit[:, None] + rng.normal(0, 0.1, (20, 50))
    >>> table = best_systems(pd.DataFrame(scores))
    >>> table.loc[[10, 20], "generalizability"].round(2).tolist()
    [0.0, 0.99]
    """
    if not is_long(scores):
        scores = pd.DataFrame(scores)
    if ranking is None:
        ranking = leaderboard(scores, design, fixed=fixed).table.index
    if len(ranking) < 3:
        raise ValueError("The best of two systems are no collection.")
    sizes, found = _sizes(len(ranking)), []
    for best in (ranking[:n] for n in sizes):
        names = scores["system"] if is_long(scores) else scores.index
        chosen = scores[names.isin(best)]
        site = None if sites is None else sites[best]
        found.append(_refitted(chosen, design, fixed, site))
    columns = ["generalizability", *LIMITS]
    return pd.DataFrame(found, pd.Index(sizes, name="systems"), columns)


def _sizes(systems):
    """3 to all in geometric steps, with those that people ask for."""
    steps = np.geomspace(3, systems, _STEPS).round().astype(int)
    asked = {floor(0.75 * systems), 20}
    more = {n for n in asked if 3 <= n < systems}
    return sorted(more.union(steps.tolist()))


def _refitted(scores, design, fixed, site):
    try:
        found = gstudy(scores, design, allow=CODES).plan(fixed=fixed)
        if site is not None and len(site.unique()) == 1:
            none = nan, nan, "none", "all of them are of one site"
            return found.generalizability, *none
        interval = found.interval("generalizability", groups=site)
    except ValueError as error:  # also of a likelihood that is flat
        return nan, nan, nan, "none", str(error)
    return found.generalizability, *limits(interval)
