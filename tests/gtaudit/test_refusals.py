"""What cannot be right is refused in one sentence, and nothing is written.

A row is what is given to the command, words of what it says, and perhaps
the content of the file in the arguments whose name begins with ``bad``.
"""

import gzip
import io
import os
import re
import shlex
import sys

import numpy as np
import pandas as pd
import pytest

from book.support.simulations import synthetic_runs
from gtaudit.command import main
from gtaudit.planning import check_plan
from gtlib.design import Design

WIDE = (
    "system,q1,q2,q3\nbm25,.30,.40,.10\nlm,.20,.50,.20\nrm3,.40,.60,.30\n"
)
LONG = "run,query,value\nbm25,1,.3\nbm25,2,.4\nlm,1,.2\nlm,2,.5\n"
ERRORS = LONG.replace("value", "wer")
MANY = "system,topic,measure,score\na,1,AP,.1\na,1,RR,.2\n"
TREC_EVAL = """\
runid                 \tall\tbm25
num_q                 \tall\t2
map                   \t301\t0.3000
P_10                  \t301\t0.5000
map                   \t302\t0.4000
P_10                  \t302\t0.2000
map                   \tall\t0.3500
"""
RUN = "".join(
    f"{topic} Q0 d{topic}{i} {i + 1} {9 - i} bm25\n"
    for topic in range(3)
    for i in range(5)
)
TALL = "system,topic,measure,score\n" + "".join(
    f"s{i},{t},{name},{(i * t + i) % 7 / 7}\n"
    for name, systems in {"AP": 4, "K": 2}.items()
    for i in range(systems)
    for t in range(5)
)
SAME = "system,q1,q2,q3\na,.1,.2,.3\nb,.1,.2,.3\nc,.1,.2,.3\n"
NESTED = "model,item,subject,score\n" + "".join(
    f"m{m},{k}{i},{k},{(m * i + m + i) % 5}\n"
    for m in range(4)
    for k in "ab"
    for i in range(3)
)
PAIRS = "".join(f"{s}\tAP\t{t}\t.{s}{t}\n" for s in "12" for t in "345")
TWO = '{"run_id": "b", "topic_id": 1, "measure": "m", "value": 1}'
ONE = TWO.replace('"b"', '"a"')
VALUELESS = ONE.replace(', "value": 1', "")
COMPLEX = "system,q1,q2\nrun1,.1,.2\nrun2,0.1+2j,.3\nrun3,.3,.1\n"

