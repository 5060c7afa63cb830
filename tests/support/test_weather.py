"""The weather of a ranking: the page's sums are gtlib's draws, its promise
is kept where the truth is known, and its still is up to date."""

import json
import re

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import weather
from book.support.planner import NAMES
from tests.browser import run
from tests.cases import first

pytestmark = pytest.mark.sources

RUN = """
const [known, hashes] = value;
const R = globalThis.weatherRanks;
return hashes.map((hash) => {
  try {
    const study = R.read(hash, known);
    const model = R.model(study, study.levels);
    const all = [...study.means.keys()];
    return { names: study.names, levels: study.levels,
      again: R.address(study), middles: model.middles,
      shares: all.map((k) => [...R.rankShares(model, k)]),
      expected: all.map((k) => R.expectedRank(model, k)),
      above: all.map((k) => R.above(model, 0, k)),
      settles: all.map((k) => R.settles(study, 0, k)),
      drawn: Array.from({ length: 2000 }, () => R.draw(model)[0]) };
  } catch (wrong) {
    if (!(wrong instanceof RangeError)) throw wrong;
    return wrong.message;
  }
});
"""


def scripts(*hashes):
    """What the page's scripts say of addresses."""
    return run(RUN, [weather.known(), hashes])


def study(design, systems, seed):
    """Means, components of which one may be negative, and a plan."""
    rng = np.random.default_rng(seed)
    labels = gt.Design(design).labels
    values = rng.lognormal(-5, 1, len(labels))
    values[-2] *= rng.choice([1, -0.05])
    g = gt.GStudy.from_components(
        design, dict(zip(labels, values, strict=True))
    )
    levels = {"topic": int(rng.integers(2, 80))}
    if "assessor" in design:
        levels["assessor"] = int(rng.integers(1, 5))
    means = pd.Series(np.sort(rng.normal(0.4, values[0] ** 0.5, systems)))
    return means[::-1].reset_index(drop=True), g.plan(**levels)


def address(means, plan):
    components = plan.study.estimate
    parts = {
        "design": NAMES[plan.design.text],
        "means": ",".join(
            f"s{k}:{x!r}" for k, x in enumerate(means.tolist())
        ),
        "components": ",".join(map(repr, components.tolist())),
        **{f"{facet}s": n for facet, (n, _) in plan.given.items()},
    }
    return "#" + "&".join(f"{name}={text}" for name, text in parts.items())


def cases():
    for seed, design in enumerate(NAMES):
        for systems in (2, 5, 36):
            yield study(design, systems, seed)
    means, g = weather.cystic_fibrosis()
    for levels in [(98, 4), (10, 1), (400, 12)]:
        levels = dict(zip(("topic", "assessor"), levels, strict=True))
        yield means.reset_index(drop=True), g.plan(**levels)


@pytest.mark.slow
def test_the_sums_of_the_page_are_the_draws_of_gtlib():
    """Ranks within five Monte-Carlo errors, shares of the first to six
    digits."""
    draws = 20_000
    all = [*cases()]
    found = scripts(*(address(*case) for case in all))
    for (means, plan), page in zip(all, found, strict=True):
        ranks = weather.draw_ranks(means, plan, draws)
        shares = np.array(page["shares"])
        assert shares.sum(axis=0) == pytest.approx(1, abs=1e-6)
        assert shares.sum(axis=1) == pytest.approx(1, abs=1e-6)
        error = 5 * np.sqrt((shares + 1e-4) / draws)
        assert (np.abs(weather.shares(ranks) - shares) < error).all()
        expected = np.array(page["expected"])
        by_share = shares @ np.arange(1, len(means) + 1)
        assert expected == pytest.approx(by_share, abs=1e-4)
        error = 5 * (ranks.std(axis=0) + 0.01) / draws**0.5
        assert (np.abs(ranks.mean(axis=0) + 1 - expected) < error).all()
        exact = weather.first_shares(means, plan)
        assert shares[:, 0] == pytest.approx(exact, abs=1e-5)
        drawn = np.mean(np.array(page["drawn"]) == 0)
        assert drawn == pytest.approx(exact[0], abs=5 * 0.5 / 2000**0.5)


