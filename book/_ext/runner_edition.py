"""The runner's edition: every chapter as a notebook in plain Markdown.

A chapter in plain Markdown is itself one, with what it has shown (`plain`).
Of the others text comes from the page as Sphinx has resolved it, with every
number, citation and link in place; code comes from the chapter's notebook.
Written with the pages, to `_build/notebooks`, and beside the pages for the
button that downloads it.
"""

import shutil
from functools import partial
from pathlib import Path

import kept
import nbformat
import plain
from docutils import nodes
from edition import requirements, site
from nbformat.v4 import new_output
from plain_markdown import PlainMarkdown, folded, quoted, summary
from plumbing import names_read, needed, shows, without_glue
from sphinx_design.dropdown import dropdown_main
from sphinx_exercise.nodes import is_exercise_node, solution_node
from tables import TableFigure

FOLDER = "_notebooks"  # beside the pages
SETUP = """\
# Where gtlib is missing, install it from the wheel that is on the book's
# site, or that you saved from there beside this notebook. Then import.
try:
    import gtlib
except ImportError:
    %pip install -q {requirements}

"""
# In the words of JupyterLab, of the notebooks' format, and of Colab.
CLOSED = {
    "jupyter": {"source_hidden": True, "outputs_hidden": True},
    "collapsed": True,
    "cellView": "form",
}


def setup(app):
    app.connect("html-page-context", lead_download_here, 999)


def write(app):
    made = Path(app.outdir).parent / "notebooks"
    beside = Path(app.outdir) / FOLDER
    for folder in made, beside:  # with chapters that are no more
        shutil.rmtree(folder, ignore_errors=True)
    made.mkdir()
    install = SETUP.format(
        requirements=" ".join(f'"{one}"' for one in requirements())
    )
    for page in filter(partial(source, app), app.env.found_docs):
        notebook = kept.shown(Path(page).name, made.parent)
        if plain.is_plain(notebook):
            for cell in kept.code_cells(notebook):
                cell.outputs = kept.tidy(cell.outputs, cell.id)
            plain.to_run(notebook, install, site())
        else:
            notebook = Edition(app, page, install).notebook()
        nbformat.write(notebook, made / f"{Path(page).name}.ipynb")
    shutil.copytree(made, beside)


def source(app, page):
    """The notebook that a page is written in; None if it is not one."""
    path = Path(app.env.doc2path(page))
    return path if path.suffix == ".ipynb" else None


class Edition:
    """One chapter on its way from a page to cells."""

    def __init__(self, app, page, install):
        self.page = site() + app.builder.get_target_uri(page)
        self.tree = app.env.get_and_resolve_doctree(page, app.builder)
        self.sections = app.env.toc_secnumbers.get(page, {})
        numbers = app.env.toc_fignumbers.get(page, {})
        self.markdown = PlainMarkdown(self.page, numbers)
        original = nbformat.read(source(app, page), as_version=4)
        self.code = runnable(original.cells, install)
        show_kept(self.code, Path(page).name)
        self.metadata = original.metadata
        self.cells = []
        self.waiting = []  # blocks for the next cell of text
        self.seen = 0  # cells of the original that are behind us

    def notebook(self):
        for part in self.tree.children:
            self.add(part, depth=1)
        self.add_code(before=len(self.code))
        self.end_text()
        return nbformat.v4.new_notebook(
            cells=self.cells, metadata=self.metadata
        )

    def add(self, node, depth=0, **about):
        """Put a part of the page into cells; `about` goes with them."""
        if isinstance(node, nodes.section):
            self.end_text()
            title, *rest = node.children
            self.waiting.append(self.heading(node, title, depth))
            for part in rest:
                self.add(part, depth + 1)
        elif node.get("nb_element") == "cell_code":
            self.add_code(before=node["cell_index"])
            self.add_code(before=node["cell_index"] + 1, **about)
            self.add_caption(node)
        elif is_exercise_node(node):
            self.add_exercise(node)
        elif isinstance(node, solution_node):
            self.add_solution(node)
        elif "quiz" in node.get("classes", ()):
            self.add_quiz(node)
        elif isinstance(node, dropdown_main) and about:
            self.end_text()
            self.waiting.append(self.markdown.of(node))
            self.end_text(**about)
        else:
            self.waiting.append(self.markdown.of(node))

    def heading(self, section, title, depth):
        anchor = f"#{section['ids'][0]}" if depth > 1 else ""
        number = self.sections.get(anchor, ())
        mark = "".join(f"{part}." for part in number)
        words = self.markdown.words(title.children)
        return " ".join(filter(None, ["#" * depth, mark, words]))

    def add_code(self, before, title="", **about):
        """The original's cells of code up to a place, if any are left."""
        for cell in filter(None, self.code[self.seen : before]):
            self.end_text()
            if title:
                cell.metadata.update(CLOSED, gtlib=about)
                cell.source = f"# @title {title}\n{cell.source}"
            self.cells.append(cell)
        self.seen = max(self.seen, before)

    def add_caption(self, cell):
        """Below a cell that draws a figure, what the book prints there."""
        for figure in cell.findall(nodes.figure):
            kind = "table" if isinstance(figure, TableFigure) else "figure"
            number = self.markdown.number(kind, figure)
            (caption,) = figure.findall(nodes.caption)
            words = self.markdown.words(caption.children)
            self.waiting.append(f"**{kind.title()} {number}.** {words}")

    def add_exercise(self, node):
        """Its number, its title and its text, in a quote."""
        title, *rest = node.children
        name = summary(title).strip(" ()")
        number = self.markdown.number("exercise", node)
        self.end_text()
        text = f"**Exercise {number}. {name}**\n\n"
        self.waiting.append(quoted(text + self.markdown.blocks(rest)))
        self.end_text(part="exercise", exercise=node["label"])
        self.exercise = number

    def add_quiz(self, node):
        """Its question, in a quote, and its folded answer."""
        title, *question, answer = node.children
        text = f"**{self.markdown.words(title.children)}**\n\n"
        text += self.markdown.blocks(question)
        self.waiting.append(quoted(text))
        self.add(answer, part="question")

    def add_solution(self, node):
        """Folded text, and closed cells of code, in their order."""
        about = {"part": "solution", "exercise": node["target_label"]}
        content = node.children[-1].children  # after the title
        is_code = ["nb_element" in part for part in content]
        both = any(is_code) and not all(is_code)
        words, code = (", in words", ", in code") if both else ("", "")
        title = f"Solution of exercise {self.exercise}"
        self.end_text()
        for part in content:
            if "nb_element" in part:
                self.end_text(title + words, **about)
                self.add(part, title=title + code, **about)
            else:
                self.waiting.append(self.markdown.of(part))
        self.end_text(title + words, **about)

    def end_text(self, title="", **about):
        """Make one cell of what waits, folded if it has a title."""
        text = "\n\n".join(block for block in self.waiting if block.strip())
        self.waiting = []
        if text:
            text = folded(title, text) if title else text
            place = f"text-{len(self.cells):03}"
            cell = nbformat.v4.new_markdown_cell(text, id=place)
            if about:
                cell.metadata["gtlib"] = about
            self.cells.append(cell)


