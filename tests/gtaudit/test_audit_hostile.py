"""Files from strangers, machines that fail: refused in a sentence, or
taken as text; nothing run, nothing overwritten, nothing left over."""

import gc
import gzip
import hashlib
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import gtaudit
from gtaudit.command import TRACEBACK, main
from gtaudit.display import inline_html
from gtaudit.paths import MARK, is_audit_file, report_paths, run_of
from gtaudit.report import NEEDED
from gtaudit.results import as_json_values
from gtaudit.run import _stop
from gtaudit.safe_files import temporary_folder, write_together
from gtlib import runs
from gtlib.checks import as_text, list_some
from gtlib.runs import parse_measure
from tests.cases import first

NAMES = [
    "<script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title = 'owned'\">",
    "[a](javascript:document.title='owned')",
    "![a](https://example.org/a.png)",
    "https://example.org/ www.example.org a@example.org",
    "$\\frac{a}{$",
    "**b** _i_ `c` ~~d~~",
    "&lt;b&gt; &amp; \\",
    "'; DROP TABLE topics; --",
    "$(touch owned) `touch owned`",
    "=1+1",
    "../../etc/passwd",
    "NA",
    "null",
    "000",
    "1e5",
    "True",
    "naïve 検索 🙂",
    "x" * 10_000,
]


def table(topics=NAMES, systems=6, seed=1):
    rng = np.random.default_rng(seed)
    scores = 0.3 + 0.1 * rng.normal(size=(systems, len(topics)))
    scores += 0.05 * rng.normal(size=(systems, 1))
    names = [f"run{i}" for i in range(systems)]
    return pd.DataFrame(scores, names, topics)


# What a file holds is text


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_shows_as_it_stands(name):
    html = pytest.importorskip("lxml.html")
    said = inline_html(f"On {as_text(name)}.")
    page = html.fromstring(f"<p>{said}</p>")
    assert page.text_content().strip() == f"On {name}."
    assert not page.xpath("//script | //a | //img | //em | //code | //del")


@pytest.mark.slow
def test_names_are_read_as_they_stand(tmp_path):
    wide = table()
    path = tmp_path / "a.csv"
    wide.to_csv(path, index_label="system")
    read = gtaudit.prepare(gtaudit.read_scores(path)).wide
    assert read.columns.tolist() == NAMES
    # the same bits: read as written
    np.testing.assert_array_equal(read, wide)
    wide.T.to_csv(path, index_label="topic")
    turned = gtaudit.prepare(gtaudit.read_scores(path)).wide
    pd.testing.assert_frame_equal(turned, read)
    long = wide.rename_axis("run").reset_index().melt("run", var_name="qid")
    long.to_csv(path, index=False)
    again = gtaudit.prepare(gtaudit.read_scores(path)).wide
    pd.testing.assert_frame_equal(again, read)
    path = path.with_suffix(".parquet")
    wide.to_parquet(path)
    kept = gtaudit.read_scores(path, roles={"rows": "system"})
    pd.testing.assert_frame_equal(kept, wide)
    whole = (100 * wide).round().astype(int)
    whole.rename_axis("system").to_parquet(path)
    assert gtaudit.read_scores(path).columns.tolist() == NAMES


def test_long_names_are_shortened_where_they_are_listed():
    assert len(list_some(["x" * 10_000] * 9)) < 400


# A table generator of what cannot be right


def changed(text, kind):
    """A good table, spoilt in one way."""
    lines = text.splitlines()
    cells = [line.split(",") for line in lines]
    if kind == "a column twice":
        cells[0][2] = cells[0][1]
    elif kind == "a column without a name":
        cells[0][2] = ""
    elif kind == "a row without a name":
        cells[2][0] = ""
    elif kind == "a longer row":
        cells[3].append("0.5")
    elif kind == "a shorter row":
        cells[3].pop()
    else:
        cells[2][2] = kind
    return "\n".join(map(",".join, cells)) + "\n"


SPOILT = [
    "a column twice",
    "a column without a name",
    "a row without a name",
    "a longer row",
    "a shorter row",
    *("inf", "-inf", "1e999", "yes", "0x1p3", "1_0", "½", "1,2,3"),
]
GAPS = ["", "NA", "nan", "null", " ", "-", "n/a", "N/A", "None", "?"]
SIZES = {"wide": (5, 7), "topics down": (7, 5), "many": (30, 4)}


