"""The first screen: its answers, in words, as tiles and on the page."""

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest
import scipy

import gtlib as gt
from gtapps import audit
from gtapps.audit import machines
from gtapps.audit.command import main
from gtapps.audit.new_systems import verdict
from gtapps.simulations import synthetic_runs
from tests.gtapps.audit.said import (
    answers_of,
    findings_of,
    study_judgments,
    study_machines,
)
from tests.gtapps.audit.test_audit_hostile import NAMES

TRUST = "Can differences be trusted?"
BEST = "Which system is best?"
FAIR = "Is it fair to newcomers?"
ALIKE = "Do machines rank alike?"
OTHER = "Does the other rank alike?"
TWO = "Which of the two is better?"
RUNS, COMPLETE, SITE = synthetic_runs(3, 2, 9, 80, 2)
TOP = RUNS[RUNS["rank"] <= 5][["topic", "document"]].drop_duplicates()
QRELS = COMPLETE.merge(TOP)


def table(true, noise=0.1, topics=40, seed=0):
    rng = np.random.default_rng(seed)
    true = np.array(true, dtype=float)
    names = [f"s{i}" for i in range(len(true))]
    scores = true[:, None] + rng.normal(0, noise, (len(true), topics))
    return pd.DataFrame(scores, names)


def asked(scores, **more):
    """Question -> answer and sentence, names as they stand."""
    collection = audit.prepare(scores)
    if len(collection.cells) == 2:
        board = audit.board_of(collection)
        more["pairs"] = audit.pairs_of(collection, board)
    found = answers_of(collection, **more)
    assert len({a.question for a in found}) == len(found)
    return {a.question: (*map(unescape, a[1:]),) for a in found}


def test_a_reliable_table_names_the_best():
    scores = table(np.linspace(0, 3, 10))
    found = asked(scores)
    assert [*found] == [TRUST, BEST, FAIR]
    value = gt.gstudy(scores).plan().generalizability
    short, said = found[TRUST]
    assert short == "very reliable"
    assert said.startswith("**The differences between systems are very")
    assert f"generalizability {value:.3f} [" in said
    assert found[BEST][0] == "s9"
    assert found[BEST][1].startswith("**Best is s9**, on these topics")
    assert found[FAIR][0] == "not known"
    assert "`--runs` and `--qrels`" in found[FAIR][1]


def test_a_hopeless_table_says_so_before_all_else():
    scores = table(np.zeros(10))
    found = asked(scores)
    assert gt.gstudy(scores).plan().generalizability == 0
    assert found[TRUST][0] == "no"
    assert (
        "**These topics cannot tell the systems apart**" in found[TRUST][1]
    )
    first = scores.mean(axis=1).idxmax()
    assert found[BEST][0] == f"{first}, or 9 others"
    assert "10 of 10 systems may be" in found[BEST][1]
    told = findings_of(audit.prepare(scores))
    sure = ["cannot" not in said for said in told]
    assert sure[:3] == [False, False, True]
    assert sum("may still differ" in said for said in told) == 1


def test_what_the_interval_leaves_open_is_said():
    scores = table(np.linspace(0, 0.1, 8), 0.2, 12)
    plan = gt.gstudy(scores).plan()
    interval = plan.interval("generalizability")
    assert interval.low < 0.7 and 0.9 < interval.high < 0.95
    short, said = asked(scores)[TRUST]
    assert short == "not reliable to reliable: it cannot be told"
    assert "(anything from not reliable to reliable)" in said
    ends = f"[{interval.low:.3f}, {interval.high:.3f}]"
    assert f"{plan.generalizability:.3f} {ends}" in said


def test_no_interval_is_no_verdict():
    """Of coefficients without one, as some tables with gaps have them."""
    collection = audit.prepare(table(np.linspace(0, 3, 10)))
    known = audit.coefficient_table(collection.study)
    none = known.assign(low=np.nan, high=np.nan, note="for a reason")
    found = answers_of(collection, none)
    assert found[0].answer == "very reliable, without an interval"
    assert (
        "as far as can be told without an interval**" in found[0].sentence
    )
    assert "(no interval: for a reason)" in found[0].sentence


@pytest.mark.parametrize("others", [1, 3])
def test_who_else_may_be_the_best_is_counted(others):
    true = np.r_[np.linspace(0, 1, 6), np.full(others + 1, 3)]
    scores = table(true, 0.3)
    maybe = gt.leaderboard(scores).table["may_be_best"]
    assert maybe.sum() == others + 1
    many = "1 other" if others == 1 else f"{others} others"
    short, said = asked(scores)[BEST]
    assert short == f"{scores.mean(axis=1).idxmax()}, or {many}"
    assert f"{others + 1} of {len(true)} systems may be" in said
    told = findings_of(audit.prepare(scores))
    assert unescape(told[0]) == said  # before what can be told
    assert told[1].startswith("**The differences between systems are")


