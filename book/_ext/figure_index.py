"""A directive that lists every numbered figure of the book.

``{figure-index}`` becomes a list, chapter by chapter: number, caption, and
a link to the figure.
"""

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective


class FigureIndexHere(nodes.General, nodes.Element):
    """Where the list goes once every figure has its number."""


class FigureIndex(SphinxDirective):
    def run(self):
        return [FigureIndexHere()]


def setup(app):
    app.add_node(FigureIndexHere)
    app.add_directive("figure-index", FigureIndex)
    app.connect("doctree-resolved", fill)


def fill(app, doctree, docname):
    for place in list(doctree.findall(FigureIndexHere)):
        place.replace_self(list(chapters(app, docname)))


def chapters(app, here):
    """A heading and a list for each page with figures, in their order."""
    numbers = app.env.toc_fignumbers
    for page in sorted(numbers):
        if not (figures := numbers[page].get("figure")):
            continue
        yield nodes.rubric("", app.env.titles[page].astext())
        rows = nodes.bullet_list(classes=["figure-index"])
        tree = app.env.get_doctree(page)
        for figure in tree.findall(nodes.figure):
            for label in figures.keys() & {*figure["ids"]}:
                number = ".".join(map(str, figures[label]))
                rows += row(app, here, page, label, number, figure)
        yield rows


def row(app, here, page, label, number, figure):
    caption = resolved(app, page, next(figure.findall(nodes.caption)))
    uri = app.builder.get_relative_uri(here, page)
    link = nodes.reference("", f"Figure {number}", refuri=f"{uri}#{label}")
    text = nodes.paragraph("", "", link, nodes.Text(f" {caption}"))
    return nodes.list_item("", text)


def resolved(app, page, caption):
    """The caption's words, with numbers in place of names of equations."""
    copy = caption.deepcopy()
    math = app.env.get_domain("math")
    place = app.env, page, app.builder
    for link in [*copy.findall(addnodes.pending_xref)]:
        if (kind := link["reftype"]) == "eq":
            to = link["reftarget"]
            found = math.resolve_xref(*place, kind, to, link, link)
            link.replace_self(nodes.Text(found.astext()))
    return copy.astext()
