"""Fetch every registered data set; the next build begins anew with them."""

from tqdm import tqdm

from gtlib.collections import remote


def main():
    for path in tqdm(remote.checksums(), "Fetching data", disable=None):
        remote.fetch(path)


if __name__ == "__main__":
    main()
