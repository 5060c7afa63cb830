"""The command: ``gtlib``, or ``python -P -m gtlib``, since without ``-P``
Python takes modules of the current folder for those that gtlib needs.

What it does is gtaudit's: the only way up from the library. Importing
gtlib loads little, so the command begins here, before the other is loaded.
"""

import signal
import sys


def main() -> int:
    """Run the command; the exit codes are those of its help."""
    # Interrupted while it loads, the command ends without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gtaudit.command import main as run

    return int(run())


if __name__ == "__main__":
    sys.exit(main())
