"""Draw the pictures, and compute the tables, of book/large-tables.md.

With the argument `coverage`, also simulate what intervals cover: 3 minutes.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import gtlib as gt
from gtapps.figures import theme

ROOT = Path(__file__).resolve().parent.parent
STATIC = ROOT / "book" / "_static"
RESULTS = ROOT / "benchmarks" / "results.md"
DESIGN = "system x topic x assessor"
COMPONENTS = {
    "system": 0.01,
    "topic": 0.0225,
    "assessor": 0.0004,
    "system x topic": 0.01,
    "system x assessor": 0.0001,
    "topic x assessor": 0.0016,
    "system x topic x assessor": 0.0016,
}
TOPICS = 50, 200, 1_000, 10_000
PAIRS = "system x topic", "system x assessor", "topic x assessor"
SMALLEST = {(1, 0), (2, 1), (1, 2)}  # pair, and a facet summed of it


def main():
    (STATIC / "large-groups.svg").write_text(picture(), "utf-8")
    (STATIC / "large-precision.md").write_text(precision(), "utf-8")
    if sys.argv[1:] == ["coverage"]:
        (STATIC / "large-coverage.md").write_text(coverage(), "utf-8")
    found = measured(RESULTS.read_text("utf-8"))
    theme.use_style()
    growth(found).savefig(
        STATIC / "large-growth.svg", metadata={"Date": None}
    )


def precision():
    """Half widths of 95% intervals in per cent, for more and more rows."""
    shown = "system", "topic", "system x topic"
    lines = [
        f"| topics | rows | {' | '.join(shown)} | Φ of 50 topics |",
        "|---:|---:|" + "---:|" * (len(shown) + 1),
    ]
    for topics in TOPICS:
        levels = {"system": 1000, "topic": topics, "assessor": 10}
        g = gt.GStudy.from_components(DESIGN, COMPONENTS, levels=levels)
        table = g.component_intervals(method="mls")
        half = 50 * (table["high"] - table["low"]) / table["estimate"]
        plan = g.plan(topic=50, assessor=1).interval(method="pivotal")
        cells = [f"{topics:,}", f"{1000 * topics * 10:,}"]
        cells += [f"± {half[effect]:.1f}%" for effect in shown]
        cells += [f"{plan.low:.3f} to {plan.high:.3f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


STUDIES = 300
LEVELS = {"system": 30, "topic": 60, "assessor": 5}


def coverage():
    """How often 95% intervals hold the truth, of studies with a tenth of
    the scores missing: samples of topics that an engine has, and studies in
    memory of as many topics."""
    import ibis

    from gtapps.large import Table

    database = ibis.duckdb.connect(threads=1)

    def sample(scores, seed):
        table = Table(database.create_table("t", scores, overwrite=True))
        return table.sample(table.gstudy(DESIGN), len(scores) // 3, seed)

    def in_memory(scores, seed):
        third = scores[scores["topic"] < LEVELS["topic"] // 3]
        return gt.gstudy(third, DESIGN, method="henderson")

    truth = gt.GStudy.from_components(DESIGN, COMPONENTS)
    shown = {"Φ": "dependability", "Eρ²": "generalizability"}
    ways = {"a sample": sample, "in memory": in_memory}
    shares = {}
    for way, study in ways.items():
        held = []
        for seed in range(STUDIES):
            g = study(scores_with_gaps(seed), seed)
            options = {"n_resamples": 500, "seed": seed}
            plans = [s.plan(topic=50, assessor=2) for s in (g, truth)]
            limits = [
                plans[0].interval(c, **options) for c in shown.values()
            ]
            held.append(
                [
                    limit.low <= getattr(plans[1], c) <= limit.high
                    for limit, c in zip(limits, shown.values(), strict=True)
                ]
            )
            table = g.component_intervals(**options)
            true = truth.estimate
            held[-1] += [*true.between(table["low"], table["high"])]
        shares[way] = np.mean(held, axis=0)
    lines = [f"| 95% interval of | {' | '.join(ways)} |", "|---|---:|---:|"]
    for i, name in enumerate([*shown, *COMPONENTS]):
        cells = [f"{shares[way][i]:.1%}" for way in ways]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def scores_with_gaps(seed):
    """Normal effects with `COMPONENTS`, and nine scores of ten."""
    rng = np.random.default_rng(seed)
    index = np.indices([*LEVELS.values()]).reshape(len(LEVELS), -1)
    table = pd.DataFrame(dict(zip(LEVELS, index, strict=True)))
    score = np.zeros(len(table))
    for effect, component in COMPONENTS.items():
        facets = effect.split(" x ")
        drawn = rng.normal(0, component**0.5, [LEVELS[f] for f in facets])
        score += drawn[tuple(table[f] for f in facets)]
    return table.assign(score=score)[rng.random(len(table)) >= 0.1]


def measured(text):
    """Seconds and megabytes by who and millions of rows, as the benchmark
    recorded them of balanced studies."""
    text = text.partition("## Tables larger than memory")[2]
    text = text.partition("\n## ")[0].replace("\N{NO-BREAK SPACE}", " ")
    row = re.compile(
        r"\| (?:G-study of ([\d,]+) million rows(.*?))? "
        r"\| (.*?)(?: \d[\d.]+)? \| ([\d,.]+) (m?s) \| ([\d,]+) MB \|"
    )
    found, size, gaps = {}, 0, ""
    for line in text.splitlines():
        if cells := row.match(line):
            if cells[1]:
                size, gaps = number(cells[1]), cells[2]
            seconds = number(cells[4]) / (1000 if cells[5] == "ms" else 1)
            if not gaps:
                both = seconds, number(cells[6])
                found.setdefault(cells[3], {})[size] = both
    return found


def number(text):
    return float(text.replace(",", ""))


SHOWN = {  # and where a name stands beside the end of its line, in points
    "gtlib": {"dx": 0, "dy": 11, "ha": "right"},
    "bare group-bys": {"dx": 6, "dy": -34, "ha": "right"},
    "gtlib in memory": {"dx": 20, "dy": 30, "ha": "right"},
    "pandas": {"dx": 0, "dy": 13, "ha": "right"},
    "numpy": {"dx": -9, "ha": "right"},
}
TICKS = {
    "processor time, s": (0.1, 0.3, 1, 3, 10),
    "peak memory, MB": (100, 300, 1_000, 3_000, 10_000),
}


def growth(found):
    """Time and memory of each way against the number of rows."""
    figure, axes = theme.panels(2, 3.1, sharey=False)
    for i, (axis, what) in enumerate(zip(axes, TICKS, strict=True)):
        for name, color in zip(SHOWN, theme.PALETTE, strict=False):
            line = {n: both[i] for n, both in found[name].items()}
            width = 2.5 if name == "gtlib" else 1.5
            axis.plot([*line], [*line.values()], "o-", c=color, lw=width)
            if i:
                theme.label(
                    axis, *[*line.items()][-1], name, color, **SHOWN[name]
                )
        axis.set(xscale="log", yscale="log", xlabel="million rows")
        axis.set_ylim(bottom=TICKS[what][0] / 2)
        axis.set_title(what, fontsize=10.5)
        axis.set_xticks([1, 10, 100], ["1", "10", "100"])
        axis.set_yticks(TICKS[what], [f"{n:,g}" for n in TICKS[what]])
        axis.minorticks_off()
    return figure


def picture():
    """Rows, the three group-bys over pairs, and what is summed of them."""
    parts = [box(1, 80, 84, 64, "rows", "read once for", "each pair")]
    for i, pair in enumerate(PAIRS):
        y = 10 + 75 * i
        parts.append(line(85, 112, 108, y + 25))
        parts.append(box(108, y, 122, 50, pair, "count, sum of scores"))
        for j in range(3):
            if (i, j) in SMALLEST:
                parts.append(line(230, y + 25, 262, 35 + 75 * j))
    for j, facet in enumerate(("system", "topic", "assessor")):
        y = 10 + 75 * j
        parts.append(box(262, y, 82, 50, facet, "rolled up"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 345.6 220" '
        'role="img" aria-label="Rows are grouped by three pairs of facets; '
        'single facets are summed from the pairs.">'
        '<rect width="345.6" height="220" fill="white"/>'
        f"{''.join(parts)}</svg>\n"
    )


def box(x, y, width, height, title, *below):
    """A box with lines of text that a phone shows 10 pixels high."""
    middle = x + width / 2
    text = 'text-anchor="middle" font-family="sans-serif" font-size'
    lines = "".join(
        f'<text x="{middle:g}" y="{y + 36 + 14 * i}" {text}="10" '
        f'fill="#444">{said}</text>'
        for i, said in enumerate(below)
    )
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
        'fill="#eef3f8" stroke="#0173b2"/>'
        f'<text x="{middle:g}" y="{y + 20}" {text}="11.5">{title}</text>'
        f"{lines}"
    )


def line(x, y, to_x, to_y):
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" '
        'stroke="#0173b2"/>'
    )


if __name__ == "__main__":
    main()
