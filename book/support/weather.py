"""The weather of a ranking: what its page starts with, and its still.

The page's scripts compute the ranks that systems would get in another study
of n topics and m assessors (`book/_static/weather/ranks.js` says how). Here
they are drawn at random instead, with what gtlib says of the plan: for the
still that stands in their place in print, without a script, and where
nothing may move. The tests compare the two.

`python -m book.support.weather` draws the still anew.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import gtlib as gt
from book.support import planner, typeface

STILL = Path(__file__).parents[1] / "_static" / "weather.svg"
DRAWS = 200_000
SETTLED = 0.95
WIDTH, ROW, TOP, LEFT, RIGHT = 400, 15, 30, 122, 36
PEAK = 2.6  # rows that a ridge is high if a system always has one rank
INK, MUTED, LEADER = "#262626", "#737373", "#5b4bb5"
LOCK = "M1 4h6v5H1zM2.2 4V2.6a1.8 1.8 0 0 1 3.6 0V4"


def write(site: Path) -> None:
    """Write `known.js` beside the scripts."""
    folder = site / "_static" / "weather"
    folder.mkdir(parents=True, exist_ok=True)
    planner.write_script(folder / "known.js", "weatherKnown", known())


def known() -> dict[str, Any]:
    """What the page needs: a study to begin with, and of each design the
    sources of error."""
    means, g = cystic_fibrosis()
    return {
        "title": "Cystic Fibrosis, AP",
        "design": "crossed",
        "names": means.index.tolist(),
        "means": means.tolist(),
        "components": g.estimate.tolist(),
        "levels": {f: g.levels[f] for f in ("topic", "assessor")},
        "designs": {name: design(text) for text, name in designs()},
    }


def designs():
    return planner.NAMES.items()


def design(study):
    rows = planner.rows(study, study)
    return {"labels": list(gt.Design(study).labels), "rows": rows}


def cystic_fibrosis():
    """Means of the systems, best first, and their study."""
    scores: Any = gt.load("cf", "AP")
    scores = scores.drop(columns="family")
    g = gt.gstudy(scores, planner.CROSSED)
    means = g.universe_scores()["mean"].sort_values(ascending=False)
    return means, g


def draw_ranks(
    means: pd.Series, plan: gt.Plan, draws: int = DRAWS, seed: int = 0
) -> np.ndarray:
    """Draw what rank, from 0, each system has in other studies: draws x
    systems."""
    r = plan.generalizability
    rng = np.random.default_rng(seed)
    x = means.to_numpy()
    shape = draws, len(x)
    universe = x.mean() + r * (x - x.mean())
    universe = universe + rng.normal(
        0, np.sqrt(plan.universe_score * (1 - r)), shape
    )
    observed = universe + rng.normal(0, plan.relative_error**0.5, shape)
    return (-observed).argsort(axis=1).argsort(axis=1)


def first_shares(means: pd.Series, plan: gt.Plan) -> np.ndarray:
    """Compute how often each is first, without a draw: no other is above
    it, whatever its own luck z was."""
    r = plan.generalizability
    spread = np.sqrt(plan.universe_score * (1 - r) + plan.relative_error)
    z = np.linspace(-6, 6, 61)
    apart = r * np.subtract.outer(means.to_numpy(), means.to_numpy())
    below = stats.norm.cdf(apart[..., None] / spread + z)
    below[np.diag_indices(len(means))] = 1
    return below.prod(axis=1) @ stats.norm.pdf(z) * (z[1] - z[0])


def shares(ranks: np.ndarray) -> np.ndarray:
    """How often each system (row) has each rank (column)."""
    systems = ranks.shape[1]
    counts = [np.bincount(r, minlength=systems) for r in ranks.T]
    return np.array(counts) / len(ranks)


def still() -> str:
    """The ridges of Cystic Fibrosis, as an image."""
    means, g = cystic_fibrosis()
    ranks = draw_ranks(means, g.plan())
    first = first_shares(means, g.plan())
    settled = (ranks[:, :1] < ranks).mean(axis=0) >= SETTLED
    n = len(means)
    step = (WIDTH - LEFT - RIGHT) / n
    height = TOP + n * ROW + 6
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
        f'height="{height}" viewBox="0 0 {WIDTH} {height}" '
        f"font-family=\"'{typeface.NAME}', sans-serif\""
        f' font-size="11" fill="{INK}">',
        f'<g fill="{MUTED}"><text x="{LEFT}" y="12">rank 1</text>'
        f'<text x="{WIDTH - RIGHT}" y="12" text-anchor="end">{n}</text>'
        f'<text x="{WIDTH}" y="12" text-anchor="end">first</text></g>',
    ]
    for k, (name, row) in enumerate(
        zip(means.index, shares(ranks), strict=True)
    ):
        y = TOP + (k + 1) * ROW
        color = MUTED if k else LEADER
        drawn.append(
            f'<path fill="{color}" fill-opacity="0.55" stroke="{color}" '
            f'd="{ridge(row, LEFT, y - 3, step)}"/>'
            f'<text x="12" y="{y - 3}"'
            + ("" if k else f' fill="{color}" font-weight="bold"')
            + f">{escape(str(name))}</text>"
        )
        if first[k] >= 0.005:
            drawn.append(
                f'<text x="{WIDTH}" y="{y - 3}" text-anchor="end">'
                f"{first[k]:.2f}</text>"
            )
        if settled[k]:
            drawn.append(
                f'<path d="{LOCK}" transform="translate(1 {y - 12})" '
                f'fill="{MUTED}" stroke="{MUTED}" fill-rule="evenodd"/>'
            )
    text = "".join(re.findall(r">([^<]+)<", "".join(drawn)))
    drawn.insert(1, typeface.in_drawing(unescape(text)))
    return "\n".join([*drawn, "</svg>\n"])


def ridge(shares, left, bottom, step):
    """A line over the ranks that a system ever has, as a path."""
    (seen,) = np.nonzero(shares >= 0.002)
    points = [
        f"{left + (k + 0.5) * step:.1f} "
        f"{bottom - PEAK * ROW * shares[k]:.1f}"
        for k in range(seen[0], seen[-1] + 1)
    ]
    first, last = (
        f"{left + k * step:.1f} {bottom}" for k in (seen[0], seen[-1] + 1)
    )
    return f"M{first}L{'L'.join(points)}L{last}"


if __name__ == "__main__":
    STILL.write_text(still(), encoding="utf-8")
