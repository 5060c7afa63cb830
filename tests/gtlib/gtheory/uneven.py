"""Small random studies with gaps and with nests that differ in size."""

import numpy as np

import gtlib as gt
from tests import oracle

DESIGNS = (
    "system x topic",
    "system x topic x assessor",
    "system x (assessor:topic)",
    "system x (topic:passage)",
    "system x (topic:assessor)",
)


def uneven(text, seed):
    """A long table: three to six levels of each facet, of which some nests
    lack a few and some cells are missing."""
    rng = np.random.default_rng(seed)
    design = gt.Design(text)
    levels = {f: int(rng.integers(3, 7)) for f in design.facets}
    components = dict(
        zip(
            design.labels,
            rng.choice([0, 0.02, 0.3, 1], len(design.labels)),
            strict=True,
        )
    )
    components |= {"system": 1.0, design.labels[-1]: 0.3}
    frame = oracle.table(design, levels, rng, components)
    kept = np.ones(len(frame), bool)
    for facet in design.facets[1:]:
        if design.nesting[facet] or rng.random() < 0.3:
            lacking = rng.random(frame[facet].nunique()) < 0.4
            kept &= ~lacking[frame[facet].factorize()[0]]
    kept &= rng.random(len(frame)) >= rng.choice([0, 0.1, 0.3, 0.5])
    return frame[kept]
