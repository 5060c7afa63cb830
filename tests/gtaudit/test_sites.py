"""Sites that an audit leaves out together, and families that names show."""

from dataclasses import replace
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import gtaudit
import gtlib as gt
from gtaudit.sites import (
    _TOKEN,
    add_sites,
    guess_families,
    name_sites,
    site_notes,
)
from gtlib.scores import as_long

CF = gt.load("cf-ap")
FAMILY = (
    gt.load("cf").drop_duplicates("system").set_index("system")["family"]
)


def numbered(stem, n=40):
    return [f"{stem}{i}" for i in range(1, n + 1)]


def crossed(ones, others, joint=""):
    return [f"{one}{joint}{other}" for one in ones for other in others]


# Names


@pytest.mark.parametrize(
    "names",
    [
        numbered("run", 9),
        numbered("sys"),
        numbered("model-0"),
        [f"system-{i:02}" for i in range(1, 41)],
        [f"s{i:03}" for i in range(1, 41)],
        [f"anonymised s{i:03}" for i in range(1, 41)],
        [f"Team {letter}" for letter in "ABCDEFGH"],
        numbered("llama-3-step", 9),
        [*range(1, 10)],
        crossed("12", "123", "."),
        crossed(["2023", "2024"], ["01", "02"], "-"),
        [*"abcdefgh"],
        [*numbered("run", 9), "bm25"],  # one family
        ["gpt-4", "gpt-3.5", "claude", "gemini", "mistral", "qwen"],
        ["bm25", "dense", "splade", "colbert", "p_a", "p_b"],
        ["", "-", "__", "x"],
        ["one"],
        [],
    ],
)
def test_names_without_structure_give_no_note(names):
    assert guess_families(names) == {}


def test_drawn_names_give_no_note():
    draw = Random(1)
    for n in (10, 100, 1000):
        names = [f"{draw.getrandbits(32):08x}" for _ in range(n)]
        assert guess_families(names) == {}


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (CF.index, FAMILY.value_counts().to_dict()),
        (
            ["gpt-4o-0513", "gpt-4o-mini", "claude-2", "claude-3.5"],
            {"gpt-4o": 2, "claude": 2},
        ),
        (
            ["p_bm25", "p_bm25rm3", "d_bm25", "d_splade"],
            {"p_bm": 2, "d": 2},
        ),
        (crossed(["runA", "runB"], "123"), {"runA": 3, "runB": 3}),
        (
            crossed(["7b-step", "13b-step"], ["100", "200"]),
            {"7b-step": 2, "13b-step": 2},
        ),
        (
            crossed(["team1", "team2"], ["bm25", "lm", "rm3"], "_"),
            {"team1": 3, "team2": 3},
        ),
        (
            crossed(["uogTr", "watp"], ["Base", "Full"]),
            {"uogTr": 2, "watp": 2},
        ),
        (
            ["BM25-all", "bm25-text", "lm-all", "lm-text"],
            {"BM25": 2, "lm": 2},
        ),
        (["**x**-1", "**x**-2", "<b>-1", "<b>-2"], {"**x": 2, "<b": 2}),
        (crossed(["模型", "系统"], "甲乙", "-"), {"模型": 2, "系统": 2}),
    ],
)
def test_names_with_structure_show_their_families(names, found):
    seen = guess_families(names)
    assert {name: len(of) for name, of in seen.items()} == found


def test_the_groups_of_a_track_are_seen_in_part():
    """Of Deep Learning 2021, whose groups are known: two runs of one
    family are of one group, but for those that began with p_."""
    group = gt.load("dl21-groups").set_index("system")["group"]
    seen = guess_families(group.index)
    pure = [name for name, of in seen.items() if len({*group[of]}) == 1]
    assert len(seen) == 15
    assert sum(len(seen[name]) for name in pure) >= 35


def _words(name):
    return [word.lower() for word in _TOKEN.findall(name)]


@pytest.mark.slow
@example(["A", "º", ":A", "º0"])
@given(st.lists(st.text(max_size=8), max_size=12, unique=True))
def test_families_are_disjoint_and_as_many_as_is_said(names):
    seen = guess_families(names)
    members = [name for of in seen.values() for name in of]
    assert len({*members}) == len(members) and {*members} <= {*names}
    for stem, of in seen.items():
        assert len(of) >= 2
        words = _words(stem)
        assert all(_words(n)[: len(words)] == words for n in of)
    if seen:
        assert 2 <= len(seen) <= len(names) / 2 <= len(members)


def test_a_note_names_the_largest_and_says_what_to_do():
    scores = pd.concat([CF, CF.iloc[:1].rename(index={"bm25-all": "x"})])
    (said,) = site_notes(gtaudit.prepare(scores))
    assert "36 of the 37" in said and "9 families: bm25 (5" in said
    assert "and 6 more" in said and "--sites FILE" in said
    (said,) = site_notes(gtaudit.prepare(CF))
    assert "36 systems" in said and "--sites by-name" in said
    named = CF.set_axis(numbered("run", 36))
    assert site_notes(gtaudit.prepare(named)) == []


def test_runs_in_names_are_told_how_to_be_read_as_runs():
    scores = CF.iloc[:12]
    for end in ("-seed{}", "_rep{}", " Trial 0{}", "/epoch={}"):
        names = [f"m{i // 3}" + end.format(i % 3) for i in range(12)]
        (said,) = site_notes(gtaudit.prepare(scores.set_axis(names)))
        assert "in a column seed" in said
    names = [*names[:-1], "m3-large"]
    (said,) = site_notes(gtaudit.prepare(scores.set_axis(names)))
    assert "in a column seed" not in said


