"""How to install gtlib with what a part of it needs."""

__all__ = ["install_command"]


def install_command(extra: str = "") -> str:
    """Return the command that installs gtlib, for a message.

    It names no package, because an index may give the name to others.

    Examples
    --------
    >>> from gtlib.applications import install_command
    >>> print(install_command("big"))
    pip install ".[big]" in a checkout of gtlib, or with its wheel in \
place of the dot
    """
    package = f".[{extra}]" if extra else "."
    return (
        f'pip install "{package}" in a checkout of gtlib, or with its '
        "wheel "
        "in place of the dot"
    )
