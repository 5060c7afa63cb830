"""What is not seen, as signs."""

import unicodedata

# Controls, what turns the direction of letters round, ends of lines, and
# halves of characters; and what is a letter or a sign, and not seen.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
_BLANK = "\u034f\u115f\u1160\u2800\u3164\uffa0"


def visible(text: str, kept: str = "") -> str:
    """Return a text with signs in place of what is not seen, or makes
    others look otherwise, but for what is kept.

    Examples
    --------
    >>> visible("a\\x1b[31m, \\u202eb, c\\u200b")
    'a␛[31m, ⟨U+202E⟩b, c⟨U+200B⟩'
    """
    signs = {
        ord(c): chr(0x2400 + ord(c)) if c < " " else f"⟨U+{ord(c):04X}⟩"
        for c in {*text}.difference(kept)
        if unicodedata.category(c) in _UNSEEN or c in _BLANK
    }
    return text.translate(signs)