def test_without_sites_it_is_said_how_far_intervals_go(collection):
    said = gtaudit.describe_draws(gtaudit.prepare(CF))
    drawn = gt.load("group-coverage").query("way == 'jackknife'")
    held = drawn.set_index("collection").loc["robust-2004", "coverage"]
    assert f"{100 * held.iloc[0]:.0f} in 100" in said
    assert "--sites" in said
    assert "--sites" not in gtaudit.describe_draws(collection)
    long = as_long(CF).iloc[5:]
    large = gtaudit.prepare(long, "system x topic")
    study = gt.gstudy(long, "system x topic", method="henderson")
    said = gtaudit.describe_draws(replace(large, study=study))
    assert "--sites" not in said


def test_sites_by_name_are_what_the_note_proposes():
    found = name_sites("by-name", CF.index)
    assert found == FAMILY.to_dict()
    odd = name_sites("by-name", [*CF.index, "x"])
    assert odd == found | {"x": "x"}
    with pytest.raises(ValueError, match="by-name: the names show no"):
        name_sites("by-name", numbered("run", 36))


# Tables


@pytest.fixture(scope="module")
def collection():
    return add_sites(gtaudit.prepare(CF), FAMILY)


def test_intervals_leave_sites_out_together(collection):
    g, plain = collection.study, gtaudit.prepare(CF).study
    table = gtaudit.coefficient_table(g)
    required = gtaudit.required_table(g, [0.9])
    for name, row in table.iterrows():
        of = plain.plan().interval(name, groups=FAMILY)
        assert [row["low"], row["high"]] == pytest.approx(
            [of.low, of.high], rel=1e-9
        )
        assert row["method"] == of.method.replace("groups", "sites")
        assert row["method"].endswith(" in place of 35, 9 sites")
        (need,) = required[required["coefficient"] == name].itertuples()
        of = plain.plan().required_interval(
            "topic", 0.9, name, groups=FAMILY
        )
        assert [need.low, need.high] == pytest.approx(
            [of.low, of.high], rel=1e-9
        )
        assert need.method == row["method"]
    alone = gtaudit.coefficient_table(plain)
    assert not alone["method"].str.contains("site").any()
    wider = (table["high"] - table["low"]) / (alone["high"] - alone["low"])
    assert (wider > 1.2).all()
    by_measure = gtaudit.measure_table({"AP": collection})
    assert by_measure.loc["AP", "low"] == pytest.approx(
        table["low"].iloc[0], rel=1e-9
    )
    board = gtaudit.audit_leaderboard(collection)
    best = gtaudit.best_systems_on_board(collection, board)
    assert best["method"].iloc[-1] == table["method"].iloc[0]


@pytest.mark.slow
def test_every_method_but_the_bootstrap_says_its_degrees_of_freedom():
    found = gt.gstudy(CF.iloc[:7, :7]).plan()
    gaps = CF.iloc[:7, :7].reset_index().melt("system", var_name="topic")
    gaps = gaps.rename(columns={"value": "score"}).iloc[1:]
    studies = [
        gt.gstudy(gaps, "system x topic", method=m).plan()
        for m in ("reml", "henderson")
    ]
    long = gt.load("cf", measure="AP").query("topic < 9")
    studies.append(gt.gstudy(long, "system x topic x assessor").plan())
    seen = set()
    for plan in (found, *studies):
        for name in ("generalizability", "dependability"):
            method = plan.interval(name).method
            seen.add(method.split(",")[0])
            assert ("df" in method) == (method != "bootstrap")
    stretched = ("feldt", "arteaga", "profile", "pivotal")
    assert seen == {*(f"stretched {m}" for m in stretched), "bootstrap"}


def test_sites_are_those_of_any_label_of_a_system():
    scores = CF.set_axis(range(36))
    site = {str(i): of for i, of in enumerate(FAMILY[CF.index])}
    found = add_sites(gtaudit.prepare(scores), site | {"stranger": "x"})
    assert [*found.sites.index] == [*range(36)]
    table = gtaudit.coefficient_table(found.study)
    assert table["method"].str.endswith("9 sites").all()


def test_what_cannot_be_left_out_is_refused(collection):
    with pytest.raises(ValueError, match="every system into the site a"):
        add_sites(collection, dict.fromkeys(CF.index, "a"))
    with pytest.raises(ValueError, match="bm25-all has no site"):
        add_sites(collection, FAMILY.drop("bm25-all"))
    sums = gt.GStudy.from_mean_squares(
        "system x topic",
        {"system": 36, "topic": 98},
        {"system": 0.5, "topic": 0.8, "system x topic": 0.01},
    )
    made = gtaudit.prepare(CF)
    object.__setattr__(made, "study", sums)
    with pytest.raises(ValueError, match="without --sites"):
        add_sites(made, FAMILY)


# Files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CF.iloc[:, :20].to_csv("scores.csv")
    FAMILY.rename("site").to_csv("sites.csv")
    return tmp_path


@pytest.mark.slow
def test_gaps_and_a_second_measure_have_sites(folder):
    long = gt.load("cf").query("topic < 8")
    long = long.groupby(["system", "topic"])[["AP", "RR"]].mean()
    long = long.reset_index().iloc[5:]
    both = long.melt(
        ["system", "topic"], var_name="measure", value_name="score"
    )
    both.to_csv("both.csv", index=False)
    found = gtaudit.collect("both.csv", sites="sites.csv", measure="AP,RR")
    for of in found.measures.values():
        assert of.sites.nunique() == 9
        table = gtaudit.coefficient_table(of.study)
        assert np.isfinite(table[["low", "high"]]).all(axis=None)
        assert (
            table["method"]
            .str.fullmatch(r"stretched profile, .* in place of 35, 9 sites")
            .all()
        )
