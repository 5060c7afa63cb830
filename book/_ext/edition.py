"""The edition, as CITATION.cff has it: its version, its date, its address.

A page says ``{{ version }}``, ``{{ released }}``, ``{{ bibtex }}``,
``{{ wheel }}``, which links the two that chapters take, and the command
``{{ install }}``.

Every text is the same with an address and without one. What leads to the
repository or to the site is made here, and empty while CITATION.cff has no
address; a button, a link or a map of the site that would lead to an empty
address is left out.
"""

import datetime
import re
from functools import cache
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
BIBTEX = """\
```{{code-block}} bibtex
@book{{gtlib-book,
  author  = {{{{{author}}}}},
  title   = {{{title}}},
  edition = {{{version}}},
  year    = {{{year}}},
{url}}}
```
"""
BRANCH = "notebooks"  # the workflow puts the runner's edition there
LAUNCH = {
    "notebook_interface": "jupyterlab",
    "binderhub_url": "https://mybinder.org",
    "colab_url": "https://colab.research.google.com",
}
FOR_MESSENGERS = re.compile(
    r'^<meta (property="og|name="twitter).*\n', re.M
)


def setup(app):
    app.connect("config-inited", name_the_edition)
    app.connect("config-inited", lead_there)
    app.connect("html-page-context", keep_to_oneself, 999)


@cache
def citation():
    """What CITATION.cff says."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def repository():
    """Where the repository is on the web; empty while nobody has said."""
    return citation().get("repository-code", "").rstrip("/")


def site():
    """Where the pages are on the web; empty while nobody has said."""
    *_, owner, name = ["", *repository().split("/")]
    pages = f"https://{owner}.github.io/{name}/" if name else ""
    return citation().get("url", pages)


def wheel():
    """The file that installs gtlib of this edition, beside the pages."""
    return f"gtlib_ir-{citation()['version']}-py3-none-any.whl"


def support():
    """The file with what only chapters import, beside it."""
    return wheel().replace("gtlib_ir", "gtlib_book")


def requirements():
    """What pip installs gtlib of this edition and the book's support from:
    the wheels on the site, or beside the notebook. A name alone could be
    somebody else's."""
    if not site():
        return [f"{wheel()}[chapters]", support()]
    return [
        f"gtlib-ir[chapters] @ {site()}{wheel()}",
        f"gtlib-book @ {site()}{support()}",
    ]


def name_the_edition(app, config):
    about = citation()
    day = datetime.date.fromisoformat(about["date-released"])
    url = f"  url     = {{{site()}}},\n" if site() else ""
    config.myst_substitutions = {
        "version": about["version"],
        "released": f"{day.day} {day:%B %Y}",
        "bibtex": BIBTEX.format(
            author=about["authors"][0]["name"],
            title=about["preferred-citation"]["title"],
            version=about["version"],
            year=day.year,
            url=url,
        ),
        "install": f'```bash\npip install "{wheel()}[chapters]" '
        f"{support()}\n```",
        "wheel": " and ".join(
            f'<a href="../{file}">{file}</a>'
            for file in (wheel(), support())
        ),
    }


def lead_there(app, config):
    """Tell Sphinx and the theme where the site and the repository are."""
    config.html_baseurl = config.ogp_site_url = site()
    config.ogp_social_cards["enable"] = bool(site())
    config.html_theme_options |= {
        "repository_url": repository(),
        "repository_branch": BRANCH,
        "use_repository_button": bool(repository()),
        "use_issues_button": bool(repository()),
        "launch_buttons": LAUNCH if repository() else {},
    }


def keep_to_oneself(app, page, template, context, doctree):
    """Without a site, leave addresses out of what messengers preview."""
    if not site():
        told = context.get("metatags", "")
        context["metatags"] = FOR_MESSENGERS.sub("", told)
