"""What a message of the command advises, obeyed, is never wrong.

Small tables of the kinds that were once misread, the layouts of
`test_layouts`, and tables that `made_tables` makes: each option that a
question prints is given, and what comes is right, or another question.
"""

import itertools
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.power import NormalIndPower

from gtaudit import collect
from gtaudit.columns import Question, tell_apart, way
from gtaudit.one_system import study_one_system, verdict_of_one
from gtaudit.structure import structure
from tests.cases import first
from tests.gtaudit.follow import (
    arrives,
    follow,
    options_of,
    outcome,
    read,
    refused,
)
from tests.gtaudit.made_tables import FORMS, NAMES, RARER, make
from tests.gtaudit.readers.test_layouts import LAYOUTS, RIGHT, SCORES

RNG = np.random.default_rng(68)
SYSTEMS = ["lex", "vec", "mix", "rer"]
QUESTIONS = [f"q{i:02}" for i in range(12)]


def table_of(systems, topics=QUESTIONS, low=0.0, high=1.0):
    values = RNG.uniform(low, high, (len(systems), len(topics))).round(3)
    return pd.DataFrame(values, systems, topics)


def long_of(cells, system, topic, score):
    rows = cells.rename_axis(system).reset_index()
    return rows.melt(system, var_name=topic, value_name=score)


def csv(table):
    return table.to_csv(index=False)


def columns_of(cells, first_column, name="{}"):
    """A row for each topic, and a column for each system."""
    columns = {first_column: [*cells.columns]}
    for system, scores in cells.iterrows():
        columns[name.format(system)] = scores.to_numpy()
    return pd.DataFrame(columns)


MARKS = table_of(SYSTEMS)
HITS = (MARKS > 0.5).astype(float)
PRECISION, RECALL = table_of(SYSTEMS[:3]), table_of(SYSTEMS[:3])
ONE = table_of(["results", "other"])
ITS_OWN = [ONE.loc[["results"]], ONE.loc[["other"]].set_axis(["results"])]
CUPS = table_of(["cup", "jug", "pot"], [f"u{i}" for i in range(8)], 1, 5)
ITEMS = pd.DataFrame(
    RNG.integers(1, 7, (9, 4)).astype(float),
    [str(5001 + i) for i in range(9)],
    ["i1", "i2", "i3", "i4"],
)
BY_CUP = {q: f"cup {chr(97 + i)}" for i, q in enumerate(QUESTIONS)}
TURNS = MARKS.iloc[:2, :6].set_axis([str(81 + i) for i in range(6)], axis=1)


def two_measures():
    names = {"results": "confidence_score", "other": "hallucination_rate"}
    table = columns_of(ONE.rename(names), "id")
    table.insert(1, "text", [f"Why is {q} so?" for q in QUESTIONS])
    return table.assign(category="c1", cost_usd=RNG.random(12))


def known_measures():
    table = columns_of(
        ONE.rename({"results": "rougeL", "other": "em"}), "q"
    )
    table = table.rename(columns={"q": "question_id"})
    return table.assign(f1=table["em"] / 2)


def systems_and_measures():
    table = columns_of(PRECISION, "id", "{}_p@5")
    return table.merge(columns_of(RECALL, "id", "{}_r@5"), on="id")


def people_with_traits():
    table = ITEMS.rename_axis("rownames").reset_index()
    return table.assign(gender=[1, 2, 1] * 3, age=range(20, 29))


def reciprocal_ranks():
    table = long_of(MARKS, "retriever", "qid", "reciprocal_rank")
    table["first_hit_rank"] = np.arange(len(table)) % 7 + 1
    return table.assign(top1_doc=[f"d{i % 9}" for i in range(len(table))])


def turns(prompt="Please tell me of {}, part {}.", names=("turn",)):
    rows = [
        {
            "question_id": int(q),
            "model": s,
            "user_prompt": prompt.format(q, turn),
            "judgment": f"Fine, {s}, {q}, {turn}.",
            "score": round(TURNS.loc[s, q] + turn - 1.5, 3),
            **dict.fromkeys(names, turn),
            "tstamp": 1000.0 + 50 * k + 2 * i + turn,
        }
        for k, s in enumerate(TURNS.index)
        for i, q in enumerate(TURNS)
        for turn in (1, 2)
    ]
    return "\n".join(map(json.dumps, rows))


