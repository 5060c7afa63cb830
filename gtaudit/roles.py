"""What the columns of a table are: guessed from names and content."""

import re
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

import pandas as pd

from gtaudit.doubts import (
    ASSESSORS,
    AVERAGE,
)
from gtlib.checks import as_numbers, list_some

# Names of columns by role, as `plain` has them; those in one text are
# equally good, and better than those in the next.
NAMES = {
    "system": (
        "system run runid run_id run_tag runtag system_id model model_id",
        "agent model_name_or_path method retriever approach engine llm "
        "ranker algorithm pipeline experiment submission",
        "name userid user respondent student participant "
        "team variant prompt_version prompt_template template prompt "
        "config configuration setup",
        "estimator classifier forecaster "
        "modell modèle modele système systeme modelo sistema",
    ),
    "topic": (
        "topic query qid topicid query_id topic_id item item_id question "
        "question_id instance",
        "doc_id task_id instance_id sample_id example_id problem_id "
        "case_id q_id segment_id document_id utterance_id utt_id audio_id",
        "task example problem case test_case segment seg exercise song "
        "conversation claim sentence",
        "user_input input inputs prompt id sample doc document text "
        "utterance utt "
        "benchmark dataset",
    ),
    "assessor": (
        " ".join(ASSESSORS),
        "judge_model llm_judge reviewer evaluator labeler labeller coder "
        "expert worker",
    ),
    "seed": ("seed",),
    "repetition": (
        "repetition replicate run_number epoch",
        "trial attempt repeat iteration replication rep",
        "sample",
    ),
    "score": (
        "score value",
        "reward accuracy correct is_correct resolved is_resolved passed "
        "success rating label grade mark points result pass1",
    ),
}
# The names that a design or a measure may have, by role.
ALIASES = {
    role: tuple(" ".join(names[:2]).split())
    for role, names in NAMES.items()
}
# Runs that share nothing, whatever the scores.
OWN_RUNS = {"epoch", "trial", "attempt"}
# What topics may belong to; it tells equal numbers of topics apart.
GROUPS = "task benchmark benchmark_id dataset subject subset category "
GROUPS += "domain language lang corpus topic"

# Names of scores that do not say what was measured.
_ANY = "score value result wert valeur"

# Error rates; some of them are words as well, unless they are in capitals.
_RATES = r"[wc]er|hter|eer|\w*mse|\w*mae|s?mape|nll|perplexity"
_WORDS = "[tmdf]er|per"
_CAPITALS = "[WCTMDFP]ER|HTER|EER|R?MSE|MAE|S?MAPE|FID|ECE"

# Columns and rows of averages: the names that `gtlib` doubts, and those of
# tools and leaderboards.
AVERAGES = rf"{AVERAGE}|g?map|gm_map|"
AVERAGES += "std|stdev|std_dev|sd|stderr|max|min|num_(rel|ret|q|rel_ret)|"
AVERAGES += "(macro|micro|weighted|grand)_(average|avg|mean)|"
AVERAGES += "(average|avg|mean|overall|total)_(score|accuracy|performance|"
AVERAGES += rf"{_RATES}|{_WORDS})|"
AVERAGES += "mittelwert|durchschnitt|moyenne|promedio|gemiddelde"
_ASIDE = "cost|price|latency|time|duration|runtime|elapsed|seconds|secs|"
_ASIDE += "timestamp|created|date|year|tokens?|params?|parameters|size|"
_ASIDE += "memory|energy|emissions|fold|split|rank|version|revision|count|"
_ASIDE += "length|likes|downloads|votes|turns|steps|retries|temperature"
METADATA = (
    rf"(\w+_)?({_ASIDE})(_(usd|eur|s|ms|sec|h|b|m|k|gb|mb|kg|total))*"
)
METADATA += r"|(n|num|number|total)_(params|tokens|steps|turns|calls)\w*"
# Words in the names of scores of which less is better, and words that say
# otherwise beside them.
_LESS = rf"{_RATES}|frr|mase|crps|rm?sle|msle|medae|losses|loss|"
_LESS += r"(?!gl|fl)\w+loss|ppl|bpb|brier|xent|"
_LESS += r"errors?|"
_LESS += r"\w*fehler|fehlerrate|erreurs?|regret|distance|wrong|incorrect|"
_LESS += r"fail|fails|failed|failures?|crash|crashed|crashes|misclassified|"
_LESS += r"mistakes?|violations?|invalid|hallucinations?|hallucinated|"
_LESS += r"toxicity|penalty|penalties|fid|lpips|ece|latency|cost|price|"
_LESS += r"duration|runtime|elapsed|seconds"
_MORE = "neg|negative|negated|minus|no|not|non|without|free|inverse|1|"
_MORE += "100|reduction|improvement|improved|gain|handling|tolerance|"
_MORE += "resistance|robustness|detection|detected|found|gefunden|"
_MORE += "localization|recovery|correction|corrected|correct|right|"
_MORE += "prevented|avoided|avoidance|rejected|resolved|fixed|saved|"
_MORE += "savings|survived|recall|precision|f1|acc|accuracy|em|auc|auroc|"
_MORE += "auprc|ap|map|ndcg|mrr|kappa|spearman|pearson|correlation|"
_MORE += "similarity|diff|difference|d2|skill|coverage|efficiency|"
_MORE += "effectiveness|benefit|performance|adjusted|profit|safe|safety|"
_MORE += "goals|travelled|win|pass|passed|success"
_LOWER = r"(\w+_)?(lower|less|smaller)_(is_)?better(_\w+)?|"
_LOWER += r"(\w+_)?(bits_per_(byte|char)|noise_sensitivity)(_\w+)?|"
_LOWER += rf"(\w+_)?cross_?entropy(_\w+)?|{_WORDS}"
# Also of a column without a name.
_INDEX = r"(rank|index|level_\d+|unnamed_\d+|row|no|nr|number)?"
_ID = r"(\w+_)?(id|uid|idx|key)"


