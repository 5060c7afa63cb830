"""A refusal says what is wrong, where, and what to do."""

import re

import pytest


def refused(call, words, error=ValueError):
    """Call, which is to raise an error whose message has the words, in
    their order; three dots between them stand for anything."""
    with pytest.raises(error) as refusal:
        call()
    parts = [re.escape(part) for part in words.split(" ... ")]
    found = re.search(".*".join(parts), str(refusal.value), re.DOTALL)
    assert found, f"{refusal.value} lacks: {words}"
