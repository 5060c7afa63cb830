"""A judging session: whatever happens, no judgment is lost."""

import gzip
import multiprocessing
import os
import sys
from io import FileIO

import pandas as pd
import pytest
from filelock import lock_descriptor

import book.support.session
import gtlib as gt
from book.support.session import JudgingSession
from tests.cases import first


def collection(**sizes):
    sizes = {"systems": 4, "topics": 3, "documents": 60, "seed": 3} | sizes
    drawn = gt.synthetic_collection(**sizes)
    return gt.pool_runs(drawn.runs, depth=20), drawn.qrels


def test_a_session_resumes_where_it_stopped(tmp_path):
    pool, qrels = collection()
    path = tmp_path / "mine.qrels"
    truth = pool.labels(qrels, 0)
    session = JudgingSession(pool, path)
    asked = []
    for _ in range(7):
        topic, document = session.next()
        session.record(topic, document, int(truth[topic, document]))
        asked.append((topic, document))
    again = JudgingSession(pool, path)
    pd.testing.assert_frame_equal(again.judgments, session.judgments)
    assert again.next() == session.next()
    assert again.next() not in asked
    assert "7 of" in repr(again)
    assert gt.read_qrels(path)["document"].tolist() == [d for _, d in asked]
    assert [p.name for p in tmp_path.iterdir()] == ["mine.qrels"]


@pytest.mark.parametrize(
    "prior", first(1, ["uniform", "logistic", "experts"])
)
def test_a_session_chooses_as_the_loop_does(tmp_path, prior):
    pool, qrels = collection(topics=1)
    judged = gt.judge(pool, qrels, per_topic=6, prior=prior)
    session = JudgingSession(pool, tmp_path / "q", prior)
    for row in judged.itertuples():
        assert session.next() == (row.topic, row.document)
        session.record(row.topic, row.document, row.relevance)


def test_a_session_refuses_a_prior_that_it_does_not_know(tmp_path):
    pool, _ = collection()
    with pytest.raises(ValueError, match="prior is 'hope'; choose from"):
        JudgingSession(pool, tmp_path / "q", "hope")


def test_a_session_ends(tmp_path):
    pool, qrels = collection(systems=2, topics=1, documents=12)
    session = JudgingSession(pool, tmp_path / "q")
    truth = pool.labels(qrels, 0)
    while (pair := session.next()) is not None:
        session.record(*pair, int(truth[pair]))
    assert len(session.judgments) == len(pool.documents)
    told = pool.labels(session.judgments)
    pd.testing.assert_series_equal(told, truth)


def test_a_session_keeps_what_another_wrote(tmp_path):
    pool, _ = collection()
    path = tmp_path / "q"
    one, two = (JudgingSession(pool, path) for _ in range(2))
    pair = one.next()
    one.record(*pair, 1)
    other = next(key for key in pool.documents if key != pair)
    two.record(*other, 0)
    assert len(JudgingSession(pool, path).judgments) == 2
    with pytest.raises(ValueError, match="revise=True"):
        two.record(*pair, 0)
    two.record(*pair, 0, revise=True)
    kept = JudgingSession(pool, path).judgments
    assert kept["relevance"].tolist() == [0, 0]


def test_a_crash_while_writing_loses_nothing(tmp_path, monkeypatch):
    pool, _ = collection()
    path = tmp_path / "q"
    session = JudgingSession(pool, path)
    first = session.next()
    session.record(*first, 1)

    def crash(*_):
        raise OSError("no space left")

    monkeypatch.setattr("book.support.session.os.fsync", crash)
    with pytest.raises(OSError, match="space"):
        session.record(*session.next(), 1)
    assert len(session.judgments) == 1
    assert len(JudgingSession(pool, path).judgments) == 1


