"""What a package index is told besides pyproject.toml.

The index has none of the files beside the README: of a link to one of them
the words remain, and the words for the picture. Where the repository and
the book are stands beside the text, where CITATION.cff knows it.
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
        text = LOCAL.sub(r"\1", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
        metadata["urls"] = {}
        if repository():
            metadata["urls"] = {"Repository": repository(), "Book": site()}
