"""What ``gtlib audit`` does, once its options are read."""

import hashlib
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

from gtaudit import safe_files
from gtaudit.audit_data import collect
from gtaudit.audit_large import is_large
from gtaudit.beside_people import (
    MARKS_ONLY,
    Marks,
    drawn_of_judges,
    price_of_a_mark,
)
from gtaudit.drawings import FIRST, draw_in_letters
from gtaudit.failures import analysis, lacks_memory
from gtaudit.gates import (
    mean_gate_note,
    missed_gates,
    near_gates,
    read_gates,
    require_gates,
)
from gtaudit.nouns import count_noun
from gtaudit.one_system import OneSystem, refuse_comparisons
from gtaudit.paths import (
    SEVERAL,
    STDIN,
    given_paths,
    is_path,
    report_paths,
    spread,
)
from gtaudit.planning import (
    check_plan,
    name_prices,
    read_numbers,
)
from gtaudit.readers import list_inputs
from gtaudit.report import write_report
from gtaudit.results import as_json_values
from gtaudit.sites import block_design
from gtaudit.slices import describe_slices, read_slices
from gtaudit.study import (
    Answered,
    Asked,
    Complete,
    JudgesAnswered,
    answer,
    complete,
)
from gtaudit.terminal import Progress, can_show, say, tell, width
from gtaudit.verdict import WORD
from gtlib.checks import list_some, positive
from gtlib.reuse import reusability_test
from gtlib.runs import MOST_BYTES, file_error
from gtlib.swaps import unknown_system

SET = (
    *("measure", "design", "fixed", "less_is_better"),
    *("columns", "allow"),
)
READ = *SEVERAL, *SET
PLANNED = "cost", "budget", "baseline", "margin"
COMPARISONS = "baseline", "margin", "by", "fixed", "sites"
# The notes that follow the answers on a terminal.
_NOTES = 2


def run(options: dict[str, Any], arguments: Sequence[str] | None) -> int:
    """Audit what the options name, and return the exit code."""
    placed = Event()

    def stop(number, frame):
        if not placed.is_set():  # else the report is there: finish
            _stop(number, frame)

    numbers = safe_files.ending_signals()
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        return _report_on(options, arguments, placed)
    finally:
        for number, handler in before.items():
            ends = arguments is None  # the process, as a command
            signal.signal(number, signal.SIG_IGN if ends else handler)


def _report_on(options, arguments, placed):
    folder = None
    progress = Progress()
    try:
        with safe_files.temporary_folder() as folder:
            command = shlex.join(["gtlib", *(arguments or sys.argv[1:])])
            failures = _audit(options, command, folder, placed, progress)
    except (ValueError, ImportError, OSError) as error:
        progress()
        if not isinstance(error, ValueError) and lacks_memory(error):
            raise
        # What was read from there is called "standard input", only.
        if isinstance(error, OSError) and error.filename:
            error = file_error("opened", error.filename, error)
        message = str(error).replace(f"{folder}{os.sep}", "")
        say(f"gtlib audit: {message}")
        return 2
    except RuntimeError as error:
        progress()
        if lacks_memory(error):
            raise
        say(f"gtlib audit: the analysis failed. {error}")
        return 1
    for sentence in failures:
        say(f"gtlib audit: {sentence}")
    return 3 if failures else 0


