"""Numbers that a chapter's text says are those that its code computes."""

import re

NUMBER = re.compile(
    r"(?<![\w.,@])(?:(?<!\d)[−-])?"
    r"(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?!\w)%?"
)


def said(fragment: str, *values: float) -> None:
    """Check the numbers of a fragment of the text, in their order.

    Parameters
    ----------
    fragment : str
        Words of the chapter with numbers as they are typed there: 0.95,
        1,234, −0.3, 12 or 45%.
    *values : float
        What each number is rounded from; of a percentage the share.

    Raises
    ------
    AssertionError
        If there are not as many values as numbers, or one is not what the
        text says of it.

    Examples
    --------
    >>> from book.support.said import said
    >>> said("alpha is 0.88, of 45% of the topics", 0.877, 0.4512)
    >>> said("alpha is 0.89", 0.877)
    Traceback (most recent call last):
    AssertionError: 'alpha is 0.89': the text says 0.89, the code 0.877.
    """
    numbers = NUMBER.findall(fragment)
    if len(numbers) != len(values):
        raise AssertionError(
            f"{fragment!r} has {len(numbers)} numbers {numbers}, and "
            f"{len(values)} values were given."
        )
    for number, value in zip(numbers, values, strict=True):
        exact = float(getattr(value, "estimate", value))
        if not says(number, exact):
            raise AssertionError(
                f"{fragment!r}: the text says {number}, the code {exact}."
            )


def says(number: str, value: float) -> bool:
    """Whether a typed number is this value, rounded; one that lies halfway
    may be rounded either way."""
    digits = number.replace("−", "-").replace(",", "").rstrip("%")
    typed = float(digits)
    if number.endswith("%"):
        value = 100 * value
    half = 0.5 * 10.0 ** -len(digits.partition(".")[2])
    return abs(value - typed) <= half + 1e-9 * max(half, abs(value))
