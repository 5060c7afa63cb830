"""Tables as files whose bytes repeat."""

import gzip
import io
from pathlib import Path

SCORES = Path(__file__).parents[1] / "scores"


def as_csv(table, digits):
    text = io.StringIO()
    table.to_csv(
        text, index=False, float_format=digits, lineterminator="\n"
    )
    return text.getvalue()


def write(name, text):
    """Compressed with no name and time inside, so that bytes repeat."""
    data = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    (SCORES / name).write_bytes(data)
    print(f"{name}: {len(data):,} bytes")