TABLES = [
    ("bad.csv", "bad.csv is empty", ""),
    ("bad.csv", "bad.csv is empty", "\n \n"),
    ("bad.csv", "header but no rows", "system,q1,q2\n"),
    ("bad.csv", "one column only", "system\nbm25\n"),
    ("bad.csv", "looks separated by |", WIDE.replace(",", "|")),
    ("bad.csv", "separated by blanks", WIDE.replace(",", " ")),
    ("bad.csv", "reads like scores", WIDE.split("\n", 1)[1]),
    (
        "bad.csv",
        "more fields than its header, that of x",
        WIDE + "x,1,2,3,4\n",
    ),
    ("bad.csv", "1 question", "system,q1\na,.1\nb,.2\n"),
    ("bad.csv", "lm on topic q2 is 'n/k'", WIDE.replace(".50", "n/k")),
    ("bad.csv", "lm on question q2", WIDE.replace(".50", "inf")),
    ("bad.csv", "on topic q1 is '0.1+2j'; scores must be finite", COMPLEX),
    ("bad.csv", "percentages and fractions", WIDE + "new,33,41,29\n"),
    ("bad.csv", "Every score is", "s,q1,q2\na,.2,.2\nb,.2,.2\n"),
    ("bad.csv", "no score at all", re.sub(r"\.\d+", "", WIDE)),
    ("bad.csv", "appears twice: lm", WIDE + "lm,.1,.2,.3\n"),
    ("bad.csv", "run lm, query 2", LONG + "lm,2,.6\n"),
    ("bad.csv", "a mean needs more queries", "who,query,score\na,1,.3\n"),
    (
        "bad.csv",
        "Say --measure AP or --measure RR",
        "system,topic,AP,RR\na,1,.1,.2\na,2,.2,.3\nb,1,.3,.1\nb,2,.1,0\n",
    ),
    ("bad.csv", "is not text", b"\xff\xfe\x00"),
    ("bad.csv", "is not text", b"ab\x00,c\n1,2\n"),
    ("bad.csv.gz", "is not text", b"\x1f\x8b\x00\x00"),
    ("bad.parquet", "not read as Parquet", "no"),
    ("bad.csv --measure AP,K", "Only one of AP and K has scores", TALL),
    ("bad.csv", "On every question all systems have the same score", SAME),
    ("bad.csv", "lose their digits", SAME.replace(".1", "1e300")),
    ("bad.csv", "lose their digits", re.sub(r"\.(\d)", r"\1e-200", SAME)),
    ("bad.csv", "there are 2 measures", MANY),
    ("bad.csv --measure P@5", "has no measure 'P@5'", MANY),
    ("bad.csv --measure AP", "cannot be chosen", WIDE),
    (
        "bad.csv --columns topic=rows",
        "are neither systems nor topics",
        LONG,
    ),
    (
        "bad.csv --measure AP,K --less-is-better",
        "leave out --less-is-better",
        TALL,
    ),
    *(
        (
            "bad.csv",
            words,
            f"{columns}\na,x,.1,.5\na,y,.2,.6\nb,x,.3,.7\nb,y,.1,.2\n",
        )
        for columns, words in {
            "system,topic,score,value": "may name the score",
            "system,model,topic,score": "--columns system=model,topic=t",
            "system,topic,qid,score": "--columns system=system,topic=qid",
            "system,topic,score,AP": "there are 2 measures",
            "system,topic,nDCG,AP": "there are 2 measures",
        }.items()
    ),
]