def several_measures():
    table = long_of(MARKS, "arm", "query_id", "rr")
    hits = (table["rr"] > 0.5).astype(float)
    return table.assign(**{"hit@1": hits, "latency_ms": RNG.random(48)})


def one_value_of_a_measure():
    table = long_of(MARKS, "template_id", "query", "metric_score")
    return table.assign(metric="ndcg@10", unrated_docs=3)


SCORED = [
    MARKS.set_axis([f"{s}_score" for s in SYSTEMS]),
    *(MARKS.loc[[s]].set_axis(["a"]) for s in SYSTEMS),
]
RUN = {f"q{i}": {f"d{i}{j}": 9.0 - j for j in range(5)} for i in range(3)}
BOARD = "name,adjusted_winrate,win_rate,avg_length\nm1,86.4,76.9,872\n"
BOARD += "m2,78.5,77.6,3261\nm3,77.4,75.6,1994\n"
LONG_BOARD = "model,metric,value\nm1,bleu,.3\nm1,chrf,.5\nm2,bleu,.4\n"
LONG_BOARD += "m2,chrf,.2\n"
PREFERENCES = "instruction,generator_1,generator_2,preference\n"
PREFERENCES += "a,x,y,1\nb,x,y,2\n"
ERRORS = "system,doc,seg_id,rater,category,severity\n"
ERRORS += "a,d1,1,r1,Fluency,Minor\na,d1,1,r1,Accuracy,Major\n"
ERRORS += "b,d1,1,r1,Fluency,Minor\n"

RATED = long_of(
    table_of(QUESTIONS[:5], ["r1", "r2", "r3"]),
    "item",
    "rater_id",
    "usefulness",
)
RATERS = RATED.pivot_table("usefulness", "item", "rater_id")
EXPORT = columns_of(
    ONE.rename(
        {"results": "feedback.correctness", "other": "feedback.fluency"}
    ),
    "inputs",
)
NAMED = pd.concat(
    [
        long_of(MARKS, "model", "item", "value").assign(name="fluency"),
        long_of(HITS, "model", "item", "value").assign(name="adequacy"),
    ]
)
RETRIEVED = "query_id,doc_id,rank,score\n" + "".join(
    f"q{i},d{i}{j},{j + 1},{9 - j}\n" for i in range(5) for j in range(6)
)
COUNTS = "model,pass_rate_1,pass_rate_2,syntax_errors,user_asks\n"
COUNTS += "a,14.2,40,0,97\nb,17.3,49.8,0,102\nc,10,20,0,5000\n"

POINTS = MARKS.T.set_axis([*map(str, range(7001, 7013))]).set_axis(
    [f"Aufgabe {i}" for i in range(1, 5)], axis=1
)
EXAM = POINTS.rename_axis("Matrikelnummer").reset_index()
EXAM = EXAM.assign(
    Summe=POINTS.sum(axis=1).to_numpy(), Note=2.3 - MARKS.iloc[0].to_numpy()
)
CRITERIA = long_of(MARKS, "model", "prompt", "helpfulness").assign(
    harmlessness=HITS.T.to_numpy().ravel(), candour=3.0
)
CRITERIA.loc[0, "candour"] = 2.0

