"""Write down every section of the book for the search: its title, its
chapter, its address and its words.

They are read from the pages, of which all are there also when only one was
written anew. A script brings them to the search page, because a browser
fetches nothing from a disk. Sphinx's own index, which knows the words of
pages but not of sections, is not loaded.
"""

import json
import re
import unicodedata
from pathlib import Path

from lxml import html

FILE = "_static/sections.js"
NOT_PROSE = (
    ".//script | .//style | .//summary | .//a[@class='headerlink']"
    " | .//div[contains(@class, 'math')]"
    " | .//div[contains(@class, 'output')]//*[self::pre or self::table]"
)
CODE = ".//div[contains(@class, 'cell_input')]"
NUMBER = "span[@class='section-number']"


def write(app):
    folder = Path(app.outdir)
    found = [
        json.dumps(row, ensure_ascii=False)
        for page in sorted(folder.rglob("*.html"))
        for row in rows(page, page.relative_to(folder).as_posix())
    ]
    lines = ",\n".join(found)
    (folder / FILE).write_text(
        f"const SECTIONS = [\n{lines}\n];\n", "utf-8"
    )
    search = folder / "search.html"
    text = search.read_text("utf-8")
    search.write_text(
        text.replace('"searchindex.js"', f'"{FILE}"'), "utf-8"
    )


def rows(page, address):
    """Title, chapter, address and words of each section of a page, and of
    each term and each function that it explains."""
    root = html.document_fromstring(page.read_bytes())
    for article in root.xpath("//article[contains(@class, 'bd-article')]"):
        yield from sections(article, address)


def sections(article, address):
    for part in article.xpath(NOT_PROSE):
        part.drop_tree()
    for part in article.xpath(".//dt | .//dd | .//td | .//th | .//li"):
        part.tail = f" {part.tail or ''}"
    for formula in article.xpath(".//span[contains(@class, 'math')]"):
        formula.text = plain(formula.text or "")
    chapter = words(article.xpath(".//h1")[0])
    # From the end, and taking away: what is left is the section's own.
    for part in reversed(article.xpath(".//section[@id] | .//dt[@id]")):
        where = f"{address}#{part.get('id')}"
        if part.tag == "dt":
            api = "sig" in part.classes
            title = part.get("id") if api else words(part)
            body = words(part.xpath("following-sibling::dd[1]")[0])
            if not part.xpath("preceding-sibling::dt"):
                part.getparent().drop_tree()
        else:
            (heading,) = part.xpath("h1 | h2 | h3 | h4 | h5 | h6")[:1]
            for number in heading.xpath(NUMBER):
                number.drop_tree()
            title = words(heading)
            heading.drop_tree()
            # First prose, of which a line is shown, and then code.
            code = part.xpath(CODE)
            for cell in code:
                cell.drop_tree()
            body = " ".join(map(words, [part, *code]))
            part.drop_tree()
        if title != "References":
            yield [title, chapter, where, body]


def words(element):
    return " ".join(element.text_content().split())


def plain(formula):
    r"""A short formula as one would type it: `\(E\rho^2\)` becomes Eρ²."""
    formula = re.sub(r"\\([A-Za-z]+) ?", greek, formula)
    return re.sub(r"[\\{}^()]", "", formula.replace("^2", "²"))


def greek(name):
    case = "CAPITAL" if name[1][0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {case} LETTER {name[1]}")
    except KeyError:
        return ""
