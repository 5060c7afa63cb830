"""Scores of systems that other people have published, as they are.

A reader takes the local files and the row of the registry, and gives what
the files hold: a long table, in which a score that nobody gave has no row,
or a wide one where nothing can be missing. It leaves out what is no score
(means over all topics, lines of another kind) and nothing else: which
systems make a collection is for those to say who use it.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from gtlib.tables import Design, as_numbers, as_wide

Files = Sequence[Path]
Row = Mapping[str, str]

_OVERALL = ("all", "ALL")
# The name of a measure in a file, and the order of the fields in a line.
_LINES = {
    "AP": ("map", ["measure", "topic", "score"]),
    "average precision": ("ap", ["topic", "measure", "score"]),
}


def per_topic(files: Files, row: Row) -> pd.DataFrame:
    """Read a file per run, with lines of a measure, a topic and a value,
    as trec_eval prints them."""
    wanted, order = _LINES[row["measure"]]
    tables = []
    for path in files:
        lines = map(str.split, path.read_text("utf-8").splitlines())
        table = pd.DataFrame(
            [line for line in lines if len(line) == 3], columns=order
        )
        table = table[table["measure"] == wanted]
        table = table[~table["topic"].isin(_OVERALL)]
        if table.empty:
            raise ValueError(
                f"{path.name} has no line of {wanted!r}, one per topic."
            )
        tables.append(table.assign(system=path.stem))
    return _long(pd.concat(tables), row, {})


def per_sample(files: Files, row: Row) -> pd.DataFrame:
    """Read LiveCodeBench: samples of problems, in the order that each
    model has them in."""
    (path,) = files
    performances = json.loads(path.read_text("utf-8"))["performances"]
    measure = next(m for m in performances[0] if m.lower() == "pass@1")
    table = pd.DataFrame(performances)
    # One of the two files has the short name of three models.
    table["model"] = table["model"].str.replace("Cllama", "CodeLlama")
    within = table.groupby(["model", "question_id"]).cumcount() + 1
    problem = table["question_id"].astype(str)
    table["sample"] = problem + "/" + within.astype(str)
    names = {"model": "system", "question_id": "problem", measure: "score"}
    return _long(table, row, names)


def per_segment(files: Files, row: Row) -> pd.DataFrame:
    """Read lines of a system, a score or None, and a segment; lines
    without a score are left out."""
    table = pd.read_csv(files[0], sep=r"\s+", na_values="None")
    names = {"seg_id": "segment", "mqm_avg_score": "score"}
    return _long(table.dropna(), row, names)


def per_song(files: Files, row: Row) -> pd.DataFrame:
    """Read MIREX: a file per system, in a folder whose name ends with the
    number of the annotator where there are several. A system that came
    back in another year counts once."""
    tables = []
    for path in files:
        table = pd.read_csv(path, skiprows=1, dtype={"File": str})
        if "Pairwise score (%)" not in table:
            raise ValueError(f"{path.name} has no column of scores.")
        who = path.parent.name[-1]
        tables.append(table.assign(system=path.stem, annotator=who))
    names = {"File": "song", "Pairwise score (%)": "score"}
    return _long(pd.concat(tables), row, names).drop_duplicates()


def per_responder(files: Files, _: Row) -> pd.DataFrame:
    """Read responders x items, a column of 0 and 1 per item."""
    table = pd.read_csv(files[0], index_col=0)
    other_values = set(pd.unique(table.to_numpy().ravel())) - {0, 1}
    if other_values:
        raise ValueError(
            f"{files[0].name} has the score {min(other_values)}; an answer "
            "is right (1) or not (0)."
        )
    # One block: to check thousands of columns one by one takes seconds.
    values = table.to_numpy()
    return as_wide(pd.DataFrame(values, table.index, table.columns))


def per_trial(files: Files, row: Row) -> pd.DataFrame:
    """Read Terminal-Bench: a file per agent and run, below a folder that
    is called after a date and the agent. A trial that did not end is a
    failure, as the board counts it."""
    tables = []
    runs: dict[str, int] = {}
    for path in sorted(files, key=str):
        above = path.parents[path.name == "results.json"]
        _, agent = above.name.split("_", 1)
        runs[agent] = runs.get(agent, 0) + 1
        trials = json.loads(path.read_text("utf-8"))["results"]
        solved = [(t["task_id"], t["is_resolved"] is True) for t in trials]
        table = pd.DataFrame(solved, columns=["task", "score"])
        tables.append(table.assign(system=agent, run=runs[agent]))
    return _long(pd.concat(tables).astype({"score": float}), row, {})


def per_trajectory(files: Files, row: Row) -> pd.DataFrame:
    """Read τ-bench: trials of tasks, a file per agent and domain."""
    tables = []
    for path in files:
        trials = json.loads(path.read_text("utf-8"))
        rows = [(t["task_id"], t["trial"] + 1, t["reward"]) for t in trials]
        table = pd.DataFrame(rows, columns=["task", "run", "score"])
        tables.append(table.assign(system=path.stem.rpartition("-")[0]))
    return _long(pd.concat(tables), row, {})


def _long(table, row, names):
    """Return the columns of the design, and the scores as numbers."""
    facets = Design(row["design"]).facets
    table = table.rename(columns={**names, "topic": facets[1]})
    table = table[[*facets, "score"]].reset_index(drop=True)
    return table.assign(score=as_numbers(table["score"]))


MATRIX_READERS = {
    "per topic": per_topic,
    "per sample": per_sample,
    "per segment": per_segment,
    "per song": per_song,
    "per responder": per_responder,
    "per trial": per_trial,
    "per trajectory": per_trajectory,
}