@pytest.mark.slow
def test_a_price_settles_a_pair_and_a_topic_less_does_not():
    means, g = weather.cystic_fibrosis()
    (page,) = scripts("")
    assert page["settles"][0] is None
    for k, price in enumerate(page["settles"][1:], 1):
        both = means.iloc[[0, k]]
        for fewer in range(min(2, price["topic"])):
            plan = g.plan(
                topic=price["topic"] - fewer, assessor=price["assessor"]
            )
            above = weather.first_shares(both, plan)[0]
            assert (above >= weather.SETTLED - 1e-9) == (not fewer)
    settled = weather.draw_ranks(means, g.plan(), 20_000)
    settled = (settled[:, :1] < settled[:, 1:]).mean(axis=0)
    assert page["above"][1:] == pytest.approx(settled, abs=0.02)


@pytest.mark.slow
def test_an_address_brings_systems_and_is_written_again():
    name = "a,b:c&d=e #%ü<img>"
    means, plan = study("system x topic", 3, 1)
    hash = address(means, plan)
    (page,) = scripts(hash)
    assert page["names"] == ["s0", "s1", "s2"]
    (again,) = scripts(page["again"])
    assert again["middles"] == page["middles"]
    quoted = "a%2Cb%3Ac%26d%3De%20%23%25%C3%BC%3Cimg%3E"
    (page,) = scripts(hash.replace("s1:", f"{quoted}:"))
    assert page["names"][1] == name
    assert quoted in page["again"]
    (ours,) = scripts("#topics=7&assessors=2")
    assert ours["levels"] == {"topic": 7, "assessor": 2}
    assert len(ours["names"]) == 36


@pytest.mark.slow
@pytest.mark.parametrize(
    "hash, said",
    [
        ("means=a:1,b:x&components=1,1,1", "has x where a number"),
        ("means=a:1,b:&components=1,1,1", "nothing where a number"),
        ("means=a:1,b:2", "nothing where a number"),
        ("means=a:1,b:2&components=1,1", "2 components; the design single"),
        ("means=a:1&components=1,1,1", "Between 2 and 1000 systems"),
        ("means=%E0:1,b:2&components=1,1,1", "name that cannot be read"),
        ("means=1,2&components=1,1,1&design=toString", "which is none of"),
        ("means=1,2&components=1,Infinity,1", "Infinity where a number"),
    ],
)
def test_an_address_that_cannot_be_right_is_told_so(hash, said):
    assert said in scripts(f"#{hash}")[0]


def promises(seed, systems=20, studies=150, ceiling=False):
    """How often the winner is promised to be first again, in the page's
    model and with means taken as true, and how often it is: in simulated
    studies with components estimated from their scores."""
    topics, assessors = 20, 2
    rng = np.random.default_rng(seed)
    deviations = np.sqrt([0.0058, 0.0096, 0.00013, 0.0023])
    shape = systems, topics, assessors
    index = pd.MultiIndex.from_product(
        map(range, shape), names=["system", "topic", "assessor"]
    )
    found = []
    for _ in range(studies):
        true = deviations[0] * (
            -rng.exponential(size=(systems, 1, 1))
            if ceiling
            else rng.normal(size=(systems, 1, 1))
        )
        parts = [(systems, topics, 1), (systems, 1, assessors), shape]
        scores = true + sum(
            sd * rng.normal(size=size)
            for sd, size in zip(deviations[1:], parts, strict=True)
        )
        table = pd.Series(scores.ravel(), index, name="score")
        plan = gt.gstudy(
            table.reset_index(), weather.planner.CROSSED
        ).plan()
        means = pd.Series(scores.mean(axis=(1, 2)))
        winner = int(means.argmax())
        model = weather.first_shares(means, plan)[winner]
        spread = np.sqrt(plan.relative_error)
        noise = spread * rng.normal(size=(400, systems))
        taken = ((means.to_numpy() + noise).argmax(axis=1) == winner).mean()
        error = np.sqrt(
            deviations[1:] ** 2
            @ [1 / topics, 1 / assessors, 1 / topics / assessors]
        )
        others = true[:, 0, 0] + error * rng.normal(size=(100, systems))
        came = (others.argmax(axis=1) == winner).mean()
        found.append((model, taken, came))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("seed", first(1, [0, 1, 2]))
