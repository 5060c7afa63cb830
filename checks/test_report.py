"""A report on a collection that an enemy named, in a browser: nothing runs,
nothing is asked for, no link comes alive."""

import pandas as pd
import pytest

from checks.conftest import DESK, PHONE
from checks.test_browser import axe_finds_nothing
from gtaudit.command import main
from tests.gtaudit.test_audit_hostile import NAMES, table

# A report is called like its table; in the name of a file is no slash.
TITLE = f"{NAMES[1]}.csv"


def audited(folder, *command):
    assert main([*map(str, ("audit", *command, "--out", folder))]) == 0
    return folder / "audit.html"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    scores = table(NAMES)
    scores.iloc[:, :5] *= -1  # odd topics, which the findings name
    scores.index = [f"{name[:99]} {i}" for i, name in enumerate(NAMES[:6])]
    scores.to_csv(folder / TITLE, index_label="system")
    return audited(folder, folder / TITLE)


@pytest.fixture(scope="module")
def report_of_runs(tmp_path_factory):
    """Runs whose tags and sites the enemy chose; a tag has no blanks."""
    folder = tmp_path_factory.mktemp("runs")
    tags = [name.replace(" ", "_")[:99] for name in NAMES[:8]]
    ranks = [(topic, rank) for topic in range(6) for rank in range(8)]
    for i, tag in enumerate(tags):
        lines = [
            f"{t} Q0 d{(t + r + i) % 20} 1 {9 - r} {tag}" for t, r in ranks
        ]
        (folder / f"run{i}").write_text("\n".join(lines), "utf-8")
    judged = [f"{topic} 0 d{rank} {rank % 2}" for topic, rank in ranks]
    (folder / "qrels").write_text("\n".join(judged))
    named = pd.DataFrame({"system": tags, "site": NAMES[:4] * 2})
    named.to_csv(folder / "sites", index=False)
    judged = "--qrels", folder / "qrels", "--sites", folder / "sites"
    return audited(folder, "--runs", *folder.glob("run*"), *judged), tags


def open_all(page):
    """Show the numbers, too."""
    page.evaluate(
        "document.querySelectorAll('details').forEach(d => d.open = true)"
    )


def all_dead(page):
    """Nothing on the page can run, and no link leads away; its text."""
    open_all(page)
    lively = "script, iframe, img, object, embed, a[href]:not([href^='#'])"
    assert page.locator(lively).count() == 0
    return page.inner_text("main")


def test_nothing_in_what_is_said_of_the_judgments_runs(
    opened, report_of_runs
):
    path, tags = report_of_runs
    page = opened(path.as_uri(), bypass_csp=True)
    assert "owned" not in page.title()
    shown = all_dead(page)
    assert "Is it fair to systems that come later?" in shown
    assert sum(tag in shown for tag in tags) >= 5
    assert sum(name in shown for name in NAMES[:4]) >= 2


@pytest.mark.parametrize("policy", [True, False])
def test_nothing_in_a_hostile_report_runs(opened, report, policy):
    """Not with its Content-Security-Policy, and not without it either."""
    page = opened(report.as_uri(), bypass_csp=not policy)
    assert page.title() == page.inner_text("h1") == TITLE
    assert page.asked == [report.as_uri()]
    assert not page.said
    assert sum(name in all_dead(page) for name in NAMES) >= 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_a_report_can_be_read_by_all(opened, report, scheme, screen):
    """Also its numbers, by keyboard, on a phone and in the dark."""
    page = opened(
        report.as_uri(),
        viewport=screen,
        color_scheme=scheme,
        bypass_csp=True,
    )
    for _ in ("as it is", "with all numbers"):
        axe_finds_nothing(page)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= screen["width"]
        open_all(page)


def test_an_example_leads_to_how_it_is_read(opened):
    page = opened("example-audit.html")
    page.click("text=How to read this page")
    assert page.url.endswith("notebooks/14-audit-your-collection.html")


def test_the_policy_stops_what_would_run(opened, report, tmp_path):
    text = report.read_text("utf-8")
    added = "<script>document.title = 'owned'</script></main>"
    path = tmp_path / "owned.html"
    path.write_text(text.replace("</main>", added, 1), "utf-8")
    for policy, title in [(True, TITLE), (False, "owned")]:
        page = opened(
            path.as_uri(), bound_to_fail=True, bypass_csp=not policy
        )
        assert page.title() == title
