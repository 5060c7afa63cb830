"""The ledger: numbers printed in papers, ours beside them, a verdict.

A `Ledger` joins all that the papers print with what was computed, or why
it could not be; nothing can be left out. `attainable`
says what rounded inputs allow, and `levels_that_print` what a printed
table gives away about the study behind it.
"""

from book.support.ledger.record import on_record
from book.support.ledger.rounding import attainable, levels_that_print
from book.support.ledger.verdicts import Ledger

__all__ = ["Ledger", "attainable", "levels_that_print", "on_record"]