# Twenty students, whose numbers are called by no word for numbers.
CLASS = table_of(
    [f"Ms {c}" for c in "abcdefghijklmnopqrst"], low=50, high=99
).round()
NUMBERED = CLASS.rename_axis("Name").reset_index()
NUMBERED.insert(0, "UIN", 6_000_000_000 + 7919 * np.arange(20))
# What four people say of each of twelve pictures, in groups.
SEEN = table_of(
    [f"obs_{i}" for i in range(1, 5)],
    [f"img_{i}_x{i % 3}" for i in range(12)],
)
OBSERVED = columns_of(SEEN, "folder").assign(
    test_number=[1, 2] * 6, scene=[*"abc"] * 4, Sum=SEEN.sum().to_numpy()
)
# Two machines, three people, and two runs that no column numbers.
RUNS = long_of(
    table_of(["lathe", "press"], [f"w{i}" for i in range(6)]),
    *("Machine", "Worker", "score"),
)
AGAIN = pd.concat([RUNS, RUNS.assign(score=RUNS["score"] / 2)])
MACHINES = AGAIN.pivot_table("score", "Machine", "Worker")
# Answers that two people mark, and how hard each question is.
MARKED = long_of(
    table_of([f"case {i}" for i in range(8)], ["r1", "r2"]),
    *("item_id", "rater", "score"),
).assign(difficulty=[1, 2, 3, 3] * 4)
# Means over raters, by three criteria; how far they differ stands beside.
MEANS = table_of(["correctness_mean", "has_flaws_mean", "clarity_mean"])
SPREAD = columns_of(MEANS, "id").assign(correctness_std=RNG.random(12))
# One measure that is known, and others that have no known names.
QUALITY = long_of(MARKS, "mode", "question_id", "exact_match").assign(
    good_0_1=HITS.T.to_numpy().ravel()
)
# Systems of two settings, one of which has none of the second.
SETTINGS = pd.concat(
    long_of(MARKS.iloc[[i]], "model", "query", "AP@10").assign(k1=k, b=b)
    for i, (k, b) in enumerate([("", ""), (0.5, 0.7), (1.2, 0.7), (1.2, 1)])
)
SETTINGS["model"] = ["vector"] * 12 + ["bm25"] * 36
TUNED = MARKS.set_axis(
    ["vector++", "bm25+0.7+0.5", "bm25+0.7+1.2", "bm25+1+1.2"]
)
ERRORS_OF_MEANS = ",win_rate,standard_error,n_wins\nm1,50,1.5,400\n"
ERRORS_OF_MEANS += "m2,40,1.6,350\nm3,30,1.4,200\n"
CIRCLES = columns_of(HITS, "qid").replace({1.0: "○", 0.0: "×"})
CIRCLES = CIRCLES.rename(columns={"rer": "metrics"})