def good_table(shape):
    """Systems x topics, and the same as it is written."""
    size = SIZES[shape]
    wide = table([f"topic {i}a" for i in range(size[1])], size[0])
    if shape == "topics down":
        return wide, wide.T.to_csv(index_label="topic")
    return wide, wide.to_csv(index_label="system")


@pytest.mark.parametrize("shape", SIZES)
def test_a_table_that_is_not_spoilt_is_taken(tmp_path, shape):
    path = tmp_path / "a.csv"
    wide, good = good_table(shape)
    path.write_text(good)
    found = gtaudit.prepare(gtaudit.read_scores(path))
    # the same bits: read as written
    np.testing.assert_array_equal(found.cells, wide)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (kind, shape)
        if shape == "wide" or kind == SPOILT[0]
        else pytest.param(kind, shape, marks=pytest.mark.slow)
        for kind in SPOILT
        for shape in SIZES
    ],
)
def test_a_spoilt_table_is_refused(tmp_path, kind, shape):
    path = tmp_path / "a.csv"
    path.write_text(changed(good_table(shape)[1], kind))
    with pytest.raises(ValueError, match=r"\w") as refused:
        gtaudit.prepare(gtaudit.read_scores(path))
    assert len(str(refused.value)) < 500


def test_names_that_blanks_tell_apart_are_told(tmp_path):
    path = tmp_path / "a.csv"
    lines = good_table("wide")[1].splitlines()
    lines[2] = lines[1].replace(",", " ,", 1).replace(".", ".0")
    path.write_text("\n".join(lines))
    found = gtaudit.prepare(gtaudit.read_scores(path))
    assert [doubt.code for doubt in found.doubts] == ["names"]


@pytest.mark.parametrize("shape", SIZES)
@pytest.mark.parametrize("kinds", first(2, [GAPS, *([k] for k in GAPS)]))
def test_a_gap_is_a_gap(tmp_path, kinds, shape):
    wide, written = good_table(shape)
    rows = [line.split(",") for line in written.splitlines()]
    expected = wide.T.copy() if shape == "topics down" else wide.copy()
    for number, kind in enumerate(kinds):
        row, column = 1 + number // 3, 1 + number % 3
        rows[1 + row][1 + column] = kind
        expected.iloc[row, column] = np.nan
    path = tmp_path / "a.csv"
    path.write_text("\n".join(map(",".join, rows)) + "\n")
    found = gtaudit.read_scores(path)
    if shape == "topics down":
        expected = expected.T
    # the same bits: read as written
    np.testing.assert_array_equal(found, expected)


def test_a_gap_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(changed(good_table("wide")[1], "NA"))
    found = gtaudit.prepare(gtaudit.read_scores(path))
    assert found.cells.isna().to_numpy().sum() == 1
    assert any("not as zero" in note for note in found.notes)


