"""What the names of columns mean: one table of words, ``words.csv``.

A row has a word, a role, and a rank: 1 is a name of the role, higher ones
are where no better name is there. Words stand in the singular, in small
letters; plurals, capitals, accents, and what is put before or behind a
name (``model_id``, ``Fragennummer``) are recognised. Roles are:

* ``system``, ``topic``, ``assessor``, ``seed``, ``repetition``, ``task``,
  ``score``: facets, and what is measured;
* ``measure``: a column that holds the names of measures;
* ``criterion``: names of measures; ``rate``: words beside these;
* ``average``: summaries of other columns; ``aside``: costs, times, ages
  and demographics, which are left out;
* ``less``: of such scores less is better (those of rank 2 if they are the
  whole name); ``more``: unless such a word stands beside it;
* ``human`` and ``machine``: who marked items (those of rank 2 if nothing
  else says it is a person);
* ``known``: words of the names of well-known systems, such as ``gpt``.

Of a name that is not in the table the noun decides: the last word of
``candidate model``, the end of ``Sprachmodell``, and what stands before
*de* in ``modèle de langue``.
"""

import csv
import re
import unicodedata
from collections.abc import Hashable, Iterable
from functools import cache, lru_cache
from importlib.resources import files

# The facets that an audit knows, in the order in which they are told.
FACETS = "system", "topic", "task", "assessor", "seed", "repetition"

# What says that a column names levels, before or behind what they are.
_AFFIXES = {"id", "ids", "uid", "key", "idx", "index", "no", "nr", "num"}
_AFFIXES |= {
    "number",
    "names",
    "name",
    "label",
    "code",
    "nummer",
    "numero",
    "nom",
}
_AFFIXES |= {"nombre", "nome", "text", "n", "o", "member", "mitglied"}
_AFFIXES |= {"of", "the", "de", "du", "des", "del", "la", "le", "el"}
_GLUED = "id", "ids", "name", "nummer", "nr", "no"
# Behind what is left out: units, and what was summed.
_UNITS = {"usd", "eur", "s", "ms", "sec", "h", "b", "m", "k", "gb", "mb"}
_SUMS = {"total", "in", "out"}
_UNITS |= {"kg"} | _SUMS
# Beside a mean, how far values are from it.
_SPREAD = {"std", "stdev", "sd", "se", "stderr", "dev", "variance", "max"}
_SPREAD |= {"min", "count", "n"}
# No noun has more letters.
_LONGEST = 40
# So many names are kept in mind: a table may be very wide.
_MANY = 2**18
# What stands between a noun and what it is of; what says that things were
# counted; the fewest letters of both parts of a word that has two.
_OF = {"de", "du", "des", "del", "di", "da", "of"}
_COUNTED = r"(?i)(n|num|nb|number|anzahl|nombre)[\W_].*[^\Ws]s"
_LETTERS = 4, 5
# The most words of a system's name.
_MOST_WORDS = 9
# What says that something was measured.
_SCORED = {"score", "criterion"}
# Also of a column without a name.
_INDEX = r"(rank|index|level_\d+|unnamed_\d+|row|rows|row_?names?|no|nr)?"
_INDEX += r"|number|(row|line|zeile|ligne|fila)_(number|nr|no|num|index|id)"
_ID = r"(\w+_)?(id|uid|idx|key)"
# Names of scores that do not say what was measured.
_ANY = "score", "value", "result", "wert", "valeur", "valor"
# Error rates that are words as well, unless they are in capitals.
_CAPITALS = "[WCTMDFP]ER|HTER|EER|R?MSE|MAE|S?MAPE|FID|ECE"
_RATES = r"[wc]er|hter|eer|\w*mse|\w*mae|s?mape|nll|perplexity"
_LOWER = r"(\w+_)?(lower|less|smaller)_(is_)?better(_\w+)?"
_LOWER += r"|(\w+_)?(bits_per_(byte|char)|noise_sensitivity)(_\w+)?"
_LOWER += r"|(\w+_)?cross_?entropy(_\w+)?"


