"""Tables of marks by people and machines: whose each column is, or one
question; never systems."""

import re

import krippendorff
import numpy as np
import pandas as pd
import pytest

import gtlib
from gtaudit import collect
from gtaudit.columns import Question
from gtaudit.inputs import read_scores
from gtaudit.marks import whose
from tests.gtaudit.follow import options_of

PEOPLE = [
    *(
        ["human"],
        ["Human"],
        ["human_score"],
        ["humanScore"],
        ["gold_label"],
    ),
    *(["Human rating"], ["manual_score"], ["expert"], ["human_passed"]),
    *(["rater1", "rater2"], ["annotator_a", "annotator_b", "annotator_c"]),
    *(["expert 1", "expert 2"], ["human_1", "human_2", "human_3"]),
    *(["rater1", "rater2", "expert"], ["reviewer"], ["people"]),
]
JUDGES = [
    *(["judge"], ["llm_judge"], ["judge_score"], ["LLM judge"], ["auto"]),
    *(["judge_passed"], ["gpt-4o"], ["gpt4_score"], ["ai_rating"], ["llm"]),
    *(["gpt4_score", "claude_judge"], ["judge_gpt-4", "judge_claude"]),
    *(["gpt4_score", "claude_judge", "llama_judge"], ["autorater"]),
    ["llm_as_a_judge", "mistral-7b"],
]
ITEMS = "item", "id", "question_id", "prompt", "qid", "example", "", None
SYSTEMS = "model", "system", "Agent", "model_name"
SCALES = "zero or one", "pass or fail", "grades", "numbers", "letters"


def marks(rng, scale, size):
    """Marks of the same merits, whatever they are called."""
    merit = rng.normal(0, 1, (size[0], 1)) + rng.normal(0, 0.6, size)
    if scale == "numbers":
        return np.round(1 / (1 + np.exp(-merit)), 3)
    if scale == "grades":
        return np.clip(np.round(3 + merit), 1, 5)
    words = {"pass or fail": ["fail", "pass"], "letters": ["A", "B"]}
    hits = (merit > 0).astype(int)
    return np.array(words.get(scale, [0, 1]), object)[hits]


