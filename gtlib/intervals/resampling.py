"""The cluster bootstrap: whole levels of facets, drawn with replacement.

A level that is drawn three times counts as three levels. So a replicate is
no table but a multiplicity per level of each resampled facet, and its
T-terms (see `gtlib.estimates.henderson`) are forms in those
multiplicities.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import scipy

from gtlib.estimates import henderson
from gtlib.estimates.henderson import MEAN, outer_levels
from gtlib.intervals.replicates import batches, summing_matrix
from gtlib.tables import Cells


def cluster_bootstrap(
    cells: Cells, facets: Sequence[str], n_resamples: int, seed: int
) -> np.ndarray:
    """Estimate components from resampled studies, corrected for bias.

    Levels repeat in a resampled study, so its T-terms have another
    expectation than those of new data: what an interaction adds to the
    mean of a level is repeated with it. The components here solve the
    T-terms' equations with that expectation (what Brennan, Harris & Hanson
    1987 and Wiley 2001 do for person x item, for any design and choice of
    facets), and are right on average for each study that could be drawn;
    in a balanced one, over the draws.

    Parameters
    ----------
    cells : gtlib.tables.cells.Cells
    facets : sequence of str
        Those whose levels are drawn; nested in nothing.
    n_resamples, seed : int

    Returns
    -------
    ndarray (effects, n_resamples)
    """
    margins = henderson.tabulate(cells, cells.centred)
    if cells.balanced:
        expected = _expected_coefficients(cells, margins, facets)
    else:  # refuse what no draw could tell
        matrix = henderson.coefficients(cells, margins)
        henderson.require_determined(matrix, cells.design)
    # Effects with all resampled facets have one column, whatever is drawn.
    largest = sum(
        len(margin.key)
        for effect, margin in margins.items()
        if not effect.issuperset(facets)
    )
    rng = np.random.default_rng(seed)
    # All drawn at once, so that studies with the same facets and seed have
    # the same levels.
    multiplicities = {
        f: _multiplicities(cells, f, n_resamples, rng) for f in facets
    }
    estimates: list[np.ndarray] = []
    for batch in batches(n_resamples, largest):
        weights = {f: w[:, batch] for f, w in multiplicities.items()}
        resampled = _ResampledStudies(cells, margins, weights)
        terms = resampled.t_terms()
        if cells.balanced:
            estimates.append(np.linalg.solve(expected, terms))
        else:  # what a draw confounds gets the shortest of the solutions
            solve = np.linalg.pinv(resampled.coefficients(), rcond=1e-9)
            estimates.append((solve @ terms.T[..., None])[..., 0].T)
    return np.concatenate(estimates, axis=1)


def _multiplicities(cells, facet, size, rng):
    n = len(cells.labels[facet])
    return rng.multinomial(n, np.full(n, 1 / n), size).T.astype(float)


@dataclass(frozen=True, eq=False)
class _ResampledStudies:
    """T-terms and their coefficients in a batch of resampled studies.

    ``weights`` maps each resampled facet to the multiplicities of its
    levels, (levels, n_resamples). Values per level have a column for each
    replicate, or only one where all replicates share them.
    """

    cells: Cells
    margins: dict
    weights: dict

    def t_terms(self):
        """Compute T-terms (effects, n_resamples), less the grand mean's."""
        effects = [e.facets for e in self.cells.design.effects]
        terms = np.array([self._t_term(e) for e in [*effects, MEAN]])
        return terms[:-1] - terms[-1]

    def coefficients(self):
        """Return the expected T-terms in the components of the study drawn
        from, (n_resamples, effects, effects), less that of the grand
        mean."""
        matrices = henderson.subtract_grand_mean(
            self.cells.design, self._coefficient
        )
        return np.moveaxis(matrices, -1, 0)

    def _t_term(self, e):
        return self._over_count(e, self._sums(e, "total") ** 2)

    def _coefficient(self, e, k):
        """A level of k that is drawn twice within a level of e has its
        effect counted twice, squared four times."""
        joint = e | k
        square = self._sums(joint, "count") ** 2
        repeated = self._outside(e) - self._outside(joint)
        square = self._contract(joint, e, repeated, square, 2)
        return self._over_count(e, square)

    def _outside(self, e):
        return frozenset(self.weights) - e

    def _sums(self, e, what):
        """Count or total of each level of `e`, if it is drawn once."""
        facets = self._outside(e)
        values = getattr(self.margins[e | facets], what)
        return self._contract(e | facets, e, facets, values[:, None])

    def _over_count(self, e, values):
        """The sum over the levels of `e` of value over count, each level
        counted as often as it is drawn."""
        count = self._sums(e, "count")
        shape = np.broadcast_shapes(values.shape, count.shape)
        ratio = np.divide(values, count, np.zeros(shape), where=count > 0)
        inside = e & frozenset(self.weights)
        return self._contract(e, MEAN, inside, ratio)[0]

    def _contract(self, inner, outer, facets, values, power=1):
        """Multiply `values` of the levels of `inner` by the multiplicities
        of `facets` to a power, and sum within the levels of `outer`."""
        for facet in sorted(facets):  # in one order: the same last digit
            facets = facets - {facet}
            weights = self.weights[facet] ** power
            code = self.margins[inner].codes[facet]
            level = outer_levels(
                self.cells, self.margins, inner, outer | facets
            )
            inner = outer | facets
            if values.shape[1] == 1:
                form = scipy.sparse.csr_array((values[:, 0], (level, code)))
                values = form @ weights
            else:
                values = summing_matrix(level) @ (values * weights[code])
        if inner != outer:
            level = outer_levels(self.cells, self.margins, inner, outer)
            values = summing_matrix(level) @ values
        return values


def _expected_coefficients(cells, margins, facets):
    """Mean over the draws of `_Resampled.coefficients`, when balanced.

    A level's total squared is a sum over pairs. Two different levels of a
    facet are drawn together 1 - 1/n times on average, and a level with
    itself once more: so each subset of the facets outside an effect adds
    the T-term of the effect crossed with it.
    """

    def share(e, k):
        if not (e <= k <= e.union(facets)):
            return 0.0
        sizes = (len(cells.labels[f]) for f in facets if f not in k)
        together = prod(1 - 1 / n for n in sizes)
        return together * len(margins[e].key) / len(margins[k].key)

    shares = henderson.subtract_grand_mean(cells.design, share)
    return shares @ henderson.coefficients(cells, margins)