@dataclass(frozen=True)
class Reading:
    """How the columns of a file were read.

    Attributes
    ----------
    roles : dict of column to role
    left_out : tuple of str
        The columns and rows that are not used.
    shape : tuple of int
        How many levels each role has but that of the score.
    sentence : str
        All this in words, said before the numbers.
    """

    roles: Mapping[str, str]
    left_out: tuple[str, ...] = ()
    shape: tuple[int, ...] = ()

    sentence: str = field(init=False)

    def __post_init__(self) -> None:
        named = [
            name if name == role else f"{name} = {role}"
            for name, role in self.roles.items()
        ]
        sentence = f"read as: {', '.join(named)}"
        if self.shape:
            sentence += f" ({' × '.join(map(str, self.shape))})"
        if self.left_out:
            sentence += f"; left out: {list_some(self.left_out, 12)}"
        object.__setattr__(self, "sentence", f"{sentence}.")

    def without(self, used: Iterable[object]) -> "Reading":
        """Return the same, without columns that are used after all."""
        now_used = {*used}
        kept = tuple(n for n in self.left_out if n not in now_used)
        return replace(self, left_out=kept)


def plain(name: Hashable) -> str:
    """Return a column's name in small letters, with signs as ``_``.

    Examples
    --------
    >>> plain("Average ⬆️"), plain("#Params (B)"), plain("taskId")
    ('average', 'params_b', 'task_id')
    """
    text = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", str(name)).casefold()
    return re.sub(r"[\W_]+", "_", text).strip("_")


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
    words = plain(name).split("_")
    if "↓" in str(name) or is_named(name, _LOWER):
        return True
    if re.match(r"\s*[-−]", str(name)):  # -MSE
        return False
    less, more = (
        any(re.fullmatch(pattern, word) for word in words)
        for pattern in (_LESS, _MORE)
    )
    return (less or is_of_errors(str(name))) and not more


def is_any_score(name: Hashable) -> bool:
    """Return whether a name, or none, says nothing of what was measured."""
    return name is None or plain(name) in _ANY.split()


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
    words = [plain(name).split("_") for name in names]
    return all(len(w) > 1 and re.fullmatch(_RATES, w[-1]) for w in words)


def is_named(name: Hashable, pattern: str) -> bool:
    """Return whether a column has such a name; by no pattern it has
    none."""
    return bool(pattern) and bool(re.fullmatch(pattern, plain(name)))


def is_index(name: Hashable, fields: pd.Series) -> bool:
    """Return whether a column numbers rows: by its name and content."""
    if not is_named(name, _INDEX):
        return False
    return fields.astype(str).str.fullmatch(r"\s*\d+(\.0)?\s*").all()


def is_id(name: Hashable, fields: pd.Series) -> bool:
    """Return whether a column identifies rows: whole numbers, each once,
    called an id."""
    whole = fields.astype(str).str.fullmatch(r"\s*\d+(\.0)?\s*").all()
    return is_named(name, _ID) and whole and not fields.duplicated().any()


def name_rank(name: Hashable, role: str) -> int | None:
    """Return the rank of a name among those of a role in `NAMES`, 0 for
    the best; None if it is none of these."""
    written = plain(name)
    base = re.sub(
        r"_(id|name|label|idx|index|no|nr|number|num|key)$", "", written
    )
    for i, names in enumerate(NAMES[role]):
        if written in names.split() or base in names.split():
            return i
    return None


