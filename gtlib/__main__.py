"""The command: ``gtlib``, or ``python -m gtlib``.

What it does is gtaudit's: the only way up from the library. Importing
gtlib loads little, so the command begins here, before the other is loaded.
"""

import os
import signal
import sys


def main() -> int:
    """Run the command; the exit codes are those of its help."""
    # Interrupted while it loads, the command ends without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gtaudit.command import main as run

    return int(run())


def import_nothing_from_here() -> None:
    """Take the current folder, which ``-m`` puts first, off the path,
    unless gtlib itself stands there."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.path[0] == os.getcwd() != home:
        del sys.path[0]


if __name__ == "__main__":
    import_nothing_from_here()
    sys.exit(main())