def test_a_session_refuses_what_cannot_be(tmp_path):
    pool, _ = collection()
    session = JudgingSession(pool, tmp_path / "q")
    topic, document = session.next()
    with pytest.raises(ValueError, match="has no"):
        session.record(topic, "nowhere", 1)
    with pytest.raises(ValueError, match="relevance"):
        session.record(topic, document, -1)
    with pytest.raises(ValueError, match="relevance"):
        session.record(topic, document, 0.5)
    (tmp_path / "bad").write_text(f"{topic} 0 d 0\n{topic} 0 d 1\n")
    with pytest.raises(ValueError, match="judged twice"):
        JudgingSession(pool, tmp_path / "bad")


def test_a_graded_judgment_is_kept_as_given(tmp_path):
    pool, _ = collection()
    session = JudgingSession(pool, tmp_path / "q")
    session.record(*session.next(), 2)
    assert session.judgments["relevance"].tolist() == [2]


# Several sessions, and names that nobody expects

RUN = pd.DataFrame(
    {
        "system": ["a", "b"] * 80,
        "topic": "1",
        "document": [f"d{i // 2}" for i in range(160)],
        "rank": [1 + i // 2 for i in range(160)],
    }
)


def judge_them(path, told, start, step, times, end):
    session = JudgingSession(RUN, path)
    for i in range(start, end, step):
        for relevance in range(times):
            session.record("1", f"d{i}", relevance, revise=True)
        os.write(told, b"%d\n" % i)


def judging(path, start, step, times=1, end=80):
    """Another process that judges, and what it says of each judgment."""
    heard, told = os.pipe()
    process = multiprocessing.get_context("fork").Process(
        target=judge_them, args=(path, told, start, step, times, end)
    )
    process.start()
    os.close(told)
    return process, os.fdopen(heard)


@pytest.mark.parametrize(
    ("times", "end"), first(1, [(2, 10), (1, 80), (2, 40)])
)
def test_two_sessions_at_once_keep_every_judgment(tmp_path, times, end):
    both = [
        judging(tmp_path / "q", start, 2, times, end) for start in (0, 1)
    ]
    told = [int(i) for process, heard in both for i in heard]
    for process, heard in both:
        process.join()
        heard.close()
    assert sorted(told) == list(range(end))
    kept = gt.read_qrels(tmp_path / "q")
    assert set(kept["document"]) == {f"d{i}" for i in range(end)}
    assert (kept["relevance"] == times - 1).all()
    assert [p.name for p in tmp_path.iterdir()] == ["q"]


def test_what_a_killed_session_said_is_kept(tmp_path):
    killed, heard = judging(tmp_path / "q", 0, 1)
    told = [int(heard.readline()) for _ in range(20)]
    killed.kill()
    told += map(int, heard)
    killed.join()
    heard.close()
    kept = set(gt.read_qrels(tmp_path / "q")["document"])
    assert kept >= {f"d{i}" for i in told}
    assert len(kept) <= len(told) + 1
    # A lock that the killed one held may lie there: the next takes it away.
    JudgingSession(RUN, tmp_path / "q").record("1", "d79", 1, revise=True)
    assert [p.name for p in tmp_path.iterdir()] == ["q"]
    assert set(gt.read_qrels(tmp_path / "q")["document"]) == kept | {"d79"}


def test_a_session_follows_links_and_keeps_the_mode(tmp_path):
    pool, _ = collection()
    path, link = tmp_path / "q", tmp_path / "link"
    link.symlink_to(path)
    path.write_text("x 7 other 1")  # somebody's, without a line end
    path.chmod(0o640)
    session = JudgingSession(pool, link)
    pair = session.next()
    session.record(*pair, 1)
    session.record(*pair, 0, revise=True)
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    kept = gt.read_qrels(path).set_index("document")["relevance"]
    assert kept.to_dict() == {"other": 1, pair[1]: 0}


@pytest.mark.parametrize("column", ["topic", "document"])
@pytest.mark.parametrize(
    "name",
    ["", " ", "a b", "a\tb", "a\n1 0 d 1", "a\u2028b", "\ufeffa", "a\0"],
)
def test_names_that_no_qrels_file_can_hold_are_refused(
    tmp_path, column, name
):
    run = pd.DataFrame(
        {
            "system": ["a", "a", "b", "b"],
            "topic": "1",
            "document": ["x", "y", "x", "y"],
            "rank": [1, 2, 2, 1],
        }
    )
    run.loc[[0, 2], column] = name
    with pytest.raises(ValueError, match="qrels file cannot hold"):
        JudgingSession(run, tmp_path / "q")
    assert not any(tmp_path.iterdir())


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path, monkeypatch):
    pool, _ = collection()
    path = tmp_path / "q"
    session = JudgingSession(pool, path)
    session.record(*session.next(), 1)
    before = path.read_bytes()

    class Full(FileIO):
        def write(self, line):
            return super().write(line[:3])

    monkeypatch.setitem(
        vars(book.support.session),
        "open",
        lambda path, *_, **__: Full(path, "a+"),
    )
    with pytest.raises(OSError, match="no space left"):
        session.record(*session.next(), 1)
    assert path.read_bytes() == before


