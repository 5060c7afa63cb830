"""Standard errors of means and of differences, beside those of evaluators.

Ours are of the declared design, in one call for all systems. inspect-ai and
lm-evaluation-harness (lm-eval) give one system's standard error: of its
scores, of clusters (inspect-ai) or of subtasks (lm-eval). evalstats and
scipy compare two systems on the same items, and statsmodels knows clusters.
"From the table" is the whole way from a score table; what a peer takes in a
form of its own was made before.

Where they mean the same they are equal: the second table has the largest
relative difference. Three of them mean something else.

*Uneven clusters.* Of C clusters, inspect-ai and statsmodels multiply the
sum of squares by C / (C - 1), and we by n / (n - 1), where n is one over
the sum of the squared shares of the scores, the number of even clusters
that would tell as much. Ours is therefore larger, by the factor
sqrt(n (C - 1) / (C (n - 1))). It is 1 where clusters are even.

*Subtasks that count by their sizes.* lm-eval pools one variance of all, and
we take each subtask's own. With even sizes that is the same. Subtasks that
count alike have the same error by both, whatever their sizes.

*Resamples.* lm-eval's standard error by resampling is smaller by
sqrt((n - 1) / n), as it says itself; the benchmark stops unless it is that
within four Monte-Carlo errors of 2,000 resamples.

inspect-ai and lm-eval bring 45 and 36 distributions that nothing else here
needs, boto3 and datasets among them, but not torch; and inspect-ai wants an
older python-dateutil than our pins. So `make bench` does not install these
two. `pip install inspect-ai lm-eval evalstats`, elsewhere, does.
"""

import os
from contextlib import redirect_stdout
from io import StringIO

import evalstats
import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats

import gtlib as gt
from benchmarks.harness import compare, peer
from gtlib.comparisons import estimate_means

inspect = peer("inspect_ai.scorer")
harness = peer("lm_eval.api.metrics")

NESTED = "system x (topic:passage)"
RESAMPLES = 2000


def rows():
    scores = gt.load("cf-ap")
    yield from of_means(scores)
    yield from of_clusters()
    yield from of_pairs(scores)


def of_means(scores):
    x = scores.to_numpy()
    lists, samples = x.tolist(), [*map(as_samples, x)]
    plain = inspect and inspect.stderr()
    yield from compare(
        "errors of 36 means, 98 topics, from the table",
        lambda: estimate_means(gt.gstudy(scores)).errors(),
        {
            "inspect-ai": inspect and (lambda: [*map(plain, samples)]),
            "lm-eval": harness
            and (lambda: [*map(harness.mean_stderr, lists)]),
            "scipy": lambda: stats.sem(x, axis=1),
        },
    )


def of_clusters():
    long, x, passage = questions([10] * 30)
    samples = [as_samples(row, passage) for row in x]
    clustered = inspect and inspect.stderr(cluster="passage")
    yield from compare(
        "errors of 12 means, 30 passages of 10, from the table",
        lambda: estimate_means(gt.gstudy(long, NESTED)).errors(),
        {
            "inspect-ai": inspect and (lambda: [*map(clustered, samples)]),
            "statsmodels": lambda: [robust(row, passage) for row in x],
        },
    )


def of_pairs(scores):
    x, names = scores.to_numpy(), [*map(str, scores.index)]
    one, other = np.triu_indices(len(x), 1)
    means = estimate_means(gt.gstudy(scores))
    options = {"method": "t_interval", "correction": "holm"}
    yield from compare(
        "p-values of 630 pairs, 98 topics",
        lambda: means.differences(one, other).p_value,
        {
            "evalstats": lambda: evalstats.all_pairwise(
                x, names, **options
            ),
            "scipy": lambda: stats.ttest_rel(x[one], x[other], axis=1),
        },
    )
    yield from compare(
        "35 systems and a baseline, from the table",
        lambda: gt.compare(scores, b=scores.index[0]),
        {
            "evalstats": lambda: evalstats.vs_baseline(
                x, names, names[0], **options
            )
        },
    )


def agreements():
    """Theirs over ours, beside 1: relative differences."""
    x = gt.load("cf-ap").to_numpy()
    means = estimate_means(gt.gstudy(x))
    ours = means.errors().error
    yield beside("error of a mean", "scipy", ours, stats.sem(x, axis=1))
    if inspect:
        theirs = [inspect.stderr()(as_samples(row)) for row in x]
        yield beside("error of a mean", "inspect-ai", ours, theirs)
    if harness:
        theirs = [*map(harness.mean_stderr, x.tolist())]
        yield beside("error of a mean", "lm-eval", ours, theirs)
        near(ours, x)
        yield from of_subtasks()
    yield from of_the_same_clusters()
    yield from of_the_same_pairs(x, means)