def test_ties_at_the_top_and_a_tie_of_all():
    scores = table(np.linspace(0, 1, 6))
    scores.iloc[[1, 4]] = scores.iloc[5] + 0.5
    short, said = asked(scores)[BEST]
    assert short == "s1, or 1 other"
    assert "First on these topics are s1, s4, with the same mean" in said
    equal = pd.DataFrame(np.eye(6))
    short, said = asked(equal)[BEST]
    assert short == "none"
    assert said.startswith("**No system is first**")


def test_of_two_systems_there_is_one_question():
    found = asked(table([0, 1]))
    assert [*found] == [TWO, FAIR]
    assert found[TWO][0] == "s1 is better than s0"
    scores = table([0, 0], seed=3)
    test = scipy.stats.ttest_rel(*scores.to_numpy())
    assert test.pvalue > 0.05
    short, said = asked(scores)[TWO]
    assert short == "Which of s0 and s1 is better cannot be told."
    assert f"p = {test.pvalue:.2g}" in said
    told = findings_of(
        audit.prepare(scores),
        pairs=audit.pairs_of(
            audit.prepare(scores), audit.board_of(audit.prepare(scores))
        ),
    )
    assert [*map(unescape, told)] == [said, found[FAIR][1]]
    same = pd.DataFrame([[1.0, 2, 3], [3, 1, 2]], [*"ab"])
    assert asked(same)[TWO][0] == "a and b have the same mean"


# Judgments, machines and another collection


@pytest.fixture(scope="module")
def judging():
    table, judged, _ = audit.audit_data.score_and_study(
        RUNS, QRELS, ["AP"], SITE
    )
    (collection,) = audit.by_measure(table).values()
    return collection, judged


def test_newcomers_are_told_the_verdict_on_judgments(judging):
    collection, judged = judging
    found = {a.question: a for a in answers_of(collection, judged=judged)}
    assert [*found] == [TRUST, BEST, FAIR]
    head, why = verdict(judged)
    assert f"**{found[FAIR].answer}**" in head
    assert found[FAIR].sentence == f"**{FAIR} {found[FAIR].answer}**{why}"
    every = study_judgments(RUNS, COMPLETE)
    (fair,) = answers_of(collection, judged=every)[2:]
    assert fair.answer == "yes, for a system like these"
    few = study_judgments(RUNS, COMPLETE.sample(99, random_state=1))
    (fair,) = answers_of(collection, judged=few)[2:]
    assert fair.answer in (
        "These numbers cannot tell", "Not by these judgments alone",
    )  # fmt: skip


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """A machine that judges as people do, but for a fifth."""
    folder = tmp_path_factory.mktemp("tiles")
    turned = np.random.default_rng(1).random(len(QRELS)) < 0.2
    grade = QRELS["relevance"].where(~turned, 1 - QRELS["relevance"])
    columns = ["topic", "iteration", "document", "relevance"]
    for name, of in {"people": QRELS["relevance"], "llm": grade}.items():
        lines = QRELS.assign(iteration=0, relevance=of)[columns]
        path = folder / f"{name}.txt"
        lines.to_csv(path, sep=" ", header=False, index=False)
    lines = RUNS.assign(q="Q0")
    columns = ["topic", "q", "document", "rank", "score", "system"]
    path = folder / "runs.txt"
    lines[columns].to_csv(path, sep=" ", header=False, index=False)
    SITE.rename("site").to_csv(folder / "sites.csv", index_label="system")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machines, "N_RESAMPLES", 30)
        found = study_machines(RUNS, QRELS, folder / "llm.txt", "AP")
    return folder, found


def test_machines_have_an_answer_of_their_own(judging, compared):
    collection, judged = judging
    _, found = compared
    told = {a.question: a for a in answers_of(collection, machines=found)}
    assert [*told] == [TRUST, BEST, ALIKE]
    tau = found.together["tau"].iloc[0]
    assert told[ALIKE].answer == f"Kendall's tau {tau:.2f}"
    assert f"a Kendall's tau of {tau:.2f} [" in told[ALIKE].sentence
    both = answers_of(collection, machines=found, judged=judged)
    assert [a.question for a in both] == [TRUST, BEST, ALIKE, FAIR]


def other_table(seed=4):
    """The same systems on other topics, and where they stand then."""
    one = table(np.linspace(0, 1, 9), 0.3, 20)
    other = table(np.linspace(0, 1, 9), 1.0, 15, seed)
    return one, other.add_prefix("other ", axis=1)


