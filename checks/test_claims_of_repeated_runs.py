"""What the chapter on repeated runs says, apart from the notebook."""

import json
import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtlib as gt
from book.support import figures
from book.support.repeated import (
    again_or_another,
    made_up_runs,
    name_runs,
)

ROOT = Path(__file__).resolve().parents[1]
(CHAPTER,) = (ROOT / "notebooks").glob("*-again-or-another.ipynb")
CELLS = {
    cell["id"]: "".join(cell["source"])
    for cell in json.loads(CHAPTER.read_text("utf-8"))["cells"]
}
DESIGN = "run:(system x task)"
BY_HAND = "again-imports", "again-hand", "again-hand-errors"

pytestmark = pytest.mark.usefixtures("closed")


@pytest.fixture(scope="module")
def chapter():
    """The names of the case by hand, out of its cells."""
    names = {}
    for name in BY_HAND:
        exec(CELLS[name], names)
    return names


@pytest.fixture(scope="module")
def agents():
    """Scores of five agents, agents x tasks x runs."""
    long = gt.load("terminal-bench")
    assert len(long) == 5 * 80 * 5
    wide = long.sort_values(["system", "task", "run"])
    return wide["score"].to_numpy(float).reshape(5, 80, 5)


def components(x):
    """By the expected mean squares, with numpy alone."""
    p, i, r = x.shape
    grand, of_p, of_i = x.mean(), x.mean((1, 2)), x.mean((0, 2))
    cells = x.mean(2)
    rest = cells - of_p[:, None] - of_i + grand
    runs = ((x - cells[:, :, None]) ** 2).sum() / (p * i * (r - 1))
    both = r * (rest**2).sum() / ((p - 1) * (i - 1))
    task = p * r * ((of_i - grand) ** 2).sum() / (i - 1)
    agent = i * r * ((of_p - grand) ** 2).sum() / (p - 1)
    parts = (agent - both) / (i * r), (task - both) / (p * r)
    return np.array([*parts, (both - runs) / r, runs])


def long_table(x):
    """A row per score, with what the chapter calls the columns."""
    names = ["system", "task", "run"]
    place = zip(names, np.indices(x.shape), strict=True)
    rows = {name: index.ravel() for name, index in place}
    return pd.DataFrame({**rows, "score": x.ravel()})


def test_by_hand_all_four_are_a_twelfth(chapter):
    hand = gt.gstudy(name_runs(chapter["by_hand"]), DESIGN)
    assert np.allclose(hand.estimate, 1 / 12)
    errors = chapter["standard_errors"](chapter["by_hand"])
    assert np.allclose(errors.loc["Careful"], [0, 1 / 3])
    assert np.allclose(errors.loc["Hasty"], 1 / 6)


def test_runs_of_one_number_in_two_cells_get_names_of_their_own(chapter):
    named = name_runs(chapter["by_hand"])
    assert named["run"].is_unique
    assert named["score"].equals(chapter["by_hand"]["score"])


def test_five_agents_are_as_own_code_has_them(agents):
    own = components(agents)
    printed = [0.012618, 0.121867, 0.056682, 0.0575]
    assert own == pytest.approx(printed, abs=5e-7)
    study = gt.gstudy(name_runs(long_table(agents)), DESIGN)
    assert study.estimate.to_numpy() == pytest.approx(own, abs=1e-12)
    for (n, r), value in {
        (80, 1): 0.8984,
        (80, 5): 0.9367,
        (160, 1): 0.9465,
        (80, 10**9): 0.9468,
    }.items():
        noise = (own[2] + own[3] / r) / n
        assert own[0] / (own[0] + noise) == pytest.approx(value, abs=5e-5)
        plan = study.plan(task=n, run=r)
        assert plan.generalizability == pytest.approx(value, abs=5e-5)


def test_the_wrong_error_is_three_to_seven_times_too_small(chapter, agents):
    over_tasks = agents.mean(2).std(1, ddof=1) / np.sqrt(80)
    over_runs = agents.mean(1).std(1, ddof=1) / np.sqrt(5)
    errors = chapter["standard_errors"](long_table(agents))
    assert np.allclose(errors["over tasks"], over_tasks)
    assert np.allclose(errors["over runs"], over_runs)
    times = over_tasks / over_runs
    assert np.round([times.min(), times.max()], 1).tolist() == [3.1, 7.3]


def test_what_two_runs_say_of_scores_that_are_0_or_1(agents):
    """They differ with twice the component of runs."""
    pairs = [*combinations(range(agents.shape[2]), 2)]
    differ = np.mean([agents[:, :, a] != agents[:, :, b] for a, b in pairs])
    assert differ == pytest.approx(2 * components(agents)[3])
    counts = agents.sum(2)
    flips = ((counts > 0) & (counts < 5)).mean(1)
    assert np.round([flips.min(), flips.max()], 2).tolist() == [0.21, 0.28]


