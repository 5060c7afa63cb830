"""What a package index is told besides pyproject.toml.

The index has none of the files beside the README. With an address of the
repository, links lead there and the picture comes from the site; without
one, the words of a link remain, and the words for the picture.
"""

import re
import sys
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT))  # a build runs in an environment of its own

from book._ext.edition import repository, site  # noqa: E402

LOCAL = re.compile(r"!?\[([^]]*)\]\((?!https?:|#)([^)]*)\)")


class Addresses(MetadataHookInterface):
    def update(self, metadata):
        text = (ROOT / "README.md").read_text("utf-8")
        text = away_from_home(text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {}
        if repository():
            metadata["urls"] = {"Repository": repository(), "Book": site()}


def away_from_home(text):
    """The README where the repository's files are not beside it."""
    if not repository():
        return LOCAL.sub(r"\1", text)
    text = text.replace("](book/_static/", f"]({site()}_static/")
    text = re.sub(
        r"\]\((?!https?:|#)", f"]({repository()}/blob/main/", text
    )
    title, rest = text.split("\n", 1)
    tests = f"{repository()}/actions/workflows/test.yml"
    badge = f"[![test]({tests}/badge.svg)]({tests})"
    return f"{title}\n\n{badge} [Read the book]({site()})\n{rest}"
