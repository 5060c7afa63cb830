"""Write the planner's presets while the book is built.

The planner runs in a page without Python, so the components it starts from
are computed here, by gtlib from the data, and written beside its scripts.
Collections that are not on this machine are left out.
"""

import json
from pathlib import Path

import gtlib as gt

TABLE_1 = "trec4-table1"  # no scores, but a G-study
CROSSED = "system x topic x assessor"
MEASURES = ["AP", "AP@100", "nDCG@10", "P@10", "RR"]  # of several
DESIGNS = {"system x topic": "single", CROSSED: "crossed"}


def setup(app):
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}


def write(app, exception):
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / "_static" / "planner"
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(presets(), ensure_ascii=False, indent=1)
    start = json.dumps(human_start())
    documents = json.dumps(documents_start())
    (folder / "presets.js").write_text(
        f"window.plannerPresets = {text};\n"
        f"window.plannerHumanStart = {start};\n"
        f"window.plannerDocumentsStart = {documents};\n"
    )


def presets():
    """What the planner can start from, as JSON-like dicts."""
    g = gt.load(TABLE_1)
    trec4 = preset("trec4", "TREC-4, two assessor roles", "AP", g)
    return [trec4, *collections()]


def human_start():
    """People and one machine judge, for the question of human topics."""
    people = gt.load("dl21")
    judges = gt.load("dl21-judges", "nDCG@10").query("model == 'gpt-4o'")
    machine = judges.pivot_table("score", "system", "topic")
    machine = machine.loc[people.index, people.columns]
    r = machine.corrwith(people, axis=1).median()
    return {
        "sd": f"{people.std(axis=1).median():.3f}",
        "correlation": f"{r:.2f}",
        "note": "As people and gpt-4o have them on Deep Learning 2021, "
        "nDCG@10: the medians over 63 systems.",
    }


def documents_start():
    """The study of decisions about documents, of chapter 13."""
    squares = gt.load("cf-correctness").query("k == 20")
    g = gt.GStudy.from_mean_squares(
        "system x assessor x (document:topic)",
        {"system": 36, "assessor": 4, "topic": 98, "document": 20},
        squares.set_index("effect")["mean_square"],
    )
    components = [
        [sorted(effect.facets), float(g.estimate[effect.label])]
        for effect in g.design.effects
    ]
    return {
        "components": components,
        "note": "Components of correctness on Cystic Fibrosis, from 36 "
        "systems, 98 topics, 20 documents on each and 4 assessors.",
    }


def collections():
    """Every registered collection that is on this machine by now."""
    table = gt.datasets()
    here = table["design"].isin(list(DESIGNS)) & (
        table["where"] != "remote"
    )
    here &= table["name"] != TABLE_1
    for row in table[here].itertuples():
        if row.measure:
            g = gt.gstudy(gt.load(row.name))
            title = row.title.removesuffix(f" ({row.measure})")
            yield preset(row.name, title, row.measure, g)
            continue
        table = gt.load(row.name)
        if "model" in table:  # a judge is a model with a prompt
            prompt = table["prompt"].astype(str)
            table["assessor"] = table["model"] + "/" + prompt
        facets = gt.Design(row.design).facets
        for measure in table.columns.intersection(MEASURES):
            scores = table[[*facets]].assign(score=table[measure])
            g = gt.gstudy(scores, row.design)
            yield preset(f"{row.name}-{measure}", row.title, measure, g)


def preset(name, title, measure, g):
    """One preset: numbers in the order of the design's effects."""
    return {
        "name": name,
        "title": title,
        "measure": measure,
        "design": DESIGNS[g.design.text],
        "levels": g.levels,
        "components": g.estimate.tolist(),
        "squares": g.mean_squares.tolist(),
    }
