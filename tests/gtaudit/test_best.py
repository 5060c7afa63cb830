"""The coefficient among the best systems, against fits of its own."""

import numpy as np
import pandas as pd
import pytest

import gtaudit
import gtaudit.board
import gtlib as gt
from gtaudit import best_systems
from gtaudit.doubts import CODES
from tests.gtlib.gtheory.uneven import uneven


def table(systems=23, topics=12, seed=5):
    rng = np.random.default_rng(seed)
    merit = np.linspace(0, 1, systems)[rng.permutation(systems), None]
    return pd.DataFrame(
        merit
        + rng.normal(0, 1, (systems, topics))
        + rng.normal(0, 1, topics)
    )


def the_best(scores, n):
    means = scores.mean(axis=1).sort_values(ascending=False, kind="stable")
    return scores.loc[means.index[:n]]


def test_every_step_is_the_study_of_those_systems_alone():
    scores = table()
    found = best_systems(scores)
    for n, row in found.iterrows():
        plan = gt.gstudy(the_best(scores, n)).plan()
        interval = plan.interval("generalizability")
        expected = plan.generalizability, interval.low, interval.high
        numbers = tuple(row[["generalizability", "low", "high"]])
        assert numbers == pytest.approx(expected, abs=1e-12)
        assert (row["method"], row["note"]) == (
            interval.method,
            interval.reason,
        )


def test_the_best_of_one_site_have_no_interval():
    scores = table()
    means = scores.mean(axis=1).sort_values(ascending=False)
    first = dict.fromkeys(means.index[:4], "first")
    sites = pd.Series(
        {s: first.get(s, f"site{i % 6}") for i, s in enumerate(means.index)}
    )
    found = best_systems(scores, sites=sites)
    alone = found.index <= 4
    limits = found[["low", "high"]]
    assert limits[alone].isna().all(axis=None)
    assert (found["note"][alone] == "all of them are of one site").all()
    assert limits[~alone].notna().all(axis=None)
    for n, row in found[~alone].iterrows():
        plan = gt.gstudy(the_best(scores, n)).plan()
        interval = plan.interval("generalizability", groups=sites)
        assert [row["low"], row["high"]] == pytest.approx(
            [interval.low, interval.high], rel=1e-9
        )
        assert row["method"].endswith(
            f"{sites[means.index[:n]].nunique()} sites"
        )
    few = found["note"].str.contains("too few to show how they scatter")
    assert [*found.index[few]] == [5, 6]


def test_further_facets_are_kept():
    long = gt.load("cf", measure="AP")
    long = long[long["system"].isin(long["system"].unique()[:6])]
    long = long[long["topic"].isin(long["topic"].unique()[:8])]
    found = best_systems(long, "system x topic x assessor")
    means = long.groupby("system")["score"].mean().sort_values()
    for n, row in found.iterrows():
        chosen = long[long["system"].isin(means.index[-n:])]
        plan = gt.gstudy(chosen, "system x topic x assessor").plan()
        assert row["generalizability"] == pytest.approx(
            plan.generalizability
        )


@pytest.mark.parametrize(
    "among_all, estimate, truth", [(0.95, 0.80, 0.85), (0.7, 0.21, 0.54)]
)
@pytest.mark.slow
def test_the_best_seem_less_reliable_than_they_are(
    among_all, estimate, truth
):
    """The docstring's numbers, from 400 tables each; here from 60, with
    three standard errors of their mean."""
    rng, found = np.random.default_rng(5), []
    error = 200 * (1 - among_all) / among_all
    for _ in range(60):
        true = rng.normal(size=20)
        scores = true[:, None] + rng.normal(0, error**0.5, (20, 200))
        best = true[np.argsort(-scores.mean(axis=1))[:10]].var(ddof=1)
        table = best_systems(scores)["generalizability"]
        found.append((table[10], best / (best + error / 200)))
    near = 3 * np.std(found, axis=0) / np.sqrt(60) + 0.005
    assert np.mean(found, axis=0) == pytest.approx(
        [estimate, truth], abs=near.max()
    )


def test_the_steps_hold_what_people_ask_for():
    for systems in (3, 4, 20):
        steps = best_systems(table(systems)).index
        assert steps[0] == 3 and steps[-1] == systems
        assert (20 in steps) == (systems >= 20)
        quarter_out = len(gt.drop_worst(table(systems)))
        assert quarter_out < 3 or quarter_out in steps
        assert steps.is_monotonic_increasing and steps.is_unique


