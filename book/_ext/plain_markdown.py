"""Plain Markdown from a page that Sphinx has resolved.

What Jupyter, Colab and VS Code show of Markdown: headings, lists, tables,
quotes, links, fenced code, ``<details>``, and mathematics between dollars.
A node that has no method here stops the build, so that nothing is lost in
silence.
"""

import re
from html import escape
from urllib.parse import urljoin, urlsplit

from docutils import nodes

# At the start of a line these would begin a list, a heading or a quote.
STARTS_A_BLOCK = re.compile(r"^(\d+)([.)] )|^([#>+-])(?= |#)", re.M)
LINK = re.compile(r'<a\b[^>]*href="([^"]*)"[^>]*>(.*?)</a>', re.S)
SKIPPED = (
    nodes.comment,
    nodes.meta,
    nodes.substitution_definition,
    nodes.system_message,
    nodes.target,
)


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
        if isinstance(node, SKIPPED):
            return ""
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

    # Text

    def of_Text(self, node):
        text = re.sub(r"\s*\n\s*", " ", node.astext())
        return re.sub(r"([\\`*$<]|(?<!\w)_|_(?!\w))", r"\\\1", text)

    def of_inline(self, node):
        return self.words(node.children)

    of_generated = of_term = of_label = of_inline

    def of_emphasis(self, node):
        return f"*{self.words(node.children)}*"

    of_title_reference = of_emphasis

    def of_strong(self, node):
        return f"**{self.words(node.children)}**"

    def of_literal(self, node):
        fence = "``" if "`" in node.astext() else "`"
        return f"{fence}{node.astext()}{fence}"

    def of_subscript(self, node):
        return f"<sub>{self.words(node.children)}</sub>"

    def of_superscript(self, node):
        return f"<sup>{self.words(node.children)}</sup>"

    def of_reference(self, node):
        target = node.get("refuri") or f"#{node['refid']}"
        return self.linked("[{}]({})", self.words(node.children), target)

    def linked(self, form, text, target):
        address = urljoin(self.page, target)
        return (
            form.format(text, address) if urlsplit(address).netloc else text
        )

    def of_math(self, node):
        return f"${one_line(node.astext())}$"

    def of_image(self, node):
        return (
            f"![{node.get('alt', '')}]({urljoin(self.page, node['uri'])})"
        )

    # Blocks

    def of_paragraph(self, node):
        text = self.words(node.children)
        return STARTS_A_BLOCK.sub(r"\1\\\2\3", text.lstrip())

    of_compact_paragraph = of_paragraph

    def of_rubric(self, node):
        return self.of_strong(node)

    def of_container(self, node):
        return self.blocks(node.children)

    of_compound = of_index = of_section = of_container

    def of_transition(self, node):
        return "---"

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
        html = re.sub(
            r"<(style|script).*?</\1>", "", node.astext(), flags=re.S
        )
        html = re.sub(r' (class|id|style|data-[\w-]+)="[^"]*"', "", html)
        return self.absolute(re.sub(r"\s*\n\s*", "\n", html).strip())

    def absolute(self, html):
        form = '<a href="{1}">{0}</a>'
        return LINK.sub(lambda a: self.linked(form, a[2], a[1]), html)

    def of_bullet_list(self, node):
        rows = (indented(self.of(row), "* ") for row in node.children)
        return "\n".join(rows)

    def of_enumerated_list(self, node):
        first = node.get("start", 1)
        return "\n".join(
            indented(self.of(row), f"{number}. ")
            for number, row in enumerate(node.children, first)
        )

    def of_list_item(self, node):
        return self.blocks(node.children)

    def of_definition_list(self, node):
        return "\n".join(
            indented(
                f"**{self.words(item[0].children)}**: "
                + self.blocks(item[-1].children),
                "* ",
            )
            for item in node.children
        )

    def of_citation(self, node):
        return f"* {self.blocks(node.children[1:])}"

    def of_footnote(self, node):
        label, *rest = node.children
        return f"<sup>{self.of(label)}</sup> {self.blocks(rest)}"

    def of_footnote_reference(self, node):
        return f"<sup>{self.words(node.children)}</sup>"

    def of_block_quote(self, node):
        return quoted(self.blocks(node.children))

    def of_Admonition(self, node):
        """A quote with a heading; folded where the book folds it."""
        heading = nodes.title()
        heading += nodes.Text(type(node).__name__.capitalize())
        first, *rest = node.children
        if isinstance(first, nodes.title):
            heading = first
        else:
            rest = [first, *rest]
        if "dropdown" in node["classes"]:
            return folded(summary(heading), self.blocks(rest))
        text = f"**{self.words(heading.children)}**"
        return quoted(f"{text}\n\n{self.blocks(rest)}")

    of_sidebar = of_topic = of_Admonition

    def of_dropdown_main(self, node):
        title, *rest = node.children
        return folded(summary(title), self.blocks(rest))

    def of_table(self, node):
        (group,) = node.findall(nodes.tgroup)
        rows = [self.row(row) for row in group.findall(nodes.row)]
        lines = [rows[0], alignments(group), *rows[1:]]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def row(self, node):
        return [
            self.blocks(entry.children)
            .replace("\n\n", "<br>")
            .replace("|", r"\vert " if "$" in entry.astext() else r"\|")
            for entry in node.children
        ]


def alignments(group):
    """The line below a table's head, from the classes of its last row."""
    *_, last = group.findall(nodes.row)
    return [
        "---:" if "text-right" in str(entry["classes"]) else "---"
        for entry in last.children
    ]


def one_line(formula):
    """Mathematics without line breaks: these end it inside a quote."""
    return " ".join(formula.split())


def indented(text, mark):
    """A list's item: lines after the first stand below its text."""
    return mark + re.sub(r"\n(?!\n)", "\n" + " " * len(mark), text)


def quoted(text):
    lines = text.split("\n")
    return "\n".join(f"> {line}".rstrip() for line in lines)


def summary(node):
    """The title of a fold, in which Markdown means nothing but formulas."""
    if isinstance(node, nodes.raw):
        return ""
    if isinstance(node, nodes.math):
        return f"${one_line(node.astext())}$"
    if isinstance(node, nodes.Text):
        return escape(re.sub(r"\s+", " ", node.astext()), quote=False)
    inside = "".join(map(summary, node.children))
    return (
        f"<code>{inside}</code>"
        if isinstance(node, nodes.literal)
        else inside
    )


def folded(title, text):
    """Closed until a reader opens it, wherever notebooks are run."""
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
