"""Populations with a known truth, and trials of intervals on them."""

import numpy as np
import pytest

import gtlib as gt
from book.support.simulations import coverage
from book.support.simulations.coverage import Population, interval_coverage
from gtlib.anova import balanced_mean_squares

CF = gt.load("cf-ap")
TREC_LIKE = {"system": 0.007, "topic": 0.023, "system x topic": 0.011}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("population", "shape"),
    [
        (Population.normal(TREC_LIKE), None),
        (Population.normal(TREC_LIKE, 0.5), None),
        (Population.ap_like(), (0.9, 2.7)),
        (Population.ap_like((0.3, 0.3, 0.4), (2, 5)), (2, 5)),
        (Population.ap_like((0.1, 0.6, 0.3), (0.4, 2)), (0.4, 2)),
        ("like_systems_of", None),
        ("drawn_from", None),
    ],
)
def test_components_are_those_of_a_huge_collection(
    population, shape, script
):
    if isinstance(population, str):
        population = getattr(script("coverage"), population)("cf", CF)
    scores = population.scores(900, 900, seed=1)
    # Not by gstudy, which looks long at systems that are there twice.
    design = gt.Design("system x topic")
    squares = balanced_mean_squares(scores.to_numpy(), design)
    sizes = dict.fromkeys(design.facets, 900)
    solve = design.mean_squares_to_components(sizes)
    assert solve @ squares == pytest.approx(
        population.components.to_numpy(), rel=0.12
    )
    if shape:
        a, b = shape
        assert scores.to_numpy().min() >= 0
        assert scores.to_numpy().max() <= 1
        mean = a / (a + b)
        assert scores.to_numpy().mean() == pytest.approx(mean, abs=0.02)
        variance = mean * (1 - mean) / (a + b + 1)
        assert population.components.sum() == pytest.approx(variance)


def test_the_normal_population_keeps_its_components():
    found = Population.normal(TREC_LIKE).components
    assert found.to_dict() == pytest.approx(TREC_LIKE)


def test_scores_are_seeded_and_shaped():
    population = Population.ap_like()
    one = population.scores(4, 6, seed=3)
    assert one.shape == (4, 6)
    # the same bits: one seed
    assert one.equals(population.scores(4, 6, seed=3))
    assert not one.equals(population.scores(4, 6, seed=4))


@pytest.mark.parametrize(
    "shares", [(0.5, 0.4, 0.2), (0.5, 0.5, 0), (1.2, -0.4, 0.2)]
)
def test_shares_must_be_shares(shares):
    with pytest.raises(ValueError, match="positive, of sum 1"):
        Population.ap_like(shares)


def normal_trials(n_simulations):
    return interval_coverage(
        Population.normal(TREC_LIKE),
        30,
        n_simulations=n_simulations,
        n_resamples=10,
    ).set_index(["quantity", "method"])


@pytest.mark.slow
def test_exact_intervals_keep_their_promise():
    found = normal_trials(150)
    for key in (
        ("generalizability", "exact"),
        ("dependability", "exact"),
        ("system", "mls"),
        ("system x topic", "mls"),
    ):
        assert 0.91 < found.loc[key, "coverage"] < 0.985


def test_shares_add_up():
    found = normal_trials(12)
    parts = found[["coverage", "too_high", "too_low"]]
    assert parts.sum(axis=1).to_numpy() == pytest.approx(1)
    assert (found["coverage"] > 0.6).all()
    assert (found["none"] == 0).all()
    assert (found["width"] > 0).all()
    assert len(found) == (2 + 3) * 3


