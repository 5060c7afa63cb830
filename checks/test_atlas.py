"""Chapter 13's table: whole without a script, and filtered with one."""

import pandas as pd
import pytest

from checks.conftest import HTML, ROOT, tree
from checks.test_ledger import SHOWN

PAGE = HTML / "notebooks" / "13-the-atlas.html"
ROWS = pd.read_csv(ROOT / "data" / "scores" / "atlas.csv")


@pytest.fixture
def tab(opened):
    return opened(PAGE.as_uri())


def test_a_field_a_verdict_and_words_narrow_the_table(tab):
    shown = tab.locator(SHOWN)
    tab.get_by_label("Field").select_option("retrieval")
    assert shown.count() == (ROWS["field"] == "retrieval").sum()
    tab.get_by_label("Words").fill("trec-5")
    (text,) = shown.all_text_contents()
    row = ROWS.set_index("collection").loc["trec-5"]
    for column in ("generalizability", "tau", "best_generalizability_high"):
        assert f"{row[column]:.3f}".removeprefix("0") in text
    assert f"{row['items_95']:.0f}" in text
    assert "field=retrieval" in tab.url
    tab.get_by_label("Words").fill("mnli 90")
    assert shown.count() == 0  # of another field
    tab.get_by_label("Field").select_option("")
    assert shown.count() == 1
    tab.get_by_label("Words").fill("nlu mrqa nq")
    assert shown.count() == 1
    tab.get_by_label("Words").fill("trec-5")
    tab.get_by_label("Field").select_option("retrieval")
    said = tab.locator(".ledger-filter output")
    assert said.text_content() == f"1 of {len(ROWS)} collections"


def test_a_verdict_follows_from_the_interval():
    rows = tree("notebooks/13-the-atlas.html").xpath(
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
    assert (found[sure] == "reaches .95").all()
    assert (found[short] == "falls short of .95").all()
    assert (found[~sure & ~short] == "may reach .95").all()
    style = (HTML / "_static" / "custom.css").read_text("utf-8")
    for verdict in found.unique():
        assert f'[data-verdict="{verdict}"]' in style


def test_the_file_that_is_downloaded_is_the_table():
    (link,) = tree("notebooks/13-the-atlas.html").xpath(
        "//article//a[contains(@class, 'download')]/@href"
    )
    given = (PAGE.parent / link).resolve()
    assert (
        given.read_bytes()
        == (ROOT / "data" / "scores" / "atlas.csv").read_bytes()
    )
