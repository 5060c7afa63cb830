"""What moves in the figure of chapter 7: the topics of each comparison."""

from itertools import product

import numpy as np

from gtapps.figures.moving import Moving, Panel, Stop, squares
from gtlib.reuse import BlockDesign

BOTH = (
    "{site} and {rival}: both contributed to {baseline:other} topics, the "
    "baseline; both are held out of {reuse:one}, the topics of reuse. For "
    "{site} against the official run of {rival} there are {against} topics, "
    "where only {site} is held out."
)
ONE = (
    "{site} contributed to {baseline:other} topics, its baseline, and is "
    "held out of {reuse:one}, where it compares its own systems as a "
    "newcomer would."
)
ALL = (
    "{topics} topics. {baseline:other} are judged from everybody's runs; each "
    "of the others holds out {out:one} sites."
)


def moving_sites(design: BlockDesign) -> Moving:
    """The grid of sites and topics, for each site and for each pair.

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
    marks = squares(columns, rows, 1)

    def stop(*chosen):
        chosen = [*dict.fromkeys(site for site in chosen if site in sites)]
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
            [Panel(marks, "".join(look.flat))],
            (ALL, ONE, BOTH)[len(chosen)],
            values,
        )

    sliders = {"Site": ["all", *sites], "Other site": ["none", *sites]}
    stops = [stop(*chosen) for chosen in product(*sliders.values())]
    limits = [(0, out.shape[1], len(sites), 0)]
    return Moving(limits, sliders, ["all", "none"], stops)
