"""Slow, literal versions of what gtlib computes; no formula is shared.

Effects are indicator matrices, sums of squares are projections on column
spaces, expected mean squares are traces.
"""

from itertools import product

import numpy as np
import pandas as pd
from scipy.linalg import solve_triangular
from scipy.optimize import minimize

from gtlib.design import Design


def table(design, levels, rng=None, components=None):
    """A balanced long table of a design: every label is its own, scores
    are random effects with the given components (standard normal if not
    given)."""
    facets = design.facets
    rng = rng or np.random.default_rng(0)
    rows = [
        dict(zip(facets, cell, strict=True))
        for cell in product(*(range(levels[f]) for f in facets))
    ]
    frame = pd.DataFrame(rows)
    score = np.zeros(len(frame))
    for effect in design.effects:
        scale = np.sqrt((components or {}).get(effect.label, 1.0))
        z = indicators(frame, effect.facets)
        score += scale * (z @ rng.normal(size=z.shape[1]))
    named = pd.DataFrame(
        {
            f: [
                "/".join(f"{g}{row[g]}" for g in [*sorted(nest), f])
                for row in rows
            ]
            for f in facets
            for nest in [design.nesting[f]]
        }
    )
    return named.assign(score=score)


def indicators(frame, facets):
    """0/1 matrix: observations x cells of the given facets."""
    columns = [frame[facet].astype(str) for facet in sorted(facets)]
    keys = ["|".join(labels) for labels in zip(*columns, strict=True)]
    names, cell = np.unique(keys, return_inverse=True)
    return np.eye(len(names))[cell]


def projector(columns):
    """Orthogonal projector on a column space."""
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    u = u[:, s > 1e-9 * s.max()]
    return u @ u.T


def effect_projectors(frame, design):
    """The orthogonal projector of each effect: what its cells add to the
    cells of every effect that it contains."""
    n = len(frame)
    result = {}
    for effect in design.effects:
        smaller = [np.ones((n, 1))] + [
            indicators(frame, other.facets)
            for other in design.effects
            if other.facets < effect.facets
        ]
        below = projector(np.hstack(smaller))
        result[effect.label] = (
            projector(indicators(frame, effect.facets)) - below
        )
    return result


STUDIES = (
    "system x topic",
    "topic:system",
    "system x topic x assessor",
    "system x (assessor:topic)",
    "(system:group) x topic",
    "assessor:topic:system",
    "(topic x assessor):system",
    "system x topic x assessor x page",
    "system x (page:assessor:topic)",
    "(system:group) x topic x page",
)


def random_study(seed, largest=200):
    """A table with gaps: a design of two to four facets, 5 to 60% of at
    most `largest` cells missing, components over six orders of magnitude
    and one in six of them zero, and now and then a mean of a million, or
    scores of the size of 1e-8."""
    rng = np.random.default_rng(seed)
    design = Design(STUDIES[rng.integers(len(STUDIES))])
    levels = dict.fromkeys(design.facets, 2)
    most = rng.integers(16, largest, endpoint=True)
    for _ in range(40):
        facet = design.facets[rng.integers(len(levels))]
        levels[facet] += 1
        if np.prod(list(levels.values())) > most:
            levels[facet] -= 1
    sizes = 10 ** rng.uniform(-6, 0, len(design.effects))
    sizes[:-1][rng.random(len(sizes) - 1) < 1 / 6] = 0
    sizes /= sizes.max()
    long = table(
        design, levels, rng, dict(zip(design.labels, sizes, strict=True))
    )
    kept = rng.random(len(long)) > rng.uniform(0.05, 0.6)
    score = long["score"] * rng.choice([1, 1, 1e-8])
    score += rng.choice([0, 0, 1e6]) * score.std()
    return long.assign(score=score)[kept], design


class Likelihood:
    """The restricted likelihood of scores that are scaled to mean zero
    and variance one, from dense matrices."""

    least = 1e-8  # error

    def __init__(self, long, design):
        y = long["score"].to_numpy()
        n = len(y)
        self.scale = y.std()
        y = (y - y.mean()) / self.scale
        self.right = np.column_stack([y, np.ones(n)])
        self.parts = []
        for effect in design.effects:
            z = indicators(long, effect.facets)
            self.parts.append(z @ z.T)
        self.constant = (n - 1) * np.log(2 * np.pi * self.scale**2)

    def __call__(self, components):
        """Its value, of the scores as they were, and its slope."""
        v = np.tensordot(components, self.parts, 1)
        half = np.linalg.cholesky(v)
        inverse = solve_triangular(half, np.eye(len(v)), lower=True)
        y, one = (inverse @ self.right).T
        apart = y - one * (one @ y) / (one @ one)
        value = (
            2 * np.log(np.diag(half)).sum()
            + np.log(one @ one)
            + apart @ apart
            + self.constant
        )
        residual, weight = inverse.T @ apart, inverse.T @ one
        p = inverse.T @ inverse - np.outer(weight, weight) / (one @ one)
        slope = [
            np.sum(p * k) - residual @ k @ residual for k in self.parts
        ]
        return -value / 2, -np.array(slope) / 2

    def best(self, n_starts=6, seed=0):
        """The highest value found from several starts, and where; only
        the best of them is followed to its last digits."""
        n = len(self.parts)
        rng = np.random.default_rng(seed)
        starts = [np.full(n, 1 / n)]
        starts += [10 ** rng.uniform(-5, 0, n) for _ in range(n_starts - 1)]

        def in_logs(logs):
            value, slope = self(np.exp(logs))
            return -value, -slope * np.exp(logs)

        def plain(components):
            value, slope = self(components)
            return -value, -slope

        tight = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 1000}
        last = (np.log(self.least), np.log(100))
        bounds = [(np.log(1e-11), np.log(100))] * (n - 1) + [last]
        found = [
            minimize(
                in_logs,
                np.log(np.maximum(start, 2e-8)),
                jac=True,
                bounds=bounds,
                method="L-BFGS-B",
                options={"ftol": 1e-9},
            )
            for start in starts
        ]
        top = np.exp(min(found, key=lambda result: result.fun).x)
        polished = minimize(
            plain,
            top * (top > 1e-10),
            jac=True,
            bounds=[(0, 100)] * (n - 1) + [(self.least, 100)],
            method="L-BFGS-B",
            options=tight,
        )
        return max((self(x)[0], tuple(x)) for x in (top, polished.x))
