"""Whatever is put into any argument of a public name is refused by name.

One argument at a time gets a value that hardly anybody means, beside good
ones. The answer is a `ValueError` or a `TypeError` whose message names the
argument, or a result where the value is a legitimate one: these are listed.
"""

import inspect
import re
import sys
from decimal import Decimal
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from gtlib.reuse import Assignment
from gtlib.scores import as_long

HOSTILE = {
    "None": None,
    "True": True,
    "nan": float("nan"),
    "inf": float("inf"),
    "-1": -1,
    "0": 0,
    "0.5": 0.5,
    "10**30": 10**30,
    "10**400": 10**400,
    "1e308": 1e308,
    "empty text": "",
    "text": "hostile",
    "bytes": b"x",
    "empty list": [],
    "ragged": [[1, 2], [3]],
    "empty dict": {},
    "dict": {"hostile": "x"},
    "set": {1, 2},
    "object": object(),
    "function": lambda: None,
    "class": int,
    "complex": 1 + 2j,
    "decimal": Decimal("NaN"),
    "array(0)": np.array(0),
    "empty array": np.array([]),
    "3-d array": np.zeros((2, 2, 2)),
    "Series": pd.Series([1.0, 2.0], ["hostile", "y"]),
    "empty frame": pd.DataFrame(),
    "missing": pd.NA,
    "no such file": Path("/no/such/file"),
}


@cache
def things():
    """What good arguments are made of."""
    rng = np.random.default_rng(0)
    systems = [f"s{i}" for i in range(6)]
    wide = pd.DataFrame(
        rng.random((6, 8)), systems, [f"t{i}" for i in range(8)]
    )
    wide = wide.add(np.arange(6), axis=0) / 6
    collection = gt.synthetic_collection(3, 2, 12, 5)
    pool = gt.pool_runs(collection.runs)
    held = pd.DataFrame(False, wide.columns, ["A", "B"])
    held.iloc[[0, 1, 2], 0] = held.iloc[[3, 4, 5], 1] = True
    folder = Path(mkdtemp())
    (folder / "run").write_text("1 Q0 d1 1 9.5 bm25")
    (folder / "qrels").write_text("1 0 d1 1")
    return {
        "folder": folder,
        "wide": wide,
        "long": as_long(wide),
        "study": gt.gstudy(wide),
        "pool": pool,
        "qrels": collection.qrels,
        "sites": dict(zip(systems, "AAABBB", strict=True)),
        "assignment": Assignment(held),
        "rates": gt.swap_rates(rng.random((6, 8)), drop=0),
    }


