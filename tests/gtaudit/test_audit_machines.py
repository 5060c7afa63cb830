"""Machines as judges: numbers by other ways, and files from strangers."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy

import gtaudit
import gtlib as gt
from book.support.simulations import synthetic_runs
from gtaudit import machines
from gtaudit.display import inline_html
from tests.gtaudit.said import study_machines
from tests.gtaudit.test_audit_hostile import NAMES

RUNS, COMPLETE, _ = synthetic_runs(4, 3, 12, 40, seed=5)
RNG = np.random.default_rng(1)
RUNS["score"] += RNG.normal(size=len(RUNS)) * (
    RUNS["system"].str[1:].astype(int) * RUNS["score"].std() / 4
)
PEOPLE = COMPLETE.groupby("topic").head(25).reset_index(drop=True)


def judge(seed, wrong=0.15):
    """People's grades, of which a share is turned round."""
    rng = np.random.default_rng(seed)
    turned = rng.random(len(PEOPLE)) < wrong
    grade = PEOPLE["relevance"].where(~turned, 1 - PEOPLE["relevance"])
    return PEOPLE.assign(relevance=grade)


def write(table, path):
    lines = table.assign(iteration=0)
    lines = lines[["topic", "iteration", "document", "relevance"]]
    lines.to_csv(path, sep=" ", header=False, index=False)
    return path


