"""From the files of a data set to what `gtlib.load` gives.

A reader takes the local files and the row of the registry.
"""

import re

import pandas as pd

from gtlib.applications import install_command
from gtlib.collections.cystic import read_judgments, read_topics
from gtlib.collections.judges import read_judges, read_rag_judges
from gtlib.collections.matrices import MATRIX_READERS
from gtlib.gtheory import GStudy
from gtlib.tables import Design, as_numbers, as_wide


def _topics_by_systems(files, _):
    """A CSV file with a row per topic and a column per system."""
    table = _csv(files[0])
    if "topic" in table:
        return as_wide(table.set_index("topic").T)
    table.index += 1
    return as_wide(table.T)


def _csv(path, **options):
    """Read a CSV file with pandas, its numbers rounded as Python does."""
    rough = pd.read_csv(path, **options)
    numbers = dict.fromkeys(rough.select_dtypes(float), float)
    text = dict.fromkeys(numbers, object)
    return pd.read_csv(path, dtype=text, **options).astype(numbers)


def _r_matrix(files, _):
    table = _r_table(files[0])
    table.index = table.index.astype(int)
    return as_wide(table.T)


def _r_long(files, _):
    table = _r_table(files[0])
    table.columns = table.columns.str.lower()
    facets = [name for name in table.columns if name != "score"]
    table[facets] = table[facets].astype(int)
    return table.astype({"score": float}).reset_index(drop=True)


def _r_table(path):
    try:
        import rdata
    except ImportError as error:
        raise ImportError(
            f"{path.name} is a file of R, and reading it needs rdata: "
            f"{install_command('data')}."
        ) from error
    (table,) = rdata.read_rda(path).values()
    return table


def _facts(files, _):
    """Read the numbers that a paper prints: a row per key, with the value
    as a float."""
    table = pd.read_csv(
        files[0], dtype=str, keep_default_na=False, index_col="key"
    )
    table = table.rename(columns={"value": "printed"})
    value = as_numbers(table["printed"])
    table.insert(table.columns.get_loc("printed"), "value", value)
    return table.astype({"decimals": int})


def _mean_squares(files, row):
    """The G-study behind the mean squares of a paper's Table 1.

    The levels are those of the registry: the paper prints 50 topics, but
    only 48 lead from its mean squares to its components.
    """
    printed = _facts(files, row)["value"].filter(like="/mean-square/")
    squares = printed.rename(
        lambda key: key.split("/")[-1].replace("-", " ")
    )
    design = Design(row["design"])
    sizes = map(int, row["sizes"].split(" x "))
    levels = dict(zip(design.facets, sizes, strict=True))
    return GStudy.from_mean_squares(design, levels, squares.to_dict())


def _measures(files, row):
    """Scores by several measures; with one, ready for a G-study."""
    table = _csv(files[0])
    measure = row["measure"]
    if not measure:
        return table
    offered = [name for name in table if name in MEASURES]
    if measure not in offered:
        raise ValueError(
            f"{row['title']} has no measure {measure!r}; there are "
            f"{', '.join(offered)}."
        )
    others = [name for name in offered if name != measure]
    return table.drop(columns=others).rename(columns={measure: "score"})


def _measure_means(files, row):
    """Systems x topics, the mean score over all assessors."""
    table = _measures(files, row)
    order = table["system"].unique()
    means = table.pivot_table(
        index="system", columns="topic", values="score"
    )
    return as_wide(means.loc[order])


def _prels(files, _):
    """Read judgments of sampled or chosen documents, each with the
    probability that it was drawn."""
    names = ["topic", "document", "relevance", "method", "probability"]
    return _csv(files[0], sep=r"\s+", names=names)


def _run_means(files, _):
    """The mean AP of each run, by its name, from NIST's page of results."""
    text = files[0].read_text("utf-8")
    means = {}
    for section in text.split("\n#### ")[1:]:
        name, _, lines = section.partition("\n")
        match = re.search(r"^\s*map\s+all\s+(\S+)", lines, re.M)
        if match:
            means[name.strip()] = float(match[1])
    return pd.Series(means, name="AP").rename_axis("run").to_frame()


# The columns of an embedded table that hold scores.
MEASURES = ("AP", "AP@100", "nDCG@10", "P@10", "RR")

READERS = {
    "topics by systems": _topics_by_systems,
    "R matrix": _r_matrix,
    "R long": _r_long,
    "facts": _facts,
    "mean squares": _mean_squares,
    "measures": _measures,
    "measure means": _measure_means,
    "cf topics": lambda files, _: read_topics(files[0]),
    "cf judgments": lambda files, _: read_judgments(files[0]),
    "judges": lambda files, _: read_judges(files),
    "rag judges": lambda files, _: read_rag_judges(files[0]),
    "prels": _prels,
    "run means": _run_means,
    "csv": lambda files, _: _csv(files[0]),
    "files": lambda files, _: files[0] if len(files) == 1 else files,
    **MATRIX_READERS,
}
