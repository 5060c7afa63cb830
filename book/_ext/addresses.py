"""What only a book that is on the web has, and says of itself.

CITATION.cff knows the address, or has none yet. Without one there is no
button that leads to a repository, no site map, and nothing for messengers
and search engines but the words that describe a page.
A page asks by ``{only} address``.
"""

import re

from edition import repository, site
from structured_data import describe

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
    if site():
        app.tags.add("address")
        app.connect("html-page-context", describe)
    else:
        app.connect("html-page-context", keep_to_oneself, 999)
    app.connect("config-inited", lead_there)


def lead_there(app, config):
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
    """Of what describes a page, leave what needs no address."""
    told = context.get("metatags", "")
    context["metatags"] = FOR_MESSENGERS.sub("", told)
