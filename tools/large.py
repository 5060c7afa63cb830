"""Draw the picture, and compute the table, of book/large-tables.md."""

from pathlib import Path

import gtlib as gt

STATIC = Path(__file__).resolve().parent.parent / "book" / "_static"
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


def picture():
    """Rows, the three group-bys over pairs, and what is summed of them."""
    parts = [box(10, 90, 130, 50, "rows", "read once for each pair")]
    for i, pair in enumerate(PAIRS):
        y = 15 + 75 * i
        parts.append(line(140, 115, 200, y + 25))
        parts.append(box(200, y, 170, 50, pair, "count, sum of scores"))
        for j in range(3):
            if (i, j) in SMALLEST:
                parts.append(line(370, y + 25, 430, 40 + 75 * j))
    for j, facet in enumerate(("system", "topic", "assessor")):
        y = 15 + 75 * j
        parts.append(box(430, y, 150, 50, facet, "rolled up"))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 590 240" '
        'role="img" aria-label="Rows are grouped by three pairs of facets; '
        'single facets are summed from the pairs.">'
        '<rect width="590" height="240" fill="white"/>'
        f"{''.join(parts)}</svg>\n"
    )


def box(x, y, width, height, title, below):
    middle = x + width / 2
    text = 'text-anchor="middle" font-family="sans-serif"'
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" '
        'fill="#eef3f8" stroke="#0173b2"/>'
        f'<text x="{middle}" y="{y + 21}" {text} font-size="14">{title}'
        f'</text><text x="{middle}" y="{y + 39}" {text} font-size="11" '
        f'fill="#444">{below}</text>'
    )


def line(x, y, to_x, to_y):
    return (
        f'<line x1="{x}" y1="{y}" x2="{to_x}" y2="{to_y}" '
        'stroke="#0173b2"/>'
    )


if __name__ == "__main__":
    main()
