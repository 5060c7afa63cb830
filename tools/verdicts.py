"""Compute the printed numbers anew and put their verdicts on record."""

import pandas as pd

from book.support.ledger import Ledger, record
from book.support.ledger.ours import computed
from gtlib.data import data_folder


def main():
    ledger = computed()
    print(ledger.changes(Ledger.on_record()).to_string())
    table = pd.concat([record.claims(), ledger.record()])
    path = data_folder() / "items.csv"
    table.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