def test_a_measure_is_chosen_before_the_score(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("system,topic,score,AP\na,x,.1,.5\nb,x,.2,.6\n")
    for measure, score in [("score", 0.1), ("AP", 0.5)]:
        # the same bits: read as written
        assert gtaudit.read_scores(path, measure)["score"].iloc[0] == score


def test_an_unlabelled_table_is_not_guessed_at(tmp_path):
    path = tmp_path / "a.csv"
    wide = table([f"topic-{i}" for i in range(4)])
    wide.to_csv(path)
    assert gtaudit.read_scores(path).index[0] == "run0"
    wide.T.to_csv(path)
    for roles in (None, {"rows": "topic"}):
        turned = gtaudit.read_scores(path, roles=roles)
        # the same bits: read as written
        np.testing.assert_array_equal(turned, wide)
    names = [f"anything {c}" for c in "abcd"]
    table(names).set_axis([*"uvwxyz"]).to_csv(path)
    with pytest.raises(ValueError, match="--columns topic=rows"):
        gtaudit.read_scores(path)


# Measures


def measures():
    """Every measure and parameter, at the ends and of other types."""
    import ir_measures

    odd = ["0", "-1", str(2**31), "10" * 20, "1.5", "True", "'a'", "None"]
    odd += ["-1.0", "1e999", "{'a': 'b'}", "{1: -1}", "[1]"]
    for kind in {*ir_measures.measures.registry.values()}:
        yield f"{kind.NAME or kind.__name__}(foo=1)"
        for name, value in itertools.product(kind.SUPPORTED_PARAMS, odd):
            yield f"{kind.NAME or kind.__name__}({name}={value})"
    yield from ["", "P", "P@", "P@0", "P@1.5", "AP;AP", "AP.x", "@1", "("]
    yield from ["AP(**{1: 1})", "nDCG(dcg='zzz')@10", "P@" + "9" * 5000]


def test_no_measure_ends_in_anything_but_a_sentence(tmp_path):
    """What is let through is computed, or refused by what computes it."""
    run = pd.DataFrame(
        {
            "system": "a",
            "topic": "1",
            "document": ["x", "y"],
            "score": [2.0, 1.0],
        }
    )
    judged = run.assign(relevance=[0, 1])
    refused = passed = 0
    for text in measures():
        try:
            parse_measure(text)
        except ValueError as error:
            assert "\n" not in str(error)
            assert len(str(error)) < 300
            refused += 1
            continue
        if text.startswith(("ERR", "Accuracy", "AP", "P", "nDCG", "R")):
            passed += 1
            try:
                gtaudit.inputs.read_runs(run, judged, text, report=None)
            except ValueError as error:
                assert "ir_measures cannot compute" in str(error)
                assert "\n" not in str(error)
    assert refused > 400
    assert passed > 5


# Files


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.mkdir(),
        lambda path: path.symlink_to(path),
        lambda path: path.symlink_to(path.with_name("nowhere")),
        lambda path: os.mkfifo(path),
        lambda path: path.symlink_to("/dev/zero"),
        lambda path: path.write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3"),
        lambda path: path.write_bytes(gzip.compress(b"a,b\n" * 99)[:-9]),
        lambda path: path.write_bytes(gzip.compress(b"\0" * 9)),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, make):
    make(tmp_path / "a.csv")
    with pytest.raises(ValueError, match=r"a\.csv"):
        gtaudit.read_scores(tmp_path / "a.csv")


def test_gzip_that_expands_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "MOST_BYTES", 2**20)
    for size, message in [(2**20, "is empty"), (2**20 + 1, "more than 1")]:
        path = tmp_path / "a.gz"
        path.write_bytes(gzip.compress(b"\n" * size))
        with pytest.raises(ValueError, match=message):
            runs.read_text(path)


# What is written


def test_places(tmp_path):
    for out, expected in [
        ("r", "r.html"),
        ("r.html", "r.html"),
        ("r.JSON", "r.html"),
        ("trec.AP", "trec.AP.html"),
        ("trec.nDCG@10", "trec.nDCG@10.html"),
        (".", "audit.html"),
    ]:
        found = report_paths(tmp_path / out)
        assert found[0] == tmp_path / expected
        assert [p.suffix for p in found] == [".html", ".ipynb", ".json"]


OURS = {
    ".html": f'<meta name="generator" content="gtlib audit {9}">',
    ".ipynb": json.dumps({"metadata": {"generator": "gtlib audit 9"}}),
    ".json": json.dumps({"generator": "gtlib audit 9"}),
}


@pytest.mark.parametrize("ending", OURS)
def test_only_what_an_audit_wrote_is_overwritten(tmp_path, ending):
    path = tmp_path / f"audit{ending}"
    path.write_text(OURS[ending])
    assert path in report_paths(tmp_path)
    with pytest.raises(ValueError, match="is an input"):
        report_paths(tmp_path, [path])
    others = [
        "",
        "{}",
        "[]",
        "null",
        '"gtlib audit"',
        "\xff",
        "gtlib audit",
    ]
    others += [json.dumps({"about": OURS[ending]}), f"x{OURS[ending]}"]
    for other in others:
        path.write_text(other, "latin-1")
        with pytest.raises(ValueError, match="no audit wrote it"):
            report_paths(tmp_path)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match="no audit wrote it"):
        report_paths(tmp_path)


