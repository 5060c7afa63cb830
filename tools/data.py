"""Fetch every registered data set, so that the book can be built on it."""

import shutil

import build_book

from gtlib.collections.registry import fetch_all


def main():
    fetch_all()
    # Pages that were built without these sets say so: build them anew.
    shutil.rmtree(build_book.BUILD, ignore_errors=True)


if __name__ == "__main__":
    main()