# The name of a file, its content, the tables of which one is right, what
# comes at first, and the options that are given.
KINDS = {
    "two measures of one system": (
        *("results.csv", csv(two_measures())),
        *(ITS_OWN, "asked", {}),
    ),
    "known measures of one system": (
        *("results.csv", csv(known_measures())),
        *([*ITS_OWN, ITS_OWN[1] / 2], "asked", {}),
    ),
    "columns of systems and measures": (
        *("a.csv", csv(systems_and_measures())),
        *([PRECISION, RECALL], "asked", {}),
    ),
    "a board of averages": ("a.csv", BOARD, [], "refused", {}),
    "a long board of averages": ("a.csv", LONG_BOARD, [], "refused", {}),
    "names of no language": (
        "a.csv",
        csv(
            long_of(MARKS.rename(columns=BY_CUP), "Brew", "Place", "Marks")
        ),
        *([MARKS.rename(columns=BY_CUP)], "asked", {}),
    ),
    "people with their age": (
        *("a.csv", csv(people_with_traits())),
        *([ITEMS], "right", {}),
    ),
    "reciprocal ranks": (
        *("a.csv", csv(reciprocal_ranks())),
        *([MARKS], "right", {}),
    ),
    "two turns": ("a.jsonl", turns(), [TURNS], "asked", {}),
    "two turns with short prompts": (
        *("a.jsonl", turns("prompt {} {}"), [TURNS], "asked", {}),
    ),
    "two turns that only prompts tell apart": (
        *("a.jsonl", turns(names=()), [TURNS], "asked", {}),
    ),
    "a score that is said": (
        *("a.csv", csv(several_measures()), [MARKS], "right"),
        {"columns": "system=arm,score=rr"},
    ),
    "a score that is not said": (
        *("a.csv", csv(several_measures())),
        *([MARKS, HITS], "asked", {}),
    ),
    "one system with one run": (
        "a.csv",
        csv(long_of(ITS_OWN[0], "model", "question_id", "correct")),
        *(ITS_OWN, "right", {}),
    ),
    "people who rate things": (
        *("a.csv", csv(long_of(CUPS, "objects", "user", "qoe"))),
        *([CUPS], "right", {}),
    ),
    "a run in JSON": ("a.json", json.dumps(RUN), [], "refused", {}),
    "preferences": ("a.csv", PREFERENCES, [], "refused", {}),
    "errors in words": ("a.csv", ERRORS, [], "refused", {}),
    "a measure with one value, beside its scores": (
        *("a.csv", csv(one_value_of_a_measure())),
        *([MARKS], "right", {}),
    ),
    "columns that end in score": (
        *("a.csv", csv(columns_of(MARKS, "question", "{}_score"))),
        *(SCORED, "asked", {}),
    ),
    "marks of raters, by two measures": (
        *("a.csv", csv(RATED.assign(safety=RATED["usefulness"] / 2))),
        *([RATERS, RATERS / 2], "asked", {}),
    ),
    "columns that begin alike": (
        *("results.csv", csv(EXPORT)),
        *(ITS_OWN, "asked", {}),
    ),
    "measures that a column names": (
        *("a.csv", csv(NAMED), [MARKS, HITS], "asked", {}),
    ),
    "measures in brackets": (
        "a.csv",
        csv(
            columns_of(PRECISION, "id", "P@5 ({})").merge(
                columns_of(RECALL, "id", "nDCG ({})"), on="id"
            )
        ),
        *([PRECISION, RECALL], "asked", {}),
    ),
    "a run with ranks": ("a.csv", RETRIEVED, [], "refused", {}),
    "a board with counts": ("a.csv", COUNTS, [], "refused", {}),
    "known systems under no name": (
        "a.csv",
        csv(columns_of(MARKS.set_axis(["gpt-4o", "qwen2", "e5", "x"]), "")),
        [MARKS.set_axis(["gpt-4o", "qwen2", "e5", "x"])],
        *("right", {}),
    ),
    "an exam with sums and grades": (
        *("a.csv", csv(EXAM), [POINTS], "right", {}),
    ),
    "criteria of which one is not known": (
        *("a.csv", csv(CRITERIA)),
        [MARKS, HITS, CRITERIA.pivot_table("candour", "model", "prompt")],
        *("asked", {}),
    ),
    "numbers of students": (
        *("a.csv", csv(NUMBERED), [CLASS], "right", {}),
    ),
    "observers of pictures": (
        *("a.csv", OBSERVED.to_csv(), [SEEN.T], "right", {}),
    ),
    "runs that no column numbers": (
        *("a.csv", AGAIN.to_csv(), [MACHINES], "asked", {}),
    ),
    "marks, and what else is known of what is marked": (
        "a.csv",
        csv(MARKED),
        [MARKED.pivot_table("score", "item_id", "rater")],
        *("asked", {}),
    ),
    "means over raters": (
        "results.csv",
        csv(SPREAD),
        [MEANS.iloc[[i]].set_axis(["results"]) for i in range(3)],
        *("asked", {}),
    ),
    "a known measure, and another": (
        *("a.csv", csv(QUALITY), [MARKS, HITS], "asked", {}),
    ),
    "settings of systems": (
        *("a.csv", csv(SETTINGS), [TUNED], "asked", {}),
    ),
    "averages with their errors": (
        *("a.csv", ERRORS_OF_MEANS, [], "refused", {}),
    ),
    "circles and crosses": (
        "a.csv",
        csv(CIRCLES),
        [HITS.rename({"rer": "metrics"})],
        *("right", {}),
    ),
    "questions and annotators, and no systems": (
        *("a.csv", csv(long_of(MARKS, "doc_id", "worker_id", "label"))),
        *([MARKS], "asked", {}),
    ),
}


@pytest.fixture
def written(tmp_path):
    """Write a file, and return its path."""

    def write(text, name="a.csv"):
        path = tmp_path / name
        path.write_text(text, "utf-8")
        return path

    return write


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_read_right_or_asked_about(kind, written):
    name, text, tables, expected, options = KINDS[kind]
    path = written(text, name)
    what, said = outcome(path, tables, **options)
    assert what == expected, said


@pytest.mark.parametrize("kind", first(9, KINDS))
def test_each_command_that_a_kind_gets_is_right_or_asks_again(
    kind, written
):
    name, text, tables, _, options = KINDS[kind]
    path = written(text, name)
    assert [*follow(path, tables, **options)] == []
    assert [*refused([path], **options)] == []


