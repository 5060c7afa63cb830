"""What the command needs before the rest of gtlib is loaded.

Loading takes seconds: a command that is interrupted on its way ends without
a traceback, and ``python -m gtlib`` imports nothing from the current folder
(``-m`` puts it first), unless gtlib itself stands there.
"""

import os
import signal
import sys

if sys.argv[0] == "-m" or os.path.basename(sys.argv[0]) == "gtlib":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if sys.argv[0] == "-m" and sys.path[0] == os.getcwd() != here:
        del sys.path[0]
