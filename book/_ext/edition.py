"""The edition that the pages name: its version and date, from CITATION.cff.

A page says ``{{ version }}``, ``{{ released }}``, or ``{{ bibtex }}``.
"""

import datetime
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
  url     = {{{url}}},
}}
```
"""


def setup(app):
    app.connect("config-inited", name_the_edition)
    return {"parallel_read_safe": True}


def citation():
    """What CITATION.cff says."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def released():
    """The day of this edition."""
    return datetime.date.fromisoformat(citation()["date-released"])


def name_the_edition(app, config):
    about = citation()
    day = released()
    config.myst_substitutions = {
        "version": about["version"],
        "released": f"{day.day} {day:%B %Y}",
        "bibtex": BIBTEX.format(
            author=about["authors"][0]["name"],
            title=about["preferred-citation"]["title"],
            version=about["version"],
            year=day.year,
            url=about["url"],
        ),
    }