@pytest.mark.parametrize("turned", [1, -1])
def test_another_collection_names_who_moves_most(turned):
    """By many ranks, whether up or down."""
    one, other = other_table()[::turned]
    before, after = (
        t.mean(axis=1).rank(ascending=False).astype(int)
        for t in (one, other)
    )
    moved = (after - before).sort_values(key=abs, ascending=False)
    assert abs(moved.iloc[2]) >= 1
    found = asked(one, other=audit.prepare(other))
    short, said = found[OTHER]
    tau = scipy.stats.kendalltau(one.mean(axis=1), other.mean(axis=1))
    assert short == f"Kendall's tau {tau.statistic:.2f}"
    assert f"a Kendall's tau of {tau.statistic:.2f} and" in said
    shown = said.partition("change most: ")[2].partition(". ")[0]
    names = dict(part.split(" by ") for part in shown.split(", "))
    assert len(names) == 3
    assert all(int(by) == moved[name] for name, by in names.items())
    least = min(abs(moved[name]) for name in names)
    assert (abs(moved.drop([*names])) <= least).all()
    again = asked(one, other=audit.prepare(one))[OTHER]
    assert again[0] == "Kendall's tau 1.00" and "change" not in again[1]


def test_no_system_in_common_is_no_agreement():
    one, other = other_table()
    stranger = audit.prepare(other.add_prefix("x", axis=0))
    short, said = asked(one, other=stranger)[OTHER]
    assert short == "cannot be told"
    assert "They share 0 systems" in said


def test_means_allow_for_the_topics_that_a_system_has():
    """The last met easy topics alone, and is not better for that."""
    scores = table(np.linspace(0, 1, 8), 0.1, 20)
    scores += np.linspace(0, 9, 20)
    gaps = scores.copy()
    gaps.iloc[0, :15] = np.nan
    one, other = map(audit.prepare, (scores, gaps))
    assert gaps.mean(axis=1).idxmax() == "s0"
    plain = scipy.stats.kendalltau(scores.mean(axis=1), gaps.mean(axis=1))
    assert plain.statistic < 0.9
    said, numbers = audit.compare_rankings(one, other)
    assert numbers["tau"] == pytest.approx(1)
    assert "change most" not in said
    board = audit.board_of(other).table["mean"]
    np.testing.assert_allclose(other.means[board.index], board)
    by = audit.measure_table({"all": one, "some": other})
    assert by["tau"].tolist() == pytest.approx([1, 1])


# As they are shown


def test_tiles_hold_each_answer_once(judging):
    html = pytest.importorskip("lxml.html")
    collection = audit.prepare(table(np.linspace(0, 3, 6)))
    found = answers_of(collection, judged=judging[1])
    shown = html.fromstring(audit.show_answers(found).data)
    assert shown.get("class") == "tiles"
    tiles = shown.xpath("./section")
    for tile, answer in zip(tiles, found, strict=True):
        assert [e.tag for e in tile][:2] == ["h3", "p"]
        assert tile.findtext("h3") == answer.question
        assert tile.find("p").text_content() == unescape(answer.answer)
        assert "**" not in tile.text_content()
    # What stands above a sentence is not said again.
    text = tiles[0].xpath("./p")[1].text_content()
    begin = found[0].sentence.partition("**: ")[2]
    assert text.startswith(f"{begin[0].upper()}{begin[1:9]}")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_strangers_show_as_they_stand(name):
    html = pytest.importorskip("lxml.html")
    scores = table(np.linspace(0, 3, 5)).set_axis([*"abcd", name])
    other = scores.set_axis([*"ab", name, *"cd"])
    found = answers_of(audit.prepare(scores), other=audit.prepare(other))
    pair = audit.prepare(scores.iloc[3:])
    board = audit.board_of(pair)
    found += answers_of(pair, pairs=audit.pairs_of(pair, board))
    page = html.fromstring(audit.show_answers(found).data)
    assert not page.xpath("//script | //a | //img | //em | //del")
    assert {*page.xpath("//code/text()")} == {"--runs", "--qrels"}
    assert not page.xpath("//code/*")
    best, two = page.xpath(f"//section[h3[. = '{BEST}' or . = '{TWO}']]")
    said = name if len(name) < 99 else name[:20]
    assert said in best.findtext("p") and said in two.findtext("p")
    assert best.xpath(".//strong")[0].text_content().startswith("Best is")
    moved = page.xpath(f"//section[h3[. = '{OTHER}']]")[0].text_content()
    assert f"{said}" in moved


