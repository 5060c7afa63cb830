"""What others cite by: the files agree with each other and the book."""

import json
import re

import pytest
import yaml
from pybtex.database import parse_file

from checks.conftest import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
ZENODO = json.loads((ROOT / ".zenodo.json").read_text("utf-8"))
PAPER = (ROOT / "paper" / "paper.md").read_text("utf-8")
FOUR = ["voorhees-2006", "bodoff-li-2007", "carterette-2007"]
FOUR += ["carterette-2010"]


OURS = parse_file(ROOT / "paper" / "paper.bib").entries


@pytest.mark.parametrize("key", FOUR)
def test_the_citation_names_the_four_papers_as_the_paper_does(key):
    entry = OURS[key]
    said = {
        name: re.sub("[{}]", "", text).replace("--", "-")
        for name, text in entry.fields.items()
    }
    (cited,) = [
        work
        for work in CITATION["references"]
        if work["title"] == said["title"]
    ]
    assert str(cited["year"]) == said["year"]
    assert cited.get("doi") == said.get("doi")
    assert cited.get("collection-title") == said.get("booktitle")
    pages = cited.get("start") and f"{cited['start']}-{cited['end']}"
    assert pages == said.get("pages")
    names = [
        f"{who['family-names']}, {who['given-names']}"
        for who in cited["authors"]
    ]
    assert names == [str(who) for who in entry.persons["author"]]


def test_book_and_software_and_paper_are_one_edition():
    book = CITATION["preferred-citation"]
    assert book["edition"] == CITATION["version"]
    assert str(book["year"]) == CITATION["date-released"][:4]
    assert book["authors"] == CITATION["authors"]
    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    assert book["title"] == config["title"]
    paper = yaml.safe_load(PAPER.split("---")[1])
    names = [{"name": who["name"]} for who in CITATION["authors"]]
    assert paper["authors"] == names
    year, _, day = CITATION["date-released"].split("-")
    assert paper["date"].split()[::2] == [str(int(day)), year]


def test_zenodo_is_told_what_the_citation_says():
    assert ZENODO["title"] == CITATION["title"]
    assert ZENODO["keywords"] == CITATION["keywords"]
    assert ZENODO["license"] in CITATION["license"]
    names = [who["name"] for who in CITATION["authors"]]
    assert [who["name"] for who in ZENODO["creators"]] == names
    cited = {
        work["identifier"]
        for work in ZENODO["related_identifiers"]
        if work["relation"] == "cites"
    }
    dois = {work.get("doi") for work in CITATION["references"]}
    assert cited == dois - {None}


def test_the_paper_cites_what_its_bibliography_holds():
    text = PAPER.split("---", 2)[2]
    cited = set(re.findall(r"@([a-z0-9-]+)", text))
    assert cited == {*OURS}
