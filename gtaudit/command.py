"""How good is a test collection? `gtlib audit scores.csv` reports it.

examples:
  gtlib audit scores.csv
  gtlib audit scores.csv --measure AP --budget 200 --out report.html
  gtlib audit scores.csv --baseline bm25 --margin 0.02
  gtlib audit scores.csv --sites sites.csv
  gtlib audit --runs runs/ --qrels qrels.txt --measure AP,nDCG@10,P@5
  gtlib audit --runs runs/ --qrels ann.txt bob.txt
  gtlib audit --runs runs/ --qrels human.txt --judges llm1.txt llm2.txt
  gtlib audit results/ --columns system=agent,topic=task_id
  gtlib audit marks.csv --columns human=ann,judge=gpt4
  gtlib audit ratings.csv --design "model x item x rater"
  gtlib audit mmlu.csv --design "model x (item:subject)" --fixed subject
  gtlib audit scores.csv --cost topic=5,assessor=100
  gtlib audit big.parquet
  produce-scores | gtlib audit - --fail-under generalizability=.9

exit codes:
  0  the report was written
  1  the analysis failed; nothing was written
  2  the input cannot be right; nothing was written
  3  the report was written, and a value of --fail-under is not reached,
     or, with --fail-under, a doubt is open
  more than 128: a signal ended it; nothing was written
"""

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from gtaudit.failures import TOO_LITTLE, lacks_memory, lacks_room, let_go
from gtaudit.paths import given_paths, refuse_missing, report_paths
from gtaudit.terminal import say
from gtlib.version import __version__

# With this variable what fails for no known reason shows where.
TRACEBACK = "GTLIB_TRACEBACK"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; see the exit codes of its help."""
    parser = _parser()
    given = sys.argv[1:] if arguments is None else [*arguments]
    if not given:
        parser.print_help()
        return 0
    if given[0] not in ("audit", "--help", "-h", "--version"):
        parser.error(_what_to_type(given))
    options = vars(parser.parse_args(given))
    try:
        return _run(options, arguments)
    except Exception as error:
        if os.environ.get(TRACEBACK):
            raise
        if lacks_memory(error):
            let_go(error)
            say(f"gtlib audit: {TOO_LITTLE}")
            return 1
        what = f"{type(error).__name__}: {error}"
        say(
            f"gtlib audit: this is a fault of gtlib, {what}. Please report "
            f"it, with what is printed if the variable {TRACEBACK} is 1."
        )
    return 1


def _run(options, arguments):
    """Look at the paths, and run the audit."""
    if lacks_room():
        say(f"gtlib audit: {TOO_LITTLE}")
        return 1
    try:
        os.getcwd()
    except OSError:
        say("gtlib audit: the current folder is gone: change to another.")
        return 2
    try:
        refuse_missing(options)
        report_paths(options["out"], given_paths(options))
    except ValueError as error:
        say(f"gtlib audit: {error}")
        return 2
    # It takes a second to load. Help and mistakes have been told by now.
    from gtaudit.run import run

    return run(options, arguments)


def _what_to_type(given):
    """Say which command was meant, where ``audit`` is left out or spelt
    in another way."""
    first, *rest = given
    meant = ["--help"]
    if get_close_matches(first, ["audit"]):
        meant = ["audit", *rest]
    elif _may_be_input(first):
        meant = ["audit", *given]
    told = shlex.join(["gtlib", *meant])
    return f"there is no command {first!r}. Type: {told}"


def _may_be_input(word):
    """Tell whether a word is an option, a file, or written like one."""
    path = Path(word)
    named_like_one = path.suffix or path.name != word
    return bool(word[:1] == "-" or named_like_one or path.exists())


def _parser() -> argparse.ArgumentParser:
    summary, _, epilog = str(__doc__).partition("\n\n")
    parser = argparse.ArgumentParser(prog="gtlib", description=summary)
    version = f"gtlib {__version__}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="command")
    audit = commands.add_parser(
        "audit",
        help="write a reliability report on a test collection",
        usage="gtlib audit FILE ... [options]\n"
        "       gtlib audit --runs FILE ... --qrels FILE ... [options]",
        description="Write a reliability report: HTML, notebook, numbers.",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
    )
    _add_data(audit.add_argument_group("what the data are").add_argument)
    add = audit.add_argument_group("what is asked").add_argument
    said = "prices, also of a judgment (default: a judgment costs 1)"
    add("--cost", metavar="topic=5,assessor=100", help=said)
    said = "what may be spent in all (default: a fifth more than so far)"
    add("--budget", type=float, metavar="200", help=said)
    said = "the system that others are compared with (default: none)"
    add("--baseline", metavar="SYSTEM", help=said)
    said = "how much worse than the baseline is as good (default: none)"
    add("--margin", type=float, metavar="0.02", help=said)
    said = "a column: each part of the topics by itself (default: none)"
    add("--by", metavar="COLUMN", help=said)
    said = "machines' judgments beside people's (default: none)"
    add("--judges", nargs="+", metavar="FILE", help=said)
    said = "or exit 3; also of a coefficient (default: nothing is asked)"
    add("--fail-under", action="append", metavar="alpha.low=.8", help=said)
    add = audit.add_argument_group("what comes out").add_argument
    said = "the report, or its folder (default: %(default)s)"
    where = Path("audit.html")
    add("--out", type=_place, default=where, metavar="FILE", help=said)
    add("-h", "--help", action="help", help="print this, and end")
    return parser


def _add_data(add):
    """Add the options that say what the data are."""
    said = "scores, or outputs of evaluations; - is standard input"
    add("table", nargs="*", metavar="FILE", help=said)
    said = "run files, or a folder of them"
    add("--runs", nargs="+", metavar="FILE", help=said)
    said = "judgments of the runs, a file per assessor"
    add("--qrels", nargs="+", metavar="FILE", help=said)
    said = "the first is the report's (default: AP of runs)"
    add("--measure", metavar="AP,nDCG@10", help=said)
    said = "what columns are, or topic=rows (default: by content and name)"
    add("--columns", metavar="system=agent", help=said)
    said = "'model x item x rater', by names of columns (default: crossed)"
    add("--design", metavar="DESIGN", help=said)
    said = "facets whose levels are all there are (default: none)"
    add("--fixed", metavar="subject", help=said)
    said = "scores are errors (default: more is better)"
    add("--less-is-better", action="store_true", help=said)
    said = "CSV: system, site; or by-name; then CSV: topics held out "
    said += "(default: each system for itself)"
    add("--sites", nargs="+", metavar="FILE", help=said)
    said = (
        "depth of the pools; CSV: runs that were judged (default: as the "
    )
    said += "judgments suggest)"
    add("--pools", nargs="+", metavar="FILE", help=said)
    said = "a code of what seems wrong and is right (default: none)"
    add("--allow", action="append", metavar="copies", help=said)


def _place(text):
    """Return the path of what is to be written; none is the folder here."""
    if not text.strip():
        raise argparse.ArgumentTypeError("name a file; '' is none.")
    return Path(text)
