"""How messages and titles count and name things."""


def counted(number: float, noun: str) -> str:
    """``1 topic``, ``50 topics``."""
    return f"{number} {noun}{'s' if number != 1 else ''}"