PARTS = {
    "table": [
        "In short", "What to do next", "Leaderboard", "Beside one system",
        "Beside the other", "How reliable, and why", "The best systems",
        "Topics that do not pull with the rest", "Where the variance is",
    ],
    "two": ["In short", "Beside one system"],
    "runs": [
        "In short", "What to do next", "Leaderboard", "The judgments",
        "Machines as judges", "How reliable, and why", "The best systems",
        "Topics that do not pull with the rest", "Where the variance is",
    ],
}  # fmt: skip
ASKED = {
    "table": [TRUST, BEST, FAIR, OTHER],
    "two": [TWO, FAIR],
    "runs": [TRUST, BEST, ALIKE, FAIR],
}


@pytest.fixture(scope="module")
def reports(compared):
    """Pages and numbers, by what they are of."""
    html = pytest.importorskip("lxml.html")
    folder, _ = compared
    one, other = other_table()
    tables = {"one": one, "other": other, "two": one.iloc[:2]}
    for name, of in tables.items():
        of.to_csv(folder / f"{name}.csv", index_label="system")
    given = {
        "table": ["one.csv", "--against", "other.csv", "--baseline", "s1"],
        "two": ["two.csv", "--target", ".9"],
        "runs": [
            "--runs", "runs.txt", "--qrels", "people.txt", "--judges",
            "llm.txt", "--sites", "sites.csv", "--budget", "40",
        ],
    }  # fmt: skip
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(machines, "N_RESAMPLES", 30)
        for name, options in given.items():
            assert main(["audit", *options, "--out", f"r-{name}"]) == 0
            page = (folder / f"r-{name}.html").read_text("utf-8")
            numbers = (folder / f"r-{name}.json").read_text("utf-8")
            found[name] = html.fromstring(page), json.loads(numbers)
    return found


@pytest.mark.parametrize("of", PARTS)
def test_the_page_begins_with_tiles(reports, of):
    page, _ = reports[of]
    headings = [h.text_content() for h in page.xpath("//main//h2")]
    assert headings == PARTS[of]
    (tiles,) = page.xpath("//*[@class='tiles']")
    questions = [h.text_content() for h in tiles.xpath("./section/h3")]
    assert questions == ASKED[of]
    following = tiles.xpath("following::h2")
    assert [h.text_content() for h in following] == headings[1:]
    pictures = page.xpath("//figure")
    assert len(pictures) == {"table": 2, "two": 0, "runs": 1}[of]


def test_the_board_is_drawn_under_the_tiles(reports):
    page, _ = reports["runs"]
    (figure,) = page.xpath("//figure")
    (tiles,) = page.xpath("//*[@class='tiles']")
    order = [e for e in page.iter() if e is tiles or e is figure]
    assert order == [tiles, figure]
    (next_,) = page.xpath("//h2[. = 'What to do next']")
    assert figure in next_.xpath("preceding::figure")


def test_all_that_tiles_say_is_among_the_findings(reports):
    for of, (page, numbers) in reports.items():
        told = " ".join(numbers["findings"])
        told = told.replace("**", "").replace("`", "")
        sentences = page.xpath("//*[@class='tiles']/section/p[2]")
        assert len(sentences) == len(ASKED[of])
        for said in sentences:
            text = said.text_content().strip()
            assert text[1:] in told, of


def test_what_is_advised_is_on_the_page_and_among_the_numbers(reports):
    page, numbers = reports["runs"]
    rows = numbers["actions"]
    first = rows[0]["action"]
    (heading,) = page.xpath("//h2[. = 'What to do next']")
    said, price = heading.xpath("following::ul[1]/li")
    text = price.text_content()
    assert text.startswith("What machines would cost is not known")
    assert "machines" in rows[-1]["action"] and rows[-1]["price"] is None
    assert said.text_content().startswith(f"Next: {first}, at a price of")
    table = heading.xpath("following::table[1]//tbody/tr/th")
    shown = [cell.text_content() for cell in table]
    assert shown == [row["action"] for row in rows]
    assert sum(row["best_in"] for row in rows) == pytest.approx(1)
    key = ["topic", "document"]
    known = {*map(tuple, QRELS[key].to_numpy())}
    listed = {
        (row["topic"], row["document"]) for row in numbers["to_judge"]
    }
    judges = first.startswith(("judge", "pool"))
    assert bool(listed) == judges and not listed & known


def test_of_two_systems_nothing_is_planned(reports):
    page, numbers = reports["two"]
    assert numbers["actions"] is numbers["to_judge"] is None
    (table,) = page.xpath("//main//table")
    columns = [
        c.text_content().strip() for c in table.xpath(".//thead//th")
    ]
    assert "more topics" in columns and "p together" not in columns


def test_reports_fit_their_schema(reports, jsonschema):
    path = audit.report.NOTEBOOK.with_name("report.schema.json")
    schema = json.loads(path.read_text("utf-8"))
    for _, numbers in reports.values():
        jsonschema.validate(numbers, schema)