@pytest.mark.parametrize("failing", range(9))
def test_files_are_written_together_or_not_at_all(
    tmp_path, monkeypatch, failing
):
    """Whichever of its steps fails, the folder is as it was, or new."""
    names = ["a.html", "a.ipynb", "a.json"]
    (tmp_path / names[1]).write_bytes(b"old")
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    steps = itertools.count()

    def failing_at(step):
        def instead(*arguments):
            if next(steps) == failing:
                raise OSError(28, "No space left on device")
            return step(*arguments)

        return instead

    monkeypatch.setattr(os, "fsync", failing_at(os.fsync))
    monkeypatch.setattr(os, "replace", failing_at(os.replace))
    new = {tmp_path / name: b"new" for name in names}
    if failing < 6:
        with pytest.raises(OSError, match="space"):
            write_together(new)
    else:
        write_together(new)
        before = dict.fromkeys(names, b"new")
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_of_several_writers_one_has_the_last_word(tmp_path):
    def write(content):
        for _ in range(12):
            write_together(dict.fromkeys(paths, content))

    paths = [tmp_path / name for name in ("a.html", "a.ipynb", "a.json")]
    fork = multiprocessing.get_context("fork")
    all_three = [
        fork.Process(target=write, args=(c,)) for c in (b"1", b"2", b"3")
    ]
    for process in all_three:
        process.start()
    for process in all_three:
        process.join()
        assert process.exitcode == 0
    assert len({path.read_bytes() for path in paths}) == 1
    assert sorted(tmp_path.iterdir()) == paths


