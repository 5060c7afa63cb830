"""Sites: which systems belong together, as said or as names suggest."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from gtaudit.collection import Collection
from gtaudit.doubts import (
    refuse_two_names,
)
from gtaudit.inputs import read_system_table
from gtaudit.nouns import plural
from gtlib.checks import list_some
from gtlib.data import load
from gtlib.reuse import Assignment, site_scores, system_sites
from gtlib.runs import list_files

BY_NAME = "by-name"  # in place of a file: the families of the names

# A word, as capitals and signs set it apart, or a number with its unit.
_TOKEN = re.compile(r"[A-Z]?[^\W\dA-Z_]+|[A-Z]+|\d+[^\W\d_]*")
_AGAIN = re.compile(r"(seed|rep|repetition|trial|epoch)[\W_]*\d+$", re.I)


def block_design(
    wide: pd.DataFrame,
    sites: str | Path,
    held_out: str | Path,
) -> tuple[pd.DataFrame, pd.Series, Assignment]:
    """Read what a test of reusability needs.

    Parameters
    ----------
    wide : DataFrame, systems x topics
    sites : path, or ``"by-name"``
        As `name_sites` takes it.
    held_out : path
        As `Assignment.read_csv` takes it: columns ``topic`` and
        ``held_out``.

    Returns
    -------
    tuple of scores, sites and assignment
        The first three arguments of `gtlib.reusability_test`.

    Raises
    ------
    ValueError
        If a file is missing or malformed, or scores, sites and topics do
        not belong together.
    """
    if wide.isna().any(axis=None):
        raise ValueError(
            "The test of reusability needs a score of every "
            f"{wide.index.name} on every {wide.columns.name}, and this "
            "table has gaps: leave out the file of held-out topics."
        )
    site_by_system = name_sites(sites, wide.index)
    list_files(held_out)
    scores = wide.rename(index=str, columns=str)
    site_of = system_sites(scores.index, site_by_system)
    assignment = Assignment.read_csv(held_out, sorted(set(site_of)))
    topic = str(wide.columns.name)
    for site in assignment.held_out.columns[assignment.held_out.all()]:
        raise ValueError(
            f"{held_out} holds the site {site} out of every {topic}: "
            f"without {plural(topic)} that it contributes to, nothing can "
            "be compared."
        )
    site_scores(scores, site_of, assignment)
    return scores, site_of, assignment


def add_sites(
    collection: Collection, named: Mapping[str, str]
) -> Collection:
    """Add sites to a collection: its intervals leave the systems of a
    site out together. Systems in `named` that it lacks are passed over.

    Raises
    ------
    ValueError
        If a system has no site, all have the same, or the study is one
        that systems cannot be left out of.
    """
    study = collection.study
    if not _leaves_out(study):
        raise ValueError(
            "Intervals by sums alone, or by Henderson's method, cannot "
            "leave sites out: run this audit without --sites."
        )
    systems = collection.cells.index
    site = system_sites(systems.map(str), named).set_axis(systems)
    if len(site.unique()) == 1:
        raise ValueError(
            f"--sites puts every {systems.name} into the site "
            f"{site.iloc[0]}: sites are left out one by one, which takes "
            "two or more."
        )
    return replace(collection, study=replace(study, groups=site))


def guess_families(names: Iterable[object]) -> dict[str, list[str]]:
    """Guess the families of systems from their names.

    What counts of a name is the first word after what all names begin
    with; a number does if a word follows, and a single letter if a sign
    or nothing but digits do.

    Returns
    -------
    dict of str to list of str
        The words that the names of a family begin with, as the first of
        them has them, and the names: two or more.
        Empty unless families hold half of the systems, and are at least
        two and at most half as many as these.

    Examples
    --------
    >>> names = ["bm25-all", "bm25-text", "lm-all", "LM-text", "tfidf"]
    >>> guess_families(names)
    {'bm25': ['bm25-all', 'bm25-text'], 'lm': ['lm-all', 'LM-text']}
    >>> guess_families(["run1", "run2", "run3", "run4"])
    {}
    """
    tokens = {name: [*_TOKEN.finditer(name)] for name in map(str, names)}
    words = {n: [m[0].lower() for m in tokens[n]] for n in tokens}
    shared = _shared_words(words.values())
    groups = defaultdict(list)
    for name in tokens:
        if _is_stem(name, tokens[name][shared:]):
            groups[words[name][shared]].append(name)
    families = {}
    for members in groups.values():
        if len(members) > 1:
            common = _shared_words(words[name] for name in members)
            first = members[0]
            families[first[: tokens[first][common - 1].end()]] = members
    named = sum(len(members) for members in families.values())
    if 2 <= len(families) <= len(tokens) / 2 <= named:
        return families
    return {}


def _shared_words(words):
    """Count the words that all names begin with."""
    shared = 0
    for at_one_place in zip(*words, strict=False):
        if len({*at_one_place}) > 1:
            break
        shared += 1
    return shared


def _is_stem(name, tokens):
    """Return whether the first token may be what a family has in
    common."""
    if all(token[0].isdigit() for token in tokens):
        return False
    stem, rest = name[: tokens[0].end()], name[tokens[0].end() :]
    apart = re.search(r"[^\W\d_]{2}", stem) or not rest[:1].isalnum()
    return bool(apart) or rest.isdigit()


def name_sites(
    sites: str | Path, systems: Iterable[object]
) -> dict[str, str]:
    """Name the site of each system: as a CSV file with the columns system
    and site says, or, of ``"by-name"``, as `guess_families` reads the
    names, and a system of no family by itself.

    Raises
    ------
    ValueError
        If the file is missing or malformed, or the names show no families.
    """
    if sites != BY_NAME:
        return read_sites(sites)
    families = guess_families(systems)
    if not families:
        raise ValueError(
            f"--sites {BY_NAME}: the names show no families that hold half "
            "of the systems; name the sites in a CSV with the columns "
            "system and site."
        )
    named = {name: name for name in map(str, systems)}
    for family, members in families.items():
        named |= dict.fromkeys(members, family)
    return named


def site_notes(collection: Collection) -> list[str]:
    """Note what the sites of the systems are used for; without
    sites, note the families that names suggest, if any."""
    site = collection.sites
    systems = collection.cells.index
    n = collection.nouns
    if site is not None:
        return [
            f"The {len(site)} {n.systems} are of {site.nunique()} sites, "
            f"at most {site.value_counts().max()} of one. The intervals of "
            f"the coefficients, of alpha, of the numbers of {n.topics} and "
            f"of the best {n.systems} leave sites out as a whole. Those of "
            f"means and differences are about other {n.topics}, and take "
            f"these {n.systems} as they are."
        ]
    by_name = guess_families(systems)
    if not by_name:
        return []
    largest = sorted(by_name.items(), key=lambda f: -len(f[1]))
    sizes = [
        f"{name} ({len(members)} {n.systems})" for name, members in largest
    ]
    grouped = sum(map(len, by_name.values()))
    share = f"{grouped} of " if grouped < len(systems) else ""
    again = ""
    if all(
        _AGAIN.search(name) for part in by_name.values() for name in part
    ):
        again = (
            f" If they are runs of one {n.system}, name it alone in the "
            f"column {n.system}, and the run in a column {n.seed}."
        )
    return [
        f"By how their names begin, {share}the {len(systems)} "
        f"{n.systems} are of {len(by_name)} families: "
        f"{list_some(sizes, 3)}. Intervals take each of the {n.systems} "
        f"for itself, and not its family. If these are families, --sites "
        f"{BY_NAME} leaves them out together; --sites FILE, a CSV with the "
        f"columns {n.system} and site, names others.{again}"
    ]


def describe_draws(collection: Collection) -> str:
    """Say what an interval of a coefficient draws anew, and how far that
    goes where systems may come in groups."""
    n = collection.nouns.markdown
    said = (
        f"An interval draws anew other {n.systems} like these and other "
        f"{collection.drawn}. Its degrees of freedom (df) are what the "
        f"{n.systems} show that are left out "
    )
    if collection.sites is not None:
        return f"{said}site by site."
    said += f"one by one: each of the {n.systems} is taken for itself."
    if _leaves_out(collection.study):
        said += " If some come in groups, name these with `--sites`."
    drawn: Any = load("group-coverage")
    drawn = drawn[drawn["way"] == "jackknife"]
    first = drawn[drawn["collection"] == "robust-2004"].iloc[0]
    return (
        f"{said} Where {first['groups']} groups of Robust 2004 were drawn, "
        f"and nobody said so, {100 * first['coverage']:.0f} in 100 such "
        "intervals of 95% held."
    )


def _leaves_out(study):
    """Return whether the intervals of a study can leave sites out."""
    return study.cells is not None and study.method != "henderson"


def read_sites(path: str | Path) -> dict[str, str]:
    """Read the site of each system from a CSV file with these two columns;
    that of systems may be called run, model, ... as in tables.

    Raises
    ------
    ValueError
        If the file is missing or malformed, or names one site in two ways.
    """
    table = read_system_table(path)
    for column in ("system", "site"):
        if column not in table:
            raise ValueError(
                f"{path} has no column {column!r}; its columns are "
                f"{list_some(table.columns)}."
            )
    table = table.drop_duplicates(["system", "site"])
    for system in table["system"][table["site"].str.strip() == ""]:
        raise ValueError(f"{path} names no site for the system {system}.")
    refuse_two_names("site", table["site"].unique())
    for system in table["system"][table["system"].duplicated()]:
        raise ValueError(f"{path} gives {system} two sites: leave one.")
    return dict(zip(table["system"], table["site"], strict=True))
