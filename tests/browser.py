"""The scripts of the book's pages that need no page, run by Node."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from book.support.planner import known_of_scores

STATIC = Path(__file__).parents[1] / "book" / "_static"
SCRIPTS = [
    "planner/arithmetic.js",
    "planner/chance.js",
    "planner/study.js",
    "planner/gates.js",
    "scores/doubts.js",
    "scores/words.js",
    "scores/read.js",
    "scores/verdict.js",
    "weather/ranks.js",
]
LOAD = """
const [vm, fs] = [require("vm"), require("fs")];
const { known, scripts, code, value } = JSON.parse(fs.readFileSync(0));
globalThis.plannerKnown = known;
for (const file of scripts) {
  vm.runInThisContext(fs.readFileSync(file, "utf8"), { filename: file });
}
// What JSON has no word for
const plain = (_, x) => (typeof x !== "number" || Number.isFinite(x) ? x
  : String(x).replace("Infinity", "inf"));
console.log(JSON.stringify(new Function("value", code)(value), plain));
"""


def run(code, value):
    """What a piece of script returns of a value, all the page's own
    scripts being there; infinities and NaN come as text."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not here")
    scripts = [str(STATIC / name) for name in SCRIPTS]
    known = known_of_scores()
    given = {"known": known, "scripts": scripts, "code": code}
    found = subprocess.run(
        [node, "-e", LOAD],
        input=json.dumps(given | {"value": value}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert found.returncode == 0, found.stderr
    return json.loads(found.stdout)