EVALUATIONS = [
    ("bad.txt", "print them with -q", "runid\tall\tbm25\nmap\tall\t.3\n"),
    (
        "bad.txt",
        "bad.txt, line 8: 2 fields where 3",
        TREC_EVAL + "map\t3\n",
    ),
    ("bad.txt", "system bad, topic 301 is 'good'", "map\t301\tgood\n"),
    ("bad.txt --measure nDCG@5", "'ndcg_cut_5', but", TREC_EVAL),
    ("bad.txt bad.txt", "bm25 is in both bad.txt and", TREC_EVAL),
    ("bad.eval", "reads like a run", RUN),
    ("bad.eval", "reads like a run", RUN[: len(RUN) // 3]),
    ("bad.eval", "reads like a run", re.sub("d[12]", "d0", RUN)),
    ("bad.eval", "reads like a run", re.sub(r"\d (?=\d bm)", "0 ", RUN)),
    ("bad.eval", "has averages only", "a\tm\tall\t.5\nb\tm\tall\t.6\n"),
    (
        "bad.eval",
        "line 3: 3 fields where 4",
        "a\tAP\tq1\t.5\nb\tAP\tq1\t.6\nbm25 AP q9\n",
    ),
    ("bad.eval", "is 'high'", "a\tAP\tq1\t.5\nb\tAP\tq1\thigh\n"),
    ("bad.eval", "repeat a cell", 2 * PAIRS),
    ("bad.eval", "line 1 is no JSON", '{"run_id": "a"\n'),
    ("bad.eval", "line 1 is no JSON", "{" + '"a":[' * 99_999),
    ("bad.eval", "line 2 is no JSON object", f"{ONE}\n[1]"),
    ("bad.eval", "line 2: there is no run_id", f"{ONE}\n{{{TWO[16:]}"),
    ("bad.eval", "has no column of scores", f"{VALUELESS}\n{VALUELESS}"),
    ("bad.eval", "is inf", f"{ONE[:-1]}e999}}\n{TWO}"),
    ("bad.eval", "the objects hold nothing", "{}\n{}\n"),
]

HOLD = "good.csv --sites sites.csv"
NOBODY = "A out of every"
DEEP = "(" * 5000 + "system" + ")" * 5000
NEST = "nested.csv --design 'model x (item:subject)'"
OPTIONS = [
    ("", "a table of scores, before all"),
    ("no.csv", "no file"),
    # Python finds no file under a name that is too long since 3.14.
    ("x" * 999, "too long" if sys.version_info < (3, 14) else "no file"),
    (f"good.csv --out {'y' * 999}", "too long"),
    ("none", "no files in"),
    ("good.csv nested.csv", "columns system, topic, score, and seed"),
    ("good.csv --budget -5", "budget"),
    ("good.csv --design 'system x x'", "cannot be read"),
    ("good.csv --design 'system x q x judge'", "needs a long table"),
    ("good.csv --sites good.csv nested.csv", "no column 'site'"),
    ("good.csv --sites sites.csv a b", "no file"),
    ("good.csv --sites sites.csv nested.csv good.csv", "before the opt"),
    ("--sites sites.csv good.csv", "before all options"),
    (f"{HOLD} no.csv", "no file"),
    (f"{HOLD} bad.csv", NOBODY, "topic,held_out\n*,A\n"),
    (
        f"{HOLD} bad.csv",
        NOBODY,
        "topic,held_out\n*,A;B\n",
    ),
    ("good.csv --out nowhere/report.html", "no folder"),
    *(
        (f"good.csv --design '{of}'", "more than 200 words and signs")
        for of in (DEEP, f"{DEEP} x topic", "a:" * 5000 + "b")
    ),
    *(
        (f"good.csv --out pipe.{of}", "is there already")
        for of in ("html", "ipynb", "json")
    ),
    *(
        (f"good.csv --cost topic={p} --budget 5", "between 1e-99 and")
        for p in ("1e308", "1e99", "1e-99", "1e-300", "5e-324")
    ),
    *(
        (f"good.csv --allow '{code}'", "(--allow) is '")
        for code in ("nosuch", ",", " ", "averages")
    ),
    *(
        (f"{NEST} --fixed '{held}'", "subject may be fixed")
        for held in ("item", "model", "passage", ",", "system")
    ),
    ("nested.csv --design 'model x item' --cost itm=1", "judgment, item."),
]

FAMILY = "system,site\n" + "".join(
    f"run{i},{'ABC'[i % 3]}\n" for i in range(6)
)
SITES = [
    ("good.csv --sites bad.csv", words, content)
    for words, content in {
        "run5 has no site": FAMILY.replace("run5", "other"),
        "run0 has no site": FAMILY.replace("run", "x"),
        "names no site for the system run1": FAMILY.replace("1,B", "1,"),
        "a header but no rows": "system,site\n",
        "into the site A": re.sub("[BC]", "A", FAMILY),
        "no column 'site'": FAMILY.replace("site", "group"),
        "bad.csv is empty": "",
        "gives run1 two sites": FAMILY + "run1,C\n",
        "may name the system: run, model": "run,model,site\na,b,X\n",
    }.items()
]

LISTS = "--runs runs.txt --qrels"
RUNS = f"{LISTS} people.txt"
JUDGED = [
    ("--runs runs.txt", "need qrels"),
    (f"good.csv {RUNS}", "Give a table"),
    ("good.csv --qrels people.txt", "Qrels go with runs"),
    ("--runs runs.txt --qrels no", "no file"),
    ("--runs runs.txt runs2.txt --qrels people.txt", "is in both"),
    (f"{LISTS} bad", "bad is empty", ""),
    (
        f"{LISTS} bad",
        "of another collection",
        "901 0 d1 1\n",
    ),
    (f"{LISTS} bad", "bad, line 1", "301 d1 1\n"),
    (
        f"{LISTS} bad",
        "1: the relevance",
        f"1 0 d {2**31}\n",
    ),
    (
        f"{LISTS} bad",
        "1: the relevance",
        f"1 0 d {10**20}\n",
    ),
    ("--runs bad --qrels people.txt", "bad, line 1", "301 Q0 d1\n"),
    (f"{RUNS} --measure goodness", "'goodness' is not a measure"),
    (f"{RUNS} --columns topic=rows", "no rows that could be topics"),
    (f"{RUNS} --less-is-better", "goes with a table of scores"),
    (f"{RUNS} --sites bad", "s2 has no site", "system,site\ns1,S1\n"),
    *(
        (f"{RUNS} --pools={depth}", words)
        for depth, words in (("0", "--pools"), ("-1", "no file"))
    ),
]

CONTRIBUTED = [
    (f"{RUNS} --pools bad", words, content)
    for words, content in [
        ("needs the column run", "site\nA\n"),
        ("line of 's1'", "run,contributed\ns1,maybe\n"),
        ("line of 's1'", "run,contributed\ns1\ns2,no\n"),
        ("more fields than names", "run,contributed\ns1,yes,no\n"),
        ("must name a run, once", "run\ns1\ns1\n"),
        ("line of 's1'", "run,contributed\ns1,yes\n s1 ,no\n"),
        ("line of ''", 'run\ns1\n""\n'),
        ("is empty", ""),
        ("is empty", "\n\n"),
        ("a header but no rows", "run,contributed\n"),
        ("needs the column run", "s1\ns2\n"),
        ("needs the column run", "run,other\ns1,2\n"),
        ("names none of these runs", "run,contributed\ns1,no\n"),
        ("names none of these runs", "run\nstranger\n"),
        ("line of '<b>x'", "run,contributed\n<b>x,perhaps\n"),
    ]
]

RUNS_DRAWN, COMPLETE, _ = synthetic_runs(3, 2, 5, 30, 2)
PEOPLE = COMPLETE.groupby("topic").head(25)
LINES = [f"{t} 0 {d} {g}" for t, d, g in PEOPLE.to_numpy()]
JUDGES = [
    (f"{RUNS} --judges bad", words, content)
    for words, content in [
        ("is empty", b""),
        ("is not text", bytes(range(256))),
        ("whole gzip", gzip.compress(b"1 0 a 1" * 99)[:30]),
        ("must be a number", "t1 0 d1 relevant\n"),
        ("whole number", "t1 0 d1 0.5\n"),
        ("3 fields where 4", "t1 d1 1\n"),
        ("judged twice, and differently", "t1 0 d1 1\nt1 0 d1 0\n"),
        ("another collection", "x1 0 d1 1\nx2 0 d1 0\n"),
        (
            "bring them to people's scale",
            "\n".join(line[:-1] + "7" for line in LINES),
        ),
        (
            "gives all systems the same",
            "\n".join(line[:-1] + "0" for line in LINES),
        ),
    ]
]
JUDGES += [
    ("good.csv --judges people.txt", "are machines beside people"),
    ("--runs runs.txt --judges people.txt", "are machines beside"),
    (f"{RUNS} --judges llm.txt other/llm.txt.gz", "rename one"),
]

# Generated, each one sentence

NUMBERS = ["", "=", "topic", "topic=", "=1", "topic=x", "topic=nan"]
NUMBERS += ["topic=inf", "topic=1,topic=2", "topic=1,", ",", "topic=1=2"]
NUMBERS += ["topic=-1", "assessor=1", "x=1", "judgment=0", "topic=0"]
NUMBERS += ["<script>=1", "topic=1;judgment=2", "t" * 9999 + "=1"]
GATED = [n.replace("topic", "alpha") for n in NUMBERS[:13]]
GATED += [
    "alpha=-1",
    "alpha=90",
    "alpha.low=0",
    "alpha.high=.9",
    "tau=.9",
    "alpha.low.low=.9",
    "Alpha=.9",
]
TARGETS = ["1", "-1", "nan", "inf", "0", "90", "1e-400", "-0.0"]
DESIGNS = ["", "x", "model", "model x", ":", "model:item", "a:b:c", "()"]
DESIGNS += ["model x model", "model x item x rater", "(model", "model y b"]
DESIGNS += ["system:topic"]
DESIGNS += ["item:model", "model x (item:item)", "a" * 9999, "<b> x c"]
FILES = [
    "no.csv",
    "",
    "./no/",
    "/dev/null",
    "good.csv",
    "x" * 999,
    "\n",
    "-",
]
MEASURES = ["AP", "AP,", ",", "AP,AP", "AP,nDCG@10", "(", "P@0,AP", " "]
HOSTILE = {
    "--cost": NUMBERS,
    "--fail-under": GATED,
    "--budget": ["0", "-1", "nan", "inf", "-inf"],
    "--design": [text for text in DESIGNS if text != "item:model"],
    "--measure": MEASURES,
    "--sites": FILES,
    "--pools": FILES,
    "--runs": FILES,
    "--qrels": FILES,
}

ROOMS = {
    "tables": TABLES,
    "evaluations": EVALUATIONS,
    "options": OPTIONS,
    "sites": SITES,
    "runs": JUDGED,
    "contributed": CONTRIBUTED,
    "judges": JUDGES,
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """A folder with files that are as they should be."""
    folder = tmp_path_factory.mktemp("refusals")
    rng = np.random.default_rng(0)
    names = [f"run{i}" for i in range(6)], [f"q{i}" for i in range(8)]
    good = pd.DataFrame(rng.random((6, 8)), *names)
    good.to_csv(folder / "good.csv", index_label="system")
    columns = ["topic", "q", "document", "rank", "score", "system"]
    write = {"sep": " ", "header": False, "index": False}
    runs = RUNS_DRAWN.assign(q="Q0")[columns]
    for name in ("runs.txt", "runs2.txt"):
        runs.to_csv(folder / name, **write)
    content = {
        "nested.csv": NESTED,
        "sites.csv": FAMILY,
        "taken.csv": "system,mean\nrun1,.3\n",
        "people.txt": "\n".join(LINES),
        "llm.txt": "\n".join(LINES),
    }
    for name, text in content.items():
        (folder / name).write_text(text)
    (folder / "none").mkdir()
    (folder / "other").mkdir()
    packed = gzip.compress(content["llm.txt"].encode())
    (folder / "other" / "llm.txt.gz").write_bytes(packed)
    return folder


@pytest.fixture
def refused(inputs, monkeypatch, capsys):
    """What the command says, in one sentence; it leaves no file."""
    monkeypatch.chdir(inputs)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))

    def refuse(*arguments):
        before = sorted(os.listdir())
        assert main(["audit", *arguments]) == 2
        said = capsys.readouterr()
        *_, sentence, end = said.err.split("\n")
        assert said.out == end == ""
        assert sentence.startswith("gtlib audit: ")
        assert len(sentence) < 2000
        assert "Traceback" not in said.err
        assert sorted(os.listdir()) == before
        return sentence

    return refuse


EVERY = [case for of in ROOMS.values() for case in of]
NUMBERED = [f"{r}-{i}" for r, of in ROOMS.items() for i in range(len(of))]


@pytest.mark.parametrize("case", EVERY, ids=NUMBERED)
def test_it_is_refused(case, refused, inputs):
    arguments, words, *content = case
    given = shlex.split(arguments)
    for text in content:
        (name,) = {a for a in given if a.startswith("bad")}
        raw = text if isinstance(text, bytes) else text.encode()
        (inputs / name).write_bytes(raw)
    for name in {a for a in given if a.startswith("pipe")}:
        os.mkfifo(inputs / name)
    try:
        assert words in refused(*given)
    finally:
        for path in [*inputs.glob("bad*"), *inputs.glob("pipe*")]:
            path.unlink()


@pytest.mark.parametrize(
    ("option", "text"),
    [
        pytest.param(
            option,
            text,
            id=f"{option}-{number}",
            marks=[pytest.mark.slow] if number % 4 else [],
        )
        for option, texts in HOSTILE.items()
        for number, text in enumerate(texts)
    ],
)
def test_a_hostile_option_is_one_sentence(option, text, refused):
    refused("good.csv", f"{option}={text}")


def test_a_price_of_nothing_is_refused():
    for text in ("system x topic", "system x topic x assessor"):
        for cost in ({"topic": 0}, {"judgment": 0.0}):
            with pytest.raises(ValueError, match="would cost nothing"):
                check_plan(Design(text), cost=cost)
    check_plan(Design("system x (assessor:topic)"), cost={"assessor": 1})