def runnable(cells, install):
    """The cells of code as a reader runs them, in their places.

    None stands for text and for hidden cells that nothing needs. What
    installs and what imports become one cell, where the imports stand.
    """
    code, read = [], set()
    for cell in reversed(cells):
        runs = cell.cell_type == "code" and "pip install" not in cell.source
        code.insert(0, stripped(cell, read) if runs else None)
        if code[0]:
            read = names_read(cell.source, read)
    first = next(c for c in code if c and "import gtlib" in c.source)
    first.source = install + first.source
    first.metadata.clear()  # not hidden, whatever it was
    return code


def show_kept(code, chapter):
    """Let cells that need data show what is kept of them, and where the
    data are not, not stop those behind them."""
    known = kept.record(chapter)
    for cell in filter(None, code):
        if cell.id in known:
            cell.metadata["tags"] = ["raises-exception"]
            cell.outputs = [*filter(is_seen, known[cell.id])]
            if cell.outputs:
                words = new_output("stream", text=kept.note(chapter))
                cell.outputs.append(words)


def is_seen(output):
    """Whether an output is shown in its place, not handed to the text."""
    return "scrapbook" not in output.get("metadata", {})


def stripped(cell, read_later):
    """A cell without plumbing; None if nothing is left of it."""
    tags = {*cell.metadata.get("tags", [])}
    source = without_glue(cell.source)
    hidden = tags & {"remove-cell", "remove-input"}
    plumbing = "remove-cell" in tags or (
        (hidden or source != cell.source) and not shows(source)
    )
    cell.source = needed(source, read_later) if plumbing else source
    cell.metadata.clear()
    if plumbing or hidden or "hide-input" in tags:
        cell.metadata["jupyter"] = {"source_hidden": True}
    return cell if cell.source else None


def lead_download_here(app, page, template, context, doctree):
    """Let the page's button download this edition of the chapter."""
    if not context.get("header_buttons") or not source(app, page):
        return
    notebook = f"{FOLDER}/{Path(page).name}.ipynb"
    for group in context["header_buttons"]:
        for button in group.get("buttons", []):
            if button.get("label") == "download-source-button":
                button["url"] = context["pathto"](notebook, 1)
                button["tooltip"] = "Download the chapter to run it"
            elif button.get("label") == "download-pdf-button":
                del button["javascript"]
                button["type"] = "link"
                button["url"] = f"{Path(page).name}.pdf"
                button["tooltip"] = "This chapter as a PDF"