def cases():
    """Yield each public function and method with good arguments."""
    t = things()
    wide, study = t["wide"], t["study"]
    plan = study.plan()
    scores = {"scores": wide}
    runs = pd.DataFrame({"task": [1, 1, 2, 2], "score": [1, 0, 1, 1]})
    one = pd.DataFrame(
        {
            "system": "a",
            "topic": "1",
            "document": ["d1", "d2"],
            "rank": [1, 2],
            "score": [2.0, 1.0],
        }
    )
    qrels = pd.DataFrame(
        {"topic": "1", "document": ["d1", "d2"], "relevance": [1, 0]}
    )
    draw = {"confidence_level": 0.9, "n_resamples": 20, "seed": 1}
    drawing = {"groups": None, "method": "auto"} | draw
    interval = {"coefficient": "generalizability"} | drawing
    ranks = {"ranks": [1, 2, 3], "p": [0.5, 0.5, 0.2]}
    parts = {"system": 1.0, "topic": 1.0, "system x topic": 1.0}
    squares = {"system": 3.0, "topic": 2.0, "system x topic": 1.0}
    levels = {"system": 3, "topic": 4}
    design = gt.Design("system x topic")
    blocks = {"sites": 3, "held_out": 1, "topics": 6, "baseline": 0}
    blocks |= {"fill": False}
    reuse = scores | {"sites": t["sites"], "assignment": t["assignment"]}
    swaps = {"sizes": [2], "n_resamples": 3, "seed": 1, "drop": 0.0}
    board = {
        "design": "system x topic",
        "fixed": (),
        "weights": None,
        "confidence_level": 0.9,
    }
    yield gt.tidy, {"table": wide}
    yield gt.drop_worst, scores | {"fraction": 0.2}
    how = {"groups": None, "method": "auto", "confidence_level": 0.9}
    yield gt.cronbach_alpha, scores | how
    yield gt.item_analysis, scores
    yield gt.spearman_brown, {"reliability": 0.5, "length": 2}
    yield (
        gt.gstudy,
        {
            "scores": t["long"],
            "design": "system x topic",
            "method": "auto",
            "score": "score",
            "columns": None,
            "groups": None,
        },
    )
    both = {"a": wide, "b": wide + 1}
    yield gt.mgstudy, {"scores": both, "design": None}
    yield gt.leaderboard, scores | board | {"alpha": 0.05}
    yield (
        gt.compare,
        scores
        | board
        | {"a": "s0", "b": "s1", "any_time": False, "margin": 0.1},
    )
    yield (
        gt.topics_to_detect,
        {
            "g": study,
            "difference": 0.3,
            "alpha": 0.05,
            "power": 0.8,
            "systems": 2,
            "matched": True,
        },
    )
    yield (
        gt.swap_rates,
        {"collections": wide, "bins": None, "matched": True} | swaps,
    )
    yield gt.split_half, scores | swaps
    yield gt.extrapolate_swaps, {"rates": t["rates"], "sizes": (50,)}
    yield gt.kendall_tau, {"first": [1, 2, 3], "second": [1, 3, 2]}
    yield (
        gt.tau_ap,
        {"reference": [1, 2, 3], "estimate": [1, 3, 2], "ties": "a"},
    )
    yield (
        gt.paired_t_power,
        {"effect_size": 0.5, "topics": 20, "alpha": 0.05},
    )
    yield (
        gt.gate_power,
        {
            "threshold": 0.8,
            "truth": 0.7,
            "tasks": 20,
            "runs": 2,
            "task_sd": 0.2,
            "run_sd": 0.3,
        },
    )
    for name in ("pass_at_k", "pass_all_k"):
        yield (
            getattr(gt, name),
            {"scores": runs, "k": 2, "confidence_level": 0.9},
        )
    yield (
        gt.agreement,
        {
            "ratings": pd.DataFrame({"a": [0, 1, 1, 0], "b": [0, 1, 0, 0]}),
            "pairs": [("a", "b")],
            "n_resamples": 20,
            "seed": 1,
            "confidence_level": 0.9,
        },
    )
    yield (
        gt.human_topics,
        {
            "half_width": 0.1,
            "sd": 0.2,
            "correlation": 0.8,
            "topics": [30],
            "assurance": 0.8,
            "confidence_level": 0.9,
        },
    )
    yield (
        gt.prediction_powered,
        {
            "human": wide.iloc[:, :4],
            "machine": wide,
            "bounds": (0, 1),
            "these_topics": False,
            "confidence_level": 0.9,
        },
    )
    yield (
        gt.goodness_of_fit,
        {
            "observed": [[10, 5], [4, 9]],
            "expected": [[9.0, 6.0], [5.0, 8.0]],
            "method": "asymptotic",
            "n_resamples": 20,
            "seed": 1,
        },
    )
    yield (
        gt.reusability_test,
        reuse
        | {
            "comparisons": ("participant",),
            "shuffle": "blocks",
            "alpha": 0.05,
            "n_resamples": 20,
            "seed": 1,
        },
    )
    yield (
        gt.significance_agreement,
        reuse
        | {
            "comparison": "participant",
            "alpha": 0.05,
            "adjust": None,
        },
    )
    yield gt.BlockDesign, blocks
    yield (
        gt.BlockDesign.options,
        {k: v for k, v in blocks.items() if k != "held_out"},
    )
    yield gt.BlockDesign(**blocks).assign, {"seed": 1}
    yield gt.average_precision, {"ranks": [1, 2, 3], "relevance": [1, 0, 1]}
    yield gt.ap_moments, ranks | {"ratio": "plugin"}
    yield gt.ap_distribution, ranks
    yield (
        gt.delta_ap_moments,
        {
            "ranks_a": [1, 2, 3],
            "ranks_b": [3, 1, 2],
            "p": [0.5, 0.5, 0.2],
            "ratio": "plugin",
        },
    )
    yield gt.load, {"name": "small", "measure": None}
    yield gt.read_run, {"path": t["folder"] / "run"}
    yield gt.read_qrels, {"path": t["folder"] / "qrels"}
    yield (
        gt.read_runs,
        {"runs": one, "qrels": qrels, "measures": "AP", "report": None},
    )
    yield gt.pool_runs, {"runs": one, "depth": None}
    yield (
        gt.judge,
        {
            "pool": t["pool"],
            "qrels": t["qrels"],
            "strategy": "random",
            "per_topic": 2,
            "until": None,
            "seed": 1,
            "prior": "uniform",
        },
    )
    yield (
        gt.synthetic_collection,
        {
            "systems": 3,
            "topics": 2,
            "documents": 12,
            "depth": 5,
            "seed": 1,
        },
    )
    yield gt.ExpertModel, {"aggregator": "experts"}
    judged = {"pool": t["pool"], "judgments": t["qrels"]}
    yield gt.ExpertModel().fit, judged
    yield gt.Design, {"text": "system x topic", "object": "system"}
    yield design.find, {"label": "topic"}
    yield design.check_levels, {"levels": levels}
    yield design.closure, {"facets": ["topic"]}
    yield design.primary, {"members": frozenset(["topic"])}
    for method in (
        design.observations_per_cell,
        design.degrees_of_freedom,
        design.mean_squares_to_components,
    ):
        yield method, {"levels": levels}
    yield (
        gt.GStudy.from_components,
        {"design": "system x topic", "components": parts, "levels": levels},
    )
    yield (
        gt.GStudy.from_mean_squares,
        {
            "design": "system x topic",
            "levels": levels,
            "mean_squares": squares,
        },
    )
    yield (
        gt.GStudy.from_sums,
        {
            "design": "system x topic",
            "levels": levels,
            "terms": [3.0, 2.0, 9.0],
            "matrix": None,
            "shares": None,
            "method": "auto",
        },
    )
    yield study.plan, {"design": None, "fixed": (), "levels": None}
    yield study.component_intervals, drawing
    yield plan.interval, interval
    yield (
        plan.required,
        {
            "facet": "topic",
            "target": 0.3,
            "coefficient": "generalizability",
        },
    )
    yield (
        plan.required_interval,
        interval | {"facet": "topic", "target": 0.3},
    )
    for method in (plan.coefficients, plan.sums):
        yield method, {"components": None, "numbers": None}
    for method in (plan.with_numbers, plan.grid):
        yield method, {"levels": {"topic": 4}}
    yield plan.fill_numbers, {"numbers": {}}
    yield plan.number, {"facet": "topic"}
    yield plan.known_number, {"facet": "topic"}
    free = {"cost": None, "coefficient": "generalizability"}
    yield (
        study.plan().best,
        free | {"budget": 20, "n_resamples": 0, "seed": 1},
    )
    yield study.plan().cheapest, free | {"target": 0.3}
    yield (
        study.plan().sensitivity,
        free
        | {
            "budget": 20,
            "n_resamples": 10,
            "seed": 1,
        },
    )
    yield (
        plan.ranking_agreement,
        {
            "method": "auto",
            "n_resamples": 10,
            "seed": 1,
        },
    )


