"""Compute the ledger's chapter anew and put its verdicts on record."""

from pathlib import Path

import nbformat

from book.support.ledger import Ledger

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = ROOT / "notebooks" / "16-the-four-papers.ipynb"
RECORD = ROOT / "data" / "verdicts.csv"


def main():
    before = Ledger.on_record()
    ledger = computed()
    print(ledger.changes(before).to_string())
    ledger.record().to_csv(RECORD, index=False)


def computed():
    """The ledger of the chapter, up to the cell that holds the line."""
    scope = {}
    for cell in nbformat.read(CHAPTER, nbformat.NO_CONVERT).cells:
        if cell.cell_type == "code" and "%pip" not in cell.source:
            if "ledger.hold" in cell.source:
                break
            exec(cell.source, scope)
    return scope["ledger"]


if __name__ == "__main__":
    main()
