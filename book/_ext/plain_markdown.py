"""Plain Markdown from a page that Sphinx has resolved.

What Jupyter, Colab and VS Code show of Markdown: headings, lists, tables,
quotes, links, fenced code, ``<details>``, and mathematics between dollars.
A node that has no method here stops the build, so that nothing is lost in
silence.
"""

import re
from html import escape
from urllib.parse import urljoin

from docutils import nodes

# At the start of a line these would begin a list, a heading or a quote.
STARTS_A_BLOCK = re.compile(r"^(\d+)([.)] )|^([#>+-])(?= |#)", re.M)
LINK = re.compile(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', re.S)


class PlainMarkdown:
    """Turns nodes of one page into Markdown.

    `page` is the address of the page in the published book, to which every
    link is made absolute; of a book without an address, the words of a link
    remain. `numbers` are Sphinx's numbers of what stands on the page:
    ``numbers["displaymath"]["equation-eq-ctt-alpha"] == (1, 2)``.
    """

    def __init__(self, page, numbers):
        self.page = page
        self.numbers = numbers

    def blocks(self, children):
        """Blocks, one after the other, with an empty line between them."""
        made = (self.of(child).strip("\n") for child in children)
        return "\n\n".join(block for block in made if block.strip())

    def words(self, children):
        """What stands in one line of text."""
        return self.absolute("".join(self.of(child) for child in children))

    def of(self, node):
        for kind in type(node).__mro__:
            method = getattr(self, f"of_{kind.__name__}", None)
            if method:
                return method(node)
        raise NotImplementedError(
            f"plain_markdown.py has no method of_{type(node).__name__}, "
            f"which {self.page} needs: {node.astext()[:80]}"
        )

    def number(self, kind, node):
        """The number of a figure, an equation or an exercise: "2.1"."""
        known = self.numbers.get(kind, {})
        found = next((known[i] for i in node["ids"] if i in known), ())
        return ".".join(map(str, found))

    def of_Invisible(self, node):
        """A comment, a target of links, an entry of the index."""
        return ""

    # Text

    def of_Text(self, node):
        text = re.sub(r"\s*\n\s*", " ", node.astext())
        return re.sub(r"([\\`*$<]|(?<!\w)_|_(?!\w))", r"\\\1", text)

    def of_inline(self, node):
        return self.words(node.children)

    def of_emphasis(self, node):
        return f"*{self.words(node.children)}*"

    def of_strong(self, node):
        return f"**{self.words(node.children)}**"

    def of_literal(self, node):
        fence = "``" if "`" in node.astext() else "`"
        return f"{fence}{node.astext()}{fence}"

    def of_reference(self, node):
        target = node.get("refuri") or f"#{node.get('refid', '')}"
        return self.linked("[{}]({})", self.words(node.children), target)

    def of_download_reference(self, node):
        """Nobody knows the file's address outside of the book."""
        return self.words(node.children)

    def linked(self, form, text, target):
        address = urljoin(self.page, target)
        return form.format(text, address) if "://" in address else text

    def of_math(self, node):
        return f"${one_line(node.astext())}$"

    # Blocks

    def of_paragraph(self, node):
        text = self.words(node.children)
        return STARTS_A_BLOCK.sub(r"\1\\\2\3", text.lstrip())

    def of_container(self, node):
        return self.blocks(node.children)

    of_section = of_list_item = of_container

    def of_math_block(self, node):
        formula = one_line(node.astext())
        if r"\\" in formula and not formula.startswith(r"\begin"):
            formula = rf"\begin{{aligned}} {formula} \end{{aligned}}"
        number = self.number("displaymath", node)
        tag = rf" \tag{{{number}}}" if number else ""
        return f"$$ {formula}{tag} $$"

    def of_literal_block(self, node):
        language = node.get("language", "")
        return f"```{language}\n{node.astext().rstrip()}\n```"

    def of_raw(self, node):
        """Tables that code has drawn; no script, no style."""
        html = re.sub(r"(?s)<(style|script).*?</\1>", "", node.astext())
        html = re.sub(r' (class|id|style|data-[\w-]+)="[^"]*"', "", html)
        return self.absolute(re.sub(r"\s*\n\s*", "\n", html).strip())

    def absolute(self, html):
        form = '<a href="{1}">{0}</a>'
        return LINK.sub(lambda a: self.linked(form, a[2], a[1]), html)

    def of_bullet_list(self, node):
        rows = (indented(self.of(row), "* ") for row in node.children)
        return "\n".join(rows)

    of_definition_list = of_bullet_list

    def of_definition_list_item(self, node):
        term, text = node[0].children, node[-1].children
        return f"**{self.words(term)}**: {self.blocks(text)}"

    def of_enumerated_list(self, node):
        rows = enumerate(map(self.of, node.children), node.get("start", 1))
        return "\n".join(indented(row, f"{n}. ") for n, row in rows)

    def of_citation(self, node):
        """Its text: label and text come once for each resolution."""
        return f"* {self.of(node.children[-1])}"

    def of_block_quote(self, node):
        return quoted(self.blocks(node.children))

    def of_admonition(self, node):
        """A quote with a heading; folded where the book folds it."""
        if "dropdown" in node["classes"]:
            return self.of_dropdown_main(node)
        title, *rest = node.children
        text = f"**{self.words(title.children)}**"
        return quoted(f"{text}\n\n{self.blocks(rest)}")

    def of_dropdown_main(self, node):
        title, *rest = node.children
        return folded(summary(title), self.blocks(rest))

    def of_table(self, node):
        head, *rows = map(self.row, node.findall(nodes.row))
        lines = [head, ["---"] * len(head), *rows]
        made = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return made.replace("\n\n", "<br>")

    def row(self, node):
        """Cells, without bars that would begin a new one."""
        cells = (self.blocks(entry.children) for entry in node.children)
        return [
            cell.replace("|", r"\vert " if "$" in cell else r"\|")
            for cell in cells
        ]


def one_line(formula):
    """Mathematics without line breaks: these end it inside a quote."""
    return " ".join(formula.split())


def indented(text, mark):
    """A list's item: lines after the first stand below its text."""
    return mark + re.sub(r"\n(?!\n)", "\n" + " " * len(mark), text)


def quoted(text):
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def summary(node):
    """The title of a fold, in which Markdown means nothing but formulas."""
    if isinstance(node, nodes.raw):
        return ""
    if isinstance(node, nodes.math):
        return f"${one_line(node.astext())}$"
    if isinstance(node, nodes.Text):
        return escape(re.sub(r"\s+", " ", node.astext()), quote=False)
    inside = "".join(map(summary, node.children))
    is_code = isinstance(node, nodes.literal)
    return f"<code>{inside}</code>" if is_code else inside


def folded(title, text):
    """Closed until a reader opens it, wherever notebooks are run."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
