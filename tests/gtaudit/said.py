"""What a report says of a collection, as its notebook asks for it."""

from contextlib import suppress
from functools import cache

import gtaudit
from gtaudit.judgment_study import score_and_study
from gtaudit.machines import compare_judges, read_judges
from tests.cases import first
from tests.gtlib.gtheory.uneven import DESIGNS, uneven

# A likelihood of more effects takes a while to climb.
UNEVEN = first(1, DESIGNS)


@cache
def uneven_collections(design, seeds):
    """Of so many random tables with gaps and with nests that differ in
    size, the collections of those that an audit takes."""
    found = []
    for seed in range(seeds):
        with suppress(ValueError):
            found.append(gtaudit.prepare(uneven(design, seed), design))
    assert len(found) > 1
    return found


def verdicts_of(collection, **more):
    """The verdict; `more` as `gtaudit.give_verdicts` has it."""
    board = gtaudit.audit_leaderboard(collection)
    pairs = gtaudit.compare_systems(collection, board)
    coefficients = coefficients_of(collection)
    return gtaudit.give_verdicts(
        collection, coefficients, board, pairs, **more
    )


def findings_of(collection, coefficients=None, required=None):
    """All sentences behind the answers."""
    if coefficients is None:
        coefficients = coefficients_of(collection)
    if required is None:
        required = gtaudit.required_table(
            collection.study, fixed=collection.fixed
        )
    told_apart = gtaudit.audit_leaderboard(collection).told_apart
    return gtaudit.findings(collection, coefficients, required, told_apart)


def coefficients_of(collection):
    """Coefficients with their intervals."""
    return gtaudit.coefficient_table(collection.study, collection.fixed)


def study_judgments(
    runs, qrels, measure="AP", sites=None, depth=None, contributed=None
):
    """What there is to know of the judgments of runs."""
    pools = depth, contributed
    return score_and_study(runs, qrels, [measure], sites, pools=pools)[1]


def study_machines(runs, qrels, judges, measure="AP"):
    """What becomes of runs if machines judge them."""
    graded, files = read_judges(judges, qrels)
    scored = score_and_study(runs, qrels, [measure], judges=graded)
    return compare_judges(scored[0], scored[2], files)
