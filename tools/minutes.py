"""How long a chapter takes, from its built page; written into its Overview.

A reader reads 200 words a minute, captions and quizzes too, and needs 45
seconds more for a displayed formula, 30 for a figure or a table, and a
minute to answer a quiz. The long tables with a filter are looked up and not
read. Whoever follows the code needs 8 seconds for a visible line, and 30
for what a cell shows besides. What an exercise takes is said in
`book/exercises.toml`; its solution is part of it. Each sum is rounded to
five minutes.
"""

import json
import re
import tomllib
from pathlib import Path

from lxml import html

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "_build" / "html" / "notebooks"
EXERCISES = ROOT / "book" / "exercises.toml"
FRONT_PAGES = [ROOT / "README.md", ROOT / "book" / "index.md"]
# Where the front pages say how long the first chapter takes.
BEGIN = re.compile(r"(?<=Begin: )\d+")

TIME = re.compile(r"\*\*Time:\*\* .*?(?=[.;])", re.S)
TIMES = "**Time:** {} minutes to read, {} with the code"
WITH_EXERCISES = ",\n{} with the exercises"
SOLUTIONS = ".//div[contains(@class, 'solution ')]"
FORMULAS = ".//div[starts-with(@class, 'math ')]"
TABLES = ".//table[not(@data-rows)]"
FIGURES = ".//figure[not(.//table)]"
CODE = ".//div[starts-with(@class, 'cell_input')]"
OUTPUTS = ".//div[starts-with(@class, 'cell_output')]"
NOT_READ = f"""{FORMULAS} | {CODE} | .//summary[not(ancestor::details
    [contains(@class, 'sd-dropdown')])]
    | {OUTPUTS}/*[not(self::figure)] | .//table[@data-rows]"""
FOLDED = "ancestor::details"
BESIDES = f"{OUTPUTS}[not({FOLDED} or .//table or .//figure or .//img)]"


def main():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        page = PAGES / f"{path.stem}.html"
        notebook = json.loads(path.read_text("utf-8"))
        cell = notebook["cells"][0]
        times = minutes(page)
        template = TIMES + WITH_EXERCISES * (len(times) > 2)
        sentence = template.format(*times)
        text = TIME.sub(sentence, "".join(cell["source"]), count=1)
        cell["source"] = text.splitlines(keepends=True)
        written = json.dumps(notebook, indent=1, ensure_ascii=False)
        path.write_text(f"{written}\n", "utf-8")
        print(page.stem, " ".join(sentence.split()))
    first, *_ = minutes(min(PAGES.glob("*.html")))
    for front in FRONT_PAGES:
        text = BEGIN.sub(str(first), front.read_text("utf-8"))
        front.write_text(text, "utf-8")


def minutes(page):
    """Return the minutes of a page: to read it, to follow its code as well,
    and to do its exercises too, if it has any."""
    article = html.parse(page).find(".//article")
    exercises = [box.get("id") for box in article.find_class("exercise")]
    known = tomllib.loads(EXERCISES.read_text("utf-8"))
    for solution in article.xpath(SOLUTIONS):
        solution.drop_tree()
    parts = article.xpath(f"{CODE}[not({FOLDED})]")
    text = "\n".join(part.text_content() for part in parts)
    lines = sum(bool(line.strip()) for line in text.splitlines())
    shown = len(article.xpath(BESIDES))
    looked_at = len(article.xpath(f"{TABLES} | {FIGURES}"))
    stops = 0.75 * len(article.xpath(FORMULAS)) + 0.5 * looked_at
    stops += len(article.find_class("quiz"))
    for part in article.xpath(NOT_READ):
        part.drop_tree()
    read = len(article.text_content().split()) / 200 + stops
    code = read + (8 * lines + 30 * shown) / 60
    times = [read, code]
    if exercises:
        times += [code + sum(known[each]["minutes"] for each in exercises)]
    return [5 * max(1, round(time / 5)) for time in times]


if __name__ == "__main__":
    main()