@pytest.mark.parametrize(
    ("kind", "words"),
    {
        "criteria of which one is not known": "3 measures",
        "two measures of one system": "Its means, with 95% intervals",
        "a board of averages": "is a board of averages",
        "a run in JSON": "--runs",
        "preferences": "Bring a score",
        "errors in words": "Give each kind a weight",
    }.items(),
)
def test_what_is_no_table_of_scores_is_named(kind, words, written):
    name, text, _, _, options = KINDS[kind]
    with pytest.raises(ValueError, match=words):
        read(written(text, name), **options)


def test_a_board_says_how_many_items_would_tell_the_first_two(written):
    """Of shares with other items each, statsmodels wants as many, within
    what its normal approximation leaves open."""
    shares = "model,accuracy,elo\na,{},1250\nb,{},1240\nc,{},1100\n"
    for values in ((0.71, 0.69, 0.5), (71, 69, 50)):
        with pytest.raises(ValueError, match=r"accuracy is the share") as e:
            read(written(shares.format(*values)))
        (items,) = re.findall(r"with ([\d,]+) items", str(e.value))
        spread = np.sqrt((0.71 * 0.29 + 0.69 * 0.31) / 2)
        expected = NormalIndPower().solve_power(
            0.02 / spread, alpha=0.05, power=0.8
        )
        found = int(items.replace(",", ""))
        assert found == pytest.approx(expected, rel=1e-3)
    for values in ((0.7, 0.7, 0.5), (-1, 2, 3)):
        with pytest.raises(ValueError, match="board") as e:
            read(written(shares.format(*values)))
        assert "is the share" not in str(e.value)


# A header without the names that tell what the columns are.
TELLING = (
    *("model_id", "model", "Model", "MODEL", "system", "System", "agent"),
    *("task_id", "question_id", "query_id", "instance_id", "item", "qid"),
)


@pytest.mark.parametrize("name", first(12, LAYOUTS))
def test_no_advice_on_a_layout_without_names_is_wrong(name, written):
    make_text, file, _ = LAYOUTS[name]
    head, newline, rest = make_text().partition("\n")
    for i, word in enumerate(TELLING):
        head = head.replace(word, f"x{i}")
    path = written(head + newline + rest, file)
    found = follow(path, [SCORES, RIGHT.astype(float)])
    assert [f for f in found if "asked again" in f or "not in" in f] == []


# Made tables


def count(seeds, folder, names=NAMES):
    """What comes of made tables, by language and form, and all faults."""
    came, faults = Counter(), []
    path = folder / "scores.csv"
    for seed in seeds:
        made = make(seed, names)
        path.write_text(made.text, "utf-8")
        what, said = outcome(path, made.tables[:1], made.roles)
        if made.spoilt and what in ("asked", "refused"):
            what = "spoilt"
        if what == "asked":
            found = [*follow(path, made.tables, made.roles)]
            if not arrives(path, made.tables):
                found.append(f"no way leads to the table: {said}")
            faults += [f"{seed}: {fault}" for fault in found]
        elif what == "wrong":
            faults.append(f"{seed}: {said.sentence}")
        came[made.language, made.form, what] += 1
    return came, faults


def shares(came):
    """How many of 100 tables are read unasked, by language and form."""
    known = {}
    for key in itertools.product(NAMES, FORMS):
        every = sum(n for k, n in came.items() if k[:2] == key)
        read = came[*key, "right"]
        known[key] = 100 * read / max(every - came[*key, "spoilt"], 1)
    return known


# Where no column has a name that is known, nothing in a table says whether
# its third column holds people, runs or questions, nor whether a second one
# holds people or questions: their means and errors differ, so a guess could
# be wrong, and a fair question is right. It is asked each time, and one of
# the commands that it prints leads to the table.
UNTOLD = FORMS[1:4]


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES, RARER], ids=["common", "rarer"])
def test_no_made_table_is_read_wrong(tmp_path, names):
    came, faults = count(range(20), tmp_path, names)
    assert faults == []
    right = sum(n for (*_, what), n in came.items() if what == "right")
    assert right >= 0.85 * came.total()


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES, RARER], ids=["common", "rarer"])
def test_of_a_thousand_tables_most_are_read_and_none_wrong(tmp_path, names):
    came, faults = count(range(1000), tmp_path, names)
    assert faults == []
    low = shares(came)
    read_unasked = [low.pop(("none", form)) for form in UNTOLD]
    assert min(low.values()) >= 85, low
    assert read_unasked == [0, 0, 0]


