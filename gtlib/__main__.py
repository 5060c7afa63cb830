"""The command: ``gtlib``, or ``python -m gtlib``.

What it does is an application's. It begins here because importing gtlib
loads little, and says how an early interrupt ends.
"""

import sys

from gtlib.applications import application


def main() -> int:
    """Run the command; the exit codes are those of its help."""
    return int(application("command")())


if __name__ == "__main__":
    sys.exit(main())
