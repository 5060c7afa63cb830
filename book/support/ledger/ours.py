"""All that the four papers print, computed again.

A function to a paper returns our numbers by the key of the printed one;
`computed` joins them to a `Ledger`, which refuses as long as a printed
number has neither one of ours nor a reason for having none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from math import comb
from typing import Any

import numpy as np
import pandas as pd

import gtlib as gt
from book.support.ledger.rounding import attainable, levels_that_print
from book.support.ledger.verdicts import Ledger
from book.support.simulations import recorded_rates

PAPERS = {
    "bodoff-li-2007": "Bodoff and Li (2007)",
    "voorhees-2006": "Voorhees (2006)",
    "carterette-2007": "Carterette (2007)",
    "carterette-2010": "Carterette et al. (2010)",
}
load: Any = gt.load  # tables, all of them
load_all: Any = gt.load_all
TRECS = "trec3", "trec5", "trec6", "trec7", "trec8"


def computed() -> Ledger:
    """Compute all numbers; it takes a minute, and the scores of TREC."""
    printed = {paper: load(paper) for paper in PAPERS}
    parts = test_theory(), swaps(), average_precision(), reusability()
    numbers, cited = zip(*parts, strict=True)
    ours = dict(zip(PAPERS, numbers, strict=True))
    return Ledger(printed, ours, Ledger.notes(), union(cited))


def union(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: x for part in parts for name, x in part.items()}


@cache
def printed_in(paper: str) -> pd.DataFrame:
    return load(paper)


def facts(paper: str, start: str) -> pd.DataFrame:
    """The printed numbers whose key begins so."""
    table = printed_in(paper)
    return table[table.index.str.startswith(start)]


def slug(text: str) -> str:
    return text.lower().replace(" ", "-")


def central(draws: Any) -> pd.DataFrame:
    """A column for each key, a row for each draw: the median and the
    central 95%."""
    limits = pd.DataFrame(draws).quantile([0.5, 0.025, 0.975]).T
    return limits.set_axis(["value", "low", "high"], axis=1)


def spread(each: Any) -> pd.DataFrame:
    """A column for each key, a row for each collection or site: the mean
    and the ends."""
    limits = pd.DataFrame(each).agg(["mean", "min", "max"]).T
    return limits.set_axis(["value", "low", "high"], axis=1)


# Bodoff and Li (2007)


def by_effect(numbers: pd.Series) -> dict[str, Any]:
    return numbers.rename(
        lambda key: key.split("/")[-1].replace("-x-", " x ")
    ).to_dict()


@cache
def levels_of_table_1() -> tuple[pd.Series, pd.Series]:
    """Numbers of levels from which the printed mean squares lead to all
    printed components: whether each combination does, and the one."""
    paper = "bodoff-li-2007"
    fits = levels_that_print(
        "system x topic x assessor",
        by_effect(facts(paper, "table-1/mean-square/")["printed"]),
        by_effect(facts(paper, "table-1/variance/")["printed"]),
        system=range(30, 37),
        topic=range(44, 53),
        assessor=[2, 3],
    ).all(axis=1)
    return fits, fits[fits].index.to_frame().iloc[0]


def mean_squares() -> pd.DataFrame:
    """Those of Table 1; that of assessors is printed as zero."""
    squares = facts("bodoff-li-2007", "table-1/mean-square/")
    return squares.drop("table-1/mean-square/assessor")


def study(squares: pd.Series, topics: int | None = None) -> gt.GStudy:
    levels = levels_of_table_1()[1]
    return gt.GStudy.from_mean_squares(
        "system x topic x assessor",
        {**levels, "topic": topics or levels["topic"]},
        {"assessor": 0, **by_effect(squares)},
    )


def table_1(
    squares: pd.Series, topics: int | None = None
) -> dict[str, Any]:
    """The components and per cents of Table 1, from its mean squares."""
    table = study(squares, topics).table
    return {
        f"table-1/{what}/{slug(effect)}": x
        for what in ("variance", "percent")
        for effect, x in table[what].items()
    }


def d_studies(squares: pd.Series) -> dict[str, Any]:
    """The plans of section 2.3 and Table 4, and the optimal ratios."""
    g = study(squares)
    # A negative component counts as zero, as in the paper
    g = gt.GStudy.from_components(g.design, g.variance)
    numbers = {"section-3.2.1/percent/system": g.table["percent"]["system"]}
    errors = {"absolute": "dependability", "relative": "generalizability"}
    for error, coefficient in errors.items():
        ratio = g.plan().optimal_ratio(coefficient).estimate
        numbers[f"section-3.2.3/optimal-ratio/{error}"] = ratio
    keys = printed_in("bodoff-li-2007").index
    for key in keys[keys.str.contains(r"/\d+x\d+$")]:
        _, what, size = key.split("/")
        topics, assessors = map(int, size.split("x"))
        plan = g.plan(topic=topics, assessor=assessors)
        numbers[key] = getattr(plan, what.replace("-", "_"))
    return numbers


def borrowed_alphas(
    tables: Mapping[str, pd.DataFrame], share: float
) -> pd.DataFrame:
    """Alphas of TREC-4, 9 and 10 by the means of their best runs, with
    residual mean squares of these tables, whose topics are drawn anew."""
    squares = []
    for seed, scores in enumerate(tables.values()):
        y, size = scores.to_numpy(), scores.shape[1]
        rng = np.random.default_rng(seed)
        rest = y[:, rng.integers(size, size=(200, size))]
        rest = rest - rest.mean(axis=2, keepdims=True)
        rest -= rest.mean(axis=0)  # without systems' and topics' effects
        degrees = (len(y) - 1) * (size - 1)
        squares.append((rest**2).sum(axis=(0, 2)) / degrees)
    drawn = np.concatenate(squares)
    coefficients, runs = {}, {}
    means = load_all("trec4-means", "trec9-means", "trec10-means")
    for title, table in means.items():
        kept = table["AP"].nlargest(int(share * len(table)))
        key = f"table-2/{slug(title.split(',')[0])}"
        coefficients[key] = 1 - drawn / (50 * kept.var())
        runs[key] = len(table)
    counts = pd.Series(runs)
    kept_of = (share * counts).astype(int)
    return central(coefficients).assign(runs=counts, kept=kept_of)


def test_theory() -> tuple[dict[str, Any], dict[str, Any]]:
    paper = "bodoff-li-2007"
    given = facts(paper, "figure-2/score")["value"]
    scores = pd.DataFrame(given.to_numpy().reshape(5, 3), columns=[1, 2, 3])
    totals = scores.sum(axis=1)
    items = gt.item_analysis(scores)["variance"]
    ours: dict[str, Any] = {
        **{f"figure-2/total/system-{i + 1}": x for i, x in totals.items()},
        **{f"figure-2/variance/topic-{j}": x for j, x in items.items()},
        "figure-2/sum-of-variances": items.sum(),
        "figure-2/variance/total": totals.var(),
        "figure-2/alpha": gt.cronbach_alpha(scores).estimate,
    }
    fits, levels = levels_of_table_1()
    ours |= levels.add_prefix("table-1/").add_suffix("s")
    for function in (table_1, d_studies):
        found = attainable(function, mean_squares())
        ours |= found.to_dict("index")
    trecs = load_all(*TRECS)
    best = {name: gt.drop_worst(table) for name, table in trecs.items()}
    for name, table in best.items():
        ours[f"table-2/{slug(name)}"] = gt.cronbach_alpha(table).estimate
    ours |= borrowed_alphas(best, 0.75).to_dict("index")
    negative = [
        (gt.item_analysis(table)["item_total"] < 0).sum()
        for table in best.values()
    ]
    counts = spread({"section-3.1.2/negative-topics": negative})
    return ours | counts.to_dict("index"), {"fits": fits}


# Voorhees (2006)


def percent(table: pd.DataFrame, size: int) -> pd.Series:
    rates = 100 * table.loc[size, [0.03, 0.05, 0.10]]
    return rates.set_axis([".03-.04", ".05-.06", ".10-.11"])


def at_50(rates: Any, least: int = 1) -> pd.Series:
    """Extrapolated from the rates of `least` topics on."""
    used = replace(rates, rate=rates.rate.loc[least:])
    return percent(gt.extrapolate_swaps(used).rate, 50)


def swaps() -> tuple[dict[str, Any], dict[str, Any]]:
    paper = "voorhees-2006"
    trecs = load_all(*TRECS)
    rates = recorded_rates("five TRECs")  # of 1,000 trials
    drawn = [gt.swap_rates(trecs, [25], seed=i) for i in range(1, 21)]
    alone = [gt.swap_rates(t, n_resamples=200) for t in trecs.values()]
    small = spread(percent(single.rate, 25) for single in alone).assign(
        value=percent(rates.rate, 25),
        error=percent(rates.error, 25),
        seeds=pd.DataFrame(percent(r.rate, 25) for r in drawn).std(),
    )
    small.index = "25-is-small/p-swap/" + small.index
    fifty = spread(map(at_50, alone)).assign(
        value=at_50(rates), from_5=at_50(rates, least=5)
    )
    fifty.index = "50-is-adequate/p-swap/" + fifty.index
    fifty.loc["50-is-adequate/error-at-10-per-cent"] = fifty.iloc[0]
    ours = small.to_dict("index") | fifty.to_dict("index")

    material = facts(paper, "25-is-small/material-difference")[
        "value"
    ].item()

    def relative(best_map):
        return {
            "25-is-small/relative-difference": 100
            * material
            / best_map.item(),
            "50-is-adequate/absolute-difference": 0.1 * best_map.item(),
        }

    best_map = facts(paper, "25-is-small/best-map")
    tops = [table.mean(axis=1).max() for table in trecs.values()]
    ours |= attainable(relative, best_map).to_dict("index")
    ours |= spread({"25-is-small/best-map": tops}).to_dict("index")
    return ours, {}


# Carterette (2007)


def average_precision() -> tuple[dict[str, Any], dict[str, Any]]:
    """Three documents, ranked B, A, C."""
    ranks = {"a": 2, "b": 1, "c": 3}

    def ap(*relevant):
        return gt.average_precision(
            list(ranks.values()),
            [document in relevant for document in ranks],
        )

    coefficients = {d + d: ap(d) for d in ranks}
    for d, e in ("ab", "ac", "bc"):
        coefficients[d + e] = 2 * ap(d, e) - ap(d) - ap(e)
    p = facts("carterette-2007", "section-2/p/")["value"]
    p = p.set_axis(["a", "b", "c"])
    values, chances = gt.ap_distribution(list(ranks.values()), p)
    chance = dict(zip(values.round(6), chances, strict=True))
    ours = {
        **{
            f"section-2/coefficient/{k}": x for k, x in coefficients.items()
        },
        "section-2/toy-ap": ap("b", "c"),
        "section-2/toy-ap/term-1": ap("b"),
        "section-2/toy-ap/term-2": 2 * ap("b", "c") - ap("b"),
        "section-2/p-ap-0": chance[0],
        **{f"section-2/p-ap-0/factor-{d}": 1 - p[d] for d in ranks},
        "section-2/p-ap-half": chance[ap("a")],
        "section-2/p-ap-half/factor-b": 1 - p["b"],
        "section-2/p-ap-half/factor-a": p["a"],
        "section-2/p-ap-half/factor-c": p["c"],
    }
    return ours, {"of 7/12": chance[round(ap("a", "c"), 6)]}


# Carterette and others (2010)


def effect_size(inputs: pd.Series) -> dict[str, float]:
    return {"apl/effect-size": inputs.iloc[0] / inputs.iloc[1]}


def size(name: str) -> int:
    return int(printed_in("carterette-2010").loc[name, "value"])


def reusability() -> tuple[dict[str, Any], dict[str, Any]]:
    ours = held_out_table() | million_query()
    sizes, cited = rotations()
    ours |= sizes | tests() | taus()
    limits = load("reuse-assigned").set_index("key")
    one_tail = limits.index.str.startswith("one tail: ")
    expected = facts("carterette-2010", "table-4/expected/").index
    drawn = limits[~one_tail].drop(expected)
    ours |= drawn.to_dict("index")
    trials = load("reuse-trials").query("study == 'worse'")
    trials = trials[trials["population"] == "one of each site"]
    p = trials.pivot_table("p", "draw", "setting")
    below = p < 0.01
    needed = below.idxmax(axis=1).where(
        below.any(axis=1), p.columns[-1] + 10
    )
    simulated = {"section-4.1/topics": needed, "section-4.1/p": p[50]}
    ours |= central(simulated).to_dict("index")
    return ours, {**cited, "p": p}


def held_out_table() -> dict[str, Any]:
    """Table 1: which of six sites are held out of which topic."""
    design = gt.BlockDesign(sites=6, held_out=2, topics=15)
    held = (design.table() == "−").to_numpy()
    sites = np.arange(1, 7)
    digits = [int("".join(map(str, sites[row]))) for row in held]
    only_s6 = 1 + np.flatnonzero(held[:, 5] & ~held[:, 4])
    return {
        **{f"table-1/topic-{i}": x for i, x in enumerate(digits, 1)},
        "table-1/within-reuse": design.sizes["within-site reuse"],
        "table-1/within-baseline": design.sizes["within-site baseline"],
        "table-1/between-baseline": design.sizes["between-site baseline"],
        "table-1/between-reuse": design.sizes["between-site reuse"],
        "table-1/participant-first": only_s6.min(),
        "table-1/participant-last": only_s6.max(),
    }


def million_query() -> dict[str, Any]:
    """Sizes that follow from the design, and counts of public files."""
    ours: dict[str, Any] = {}
    tracks = load_all("mq2008-judgments", "mq2009-judgments")
    for title, judgments in tracks.items():
        each = judgments.groupby("topic")["relevance"].agg(["size", "max"])
        labels = [
            np.full(len(each), "every"),
            np.where(each["max"] > 0, "relevant", "without"),
            np.where(each.index <= 20050, "web", "other"),
        ]
        sizes = [each["size"].groupby(label) for label in labels]
        file = pd.concat([group.agg(["count", "sum"]) for group in sizes])
        topics, total = file["count"], len(judgments)
        if "2008" in title:
            used = file.loc["relevant"]
            values = {"topics": used["count"], "judgments": used["sum"]}
        else:
            values = {
                "topics": topics["other"],
                "judgments": total,
                "judgments-per-topic": total / topics["every"],
                "relevant-percent": 100
                * (judgments["relevance"] > 0).mean(),
                "topics-without-relevant": topics["without"],
            }
        for key, value in values.items():
            key = f"mq{title[14:18]}/{key}"
            ours[key] = {"value": value, "file": file}
    mq2009 = gt.BlockDesign(
        sites=size("mq2009/sites"),
        held_out=2,
        topics=size("mq2009/topics"),
        baseline=size("mq2009/baseline"),
        fill=True,
    ).sizes
    everybody = mq2009["all-site baseline"]
    return ours | {
        "mq2008/rest": size("mq2008/topics") - size("mq2008/baseline"),
        "mq2008/subsets": of_mq2008().subsets,
        "mq2009/reuse": size("mq2009/topics") - size("mq2009/baseline"),
        "figure-2/all-site-baseline": everybody,
        "figure-2/site-baseline": mq2009["within-site baseline"]
        - everybody,
        "figure-2/site-reuse": mq2009["within-site reuse"],
    }


def of_mq2008() -> gt.BlockDesign:
    return gt.BlockDesign(
        sites=size("mq2008/sites"),
        held_out=size("mq2008/held-out"),
        topics=size("mq2008/topics"),
        baseline=size("mq2008/baseline"),
    )


def rotations() -> tuple[dict[str, Any], dict[str, Any]]:
    """Robust 2004, with 13 and with 14 sites in rotation."""
    runs = load("robust2004-sites")["site"].value_counts()
    robust, fourteen = (
        gt.BlockDesign(
            sites=list(runs.index[:m]),
            held_out=size("robust2004/held-out"),
            topics=size("robust2004/topics"),
            fill=True,
        )
        for m in (13, 14)
    )
    sizes, out = robust.sizes, robust.assign(seed=1).held_out.sum()
    ours = {
        "robust2004/contributing": len(runs) - size("robust2004/held-out"),
        "robust2004/between-reuse": sizes["between-site reuse"],
        "figure-1/reuse-topics": sizes["within-site reuse"],
        "figure-1/baseline-topics": sizes["within-site baseline"],
        "apl/pairs": comb(runs["jhu.apl.mcnamee"], 2),
    }
    of_a_site = {"apl/reuse-topics": out, "robust2004/within-reuse": out}
    of_a_site["apl/baseline-topics"] = size("robust2004/topics") - out
    ours |= spread(of_a_site).to_dict("index")
    cited = {"fourteen": fourteen.sizes, "runs": runs}
    return ours, cited | {"mq2008": of_mq2008().sizes}


def p_value(table: str, method: str = "asymptotic") -> pd.DataFrame:
    """The p of a printed table, and what its rounded cells allow."""
    observed = facts("carterette-2010", f"{table}/observed")["value"]
    expected = facts("carterette-2010", f"{table}/expected")

    def test(cells):
        fit = gt.goodness_of_fit(observed, cells, method)
        return {f"{table}/p": fit.p_value}

    def adds_up(cells):
        return np.isclose(cells.sum(), observed.sum())

    return attainable(test, expected, adds_up)


def tests() -> dict[str, Any]:
    """The example of two runs, and four tests of counts."""
    effect = facts("carterette-2010", "apl/")
    effect = effect.loc[
        ["apl/mean-difference", "apl/sd", "apl/effect-size"]
    ]
    of_pair = facts("carterette-2010", "apl/pair/")

    def power(inputs):
        both: Any = gt.paired_t_power(inputs.item(), [210, 39])
        baseline, reuse = both
        return {
            "apl/power-baseline": baseline,
            "apl/power-baseline-percent": 100 * baseline,
            "apl/power-reuse": reuse,
        }

    def cells(inputs):  # both, baseline only, reuse only, neither
        base, again = ([x, 1 - x] for x in inputs)
        products = [b * a for b in base for a in again]
        return dict(zip(of_pair.index, products, strict=True))

    pair = printed_in("carterette-2010").loc[
        ["apl/power-baseline", "apl/power-reuse"]
    ]
    ours = attainable(effect_size, effect.iloc[:2]).to_dict("index")
    ours |= attainable(power, effect.iloc[2:]).to_dict("index")
    ours |= attainable(cells, pair).to_dict("index")
    for table in ("table-3", "table-4", "table-5"):
        ours |= p_value(table).to_dict("index")
    ours["mq2009/p-between"] = p_value("table-5")["value"].item()
    # The paper drew tables at random; here are all that there are.
    exact = p_value("apl", "exact")["value"].item()
    half = 2 * np.sqrt(exact * (1 - exact) / 2000)
    ours["apl/p"] = {
        "value": exact,
        "low": exact - half,
        "high": exact + half,
    }
    return ours


def from_pairs(tau: float, decimals: int, pairs: int) -> dict[str, float]:
    """The nearest tau of so many pairs, one tied if that is as printed."""
    for tied in (0, 1):
        same = round((1 + tau) / 2 * (pairs - tied))
        value = 2 * same / (pairs - tied) - 1
        if round(value, int(decimals)) == tau:
            break
    counts = {"same": same, "pairs": pairs, "tied": tied}
    return dict.fromkeys(["value", "low", "high"], value) | counts


def taus() -> dict[str, Any]:
    """Table 6 and the overall taus: 35 runs of eight sites."""
    runs_of, ours = {"iiith": 3, "uogtr": 2}, {}
    for key, row in facts("carterette-2010", "table-6/").iterrows():
        r = runs_of.get(str(key).split("/")[-1], 5)
        pairs = comb(r, 2) if "within" in str(key) else r * (35 - r)
        ours[key] = from_pairs(row["value"], row["decimals"], pairs)
    for key, row in facts("carterette-2010", "mq2009/tau").iterrows():
        ours[key] = from_pairs(row["value"], row["decimals"], comb(35, 2))
    return ours