# What is said is obeyed


def listeners(again=0):
    """Ratings of sounds, and some of the rows again."""
    rows = [
        (f"s{s}", f"p{p}", f"u{u}", e, (7 * s + 5 * p + 3 * u + e) % 11)
        for s in range(3)
        for p in range(3)
        for u in range(4)
        for e in (1, 2)
    ]
    names = ["sound", "page", "subject", "experiment", "rating"]
    return csv(pd.DataFrame(rows + rows[:again], columns=names))


@pytest.mark.parametrize("again", [0, 4])
def test_facets_of_a_declared_design_are_all_named(written, again):
    path = written(listeners(again))
    with pytest.raises(Question) as asked:
        read(path, design="sound x page x subject")
    said = str(asked.value)
    assert "sound, page and subject" in said
    assert ("4 rows: remove or average these" in said) == (again > 0)
    *_, way = asked.value.ways
    assert way == "--design 'sound x page x subject x experiment'"
    found = collect([written(listeners())], **options_of(way))
    assert found.collection.cells.shape == (3, 3)


def test_a_tiny_table_with_gaps_is_refused_at_once(written):
    scores = {"s1": {"t3": 0.3, "t2": 0.2, "t1": 0.1}}
    scores["s2"] = {"t2": 0.2, "t1": 0.1}
    path = written(json.dumps(scores), "a.json")
    with pytest.raises(ValueError, match="only 3 systems and 2 topics"):
        collect([path], columns="topic=rows")


def test_a_property_of_questions_is_no_facet_beside_them(written):
    """Their category and difficulty together name each question."""
    marks = MARKS.iloc[:3, :5].set_axis([*"avxyz"], axis=1)
    table = long_of(marks, "kon", "col", "result_")
    number = table["col"].map("avxyz".index)
    table["category"] = np.where(number % 2, "easy", "hard")
    table["difficulty"] = number % 3
    with pytest.raises(Question) as asked:
        read(written(csv(table)))
    ways = [options_of(way)["columns"] for way in asked.value.ways]
    assert "system=kon,topic=col" in ways
    assert not [way for way in ways if "difficulty" in way]


def test_a_text_takes_the_place_of_nothing_shorter(written):
    """Each of five people gave one response, in words."""
    marks = MARKS.iloc[:, :5].set_axis([*"avxyz"], axis=1)
    table = long_of(marks, "Brew", "col_c", "Z")
    table["response"] = table["col_c"].map("It is {}.".format)
    with pytest.raises(Question) as asked:
        read(written(csv(table)))
    assert "response" not in " ".join(asked.value.ways)


def test_a_text_of_each_question_is_nested_in_it(written):
    path = written(turns(names=()), "a.jsonl")
    with pytest.raises(Question) as asked:
        collect([path])
    (way,) = asked.value.ways
    assert way == "--design 'model x (user_prompt:question_id)'"
    found = collect([path], **options_of(way))
    assert found.collection.cells.shape == (2, 6)


def test_a_design_without_topics_is_a_design(written):
    path = written(csv(long_of(CUPS, "objects", "user", "qoe")))
    found = collect([path])
    assert str(found.collection.design) == "objects x user"
    said = collect([path], design="objects x user")
    assert str(said.collection.design) == "objects x user"
    np.testing.assert_allclose(
        said.collection.cells, found.collection.cells
    )


def test_the_object_of_a_design_is_its_first_facet(written):
    path = written(csv(long_of(MARKS, "doc_id", "worker_id", "label")))
    found = collect([path], design="doc_id x worker_id")
    assert found.reading.roles["doc_id"] == "system"


