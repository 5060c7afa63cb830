"""What moves in the figure of chapter 7: the topics of each comparison."""

from itertools import product

import numpy as np

from book.support.figures.moving import Moving, Panel, Stop, squares
from gtlib.reuse import BlockDesign

# What is said if no site is chosen, or one, or two.
WORDS = (
    "{topics} topics: {baseline:other} of baseline, judged from the runs "
    "of all sites, and others that hold out {out:one} sites each.",
    "Within {site}: {baseline:other} topics of baseline, to which it "
    "contributed, and {reuse:one} of reuse, which hold it out.",
    "Between {site} and {rival}: {baseline:other} topics of baseline, to "
    "which both contributed, and {reuse:one} of reuse, with both held out. "
    "Participant comparison of {site} with {rival}: {against} topics, with "
    "{site} alone held out.",
)


def moving_sites(design: BlockDesign) -> Moving:
    """Draw the grid of sites and topics, for each site and for each pair.

    Parameters
    ----------
    design : BlockDesign

    Returns
    -------
    Moving
        One panel: a row per site, a column per topic.
    """
    out = (design.table() == "−").to_numpy().T
    sites = [*design.table()]
    rows, columns = np.indices(out.shape)
    line = np.argmax(out.any(axis=0))  # where the baseline ends
    end = np.array([[line, 0, 0.05, len(sites)]])
    marks = np.vstack([squares(columns, rows, 1), end])

    def stop(*names):
        chosen = [*dict.fromkeys(name for name in names if name in sites)]
        mine = np.isin(sites, chosen)[:, None] | (not chosen)
        look = np.where(out, np.where(mine, "o", "O"), "f")
        if chosen:
            look[mine & ~out] = "p"
        held = [out[sites.index(site)] for site in chosen or sites]
        every, some = np.all(held, axis=0), np.any(held, axis=0)
        values = {
            "topics": out.shape[1],
            "out": design.held_out,
            "baseline": np.sum(~some),
            "reuse": np.sum(every),
            "against": np.sum(held[0] & ~every),
        } | dict(zip(("site", "rival"), chosen, strict=False))
        return Stop(
            [Panel(marks, "".join(look.flat) + "s")],
            WORDS[len(chosen)],
            values,
        )

    sliders = {"Site": ["all", *sites], "Other site": ["none", *sites]}
    stops = [stop(*chosen) for chosen in product(*sliders.values())]
    limits = [(0, out.shape[1], len(sites), 0)]
    return Moving(limits, sliders, ["all", "none"], stops)
