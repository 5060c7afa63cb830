"""What a page is, for search engines: a book, or a chapter of it.

In the words of https://schema.org, as JSON in the head of the page.
"""

import json
from pathlib import Path

from docutils import nodes
from edition import citation, released, site
from overviews import minutes

CHAPTERS = "notebooks/"
SCRIPT = '\n<script type="application/ld+json">{}</script>\n'


def describe(app, page, template, context, doctree):
    """Add the description of the pages that have one."""
    if page == app.config.root_doc:
        about = book(app)
        about["hasPart"] = [
            part(app, other)
            for other in sorted(app.env.found_docs)
            if other.startswith(CHAPTERS)
        ]
    elif page.startswith(CHAPTERS):
        about = chapter(app, page, doctree)
    else:
        return
    about = {"@context": "https://schema.org", **about}
    text = json.dumps(about, ensure_ascii=False).replace("<", "\\u003c")
    context["metatags"] = context.get("metatags", "") + SCRIPT.format(text)


def address(app, page):
    return site() + app.builder.get_target_uri(page)


def open_to_all(app):
    """What holds for the book, and for each part of it."""
    name = citation()["authors"][0]["name"]
    return {
        "author": {"@type": "Organization", "name": name},
        "inLanguage": app.config.language,
        "isAccessibleForFree": True,
        "license": "https://creativecommons.org/licenses/by/4.0/",
    }


def book(app):
    about = citation()
    return {
        "@type": ["Book", "LearningResource"],
        "@id": site(),
        "name": about["preferred-citation"]["title"],
        "url": site(),
        "description": about["abstract"],
        "bookEdition": about["version"],
        "datePublished": released().isoformat(),
        "keywords": about["keywords"],
        **open_to_all(app),
    }


def part(app, page):
    """The number, the title and the address of a chapter."""
    return {
        "@type": ["Chapter", "LearningResource"],
        "name": app.env.titles[page].astext(),
        "position": app.env.toc_secnumbers[page][""][0],
        "url": address(app, page),
    }


def chapter(app, page, doctree):
    """A chapter, with the outcomes and the minutes of its Overview."""
    box = next(
        box
        for box in doctree.findall(nodes.admonition)
        if box.next_node(nodes.title).astext() == "Overview"
    )
    return {
        **part(app, page),
        "isPartOf": {"@id": site()},
        "teaches": [*map(in_one_line, box.findall(nodes.list_item))],
        "timeRequired": f"PT{minutes(Path(page).name)[-1]}M",
        **open_to_all(app),
    }


def in_one_line(node):
    return " ".join(node.astext().split()).rstrip(";.,")
