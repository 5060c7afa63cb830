"""``gtlib audit``: a reliability report on a test collection."""

import argparse
import hashlib
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from gtlib.allocation.constraints import read_budget
from gtlib.audit.collection import prepare
from gtlib.audit.inputs import gather
from gtlib.audit.report import places, say, write_report
from gtlib.audit.sites import block_design, read_sites
from gtlib.files import files_in
from gtlib.reuse.assignment import site_of_each
from gtlib.version import __version__

EXAMPLES = """\
examples:
  gtlib audit scores.csv
  gtlib audit scores.csv --measure AP --budget 200 --out report.html
  gtlib audit --runs runs/ --qrels qrels.txt --measure nDCG@10
  gtlib audit --runs runs/ --qrels ann.txt bob.txt
"""
FILES = ("table", "runs", "qrels", "sites", "held_out")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all went well, 2 if the input cannot be
    right, 1 if something else failed, more if a signal ended it."""
    options = vars(_parser().parse_args(arguments))
    out, title = options.pop("out"), options.pop("title")
    # The notebook runs elsewhere: it gets the whole paths.
    for name in FILES:
        options[name] = _absolute(options[name])
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    try:
        given = [path for name in FILES[:3] for path in options[name] or []]
        given += filter(None, (options["sites"], options["held_out"]))
        places(out, given)
        scores, notes = gather(
            *(options[n] for n in (*FILES[:3], "measure", "transpose"))
        )
        collection = prepare(scores, options["design"])
        if options["budget"] is not None:
            read_budget(options["budget"])
        sites, held_out = options["sites"], options["held_out"]
        if sites and options["runs"]:
            site_of_each(collection.wide.index, read_sites(sites))
        if held_out or (sites and not options["runs"]):
            block_design(collection.wide, sites, held_out)
        provenance = {
            "command": shlex.join(["gtlib", *(arguments or sys.argv[1:])]),
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "measure": options["measure"]
            or ("AP" if options["runs"] else None),
            "seed": 0,
            "files": [*map(_checksum, files_in(given))],
        }
        for note in notes:
            say(note)
        options["title"] = title or Path(given[0]).name
        written = write_report(
            out, options, provenance, progress=sys.stderr.isatty()
        )
    except (ValueError, OSError) as error:
        say(f"gtlib audit: {error}")
        return 2
    except RuntimeError as error:
        say(f"gtlib audit: the analysis failed. {error}")
        return 1
    code = sys.stdout.encoding or "utf-8"
    shown = "\n".join(map(str, written)).encode(code, "backslashreplace")
    print(shown.decode(code))
    return 0


def _checksum(path):
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest}


def _stop(number, frame):
    """End as whoever sent the signal expects, and clean up on the way."""
    say("gtlib audit: stopped.")
    sys.exit(128 + number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gtlib", description=__doc__)
    version = f"gtlib {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="command")
    audit = commands.add_parser(
        "audit",
        help="write a reliability report on a test collection",
        description="Write a reliability report: HTML, notebook, numbers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = audit.add_argument
    add("table", nargs="*", help="scores, or trec_eval -q outputs")
    add("--runs", nargs="+", help="run files, or a folder of them")
    add("--qrels", nargs="+", help="judgments: a file per assessor")
    add("--measure", help="AP, nDCG@10, ...: what to read or compute")
    add("--design", help="if not all facets crossed: 'system x (a:topic)'")
    add(
        "--transpose",
        action=argparse.BooleanOptionalAction,
        help="whether the rows of a table are topics, if it does not say",
    )
    add("--budget", type=float, help="judgments of a topic to allocate")
    add("--sites", help="CSV with columns system, site")
    add("--held-out", help="CSV of the topics each site was held out of")
    add("--title", help="heads the report")
    add("--out", type=Path, default=Path("audit.html"))
    return parser


def _absolute(paths):
    if isinstance(paths, str):
        return os.path.abspath(paths)
    return [os.path.abspath(path) for path in paths or []] or None


if __name__ == "__main__":
    sys.exit(main())