def _audit(options, command, folder, placed, progress):
    """Check all that was given, print the answers, and write the
    report."""
    out = options.pop("out")
    gates = read_gates(options.pop("fail_under"))
    options["allow"] = ",".join(options["allow"] or ()) or None
    # The notebook may be run elsewhere: it gets the whole paths.
    for name in SEVERAL:
        options[name] = [*map(_absolute, options[name] or [])] or None
    table = options["table"]
    if table and not is_large(table):  # an engine reads patterns itself
        options["table"] = spread(table)
    read = {name: options[name] for name in READ}
    _save_standard_input(read, folder)
    paths = spread(given_paths(options | read))
    report_paths(out, paths)
    if options["cost"] is not None:
        options["cost"] = read_numbers(options["cost"], "--cost")
    before = {}
    with suppress(ValueError):  # which `collect` says better
        before = _stamps(paths)
    progress("reading")
    audited = collect(**read)
    collection = audited.collection
    compared = {name: options[name] for name in COMPARISONS}
    if isinstance(collection, Marks):
        gated = {"--fail-under": gates or None}
        refuse_comparisons(compared | gated, MARKS_ONLY)
    if isinstance(collection, OneSystem):
        refuse_comparisons(compared)
    require_gates(gates, collection, options["less_is_better"])
    asked = _asked(options, collection)
    if options["by"] is not None:
        slices = read_slices(read["table"], options["by"], audited)
        asked = replace(asked, slices=slices)
    if isinstance(collection, OneSystem) and "mean" in gates:
        note = mean_gate_note(collection, gates["mean"])
        audited = replace(audited, notes=(*note, *audited.notes))

    def unchanged():
        changed = before.items() ^ _stamps(paths).items()
        if changed:
            raise ValueError(
                f"{list_some({p.name for p, _ in changed})} changed while "
                "it was read: run the audit again once nobody writes to it."
            )

    unchanged()
    provenance = {
        "command": command,
        "measure": ",".join(audited.measures) or None,
        "seed": 0,
        "files": [*map(_checksum, before)],
    }
    progress("answering")
    with analysis():
        first = answer(audited, asked)
    progress()
    _say_what_was_read(audited)
    tell(first.verdicts.lines, hang=WORD)
    if isinstance(first, Answered):
        _tell_board(first.board.table)
        _tell_slices(first)
    if isinstance(first, JudgesAnswered):
        _tell_judges(first)
    _say_notes(audited, first.verdicts)
    with analysis():
        study = complete(first, progress)
    numbers = as_json_values(study.results)
    close = [*near_gates(gates, numbers)]
    if isinstance(study, Complete):
        study = replace(study, findings=[*study.findings, *close])
    progress("writing")
    written = write_report(
        out,
        study,
        _title(paths, options, audited),
        {name: options[name] for name in (*READ, *PLANNED, "by")},
        provenance,
        checked=unchanged,
        placed=placed.set,
    )
    progress()
    tell(written)
    for sentence in close:
        say(sentence)
    open_ = dict.fromkeys(doubt.code for doubt in audited.doubts)
    return [*missed_gates(gates, numbers, open_)]


def _asked(options, collection):
    """Read what is asked of the numbers, and refuse what they cannot
    answer."""
    if isinstance(collection, Marks):
        price_of_a_mark(collection, options["cost"], options["budget"])
        return Asked(options["cost"], options["budget"])
    if options["cost"] is not None:
        options["cost"] = name_prices(
            options["cost"],
            collection.design,
            collection.nouns,
            len(collection.cells),
        )
    check_plan(
        collection.design,
        options["budget"],
        options["cost"],
    )
    baseline = options["baseline"]
    systems = collection.cells.index
    if baseline is not None and baseline not in systems:
        raise ValueError(f"--baseline: {unknown_system(baseline, systems)}")
    margin = options["margin"]
    if margin is not None:
        positive(margin, "--margin")
        if baseline is None:
            raise ValueError(
                f"--margin {margin:g} asks which systems are as good as "
                "another: say which with --baseline."
            )
        cells = collection.cells
        if margin > (span := cells.max(axis=None) - cells.min(axis=None)):
            raise ValueError(
                f"--margin {margin:g}: all scores lie within {span:.3g}, "
                "and so each system is as good as another."
            )
    sites = tuple(options["sites"] or ())
    if len(sites) > 1:
        blocks = block_design(collection.cells, *sites)
        reusability_test(*blocks, n_resamples=1)  # or refuse it here
    return Asked(sites=sites, **{name: options[name] for name in PLANNED})


