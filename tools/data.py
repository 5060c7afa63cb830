"""Fetch every registered data set; the next build begins anew with them."""

import sys

from tqdm import tqdm

from gtlib import data


def main():
    for path in tqdm(data.checksums(), "Fetching data", disable=None):
        try:
            data.fetch(path)
        except (data.DatasetUnavailable, ValueError) as error:
            sys.exit(str(error))


if __name__ == "__main__":
    main()