def test_without_the_worst_quarter_it_is_the_printed_alpha():
    """Bodoff & Li, table 2: alpha is the generalizability of topics."""
    scores = gt.load("trec6")
    printed = gt.load("bodoff-li-2007").loc["table-2/trec-6"]
    kept = len(gt.drop_worst(scores))
    found = best_systems(scores).loc[kept, "generalizability"]
    assert round(found, printed["decimals"]) == printed["value"]


@pytest.mark.slow
def test_those_who_are_best_by_luck_are_close_together():
    """What the docstring says of the choice: 100 tables, of which half of
    the systems are chosen by their scores or beforehand."""
    chosen, beforehand = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        merit = np.sort(rng.normal(size=24))[::-1, None]
        scores = pd.DataFrame(merit + rng.normal(0, 3, (24, 15)))
        chosen.append(gt.gstudy(the_best(scores, 12)).estimate["system"])
        beforehand.append(gt.gstudy(scores[:12]).estimate["system"])
    difference = np.subtract(beforehand, chosen)
    error = difference.std() / np.sqrt(len(difference))
    assert difference.mean() > 3 * error


def test_no_error_and_no_difference_have_no_interval_above_one():
    flat = pd.DataFrame(np.ones((5, 1)) * np.arange(4.0))
    found = best_systems(flat)
    assert (found["generalizability"] == 0).all()
    assert found[["low", "high"]].isna().all(axis=None)
    exact = pd.DataFrame(np.arange(5.0)[:, None] + np.arange(4.0))
    assert (best_systems(exact)["generalizability"] == 1).all()


def test_too_few_systems_are_refused():
    with pytest.raises(ValueError, match="best of two"):
        best_systems(table(2))


@pytest.mark.slow
def test_a_likelihood_that_is_flat_gives_no_interval_and_no_crash():
    """Of three systems with gaps, where nothing is left over."""
    design = "system x (topic:passage)"
    long = uneven(design, 4)
    table = best_systems(long, design)
    assert table.index[-1] == long["system"].nunique()
    assert (table["note"][table["low"].isna()] != "").all()


# Borda counts


@pytest.mark.parametrize("gaps", [False, True])
def test_a_borda_count_is_the_share_of_others_that_it_beats(gaps):
    scores = table(6, 30).round(0)
    if gaps:
        scores = scores.mask(np.random.default_rng(1).random((6, 30)) < 0.1)
    x = scores.to_numpy()
    wins = (x[:, None] > x).sum(axis=1) + 0.5 * (x[:, None] == x).sum(1)
    others = (~np.isnan(x)).sum(axis=0) - 1
    beaten = pd.DataFrame((wins - 0.5) / others).mask(scores.isna())
    collection = gtaudit.prepare(scores)
    board = gtaudit.audit_leaderboard(collection)
    found = gtaudit.board.add_borda(board, collection).table
    expected = gtaudit.audit_leaderboard(gtaudit.prepare(beaten)).table
    expected = expected.loc[found.index]
    for name in ("mean", "best_rank", "worst_rank"):
        named = "borda" if name == "mean" else f"borda_{name}"
        assert [*found[named]] == pytest.approx([*expected[name]])
    if not gaps:
        assert found["borda"].mean() == pytest.approx(0.5)


def test_the_scale_of_a_topic_changes_no_borda_count():
    scores = table(8, 20)
    found = []
    for one in (scores, scores * np.r_[1000, np.ones(19)]):
        collection = gtaudit.prepare(one, allow=CODES)
        board = gtaudit.audit_leaderboard(collection)
        board = gtaudit.board.add_borda(board, collection)
        found.append(board.table["borda"].sort_index().to_numpy())
    assert found[0] == pytest.approx(found[1])


def test_where_all_are_tied_there_are_none():
    scores = pd.DataFrame([[0, 1, 0, 1], [1, 0, 1, 0]] * 2)
    collection = gtaudit.prepare(scores, allow=CODES)
    assert collection.by_ranks is not None
    judged = pd.DataFrame(
        [("a", "t1", 1.0), ("b", "t2", 2.0), ("a", "t3", 3.0)],
        columns=["system", "topic", "score"],
    )
    assert (
        gtaudit.collection._share_beaten(judged.groupby("topic")["score"])
        .isna()
        .all()
    )
