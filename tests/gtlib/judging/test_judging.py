"""Choosing documents, judging them, and keeping the judgments."""

import gzip
import multiprocessing
import os
from io import FileIO

import numpy as np
import pandas as pd
import pytest

import gtapps.audit.session
import gtlib as gt
from gtapps.audit import JudgingSession
from gtlib.ap.quadratic import difference
from gtlib.judging import (
    STRATEGIES,
    mtc_weights,
    sampled_ap,
    sampling_weights,
)


def collection(**sizes):
    sizes = {"systems": 4, "topics": 3, "documents": 60, "seed": 3} | sizes
    drawn = gt.synthetic_collection(**sizes)
    return gt.pool_runs(drawn.runs, depth=20), drawn.qrels


def test_synthetic_collections():
    one = gt.synthetic_collection(systems=3, topics=5, documents=50, seed=1)
    again = gt.synthetic_collection(
        systems=3, topics=5, documents=50, seed=1
    )
    pd.testing.assert_frame_equal(one.runs, again.runs)
    many = gt.synthetic_collection(topics=200, documents=500, seed=2)
    truth = many.qrels.set_index(["topic", "document"])["relevance"]
    gap = truth - many.p
    assert gap.mean() == pytest.approx(0, abs=0.005)
    for low in np.arange(0, 1, 0.2):
        inside = many.p.between(low, low + 0.2)
        assert gap[inside].mean() == pytest.approx(0, abs=0.02)


@pytest.mark.parametrize(
    "name", ["systems", "topics", "documents", "depth"]
)
def test_sizes_of_a_collection_are_whole(name):
    for wrong in (0, 2.5, "3"):
        with pytest.raises(ValueError, match=f"{name}=.*a whole number"):
            gt.synthetic_collection(**{name: wrong})


def test_weights_are_the_expected_drops_of_all_pairs():
    rng = np.random.default_rng(0)
    ranks = np.stack([rng.permutation(8) + 1.0 for _ in range(3)])
    ranks[rng.random(ranks.shape) < 0.3] = np.inf
    p = rng.random(8)
    p[2] = 1
    weights = mtc_weights(ranks, p)

    def spread(p):
        return sum(
            difference(ranks[a], ranks[b], p).s_var
            for a in range(3)
            for b in range(a)
        )

    for i in range(8):
        left = 0
        for answer, chance in ((0, 1 - p[i]), (1, p[i])):
            told = p.copy()
            told[i] = answer
            left += chance * spread(told)
        assert weights[i] == pytest.approx(spread(p) - left, abs=1e-12)
    assert weights[2] == 0


@pytest.mark.parametrize("systems", [2, 4])
def test_every_round_judges_the_largest_weight(systems):
    """The loop with incremental gains against weights made anew."""
    pool, qrels = collection(systems=systems)
    judged = gt.judge(pool, qrels, per_topic=15)
    truth = pool.labels(qrels, 0).to_numpy()
    for t, topic in enumerate(pool.topics):
        part = slice(*pool.starts[t : t + 2])
        names = [d for _, d in pool.documents[part]]
        p = np.full(len(names), 0.5)
        mine = judged[judged["topic"] == topic]
        assert mine["step"].tolist() == [*range(1, 16)]
        for name, told in zip(
            mine["document"], mine["relevance"], strict=True
        ):
            weights = mtc_weights(pool.ranks[:, part], p)
            i = names.index(name)
            assert weights[i] == pytest.approx(weights.max(), rel=1e-9)
            assert told == truth[part][i]
            p[i] = told


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_everything_is_judged_once_in_the_end(strategy):
    pool, qrels = collection()
    two = pool.only(pool.systems[:2])
    judged = gt.judge(two, qrels, strategy, per_topic=10**6)
    assert not judged.duplicated(["topic", "document"]).any()
    assert len(judged) == np.isfinite(two.ranks).any(axis=0).sum()
    told = pool.labels(judged)
    truth = pool.labels(qrels)
    assert (told[told.notna()] == truth[told.notna()]).all()


def test_pooling_goes_down_the_ranks():
    pool, qrels = collection()
    judged = gt.judge(pool, qrels, "pooling", per_topic=30)
    place = pool.documents.get_indexer(
        pd.MultiIndex.from_frame(judged[["topic", "document"]])
    )
    judged = judged.assign(best=pool.ranks[:, place].min(axis=0))
    for _, topic in judged.groupby("topic"):
        assert topic["best"].is_monotonic_increasing


