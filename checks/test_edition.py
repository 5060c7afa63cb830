"""Nothing leads to an address that CITATION.cff does not name."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import edition
import pytest

from checks.conftest import HTML, ROOT, pages, tree

REPOSITORY = "https://github.com/OWNER/NAME"
SITE = "https://OWNER.github.io/NAME/"
BUTTONS = "//div[contains(@class, 'header-article')]//a/@href"
CANONICAL = "//link[@rel='canonical']/@href"


@pytest.mark.parametrize("name", pages("notebooks/"))
def test_buttons_lead_to_the_repository_if_it_is_known(name):
    where = edition.repository().removeprefix("https://github.com/")
    links = tree(name).xpath(BUTTONS)
    assert links  # to download
    away = [link for link in links if link.startswith("http")]
    assert bool(away) == bool(where)
    assert all(where in link for link in away), away
    site = edition.site()
    assert tree(name).xpath(CANONICAL) == [f"{site}{name}"] * bool(site)
    assert (HTML / "sitemap.xml").exists() == bool(site)


@pytest.mark.parametrize("where", ["", REPOSITORY])
def test_one_line_of_the_citation_leads_all_there(monkeypatch, where):
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
    on_the_web = [
        f"gtlib-ir[chapters] @ {SITE}{edition.wheel()}",
        f"gtlib-book @ {SITE}{edition.support()}",
    ]
    beside = [f"{edition.wheel()}[chapters]", edition.support()]
    assert edition.requirements() == (on_the_web if where else beside)
    context = {"metatags": '<meta property="og:url" content="x" />\n'}
    edition.keep_to_oneself(None, "", "", context, None)
    assert bool(context["metatags"]) is bool(where)


def test_a_package_index_is_told_of_what_it_can_reach():
    command = [sys.executable, "-m", "hatchling", "metadata"]
    about = json.loads(subprocess.check_output(command, cwd=ROOT))
    assert len(about.get("urls", {})) == 2 * bool(edition.repository())
    assert "gtlib audit" in about["readme"]["text"]
    assert not re.findall(r"\]\((?!https?:)", about["readme"]["text"])