def column_roles(
    source: object,
    columns: Iterable[Hashable],
    measure: str | None,
    roles: Mapping[str, str],
    table: pd.DataFrame | None = None,
) -> dict:
    """Find the roles of columns, by `NAMES`, by their content, and by what
    the reader says (`roles`, of column to role).

    Raises
    ------
    ValueError
        If two guesses are equally good.

    Examples
    --------
    >>> column_roles("a.csv", ["Run", "qid", "AP"], None, {})
    {'Run': 'system', 'qid': 'topic'}

    Topics choose before a name such as prompt makes a system.

    >>> column_roles("a.csv", ["prompt", "config"], None, {})
    {'prompt': 'topic', 'config': 'system'}
    """
    names = [*columns]
    given = {plain(column): role for column, role in roles.items()}
    chosen = {c: given[plain(c)] for c in names if plain(c) in given}
    free = [c for c in names if c not in chosen]

    def choose(role, worst=None, but=()):
        if role in chosen.values():
            return
        ranks = {
            c: rank
            for c in free
            if c not in (*chosen, *but)
            and (rank := name_rank(c, role)) is not None
            and (worst is None or rank <= worst)
            and not (rank > 1 and _may_be_scores(c, role, table))
        }
        best = _best(source, role, ranks, measure, table)
        if best is not None:
            chosen[best] = role

    runs = [c for c in free if plain(c) in ("run", "run_id", "runid")]
    others = [c for c in free if name_rank(c, "system") in (0, 1)]
    beside = runs if table is not None and len(others) > len(runs) else []
    choose("system", 1, beside)
    choose("topic")
    topics = [c for c, role in chosen.items() if role == "topic"]
    choose("system", None, _told_by(table, topics, free))
    choose("assessor")
    for role in ("seed", "repetition"):
        choose(role)
    _choose_repetition(chosen, beside, table)
    choose("score")
    return {c: chosen[c] for c in names if c in chosen}


def _may_be_scores(column, role, table):
    """Return whether a column that is called like a facet, but not surely,
    holds fractions, or zeros and ones alone."""
    if role == "score" or table is None:
        return False
    numbers = as_numbers(table[column])
    if numbers.isna().any():
        return False
    return bool((numbers % 1 > 0).any() or numbers.isin([0, 1]).all())


def _best(source, role, ranks, measure, table):
    """Return the best of the columns that may have a role, of which `ranks`
    are known."""
    if not ranks:
        return None
    best = [c for c, rank in ranks.items() if rank == min(ranks.values())]
    if role == "score":
        if measure in ranks:
            return measure
    elif table is not None:
        several = [c for c in ranks if (table[c] != table[c].iloc[0]).any()]
        if role == "topic" and len(several) > 1:
            shared = [c for c in several if table[c].duplicated().any()]
            several = shared or several
        best = [c for c in best if c in several] or several or best
        low = min(ranks[c] for c in best)
        best = [c for c in best if ranks[c] == low]
        finest = [
            c for c in best if all(_is_finer(table, c, d) for d in best)
        ]
        best = finest[:1] or best
    if len(best) > 1:
        option = "--measure " if role == "score" else f"--columns {role}="
        ways = " or ".join(f"{option}{c}" for c in best[:4])
        raise ValueError(
            f"Several columns of {source} may name the {role}: "
            f"{list_some(best)}. Say which: {ways}."
        )
    return best[0]


def _is_finer(table, column, other):
    """Return whether each level of a column has one level of another."""
    if column == other:
        return True
    pairs = table[[column, other]].drop_duplicates()
    return not pairs[column].duplicated().any()


def _told_by(table, topics, columns):
    """Return the columns that name topics once more, one to one, as prompts
    beside ids do."""
    if table is None or not topics:
        return []
    topic = topics[0]
    return [
        c
        for c in columns
        if _is_finer(table, topic, c) and _is_finer(table, c, topic)
    ]


def _choose_repetition(chosen, beside, table):
    """Let runs beside a model be repetitions where cells repeat; a column
    of repetitions that tells no cells apart is none."""
    if table is None:
        return
    cells = [c for c, r in chosen.items() if r in ("system", "topic")]
    cells += [c for c, r in chosen.items() if r == "assessor"]
    given = [c for c, r in chosen.items() if r in ("seed", "repetition")]
    if len(cells) < 2 or not (given or beside):
        return
    repeated = table.duplicated(cells).any()
    if not given and repeated:
        for run in beside:
            if not table.duplicated([*cells, run]).any():
                chosen[run] = "repetition"
                return
    for column in given:
        if not repeated and len({*table[column]}) > 1:
            del chosen[column]


def is_table_of_scores(columns: Collection[Hashable]) -> bool:
    """Return whether columns name topics and scores, a row for each."""
    roles = {r for c in columns for r in NAMES if name_rank(c, r) in (0, 1)}
    return {"topic", "score"} <= roles
