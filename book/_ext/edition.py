"""The edition, as CITATION.cff has it: its version, its date, its address.

A page says ``{{ version }}``, ``{{ released }}``, ``{{ bibtex }}``,
``{{ wheel }}``, which is a link to it, and the commands ``{{ install }}``
and ``{{ clone }}``; where there is an address, ``{{ lab_on_colab }}``.
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
{address}}}
```
"""


def setup(app):
    app.connect("config-inited", name_the_edition)


def citation():
    """What CITATION.cff says."""
    return yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))


def released():
    """The day of this edition."""
    return datetime.date.fromisoformat(citation()["date-released"])


def repository():
    """Where the repository is on the web; empty while nobody has said."""
    return citation().get("repository-code", "").rstrip("/")


def site():
    """Where the pages are on the web; empty while nobody has said."""
    *_, owner, name = ["", *repository().split("/")]
    pages = f"https://{owner}.github.io/{name}/" if name else ""
    return citation().get("url", pages)


def lab_on_colab():
    """Where Colab opens the lab, of the branch `notebooks`."""
    _, _, name = repository().partition("github.com/")
    lab = f"github/{name}/blob/notebooks/assignments/lab.ipynb"
    return f"https://colab.research.google.com/{lab}"


def wheel():
    """The file that installs gtlib of this edition, beside the pages."""
    return f"gtlib_ir-{citation()['version']}-py3-none-any.whl"


def name_the_edition(app, config):
    about = citation()
    day = released()
    known = site() or repository()
    config.myst_substitutions = {
        "version": about["version"],
        "released": f"{day.day} {day:%B %Y}",
        "bibtex": BIBTEX.format(
            author=about["authors"][0]["name"],
            title=about["preferred-citation"]["title"],
            version=about["version"],
            year=day.year,
            address=f"  url     = {{{known}}},\n" if known else "",
        ),
        "install": f'```bash\npip install "{wheel()}[chapters]"\n```',
        "lab_on_colab": f'<a href="{lab_on_colab()}">This link</a>',
        "wheel": f'<a href="../{wheel()}">{wheel()}</a>',
        "clone": f"`git clone {repository()}`",
    }
