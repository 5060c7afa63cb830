"""What ``gtlib audit`` does, once its options are read."""

import hashlib
import json
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from contextlib import chdir, suppress
from datetime import UTC, datetime
from glob import glob
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import Any

from gtaudit import safe_files
from gtaudit.audit_data import collect
from gtaudit.one_system import (
    ONE_SYSTEM,
    OneSystem,
    refuse_comparisons,
)
from gtaudit.planning import (
    check_plan,
    name_prices,
    read_numbers,
    require_coefficient,
)
from gtaudit.readers import list_inputs
from gtaudit.report import report_paths, write_report
from gtaudit.sites import BY_NAME, block_design
from gtaudit.verdict import verdict_lines
from gtlib.checks import count_noun, list_some
from gtlib.reuse import reusability_test
from gtlib.runs import MOST_BYTES
from gtlib.swaps import unknown_system

FILES = ("table", "runs", "qrels", "judges", "against", "against_qrels")
MORE_FILES = ("sites", "held_out", "contributed")
TABLES = ("table", "against")
SET = (
    *("measure", "design", "fixed", "less_is_better"),
    *("sites", "memory_limit"),
)
READ = (*FILES, *SET, "columns", "allow", "pool_depth", "contributed")
COMPARISONS = "atlas", "baseline", "fixed", "held_out", "sites", "target"
GATES = ("generalizability", "dependability", "alpha")


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
    try:
        with safe_files.temporary_folder() as folder:
            if arguments is None and find_spec("matplotlib"):
                # The process is this command's own. It reads settings
                # here, and opens no window.
                with safe_files.delay_signals(), chdir(folder):
                    import_module("matplotlib").use("agg")
            command = shlex.join(["gtlib", *(arguments or sys.argv[1:])])
            told, written, failures = _audit(
                options, command, folder, placed
            )
    except (ValueError, ImportError, OSError) as error:
        # What was read from there is called "standard input", only.
        message = str(error).replace(f"{folder}{os.sep}", "")
        _say(f"gtlib audit: {message}")
        return 2
    except RuntimeError as error:
        _say(f"gtlib audit: the analysis failed. {error}")
        return 1
    _put("\n".join(map(_shown, [*told, *written])), sys.stdout)
    for sentence in failures:
        _say(f"gtlib audit: {sentence}")
    return 3 if failures else 0


