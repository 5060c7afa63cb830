"""Write what the planner computes with, while the book is built.

The planner runs in a page without Python. The components that it starts
from, what a plan does with them, what intervals stand on, and the
half-widths of intervals are computed here, by gtlib and scipy, and written
beside its scripts. Collections that are not on this machine are left out.
The page *Your scores* gets the words of the command, the designs, the state
of gtlib's generator, and an example.
"""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import gtlib as gt
from book.support import atlas
from gtaudit.doubts import (
    BELOW,
    FRACTIONS,
    GAP_BITS,
    INDEX,
    NUMBERED,
    SUMMARY,
    TAIL,
)
from gtaudit.level_doubts import COARSE, SAMPLE, SURE_BITS
from gtlib.data import data_folder
from gtlib.intervals import stretches

COEFFICIENTS = "generalizability", "dependability"
TABLE_1 = "trec4-table1"  # no scores, but a G-study
MEASURES = ["AP", "AP@100", "nDCG@10", "P@10", "RR"]  # of several
SINGLE, CROSSED, NESTED = DESIGNS = [
    "system x topic",
    "system x topic x assessor",
    "system x (assessor:topic)",
]
AGENTS, RUNS = "terminal-bench", "run:(system x task)"
NAMES = dict(zip(DESIGNS, ["single", "crossed", "nested"], strict=True))
DOCUMENTS = {
    "crossed": "system x assessor x (document:topic)",
    "topic": "system x ((assessor x document):topic)",
    "document": "system x (assessor:document:topic)",
}


def write(site: Path) -> None:
    """Write `known.js` beside the planner's scripts."""
    folder = site / "_static" / "planner"
    folder.mkdir(parents=True, exist_ok=True)
    known = {
        "designs": {NAMES[study]: design(study) for study in DESIGNS},
        "generator": generator(),
        "presets": list(presets()),
        "reach": reach(np.arange(1, 101)).tolist(),
        "people": people_and_machine(),
        "documents": documents(),
        "runs": runs(),
    }
    write_script(folder / "known.js", "plannerKnown", known)
    folder = site / "_static" / "scores"
    folder.mkdir(parents=True, exist_ok=True)
    write_script(folder / "known.js", "plannerKnown", known_of_scores())
    write_script(folder / "example.js", "scoresExample", example())


