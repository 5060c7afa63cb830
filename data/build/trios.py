"""Whether larger families change a verdict: ten seconds of a processor.

Writes data/scores/atlas-trios.csv, which chapter 15 shows. Twelve of the
eighteen models of the language tests are four trios of RoBERTa, each
pretrained on as much text. A row has a collection, and the limits of the
interval of generalizability with each trio as one family.
"""

import pandas as pd
from score_tables import write_table
from tqdm import tqdm

import gtlib as gt
from book.support import atlas


def row(name):
    """The limits of a collection."""
    collection = atlas.read(name)
    trios = collection["families"].str.replace(r"-\d$", "", regex=True)
    plan = gt.gstudy(collection["scores"]).plan()
    sure = plan.interval("generalizability", groups=trios)
    limits = {"low": sure.low, "high": sure.high}
    return {"collection": name, "families": trios.nunique(), **limits}


def main():
    names = atlas.catalogue().query("field == 'language'").index
    write_table("atlas-trios.csv", pd.DataFrame([*map(row, tqdm(names))]))


if __name__ == "__main__":
    main()
