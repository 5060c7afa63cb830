"""Texts that are kept, in the folder `golden`, and compared.

Every sentence of the audit is kept here once: a change of its wording
fails the comparison of one file, and other tests look at codes and numbers.
To accept what is new, write the texts anew with ``GOLDEN=yes SLOW=yes
pytest tests/gtaudit``, and read the difference. Names, words and whole
numbers must be the same. Another number may differ by one unit of its last
printed digit, since it may lie between two on another processor.
"""

import os
import re
from difflib import SequenceMatcher
from pathlib import Path

FOLDER = Path(__file__).with_name("golden")
ACCEPT = "If this is right: GOLDEN=yes SLOW=yes pytest tests/gtaudit"
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?%?")


def require_kept(name, said):
    """Compare lines with those of a kept text, or write them as kept."""
    path = FOLDER / f"{name}.txt"
    if os.environ.get("GOLDEN"):
        path.write_text("\n".join(said) + "\n", "utf-8")
    kept = path.read_text("utf-8").splitlines()
    found = [f"was: {a}\nis:  {b}" for a, b in changes(kept, said)]
    assert not found, "\n\n".join([*found, ACCEPT])


def changes(kept, said):
    """The lines that differ, as they were and as they are."""
    words = [[NUMBER.sub("0", line) for line in of] for of in (kept, said)]
    match = SequenceMatcher(None, *words, autojunk=False)
    for kind, *ends in match.get_opcodes():
        old, new = kept[ends[0] : ends[1]], said[ends[2] : ends[3]]
        pairs = [*zip(old, new, strict=True)] if kind == "equal" else []
        if not pairs:
            pairs = [("\n     ".join(old), "\n     ".join(new))]
        yield from (p for p in pairs if kind != "equal" or not alike(*p))


def alike(kept, said):
    """Of two lines that are the same but for numbers."""
    pairs = zip(NUMBER.findall(kept), NUMBER.findall(said), strict=True)
    for pair in pairs:
        one, other = (float(n.strip("%").replace(",", "")) for n in pair)
        unit = max(map(last_digit, pair))
        if abs(one - other) > 1.001 * unit:
            return False
    return True


def last_digit(number):
    """What one unit of its last digit is; none of a whole number."""
    digits, _, power = number.rstrip("%").replace(",", "").partition("e")
    decimals = len(digits.partition(".")[2])
    exact = not decimals and not number.endswith("%")
    return 0.0 if exact else 10.0 ** (int(power or 0) - decimals)