@pytest.fixture(scope="module", autouse=True)
def _fewer_draws():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machines, "N_RESAMPLES", 60)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machines")
    lines = RUNS.assign(q="Q0")[
        ["topic", "q", "document", "rank", "score", "system"]
    ]
    lines.to_csv(folder / "runs", sep=" ", header=False, index=False)
    write(PEOPLE, folder / "human.txt")
    for seed in (1, 2):
        write(judge(seed), folder / f"llm{seed}.txt")
    partly = judge(3).iloc[: len(PEOPLE) // 2]
    partly = pd.concat([partly, partly.tail(1).assign(document="more")])
    partly.iloc[0, partly.columns.get_loc("relevance")] = 3
    write(partly, folder / "partly.txt")
    return folder


@pytest.fixture(scope="module")
def found(folder):
    files = [folder / f"{name}.txt" for name in ("llm1", "llm2", "partly")]
    return study_machines(
        folder / "runs", folder / "human.txt", files, "nDCG@10"
    )


def wide(judgments):
    """Scores, each set of judgments by itself."""
    scores = gt.read_runs(RUNS, judgments, "nDCG@10", report=None)
    return scores.pivot_table("score", "system", "topic")


@pytest.mark.slow
def test_what_is_in_the_files_is_counted(found):
    row = found.judges.loc["partly"]
    assert row["invalid"] == row["elsewhere"] == 1
    half = len(PEOPLE) // 2 - 1
    assert row["coverage"] == pytest.approx(half / len(PEOPLE))
    assert row["topics"] == 6
    assert found.judges["coverage"].tolist()[:2] == [1, 1]
    assert found.panel == ("llm1", "llm2")


@pytest.mark.slow
def test_agreement_is_that_of_scores_by_each_alone(found):
    human = wide(PEOPLE)
    tables = [wide(judge(seed)) for seed in (1, 2)]
    both = {"1": tables[0], "2": tables[1]}
    long = pd.concat(both, names=["assessor"]).melt(
        value_name="score", ignore_index=False
    )
    panel = (tables[0] + tables[1]) / 2
    study = gt.mgstudy(
        {"people": human, "machine": long.reset_index()},
        {
            "people": "system x topic",
            "machine": "system x topic x assessor",
        },
    )
    pairs = [
        (found.judges.loc["llm1"], tables[0], None),
        (found.together.iloc[0], panel, study),
    ]
    for row, machine, several in pairs:
        y, x = human.mean(axis=1), machine.mean(axis=1)
        tau = scipy.stats.kendalltau(y, x).statistic
        assert row["tau"] == pytest.approx(tau)
        several = several or gt.mgstudy(
            {"people": human, "machine": machine}
        )
        interval = several.correlation("people", "machine", n_resamples=60)
        assert row["correlation"] == pytest.approx(interval.estimate)
        assert row["correlation_low"] == pytest.approx(interval.low)
        wider = several.correlation(
            "people", "machine", systems="population", n_resamples=60
        )
        ends = row[["population_low", "population_high"]].tolist()
        assert ends == pytest.approx([wider.low, wider.high])
    said = " ".join(gtaudit.describe_machines(found))
    assert f"[{ends[0]:.2f}, " in said
    shift = y.rank(ascending=False, method="min") - x.rank(
        ascending=False, method="min"
    )
    # the same bits: ranks are whole numbers
    assert abs(shift[row["system"]]) == shift.abs().max()
    assert row["rank"] - row["new_rank"] == shift[row["system"]]


@pytest.mark.slow
def test_of_several_people_the_mean_counts(folder):
    """And with them all, universe scores are those of more people."""
    people = [PEOPLE, judge(9, 0.1)]
    tables = [wide(table) for table in people]
    both = pd.concat(
        [
            t.assign(assessor=name)
            for t, name in zip(people, "ab", strict=True)
        ]
    )
    found = study_machines(RUNS, both, folder / "llm1.txt", "nDCG@10")
    mean = (tables[0] + tables[1]) / 2
    x = wide(judge(1)).mean(axis=1)
    row = found.together.iloc[0]
    tau = gt.kendall_tau(mean.mean(axis=1), x)
    assert row["tau"] == pytest.approx(tau, rel=1e-9)
    alone = gt.mgstudy({"people": mean, "machine": wide(judge(1))})
    alone = alone.correlation("people", "machine", n_resamples=2)
    assert row["correlation"] != pytest.approx(alone.estimate)


@pytest.mark.slow
def test_a_machine_that_repeats_people_agrees_throughout(folder):
    found = study_machines(
        RUNS, PEOPLE, write(PEOPLE, folder / "echo"), "P@5"
    )
    row = found.together.iloc[0]
    for name in ("tau", "tau_low", "tau_high", "tau_ap"):
        assert row[name] == pytest.approx(1)
    for name in ("", "_low", "_high"):
        assert row[f"correlation{name}"] == pytest.approx(1)
    assert row["rank"] == row["new_rank"]


def test_topics_to_keep_are_those_of_human_topics(found):
    y, x = wide(PEOPLE), (wide(judge(1)) + wide(judge(2))) / 2
    index = [*itertools.combinations(y.index, 2)]
    tables = {
        "mean": (y, x),
        "difference": [
            pd.DataFrame([t.loc[a] - t.loc[b] for a, b in index])
            for t in (y, x)
        ],
    }
    assert {*found.human_topics["of"]} == {*tables}
    for row in found.human_topics.itertuples():
        one, other = tables[row.of]
        assert row.sd == pytest.approx(one.std(axis=1).median())
        r = one.corrwith(other, axis=1).median()
        assert row.correlation == pytest.approx(r)
        needed = gt.human_topics(row.half_width, row.sd, r, [row.topics])
        assert row.people == needed.iloc[0]
        t = scipy.stats.t.ppf(0.975, row.people_alone - 1)
        widest = row.half_width * np.sqrt(row.people_alone) / t
        freedom = row.people_alone - 1
        share = scipy.stats.chi2.cdf(
            freedom * (widest / row.sd) ** 2, freedom
        )
        assert share >= 0.8


@pytest.mark.slow
def test_the_interval_of_tau_holds_the_expected_one():
    """45 studies, standard error .03; that of percentiles as they are
    would hold it half of the time."""
    rng = np.random.default_rng(3)
    true = rng.normal(size=(30, 1))

    def study():
        noise = 2 * rng.normal(size=(3, 30, 40))
        return true + noise[0] + noise[1], true + noise[0] + noise[2]

    many = [study() for _ in range(80)]
    expected = np.mean(
        [gt.kendall_tau(y.mean(axis=1), x.mean(axis=1)) for y, x in many]
    )
    intervals = [machines.tau_interval(*pair) for pair in many[:45]]
    held = [i.low <= expected <= i.high for i in intervals]
    assert np.mean(held) >= 0.87


def test_names_of_strangers_show_as_they_stand(found):
    html = pytest.importorskip("lxml.html")
    from dataclasses import replace

    names = dict(zip(found.judges.index, NAMES, strict=False))
    systems = {found.together["system"].iloc[0]: NAMES[3]}
    named = replace(
        found,
        judges=found.judges.rename(names).replace({"system": systems}),
        together=found.together.replace({"system": systems}),
        panel=tuple(NAMES[:1]),
    )
    for text in (
        inline_html(" ".join(gtaudit.describe_machines(named))),
        gtaudit.machine_tables(named),
    ):
        page = html.fromstring(f"<div>{text}</div>")
        assert not page.xpath("//script | //a | //img | //em | //del")
    assert all(name in page.text_content() for name in NAMES[:3])


def test_an_interval_of_tau_holds_its_estimate():
    """Where nearly all draws have tau 1, their mean is below it."""
    x = np.repeat([[0.0], [0.1], [0.2]], 30, axis=1)
    y = x + 0.15 * np.random.default_rng(4).normal(size=x.shape)
    found = machines.tau_interval(y, x)
    assert found.estimate == 1
    assert 0 < found.low <= found.high <= 1