def test_what_cannot_be_read_back_is_refused_when_given(tmp_path):
    pool, _ = collection()
    session = JudgingSession(pool, tmp_path / "q")
    with pytest.raises(ValueError, match="the most is 1000"):
        session.record(*session.next(), 2**40)
    (tmp_path / "q").write_bytes(gzip.compress(b"1 0 d 1"))
    with pytest.raises(ValueError, match="unpack it first"):
        session.record(*session.next(), 1)


MINE = (
    "\ufeff1 ann d1 1\r\n"
    "1\tbob\td2  0\n"
    "\n"
    "1 ann d3 2\n"
    "1 ann d1 1\n"
    "11 eve d1 1"
)


def test_a_revision_changes_that_line_alone(tmp_path):
    """Who judged the others, and how they are written, stays."""
    path = tmp_path / "q"
    path.write_bytes(MINE.encode())
    session = JudgingSession(RUN, path)
    session.record("1", "d2", 3, revise=True)
    expected = MINE.replace("d2  0", "d2  3")
    assert path.read_bytes() == expected.encode()
    session.record("1", "d1", 0, revise=True)
    expected = expected.replace("1 ann d1 1", "1 ann d1 0")
    assert path.read_bytes() == expected.encode()
    session.record("1", "d5", 1)
    assert path.read_bytes() == f"{expected}\n1 0 d5 1\n".encode()
    again = JudgingSession(RUN, path).judgments
    assert again["relevance"].tolist() == [0, 3, 2, 1, 1]


def test_names_in_a_revised_line_are_no_patterns(tmp_path):
    names = ["d.1", "d+1", "dx1", "(d", "d\\1", "d1"]
    run = pd.DataFrame(
        {"system": "a", "topic": "1.2", "document": names, "rank": range(6)}
    )
    run = pd.concat([run, run.assign(system="b")])
    session = JudgingSession(run, tmp_path / "q")
    for name in names:
        session.record("1.2", name, 1)
    for name in names:
        session.record("1.2", name, 2, revise=True)
        kept = gt.read_qrels(tmp_path / "q").set_index("document")
        told = kept["relevance"] == 2
        assert [*told[told].index] == names[: names.index(name) + 1]


def test_the_file_itself_is_never_locked(tmp_path, monkeypatch):
    """Windows lets nobody read, or replace, a file that is."""
    seen = []
    read = JudgingSession._on_disk

    def reading(self):
        seen.append(sorted(p.name for p in tmp_path.iterdir()))
        with open(tmp_path / "q", "a+b") as file:
            lock_descriptor(file.fileno(), blocking=False)
        return read(self)

    monkeypatch.setattr(JudgingSession, "_on_disk", reading)
    session = JudgingSession(RUN, tmp_path / "q")
    session.record("1", "d1", 0)
    session.record("1", "d1", 1, revise=True)
    assert seen[1:] == [[".q.judging", "q"]] * 2
    assert [p.name for p in tmp_path.iterdir()] == ["q"]


def test_a_session_without_its_package_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "filelock", None)
    drawn = gt.synthetic_collection(systems=2, topics=2, documents=12)
    with pytest.raises(ImportError, match=r'pip install "\.\[audit\]"'):
        JudgingSession(drawn.runs, tmp_path / "q")
    assert not any(tmp_path.iterdir())
