"""What a report says of a collection, as its notebook asks for it."""

from gtapps import audit
from gtapps.audit.judgment_study import score_and_study
from gtapps.audit.machines import compare_judges, read_judges


def answers_of(collection, coefficients=None, board=None, **more):
    """The answers of the first screen; `more` as `audit.answers` has it."""
    if coefficients is None:
        coefficients = tables_of(collection)[0]
    if board is None:
        board = audit.board_of(collection)
    return audit.answers(collection, coefficients, board, **more)


def findings_of(
    collection, coefficients=None, required=None, cost=None, target=None,
    **more,
):  # fmt: skip
    """All sentences; `more` is of the answers."""
    tables = tables_of(collection)
    given = coefficients, required
    tables = [
        t if g is None else g for t, g in zip(tables, given, strict=True)
    ]
    found = answers_of(collection, tables[0], **more)
    return audit.findings(
        collection, *tables, found, cost=cost, target=target
    )


def tables_of(collection):
    """Coefficients, and topics that are required."""
    of = collection.study, collection.sites, collection.fixed
    required = audit.required_table(of[0], sites=of[1], fixed=of[2])
    return audit.coefficient_table(*of), required


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