# Whole reports


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A report of hostile names, of systems, topics, sites and public
    collections, made in a folder with hostile code."""
    folder = tmp_path_factory.mktemp("hostile")
    code = "open({!r}, 'w').write(__name__)".format(str(folder / "ran"))
    for module in ("filelock", "pandas", "scipy", "jinja2"):
        (folder / f"{module}.py").write_text(code)
    systems = NAMES[:6]
    scores = table([*NAMES[:-1], "y" * 300]).set_axis(systems)
    scores.loc[NAMES[0]] += 0.3
    scores.iloc[:, :3] = (
        -2 * scores.mean(axis=1).to_numpy()[:, None] + (scores.iloc[:, :3])
    )
    scores.to_csv(folder / "a.csv", index_label="system")
    site = dict(zip(systems, 2 * NAMES[:3], strict=True))
    site["<b>stranger</b>"] = "nowhere"
    sites = pd.Series(site, name="site")
    sites.to_csv(folder / "sites.csv", index_label="system")
    given = ["a.csv", "--sites", "sites.csv"]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(["audit", *given]) == 0
    return folder


@pytest.mark.slow
def test_a_hostile_report_is_text(hostile):
    html = pytest.importorskip("lxml.html")
    page = html.fromstring((hostile / "audit.html").read_text("utf-8"))
    assert not page.xpath("//script | //iframe | //object | //img | //base")
    assert not page.xpath("//main//a[not(starts-with(@href, '#'))]")
    assert not page.xpath("//@*[starts-with(name(), 'on')]")
    policy = page.xpath("//meta[@http-equiv='Content-Security-Policy']")
    assert "default-src 'none'" in policy[0].get("content")
    assert page.findtext(".//h1") == "a.csv"
    shown = page.text_content()
    assert sum(name in shown for name in NAMES) > 5
    assert not page.xpath("//main//i | //b[. = 'stranger']")


def test_nothing_in_the_current_folder_is_run(hostile):
    assert not (hostile / "ran").exists()


def test_a_report_is_known_again(hostile):
    assert all(map(is_audit_file, report_paths(hostile / "audit")))
    executed = json.loads((hostile / "audit.ipynb").read_text("utf-8"))
    assert {*executed["metadata"]} >= {"generator", "kernelspec"}
    text = (hostile / "audit.json").read_text("utf-8")
    assert "&#" not in text
    numbers = json.loads(text)
    assert any(NAMES[0] in row["question"] for row in numbers["verdict"])
    assert numbers["command"].startswith("gtlib audit a.csv --sites ")
    held = (hostile / "a.csv").read_bytes()
    digest = hashlib.sha256(held).hexdigest()
    assert {"name": "a.csv", "sha256": digest} in numbers["files"]
    assert digest in (hostile / "audit.html").read_text("utf-8")


@pytest.mark.slow
def test_a_signal_leaves_nothing(tmp_path):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    (tmp_path / "work").mkdir()
    audit_it = subprocess.Popen(
        [sys.executable, "-m", "gtlib", "audit", str(tmp_path / "a.csv")],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "work")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while audit_it.poll() is None and not any(
        (tmp_path / "work").iterdir()
    ):
        time.sleep(0.02)
    audit_it.send_signal(signal.SIGTERM)
    out, err = audit_it.communicate()
    assert audit_it.returncode == 128 + signal.SIGTERM
    assert (out, err) == ("", "gtlib audit: stopped.\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "work"]
    assert not any((tmp_path / "work").iterdir())


@pytest.mark.parametrize(
    ("owner", "step"), [(tempfile, "mkdtemp"), (shutil, "rmtree")]
)
def test_a_signal_while_a_folder_comes_or_goes(
    tmp_path, monkeypatch, owner, step
):
    done = getattr(owner, step)

    def hit(*args, **options):
        signal.raise_signal(signal.SIGTERM)
        result = done(*args, **options)
        signal.raise_signal(signal.SIGINT)
        return result

    monkeypatch.setattr(owner, step, hit)
    before = (
        signal.signal(signal.SIGTERM, _stop),
        signal.signal(signal.SIGINT, _stop),
    )
    try:
        with (
            pytest.raises(SystemExit, match="143"),
            temporary_folder(dir=tmp_path) as folder,
        ):
            (folder / "a").write_text("a")
    finally:
        signal.signal(signal.SIGTERM, before[0])
        signal.signal(signal.SIGINT, before[1])
    monkeypatch.undo()
    gc.collect()
    assert not any(tmp_path.iterdir())


@pytest.fixture
def page_by(monkeypatch):
    """Put a function in the place of what makes pages."""

    def replace(make=lambda: None):
        def page(*_):
            make()
            return f'<!DOCTYPE html>\n{MARK}0">'

        monkeypatch.setattr("gtaudit.page.make_page", page)

    return replace


def fail():
    raise KeyError("x")


def test_a_page_that_fails_is_one_sentence(tmp_path, page_by, capsys):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    page_by(fail)
    given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
    assert main(given) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "gtlib audit: the analysis failed. KeyError: 'x'"
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


@pytest.fixture
def signals_heard():
    """A background job ignores some, and tests may run in one."""
    heard = {1: signal.SIG_DFL, 2: signal.default_int_handler}
    before = {n: signal.signal(n, how) for n, how in heard.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals_heard")
@pytest.mark.parametrize("number", [15, 2, 1])
def test_a_signal_while_a_page_is_made_ends_it_aloud(
    tmp_path, page_by, capsys, number
):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    page_by(lambda: signal.raise_signal(number))
    before = sorted(tmp_path.iterdir())
    handlers = [signal.getsignal(n) for n in (1, 2, 15)]
    with pytest.raises(SystemExit, match=str(128 + number)):
        main(["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)])
    assert [signal.getsignal(n) for n in (1, 2, 15)] == handlers
    said = capsys.readouterr().err
    assert said.startswith("read as: ")
    assert said.endswith("gtlib audit: stopped.\n")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.slow
@pytest.mark.usefixtures("signals_heard")
@pytest.mark.parametrize("step", ["replace", "rmtree"])
def test_a_signal_too_late_to_stop_a_report_does_not_deny_it(
    tmp_path, page_by, monkeypatch, step
):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    page_by()
    owner = os if step == "replace" else shutil
    done = getattr(owner, step)

    def hit(*args, **options):
        done(*args, **options)
        if (tmp_path / "audit.html").exists():
            for number in (1, 2, 15):
                signal.raise_signal(number)

    monkeypatch.setattr(owner, step, hit)
    handlers = [signal.getsignal(n) for n in (1, 2, 15)]
    given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
    assert main(given) == 0
    assert all(map(is_audit_file, report_paths(tmp_path)))
    assert [signal.getsignal(n) for n in (1, 2, 15)] == handlers


def test_what_a_process_ignores_it_goes_on_to_ignore(tmp_path, page_by):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    page_by(lambda: signal.raise_signal(1))
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as by nohup
    try:
        given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
        assert main(given) == 0
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.slow
@pytest.mark.parametrize("stream", [None, "/dev/full"])
def test_a_stream_that_takes_nothing_fails_no_report(
    tmp_path, page_by, monkeypatch, stream
):
    if stream and not os.path.exists(stream):
        pytest.skip("There is no device that is always full.")
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    page_by()
    given = ["audit", str(tmp_path / "a.csv")]
    for name in ("stdout", "stderr"):
        with open(stream, "w") if stream else nullcontext() as full:
            monkeypatch.setattr(sys, name, full)
            assert main([*given, "--out", str(tmp_path)]) == 0
            assert main(["audit", str(tmp_path / "none.csv")]) == 2
        monkeypatch.undo()
        page_by()
    assert (tmp_path / "audit.html").is_file()


@pytest.mark.slow
@pytest.mark.parametrize("module", NEEDED)
def test_a_package_that_is_missing_is_named_with_its_extra(
    tmp_path, monkeypatch, capsys, module
):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    monkeypatch.setitem(sys.modules, module, None)
    given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
    assert main(given) == 2
    said = capsys.readouterr().err
    assert module in said
    assert 'pip install ".[audit]"' in said
    assert said.startswith("read as: ")
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


COMMAND = """
import sys
from gtaudit import collect, findings
import gtaudit.run
print(*sys.modules)
import gtaudit.command
sys.argv = ["", "audit", "none.csv"]
gtaudit.command.main()
"""


@pytest.mark.slow
def test_the_command_alone_in_a_hostile_folder(tmp_path):
    """What reads and computes needs no more than the library does, and
    nothing draws by settings of the current folder."""
    (tmp_path / "matplotlibrc").write_text("nonsense: 3\n")
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND],
        cwd=tmp_path,
        env={**os.environ, "MPLBACKEND": "module://no_such"},
        capture_output=True,
        text=True,
    )
    loaded = ran.stdout
    assert "gtaudit.report" in loaded.split()
    assert not {*NEEDED, "matplotlib", "IPython"} & {*loaded.split()}
    assert ran.stderr.count("\n") == 1
    assert "There is no file" in ran.stderr


@pytest.mark.slow
def test_the_notebook_is_a_notebook_that_computes_the_same(
    tmp_path, run_notebook
):
    nbformat = pytest.importorskip("nbformat")
    path = tmp_path / "a.csv"
    table(["q1", "q2", "q3"]).to_csv(path, index_label="run")
    assert main(["audit", str(path), "--out", str(tmp_path)]) == 0
    written = tmp_path / "audit.ipynb"
    nbformat.validate(nbformat.read(written, as_version=4))
    found = run_notebook(written)["results"]
    numbers = json.loads((tmp_path / "audit.json").read_text("utf-8"))
    assert {*found} <= {*numbers}
    assert found["verdict"] == numbers["verdict"]
    assert as_json_values(found["actions"]) == numbers["actions"]


@pytest.mark.slow
def test_two_runs_write_the_same_page(tmp_path):
    path = tmp_path / "a.csv"
    table(["q1", "q2", "q3"]).to_csv(path, index_label="run")
    pages = []
    for _ in range(2):
        assert main(["audit", str(path), "--out", str(tmp_path)]) == 0
        pages.append((tmp_path / "audit.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.slow
@pytest.mark.parametrize("stale", first(1, [".html", ".ipynb", ".json"]))
def test_files_of_two_runs_are_told_from_those_of_one(
    tmp_path, capsys, stale
):
    """As they are left where a process is killed between two of them."""
    path, out = tmp_path / "a.csv", tmp_path / "audit"
    kept = out.with_suffix(stale)
    for top in (1.0, 2.0):
        before = kept.read_bytes() if kept.exists() else b""
        scores = table(["q1", "q2", "q3"])
        (top * scores).to_csv(path, index_label="run")
        assert main(["audit", str(path), "--out", str(out)]) == 0
        assert "two runs" not in capsys.readouterr().err
    runs = {run_of(file) for file in report_paths(out)}
    (run,) = runs
    assert run in out.with_suffix(".html").read_text("utf-8")
    kept.write_bytes(before)
    for told in (True, False):
        assert main(["audit", str(path), "--out", str(out)]) == 0
        said = "audit.html, audit.ipynb and audit.json were of two runs"
        assert (said in capsys.readouterr().err) is told
        assert {run_of(file) for file in report_paths(out)} == runs


@pytest.mark.slow
def test_files_are_the_same_whatever_the_hashes(tmp_path):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    written = []
    for seed in "01":
        subprocess.run(
            [sys.executable, "-m", "gtlib", "audit", "a.csv"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
        )
        files = report_paths(tmp_path / "audit")
        written.append([file.read_bytes() for file in files])
    assert written[0] == written[1]


@pytest.mark.slow
def test_what_is_not_seen_is_shown_by_signs(tmp_path, capsys):
    scores = table(["q1", "q2", "q\u200b3"])
    names = ["a\u202eb", "c\x1b[31m", "d\x07", *"efg"]
    scores.index = names[: len(scores)]
    scores.iloc[0] += 1.0
    scores.to_csv(tmp_path / "a.csv", index_label="run")
    given = ["audit", str(tmp_path / "a.csv"), "--baseline", names[0]]
    assert main([*given, "--out", str(tmp_path)]) == 0
    page = (tmp_path / "audit.html").read_text("utf-8")
    for shown in ("".join(capsys.readouterr()), page, unescape(page)):
        assert not {*shown} & {*"\u202e\x1b\x07\u200b"}
        assert "a⟨U+202E⟩b" in shown
    assert "c␛[31m" in unescape(page)
    numbers = (tmp_path / "audit.json").read_text("utf-8")
    assert numbers.isascii()
    board = json.loads(numbers)["leaderboard"]
    assert names[0] in [row["system"] for row in board]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), "a fault of gtlib, KeyError: 'x'. Please report"),
        (MemoryError(), "it needs more memory than there is."),
        (OSError(12, "No room"), "it needs more memory than there is."),
        (
            ImportError("x.so: failed to map segment from shared object"),
            "it needs more memory than there is.",
        ),
    ],
)
def test_whatever_fails_is_one_sentence(
    tmp_path, monkeypatch, capsys, error, said
):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")

    def fail(*_, **__):
        raise error

    monkeypatch.setattr("gtaudit.run.collect", fail)
    given = ["audit", str(tmp_path / "a.csv"), "--out", str(tmp_path)]
    assert main(given) == 1
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
    monkeypatch.setenv(TRACEBACK, "1")
    with pytest.raises(type(error)):
        main(given)


def test_a_folder_that_is_gone_is_named(tmp_path, monkeypatch, capsys):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["audit", "a.csv"]) == 2
    assert "the current folder is gone" in capsys.readouterr().err


@pytest.mark.slow
def test_reports_in_threads_do_not_mix(tmp_path, monkeypatch):
    table(["q1", "q2", "q3"]).to_csv(tmp_path / "a.csv", index_label="run")
    monkeypatch.chdir(tmp_path)
    before = sys.stdout, signal.getsignal(signal.SIGTERM)

    def command(name):
        return main(["audit", "a.csv", "--out", name])

    with ThreadPoolExecutor(3) as pool:
        assert [*pool.map(command, "xyz")] == [0, 0, 0]
    assert all(Path(f"{name}.html").is_file() for name in "xyz")
    assert (sys.stdout, signal.getsignal(signal.SIGTERM)) == before


@pytest.mark.skipif(os.name != "posix", reason="no limit of memory")
def test_too_little_memory_to_begin_is_said_in_a_sentence(tmp_path):
    """Libraries would end the process, or try to get more for ever."""
    path = tmp_path / "a.csv"
    table(NAMES[:4]).to_csv(path)
    limited = f"ulimit -v 300000; {sys.executable} -m gtlib audit {path}"
    found = subprocess.run(
        ["sh", "-c", limited], capture_output=True, text=True, timeout=60
    )
    assert found.returncode == 1
    assert found.stderr == (
        "gtlib audit: it needs more memory than there is.\n"
    )
