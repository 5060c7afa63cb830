"""Tables as they are pasted, and what is doubted of each: the planner of
the book and the command go by the same rules, and are tested on these."""

import numpy as np
import pandas as pd


def _scores(seed, systems=12, topics=20):
    """Scores in [0, 1] that nothing is wrong with."""
    rng = np.random.default_rng(seed)
    merit = rng.normal(0.4, 0.08, (systems, 1))
    ease = rng.normal(0, 0.12, topics)
    noise = rng.normal(0, 0.1, (systems, topics))
    return pd.DataFrame(
        (merit + ease + noise).clip(0.01, 0.99).round(4),
        [f"s{k}" for k in range(systems)],
        [f"t{k}" for k in range(topics)],
    )


def _changed(seed, rows, columns, change):
    table = _scores(seed)
    part = table.iloc[rows, columns]
    table.iloc[rows, columns] = change(part)
    return table


def _with(seed, name, column):
    return _scores(seed).assign(**{name: column})


def _of_assessors(seed, *changes, nested=False):
    """A table of assessors, each of whom is a change of the scores."""
    rng = np.random.default_rng(seed)
    parts = []
    for k, change in enumerate(changes):
        judged = _scores(seed) + rng.normal(0, 0.003, (12, 20)).round(4)
        long = change(judged.round(4)).rename_axis("system").reset_index()
        long = long.melt("system", var_name="topic", value_name="score")
        assessor = long["topic"] + f"/{k}" if nested else f"a{k}"
        parts.append(long.assign(assessor=assessor))
    return pd.concat(parts)


def _same(judged):
    return judged


def design_of(table):
    """The design that the planner reads from a table."""
    if "assessor" not in table:
        return "system x topic"
    if table["assessor"].str.contains("/").any():
        return "system x (assessor:topic)"
    return "system x topic x assessor"


ALL = slice(None)
CLEAN = {
    "scores": _scores(0),
    "0 or 1": (_scores(1) > 0.4) * 1,
    "grades": (_scores(2) * 4).round(),
    "means of two grades": (_scores(35) * 4).round() / 2,
    "per cent": (_scores(3) * 100).round(1),
    "below zero": _scores(4) - 0.4,
    "negated penalties": -(_scores(5) * 25).round(1),
    "a measure that may be negative": _scores(34) * 4 - 1.2,
    "assessors": _of_assessors(6, _same, _same, _same),
    "assessors of a topic": _of_assessors(7, _same, _same, nested=True),
    "a name with a comma": _scores(8).rename({"s0": 'BM25, "long"'}),
    "two of three systems are runs": _scores(9).rename(
        columns={"t0": "run1"}
    ),
}
DOUBTFUL = {
    "mean": ("summary", _with(10, "mean", _scores(10).mean(axis=1))),
    "a mean": (
        "summary",
        _with(11, "x", _scores(11).mean(axis=1).round(4)),
    ),
    "a rounded mean": (
        "summary",
        _with(11, "x", _scores(11).mean(axis=1).round(2)),
    ),
    "a median": ("summary", _with(12, "x", _scores(12).median(axis=1))),
    "a mean system": (
        "summary",
        pd.concat([_scores(13), _scores(13).mean().to_frame("x").T]),
    ),
    "a sum": ("summary", _with(14, "x", _scores(14).sum(axis=1))),
    "a sum of per cent": (
        "summary",
        (_with(14, "x", _scores(14).sum(axis=1)) * 100).round(2),
    ),
    "an index by name": (
        "names",
        _with(15, "Unnamed: 0", _scores(16)["t1"]),
    ),
    "an index": (
        "index",
        (_with(17, "x", np.arange(12) / 100) * 100).round(2),
    ),
    "runs as columns": (
        "names",
        _scores(18).set_axis([f"Run {k}" for k in range(20)], axis=1),
    ),
    "one -1": ("sentinel", _changed(19, [3], [4], lambda x: x * 0 - 1)),
    "one -999": ("sentinel", _changed(20, [3], [4], lambda x: x * 0 - 999)),
    "a system of -1": (
        "sentinel",
        _changed(21, [3], ALL, lambda x: x * 0 - 1),
    ),
    "a quarter of -99": (
        "sentinel",
        _changed(22, ALL, range(0, 20, 4), lambda x: x * 0 - 99),
    ),
    "999 among per cent": (
        "sentinel",
        _changed(23, [2, 3], [4, 5], lambda x: x * 0 + 9.99) * 100,
    ),
    "a system of -1 beside 0 and 1": (
        "sentinel",
        ((_scores(24) > 0.4) * 1)
        .mul([0] + [1] * 11, axis=0)
        .sub([1] + [0] * 11, axis=0),
    ),
    "a system in per cent": (
        "percent",
        _changed(25, [3], ALL, lambda x: x * 100),
    ),
    "systems in per cent": (
        "percent",
        _changed(26, range(7), ALL, lambda x: x * 100),
    ),
    "a topic in per cent": (
        "scale",
        _changed(27, ALL, [3], lambda x: x * 100),
    ),
    "a lost point": ("scale", _changed(28, [3], [4], lambda x: x * 0 + 31)),
    "parameters": ("scale", _with(29, "n_params_b", [7, 13, 70] * 4)),
    "years beside 0 and 1": (
        "scale",
        ((_scores(30) > 0.4) * 1).assign(year=[2023, 2024] * 6),
    ),
    "an idle assessor": (
        "constant",
        _of_assessors(31, _same, lambda judged: judged * 0, _same),
    ),
    "an assessor in per cent": (
        "percent",
        _of_assessors(32, _same, _same, lambda judged: judged * 100),
    ),
    "of two assessors one in per cent": (
        "percent",
        _of_assessors(33, _same, lambda judged: judged * 100),
    ),
}