def made(seed):
    """A table as people have it, who its raters are, and its marks."""
    rng = np.random.default_rng([seed, 72])
    people, judges = (
        all_[rng.integers(len(all_))] for all_ in (PEOPLE, JUDGES)
    )
    scale = SCALES[rng.integers(len(SCALES))]
    several = bool(rng.random() < 0.4)
    n = int(rng.integers(12, 60)) * (4 if several else 1)
    names = [*people, *judges]
    table = pd.DataFrame(marks(rng, scale, (n, len(names))), columns=names)
    whole = table.copy()
    if rng.random() < 0.5:  # few have human marks
        left = rng.permutation(n)[n // 3 :]
        table.loc[left, people] = np.nan
    if rng.random() < 0.3:
        table = table.mask(rng.random(table.shape) < 0.05)
    table = table[[*rng.permutation(names)]]
    items = ITEMS[rng.integers(len(ITEMS))]
    system = SYSTEMS[rng.integers(len(SYSTEMS))] if several else None
    numbers = np.tile(np.arange(n // 4), 4) if several else np.arange(n)
    if system is not None and items in ("", None):
        items = "item"
    long = rng.random() < 0.3 and items
    if rng.random() < 0.3 and not long:
        table["answer"] = [f"It is number {i} of all" for i in range(n)]
        table["latency_ms"] = rng.integers(9, 900, n)
        table["judge_reason"] = [
            f"As {i} is what was asked" for i in range(n)
        ]
    if items is not None:
        written = [f"What is {i}?" for i in numbers]
        table.insert(0, items, written if items == "prompt" else numbers)
    if system:
        table.insert(0, system, np.repeat([*"wxyz"], n // 4))
    if long:
        keys = [c for c in (system, items) if c]
        rater = ["rater", "annotator", "marked_by"][seed % 3]
        table = table.melt(keys, names, rater, "score").dropna()
    roles = dict.fromkeys(people, "human") | dict.fromkeys(judges, "judge")
    return table, roles, whole, several


def came(path, seen=(), **options):
    """Marks that are read, and what is said of them, or all that the ways
    of questions lead to."""
    roles = options.get("columns")
    try:
        data = collect(path, **options)
    except Question as question:
        assert str(question) not in seen, question
        for way in question.ways:
            more = options_of(way)
            assert way in str(question)
            yield from came(path, (*seen, str(question)), **options | more)
        return
    except ValueError as error:
        assert roles and "system" in roles, error
        return  # systems they are not
    yield options, data.collection.scores


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds",
    [range(10), pytest.param(range(10, 800), marks=pytest.mark.slow)],
    ids=str,
)
def test_made_tables_are_read_right_or_asked_about(seeds, tmp_path):
    path = tmp_path / "marks.csv"
    at_once = 0
    for seed in seeds:
        table, roles, whole, several = made(seed)
        table.to_csv(path, index=False)
        found = [*came(path)]
        right = 0
        for options, scores in found:
            if "marks" not in scores.attrs:
                assert "system" in options.get("columns", ""), (seed, found)
                continue
            assert scores.attrs["marks"] == roles, (seed, table.head())
            assert scores.index.nlevels == 1 + several, seed
            same = scores.notna().sum() > 0
            assert same.all(), seed
            right += 1
            if len(scores) == len(whole) and "score" not in table:
                for name in roles:
                    known = scores[name].notna().to_numpy()
                    mine = scores[name].to_numpy()[known]
                    truth = whole[name].to_numpy()[known]
                    if {*truth} <= {"pass", "fail"}:
                        truth = truth == "pass"
                    assert (mine == truth).all(), seed
            at_once += not options
        assert right, seed
    assert at_once >= 0.8 * len(seeds)


@pytest.mark.parametrize(
    ("name", "side"),
    [
        *((n, "human") for n in ("Rater 2", "human_judge", "expertScore")),
        *((n, "human") for n in ("gold", "Menschen", "évaluateur")),
        *((n, "judge") for n in ("judge", "Claude 3.5", "llm_rater", "AI")),
        *((n, "judge") for n in ("gpt4o_rater", "auto-grader", "juez")),
        *((n, "") for n in ("human_vs_llm", "score", "bm7", "q1", "")),
    ],
)
def test_names_say_who_marked(name, side):
    assert whose(name) == side


def csv(folder, text):
    path = folder / "a.csv"
    path.write_text(text, "utf-8")
    return path


def read(folder, text, **options):
    return read_scores(csv(folder, text), **options).attrs


MARKERS = "human", "gpt-4"
BOTH = "item,human,judge\n"
GRADES = "\n1,3,2\n2,4,4\n3,1,2\n4,2,2\n5,5,4"


@pytest.mark.parametrize(
    ("header", "ways"),
    {
        "item,human,gpt-4": [
            "--columns human=human,judge=gpt-4",
            "--columns system=columns",
        ],
        "item,human,b": [
            "--columns human=human,judge=b",
            "--columns system=columns",
        ],
        "item,ours,judge_score": [
            "--columns judge=judge_score,human=ours",
            "--columns system=columns",
        ],
    }.items(),
)
def test_what_may_be_systems_is_asked(header, ways, tmp_path):
    with pytest.raises(Question) as error:
        read(tmp_path, header + GRADES)
    assert [*error.value.ways] == ways


def test_what_is_said_is_obeyed(tmp_path):
    text = "item,a,b" + GRADES
    assert "marks" not in read(tmp_path, text)  # two systems
    found = read(tmp_path, text, roles={"a": "human", "b": "judge"})
    assert found["marks"] == {"a": "human", "b": "judge"}
    text = "item,human,judge" + GRADES
    turned = {"human": "judge", "judge": "human"}
    assert read(tmp_path, text, roles=turned)["marks"] == turned
    assert "marks" not in read(tmp_path, text, roles={"columns": "system"})


def test_several_rows_of_an_item_are_told(tmp_path):
    rows = [f"{m},{i % 4},{i % 3},{i % 2}" for m in "mn" for i in range(12)]
    found = read(tmp_path, "\n".join(["model,item,human,judge", *rows]))
    (note,) = found["report"]
    assert note.startswith("Several rows have the same item;")


@pytest.mark.parametrize(
    "header",
    [
        *("item,rater1,rater2", "item,judge1,judge2", "query,gpt-4,claude"),
        *(
            "query,human,bm25\n1,.31,.27\n2,.4,.11\n3,.2,.6\n4,.1,.5",
            "q,a,b",
        ),
    ],
)
def test_other_tables_are_left_to_others(header, tmp_path):
    try:
        found = read(tmp_path, header + GRADES * ("\n" not in header))
    except Question as question:
        assert not any("judge=claude" in way for way in question.ways)
    else:
        assert "marks" not in found


@pytest.mark.parametrize(
    ("text", "said"),
    {
        f"{BOTH}1,3,2\n2,x,4\n3,4,4\n4,1,1": "'x' stands among",
        f"{BOTH}1,1,1e308\n2,2,4\n3,4,4": "lose their digits",
        "item,rater,score\n1,human,1\n1,human,2\n1,gpt-4,1": "several",
    }.items(),
)
def test_what_cannot_be_right_is_refused(text, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        read(tmp_path, text)


def test_one_of_several_criteria_is_chosen(tmp_path):
    names = "human_fluency,judge_fluency,human_accuracy,judge_accuracy"
    text = f"item,{names}\n1,3,2,1,1\n2,4,4,5,4\n3,1,2,2,2"
    with pytest.raises(Question, match="--measure fluency"):
        read(tmp_path, text)
    found = read(tmp_path, text, measure="accuracy")["marks"]
    assert found == {"human_accuracy": "human", "judge_accuracy": "judge"}


def test_of_several_marks_in_a_row_one_is_chosen(tmp_path):
    rows = [f"{i},{w},{i % 2},{i % 3}" for i in range(9) for w in MARKERS]
    text = "\n".join(["item,rater,score,rating", *rows])
    with pytest.raises(Question, match="--measure score or --measure rat"):
        read(tmp_path, text)
    found = read_scores(csv(tmp_path, text), measure="rating")
    assert found["human"].tolist() == [i % 3 for i in range(9)]
    # A column of systems is said to be one.
    text = text.replace("rater,", "system,")
    found = read(tmp_path, text, measure="score")
    assert found["reading"].roles["system"] == "system"


def test_raters_in_rows_may_be_named(tmp_path):
    rows = [
        f"{i},{who},{i % 3}" for i in range(9) for who in ("ann", "bob")
    ]
    text = "\n".join(["item,annotator,score", *rows])
    text += "".join(f"\n{i},gpt-4,{i % 2}" for i in range(9))
    with pytest.raises(Question) as error:
        read(tmp_path, text)
    (way,) = error.value.ways
    assert way == "--columns human=ann,human=bob,judge=gpt-4"
    data = collect(csv(tmp_path, text), **options_of(way))
    assert data.collection.scores.shape == (9, 3)


@pytest.mark.parametrize("form", ["wide", "long"])
def test_labels_by_several_raters_are_sent_to_the_library(tmp_path, form):
    """What the message says runs, and gives Krippendorff's alpha."""
    rng = np.random.default_rng(3)
    true = rng.choice(["good", "bad", "mixed"], 40)
    drawn = rng.choice(["good", "bad", "mixed"], (40, 3))
    is_own = rng.random((40, 3)) < 0.3
    table = pd.DataFrame(
        np.where(is_own, drawn, true[:, None]), columns=["r1", "r2", "r3"]
    )
    codes = table.replace({"good": 0, "bad": 1, "mixed": 2})
    table.insert(0, "item", range(40))
    if form == "long":
        table = table.melt("item", var_name="rater", value_name="label")
    table.to_csv(tmp_path / "labels.csv", index=False)
    with pytest.raises(ValueError, match="labels by several") as caught:
        collect(tmp_path / "labels.csv")
    line = re.search(r"gtlib\.agreement\(.*\)(?= says)", str(caught.value))
    found = eval(line[0], {"gtlib": gtlib, "table": table})
    alpha = krippendorff.alpha(
        codes.astype(float).T.to_numpy(), level_of_measurement="nominal"
    )
    assert found.loc["alpha, nominal", "estimate"] == pytest.approx(alpha)