CASES = [*cases()]
# Other words that name an argument.
CALLED = {
    "scores": "table|score",
    "human": "score",
    "machine": "score",
    "collections": "collection|score",
    "fixed": "facet",
    "levels": "facet|number",
    "text": "design",
    "label": "design|effect",
    "members": "facet",
    "a": "system",
    "b": "system",
    "sizes": "size",
    "comparisons": "comparison",
    "sites": "site",
    "topics": "topic",
    "name": "data set",
    "ranks_a": "ranks",
    "ranks_b": "ranks",
    "relevance": "ranks",
    "components": "component|effect",
    "judgments": "qrels|column",
    "mean_squares": "mean square|effect",
    "terms": "effect",
    "qrels": "judgments|file|column",
    "runs": "run|file|column",
    "design": "column|table|effect|facet",
    "path": "file",
    "measures": "measure",
}
SOME = ["0.5", "10**30", "1e308"]
NONE = {
    argument: ["None"]
    for argument in (
        *("a", "adjust", "b", "bins", "columns", "components", "cost"),
        *("depth", "design", "groups", "levels", "matrix", "measure"),
        *("numbers", "pairs", "report", "shares", "sizes", "weights"),
    )
}
HALF = {
    argument: ["0.5"]
    for argument in ("alpha", "assurance", "confidence_level", "power")
} | {"target": ["0.5"]}
FACETS = {"closure": "facets", "primary": "members"}
FLAGS = ("any_time", "fill", "matched", "these_topics")
# What is legitimate, by argument, or by function and argument.
TAKEN = {
    **NONE,
    **HALF,
    "until": ["None", "0.5"],
    **{flag: ["True"] for flag in FLAGS},
    **{
        share: ["0", "0.5"] for share in ("drop", "fraction", "reliability")
    },
    **dict.fromkeys(("difference", "half_width", "length", "sd"), SOME),
    "margin": ["None", *SOME],
    "budget": ["0.5"],
    "baseline": ["0"],
    "correlation": ["-1", "0", "0.5"],
    "fixed": ["empty list", "empty array"],
    "seed": ["0", "10**30"],
    ("gstudy", "columns"): ["None", "empty dict"],
    ("mgstudy", "design"): ["None", "empty dict"],
    ("best", "n_resamples"): ["0"],
    ("swap_rates", "sizes"): ["None", "set", "Series"],
    ("extrapolate_swaps", "sizes"): ["set", "Series"],
    ("human_topics", "topics"): ["empty list", "empty array"],
    ("reusability_test", "comparisons"): ["empty list", "empty array"],
    # Names of one letter each, or any others.
    **{
        (f"BlockDesign{of}", names): ["text", "set", "Series"]
        for of in ("", ".options")
        for names in ("sites", "topics")
    },
    ("read_runs", "report"): ["None", "function", "class"],
    ("Design", "object"): ["empty text"],
    # No facets have no closure.
    **{
        (f"Design.{call}", argument): [
            what for what in HOSTILE if what.startswith("empty")
        ]
        for call, argument in (
            ("closure", "facets"),
            ("primary", "members"),
        )
    },
    **{
        (f"Plan.{call}", argument): ["empty dict", *none]
        for call, argument, none in (
            ("coefficients", "numbers", ["None"]),
            ("sums", "numbers", ["None"]),
            ("fill_numbers", "numbers", []),
            ("with_numbers", "levels", []),
            ("grid", "levels", ["None"]),
        )
    },
    ("GStudy.plan", "levels"): ["None", "empty dict"],
    # Of scores that are not 0 and 1, with a mean or a list of them.
    ("gate_power", "threshold"): ["-1", "0", *SOME],
    **{
        ("gate_power", argument): [
            *more,
            *("True", "0", *SOME, "array(0)", "Series"),
        ]
        for argument, more in (
            ("truth", ["-1"]),
            ("task_sd", []),
            ("run_sd", ["None"]),
        )
    },
    # Arrays of any shape; without end the power is that of the limit.
    ("paired_t_power", "effect_size"): [
        *("True", "inf", "-1", "0", "0.5", "10**30", "10**400", "1e308"),
        *("empty list", "array(0)", "empty array", "3-d array", "Series"),
        "empty frame",
    ],
    ("paired_t_power", "topics"): [
        *("inf", "10**30", "10**400", "1e308"),
        *("empty list", "empty array", "empty frame"),
    ],
}