@pytest.mark.parametrize("strategy", ["random", "sampling"])
def test_draws_follow_the_seed(strategy):
    pool, qrels = collection()
    draws = [
        gt.judge(pool, qrels, strategy, seed=seed)["document"].tolist()
        for seed in (1, 1, 2)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_sampled_ap_is_right_on_average():
    """Within Monte-Carlo error, and exact once everything is judged."""
    pool, qrels = collection(topics=6, documents=40, seed=5)
    truth = pool.average_precision(pool.labels(qrels, 0))
    judged = gt.judge(pool, qrels, "sampling", 10**6)
    pd.testing.assert_frame_equal(
        sampled_ap(pool, judged), truth, check_names=False
    )
    draws = []
    for seed in range(75):
        judged = gt.judge(pool, qrels, "sampling", 20, seed=seed)
        draws.append(sampled_ap(pool, judged).mean(axis=1))
    mean = np.mean(draws, axis=0)
    np.testing.assert_allclose(mean, truth.mean(axis=1), rtol=0.12)


def test_sampling_weights_are_statap():
    inf = np.inf
    weights = sampling_weights([[2, 1, 3, inf], [1, inf, inf, inf]])
    first = np.array([1 + 1 / 2 + 1 / 3, 1 + 1 + 1 / 2 + 1 / 3, 1 + 1 / 3])
    expected = np.r_[first / 6, 0] / 2 + np.array([0.5, 0, 0, 0])
    np.testing.assert_allclose(weights, expected)


def test_stops_at_the_target():
    pool, qrels = collection(systems=2, topics=12)
    judged = gt.judge(pool, qrels, per_topic=10**6, until=0.8)
    assert len(judged) < np.isfinite(pool.ranks).any(axis=0).sum()

    def sure(rounds):
        told = judged[judged["step"] <= rounds]
        c = pool.confidence(pool.labels(told, otherwise=0.5)).iloc[0, 1]
        return max(c, 1 - c)

    last = judged["step"].max()
    assert sure(last) >= 0.8 > sure(last - 1)


def test_bad_input_is_named():
    pool, qrels = collection()
    with pytest.raises(ValueError, match="strategy"):
        gt.judge(pool, qrels, "best")
    with pytest.raises(ValueError, match="until"):
        gt.judge(pool, qrels, until=95)
    for wrong in (0, 2.5):
        with pytest.raises(ValueError, match="per_topic"):
            gt.judge(pool, qrels, per_topic=wrong)
    with pytest.raises(ValueError, match="two or more"):
        mtc_weights([1, 2, 3], [0.5, 0.5, 0.5])


# A session


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


def test_a_session_chooses_as_the_loop_does(tmp_path):
    pool, qrels = collection(topics=1)
    judged = gt.judge(pool, qrels, per_topic=10)
    session = JudgingSession(pool, tmp_path / "q")
    for row in judged.itertuples():
        assert session.next() == (row.topic, row.document)
        session.record(row.topic, row.document, row.relevance)


def test_a_session_ends(tmp_path):
    pool, qrels = collection(systems=2, topics=2, documents=12)
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

    monkeypatch.setattr("gtapps.audit.session.os.fsync", crash)
    with pytest.raises(OSError, match="space"):
        session.record(*session.next(), 1)
    assert len(session.judgments) == 1
    assert len(JudgingSession(pool, path).judgments) == 1


def test_a_session_refuses_what_cannot_be(tmp_path):
    pool, _ = collection()
    session = JudgingSession(pool, tmp_path / "q")
    topic, document = session.next()
    with pytest.raises(ValueError, match="no document"):
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


def judge_them(path, told, start, step, times):
    session = JudgingSession(RUN, path)
    for i in range(start, 80 // times, step):
        for relevance in range(times):
            session.record("1", f"d{i}", relevance, revise=True)
        os.write(told, b"%d\n" % i)


def judging(path, start, step, times=1):
    """Another process that judges, and what it says of each judgment."""
    heard, told = os.pipe()
    process = multiprocessing.get_context("fork").Process(
        target=judge_them, args=(path, told, start, step, times)
    )
    process.start()
    os.close(told)
    return process, os.fdopen(heard)


@pytest.mark.parametrize("times", [1, 2], ids=["record", "revise"])
def test_two_sessions_at_once_keep_every_judgment(tmp_path, times):
    both = [judging(tmp_path / "q", start, 2, times) for start in (0, 1)]
    told = [int(i) for process, heard in both for i in heard]
    for process, heard in both:
        process.join()
        heard.close()
    assert sorted(told) == list(range(80 // times))
    kept = gt.read_qrels(tmp_path / "q")
    assert set(kept["document"]) == {f"d{i}" for i in range(80 // times)}
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
    assert [p.name for p in tmp_path.iterdir()] == ["q"]


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
        vars(gtapps.audit.session),
        "open",
        lambda path, *_, **__: Full(path, "a+"),
    )
    with pytest.raises(OSError, match="no space left"):
        session.record(*session.next(), 1)
    assert path.read_bytes() == before


def test_what_cannot_be_read_back_is_refused_when_given(tmp_path):
    pool, _ = collection()
    session = JudgingSession(pool, tmp_path / "q")
    with pytest.raises(ValueError, match="at most"):
        session.record(*session.next(), 2**40)
    (tmp_path / "q").write_bytes(gzip.compress(b"1 0 d 1"))
    with pytest.raises(ValueError, match="unpack it first"):
        session.record(*session.next(), 1)