@pytest.mark.parametrize("price", [1, 7, 25, 61])
@pytest.mark.parametrize("parts", [(0.05, 0.05), (0.02, 0.2), (0.2, 0.05)])
def test_the_best_number_of_runs_is_the_formula_s(parts, price):
    """In whole numbers, with a budget in which no task matters."""
    both, runs = parts
    study = gt.GStudy.from_components(
        DESIGN,
        dict(
            zip(gt.Design(DESIGN).labels, (0.01, 0.1, *parts), strict=True)
        ),
    )
    cost = {"task": price, "run": 1}
    found = study.plan().best(500_000, cost, coefficient="generalizability")
    number = np.arange(1, 200)
    least = ((price + number) * (both + runs / number)).argmin() + 1
    assert found.levels["run"] == least
    pays = number[price > both / runs * number * (number + 1)]
    assert least == (pays.max() + 1 if pays.size else 1)
    assert abs(least - np.sqrt(price * runs / both)) < 1


def test_the_lab_has_the_components_of_the_five_agents(agents):
    text = (ROOT / "book" / "lab.md").read_text("utf-8")
    typed = re.findall(r'^ +"[\w :()]+": (0\.\d{4}),$', text, re.M)
    assert [*map(float, typed)] == components(agents).round(4).tolist()


def draw(seed, sizes=(4, 20, 3), fractions=False):
    rng = np.random.default_rng(seed)
    level = rng.normal(0, 1.5, sizes[:2])[:, :, None]
    chance = 1 / (1 + np.exp(-level))
    if fractions:
        return np.clip(chance + rng.normal(0, 0.1, sizes), 0, 1)
    return (rng.random(sizes) < chance).astype(int)


def uneven():
    """The runs of a cell are one, two or three."""
    table = long_table(draw(3))
    number = np.random.default_rng(0).integers(1, 4, (4, 20))
    return table[table["run"] < number[table["system"], table["task"]]]


TABLES = {
    "ours": made_up_runs(),
    "0 and 1": long_table(draw(1)),
    "fractions": long_table(draw(2, fractions=True)),
    "names": long_table(draw(4)).replace({"system": {0: "a", 1: "b x c"}}),
    "uneven": uneven(),
}


def advice(scores):
    return again_or_another(gt.gstudy(name_runs(scores), DESIGN), 10)


@pytest.mark.parametrize("name", TABLES)
def test_the_advice_reads_other_tables(name):
    words = advice(TABLES[name])
    number = r"\d?\.\d{3}"
    start = rf"difference is ± {number}, and the runs cause \d+% of its"
    assert re.search(start, words)
    assert len(re.findall(rf"± {number}", words)) == 4
    assert "nan" not in words
    assert "inf" not in words


def test_no_sign_of_an_interaction_advises_no_runs_without_end():
    """Agents that fail in the same way: what differs by task is shared."""
    rng = np.random.default_rng(2)
    same = (
        rng.uniform(0.4, 0.6, (1, 20, 1))
        + np.linspace(0, 0.1, 4)[:, None, None]
    )
    own = rng.uniform(-0.1, 0.1, (4, 20, 3))
    scores = same + own - own.mean(axis=2, keepdims=True)
    words = advice(long_table(scores))
    assert words.endswith("Write more tasks.")


def test_a_run_that_occurs_twice_is_refused():
    twice = pd.concat([long_table(draw(1))] * 2)
    with pytest.raises(ValueError, match="occurs twice"):
        name_runs(twice)


def test_the_figures_draw_what_they_are_given():
    errors = pd.DataFrame(
        {
            "mean": [0.6, 0.4],
            "over tasks": [0.05, 0.04],
            "over runs": [0.01, 0.02],
        },
        ["X", "Y"],
    )
    ax = figures.two_errors(errors)
    for lines, kind in zip(
        ax.collections, ("over tasks", "over runs"), strict=True
    ):
        long = [np.ptp(path[:, 0]) for path in lines.get_segments()]
        assert np.allclose(long, 2 * 1.96 * errors[kind])
    assert [t.get_text() for t in ax.get_yticklabels()] == ["X", "Y"]


def test_the_least_of_each_price_is_marked():
    lines = pd.DataFrame({"a": [1, 2, 3.0], "b": [2, 1, 4.0]}, [1, 2, 3])
    ax = figures.price_curves(lines)
    marks = [
        m.get_xydata().ravel() for m in ax.lines if m.get_marker() == "D"
    ]
    assert np.array_equal(marks, [[1, 1], [2, 1]])
    assert {t.get_text() for t in ax.texts} == {"a", "b"}


def test_bars_of_tasks_add_up_to_all():
    counts = pd.DataFrame([[5, 1, 0, 4], [2, 2, 2, 2]], ["X", "Y"])
    ax = figures.solved_runs(counts)
    for row, name in enumerate(counts.index):
        widths = [bars[row].get_width() for bars in ax.containers]
        assert sum(widths) == pytest.approx(100)
        shares = 100 * counts.loc[name] / counts.loc[name].sum()
        assert np.allclose(widths, shares)


def test_both_kinds_of_passing_are_drawn():
    index = pd.MultiIndex.from_product([["pass@k", "pass^k"], [1, 2]])
    table = pd.DataFrame({"estimate": [0.5, 0.7, 0.5, 0.3]}, index).assign(
        low=0.1, high=0.9
    )
    figure = figures.pass_curves({"one": table, "two": table})
    for ax, title in zip(figure.axes, ("one", "two"), strict=True):
        drawn = [line.get_ydata().tolist() for line in ax.lines]
        assert drawn == [[0.5, 0.7], [0.5, 0.3]]
        assert ax.get_title() == title
