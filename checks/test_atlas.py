"""Chapter 15's table says what its file says."""

import pandas as pd

from checks.conftest import HTML, ROOT, tree

ROWS = pd.read_csv(ROOT / "data" / "scores" / "atlas.csv")


def test_a_row_says_what_the_file_says():
    page = tree("notebooks/15-the-atlas.html")
    text = page.get_element_by_id("atlas-row-trec-5").text_content()
    row = ROWS.set_index("collection").loc["trec-5"]
    for column in ("generalizability", "tau", "best_generalizability_high"):
        assert f"{row[column]:.3f}" in text
    assert f"{row['items_95']:.0f}" in text


def test_a_verdict_follows_from_the_interval():
    rows = tree("notebooks/15-the-atlas.html").xpath(
        "//table[contains(@class, 'atlas')]//tr[@data-verdict]"
    )
    verdicts = {
        row.get("id").removeprefix("atlas-row-"): row.get("data-verdict")
        for row in rows
    }
    found = pd.Series(verdicts)
    known = ROWS.set_index("collection").loc[found.index]
    holds = known["doubt"].isna()
    sure = holds & (known["generalizability_low"] >= 0.95)
    short = holds & (known["generalizability_high"] < 0.95)
    assert (found[sure] == "reaches 0.95").all()
    assert (found[short] == "falls short of 0.95").all()
    assert (found[~sure & ~short] == "may reach 0.95").all()
    style = (HTML / "_static" / "custom.css").read_text("utf-8")
    for verdict in found.unique():
        assert f'[data-verdict="{verdict}"]' in style
