"""The page of the record of the four papers, `data/items.csv`.

It is one table: the claims of each paper in its own order,
each with where the book speaks of it, the call that computes its numbers or
why it has none, and its verdict; below a claim its printed numbers, with
ours. The script of the atlas filters it.
"""

import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from jinja2 import Template
from markdown_it import MarkdownIt

from book.support.ledger import record
from book.support.ledger.ours import PAPERS

PLACE = re.compile(r"(appendix-)?(\d\d)-")
BARE_POINT = re.compile(r"(?<![\d.])\.(?=\d)")
PAGE = Path(__file__).with_suffix(".html")
SAID = ["says", "assumption", "moves"]
NUMBERED = ["quantity", "printed", "ours", "reason"]


def write_page() -> str:
    """Return the table as HTML, which needs no script to be read."""
    template = Template(PAGE.read_text("utf-8"), trim_blocks=True)
    return template.render(papers=[*papers()])


def papers():
    """Yield the name of each paper, and its rows as they are shown."""
    claims, numbers = record.claims(), record.numbers()
    for paper, name in PAPERS.items():
        own = numbers[numbers["paper"] == paper].to_dict("records")
        rows = []
        of_paper = claims[claims["paper"] == paper].to_dict("records")
        for n, claim in enumerate(of_paper, 1):
            patterns = claim["ledger"].split()
            below = [x for x in own if is_about(patterns, x["key"])]
            own = [x for x in own if x not in below]
            rows += [shown_claim(claim, f"item-{paper}-{n}")]
            rows += [shown_number(number) for number in below]
        yield name, rows


def is_about(patterns, key):
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def shown_claim(claim, name):
    inline = MarkdownIt().renderInline
    said = {column: inline(with_zeros(claim[column])) for column in SAID}
    has_numbers = not claim["prints"][:1].isalpha()
    places = [*links(claim["where"].split())]
    claim = claim | said | {"name": name, "places": places}
    for column in ["item", "prints"]:
        claim[column] = with_zeros(claim[column])
    return claim | {"has_numbers": has_numbers}


def shown_number(number):
    name = f"ledger-{number['paper']}-{number['key']}"
    shown = {x: with_zeros(number[x]) for x in NUMBERED}
    shown["name"] = name.replace("/", "-").replace(".", "")
    return number | shown


def with_zeros(numbers):
    """The papers print ``.95``; the book writes 0.95 for the same."""
    return BARE_POINT.sub("0.", numbers)


def place_name(place):
    """What a place is called: a chapter, or the appendix of one."""
    found = PLACE.match(place)
    assert found is not None
    kind, number = found.groups()
    return f"Appendix A{int(number)}" if kind else f"Chapter {int(number)}"


def links(places):
    """Yield address and name of each place in another page; sections of
    one page are told apart."""
    sections: Counter[str] = Counter()
    for place in places:
        if place.startswith("record#"):
            continue
        name = place_name(place)
        sections[name] += 1
        if sections[name] > 1:
            name += f" ({sections[name]})"
        folder = "appendices" if name[0] == "A" else "notebooks"
        yield f"../{folder}/" + place.replace("#", ".html#"), name
