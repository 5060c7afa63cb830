"""A collection beside the public ones of the atlas."""

from dataclasses import dataclass, field
from math import prod

import numpy as np
import pandas as pd

from gtapps.audit.collection import Collection
from gtapps.audit.results import planned
from gtapps.audit.shown import span
from gtlib.collections import load
from gtlib.tables import as_text, count, others, require_columns

# What both are compared by: of the others `load("atlas")` has it.
TARGET = 0.95
NUMBERS = ["systems", "items", "items_95", "items_95_low", "items_95_high"]
NUMBERS += ["generalizability", "share_system"]

# How many others a table shows.
NEAREST = 5

# Items that stand for no number being enough, where distances count.
_FAR = 1e6


@dataclass(frozen=True, eq=False)
class BesideAtlas:
    """Where a collection stands among others.

    Attributes
    ----------
    note : str
        How it stands, in Markdown; or why it has no place.
    rows : DataFrame
        `NUMBERS` of this one and of the `NEAREST` others, by ``title``:
        on the map of items that there are and that `TARGET` takes, both as
        logarithms. None without a place.
    table : DataFrame
        The atlas.
    """

    note: str
    rows: pd.DataFrame | None = None
    table: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)


def beside_atlas(
    collection: Collection,
    coefficients: pd.DataFrame,
    required: pd.DataFrame,
) -> BesideAtlas:
    """Set a collection beside the public ones.

    Parameters
    ----------
    collection : Collection
    coefficients : DataFrame of `coefficient_table`
    required : DataFrame of `required_table`
        With the target `TARGET`.

    Examples
    --------
    >>> from gtapps.audit.collection import prepare
    >>> from gtapps.audit.results import coefficient_table, required_table
    >>> collection = prepare(load("cf-ap"))
    >>> of = coefficient_table, required_table
    >>> found = beside_atlas(collection, *(t(collection.study) for t in of))
    >>> found.rows["items"].head(1).to_dict()
    {'this collection': 98.0}
    """
    try:
        table = pd.DataFrame(load("atlas"))
        require_columns(table, ["title", "field", *NUMBERS])
        table = table.astype(dict.fromkeys(NUMBERS, float))
        if not table["items_95"].gt(0).any():
            raise ValueError("No row of it has numbers.")
    except (ValueError, OSError) as error:
        return BesideAtlas(f"The atlas cannot be read: {as_text(error)}")
    if len(collection.cells) == 2:
        return BesideAtlas(
            "Two systems have no place in the atlas: they do not show how "
            "much systems differ in truth."
        )
    study, nesting = collection.study, collection.design.nesting["topic"]
    each = study.levels["topic"]
    if nesting:
        each = planned(study, collection.fixed).levels["topic"]
    nests = sorted(nesting - {"system"})
    times = prod(study.levels[nest] for nest in nests)
    goals = required.astype({"topics": float})
    goals = goals.set_index(["coefficient", "target"])
    goal = goals.loc[("generalizability", TARGET)]
    limits = goal[["topics", "low", "high"]].astype(float) * times
    has = coefficients.loc["generalizability", "estimate"]
    share = study.table["percent"]["system"] / 100
    own = [len(collection.cells), each * times, *limits, has, share]
    own = pd.Series(own, NUMBERS, dtype=float)
    gaps = _place(table) - _place(own)
    nearest = table.loc[(gaps**2).sum(axis=1).nsmallest(NEAREST).index]
    rows = pd.DataFrame([own], ["this collection"])
    rows = pd.concat([rows, nearest.set_index("title")[NUMBERS]])
    said = [_said(own, goal["note"], table)]
    if nests:
        said.append(f"Topics are counted in all {as_text(others(nests))}.")
    if held := as_text(others(collection.fixed)):
        said.append(f"The {held} are all there are; there they are drawn.")
    return BesideAtlas(" ".join(said), rows.rename_axis("title"), table)


def _place(rows):
    return np.log10(rows[["items", "items_95"]].fillna(_FAR))


def _said(own, note, table):
    """How it stands, in a sentence."""
    enough = (table["items_95"] <= table["items"]).sum()
    said = (
        f"**Of {len(table)} public collections, {enough} have the items "
        f"that a generalizability of {TARGET} takes**; this one has "
        f"{count(round(own['items']), 'topic')}"
    )
    if np.isnan(own["items_95"]):
        return f"{said}. {as_text(note)}"
    more = (table["items_95"].fillna(np.inf) > own["items_95"]).sum()
    limits = span(own["items_95_low"], own["items_95_high"])
    return (
        f"{said} and needs {own['items_95']:,.0f} [{limits}], which is "
        f"less than {more} of those do."
    )
