"""Nothing leads to an address that CITATION.cff does not name."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import edition
import pytest

from checks.conftest import HTML, ROOT

REPOSITORY = "https://github.com/OWNER/NAME"
SITE = "https://OWNER.github.io/NAME/"
LINKS = re.compile(r"https?://[\w.]*(?:github|mybinder|colab)[^\s\\\"'<>)]*")
LED = [*HTML.glob("[bn]*/*.html"), *HTML.glob("_notebooks/*.ipynb")]


def test_pages_and_notebooks_lead_to_the_repository_if_it_is_known():
    links = {
        link
        for path in LED
        for link in LINKS.findall(path.read_text("utf-8"))
    }
    where = edition.repository().removeprefix("https://github.com/")
    assert bool(links) == bool(where)
    assert all(where and where in link for link in links), links
    assert (HTML / "sitemap.xml").exists() == bool(edition.site())


@pytest.mark.parametrize("where", ["", REPOSITORY])
def test_one_line_of_the_citation_leads_everything_there(monkeypatch, where):
    cited = edition.citation() | {"repository-code": where}
    monkeypatch.setattr(edition, "citation", lambda: cited)
    config = SimpleNamespace(ogp_social_cards={}, html_theme_options={})
    edition.lead_there(None, config)
    edition.name_the_edition(None, config)
    theme = config.html_theme_options
    assert config.html_baseurl == (SITE if where else "")
    assert theme["repository_url"] == where
    assert theme["use_issues_button"] is bool(where)
    assert bool(theme["launch_buttons"]) is bool(where)
    assert (SITE in config.myst_substitutions["bibtex"]) is bool(where)
    on_the_web = f"gtlib-ir[chapters] @ {SITE}{edition.wheel()}"
    beside = f"{edition.wheel()}[chapters]"
    assert edition.requirement() == (on_the_web if where else beside)
    context = {"metatags": '<meta property="og:url" content="x" />\n'}
    edition.keep_to_oneself(None, "", "", context, None)
    assert bool(context["metatags"]) is bool(where)


def test_a_package_index_is_told_of_what_it_can_reach():
    command = [sys.executable, "-m", "hatchling", "metadata"]
    about = json.loads(subprocess.check_output(command, cwd=ROOT))
    assert len(about.get("urls", {})) == 2 * bool(edition.repository())
    assert "gtlib audit" in about["readme"]["text"]
    assert not re.findall(r"\]\((?!https?:)", about["readme"]["text"])