def _say_what_was_read(audited):
    """Say how columns were read, and what is doubtful in them."""
    if audited.reading is not None:
        say(audited.reading.sentence)
    for code, (first, *more) in audited.by_code.items():
        others = f"; {len(more)} more like it in the report" if more else ""
        say(f"gtlib audit: {first} ({code}{others})")


def _tell_board(table):
    """Draw the first systems, and say who may be best."""
    plain = not can_show("─●○−…")
    lines = [*draw_in_letters(table, width(), plain)]
    note = f"{'*' if plain else '●'} may be best"
    if len(table) > FIRST:
        note += f"; {FIRST} of {len(table)} shown"
    tell(["", *lines, note, ""])


def _tell_judges(first):
    """Draw the means of systems, or else how several raters agree."""
    table, note = drawn_of_judges(first.found)
    if len(table) > 1:
        plain = not can_show("─●○−…")
        tell(["", *draw_in_letters(table, width(), plain), note, ""])


def _tell_slices(first):
    """Say who is the best in each of the first slices."""
    if first.slices is None:
        return
    said = describe_slices(first.slices, first.collection)
    lines = [f"{a.upper():<{WORD}}{s}" for a, s in said[:FIRST]]
    name = first.slices.index.name
    note = f"By {name}, all {len(said)} held together"
    if len(said) > FIRST:
        note += f"; {FIRST} shown, the largest"
    tell([f"{note}:"])
    tell([*lines, ""], hang=WORD)


def _say_notes(audited, verdicts):
    """Say the first notes on what was audited; the page has all."""
    notes = [*audited.every_note]
    if verdicts.fair is not None:
        fair = verdicts.table[len(verdicts.answers)]
        notes.insert(0, f"{fair['question']} {fair['sentence']}")
    for note in notes[:_NOTES]:
        say(note)
    if len(notes) > _NOTES:
        left = count_noun(len(notes) - _NOTES, "more note")
        say(f"{left} on the page.")


def _title(paths, options, audited):
    """Name a report after its table, or, of several files, after what
    they hold."""
    measure = next(iter(audited.measures))
    cells = audited.collection.cells
    given = options["runs"] or options["table"]
    name = Path(paths[0]).name
    if len(given) > 1 or options["runs"] or Path(given[0]).is_dir():
        nouns = audited.collection.nouns
        name = count_noun(len(cells), nouns.system)
        name += f" on {count_noun(cells.shape[1], nouns.topic)}"
    return ": ".join(filter(None, (name, measure)))


def _save_standard_input(read, folder):
    """Write what is piped in to a file, and name it in place of ``-``."""
    given = [path for name in SEVERAL for path in read[name] or []]
    piped = given.count(STDIN)
    if not piped:
        return
    if piped > 1:
        raise ValueError("Standard input (-) can be read once only.")
    if sys.stdin is None:
        raise ValueError("Standard input (-) is closed.")
    kept = folder / "standard input"
    kept.write_bytes(sys.stdin.buffer.read(MOST_BYTES + 1))
    for name in filter(read.get, SEVERAL):
        read[name] = [str(kept) if p == STDIN else p for p in read[name]]


def _stamps(given):
    """Stamps of each file, which change whenever its content does."""
    stats = ((path, path.stat()) for path in list_inputs(given))
    return {p: (s.st_mtime_ns, s.st_size, s.st_ino) for p, s in stats}


def _checksum(path):
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"name": path.name, "sha256": digest}


def _stop(number, frame):
    """End as whoever sent the signal expects, and clean up on the way."""
    for another in safe_files.ending_signals():
        signal.signal(another, signal.SIG_IGN)
    say("gtlib audit: stopped.")
    sys.exit(128 + number)


def _absolute(path):
    if not path:
        raise ValueError("A file was given that has no name.")
    return os.path.abspath(path) if is_path(path) else path