def test_a_column_that_is_not_there_is_refused(written):
    path = written(csv(long_of(MARKS, "model", "query", "score")))
    with pytest.raises(ValueError, match="no column 'arm', as --columns"):
        read(path, columns="system=arm")


def test_a_comma_may_be_part_of_the_name_of_a_column(written):
    table = long_of(MARKS, "what, if any", "query", "score")
    option = way("columns", system="what, if any", topic="query")
    assert option == "--columns 'system=what, if any,topic=query'"
    columns = "system=what, if any,topic=query"
    cells, _ = read(written(csv(table)), columns=columns)
    np.testing.assert_allclose(cells.loc[SYSTEMS, QUESTIONS], MARKS)


def test_a_topic_may_be_called_system(written):
    table = MARKS.iloc[:, :3].set_axis(["air", "system", "water"], axis=1)
    path = written(table.rename_axis("country").reset_index().to_csv())
    found = collect([path], columns="system=rows").collection.cells
    assert {*found} == {"air", "system (column)", "water"}


def test_one_system_is_not_taken_for_granted(written):
    """Of numbers under no known name it is asked what their rows are."""
    table = pd.DataFrame(
        {"treatment": [*"abc"] * 4, "torque": RNG.random(12)}
    )
    with pytest.raises(Question) as asked:
        read(written(table.to_csv(index_label="rownames")))
    assert asked.value.ways == ("--columns topic=rows",)


def test_no_time_and_no_number_of_a_row_tells_scores_apart():
    rows = pd.DataFrame(
        {
            "model": [*"aabb"],
            "item": [*"xxxx"],
            "created_at": ["2026-01-01", "2026-01-02"] * 2,
            "id": ["1", "2", "3", "4"],
            "answer": ["one", "two", "three", "four"],
            "score": ["1", "2", "3", "4"],
        }
    )
    facets = {"model": "system", "item": "topic"}
    question = tell_apart("a.csv", structure(rows), facets)
    way = "--columns system=model,topic=item,repetition=rows"
    assert question.ways == (way,)
    numbered = {**facets, "created_at": "repetition"}
    again = pd.concat([rows, rows.assign(score="5")])
    assert tell_apart("a.csv", structure(again), numbered) is None
    apart = rows.assign(part=["1", "2"] * 2)
    said = tell_apart("a.csv", structure(apart), facets)
    assert said.ways[-1] == way.replace("rows", "part")


def test_one_system_has_a_mean_with_an_interval(written):
    table = long_of(ITS_OWN[0], "model", "question_id", "correct")
    one = collect([written(csv(table))]).collection
    mean, repeated = study_one_system(one)
    x = ONE.loc["results"]
    half = 2.200985 * x.std(ddof=1) / 12**0.5  # t of 11 degrees of freedom
    assert repeated is None
    assert mean.estimate == pytest.approx(x.mean())
    assert mean.high - mean.low == pytest.approx(2 * half, rel=1e-6)
    said = verdict_of_one(one, mean, repeated)
    assert "these 12 questions (12 scores), or 12 more for" in said.next
    assert f"±{half / 2**0.5:.3f}" in said.next
    assert "another run" in said.answers[0].more


def test_files_of_one_system_each_are_compared(tmp_path):
    for name in SYSTEMS:
        scores = columns_of(MARKS.loc[[name]], "id").set_axis(
            ["id", "faithfulness"], axis=1
        )
        scores["confidence_score"] = RNG.random(12)
        (tmp_path / f"{name}.csv").write_text(csv(scores))
    paths = sorted(tmp_path.glob("*.csv"))
    assert outcome(paths, [MARKS])[0] == "asked"
    assert outcome(paths, [MARKS], measure="faithfulness")[0] == "right"


def test_topics_beside_their_average_may_be_averages(tmp_path):
    """So intervals do not speak of the items behind them."""
    table = pd.DataFrame(
        np.random.default_rng(0).random((6, 9)), columns=list("ABCDEFGHI")
    )
    table.insert(0, "model", [f"m{i}" for i in range(6)])
    for name, told in (("Average", True), ("other", False)):
        path = tmp_path / "a.csv"
        table.assign(**{name: table["A"] / 2}).to_csv(path, index=False)
        notes = collect(path).every_note
        assert any("itself an average" in n for n in notes) == told