def write_script(path: Path, name: str, value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    path.write_text(f"window.{name} = {text};\n", "utf-8")


def known_of_scores() -> dict:
    """What the page *Your scores* reads and computes with."""
    return {
        "words": files("gtaudit").joinpath("words.csv").read_text("utf-8"),
        "designs": {NAMES[study]: design(study) for study in DESIGNS},
        "generator": generator(),
        "doubts": {
            "average": SUMMARY,
            "index": INDEX,
            "numbered": NUMBERED,
            "bits": SURE_BITS,
            "coarse": COARSE,
            "fractions": FRACTIONS,
            "below": BELOW,
            "sample": SAMPLE,
            "gap": GAP_BITS,
            "tail": TAIL,
        },
    }


def generator() -> dict:
    """Where gtlib's generator begins, in numbers that a page reads."""
    state: Any = np.random.default_rng(0).bit_generator.state
    return {name: str(n) for name, n in state["state"].items()}


def example() -> str:
    """The scores that *Now yours* falls back on, as a table."""
    return (data_folder() / "scores" / "scores.csv").read_text("utf-8")


def reach(freedom):
    """Half of a 95% interval in standard errors, which four in five
    studies do not exceed."""
    variance = stats.chi2.ppf(0.8, freedom) / freedom
    return stats.t.ppf(0.975, freedom) * np.sqrt(variance)


def design(study):
    """What can be planned from a study of this design, and what its scores
    are swept by: with one level of each facet, components are differences
    of mean squares, and these of means."""
    plans = [CROSSED, NESTED] if study == CROSSED else [study]
    of = gt.Design(study)
    one = dict.fromkeys(of.facets, 1)
    return {
        "text": study,
        "labels": of.labels,
        "effects": [
            {"facets": sorted(e.facets), "primary": sorted(e.primary)}
            for e in of.effects
        ],
        "signs": of.mean_squares_to_components(one).tolist(),
        "plans": {
            NAMES[plan]: {"text": plan, "rows": rows(study, plan)}
            for plan in plans
        },
    }


def rows(study, plan):
    """Which components of a study each source of error in a plan adds up,
    and the facets by whose levels it divides them."""
    labels = gt.Design(study).labels
    one = dict.fromkeys(set(gt.Design(plan).facets) - {"system"}, 1)
    sources: dict[str, list[int]] = {}
    for k, label in enumerate(labels):
        alone = dict.fromkeys(labels, 0.0) | {label: 1.0}
        g = gt.GStudy.from_components(study, alone)
        table = g.plan(plan, levels=one).table
        (home,) = table.index[table["variance"] == 1]
        sources.setdefault(home, []).append(k)
    effects = {effect.label: effect for effect in gt.Design(plan).effects}
    return [
        {
            "label": label,
            "facets": sorted(effects[label].facets - {"system"}),
            "relative": "system" in effects[label].facets,
            "of": of,
        }
        for label, of in sources.items()
        if label != "system"
    ]


def presets():
    """Every collection that is on this machine by now."""
    g = gt.load(TABLE_1)
    yield preset(TABLE_1, "TREC-4, two assessor roles", "AP", g)
    table = gt.datasets()
    here = table["design"].isin(DESIGNS) & (table["where"] != "remote")
    for row in table[here & (table["name"] != TABLE_1)].itertuples():
        if row.measure:
            title = row.title.removesuffix(f" ({row.measure})")
            g = gt.gstudy(gt.load(row.name), row.design)
            yield preset(row.name, title, row.measure, g)
            continue
        scores: Any = gt.load(row.name)
        if "model" in scores:  # a judge is a model with a prompt
            prompt = scores["prompt"].astype(str)
            scores["assessor"] = scores["model"] + "/" + prompt
        facets = gt.Design(row.design).facets
        for measure in scores.columns.intersection(MEASURES):
            one = scores[[*facets]].assign(score=scores[measure])
            g = gt.gstudy(one, row.design)
            yield preset(f"{row.name}-{measure}", row.title, measure, g)


def preset(name, title, measure, g):
    """One collection: numbers in the order of the design's effects, and
    what its intervals are computed from."""
    return {
        "name": name,
        "title": title,
        "measure": measure,
        "design": NAMES[g.design.text],
        "levels": g.levels,
        "components": g.estimate.tolist(),
        "squares": g.mean_squares.tolist(),
        "stretch": stretch(g),
    }


def stretch(g):
    """The factors of both coefficients that divide the degrees of freedom
    of a collection's mean squares; 1 if it has no scores."""
    if g.cells is None:
        return [1.0, 1.0]
    found = stretches(g.cells, g.plan().effects)
    return [found[coefficient] for coefficient in COEFFICIENTS]


def people_and_machine():
    """People and one machine judge, for the question of human topics."""
    people: Any = gt.load("dl21")
    judges: Any = gt.load("dl21-judges", "nDCG@10")
    judges = judges.query("model == 'gpt-4o'")
    machine = judges.pivot_table("score", "system", "topic")
    machine = machine.loc[people.index, people.columns]
    r = machine.corrwith(people, axis=1).median()
    return {
        "sd": f"{people.std(axis=1).median():.3f}",
        "correlation": f"{r:.2f}",
        "note": "As people and gpt-4o have them on Deep Learning 2021, "
        "nDCG@10: the medians over 63 systems.",
    }


def runs():
    """Components of agents that ran several times on each task, if their
    data are on this machine; else those in the page, which are round."""
    known = {
        "labels": gt.Design(RUNS).labels,
        "components": [],
        "note": "Round numbers, as a beginning.",
    }
    table = gt.datasets().set_index("name")
    if table.loc[AGENTS, "where"] == "remote":
        return known
    g = gt.gstudy(atlas.read(AGENTS)["scores"], RUNS)
    return known | {
        "components": g.estimate.drop("task").tolist(),
        "note": f"Estimated from {table.loc[AGENTS, 'title']}, on "
        f"{g.levels['task']} tasks.",
    }


def document_study():
    """Decisions about documents, of chapter 13."""
    squares: Any = gt.load("cf-correctness")
    squares = squares.query("k == 20")
    return gt.GStudy.from_mean_squares(
        DOCUMENTS["crossed"],
        {"system": 36, "assessor": 4, "topic": 98, "document": 20},
        squares.set_index("effect")["mean_square"],
    )


def documents():
    """Plans of the same."""
    g = document_study()
    return {
        "text": g.design.text,
        "labels": g.design.labels,
        "components": g.estimate.tolist(),
        "plans": {
            name: {"text": plan, "rows": rows(g.design.text, plan)}
            for name, plan in DOCUMENTS.items()
        },
        "note": "Components of correctness on Cystic Fibrosis, from 36 "
        "systems, 98 topics, 20 documents on each and 4 assessors.",
    }
