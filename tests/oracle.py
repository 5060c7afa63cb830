"""Slow, literal versions of what gtlib computes, sharing no code with it.

Effects are indicator matrices, sums of squares are projections on column
spaces, expected mean squares are traces.
"""

from itertools import product

import numpy as np
import pandas as pd


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
    keys = frame[sorted(facets)].astype(str).agg("|".join, axis=1)
    return (
        keys.to_numpy()[:, None] == np.unique(keys.to_numpy())[None, :]
    ).astype(float)


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
