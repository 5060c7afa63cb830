"""Fetch every registered data set, so that the book can be built on it."""

import shutil

import build_book
from tqdm import tqdm

from gtlib.collections import remote


def main():
    for path in tqdm(remote.checksums(), "Fetching data", disable=None):
        remote.fetch(path)
    # Pages that were built without these sets say so: build them anew.
    shutil.rmtree(build_book.BUILD, ignore_errors=True)


if __name__ == "__main__":
    main()