def of_the_same_clusters():
    for what, sizes in CLUSTERS.items():
        long, x, passage = questions(sizes)
        found = estimate_means(gt.gstudy(long, NESTED))
        one, other = np.triu_indices(len(x), 1)
        share = np.array(sizes) / sum(sizes)
        two, three = (share**2).sum(), (share**3).sum()
        c = len(sizes)
        factor = np.sqrt((c - 1) / c / (1 - 2 * three / two + two))
        pairs = found.differences(one, other).error
        for of, ours, table in (
            ("mean", found.errors().error, x),
            ("difference", pairs, x[one] - x[other]),
        ):
            name = f"error of a {of}, {what}"
            if factor > 1:
                name += f", theirs times {factor:.3f}"
            theirs = [robust(row, passage) for row in table]
            theirs = factor * np.array(theirs)
            yield beside(name, "statsmodels", ours, theirs)
            if inspect:
                clustered = inspect.stderr(cluster="passage")
                theirs = [clustered(as_samples(y, passage)) for y in table]
                theirs = factor * np.array(theirs)
                yield beside(name, "inspect-ai", ours, theirs)


def of_subtasks():
    """Four subtasks that are all there are: alike, or by their sizes."""
    for sizes in ([25] * 4, [10, 20, 30, 40]):
        long, x, task = questions(sizes)
        g = gt.gstudy(long, NESTED)
        parts = [x[:, task == t] for t in range(len(sizes))]
        each = np.array([stats.sem(part, axis=1) for part in parts]).T
        even = len({*sizes}) == 1
        ours = estimate_means(g, "passage").errors().error
        theirs = [*map(harness.unweighted_mean_stderr, each)]
        what = f"error over {'' if even else 'uneven '}subtasks"
        yield beside(f"{what}, alike", "lm-eval", ours, theirs)
        if even:
            theirs = [harness.pooled_sample_stderr(e, sizes) for e in each]
            yield beside(f"{what}, pooled", "lm-eval", ours, theirs)


def of_the_same_pairs(x, means):
    one, other = np.triu_indices(len(x), 1)
    found = means.differences(one, other)
    low, high = found.limits(0.95)
    theirs = stats.sem(x[one] - x[other], axis=1)
    yield beside("error of a difference", "scipy", found.error, theirs)
    theirs = stats.ttest_rel(x[one], x[other], axis=1).pvalue
    yield beside("its p-value", "scipy", found.p_value, theirs)
    pairs = [
        evalstats.pairwise_differences(x, i, j, method="t_interval")
        for i, j in zip(one, other, strict=True)
    ]
    theirs = [pair.std_diff / len(x.T) ** 0.5 for pair in pairs]
    of_one = "error of a difference", "evalstats"
    yield beside(*of_one, found.error, theirs)
    widths = [pair.ci_high - pair.ci_low for pair in pairs]
    yield beside("its interval", "evalstats", high - low, widths)
    theirs = [pair.p_value for pair in pairs]
    yield beside("its p-value", "evalstats", found.p_value, theirs)


def near(ours, x):
    """The harness's resampled error of the first means, within chance."""
    os.environ["DISABLE_MULTIPROC"] = "1"
    n, few = x.shape[1], x[:3].tolist()
    with redirect_stdout(StringIO()):
        found = [
            harness.bootstrap_stderr(np.mean, row, RESAMPLES) for row in few
        ]
    ratio = found / ours[:3] / np.sqrt((n - 1) / n)
    if not np.allclose(ratio, 1, atol=4 / np.sqrt(2 * RESAMPLES)):
        raise AssertionError(f"resampled errors are apart: {ratio}")


def beside(what, who, ours, theirs):
    return what, who, np.ones(len(ours)), np.divide(theirs, ours)


CLUSTERS = {
    "30 passages of 10": [10] * 30,
    "30 uneven passages": [2, 4, 6, 8, 20, 20] * 5,
}


def questions(sizes):
    """A long table of 12 systems, its scores, and each topic's passage."""
    rng = np.random.default_rng(0)
    passage = np.repeat(np.arange(len(sizes)), sizes)
    of_both = rng.normal(0, 0.1, (12, len(sizes)))[:, passage]
    x = of_both + rng.normal(0, 0.1, (12, len(passage)))
    x += rng.normal(0, 0.1, len(sizes))[passage]
    system, topic = np.indices(x.shape).reshape(2, -1)
    codes = {"system": system, "topic": topic, "passage": passage[topic]}
    return pd.DataFrame(codes).assign(score=x.ravel()), x, passage


def as_samples(row, passage=None):
    """The scores of one system as inspect-ai keeps them."""
    if not inspect:
        return None
    home = np.zeros(len(row), int) if passage is None else passage
    return [
        inspect.SampleScore(
            score=inspect.Score(value=value), sample_metadata={"passage": p}
        )
        for value, p in zip(row.tolist(), home.tolist(), strict=True)
    ]


def robust(row, passage):
    fit = sm.OLS(row, np.ones_like(row)).fit(
        cov_type="cluster", cov_kwds={"groups": passage}
    )
    return fit.bse[0]
