"""Open the runner's edition in JupyterLab, in a folder of one's own.

The folder `lab` belongs to the reader: a notebook in it that has been
changed there stays as it is when the chapter is made anew.
"""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNNER = ROOT / "_build" / "notebooks"
LAB = ROOT / "lab"


def main():
    kept = refresh(RUNNER, LAB)
    if kept:
        print(
            "Changed by you and therefore kept: "
            f"{', '.join(kept)}. Rename one to get the chapter anew."
        )
    command = [sys.executable, "-m", "jupyterlab", LAB]
    sys.exit(subprocess.run(command).returncode)


def refresh(made, lab):
    """Copy what is new; the names of what the reader has changed."""
    lab.mkdir(exist_ok=True)
    record = lab / ".made.json"
    known = json.loads(record.read_text()) if record.exists() else {}
    kept = []
    for source in sorted(made.glob("*.ipynb")):
        copy = lab / source.name
        if copy.exists() and checksum(copy) != known.get(copy.name):
            if checksum(copy) != checksum(source):
                kept.append(copy.name)
            continue
        shutil.copy(source, copy)
        known[copy.name] = checksum(copy)
    record.write_text(json.dumps(known, indent=1))
    return kept


def checksum(path):
    return sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    main()