def _audit(options, command, folder, placed):
    """Check all that was given, and write the report."""
    out = options.pop("out")
    title = options.pop("title")
    quiet = options.pop("quiet")
    names = "board", "next", "markdown"
    tables = {f"--{name}": options.pop(name) for name in names}
    tables = {option: path for option, path in tables.items() if path}
    gates = _gates(options.pop("fail_under"))
    options["allow"] = ",".join(options["allow"] or ()) or None
    # The notebook may be run elsewhere: it gets the whole paths.
    for name in FILES:
        options[name] = [*map(_absolute, options[name] or [])] or None
    for name in MORE_FILES:
        if options[name] not in (None, BY_NAME):
            options[name] = _absolute(options[name])
    read = {name: options[name] for name in READ}
    _save_standard_input(read, folder)
    paths = [path for name in FILES for path in read[name] or []]
    more = [options[name] for name in MORE_FILES]
    paths += [path for path in more if path not in (None, BY_NAME)]
    if options["memory_limit"] and not Path(paths[0]).exists():
        paths = glob(paths[0]) or paths  # an engine reads folder/*.parquet
    report_paths(out, paths, tables)
    if options["cost"] is not None:
        options["cost"] = read_numbers(options["cost"], "--cost")
    before = {}
    with suppress(ValueError):  # which `collect` says better
        before = _stamps(paths)
    audited = collect(**read)
    collection = audited.collection
    alone = isinstance(collection, OneSystem)
    if alone:
        refuse_comparisons(
            tables
            | {name: options[name] for name in COMPARISONS}
            | {"--fail-under": gates or None}
        )
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
        options["target"],
        options["cost"],
    )
    baseline = options["baseline"]
    systems = collection.cells.index
    if baseline is not None and baseline not in systems:
        raise ValueError(f"--baseline: {unknown_system(baseline, systems)}")
    if options["held_out"]:
        blocks = block_design(
            collection.cells, options["sites"], options["held_out"]
        )
        reusability_test(*blocks, n_resamples=1)  # or refuse it here
    provenance = {
        "command": command,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "measure": ",".join(audited.measures) or None,
        "seed": 0,
        "files": [*map(_checksum, before)],
    }

    def unchanged():
        changed = before.items() ^ _stamps(paths).items()
        if changed:
            raise ValueError(
                f"{list_some({p.name for p, _ in changed})} changed while "
                "it was read: run the audit again once nobody writes to it."
            )

    unchanged()
    if audited.reading is not None:
        _say(audited.reading.sentence)
    for code, (first, *more) in audited.by_code.items():
        others = f"; {len(more)} more like it in the report" if more else ""
        _say(f"gtlib audit: {first} ({code}{others})")
    for note in audited.every_note:
        _say(note)
    options["title"] = title or _title(paths, options, audited)
    written = write_report(
        out,
        options,
        provenance,
        tables=tables,
        audited=audited,
        template=ONE_SYSTEM if alone else None,
        checked=unchanged,
        progress=sys.stderr is not None and sys.stderr.isatty(),
        placed=placed.set,
    )
    open_ = dict.fromkeys(suspicion.code for suspicion in audited.open)
    if quiet and not gates:
        return [], written, []
    numbers = json.loads(written[-1].read_text("utf-8"))
    told = [] if quiet else verdict_lines(numbers["verdict"])
    return told, written, [*_missed(gates, numbers, open_)]


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
    piped = [path for name in FILES for path in read[name] or []].count("-")
    if not piped:
        return
    if piped > 1:
        raise ValueError("Standard input (-) can be read once only.")
    if sys.stdin is None:
        raise ValueError("Standard input (-) is closed.")
    kept = folder / "standard input"
    kept.write_bytes(sys.stdin.buffer.read(MOST_BYTES + 1))
    for name in filter(read.get, FILES):
        read[name] = [str(kept) if p == "-" else p for p in read[name]]


def _gates(given):
    """The values that --fail-under demands, by coefficient and end of
    interval."""
    gates: dict[str, float] = {}
    ends = [f"{name}{end}" for name in GATES for end in ("", ".low")]
    for text in given or []:
        gates |= read_numbers(text, "--fail-under", ends)
    for gate, least in gates.items():
        require_coefficient(f"--fail-under {gate}", least)
    return gates


def _missed(gates, numbers, suspected):
    """Yield a sentence for each value of a report below its gate."""
    if not gates:
        return
    if suspected:
        codes = ",".join(suspected)
        yield f"there are open suspicions; if right, --allow {codes}."
    rows = {row["coefficient"]: row for row in numbers["coefficients"]}
    rows["alpha"] = numbers["alpha"] or {}
    for gate, least in gates.items():
        name, _, end = gate.partition(".")
        value = rows[name].get(end or "estimate")
        if value is None or value < least:
            what = name
            if end:
                what = f"the lower limit of {name}"
            reached = "not known" if value is None else f"{value:z.4f}"
            yield f"{what} is {reached}; --fail-under asks for {least:g}."


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
    _say("gtlib audit: stopped.")
    sys.exit(128 + number)


def _say(message):
    """Print a line for the person at the terminal, on standard error."""
    _put(" ".join(_shown(message).split()), sys.stderr)


def _shown(line):
    """Return a line with blanks for control characters, which move the
    cursor."""
    return "".join(c if c.isprintable() else " " for c in str(line))


def _put(text, stream):
    """Print lines to a stream; one that is closed or full is passed
    over."""
    if stream is None:
        return
    code = getattr(stream, "encoding", None) or "utf-8"
    text = text.encode(code, "backslashreplace").decode(code)
    try:
        print(text, file=stream, flush=True)
    except (OSError, ValueError):
        # What it still holds would fail again when the process ends.
        with suppress(OSError, ValueError), open(os.devnull, "w") as none:
            os.dup2(none.fileno(), stream.fileno())


def _absolute(path):
    if not path:
        raise ValueError("A file was given that has no name.")
    return path if path == "-" else os.path.abspath(path)