@lru_cache(_MANY)
def plain(name: Hashable) -> str:
    """Return a column's name in small letters, with signs as ``_``.

    Examples
    --------
    >>> plain("Average ⬆️"), plain("#Params (B)"), plain("taskId")
    ('average', 'params_b', 'task_id')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).casefold()
    return re.sub(r"[\W_]+", "_", text).strip("_")


@cache
def _words() -> dict[str, dict[str, int]]:
    """Give by role the rank of each form of each word."""
    known: dict[str, dict[str, int]] = {}
    for role, singular in _singular().items():
        ranks = known.setdefault(role, {})
        for word, number in singular.items():
            for form in _forms(word):
                ranks.setdefault(form, number)
    return known


@cache
def _singular() -> dict[str, dict[str, int]]:
    """Read the table: by role, the rank of each word."""
    known: dict[str, dict[str, int]] = {}
    text = files("gtaudit").joinpath("words.csv").read_text("utf-8")
    for row in csv.DictReader(text.splitlines()):
        ranks = known.setdefault(row["role"], {})
        ranks.setdefault(_bare(row["word"]), int(row["rank"]))
    return known


@cache
def _foreign():
    """Return the forms of the words for facets that are not English."""
    text = files("gtaudit").joinpath("words.csv").read_text("utf-8")
    forms: dict[bool, set[str]] = {True: set(), False: set()}
    for row in csv.DictReader(text.splitlines()):
        forms[bool(row["language"])].update(_forms(_bare(row["word"])))
    return forms[True] - forms[False]


def is_foreign(name: Hashable) -> bool:
    """Return whether the noun of a name is known, and not English.

    Examples
    --------
    >>> [is_foreign(n) for n in ("Aufgabe", "Sprachmodell", "tasks")]
    [True, True, False]
    """
    *_, base = _bases(_bare(plain(name)))
    known = _foreign()
    words = base.split("_")
    if base in known or len(words) > 1:
        return base in known or bool(known & {words[0], words[-1]})
    first = max(_LETTERS[0], len(base) - max(map(len, known)))
    ends = range(first, max(len(base) - _LETTERS[1], 0) + 1)
    return any(base[start:] in known for start in ends)


def _forms(word):
    """Return a word, and what its plural may be in six languages."""
    yield word
    yield from (word + end for end in ("s", "es", "n", "en", "e"))
    if word.endswith("y"):
        yield f"{word[:-1]}ies"
    if word.endswith(("a", "o", "e")):
        yield f"{word[:-1]}i"
    if word.endswith("z"):
        yield f"{word[:-1]}ces"


@lru_cache(_MANY)
def _bare(text):
    """Return a text without accents."""
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c))


def words_of(role: str) -> list[str]:
    """List the forms of the words of a role, the best first."""
    ranks = _words()[role]
    return sorted(ranks, key=ranks.__getitem__)


@lru_cache(_MANY)
def ranks_of(name: Hashable) -> dict[str, int]:
    """Return the roles that a name has in the table, with its rank.

    Examples
    --------
    >>> ranks_of("Model IDs"), ranks_of("Fragen-Nr."), ranks_of("who")
    ({'system': 1}, {'topic': 1}, {})
    """
    found: dict[str, int] = {}
    written = _bare(plain(name))
    for base in _bases(written):
        for role, ranks in _words().items():
            if base in ranks:
                found.setdefault(role, ranks[base])
    return found or _ranks_of_noun(written)


def _ranks_of_noun(written):
    """Return the facets that the noun of a name is, one rank lower."""
    words = [*_bases(written)][-1].split("_")
    if len(words) > 2 and words[1] in _OF:
        nouns = words[:1]
    elif len(words) > 1:
        nouns = words[-1:]
    else:
        before, behind = _LETTERS
        (word,) = words
        before = max(before, len(word) - _LONGEST)  # of a noun's letters
        ends = range(before, len(word) - behind + 1)
        nouns = [word[start:] for start in ends]
    known = _singular()
    return {
        role: known[role][noun] + 1
        for noun in nouns
        for role in FACETS
        if known[role].get(noun, 9) <= 2
    }


def _bases(written):
    """Return a name, and what is left of it without its affixes."""
    yield written
    words = written.split("_")
    while len(words) > 1 and words[-1] in _AFFIXES:
        words = words[:-1]
        yield "_".join(words)
    while len(words) > 1 and words[0] in _AFFIXES:
        words = words[1:]
        yield "_".join(words)
    for end in _GLUED:
        if len(words) == 1 and words[0].endswith(end) and words[0] != end:
            yield words[0].removesuffix(end)


def rank(name: Hashable, role: str) -> int | None:
    """Return the rank of a name in a role; None if it has no such role."""
    return ranks_of(name).get(role)


def stem(name: Hashable) -> str:
    """Return a name without the number behind it: ``rater`` of
    ``Rater_2``."""
    return plain(name).rstrip("0123456789").strip("_")


def _stem(names):
    """Return the word to which all names add a number; None if there is
    none."""
    stems = set()
    for name in names:
        match = re.fullmatch(r"(\D*?)[-_ ./]*\d+[a-z]?", str(name).strip())
        if match is None:
            return None
        stems.add(plain(match[1]))
    return stems.pop() if len(stems) == 1 else None


def is_numbered(names: Iterable[Hashable]) -> bool:
    """Return whether all names are numbers, or one word with numbers.

    Examples
    --------
    >>> is_numbered(["HumanEval/0", "HumanEval/1"]), is_numbered("ab")
    (True, False)
    """
    return _stem(names) is not None


def role_of_numbered(names: Iterable[Hashable]) -> str:
    """Return the role of which all names are numbered, as ``q1, q2`` are
    of topics; numbers alone are of topics, and other names of no role.

    Examples
    --------
    >>> role_of_numbered(["rater 1", "rater 2"]), role_of_numbered("ab")
    ('assessor', '')
    >>> role_of_numbered(["301", "302"]), role_of_numbered(["Q1b", "Q2"])
    ('topic', 'topic')
    """
    word = _stem(names)
    if word is None:
        return ""
    if word in ("", "i", "t", "q"):
        return "topic"
    if word == "run":
        return "repetition"
    found = {r: n for r, n in ranks_of(word).items() if r in FACETS}
    if word in ("sys", "model", "system"):
        return "system"
    return min(found, key=found.__getitem__, default="")


def are_known_systems(names: Iterable[Hashable]) -> bool:
    """Return whether half of these names or more are of systems that are
    well known.

    Examples
    --------
    >>> are_known_systems(["gpt-4o", "Qwen2.5-7B (ours)", "mine"])
    True
    >>> are_known_systems(["q1", "q2"]), are_known_systems(["a", "b"])
    (False, False)
    """
    known = _words()["known"]
    texts = [_bare(plain(name)).split("_") for name in names]
    found = [
        len(words) <= _MOST_WORDS
        and any({w, w.rstrip("0123456789")} & {*known} for w in words)
        for words in texts
    ]
    return len(found) > 1 and 2 * sum(found) >= len(found)


def is_aside(name: Hashable) -> bool:
    """Return whether a name is that of a cost, a time, a trait or a count,
    and not that of a measure, such as ``reciprocal_rank``.

    Examples
    --------
    >>> [is_aside(n) for n in ("latency_s", "n_words", "Age", "rr")]
    [True, True, True, False]
    >>> is_aside("first_hit_rank"), is_aside("reciprocal_rank")
    (True, False)
    >>> is_aside("llm.token_count.prompt"), is_aside("cost.accuracy")
    (True, False)
    """
    *before, last = str(name).split(".")
    if before and is_aside(before[-1]) and not {*ranks_of(last)} & _SCORED:
        return True
    words = _bare(plain(name)).split("_")
    if "_".join(words) in _words()["criterion"]:
        return False
    measured = False
    while len(words) > 1 and words[-1] in _UNITS:
        measured = measured or words[-1] not in _SUMS
        words = words[:-1]
    if measured and words[-1] in _SUMS:  # seconds in total
        return True
    if re.fullmatch(_COUNTED, str(name).strip()):
        return not any(words[-1] in ranks for ranks in _words().values())
    return words[-1] in _words()["aside"]


def is_average(name: Hashable) -> bool:
    """Return whether a name is that of a summary of other columns.

    Examples
    --------
    >>> [is_average(n) for n in ("Avg.", "mean_score", "Gesamt", "MAP")]
    [True, True, True, True]
    >>> is_average("AMI WER"), is_average("all that glitters")
    (False, False)
    """
    words = _bare(plain(name)).split("_")
    known = _words()
    if "_".join(words) in known["average"]:
        return True
    if not any(w in known["average"] for w in words):
        return False
    beside = "average", "rate", "criterion", "less"
    return all(
        w == "performance" or any(w in known[role] for role in beside)
        for w in words
    )


def without_averages(columns: Iterable[Hashable]) -> list[Hashable]:
    """Return columns without those that sum up others. Means of several
    criteria, of which there is nothing else, are scores: each of an item,
    over raters.

    Examples
    --------
    >>> without_averages(["bm25", "lm", "Average WER"])
    ['bm25', 'lm']
    >>> without_averages(["fluency_mean", "fluency_std", "safety_mean"])
    ['fluency_mean', 'safety_mean']
    """
    columns = [*columns]
    averages = [c for c in columns if is_average(c)]
    if not averages:
        return columns
    known = _words()
    summing = {*known["average"], *known["rate"]}
    words = {c: {*_bare(plain(c)).split("_")} for c in columns}
    others = [words[c] for c in columns if c not in averages]
    own = {
        c: words[c] - summing
        for c in averages
        if words[c] - summing and not words[c] & _SPREAD
        if not any(words[c] - summing <= other for other in others)
    }
    if len({*map(frozenset, own.values())}) < 2:
        own = {}
    return [c for c in columns if c in own or c not in averages]


def is_criterion(name: Hashable) -> bool:
    """Return whether all of a name's words are of measures, as those of
    ``hallucination_rate`` and ``win rate`` are.

    Examples
    --------
    >>> [is_criterion(n) for n in ("win_rate", "rougeL", "gpt4_score")]
    [True, True, False]
    """
    written = _bare(plain(name))
    known = _words()
    if written in known["criterion"]:
        return True
    words = [w for w in written.split("_") if not w.isdigit()]
    words = [re.sub(r"(?<=[a-z]{2})\d+$", "", w) for w in words]
    return bool(words) and all(
        w in known["criterion"] or w in known["rate"] for w in words
    )


def is_named_measure(name: Hashable) -> bool:
    """Return whether a name is in the table as that of a measure, perhaps
    with a cutoff."""
    written = _bare(plain(name))
    base = re.sub(r"(_at|_cut)?_\d+$", "", written)
    ranks = _words()["criterion"]
    return 1 in (ranks.get(written), ranks.get(base))


def is_index(name: Hashable) -> bool:
    """Return whether a name, or none, is that of a column that numbers
    rows."""
    return bool(re.fullmatch(_INDEX, plain(name)))


def is_id(name: Hashable) -> bool:
    """Return whether a name is that of a column that identifies rows."""
    return bool(re.fullmatch(_ID, plain(name)))


def is_unnamed(name: Hashable) -> bool:
    """Return whether a column has no name, or that which pandas gives."""
    return bool(re.match(r"(?i)\s*($|unnamed: )", str(name)))


def is_any_score(name: Hashable) -> bool:
    """Return whether a name, or none, says nothing of what was measured."""
    return name is None or plain(name) in _ANY


def is_less_better(name: Hashable) -> bool:
    """Return whether scores are called like errors: less is better.

    Examples
    --------
    >>> names = "test_WER", "logloss", "Score (lower is better)", "FID ↓"
    >>> [is_less_better(name) for name in names]
    [True, True, True, True]
    >>> names = "ERR@20", "neg_log_loss", "error_handling", "1 - WER"
    >>> [is_less_better(name) for name in names]
    [False, False, False, False]
    """
    written = plain(name)
    if "↓" in str(name) or re.fullmatch(_LOWER, written):
        return True
    if _words()["less"].get(written) == 2:
        return True
    if re.match(r"\s*[-−]", str(name)):  # -MSE
        return False
    words = _bare(written).split("_")
    less = any(map(_is_error, words)) or is_of_errors(str(name))
    return less and not any(w in _words()["more"] for w in words)


def _is_error(word):
    """Return whether a word is one of errors, also at its end."""
    if _words()["less"].get(word) == 1:
        return True
    ends = word.endswith(("mse", "mae", "fehler", "loss"))
    return ends and word not in ("gloss", "floss")


def is_of_errors(title: str) -> bool:
    """Return whether a title has the name of an error rate: in capitals,
    or in full.

    Examples
    --------
    >>> titles = "ASR in May (WER in %)", "Word error rate", "Das der Jury"
    >>> [is_of_errors(title) for title in titles]
    [True, True, False]
    """
    if re.search(rf"(?<![A-Za-z])({_CAPITALS})(?![A-Za-z])", title):
        return True
    return bool(re.search("(?i)(word|character|token) error rate", title))


def are_of_errors(names: Iterable[Hashable]) -> bool:
    """Return whether all names end with that of an error rate, as those of
    the columns of a wide table may: ``whisper_wer``, ``AMI WER``."""
    words = [_bare(plain(name)).split("_") for name in names]
    return all(len(w) > 1 and re.fullmatch(_RATES, w[-1]) for w in words)


def is_file_of_errors(name: str) -> bool:
    """Return whether a file is called by an error rate, among other
    words.

    Examples
    --------
    >>> is_file_of_errors("wer_results"), is_file_of_errors("answers")
    (True, False)
    """
    words = _bare(plain(name)).split("_")
    return any(re.fullmatch(_RATES, word) for word in words)


def is_table_of_scores(columns: Iterable[Hashable]) -> bool:
    """Return whether columns name topics and scores, a row for each."""
    roles = {r for c in columns for r, n in ranks_of(c).items() if n < 3}
    return {"topic", "score"} <= roles