def name(case):
    return case.__qualname__


def put(call, good, argument, what):
    """Return what is wrong with the answer to one hostile value, or
    nothing."""
    given = good | {argument: HOSTILE[what]}
    try:
        call(**given)
    except (ValueError, TypeError) as error:
        words = f"{re.escape(argument)}|{CALLED.get(argument, argument)}"
        if not re.search(rf"\b(?:{words})", str(error), re.IGNORECASE):
            return f"{type(error).__name__}: {str(error)[:150]}"
    except FileNotFoundError as error:  # it names the file
        return (
            "" if "hostile" in str(error) or "such" in str(error) else "!"
        )
    except Exception as error:
        return f"{type(error).__name__}! {str(error)[:150]}"
    else:
        taken = TAKEN.get((name(call), argument), TAKEN.get(argument, ()))
        if what not in taken:
            return "is taken"
    return ""


ARGUMENTS = [
    (call, good, argument) for call, good in CASES for argument in good
]


@pytest.mark.parametrize(
    ("call", "good", "argument"),
    ARGUMENTS,
    ids=[f"{name(call)}-{argument}" for call, _, argument in ARGUMENTS],
)
@pytest.mark.filterwarnings("ignore")
def test_what_nobody_means_is_refused_by_name(call, good, argument):
    wrong = {
        what: told
        for what in HOSTILE
        if (told := put(call, good, argument, what))
    }
    assert not wrong


@pytest.mark.parametrize(
    "call, good", CASES, ids=[name(c) for c, _ in CASES]
)
def test_beside_it_stand_good_ones(call, good):
    call(**good)


# Constructed by other functions, or without arguments.
RECORDS = {"GStudy", "Plan", "Interval", "DatasetUnavailable"}
NOT_ASKED = {"datasets", "load_all", "GStudy.universe_scores"}
NOT_ASKED |= {"BlockDesign.table", "ExpertModel.predict"}
NOT_ASKED |= {"ExpertModel.estimates", "Plan.optimal_ratio"}


def test_every_argument_of_every_public_name_is_tried():
    tried = {}
    for call, good in CASES:
        tried.setdefault(name(call).rpartition(".")[2], set()).update(good)
    for public in gt.__all__:
        thing = getattr(gt, public)
        calls = {} if public in RECORDS else {public: thing}
        if inspect.isclass(thing) and public != "DatasetUnavailable":
            calls |= {
                f"{public}.{method}": getattr(thing, method)
                for method, value in vars(thing).items()
                if not method.startswith("_")
                and callable(getattr(thing, method))
                and not isinstance(value, property)
            }
        for called, function in calls.items():
            if called in NOT_ASKED:
                continue
            parameters = inspect.signature(function).parameters.values()
            wanted = {
                p.name
                for p in parameters
                if p.name != "self" and p.kind is not p.VAR_KEYWORD
            }
            of = called.rpartition(".")[2]
            assert wanted <= tried.get(of, set()), called


def test_no_file_that_the_host_has_open_is_read_or_closed():
    for number in (True, 0, 1, 2):
        for read in (gt.read_run, gt.read_qrels):
            with pytest.raises(ValueError, match="path="):
                read(number)
    sys.stdout.flush()
