"""What a report says of a collection, as its notebook asks for it."""

from gtapps import audit


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
