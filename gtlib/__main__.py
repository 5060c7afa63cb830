"""The command: ``gtlib``, or ``python -m gtlib``.

What it does is an application's. Importing gtlib loads little, so the
command begins here: before its application is loaded, which takes seconds.
"""

import os
import signal
import sys

from gtlib.applications import application


def main() -> int:
    """Run the command; the exit codes are those of its help."""
    # Interrupted while it loads, the command ends without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return int(application("command")())


def import_nothing_from_here() -> None:
    """Take the current folder, which ``-m`` puts first, off the path,
    unless gtlib itself stands there."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path[0] == os.getcwd() != home:
        del sys.path[0]


if __name__ == "__main__":
    import_nothing_from_here()
    sys.exit(main())
