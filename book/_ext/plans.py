"""A directive for a plan of teaching that fits: ``{plan} 90``.

Each line is a session: its title, a colon, and what is done in class,
with commas between: a chapter to read (``2 read``) or with its code (``2
code``), an exercise by its label, the ``lecture``, the ``lab``. The minutes
come from the Overviews of the chapters, from `book/exercises.toml` and from
the lab's headings. A session longer than the plan allows stops the build.

``{week} 90`` is one session: each line is a part of it, with semicolons
between what is done. It also takes the ``opening`` and the ``slides`` of a
week (``slides 2``, as in `lecture/week-2.md`), and any words with minutes
behind them, in parentheses; ``lecture to alpha`` is the lecture as far as
the slide of this name. What is done at home does not count; the rest
has to be as long as the session.
"""

import re

from assignments import BOOK, known_of
from overviews import minutes
from plain import NOTEBOOKS
from sphinx.util.docutils import SphinxDirective

LAB = BOOK / "lab.md"
LECTURE = 120
WEEKS = BOOK.parent / "lecture"
SLIDE = re.compile(r"^## .*?\{#([\w-]+) minutes=(\d+)\}$", re.M)
FREE = re.compile(r"(.+) \((\d+)\)$")
HOME = "At home", "Homework"
IN_LAB = re.compile(r"^## .*\((\d+) minutes\)$", re.M)
WAYS = {"read": "to read", "code": "with the code"}
HEAD = """\
```{list-table}
:header-rows: 1
:widths: 25 45 12 18

* - session
  - what
  - minutes
  - left over"""

WEEK = """\
```{list-table}
:header-rows: 1
:widths: 20 65 15

* - part
  - what
  - minutes"""


class Plan(SphinxDirective):
    has_content = True
    required_arguments = 1

    def run(self):
        exercises = BOOK / "exercises.toml"
        for path in [*NOTEBOOKS.glob("*.ipynb"), exercises, LAB]:
            self.env.note_dependency(str(path))
        lines = HEAD.splitlines()
        for session in self.content:
            title, _, items = session.partition(": ")
            parts = [*map(item, items.split(", "))]
            takes = sum(part[1] for part in parts)
            if takes > int(self.arguments[0]):
                raise self.error(f"{title} takes {takes} minutes")
            done = "; ".join(f"{said}, {time}" for said, time, _ in parts)
            left = sum(part[2] for part in parts)
            lines += [f"* - {title}", f"  - {done}", f"  - {takes}"]
            lines.append(f"  - {left or '–'}")
        return self.parse_text_to_nodes("\n".join([*lines, "```"]))


class Week(SphinxDirective):
    has_content = True
    required_arguments = 1

    def run(self):
        for path in [*NOTEBOOKS.glob("*.ipynb"), *WEEKS.glob("*.md")]:
            self.env.note_dependency(str(path))
        self.env.note_dependency(str(BOOK / "exercises.toml"))
        lines, in_class = WEEK.splitlines(), 0
        for part in self.content:
            title, _, items = part.partition(": ")
            parts = [item(each)[:2] for each in items.split("; ")]
            takes = sum(minutes for _, minutes in parts)
            in_class += 0 if title.startswith(HOME) else takes
            done = "; ".join(f"{said} ({time})" for said, time in parts)
            lines += [f"* - {title}", f"  - {done}", f"  - {takes}"]
        if in_class != int(self.arguments[0]):
            raise self.error(f"this week takes {in_class} minutes")
        return self.parse_text_to_nodes("\n".join([*lines, "```"]))


def setup(app):
    app.add_directive("plan", Plan)
    app.add_directive("week", Week)


def item(name):
    """What the plan calls an item, its minutes, and its homework."""
    if name == "lecture":
        return "the lecture", LECTURE, 0
    if name == "lab":
        times = map(int, IN_LAB.findall(LAB.read_text("utf-8")))
        return "{doc}`the lab </book/lab>`", sum(times), 0
    if name.startswith("lecture to "):
        end = name.split()[-1]
        slides = SLIDE.findall((WEEKS / "lecture.md").read_text("utf-8"))
        last = [title for title, _ in slides].index(end)
        takes = sum(int(length) for _, length in slides[: last + 1])
        lecture = '<a href="../slides/lecture.html">the lecture</a>'
        return f"{lecture} as far as {end}", takes, 0
    if name.startswith(("opening ", "slides ")):
        kind, week = name.split()
        deck = (WEEKS / f"week-{week}.md").read_text("utf-8")
        (_, first), *others = SLIDE.findall(deck)
        file = f"../slides/week-{week}.html"
        if kind == "opening":
            return f'<a href="{file}">the first slide</a>', int(first), 0
        takes = sum(int(length) for _, length in others)
        return f'<a href="{file}">the slides</a>', takes, 0
    if free := FREE.match(name):
        return free[1], int(free[2]), 0
    if name[0].isdigit():
        number, way = name.split()
        (path,) = NOTEBOOKS.glob(f"{int(number):02}-*.ipynb")
        *times, whole = minutes(path.stem)
        takes = times[[*WAYS].index(way)]
        link = f"{{doc}}`chapter {number} </notebooks/{path.stem}>`"
        return f"{link} {WAYS[way]}", takes, whole - takes
    takes = known_of("exercises")[name]["minutes"]
    return f"{{ref}}`{name}`", takes, -takes