@pytest.mark.slow
def test_families_need_their_groups():
    """Without them the interval of the exact method holds less."""
    found = interval_coverage(
        Population.normal(TREC_LIKE, 0.5),
        30,
        20,
        methods=["exact", "jackknife"],
        groups={n: n // 5 for n in range(30)},
        n_simulations=150,
    )
    of = found[found["quantity"] == "generalizability"]
    held = of.set_index("method")["coverage"]
    assert held["jackknife"] > held["exact"] + 0.03


def test_systems_of_a_track_are_its_own(script):
    """As many as it has, spread as its component says."""
    made = script("coverage")
    population = made.like_systems_of("cf", CF)
    quiet = population.draw(2000, 400, np.random.default_rng(1))
    means = np.unique(quiet.mean(axis=1).round(2))
    assert len(means) < 2000 / 10
    pairs = made.drawn_from("cf", CF)
    found = pairs.draw(50, 50, np.random.default_rng(2))
    assert np.isin(found, CF.to_numpy()).all()


@pytest.mark.slow
def test_a_lower_level_covers_less():
    found = interval_coverage(
        Population.normal(TREC_LIKE),
        20,
        15,
        confidence_level=0.5,
        n_simulations=70,
        n_resamples=10,
    )
    exact = found[found["method"].isin(["exact", "mls", "jackknife"])]
    assert exact["coverage"].between(0.38, 0.64).all()


@pytest.mark.parametrize(
    "wrong",
    [
        {"confidence_level": 95},
        {"n_simulations": 0},
        {"n_resamples": 0.5},
        {"missing": 1},
    ],
)
def test_numbers_out_of_range_are_named(wrong):
    ((name, value),) = wrong.items()
    with pytest.raises(ValueError, match=f"{name}={value}: a"):
        interval_coverage(Population.normal(TREC_LIKE), 5, 5, **wrong)


@pytest.mark.slow
def test_collections_without_variance_have_intervals_that_cover():
    """Hardly any variance between systems: often none is estimated."""
    poor = {"system": 0.0001, "topic": 1, "system x topic": 1}
    found = interval_coverage(
        Population.normal(poor), 10, 10, n_simulations=100, n_resamples=10
    ).set_index(["quantity", "method"])
    exact = found.loc[("dependability", "exact")]
    assert exact["none"] == 0
    assert exact["coverage"] > 0.9


@pytest.mark.slow
def test_profiles_of_collections_with_gaps_cover():
    found = interval_coverage(
        Population.normal(TREC_LIKE),
        8,
        12,
        missing=0.2,
        n_simulations=14,
        n_resamples=20,
    )
    profile = found[found["method"] != "bootstrap"]
    assert len(profile) == 2 + 3 + 2
    assert (profile["coverage"] > 0.76).all()  # of .95, s.e. .058


def test_the_same_intervals_as_one_by_one():
    """A trial's limits are those that the public functions give."""
    g = gt.gstudy(Population.ap_like().scores(12, 15, seed=5))
    rows = coverage._all_limits(g, coverage.METHODS, None, 0.9, 80, seed=7)
    for quantity, method, *limits in rows:
        options = {"method": method, "n_resamples": 80, "seed": 7}
        if quantity in coverage.COEFFICIENTS:
            if method == "jackknife":
                options = {}
            one = g.plan().interval(
                quantity, confidence_level=0.9, **options
            )
            expected = one.low, one.high
        else:
            table = g.component_intervals(confidence_level=0.9, **options)
            expected = table.loc[quantity, ["low", "high"]]
        assert np.array(limits) == pytest.approx(
            np.array(expected, dtype=float)
        )


@pytest.mark.parametrize(
    "model", ["made", "systems of the track", "no model"]
)
@pytest.mark.slow
def test_the_table_on_record_is_what_comes_out(model, script):
    """Fewer collections, within three standard errors."""
    table = gt.load("interval-coverage")
    assert table["n_simulations"].min() >= 500
    name, make = "like AP", lambda *_: Population.ap_like()
    if model != "made":
        name, make = "dl21", script("coverage").MODELS[model]
    here = (table["population"] == name) & (table["model"] == model)
    kept = table[here & (table["missing"] == 0)]
    kept = kept[kept["systems"] == kept["systems"].min()]
    systems, topics, n = kept.iloc[0][
        ["systems", "topics", "n_simulations"]
    ]
    found = interval_coverage(
        make(name, gt.load("dl21")),
        systems,
        topics,
        methods=["exact", "jackknife"],
        n_simulations=60,
        seed=77,
    ).set_index(["quantity", "method"])["coverage"]
    kept = kept.set_index(["quantity", "method"])["coverage"][found.index]
    error = np.sqrt(kept * (1 - kept) * (1 / 60 + 1 / n)) + 0.002
    assert ((found - kept).abs() < 3.5 * error).all()
