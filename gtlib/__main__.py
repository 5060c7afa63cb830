"""``python -m gtlib``: the command of the application that audits."""

import sys

from gtlib.applications import application

if __name__ == "__main__":
    sys.exit(application("command")())
