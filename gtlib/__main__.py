"""``gtlib audit``: a reliability report on a test collection."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from gtlib.allocation.constraints import read_budget
from gtlib.audit.collection import prepare
from gtlib.audit.inputs import gather
from gtlib.audit.report import say, write_report
from gtlib.audit.sites import block_design

EXAMPLES = """\
examples:
  gtlib audit scores.csv
  gtlib audit scores.csv --measure AP --budget 200 --out report.html
  gtlib audit --runs runs/ --qrels qrels.txt --measure nDCG@10
  gtlib audit --runs runs/ --qrels ann.txt bob.txt
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all went well, 2 if the input cannot be
    right, 1 if something else failed."""
    options = _parser().parse_args(arguments)
    parameters = {
        "table": [str(Path(p).resolve()) for p in options.scores] or None,
        "runs": _absolute(options.runs),
        "qrels": _absolute(options.qrels),
        "measure": options.measure,
        "design": options.design,
        "budget": options.budget,
        "sites": _absolute(options.sites),
        "held_out": _absolute(options.held_out),
    }
    try:
        scores, notes = gather(
            *(parameters[k] for k in ("table", "runs", "qrels", "measure"))
        )
        collection = prepare(scores, options.design)
        if options.budget is not None:
            read_budget(options.budget)
        if options.sites or options.held_out:
            block_design(
                collection.wide, parameters["sites"], parameters["held_out"]
            )
        for note in notes:
            say(note)
        source = (options.scores or options.runs)[0]
        parameters["title"] = options.title or Path(source).name
        written = write_report(
            options.out, parameters, progress=sys.stderr.isatty()
        )
    except ValueError as error:
        say(f"gtlib audit: {error}")
        return 2
    except RuntimeError as error:
        say(f"gtlib audit: the analysis failed. {error}")
        return 1
    print("\n".join(map(str, written)))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gtlib", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="command")
    audit = commands.add_parser(
        "audit",
        help="write a reliability report on a test collection",
        description="Write a reliability report: HTML, notebook, numbers.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = audit.add_argument
    add("scores", nargs="*", help="a table, or trec_eval -q outputs")
    add("--runs", nargs="+", help="run files, or a folder of them")
    add("--qrels", nargs="+", help="judgments: a file per assessor")
    add("--measure", help="AP, nDCG@10, ...: what to read or compute")
    add("--design", help="if not all facets crossed: 'system x (a:topic)'")
    add("--budget", type=float, help="judgments of a topic to allocate")
    add("--sites", help="CSV with columns system, site")
    add("--held-out", help="CSV of the topics each site was held out of")
    add("--title", help="heads the report")
    add("--out", type=Path, default=Path("audit.html"))
    return parser


def _absolute(paths):
    if paths is None:
        return None
    if isinstance(paths, str):
        return str(Path(paths).resolve())
    return [str(Path(path).resolve()) for path in paths]


if __name__ == "__main__":
    sys.exit(main())
