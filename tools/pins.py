"""Write requirements.txt: one version of everything, on every platform."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WANTED = "-e .[bench,book,build-data,test]"


def main():
    if not shutil.which("uv"):
        sys.exit("make pins needs uv: https://docs.astral.sh/uv/")
    subprocess.run(
        [
            *("uv", "pip", "compile", "-", "--quiet", "--upgrade"),
            *("--universal", "--python-version", "3.11"),
            *("--custom-compile-command", "make pins"),
            *("--output-file", "requirements.txt"),
        ],
        input=WANTED,
        text=True,
        cwd=ROOT,
        check=True,
    )


if __name__ == "__main__":
    main()