def test_the_winner_is_first_again_as_often_as_promised(seed):
    """Not so if the observed means are taken as true."""
    model, taken, came = promises(seed).T
    for promised, kept in ((model, True), (taken, False)):
        off = promised - came
        error = off.std() / len(off) ** 0.5
        assert (abs(off.mean()) < 3 * error) == kept
    assert (taken - came).mean() > 0.06


@pytest.mark.slow
def test_the_promises_that_the_page_names():
    """With 36 systems, 20 topics and 2 assessors."""
    found = promises(0, systems=36, studies=1000).mean(axis=0)
    assert found == pytest.approx([0.54, 0.67, 0.55], abs=0.01)
    model, _, came = promises(0, 36, 1000, ceiling=True).mean(axis=0)
    assert [model, came] == pytest.approx([0.29, 0.11], abs=0.01)


@pytest.mark.slow
def test_what_halves_of_cystic_fibrosis_say():
    scores = gt.load("cf", "AP").drop(columns="family")
    cube = scores.pivot_table("score", "system", ["topic", "assessor"])
    cube = cube.to_numpy().reshape(36, 98, 4)
    rng = np.random.default_rng(1)
    index = pd.MultiIndex.from_product(
        [range(36), range(49), range(2)],
        names=["system", "topic", "assessor"],
    )
    found = []
    for _ in range(300):
        topics, people = rng.permutation(98), rng.permutation(4)
        one, other = (
            cube[:, topics[k * 49 : k * 49 + 49]][
                ..., people[2 * k : 2 * k + 2]
            ]
            for k in (0, 1)
        )
        table = pd.Series(one.ravel(), index, name="score").reset_index()
        plan = gt.gstudy(table, weather.planner.CROSSED).plan()
        means = pd.Series(one.mean(axis=(1, 2)))
        promised = weather.first_shares(means, plan).max()
        # the same bits: both are positions of systems
        again = means.argmax() == other.mean(axis=(1, 2)).argmax()
        found.append((promised, again))
    assert np.mean(found, axis=0) == pytest.approx([0.47, 0.76], abs=0.01)


def numbers(svg):
    text = re.sub(r"#[0-9a-f]{6}", "", svg)
    return [float(x) for x in re.findall(r"-?\d+\.?\d*", text)]


@pytest.mark.slow
def test_the_still_is_up_to_date():
    """As near as another processor draws it."""
    both = weather.STILL.read_text("utf-8"), weather.still()
    kept, drawn = (re.sub("<style>.*</style>", "", one) for one in both)
    words = re.compile(r"[\d.-]+")
    assert words.sub("", kept) == words.sub("", drawn)
    assert numbers(kept) == pytest.approx(numbers(drawn), abs=0.2)


def test_the_page_starts_with_gtlibs_study(tmp_path):
    weather.write(tmp_path)
    (script,) = tmp_path.rglob("*.js")
    text = script.read_text("utf-8")
    known = json.loads(text.removeprefix("window.weatherKnown = ")[:-2])
    g = gt.gstudy(
        gt.load("cf", "AP").drop(columns="family"), weather.planner.CROSSED
    )
    assert known["components"] == pytest.approx(g.estimate.tolist())
    assert known["levels"] == {"topic": 98, "assessor": 4}
    assert known["names"][0] == "citation-rm3"
    assert len(text) < 5000
